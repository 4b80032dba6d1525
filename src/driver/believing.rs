//! The belief in the driver: which update is due, asking for the state after it, reading what is written or typed as one, and setting
//! what is believed beside the truth.
//!
//! What is due is told by the records ([`crate::episode::Due`]): the updates of the steps on the way to the cursor, in their order, that
//! no offer taken or refused names.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::setup::Source;
use super::task::Driver;
use super::{BeliefReading, BeliefView, Level, SYMBOLIC};
use crate::belief;
use crate::blocking::domain;
use crate::episode::gate::{Advice, AskSpec, Report};
use crate::episode::{ArtifactId, AskKind, Written};
use crate::episode::{AskId, Due, Node, Usage};
use crate::method::Believing;
use crate::method::coding::{Form, Memory, STATE, closes, in_force, read_program, updates};
use crate::planner;
use crate::world::state_form;

/// Temperature of a state that is written again.
const AGAIN: f64 = 0.7;

/// How the belief is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keeping {
    /// By a writer that is asked for each `update_wm`; `shown`: with examples.
    Apart { shown: bool },
    /// By the answer that held the program.
    Together(Form),
    /// Beside a method that needs none, after every step.
    Beside,
}

/// An update whose state is to be written.
struct Update {
    due: Due,
    text: String,
    /// The step's action, where the step itself is the update.
    action: Option<String>,
    /// The state's text, where it was written with the program.
    written: Option<String>,
}

/// Reads a whole belief: JSON as it is, else what people and models write in its place.
pub(super) fn read(text: &str) -> Result<BeliefReading, String> {
    if let Ok(state @ Value::Object(_)) = serde_json::from_str(text) {
        return Ok(BeliefReading { state: Arc::new(state), repairs: Vec::new() });
    }
    let reading = belief::read(text).map_err(|e| e.to_string())?;
    let repairs = reading.repairs.iter().map(ToString::to_string).collect();
    Ok(BeliefReading { state: Arc::new(reading.state), repairs })
}

impl Driver {
    fn keeping(&self) -> Option<Keeping> {
        let Some(coding) = self.method.coding() else {
            return (self.prompting.options.belief == Believing::On).then_some(Keeping::Beside);
        };
        match (coding.memory, &self.source) {
            (Memory::History, _) => None,
            // The built-in reader writes programs only.
            (Memory::Together { .. }, Source::Symbolic) => Some(Keeping::Apart { shown: true }),
            (Memory::Apart { shown }, _) => Some(Keeping::Apart { shown }),
            (Memory::Together { .. }, _) => Some(Keeping::Together(coding.form)),
        }
    }

    /// Whether what is believed is kept up to date.
    pub(super) fn believes(&self) -> bool {
        self.keeping().is_some()
    }

    /// The first update on the way to the cursor that nothing was decided about.
    fn due(&self) -> Option<(Keeping, Update)> {
        let keeping = self.keeping()?;
        let session = self.gate.session();
        session.belief()?;
        let path = session.path(session.cursor());
        // What happened while nothing was believed is not caught up with.
        let begun = |i: usize| i.checked_sub(1).and_then(|i| path.get(i)).is_some_and(|from| from.belief().is_some());
        let all = path.iter().enumerate().filter(|(i, _)| begun(*i)).flat_map(|(i, node)| match keeping {
            Keeping::Apart { .. } => updates_of(node),
            Keeping::Beside => step_of(node),
            Keeping::Together(form) => {
                let asked = path.get(i - 1).and_then(|from| self.points.request_at(from.id));
                written_with(path.get(..=i).unwrap_or_default(), form, asked.map_or("", |a| a.query.as_str()))
            }
        });
        let mut all = all;
        all.find(|update| !session.is_settled(update.due)).map(|update| (keeping, update))
    }

    /// What is to be done about the belief before anything else is proposed.
    pub(super) fn write_due(&mut self) -> Option<Advice> {
        let (keeping, update) = self.due()?;
        let session = self.gate.session();
        let believed = session.belief().map(Arc::clone)?;
        if matches!(keeping, Keeping::Together(_)) {
            let written = update.written.clone().unwrap_or_default();
            return Some(Advice::Offer(Box::new(self.read_state(&update, written))));
        }
        let Source::Language { .. } = &self.source else {
            let (kind, model) = (AskKind::BELIEF, SYMBOLIC.to_owned());
            return Some(Advice::Ask(AskSpec { kind, model, prompt: None, n: 1, temperature: 0.0 }));
        };
        let shown = keeping == Keeping::Apart { shown: true };
        let domain = self.domain().filter(|_| shown);
        let about = match keeping {
            Keeping::Beside => {
                "The state is of the place an agent acts in. The query says what the agent did, and what it saw then."
            }
            _ => "The state is of objects on a table, and of what a person told about them.",
        };
        let prompt = match self.prompting.state(domain, about, &believed, &update.text) {
            Ok(prompt) => prompt,
            Err(why) => return Some(Advice::Stuck(why)),
        };
        // Greedily written again it would come out the same.
        let temperature = if session.pending_offer().is_some() { AGAIN } else { 0.0 };
        let (kind, model) = (AskKind::BELIEF, self.source.name());
        Some(Advice::Ask(AskSpec { kind, model, prompt: Some(prompt), n: 1, temperature }))
    }

    /// The number of the request whose program made the update that is due.
    pub(super) fn due_request(&self) -> Option<usize> {
        let step = self.due()?.1.due.step;
        let from = self.gate.session().node(step)?.parent?;
        Some(self.points.request_at(from)?.number)
    }

    /// A writer's answer, as a report to the gate.
    pub(super) fn state_written(&self, ask: AskId, texts: Vec<String>, usage: Option<Usage>, ms: u64) -> Report {
        let Some((_, update)) = self.due() else {
            return Report::AskFailed { ask, error: "no update is due any more".to_owned() };
        };
        let written = texts.first().cloned().unwrap_or_default();
        let written = Box::new(self.read_state(&update, written));
        Report::Written { ask, texts, usage, ms, written }
    }

    /// The state of the built-in writer.
    pub(super) fn write_state(&self, ask: AskId) -> Report {
        let (Some((_, update)), Some(believed)) = (self.due(), self.gate.session().belief()) else {
            return Report::AskFailed { ask, error: "no update is due any more".to_owned() };
        };
        let Update { due, text, action, .. } = update;
        let written = match action {
            Some(action) => Ok(self.after(believed, &action)),
            None => planner::table::update(believed, &text).map_err(|e| e.to_string()),
        };
        let raw = written.as_ref().map(belief::write).unwrap_or_default();
        let problem = written.as_ref().err().cloned();
        let texts = vec![raw.clone()];
        let (artifact, due, repairs, value) = (ArtifactId::BELIEF, Some(due), Vec::new(), written.ok().map(Arc::new));
        let written = Box::new(Written { artifact, due, title: text, raw, repairs, value, problem });
        Report::Written { ask, texts, usage: None, ms: 0, written }
    }

    /// What the world's blocking domain says of the state after an action; what it does not know changes nothing.
    fn after(&self, believed: &Value, action: &str) -> Value {
        let world = self.points.world.kind();
        let own = self.points.growth.as_ref().map(|growth| Arc::clone(growth.domain()));
        let domain = own.or_else(|| domain::shipped(world)?.ok());
        let form = state_form::shipped(world).and_then(Result::ok);
        let after =
            domain.zip(form).and_then(|(domain, form)| belief::effects::after(believed, action, &domain, &form));
        after.unwrap_or_else(|| believed.clone())
    }

    /// Says that a belief was asked for where none can be kept, or none was begun.
    pub(super) fn say_without_belief(&self) {
        let session = self.gate.session();
        if self.keeping() != Some(Keeping::Beside) || session.belief().is_some() {
            return;
        }
        let world = self.points.world.name();
        let why = match self.points.truth() {
            None => format!("the world {world} has no form for a belief: none is kept"),
            Some(_) if session.is_started() => {
                "no belief was begun in this session: write one down, or begin a new session".to_owned()
            }
            Some(_) => return,
        };
        self.say(Level::Warning, why);
    }

    fn read_state(&self, update: &Update, raw: String) -> Written {
        let read = match self.believes_cups().then(|| Driver::read_cups(&raw)).flatten() {
            Some(cups) => Ok(BeliefReading { state: Arc::new(cups), repairs: Vec::new() }),
            None => read(&whole(&raw)).and_then(|reading| match reading.state.as_object().is_none_or(Map::is_empty) {
                true => Err("the answer holds no entry of a state".to_owned()),
                false => Ok(reading),
            }),
        };
        let (value, repairs, problem) = match read {
            Ok(BeliefReading { state, repairs }) => (Some(state), repairs, None),
            Err(problem) => (None, Vec::new(), Some(problem)),
        };
        let (artifact, due, title) = (ArtifactId::BELIEF, Some(update.due), update.text.clone());
        Written { artifact, due, title, raw, repairs, value, problem }
    }
}

/// A step as an update: what was done, and what came of it. What was not executed or refused changes nothing.
fn step_of(node: &Node) -> Vec<Update> {
    let done = node.action.as_ref().filter(|_| node.outcome.blocked.is_none() && node.outcome.error.is_none());
    let update = done.map(|action| Update {
        due: Due { step: node.id, nth: 0 },
        text: format!("{}: {}", action.text, node.outcome.observation.trim()),
        action: Some(action.text.clone()),
        written: None,
    });
    update.into_iter().collect()
}

/// The updates of a step.
fn updates_of(node: &Node) -> Vec<Update> {
    let texts = node.action.as_ref().map(|a| updates(&a.text)).unwrap_or_default();
    let update = |(nth, text)| Update { due: Due { step: node.id, nth }, text, action: None, written: None };
    (0..).zip(texts).map(update).collect()
}

/// The state that was written with the program whose request the last step of a path closed.
fn written_with(path: &[&Node], form: Form, query: &str) -> Vec<Update> {
    let found = path.last().filter(|node| node.action.as_ref().is_some_and(closes)).and_then(|node| {
        let answer = in_force(path)?.answer?;
        let written = match form {
            Form::Program => read_program(answer).state,
            Form::Cups => Some(answer.to_owned()),
        };
        Some(Update { due: Due { step: node.id, nth: 0 }, text: query.to_owned(), action: None, written })
    });
    found.into_iter().collect()
}

/// What a writer wrote, with the beginning that its prompt had already.
fn whole(written: &str) -> String {
    let begun = written.lines().take(3).any(|line| line.contains("state") && line.contains('{'));
    let text = written.trim_start();
    let written = written.split("# query:").next().unwrap_or_default();
    if begun || text.starts_with('{') || text.starts_with("```") {
        written.to_owned()
    } else {
        format!("{STATE}{written}")
    }
}

/// What is believed at the cursor beside the truth there, and how far both were apart on the way; `None` where nothing is maintained.
pub(super) fn view(driver: &Driver) -> Option<BeliefView> {
    let session = driver.gate.session();
    let state = session.belief().filter(|_| driver.believes()).map(Arc::clone)?;
    let truth = driver.points.told_at(session.cursor()).map(Arc::clone);
    let differences = truth.as_deref().map(|truth| belief::compare(&state, truth)).unwrap_or_default();
    let path = session.path(session.cursor());
    let drift = path.iter().filter_map(|node| {
        let truth = driver.points.told_at(node.id)?;
        Some((node.id, belief::compare(node.belief()?, truth).len()))
    });
    Some(BeliefView { state, truth, differences, drift: drift.collect() })
}
