//! Pause of typing before what was typed is checked, and the number under which the answer is expected.

use std::time::Duration;

use crate::pane::Intent;
use crate::view::{Answer, View};
use crate::widgets::edit::token;

/// How long typing must rest before what was typed is checked.
const PAUSE: Duration = Duration::from_millis(120);

#[derive(Debug, Default)]
pub(crate) struct Debounce {
    token: u64,
    /// Whether something was typed that was not checked. A later wish to be woken takes the place of an earlier one, so that being woken
    /// means that the pause is over.
    is_due: bool,
}

impl Debounce {
    /// Something was typed; asks to be woken.
    pub fn touch(&mut self) -> Intent {
        (self.token, self.is_due) = (token(), true);
        Intent::WakeIn(PAUSE)
    }

    /// Nothing is waited for: the number under which the answer to what is there now is expected.
    pub fn at_once(&mut self) -> u64 {
        (self.token, self.is_due) = (token(), false);
        self.token
    }

    /// After a wake-up: the number, if something is to be checked.
    pub fn ready(&mut self) -> Option<u64> {
        std::mem::take(&mut self.is_due).then_some(self.token)
    }

    pub fn answer<'a>(&self, view: &'a View) -> Option<&'a Answer> {
        view.answer(self.token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_is_checked_once_and_an_answer_is_of_what_was_typed_last() {
        let mut pause = Debounce::default();
        assert!(pause.ready().is_none());
        let _ = pause.touch();
        let _ = pause.touch();
        let Some(token) = pause.ready() else { panic!("the pause is over") };
        assert!(pause.ready().is_none());
        let mut view = View::default();
        view.notice(stepwright_protocol::Notice::ProgramChecked { token, lines: Vec::new() });
        assert!(pause.answer(&view).is_some());
        let _ = pause.touch();
        assert!(pause.answer(&view).is_none(), "what was typed since has no answer yet");
    }
}
