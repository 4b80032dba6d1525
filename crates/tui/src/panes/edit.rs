//! Editing in place: one line of text over a row, several lines over a part of a pane, and the pause before work starts.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEventKind, KeyModifiers};
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;
use tui_textarea::{CursorMove, TextArea, WrapMode};

use super::draw::Painter;
use crate::event::Input;
use crate::pane::Intent;
use crate::paste;
use crate::theme::Role;

/// How long typing must rest before what was typed is checked.
pub const PAUSE: Duration = Duration::from_millis(120);

/// Tokens are unique over all editors: a late answer to an earlier edit must not pass for one to the present edit.
static TOKENS: AtomicU64 = AtomicU64::new(1);

/// A number that no earlier question of a pane had.
pub fn token() -> u64 {
    TOKENS.fetch_add(1, Ordering::Relaxed)
}

/// The longest text that is parsed at every key; a longer one is left to the check after a pause.
const PARSED_AT_ONCE: usize = 16 * 1024;

/// Where a text does not parse, asked at every key: nothing of an empty or a long one.
pub fn fault<T>(text: &str, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    (!text.trim().is_empty() && text.len() <= PARSED_AT_ONCE).then(|| parse(text)).flatten()
}

/// What a key did to an editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edited {
    /// Only the cursor moved, if anything.
    Same,
    /// The text is another now.
    Changed,
    /// The person is done.
    Accept,
    /// The person gave up.
    Cancel,
}

/// A text area for one line (Enter accepts) or many (Ctrl-S accepts); Esc cancels.
#[derive(Debug)]
pub struct Editor {
    area: TextArea<'static>,
    lines: bool,
}

impl Editor {
    /// Edits one line.
    pub fn line(text: &str) -> Self {
        let mut area = TextArea::new(vec![text.replace(['\n', '\r'], " ")]);
        area.set_cursor_line_style(Style::new());
        area.move_cursor(CursorMove::End);
        Editor { area, lines: false }
    }

    /// Edits many lines.
    pub fn lines(text: &str) -> Self {
        let mut area = TextArea::new(text.split('\n').map(str::to_owned).collect());
        area.set_cursor_line_style(Style::new());
        area.set_wrap_mode(WrapMode::WordOrGlyph);
        Editor { area, lines: true }
    }

    /// The text.
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Takes what is typed; line breaks that are pasted become spaces where there is one line only.
    pub fn input(&mut self, input: Input<'_>) -> Edited {
        let key = match input {
            Input::Key(key) => key,
            Input::Paste(text) => {
                let text = if self.lines { paste::lines(text) } else { paste::line(text) };
                let room = paste::LINES.saturating_sub(self.text().len());
                let changed = paste::whole(text, room).is_some_and(|text| self.area.insert_str(text));
                return if changed { Edited::Changed } else { Edited::Same };
            }
        };
        if key.kind == KeyEventKind::Release {
            return Edited::Same;
        }
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => return Edited::Cancel,
            KeyCode::Char('c') if ctrl => return Edited::Cancel,
            KeyCode::Char('s') if ctrl => return Edited::Accept,
            KeyCode::Enter if !self.lines => return Edited::Accept,
            KeyCode::Char('m' | 'j') if ctrl && !self.lines => return Edited::Accept,
            _ => {}
        }
        // As in a shell and in the dialogs: the text before the cursor is deleted.
        let changed =
            if ctrl && key.code == KeyCode::Char('u') { self.area.delete_line_by_head() } else { self.area.input(key) };
        if changed { Edited::Changed } else { Edited::Same }
    }

    /// Draws the text with its cursor.
    pub fn draw(&mut self, painter: &mut Painter<'_>, area: Rect) {
        let area = painter.clip(area);
        if area.is_empty() {
            return;
        }
        self.area.set_style(painter.theme.style(Role::Text));
        self.area.set_cursor_style(Style::new().add_modifier(ratatui::style::Modifier::REVERSED));
        Widget::render(&self.area, area, painter.buf);
    }
}

/// Waits until typing rests, then gives the number under which the answer is expected.
#[derive(Debug, Default)]
pub struct Debounce {
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

    /// Whether an answer with this number is the one waited for.
    pub fn is_current(&self, token: u64) -> bool {
        token == self.token
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::KeyEvent;

    use super::*;

    fn press(code: KeyCode) -> Input<'static> {
        Input::Key(KeyEvent::from(code))
    }

    #[test]
    fn a_line_stays_a_line() {
        let mut editor = Editor::line("take mug 1");
        assert_eq!(editor.input(press(KeyCode::Char('!'))), Edited::Changed);
        assert_eq!(editor.input(Input::Paste("a\nb\n")), Edited::Changed);
        assert_eq!(editor.text(), "take mug 1!a b");
        assert_eq!(editor.input(Input::Paste("\x1b[2J")), Edited::Changed);
        assert_eq!(editor.text(), "take mug 1!a b\\x1b[2J");
        assert_eq!(editor.input(Input::Paste(&"x".repeat(paste::LINES))), Edited::Same);
        assert_eq!(editor.input(press(KeyCode::Left)), Edited::Same);
        assert_eq!(editor.input(press(KeyCode::Enter)), Edited::Accept);
        assert_eq!(editor.input(press(KeyCode::Esc)), Edited::Cancel);
    }

    #[test]
    fn many_lines_take_line_breaks() {
        let mut editor = Editor::lines("a\nb");
        assert_eq!(editor.input(press(KeyCode::Enter)), Edited::Changed);
        assert_eq!(editor.text(), "\na\nb");
        let save = KeyEvent::new(KeyCode::Char('s'), KeyModifiers::CONTROL);
        assert_eq!(editor.input(Input::Key(save)), Edited::Accept);
    }

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
        assert!(pause.is_current(token) && !pause.is_current(token - 1));
        let _ = pause.touch();
        assert!(!pause.is_current(token), "what was typed since has no answer yet");
    }
}
