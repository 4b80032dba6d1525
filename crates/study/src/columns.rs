//! Columns as data: a table of results is a list of groups and a list of columns, each a heading and what a group has under it.

use std::collections::BTreeSet;
use std::fmt;

use crate::interval::{Interval, in_words, wilson};
use crate::paper::{Paper, PublishedFigure};
use crate::table::Table;

/// The conditions by which the rows of a table differ: names and values.
pub(crate) type Conditions = Vec<(&'static str, String)>;

/// Results under the same conditions: a row of a table.
#[derive(Debug, Clone)]
pub(crate) struct Group<'a, L> {
    pub(crate) conditions: Conditions,
    pub(crate) lines: Vec<&'a L>,
}

/// Results by their conditions, in the order in which these first appear.
pub(crate) fn groups<'a, L>(
    lines: impl IntoIterator<Item = &'a L>,
    conditions: impl Fn(&L) -> Conditions,
) -> Vec<Group<'a, L>> {
    let mut groups: Vec<Group<'a, L>> = Vec::new();
    for line in lines {
        let conditions = conditions(line);
        match groups.iter_mut().find(|group| group.conditions == conditions) {
            Some(group) => group.lines.push(line),
            None => groups.push(Group { conditions, lines: vec![line] }),
        }
    }
    groups
}

impl<'a, L> Group<'a, L> {
    pub(crate) fn all(conditions: Conditions, lines: impl IntoIterator<Item = &'a L>) -> Self {
        Group { conditions, lines: lines.into_iter().collect() }
    }

    pub(crate) fn condition(&self, name: &str) -> String {
        self.conditions.iter().find(|(own, _)| *own == name).map(|(_, value)| value.clone()).unwrap_or_default()
    }

    pub(crate) fn count(&self, is: impl Fn(&L) -> bool) -> usize {
        self.lines.iter().filter(|line| is(line)).count()
    }

    pub(crate) fn share(&self, is: impl Fn(&L) -> bool) -> Option<f64> {
        (!self.lines.is_empty()).then(|| self.count(is) as f64 / self.lines.len() as f64)
    }

    pub(crate) fn wilson(&self, is: impl Fn(&L) -> bool) -> Option<Interval> {
        wilson(self.count(is), self.lines.len())
    }

    pub(crate) fn values(&self, figure: impl Fn(&L) -> Option<f64>) -> Vec<f64> {
        self.lines.iter().filter_map(|line| figure(line)).collect()
    }

    pub(crate) fn mean(&self, figure: impl Fn(&L) -> Option<f64>) -> Option<f64> {
        let values = self.values(figure);
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    }

    pub(crate) fn sum(&self, figure: impl Fn(&L) -> u64) -> u64 {
        // A file of results may say anything.
        self.lines.iter().map(|line| figure(line)).fold(0, u64::saturating_add)
    }

    pub(crate) fn printed(&self, paper: &Paper, measure: &str) -> Option<PublishedFigure> {
        let conditions: Vec<(&str, &str)> = self.conditions.iter().map(|(name, value)| (*name, &**value)).collect();
        paper.beside(&conditions, measure)
    }
}

/// The different ones of words that are none empty, sorted.
pub(crate) fn distinct<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    BTreeSet::from_iter(words).into_iter().filter(|word| !word.is_empty()).collect()
}

/// A cell's content. A dash stands for a missing one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    Words(String),
    Figure(Option<f64>, usize),
    Interval(Option<Interval>, usize),
    Printed(Option<PublishedFigure>),
}

impl Cell {
    pub(crate) fn of(words: impl ToString) -> Self {
        Cell::Words(words.to_string())
    }

    pub(crate) fn percent(share: Option<f64>, digits: usize) -> Self {
        Cell::Figure(share.map(|share| 100.0 * share), digits)
    }

    pub(crate) fn percents(interval: Option<Interval>, digits: usize) -> Self {
        Cell::Interval(interval.map(|ends| ends.map(|end| 100.0 * end)), digits)
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Words(words) => f.write_str(words),
            Cell::Figure(Some(figure), digits) if figure.is_finite() => write!(f, "{figure:.digits$}"),
            Cell::Interval(interval, digits) => f.write_str(&in_words(*interval, *digits)),
            Cell::Printed(Some(printed)) => printed.fmt(f),
            Cell::Figure(..) | Cell::Printed(None) => f.write_str("-"),
        }
    }
}

pub(crate) struct Column<'c, R> {
    heading: String,
    is_words: bool,
    cell: Box<dyn Fn(&R) -> Cell + 'c>,
}

pub(crate) fn column<'c, R>(heading: impl Into<String>, cell: impl Fn(&R) -> Cell + 'c) -> Column<'c, R> {
    Column { heading: heading.into(), is_words: false, cell: Box::new(cell) }
}

pub(crate) fn words<'c, R>(heading: impl Into<String>, cell: impl Fn(&R) -> String + 'c) -> Column<'c, R> {
    Column { heading: heading.into(), is_words: true, cell: Box::new(move |row| Cell::Words(cell(row))) }
}

pub(crate) fn condition<'c, L>(name: &'static str) -> Column<'c, Group<'c, L>> {
    words(name, move |group: &Group<'c, L>| group.condition(name))
}

impl Table {
    pub(crate) fn of_columns<R>(title: impl Into<String>, columns: &[Column<'_, R>]) -> Self {
        let words = columns.iter().take_while(|column| column.is_words).count();
        Table::new(words, columns.iter().map(|column| &column.heading)).titled(title)
    }

    pub(crate) fn add<R>(&mut self, columns: &[Column<'_, R>], row: &R) {
        let mut cells: Vec<String> = columns.iter().map(|column| (column.cell)(row).to_string()).collect();
        while cells.last().is_some_and(String::is_empty) {
            cells.pop();
        }
        self.row(cells);
    }

    pub(crate) fn of<R>(title: impl Into<String>, columns: &[Column<'_, R>], rows: &[R]) -> Self {
        let mut table = Table::of_columns(title, columns);
        rows.iter().for_each(|row| table.add(columns, row));
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::PaperRow;

    #[test]
    fn rows_are_what_conditions_tell_apart() {
        let lines = [("b", Some(1.0)), ("a", Some(2.0)), ("b", None)];
        let rows = groups(&lines, |(method, _)| vec![("method", (*method).to_owned())]);
        let printed = PaperRow {
            place: "Table 1",
            condition: vec![("method", "a")],
            figures: vec![("won", PublishedFigure::Of(1, 2))],
        };
        let paper = Paper { source: "A paper", rows: vec![printed] };
        type Of<'a> = Group<'a, (&'static str, Option<f64>)>;
        let columns = [
            condition("method"),
            column("n", |of: &Of<'_>| Cell::of(of.lines.len())),
            column("mean", |of: &Of<'_>| Cell::Figure(of.mean(|(_, figure)| *figure), 1)),
            column("known", |of: &Of<'_>| Cell::percent(of.share(|(_, figure)| figure.is_some()), 0)),
            column("paper", |of: &Of<'_>| Cell::Printed(of.printed(&paper, "won"))),
        ];
        let table = Table::of("methods", &columns, &rows).to_string();
        assert_eq!(
            table,
            "method  n  mean  known  paper\nb       2   1.0     50      -\na       1   2.0    100    1/2\n"
        );
        assert_eq!(Cell::Figure(Some(f64::NAN), 2).to_string(), "-");
    }
}
