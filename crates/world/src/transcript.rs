//! Transcripts: what a world's texts say, read as program calls where no world runs. A recorded episode of another program can then be
//! checked against assertions and shown as a program.

use std::borrow::Cow;
use std::sync::Arc;

use stepwright_trajectory::{Step, Trajectory};

use super::ProgramHeader;
use stepwright_program::Call;

/// How a world's recorded texts are read.
#[derive(Debug, Clone, Copy)]
pub struct Transcript {
    /// The names that logs have for the environment (`alfworld`).
    pub environments: &'static [&'static str],
    pub specification: &'static str,
    /// The steps of an episode with what their texts say as calls, the reset first. A refused step has no call.
    pub read: fn(&Trajectory) -> Vec<Step>,
    pub call_of: fn(&str) -> Option<Call>,
    pub text_of: fn(&Call) -> Option<String>,
    /// How the episode of a goal opens as a program.
    pub header: fn(&str) -> ProgramHeader,
}

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
    specification: include_str!("../../../worlds/recorded/spec.py"),
    read: plain,
    call_of: |text| Some(Call::new("agent", "act", [text])),
    text_of: |call| call.text(0).map(str::to_owned),
    header: |task| ProgramHeader {
        function: "episode".to_owned(),
        comment: task.to_owned(),
        setup: vec!["agent = Agent()".to_owned()],
    },
};

fn plain(log: &Trajectory) -> Vec<Step> {
    let step = |step: &Step| Step { call: (PLAIN.call_of)(&step.action), ..step.clone() };
    std::iter::once(log.reset()).chain(log.steps.iter().map(step)).collect()
}

impl Transcript {
    pub fn specification(&self) -> Cow<'static, str> {
        Cow::Borrowed(self.specification)
    }
}
