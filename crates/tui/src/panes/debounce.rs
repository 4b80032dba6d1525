//! Pause of typing before what was typed is checked, and the number under which the answer is expected.

use std::time::{Duration, Instant};

use crate::pane::Intent;
use crate::view::{Answer, View};
use crate::widgets::edit::token;

/// How long typing must rest before what was typed is checked.
const PAUSE: Duration = Duration::from_millis(120);

#[derive(Debug, Default)]
pub(crate) struct Debounce {
    token: u64,
    due: Option<Instant>,
}

impl Debounce {
    /// Something was typed; asks to be woken.
    pub fn touch(&mut self) -> Intent {
        self.token = token();
        self.due = Some(Instant::now() + PAUSE);
        Intent::WakeIn(PAUSE)
    }

    /// Nothing is waited for: the number under which the answer to what is there now is expected.
    pub fn at_once(&mut self) -> u64 {
        self.token = token();
        self.due = None;
        self.token
    }

    /// After a wake-up: `Ok(token)` if the work is due, `Err(intent)` to wait on, `None` if nothing waits.
    pub fn ready(&mut self) -> Option<Result<u64, Intent>> {
        let due = self.due?;
        let left = due.saturating_duration_since(Instant::now());
        if left > Duration::ZERO {
            return Some(Err(Intent::WakeIn(left)));
        }
        self.due = None;
        Some(Ok(self.token))
    }

    pub fn answer<'a>(&self, view: &'a View) -> Option<&'a Answer> {
        view.answer(self.token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_pause_counts() {
        let mut pause = Debounce::default();
        assert!(pause.ready().is_none());
        let _ = pause.touch();
        assert!(matches!(pause.ready(), Some(Err(Intent::WakeIn(_)))));
        let _ = pause.touch();
        std::thread::sleep(PAUSE + Duration::from_millis(5));
        let Some(Ok(token)) = pause.ready() else { panic!("the pause is over") };
        assert!(pause.ready().is_none());
        let mut view = View::default();
        view.notice(stepwright_protocol::Notice::ProgramChecked { token, lines: Vec::new() });
        assert!(pause.answer(&view).is_some());
        let _ = pause.touch();
        assert!(pause.answer(&view).is_none(), "what was typed since has no answer yet");
    }
}
