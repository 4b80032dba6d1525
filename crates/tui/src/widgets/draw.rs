//! Drawing of rows: runs of text by role, clipped to an area, with selection, matches and a scroll indicator.
//!
//! Everything that reaches the screen from here was made safe when its [`Run`] was built. Any area is drawn without panic.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::wrap;
use crate::sanitize;
use crate::theme::{Role, Theme};
use stepwright_text::Columns;

/// A piece of a row in one role. Its text is safe to draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub role: Role,
    pub text: String,
}

pub type Row = Vec<Run>;

pub fn run(role: Role, text: impl AsRef<str>) -> Run {
    Run { role, text: sanitize::line(text.as_ref()).into_owned() }
}

pub fn width(row: &[Run]) -> usize {
    row.iter().map(|r| r.text.width()).sum()
}

pub struct Painter<'a> {
    pub buf: &'a mut Buffer,
    pub theme: &'a Theme,
    pub focused: bool,
}

impl Painter<'_> {
    pub fn clip(&self, area: Rect) -> Rect {
        area.intersection(self.buf.area)
    }

    /// Draws a row at line `line` of an area; what does not fit ends in an ellipsis.
    pub fn row(&mut self, area: Rect, line: usize, row: &[Run]) {
        self.row_from(area, line, row, 0);
    }

    /// Like [`Painter::row`], without the first `skip` columns.
    pub(crate) fn row_from(&mut self, area: Rect, line: usize, row: &[Run], mut skip: usize) {
        let area = self.clip(area);
        if line >= usize::from(area.height) || area.width == 0 {
            return;
        }
        let y = area.y + line as u16;
        let mut x = area.x;
        for run in row {
            let room = usize::from(area.right() - x);
            let text = head(&run.text, skip + room);
            let (text, left) = wrap::drop_columns(text, skip);
            skip = left;
            if text.is_empty() {
                continue;
            }
            let style = self.theme.style(run.role);
            if room == 0 {
                let ellipsis = self.theme.glyphs.ellipsis;
                self.buf.set_stringn(area.right() - 1, y, ellipsis, 1, style);
                return;
            }
            let fitted = sanitize::fit(text, room, self.theme.glyphs.ellipsis);
            x = self.put(x, y, &fitted, room, style);
        }
    }

    /// Writes a text at a place, as far as there is room; where it ended. Most texts are ASCII, a cell a byte: what a grapheme is and how wide
    /// need not be looked up for those.
    fn put(&mut self, x: u16, y: u16, text: &str, room: usize, style: Style) -> u16 {
        if !text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
            return self.buf.set_stringn(x, y, text, room, style).0;
        }
        let at = self.buf.index_of(x, y);
        let cells = self.buf.content.iter_mut().skip(at).take(room);
        let written = cells.zip(text.chars()).map(|(cell, c)| cell.set_char(c).set_style(style)).count();
        x + written as u16
    }

    /// Draws rows from the top of an area as far as there is room, with an ellipsis at the end of the last where there is more; returns
    /// the lines used.
    pub fn rows(&mut self, area: Rect, rows: &[Row]) -> usize {
        let shown = rows.len().min(usize::from(area.height));
        for (line, row) in rows.iter().take(shown).enumerate() {
            if line + 1 == shown && shown < rows.len() {
                let mut row = row.clone();
                row.push(run(Role::Dim, format!(" {}", self.theme.glyphs.ellipsis)));
                self.row(area, line, &row);
            } else {
                self.row(area, line, row);
            }
        }
        shown
    }

    /// Marks line `line` of an area as chosen. Without the keys the mark is weight alone, so that one cursor stands out.
    pub fn select(&mut self, area: Rect, line: usize) {
        let area = self.clip(area);
        if line >= usize::from(area.height) {
            return;
        }
        let rect = Rect { y: area.y + line as u16, height: 1, ..area };
        if self.focused {
            self.buf.set_style(rect, self.theme.style(Role::Selected));
        } else {
            self.buf.set_style(rect, ratatui::style::Modifier::BOLD);
        }
    }

    /// Marks every match of `needle` on line `line` of an area, by the text on the screen.
    pub fn matches(&mut self, area: Rect, line: usize, needle: &str) {
        let area = self.clip(area);
        if needle.is_empty() || line >= usize::from(area.height) {
            return;
        }
        let y = area.y + line as u16;
        let fold = !needle.chars().any(char::is_uppercase);
        let mut text = String::new();
        // Where each cell's text begins in `text`.
        let mut starts: Vec<(usize, u16)> = Vec::with_capacity(usize::from(area.width));
        for x in area.left()..area.right() {
            starts.push((text.len(), x));
            if let Some(cell) = self.buf.cell((x, y)) {
                if fold { text.push_str(&cell.symbol().to_lowercase()) } else { text.push_str(cell.symbol()) }
            }
        }
        let style = self.theme.style(Role::Match);
        let hits: Vec<(usize, usize)> = text.match_indices(needle).map(|(at, m)| (at, at + m.len())).collect();
        for (from, to) in hits {
            for (_, x) in starts.iter().filter(|(at, _)| (from..to).contains(at)) {
                if let Some(cell) = self.buf.cell_mut((*x, y)) {
                    cell.set_style(style);
                }
            }
        }
    }

    /// Draws where the shown part lies in the whole, in the last column, if not all is shown. Returns the area without it.
    pub(crate) fn scrollbar(&mut self, area: Rect, top: usize, len: usize) -> Rect {
        let inside = self.clip(area);
        let height = usize::from(inside.height);
        if len <= height || inside.width < 4 || height < 2 {
            return area;
        }
        let thumb = (height * height / len).clamp(1, height);
        let travel = height - thumb;
        let hidden = len - height;
        let from = (top.min(hidden) * travel + hidden / 2) / hidden;
        let x = inside.right() - 1;
        for line in 0..height {
            let on = (from..from + thumb).contains(&line);
            let (glyph, role) =
                if on { (self.theme.glyphs.full, Role::Border) } else { (self.theme.glyphs.vertical, Role::Dim) };
            self.buf.set_stringn(x, inside.y + line as u16, glyph, 1, self.theme.style(role));
        }
        Rect { width: area.width.saturating_sub(1), ..area }
    }

    pub fn empty(&mut self, area: Rect, text: &str) {
        let lines = wrap::wrapped(text, usize::from(area.width));
        self.rows(area, &lines.iter().map(|text| vec![run(Role::Dim, text)]).collect::<Vec<_>>());
    }

    /// A thin heading between two parts of a pane: `── text ────`.
    pub fn rule(&mut self, area: Rect, line: usize, text: &str) {
        let area = self.clip(area);
        if line >= usize::from(area.height) || area.width == 0 {
            return;
        }
        // The border's own character exists in every terminal's font; ASCII themes have `|` as vertical and so `-` here.
        let dash = if self.theme.glyphs.vertical.is_ascii() { "-" } else { "─" };
        let label = format!("{dash}{dash} {} ", sanitize::line(text));
        let fill = usize::from(area.width).saturating_sub(label.width());
        let row = [run(Role::Title, label), run(Role::Border, dash.repeat(fill))];
        self.row(area, line, &row);
    }
}

/// The first part of a text that can cover `columns`; keeps the cost of very long lines bounded.
fn head(text: &str, columns: usize) -> &str {
    let most = columns.saturating_mul(32).saturating_add(64);
    if text.len() <= most {
        return text;
    }
    let mut end = most;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}

/// Splits an area into a part of `height` lines at the top and the rest.
pub(crate) fn split_top(area: Rect, height: u16) -> (Rect, Rect) {
    let height = height.min(area.height);
    (Rect { height, ..area }, Rect { y: area.y + height, height: area.height - height, ..area })
}

/// Splits an area into the rest and a part of `height` lines at the bottom.
pub(crate) fn split_bottom(area: Rect, height: u16) -> (Rect, Rect) {
    let height = height.min(area.height);
    let (rest, bottom) = split_top(area, area.height - height);
    (rest, bottom)
}

/// Splits an area into a left part of `width` columns and the rest, one column apart.
pub(crate) fn split_left(area: Rect, width: u16) -> (Rect, Rect) {
    let width = width.min(area.width);
    let gap = (area.width - width).min(1);
    (Rect { width, ..area }, Rect { x: area.x + width + gap, width: area.width - width - gap, ..area })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows are laid out by the one and drawn by the other.
    #[test]
    fn a_text_is_measured_as_it_is_drawn() {
        let texts =
            ["mug 1", "日本語", "e\u{301}", "שלום", "\u{644}\u{627}", "👩\u{200d}💻", "❤\u{fe0f}", "🇩🇪", "ｶ\u{ff9e}"];
        for text in texts {
            let mut buf = Buffer::empty(Rect::new(0, 0, 20, 1));
            let (end, _) = buf.set_stringn(0, 0, text, 20, Style::new());
            assert_eq!(text.width(), usize::from(end), "{text:?}");
        }
    }
}
