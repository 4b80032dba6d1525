//! The study's table: each condition and task beside the paper's Table 1.

use std::collections::BTreeSet;

use super::paper::{FIGURES, SOURCE, TASKS};
use super::{BlockingResult, CONDITIONS};
use crate::study::runner::{beside, in_print};
use crate::study::table::{Table, count};

/// Results as a table for people.
pub fn table(results: &[BlockingResult]) -> String {
    let headings = [
        "condition",
        "task",
        "trials",
        "success",
        "paper",
        "decisions",
        "refused",
        "candidates",
        "asks",
        "seconds",
        "errors",
    ];
    let mut table = Table::new(2, headings);
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
            }
        }
    }
    let mut text = table.to_string();
    text.push_str(&basis(results));
    text
}

fn row(condition: &str, kind: &str, of: &[&BlockingResult]) -> Vec<String> {
    let mean = |figure: &dyn Fn(&BlockingResult) -> f64| of.iter().map(|r| figure(r)).sum::<f64>() / of.len() as f64;
    let won = of.iter().filter(|r| r.run.won).count();
    let paper = beside(&FIGURES, &[("condition", condition)], kind);
    vec![
        condition.to_owned(),
        kind.to_owned(),
        of.len().to_string(),
        format!("{won}/{}", of.len()),
        in_print(paper),
        format!("{:.1}", mean(&|r| f64::from(r.decisions()))),
        format!("{:.1}", mean(&|r| f64::from(r.run.refused))),
        format!("{:.2}", mean(&BlockingResult::candidates)),
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
    let symbolic = models.iter().any(|m| m == crate::driver::SYMBOLIC);
    let builtin = if symbolic {
        "With `symbolic` no language model took part: blocking conditions were selected by the built-in selector, and ProgPrompt's \
         plans were joined from parts that ship with the program.\n"
    } else {
        ""
    };
    format!(
        "\n{} in {} ({}), model: {}. {builtin}`decisions`, `refused`, `candidates` (proposals a decision), `asks` (of a \
         language model) and `seconds` are means over all trials. `paper`: Table 1 of \"{SOURCE}\" (gpt-3.5-turbo, AI2-THOR).\n",
        count(results.len(), "trial"),
        count(scenes.len(), "scene"),
        scenes.join(", "),
        models.join(", "),
    )
}
