//! A one-line text field over the text area widget.

use crossterm::event::{KeyCode, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use tui_textarea::{CursorMove, TextArea};

use crate::tui::event::Input;
use crate::tui::sanitize;
use crate::tui::theme::{Role, Theme};

/// Most bytes a field takes: what a person types, not a file pasted by mistake.
const LIMIT: usize = 4_000;

/// One line of text being typed.
pub struct Field {
    area: TextArea<'static>,
}

impl Field {
    /// A field that holds `text`, the cursor behind it.
    pub fn new(text: &str) -> Self {
        let mut area = TextArea::new(vec![one_line(text)]);
        area.move_cursor(CursorMove::End);
        area.set_cursor_line_style(Style::new());
        Field { area }
    }

    /// The text.
    pub fn text(&self) -> &str {
        self.area.lines().first().map_or("", String::as_str)
    }

    /// Replaces the text; the cursor goes behind it.
    pub fn set(&mut self, text: &str) {
        *self = Field::new(text);
    }

    /// What is typed; whether the text changed.
    pub fn input(&mut self, input: Input<'_>) -> bool {
        let key = match input {
            Input::Key(key) => key,
            Input::Paste(text) => {
                let room = LIMIT.saturating_sub(self.text().len());
                let text: String = one_line(text).chars().take(room).collect();
                return !text.is_empty() && self.area.insert_str(text);
            }
        };
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            // Lines and tabs would leave the one line.
            KeyCode::Enter | KeyCode::Tab | KeyCode::BackTab => false,
            KeyCode::Char('m' | 'j' | 'i') if control => false,
            KeyCode::Char('u') if control => self.area.delete_line_by_head(),
            KeyCode::Char(_) if self.text().len() >= LIMIT => false,
            _ => self.area.input(key),
        }
    }

    /// Draws it on the first row of the area; the cursor shows when `active`.
    pub fn render(&mut self, theme: &Theme, area: Rect, frame: &mut Frame<'_>, active: bool) {
        let area = Rect { height: area.height.min(1), ..area };
        if area.is_empty() {
            return;
        }
        let base = theme.style(Role::Text).add_modifier(Modifier::UNDERLINED);
        self.area.set_style(base);
        let cursor = Style::new().add_modifier(Modifier::REVERSED);
        self.area.set_cursor_style(if active { cursor } else { base });
        frame.render_widget(&self.area, area);
    }
}

/// Text without anything that would break or deceive on one line.
fn one_line(text: &str) -> String {
    let text = text.trim_end_matches(['\n', '\r']).replace("\r\n", " ").replace(['\n', '\r'], " ");
    sanitize::visible(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use crossterm::event::KeyEvent;

    use super::*;

    #[test]
    fn typing_and_pasting_stay_on_one_line() {
        let mut field = Field::new("go to");
        assert!(field.input(Input::Key(KeyEvent::from(KeyCode::Char('!')))));
        assert!(!field.input(Input::Key(KeyEvent::from(KeyCode::Enter))));
        assert!(!field.input(Input::Key(KeyEvent::new(KeyCode::Char('m'), KeyModifiers::CONTROL))));
        assert!(field.input(Input::Paste(" desk\n\x1b[2J")));
        assert_eq!(field.text(), "go to! desk \\x1b[2J");
        field.input(Input::Paste(&"x".repeat(10_000)));
        assert!(field.text().len() <= LIMIT);
    }
}
