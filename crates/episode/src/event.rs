//! Events: the only things that change a session, and the records the log holds.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stepwright_wire::{Api, Delta, Usage};

use super::artifact::{ArtifactId, OfferId, Written};
use super::ask::AskKind;
use super::branch::BranchEdit;
use super::breakpoint::Breakpoint;
use super::decision::{Actor, Decision, DecisionId, Policy};
use super::exchanged::Exchange;
use super::packed::Packed;
use super::proposal::{Action, Proposal, ProposalId, Verdict};

/// A node of the session's tree: 0 is the reset, every executed decision adds one.
pub type NodeId = u64;

/// Identifies one ask of a model within a session.
pub type AskId = u64;

/// One line of the log after the header.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Record {
    /// Consecutive within the session, from 1.
    pub id: u64,
    /// Unix time in milliseconds.
    pub ts: u64,
    /// The node at which it happened (the cursor at that time).
    pub node: NodeId,
    /// The event.
    #[serde(flatten)]
    pub event: Event,
}

/// The result of a step: the logged part of a world's outcome.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct StepOutcome {
    /// The observation, verbatim.
    pub observation: String,
    /// The program calls the step added, the action's own first where it has one.
    pub calls: Vec<String>,
    /// Why the world refused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Reward of the step.
    #[serde(default)]
    pub reward: f64,
    /// Whether the episode is over.
    #[serde(default)]
    pub done: bool,
    /// Whether the goal holds.
    #[serde(default)]
    pub won: bool,
    /// Whether the episode is over and nobody said if the goal holds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untold: bool,
    /// The condition that blocked the selected action, so that it was not executed and its blocking tree grew instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked: Option<String>,
    /// The kind of a line that executed nothing, where a method has such lines beside actions: a thought, a call of a
    /// skill, a report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<String>,
    /// Why the method ended the episode, where the world did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// What a program asks of a model then, in worlds whose actions are answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<Arc<AskedOf>>,
    /// The adopted effects of the action that did not follow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub departures: Vec<Departure>,
}

/// An adopted effect that a step contradicts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Departure {
    /// The effect's line.
    pub effect: String,
    /// What is not as it says, in words.
    pub why: String,
}

/// A program's request to a model, as what it adds to the one before it in its conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AskedOf {
    /// The interface that it speaks.
    pub api: Api,
    /// The conversation, from 0.
    pub thread: usize,
    /// What it adds to the body of the request before.
    pub added: Delta,
}

/// A person's change of the blocking tree. Nodes are known by their keys, which the same steps always give again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum TreeEdit {
    /// Take an action, and what is below it, out of the candidates, or put it back.
    Prune {
        /// The action's node.
        node: u32,
        /// Out or back.
        pruned: bool,
    },
    /// Offer another action to resolve what blocks a node.
    Add {
        /// The blocked action's node.
        under: u32,
        /// The action as the world writes it.
        action: String,
    },
    /// Change places with the neighbour.
    Move {
        /// The action's node.
        node: u32,
        /// Towards the beginning.
        up: bool,
    },
}

impl StepOutcome {
    /// The sum of outcomes' rewards; where that is beyond all numbers the largest (or the least) of them, as files of JSON have no other.
    pub fn total(outcomes: &[&Self]) -> f64 {
        outcomes.iter().map(|outcome| outcome.reward).sum::<f64>().clamp(f64::MIN, f64::MAX)
    }

    /// Whether the world performed the action: it was neither blocked nor a line that executes nothing.
    pub fn is_executed(&self) -> bool {
        self.blocked.is_none() && self.held.is_none()
    }

    /// Whether the goal is reached; `None` where that is not known.
    pub fn reached(&self) -> Option<bool> {
        (self.won || !self.untold).then_some(self.won)
    }

    /// How another outcome of the same step differs, if it does, as far as an episode goes: `the observation was … and is now …`.
    pub fn difference(&self, got: &StepOutcome) -> Option<String> {
        let (what, was, is) = if self.observation != got.observation {
            ("observation", format!("{:?}", self.observation), format!("{:?}", got.observation))
        } else if self.calls != got.calls {
            ("calls", self.calls.join("; "), got.calls.join("; "))
        } else if self.blocked != got.blocked {
            let words = |o: &StepOutcome| o.blocked.clone().unwrap_or_else(|| "none".to_owned());
            ("blocking condition", words(self), words(got))
        } else if (self.done && self.ended.is_none(), self.won) != (got.done && got.ended.is_none(), got.won) {
            let words = |o: &StepOutcome| format!("done {}, won {}", o.done, o.won);
            ("end", words(self), words(got))
        } else if self.error.is_some() != got.error.is_some() {
            ("error", format!("{:?}", self.error), format!("{:?}", got.error))
        } else {
            return None;
        };
        Some(format!("the {what} was {was} and is now {is}"))
    }
}

/// The exact prompt of an ask.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PromptRecord {
    /// The template it was rendered from (`preconditions/next_action`), or `edited` when a person changed the text.
    pub template: String,
    /// SHA-256 of the template's source, hexadecimal.
    pub template_hash: String,
    /// The messages as sent: role and text. One message of role `text` is a raw completion prompt.
    pub messages: Vec<PromptMessage>,
    /// The parts left out to fit the model's context, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// How many actions it lists to choose among, where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates: Option<u32>,
}

/// Who proposes, and how, from here on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Configuration {
    /// The model's name.
    pub model: String,
    /// The method's name.
    pub method: String,
    /// Session options that change (the method's: `shots`, `think`, `assertions`); what is not named stays as it is.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
}

/// A side of a duel, and what it would do at a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// What it is called: unlike the others of its duel.
    pub name: String,
    /// Its model, its method and its options.
    #[serde(flatten)]
    pub configuration: Configuration,
    /// The set of assertions that was in force for it, where that is another one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub set: String,
    /// The folder of its prompts, where they are others.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prompts: String,
    /// What it would do; `None` where it has nothing to offer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalId>,
    /// Why, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PromptMessage {
    /// `system`, `user`, `assistant`, or `text` for a raw completion prompt.
    pub role: String,
    /// The text as sent.
    pub text: String,
}

/// An event of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The world was reset: node 0.
    Started {
        /// The outcome of the reset.
        outcome: Arc<StepOutcome>,
    },
    /// A model was asked.
    Asked {
        /// The ask's number.
        ask: AskId,
        /// Its purpose.
        kind: AskKind,
        /// The model's name as shown.
        model: String,
        /// The request's prompt; `None` for the symbolic proposer, which reads the state itself.
        #[serde(skip_serializing_if = "Option::is_none")]
        prompt: Option<Arc<PromptRecord>>,
        /// Completions asked for.
        n: u32,
        /// Sampling temperature; 0 is greedy.
        temperature: f64,
    },
    /// The exact request of an ask and the answer's parts beside the texts; right before the ask's end.
    Exchanged {
        /// The ask.
        ask: AskId,
        /// The request and the answer.
        exchange: Arc<Exchange>,
    },
    /// The model answered.
    Answered {
        /// The ask answered.
        ask: AskId,
        /// The completions' texts, as received.
        texts: Arc<Vec<String>>,
        /// Tokens spent, where reported.
        #[serde(skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
        /// Milliseconds from request to last byte.
        ms: u64,
    },
    /// The ask ended without an answer. What one that was cancelled cost all the same, and what had come of it, is a second such event,
    /// once it is known.
    AskFailed {
        /// The ask.
        ask: AskId,
        /// The error with its remedy, in words.
        error: String,
        /// Whether a person cancelled it.
        #[serde(default)]
        cancelled: bool,
        /// Tokens spent all the same, where reported.
        #[serde(skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
        /// What had come, which is no answer: it was cut, broke off, or nothing could be made of it.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        partial: String,
    },
    /// An action was offered at this node.
    Proposed {
        /// The proposal.
        proposal: Arc<Proposal>,
    },
    /// A proposal was checked (again).
    Checked {
        /// Which proposal.
        proposal: ProposalId,
        /// The verdict.
        verdict: Arc<Verdict>,
    },
    /// The method says which proposal it would take.
    Recommended {
        /// The proposal; `None` when it has none to offer.
        proposal: Option<ProposalId>,
        /// Why, in words.
        why: String,
    },
    /// Several were asked what they would do at this node.
    Dueled {
        /// What each would do.
        sides: Arc<[Side]>,
    },
    /// A decision was taken.
    Decided {
        /// The decision.
        decision: Arc<Decision>,
    },
    /// A decision was carried out: a new node below the record's node, and the cursor moves there.
    Executed {
        /// The decision carried out.
        decision: DecisionId,
        /// The new node.
        child: NodeId,
        /// The action as executed.
        action: Arc<Action>,
        /// Its outcome.
        outcome: Arc<StepOutcome>,
        /// The changes of the program's variables: a JSON patch (RFC 6902).
        changes: Packed,
    },
    /// The cursor moved (undo, redo, jump); the world moved with it.
    Moved {
        /// The node now current.
        to: NodeId,
    },
    /// The gate's policy changed.
    PolicySet {
        /// The policy in force from now on.
        policy: Policy,
        /// Why it changed (`set by a person`, `budget of 2000 tokens reached`).
        why: String,
    },
    /// The model, the method or its options changed.
    Configured(Configuration),
    /// An artifact was written. It replaces one of the same name that waits for a decision.
    ArtifactOffered {
        /// The offer's number.
        offer: OfferId,
        /// The ask it answers, where one was made for it alone.
        #[serde(skip_serializing_if = "Option::is_none")]
        ask: Option<AskId>,
        /// The written document.
        written: Arc<Written>,
        /// Whether it was written beside the episode, so that nothing waits for the decision about it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        beside: bool,
    },
    /// A document changed at this node.
    ArtifactSettled {
        /// Which.
        artifact: ArtifactId,
        /// The offer taken; `None` for a person's correction and for the document an episode begins with.
        #[serde(skip_serializing_if = "Option::is_none")]
        offer: Option<OfferId>,
        /// From the document before to the one since (RFC 6902); where there was none it replaces the whole document.
        patch: Arc<Value>,
        /// By whom.
        by: Actor,
        /// Whether a person changed the offer before taking it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        edited: bool,
        /// Why, in words.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        why: String,
    },
    /// An offer was refused: the document stays as it is.
    ArtifactRefused {
        /// The offer.
        offer: OfferId,
        /// By whom.
        by: Actor,
        /// Why, in words.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        why: String,
    },
    /// A person took back that they refused an offer: it waits again.
    ArtifactReopened {
        /// The offer.
        offer: OfferId,
    },
    /// The last change of a document was taken back; one that was made above is taken back from this node on.
    ArtifactUndone {
        /// Which.
        artifact: ArtifactId,
    },
    /// A person set the breakpoints of the session.
    BreakpointsSet {
        /// All of them; none if empty.
        breakpoints: Vec<Breakpoint>,
    },
    /// A person named a branch, hid it or deleted it, or took that back.
    BranchEdited {
        /// Its first node.
        branch: NodeId,
        /// The change.
        edit: BranchEdit,
    },
    /// The future is hidden before a decision from here on, or shown again.
    BlindSet {
        /// Hidden or shown.
        blind: bool,
    },
    /// A person changed a remark of this node.
    NoteEdited {
        /// Which, from 0.
        note: usize,
        /// The text in its place; if empty, the remark is taken out.
        text: String,
    },
    /// A remark, by a person or the program.
    Noted {
        /// The text.
        text: String,
    },
    /// Something failed that is not a model's ask.
    Failed {
        /// The error: what, where, what to do.
        error: String,
        /// Whether it is the method's answer that it knows nothing more, by which an episode is lost; otherwise what would have come of it
        /// nobody knows.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        stuck: bool,
    },
}

impl Event {
    /// That an ask was ended without its answer, and why.
    pub(super) fn cancelled(ask: AskId, why: &str) -> Self {
        Event::AskFailed { ask, error: why.to_owned(), cancelled: true, usage: None, partial: String::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewards_beyond_all_numbers_sum_up_to_one_that_a_file_holds() {
        let of = |reward| StepOutcome { reward, ..StepOutcome::default() };
        let (most, least, some) = (of(1e308), of(-1e308), of(0.25));
        assert_eq!(StepOutcome::total(&[&most, &most]), f64::MAX);
        assert_eq!(StepOutcome::total(&[&least, &least]), f64::MIN);
        assert_eq!(StepOutcome::total(&[&some, &some]), 0.5);
    }
}
