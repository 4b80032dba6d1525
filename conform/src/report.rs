//! Report of a comparison: rows, their first differences in full, a table, JSON and the exit code.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use stepwright_study::recordings::each_line;
use stepwright_text::words::noun;

/// The first difference of a row, in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Where: file, line, episode, step, field.
    pub at: String,
    pub expected: String,
    pub got: String,
}

pub fn difference(at: impl Into<String>, expected: impl ToString, got: impl ToString) -> Difference {
    Difference { at: at.into(), expected: expected.to_string(), got: got.to_string() }
}

/// A recording that cannot be read.
pub fn unreadable(at: impl Into<String>, error: impl fmt::Display) -> Difference {
    difference(at, "a record that can be read", format!("cannot be read: {error}"))
}

/// A field that differs: its name, what is recorded, what the program gives. `None` where both are the same.
pub type Found = Option<(&'static str, String, String)>;

/// Compares a field; both sides are shown as JSON.
pub fn field<T: PartialEq + Serialize>(name: &'static str, expected: &T, got: &T) -> Found {
    (expected != got).then(|| (name, json!(expected).to_string(), json!(got).to_string()))
}

/// One kind of recording compared.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Row {
    /// The topic's name.
    pub topic: &'static str,
    /// Which recording, compared with what (`traces/expert.jsonl from compact JSON`).
    pub what: String,
    /// Counted unit (`steps`, `games`).
    pub unit: &'static str,
    pub compared: u64,
    pub differences: u64,
    /// How many could not be compared, because what they need is not there.
    pub absent: u64,
    pub first: Option<Difference>,
    /// The others, in order; of a record that differs in several fields each.
    #[serde(skip)]
    pub others: Vec<Difference>,
    pub note: Option<String>,
}

impl Row {
    /// A row that has compared nothing yet.
    pub fn new(what: impl Into<String>, unit: &'static str) -> Self {
        Row { what: what.into(), unit, ..Row::default() }
    }

    /// A recording that is not there.
    pub fn missing(what: impl Into<String>, unit: &'static str, note: impl Into<String>) -> Self {
        Row { note: Some(note.into()), ..Row::new(what, unit) }
    }

    /// The rows of each file; where there is no file, one that says so with `note`.
    pub fn of_files<R: IntoIterator<Item = Row>>(
        files: &[PathBuf],
        (what, unit, note): (&str, &'static str, &str),
        compare: impl Fn(&Path) -> R,
    ) -> Vec<Row> {
        if files.is_empty() {
            return vec![Row::missing(what, unit, note)];
        }
        files.iter().flat_map(|file| compare(file)).collect()
    }

    /// Gives each record of a file of JSON lines, with this row and the record's place. One that cannot be read is a difference.
    pub fn each_record<T: DeserializeOwned>(&mut self, file: &Path, mut give: impl FnMut(&mut Row, String, T)) {
        each_line(file, |at, record: Result<T, String>| match record {
            Ok(record) => give(self, at, record),
            Err(error) => self.differs(unreadable(at, error)),
        });
    }

    /// Counts one comparison, with all that differs in it.
    pub fn count(&mut self, found: impl IntoIterator<Item = Difference>) {
        self.compared += 1;
        self.differs_in(found);
    }

    /// Counts what differs in one record as one difference; all of it is kept.
    pub fn differs_in(&mut self, found: impl IntoIterator<Item = Difference>) {
        let mut found = found.into_iter();
        self.differs(found.next());
        self.others.extend(found);
    }

    /// Counts one comparison of fields; `at` places those that differ. Whether all are the same.
    pub fn fields(&mut self, at: impl FnOnce() -> String, fields: impl IntoIterator<Item = Found>) -> bool {
        let wrong: Vec<(&'static str, String, String)> = fields.into_iter().flatten().collect();
        let at = if wrong.is_empty() { String::new() } else { at() };
        let same = wrong.is_empty();
        self.count(wrong.into_iter().map(|(field, expected, got)| difference(format!("{at}, {field}"), expected, got)));
        same
    }

    /// Counts one comparison of two values.
    pub fn equal<T: PartialEq + ToString>(&mut self, at: impl Into<String>, expected: T, got: T) {
        self.count((expected != got).then(|| difference(at, expected, got)));
    }

    /// Says why nothing was compared, if nothing was.
    pub fn or_absent(mut self, note: &str) -> Self {
        if self.compared == 0 {
            self.note = Some(note.to_owned());
        }
        self
    }

    /// Says of a recording that is there and holds nothing that nothing was compared.
    pub fn said_if_empty(self) -> Self {
        if self.compared == 0 && self.differences == 0 && self.absent == 0 && self.note.is_none() {
            return self.or_absent("it holds nothing to compare");
        }
        self
    }

    /// Counts a difference without counting a comparison (a recording that cannot be read).
    pub fn differs(&mut self, difference: impl Into<Option<Difference>>) {
        if let Some(found) = difference.into() {
            self.differences += 1;
            match &self.first {
                None => self.first = Some(found),
                Some(_) => self.others.push(found),
            }
        }
    }

    /// Counts what could not be compared.
    pub fn lacks(&mut self, count: usize, note: impl FnOnce() -> String) {
        self.absent += count as u64;
        if self.note.is_none() {
            self.note = Some(note());
        }
    }
}

/// The outcome of a conformance run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The topic asked for, if one was.
    pub named: Option<String>,
    pub rows: Vec<Row>,
}

impl Report {
    pub fn compared(&self) -> u64 {
        self.rows.iter().map(|r| r.compared).sum()
    }

    pub fn differences(&self) -> u64 {
        self.rows.iter().map(|r| r.differences).sum()
    }

    /// The recorded steps compared, in words, apart by what they were replayed from (a row's name ends `… from X`).
    fn steps(&self) -> String {
        let mut sums: Vec<(&str, u64)> = Vec::new();
        for row in self.rows.iter().filter(|r| r.unit == "steps" && r.compared > 0) {
            let from = row.what.rsplit_once(" from ").map_or(row.what.as_str(), |(_, from)| from);
            match sums.iter_mut().find(|(known, _)| *known == from) {
                Some((_, sum)) => *sum += row.compared,
                None => sums.push((from, row.compared)),
            }
        }
        let words: Vec<String> = sums.iter().map(|(from, n)| format!("{} steps from {from}", grouped(*n))).collect();
        if words.is_empty() { String::new() } else { format!(": among them {}", words.join(", ")) }
    }

    /// 0: all equal. 1: something differs. 2: there was nothing to compare.
    pub fn exit_code(&self) -> u8 {
        match (self.differences(), self.compared()) {
            (1.., _) => 1,
            (0, 0) => 2,
            _ => 0,
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  at       {}\n  expected {}\n  got      {}", self.at, self.expected, self.got)
    }
}

/// As a table with the first difference of each row; in the alternate form (`{:#}`) with all of them.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count =
            |r: &Row| if r.compared == 0 { "-".to_owned() } else { format!("{} {}", grouped(r.compared), r.unit) };
        let differ = |r: &Row| match (r.compared, r.differences) {
            (0, 0) => "absent".to_owned(),
            (_, n) => grouped(n),
        };
        let width = |cells: &mut dyn Iterator<Item = usize>, least: usize| cells.max().unwrap_or(0).max(least);
        let topics = width(&mut self.rows.iter().map(|r| r.topic.len()), 5);
        let whats = width(&mut self.rows.iter().map(|r| r.what.len()), 8);
        let counts = width(&mut self.rows.iter().map(|r| count(r).len()), 8);
        writeln!(f, "{:topics$}  {:whats$}  {:>counts$}  {:>11}", "topic", "recording", "compared", "differences")?;
        for row in &self.rows {
            writeln!(f, "{:topics$}  {:whats$}  {:>counts$}  {:>11}", row.topic, row.what, count(row), differ(row))?;
        }
        if self.rows.iter().any(|r| r.note.is_some()) {
            writeln!(f)?;
        }
        for row in self.rows.iter().filter(|r| r.note.is_some()) {
            let number =
                if row.absent > 0 { format!("{} {} absent: ", grouped(row.absent), row.unit) } else { String::new() };
            writeln!(f, "{}: {number}{}", row.what, row.note.as_deref().unwrap_or_default())?;
        }
        let all = f.alternate();
        for row in &self.rows {
            if let Some(first) = &row.first {
                writeln!(f, "\n{}difference in {}", if all { "" } else { "first " }, row.what)?;
                write!(f, "{first}")?;
            }
            for other in row.others.iter().filter(|_| all) {
                write!(f, "\n{other}")?;
            }
        }
        writeln!(
            f,
            "\n{} {} in {} {}{}",
            grouped(self.differences()),
            noun(self.differences(), "difference"),
            grouped(self.compared()),
            noun(self.compared(), "comparison"),
            self.steps()
        )
    }
}

/// A number with thousands apart: 6,211.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_tell_equal_different_and_nothing() {
        let mut report = Report { named: None, rows: vec![Row::missing("a.jsonl", "steps", "not there")] };
        assert_eq!(report.exit_code(), 2);
        let mut row = Row::new("b.jsonl", "steps");
        row.count(None);
        report.rows.push(row.clone());
        assert_eq!(report.exit_code(), 0);
        row.count(Some(difference("a.jsonl:1", "x", "y")));
        report.rows.push(row);
        assert_eq!(report.exit_code(), 1);
        let field = |name| Some((name, "1".to_owned(), "2".to_owned()));
        report.rows[2].fields(|| "a.jsonl:2".to_owned(), [field("one"), None, field("two")]);
        let all = format!("{report:#}");
        assert!(all.contains("a.jsonl:1") && all.contains("a.jsonl:2, one") && all.contains("a.jsonl:2, two"), "{all}");
        assert!(!report.to_string().contains("a.jsonl:2"), "the first alone");
        report.rows[2].others.clear();
        (report.rows[2].compared, report.rows[2].differences) = (2, 1);
        let text = report.to_string();
        assert!(text.contains("absent") && text.contains("expected x") && text.contains("got      y"), "{text}");
        assert!(text.contains("1 difference in 3 comparisons"), "{text}");
    }

    #[test]
    fn an_unreadable_recording_is_a_difference() {
        let mut row = Row::new("b.jsonl", "steps");
        row.differs(difference("a.jsonl:1", "x", "y"));
        assert_eq!(Report { named: None, rows: vec![row] }.exit_code(), 1);
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([0, 999, 1000, 6211, 1_234_567].map(grouped), ["0", "999", "1,000", "6,211", "1,234,567"]);
    }
}
