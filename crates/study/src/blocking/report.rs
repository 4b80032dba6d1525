//! Table of the study: each condition and task beside the paper's Table 1.

use std::collections::BTreeSet;

use super::paper::{FIGURES, SOURCE, TASKS};
use super::{BlockingResult, CONDITIONS};
use crate::curve::{Chart, ShareOf, Shares};
use crate::report::{Report, Table};
use crate::runner::{Printed, beside, in_print, in_words, of_mean, wilson};
use crate::table::count;

/// Results as a table for display.
pub fn report(results: &[BlockingResult]) -> Report {
    let headings = [
        "condition",
        "task",
        "trials",
        "success",
        "95 %",
        "paper",
        "decisions",
        "95 %",
        "refused",
        "considered",
        "asks",
        "seconds",
        "errors",
    ];
    let mut table = Table::new(2, headings).titled("Trials by condition and task");
    let mut shares = Vec::new();
    let mut kinds: Vec<&str> = TASKS.to_vec();
    for result in results {
        if !kinds.contains(&result.run.kind.as_str()) {
            kinds.push(&result.run.kind);
        }
    }
    for condition in CONDITIONS.map(|c| c.name) {
        for kind in &kinds {
            let of: Vec<&BlockingResult> =
                results.iter().filter(|r| r.condition == condition && r.run.kind == *kind).collect();
            if !of.is_empty() {
                table.row(row(condition, kind, &of));
                shares.push(share(condition, kind, &of));
            }
        }
    }
    let mut report = Report::default();
    report.table(table);
    report.text(basis(results));
    report.chart(Chart::Shares(Shares { measure: "trials that reached the goal".to_owned(), rows: shares }));
    report
}

/// The share of successes, for files.
fn share(condition: &str, kind: &str, of: &[&BlockingResult]) -> ShareOf {
    let won = of.iter().filter(|r| r.run.won).count();
    let paper = match beside(&FIGURES, &[("condition", condition)], kind) {
        Some(Printed::Of(part, of)) => Some(f64::from(part) / f64::from(of)),
        Some(Printed::Number(share)) => Some(share),
        None => None,
    };
    let (name, share) = (format!("{condition}, {kind}"), won as f64 / of.len() as f64);
    ShareOf { name, share, interval: wilson(won, of.len()), paper }
}

fn row(condition: &str, kind: &str, of: &[&BlockingResult]) -> Vec<String> {
    let mean = |figure: &dyn Fn(&BlockingResult) -> f64| of.iter().map(|r| figure(r)).sum::<f64>() / of.len() as f64;
    let won = of.iter().filter(|r| r.run.won).count();
    let paper = beside(&FIGURES, &[("condition", condition)], kind);
    let decisions: Vec<f64> = of.iter().map(|r| f64::from(r.decisions())).collect();
    let considered: Vec<f64> = of.iter().filter_map(|r| r.considered()).collect();
    let all = considered.iter().sum::<f64>() / considered.len() as f64;
    vec![
        condition.to_owned(),
        kind.to_owned(),
        of.len().to_string(),
        format!("{won}/{}", of.len()),
        in_words(wilson(won, of.len()), 2),
        in_print(paper),
        format!("{:.1}", mean(&|r| f64::from(r.decisions()))),
        in_words(of_mean(&decisions), 1),
        format!("{:.1}", mean(&|r| f64::from(r.run.refused))),
        if considered.is_empty() { "-".to_owned() } else { format!("{all:.2}") },
        format!("{:.1}", mean(&|r| f64::from(r.run.asks))),
        format!("{:.2}", mean(&|r| r.run.seconds)),
        of.iter().filter(|r| r.run.error.is_some()).count().to_string(),
    ]
}

/// What the figures rest on.
fn basis(results: &[BlockingResult]) -> String {
    let set = |of: &dyn Fn(&BlockingResult) -> String| -> Vec<String> {
        results.iter().map(of).filter(|s| !s.is_empty()).collect::<BTreeSet<_>>().into_iter().collect()
    };
    let scenes = set(&|r| r.run.task.split('/').next().unwrap_or_default().to_owned());
    let models = set(&|r| r.run.model.clone());
    let symbolic = models.iter().any(|m| m == stepwright_driver::SYMBOLIC);
    let builtin = if symbolic {
        "With `symbolic` no language model took part: blocking conditions were selected by the built-in selector, and ProgPrompt's \
         plans were joined from parts that ship with the program.\n"
    } else {
        ""
    };
    format!(
        "\n{} in {} ({}), model: {}. {builtin}`decisions`, `refused`, `considered` (actions considered a decision, \
         the measure of the paper's Table 3, whose figures are not in its text: candidates of the tree; ground actions that \
         the planner chose a plan among; none of ProgPrompt), `asks` (of a language model) and `seconds` are means over all trials. `paper`: Table 1 of \"{SOURCE}\" (gpt-3.5-turbo, AI2-THOR).\n",
        count(results.len(), "trial"),
        count(scenes.len(), "scene"),
        scenes.join(", "),
        models.join(", "),
    )
}
