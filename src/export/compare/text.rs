//! A comparison as plain text: columns under their names, a block a step, the first difference marked.

use unicode_width::UnicodeWidthStr;

use super::{Cell, Comparison};
use crate::sanitize::line;
use crate::words::count;
use crate::wrap::wrapped;

/// The narrowest column that is still read, in columns of the terminal.
const NARROWEST: usize = 24;

/// Columns of the terminal before the first column: the step's number and its mark.
const LEAD: usize = 7;

/// The comparison, `width` columns of the terminal wide if its columns fit into that.
pub fn render(comparison: &Comparison, width: usize) -> String {
    let columns = comparison.columns.len().max(1);
    let each = (width.saturating_sub(LEAD) / columns).max(NARROWEST);
    let mut out = String::new();
    let heads = comparison.columns.iter().map(|column| {
        let ran = format!("{}, {}", column.method, column.model);
        let tokens = count(column.tokens, "token");
        vec![column.name.clone(), column.sentence.clone(), ran, format!("{}; {tokens}", column.outcome)]
    });
    block(&mut out, "", &heads.collect::<Vec<_>>(), each);
    let parted = match comparison.first_difference {
        Some(0) => "They differ from the beginning.".to_owned(),
        Some(at) => format!("First difference: step {at}."),
        None => "No difference.".to_owned(),
    };
    out.push_str(&format!("\n{parted}\n"));
    for (at, row) in comparison.rows.iter().enumerate() {
        let first = comparison.first_difference == Some(at);
        let mark = if first {
            "=>"
        } else if row.differs {
            "!="
        } else {
            ""
        };
        out.push('\n');
        let lead = format!("{:>3} {mark}", row.depth);
        let cells: Vec<Vec<String>> = row.cells.iter().map(|c| c.as_ref().map(lines).unwrap_or_default()).collect();
        block(&mut out, &lead, &cells, each);
    }
    out
}

/// A step in lines, not wrapped yet.
fn lines(cell: &Cell) -> Vec<String> {
    let mut out = Vec::new();
    if cell.action.is_empty() {
        out.push("(start)".to_owned());
    } else {
        out.push(format!("> {}", cell.action));
        out.push(format!("{}; {}", cell.verdict, cell.decided));
    }
    out.extend(cell.observation.lines().filter(|l| !l.trim().is_empty()).map(str::to_owned));
    out.extend(cell.error.iter().map(|why| format!("refused: {why}")));
    out.extend(cell.changes.iter().map(|c| format!("{}{}", if c.unlike { "! " } else { "  " }, c.text)));
    out.extend(cell.notes.iter().map(|note| format!("note: {note}")));
    if cell.won {
        out.push("the goal holds".to_owned());
    }
    out
}

/// Writes blocks of lines beside each other, each wrapped to its column.
fn block(out: &mut String, lead: &str, cells: &[Vec<String>], each: usize) {
    let wrap = |lines: &Vec<String>| -> Vec<String> {
        lines.iter().flat_map(|text| wrapped(&line(text), each.saturating_sub(2))).collect()
    };
    let cells: Vec<Vec<String>> = cells.iter().map(wrap).collect();
    let highest = cells.iter().map(Vec::len).max().unwrap_or(0);
    for at in 0..highest {
        let mut text = format!("{:<LEAD$}", if at == 0 { lead } else { "" });
        for cell in &cells {
            let part = cell.get(at).map_or("", String::as_str);
            text.push_str(part);
            text.push_str(&" ".repeat(each.saturating_sub(part.width())));
        }
        out.push_str(text.trim_end());
        out.push('\n');
    }
}
