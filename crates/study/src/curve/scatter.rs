//! Points of two measures against each other: how they are drawn, in a terminal and in a file.

use std::fmt::Write as _;

use serde::Serialize;

use super::export::{COLOURS, LINE, MARGIN, WIDTH, escaped};
use super::letter;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PointOf {
    pub name: String,
    /// Along the horizontal axis, 0 to 1.
    pub x: f64,
    /// Along the vertical axis, 0 to 1.
    pub y: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scatter {
    pub across: String,
    pub up: String,
    pub points: Vec<PointOf>,
}

/// Columns and rows of a drawing in a terminal.
const COLUMNS: usize = 60;
const ROWS: usize = 14;
const HEIGHT: f64 = 300.0;

/// Draws points, each by its letter, with what the letters mean below; nothing if there are none. Where points meet, the first is seen.
pub fn draw(scatter: &Scatter) -> String {
    if scatter.points.is_empty() {
        return String::new();
    }
    let place = |share: f64, most: usize| (share.clamp(0.0, 1.0) * (most - 1) as f64).round() as usize;
    let mut grid = vec![vec![' '; COLUMNS]; ROWS];
    for (at, point) in scatter.points.iter().enumerate().rev() {
        let row = ROWS - 1 - place(point.y, ROWS);
        if let Some(cell) = grid.get_mut(row).and_then(|row| row.get_mut(place(point.x, COLUMNS))) {
            *cell = letter(at);
        }
    }
    let mut text = format!("{} (up) against {} (across)\n", scatter.up, scatter.across);
    for (row, cells) in grid.iter().enumerate() {
        let share = match row {
            0 => "1.00",
            row if row == ROWS / 2 => "0.50",
            row if row == ROWS - 1 => "0.00",
            _ => "    ",
        };
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{share} │{}", cells.iter().collect::<String>().trim_end());
    }
    let _ = writeln!(text, "     └{}\n     0.00{:>26}{:>29}", "─".repeat(COLUMNS), "0.50", "1.00");
    for (at, point) in scatter.points.iter().enumerate() {
        let _ = writeln!(text, "  {} {} ({:.3}, {:.3})", letter(at), point.name, point.x, point.y);
    }
    text
}

pub(super) fn height(scatter: &Scatter) -> f64 {
    HEIGHT + MARGIN + LINE * scatter.points.len() as f64
}

pub(super) fn panel(scatter: &Scatter, top: f64) -> String {
    let x = |share: f64| MARGIN + share.clamp(0.0, 1.0) * (WIDTH - 2.0 * MARGIN);
    let y = |share: f64| top + HEIGHT - share.clamp(0.0, 1.0) * (HEIGHT - MARGIN);
    let (left, right, bottom) = (x(0.0), x(1.0), y(0.0));
    let mut text = format!("<text x=\"{left}\" y=\"{:.1}\">{}</text>\n", y(1.0) - 12.0, escaped(&scatter.up));
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let (across, up) = (x(share), y(share));
        text.push_str(&format!("<path d=\"M{left} {up:.1}H{right}M{across:.1} {bottom:.1}v-4\" stroke=\"#ddd\"/>\n"));
        text.push_str(&format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{share:.2}</text>\n",
            left - 6.0,
            up + 4.0
        ));
        text.push_str(&format!(
            "<text x=\"{across:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{share:.2}</text>\n",
            bottom + 16.0
        ));
    }
    text.push_str(&format!(
        "<text x=\"{right}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n",
        bottom + 32.0,
        escaped(&scatter.across)
    ));
    for (at, (point, colour)) in scatter.points.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let (across, up) = (x(point.x), y(point.y));
        let below = bottom + 32.0 + LINE * at as f64;
        text.push_str(&format!("<circle cx=\"{across:.1}\" cy=\"{up:.1}\" r=\"5\" fill=\"{colour}\"/>\n"));
        text.push_str(&format!(
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"{colour}\"/>\n",
            left + 6.0,
            below - 4.0
        ));
        text.push_str(&format!("<text x=\"{:.1}\" y=\"{below:.1}\">{}</text>\n", left + 18.0, escaped(&point.name)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scatter() -> Scatter {
        let point = |name: &str, x, y| PointOf { name: name.into(), x, y };
        Scatter {
            across: "executable".into(),
            up: "correct".into(),
            points: vec![point("<a>", 1.0, 0.0), point("b", 0.0, 1.0)],
        }
    }

    #[test]
    fn each_point_stands_at_its_place() {
        let text = draw(&scatter());
        let lines = text.lines().collect::<Vec<_>>();
        assert_eq!(lines[1], "1.00 │b");
        assert_eq!(lines[ROWS].chars().last(), Some('a'));
        assert_eq!(lines[ROWS].chars().count(), 6 + COLUMNS);
        assert!(lines[ROWS + 2].ends_with("1.00") && lines.len() == ROWS + 5, "{text}");
        assert_eq!(draw(&Scatter { points: Vec::new(), ..scatter() }), "");
    }

    #[test]
    fn a_file_holds_each_point_and_no_bare_markup() {
        let text = panel(&scatter(), 0.0);
        assert!(text.contains("&lt;a&gt;") && text.matches("r=\"5\"").count() == 2);
        assert!(text.contains("cx=\"590.0\" cy=\"300.0\""), "{text}");
    }
}
