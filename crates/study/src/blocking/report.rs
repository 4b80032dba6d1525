//! Table of the study: each condition and task; below it the paper's Table 1, whose kitchens are AI2-THOR's and no comparison.

use super::{BlockingResult, CONDITIONS};
use std::collections::BTreeSet;

use crate::columns::{self, Cell, Column, Group, column, condition, counted_once, distinct, groups, words};
use crate::curve::{Chart, ShareOf, Shares};
use crate::paper::BLOCKING;
use crate::report::{Report, Table, refusals};
use crate::run::shortened;
use stepwright_text::words::{count, noun};

/// The tasks, in the order of the paper's columns; each is a measure of its rows.
const TASKS: [&str; 4] = ["coffee", "apple", "mug", "toast"];

type Row<'a> = Group<'a, BlockingResult>;

/// The trials that came to a result: the others are neither successes nor failures.
fn done<'a>(of: &Row<'a>) -> Row<'a> {
    Group::all(of.conditions.clone(), of.lines.iter().copied().filter(|r| r.run.counts()))
}

fn table_columns<'a>() -> Vec<Column<'a, Row<'a>>> {
    let mean = |heading, digits, figure: fn(&BlockingResult) -> f64| {
        column(heading, move |of: &Row<'_>| Cell::Figure(done(of).mean(|r| Some(figure(r))), digits))
    };
    let of_done = |heading, cell: fn(&Row<'_>) -> Cell| column(heading, move |of: &Row<'_>| cell(&done(of)));
    vec![
        condition("condition"),
        condition("task"),
        words("acted", |of: &Row<'_>| of.condition("acted")),
        of_done("trials", |of| Cell::of(of.lines.len())),
        of_done("success", |of| Cell::of(format!("{}/{}", of.count(|r| r.run.won), of.lines.len()))),
        of_done("95 %", |of| Cell::Interval(of.interval(|r| r.run.won), 2)),
        mean("decisions", 1, |r| r.run.decisions().into()),
        column("95 %", |of: &Row<'_>| Cell::Interval(done(of).interval_of_mean(|r| Some(r.run.decisions().into())), 1)),
        mean("refused", 1, |r| r.run.refused.into()),
        column("considered", |of: &Row<'_>| Cell::Figure(done(of).mean(BlockingResult::considered), 2)),
        mean("asks", 1, |r| r.run.asks.into()),
        mean("seconds", 2, |r| r.run.seconds),
        column("errors", |of: &Row<'_>| Cell::of(of.count(|r| r.run.is_begun() && r.run.error.is_some()))),
        column("not begun", |of: &Row<'_>| Cell::of(of.count(|r| !r.run.is_begun()))),
    ]
}

/// Results as a table for display: conditions in the study's order, tasks in the paper's, then others.
pub fn report(results: &[BlockingResult]) -> Report {
    let kinds = groups(results, |r| vec![("task", r.run.kind.clone())]);
    let kinds: Vec<String> = kinds.iter().map(|of| of.condition("task")).collect();
    let of = |r: &BlockingResult| {
        vec![("condition", r.condition.clone()), ("task", r.run.kind.clone()), ("acted", r.acted())]
    };
    let known = results.iter().filter(|r| CONDITIONS.iter().any(|c| c.name == r.condition));
    let count = known.clone().count();
    let mut rows = columns::rows(known, of);
    rows.sort_by_key(|of| {
        let (condition, task) = (of.condition("condition"), of.condition("task"));
        let printed = TASKS.iter().position(|own| *own == task);
        let other = kinds.iter().position(|own| *own == task);
        (CONDITIONS.iter().position(|c| c.name == condition), printed.is_none(), printed, other)
    });
    let share = |of: &Row<'_>| {
        Some(ShareOf {
            name: format!("{}, {}", of.condition("condition"), of.condition("task")),
            share: done(of).share(|r| r.run.won)?,
            interval: done(of).interval(|r| r.run.won),
            paper: None,
        })
    };
    let mut report = Report::default();
    let mut columns = table_columns();
    columns.extend(columns::under(&rows));
    report.table(Table::of("Trials by condition and task", &columns, &rows));
    report.text(counted_once(&rows, count));
    report.text(refusals(results.iter().filter_map(|r| Some((r.run.task.as_str(), r.run.error.as_deref()?)))));
    report.text(shortened("", results.iter().map(|r| &r.run)));
    report.text(basis(results));
    paper(&mut report);
    let rows = rows.iter().filter_map(share).collect();
    report.chart(Chart::Shares(Shares { measure: "trials that reached the goal".to_owned(), rows }));
    report
}

fn basis(results: &[BlockingResult]) -> String {
    let scenes = distinct(results.iter().map(|r| r.run.task.split('/').next().unwrap_or_default()));
    let models: Vec<String> = results.iter().map(|r| r.run.models()).collect();
    let models = distinct(models.iter().map(String::as_str));
    let limits: BTreeSet<u64> = results.iter().filter_map(|r| r.run.under.most_actions()).collect();
    let limit =
        limits.first().map_or_else(String::new, |most| format!(", at most {most} {} each", noun(*most, "action")));
    format!(
        "\n{} in {} ({}), model: {}{limit}. `acted`: the model, or what decided without one (shipped plan parts: ProgPrompt's plans were \
         joined from parts that ship with the program). `95 %` is over kitchens, with all their trials. `decisions`, `refused`, `considered` \
         (actions considered a decision, the measure of the paper's Table 3, whose figures are not in its text: candidates of the tree; \
         ground actions that the planner chose a plan among; none of ProgPrompt), `asks` (of a language model) and `seconds` are means over \
         trials that came to a result. No figure of the paper's stands beside one of these: its kitchens are AI2-THOR's.\n",
        count(results.len(), "trial"),
        count(scenes.len(), "scene"),
        scenes.join(", "),
        models.join(", "),
    )
}

/// The paper's Table 1.
fn paper(report: &mut Report) {
    report.text(format!(
        "\nAs printed in \"{}\" (Table 1: 50 trials, 100 actions, gpt-3.5-turbo, AI2-THOR)\n",
        BLOCKING.source
    ));
    let measures = TASKS.map(|task| (task, task));
    report.table(BLOCKING.table(|_| true, &[("condition", "condition")], &measures).titled("paper, Table 1"));
}
