//! Columns as data: a table of results is a list of groups and a list of columns, each a heading and what a group has under it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::interval::{self, Interval, deviation, in_words, wilson};
use crate::paper::{Paper, PublishedFigure};
use crate::sample::Sample;
use crate::table::Table;
use stepwright_method::{REFERENCE, SYMBOLIC};

/// The conditions by which the rows of a table differ: names and values.
pub(crate) type Conditions = Vec<(&'static str, String)>;

/// The condition of what a table has no other column for.
pub(crate) const UNDER: &str = "under";

/// Results under the same conditions: a row of a table.
#[derive(Debug, Clone)]
pub(crate) struct Group<'a, L> {
    pub(crate) conditions: Conditions,
    pub(crate) lines: Vec<&'a L>,
}

/// Rows: results by their conditions, those that no column shows among them. Results of one task with one seed that are alike count once
/// (without a model methods may do the same). Where unlike ones would stand in a row, their units differed in something that nothing names
/// (a file of an earlier version): what differs tells them apart. What came out alike with every seed counts once, but where a language model
/// took part.
pub(crate) fn rows<'a, L: Sample>(
    lines: impl IntoIterator<Item = &'a L>,
    conditions: impl Fn(&L) -> Conditions,
) -> Vec<Group<'a, L>> {
    let under = |line: &L| {
        let of = line.under();
        let most = of.most_actions().map(|most| most.to_string()).unwrap_or_default();
        let told = [(UNDER, of.words.clone()), ("limit", most), ("settings", of.settings())];
        conditions(line).into_iter().chain(told).collect::<Conditions>()
    };
    let rows = groups(lines, under).into_iter().map(Group::without_copies);
    rows.flat_map(|row| if row.is_pooled() { row.told_apart() } else { vec![row] }).map(Group::once).collect()
}

/// The column of what tells rows apart beside their other conditions; none where nothing does.
pub(crate) fn under<'c, L: Sample>(rows: &[Group<'_, L>]) -> Option<Column<'c, Group<'c, L>>> {
    let shown =
        |of: &Group<'_, L>| of.conditions.iter().filter(|(name, _)| *name != UNDER).cloned().collect::<Conditions>();
    let told: BTreeSet<Conditions> = rows.iter().map(shown).collect();
    (told.len() < rows.len()).then(|| condition(UNDER))
}

/// Below a table: that its rows count once what came out alike with every seed. Empty where nothing did.
pub(crate) fn counted_once<L: Sample>(rows: &[Group<'_, L>], lines: usize) -> String {
    let left = lines.saturating_sub(rows.iter().map(|of| of.lines.len()).sum());
    let repetitions = stepwright_text::words::count(left, "repetition");
    match left {
        0 => String::new(),
        _ => format!(
            "{repetitions} came out alike (with other seeds, or without a language model by other methods) and {} not counted again.\n",
            if left == 1 { "is" } else { "are" }
        ),
    }
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

    pub(crate) fn mean(&self, figure: impl Fn(&L) -> Option<f64>) -> Option<f64> {
        mean(&self.lines, &figure)
    }

    pub(crate) fn sum(&self, figure: impl Fn(&L) -> u64) -> u64 {
        // A file of results may say anything.
        self.lines.iter().map(|line| figure(line)).fold(0, u64::saturating_add)
    }

    /// The sum of what is known of a figure; none where nothing is.
    pub(crate) fn total(&self, figure: impl Fn(&L) -> Option<u64>) -> Cell {
        let unknown = self.lines.iter().all(|line| figure(line).is_none()) && !self.lines.is_empty();
        if unknown { Cell::Figure(None, 0) } else { Cell::of(self.sum(|line| figure(line).unwrap_or_default())) }
    }
}

fn mean<L>(lines: &[&L], figure: &impl Fn(&L) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = lines.iter().filter_map(|line| figure(line)).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

impl<'a, L: Sample> Group<'a, L> {
    /// The printed figure that was measured under the same conditions, of as many things that are independent (repetitions make no more of
    /// them). None where what was measured [departs](Under::departs) from every publication, or where a task ships or was made here. That the
    /// others are the publication's nobody can check but by their number and by the split that their ids name.
    pub(crate) fn printed(&self, paper: &Paper, measure: &str) -> Option<PublishedFigure> {
        let number = self.units().len().to_string();
        let split = self.split().unwrap_or_default();
        let conditions = self.conditions.iter().map(|(name, value)| (*name, &**value));
        let ours: Vec<_> = conditions.chain([("number", number.as_str()), ("split", split.as_str())]).collect();
        let is_own = |line: &&L| line.under().departs() || line.under().is_on_own_tasks(&line.task());
        paper.beside(&ours, measure).filter(|_| !self.lines.iter().any(is_own))
    }

    /// The split of the tasks' data, where their ids name one and the same: what stands before the first slash.
    fn split(&self) -> Option<String> {
        let of = |line: &&'a L| line.task().split_once('/').map(|(split, _)| split.to_owned());
        let first = of(self.lines.first()?)?;
        self.lines.iter().all(|line| of(line).as_ref() == Some(&first)).then_some(first)
    }

    /// The results of each thing that is independent of others: repetitions stand together.
    pub(crate) fn units(&self) -> Vec<Vec<&'a L>> {
        self.by(L::about)
    }

    fn by(&self, key: impl Fn(&L) -> String) -> Vec<Vec<&'a L>> {
        let mut units: Vec<Vec<&L>> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for line in self.lines.iter().copied() {
            let at = *places.entry(key(line)).or_insert(units.len());
            match units.get_mut(at) {
                Some(unit) => unit.push(line),
                None => units.push(vec![line]),
            }
        }
        units
    }

    /// The same with each task once, where nothing random took part: where every repetition of every task came out alike without a language
    /// model.
    #[must_use]
    pub(crate) fn once(self) -> Self {
        let units = self.by(L::task);
        let repeated = units.len() < self.lines.len();
        let is_once =
            |unit: &Vec<&L>| unit.first().is_none_or(|first| unit.iter().skip(1).all(|other| alike(*first, *other)));
        if repeated && units.iter().all(is_once) {
            return Group { lines: units.iter().filter_map(|unit| unit.first().copied()).collect(), ..self };
        }
        self
    }

    /// The same with one of those that are of one thing with one seed and alike.
    fn without_copies(self) -> Self {
        let mut kept: BTreeMap<(String, u64), Vec<&'a L>> = BTreeMap::new();
        let is_new = |line: &&'a L| {
            let known = kept.entry((line.task(), line.seed())).or_default();
            let is_new = !known.iter().any(|other| alike(*other, *line));
            known.extend(is_new.then_some(*line));
            is_new
        };
        Group { lines: self.lines.into_iter().filter(is_new).collect(), conditions: self.conditions }
    }

    /// Whether results of several conditions stand in it.
    fn is_pooled(&self) -> bool {
        let mut seen: BTreeMap<(String, u64), &Value> = BTreeMap::new();
        self.lines.iter().any(|line| {
            let known = seen.insert((line.task(), line.seed()), &line.under().condition);
            known.is_some_and(|known| *known != *line.under().condition)
        })
    }

    /// A row for each condition, which says in what it differs.
    fn told_apart(self) -> Vec<Self> {
        let all: Vec<&Value> = self.lines.iter().map(|line| &*line.under().condition).collect();
        let names: BTreeSet<&String> = all.iter().filter_map(|whole| whole.as_object()).flat_map(Map::keys).collect();
        let differs = |name: &&&String| all.windows(2).any(|pair| pair[0].get(**name) != pair[1].get(**name));
        let differing: Vec<&String> = names.iter().filter(differs).copied().collect();
        let in_words = |line: &L| {
            let of = |name: &&String| format!("{name} {}", line.under().condition.get(*name).unwrap_or(&Value::Null));
            differing.iter().map(of).collect::<Vec<_>>().join(", ")
        };
        let conditions = |line: &L| {
            let told = |(name, value): &(&'static str, String)| match *name {
                UNDER => (UNDER, format!("{value} {}", in_words(line)).trim().to_owned()),
                name => (name, value.clone()),
            };
            self.conditions.iter().map(told).collect::<Conditions>()
        };
        groups(self.lines.iter().copied(), conditions)
    }

    /// The interval of a share, over what is independent.
    pub(crate) fn interval(&self, is: impl Fn(&L) -> bool) -> Option<Interval> {
        wilson(self.share(is)?, self.units().len())
    }

    /// The bootstrap of a figure over what is independent: drawn with all its repetitions.
    pub(crate) fn bootstrap(&self, figure: impl Fn(&[&L]) -> Option<f64>) -> Option<Interval> {
        figure(&self.lines)?;
        interval::bootstrap(&self.units(), |drawn| {
            figure(&drawn.iter().flat_map(|unit| unit.iter().copied()).collect::<Vec<_>>()).unwrap_or(f64::NAN)
        })
    }

    /// What both rows have results of: each thing with all its repetitions.
    pub(crate) fn pairs(&self, other: &Group<'a, L>) -> Vec<(Vec<&'a L>, Vec<&'a L>)> {
        let about = |unit: &Vec<&'a L>| unit.first().map(|line| line.about());
        let theirs: BTreeMap<_, _> = other.units().into_iter().map(|unit| (about(&unit), unit)).collect();
        self.units()
            .into_iter()
            .filter_map(|unit| Some((theirs.get(&about(&unit))?.clone(), unit)))
            .map(|(b, a)| (a, b))
            .collect()
    }

    /// The differences of a figure to the same things in another row, by the means of their repetitions.
    fn differences(&self, other: &Group<'a, L>, figure: impl Fn(&L) -> Option<f64>) -> Vec<f64> {
        let of = |(one, other): &(Vec<&L>, Vec<&L>)| Some(mean(one, &figure)? - mean(other, &figure)?);
        self.pairs(other).iter().filter_map(of).collect()
    }

    /// The mean difference of a figure to the same things in another row.
    pub(crate) fn mean_difference(&self, other: &Group<'a, L>, figure: impl Fn(&L) -> Option<f64>) -> Option<f64> {
        let all = self.differences(other, figure);
        (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
    }

    /// Its bootstrap over these things. `None` where there are fewer than two.
    pub(crate) fn paired(&self, other: &Group<'a, L>, figure: impl Fn(&L) -> Option<f64>) -> Option<Interval> {
        let mean = |drawn: &[&f64]| drawn.iter().copied().sum::<f64>() / drawn.len() as f64;
        interval::bootstrap(&self.differences(other, figure), mean)
    }

    pub(crate) fn interval_of_mean(&self, figure: impl Fn(&L) -> Option<f64>) -> Option<Interval> {
        let of = self.lines.iter().copied().filter(|line| figure(line).is_some());
        Group::all(Vec::new(), of).bootstrap(|lines: &[&L]| mean(lines, &figure))
    }

    /// The standard deviation of a mean over seeds; `None` with fewer than two.
    pub(crate) fn deviation(&self, figure: impl Fn(&L) -> Option<f64>) -> Option<f64> {
        let mut seeds: BTreeMap<u64, Vec<&L>> = BTreeMap::new();
        self.lines.iter().for_each(|line| seeds.entry(line.seed()).or_default().push(line));
        deviation(&seeds.values().filter_map(|lines| mean(lines, &figure)).collect::<Vec<_>>())
    }
}

/// Fields of a line that say how it came about and not what came of it.
const COURSE: [&str; 9] =
    ["seed", "trial", "seconds", "session", "method", "condition", "think", "assertions", "likelihood"];

/// Whether two results under the conditions of one row say the same. Those that a language model took part in never do: what it did again, and
/// failed at again, it was asked and paid for again.
fn alike<L: Serialize>(one: &L, other: &L) -> bool {
    let fields = |line: &L| {
        let mut value = serde_json::to_value(line).unwrap_or_default();
        if let Some(fields) = value.as_object_mut() {
            // A list of assertions is what was inferred, a word where they were shown.
            fields.retain(|name, value| value.is_array() || !COURSE.contains(&name.as_str()));
        }
        value
    };
    let one = fields(one);
    let model = one["model"].as_str().unwrap_or_default();
    let alone = ["", SYMBOLIC, REFERENCE].contains(&model) && one["roles"].is_null();
    alone && one == fields(other)
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
    use crate::sample::{METHOD_OPTIONS, Under, sample};

    /// A result that is about what is known of it.
    #[derive(Debug, Serialize)]
    struct Line {
        method: &'static str,
        known: Option<f64>,
        #[serde(skip)]
        under: Under,
    }

    sample!(Line, |of| format!("{:?}", of.known), if of.known.is_some() { 0 } else { 1 }, under);

    #[test]
    fn rows_are_what_conditions_tell_apart() {
        let line = |method, known| Line { method, known, under: Under::default() };
        let lines = [line("b", Some(1.0)), line("a", Some(2.0)), line("b", None)];
        let rows = groups(&lines, |line| vec![("method", line.method.to_owned())]);
        let printed = PaperRow {
            place: "Table 1",
            condition: vec![("method", "a")],
            figures: vec![("won", PublishedFigure::Of(1, 2))],
        };
        let paper = Paper { source: "A paper", rows: vec![printed] };
        type Of<'a> = Group<'a, Line>;
        let columns = [
            condition("method"),
            column("n", |of: &Of<'_>| Cell::of(of.lines.len())),
            column("mean", |of: &Of<'_>| Cell::Figure(of.mean(|line| line.known), 1)),
            column("known", |of: &Of<'_>| Cell::percent(of.share(|line| line.known.is_some()), 0)),
            column("paper", |of: &Of<'_>| Cell::Printed(of.printed(&paper, "won"))),
        ];
        let table = Table::of("methods", &columns, &rows).to_string();
        assert_eq!(
            table,
            "method  n  mean  known  paper\nb       2   1.0     50      -\na       1   2.0    100    1/2\n"
        );
        assert_eq!(Cell::Figure(Some(f64::NAN), 2).to_string(), "-");
    }

    /// Repetitions make no more tasks, and what a person set is no publication's.
    #[test]
    fn a_printed_figure_stands_beside_as_many_tasks_under_its_own_options() {
        let printed = PaperRow {
            place: "Table 1",
            condition: vec![("number", "2"), ("settings", "p")],
            figures: vec![("won", PublishedFigure::Of(1, 2))],
        };
        let paper = Paper { source: "A paper", rows: vec![printed] };
        let beside = |tasks: &[f64], options: Value| {
            let under = Under { experiment: serde_json::json!({ METHOD_OPTIONS: options }).into(), ..Under::default() };
            let line = |task: &f64| Line { method: "a", known: Some(*task), under: under.clone() };
            let lines: Vec<Line> = tasks.iter().map(line).collect();
            rows(&lines, |_| Vec::new())[0].printed(&paper, "won").is_some()
        };
        let published = || serde_json::json!({ "settings": "p" });
        assert!(beside(&[1.0, 2.0], published()) && beside(&[1.0, 2.0, 2.0], published()));
        assert!(!beside(&[1.0, 1.0], published()), "one task twice");
        assert!(!beside(&[1.0, 2.0], serde_json::json!({ "settings": "p", "temperature": "1" })));
        assert!(!beside(&[1.0, 2.0], serde_json::json!({})));
        let departs = |field: Value| Under { experiment: field.into(), ..Under::default() }.departs();
        for own in [
            serde_json::json!({ "token_budget": 300 }),
            serde_json::json!({ "own_prompts": true }),
            serde_json::json!({ "model": { "settings": { "omit": "[\"stop\"]" } } }),
            serde_json::json!({ "models": { "w": { "settings": { "omit": "[\"stop\"]" } } } }),
            serde_json::json!({ "roles": { "discoverer": { "settings": { "omit": "[\"stop\"]" } } } }),
            serde_json::json!({ "roles": { "proposer": { "name": "rep" } } }),
            serde_json::json!({ "model": { "settings": { "api": "\"chat\"" } } }),
            serde_json::json!({ "model": { "settings": { "extra_body": "{ top_k = 40 }" } } }),
            serde_json::json!({ "options": { "edition": "put" } }),
            serde_json::json!({ "limits": { "max_steps": 50, "preconditions": { "file": "12ab" } } }),
            serde_json::json!({ "truth_file": "12ab" }),
            serde_json::json!({ "what nobody knows yet": 1 }),
        ] {
            assert!(departs(own.clone()), "{own}");
        }
        for usual in [
            serde_json::json!({ "token_budget": null, "model": { "settings": { "omit": "[]" } } }),
            serde_json::json!({ "options": {}, "limits": { "max_steps": 50, "preconditions": null }, "data": "12ab" }),
            serde_json::json!({ "model": { "name": "symbolic" }, "samples": 8, "temperature": "0.7", "tests": 50 }),
            serde_json::json!({ "model": { "settings": { "api": "\"completions\"", "headers": "12ab" } } }),
            serde_json::json!({ "roles": { "discoverer": { "name": "rep" } } }),
        ] {
            assert!(!departs(usual.clone()), "{usual}");
        }
        // What ships is no publication's, whatever its number, and neither is what was made here.
        let on = |data: &str, task: &str| {
            Under {
                experiment: serde_json::json!({ METHOD_OPTIONS: published(), "data": data }).into(),
                ..Under::default()
            }
            .is_on_own_tasks(task)
        };
        assert_eq!([on("shipped", "a/1"), on("12ab", "generated/a-1"), on("12ab", "a/1")], [true, true, false]);
    }
}
