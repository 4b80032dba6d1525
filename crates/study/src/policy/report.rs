//! Tables of a study of policies, the paper's figures beside ours. Computed from results alone.

use super::metrics::{Compatibility, Counts};
use super::result::PolicyResult;
use super::setting::Setting;
use crate::columns::{self, Cell, Column, Group, UNDER, column, condition, distinct, groups, words};
use crate::curve::{Chart, Plot, ShareOf, Shares};
use crate::interval::Interval;
use crate::paper::{POLICIES, PaperRow, PublishedFigure, model_of_programs};
use crate::report::{Report, Table, refusals};
use stepwright_method::SYMBOLIC;
use stepwright_precondition::Score;
use stepwright_text::words::{count, noun};

/// The results of a setting, or of one service or type of task in it.
type Row<'a> = Group<'a, PolicyResult>;

fn done<'a>(of: &Row<'a>) -> Row<'a> {
    Group::all(of.conditions.clone(), of.lines.iter().copied().filter(|line| line.error.is_none()))
}

fn figure(of: &Row<'_>, figure: impl Fn(&[&PolicyResult]) -> Option<f64>) -> Option<f64> {
    let done = done(of).lines;
    figure(&done).filter(|_| !done.is_empty())
}

/// The bootstrap over episodes of such a figure.
fn spread(of: &Row<'_>, over: impl Fn(&[&PolicyResult]) -> Option<f64>) -> Option<Interval> {
    done(of).bootstrap(|drawn| over(drawn))
}

fn counts(results: &[&PolicyResult]) -> Counts {
    let mut counts = Counts::default();
    results.iter().for_each(|r| counts.add(r.counts.unwrap_or_default()));
    counts
}

fn f1(results: &[&PolicyResult]) -> Option<f64> {
    Some(counts(results).score().f1)
}

fn compatibility(results: &[&PolicyResult]) -> Option<f64> {
    let mut sum = Compatibility::default();
    results.iter().for_each(|r| sum.merge(r.compatibility.unwrap_or_default()));
    sum.share()
}

fn is_won(result: &PolicyResult) -> bool {
    result.won == Some(true)
}

/// The tables of all results, one a world; of dialogues the paper's Figure 3 as well, with ours in it. With `detail` a row a service or
/// type of task.
pub(super) fn report(results: &[PolicyResult], detail: bool) -> Report {
    let mut report = Report::default();
    for world in ["dialogue", "household"] {
        let of_world: Vec<&PolicyResult> = results.iter().filter(|r| r.world == world).collect();
        if of_world.is_empty() {
            continue;
        }
        if of_world.len() < results.len() && world == "household" {
            report.text("\n");
        }
        one(world, &of_world, detail, &mut report);
        paper(world, &mut report);
        if world == "dialogue" {
            report.text("\nFigure 3: F1 over demonstrations. The paper's points are those that its Table 3, its Figure 2 and its text give\n\n");
            report.plot(figure_3(&settings(world, &of_world)));
        }
    }
    report
}

/// A row a setting, whatever the seeds, which are repetitions. The built-in proposer does the same with each of the paper's methods: one row.
fn settings<'a>(world: &'static str, results: &[&'a PolicyResult]) -> Vec<Row<'a>> {
    let mut rows = columns::rows(results.iter().copied(), |r| conditions(world, r));
    rows.sort_by(|a, b| setting(a).cmp(&setting(b)));
    rows
}

/// The setting that a row's results share, but for its seed.
fn setting<'a>(of: &Row<'a>) -> Option<&'a Setting> {
    of.lines.first().map(|line| &line.setting)
}

/// The model that inferred the preconditions of all the paper's policies.
const INFERRED_BY: &str = "StarCoder 16B";

/// The conditions by which settings differ, and by which the paper's figures are found: those of its largest model.
fn conditions(world: &'static str, result: &PolicyResult) -> Vec<(&'static str, String)> {
    let setting = &result.setting;
    let (prompt, sampling) = published(setting);
    let approach = match (prompt, sampling) {
        (Some(false), Some(false)) => "Few-shot prompting",
        (Some(true), Some(false)) => "Precondition prompting",
        (Some(true), Some(true)) => "Ours",
        _ => "-",
    };
    let yes = |yes: Option<bool>| yes.map_or("-", |yes| if yes { "yes" } else { "no" }).to_owned();
    let known = prompt.is_some() && sampling.is_some();
    // The paper's were all inferred by one model (its Section 4.3); those of others and of the built-in enumerator are others.
    let which = setting.preconditions.as_str();
    let printed = match which {
        "inferred" => "-",
        _ if model_of_programs(&setting.preconditions_by) == INFERRED_BY => "inferred",
        which if which.ends_with(".jsonl") => "-",
        which => which,
    };
    // What the paper does not have stands beside none of its figures.
    let model = if known { model_of_programs(&result.under.model(&setting.model)) } else { "-" };
    let held = &setting.preconditions_held;
    let held = if held.is_empty() { String::new() } else { format!("preconditions {held}") };
    vec![
        ("method", named(setting)),
        (UNDER, held),
        ("prompt", yes(prompt)),
        ("sampling", yes(sampling)),
        ("think", yes(Some(setting.think).filter(|_| !is_built_in(setting)))),
        ("in force", in_force(setting)),
        ("our model", setting.model.clone()),
        ("our shots", shots(world == "dialogue", setting)),
        ("shots", setting.shots.to_string()),
        ("assertions", if is_built_in(setting) { String::new() } else { setting.assertions.clone() }),
        ("likelihood", if is_built_in(setting) { String::new() } else { setting.likelihood.clone() }),
        ("world", world.to_owned()),
        ("model", model.to_owned()),
        ("approach", approach.to_owned()),
        ("preconditions", printed.to_owned()),
    ]
}

fn is_dialogue(of: &Row<'_>) -> bool {
    of.condition("world") == "dialogue"
}

/// The first measure: F1 of dialogues, success of tasks.
fn performance(of: &Row<'_>) -> Option<f64> {
    if is_dialogue(of) { figure(of, f1) } else { done(of).share(is_won) }
}

fn spread_of_performance(of: &Row<'_>) -> Option<Interval> {
    if is_dialogue(of) { spread(of, f1) } else { done(of).interval(is_won) }
}

/// The second: the share of what was done whose preconditions held.
fn compatible(of: &Row<'_>) -> Option<f64> {
    figure(of, compatibility)
}

/// The paper's figure of as many tasks as came to a result.
fn printed(of: &Row<'_>, measure: &str) -> Option<PublishedFigure> {
    done(of).printed(&POLICIES, measure)
}

fn table_columns<'a>(dialogue: bool) -> Vec<Column<'a, Row<'a>>> {
    let named = |heading, condition| words(heading, move |of: &Row<'_>| of.condition(condition));
    // No figure of the paper's beside none of ours.
    let printed = |heading, measure, ours: fn(&Row<'_>) -> Option<f64>| {
        column(heading, move |of: &Row<'_>| Cell::Printed(printed(of, measure).filter(|_| ours(of).is_some())))
    };
    let score = |heading, of_score: fn(Score) -> f64| {
        column(heading, move |of: &Row<'_>| Cell::Figure(figure(of, |done| Some(of_score(counts(done).score()))), 3))
    };
    let mut columns = vec![
        condition("method"),
        condition("prompt"),
        condition("sampling"),
        condition("think"),
        named("preconditions", "in force"),
        named("model", "our model"),
        named("shots", "our shots"),
        column(if dialogue { "dialogues" } else { "tasks" }, |of: &Row<'_>| Cell::of(done(of).lines.len())),
    ];
    let measure = if dialogue {
        columns.push(column("turns", |of: &Row<'_>| Cell::of(done(of).sum(|r| r.turns.len() as u64))));
        "F1"
    } else {
        columns.push(column("won", |of: &Row<'_>| Cell::of(done(of).count(is_won))));
        "success"
    };
    columns.push(column(measure, |of: &Row<'_>| Cell::Figure(performance(of), 3)));
    columns.push(column("95 %", |of: &Row<'_>| Cell::Interval(spread_of_performance(of), 3)));
    if dialogue {
        columns.extend([score("precision", |score| score.precision), score("recall", |score| score.recall)]);
    }
    columns.extend([
        column("compat", |of: &Row<'_>| Cell::Figure(compatible(of), 3)),
        column("95 %", |of: &Row<'_>| Cell::Interval(spread(of, compatibility), 3)),
        column("asks", |of: &Row<'_>| Cell::of(of.sum(|r| r.asks.into()))),
        column("tokens", |of: &Row<'_>| of.total(PolicyResult::tokens)),
        column("errors", |of: &Row<'_>| Cell::of(of.count(|r| r.error.is_some()))),
        printed(if dialogue { "paper F1" } else { "paper success" }, measure, performance),
        printed("paper compat", "compat", compatible),
    ]);
    columns
}

fn one(world: &'static str, results: &[&PolicyResult], detail: bool, report: &mut Report) {
    let dialogue = world == "dialogue";
    let rows = settings(world, results);
    let models = groups(rows.iter().filter_map(setting), |setting| vec![("model", setting.model.clone())]);
    let models = models.iter().map(|of| match of.condition("model") {
        model if model == SYMBOLIC => "symbolic (no language model)".to_owned(),
        model => model,
    });
    let kinds = distinct(results.iter().map(|r| r.kind.as_str()));
    let what = if dialogue { "service" } else { "task type" };
    let title =
        if dialogue { "Acts predicted from the recorded turns before" } else { "Household tasks run to their end" };
    report.text(format!("{title} ({}), model {}\n", count(kinds.len(), what), models.collect::<Vec<_>>().join(", "),));
    let mut columns = table_columns(dialogue);
    columns.extend(columns::under(&rows));
    let mut table = Table::of_columns(title, &columns);
    for row in &rows {
        table.add(&columns, row);
        for kind in kinds.iter().filter(|_| detail) {
            // What the paper prints is of all kinds.
            let mut conditions = row.conditions.clone();
            for (name, value) in &mut conditions {
                match *name {
                    "method" => *value = format!("  {kind}"),
                    "model" => *value = "-".to_owned(),
                    _ => {}
                }
            }
            let lines = row.lines.iter().copied().filter(|r| r.kind == *kind);
            table.add(&columns, &Group::all(conditions, lines));
        }
    }
    report.table(table);
    let mut text = "95 %: ".to_owned();
    text.push_str(if dialogue {
        "bootstrap over dialogues\n"
    } else {
        "Wilson of `success`, bootstrap over tasks of `compat`\n"
    });
    text.push_str(&columns::counted_once(&rows, results.len()));
    if results.iter().any(|r| r.error.is_none() && r.compatibility.is_none()) {
        text.push_str("compat counts only services whose true preconditions the data holds\n");
    }
    if results.iter().any(|r| r.setting.model == SYMBOLIC && r.setting.preconditions == "ground-truth") {
        text.push_str(
            "compat of the built-in proposer under the true preconditions is 1 because it offers only what they permit: no measure of it\n",
        );
    }
    let shortened: u32 = results.iter().map(|r| r.shortened).sum();
    if shortened > 0 {
        text.push_str(&format!(
            "{} did not fit the model's context and left something out\n",
            count(shortened, "prompt")
        ));
    }
    text.push_str(&refusals(results.iter().filter_map(|r| Some((r.task.as_str(), r.error.as_deref()?)))));
    report.text(text);
    let measure = if dialogue { "F1" } else { "tasks done" };
    let rows = rows.iter().filter_map(share_of).collect();
    report.chart(Chart::Shares(Shares { measure: measure.to_owned(), rows }));
}

/// Whether the built-in proposer acted, which knows the preconditions in force, whichever of the paper's methods was named.
fn is_built_in(setting: &Setting) -> bool {
    setting.model == SYMBOLIC
        && ["few-shot", "precondition-prompting", "precondition-aware"].contains(&&*setting.method)
}

fn named(setting: &Setting) -> String {
    if is_built_in(setting) {
        return "built-in proposer".to_owned();
    }
    let by_sum = setting.method == "scored" && setting.likelihood == "sum";
    setting.method.clone() + if by_sum { " (sum)" } else { "" }
}

fn share_of(of: &Row<'_>) -> Option<ShareOf> {
    let dialogue = is_dialogue(of);
    let shots = shots(dialogue, setting(of)?);
    let of_shots = noun(shots.parse::<u64>().unwrap_or_default(), "shot");
    let name = format!("{}, {shots} {of_shots}, {}", of.condition("method"), of.condition("in force"));
    let paper = printed(of, if dialogue { "F1" } else { "success" }).and_then(PublishedFigure::number);
    Some(ShareOf { name, share: performance(of)?, interval: spread_of_performance(of), paper })
}

/// The paper's Figure 3 from the data points that its tables and text give, and ours: F1 over demonstrations by model and preconditions.
fn figure_3(rows: &[Row<'_>]) -> Plot {
    // Few-shot prompting knows none, the paper's own method samples until one verifies; precondition prompting is not in the figure.
    let known = |row: &PaperRow| {
        let own = match (row.value("approach"), row.value("prompt"), row.value("sampling")) {
            (Some("Few-shot prompting"), ..) | (_, Some("no"), Some("no")) => "none",
            (Some("Ours"), ..) | (_, Some("yes"), Some("yes")) => row.value("preconditions")?,
            _ => return None,
        };
        (row.value("world") == Some("dialogue")).then_some(own)
    };
    let mut curves: Vec<(String, Vec<(usize, f64)>)> = Vec::new();
    let mut add = |name: String, point: (usize, f64)| match curves.iter_mut().find(|(known, _)| *known == name) {
        Some((_, points)) => points.push(point),
        None => curves.push((name, vec![point])),
    };
    for row in &POLICIES.rows {
        let shots = row.value("shots").and_then(|shots| shots.parse().ok());
        let (Some(which), Some(shots), Some(model)) = (known(row), shots, row.value("model")) else { continue };
        if let Some(PublishedFigure::Number(f1)) = row.figure("F1").filter(|_| !model.starts_with("LLaMA")) {
            add(format!("paper: {model}, preconditions {which}"), (shots, f1));
        }
    }
    for of in rows {
        let Some((setting, f1)) = setting(of).filter(|setting| !setting.think).zip(figure(of, f1)) else { continue };
        let name = format!("{} ({}), preconditions {}", named(setting), setting.model, in_force(setting));
        add(name, (setting.shots, f1));
    }
    let series = curves.into_iter().map(|(name, points)| Plot::of_points(name, 1, &points)).collect();
    Plot { measure: "F1 (Figure 3)".to_owned(), over: "demonstrations".to_owned(), from: 1, series }
}

/// How many demonstrations there were: the built-in proposer learns from all of the household's.
fn shots(dialogue: bool, setting: &Setting) -> String {
    if !dialogue && setting.model == SYMBOLIC { "all".to_owned() } else { setting.shots.to_string() }
}

/// Whether the assertions are in the prompt, and whether samples are drawn until one verifies; `None` for methods that the paper
/// does not have.
fn published(setting: &Setting) -> (Option<bool>, Option<bool>) {
    let prompt = match setting.assertions.as_str() {
        "shown" => Some(true),
        "hidden" => Some(false),
        _ => None,
    };
    match setting.method.as_str() {
        // The built-in proposer reads no prompt and draws no samples; it offers only what its assertions permit.
        _ if setting.model == SYMBOLIC => (None, None),
        "few-shot" => (prompt.or(Some(false)), Some(false)),
        "precondition-prompting" => (prompt.or(Some(true)), Some(false)),
        "precondition-aware" => (prompt.or(Some(true)), Some(true)),
        _ => (prompt, None),
    }
}

/// The preconditions of a setting in words: what is neither in prompts nor verified by is in force to no effect.
fn in_force(setting: &Setting) -> String {
    let of = &setting.preconditions;
    match published(setting) {
        (Some(false), Some(false)) if of != "none" => format!("{of}, not used"),
        _ => of.clone(),
    }
}

fn paper(world: &str, report: &mut Report) {
    let is_of = |row: &PaperRow, place: &str| row.place == place && row.value("world") == Some(world);
    let given = ("preconditions", "preconditions");
    report.text(format!(
        "\nBeside it, as printed in \"{}\" (the columns `paper …` above: where model, method, shots, preconditions and number are the paper's)\n",
        POLICIES.source
    ));
    let measures = if world == "dialogue" {
        let varies =
            [("model", "Figure 2 (SGD)"), ("prompt", "prompt"), ("sampling", "sampling"), given, ("shots", "shots")];
        let table = POLICIES.table(|row| is_of(row, "Figure 2"), &varies, &[("F1", "F1"), ("compat", "compat")]);
        report.table(table.titled("paper, Figure 2"));
        [("F1", "F1"), ("compat", "compat")]
    } else {
        [("success", "success"), ("compat", "compat")]
    };
    let what = if world == "dialogue" { "Table 3 (SGD, 4 shots)" } else { "Table 3 (ALFWorld)" };
    let varies = [("model", what), ("approach", "approach"), ("think", "think"), given];
    report.table(POLICIES.table(|row| is_of(row, "Table 3"), &varies, &measures).titled("paper, Table 3"));
}
