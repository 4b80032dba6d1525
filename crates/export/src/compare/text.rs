//! A comparison in lines: columns under their names, a block a step, the first difference marked. As plain text, or line by line for a
//! screen that gives each kind of line its own look.

use std::ops::Range;

use super::{Cell, Comparison};
use stepwright_text::Columns;
use stepwright_text::sanitize::line;
use stepwright_text::words::count;
use stepwright_text::wrap::wrapped;

/// The narrowest column that is still read, in columns of the terminal.
pub const NARROWEST: usize = 24;

/// Columns of the terminal before the first column: the step's number and its mark.
pub const LEAD: usize = 7;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Name,
    /// The task, method and model; remarks on the comparison itself.
    About,
    Action,
    Verdict(&'static str),
    Observation,
    Refused,
    Change {
        /// Whether another column lacks it.
        unlike: bool,
    },
    Note,
    Outcome {
        won: bool,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Laid {
    pub row: Option<usize>,
    /// The step's number and its mark, on the first line of a row.
    pub lead: String,
    /// A part a column; empty where the column has nothing more to say.
    pub parts: Vec<(Kind, String)>,
}

impl Laid {
    fn empty() -> Self {
        Laid { row: None, lead: String::new(), parts: Vec::new() }
    }
}

/// The comparison, `width` columns of the terminal wide if its columns fit into that.
pub fn render(comparison: &Comparison, width: usize) -> String {
    let columns = comparison.columns.len().max(1);
    let each = (width.saturating_sub(LEAD) / columns).max(NARROWEST);
    let mut out = String::new();
    for laid in lay(comparison, 0..columns, each) {
        let mut text = format!("{:<LEAD$}", laid.lead);
        for (_, part) in &laid.parts {
            text.push_str(part);
            text.push_str(&" ".repeat(each.saturating_sub(part.width())));
        }
        // What is said of the whole comparison begins at the margin.
        let text = if laid.parts.len() == 1 && columns > 1 { text.trim_start() } else { &text };
        out.push_str(text.trim_end());
        out.push('\n');
    }
    out
}

/// The columns of a range in lines, each column `each` columns of the terminal wide.
pub fn lay(comparison: &Comparison, shown: Range<usize>, each: usize) -> Vec<Laid> {
    let columns = comparison.columns.get(shown.clone()).unwrap_or_default();
    let mut out = Vec::new();
    let heads = columns.iter().map(|column| {
        let ran = [&column.method, &column.model].map(String::as_str);
        let ran = ran.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(", ");
        let about = [column.sentence.clone(), ran, count(column.tokens, "token")].map(|text| (Kind::About, text));
        std::iter::once((Kind::Name, column.name.clone())).chain(about).collect()
    });
    block(&mut out, None, "", &heads.collect::<Vec<_>>(), each);
    let parted = match comparison.first_difference {
        None if comparison.columns.len() < 2 => "Nothing to compare it with yet.".to_owned(),
        Some(0) => "They differ from the beginning.".to_owned(),
        Some(at) => format!("First difference: step {at}."),
        None => "No difference.".to_owned(),
    };
    out.push(Laid::empty());
    out.push(Laid { parts: vec![(Kind::About, parted)], ..Laid::empty() });
    for (at, row) in comparison.rows.iter().enumerate() {
        let first = comparison.first_difference == Some(at);
        let mark = if first {
            "=>"
        } else if row.differs {
            "!="
        } else {
            ""
        };
        out.push(Laid::empty());
        let lead = format!("{:>3} {mark}", row.depth);
        let cells = row.cells.get(shown.clone()).unwrap_or_default();
        let cells: Vec<_> = cells.iter().map(|c| c.as_ref().map(lines).unwrap_or_default()).collect();
        block(&mut out, Some(at), &lead, &cells, each);
    }
    out.push(Laid::empty());
    let ends =
        columns.iter().map(|column| vec![(Kind::Outcome { won: column.won == Some(true) }, column.outcome.clone())]);
    block(&mut out, None, "end", &ends.collect::<Vec<_>>(), each);
    out
}

fn lines(cell: &Cell) -> Vec<(Kind, String)> {
    let mut out = Vec::new();
    if cell.action.is_empty() {
        out.push((Kind::Action, "(start)".to_owned()));
    } else {
        out.push((Kind::Action, format!("> {}", cell.action)));
        out.push((Kind::Verdict(cell.verdict), format!("{}; {}", cell.verdict, cell.decided)));
    }
    let observed = cell.observation.lines().filter(|l| !l.trim().is_empty());
    out.extend(observed.map(|l| (Kind::Observation, l.to_owned())));
    out.extend(cell.error.iter().map(|why| (Kind::Refused, format!("refused: {why}"))));
    out.extend(cell.changes.iter().map(|c| {
        let mark = if c.unlike { "! " } else { "  " };
        (Kind::Change { unlike: c.unlike }, format!("{mark}{}", c.text))
    }));
    out.extend(cell.notes.iter().map(|note| (Kind::Note, format!("note: {note}"))));
    if cell.won == Some(true) {
        out.push((Kind::Outcome { won: true }, "the goal holds".to_owned()));
    }
    out
}

/// Adds blocks of lines beside each other, each wrapped to its column.
fn block(out: &mut Vec<Laid>, row: Option<usize>, lead: &str, cells: &[Vec<(Kind, String)>], each: usize) {
    let wrap = |lines: &Vec<(Kind, String)>| -> Vec<(Kind, String)> {
        let wrapped = |(kind, text): &(Kind, String)| {
            let kind = *kind;
            wrapped(&line(text), each.saturating_sub(2)).into_iter().map(move |text| (kind, text))
        };
        lines.iter().flat_map(wrapped).collect()
    };
    let cells: Vec<Vec<(Kind, String)>> = cells.iter().map(wrap).collect();
    let highest = cells.iter().map(Vec::len).max().unwrap_or(0);
    for at in 0..highest {
        let part = |cell: &Vec<(Kind, String)>| cell.get(at).cloned().unwrap_or((Kind::About, String::new()));
        let lead = if at == 0 { lead.to_owned() } else { String::new() };
        out.push(Laid { row, lead, parts: cells.iter().map(part).collect() });
    }
}
