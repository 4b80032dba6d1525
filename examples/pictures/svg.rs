//! SVG of a drawn screen, for the README and the documentation.
//!
//! Only turns cells into shapes; the application decides what is on the screen.

use std::fmt::Write;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr;

use stepwright::tui::color;

mod animated;

pub use animated::animated;

/// Width of a cell in SVG units.
const CELL_WIDTH: usize = 9;
/// Height of a cell in SVG units.
const CELL_HEIGHT: usize = 18;
/// Colour of text that names none, and of the ground behind it.
const FOREGROUND: &str = "#d4d4d8";
const BACKGROUND: &str = "#18181b";

const STYLES: [(Modifier, &str); 5] = [
    (Modifier::BOLD, " font-weight=\"bold\""),
    (Modifier::DIM, " opacity=\"0.6\""),
    (Modifier::ITALIC, " font-style=\"italic\""),
    (Modifier::UNDERLINED, " text-decoration=\"underline\""),
    (Modifier::CROSSED_OUT, " text-decoration=\"line-through\""),
];

/// The common style of a run of cells on one row.
#[derive(Clone, PartialEq)]
struct Look {
    fg: String,
    bg: Option<String>,
    modifier: Modifier,
}

/// Draws a buffer as a self-contained SVG image. `title` is its accessible name.
pub fn svg(buffer: &Buffer, title: &str) -> String {
    let (columns, rows) = (usize::from(buffer.area.width), usize::from(buffer.area.height));
    let (width, height) = (columns * CELL_WIDTH + 16, rows * CELL_HEIGHT + 16);
    let mut out = String::new();
    // Writing to a String cannot fail; the results are dropped on purpose throughout.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"6\" fill=\"{BACKGROUND}\"/>\n\
         <g font-family=\"ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace\" font-size=\"14\" xml:space=\"preserve\">\n",
        escape(title)
    );
    for y in 0..rows {
        let mut x = 0;
        while x < columns {
            let (look, text, end) = run(buffer, x, y, columns);
            draw(&mut out, &look, &text, x, y, end - x);
            x = end;
        }
    }
    out.push_str("</g>\n</svg>\n");
    out
}

/// The longest run of equal look that begins at `x`: its look, its text, and where it ends.
fn run(buffer: &Buffer, x: usize, y: usize, columns: usize) -> (Look, String, usize) {
    let at = |x: usize| buffer.cell((buffer.area.x + to_u16(x), buffer.area.y + to_u16(y)));
    let mut text = String::new();
    let mut look = None;
    let mut end = x;
    while end < columns {
        let Some(cell) = at(end) else { break };
        let this = look_of(cell.fg, cell.bg, cell.modifier);
        if *look.get_or_insert_with(|| this.clone()) != this {
            break;
        }
        text.push_str(cell.symbol());
        end += cell.symbol().width().max(1);
    }
    let look = look.unwrap_or(Look { fg: FOREGROUND.into(), bg: None, modifier: Modifier::empty() });
    (look, text, end.max(x + 1))
}

fn to_u16(n: usize) -> u16 {
    u16::try_from(n).unwrap_or(u16::MAX)
}

fn look_of(fg: Color, bg: Color, modifier: Modifier) -> Look {
    let (fg, bg) = (css(fg), css(bg));
    if modifier.contains(Modifier::REVERSED) {
        return Look {
            fg: bg.unwrap_or_else(|| BACKGROUND.into()),
            bg: Some(fg.unwrap_or_else(|| FOREGROUND.into())),
            modifier,
        };
    }
    Look { fg: fg.unwrap_or_else(|| FOREGROUND.into()), bg, modifier }
}

fn draw(out: &mut String, look: &Look, text: &str, x: usize, y: usize, cells: usize) {
    let (left, top) = (8 + x * CELL_WIDTH, 8 + y * CELL_HEIGHT);
    if let Some(bg) = &look.bg {
        let width = cells * CELL_WIDTH;
        let _ =
            writeln!(out, "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{CELL_HEIGHT}\" fill=\"{bg}\"/>");
    }
    if text.trim().is_empty() {
        return;
    }
    let styles = STYLES.iter().filter(|(modifier, _)| look.modifier.contains(*modifier));
    let style: String = styles.map(|(_, attribute)| *attribute).collect();
    // Every word has its own place: fonts differ in width, cells do not.
    let mut column = x;
    for word in text.split_inclusive(' ') {
        let shown = word.trim_end_matches(' ');
        if !shown.is_empty() {
            let (left, baseline, length) = (8 + column * CELL_WIDTH, top + 13, shown.width() * CELL_WIDTH);
            let _ = writeln!(
                out,
                "<text x=\"{left}\" y=\"{baseline}\" textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{}\"{style}>{}</text>",
                look.fg,
                escape(shown)
            );
        }
        column += word.width();
    }
}

/// The sixteen named colours as drawn here, the others as they look anywhere; `None` for the terminal's own.
fn css(color: Color) -> Option<String> {
    const NAMED: [&str; 16] = [
        "#27272a", "#f87171", "#4ade80", "#facc15", "#60a5fa", "#c084fc", "#22d3ee", "#d4d4d8", "#71717a", "#fca5a5",
        "#86efac", "#fde047", "#93c5fd", "#d8b4fe", "#67e8f9", "#fafafa",
    ];
    if let Some(named) = color::index(color).and_then(|i| NAMED.get(i)) {
        return Some((*named).to_owned());
    }
    color::rgb(color).map(|(r, g, b)| format!("#{r:02x}{g:02x}{b:02x}"))
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    #[test]
    fn runs_of_one_look_become_one_text() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 2));
        buffer.set_string(0, 0, "a < b", Style::new().fg(Color::Green));
        buffer.set_string(6, 0, "漢x", Style::new().add_modifier(Modifier::REVERSED));
        let image = svg(&buffer, "a \"test\"");
        assert!(image.contains("aria-label=\"a &quot;test&quot;\""));
        assert!(image.contains("x=\"26\"") && image.contains(">&lt;</text>"), "{image}");
        assert!(image.contains("textLength=\"27\""), "a wide character takes two cells: {image}");
        assert_eq!(image.matches("<text").count(), 4);
    }

    #[test]
    fn every_index_has_a_colour() {
        for i in 0..=255 {
            assert_eq!(css(Color::Indexed(i)).map(|c| c.len()), Some(7), "{i}");
        }
    }
}
