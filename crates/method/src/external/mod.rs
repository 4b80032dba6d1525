//! Methods in other processes: a command that reads a context a line and answers with a step or a reading (adapters/README.md).
//!
//! The command's output is the answer to an ask like any other: asked for beside the driver's task, cancellable, recorded. What
//! comes next is read from these records alone, so that reopening a session starts no process. `command` runs it, `introduction`
//! reads what it says of itself, `context` is what it is sent, `answer` reads what it says.

mod answer;
mod command;
mod context;
mod introduction;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use super::context::WorkInput;
use super::{Answer, Context, Method, MethodInfo, Reading, Round, Step, Stop};
use answer::Told;
pub use answer::{ReadAnswer, StepAnswer};
pub use command::Command;
use context::Place;
pub use context::Sent;
pub use introduction::Declared;
use stepwright_episode::gate::Draft;
use stepwright_episode::{Action, Ask, AskKind, AskState, OwnAsk, Written};
use stepwright_world::adapter::{Adapter, Process};
use stepwright_world::options::Table;

/// The beginning of such methods' ids.
pub const PREFIX: &str = "external:";

#[derive(Debug)]
pub struct External {
    command: Arc<Command>,
    process: Mutex<Option<Running>>,
}

/// The process, and where it is.
#[derive(Debug)]
struct Running {
    process: Process,
    at: Place,
}

impl External {
    /// The method of a command by itself; `external:NAME`. It may have options of the program's methods.
    pub fn new(adapter: Arc<Adapter>, shared: Table) -> Self {
        Self::of(Arc::new(Command::new(adapter, BTreeMap::new(), shared)))
    }

    pub fn of(command: Arc<Command>) -> Self {
        External { command, process: Mutex::new(None) }
    }

    fn name(&self) -> &str {
        &self.command.adapter.name
    }

    fn own(&self, tag: &'static str, label: String) -> AskKind {
        AskKind::Other(OwnAsk { tag: tag.into(), of: self.name().to_owned(), nth: 0, label })
    }

    fn step_kind(&self) -> AskKind {
        self.own("step", format!("the next step of {}", self.name()))
    }

    fn reading_kind(&self) -> AskKind {
        self.own("reading", format!("{} reads an answer", self.name()))
    }

    fn ask(&self, cx: &Context<'_>, kind: AskKind, work: Value) -> Step {
        Step::ask(cx.own(kind, self.info().id, 1, work))
    }

    fn ask_step(&self, cx: &Context<'_>) -> Step {
        self.ask(cx, self.step_kind(), json!({ "step": self.context(cx) }))
    }

    fn told(&self, ask: &Ask, text: &str) -> Result<Told, String> {
        let (read, what) =
            if ask.kind == self.step_kind() { (Told::step(text), "step") } else { (Told::reading(text), "reading") };
        read.map_err(|why| format!("`{}` answered with no {what}: {why}", self.command.adapter.command_line()))
    }

    /// The reason for what its last answer recommends, where it says what to do.
    fn recommended(&self, round: Round<'_>) -> Option<String> {
        let own = [self.step_kind(), self.reading_kind()];
        let last = round.turn.asks.iter().rev().find(|ask| ask.id >= round.since && own.contains(&ask.kind))?;
        let AskState::Answered { texts, .. } = &last.state else { return None };
        match self.told(last, texts.first()?).ok()? {
            Told::Offer { why, .. } => why,
            _ => None,
        }
    }

    fn actions_kind(&self) -> AskKind {
        self.own("actions", format!("actions of {}", self.name()))
    }

    fn offer(&self, cx: &Context<'_>, drafts: Vec<Draft>, note: Option<String>) -> Step {
        let whole = |action: Action| if action.call.is_none() { cx.action(&action.text) } else { action };
        let drafts = drafts.into_iter().map(|draft| Draft { action: draft.action.map(whole), ..draft }).collect();
        Step::Offer { ask: cx.own(self.actions_kind(), self.info().id, 1, Value::Null), drafts, note }
    }

    /// The context, its own options under the keys it gave them.
    fn context(&self, cx: &Context<'_>) -> Value {
        // One that has not introduced itself yet is asked to before it is sent this.
        let protocol = self.command.known().map_or(introduction::NEWEST, |known| known.protocol);
        let mut context = context::context(cx, protocol);
        if let Some(Value::Object(options)) = context.get_mut("options") {
            let own = introduction::own_key(self.name(), "");
            let short = std::mem::take(options).into_iter().map(|(key, value)| match key.strip_prefix(own.as_str()) {
                Some(short) => (short.to_owned(), value),
                None => (key, value),
            });
            *options = short.collect();
        }
        context
    }

    /// A request whose context has all options that it declared (what a session does not record has its default) and says what became of
    /// the steps that the process knows.
    fn completed(&self, line: &Value, at: &mut Place) -> Value {
        let mut line = line.clone();
        let context = if line.get("read").is_some() { "/read/context" } else { "/step" };
        let Some(context) = line.pointer_mut(context) else { return line };
        let to = Place::of(context);
        if let Some(rewound) = context.get_mut("rewound") {
            *rewound = at.rewound(&to);
        }
        *at = to;
        if let Some(Value::Object(options)) = context.get_mut("options") {
            let own = introduction::own_key(self.name(), "");
            for spec in self.info().options.iter().filter(|spec| !spec.default.is_empty()) {
                let key = spec.key.strip_prefix(own.as_str()).unwrap_or(spec.key);
                options.entry(key).or_insert_with(|| json!(spec.default));
            }
        }
        line
    }

    /// Offers its document, once, if it declared that it writes such.
    fn amend(&self, cx: &Context<'_>, written: Box<Written>) -> Step {
        let kind = &written.artifact.kind;
        let declared = self.command.known().map(|known| known.writes);
        if declared.as_ref().is_some_and(|writes| !writes.contains(kind)) {
            let name = self.name();
            return Step::Error(format!(
                "{name} writes a {kind}, which is not among what it said it writes (`writes`)"
            ));
        }
        let offered = cx.node().is_some_and(|node| node.turn.offers.iter().any(|offer| *offer.written == *written));
        if offered { self.ask_step(cx) } else { Step::Amend(written) }
    }

    /// One line to the command and one from it; the command is started if it does not run.
    fn round_trip(&self, line: &Value, stop: &Stop) -> Result<String, String> {
        let mut place = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        let adapter = &self.command.adapter;
        let start = || {
            let process = self.command.start(adapter.start_timeout, stop)?;
            Ok::<_, String>(Running { process, at: Place::default() })
        };
        let Running { process, mut at } = place.take().map_or_else(start, Ok)?;
        let line = self.completed(line, &mut at);
        let (process, said) = self.command.round_trip(process, &line, adapter.step_timeout, stop)?;
        *place = Some(Running { process, at });
        Ok(said)
    }
}

impl Method for External {
    fn info(&self) -> MethodInfo {
        self.command.info()
    }

    fn ready(&self) -> Result<Option<String>, String> {
        self.command.introduce(self.command.adapter.start_timeout)?;
        Ok(self.command.version())
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
            let work = json!({ "read": { "context": self.context(cx), "ask": ask.kind, "texts": texts } });
            return self.ask(cx, self.reading_kind(), work);
        }
        if ask.kind == self.actions_kind()
            && let Some(why) = self.recommended(round)
        {
            let proposal = round.proposals().find(|proposal| proposal.ask == Some(ask.id)).map(|proposal| proposal.id);
            return Step::Recommend { proposal, why };
        }
        if ask.kind != self.step_kind() && ask.kind != self.reading_kind() {
            return self.ask_step(cx);
        }
        match self.told(ask, text) {
            Ok(Told::Offer { drafts, note, .. }) => self.offer(cx, drafts, note),
            Ok(Told::Ask { ask, note }) => Step::Ask { ask: *ask, note },
            Ok(Told::Recommend { proposal: Some(id), .. }) if round.turn.proposal(id).is_none() => {
                let name = self.command.adapter.command_line();
                Step::Error(format!("`{name}` recommends proposal {id}, which is not among `proposals`"))
            }
            Ok(Told::Recommend { proposal, why }) => Step::Recommend { proposal, why },
            Ok(Told::Amend(written)) => self.amend(cx, written),
            Ok(Told::Kept) => self.ask_step(cx),
            Ok(Told::Pass) => Step::Pass,
            Ok(Told::Stuck(why)) => Step::Stuck(why),
            Err(why) => Step::Error(why),
        }
    }

    /// Its own lines and models' answers are read again from their records.
    fn read(&self, _cx: &Context<'_>, ask: &Ask, answer: &Answer) -> Reading {
        let own = [self.step_kind(), self.reading_kind()].contains(&ask.kind);
        let checked = if own { self.told(ask, answer.first()).map(|_| ()) } else { Ok(()) };
        checked.map_or_else(Reading::Problem, |()| Reading::Kept)
    }

    fn compute(&self, _known: &WorkInput, work: &Value, stop: &Stop) -> Result<Answer, String> {
        let said = self.round_trip(work, stop)?;
        let (usage, cost) = answer::spent(&said).unzip();
        Ok(Answer { usage, cost: cost.flatten(), ..Answer::texts([said]) })
    }
}
