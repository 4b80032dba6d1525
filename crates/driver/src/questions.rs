//! Questions of distilling under way: which one the model is asked beside the episode, and how it ended. What is asked and what an answer
//! becomes is decided in `skills`.

use stepwright_skill::distil::{Distiller, Question};

use stepwright_episode::{AskId, Event, Record};

/// The questions put to the model from the pane of skills.
#[derive(Default)]
pub(super) struct Distilling {
    /// The run through all questions, between two of them.
    pub(super) run: Option<Distiller>,
    /// The question under way.
    pub(super) asked: Option<Asked>,
    /// Its end: the answer, or none.
    pub(super) ended: Option<Option<String>>,
}

/// A question under way.
pub(super) struct Asked {
    pub(super) ask: AskId,
    pub(super) distiller: Distiller,
    /// Whether it is of the run through all questions.
    pub(super) is_of_run: bool,
    pub(super) question: Question,
}

impl Distilling {
    /// Notes what a record says of the question under way.
    pub(super) fn recorded(&mut self, record: &Record) {
        let Some(asked) = &self.asked else { return };
        match &record.event {
            Event::Answered { ask, texts, .. } if *ask == asked.ask => {
                self.ended = Some(texts.first().cloned());
            }
            Event::AskFailed { ask, .. } if *ask == asked.ask => self.ended = Some(None),
            _ => {}
        }
    }
}
