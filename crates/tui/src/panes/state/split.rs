//! One value of the State pane as a tree with its cursor and search, and how its rows look.

use ratatui::layout::Rect;
use serde_json::Value;

use super::edit::ValueEdit;
use super::tree::{self, Apart, Tree, TreeRow, Unfold};
use crate::theme::{Role, Theme};
use crate::widgets::draw::{Painter, Row, run, split_top};
use crate::widgets::outline::Outline;
use crate::widgets::words::{Change, look};

#[derive(Debug, Default)]
pub(crate) struct SplitPane {
    pub tree: Tree,
    pub outline: Outline,
}

impl SplitPane {
    /// A side in which what fits a line stays on one.
    pub fn compact() -> Self {
        SplitPane { tree: Tree::compact(), ..SplitPane::default() }
    }

    /// Lays the rows out again; the cursor stays on its value, or the nearest row to where that was.
    pub fn lay(&mut self, value: &Value) {
        let at = self.tree.rows().get(self.outline.list.cursor()).map(|r| r.pointer.clone());
        self.tree.lay(value);
        if let Some(row) = at.and_then(|at| self.tree.rows().iter().position(|r| r.pointer == at)) {
            self.outline.list.go(row, self.tree.rows().len());
        }
        self.outline.list.grown(self.tree.rows().len());
    }

    /// Opens as much as fits into so many rows on the screen.
    pub fn fit(&mut self, value: &Value, rows: usize) {
        if self.tree.set_room(rows) {
            self.lay(value);
        }
    }

    /// Opens everything, or as far as there is room if everything is open; or closes everything.
    pub fn unfold(&mut self, open: bool, value: &Value) {
        let wanted = match (open, self.tree.unfold()) {
            (true, Unfold::All) => Unfold::Fit,
            (true, _) => Unfold::All,
            (false, _) => Unfold::Nothing,
        };
        self.tree.set_unfold(wanted);
        self.lay(value);
    }

    pub fn row(&self) -> Option<&TreeRow> {
        self.tree.rows().get(self.outline.list.cursor())
    }

    pub fn go(&mut self, pointer: &str) {
        if let Some(row) = self.tree.rows().iter().position(|r| r.pointer == pointer) {
            self.outline.list.go(row, self.tree.rows().len());
        }
    }

    /// Opens (or closes) the row under the cursor; closing what is closed goes up.
    pub fn fold(&mut self, open: Option<bool>, value: &Value) {
        let (outline, rows) = (&mut self.outline, self.tree.rows());
        let level = |at: usize| rows.get(at).map_or((0, None), |row| (row.depth, row.fold));
        let Some(open) = outline.fold(open, rows.len(), level) else { return };
        let Some(pointer) = self.row().map(|row| row.pointer.clone()) else { return };
        self.tree.set_open(&pointer, open);
        self.lay(value);
    }

    /// Draws a heading and the rows; a value that is being edited in its row.
    pub fn draw(
        &mut self,
        painter: &mut Painter<'_>,
        area: Rect,
        active: bool,
        title: &str,
        edit: Option<&mut ValueEdit>,
    ) {
        let (head, area) = split_top(area, 1);
        let role = if active { Role::Title } else { Role::Dim };
        painter.row(head, 0, &[run(role, title)]);
        let len = self.tree.rows().len();
        if len == 0 {
            painter.empty(area, "empty");
        }
        let (rows, theme) = (self.tree.rows(), painter.theme);
        let edited = edit.and_then(|edit| {
            let (at, row) = rows.iter().enumerate().find(|(_, row)| row.pointer == edit.pointer)?;
            let mut label = tree_row(row, theme);
            label.truncate(KEY_RUNS);
            label.push(run(Role::Dim, ": "));
            Some((at, label, &mut edit.editor))
        });
        let row = |at: usize, _| rows.get(at).map(|row| tree_row(row, theme)).unwrap_or_default();
        self.outline.draw_edited(painter, area, len, active, edited, row);
    }

    /// Searches the whole value, open or folded, and opens to what is found.
    pub fn seek(&mut self, value: &Value, forward: bool) {
        let pattern = self.outline.find.pattern().to_owned();
        if pattern.is_empty() {
            return;
        }
        let fold = !pattern.chars().any(char::is_uppercase);
        let has = |text: &str| if fold { text.to_lowercase().contains(&pattern) } else { text.contains(&pattern) };
        let from = self.row().map(|r| r.pointer.clone()).unwrap_or_default();
        let found = tree::search(value, &from, forward, &has);
        self.outline.find.set_found(found.is_some());
        let Some(pointer) = found else { return };
        self.tree.reveal(&pointer);
        self.lay(value);
        self.go(&pointer);
    }
}

/// The number of runs of a row before its value: mark, fold, key.
const KEY_RUNS: usize = 3;

fn tree_row(row: &TreeRow, theme: &Theme) -> Row {
    let (mark, role) = match (row.apart, row.change, row.touched) {
        (Some(Apart::Wrong), ..) => (theme.glyphs.no, Role::Bad),
        (Some(Apart::Missing), ..) => (theme.glyphs.candidate, Role::Warn),
        (None, Some(change), _) => look(change),
        (None, None, true) => (".", Role::Changed),
        (None, None, false) => (" ", Role::Text),
    };
    let fold = match row.fold {
        None => " ",
        Some(true) => theme.glyphs.open,
        Some(false) => theme.glyphs.closed,
    };
    let key = if row.change == Some(Change::Removed) { Role::Removed } else { Role::Text };
    let value = match (row.apart, row.change) {
        (Some(Apart::Wrong), _) => Role::Bad,
        (Some(Apart::Missing), _) => Role::Warn,
        (None, Some(change)) => look(change).1,
        (None, None) => Role::Dim,
    };
    let colon = if row.text.is_empty() || row.key.is_empty() { "" } else { ": " };
    // A mark is not crossed out or underlined itself: it has to be read.
    let mark_role = match row.apart {
        Some(_) => role,
        None if role == Role::Text => Role::Text,
        None => Role::Accent,
    };
    vec![
        run(mark_role, format!("{mark} ")),
        run(Role::Dim, format!("{}{fold} ", "  ".repeat(row.depth))),
        run(key, &row.key),
        run(Role::Dim, colon),
        run(value, &row.text),
    ]
}
