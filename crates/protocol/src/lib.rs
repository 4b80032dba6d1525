//! Protocol: what passes between a running session and its watchers (the workbench, headless runs, exports).
//!
//! Commands go in, notices come out; data only. What the session *is* travels as [`Notice::Recorded`]; everything else is derived or
//! passing and never logged. A watcher never waits for the driver, and the driver never draws. Commands and notices of the services
//! beside the episode are in `candidates`, `duel`, `form`, `library` and `skills`.

mod candidates;
mod duel;
mod form;
mod library;
mod situation;
mod skills;

pub use candidates::{CandidateCommand, SetSource};
pub use duel::{Contender, DuelCommand, NO_DUEL};
pub use form::FormCommand;
pub use library::LibraryCommand;
pub use situation::{BeliefView, Situation};
pub use skills::SkillCommand;
pub use stepwright_episode::Level;
pub use stepwright_episode::gate::Request;
pub use stepwright_method::BeliefReading;
pub use stepwright_method::log_checks::Violation;
pub use stepwright_method::program_context::LineStatus;
pub use stepwright_world::remote::ProcessStatus;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use stepwright_episode::{AskId, Header, InvalidRecord, NodeId, ProposalId, Record, Session, Verdict};
use stepwright_library::{Impact, Look};
use stepwright_precondition::{AdoptedSet, CandidateAsks, CandidateOrigin, Inspection, Pool, SetComparison, StepView};
use stepwright_world::blocking::BlockingTree;
use stepwright_world::transcript::Logs;

/// A watcher's command to the driver. Every command is answered by records or a [`Notice::Say`].
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Anything the gate decides about: steps, beliefs, the blocking tree, the policy, undo, configuration, remarks.
    Gate(Request),
    Candidates(CandidateCommand),
    Duel(DuelCommand),
    Library(LibraryCommand),
    Form(FormCommand),
    /// A command about skills: files of them, and finding more in recorded logs.
    Skills(SkillCommand),
    /// Cancel all that is under way: an ask, an inference, an automatic run.
    Cancel,
    /// Check a text as it is being typed; answered by [`Notice::TextChecked`] with the same token, never logged.
    CheckText {
        /// Echoed in the answer, so that late answers can be dropped.
        token: u64,
        text: String,
        /// The proposal that it is edited from: what it leaves out is that one's.
        over: Option<ProposalId>,
    },
    /// Read a belief as it is being typed; answered by [`Notice::BeliefChecked`] with the same token, never logged.
    CheckBelief {
        token: u64,
        text: String,
    },
    /// Run an edited program against the specification only (the world is not touched); answered by [`Notice::ProgramChecked`].
    CheckProgram {
        token: u64,
        /// The call lines of the trajectory, in order, one text each.
        lines: Vec<String>,
    },
    /// Build the blocking tree of a proposal; answered by [`Notice::Blocking`].
    Explain {
        proposal: ProposalId,
    },
    /// Show the state at a node, and stay where the session is; answered by [`Notice::Looked`].
    Look {
        node: NodeId,
    },
    /// Restart the world's process and bring it to the cursor, where another process does the steps.
    RestartWorld,
    /// Try again to write what could not be written.
    Write,
    /// Write the session, as it is in memory, to a new file and go on there.
    Keep(PathBuf),
    Quit,
}

/// Why nothing is changed in a session that is only read.
pub const READ_ONLY: &str = "the session is open read-only: nothing in it is changed, and nothing is written";

impl Command {
    /// Whether it changes nothing of the session and makes no file: one that is only read takes no other. Where it is looked at, and
    /// whether blind, is no change of it.
    pub fn only_reads(&self) -> bool {
        use CandidateCommand as C;
        match self {
            Command::Gate(request) => matches!(
                request,
                Request::Goto(_) | Request::Undo | Request::Redo | Request::Cancel | Request::SetBlind(_)
            ),
            Command::Candidates(command) => match command {
                C::Infer { origin, .. } => *origin == CandidateOrigin::Enumerated,
                C::Try { .. } | C::ShowStep { .. } | C::ShowDifference { .. } | C::Compare { .. } => true,
                C::SaveSet(_) | C::AdoptSet { .. } | C::Score { .. } | C::SetAsks(_) | C::Adopt { .. } => false,
            },
            Command::Form(command) => matches!(command, FormCommand::Check { .. }),
            Command::Cancel
            | Command::CheckText { .. }
            | Command::CheckBelief { .. }
            | Command::CheckProgram { .. } => true,
            Command::Explain { .. } | Command::Look { .. } | Command::Quit => true,
            // Asking the library keeps its index.
            Command::Library(_)
            | Command::Skills(_)
            | Command::Duel(_)
            | Command::RestartWorld
            | Command::Write
            | Command::Keep(_) => false,
        }
    }
}

/// Why records wait to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unwritten {
    /// Writing failed; it may succeed the next time.
    Failed,
    /// The file was deleted, replaced or changed by someone else; a person says where to write.
    Lost,
}

/// The driver's message to its watchers.
#[derive(Debug, Clone, PartialEq)]
pub enum Notice {
    /// The recorded episodes that are played back, and the violations of the assertions in force in the present one.
    Logs {
        logs: Logs,
        violations: Arc<Vec<Violation>>,
    },
    /// A session was begun or opened. Replaces all that was shown.
    Opened {
        /// The session after every record so far; its nodes are shared with the driver's own until one of the two changes them.
        session: Box<Session>,
        records: Vec<Arc<Record>>,
        path: Option<PathBuf>,
    },
    /// From here on the session is written to that file: a copy, where the session's own file is not written.
    Kept(PathBuf),
    /// Records wait to be written, and nothing happens until they are; `None` once they are.
    Unwritten(Option<Unwritten>),
    /// A record was added (and flushed to the log before this notice).
    Recorded(Arc<Record>),
    Situation(Arc<Situation>),
    /// Answer to [`Command::Look`]; none where the world cannot be brought there.
    Looked(Arc<Situation>),
    /// How the world's process is doing, where another process does the steps; sent at the beginning and at every change.
    World(ProcessStatus),
    /// Brought to where the session is, the world's process answered otherwise than it had: first at that node, and how.
    Diverged {
        node: NodeId,
        what: String,
    },
    Stream {
        ask: AskId,
        index: u32,
        text: String,
    },
    /// More of what the model writes before its answer to reason.
    Reasoning {
        ask: AskId,
        index: u32,
        text: String,
    },
    /// A pending ask's completions from this one on do not count: they are asked for again.
    Void {
        ask: AskId,
        from: u32,
    },
    /// A pending ask will be retried.
    Retrying {
        ask: AskId,
        attempt: u32,
        wait: Duration,
        why: String,
    },
    /// Long work progresses; `done == total` ends it.
    Progress {
        what: String,
        done: usize,
        /// Parts in all; 0 if not known.
        total: usize,
    },
    /// The sides of the duel that goes on, none if none does, and how many of them were heard at the present step.
    Duel {
        sides: Arc<[String]>,
        heard: usize,
    },
    /// Answer to [`Command::CheckText`].
    TextChecked {
        token: u64,
        /// The verdict; `Err` says why the text is no action.
        verdict: Result<Verdict, String>,
    },
    /// Answer to [`FormCommand::Check`]: the verdict in words, or all that is wrong.
    FormChecked {
        token: u64,
        verdict: Result<String, String>,
    },
    /// Answer to [`Command::CheckBelief`].
    BeliefChecked {
        token: u64,
        /// The state; `Err` says why the text is none.
        reading: Result<BeliefReading, String>,
    },
    /// Answer to [`Command::CheckProgram`]: one status a line.
    ProgramChecked {
        token: u64,
        /// The lines' fates, in order.
        lines: Vec<LineStatus>,
    },
    /// Answer to [`Command::Explain`].
    Blocking {
        proposal: ProposalId,
        tree: Arc<BlockingTree>,
    },
    Pool(Arc<Pool>),
    /// Answer to [`CandidateCommand::Try`].
    CandidateChecked {
        token: u64,
        /// The candidate as it is in the pool, or as it would be; `Err` says why it cannot be inspected.
        inspection: Result<Arc<Inspection>, String>,
    },
    /// Answer to [`CandidateCommand::ShowStep`] and [`CandidateCommand::ShowDifference`].
    StepShown {
        token: u64,
        step: Arc<StepView>,
    },
    /// Answer to [`CandidateCommand::Compare`].
    SetsCompared {
        token: u64,
        comparison: Arc<SetComparison>,
        right: Arc<AdoptedSet>,
    },
    /// Answer to [`LibraryCommand::Weigh`]; `Err` says why it cannot be weighed.
    Impact {
        token: u64,
        impact: Result<Arc<Impact>, String>,
    },
    /// Answer to [`LibraryCommand::Show`].
    DecisionShown {
        token: u64,
        look: Arc<Look>,
    },
    /// The basis of inference; sent at the beginning and whenever it changes.
    Inference {
        asks: CandidateAsks,
        /// Whether the world's data holds the true preconditions ([`SetSource::Truth`]).
        ground_truth: bool,
    },
    /// What a model or its server is remarked on: a parameter that it does not take, say.
    Remark {
        level: Level,
        text: String,
    },
    /// A message for the person: what happened, and what to press next.
    Say {
        level: Level,
        text: String,
    },
    Stopped,
}

impl Notice {
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
    pub notices: tokio::sync::mpsc::UnboundedReceiver<Notice>,
}
