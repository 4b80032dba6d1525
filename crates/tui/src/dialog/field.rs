//! A one-line text field over the text area widget.

use crossterm::event::{KeyCode, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use tui_textarea::{CursorMove, TextArea};

use crate::event::Input;
use crate::paste;
use crate::theme::{Role, Theme};

/// One line of text being typed.
pub struct Field {
    area: TextArea<'static>,
    /// Columns it was drawn in last.
    columns: u16,
}

impl Field {
    /// A field that holds `text`, the cursor behind it.
    pub fn new(text: &str) -> Self {
        let mut area = TextArea::new(vec![paste::line(text)]);
        area.move_cursor(CursorMove::End);
        area.set_cursor_line_style(Style::new());
        Field { area, columns: 0 }
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
                let room = paste::LINE.saturating_sub(self.text().len());
                return paste::whole(paste::line(text), room).is_some_and(|text| self.area.insert_str(text));
            }
        };
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            // Lines and tabs would leave the one line.
            KeyCode::Enter | KeyCode::Tab | KeyCode::BackTab => false,
            KeyCode::Char('m' | 'j' | 'i') if control => false,
            KeyCode::Char('u') if control => self.area.delete_line_by_head(),
            KeyCode::Char(_) if self.text().len() >= paste::LINE => false,
            _ => self.area.input(key),
        }
    }

    /// Draws it on the first row of the area; the cursor shows when `active`.
    pub fn render(&mut self, theme: &Theme, area: Rect, frame: &mut Frame<'_>, active: bool) {
        let area = Rect { height: area.height.min(1), ..area };
        if area.is_empty() {
            return;
        }
        if std::mem::replace(&mut self.columns, area.width) != area.width {
            // The widget keeps what it scrolled away, also where there is room for it now.
            let column = self.area.cursor().1;
            let mut area = Field::new(self.text()).area;
            area.move_cursor(CursorMove::Jump(0, column.try_into().unwrap_or(u16::MAX)));
            self.area = area;
        }
        let base = theme.style(Role::Text).add_modifier(Modifier::UNDERLINED);
        self.area.set_style(base);
        let cursor = Style::new().add_modifier(Modifier::REVERSED);
        self.area.set_cursor_style(if active { cursor } else { base });
        frame.render_widget(&self.area, area);
    }
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
        assert!(!field.input(Input::Paste(&"x".repeat(paste::LINE))));
        assert_eq!(field.text(), "go to! desk \\x1b[2J", "half a text would be taken for the whole one");
    }

    #[test]
    fn a_wider_field_shows_what_a_narrow_one_scrolled_away() {
        use ratatui::Terminal;
        use ratatui::backend::TestBackend;
        let theme = Theme::monochrome(crate::theme::ASCII);
        let mut field = Field::new("go to armchair 1 and further");
        let mut shown = |columns| {
            let mut terminal = Terminal::new(TestBackend::new(columns, 1)).unwrap();
            terminal.draw(|frame| field.render(&theme, frame.area(), frame, true)).unwrap();
            let cells = &terminal.backend().buffer().content;
            cells.iter().map(|cell| cell.symbol()).collect::<String>().trim_end().to_owned()
        };
        assert!(!shown(10).starts_with("go"));
        assert_eq!(shown(60), "go to armchair 1 and further");
    }
}
