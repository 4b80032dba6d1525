//! Preconditions as programs: candidate assertions, their validation by execution on demonstrations, satisfied sets and ranking.
//!
//! Section 3.2 of "Reasoning about Action Preconditions with Programs". This file holds the records; the files beside it generate,
//! validate and rank. Knows no model and no terminal.

mod adopted;
mod changed;
mod combine;
mod compare;
mod completion;
mod demonstrations;
mod effect_calls;
mod effects;
mod enumerate;
mod evidence;
mod gaps;
mod grammar;
mod inspect;
mod instance_set;
mod instances;
mod merge;
mod rank;
mod relation;
mod score;
mod second;
mod set_names;
mod shared;
#[cfg(test)]
mod shortcut_tests;
mod store;
mod table;
mod together;
mod tool_calls;
mod validate;
mod vocabulary;

pub use adopted::{ADOPTED_SUFFIX, AdoptedAction, AdoptedError, AdoptedSet, idle_in};
pub use changed::{CandidateEdit, CandidateMark, changes};
pub use compare::{ActionComparison, Counterpart, Finding, SetComparison, SideBySide};
pub use completion::{
    CHAT_TEMPLATE, COMPLETION_TEMPLATE, COMPLETION_TOKENS, CandidateAsks, CandidateContext, EFFECTS_CHAT_TEMPLATE,
    EFFECTS_TEMPLATE, Written, completion_stops, read_completion, read_effects,
};
pub use demonstrations::{Demo, DemonstrationError, Demonstrations, Step};
pub use effects::{ActionEffects, EffectCandidate};
pub use enumerate::{Enumerated, Proposed, enumerate};
pub use inspect::{ExcludedStep, Inspection, Occasion, Reading, Related, StepView};
pub use instance_set::InstanceSet;
pub use instances::{Evaluation, Instance, Instances, NoVerdict};
pub use merge::{Joint, merged};
pub use rank::{Cluster, clusters};
pub use relation::Relation;
pub use score::{Mean, Score};
pub use second::SecondTier;
pub use set_names::file_name;
pub use shared::SharedDemonstrations;
pub use store::{CandidateStore, StoreError, enumerated, enumerated_over, judge};
pub use tool_calls::{
    Judgement, Known, ToolRule, ToolStep, contexts as tool_contexts, infer, judge as judge_call,
    specification as tools_specification, validated as validated_rules,
};
pub use validate::{explained, malformed, settled, validate};

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stepwright_episode::action_of_effects;
use stepwright_text::words::count;

impl Pool {
    /// Whether its candidates are effects.
    pub fn is_of_effects(&self) -> bool {
        action_of_effects(&self.action).is_some()
    }

    /// The demonstrated calls that its effects were judged on: `30 demonstrated calls`, or `32 demonstrated calls (of 214, 32 were checked)` where
    /// there are too many.
    pub fn judged_on(&self) -> String {
        judged_on(self.instances, self.calls)
    }
}

/// So many of the demonstrated calls, in words.
pub(crate) fn judged_on(judged: usize, calls: usize) -> String {
    let all = if judged < calls { format!(" (of {calls}, {judged} were checked)") } else { String::new() };
    format!("{}{all}", count(judged, "demonstrated call"))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CandidateOrigin {
    Specification,
    /// The built-in enumerator: no language model.
    Enumerated,
    Model,
    Person,
}

/// Why there is no verdict on what no demonstration calls.
const NOT_CALLED: &str = "NotCalled";

/// The verdict on a candidate: every demonstration is executed with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "fate", rename_all = "snake_case")]
pub enum Validity {
    /// Holds at every call of the action in every demonstration.
    Valid,
    /// Not of the required form, or does not parse, or uses a forbidden name.
    Malformed {
        /// `Form`, `SyntaxError`, `Unsafe`.
        reason: String,
        message: String,
    },
    /// Raised in a demonstration.
    Fails {
        demonstration: usize,
        /// Index of the failing call in that demonstration's calls.
        call: usize,
        at: Arc<str>,
        /// The exception's type (`AssertionError`).
        exception: Cow<'static, str>,
        /// In words; with the values found only where this one candidate is inspected (see [`explained`]).
        message: Arc<str>,
        failing: usize,
    },
    /// An effect: after some demonstrated calls the state is not as it says.
    Departs {
        /// The first such call.
        demonstration: usize,
        call: usize,
        at: String,
        /// What is not so, in words.
        message: String,
        exceptions: usize,
        /// The calls it was executed on.
        calls: usize,
    },
    /// Neither tier could decide: a construct that is not offered, or the budget ran out.
    Unknown {
        /// `Unsupported`, `Budget` or `NotCalled`.
        reason: String,
        message: String,
    },
}

/// A candidate precondition with the verdict of the demonstrations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Its number within the pool, from 0 in order of arrival.
    pub id: usize,
    /// The expression, without `assert`.
    pub text: String,
    pub origin: CandidateOrigin,
    pub fate: Validity,
    /// Size of its satisfied set |C| over all instances; `None` unless it could be evaluated.
    pub coverage: Option<usize>,
    /// Its cluster: valid candidates with equal satisfied sets, numbered by first appearance.
    pub cluster: Option<usize>,
    /// Whether its cluster is optimal by Equation (1): no valid cluster has a strictly smaller set.
    pub optimal: bool,
    /// Whether it represents its cluster (lowest id).
    pub representative: bool,
    /// Deleted by a person: kept to be restored, out of the ranking, not adopted.
    #[serde(default)]
    pub rejected: bool,
    /// How many completions wrote it; 0 where no model did.
    #[serde(default)]
    pub times: u32,
    /// The model's mean log-probability a token of this text, where it was asked to score it.
    pub logprob: Option<f64>,
}

impl Candidate {
    /// A candidate that was judged and not compared with others yet.
    pub fn new(id: usize, text: impl Into<String>, origin: CandidateOrigin, fate: Validity) -> Self {
        Candidate {
            id,
            text: text.into(),
            origin,
            fate,
            coverage: None,
            cluster: None,
            optimal: false,
            representative: false,
            rejected: false,
            times: 0,
            logprob: None,
        }
    }
}

impl Validity {
    /// Whether nothing was tried, as no demonstration calls the action.
    pub fn is_untried(&self) -> bool {
        matches!(self, Validity::Unknown { reason, .. } if reason == NOT_CALLED)
    }

    /// Whether it is an effect that mostly follows: three calls of four bear it out, with exceptions.
    pub fn is_likely(&self) -> bool {
        matches!(self, Validity::Departs { exceptions, calls, .. } if exceptions * 4 <= *calls)
    }
}

/// By which rule candidates are suggested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ranking {
    /// Equation (1) over the candidates that the calls give reason to believe: what the enumerator holds back takes no part.
    #[default]
    Evidence,
    /// The paper's Equation (1) alone, over every valid candidate.
    EquationOne,
}

impl Ranking {
    /// Its name, the same in panes and tables.
    pub fn name(self) -> &'static str {
        match self {
            Ranking::Evidence => "evidence rule",
            Ranking::EquationOne => "Equation (1) alone",
        }
    }
}

/// The candidates of one action function, or of its effects, in clusters of equals, with the suggested ones.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Pool {
    /// The action's function (`take`), or the name that its effects go by.
    pub action: String,
    /// Its parameters, without `self`.
    pub params: Vec<String>,
    pub candidates: Vec<Candidate>,
    /// Valid candidates that the enumerator held back: as far as the calls show they hold by coincidence; of effects, that a variable no
    /// call changed stays as it is. They take no part in the ranking by evidence; their ids go on after those of the candidates.
    #[serde(default)]
    pub held_back: Vec<Candidate>,
    /// Assertions in force that are no candidates of it, validated as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_force: Vec<Candidate>,
    /// The suggestion of Equation (1) alone over every valid candidate, those held back included.
    #[serde(default)]
    pub by_equation: Vec<String>,
    /// Number of instances (demonstration, step, binding) the satisfied sets range over; of effects the calls they are executed on.
    pub instances: usize,
    /// How many times the demonstrations call the action.
    pub calls: usize,
    /// Whether generation or validation is still under way.
    #[serde(default)]
    pub running: bool,
}
