//! Requests, their answers, reports and effects: what goes into the gate and what comes out. Data only.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stepwright_wire::Usage;

use super::super::artifact::{ArtifactId, Assertions, OfferId, Written};
use super::super::ask::{Ask, AskKind};
use super::super::branch::BranchEdit;
use super::super::breakpoint::Breakpoint;
use super::super::decision::{DecisionId, Policy};
use super::super::event::{
    AskId, Configuration, NodeId, PromptMessage, PromptRecord, Record, Side, StepOutcome, TreeEdit,
};
use super::super::exchanged::Exchange;
use super::super::proposal::{Action, Origin, Proposal, ProposalId, Verdict};
use super::super::shape::Shape;

/// How urgent a message to the person is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Something happened.
    Info,
    /// Something to look at.
    Warning,
    /// Something failed.
    Error,
}

/// How the gate treats the documents of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conduct {
    /// Whether an offer by the method waits for a decision before anything else is proposed; else it is taken at once where it can be
    /// read.
    pub waits: bool,
    /// The consequence of a change.
    pub follows: Follows,
}

/// The consequence of a change of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Follows {
    /// Actions are proposed again.
    Proposals,
    /// The proposals are checked again.
    Checks,
    /// Nothing: it is no part of the episode's steps, so that a change waits for none and needs no checking.
    Nothing,
}

impl Conduct {
    /// A step waits for it, and actions are proposed again after a change.
    pub const USUAL: Conduct = Conduct { waits: true, follows: Follows::Proposals };
}

/// How the documents of kinds are treated, by the kind's id; those of others as usual.
pub type Conducts = BTreeMap<&'static str, Conduct>;

/// A person's edit of a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// The document that a text gives.
    Text(String),
    /// Another one.
    Value(Value),
    /// The same with an entry more.
    Append(Value),
    /// The document before its last change.
    Undo,
    /// The document before that was taken back.
    Redo,
}

/// A document that is to be checked.
#[derive(Debug, Clone, PartialEq)]
pub enum Unchecked {
    /// A text to be read.
    Text(String),
    /// The document; none is `null`.
    Value(Value),
}

/// An action offered, before the gate numbers it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// The text as its source wrote it.
    pub raw: String,
    /// The number, from 1, of the plan's line or the program's call that it is.
    pub line: Option<usize>,
    /// The action read from it.
    pub action: Option<Action>,
    /// Why it is none.
    pub problem: Option<String>,
    /// Who offered it.
    pub origin: Origin,
    /// The source's own score.
    pub score: Option<f64>,
    /// Mean log-probability per token, where reported.
    pub logprob: Option<f64>,
    /// The source's reason.
    pub rationale: Option<String>,
}

/// A side's answer, before it is recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    /// The side; with its proposal, where that is one of the step already.
    pub side: Side,
    /// Asks made in its copy of the session, with their answers.
    pub asks: Vec<Ask>,
    /// What it would do, and which of those asks that answers.
    pub draft: Option<(Option<AskId>, Draft)>,
}

impl Request {
    /// A document at the cursor in place of another, by its text.
    pub fn correct(artifact: ArtifactId, text: String) -> Self {
        Request::Change { artifact, edit: Edit::Text(text) }
    }

    /// A change of the blocking tree at the cursor.
    pub fn edit_tree(edit: &TreeEdit) -> Self {
        Request::Change { artifact: ArtifactId::TREE, edit: Edit::Append(json!(edit)) }
    }

    /// Assertions in force for an action function in place of others.
    pub fn adopt(set: &Assertions) -> Self {
        Request::Change { artifact: ArtifactId::assertions(&set.action), edit: Edit::Value(set.document()) }
    }

    /// Takes the last change of a document back, or makes the one again that was taken back last.
    pub fn turn(artifact: ArtifactId, forward: bool) -> Self {
        Request::Change { artifact, edit: if forward { Edit::Redo } else { Edit::Undo } }
    }
}

impl Draft {
    /// A text by where it came from, and nothing else yet.
    pub fn new(raw: impl Into<String>, origin: Origin) -> Self {
        let (action, problem, score, logprob, rationale) = (None, None, None, None, None);
        Draft { raw: raw.into(), line: None, action, problem, origin, score, logprob, rationale }
    }

    /// An action a person gave.
    pub fn by_person(raw: &str, action: Action) -> Self {
        Draft { action: Some(action), ..Draft::new(raw, Origin::Person) }
    }

    /// The proposal this becomes.
    pub(super) fn numbered(self, id: ProposalId, ask: Option<AskId>) -> Proposal {
        let Draft { raw, line, action, problem, origin, score, logprob, rationale } = self;
        Proposal { id, raw, line, action, problem, origin, score, logprob, rationale, ask }
    }
}

/// A question to a model, or work of the method itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AskSpec {
    /// Its purpose.
    pub kind: AskKind,
    /// The name of the model, or of what stands in for one.
    #[serde(default)]
    pub model: String,
    /// The prompt; `None` where no language model is asked.
    pub prompt: Option<PromptRecord>,
    /// Completions wanted.
    pub n: u32,
    /// Sampling temperature; 0 is greedy.
    #[serde(default)]
    pub temperature: f64,
    /// How the answer is obtained. Not recorded.
    #[serde(default)]
    pub shape: Shape,
}

/// The method's advice on the next step.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "names and types of the fields say it")]
pub enum Advice {
    /// Ask for completions.
    Ask(AskSpec),
    /// Offer these actions, which are known already: an ask that is answered at once.
    Answered { spec: AskSpec, drafts: Vec<Draft> },
    /// Offer an artifact that is written already.
    Offer(Box<Written>),
    /// It would take this proposal; `None` when it has nothing to offer.
    Recommend { proposal: Option<ProposalId>, why: String },
    /// It knows nothing more: why, and what to do.
    Stuck(String),
    /// It cannot do its work: what is wrong and what to do.
    Error(String),
    /// The episode is over, and nothing is left to be written.
    Rest,
}

/// A request of a person (or of a headless run) to the gate.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "names and types of the fields say it")]
pub enum Request {
    /// The world was reset: the first request of a new session.
    Begin {
        outcome: StepOutcome,
        assertions: Vec<Assertions>,
        /// The policy to begin with; a person decides everything if `None`.
        policy: Option<Policy>,
        /// The form of states of a person's own, and the belief to begin with, where one is maintained.
        form: Option<Value>,
        belief: Option<Value>,
    },
    /// Start proposing at the cursor, in a new round.
    Propose,
    /// Ask for more samples.
    Sample { n: u32 },
    /// Take a proposal.
    Approve { proposal: ProposalId },
    /// Take a proposal by a rule, in words, that a person put in force.
    Follow { proposal: ProposalId, rule: String },
    /// Record what the sides of a duel would do at a node, as long as the session is there.
    Duel { node: NodeId, sides: Vec<Heard> },
    /// Take an edited text in its place.
    Edit { proposal: ProposalId, text: String },
    /// Refuse a proposal.
    Reject { proposal: ProposalId, reason: String },
    /// Take a typed action.
    Manual { text: String },
    /// Change the policy.
    SetPolicy(Policy),
    /// Go back one decision.
    Undo,
    /// Go forward along the last path.
    Redo,
    /// Go to a node.
    Goto(NodeId),
    /// Replace the action that led to a node, then replay what followed.
    Rewrite { node: NodeId, text: String },
    /// Make the decision that led to a node once more, on a branch: the world does not go on as it did.
    Again(NodeId),
    /// Stop all that is under way.
    Cancel,
    /// Send an edited prompt in place of an ask's.
    Resend { ask: AskId, messages: Vec<PromptMessage> },
    /// Ask a model something that is no next action: recorded, but it proposes nothing.
    AskInBackground(AskSpec),
    /// Set what automatic runs stop at, in place of what was set.
    SetBreakpoints(Vec<Breakpoint>),
    /// Name a branch, hide it or delete it, or take that back.
    EditBranch { branch: NodeId, edit: BranchEdit },
    /// Change model, method or its options; an empty name leaves what is in use.
    Configure(Configuration),
    /// Offer an artifact that was written beside the episode; nothing waits for the decision about it.
    OfferArtifact(Box<Written>),
    /// Take an offered artifact.
    ApproveOffer(OfferId),
    /// Take an edited text in place of an offered artifact.
    EditOffer { offer: OfferId, text: String },
    /// Refuse an offered artifact: the document stays.
    RefuseOffer { offer: OfferId, reason: String },
    /// Have an artifact that waits written again.
    RewriteOffer(OfferId),
    /// Change a document at the cursor.
    Change { artifact: ArtifactId, edit: Edit },
    /// Write a remark.
    Note(String),
    /// Change a remark.
    EditNote {
        node: NodeId,
        /// Which of that node's, from 0.
        note: usize,
        /// The text in its place; if empty, it is taken out.
        text: String,
    },
    /// Hide what tells the future before a decision, or show it again.
    SetBlind(bool),
}

/// Identifies a request within the life of a gate.
pub type Ticket = u64;

/// The outcome of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Its records are made; what follows from them is under way.
    Done {
        /// The ask it sent, where it sent one.
        ask: Option<AskId>,
    },
    /// It waits for what is under way, or for its own effect: [`Effect::Ended`] reports its outcome.
    Queued(Ticket),
    /// It was not carried out: why.
    Refused(String),
}

/// The result of an effect.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "names and types of the fields say it")]
pub enum Report {
    /// Of [`Effect::Consult`].
    Advised(Advice),
    /// The exact request of an ask and the answer's parts beside the texts; right before the report of its end.
    Exchanged {
        ask: AskId,
        /// Request and answer, without texts.
        exchange: Box<Exchange>,
    },
    /// Of [`Effect::AskModel`] and [`Effect::AskSymbolic`]: the completions and the actions read from them.
    Answered {
        ask: AskId,
        /// The completions, verbatim.
        texts: Vec<String>,
        usage: Option<Usage>,
        /// Milliseconds it took.
        ms: u64,
        drafts: Vec<Draft>,
    },
    /// Of the same, where an artifact was asked for.
    Written {
        ask: AskId,
        /// The completions, verbatim.
        texts: Vec<String>,
        usage: Option<Usage>,
        /// Milliseconds it took.
        ms: u64,
        written: Box<Written>,
    },
    /// Of the same, when there was no answer.
    AskFailed {
        ask: AskId,
        error: String,
        /// Tokens spent all the same, where reported.
        usage: Option<Usage>,
        /// What had come, which is no answer.
        partial: String,
    },
    /// Of an ask whose prompt the model could not take, when a shorter one can be made: it is asked for again.
    AskTooLong {
        ask: AskId,
        error: String,
        /// Tokens spent all the same, where reported.
        usage: Option<Usage>,
    },
    /// Of [`Effect::CheckProposal`].
    Checked { proposal: ProposalId, verdict: Verdict },
    /// Of [`Effect::ReadText`]; `Err` says why it is no action.
    Read(Result<Draft, String>),
    /// Of [`Effect::CheckChange`]: the document; `Err` says why it cannot be.
    ChangeChecked(Result<Value, String>),
    /// Of [`Effect::StepWorld`], before its outcome, where what was decided is a program: its result is performed and recorded
    /// in its place.
    Ran {
        decision: DecisionId,
        /// The program and the calls it made: the document [`ArtifactId::PROGRAM`].
        program: Value,
        action: Action,
        /// A remark on its run, if any: why it stopped early.
        remark: Option<String>,
    },
    /// Of [`Effect::StepWorld`]; `Err` when the world itself broke.
    Stepped {
        decision: DecisionId,
        /// Outcome and the patch on the program's variables.
        result: Result<(StepOutcome, Value), String>,
    },
    /// Of [`Effect::MoveWorld`].
    Moved {
        to: NodeId,
        /// `Err` when the world could not be brought there.
        result: Result<(), String>,
    },
    /// Of [`Effect::Prepare`].
    Prepared(Result<(), String>),
}

/// An effect that the gate wants. Effects are to be carried out in order.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "names and types of the fields say it")]
pub enum Effect {
    /// Write the record to the log, flush it, then show it. What follows must wait for that.
    Persist(Record),
    /// Ask the method what to do next, with the present session.
    Consult {
        /// First ask of the present round: proposals of earlier asks were made before the last rejection or were dismissed.
        round: AskId,
        /// A person wants this many more samples.
        samples: Option<u32>,
    },
    /// Ask the language model.
    AskModel { ask: AskId, spec: AskSpec },
    /// Ask the symbolic proposer.
    AskSymbolic { ask: AskId, spec: AskSpec },
    /// Stop an ask; its answer is no longer wanted.
    CancelAsk(AskId),
    /// Check a proposal at the cursor.
    CheckProposal(Proposal),
    /// Read a typed text as an action; `from`: the one it was edited from.
    ReadText { text: String, from: Option<Action> },
    /// Check what a document is to be; nothing is changed yet.
    CheckChange { artifact: ArtifactId, to: Unchecked },
    /// Put a document in force that has changed, its record being written.
    ApplyChange(ArtifactId),
    /// Perform an action at the cursor.
    StepWorld {
        /// The decision it carries out.
        decision: DecisionId,
        action: Action,
    },
    /// Bring world and program to a node.
    MoveWorld { to: NodeId },
    /// Make another model and method ready; those in use stay.
    Prepare(Configuration),
    /// Use what was made ready, its record being written.
    Configure,
    /// Show the person a message.
    Say(Level, String),
    /// A queued request has ended.
    Ended {
        /// Which, as in [`Answer::Queued`].
        ticket: Ticket,
        answer: Answer,
    },
}
