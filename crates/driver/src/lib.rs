//! The driver: the task that runs methods against worlds and models, carries out commands and emits notices.
//!
//! This file holds what passes between the driver and its watchers (the workbench, unattended runs). The driver never
//! draws; a watcher never waits for the driver. What the session *is* travels as [`Notice::Recorded`]; everything else is
//! derived or passing and never logged.

mod asking;
mod broken;
mod checking;
pub mod config;
mod difference;
pub mod distilling;
pub mod examples;
mod exchange;
mod explain;
mod jobs;
mod logs;
mod open;
mod questions;
pub mod reading;
mod recorded;
mod remote_step;
mod setup;
mod situation;
mod skills;
mod task;
mod timeline;
mod workshop;

pub use logs::read_logs;
pub use open::{
    NewSession, OpenError, OpenRequest, methods, new_header, open, prepare, prepare_new, resolver, suggested_method,
};
pub use recorded::{Violation, program_of, violations};
pub use setup::{
    Beginning, Clock, MethodResolver, Persistence, Resolver, Setup, Source, built_in_methods, sandbox, system_clock,
};
pub use skills::SkillsCommand;
pub use stepwright_method::program_context::LineStatus;
pub use stepwright_method::{BeliefReading, SYMBOLIC, prompting};
pub use stepwright_world::blocking::BlockingSource;
pub use task::start;
pub use workshop::{SetSource, WorkshopCommand, file_name};

pub use stepwright_world::Sources;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

pub use stepwright_episode::Level;
pub use stepwright_episode::gate::Request;
use stepwright_episode::{AskId, Header, InvalidRecord, NodeId, ProposalId, Record, Session, Verdict};
use stepwright_method::belief::Difference;
use stepwright_method::precondition::{AdoptedSet, CandidateAsks, Inspection, Pool, SetComparison, StepView};
use stepwright_world::blocking::BlockingTree;
pub use stepwright_world::remote::ProcessStatus;
use stepwright_world::transcript::Logs;
use stepwright_world::{self as world, Map};

/// What a watcher asks of the driver. Every command is answered by records or a [`Notice::Say`].
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Anything the gate decides about: steps, beliefs, the blocking tree, the policy, undo, configuration, remarks.
    Gate(Request),
    /// Candidate preconditions and sets of assertions.
    Workshop(WorkshopCommand),
    /// What is known of skills: files of it, and finding more in recorded logs.
    Skills(SkillsCommand),
    /// Cancel all that is under way: an ask, an inference, an automatic run.
    Cancel,
    /// Check a text as it is being typed; answered by [`Notice::TextChecked`] with the same token, never logged.
    CheckText {
        /// Echoed in the answer, so that late answers can be dropped.
        token: u64,
        /// The text as typed.
        text: String,
    },
    /// Read a belief as it is being typed; answered by [`Notice::BeliefChecked`] with the same token, never logged.
    CheckBelief {
        /// Echoed in the answer.
        token: u64,
        /// The text as typed.
        text: String,
    },
    /// Run an edited program against the specification only (the world is not touched); answered by [`Notice::ProgramChecked`].
    CheckProgram {
        /// Echoed in the answer.
        token: u64,
        /// The call lines of the trajectory, in order, one text each.
        lines: Vec<String>,
    },
    /// Build the blocking tree of a proposal; answered by [`Notice::Blocking`].
    Explain {
        /// Which.
        proposal: ProposalId,
    },
    /// Restart the world's process and bring it to the cursor, where another process does the steps.
    RestartWorld,
    /// Try again to write what could not be written.
    Write,
    /// Write the session, as it is in memory, to a new file and go on there.
    Keep(PathBuf),
    /// Flush and stop.
    Quit,
}

/// Why records wait to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unwritten {
    /// Writing failed; it may succeed the next time.
    Failed,
    /// The file was deleted, replaced or changed by someone else; a person says where to write.
    Lost,
}

/// What is believed at the cursor, beside the truth. Derived, never logged.
#[derive(Debug, Clone, PartialEq)]
pub struct BeliefView {
    /// What is believed.
    pub state: Arc<Value>,
    /// The truth in the same form, where the world reports it.
    pub truth: Option<Arc<Value>>,
    /// The values that differ, by meaning; their paths are JSON pointers.
    pub differences: Vec<Difference>,
    /// Node by node on the path to the cursor: how many values the belief there had wrong. Nodes whose truth is not known are left
    /// out.
    pub drift: Vec<(NodeId, usize)>,
}

/// What the world and the program look like at the cursor. Derived, never logged.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Situation {
    /// The node it describes.
    pub node: NodeId,
    /// Admissible actions, sorted; `None` where the world has no list.
    pub admissible: Option<Vec<String>>,
    /// The world's hidden state, for display.
    pub truth: Value,
    /// The program's variables: what the agent can know.
    pub variables: Value,
    /// The place as seen from above, where the world has such a picture.
    pub map: Option<Map>,
    /// What the last step changed in `truth` (RFC 6902).
    pub truth_changes: Value,
    /// Goals as the blocking pane's roots when no proposal is chosen; in a world with a blocking domain the live tree.
    pub goals: BlockingTree,
    /// Whether `goals` is the live tree, which a person may change.
    pub live: bool,
    /// The request to answer now, in worlds whose episodes are sequences of requests.
    pub request: Option<world::Request>,
    /// The call that closes a request there, as an action's text; empty in other worlds.
    pub closing: &'static str,
    /// What is believed, where a belief is maintained.
    pub belief: Option<Arc<BeliefView>>,
}

/// What the driver sends to its watchers.
#[derive(Debug, Clone, PartialEq)]
pub enum Notice {
    /// The recorded episodes that are played back, and the violations of the assertions in force in the present one.
    Logs {
        /// The logs.
        logs: Logs,
        /// What was violated in the one that is played back.
        violations: Arc<Vec<Violation>>,
    },
    /// A session was begun or opened. Replaces all that was shown.
    Opened {
        /// The session after every record so far; its nodes are shared with the driver's own until one of the two changes them.
        session: Box<Session>,
        /// The records so far.
        records: Vec<Arc<Record>>,
        /// The log file, if it is written.
        path: Option<PathBuf>,
    },
    /// From here on the session is written to that file: a copy, where the session's own file is not written.
    Kept(PathBuf),
    /// Records wait to be written, and nothing happens until they are; `None` once they are.
    Unwritten(Option<Unwritten>),
    /// A record was added (and flushed to the log before this notice).
    Recorded(Arc<Record>),
    /// The situation at the cursor changed.
    Situation(Arc<Situation>),
    /// How the world's process is doing, where another process does the steps; sent at the beginning and at every change.
    World(ProcessStatus),
    /// More text of a pending ask.
    Stream {
        /// The ask.
        ask: AskId,
        /// Which completion.
        index: u32,
        /// The new text, as received.
        text: String,
    },
    /// More of what the model writes before its answer to reason.
    Reasoning {
        /// The ask.
        ask: AskId,
        /// Which completion.
        index: u32,
        /// The new text, as received.
        text: String,
    },
    /// What arrived of a pending ask's completions from this one on does not count: they are asked for again.
    Void {
        /// The ask.
        ask: AskId,
        /// The first of them.
        from: u32,
    },
    /// A pending ask will be retried.
    Retrying {
        /// The ask.
        ask: AskId,
        /// The attempt to come.
        attempt: u32,
        /// When.
        wait: Duration,
        /// Why.
        why: String,
    },
    /// Long work progresses; `done == total` ends it.
    Progress {
        /// What is under way.
        what: String,
        /// Parts done.
        done: usize,
        /// Parts in all; 0 if not known.
        total: usize,
    },
    /// Answer to [`Command::CheckText`].
    TextChecked {
        /// The command's token.
        token: u64,
        /// What checking said; `Err` says why the text is no action.
        verdict: Result<Verdict, String>,
    },
    /// Answer to [`Command::CheckBelief`].
    BeliefChecked {
        /// The command's token.
        token: u64,
        /// What was read; `Err` says why the text is no state.
        reading: Result<BeliefReading, String>,
    },
    /// Answer to [`Command::CheckProgram`]: one status a line.
    ProgramChecked {
        /// The command's token.
        token: u64,
        /// The lines' fates, in order.
        lines: Vec<LineStatus>,
    },
    /// Answer to [`Command::Explain`].
    Blocking {
        /// The proposal explained.
        proposal: ProposalId,
        /// Its tree.
        tree: Arc<BlockingTree>,
    },
    /// A pool of candidates, new or changed.
    Pool(Arc<Pool>),
    /// Answer to [`WorkshopCommand::Try`].
    CandidateChecked {
        /// The command's token.
        token: u64,
        /// The candidate as it is in the pool, or as it would be; `Err` says why it cannot be inspected.
        inspection: Result<Arc<Inspection>, String>,
    },
    /// Answer to [`WorkshopCommand::ShowStep`] and [`WorkshopCommand::ShowDifference`].
    StepShown {
        /// The command's token.
        token: u64,
        /// The step.
        step: Arc<StepView>,
    },
    /// Answer to [`WorkshopCommand::Compare`].
    SetsCompared {
        /// The command's token.
        token: u64,
        /// The two sets side by side.
        comparison: Arc<SetComparison>,
        /// The right one, to be put in force.
        right: Arc<AdoptedSet>,
    },
    /// What inference has to work from; sent at the beginning and whenever it changes.
    Inference {
        /// How candidates are asked of a model.
        asks: CandidateAsks,
        /// Whether the world's data holds the true preconditions ([`SetSource::Truth`]).
        ground_truth: bool,
    },
    /// A message for the person: what happened, and what to press next.
    Say {
        /// How urgent.
        level: Level,
        /// The message.
        text: String,
    },
    /// The driver has flushed and stopped.
    Stopped,
}

impl Notice {
    /// That a session of these records was opened.
    ///
    /// # Errors
    /// The first record that does not fit.
    pub fn opened(header: Header, records: Vec<Arc<Record>>, path: Option<PathBuf>) -> Result<Notice, InvalidRecord> {
        let mut session = Session::new(header);
        records.iter().try_for_each(|record| session.apply(record))?;
        Ok(Notice::Opened { session: Box::new(session), records, path })
    }
}

/// The two ends of a running driver.
#[derive(Debug)]
pub struct Handle {
    /// Commands to the driver; closed means it stopped.
    pub commands: tokio::sync::mpsc::UnboundedSender<Command>,
    /// Notices from the driver.
    pub notices: tokio::sync::mpsc::UnboundedReceiver<Notice>,
}
