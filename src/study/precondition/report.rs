//! The tables of a study of preconditions: ours by service or action, the paper's beside them. Computed from results alone.

use std::collections::BTreeMap;

use super::result::{ActionResult, Approach, Way};
use crate::precondition::{Mean, Score};
use crate::study::paper::{PRECONDITIONS, SOURCE, TABLE_4, TABLE_4_DEMONSTRATIONS};
use crate::study::runner::{beside, in_print, printed_table};
use crate::study::table::{Table, count, share};

/// How much the table tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    /// A row a service.
    #[default]
    Services,
    /// A row an action, with what was inferred.
    Actions,
}

/// The tables of all results, one a model, approach and number of demonstrations.
pub fn table(results: &[ActionResult], detail: Detail) -> String {
    let mut groups: BTreeMap<(&str, Approach, &Way), Vec<&ActionResult>> = BTreeMap::new();
    for result in results {
        groups.entry((&result.world, result.approach, &result.way)).or_default().push(result);
    }
    let mut text = String::new();
    for group in groups.values() {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&one(group, detail));
    }
    for world in ["dialogue", "household"] {
        if groups.keys().any(|key| key.0 == world) {
            text.push_str(&paper(world));
        }
    }
    text
}

/// The table of one way of inferring.
fn one(results: &[&ActionResult], detail: Detail) -> String {
    let Some(first) = results.first() else { return String::new() };
    let mut subjects: Vec<&str> = Vec::new();
    for result in results {
        if !subjects.contains(&result.subject.as_str()) {
            subjects.push(&result.subject);
        }
    }
    let episodes: usize = subjects
        .iter()
        .filter_map(|subject| results.iter().filter(|r| r.subject == **subject).map(|r| r.episodes).max())
        .sum();
    let model = match first.approach {
        Approach::Enumerated => "the built-in enumerator, no language model".to_owned(),
        approach => {
            let Way { model, samples, temperature, .. } = &first.way;
            format!("{model}, {samples} samples a demonstration at temperature {temperature}, {}", approach.words())
        }
    };
    let of_what = if first.world == "dialogue" { count(subjects.len(), "service") } else { first.subject.clone() };
    let mut text = format!(
        "Preconditions of {} of {of_what}, inferred from up to {} each ({model}); Equation 2 on {}\n",
        count(results.len(), "action"),
        count(first.way.demonstrations, "demonstration"),
        count(episodes, "other episode"),
    );
    let table = match detail {
        Detail::Services => by_subject(results, &subjects),
        Detail::Actions => by_action(results),
    };
    text.push_str(&table.to_string());
    if detail == Detail::Actions && results.iter().any(|r| predicted_beside(r).is_some()) {
        text.push_str(&format!("The lines `paper`: predicted in \"{SOURCE}\", Table 4\n"));
    }
    let unknown: Vec<&str> = subjects
        .iter()
        .filter(|s| results.iter().all(|r| r.subject != **s || r.agreement.is_none()))
        .copied()
        .collect();
    if !unknown.is_empty() {
        text.push_str(&format!(
            "Nothing is known to be true of {}: only how often the inferred hold at the calls (held), and at how many instances \
             (covered). Name a file with --truth to compare.\n",
            unknown.join(", ")
        ));
    }
    let known = results.iter().filter(|r| r.agreement.is_some()).count();
    if known > 0 && known < results.len() {
        let have = if known == 1 { "has" } else { "have" };
        text.push_str(&format!(
            "{known} of {} {have} known preconditions; precision, recall and F1 are theirs\n",
            count(results.len(), "action"),
        ));
    }
    for failed in results.iter().filter(|r| r.error.is_some()) {
        let why = failed.error.as_deref().unwrap_or_default();
        text.push_str(&format!("{} of {}: {why}\n", failed.action, failed.subject));
    }
    text
}

const FIGURES: [&str; 7] = ["precision", "recall", "F1", "mean F1", "held", "covered", "assertions"];

/// Averages over actions; those of no known truth, or that failed, take no part in the figures of Equation 2.
fn averages(results: &[&ActionResult]) -> Vec<String> {
    let scores: Vec<Score> = results
        .iter()
        .filter_map(|r| r.agreement.map(|a| Score { precision: a.precision, recall: a.recall, f1: a.f1 }))
        .collect();
    let mean = Mean::of(&scores);
    let of_means = mean.map(|m| m.of_means);
    let sum = |value: fn(&ActionResult) -> usize| results.iter().map(|r| value(r)).sum::<usize>();
    vec![
        share(of_means.map(|m| m.precision)),
        share(of_means.map(|m| m.recall)),
        share(of_means.map(|m| m.f1)),
        share(mean.map(|m| m.of_f1)),
        share(part(sum(|r| r.held), sum(|r| r.calls))),
        share(part(sum(|r| r.satisfied), sum(|r| r.instances))),
        sum(|r| r.assertions.len()).to_string(),
    ]
}

fn part(of: usize, all: usize) -> Option<f64> {
    (all > 0).then(|| of as f64 / all as f64)
}

fn by_subject(results: &[&ActionResult], subjects: &[&str]) -> Table {
    let mut table = Table::new(1, ["service", "actions"].into_iter().chain(FIGURES));
    let mut row = |name: &str, of: &[&ActionResult]| {
        table.row([name.to_owned(), of.len().to_string()].into_iter().chain(averages(of)));
    };
    for subject in subjects {
        let of: Vec<&ActionResult> = results.iter().filter(|r| r.subject == *subject).copied().collect();
        row(subject, &of);
    }
    if subjects.len() > 1 {
        row("all", results);
    }
    table
}

fn by_action(results: &[&ActionResult]) -> Table {
    let paper = ["paper: P", "R", "F1"];
    let headings = ["service", "action", "precision", "recall", "F1", "held", "covered"];
    let buses = results.iter().any(|r| printed_beside(r).is_some());
    let mut table = Table::new(2, headings.into_iter().chain(paper.into_iter().filter(|_| buses)));
    for result in results {
        let agreement = result.agreement;
        let mut cells = vec![
            result.subject.clone(),
            result.action.clone(),
            share(agreement.map(|a| a.precision)),
            share(agreement.map(|a| a.recall)),
            share(agreement.map(|a| a.f1)),
            share(part(result.held, result.calls)),
            share(part(result.satisfied, result.instances)),
        ];
        cells.extend(printed_beside(result).into_iter().flatten());
        table.row(cells);
        for assertion in &result.assertions {
            table.line(format!("    assert {assertion}"));
        }
        if let Some(predicted) = predicted_beside(result) {
            table.line(format!("    paper  {}", predicted.join("; ")));
        }
    }
    let all = averages(results);
    let mut cells = vec!["all".to_owned(), count(results.len(), "action")];
    // The mean F1 and the number of assertions have no column here.
    cells.extend(all.iter().enumerate().filter(|(at, _)| *at != 3 && *at != 6).map(|(_, cell)| cell.clone()));
    table.row(cells);
    table.line(format!("mean of the actions' own F1: {}", all.get(3).map_or("-", String::as_str)));
    table
}

/// The paper's precision, recall and F1 of an action, where ours were inferred and scored under the same condition.
fn printed_beside(result: &ActionResult) -> Option<[String; 3]> {
    let ours = [
        ("service", result.subject.as_str()),
        ("action", result.action.as_str()),
        ("approach", if result.approach == Approach::Prompted { "Prompting" } else { "Ours" }),
        ("demonstrations", &result.way.demonstrations.to_string()),
    ];
    let figures = ["precision", "recall", "F1"].map(|measure| beside(&PRECONDITIONS, &ours, measure));
    figures.iter().any(Option::is_some).then(|| figures.map(in_print))
}

/// What the paper's Table 4 prints for an action of ALFWorld.
fn predicted_beside(result: &ActionResult) -> Option<&'static [&'static str]> {
    let same = result.world == "household" && result.way.demonstrations == TABLE_4_DEMONSTRATIONS;
    TABLE_4.iter().find(|(action, _)| same && *action == result.action).map(|(_, predicted)| *predicted)
}

/// The paper's Table 2.
fn paper(world: &str) -> String {
    let rows = PRECONDITIONS.iter().filter(|row| row.place == "Table 2" && row.value("world") == Some(world));
    let measures = [("precision", "precision"), ("recall", "recall"), ("F1", "F1")];
    let table = printed_table(rows, &[("model", "its model")], &measures);
    let what =
        if world == "dialogue" { "10 services of SGD, 10 demonstrations each" } else { "ALFWorld, 12 demonstrations" };
    format!("\nBeside it, as printed in \"{SOURCE}\", Table 2 ({what}):\n{table}")
}
