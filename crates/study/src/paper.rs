//! Figures printed in papers, as data (`papers/*.txt`): what was measured, where it is printed, and the condition it was measured under.
//!
//! A figure is put beside one of ours only where ours was measured under the same condition. Nothing is computed from them.

use std::fmt;
use std::sync::LazyLock;

use crate::table::Table;

#[derive(Debug, Clone, PartialEq)]
pub struct Paper {
    pub source: &'static str,
    pub rows: Vec<PaperRow>,
}

/// Preconditions of "Reasoning about Action Preconditions with Programs": its Tables 1, 2 and 4.
pub static PRECONDITIONS: LazyLock<Paper> = LazyLock::new(|| Paper::read(include_str!("../papers/preconditions.txt")));
/// Policies of the same: Table 3, the ablation printed as Figure 2, and what the text adds to it.
pub(crate) static POLICIES: LazyLock<Paper> = LazyLock::new(|| Paper::read(include_str!("../papers/policies.txt")));
/// "Sequential Discrete Action Selection via Blocking Conditions and Resolutions": successful trials by condition and task.
pub(crate) static BLOCKING: LazyLock<Paper> = LazyLock::new(|| Paper::read(include_str!("../papers/blocking.txt")));
/// "Planning with Large Language Models via Corrective Re-prompting": its Tables 1 and 2, by method.
pub(crate) static REPROMPT: LazyLock<Paper> = LazyLock::new(|| Paper::read(include_str!("../papers/reprompt.txt")));
/// "Statler: State-Maintaining Language Models for Embodied Reasoning": its Tables 1 to 3 and the later version's comparison.
pub static STATLER: LazyLock<Paper> = LazyLock::new(|| Paper::read(include_str!("../papers/statler.txt")));
/// "O3D: Offline Data-driven Discovery and Distillation": Tables 1, 2, 3, 6, 9 and 10.
pub static O3D: LazyLock<Paper> = LazyLock::new(|| Paper::read(include_str!("../papers/o3d.txt")));

/// The models of "Reasoning about Action Preconditions with Programs" by the names of today; a dash for all others.
pub(crate) fn model_of_programs(name: &str) -> &'static str {
    let name = name.rsplit('/').next().unwrap_or(name).to_lowercase();
    match name.as_str() {
        "starcoder" | "starcoder-16b" => "StarCoder 16B",
        name if name.starts_with("codegen-2b") => "CodeGen 2B",
        "llama-13b" => "LLaMA 13B",
        _ => NOTHING,
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct PaperRow {
    /// Where they are printed: `Table 1`.
    pub place: &'static str,
    /// Their conditions: names and values. A condition that is not named does not matter.
    pub condition: Vec<(&'static str, &'static str)>,
    pub figures: Vec<(&'static str, PublishedFigure)>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PublishedFigure {
    /// `0.84`
    Number(f64),
    /// `39/50`
    Of(u32, u32),
    /// `0.20*`: a figure that a note below the table is about.
    Noted(f64),
    /// A text that is no figure.
    Words(&'static str),
}

impl PublishedFigure {
    fn read(cell: &'static str) -> Self {
        let of = || cell.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
        let noted = || cell.strip_suffix('*').and_then(|number| number.parse().ok());
        match (cell.parse(), of(), noted()) {
            (Ok(number), ..) => PublishedFigure::Number(number),
            (_, Some((part, of)), _) => PublishedFigure::Of(part, of),
            (.., Some(number)) => PublishedFigure::Noted(number),
            _ => PublishedFigure::Words(cell),
        }
    }

    pub fn number(self) -> Option<f64> {
        match self {
            PublishedFigure::Number(number) | PublishedFigure::Noted(number) => Some(number),
            PublishedFigure::Of(part, of) => Some(f64::from(part) / f64::from(of)),
            PublishedFigure::Words(_) => None,
        }
    }
}

impl fmt::Display for PublishedFigure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PublishedFigure::Number(number) => write!(f, "{number:.2}"),
            PublishedFigure::Noted(number) => write!(f, "{number:.2}*"),
            PublishedFigure::Of(part, of) => write!(f, "{part}/{of}"),
            PublishedFigure::Words(words) => f.write_str(words),
        }
    }
}

impl PaperRow {
    pub fn value(&self, name: &str) -> Option<&'static str> {
        self.condition.iter().find(|(own, _)| *own == name).map(|(_, value)| *value)
    }

    pub fn figure(&self, measure: &str) -> Option<PublishedFigure> {
        self.figures.iter().find(|(own, _)| *own == measure).map(|(_, figure)| *figure)
    }
}

const PLACE: &str = "place";
const NOTHING: &str = "-";

impl Paper {
    /// Reads a text: its first line has the title in quotes; a block is a table, whose first line names where it is printed, what it was
    /// measured under and, behind `||`, what was measured. Lines that begin with `#` are for people.
    fn read(text: &'static str) -> Self {
        let cells = |part: &'static str| part.split('|').map(str::trim).collect::<Vec<_>>();
        let mut rows = Vec::new();
        let mut headings = None;
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((under, measured)) = line.split_once("||") else {
                headings = None;
                continue;
            };
            let (under, measured) = (cells(under), cells(measured));
            let Some((names, measures)) = &headings else {
                headings = Some((under, measured));
                continue;
            };
            let known = |names: &[&'static str], cells: &[&'static str]| {
                let all = names.iter().copied().zip(cells.iter().copied());
                all.filter(|(_, cell)| *cell != NOTHING).collect::<Vec<_>>()
            };
            let figures =
                known(measures, &measured).into_iter().map(|(measure, cell)| (measure, PublishedFigure::read(cell)));
            rows.push(PaperRow {
                place: under.first().copied().unwrap_or_default(),
                condition: known(names, &under).into_iter().filter(|(name, _)| *name != PLACE).collect(),
                figures: figures.collect(),
            });
        }
        Paper { source: text.split('"').nth(1).unwrap_or_default(), rows }
    }

    /// The figure of a measure that was measured under our condition.
    pub fn beside(&self, ours: &[(&str, &str)], measure: &str) -> Option<PublishedFigure> {
        let is_ours = |row: &&PaperRow| row.condition.iter().all(|own| ours.contains(own));
        self.rows.iter().filter(is_ours).find_map(|row| row.figure(measure))
    }

    /// The rows of a place in the paper under these conditions as a table; its columns are names of what varies, then measures, each with
    /// its heading.
    pub(crate) fn table(
        &self,
        is_of: impl Fn(&PaperRow) -> bool,
        varies: &[(&str, &str)],
        measures: &[(&str, &str)],
    ) -> Table {
        let rows: Vec<&PaperRow> = self.rows.iter().filter(|row| is_of(row)).collect();
        let is_words = |(measure, _): &&(&str, &str)| {
            rows.iter().any(|row| matches!(row.figure(measure), Some(PublishedFigure::Words(_))))
        };
        let words = varies.len() + measures.iter().filter(is_words).count();
        let mut table = Table::new(words, varies.iter().chain(measures).map(|(_, heading)| *heading));
        for row in &rows {
            let names = varies.iter().map(|(name, _)| row.value(name).unwrap_or(NOTHING).to_owned());
            let figure = |(measure, _): &(&str, &str)| {
                row.figure(measure).map_or_else(|| NOTHING.to_owned(), |figure| figure.to_string())
            };
            table.row(names.chain(measures.iter().map(figure)));
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_precondition::Score;

    const TEXT: &str = "# Printed in \"A paper\".\n\nplace | method | shots || F1\nTable 1 | ours | 4 || 0.8\n\n\
                        place | method || success\nTable 2 | ours || 39/50\nTable 2 | - || -\n";

    #[test]
    fn a_figure_is_put_beside_its_own_condition_only() {
        let paper = Paper::read(TEXT);
        let beside = |ours: &[(&str, &str)], measure| paper.beside(ours, measure).map(|figure| figure.to_string());
        assert_eq!(beside(&[("method", "ours"), ("shots", "4"), ("think", "no")], "F1").as_deref(), Some("0.80"));
        assert_eq!(beside(&[("method", "ours"), ("shots", "1")], "F1"), None);
        // What a row does not name does not matter.
        assert_eq!(beside(&[("method", "ours"), ("shots", "1")], "success").as_deref(), Some("39/50"));
        let table = paper.table(|_| true, &[("method", "method"), ("shots", "n")], &[("F1", "F1")]);
        assert_eq!(table.to_string(), "method  n    F1\nours    4  0.80\nours    -     -\n-       -     -\n");
        assert_eq!((paper.source, paper.rows.len()), ("A paper", 3));
    }

    #[test]
    fn every_paper_is_read_whole() {
        let rows = [&PRECONDITIONS, &POLICIES, &BLOCKING, &REPROMPT, &STATLER, &O3D].map(|paper| paper.rows.len());
        assert_eq!(rows, [39, 24, 5, 6, 21, 38]);
        for paper in [&PRECONDITIONS, &POLICIES, &BLOCKING, &REPROMPT, &STATLER, &O3D] {
            assert!(!paper.source.is_empty() && paper.rows.iter().all(|row| !row.figures.is_empty()), "{paper:?}");
        }
    }

    /// The F1 of "Reasoning about Action Preconditions" is the harmonic mean of its precision and recall, up to the digits printed.
    #[test]
    fn printed_figures_of_preconditions_fit_each_other() {
        for row in PRECONDITIONS.rows.iter().filter(|row| row.figure("F1").is_some()) {
            let [precision, recall, f1] = ["precision", "recall", "F1"]
                .map(|measure| row.figure(measure).and_then(PublishedFigure::number).unwrap());
            assert!((Score::new(precision, recall).f1 - f1).abs() < 0.011, "{row:?}");
        }
    }
}
