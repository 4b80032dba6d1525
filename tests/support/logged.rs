//! A world that answers as a logged episode was answered, for replaying published runs through a method.

use std::sync::Arc;

use serde_json::{Value, json};
use stepwright::world::{Outcome, ProgramHeader, Snapshot, TaskInfo, World, WorldError, WorldKind};
use stepwright::worlds::{household, shop};
use stepwright_trajectory::Trajectory;
use stepwright_trajectory::react::Form;

use super::driver::SPECIFICATION;

fn nothing(_: &stepwright::world::Origin<'_>) -> Result<Arc<dyn stepwright::world::TaskSet>, WorldError> {
    Err(WorldError::Failed("made by the tests alone".into()))
}

/// Where lines are `> action`.
static PROMPT: WorldKind = WorldKind { files: household::KIND.files, ..WorldKind::new("logged", "a log", nothing) };
/// Where lines are `Action: action`.
static ACTION: WorldKind = WorldKind { files: shop::KIND.files, ..WorldKind::new("logged", "a log", nothing) };

#[derive(Clone)]
pub struct Logged {
    pub log: Arc<Trajectory>,
    pub form: Form,
    at: usize,
}

impl Logged {
    pub fn new(log: Trajectory, form: Form) -> Self {
        Logged { log: Arc::new(log), form, at: 0 }
    }
}

impl World for Logged {
    fn kind(&self) -> &'static WorldKind {
        if self.form == Form::Action { &ACTION } else { &PROMPT }
    }

    fn reset(&mut self, _task: &str, _seed: u64) -> Result<Outcome, WorldError> {
        self.at = 0;
        let observation = self.log.initial_observation.clone().unwrap_or_default();
        Ok(Outcome { observation, ..Outcome::default() })
    }

    fn act(&mut self, text: &str) -> Result<Outcome, WorldError> {
        let Some(step) = self.log.steps.get(self.at).filter(|step| step.action == text) else {
            let why = format!("the log has not `{text}` as its step {}", self.at + 1);
            return Ok(Outcome { observation: why.clone(), error: Some(why), ..Outcome::default() });
        };
        self.at += 1;
        let observation = step.observation.clone().unwrap_or_default();
        let done = self.at == self.log.steps.len() && self.log.terminated.as_deref() == Some("purchase");
        Ok(Outcome {
            observation,
            done,
            won: done && self.log.succeeded(),
            reward: self.log.score,
            ..Outcome::default()
        })
    }

    fn truth(&self) -> Value {
        json!({ "at": self.at })
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot(Arc::new(self.at))
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), WorldError> {
        self.at = *snapshot.0.downcast_ref::<usize>().ok_or(WorldError::ForeignSnapshot)?;
        Ok(())
    }

    fn tasks(&self) -> Vec<TaskInfo> {
        let sentence = self.log.task.clone();
        vec![TaskInfo { id: "ten".into(), kind: String::new(), sentence, source: "shipped".into() }]
    }

    fn header(&self) -> ProgramHeader {
        ProgramHeader { function: "logged".into(), comment: String::new(), setup: vec![] }
    }

    fn specification(&self) -> std::borrow::Cow<'static, str> {
        SPECIFICATION.into()
    }

    fn fork(&self) -> Box<dyn World> {
        Box::new(self.clone())
    }
}
