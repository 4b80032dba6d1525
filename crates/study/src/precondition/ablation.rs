//! Table of an ablation: the same candidates under each ranking, of each action by itself and of all together, by the number of
//! demonstrations.

use super::report::{f1_interval, nothing, part, scores};
use super::result::{ActionResult, Approach, Choice};
use crate::columns::{self, Cell, Column, Group, column, counted_once, words};
use crate::interval::Interval;
use crate::report::{Report, Table};
use stepwright_method::SYMBOLIC;
use stepwright_precondition::{Mean, Score};

type Row<'a> = Group<'a, ActionResult>;

/// What a line of the table is about.
enum Kind<'a> {
    Inferred {
        /// The row that it is held against: all that Equation (1) leaves, of as many demonstrations.
        against: Option<Row<'a>>,
    },
    Truth,
    /// Preconditions that permit everything.
    Nothing,
}

struct Line<'a> {
    of: Row<'a>,
    kind: Kind<'a>,
}

impl Line<'_> {
    fn scores(&self) -> Vec<Vec<Score>> {
        match self.kind {
            Kind::Inferred { .. } => scores(&self.of),
            Kind::Truth => scores(&self.of).iter().map(|unit| vec![Score::new(1.0, 1.0); unit.len()]).collect(),
            Kind::Nothing => nothing(&self.of),
        }
    }

    fn mean(&self, figure: fn(Mean) -> f64) -> Cell {
        Cell::Figure(Mean::of(&self.scores().concat()).map(figure), 3)
    }

    fn sum(&self, value: impl Fn(&ActionResult) -> usize) -> usize {
        self.of.lines.iter().map(|r| value(r)).sum()
    }

    fn held(&self) -> Option<f64> {
        match self.kind {
            Kind::Inferred { .. } => part(self.sum(|r| r.held), self.sum(|r| r.calls)),
            Kind::Truth => None,
            Kind::Nothing => Some(1.0),
        }
    }

    fn covered(&self) -> Option<f64> {
        match self.kind {
            Kind::Inferred { .. } => part(self.sum(|r| r.satisfied), self.sum(|r| r.instances)),
            Kind::Truth => {
                let known = |value: fn(&ActionResult) -> usize| self.sum(|r| r.agreement.map_or(0, |_| value(r)));
                part(self.sum(|r| r.agreement.map_or(0, |a| a.truth)), known(|r| r.instances))
            }
            Kind::Nothing => Some(1.0),
        }
    }

    fn assertions(&self) -> usize {
        match self.kind {
            Kind::Inferred { .. } => self.sum(|r| r.assertions.len()),
            Kind::Truth => self.sum(|r| r.truth.as_ref().map_or(0, Vec::len)),
            Kind::Nothing => 0,
        }
    }

    /// The difference of the actions' own F1, action by action.
    fn against(&self) -> Option<Interval> {
        let Kind::Inferred { against: Some(other) } = &self.kind else { return None };
        self.of.paired(other, |r| Some(r.agreement?.f1))
    }
}

fn table_columns<'a>() -> Vec<Column<'a, Line<'a>>> {
    let of = |name: &'static str| words(name, move |line: &Line<'_>| line.of.condition(name));
    vec![
        of("demonstrations"),
        words("ranking", |line: &Line<'_>| match line.kind {
            Kind::Inferred { .. } => line.of.condition("ranking"),
            Kind::Truth => "the truth".to_owned(),
            Kind::Nothing => "asserts nothing".to_owned(),
        }),
        words("chosen", |line: &Line<'_>| match line.kind {
            Kind::Inferred { .. } => line.of.condition("chosen"),
            Kind::Truth | Kind::Nothing => "-".to_owned(),
        }),
        column("actions", |line: &Line<'_>| Cell::of(line.of.units().len())),
        column("precision", |line: &Line<'_>| line.mean(|mean| mean.of_means.precision)),
        column("recall", |line: &Line<'_>| line.mean(|mean| mean.of_means.recall)),
        column("F1", |line: &Line<'_>| line.mean(|mean| mean.of_means.f1)),
        column("95 %", |line: &Line<'_>| Cell::Interval(f1_interval(&line.scores(), false), 3)),
        column("mean F1", |line: &Line<'_>| line.mean(|mean| mean.of_f1)),
        column("against Equation (1)", |line: &Line<'_>| Cell::Interval(line.against(), 3)),
        column("held", |line: &Line<'_>| Cell::Figure(line.held(), 3)),
        column("covered", |line: &Line<'_>| Cell::Figure(line.covered(), 3)),
        column("assertions", |line: &Line<'_>| Cell::of(line.assertions())),
    ]
}

fn name_of(approach: Approach) -> &'static str {
    match approach {
        Approach::Unranked => "none",
        Approach::Equation | Approach::Validated => "Equation (1)",
        // Of a model's candidates too where an earlier version wrote the line, though the rule holds back none of them.
        Approach::Enumerated => "evidence rule",
        Approach::Prompted => "as written",
    }
}

pub(super) fn report(results: &[ActionResult]) -> Report {
    let of = |r: &ActionResult| {
        vec![
            ("world", r.world.clone()),
            ("model", r.way.model.clone()),
            ("demonstrations", r.way.demonstrations.to_string()),
            ("ranking", name_of(r.approach).to_owned()),
            ("chosen", r.choice.words().to_owned()),
        ]
    };
    let mut rows = columns::rows(results, of);
    let place = |of: &Row<'_>| {
        let first = of.lines.first();
        let at = first.map(|r| (r.way.demonstrations, r.approach == Approach::Enumerated, r.approach, r.choice));
        (of.condition("world"), of.condition("model"), of.condition(columns::UNDER), at)
    };
    rows.sort_by_cached_key(place);
    let mut report = Report::default();
    let tables = |of: &Row<'_>| [of.condition("world"), of.condition("model"), of.condition(columns::UNDER)];
    for table in rows.chunk_by(|one, other| tables(one) == tables(other)) {
        let [world, model, under] = table.first().map(tables).unwrap_or_default();
        let by = if model == SYMBOLIC { "the built-in enumerator, no language model".to_owned() } else { model };
        let services = columns::distinct(table.iter().flat_map(|of| of.lines.iter().map(|r| r.subject.as_str())));
        let from = table.iter().flat_map(|of| &of.lines).find_map(|r| r.truth_from.as_deref()).unwrap_or("none known");
        report.text(format!(
            "Rankings of the candidates of {by}, {world}: {}; truth: {from}{}{under}\n",
            services.join(", "),
            if under.is_empty() { "" } else { "; " }
        ));
        let columns = table_columns();
        let mut shown = Table::of_columns(format!("Rankings, {world}, {by}"), &columns);
        for number in table.chunk_by(|one, other| one.condition("demonstrations") == other.condition("demonstrations"))
        {
            let alone = |of: &&Row<'_>| {
                of.condition("ranking") == name_of(Approach::Equation) && of.condition("chosen") == Choice::All.words()
            };
            let equation = number.iter().find(alone);
            for of in number {
                let against = equation.filter(|equation| equation.conditions != of.conditions).cloned();
                shown.add(&columns, &Line { of: of.clone(), kind: Kind::Inferred { against } });
            }
            if let Some(of) = equation.or(number.first()) {
                for kind in [Kind::Truth, Kind::Nothing] {
                    shown.add(&columns, &Line { of: of.clone(), kind });
                }
            }
        }
        report.table(shown);
    }
    report.text(counted_once(&rows, results.len()));
    for failed in results.iter().filter(|r| r.error.is_some()) {
        let why = failed.error.as_deref().unwrap_or_default();
        report.text(format!("{} of {}: {why}\n", failed.action, failed.subject));
    }
    report.text(BELOW);
    report
}

const BELOW: &str = "\nEquation (2) on other episodes; 95 %: bootstrap over actions. `none`: every valid candidate, which together permit at the \
                     demonstrations what Equation (1) does, and less elsewhere. `chosen`: of what the ranking leaves `all of them`; `each alone` those \
                     of an action that forbid most beside its calls for their number, as if something else could be done at each step; \
                     `together` the same of all actions at once, where what a forbidden call is worth depends on what else is permitted. \
                     `against Equation (1)`: the 95 % interval of the difference in the actions' own F1 to all that Equation (1) leaves, action by \
                     action. Only actions that the demonstrations call count. `held`: calls that are permitted; `covered`: instances that \
                     are.\n";
