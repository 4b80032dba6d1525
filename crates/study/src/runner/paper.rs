//! Figures printed in papers, as data: what was measured, where it is printed, and the condition it was measured under.
//!
//! A figure is put beside one of ours only where ours was measured under the same condition. Nothing is computed from them.

use std::fmt;

use crate::table::Table;

/// The figures that a paper prints for one condition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PaperRow {
    /// Where they are printed: `Table 1`.
    pub place: &'static str,
    /// What they were measured under: names of what varies, and the values. What is not named does not matter.
    pub condition: &'static [(&'static str, &'static str)],
    /// What was measured, and the figures.
    pub figures: &'static [(&'static str, Printed)],
}

/// A row as data: `paper_row!("Table 1", "method": "statler" => "success" = Number(0.5))`.
macro_rules! paper_row {
    ($place:literal, $($name:literal: $value:literal),+ => $($measure:literal = $figure:expr),+) => {
        $crate::runner::PaperRow {
            place: $place,
            condition: &[$(($name, $value)),+],
            figures: &[$(($measure, $figure)),+],
        }
    };
}
pub(crate) use paper_row;

/// A printed figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Printed {
    /// `0.84`
    Number(f64),
    /// `39/50`
    Of(u32, u32),
}

impl fmt::Display for Printed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Printed::Number(number) => write!(f, "{number:.2}"),
            Printed::Of(part, of) => write!(f, "{part}/{of}"),
        }
    }
}

impl PaperRow {
    /// The value of what varies under that name.
    pub fn value(&self, name: &str) -> Option<&'static str> {
        self.condition.iter().find(|(own, _)| *own == name).map(|(_, value)| *value)
    }

    /// The figure of a measure.
    pub fn figure(&self, measure: &str) -> Option<Printed> {
        self.figures.iter().find(|(own, _)| *own == measure).map(|(_, figure)| *figure)
    }

    /// Whether all it was measured under is so of ours.
    fn is_of(&self, ours: &[(&str, &str)]) -> bool {
        self.condition.iter().all(|own| ours.contains(own))
    }
}

/// The figure of a measure that was measured under our condition.
pub fn beside(paper: &[PaperRow], ours: &[(&str, &str)], measure: &str) -> Option<Printed> {
    paper.iter().filter(|row| row.is_of(ours)).find_map(|row| row.figure(measure))
}

/// A figure for a table's cell; a dash where none is printed.
pub fn in_print(figure: Option<Printed>) -> String {
    figure.map_or_else(|| "-".to_owned(), |figure| figure.to_string())
}

/// The rows of a place in the paper as a table; `columns` are names of what varies, then measures, each with its heading.
pub(crate) fn printed_table<'a>(
    rows: impl Iterator<Item = &'a PaperRow>,
    varies: &[(&str, &str)],
    measures: &[(&str, &str)],
) -> Table {
    let mut table = Table::new(varies.len(), varies.iter().chain(measures).map(|(_, heading)| *heading));
    for row in rows {
        let names = varies.iter().map(|(name, _)| row.value(name).unwrap_or("-").to_owned());
        table.row(names.chain(measures.iter().map(|(measure, _)| in_print(row.figure(measure)))));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: [PaperRow; 2] = [
        paper_row!("Table 1", "method": "ours", "shots": "4" => "F1" = Printed::Number(0.8)),
        paper_row!("Table 2", "method": "ours" => "success" = Printed::Of(39, 50)),
    ];

    #[test]
    fn a_figure_is_put_beside_its_own_condition_only() {
        let beside = |ours: &[(&str, &str)], measure| in_print(beside(&ROWS, ours, measure));
        assert_eq!(beside(&[("method", "ours"), ("shots", "4"), ("think", "no")], "F1"), "0.80");
        assert_eq!(beside(&[("method", "ours"), ("shots", "1")], "F1"), "-");
        // What a row does not name does not matter.
        assert_eq!(beside(&[("method", "ours"), ("shots", "1")], "success"), "39/50");
        let table = printed_table(ROWS.iter(), &[("method", "method"), ("shots", "n")], &[("F1", "F1")]);
        assert_eq!(table.to_string(), "method  n    F1\nours    4  0.80\nours    -     -\n");
    }
}
