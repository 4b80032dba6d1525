//! Transcripts: what a world's texts say, read as program calls where no world runs. A recorded episode of another program can then be
//! checked against assertions and shown as a program.

use std::borrow::Cow;
use std::sync::Arc;

use stepwright_trajectory::{Step, Trajectory};

use super::ProgramHeader;
use stepwright_program::Call;
use stepwright_program::tools::Toolbox;

/// How a world's recorded texts are read.
#[derive(Debug, Clone)]
pub struct Transcript {
    /// The names that logs have for the environment (`alfworld`).
    pub environments: &'static [&'static str],
    pub specification: &'static str,
    /// The steps of an episode with what their texts say as calls, the reset first. A refused step has no call.
    pub read: fn(&Trajectory) -> Vec<Step>,
    pub call_of: fn(&str) -> Option<Call>,
    pub text_of: fn(&Call) -> Option<String>,
    /// What a call that the world accepted shows to have been there before it, though no text may have said so.
    pub shown: fn(&Call) -> Vec<Call>,
    /// How the episode of a goal opens as a program.
    pub header: fn(&str) -> ProgramHeader,
    /// The tools that a log's calls are of, in place of all this.
    pub tools: Option<Toolbox>,
}

/// Why an assertion that fails at a step which the world accepted decides nothing, where it holds once [`Transcript::shown`] is known.
pub const WAS_THERE: &str = "the world accepted it: it was there, though nothing that was read before says so";

/// The logs of a file, and which of them is played back.
#[derive(Debug, Clone, PartialEq)]
pub struct Logs {
    pub all: Arc<Vec<Trajectory>>,
    pub at: usize,
    /// The unreadable parts of the file, with lines.
    pub problems: Arc<Vec<String>>,
}

impl Logs {
    pub fn current(&self) -> Option<&Trajectory> {
        self.all.get(self.at)
    }
}

/// Texts that no world is known for: each action is a call of one function, and observations say nothing.
pub const PLAIN: Transcript = Transcript {
    environments: &[],
    specification: include_str!("../worlds/recorded/spec.py"),
    read: plain,
    call_of: |text| Some(Call::new("agent", "act", [text])),
    text_of: |call| call.text(0).map(str::to_owned),
    shown: |_| Vec::new(),
    header: |task| ProgramHeader {
        function: "episode".to_owned(),
        comment: task.to_owned(),
        setup: vec!["agent = Agent()".to_owned()],
    },
    tools: None,
};

fn plain(log: &Trajectory) -> Vec<Step> {
    let step = |step: &Step| Step { call: PLAIN.call_of(&step.action), ..step.clone() };
    std::iter::once(log.reset()).chain(log.steps.iter().map(step)).collect()
}

impl Transcript {
    /// Of the calls of tools.
    pub fn of_tools(tools: &[serde_json::Value]) -> Self {
        Transcript { tools: Some(Toolbox::of_json(&tools.into())), ..PLAIN }
    }

    pub fn specification(&self) -> Cow<'static, str> {
        match &self.tools {
            Some(tools) => Cow::Owned(tools.source().to_owned()),
            None => Cow::Borrowed(self.specification),
        }
    }

    /// The steps of an episode with what their texts say as calls, the reset first.
    pub fn read(&self, log: &Trajectory) -> Vec<Step> {
        match &self.tools {
            Some(_) => std::iter::once(log.reset()).chain(log.steps.iter().cloned()).collect(),
            None => (self.read)(log),
        }
    }

    /// Whether it reads texts; else a log's steps hold the calls that [`Transcript::read`] gives.
    pub fn reads_texts(&self) -> bool {
        self.tools.is_none()
    }

    pub fn call_of(&self, text: &str) -> Option<Call> {
        match &self.tools {
            Some(tools) => tools.read(text)?.ok(),
            None => (self.call_of)(text),
        }
    }

    pub fn text_of(&self, call: &Call) -> Option<String> {
        match &self.tools {
            Some(_) => (call.receiver == stepwright_program::tools::TOOLS).then(|| call.to_string()),
            None => (self.text_of)(call),
        }
    }

    pub fn header(&self, task: &str) -> ProgramHeader {
        match &self.tools {
            Some(_) => ProgramHeader { setup: Toolbox::setup(), ..(self.header)(task) },
            None => (self.header)(task),
        }
    }
}
