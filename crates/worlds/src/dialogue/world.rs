//! Dialogues as a simulated world: a recording, predicted turn by turn.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::acts::{QUERY_STATUS, SYSTEM, SYSTEM_ACTS, USER, USER_ACTS, argument};
use super::episode::Episode;
use super::record::{self, END_TURN};
use super::schema::{Service, is_function_name};
use super::{Argument, Source, truth};
use crate::Simulated;
use stepwright_program::{Call, Literal};
use stepwright_world::{Outcome, ProgramHeader, WorldError, WorldKind};

pub type DialogueWorld = Simulated<Episode>;

impl crate::Episode for Episode {
    type Tasks = Source;
    type Options = ();

    fn kind() -> &'static WorldKind {
        &super::KIND
    }

    fn begin(source: &Source, (): (), task: &str) -> Result<(Self, Outcome), WorldError> {
        let dialogue = source.dialogue(task)?.clone();
        let nameless = || Service { name: dialogue.service.clone(), ..Service::default() };
        let service = source.service(&dialogue.service).cloned().unwrap_or_else(nameless);
        Ok(Episode::start(Arc::new(dialogue), Arc::new(service)))
    }

    fn is_same_task(&self, other: &Self) -> bool {
        self.dialogue.id == other.dialogue.id
    }

    fn act(&mut self, text: &str) -> Outcome {
        self.predict(text)
    }

    fn admissible(&self) -> Option<Vec<String>> {
        Some(self.acts())
    }

    fn truth(&self) -> Value {
        truth::truth(self)
    }

    fn call_of(world: &DialogueWorld, text: &str) -> Option<Call> {
        let call: Call = text.trim().parse().ok()?;
        (call.named.is_empty() && world.is_action(&call)).then_some(call)
    }

    fn text_of(world: &DialogueWorld, call: &Call) -> Option<String> {
        if call.receiver == USER && argument(&USER_ACTS, &call.function).is_some() {
            return Some(END_TURN.to_owned());
        }
        world.is_action(call).then(|| call.to_string())
    }

    fn header(_world: &DialogueWorld) -> ProgramHeader {
        record::header()
    }

    fn specification(world: &DialogueWorld) -> Cow<'static, str> {
        let service = match world.episode() {
            Some(episode) => episode.service.name.as_str(),
            None => world.task_set().services().next().unwrap_or_default(),
        };
        Cow::Owned(world.task_set().specification(service))
    }

    fn ground_truth(world: &DialogueWorld) -> Option<Vec<(String, Vec<String>)>> {
        world.task_set().ground_truth(&world.episode()?.service.name)
    }
}

impl DialogueWorld {
    pub fn new(source: impl Into<Arc<Source>>) -> Self {
        Simulated::over(source, ())
    }

    /// Whether a call is an act of the system, as far as its form goes; which slots and calls there are is known of the present
    /// task's service.
    fn is_action(&self, call: &Call) -> bool {
        if call.receiver != SYSTEM || call.function == QUERY_STATUS {
            return false;
        }
        let argument = match self.episode() {
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
