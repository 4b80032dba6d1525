//! The driver: the task that runs methods against worlds and models, obeys commands and emits notices.
//!
//! This file holds what passes between the driver and whoever watches it (the workbench, unattended runs). The driver never
//! draws; the watcher never waits for the driver. What the session *is* travels as [`Notice::Recorded`]; everything else is
//! derived or passing and never logged.

mod asking;
mod believing;
mod candidates;
mod checking;
mod coding;
mod deriving;
mod difference;
pub mod examples;
mod explaining;
mod mind;
mod open;
mod planning;
mod points;
pub mod prompting;
mod proposing;
mod remote;
mod running;
mod scoring;
mod selecting;
mod sets;
mod setup;
mod situation;
mod task;
mod writing;

pub use open::{NewSession, OpenError, OpenRequest, open, prepare, prepare_new, resolver, suggested_method};
pub use sets::{SetSource, file_name, written_in};
pub use setup::{Beginning, BlockingSource, Clock, Keep, Resolver, SYMBOLIC, Setup, Source, sandbox, system_clock};
pub use task::start;

pub use crate::world::Sources;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::belief::Difference;
use crate::blocking::BlockingTree;
pub use crate::episode::Level;
use crate::episode::{
    AskId, Configuration, Header, NodeId, OfferId, Policy, PromptMessage, ProposalId, Record, TreeEdit, Verdict,
};
use crate::precondition::{
    AdoptedSet, CandidateAsks, CandidateOrigin, Inspection, Occasion, Pool, SetComparison, StepView,
};
pub use crate::world::remote::Standing;
use crate::world::{self, Map};

/// What a watcher asks of the driver. Every command is answered by records or a [`Notice::Say`].
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Start the method's proposing at the cursor (done by itself after each step unless paused).
    Propose,
    /// Ask for `n` more samples at the cursor.
    Sample {
        /// How many.
        n: u32,
    },
    /// Take a proposal as it is.
    Approve {
        /// Which.
        proposal: ProposalId,
    },
    /// Take an edited text in place of a proposal.
    Edit {
        /// The proposal it was edited from.
        proposal: ProposalId,
        /// The text: the world's action text or its program call.
        text: String,
    },
    /// Refuse a proposal, with a reason for the model.
    Reject {
        /// Which.
        proposal: ProposalId,
        /// The person's words.
        reason: String,
    },
    /// Do an action typed by a person: the world's text or its program call.
    Manual {
        /// The text.
        text: String,
    },
    /// Check a text as it is being typed; answered by [`Notice::TextChecked`] with the same token, never logged.
    CheckText {
        /// Echoed in the answer, so that late answers can be dropped.
        token: u64,
        /// The text as typed.
        text: String,
    },
    /// Build the blocking tree of a proposal; answered by [`Notice::Blocking`].
    Explain {
        /// Which.
        proposal: ProposalId,
    },
    /// Change the gate's policy.
    SetPolicy(Policy),
    /// Go back one decision; the world goes with it.
    Undo,
    /// Go forward along the last path.
    Redo,
    /// Go to any node of the tree.
    Goto(NodeId),
    /// Replace the action of the step that led to `node` and replay the steps after it in a new branch, as far as they go.
    Rewrite {
        /// The node whose action is replaced.
        node: NodeId,
        /// The new action: text or call.
        text: String,
    },
    /// Run an edited program against the specification only (the world is not touched); answered by [`Notice::ProgramChecked`].
    CheckProgram {
        /// Echoed in the answer.
        token: u64,
        /// The call lines of the trajectory, in order, one text each.
        lines: Vec<String>,
    },
    /// Cancel whatever is under way: an ask, an inference, an automatic run.
    Cancel,
    /// Send an edited prompt in place of an ask's.
    Resend {
        /// The ask.
        ask: AskId,
        /// The messages to send.
        messages: Vec<PromptMessage>,
    },
    /// Generate, validate and rank candidate preconditions of an action (`None`: all actions).
    Infer {
        /// The action's function.
        action: Option<String>,
        /// From the enumerator or from the model in use.
        origin: CandidateOrigin,
    },
    /// Add or replace a candidate by a person's text; validated at once, answered by [`Notice::Pool`].
    PutCandidate {
        /// The action's function.
        action: String,
        /// The candidate edited; `None` adds one.
        id: Option<usize>,
        /// The expression.
        text: String,
    },
    /// Look at an expression as it is being typed, or at a candidate of that text: validity, |C|, relations, what it newly
    /// excludes. Answered by [`Notice::CandidateChecked`], nothing is kept.
    TryCandidate {
        /// Echoed in the answer.
        token: u64,
        /// The action's function.
        action: String,
        /// The expression.
        text: String,
    },
    /// Mark a candidate rejected or not.
    RejectCandidate {
        /// The action's function.
        action: String,
        /// The candidate.
        id: usize,
        /// Rejected or restored.
        rejected: bool,
    },
    /// Take back the last change a person made to an action's candidates or to what is in force for it.
    UndoChange {
        /// The action's function.
        action: String,
    },
    /// Make the change again that was last taken back.
    RedoChange {
        /// The action's function.
        action: String,
    },
    /// Show a demonstration step with what these expressions come to there; answered by [`Notice::StepShown`].
    ShowStep {
        /// Echoed in the answer.
        token: u64,
        /// The action's function.
        action: String,
        /// The step, with the action's arguments.
        place: Occasion,
        /// The expressions.
        texts: Vec<String>,
    },
    /// Show a step where two expressions differ; answered by [`Notice::StepShown`].
    ShowDifference {
        /// Echoed in the answer.
        token: u64,
        /// The action's function.
        action: String,
        /// One expression.
        one: String,
        /// The other.
        other: String,
    },
    /// Set two sets side by side; answered by [`Notice::SetsCompared`].
    CompareSets {
        /// Echoed in the answer.
        token: u64,
        /// The left one.
        left: SetSource,
        /// The right one; taken as the truth in Equation (2).
        right: SetSource,
    },
    /// Write what is in force to a file; a file that is there is replaced.
    SaveSet(PathBuf),
    /// Put a whole set in force; actions it does not name stay as they are.
    AdoptSet {
        /// Where it comes from, in words.
        origin: String,
        /// The set.
        set: AdoptedSet,
    },
    /// Have the model in use score an action's valid candidates as continuations of the prompt for candidates.
    ScoreCandidates {
        /// The action's function.
        action: String,
    },
    /// Change how candidates are asked of a model.
    SetCandidateAsks(CandidateAsks),
    /// Put these assertions in force for an action; proposals at the cursor are checked again.
    Adopt {
        /// The action's function.
        action: String,
        /// All its assertions from now on.
        assertions: Vec<String>,
        /// Where they come from, in words.
        origin: String,
    },
    /// Change model, method or its options from here on; an empty name leaves what is in use.
    Configure(Configuration),
    /// Start the world's process anew and bring it to the cursor, where another process does the steps.
    RestartWorld,
    /// Change the blocking tree at the cursor.
    EditTree(TreeEdit),
    /// Take back the last change a person made to the blocking tree at the cursor.
    UndoTreeEdit,
    /// Take an offered belief.
    ApproveBelief {
        /// Which.
        offer: OfferId,
    },
    /// Take an edited text in place of an offered belief.
    EditBelief {
        /// Which.
        offer: OfferId,
        /// The whole belief, as JSON or nearly so.
        text: String,
    },
    /// Refuse an offered belief: what is believed stays.
    RefuseBelief {
        /// Which.
        offer: OfferId,
        /// The person's words; may be empty.
        reason: String,
    },
    /// Have an offered belief written again.
    RewriteBelief {
        /// Which.
        offer: OfferId,
    },
    /// Replace what is believed at the cursor; possible whenever no offered belief waits.
    CorrectBelief {
        /// The whole belief, as JSON or nearly so.
        text: String,
    },
    /// Read a belief as it is being typed; answered by [`Notice::BeliefChecked`] with the same token, never logged.
    CheckBelief {
        /// Echoed in the answer.
        token: u64,
        /// The text as typed.
        text: String,
    },
    /// Write a remark into the session.
    Note(String),
    /// Flush and stop.
    Quit,
}

/// A text read as a belief.
#[derive(Debug, Clone, PartialEq)]
pub struct BeliefReading {
    /// The state.
    pub state: Arc<Value>,
    /// What was put right in reading it, in words.
    pub repairs: Vec<String>,
}

/// What is believed at the cursor, beside the truth. Derived, never logged.
#[derive(Debug, Clone, PartialEq)]
pub struct BeliefView {
    /// What is believed.
    pub state: Arc<Value>,
    /// The truth in the same form, where the world tells it.
    pub truth: Option<Arc<Value>>,
    /// The values that differ, by meaning; their paths are JSON pointers.
    pub differences: Vec<Difference>,
    /// On the way to the cursor, node by node: how many values the belief there had wrong. Nodes whose truth is not told are left
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
    /// The world's hidden state, for people.
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
    /// What is believed, where a belief is maintained.
    pub belief: Option<Arc<BeliefView>>,
}

/// How a line of an edited program fared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineStatus {
    /// It ran.
    Ran,
    /// It raised: exception and message.
    Raised(String),
    /// Not reached because an earlier line raised.
    NotReached,
    /// It is no call of constants of the specification's objects.
    Unreadable(String),
}

/// What the driver tells its watchers.
#[derive(Debug, Clone, PartialEq)]
pub enum Notice {
    /// A session was begun or opened: its header and every record so far. Replaces all that was shown.
    Opened {
        /// The header.
        header: Box<Header>,
        /// The records so far.
        records: Arc<Vec<Record>>,
        /// The log file, if it is written.
        path: Option<PathBuf>,
    },
    /// A record was added (and flushed to the log before this notice).
    Recorded(Box<Record>),
    /// The situation at the cursor changed.
    Situation(Arc<Situation>),
    /// How the world's process is doing, where another process does the steps; told at the beginning and at every change.
    World(Standing),
    /// More text of a pending ask.
    Stream {
        /// The ask.
        ask: AskId,
        /// Which completion.
        index: u32,
        /// The new text, as received.
        text: String,
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
    /// Long work goes on; `done == total` ends it.
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
    /// Answer to [`Command::TryCandidate`].
    CandidateChecked {
        /// The command's token.
        token: u64,
        /// The candidate as it stands in the pool, or as it would; `Err` says why nothing can be told.
        inspection: Result<Arc<Inspection>, String>,
    },
    /// Answer to [`Command::ShowStep`] and [`Command::ShowDifference`].
    StepShown {
        /// The command's token.
        token: u64,
        /// The step.
        step: Arc<StepView>,
    },
    /// Answer to [`Command::CompareSets`].
    SetsCompared {
        /// The command's token.
        token: u64,
        /// The two sets side by side.
        comparison: Arc<SetComparison>,
        /// The right one, to be put in force.
        right: Arc<AdoptedSet>,
    },
    /// What inference has to go by; told at the beginning and whenever it changes.
    Inference {
        /// How candidates are asked of a model.
        asks: CandidateAsks,
        /// Whether the world's data tells the true preconditions ([`SetSource::Truth`]).
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

/// The two ends of a running driver.
#[derive(Debug)]
pub struct Handle {
    /// Commands to the driver; closed means it stopped.
    pub commands: tokio::sync::mpsc::UnboundedSender<Command>,
    /// Notices from the driver.
    pub notices: tokio::sync::mpsc::UnboundedReceiver<Notice>,
}
