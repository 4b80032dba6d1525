//! Tables of a study of preconditions: ours by service or action, the paper's beside them. Computed from results alone.

use std::collections::BTreeMap;

use super::result::{ActionResult, Approach, Way};
use crate::curve::{Chart, ShareOf, Shares};
use crate::paper::{Inferred, PRECONDITIONS, SOURCE, TABLE_1, TABLE_1_SERVICE, TABLE_4, TABLE_4_DEMONSTRATIONS};
use crate::report::{Report, Table};
use crate::runner::{self, Interval, beside, bootstrap, in_words, printed_table};
use crate::table::share;
use stepwright_method::precondition::{Mean, Score};
use stepwright_text::words::count;

/// The tables of all results, one a model, approach and number of demonstrations; with `detail` a row an action, with what was inferred
/// and what is true.
pub(super) fn report(results: &[ActionResult], detail: bool) -> Report {
    let mut groups: BTreeMap<(&str, Approach, Way), Vec<&ActionResult>> = BTreeMap::new();
    for result in results {
        // Seeds are repetitions.
        let way = Way { seed: 0, ..result.way.clone() };
        groups.entry((&result.world, result.approach, way)).or_default().push(result);
    }
    let mut report = Report::default();
    for (at, group) in groups.values().enumerate() {
        report.text(if at > 0 { "\n" } else { "" });
        one(group, detail, &mut report);
    }
    for world in ["dialogue", "household"] {
        if groups.keys().any(|key| key.0 == world) {
            paper(world, detail, results, &mut report);
        }
    }
    report
}

/// The table of one way of inferring.
fn one(results: &[&ActionResult], detail: bool, report: &mut Report) {
    let Some(first) = results.first() else { return };
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
    report.text(std::mem::take(&mut text));
    let name = format!("{}, {}", model, count(first.way.demonstrations, "demonstration"));
    report.table(if detail { by_action(results) } else { by_subject(results, &subjects) }.titled(name));
    text.push_str(NOTHING);
    if detail && results.iter().any(|r| in_print(r).is_some()) {
        text.push_str(&format!(
            "Lines `paper`: what \"{SOURCE}\" infers for the action (Table 1, Table 4), then what it holds true\n"
        ));
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
    report.text(text);
    report.chart(chart(results, &subjects));
}

/// Below each table.
const NOTHING: &str = "`asserts nothing`: the figures of preconditions that permit every action, for comparison. 95 %: bootstrap over actions\n";

/// The mean F1 of each subject, for files.
fn chart(results: &[&ActionResult], subjects: &[&str]) -> Chart {
    let row = |subject: &&str| {
        let scores = scores(&of_subject(results, subject));
        let share = Mean::of(&scores)?.of_f1;
        Some(ShareOf { name: (*subject).to_owned(), share, interval: f1_interval(&scores, true), paper: None })
    };
    Chart::Shares(Shares { measure: "mean F1 of actions".to_owned(), rows: subjects.iter().filter_map(row).collect() })
}

fn of_subject<'a>(results: &[&'a ActionResult], subject: &str) -> Vec<&'a ActionResult> {
    results.iter().filter(|r| r.subject == subject).copied().collect()
}

/// The agreement of actions whose truth is known.
fn scores(results: &[&ActionResult]) -> Vec<Score> {
    let agreed = results.iter().filter_map(|r| r.agreement);
    agreed.map(|a| Score { precision: a.precision, recall: a.recall, f1: a.f1 }).collect()
}

/// What preconditions that permit everything would score.
fn nothing(results: &[&ActionResult]) -> Vec<Score> {
    let known = results.iter().filter_map(|r| Some((r.agreement?, r.instances)));
    known.map(|(a, all)| Score::new(part(a.truth, all).unwrap_or(1.0), 1.0)).collect()
}

/// The bootstrap over actions of the F1 of means, or of the mean of their own F1.
fn f1_interval(scores: &[Score], own: bool) -> Option<Interval> {
    bootstrap(scores, |drawn| {
        let drawn: Vec<Score> = drawn.iter().map(|score| **score).collect();
        Mean::of(&drawn).map_or(f64::NAN, |mean| if own { mean.of_f1 } else { mean.of_means.f1 })
    })
}

const FIGURES: [&str; 9] = ["precision", "recall", "F1", "95 %", "mean F1", "95 %", "held", "covered", "assertions"];

/// Averages over actions; those of no known truth, or that failed, take no part in the figures of Equation 2.
fn averages(results: &[&ActionResult]) -> Vec<String> {
    let sum = |value: fn(&ActionResult) -> usize| results.iter().map(|r| value(r)).sum::<usize>();
    let mut cells = agreement(&scores(results));
    cells.extend([
        share(part(sum(|r| r.held), sum(|r| r.calls))),
        share(part(sum(|r| r.satisfied), sum(|r| r.instances))),
        sum(|r| r.assertions.len()).to_string(),
    ]);
    cells
}

/// Equation 2 averaged over actions.
fn agreement(scores: &[Score]) -> Vec<String> {
    let mean = Mean::of(scores);
    let of_means = mean.map(|m| m.of_means);
    vec![
        share(of_means.map(|m| m.precision)),
        share(of_means.map(|m| m.recall)),
        share(of_means.map(|m| m.f1)),
        in_words(f1_interval(scores, false), 3),
        share(mean.map(|m| m.of_f1)),
        in_words(f1_interval(scores, true), 3),
    ]
}

/// The row of preconditions that permit everything, where a truth is known.
fn asserts_nothing(results: &[&ActionResult]) -> Option<Vec<String>> {
    let scores = nothing(results);
    let ones = share((!scores.is_empty()).then_some(1.0));
    (!scores.is_empty()).then(|| {
        let mut cells = agreement(&scores);
        cells.extend([ones.clone(), ones, "0".to_owned()]);
        cells
    })
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
        row(subject, &of_subject(results, subject));
    }
    if subjects.len() > 1 {
        row("all", results);
    }
    if let Some(cells) = asserts_nothing(results) {
        table.row(["asserts nothing".to_owned(), results.len().to_string()].into_iter().chain(cells));
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
        if let Some(truth) = &result.truth {
            table.line(format!("    true   {}", or_nothing(truth)));
        }
        if let Some((predicted, truth)) = in_print(result) {
            table.line(format!("    paper  {}; true: {}", or_nothing(predicted), or_nothing(truth)));
        }
    }
    // The intervals and the number of assertions have no column here.
    let brief = |cells: Vec<String>| -> Vec<String> {
        cells.into_iter().enumerate().filter(|(at, _)| [0, 1, 2, 6, 7].contains(at)).map(|(_, cell)| cell).collect()
    };
    let all = averages(results);
    let mean = all.get(4).cloned().unwrap_or_default();
    table.row(["all".to_owned(), count(results.len(), "action")].into_iter().chain(brief(all)));
    if let Some(cells) = asserts_nothing(results) {
        table.row(["asserts nothing".to_owned(), String::new()].into_iter().chain(brief(cells)));
    }
    table.line(format!("mean of the actions' own F1: {mean}"));
    table
}

fn or_nothing<S: AsRef<str>>(assertions: &[S]) -> String {
    let texts: Vec<&str> = assertions.iter().map(AsRef::as_ref).collect();
    if texts.is_empty() { "nothing".to_owned() } else { texts.join("; ") }
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
    figures.iter().any(Option::is_some).then(|| figures.map(runner::in_print))
}

/// What the paper infers for an action, and what it holds true: Table 1 of a service, Table 4 of ALFWorld.
fn in_print(result: &ActionResult) -> Option<(&'static [&'static str], &'static [&'static str])> {
    let rows: &[(&str, &[&str], &[&str])] = match (result.world.as_str(), result.subject.as_str()) {
        ("household", _) if result.way.demonstrations == TABLE_4_DEMONSTRATIONS => &TABLE_4,
        ("dialogue", TABLE_1_SERVICE) => &TABLE_1,
        _ => return None,
    };
    rows.iter().find(|(action, ..)| *action == result.action).map(|(_, predicted, truth)| (*predicted, *truth))
}

/// The paper's Table 2; with `detail` the rows of Tables 1 and 4 as well, where ours have no such action beside them.
fn paper(world: &str, detail: bool, results: &[ActionResult], report: &mut Report) {
    let rows = PRECONDITIONS.iter().filter(|row| row.place == "Table 2" && row.value("world") == Some(world));
    let measures = [("precision", "precision"), ("recall", "recall"), ("F1", "F1")];
    let table = printed_table(rows, &[("model", "its model")], &measures);
    let what =
        if world == "dialogue" { "10 services of SGD, 10 demonstrations each" } else { "ALFWorld, 12 demonstrations" };
    report.text(format!("\nBeside it, as printed in \"{SOURCE}\", Table 2 ({what}):\n"));
    report.table(table.titled("paper, Table 2"));
    let (place, printed): (&str, &[Inferred]) =
        if world == "dialogue" { ("Table 1 (Buses)", &TABLE_1) } else { ("Table 4 (ALFWorld)", &TABLE_4) };
    if !detail || results.iter().any(|r| r.world == world && in_print(r).is_some()) {
        return;
    }
    report.text(format!("\n{place}:\n"));
    let mut table = Table::new(3, ["action", "predicted", "true"]).titled(format!("paper, {place}"));
    for (action, predicted, truth) in printed {
        table.row([(*action).to_owned(), or_nothing(predicted), or_nothing(truth)]);
    }
    report.table(table);
}
