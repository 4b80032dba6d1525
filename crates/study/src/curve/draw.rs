//! Plots as lines of text: braille lines, each value marked by its curve's letter, what the letters mean below.

use std::fmt::Write as _;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::symbols::Marker;
use ratatui::widgets::{Axis, Chart, Dataset, GraphType, Widget};

use super::{Plot, letter};

const SIZE: Rect = Rect { x: 0, y: 0, width: 72, height: 14 };

/// Draws a plot; nothing if it has no values.
pub fn draw(plot: &Plot) -> String {
    if plot.series.iter().all(|s| s.values.is_empty()) {
        return String::new();
    }
    let points: Vec<Vec<(f64, f64)>> =
        plot.series.iter().map(|s| plot.points(s).map(|(n, value)| (n as f64, value)).collect()).collect();
    let lines = points.iter().map(|p| Dataset::default().data(p).graph_type(GraphType::Line).marker(Marker::Braille));
    // Letters go over all lines. Where curves meet, the first is on top.
    let letters = points.iter().enumerate().rev();
    let letters = letters.map(|(at, p)| Dataset::default().data(p).marker(Marker::Custom(letter(at))));
    let (first, last, top) = (plot.from, plot.last(), plot.top());
    // A single value still needs a width.
    let width = [first as f64, last.max(first + 1) as f64];
    let [left, right] = width;
    let below = [left, (left + right) / 2.0, right].map(|n| n.to_string());
    let beside = [0.0, top / 2.0, top].map(|y| format!("{y:.2}"));
    let chart = Chart::new(lines.chain(letters).collect())
        .x_axis(Axis::default().bounds(width).labels(below))
        .y_axis(Axis::default().bounds([0.0, top]).labels(beside))
        .legend_position(None);
    let mut buffer = Buffer::empty(SIZE);
    chart.render(SIZE, &mut buffer);
    // Titles inside would cover values.
    let mut text = format!("{} over {}\n", plot.measure, plot.over);
    for row in buffer.content.chunks(usize::from(SIZE.width)) {
        let line: String = row.iter().map(|cell| cell.symbol()).collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    for (at, series) in plot.series.iter().enumerate() {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "  {} {}", letter(at), series.name);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::tests::plot;
    use super::*;

    #[test]
    fn curves_are_drawn_with_their_letters() {
        let text = draw(&plot());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "a(n) over swaps");
        // The first two values of the one are 1, the last two of the other 0.
        assert!(lines[1].starts_with("1.00│a") && lines[1].matches('a').count() == 2, "{text}");
        let ground = lines.iter().find(|line| line.starts_with("0.00│")).unwrap();
        assert!(ground.matches('b').count() == 2 && ground.ends_with('b'), "{text}");
        assert_eq!(lines[lines.len() - 2..], ["  a state, \"live\"", "  b <plain>"]);
        assert!(text.contains(['⠉', '⣀', '⠑', '⠒']), "values are joined by lines: {text}");
    }

    #[test]
    fn nothing_and_a_single_value_can_be_drawn() {
        let mut plot = plot();
        plot.series.truncate(1);
        plot.series[0].values.truncate(1);
        assert!(draw(&plot).contains('a'));
        plot.series[0].values.clear();
        assert_eq!(draw(&plot), "");
    }
}
