//! Table of the study: each condition and task beside the paper's Table 1.

use super::{BlockingResult, CONDITIONS};
use crate::columns::{Cell, Column, Group, column, condition, distinct, groups};
use crate::curve::{Chart, ShareOf, Shares};
use crate::interval::of_mean;
use crate::paper::{BLOCKING, PublishedFigure};
use crate::report::{Report, Table};
use stepwright_text::words::count;

/// The tasks, in the order of the paper's columns; each is a measure of its rows.
const TASKS: [&str; 4] = ["coffee", "apple", "mug", "toast"];

type Row<'a> = Group<'a, BlockingResult>;

fn columns<'a>() -> Vec<Column<'a, Row<'a>>> {
    let mean = |heading, digits, figure: fn(&BlockingResult) -> f64| {
        column(heading, move |of: &Row<'_>| Cell::Figure(of.mean(|r| Some(figure(r))), digits))
    };
    vec![
        condition("condition"),
        condition("task"),
        column("trials", |of: &Row<'_>| Cell::of(of.lines.len())),
        column("success", |of: &Row<'_>| Cell::of(format!("{}/{}", of.count(|r| r.run.won), of.lines.len()))),
        column("95 %", |of: &Row<'_>| Cell::Interval(of.wilson(|r| r.run.won), 2)),
        column("paper", |of: &Row<'_>| Cell::Printed(of.printed(&BLOCKING, &of.condition("task")))),
        mean("decisions", 1, |r| r.decisions().into()),
        column("95 %", |of: &Row<'_>| Cell::Interval(of_mean(&of.values(|r| Some(r.decisions().into()))), 1)),
        mean("refused", 1, |r| r.run.refused.into()),
        column("considered", |of: &Row<'_>| Cell::Figure(of.mean(BlockingResult::considered), 2)),
        mean("asks", 1, |r| r.run.asks.into()),
        mean("seconds", 2, |r| r.run.seconds),
        column("errors", |of: &Row<'_>| Cell::of(of.count(|r| r.run.error.is_some()))),
    ]
}

/// Results as a table for display: conditions in the study's order, tasks in the paper's, then others.
pub fn report(results: &[BlockingResult]) -> Report {
    let kinds = groups(results, |r| vec![("task", r.run.kind.clone())]);
    let kinds: Vec<String> = kinds.iter().map(|of| of.condition("task")).collect();
    let of = |r: &BlockingResult| vec![("condition", r.condition.clone()), ("task", r.run.kind.clone())];
    let mut rows = groups(results.iter().filter(|r| CONDITIONS.iter().any(|c| c.name == r.condition)), of);
    rows.sort_by_key(|of| {
        let (condition, task) = (of.condition("condition"), of.condition("task"));
        let printed = TASKS.iter().position(|own| *own == task);
        let other = kinds.iter().position(|own| *own == task);
        (CONDITIONS.iter().position(|c| c.name == condition), printed.is_none(), printed, other)
    });
    let share = |of: &Row<'_>| {
        Some(ShareOf {
            name: format!("{}, {}", of.condition("condition"), of.condition("task")),
            share: of.share(|r| r.run.won)?,
            interval: of.wilson(|r| r.run.won),
            paper: of.printed(&BLOCKING, &of.condition("task")).and_then(PublishedFigure::number),
        })
    };
    let mut report = Report::default();
    report.table(Table::of("Trials by condition and task", &columns(), &rows));
    report.text(basis(results));
    let rows = rows.iter().filter_map(share).collect();
    report.chart(Chart::Shares(Shares { measure: "trials that reached the goal".to_owned(), rows }));
    report
}

fn basis(results: &[BlockingResult]) -> String {
    let scenes = distinct(results.iter().map(|r| r.run.task.split('/').next().unwrap_or_default()));
    let models = distinct(results.iter().map(|r| r.run.model.as_str()));
    let symbolic = models.contains(&stepwright_method::SYMBOLIC);
    let builtin = if symbolic {
        "With `symbolic` no language model took part: blocking conditions were selected by the built-in selector, and ProgPrompt's \
         plans were joined from parts that ship with the program.\n"
    } else {
        ""
    };
    format!(
        "\n{} in {} ({}), model: {}. {builtin}`decisions`, `refused`, `considered` (actions considered a decision, \
         the measure of the paper's Table 3, whose figures are not in its text: candidates of the tree; ground actions that \
         the planner chose a plan among; none of ProgPrompt), `asks` (of a language model) and `seconds` are means over all trials. `paper`: Table 1 of \"{}\" (gpt-3.5-turbo, AI2-THOR).\n",
        count(results.len(), "trial"),
        count(scenes.len(), "scene"),
        scenes.join(", "),
        models.join(", "),
        BLOCKING.source,
    )
}
