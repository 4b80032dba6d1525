//! Data of worlds: outcomes, tasks, the opening of programs, snapshots.

use std::any::Any;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use stepwright_episode::{AskedOf, StepOutcome};
use stepwright_program::Call;
use stepwright_trajectory::Step;

/// A world's answer to a reset or an action: one line of the line protocol, but for the parts it can tell at any moment
/// ([`World::admissible`](super::World::admissible), [`World::truth`](super::World::truth)).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// The text the agent sees, verbatim, line breaks included.
    pub observation: String,
    /// The action as a program call, where the accepted action is one (`agent.goto('drawer 4')`); `None` for a reset, a
    /// refused action, or an action that has no call (`look`).
    pub action_call: Option<Call>,
    /// The observation as program calls, in program order (`agent.update_visible_objects('drawer 4', 'mug 1')`).
    pub observation_calls: Vec<Call>,
    /// Why the world refused the action, in its own words where it has any; `None` when it was accepted.
    pub error: Option<String>,
    pub reward: f64,
    pub done: bool,
    pub won: bool,
    /// Whether the episode is over and nobody said if the goal holds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untold: bool,
    /// What a program asks of a model then, where actions are answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<Arc<AskedOf>>,
}

impl Outcome {
    /// The action's call (if any) followed by the observation's calls: the `calls` of the line protocol.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.action_call.iter().chain(&self.observation_calls)
    }

    /// The step of a trajectory that an action and its outcome are; an empty action's is the reset.
    pub fn into_step(self, action: &str) -> Step {
        Step {
            action: action.to_owned(),
            call: self.action_call,
            observation: Some(self.observation),
            calls: self.observation_calls,
            refused: self.error.is_some(),
            ..Step::default()
        }
    }
}

impl From<&Outcome> for StepOutcome {
    fn from(outcome: &Outcome) -> Self {
        StepOutcome {
            observation: outcome.observation.clone(),
            calls: outcome.calls().map(ToString::to_string).collect(),
            error: outcome.error.clone(),
            reward: outcome.reward,
            done: outcome.done,
            won: outcome.won,
            untold: outcome.untold,
            asked: outcome.asked.clone(),
            ..StepOutcome::default()
        }
    }
}

/// A task a world can be reset to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskInfo {
    pub id: String,
    /// The world's own kind of task (`pick_and_place_simple`).
    pub kind: String,
    pub sentence: String,
    /// Where it comes from, for display: `shipped`, or a path.
    pub source: String,
}

/// How a trajectory of this world opens as a program: the function's name, its comment and the lines that set the objects up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramHeader {
    /// Python identifier of the enclosing function (`put_a_mug_in_desk`).
    pub function: String,
    /// The comment under the `def` line, without `# `; empty for none.
    pub comment: String,
    /// Statements that create the objects (`env = Environment()`, `agent = Agent(env)`).
    pub setup: Vec<String>,
}

impl ProgramHeader {
    /// The lines before the calls, unindented: the `def` line, the comment, the setup.
    pub fn opening(&self) -> Vec<String> {
        let mut lines = vec![format!("def {}():", self.function)];
        lines.extend((!self.comment.is_empty()).then(|| format!("# {}", self.comment.replace(['\n', '\r'], " "))));
        lines.extend(self.setup.iter().cloned());
        lines
    }
}

/// A snapshot of an episode that a world can return to. Opaque, cheap to clone and to keep.
#[derive(Clone)]
pub struct Snapshot(pub Arc<dyn Any + Send + Sync>);

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Snapshot")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_program::SyntaxFault;
    use stepwright_trajectory::program;

    #[test]
    fn a_program_is_a_function_of_calls_and_its_comment_one_line() {
        let header = ProgramHeader {
            function: "put_a_mug".to_owned(),
            comment: "put a mug\nin desk.".to_owned(),
            setup: vec!["env = Environment()".to_owned()],
        };
        let calls = vec![Call::new("agent", "goto", ["desk 1"]), Call::new("agent", "open", ["desk 1"])];
        let text = program::write(&header.opening(), &[Step { calls, ..Step::default() }], false, 0);
        assert_eq!(
            text,
            "def put_a_mug():\n    # put a mug in desk.\n    env = Environment()\n    agent.goto('desk 1')\n    \
             agent.open('desk 1')\n"
        );
        assert_eq!(SyntaxFault::of_program(&text), None);
    }
}
