//! The program side of an episode: the specification with the assertions in force, and the state the calls lead to.

use serde_json::Value;

use super::LineStatus;
use crate::episode::Check;
use crate::episode::gate::Assertions;
use crate::planner::ProgramView;
use crate::program::Call;

/// The specification with the assertions in force.
#[derive(Debug, Clone)]
pub(super) struct Mind {
    source: String,
}

/// The program state: what the agent can know.
#[derive(Debug, Clone)]
pub(super) struct MindState {
    calls: Vec<String>,
}

impl Mind {
    /// Loads a specification.
    pub(super) fn load(source: &str) -> Result<Self, String> {
        Ok(Mind { source: source.to_owned() })
    }

    /// The assertions in force, by action.
    pub(super) fn assertions(&self) -> Vec<Assertions> {
        Vec::new()
    }

    /// Puts assertions in force.
    pub(super) fn adopt(&mut self, _assertions: &Assertions) -> Result<(), String> {
        Ok(())
    }

    /// The state after the set-up lines.
    pub(super) fn start(&self) -> MindState {
        MindState { calls: vec![format!("{} bytes", self.source.len())] }
    }

    /// Evaluates the assertions of a call.
    pub(super) fn check(&self, _state: &MindState, _call: &Call) -> Vec<Check> {
        Vec::new()
    }

    /// Runs an edited trajectory.
    pub(super) fn run(&self, lines: &[String]) -> Vec<LineStatus> {
        lines.iter().map(|_| LineStatus::Ran).collect()
    }
}

impl ProgramView for MindState {
    fn check(&self, _action: &Call) -> Vec<Check> {
        Vec::new()
    }

    fn apply(&mut self, calls: &[Call]) {
        self.run(calls.iter());
    }
}

impl MindState {
    /// Runs calls that the world has made true, without their assertions.
    pub(super) fn run<'a>(&mut self, calls: impl Iterator<Item = &'a Call>) {
        self.calls.extend(calls.map(ToString::to_string));
    }

    /// The variables as JSON.
    pub(super) fn variables(&self) -> Value {
        self.calls.iter().map(|c| Value::from(c.as_str())).collect()
    }
}
