//! Map: draws a world's plan to fit an area: floor, what is in view, walls and open doors, things by letter, the agent's heading; and a
//! legend, which says what was never seen. Upper-case letters are in sight, lower-case ones are not; dim ones were never seen.

use ratatui::layout::Rect;

use crate::theme::{Glyphs, Role};
use crate::widgets::draw::{Painter, Row, run, split_left, split_top};
use crate::widgets::words;
use stepwright_world::map::{FloorPlan, Mark, Point, Sight};

/// From this width on the legend is beside the plan; below it underneath.
const BESIDE: u16 = 48;
/// The most rows a unit of length takes.
const LARGEST: f64 = 4.0;
/// Columns are about half as wide as rows are high.
const STRETCH: f64 = 2.0;
const LEGEND: u16 = 24;

#[derive(Debug, Clone, Copy, PartialEq)]
struct Cell {
    glyph: char,
    role: Role,
    rank: u8,
}

const BLANK: Cell = Cell { glyph: ' ', role: Role::Text, rank: 0 };

struct Canvas {
    cells: Vec<Vec<Cell>>,
    left: f64,
    top: f64,
    scale: f64,
}

pub fn draw(map: &FloorPlan, painter: &mut Painter<'_>, area: Rect) {
    let (plan, legend) = if area.width >= BESIDE {
        let columns = size(map, f64::from(area.height)).0 as u16;
        split_left(area, columns.min(area.width.saturating_sub(LEGEND + 1)))
    } else {
        split_top(area, area.height.saturating_sub((area.height / 3).min(7)))
    };
    let ascii = painter.theme.glyphs.full.is_ascii();
    let canvas = Canvas::of(map, plan, ascii);
    for (line, cells) in canvas.cells.iter().enumerate() {
        painter.row(plan, line, &runs(cells));
    }
    painter.rows(legend, &explained(map, usize::from(legend.width), ascii));
}

/// Rows of the plan at its largest, and of what is said beside or below it.
pub fn height(map: &FloorPlan, width: u16, glyphs: &Glyphs) -> usize {
    let (_, bottom, _, top) = bounds(map);
    let rows = ((top - bottom) * LARGEST).clamp(0.0, f64::from(u16::MAX)).ceil() as usize + 1;
    let ascii = glyphs.full.is_ascii();
    if width < BESIDE {
        return rows + explained(map, usize::from(width), ascii).len().min(7);
    }
    let plan = (size(map, rows as f64).0 as u16).min(width.saturating_sub(LEGEND + 1));
    rows.max(explained(map, usize::from(width - plan), ascii).len())
}

/// The bounds of everything on the plan: left, bottom, right, top.
fn bounds(map: &FloorPlan) -> (f64, f64, f64, f64) {
    let points = map.floor.iter().map(|spot| spot.at);
    let points = points.chain(map.marks.iter().map(|mark| mark.at)).chain(map.agent.map(|agent| agent.at));
    let points = points.chain(map.lines.iter().flat_map(|line| [line.from, line.to]));
    let start = (f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY);
    let all = points.fold(start, |(l, b, r, t), (x, y)| (l.min(x), b.min(y), r.max(x), t.max(y)));
    if all.0.is_finite() { all } else { (0.0, 0.0, 0.0, 0.0) }
}

/// The columns the plan takes at the largest scale that fits so many rows, and that scale.
fn size(map: &FloorPlan, rows: f64) -> (f64, f64) {
    let (left, bottom, right, top) = bounds(map);
    let scale = ((rows - 1.0).max(1.0) / (top - bottom).max(0.01)).min(LARGEST);
    (((right - left) * scale * STRETCH).floor() + 2.0, scale)
}

impl Canvas {
    fn of(map: &FloorPlan, area: Rect, ascii: bool) -> Canvas {
        let (left, _, right, top) = bounds(map);
        let wide = (f64::from(area.width) - 2.0).max(1.0) / ((right - left) * STRETCH).max(0.01);
        let scale = size(map, f64::from(area.height)).1.min(wide);
        let cells = vec![vec![BLANK; usize::from(area.width)]; usize::from(area.height)];
        let mut canvas = Canvas { cells, left, top, scale };
        let columns = (map.step * scale * STRETCH).ceil().max(1.0) as usize;
        for spot in &map.floor {
            let (glyph, role, rank) = match (spot.in_view, ascii) {
                (true, false) => ('░', Role::Text, 2),
                (true, true) => (':', Role::Text, 2),
                (false, false) => ('·', Role::Dim, 1),
                (false, true) => ('.', Role::Dim, 1),
            };
            let (column, row) = canvas.cell(spot.at);
            for more in 0..columns {
                canvas.set(column + more, row, Cell { glyph, role, rank });
            }
        }
        for line in &map.lines {
            canvas.line(line.from, line.to, line.door, ascii);
        }
        let mut marks: Vec<&Mark> = map.marks.iter().collect();
        marks.sort_by_key(|mark| std::cmp::Reverse((mark.wanted, mark.sight)));
        for mark in marks {
            canvas.mark(mark);
        }
        if let Some(agent) = map.agent {
            let (column, row) = canvas.cell(agent.at);
            canvas.set(column, row, Cell { glyph: arrow(agent.heading, ascii), role: Role::Accent, rank: 9 });
        }
        canvas
    }

    fn cell(&self, (x, y): Point) -> (usize, usize) {
        let column = ((x - self.left) * self.scale * STRETCH).round().max(0.0) as usize;
        let row = ((self.top - y) * self.scale).round().max(0.0) as usize;
        (column, row)
    }

    /// Draws a cell if nothing of its rank or above is there; whether it did.
    fn set(&mut self, column: usize, row: usize, cell: Cell) -> bool {
        match self.cells.get_mut(row).and_then(|cells| cells.get_mut(column)) {
            Some(there) if there.rank < cell.rank => {
                *there = cell;
                true
            }
            _ => false,
        }
    }

    fn line(&mut self, from: Point, to: Point, door: bool, ascii: bool) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let glyph = match (door, ascii) {
            (false, false) => '█',
            (false, true) => '#',
            (true, _) if dx.abs() > 2.0 * dy.abs() => '-',
            (true, _) if dy.abs() > 2.0 * dx.abs() => '|',
            (true, _) if dx * dy > 0.0 => '/',
            (true, _) => '\\',
        };
        let role = if door { Role::Warn } else { Role::Border };
        // Fine enough that no cell is left out, and bounded whatever the line's length.
        let steps = ((dx.abs() + dy.abs()) * self.scale * STRETCH * 2.0).ceil().clamp(1.0, 2_000.0) as u32;
        for i in 0..=steps {
            let part = f64::from(i) / f64::from(steps);
            let (column, row) = self.cell((from.0 + dx * part, from.1 + dy * part));
            self.set(column, row, Cell { glyph, role, rank: 3 });
        }
    }

    fn mark(&mut self, mark: &Mark) {
        let (column, row) = self.cell(mark.at);
        let (glyph, role) = shown(mark);
        let rank = if mark.wanted { 8 } else { 7 };
        let places = [Some(column), column.checked_add(1), column.checked_sub(1)];
        let taken = |at: &usize| self.cells.get(row).and_then(|cells| cells.get(*at)).is_none_or(|c| c.rank >= 7);
        let free = places.into_iter().flatten().find(|at| !taken(at));
        self.set(free.unwrap_or(column), row, Cell { glyph, role, rank });
    }
}

fn shown(mark: &Mark) -> (char, Role) {
    let role = match (mark.sight, mark.wanted) {
        (Sight::Unseen, _) => Role::Dim,
        (_, true) => Role::Accent,
        _ => Role::Text,
    };
    // Told apart without colour.
    let glyph = match mark.sight {
        Sight::Seen => mark.letter,
        Sight::Remembered => mark.letter.to_ascii_lowercase(),
        Sight::Unseen => '?',
    };
    (glyph, role)
}

fn arrow(heading: f64, ascii: bool) -> char {
    let arrows: &[char] =
        if ascii { &['^', '>', 'v', '<'] } else { &['↑', '↗', '→', '↘', '↓', '↙', '←', '↖'] };
    let part = (heading.rem_euclid(360.0) / 360.0 * arrows.len() as f64).round() as usize;
    arrows.get(part % arrows.len()).copied().unwrap_or('@')
}

fn runs(cells: &[Cell]) -> Row {
    let mut row: Vec<(Role, String)> = Vec::new();
    for cell in cells {
        match row.last_mut() {
            Some((role, text)) if *role == cell.role => text.push(cell.glyph),
            _ => row.push((cell.role, cell.glyph.to_string())),
        }
    }
    row.into_iter().map(|(role, text)| run(role, text)).collect()
}

/// The legend: captions, what the task is about, then everything else by kind, then how to read the letters.
fn explained(map: &FloorPlan, width: usize, ascii: bool) -> Vec<Row> {
    let mut rows = Vec::new();
    for caption in &map.captions {
        rows.extend(words::labelled("", Role::Text, caption, width));
    }
    for mark in map.marks.iter().filter(|mark| mark.wanted) {
        let (glyph, role) = shown(mark);
        // What nobody has seen is known to the world alone.
        let truth = format!("in truth {}", mark.note);
        let parts = match mark.sight {
            Sight::Seen => [mark.note.as_str(), ""],
            Sight::Remembered => [mark.note.as_str(), "out of sight"],
            Sight::Unseen => ["never seen", if mark.note.is_empty() { "" } else { &truth }],
        };
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let state = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
        rows.push(vec![run(role, format!("{glyph} ")), run(Role::Text, &mark.name), run(Role::Dim, state)]);
    }
    let mut kinds: Vec<(char, &str, Vec<&Mark>)> = Vec::new();
    for mark in map.marks.iter().filter(|mark| !mark.wanted) {
        match kinds.iter_mut().find(|(_, kind, _)| *kind == mark.kind) {
            Some((.., marks)) => marks.push(mark),
            None => kinds.push((mark.letter, &mark.kind, vec![mark])),
        }
    }
    kinds.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
    for (letter, kind, marks) in kinds {
        let noted = |what: &str| marks.iter().filter(|mark| mark.note.split(", ").any(|note| note == what)).count();
        let unseen = marks.iter().filter(|mark| mark.sight == Sight::Unseen).count();
        let mut text = kind.to_owned();
        if marks.len() > 1 {
            text.push_str(&format!(" {}", marks.len()));
        }
        let states = [(noted("open"), "open"), (noted("on"), "on"), (unseen, "never seen")];
        for (i, (count, state)) in states.into_iter().filter(|(count, _)| *count > 0).enumerate() {
            text.push_str(if i == 0 && marks.len() == 1 { ": " } else { ", " });
            text.push_str(&if marks.len() == 1 { state.to_owned() } else { format!("{count} {state}") });
        }
        rows.push(vec![run(Role::Text, format!("{letter} ")), run(Role::Dim, text)]);
    }
    let view = if ascii { ":" } else { "░" };
    rows.push(vec![run(Role::Dim, format!("{view} in view"))]);
    rows.push(vec![run(Role::Dim, "A seen now, a seen before, ? never seen")]);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_world::map::{Agent, Line, Spot};

    fn map() -> FloorPlan {
        let floor = (0..9).flat_map(|x| (0..5).map(move |y| (f64::from(x) / 4.0, f64::from(y) / 4.0)));
        FloorPlan {
            captions: vec!["goal ON A|1 B|1".into()],
            floor: floor.map(|at| Spot { at, in_view: at.0 > 1.0 }).collect(),
            step: 0.25,
            lines: vec![Line { from: (1.0, 1.25), to: (2.0, 1.25), door: false }],
            agent: Some(Agent { at: (1.0, 0.5), heading: 90.0 }),
            marks: vec![
                mark((2.0, 0.5), 'A', Sight::Seen, true),
                mark((2.0, 0.5), 'B', Sight::Seen, false),
                mark((0.0, 0.0), 'C', Sight::Unseen, false),
            ],
        }
    }

    fn mark(at: Point, letter: char, sight: Sight, wanted: bool) -> Mark {
        Mark { at, letter, name: format!("{letter}|1"), kind: letter.to_string(), note: String::new(), sight, wanted }
    }

    fn picture(map: &FloorPlan, width: u16, height: u16) -> Vec<String> {
        let canvas = Canvas::of(map, Rect::new(0, 0, width, height), false);
        canvas
            .cells
            .iter()
            .map(|row| row.iter().map(|cell| cell.glyph).collect::<String>().trim_end().to_owned())
            .collect()
    }

    #[test]
    fn everything_is_drawn_in_its_place() {
        let picture = picture(&map(), 20, 6);
        let expected = [
            "        █████████",
            "··········░░░░░░░░",
            "··········░░░░░░░░",
            "········→·░░░░░░AB",
            "··········░░░░░░░░",
            "?·········░░░░░░░░",
        ];
        assert_eq!(picture, expected);
    }

    #[test]
    fn a_smaller_place_gets_a_smaller_plan_and_none_panics() {
        for (width, height) in [(10, 3), (1, 1), (3, 40), (200, 2), (0, 0)] {
            let picture = picture(&map(), width, height);
            assert_eq!(picture.len(), usize::from(height));
        }
        assert!(picture(&FloorPlan::default(), 20, 5).iter().all(String::is_empty));
        assert!(picture(&map(), 10, 4).concat().contains('→'));
    }

    #[test]
    fn arrows_point_along_the_heading() {
        assert_eq!([0.0, 44.0, 90.0, 359.0, -90.0].map(|h| arrow(h, false)), ['↑', '↗', '→', '↑', '←']);
        assert_eq!([0.0, 100.0, 180.0, 300.0].map(|h| arrow(h, true)), ['^', '>', 'v', '<']);
    }
}
