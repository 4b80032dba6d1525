//! Editing of a text: a line over a row or in a field of a dialog, several lines over a part of a pane or a dialog.

use std::sync::atomic::{AtomicU64, Ordering};

use crossterm::event::{KeyCode, KeyEventKind, KeyModifiers};
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::Widget;
use tui_textarea::{CursorMove, TextArea, WrapMode};

use super::draw::{Painter, run, split_bottom};
use crate::event::Input;
use crate::paste;
use crate::theme::Role;
use stepwright_text::Columns;

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edited {
    /// Only the cursor moved, if anything.
    Same,
    Changed,
    Accept,
    /// The person gave up.
    Cancel,
}

/// A text area for one line (Enter accepts) or many (Ctrl-S accepts); Esc cancels, of many lines that were changed when it is pressed again.
#[derive(Debug)]
pub(crate) struct Editor {
    area: TextArea<'static>,
    lines: bool,
    most: usize,
    numbered: bool,
    drawn: Rect,
    /// Columns of the one line that are scrolled away on the left.
    scrolled: usize,
    changed: bool,
    /// Whether it was said that what was typed is dropped.
    leaving: bool,
    /// Whether the first that is typed replaces the text.
    replaced: bool,
}

impl Editor {
    pub fn line(text: &str) -> Self {
        Editor::new(vec![text.replace(['\n', '\r'], " ")], false)
    }

    /// Edits the one line of a dialog's field, made safe.
    pub fn field(text: &str) -> Self {
        Editor { most: paste::LINE, ..Editor::line(&paste::line(text)) }
    }

    pub fn lines(text: &str) -> Self {
        Editor::new(text.split('\n').map(str::to_owned).collect(), true)
    }

    fn new(text: Vec<String>, lines: bool) -> Self {
        Editor {
            area: area(text, !lines),
            lines,
            most: paste::LINES,
            numbered: false,
            drawn: Rect::ZERO,
            scrolled: 0,
            changed: false,
            leaving: false,
            replaced: false,
        }
    }

    /// A number in a dialog's field, in whose place another is written.
    pub fn amount(text: &str) -> Self {
        Editor { replaced: true, ..Editor::field(text) }
    }

    /// One part of a text after another: what was changed of the parts before counts.
    pub fn next_lines(&self, text: &str) -> Self {
        Editor { changed: self.changed, ..Editor::lines(text) }
    }

    /// Whether leaving it now only says what would be lost, once.
    pub(crate) fn warns(&mut self) -> bool {
        self.lines && self.changed && !std::mem::replace(&mut self.leaving, true)
    }

    pub(crate) fn go_to_line(&mut self, line: usize) {
        self.area.move_cursor(CursorMove::Jump(cell(line), 0));
        self.area.move_cursor(CursorMove::End);
    }

    pub fn wheel(&mut self, down: bool) {
        self.area.scroll((if down { 3 } else { -3 }, 0));
    }

    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// The text before the cursor.
    pub(crate) fn before(&self) -> String {
        let (row, column) = (self.area.cursor().0, self.area.cursor().1);
        let lines = self.area.lines();
        let here: String = lines.get(row).map(|line| line.chars().take(column).collect()).unwrap_or_default();
        let above = lines.get(..row).unwrap_or_default().iter().map(|line| format!("{line}\n"));
        above.chain([here]).collect()
    }

    /// Puts a word in place of so many characters before the cursor.
    pub(crate) fn complete(&mut self, typed: usize, word: &str) {
        for _ in 0..typed {
            self.area.delete_char();
        }
        self.area.insert_str(word);
        self.changed = true;
    }

    pub fn height(&self) -> usize {
        self.area.lines().len()
    }

    /// Replaces the text of a field; the cursor goes behind it.
    pub fn set(&mut self, text: &str) {
        *self = Editor::field(text);
    }

    /// Takes what is typed; line breaks that are pasted become spaces where there is one line only.
    pub fn input(&mut self, input: Input<'_>) -> Edited {
        let edited = match self.typed(input) {
            Edited::Cancel if self.warns() => return Edited::Same,
            edited => edited,
        };
        self.changed |= edited == Edited::Changed;
        edited
    }

    fn typed(&mut self, input: Input<'_>) -> Edited {
        self.clear_replaced(&input);
        let room = self.most.saturating_sub(self.text().len());
        let key = match input {
            Input::Key(key) => key,
            Input::Paste(text) => {
                let text = if self.lines { paste::lines(text) } else { paste::line(text) };
                let changed = paste::whole(text, room).is_some_and(|text| self.area.insert_str(text));
                return if changed { Edited::Changed } else { Edited::Same };
            }
        };
        if key.kind == KeyEventKind::Release {
            return Edited::Same;
        }
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        if key.code == KeyCode::Esc || (ctrl && key.code == KeyCode::Char('c')) {
            return Edited::Cancel;
        }
        self.leaving = false;
        let changed = match key.code {
            KeyCode::Char('s') if ctrl => return Edited::Accept,
            KeyCode::Enter if !self.lines => return Edited::Accept,
            KeyCode::Char('m' | 'j') if ctrl && !self.lines => return Edited::Accept,
            // A tab would leave the one line.
            KeyCode::Tab | KeyCode::BackTab if !self.lines => false,
            KeyCode::Char('i') if ctrl && !self.lines => false,
            // As in a shell: the text before the cursor is deleted.
            KeyCode::Char('u') if ctrl => self.area.delete_line_by_head(),
            KeyCode::Char(_) if room == 0 => false,
            KeyCode::Home | KeyCode::End if ctrl && self.lines => {
                let to_end = key.code == KeyCode::End;
                let (row, column) = match to_end {
                    true => (CursorMove::Bottom, CursorMove::End),
                    false => (CursorMove::Top, CursorMove::Head),
                };
                self.area.move_cursor(row);
                self.area.move_cursor(column);
                false
            }
            _ => self.area.input(key),
        };
        if changed { Edited::Changed } else { Edited::Same }
    }

    /// What is typed or pasted first replaces an amount; a key that edits it keeps it.
    fn clear_replaced(&mut self, input: &Input<'_>) {
        let (edits, writes) = match input {
            Input::Paste(_) => (true, true),
            Input::Key(key) => {
                let plain = (key.modifiers - KeyModifiers::SHIFT).is_empty();
                (key.kind != KeyEventKind::Release, plain && matches!(key.code, KeyCode::Char(_)))
            }
        };
        if edits && std::mem::replace(&mut self.replaced, false) && writes {
            self.area = area(vec![String::new()], true);
        }
    }

    pub fn draw(&mut self, painter: &mut Painter<'_>, area: Rect) {
        let style = painter.theme.style(Role::Text);
        let (area, foot) = split_bottom(area, u16::from(self.leaving));
        self.render(painter, area, style, true);
        painter.row(foot, 0, &[run(Role::Warn, "Esc again drops what you typed; Ctrl-S accepts it.")]);
    }

    /// Draws a field on the first row of an area; the cursor shows when it is `active`.
    pub(crate) fn draw_field(&mut self, painter: &mut Painter<'_>, area: Rect, active: bool) {
        let style = painter.theme.style(Role::Text).add_modifier(Modifier::UNDERLINED);
        self.render(painter, Rect { height: area.height.min(1), ..area }, style, active);
    }

    pub(crate) fn draw_numbered(&mut self, painter: &mut Painter<'_>, area: Rect) {
        self.numbered = true;
        self.draw(painter, area);
    }

    fn render(&mut self, painter: &mut Painter<'_>, place: Rect, style: Style, active: bool) {
        let place = painter.clip(place);
        if place.is_empty() {
            return;
        }
        if std::mem::replace(&mut self.drawn, place).as_size() != place.as_size() {
            // The widget keeps what it scrolled away, also where there is room for it now.
            let (row, column) = (self.area.cursor().0, self.area.cursor().1);
            self.area = area(self.area.lines().to_vec(), !self.lines);
            self.area.move_cursor(CursorMove::Jump(cell(row), cell(column)));
        }
        if self.numbered {
            self.area.set_line_number_style(painter.theme.style(Role::Dim));
        }
        self.area.set_style(style);
        self.area.set_cursor_style(if active { Style::new().add_modifier(Modifier::REVERSED) } else { style });
        Widget::render(&self.area, place, painter.buf);
        if !self.lines {
            self.mark_cut(painter, place, active);
        }
    }

    /// Puts a sign where the one line goes on beyond its place.
    fn mark_cut(&mut self, painter: &mut Painter<'_>, place: Rect, active: bool) {
        let text = self.text();
        let (whole, room) = (text.width(), usize::from(place.width));
        let cursor = (place.left()..place.right())
            .find(|x| painter.buf.cell((*x, place.y)).is_some_and(|cell| cell.modifier.contains(Modifier::REVERSED)));
        if let Some(x) = cursor.filter(|_| active) {
            self.scrolled = self.before().width().saturating_sub(usize::from(x - place.x));
        }
        let ends = [(self.scrolled > 0, place.x), (whole > self.scrolled + room, place.right() - 1)];
        for (_, x) in ends.into_iter().filter(|(cut, x)| *cut && cursor != Some(*x) && room > 2) {
            let ellipsis = painter.theme.glyphs.ellipsis;
            // A wide character that begins there goes whole.
            painter.buf.set_stringn(x, place.y, ellipsis, 1, painter.theme.style(Role::Dim));
        }
    }
}

fn cell(at: usize) -> u16 {
    u16::try_from(at).unwrap_or(u16::MAX)
}

/// A text area over these lines: the one with the cursor behind it, or many that are wrapped.
fn area(lines: Vec<String>, one: bool) -> TextArea<'static> {
    let mut area = TextArea::new(lines);
    area.set_cursor_line_style(Style::new());
    match one {
        true => area.move_cursor(CursorMove::End),
        false => area.set_wrap_mode(WrapMode::WordOrGlyph),
    }
    area
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
    fn what_is_typed_first_replaces_an_amount() {
        let typed = |keys: &[KeyCode]| {
            let mut editor = Editor::amount("5");
            for code in keys {
                editor.input(press(*code));
            }
            editor.text()
        };
        let [one, two] = ['3', '0'].map(KeyCode::Char);
        assert_eq!(typed(&[one, two]), "30");
        assert_eq!(typed(&[KeyCode::End, two]), "50", "a key that edits keeps it");
        assert_eq!(typed(&[KeyCode::Backspace, one]), "3");
        let mut editor = Editor::amount("5");
        editor.input(Input::Paste("12"));
        assert_eq!(editor.text(), "12");
    }

    #[test]
    fn a_line_that_is_cut_has_a_sign_at_that_end() {
        use ratatui::Terminal;
        use ratatui::backend::TestBackend;

        use crate::theme::{Theme, UNICODE};

        let theme = Theme::monochrome(UNICODE);
        let drawn = |editor: &mut Editor| {
            let mut terminal = Terminal::new(TestBackend::new(20, 1)).unwrap();
            let draw = |frame: &mut ratatui::Frame<'_>| {
                let area = frame.area();
                editor.draw(&mut Painter { buf: frame.buffer_mut(), theme: &theme, focused: true }, area);
            };
            terminal.draw(draw).unwrap();
            terminal.backend().to_string().trim().trim_matches('"').to_owned()
        };
        let mut editor = Editor::line("assert self.inventory is None and self.is_open(recep)");
        assert_eq!(drawn(&mut editor), "…elf.is_open(recep) ");
        editor.input(press(KeyCode::Home));
        assert_eq!(drawn(&mut editor), "assert self.invento…");
        assert_eq!(drawn(&mut Editor::line("short")), format!("{:<20}", "short"));
    }

    #[test]
    fn the_ends_of_a_text_are_a_key_away() {
        let mut editor = Editor::lines("one\ntwo\nthree");
        for (code, before) in
            [(KeyCode::End, "one\ntwo\nthree"), (KeyCode::Home, ""), (KeyCode::End, "one\ntwo\nthree")]
        {
            editor.input(Input::Key(KeyEvent::new(code, KeyModifiers::CONTROL)));
            assert_eq!(editor.before(), before);
        }
    }

    #[test]
    fn what_was_typed_in_many_lines_is_dropped_by_a_second_esc_only() {
        let mut editor = Editor::lines("a\nb");
        assert_eq!(editor.input(press(KeyCode::Esc)), Edited::Cancel, "nothing was typed");
        for _ in 0..2 {
            editor.input(press(KeyCode::Char('x')));
            assert_eq!(editor.input(press(KeyCode::Esc)), Edited::Same);
        }
        assert_eq!(editor.next_lines("c").input(press(KeyCode::Esc)), Edited::Same, "of the part before");
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
}
