//! Stacks: draws stacks seen from the side, on the ground and in containers, lowest at the bottom, so that what is equally high
//! is in one row. Marks are glyphs as well as colours, so that it reads without them.

use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use crate::theme::{Glyphs, Role, Theme};
use crate::widgets::draw::{Painter, Row, Run, run, width};
use crate::widgets::words;
use stepwright_world::map::{Condition, Holder, Piece, Stacks};

const MARGIN: usize = 3;
const GAP: usize = 2;

/// A holder's drawing: its rows from the ground up, all of one width.
struct Unit {
    width: usize,
    ground: Row,
    rows: Vec<Row>,
}

pub fn draw(stacks: &Stacks, painter: &mut Painter<'_>, area: Rect) {
    let mut rows = picture(stacks, painter.theme, usize::from(area.width));
    rows.push(Row::new());
    for caption in &stacks.captions {
        rows.extend(words::labelled("", Role::Text, caption, usize::from(area.width)));
    }
    rows.extend(legend(stacks, &painter.theme.glyphs));
    painter.rows(area, &rows);
}

/// The holders beside each other, as many in a row as fit.
fn picture(stacks: &Stacks, theme: &Theme, columns: usize) -> Vec<Row> {
    let ascii = theme.glyphs.full.is_ascii();
    let units = stacks.holders.iter().map(|holder| unit(holder, &theme.glyphs, ascii));
    let mut shelves: Vec<Vec<Unit>> = Vec::new();
    let mut used = 0;
    for unit in units {
        used += GAP + unit.width;
        match shelves.last_mut() {
            Some(shelf) if MARGIN + used <= columns => shelf.push(unit),
            _ => {
                used = unit.width;
                shelves.push(vec![unit]);
            }
        }
    }
    let mut rows = Vec::new();
    for (i, shelf) in shelves.iter().enumerate() {
        if i > 0 {
            rows.push(Row::new());
        }
        rows.extend(drawn(shelf, ascii));
    }
    rows
}

fn drawn(shelf: &[Unit], ascii: bool) -> Vec<Row> {
    let highest = shelf.iter().map(|unit| unit.rows.len()).max().unwrap_or(0);
    let mut rows = Vec::new();
    for height in (0..highest).rev() {
        let mut row = vec![run(Role::Dim, format!("{height:>2} "))];
        for (i, unit) in shelf.iter().enumerate() {
            if i > 0 {
                row.push(blank(GAP));
            }
            match unit.rows.get(height) {
                Some(pieces) => row.extend(pieces.iter().cloned()),
                None => row.push(blank(unit.width)),
            }
        }
        rows.push(row);
    }
    let mut ground = vec![blank(MARGIN)];
    for (i, unit) in shelf.iter().enumerate() {
        if i > 0 {
            ground.push(run(Role::Border, line(ascii).repeat(GAP)));
        }
        ground.extend(unit.ground.iter().cloned());
    }
    rows.push(ground);
    rows
}

fn unit(holder: &Holder, glyphs: &Glyphs, ascii: bool) -> Unit {
    let stacks: Vec<(usize, Vec<Row>)> = holder.stacks.iter().map(|stack| column(stack, glyphs)).collect();
    // Between the walls of a container, and spaces between stacks.
    let walls = if holder.name.is_some() { 2 } else { 0 };
    let inside = stacks.iter().map(|(width, _)| width).sum::<usize>() + stacks.len().saturating_sub(1);
    let label = holder.name.as_deref().map_or(0, |name| name.width() + 2);
    let inside = inside.max(label);
    let highest = stacks.iter().map(|(_, rows)| rows.len()).max().unwrap_or(0);
    let rows = (0..highest)
        .map(|height| {
            let mut row = vec![blank(walls / 2)];
            for (i, (width, rows)) in stacks.iter().enumerate() {
                if i > 0 {
                    row.push(blank(1));
                }
                row.extend(rows.get(height).cloned().unwrap_or_else(|| vec![blank(*width)]));
            }
            row.push(blank((inside + walls).saturating_sub(width(&row))));
            row
        })
        .collect();
    let rule = |columns: usize| run(Role::Border, line(ascii).repeat(columns));
    let ground = match &holder.name {
        None => vec![rule(inside)],
        Some(name) => {
            let (left, right) = if ascii { ("\\", "/") } else { ("╰", "╯") };
            let fill = inside - name.width() - 2;
            vec![
                run(Role::Border, left),
                rule(1 + fill / 2),
                run(Role::Title, name),
                rule(1 + fill - fill / 2),
                run(Role::Border, right),
            ]
        }
    };
    Unit { width: inside + walls, ground, rows }
}

/// A stack as rows of one width, lowest first.
fn column(stack: &[Piece], glyphs: &Glyphs) -> (usize, Vec<Row>) {
    let widest = stack.iter().map(|piece| piece.label.width() + mark(piece, glyphs).width()).max().unwrap_or(0);
    let rows = stack.iter().map(|piece| {
        let mark = mark(piece, glyphs);
        let pad = widest - piece.label.width() - mark.width();
        let (open, close) = if piece.hides { ("(", ")") } else { ("[", "]") };
        let role = match piece.condition {
            Condition::Plain => Role::Text,
            Condition::Good => Role::Good,
            Condition::Bad => Role::Bad,
        };
        let role = if piece.hides { Role::Accent } else { role };
        vec![run(role, format!("{open}{}{}{mark}{close}", piece.label, " ".repeat(pad)))]
    });
    (widest + 2, rows.collect())
}

fn mark(piece: &Piece, glyphs: &Glyphs) -> String {
    match piece.condition {
        Condition::Plain => String::new(),
        Condition::Good => format!(" {}", glyphs.yes),
        Condition::Bad => format!(" {}", glyphs.no),
    }
}

fn legend(stacks: &Stacks, glyphs: &Glyphs) -> Vec<Row> {
    let pieces = || stacks.holders.iter().flat_map(|holder| holder.stacks.iter().flatten());
    let mut row = Row::new();
    let conditions =
        [(Condition::Good, glyphs.yes, Role::Good, &stacks.good), (Condition::Bad, glyphs.no, Role::Bad, &stacks.bad)];
    for (condition, glyph, role, meaning) in conditions {
        if pieces().any(|piece| piece.condition == condition) {
            row.extend([run(role, glyph), run(Role::Dim, format!(" {meaning}  "))]);
        }
    }
    if pieces().any(|piece| piece.hides) {
        row.push(run(Role::Dim, "( ) hides what is below it"));
    }
    if row.is_empty() { Vec::new() } else { vec![row] }
}

fn line(ascii: bool) -> &'static str {
    if ascii { "_" } else { "─" }
}

fn blank(columns: usize) -> Run {
    run(Role::Text, " ".repeat(columns))
}
