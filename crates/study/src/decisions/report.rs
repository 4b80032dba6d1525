//! Tables of the study: each method by itself, and every two of them task by task.

use std::cmp::Ordering;

use super::result::DecisionResult;
use crate::columns::{self, Cell, Column, Group, column, condition, counted_once, words};
use crate::curve::{Chart, ShareOf, Shares};
use crate::interval::Interval;
use crate::report::{Report, Table, refusals};
use crate::run::{by_role, shortened};
use stepwright_method::SYMBOLIC;

type Row<'a> = Group<'a, DecisionResult>;

/// The episodes that came to a result: the others are neither won nor lost.
fn done<'a>(of: &Row<'a>) -> Row<'a> {
    Group::all(of.conditions.clone(), of.lines.iter().copied().filter(|r| r.run.counts()))
}

fn won(result: &DecisionResult) -> Option<f64> {
    Some(f64::from(u8::from(result.run.won)))
}

fn in_percent(interval: Option<Interval>) -> Cell {
    Cell::percents(interval, 1)
}

fn table_columns<'a>() -> Vec<Column<'a, Row<'a>>> {
    let mean = |heading, digits, figure: fn(&DecisionResult) -> Option<f64>| {
        column(heading, move |of: &Row<'_>| Cell::Figure(done(of).mean(figure), digits))
    };
    let spread = |digits, figure: fn(&DecisionResult) -> Option<f64>| {
        column("95 %", move |of: &Row<'_>| Cell::Interval(done(of).interval_of_mean(figure), digits))
    };
    vec![
        condition("method"),
        words("decides", |of: &Row<'_>| of.condition("decides")),
        words("model", |of: &Row<'_>| of.condition("model")),
        column("tasks", |of: &Row<'_>| Cell::of(done(of).units().len())),
        column("won", |of: &Row<'_>| Cell::of(format!("{}/{}", done(of).count(|r| r.run.won), done(of).lines.len()))),
        column("won %", |of: &Row<'_>| Cell::percent(done(of).mean(won), 1)),
        column("95 %", |of: &Row<'_>| in_percent(done(of).interval(|r| r.run.won))),
        mean("considered", 1, DecisionResult::considered),
        spread(1, DecisionResult::considered),
        mean("decisions", 1, |r| Some(r.run.decisions().into())),
        mean("asks", 1, |r| Some(r.run.asks.into())),
        mean("tokens", 0, DecisionResult::tokens),
        spread(0, DecisionResult::tokens),
        mean("refused", 1, |r| Some(r.run.refused.into())),
        mean("seconds", 2, |r| Some(r.run.seconds)),
        column("errors", |of: &Row<'_>| Cell::of(of.count(|r| r.run.error.is_some()))),
    ]
}

/// Two methods on the tasks that both played.
struct Pair<'a> {
    names: [String; 2],
    rows: [Row<'a>; 2],
    /// Tasks, by who won more of a task's repetitions: both as many, the first, the second; neither any.
    outcomes: [usize; 4],
}

impl<'a> Pair<'a> {
    fn of(first: &Row<'a>, second: &Row<'a>) -> Self {
        let rows = [done(first), done(second)];
        let mut outcomes = [0; 4];
        let [one, other] = &rows;
        let wins = |of: &[&DecisionResult]| of.iter().filter(|r| r.run.won).count();
        for (a, b) in one.pairs(other) {
            // Of one the failed repetitions may be missing.
            let (won, against) = (wins(&a) * b.len(), wins(&b) * a.len());
            let at = match won.cmp(&against) {
                Ordering::Equal if won > 0 => 0,
                Ordering::Greater => 1,
                Ordering::Less => 2,
                Ordering::Equal => 3,
            };
            outcomes[at] += 1;
        }
        let name =
            |of: &Row<'_>| format!("{} {}", of.condition("method"), of.condition(columns::UNDER)).trim().to_owned();
        Pair { names: [name(first), name(second)], rows, outcomes }
    }

    fn difference(&self, figure: fn(&DecisionResult) -> Option<f64>) -> (Option<f64>, Option<Interval>) {
        let [one, other] = &self.rows;
        (one.mean_difference(other, figure), one.paired(other, figure))
    }
}

fn pair_columns<'a>() -> Vec<Column<'a, Pair<'a>>> {
    let outcome = |heading, at: usize| {
        column(heading, move |of: &Pair<'_>| Cell::of(of.outcomes.get(at).copied().unwrap_or_default()))
    };
    let differs = |heading, digits, scale: f64, figure: fn(&DecisionResult) -> Option<f64>| {
        let by = move |of: &Pair<'_>| Cell::Figure(of.difference(figure).0.map(|by| by * scale), digits);
        let within = move |of: &Pair<'_>| {
            Cell::Interval(of.difference(figure).1.map(|ends| ends.map(|end| end * scale)), digits)
        };
        [column(heading, by), column("95 %", within)]
    };
    let names = [0, 1].map(|at: usize| {
        let heading = if at == 0 { "method" } else { "against" };
        words(heading, move |of: &Pair<'_>| of.names.get(at).cloned().unwrap_or_default())
    });
    let counts = [
        column("tasks", |of: &Pair<'_>| Cell::of(of.outcomes.iter().sum::<usize>())),
        outcome("both won", 0),
        outcome("it more often", 1),
        outcome("the other more often", 2),
        outcome("neither", 3),
    ];
    names
        .into_iter()
        .chain(counts)
        .chain(differs("won, points", 1, 100.0, won))
        .chain(differs("tokens", 0, 1.0, DecisionResult::tokens))
        .chain(differs("considered", 1, 1.0, DecisionResult::considered))
        .collect()
}

pub(super) fn report(results: &[DecisionResult]) -> Report {
    let of = |r: &DecisionResult| {
        let decides = if r.whole { "a whole plan" } else { "an action at a time" };
        vec![("method", r.run.method.clone()), ("decides", decides.to_owned()), ("model", r.run.models())]
    };
    // In the order of the plan, whose methods are in the order that they were named in: the first is what the others are held against.
    let rows = columns::rows(results, of);
    let mut report = Report::default();
    let mut columns = table_columns();
    columns.extend(columns::under(&rows));
    report.table(Table::of("Methods over the same tasks", &columns, &rows));
    report.text(counted_once(&rows, results.len()));
    report.text(refusals(results.iter().filter_map(|r| Some((r.run.task.as_str(), r.run.error.as_deref()?)))));
    let cut = |of: &Row<'_>| shortened(&of.condition("method"), of.lines.iter().map(|r| &r.run));
    report.text(rows.iter().map(cut).collect::<String>());
    let pairs: Vec<Pair<'_>> = rows
        .iter()
        .enumerate()
        .flat_map(|(at, first)| rows.iter().skip(at + 1).map(move |second| Pair::of(first, second)))
        .collect();
    if !pairs.is_empty() {
        report.text("\nEvery two methods, task by task\n");
        report.table(Table::of("Every two methods", &pair_columns(), &pairs));
    }
    report.text(basis(results));
    by_role(results.iter().map(|of| &of.run), &mut report);
    let share = |of: &Row<'_>| {
        let of = done(of);
        let (share, interval) = (of.share(|r| r.run.won)?, of.interval(|r| r.run.won));
        Some(ShareOf { name: of.condition("method"), share, interval, paper: None })
    };
    let rows = rows.iter().filter_map(share).collect();
    report.chart(Chart::Shares(Shares { measure: "episodes that reached the goal".to_owned(), rows }));
    report
}

fn basis(results: &[DecisionResult]) -> String {
    let alone = results.iter().any(|r| r.run.model == SYMBOLIC);
    let without = match alone {
        true => {
            " Without a language model the rows are those of the built-in agents, which know different things: they measure the \
             arrangement, and say nothing of a model."
        }
        false => "",
    };
    format!(
        "\nMeans of an episode that came to a result; `95 %` is over tasks, with all their repetitions. `considered`: actions at a decision, the candidates that \
         were offered (thoughts, calls and reports too, where those are decided about) or what a planner chose among; none of a plan that is written whole. \
         `decisions`: actions executed, and selections that were blocked. `tokens`: of prompts and answers. Below, every two methods on the tasks that both played: how many tasks \
         both won (as many of its repetitions, at least one), one of them more often than the other (alone, where there is one repetition), neither \
         ever, and the mean of the differences task by task with the bootstrap over tasks.{without}\n"
    )
}
