//! Stacks: draws stacks seen from the side, on the ground and in containers, lowest at the bottom, so that what is equally high
//! is in one row. Marks are glyphs as well as colours, so that it reads without them.

use std::collections::BTreeSet;

use ratatui::layout::Rect;

use crate::theme::{Glyphs, Role};
use crate::widgets::draw::{Painter, Row, Run, run, split_left, width};
use crate::widgets::words;
use stepwright_text::Columns;
use stepwright_world::map::{Condition, Holder, Piece, Stacks};

/// From this width on two pictures are beside each other.
const BESIDE: u16 = 84;
const MARGIN: usize = 3;
const GAP: usize = 2;

/// A holder's drawing: its rows from the ground up, all of one width.
struct Unit {
    width: usize,
    ground: Row,
    rows: Vec<Row>,
}

pub fn draw(stacks: &Stacks, painter: &mut Painter<'_>, area: Rect) {
    painter.rows(area, &rows(stacks, &BTreeSet::new(), &painter.theme.glyphs, usize::from(area.width)));
}

/// Draws what is believed beside the truth, or above it where there is no room, with the pieces that differ marked in both; one of them
/// where they are alike.
pub fn draw_both(believed: &Stacks, truth: &Stacks, painter: &mut Painter<'_>, area: Rect) {
    let glyphs = &painter.theme.glyphs;
    let beside = area.width >= BESIDE;
    let columns = usize::from(if beside { area.width / 2 } else { area.width });
    let [one, two] = both(believed, truth, glyphs, columns);
    if beside && !two.is_empty() {
        let (left, right) = split_left(area, area.width / 2);
        painter.rows(left, &one);
        painter.rows(right, &two);
    } else {
        painter.rows(area, &one.into_iter().chain(two).collect::<Vec<_>>());
    }
}

/// How many rows both take.
pub fn height_of_both(believed: &Stacks, truth: &Stacks, glyphs: &Glyphs, columns: u16) -> usize {
    let beside = columns >= BESIDE;
    let [one, two] = both(believed, truth, glyphs, usize::from(if beside { columns / 2 } else { columns }));
    if beside { one.len().max(two.len()) } else { one.len() + two.len() }
}

/// The rows of what is believed, and of the truth where that is another.
fn both(believed: &Stacks, truth: &Stacks, glyphs: &Glyphs, columns: usize) -> [Vec<Row>; 2] {
    let pieces = || believed.holders.iter().flat_map(|holder| holder.stacks.iter().flatten());
    let apart: BTreeSet<&str> = pieces().filter(|piece| piece.apart).map(|piece| piece.label.as_str()).collect();
    let alike =
        apart.is_empty() && pieces().count() == truth.holders.iter().flat_map(|h| h.stacks.iter().flatten()).count();
    let head = |text: &str| vec![run(Role::Title, text)];
    let drawn = |head, stacks: &Stacks, apart: &BTreeSet<&str>| -> Vec<Row> {
        std::iter::once(head).chain(rows(stacks, apart, glyphs, columns)).collect()
    };
    if alike {
        return [drawn(head("believed, and so it is in truth"), truth, &apart), Vec::new()];
    }
    let mut one = drawn(head("believed: ! differs from the truth"), believed, &apart);
    while one.last().is_some_and(Row::is_empty) {
        one.pop();
    }
    [one, drawn(head("the truth: hidden from the agent"), truth, &apart)]
}

/// How many rows it takes in so many columns.
pub fn height(stacks: &Stacks, glyphs: &Glyphs, columns: usize) -> usize {
    rows(stacks, &BTreeSet::new(), glyphs, columns).len()
}

fn rows(stacks: &Stacks, apart: &BTreeSet<&str>, glyphs: &Glyphs, columns: usize) -> Vec<Row> {
    let mut rows = picture(stacks, apart, glyphs, columns);
    rows.push(Row::new());
    for caption in &stacks.captions {
        rows.extend(words::labelled("", Role::Text, caption, columns));
    }
    rows.extend(legend(stacks, glyphs));
    rows
}

/// The holders beside each other, as many in a row as fit.
fn picture(stacks: &Stacks, apart: &BTreeSet<&str>, glyphs: &Glyphs, columns: usize) -> Vec<Row> {
    let ascii = glyphs.full.is_ascii();
    let units = stacks.holders.iter().map(|holder| unit(holder, apart, glyphs, ascii));
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

fn unit(holder: &Holder, apart: &BTreeSet<&str>, glyphs: &Glyphs, ascii: bool) -> Unit {
    let stacks: Vec<(usize, Vec<Row>)> = holder.stacks.iter().map(|stack| column(stack, apart, glyphs)).collect();
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
fn column(stack: &[Piece], apart: &BTreeSet<&str>, glyphs: &Glyphs) -> (usize, Vec<Row>) {
    let mark = |piece: &Piece| mark(piece, glyphs) + if apart.contains(piece.label.as_str()) { " !" } else { "" };
    let widest = stack.iter().map(|piece| piece.label.width() + mark(piece).width()).max().unwrap_or(0);
    let rows = stack.iter().map(|piece| {
        let mark = mark(piece);
        let pad = widest - piece.label.width() - mark.width();
        let (open, close) = if piece.hides { ("(", ")") } else { ("[", "]") };
        let role = match piece.condition {
            Condition::Plain => Role::Text,
            Condition::Good => Role::Good,
            Condition::Bad => Role::Bad,
        };
        let role = match () {
            () if apart.contains(piece.label.as_str()) => Role::Bad,
            () if piece.hides => Role::Accent,
            () => role,
        };
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
