//! Table of results summed up by task type, for display.

use std::collections::BTreeMap;

use super::RunResult;
use crate::curve::{Chart, ShareOf, Shares};
use crate::report::{Report, Table};
use crate::runner::{in_words, of_mean, wilson};

/// A row of the table: of a task type, or of all.
fn row(name: &str, of: &[&RunResult]) -> Vec<String> {
    let sum = |figure: fn(&RunResult) -> u32| of.iter().map(|r| u64::from(figure(r))).sum::<u64>();
    let won: Vec<&&RunResult> = of.iter().filter(|r| r.won).collect();
    let rewards: Vec<f64> = of.iter().map(|r| r.reward).collect();
    let steps: Vec<f64> = won.iter().map(|r| f64::from(r.steps)).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let number = |x: f64, digits: usize| if x.is_finite() { format!("{x:.digits$}") } else { "-".to_owned() };
    let percent = |interval: Option<[f64; 2]>| in_words(interval.map(|ends| ends.map(|end| 100.0 * end)), 1);
    vec![
        name.to_owned(),
        of.len().to_string(),
        won.len().to_string(),
        number(100.0 * won.len() as f64 / of.len() as f64, 1),
        percent(wilson(won.len(), of.len())),
        number(mean(&rewards), 3),
        in_words(of_mean(&rewards), 3),
        number(mean(&steps), 1),
        in_words(of_mean(&steps), 1),
        sum(|r| r.refused).to_string(),
        number(100.0 * sum(|r| r.compatible) as f64 / sum(|r| r.steps) as f64, 1),
        // A file of results may say anything.
        of.iter().flat_map(|r| [r.prompt_tokens, r.completion_tokens]).fold(0, u64::saturating_add).to_string(),
        // The sum of none is a negative zero.
        number(of.iter().map(|r| r.seconds).sum::<f64>() + 0.0, 1),
        of.iter().filter(|r| r.error.is_some()).count().to_string(),
    ]
}

/// The table: a row a task type, then all of them. `reward` is the mean of the last rewards (of dialogues: F1). With `detail` a row a
/// task as well.
pub(super) fn report(results: &[RunResult], detail: bool) -> Report {
    let mut by_kind: BTreeMap<&str, Vec<&RunResult>> = BTreeMap::new();
    for result in results {
        by_kind.entry(&result.kind).or_default().push(result);
    }
    let headings = [
        "task type",
        "episodes",
        "won",
        "won %",
        "95 %",
        "reward",
        "95 %",
        "steps won",
        "95 %",
        "refused",
        "compatible %",
        "tokens",
        "seconds",
        "errors",
    ];
    let mut table = Table::new(1, headings).titled("Episodes by type of task");
    for (kind, of) in &by_kind {
        table.row(row(kind, of));
        let mut tasks: Vec<&str> = of.iter().map(|r| r.task.as_str()).collect();
        tasks.sort_unstable();
        tasks.dedup();
        for task in tasks.into_iter().filter(|_| detail) {
            let own: Vec<&RunResult> = of.iter().filter(|r| r.task == task).copied().collect();
            table.row(row(&format!("  {task}"), &own));
        }
    }
    table.row(row("all", &results.iter().collect::<Vec<_>>()));
    let mut report = Report::default();
    report.table(table);
    report.text(refusals(results));
    let share = |(kind, of): (&&str, &Vec<&RunResult>)| {
        let won = of.iter().filter(|r| r.won).count();
        let share = won as f64 / of.len() as f64;
        ShareOf { name: (*kind).to_owned(), share, interval: wilson(won, of.len()), paper: None }
    };
    report
        .chart(Chart::Shares(Shares { measure: "episodes won".to_owned(), rows: by_kind.iter().map(share).collect() }));
    report
}

/// Reasons that are listed one by one.
const MOST_REASONS: usize = 8;

/// Why episodes could not be run to their end, each reason once.
fn refusals(results: &[RunResult]) -> String {
    let mut reasons: Vec<(&str, Vec<&RunResult>)> = Vec::new();
    for result in results {
        let Some(why) = result.error.as_deref() else { continue };
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, of)) => of.push(result),
            None => reasons.push((why, vec![result])),
        }
    }
    let mut text = String::new();
    for (why, of) in reasons.iter().take(MOST_REASONS) {
        let first = of.first().map_or("", |r| r.task.as_str());
        let others = if of.len() > 1 { format!(" and {} more", of.len() - 1) } else { String::new() };
        text.push_str(&format!("{first}{others}: {why}\n"));
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
