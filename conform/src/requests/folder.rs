//! Folder of recordings: how a recorded episode is played, and the departures that are meant.

use std::path::Path;

use stepwright_driver::Setup;
use stepwright_episode::Session;
use stepwright_launch::NewSession;
use stepwright_model::{Completion, ModelRequest};

use super::recording::{Call, Recorded, Recording, Repeats};
use crate::Found;

/// A folder of recordings.
pub(crate) struct Folder {
    pub(crate) name: &'static str,
    /// The session in which the product plays a recorded episode.
    pub(crate) session: fn(&Recording<'_>) -> Result<Opening, String>,
    /// The completions of a recorded call's answers.
    pub(crate) answers: fn(&Call) -> Vec<Completion>,
    /// What differs in how the episode ended.
    pub(crate) ended: fn(&Recorded, &Session) -> Vec<Found>,
    pub(crate) repeats: Repeats,
}

pub(crate) type Adapt = Box<dyn FnOnce(&mut Setup) + Send>;

/// What a recorded episode is played with.
#[derive(Default)]
pub(crate) struct Opening {
    pub(crate) new: NewSession,
    /// Templates in place of the product's, by name.
    pub(crate) templates: Vec<(String, String)>,
    /// Most actions; the method's own limits come before.
    pub(crate) actions: u32,
    /// Further changes of what the session is started with.
    pub(crate) adapt: Option<Adapt>,
}

/// A departure that is meant.
pub(crate) struct Exception {
    pub(crate) id: &'static str,
    /// Whether it excuses a difference.
    pub(crate) excuses: fn(&Case<'_>) -> bool,
    pub(crate) reason: &'static str,
}

/// Calls whose answers the original throws away: left out of a recording before it is played.
pub(crate) struct Unasked {
    pub(crate) id: &'static str,
    /// Whether a call of an episode, by its place, is one.
    pub(crate) is: fn(&str, &Recorded, usize) -> bool,
    pub(crate) reason: &'static str,
}

/// A difference, for an exception to judge.
pub(crate) struct Case<'a> {
    pub(crate) folder: &'static str,
    pub(crate) episode: &'a Recorded,
    /// The call's place, from 0; `None` for the episode's end.
    pub(crate) call: Option<usize>,
    /// `call` for one that is missing or too many, `interface`, `prompt`, a parameter's name, or the end's own field.
    pub(crate) field: &'a str,
    pub(crate) expected: &'a str,
    /// The folder's own path, and what was sent at the call's place: for an exception that judges the whole text.
    pub(crate) path: &'a Path,
    pub(crate) asked: Option<&'a ModelRequest>,
}

impl Case<'_> {
    pub(crate) fn recorded(&self) -> Option<&Call> {
        self.episode.calls.get(self.call?)
    }

    /// The text that was recorded, of a call of one message, and the one that was sent.
    pub(crate) fn whole(&self) -> Option<(String, String)> {
        let recorded = self.recorded()?;
        let expected = match (&recorded.prompt, recorded.messages.as_slice()) {
            (Some(prompt), _) => prompt.whole(self.path),
            (None, [only]) => only.content.whole(self.path),
            _ => return None,
        };
        let [sent] = self.asked?.messages.as_slice() else { return None };
        Some((expected.ok()?, sent.text.clone()))
    }
}

/// A record as the texts of answers, whole.
pub(super) fn texts(call: &Call) -> Vec<Completion> {
    call.answers.iter().map(|answer| Completion::whole(answer.as_str().unwrap_or_default())).collect()
}
