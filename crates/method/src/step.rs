//! Types that go in and out of a method: steps, answers, readings, checks, deeds, sections. Data only, all of it serialisable, so that a
//! method may live in another process.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use stepwright_episode::gate::{AskSpec, Draft};
use stepwright_episode::{Action, Check, Node, NodeId, ProposalId, Session, StepOutcome, Usage, Verdict, Written};
use stepwright_model::Completion;

/// A method's next step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// An ask: of a language model (generate, score), or work of its own beside the episode (compute). All three are numbered,
    /// recorded and can be cancelled.
    Ask { ask: AskSpec, note: Option<String> },
    /// Actions that are known already; recorded as an ask that is answered at once.
    Offer {
        /// The ask they answer; without a prompt.
        ask: AskSpec,
        drafts: Vec<Draft>,
        note: Option<String>,
    },
    /// An artifact that is written already: a belief, say. It is offered.
    Amend(Box<Written>),
    Recommend {
        /// The recommended proposal; `None` when it has nothing to offer.
        proposal: Option<ProposalId>,
        why: String,
    },
    /// It knows nothing more: why, and what to do. By that an episode is lost.
    Stuck(String),
    /// It cannot do its work (a prompt that cannot be rendered, a file that cannot be read): what is wrong and what to do. What would
    /// have come of the episode nobody knows.
    Error(String),
    /// Nothing: the next member is asked.
    Pass,
}

impl Step {
    pub fn ask(ask: AskSpec) -> Self {
        Step::Ask { ask, note: None }
    }
}

/// The answer to an ask: completions of a language model, or what the method's own work found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Answer {
    /// The texts; of scored continuations without text, in their order, with the log-probabilities of their tokens.
    pub completions: Vec<Completion>,
    /// Beside the texts of own work, where it ranks: the score (higher is better) and the reason of each.
    pub ranks: Vec<Rank>,
    /// Beside the texts of own work, what it found in the method's own form.
    pub found: Value,
    pub usage: Option<Usage>,
    /// The cost of own work, where it says so.
    pub cost: Option<f64>,
}

impl Answer {
    pub fn texts(texts: impl IntoIterator<Item = String>) -> Self {
        let completions = texts.into_iter().map(|text| Completion { text, ..Completion::default() }).collect();
        Answer { completions, ..Answer::default() }
    }

    pub fn first(&self) -> &str {
        self.completions.first().map_or("", |c| c.text.as_str())
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rank {
    /// Higher is better; the scale is the work's own.
    pub score: f64,
    pub why: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    Drafts {
        /// The actions, and texts that are no action.
        drafts: Vec<Draft>,
        note: Option<String>,
    },
    Artifact(Box<Written>),
    /// Nothing is offered: the method continues from the record of the answer (a plan, a judgement).
    Kept,
    Problem(String),
}

impl Reading {
    pub fn drafts(drafts: Vec<Draft>) -> Self {
        Reading::Drafts { drafts, note: None }
    }
}

/// A method's own checks of an action, beside the assertions in force and the world's dry run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Checks {
    /// These come first, then assertions and dry run.
    Beside(Vec<Check>),
    /// This is all: assertions and dry run do not apply.
    Instead(Verdict),
}

impl Default for Checks {
    fn default() -> Self {
        Checks::Beside(Vec::new())
    }
}

/// The way in which a decision is carried out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deed {
    Act,
    /// A program is run in the sandbox; the world performs the calls it makes.
    Run(Program),
    /// Nothing is executed; this is recorded in place of the world's outcome.
    Hold(StepOutcome),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Program {
    pub code: String,
    /// The functions it may call; what they do is found out by the world afterwards.
    pub functions: Vec<String>,
    /// Its variables: a JSON object.
    pub values: Value,
}

/// The result of a program that ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Carried {
    pub action: Action,
    /// All calls of the program as the world reads them, in order.
    pub calls: Vec<String>,
    pub remark: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VetoedAction {
    pub action: String,
    pub why: String,
}

/// A node of a session as panes and studies look at it.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    pub session: &'a Session,
    pub node: NodeId,
    /// The call that closes a request, in worlds that make requests; else empty.
    pub closing: &'a str,
}

impl<'a> Place<'a> {
    /// The session's cursor, in a world without requests.
    pub fn at_cursor(session: &'a Session) -> Self {
        Place { session, node: session.cursor(), closing: "" }
    }

    pub fn path(&self) -> Vec<&'a Node> {
        self.session.path(self.node)
    }
}

/// Part of what a method follows, for panes and exports: a plan, a program with its calls.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Section {
    /// Its heading (`plan`).
    pub title: String,
    pub made_at: NodeId,
    /// The line to look at, from 0: the next, or the last that was carried out.
    pub at: usize,
    pub lines: Vec<SectionLine>,
    /// Whether it is a program that is shown beside the trajectory.
    pub is_program: bool,
    pub figures: Vec<(&'static str, f64)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionLine {
    pub text: String,
    pub mark: StepStatus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    #[default]
    Open,
    Next,
    Done,
    Refused,
    /// The world refused it, and what was done instead or before mended that.
    Corrected,
    /// The world refused it, and it was left out.
    Dropped,
}
