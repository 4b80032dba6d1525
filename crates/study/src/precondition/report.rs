//! Tables of a study of preconditions: ours by service or action, the paper's beside them. Computed from results alone.

use std::collections::BTreeSet;

use super::result::{ActionResult, Approach, Way};
use crate::columns::{self, Cell, Column, Conditions, Group, UNDER, column, counted_once, groups, words};
use crate::curve::{Chart, ShareOf, Shares};
use crate::interval::{Interval, bootstrap};
use crate::paper::{PRECONDITIONS, PaperRow, PublishedFigure, model_of_programs};
use crate::report::{Report, Table, refusals};
use stepwright_precondition::{COMPLETION_TOKENS, Mean, Score};
use stepwright_text::words::count;

/// The actions of a table, of a service, or of none but themselves.
type Row<'a> = Group<'a, ActionResult>;

/// The tables of all results, one a model, approach and number of demonstrations; with `detail` a row an action, with what was inferred
/// and what is true.
pub(super) fn report(results: &[ActionResult], detail: bool) -> Report {
    let of = |r: &ActionResult, approach| (r.world.clone(), approach, Way { seed: 0, ..r.way.clone() });
    // Seeds are repetitions.
    let mut tables = columns::rows(results, |r| vec![("inferred", format!("{:?}", of(r, r.approach)))]);
    tables.sort_by_cached_key(|table| table.lines.first().map(|r| of(r, r.approach)));
    let mut report = Report::default();
    // Equation (1) alone is a row of the table of the evidence rule.
    let is_alone = |table: &&Row<'_>| table.lines.first().is_some_and(|r| r.approach == Approach::Equation);
    for (at, table) in tables.iter().filter(|table| !is_alone(table)).enumerate() {
        report.text(if at > 0 { "\n" } else { "" });
        let own = table.lines.first().map(|r| of(r, r.approach));
        let beside = |t: &&Row<'_>| {
            t.condition(UNDER) == table.condition(UNDER) && t.lines.first().map(|r| of(r, Approach::Enumerated)) == own
        };
        let alone = tables.iter().filter(is_alone).find(beside).cloned();
        one(table, &alone.unwrap_or_else(|| Group::all(Vec::new(), [])), detail, &mut report);
    }
    report.text(counted_once(&tables, results.len()));
    for world in ["dialogue", "household"] {
        if results.iter().any(|r| r.world == world) {
            paper(world, detail, results, &mut report);
        }
    }
    report
}

fn one(all: &Row<'_>, alone: &Row<'_>, detail: bool, report: &mut Report) {
    let results = &all.lines;
    let Some(first) = results.first() else { return };
    let subjects = groups(results.iter().copied(), |r| vec![("service", r.subject.clone())]);
    let episodes: usize = subjects.iter().filter_map(|of| of.lines.iter().map(|r| r.episodes).max()).sum();
    let model = match first.approach {
        Approach::Enumerated => "the built-in enumerator, evidence rule, no language model".to_owned(),
        Approach::Prompted => {
            format!("{}, the first greedy completion alone, {}", first.way.model, first.approach.words())
        }
        approach => {
            let Way { model, samples, temperature, .. } = &first.way;
            let samples = count(*samples, "sample");
            format!("{model}, {samples} a demonstration at temperature {temperature}, {}", approach.words())
        }
    };
    let of_what = if first.world == "dialogue" { count(subjects.len(), "service") } else { first.subject.clone() };
    // As many as there were, however many were asked for.
    let shown = count(results.iter().map(|r| r.shown).max().unwrap_or_default(), "demonstration");
    let (units, inferred) = (all.units().len(), inferred(all));
    let of_all = if inferred < units { format!("{inferred} of ") } else { String::new() };
    report.text(format!(
        "Preconditions of {of_all}{} of {of_what}, inferred from up to {shown} each ({model}); Equation 2 on {}{}{}\n",
        count(units, "action"),
        count(episodes, "other episode"),
        results.iter().find_map(|r| r.truth_from.as_deref()).map(|of| format!(", truth: {of}")).unwrap_or_default(),
        apart(all),
    ));
    let name = format!("{model}, {shown}");
    report.table(if detail { by_action(name, all, alone) } else { by_subject(name, all, alone, &subjects) });
    // With a row an action there is no interval.
    let interval = if detail { "" } else { ". 95 %: bootstrap over actions" };
    let mut text = format!("{NOTHING}{interval}\n");
    if detail && results.iter().any(|r| in_print(r).is_some()) {
        text.push_str(&format!(
            "Lines `paper`: what \"{}\" infers for the action (Table 1, Table 4), then what it holds true\n",
            PRECONDITIONS.source
        ));
    }
    if first.approach != Approach::Enumerated {
        let sampling = if first.approach == Approach::Prompted { "" } else { "samples, temperature, " };
        text.push_str(&format!(
            "Own choices, of which the paper states none: {sampling}{COMPLETION_TOKENS} tokens at most, stop at an empty line or a definition\n"
        ));
    }
    let unmeasured = all.count(ActionResult::is_unmeasured);
    if unmeasured > 0 {
        text.push_str(&format!(
            "{unmeasured} of {} cannot be measured: no call in the episodes says with what arguments; the means are without\n",
            counted(all),
        ));
    }
    // Where all failed nothing is scored, whatever is known.
    let is_unknown = |of: &&Row<'_>| of.count(|r| r.truth_from.is_some()) == 0 && of.count(|r| r.error.is_none()) > 0;
    let unknown = subjects.iter().filter(is_unknown);
    let unknown: Vec<String> = unknown.map(|of| of.condition("service")).collect();
    if !unknown.is_empty() {
        text.push_str(&format!(
            "Nothing is known to be true of {}: only how often the inferred hold at the calls (held), and at how many instances \
             (covered). Name a file with --truth to compare.\n",
            unknown.join(", ")
        ));
    }
    let known = all.count(|r| r.truth_from.is_some());
    if known > 0 && known < results.len() {
        let have = if known == 1 { "has" } else { "have" };
        text.push_str(&format!(
            "{known} of {} {have} known preconditions; precision, recall and F1 are theirs\n",
            counted(all),
        ));
    }
    let failed = all.count(|r| r.error.is_some());
    if failed > 0 && failed < results.len() {
        text.push_str(&format!("{failed} of {} failed; the figures are of the others\n", counted(all)));
    }
    // An ask that failed is in the table of what was validated too, where why is said.
    let asked = results.iter().filter(|r| r.approach != Approach::Prompted);
    let why: Vec<(String, &str)> = asked.filter_map(|r| Some((failed_at(r, all), r.error.as_deref()?))).collect();
    text.push_str(&refusals(why.iter().map(|(what, why)| (what.as_str(), *why))));
    report.text(text);
    report.chart(chart(&subjects));
}

/// What failed, with its seed where there are several.
fn failed_at(result: &ActionResult, all: &Row<'_>) -> String {
    let seed = if has_seeds(all) { format!(", seed {}", result.way.seed) } else { String::new() };
    format!("{} of {}{seed}", result.action, result.subject)
}

/// How many actions there are figures of: the others failed.
fn inferred(of: &Row<'_>) -> usize {
    of.units().iter().filter(|unit| unit.iter().any(|r| r.error.is_none())).count()
}

/// The lines of a table in words: actions, or results where repetitions give an action several.
fn counted(all: &Row<'_>) -> String {
    let lines = all.lines.len();
    count(lines, if lines > all.units().len() { "result" } else { "action" })
}

fn seeds(all: &Row<'_>) -> BTreeSet<u64> {
    all.lines.iter().map(|r| r.way.seed).collect()
}

/// Whether actions have results of several seeds.
fn has_seeds(all: &Row<'_>) -> bool {
    seeds(all).len() > 1
}

/// What tells a table from others beside its heading; with how many seeds it was measured.
fn apart(all: &Row<'_>) -> String {
    let seeds = seeds(all);
    let held = all.lines.first().and_then(|r| r.way.truth_file.as_deref()).map(|held| format!(" (it holds {held})"));
    let under = Some(all.condition(UNDER)).filter(|under| !under.is_empty()).map(|under| format!("; {under}"));
    let several = has_seeds(all).then(|| format!("; {}", count(seeds.len(), "seed")));
    [held, under, several].into_iter().flatten().collect()
}

/// The row of the same candidates, ranked as the paper does.
const ALONE: &str = "Equation (1) alone";

/// Below each table.
const NOTHING: &str = "`asserts nothing`: the figures of preconditions that permit every action, for comparison";

/// The mean F1 of each subject, for files.
fn chart(subjects: &[Row<'_>]) -> Chart {
    let row = |of: &Row<'_>| {
        let scores = scores(of);
        let share = Mean::of(&scores.concat())?.of_f1;
        Some(ShareOf { name: of.condition("service"), share, interval: f1_interval(&scores, true), paper: None })
    };
    Chart::Shares(Shares { measure: "mean F1 of actions".to_owned(), rows: subjects.iter().filter_map(row).collect() })
}

/// The scores of each action.
fn by_unit(of: &Row<'_>, score: impl Fn(&ActionResult) -> Option<Score>) -> Vec<Vec<Score>> {
    let units = of.units().into_iter().map(|unit| unit.into_iter().filter_map(&score).collect());
    units.filter(|unit: &Vec<Score>| !unit.is_empty()).collect()
}

/// The agreement of actions whose truth is known.
pub(super) fn scores(of: &Row<'_>) -> Vec<Vec<Score>> {
    by_unit(of, |r| r.agreement.map(|a| Score { precision: a.precision, recall: a.recall, f1: a.f1 }))
}

pub(super) fn nothing(of: &Row<'_>) -> Vec<Vec<Score>> {
    by_unit(of, |r| Some(Score::new(part(r.agreement?.truth, r.instances).unwrap_or(1.0), 1.0)))
}

/// The bootstrap over actions of the F1 of means, or of the mean of their own F1.
pub(super) fn f1_interval(scores: &[Vec<Score>], own: bool) -> Option<Interval> {
    bootstrap(scores, |drawn| {
        let drawn: Vec<Score> = drawn.iter().flat_map(|unit| unit.iter().copied()).collect();
        Mean::of(&drawn).map_or(f64::NAN, |mean| if own { mean.of_f1 } else { mean.of_means.f1 })
    })
}

pub(super) fn part(of: usize, all: usize) -> Option<f64> {
    (all > 0).then(|| of as f64 / all as f64)
}

/// Actions with their figures: averages, in which those of no known truth, or that failed, take no part in Equation 2.
struct Figures<'a> {
    name: [String; 2],
    of: Row<'a>,
    /// Of each action, with every seed.
    scores: Vec<Vec<Score>>,
    held: Option<f64>,
    covered: Option<f64>,
    /// Of each action as many as it has on average over seeds.
    assertions: f64,
}

impl<'a> Figures<'a> {
    fn new(name: [String; 2], of: Row<'a>) -> Self {
        let sum = |value: fn(&ActionResult) -> usize| of.lines.iter().map(|r| value(r)).sum::<usize>();
        Figures {
            scores: scores(&of),
            held: part(sum(|r| r.held), sum(|r| r.calls)),
            covered: part(sum(|r| r.satisfied), sum(|r| r.instances)),
            assertions: assertions(&of),
            name,
            of,
        }
    }

    /// Those of preconditions that permit everything, where a truth is known.
    fn of_nothing(name: [String; 2], of: &Row<'a>) -> Option<Self> {
        let scores = nothing(of);
        let of = Group::all(Vec::new(), []);
        let (held, covered) = (Some(1.0), Some(1.0));
        (!scores.is_empty()).then_some(Figures { scores, held, covered, assertions: 0.0, name, of })
    }

    fn mean(&self, figure: fn(Mean) -> f64) -> Cell {
        Cell::Figure(Mean::of(&self.scores.concat()).map(figure), 3)
    }
}

/// The assertions of a row's actions, of each the mean over seeds: those that failed have none.
fn assertions(of: &Row<'_>) -> f64 {
    let mean = |unit: Vec<&ActionResult>| {
        let done: Vec<usize> = unit.iter().filter(|r| r.error.is_none()).map(|r| r.assertions.len()).collect();
        done.iter().sum::<usize>() as f64 / done.len().max(1) as f64
    };
    of.units().into_iter().map(mean).fold(0.0, |sum, mean| sum + mean)
}

/// The figures of Equation 2, and how often the assertions hold.
fn measured<'a>() -> ([Column<'a, Figures<'a>>; 3], [Column<'a, Figures<'a>>; 2]) {
    let agreement = [
        column("precision", |row: &Figures<'_>| row.mean(|mean| mean.of_means.precision)),
        column("recall", |row: &Figures<'_>| row.mean(|mean| mean.of_means.recall)),
        column("F1", |row: &Figures<'_>| row.mean(|mean| mean.of_means.f1)),
    ];
    let held = [
        column("held", |row: &Figures<'_>| Cell::Figure(row.held, 3)),
        column("covered", |row: &Figures<'_>| Cell::Figure(row.covered, 3)),
    ];
    (agreement, held)
}

fn by_subject(title: String, all: &Row<'_>, alone: &Row<'_>, subjects: &[Row<'_>]) -> Table {
    let named = |name: &str, of: &Row<'_>| [name.to_owned(), inferred(of).to_string()];
    let own = |of: &Row<'_>| named(&of.condition("service"), of);
    let mut rows: Vec<Figures<'_>> = subjects.iter().map(|of| Figures::new(own(of), of.clone())).collect();
    if subjects.len() > 1 {
        rows.push(Figures::new(named("all", all), all.clone()));
    }
    rows.extend((!alone.lines.is_empty()).then(|| Figures::new(named(ALONE, alone), alone.clone())));
    rows.extend(Figures::of_nothing(named("asserts nothing", all), all));
    let mut columns = vec![
        words("service", |row: &Figures<'_>| row.name[0].clone()),
        column("actions", |row: &Figures<'_>| Cell::of(&row.name[1])),
    ];
    let (agreement, held) = measured();
    columns.extend(agreement);
    columns.extend([
        column("95 %", |row: &Figures<'_>| Cell::Interval(f1_interval(&row.scores, false), 3)),
        column("mean F1", |row: &Figures<'_>| row.mean(|mean| mean.of_f1)),
        column("95 %", |row: &Figures<'_>| Cell::Interval(f1_interval(&row.scores, true), 3)),
    ]);
    columns.extend(held);
    columns.push(column("assertions", |row: &Figures<'_>| {
        let is_whole = (row.assertions - row.assertions.round()).abs() < 0.05;
        Cell::Figure(Some(row.assertions), usize::from(!is_whole))
    }));
    Table::of(title, &columns, &rows)
}

const SEED: &str = "seed";

/// An action and under what it was inferred, by which the paper's figures are found.
fn conditions(result: &ActionResult) -> Conditions {
    let approach = if result.approach == Approach::Prompted { "Prompting" } else { "Ours" };
    vec![
        ("world", result.world.clone()),
        ("service", result.subject.clone()),
        ("action", result.action.clone()),
        ("approach", approach.to_owned()),
        ("demonstrations", result.way.demonstrations.to_string()),
        ("model", model_of_programs(&result.under.model(&result.way.model)).to_owned()),
        ("tests", result.episodes.to_string()),
        (SEED, result.way.seed.to_string()),
    ]
}

fn by_action(title: String, all: &Row<'_>, alone: &Row<'_>) -> Table {
    let rows: Vec<Row<'_>> = all.lines.iter().map(|result| Group::all(conditions(result), [*result])).collect();
    let mut columns = vec![
        words("service", |row: &Figures<'_>| row.name[0].clone()),
        words("action", |row: &Figures<'_>| row.name[1].clone()),
    ];
    // By which alone rows of one action differ.
    columns.extend(has_seeds(all).then(|| words(SEED, |row: &Figures<'_>| row.of.condition(SEED))));
    let (agreement, held) = measured();
    columns.extend(agreement);
    columns.extend(held);
    if rows.iter().any(|of| of.printed(&PRECONDITIONS, "F1").is_some()) {
        for (heading, measure) in [("paper: P", "precision"), ("R", "recall"), ("F1", "F1")] {
            columns.push(column(heading, move |row: &Figures<'_>| {
                row.of
                    .printed(&PRECONDITIONS, measure)
                    .map_or_else(|| Cell::of(""), |figure| Cell::Printed(Some(figure)))
            }));
        }
    }
    let mut table = Table::of_columns(title, &columns);
    for (of, result) in rows.iter().zip(&all.lines) {
        let name = [result.subject.clone(), result.action.clone()];
        table.add(&columns, &Figures::new(name, of.clone()));
        for assertion in &result.assertions {
            table.line(format!("    assert {assertion}"));
        }
        if let Some(truth) = &result.truth {
            table.line(format!("    true   {}", or_nothing(truth)));
        }
        if let Some((predicted, truth)) = in_print(result) {
            table.line(format!("    paper  {predicted}; true: {truth}"));
        }
    }
    // The intervals and the number of assertions have no column here.
    let named = |name: &str, rest: String| [name.to_owned(), rest];
    let whole = Group::all(Vec::new(), all.lines.iter().copied());
    let figures = Figures::new(named("all", count(inferred(all), "action")), whole);
    table.add(&columns, &figures);
    if !alone.lines.is_empty() {
        table.add(&columns, &Figures::new(named(ALONE, String::new()), alone.clone()));
    }
    if let Some(nothing) = Figures::of_nothing(named("asserts nothing", String::new()), all) {
        table.add(&columns, &nothing);
    }
    table.line(format!("mean of the actions' own F1: {}", figures.mean(|mean| mean.of_f1)));
    table
}

fn or_nothing<S: AsRef<str>>(assertions: &[S]) -> String {
    let texts: Vec<&str> = assertions.iter().map(AsRef::as_ref).collect();
    if texts.is_empty() { "nothing".to_owned() } else { texts.join("; ") }
}

/// The paper's inferred and true assertions of an action: Table 1 of a service, Table 4 of ALFWorld.
fn in_print(result: &ActionResult) -> Option<(PublishedFigure, PublishedFigure)> {
    let of = Group::all(conditions(result), [result]);
    of.printed(&PRECONDITIONS, "predicted").zip(of.printed(&PRECONDITIONS, "true"))
}

/// The paper's Table 2; with `detail` the rows of Tables 1 and 4 as well, where ours have no such action beside them.
fn paper(world: &str, detail: bool, results: &[ActionResult], report: &mut Report) {
    let measures = [("precision", "precision"), ("recall", "recall"), ("F1", "F1")];
    let is_of = |row: &PaperRow| row.place == "Table 2" && row.value("world") == Some(world);
    let table = PRECONDITIONS.table(is_of, &[("model", "its model")], &measures);
    let what =
        if world == "dialogue" { "10 services of SGD, 10 demonstrations each" } else { "ALFWorld, 12 demonstrations" };
    report.text(format!("\nBeside it, as printed in \"{}\", Table 2 ({what}):\n", PRECONDITIONS.source));
    report.table(table.titled("paper, Table 2"));
    if !detail || results.iter().any(|r| r.world == world && in_print(r).is_some()) {
        return;
    }
    let place = if world == "dialogue" { "Table 1 (Buses)" } else { "Table 4 (ALFWorld)" };
    report.text(format!("\n{place}:\n"));
    let columns = [("predicted", "predicted"), ("true", "true")];
    let table = PRECONDITIONS.table(|row| row.place == place, &[("action", "action")], &columns);
    report.table(table.titled(format!("paper, {place}")));
}
