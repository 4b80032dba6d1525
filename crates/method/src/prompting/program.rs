//! Demonstrations and the trajectory so far as programs, with or without think comments.

use serde::Serialize;

use crate::reading::written;
use crate::think::{thoughts, thoughts_of_prefix};
use stepwright_episode::{Choice, Node, Session};
use stepwright_program::Call;
use stepwright_world as world;

/// A demonstration as a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Demonstration {
    /// Where it comes from.
    pub id: String,
    /// The world's kind of task.
    pub kind: String,
    /// The goal.
    pub sentence: String,
    /// The program, with its `def` line.
    pub program: String,
    /// The same with a `# think:` comment before actions.
    pub thinking: String,
    /// The first action, as an example of a line.
    pub example: Option<String>,
}

impl Demonstration {
    /// A recorded episode as a program.
    pub fn of(recorded: &world::demonstration::Demonstration) -> Self {
        let mut trajectory =
            Trajectory { opening: vec![format!("def {}():", recorded.header.function)], steps: Vec::new() };
        let comment = recorded.header.comment.replace(['\n', '\r'], " ");
        trajectory.opening.extend((!comment.is_empty()).then(|| format!("# {comment}")));
        trajectory.opening.extend(recorded.header.setup.iter().cloned());
        let thoughts = thoughts(recorded);
        trajectory.steps.extend(recorded.steps.iter().zip(thoughts).map(|(step, thought)| TrajectoryStep {
            thoughts: thought.into_iter().collect(),
            action: step.action_call.as_ref().map(ToString::to_string),
            observations: step.observation_calls.iter().map(ToString::to_string).collect(),
        }));
        Demonstration {
            id: recorded.id.clone(),
            kind: recorded.task_type.clone(),
            sentence: recorded.sentence.clone(),
            program: trajectory.render(false, 0),
            thinking: trajectory.render(true, 0),
            example: recorded.steps.iter().find_map(|s| s.action_call.as_ref()).map(ToString::to_string),
        }
    }
}

/// A step of a trajectory: what was thought, done and observed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrajectoryStep {
    /// Thoughts before the action, one line each, without `# think:`.
    pub thoughts: Vec<String>,
    /// The action as a call; `None` for the reset and for actions without a call.
    pub action: Option<String>,
    /// The observations as calls.
    pub observations: Vec<String>,
}

/// The program so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Trajectory {
    /// The `def` line, the comment and the lines that set the objects up, unindented.
    pub opening: Vec<String>,
    /// The steps, the reset first.
    pub steps: Vec<TrajectoryStep>,
}

impl Trajectory {
    /// A session's trajectory to its cursor. `actions` are the agent's, as `system.OFFER`: where the reset already holds some, as where
    /// a dialogue is continued in its midst, they come with the thoughts that demonstrations have.
    pub fn of(session: &Session, actions: &[String]) -> Self {
        let path = session.path(session.cursor());
        let mut steps: Vec<TrajectoryStep> = Vec::new();
        let rest = match path.first().map(|reset| prefix(&reset.outcome.calls, actions)) {
            Some(prefix) if prefix.iter().any(|s| s.action.is_some()) => {
                steps.extend(prefix);
                1
            }
            _ => 0,
        };
        steps.extend(path.iter().enumerate().skip(rest).map(|(i, node)| {
            let parent = i.checked_sub(1).and_then(|before| path.get(before));
            let mut calls = node.outcome.calls.clone();
            let own = node.action.as_ref().and_then(|a| a.call.as_ref());
            let begins = calls.first().is_some_and(|first| Some(first) == own || is_same(own, first));
            let action = begins.then(|| calls.remove(0));
            let thoughts = parent.map(|p| thoughts_of(p, node)).unwrap_or_default();
            TrajectoryStep { thoughts, action, observations: calls }
        }));
        Trajectory { opening: session.header.opening.clone(), steps }
    }

    /// How many observations there are.
    pub fn observations(&self) -> usize {
        self.steps.iter().map(|s| s.observations.len()).sum()
    }

    /// As a program, each line ended; with think comments or not, and without its oldest `left_out` observations, which a comment
    /// stands for.
    pub fn render(&self, think: bool, left_out: usize) -> String {
        let mut program = String::new();
        let mut lines = self.opening.iter();
        if let Some(def) = lines.next() {
            program.push_str(def);
            program.push('\n');
        }
        let mut line = |text: &str| {
            program.push_str("    ");
            program.push_str(text.trim_start());
            program.push('\n');
        };
        lines.for_each(|text| line(text));
        if left_out > 0 {
            line(&format!("# ({left_out} older observations are left out)"));
        }
        let mut skip = left_out;
        for step in &self.steps {
            if think {
                step.thoughts.iter().for_each(|thought| line(&comment(thought)));
            }
            step.action.iter().for_each(|action| line(action));
            for observation in &step.observations {
                match skip.checked_sub(1) {
                    Some(left) => skip = left,
                    None => line(observation),
                }
            }
        }
        program
    }
}

/// Calls that were made before the session began, in steps.
fn prefix(calls: &[String], actions: &[String]) -> Vec<TrajectoryStep> {
    let read: Option<Vec<Call>> = calls.iter().map(|c| c.parse().ok()).collect();
    let is_action = |call: &Call| actions.iter().any(|a| *a == format!("{}.{}", call.receiver, call.function));
    let Some(read) = read.filter(|read| read.iter().any(is_action)) else { return Vec::new() };
    let thoughts = thoughts_of_prefix(&read, is_action);
    let mut steps = vec![TrajectoryStep::default()];
    for ((text, call), thought) in calls.iter().zip(&read).zip(thoughts) {
        if is_action(call) {
            let thoughts = thought.into_iter().collect();
            steps.push(TrajectoryStep { thoughts, action: Some(text.clone()), observations: Vec::new() });
        } else if let Some(last) = steps.last_mut() {
            last.observations.push(text.clone());
        }
    }
    steps
}

/// A thought as a comment. It never ends as a call does: a model that writes like it would be stopped before its action
/// ([`crate::reading::END_OF_CALL`]).
fn comment(thought: &str) -> String {
    let end = if thought.ends_with(')') { "." } else { "" };
    format!("# think: {thought}{end}")
}

/// Whether two spellings are the same call.
fn is_same(own: Option<&String>, first: &str) -> bool {
    let read = |text: &str| text.parse::<Call>().ok();
    own.and_then(|own| read(own)).is_some_and(|own| read(first) == Some(own))
}

/// What the model thought before the action that led from a node to its child. A person's own action has no thoughts, nor has
/// one that a person edited.
fn thoughts_of(parent: &Node, child: &Node) -> Vec<String> {
    let decision = child.decision.and_then(|id| parent.turn.decision(id));
    let Some(Choice::Approve { proposal }) = decision.map(|d| &d.choice) else { return Vec::new() };
    let raw = parent.turn.proposal(*proposal).map_or("", |p| p.raw.as_str());
    written(raw).thoughts.into_iter().map(|t| t.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_beginning_has_the_thoughts_of_demonstrations() {
        let calls =
            ["user.INFORM('city')", "user.REQUEST('fare')", "system.FindBus()", "system.set_query_status(True)"];
        let calls = calls.into_iter().chain(["system.INFORM('fare')", "user.GOODBYE()"]).map(str::to_owned);
        let calls: Vec<String> = calls.collect();
        let actions = ["system.FindBus", "system.INFORM"].map(str::to_owned);
        let trajectory = Trajectory { opening: vec!["def f():".into()], steps: prefix(&calls, &actions) };
        let plain: String = calls.iter().map(|c| format!("    {c}\n")).collect();
        assert_eq!(trajectory.render(false, 0), format!("def f():\n{plain}"));
        assert_eq!(trajectory.observations(), 4, "what the agent did is never left out");
        let thinking = trajectory.render(true, 0);
        let thought = "    # think: I answer the user: INFORM('city'), REQUEST('fare').\n    system.FindBus()\n";
        assert!(thinking.contains(thought) && thinking.matches("# think").count() == 1, "{thinking}");
        assert!(prefix(&calls[..2], &actions).is_empty(), "only what the other party said");
    }

    #[test]
    fn the_oldest_observations_go_first_and_a_comment_stands_for_them() {
        let step = |action: &str, observations: &[&str]| TrajectoryStep {
            thoughts: vec!["why not".into()],
            action: Some(action.into()),
            observations: observations.iter().map(|o| (*o).into()).collect(),
        };
        let trajectory = Trajectory {
            opening: vec!["def f():".into(), "# f".into(), "a = A()".into()],
            steps: vec![step("a.go(1)", &["a.see(1)", "a.see(2)"]), step("a.go(2)", &["a.see(3)"])],
        };
        assert_eq!(comment("I answer GOODBYE()"), "# think: I answer GOODBYE().");
        assert_eq!(trajectory.observations(), 3);
        assert_eq!(
            trajectory.render(false, 0),
            "def f():\n    # f\n    a = A()\n    a.go(1)\n    a.see(1)\n    a.see(2)\n    a.go(2)\n    a.see(3)\n"
        );
        assert_eq!(
            trajectory.render(true, 2),
            "def f():\n    # f\n    a = A()\n    # (2 older observations are left out)\n    # think: why not\n    \
             a.go(1)\n    # think: why not\n    a.go(2)\n    a.see(3)\n"
        );
    }
}
