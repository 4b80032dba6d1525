//! Methods in other processes: a command that reads a context a line and answers with a step or a reading (adapters/README.md).
//!
//! What the command says is the answer to an ask like any other: asked for beside the driver's task, cancellable, recorded. What
//! comes next is read from these records alone, so that reopening a session starts no process.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::context::Known;
use super::{Answer, Context, Method, MethodInfo, Needs, Reading, Step, Stop};
use crate::episode::gate::{AskSpec, Draft};
use crate::episode::{Action, Ask, AskKind, AskState};
use crate::world::external::{Adapter, Process, Said};

/// How often it is looked whether somebody still waits.
const LOOK: Duration = Duration::from_millis(50);

/// A method behind a command.
#[derive(Debug)]
pub struct External {
    info: MethodInfo,
    adapter: Arc<Adapter>,
    process: Mutex<Option<Process>>,
}

impl External {
    /// The method of a configured command; `external:NAME`.
    pub fn new(adapter: Arc<Adapter>) -> Self {
        let id = interned(format!("{PREFIX}{}", adapter.name));
        let description = "A method of your own, behind a command that speaks the line protocol (adapters/README.md).";
        External {
            info: MethodInfo { id, label: id, description, options: &[], needs: Needs::NONE },
            adapter,
            process: Mutex::new(None),
        }
    }

    fn step_kind(&self) -> AskKind {
        AskKind::Other { label: format!("the next step of {}", self.adapter.name) }
    }

    fn reading_kind(&self) -> AskKind {
        AskKind::Other { label: format!("{} reads an answer", self.adapter.name) }
    }

    fn ask(&self, cx: &Context<'_>, kind: AskKind, work: Value) -> Step {
        Step::ask(cx.own(kind, self.info.id, 1, work))
    }

    fn ask_step(&self, cx: &Context<'_>) -> Step {
        self.ask(cx, self.step_kind(), json!({ "step": cx.told() }))
    }

    /// What it reads a text as.
    fn read_as<T: DeserializeOwned>(&self, text: &str, what: &str) -> Result<T, String> {
        serde_json::from_str(text)
            .map_err(|e| format!("`{}` answered with no {what}: {e}", self.adapter.command_line()))
    }

    fn offer(&self, cx: &Context<'_>, drafts: Vec<Draft>, note: Option<String>) -> Step {
        let whole = |action: Action| if action.call.is_none() { cx.action(&action.text) } else { action };
        let drafts = drafts.into_iter().map(|draft| Draft { action: draft.action.map(whole), ..draft }).collect();
        let label = format!("actions of {}", self.adapter.name);
        Step::Offer { ask: cx.own(AskKind::Other { label }, self.info.id, 1, Value::Null), drafts, note }
    }

    /// One line to the command and one from it; the command is started if it does not run, and killed when it fails.
    fn exchange(&self, line: &Value, stop: &Stop) -> Result<String, String> {
        let mut place = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        let mut process = match place.take() {
            Some(process) => process,
            None => Process::start(&self.adapter, || ()).map_err(|e| e.to_string())?,
        };
        process.ask(format!("{line}\n").into_bytes());
        let (name, patience) = (self.adapter.command_line(), self.adapter.step_timeout);
        let deadline = Instant::now() + patience;
        let why = loop {
            match process.listen(Instant::now() + LOOK) {
                Some(Said::Line(said)) => {
                    *place = Some(process);
                    return String::from_utf8(said).map_err(|_| format!("`{name}` answered with no UTF-8"));
                }
                Some(Said::TooLong) => break "answered with a line that is too long",
                Some(Said::End | Said::Deaf) => break "ended",
                Some(Said::Nudge) | None if stop.is_stopped() => break "was stopped",
                Some(Said::Nudge) | None if Instant::now() > deadline => break "gave no answer in time",
                Some(Said::Nudge) | None => {}
            }
        };
        process.end(true);
        let last = process.last_words().join("; ");
        Err(if last.is_empty() { format!("`{name}` {why}") } else { format!("`{name}` {why}: {last}") })
    }
}

/// An id that lives as long as the program, as the built-in methods' do: kept once, however many sessions use it.
fn interned(id: String) -> &'static str {
    static IDS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut ids = IDS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = ids.get(id.as_str()) {
        return known;
    }
    let id: &'static str = Box::leak(id.into_boxed_str());
    ids.insert(id);
    id
}

/// What the ids of such methods begin with.
pub const PREFIX: &str = "external:";

impl Method for External {
    fn info(&self) -> MethodInfo {
        self.info
    }

    fn step(&self, cx: &Context<'_>) -> Step {
        let Some(round) = cx.round() else { return Step::Stuck("the episode has not begun".into()) };
        if cx.samples.is_some() {
            return self.ask_step(cx);
        }
        let asks = round.turn.asks.iter().rev().filter(|a| a.id >= round.since);
        let mut answered = asks.filter_map(|ask| match &ask.state {
            AskState::Answered { texts, .. } => Some((ask, texts)),
            _ => None,
        });
        let Some((ask, texts)) = answered.next() else { return self.ask_step(cx) };
        let text = texts.first().map_or("", String::as_str);
        if ask.prompt.is_some() {
            let work = json!({ "read": { "context": cx.told(), "ask": ask.kind, "texts": texts } });
            return self.ask(cx, self.reading_kind(), work);
        }
        if ask.kind == self.step_kind() {
            return match self.read_as(text, "step") {
                Ok(Step::Ask { ask, note }) => Step::Ask { ask: AskSpec { model: String::new(), ..ask }, note },
                Ok(Step::Offer { drafts, note, .. }) => self.offer(cx, drafts, note),
                Ok(step) => step,
                Err(why) => Step::Stuck(why),
            };
        }
        if ask.kind == self.reading_kind() {
            return match self.read_as(text, "reading") {
                Ok(Reading::Drafts { drafts, note }) => self.offer(cx, drafts, note),
                Ok(Reading::Artifact(written)) => Step::Amend(written),
                Ok(Reading::Kept) => self.ask_step(cx),
                Ok(Reading::Problem(why)) | Err(why) => Step::Stuck(why),
            };
        }
        self.ask_step(cx)
    }

    /// Its own lines and models' answers are read again from their records.
    fn read(&self, _cx: &Context<'_>, ask: &Ask, answer: &Answer) -> Reading {
        let checked = match &ask.kind {
            kind if *kind == self.step_kind() => self.read_as::<Step>(answer.first(), "step").map(|_| ()),
            kind if *kind == self.reading_kind() => self.read_as::<Reading>(answer.first(), "reading").map(|_| ()),
            _ => Ok(()),
        };
        checked.map_or_else(Reading::Problem, |()| Reading::Kept)
    }

    fn compute(&self, _known: &Known, work: &Value, stop: &Stop) -> Result<Answer, String> {
        Ok(Answer::texts([self.exchange(work, stop)?]))
    }
}
