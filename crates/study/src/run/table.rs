//! Table of results summed up by task type, for display.

use super::RunResult;
use crate::columns::{Cell, Column, Group, column, condition, groups};
use crate::curve::{Chart, ShareOf, Shares};
use crate::interval::of_mean;
use crate::report::{Report, Table};

type Row<'a> = Group<'a, RunResult>;

const OF: &str = "task type";

fn columns<'a>() -> Vec<Column<'a, Row<'a>>> {
    let steps_won = |of: &Row<'_>| of.values(|r| r.won.then(|| f64::from(r.steps)));
    vec![
        condition(OF),
        column("episodes", |of: &Row<'_>| Cell::of(of.lines.len())),
        column("won", |of: &Row<'_>| Cell::of(of.count(|r| r.won))),
        column("won %", |of: &Row<'_>| Cell::percent(of.share(|r| r.won), 1)),
        column("95 %", |of: &Row<'_>| Cell::percents(of.wilson(|r| r.won), 1)),
        column("reward", |of: &Row<'_>| Cell::Figure(of.mean(|r| Some(r.reward)), 3)),
        column("95 %", |of: &Row<'_>| Cell::Interval(of_mean(&of.values(|r| Some(r.reward))), 3)),
        column("steps won", |of: &Row<'_>| Cell::Figure(of.mean(|r| r.won.then(|| f64::from(r.steps))), 1)),
        column("95 %", move |of: &Row<'_>| Cell::Interval(of_mean(&steps_won(of)), 1)),
        column("refused", |of: &Row<'_>| Cell::of(of.sum(|r| r.refused.into()))),
        column("compatible %", |of: &Row<'_>| {
            let share = of.sum(|r| r.compatible.into()) as f64 / of.sum(|r| r.steps.into()) as f64;
            Cell::percent(Some(share), 1)
        }),
        column("tokens", |of: &Row<'_>| Cell::of(of.sum(|r| r.prompt_tokens.saturating_add(r.completion_tokens)))),
        column("seconds", |of: &Row<'_>| Cell::Figure(Some(of.lines.iter().fold(0.0, |sum, r| sum + r.seconds)), 1)),
        column("errors", |of: &Row<'_>| Cell::of(of.count(|r| r.error.is_some()))),
    ]
}

/// The table: a row a task type, then all of them. `reward` is the mean of the last rewards (of dialogues: F1). With `detail` a row a
/// task as well.
pub(super) fn report(results: &[RunResult], detail: bool) -> Report {
    let mut kinds = groups(results, |r| vec![(OF, r.kind.clone())]);
    kinds.sort_by_key(|of| of.condition(OF));
    let columns = columns();
    let mut table = Table::of_columns("Episodes by type of task", &columns);
    for kind in &kinds {
        table.add(&columns, kind);
        let mut tasks = groups(kind.lines.iter().copied(), |r| vec![(OF, format!("  {}", r.task))]);
        tasks.sort_by_key(|of| of.condition(OF));
        tasks.iter().filter(|_| detail).for_each(|task| table.add(&columns, task));
    }
    table.add(&columns, &Group::all(vec![(OF, "all".to_owned())], results));
    let mut report = Report::default();
    report.table(table);
    report.text(refusals(results));
    let share = |of: &Row<'_>| {
        Some(ShareOf {
            name: of.condition(OF),
            share: of.share(|r| r.won)?,
            interval: of.wilson(|r| r.won),
            paper: None,
        })
    };
    let rows = kinds.iter().filter_map(share).collect();
    report.chart(Chart::Shares(Shares { measure: "episodes won".to_owned(), rows }));
    report
}

const MOST_REASONS: usize = 8;

/// Why episodes could not be run to their end, each reason once.
fn refusals(results: &[RunResult]) -> String {
    let failed = results.iter().filter(|r| r.error.is_some());
    let reasons = groups(failed, |r| vec![("why", r.error.clone().unwrap_or_default())]);
    let mut text = String::new();
    for of in reasons.iter().take(MOST_REASONS) {
        let first = of.lines.first().map_or("", |r| r.task.as_str());
        let others = if of.lines.len() > 1 { format!(" and {} more", of.lines.len() - 1) } else { String::new() };
        text.push_str(&format!("{first}{others}: {}\n", of.condition("why")));
    }
    if reasons.len() > MOST_REASONS {
        text.push_str(&format!("and {} further reasons\n", reasons.len() - MOST_REASONS));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(task: &str, won: bool, error: Option<&str>) -> RunResult {
        let error = error.map(str::to_owned);
        RunResult { task: task.into(), kind: "k".into(), won, steps: 4, error, ..RunResult::default() }
    }

    #[test]
    fn why_episodes_failed_is_listed_each_reason_once() {
        let results = [
            result("a", true, None),
            result("b", false, Some("the world refused")),
            result("c", false, Some("the world refused")),
            result("d", false, Some("no server")),
        ];
        let text = report(&results, false).to_string();
        assert!(text.contains("b and 1 more: the world refused\nd: no server\n"), "{text}");
        let all: Vec<&str> = text.lines().find(|l| l.starts_with("all")).unwrap().split_whitespace().collect();
        assert_eq!((&all[1..5], all[13]), (&["4", "1", "25.0", "4.6-69.9"][..], "3"), "{text}");
        assert!(report(&results, true).to_string().contains("  d "));
        assert!(report(&[], false).to_string().contains("all"));
    }
}
