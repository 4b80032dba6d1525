//! The dialogues as a [`World`]: a source of recordings and, once reset, an episode.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::acts::{QUERY_STATUS, SYSTEM, SYSTEM_ACTS, USER, USER_ACTS, argument};
use super::episode::Episode;
use super::record::{self, END_TURN};
use super::schema::{Service, is_function_name};
use super::{Argument, Source, truth};
use crate::program::{Call, Literal};
use crate::world::{Outcome, ProgramHeader, Snapshot, TaskInfo, World, WorldError, WorldKind};

/// The dialogue world.
#[derive(Debug, Clone)]
pub struct DialogueWorld {
    source: Arc<Source>,
    episode: Option<Episode>,
}

impl DialogueWorld {
    /// A world over the dialogues of a source.
    pub fn new(source: impl Into<Arc<Source>>) -> Self {
        DialogueWorld { source: source.into(), episode: None }
    }
}

impl World for DialogueWorld {
    fn kind(&self) -> &'static WorldKind {
        &super::KIND
    }

    fn reset(&mut self, task: &str, _seed: u64) -> Result<Outcome, WorldError> {
        let dialogue = self.source.dialogue(task)?.clone();
        let nameless = || Service { name: dialogue.service.clone(), ..Service::default() };
        let service = self.source.service(&dialogue.service).cloned().unwrap_or_else(nameless);
        let (episode, outcome) = Episode::start(Arc::new(dialogue), Arc::new(service));
        self.episode = Some(episode);
        Ok(outcome)
    }

    fn act(&mut self, text: &str) -> Result<Outcome, WorldError> {
        let episode = self.episode.as_mut().ok_or_else(not_reset)?;
        Ok(episode.act(text))
    }

    fn admissible(&self) -> Option<Vec<String>> {
        self.episode.as_ref().map(Episode::admissible)
    }

    fn truth(&self) -> Value {
        self.episode.as_ref().map_or(Value::Null, truth::truth)
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot(Arc::new(self.episode.clone()))
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), WorldError> {
        let episode = snapshot.0.downcast_ref::<Option<Episode>>().ok_or(WorldError::ForeignSnapshot)?;
        if let (Some(now), Some(then)) = (&self.episode, episode)
            && now.dialogue.id != then.dialogue.id
        {
            return Err(WorldError::ForeignSnapshot);
        }
        self.episode.clone_from(episode);
        Ok(())
    }

    fn preview(&self, text: &str) -> Option<(Outcome, Value)> {
        let mut episode = self.episode.clone()?;
        let outcome = episode.act(text);
        Some((outcome, truth::truth(&episode)))
    }

    fn tasks(&self) -> Vec<TaskInfo> {
        self.source.tasks()
    }

    fn call_of(&self, text: &str) -> Option<Call> {
        let call: Call = text.trim().parse().ok()?;
        self.is_action(&call).then_some(call)
    }

    fn text_of(&self, call: &Call) -> Option<String> {
        if call.receiver == USER && argument(&USER_ACTS, &call.function).is_some() {
            return Some(END_TURN.to_owned());
        }
        self.is_action(call).then(|| call.to_string())
    }

    fn header(&self) -> ProgramHeader {
        record::header()
    }

    fn specification(&self) -> Cow<'static, str> {
        let service = match &self.episode {
            Some(episode) => episode.service.name.as_str(),
            None => self.source.services().next().unwrap_or_default(),
        };
        Cow::Owned(self.source.specification(service))
    }

    fn ground_truth(&self) -> Option<Vec<(String, Vec<String>)>> {
        self.source.ground_truth(&self.episode.as_ref()?.service.name)
    }

    fn fork(&self) -> Box<dyn World> {
        Box::new(self.clone())
    }
}

impl DialogueWorld {
    /// Whether a call is an act of the system, as far as its form goes; which slots and calls there are is known of the present
    /// task's service.
    fn is_action(&self, call: &Call) -> bool {
        if call.receiver != SYSTEM || call.function == QUERY_STATUS {
            return false;
        }
        let argument = match &self.episode {
            Some(episode) => episode.service.system_argument(&call.function),
            None => argument(&SYSTEM_ACTS, &call.function)
                .or_else(|| is_function_name(&call.function).then_some(Argument::Nothing)),
        };
        match argument {
            Some(Argument::Nothing) => call.args.is_empty(),
            Some(Argument::Slot | Argument::Intent) => matches!(call.args.as_slice(), [Literal::Str(_)]),
            None => false,
        }
    }
}

fn not_reset() -> WorldError {
    WorldError::Failed("the world was not reset to a task yet".to_owned())
}
