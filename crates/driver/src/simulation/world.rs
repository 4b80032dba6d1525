//! The simulated world: one adds up to ten. Its steps are done at once, or by a process that may die, answer otherwise than it did, and be
//! stopped or closed.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use stepwright_program::{Call, Literal};
use stepwright_world::remote::{ProcessStatus, Recorded, Remote};
use stepwright_world::{Outcome, ProgramHeader, Snapshot, TaskInfo, World, WorldError, WorldKind};

pub(crate) const SPECIFICATION: &str = include_str!("../../../../tests/support/counter.py");

static SUM: WorldKind = WorldKind::new("sum", "add up to ten", |_| Err(WorldError::Failed("made by tests".into())));

type Bell = Arc<dyn Fn(ProcessStatus) + Send + Sync>;

/// What happens to a process at its next step.
#[derive(Debug, Clone, Copy)]
pub(super) enum Befalls {
    Dies,
    /// It is started anew and answers otherwise on the way to where it was.
    Differs,
}

/// The process of a world: the way it went if it runs, what befalls it next, and who is told.
#[derive(Default)]
pub(crate) struct Process {
    way: Option<Vec<String>>,
    pub(super) befalls: Option<Befalls>,
    pub(super) is_closed: bool,
    bell: Option<Bell>,
}

impl Process {
    fn ring(&self, status: ProcessStatus) {
        self.bell.iter().for_each(|bell| bell(status.clone()));
    }
}

pub(crate) type Shared = Arc<Mutex<Process>>;

#[derive(Clone, Default)]
pub(crate) struct Sum {
    total: i64,
    way: Vec<String>,
    process: Option<Shared>,
    stop: Arc<AtomicBool>,
}

fn call(function: &str, n: i64) -> Call {
    Call { receiver: "agent".into(), function: function.into(), args: vec![Literal::Int(n)], ..Call::default() }
}

fn number(text: &str) -> Option<i64> {
    text.strip_prefix("add ")?.parse().ok()
}

/// The total after an action, where the world takes it.
fn total_after(total: i64, text: &str) -> Option<i64> {
    number(text).filter(|n| (1..=5).contains(n) && total + n <= 10).map(|n| total + n)
}

/// What the world answers last on a way of actions.
pub(super) fn answer<'a>(way: impl IntoIterator<Item = &'a str>) -> String {
    let (mut total, mut said) = (0, "Reach ten.".to_owned());
    for text in way {
        let after = total_after(total, text);
        said = after.map_or("Nothing happens.".to_owned(), |after| format!("The total is {after}."));
        total = after.unwrap_or(total);
    }
    said
}

impl Sum {
    /// A world whose steps a process does.
    pub(crate) fn of(process: Shared) -> Self {
        Sum { process: Some(process), ..Sum::default() }
    }

    /// Has the process be where this world is.
    fn brought(&self, process: &mut Process) -> Result<(), WorldError> {
        if process.is_closed {
            return Err(WorldError::Failed("the world is closed".into()));
        }
        if self.stop.load(Ordering::SeqCst) {
            process.way = None;
            return Err(WorldError::Failed("stopped".into()));
        }
        let replays = process.way.as_ref() != Some(&self.way);
        match process.befalls.take() {
            Some(Befalls::Dies) => {
                process.way = None;
                process.ring(ProcessStatus::Dead { what: "it died".into(), last_words: Vec::new() });
                Err(WorldError::Failed("the process died".into()))
            }
            Some(Befalls::Differs) if replays && !self.way.is_empty() => {
                process.way = None;
                Err(WorldError::Differs { step: self.way.len(), what: "another total".into() })
            }
            _ => {
                process.way = Some(self.way.clone());
                process.ring(ProcessStatus::Ready);
                Ok(())
            }
        }
    }

    fn taken(&mut self, text: &str) -> Outcome {
        self.way.push(text.to_owned());
        let Some(total) = total_after(self.total, text) else {
            let (observation, error) = ("Nothing happens.".to_owned(), Some("Nothing happens.".to_owned()));
            return Outcome { observation, error, ..Outcome::default() };
        };
        let n = total - self.total;
        self.total = total;
        Outcome {
            observation: format!("The total is {total}."),
            action_call: Some(call("add", n)),
            observation_calls: vec![call("set_total", total)],
            won: total == 10,
            done: total == 10,
            ..Outcome::default()
        }
    }
}

impl World for Sum {
    fn kind(&self) -> &'static WorldKind {
        &SUM
    }
    fn reset(&mut self, _: &str, _: u64) -> Result<Outcome, WorldError> {
        (self.total, self.way) = (0, Vec::new());
        Ok(Outcome { observation: answer([]), ..Outcome::default() })
    }
    fn act(&mut self, text: &str) -> Result<Outcome, WorldError> {
        if number(text) == Some(9) {
            return Err(WorldError::Failed("the world broke".into()));
        }
        let Some(process) = self.process.clone() else { return Ok(self.taken(text)) };
        let mut process = process.lock().unwrap();
        self.brought(&mut process)?;
        let outcome = self.taken(text);
        process.way = Some(self.way.clone());
        Ok(outcome)
    }
    fn admissible(&self) -> Option<Vec<String>> {
        Some((1..=5).map(|n| format!("add {n}")).filter(|text| total_after(self.total, text).is_some()).collect())
    }
    fn truth(&self) -> Value {
        json!({ "total": self.total })
    }
    fn snapshot(&self) -> Snapshot {
        Snapshot(Arc::new((self.total, self.way.clone())))
    }
    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), WorldError> {
        let there: &(i64, Vec<String>) = snapshot.0.downcast_ref().ok_or(WorldError::ForeignSnapshot)?;
        (self.total, self.way) = there.clone();
        Ok(())
    }
    fn preview(&self, text: &str) -> Option<Outcome> {
        let preview = |mut copy: Sum| copy.act(text).ok();
        self.process.is_none().then(|| preview(self.clone())).flatten()
    }
    fn tasks(&self) -> Vec<TaskInfo> {
        let text = |text: &str| text.to_owned();
        vec![TaskInfo { id: text("ten"), kind: text("sum"), sentence: text("reach ten."), source: text("shipped") }]
    }
    fn call_of(&self, text: &str) -> Option<Call> {
        Some(call("add", number(text)?))
    }
    fn text_of(&self, call: &Call) -> Option<String> {
        match call.args.as_slice() {
            [Literal::Int(n)] if call.function == "add" => Some(format!("add {n}")),
            _ => None,
        }
    }
    fn header(&self) -> ProgramHeader {
        let setup = vec!["env = Environment()".into(), "agent = Agent(env)".into()];
        ProgramHeader { function: "reach_ten".into(), comment: "reach ten.".into(), setup }
    }
    fn specification(&self) -> Cow<'static, str> {
        SPECIFICATION.into()
    }
    fn remote(&mut self) -> Option<&mut dyn Remote> {
        self.process.is_some().then_some(self)
    }
    fn fork(&self) -> Box<dyn World> {
        Box::new(Sum { stop: Arc::default(), ..self.clone() })
    }
}

impl Remote for Sum {
    fn recall(&mut self, step: Recorded<'_>) {
        match step {
            Recorded::Reset { .. } => (self.total, self.way) = (0, Vec::new()),
            Recorded::Act { action, .. } => drop(self.taken(&action.text)),
        }
    }
    fn restart(&mut self) -> Result<(), WorldError> {
        let process = self.process.clone().ok_or(WorldError::Failed("there is no process".into()))?;
        let mut process = process.lock().unwrap();
        process.way = None;
        self.brought(&mut process)
    }
    fn stopper(&self) -> Box<dyn Fn() + Send + Sync> {
        let stop = Arc::clone(&self.stop);
        Box::new(move || stop.store(true, Ordering::SeqCst))
    }
    fn watch(&self, bell: Bell) {
        if let Some(process) = &self.process {
            process.lock().unwrap().bell = Some(bell);
        }
    }
    fn close(&self) {
        if let Some(process) = &self.process {
            process.lock().unwrap().is_closed = true;
        }
    }
}
