//! One turn of a recorded dialogue as a world: all that was recorded before it has happened, and the episode ends with the turn.
//!
//! So every turn is predicted from the recorded prefix (teacher forcing): what a method got wrong in one turn is not in the
//! prompt of the next. Forms and words of acts are the dialogue world's.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};

use super::metrics::SystemTurn;
use stepwright_program::Call;
use stepwright_world::{Outcome, ProgramHeader, Snapshot, TaskInfo, World, WorldError, WorldKind};
use stepwright_worlds::dialogue::{DialogueWorld, END_TURN};

/// The turn's world. Stepping it compares nothing: the study does, afterwards.
pub(super) struct TurnWorld {
    /// The dialogue world at the dialogue's beginning, for forms and words.
    forms: Box<dyn World>,
    task: TaskInfo,
    prefix: Arc<Vec<Call>>,
    turn: Arc<SystemTurn>,
    over: bool,
}

impl TurnWorld {
    /// The turn of a dialogue; `calls` are all calls of the dialogue.
    pub(super) fn new(forms: &DialogueWorld, task: TaskInfo, calls: &[Call], turn: SystemTurn) -> Self {
        TurnWorld {
            forms: forms.fork(),
            task,
            prefix: Arc::new(calls.iter().take(turn.start).cloned().collect()),
            turn: Arc::new(turn),
            over: false,
        }
    }
}

impl World for TurnWorld {
    fn kind(&self) -> &'static WorldKind {
        self.forms.kind()
    }

    fn reset(&mut self, task: &str, _seed: u64) -> Result<Outcome, WorldError> {
        if task != self.task.id {
            return Err(WorldError::NoSuchTask { id: task.to_owned(), nearest: vec![self.task.id.clone()] });
        }
        self.over = false;
        Ok(Outcome { observation_calls: self.prefix.to_vec(), ..Outcome::default() })
    }

    fn act(&mut self, text: &str) -> Result<Outcome, WorldError> {
        let call = self.call_of(text);
        self.over = self.over || call.is_none();
        let answer = self.turn.answer.as_ref().filter(|(service, _)| call.as_ref() == Some(service));
        Ok(Outcome {
            observation_calls: answer.map(|(_, status)| status.clone()).into_iter().collect(),
            error: (call.is_none() && text.trim() != END_TURN).then(|| format!("`{text}` is no act")),
            action_call: call,
            done: self.over,
            ..Outcome::default()
        })
    }

    fn admissible(&self) -> Option<Vec<String>> {
        if self.over { Some(Vec::new()) } else { self.forms.admissible() }
    }

    fn truth(&self) -> Value {
        json!({ "recorded": self.turn.acts.iter().map(ToString::to_string).collect::<Vec<_>>() })
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot(Arc::new(self.over))
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), WorldError> {
        self.over = *snapshot.0.downcast_ref::<bool>().ok_or(WorldError::ForeignSnapshot)?;
        Ok(())
    }

    fn tasks(&self) -> Vec<TaskInfo> {
        vec![self.task.clone()]
    }

    fn call_of(&self, text: &str) -> Option<Call> {
        self.forms.call_of(text)
    }

    fn text_of(&self, call: &Call) -> Option<String> {
        self.forms.text_of(call)
    }

    fn header(&self) -> ProgramHeader {
        self.forms.header()
    }

    fn specification(&self) -> Cow<'static, str> {
        self.forms.specification()
    }

    fn fork(&self) -> Box<dyn World> {
        Box::new(TurnWorld {
            forms: self.forms.fork(),
            task: self.task.clone(),
            prefix: Arc::clone(&self.prefix),
            turn: Arc::clone(&self.turn),
            over: self.over,
        })
    }
}
