//! Tables of a study of policies, the paper's figures beside ours. Computed from results alone.

use super::metrics::{Compatibility, Counts};
use super::result::PolicyResult;
use super::setting::Setting;
use crate::curve::{Chart, Plot, ShareOf, Shares};
use crate::paper::{POLICIES, SOURCE};
use crate::report::{Report, Table};
use crate::runner::{self, Interval, PaperRow, Printed, beside, bootstrap, in_words, printed_table, wilson};
use crate::table::{count, share};
use stepwright_driver::SYMBOLIC;

/// What the results of one setting sum up to.
#[derive(Default)]
struct Sum<'a> {
    /// Those that were done to their end.
    done: Vec<&'a PolicyResult>,
    turns: usize,
    won: usize,
    asks: u64,
    tokens: u64,
    errors: usize,
}

impl<'a> Sum<'a> {
    fn of(results: &[&'a PolicyResult]) -> Self {
        let mut sum = Sum::default();
        for result in results {
            sum.asks += u64::from(result.asks);
            sum.tokens = sum.tokens.saturating_add(result.prompt_tokens).saturating_add(result.completion_tokens);
            if result.error.is_some() {
                sum.errors += 1;
                continue;
            }
            sum.done.push(result);
            sum.turns += result.turns.len();
            sum.won += usize::from(result.won == Some(true));
        }
        sum
    }

    /// A figure of all that was done, with its bootstrap over episodes.
    fn figure(&self, of: impl Fn(&[&PolicyResult]) -> Option<f64>) -> (Option<f64>, Option<Interval>) {
        let figure = of(&self.done).filter(|_| !self.done.is_empty());
        let over = |drawn: &[&&PolicyResult]| of(&drawn.iter().map(|r| **r).collect::<Vec<_>>()).unwrap_or(f64::NAN);
        (figure, figure.and_then(|_| bootstrap(&self.done, over)))
    }
}

/// True and false positives and false negatives of all turns.
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
            report.plot(figure_3(&of_world));
        }
    }
    report
}

/// The settings of results, without their seeds, which are repetitions.
fn settings(results: &[&PolicyResult]) -> Vec<Setting> {
    let mut settings: Vec<Setting> = Vec::new();
    for result in results {
        let setting = Setting { seed: 0, ..result.setting.clone() };
        if !settings.contains(&setting) {
            settings.push(setting);
        }
    }
    settings.sort();
    settings
}

fn of_setting<'a>(results: &[&'a PolicyResult], setting: &Setting) -> Vec<&'a PolicyResult> {
    results.iter().filter(|r| Setting { seed: 0, ..r.setting.clone() } == *setting).copied().collect()
}

fn one(world: &str, results: &[&PolicyResult], detail: bool, report: &mut Report) {
    let settings = settings(results);
    let mut models: Vec<&str> = settings.iter().map(|s| s.model.as_str()).collect();
    models.dedup();
    let dialogue = world == "dialogue";
    let mut kinds: Vec<&str> = results.iter().map(|r| r.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let what = if dialogue { "service" } else { "task type" };
    let title =
        if dialogue { "Acts predicted from the recorded turns before" } else { "Household tasks run to their end" };
    report.text(format!(
        "{title} ({}), model {}\n",
        count(kinds.len(), what),
        models
            .iter()
            .map(|m| if *m == SYMBOLIC { "symbolic (no language model)" } else { m })
            .collect::<Vec<_>>()
            .join(", "),
    ));
    let figures: &[&str] = if dialogue {
        &["dialogues", "turns", "F1", "95 %", "precision", "recall"]
    } else {
        &["tasks", "won", "success", "95 %"]
    };
    let rest = [
        "compat",
        "95 %",
        "asks",
        "tokens",
        "errors",
        if dialogue { "paper F1" } else { "paper success" },
        "paper compat",
    ];
    let headings = ["method", "prompt", "sampling", "think", "preconditions", "model", "shots"];
    let mut table = Table::new(6, headings.iter().chain(figures).chain(&rest)).titled(title);
    let mut shares = Vec::new();
    for setting in &settings {
        let of = of_setting(results, setting);
        let sum = Sum::of(&of);
        let own = row(dialogue, setting, &sum);
        shares.extend(share_of(dialogue, setting, &sum));
        table.row(own.into_iter().chain(printed_beside(world, setting).map(runner::in_print)));
        for kind in kinds.iter().filter(|_| detail) {
            let own: Vec<&PolicyResult> = of.iter().filter(|r| r.kind == **kind).copied().collect();
            let mut cells = row(dialogue, setting, &Sum::of(&own));
            cells[0] = format!("  {kind}");
            table.row(cells.into_iter().chain(["-", "-"].map(str::to_owned)));
        }
    }
    report.table(table);
    let mut text = "95 %: ".to_owned();
    text.push_str(if dialogue {
        "bootstrap over dialogues\n"
    } else {
        "Wilson of `success`, bootstrap over tasks of `compat`\n"
    });
    if results.iter().any(|r| r.error.is_none() && r.compatibility.is_none()) {
        text.push_str("compat counts only services whose true preconditions the data holds\n");
    }
    if settings.iter().any(|s| s.model == SYMBOLIC && s.preconditions == "ground-truth") {
        text.push_str(
            "compat of the built-in proposer under the true preconditions is 1 because it offers only what they permit: no measure of it\n",
        );
    }
    let shortened: u32 = results.iter().map(|r| r.shortened).sum();
    if shortened > 0 {
        text.push_str(&format!(
            "{} did not fit the model's context and left something out\n",
            count(shortened as usize, "prompt")
        ));
    }
    for failed in results.iter().filter(|r| r.error.is_some()).take(5) {
        text.push_str(&format!("{}: {}\n", failed.task, failed.error.as_deref().unwrap_or_default()));
    }
    report.text(text);
    let measure = if dialogue { "F1" } else { "tasks done" };
    report.chart(Chart::Shares(Shares { measure: measure.to_owned(), rows: shares }));
}

/// The cells of a setting but for the paper's.
fn row(dialogue: bool, setting: &Setting, sum: &Sum<'_>) -> Vec<String> {
    let (prompt, sampling) = conditions(setting);
    let yes = |yes: Option<bool>| yes.map_or("-", |yes| if yes { "yes" } else { "no" }).to_owned();
    let known = sum.done.len();
    let mut cells = vec![
        named(setting),
        yes(prompt),
        yes(sampling),
        yes(Some(setting.think)),
        setting.preconditions.clone(),
        setting.model.clone(),
        shots(dialogue, setting),
        known.to_string(),
    ];
    if dialogue {
        let score = counts(&sum.done).score();
        let (figure, interval) = sum.figure(f1);
        cells.extend([sum.turns.to_string(), share(figure), in_words(interval, 3)]);
        cells.extend([score.precision, score.recall].map(|figure| share((known > 0).then_some(figure))));
    } else {
        let success = (known > 0).then(|| sum.won as f64 / known as f64);
        cells.extend([sum.won.to_string(), share(success), in_words(wilson(sum.won, known), 3)]);
    }
    let (compatible, interval) = sum.figure(compatibility);
    cells.extend([share(compatible), in_words(interval, 3)]);
    cells.extend([sum.asks.to_string(), sum.tokens.to_string(), sum.errors.to_string()]);
    cells
}

/// The method's name; of scored actions with what ranks them.
fn named(setting: &Setting) -> String {
    let by_sum = setting.method == "scored" && setting.likelihood == "sum";
    setting.method.clone() + if by_sum { " (sum)" } else { "" }
}

/// The F1 or success of a setting, for files.
fn share_of(dialogue: bool, setting: &Setting, sum: &Sum<'_>) -> Option<ShareOf> {
    let success = |results: &[&PolicyResult]| {
        let won = results.iter().filter(|r| r.won == Some(true)).count();
        (!results.is_empty()).then(|| won as f64 / results.len() as f64)
    };
    let (figure, interval) = if dialogue { sum.figure(f1) } else { sum.figure(success) };
    let interval = if dialogue { interval } else { wilson(sum.won, sum.done.len()) };
    let [paper, _] = printed_beside(if dialogue { "dialogue" } else { "household" }, setting);
    let paper = paper.and_then(|figure| if let Printed::Number(figure) = figure { Some(figure) } else { None });
    let shots = shots(dialogue, setting);
    let noun = if shots == "1" { "shot" } else { "shots" };
    let name = format!("{}, {shots} {noun}, {}", named(setting), setting.preconditions);
    Some(ShareOf { name, share: figure?, interval, paper })
}

/// The paper's Figure 3 from the data points that its tables and text give, and ours: F1 over demonstrations by model and preconditions.
fn figure_3(results: &[&PolicyResult]) -> Plot {
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
    for row in &POLICIES {
        let shots = row.value("shots").and_then(|shots| shots.parse().ok());
        let (Some(which), Some(shots), Some(model)) = (known(row), shots, row.value("model")) else { continue };
        if let Some(Printed::Number(f1)) = row.figure("F1").filter(|_| !model.starts_with("LLaMA")) {
            add(format!("paper: {model}, preconditions {which}"), (shots, f1));
        }
    }
    for setting in settings(results).into_iter().filter(|setting| !setting.think) {
        if let (Some(f1), _) = Sum::of(&of_setting(results, &setting)).figure(f1) {
            let name = format!("{} ({}), preconditions {}", named(&setting), setting.model, setting.preconditions);
            add(name, (setting.shots, f1));
        }
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
fn conditions(setting: &Setting) -> (Option<bool>, Option<bool>) {
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

/// The paper's figures for the same condition with its largest model: F1 or success, and compatibility.
fn printed_beside(world: &str, setting: &Setting) -> [Option<Printed>; 2] {
    let (Some(prompt), Some(sampling)) = conditions(setting) else { return [None, None] };
    let approach = match (prompt, sampling) {
        (false, false) => "Few-shot prompting",
        (true, false) => "Precondition prompting",
        (true, true) => "Ours",
        (false, true) => "-",
    };
    let yes = |yes: bool| if yes { "yes" } else { "no" };
    // The results of a study of preconditions were inferred, too.
    let inferred = setting.preconditions.ends_with(".jsonl");
    let ours = [
        ("world", world),
        ("model", "StarCoder 16B"),
        ("approach", approach),
        ("prompt", yes(prompt)),
        ("sampling", yes(sampling)),
        ("think", yes(setting.think)),
        ("shots", &setting.shots.to_string()),
        ("preconditions", if inferred { "inferred" } else { setting.preconditions.as_str() }),
    ];
    let performance = if world == "dialogue" { "F1" } else { "success" };
    [performance, "compat"].map(|measure| beside(&POLICIES, &ours, measure))
}

/// The paper's own tables.
fn paper(world: &str, report: &mut Report) {
    let rows = |place: &'static str| {
        POLICIES.iter().filter(move |row| row.place == place && row.value("world") == Some(world))
    };
    let given = ("preconditions", "preconditions");
    report.text(format!("\nBeside it, as printed in \"{SOURCE}\" (the columns `paper …` above: its 16B model)\n"));
    let measures = if world == "dialogue" {
        let varies =
            [("model", "Figure 2 (SGD)"), ("prompt", "prompt"), ("sampling", "sampling"), given, ("shots", "shots")];
        let table = printed_table(rows("Figure 2"), &varies, &[("F1", "F1"), ("compat", "compat")]);
        report.table(table.titled("paper, Figure 2"));
        [("F1", "F1"), ("compat", "compat")]
    } else {
        [("success", "success"), ("compat", "compat")]
    };
    let what = if world == "dialogue" { "Table 3 (SGD, 4 shots)" } else { "Table 3 (ALFWorld)" };
    let varies = [("model", what), ("approach", "approach"), ("think", "think"), given];
    report.table(printed_table(rows("Table 3"), &varies, &measures).titled("paper, Table 3"));
}
