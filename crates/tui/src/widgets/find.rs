//! Search in a pane: the search line, and the walk from match to match.
//!
//! Lower-case patterns match any case. The rows' texts come from the pane, one at a time.

use ratatui::layout::Rect;

use super::draw::{Painter, run, split_bottom, split_left};
use super::edit::{Edited, Editor};
use crate::event::Input;
use crate::theme::Role;

#[derive(Debug, Default)]
pub struct Find {
    input: Option<Editor>,
    pattern: String,
    /// Where the cursor was when the search line opened.
    origin: usize,
    missed: bool,
}

pub struct Rows<'a> {
    pub len: usize,
    pub text: &'a dyn Fn(usize) -> String,
}

impl Find {
    pub fn open(&mut self, cursor: usize) {
        self.input = Some(Editor::line(""));
        self.origin = cursor;
        self.missed = false;
    }

    pub fn clear(&mut self) -> bool {
        self.missed = false;
        !std::mem::take(&mut self.pattern).is_empty()
    }

    pub fn is_open(&self) -> bool {
        self.input.is_some()
    }

    /// Whether what is searched for was not found.
    pub(crate) fn missed(&self) -> bool {
        self.missed
    }

    /// Whether it was found, where something else than the rows is searched.
    pub(crate) fn set_found(&mut self, found: bool) {
        self.missed = !found;
    }

    /// The text searched for; empty when there is none.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Takes text typed into the search line; returns the row to go to.
    pub fn input(&mut self, input: Input<'_>, rows: &Rows<'_>) -> Option<usize> {
        match self.input.as_mut()?.input(input) {
            Edited::Same => None,
            Edited::Changed => {
                self.pattern = self.input.as_ref().map(Editor::text).unwrap_or_default();
                self.missed = false;
                Some(self.seek(self.origin, true, true, rows).unwrap_or(self.origin))
            }
            Edited::Accept => {
                self.input = None;
                None
            }
            Edited::Cancel => {
                self.input = None;
                self.pattern.clear();
                Some(self.origin)
            }
        }
    }

    /// The next (or previous) match from a row on, around the end.
    pub fn next(&mut self, from: usize, forward: bool, rows: &Rows<'_>) -> Option<usize> {
        self.seek(from, forward, false, rows)
    }

    fn seek(&mut self, from: usize, forward: bool, here: bool, rows: &Rows<'_>) -> Option<usize> {
        if self.pattern.is_empty() || rows.len == 0 {
            return None;
        }
        let from = from.min(rows.len - 1);
        let fold = !self.pattern.chars().any(char::is_uppercase);
        let first = usize::from(!here);
        let found = (first..rows.len + first).map(|k| {
            let k = k % rows.len;
            if forward { (from + k) % rows.len } else { (from + rows.len - k) % rows.len }
        });
        let hit = |at: &usize| {
            let text = (rows.text)(*at);
            if fold { text.to_lowercase().contains(&self.pattern) } else { text.contains(&self.pattern) }
        };
        let found = found.into_iter().find(hit);
        self.missed = found.is_none();
        found
    }

    /// Draws the search line at the bottom of an area, if there is one; returns the rest.
    pub fn draw(&mut self, painter: &mut Painter<'_>, area: Rect) -> Rect {
        if area.height < 2 || (self.input.is_none() && (self.pattern.is_empty() || !painter.focused)) {
            return area;
        }
        let (rest, line) = split_bottom(area, 1);
        let miss = if self.missed { "no match " } else { "" };
        let label = format!("search {miss}");
        let role = if self.missed { Role::Bad } else { Role::Key };
        let label_width = label.len() as u16;
        painter.row(line, 0, &[run(role, label), run(Role::Text, &self.pattern)]);
        if let Some(input) = &mut self.input {
            let (_, field) = split_left(line, label_width.saturating_sub(1));
            input.draw(painter, field);
        }
        rest
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent};

    use super::*;

    #[test]
    fn walks_over_the_matches_and_around() {
        let texts = ["mug", "Fork", "mug 2", "cup"];
        let text = |i: usize| texts[i].to_owned();
        let rows = Rows { len: texts.len(), text: &text };
        let mut find = Find::default();
        find.open(1);
        let key = |code: KeyCode| Input::Key(KeyEvent::from(code));
        assert_eq!(find.input(key(KeyCode::Char('m')), &rows), Some(2));
        assert_eq!(find.input(key(KeyCode::Enter), &rows), None);
        assert_eq!(find.next(2, true, &rows), Some(0));
        assert_eq!(find.next(0, false, &rows), Some(2));
        find.open(2);
        find.input(Input::Paste("fo"), &rows);
        assert_eq!(find.next(0, true, &rows), Some(1), "lower case matches any case");
        assert_eq!(find.input(key(KeyCode::Esc), &rows), Some(2));
        assert!(find.pattern().is_empty());
    }
}
