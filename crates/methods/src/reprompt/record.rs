//! A session's records of translated steps: the kinds of asks, the candidates as their answers hold them, corrective prompts.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use stepwright_plan::sample::{Reader, Sample};
use stepwright_plan::score::Candidate;

use stepwright_episode::showing::Showing;
use stepwright_episode::{
    ArtifactId, ArtifactKind, Ask, AskId, AskKind, AskState, Node, Offer, OfferState, Proposal, Turn,
};
use stepwright_method::artifacts::{self, ArtifactSpec};

/// The ask for the example of the nearest task.
pub fn retrieval() -> AskKind {
    AskKind::own("example", "the nearest example")
}

pub fn correction() -> AskKind {
    AskKind::own("correction", "a correction")
}

pub fn translation() -> AskKind {
    AskKind::own("translation", "translated steps")
}

pub fn corrected() -> AskKind {
    AskKind::own("corrected", "a correction, translated")
}

/// The ask that leaves a step out which nothing corrects, without a language model.
pub fn omission() -> AskKind {
    AskKind::own("omission", "the step that failed is left out")
}

pub(crate) static ARTIFACT: ArtifactSpec = ArtifactSpec {
    read: |_, _, typed| artifacts::text("prompt", typed, "the corrective prompt is empty"),
    ..ArtifactSpec::new("corrective prompt", Showing::new("the corrective prompt"))
};

pub(crate) fn prompt_id() -> ArtifactId {
    ArtifactId { kind: ArtifactKind::Other(ARTIFACT.id.to_owned()), key: String::new() }
}

/// The fate of the step that failed before, as sessions of earlier versions say it beside the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Before {
    /// Nothing failed, or it is tried again.
    #[default]
    Stays,
    Dropped,
}

/// A candidate as the answer to a translation holds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Offered {
    #[serde(flatten)]
    pub candidate: Candidate,
    #[serde(default)]
    pub before: Before,
    /// The built-in agent's reason, where it said the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Corrective {
    /// The error line (`Error: I am sitting. A correct step would be to`), and what a person wrote behind it.
    pub prompt: String,
    pub step: String,
    /// The type of the error, from 1 to 10.
    pub number: u8,
    pub kind: String,
    pub reason: String,
    /// Whether a failing assertion kept the step from being tried.
    pub veto: bool,
    /// The text of the action that was kept from being tried.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub action: String,
    pub after: AskId,
}

impl Corrective {
    pub fn of(offer: &Offer) -> Option<Corrective> {
        Corrective::deserialize(offer.written.value.as_deref()?).ok()
    }

    /// The corrective prompt in force: as it was taken, with what it is of from the offer.
    pub fn taken(turn: &Turn, document: Option<&Value>) -> Option<Corrective> {
        let change = turn.changes_of(&prompt_id()).next_back()?;
        let offer = turn.offers.iter().find(|offer| Some(offer.id) == change.offer)?;
        let prompt = document?.get("prompt")?.as_str()?.to_owned();
        Some(Corrective { prompt, ..Corrective::of(offer)? })
    }
}

pub fn prompts(turn: &Turn) -> impl DoubleEndedIterator<Item = &Offer> {
    turn.offers.iter().filter(|offer| offer.written.artifact == prompt_id())
}

pub fn taken(turn: &Turn) -> usize {
    prompts(turn).filter(|offer| matches!(offer.fate, OfferState::Taken { .. })).count()
}

/// Whether the answer to a corrective prompt says that the failed step is to be left out. Chat models are told that they may say so; with a
/// publication's settings, where nothing `skips`, a text that is continued is a step whatever it says.
pub fn leaves_out(ask: &Ask, skips: bool) -> bool {
    let counts = ask.kind == correction() && (skips || !is_raw(ask));
    let said = texts(ask).filter(|_| counts).and_then(<[String]>::first);
    said.is_some_and(|text| stepwright_plan::written::drops(&stepwright_plan::written::sentence(text)))
}

/// Where the step that failed was left out at a node: the first ask after its last corrective prompt was refused, or answered so.
fn left_out(turn: &Turn, skips: bool) -> Option<AskId> {
    let last = prompts(turn).last()?;
    let after = Corrective::of(last).unwrap_or_default().after;
    let omitted = turn.asks.iter().rfind(|ask| ask.kind == omission() && ask.id >= after && texts(ask).is_some());
    if let Some(omitted) = omitted {
        return Some(omitted.id + 1);
    }
    match last.fate {
        OfferState::Refused { .. } => Some(after),
        OfferState::Taken { .. } => {
            let answered = turn.asks.iter().rfind(|ask| ask.kind == correction() && ask.id >= after)?;
            leaves_out(answered, skips).then_some(answered.id + 1)
        }
        _ => None,
    }
}

/// Whether the step that failed was left out at a node.
pub fn dropped(turn: &Turn, skips: bool) -> bool {
    left_out(turn, skips).is_some()
}

/// Whether a person asks anew at a node where the failed step was left out and the plan went on, in a round that begins with an ask. Who
/// rejects what came next asks for another next step.
pub(crate) fn is_asked_anew(turn: &Turn, since: AskId, skips: bool) -> bool {
    let Some(first) = left_out(turn, skips) else { return false };
    let rejected = |ask: &Ask| {
        let mut offered = turn.proposals.iter().filter(|proposal| proposal.ask == Some(ask.id));
        offered.any(|proposal| turn.rejection(proposal.id).is_some())
    };
    let mut later =
        turn.asks.iter().filter(|ask| (first..since).contains(&ask.id) && !ask.kind.is_background()).peekable();
    later.peek().is_some() && !later.any(rejected)
}

pub fn texts(ask: &Ask) -> Option<&[String]> {
    match &ask.state {
        AskState::Answered { texts, .. } => Some(texts),
        _ => None,
    }
}

pub fn candidates(ask: &Ask) -> Vec<Offered> {
    texts(ask).into_iter().flatten().filter_map(|text| serde_json::from_str(text).ok()).collect()
}

pub fn candidate(turn: &Turn, proposal: &Proposal) -> Option<Offered> {
    let ask = turn.asks.iter().find(|ask| Some(ask.id) == proposal.ask)?;
    candidates(ask).into_iter().nth(place(turn, proposal)?)
}

/// The place of a proposal among those of its ask.
pub(crate) fn place(turn: &Turn, proposal: &Proposal) -> Option<usize> {
    turn.proposals.iter().filter(|p| p.ask == proposal.ask).position(|p| p.id == proposal.id)
}

/// Whether a model was asked to continue raw text.
pub(crate) fn is_raw(ask: &Ask) -> bool {
    ask.prompt.as_ref().is_some_and(|prompt| prompt.messages.iter().any(|m| m.role == "text"))
}

/// The answers to an ask as they are read; `begun` is what a person wrote of them already.
pub fn samples(ask: &Ask, reader: Reader, begun: &str) -> Vec<Sample> {
    let figures = ask.exchange.as_deref().map(|exchange| exchange.completions.as_slice()).unwrap_or_default();
    let mean = |at: usize| {
        let tokens = figures.get(at).map(|c| c.tokens.as_slice()).filter(|tokens| !tokens.is_empty())?;
        Some(tokens.iter().map(|token| token.logprob).sum::<f64>() / tokens.len() as f64)
    };
    let sample = |(at, text): (usize, &String)| match begun {
        "" => reader.sample(text, mean(at)),
        begun => reader.sample(&format!("{begun} {}", text.trim_start()), mean(at)),
    };
    texts(ask).into_iter().flatten().enumerate().map(sample).collect()
}

/// The example that was found on a path: its text, and the plan fitted to the task.
pub fn example(path: &[&Node]) -> Option<(String, Found)> {
    let asks = path.iter().rev().flat_map(|node| node.turn.asks.iter().rev());
    let answered = asks.filter(|ask| ask.kind == retrieval()).find_map(texts)?;
    let [text, found] = answered else { return None };
    Some((text.clone(), serde_json::from_str(found).ok()?))
}

/// The result of retrieval beside the example's text.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Found {
    pub task: String,
    /// How like the task asked for it is.
    pub likeness: f64,
    /// The plan fitted to the task, where no language model writes one; empty where the built-in agent says the steps.
    pub fitted: Vec<String>,
    pub from: String,
    pub changed: Vec<String>,
}

impl Found {
    /// That what is followed is the plan of another task than that, as it is or with things replaced.
    pub fn stands_in(&self, task: &str) -> Option<String> {
        let words = |text: &str| {
            text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches('.').to_owned()
        };
        let other = !self.fitted.is_empty() && words(&self.from) != words(task);
        let changed = if self.changed.is_empty() { String::new() } else { format!(", {}", self.changed.join(", ")) };
        other.then(|| format!("the next step of the plan of another task, `{}`{changed}", self.from))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use stepwright_episode::{PromptMessage, PromptRecord};

    #[test]
    fn as_published_a_chat_model_alone_leaves_a_step_out() {
        let of = |role: &str| Ask {
            id: 1,
            kind: correction(),
            model: "m".into(),
            prompt: Some(Arc::new(PromptRecord {
                template: String::new(),
                template_hash: String::new(),
                messages: vec![PromptMessage {
                    role: role.into(),
                    text: "Error: why. A correct step would be to".into(),
                }],
                left_out: None,
                candidates: None,
            })),
            n: 1,
            temperature: 0.0,
            exchange: None,
            state: AskState::Answered { texts: vec!["Skip.".to_owned()].into(), usage: None, ms: 1 },
        };
        assert!(leaves_out(&of("user"), true) && leaves_out(&of("user"), false));
        assert!(leaves_out(&of("text"), true), "an answer of a raw model may be a recorded one");
        assert!(!leaves_out(&of("text"), false), "as published it is a step whatever it says");
    }

    #[test]
    fn the_plan_of_another_task_is_said_to_be_one() {
        let found = Found { from: "Read a book on the couch.".into(), fitted: vec!["walk".into()], ..Found::default() };
        assert_eq!(found.stands_in("read a book  on the couch"), None);
        let other = found.stands_in("switch the television on").unwrap();
        assert_eq!(other, "the next step of the plan of another task, `Read a book on the couch.`");
        assert_eq!(Found::default().stands_in("anything"), None, "no plan is followed");
    }
}
