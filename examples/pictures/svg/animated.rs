//! Animated SVG of screens one after the other, for pages that show pictures but play no recordings.
//!
//! A row of cells that several screens share is drawn once; style rules switch rows on and off, so that it plays wherever an image may have
//! style rules, without a script.

use std::collections::BTreeMap;
use std::fmt::Write;

use ratatui::buffer::Buffer;
use unicode_width::UnicodeWidthStr;

use super::{BACKGROUND, CELL_HEIGHT, CELL_WIDTH, Look, STYLES, escape, look_of, run};

/// How far down in its cell a row's letters stand.
const BASELINE: usize = 13;
/// Space around the screen.
const MARGIN: usize = 8;
/// Letters in a row up to which a font's own widths stay inside the cells.
const SHORT: usize = 8;

/// Style rules by what they say: the same look is written once.
#[derive(Default)]
struct Rules(BTreeMap<String, usize>);

impl Rules {
    fn class(&mut self, rule: String) -> String {
        let next = self.0.len();
        format!("s{}", self.0.entry(rule).or_insert(next))
    }
}

/// Draws screens of one size, each shown for so many seconds, over and over. `title` is the picture's accessible name.
pub fn animated(screens: &[(Buffer, f64)], title: &str) -> String {
    let area = screens.first().map(|(buffer, _)| buffer.area).unwrap_or_default();
    let (columns, rows) = (usize::from(area.width), usize::from(area.height));
    let (width, height) = (columns * CELL_WIDTH + 2 * MARGIN, rows * CELL_HEIGHT + 2 * MARGIN);
    let ground = ground(screens);
    let mut looks = Rules::default();
    // Each row that differs, at its place, with the screens that have it.
    let mut drawn: BTreeMap<(usize, String), Vec<bool>> = BTreeMap::new();
    for (at, (buffer, _)) in screens.iter().enumerate() {
        for y in 0..rows {
            let shapes = row(buffer, y, columns, &ground, &mut looks);
            if let Some(shown) = drawn.entry((y, shapes)).or_insert_with(|| vec![false; screens.len()]).get_mut(at) {
                *shown = true;
            }
        }
    }
    drawn.retain(|(_, shapes), _| !shapes.is_empty());
    let mut times: Vec<Vec<bool>> = drawn.values().filter(|shown| shown.contains(&false)).cloned().collect();
    times.sort();
    times.dedup();
    let mut out = String::new();
    // Writing to a String cannot fail; the results are dropped on purpose throughout.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">\n<style>\n",
        escape(title)
    );
    for (rule, number) in &looks.0 {
        let _ = writeln!(out, ".s{number}{{{rule}}}");
    }
    let whole: f64 = screens.iter().map(|(_, seconds)| seconds).sum();
    for (number, shown) in times.iter().enumerate() {
        // A reader that plays nothing shows the first screen.
        let hidden = if shown.first() == Some(&true) { "" } else { "visibility:hidden;" };
        let _ = writeln!(out, ".t{number}{{{hidden}animation:t{number} {whole:.2}s step-end infinite}}");
        let _ = writeln!(out, "@keyframes t{number}{{{}}}", keyframes(screens, shown, whole));
    }
    let _ = write!(
        out,
        "</style>\n<rect width=\"{width}\" height=\"{height}\" rx=\"6\" fill=\"{ground}\"/>\n\
         <g font-family=\"ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace\" font-size=\"15\" xml:space=\"preserve\">\n"
    );
    for ((y, shapes), shown) in &drawn {
        let class = times.iter().position(|other| other == shown).map(|number| format!(" class=\"t{number}\""));
        let top = MARGIN + y * CELL_HEIGHT + BASELINE;
        let _ = writeln!(out, "<g transform=\"translate({MARGIN},{top})\"{}>{shapes}</g>", class.unwrap_or_default());
    }
    out.push_str("</g>\n</svg>\n");
    out
}

/// When something is shown and when it is not, as the stops of an animation.
fn keyframes(screens: &[(Buffer, f64)], shown: &[bool], whole: f64) -> String {
    let mut out = String::new();
    let (mut passed, mut before) = (0.0, None);
    for ((_, seconds), shown) in screens.iter().zip(shown) {
        if before != Some(*shown) {
            let percent = if whole > 0.0 { passed / whole * 100.0 } else { 0.0 };
            let _ = write!(out, "{percent:.2}%{{visibility:{}}}", if *shown { "visible" } else { "hidden" });
        }
        before = Some(*shown);
        passed += seconds;
    }
    out
}

/// The ground that most cells have: it is drawn once.
fn ground(screens: &[(Buffer, f64)]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for cell in screens.iter().flat_map(|(buffer, _)| &buffer.content) {
        let ground = look_of(cell.fg, cell.bg, cell.modifier).bg.unwrap_or_else(|| BACKGROUND.to_owned());
        *counts.entry(ground).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.map_or_else(|| BACKGROUND.to_owned(), |(ground, _)| ground)
}

/// The shapes of a row over that ground, the baseline at 0.
fn row(buffer: &Buffer, y: usize, columns: usize, ground: &str, looks: &mut Rules) -> String {
    let mut out = String::new();
    let mut x = 0;
    while x < columns {
        let (mut look, text, end) = run(buffer, x, y, columns);
        // A cell that has no ground of its own has the terminal's, which may be another than what most have.
        look.bg = Some(look.bg.unwrap_or_else(|| BACKGROUND.to_owned())).filter(|bg| bg != ground);
        draw(&mut out, &look, &text, x, end - x, looks);
        x = end;
    }
    out
}

fn draw(out: &mut String, look: &Look, text: &str, x: usize, cells: usize, looks: &mut Rules) {
    if let Some(bg) = &look.bg {
        let class = looks.class(format!("fill:{bg}"));
        let _ = write!(
            out,
            "<rect class=\"{class}\" x=\"{}\" y=\"-{BASELINE}\" width=\"{}\" height=\"{CELL_HEIGHT}\"/>",
            x * CELL_WIDTH,
            cells * CELL_WIDTH
        );
    }
    let styles = STYLES.iter().filter(|(modifier, _)| look.modifier.contains(*modifier));
    let style: String = styles.map(|(_, attribute)| css_of(attribute)).collect();
    for (from, piece) in pieces(text) {
        let class = looks.class(format!("fill:{}{style}", look.fg));
        let (left, cells) = ((x + from) * CELL_WIDTH, piece.width());
        // Fonts differ in width, cells do not.
        let length = match cells > SHORT || !piece.is_ascii() {
            true => format!(" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"", cells * CELL_WIDTH),
            false => String::new(),
        };
        let _ = write!(out, "<text class=\"{class}\" x=\"{left}\"{length}>{}</text>", escape(piece));
    }
}

/// An attribute (` name="value"`) as a style rule.
fn css_of(attribute: &str) -> String {
    let rule = attribute.trim().replace("=\"", ":").replace('"', "");
    format!(";{rule}")
}

/// A run's text in pieces that are each drawn at their own place: apart at two or more blanks, and letters of plain text apart from other
/// signs, whose widths a font may take from elsewhere. Each with the column at which it begins in the run.
fn pieces(text: &str) -> Vec<(usize, &str)> {
    let mut out: Vec<(usize, &str)> = Vec::new();
    let mut column = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let blanks = rest.len() - rest.trim_start_matches(' ').len();
        if blanks > 0 {
            column += blanks;
            rest = rest.get(blanks..).unwrap_or_default();
            continue;
        }
        let ascii = rest.starts_with(|c: char| c.is_ascii());
        let other = rest.find(|c: char| c.is_ascii() != ascii).unwrap_or(rest.len());
        let gap = rest.find(if ascii { "  " } else { " " }).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(other.min(gap).max(1));
        out.push((column, piece.trim_end_matches(' ')));
        column += piece.width();
        rest = after;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::{Color, Modifier, Style};

    fn screen(lines: [&str; 2]) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 2));
        for (y, line) in (0..).zip(lines) {
            buffer.set_string(0, y, line, Style::new().fg(Color::Green).add_modifier(Modifier::BOLD));
        }
        buffer
    }

    #[test]
    fn a_row_that_stays_is_drawn_once_and_a_row_that_goes_is_switched_off() {
        let screens = [(screen(["title", "one"]), 1.0), (screen(["title", "two"]), 3.0)];
        let image = animated(&screens, "a <test>");
        assert!(image.contains("aria-label=\"a &lt;test&gt;\""));
        assert_eq!(image.matches(">title<").count(), 1, "{image}");
        assert!(image.contains("font-weight:bold"), "{image}");
        assert!(image.contains("{0.00%{visibility:visible}25.00%{visibility:hidden}}"), "{image}");
        assert!(image.contains("{0.00%{visibility:hidden}25.00%{visibility:visible}}"), "{image}");
        assert_eq!(image.matches("visibility:hidden;animation:").count(), 1, "the second screen's row alone\n{image}");
        assert_eq!(image.matches("<style>").count(), image.matches("</style>").count());
        assert!(animated(&[], "nothing").ends_with("</svg>\n"));
    }

    #[test]
    fn pieces_keep_their_columns() {
        assert_eq!(pieces("a b  ▶✓ word "), [(0, "a b"), (5, "▶✓"), (8, "word")]);
        assert_eq!(pieces("  漢x"), [(2, "漢"), (4, "x")]);
        assert_eq!(pieces("   "), []);
    }
}
