//! Episodes as calls of tools, and what is known before each of them.

use serde::Deserialize;
use serde_json::Value as Json;

use stepwright_program::tools::Toolbox;
use stepwright_program::{Assertion, Specification, State};

/// A call of a tool in an episode, and what came of it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ToolStep {
    pub tool: String,
    pub arguments: Json,
    #[serde(default)]
    pub result: Json,
    pub error: Option<String>,
}

/// Assertions believed of a tool's calls.
#[derive(Debug, Clone)]
pub struct ToolRule {
    pub assertion: Assertion,
    /// Calls at which it was seen to hold.
    pub seen: usize,
}

/// Knowledge before a call, run by run.
#[derive(Clone)]
pub struct Known<'t> {
    pub(super) toolbox: &'t Toolbox,
    pub(super) state: State,
}

impl<'t> Known<'t> {
    /// Nothing is known. Errors: if the tools' specification does not load.
    pub fn new(toolbox: &'t Toolbox, specification: &Specification) -> Result<Self, String> {
        Ok(Known { toolbox, state: specification.start().map_err(|fault| fault.to_string())? })
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    /// Takes in what a call returned.
    pub fn learn(&mut self, step: &ToolStep) {
        let (text, failed) = match &step.error {
            Some(error) => (error.clone(), true),
            None => (step.result.to_string(), false),
        };
        // What was returned is known whether or not the program can follow.
        let _ = self.state.call_unchecked(&self.toolbox.result(&step.tool, &step.arguments, &text, failed));
    }
}
