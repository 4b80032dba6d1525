//! The tables of a study of policies, the paper's figures beside ours. Computed from results alone.

use super::metrics::{Compatibility, Counts};
use super::result::PolicyResult;
use super::setting::Setting;
use crate::driver::SYMBOLIC;
use crate::study::paper::{POLICIES, SOURCE};
use crate::study::runner::{beside, in_print, printed_table};
use crate::study::table::{Table, count, share};

/// What the results of one setting sum up to.
#[derive(Default)]
struct Sum {
    episodes: usize,
    turns: usize,
    won: usize,
    counts: Counts,
    compatibility: Compatibility,
    asks: u64,
    tokens: u64,
    errors: usize,
}

impl Sum {
    fn of(results: &[&PolicyResult]) -> Self {
        let mut sum = Sum::default();
        for result in results {
            sum.asks += u64::from(result.asks);
            sum.tokens += result.prompt_tokens + result.completion_tokens;
            if result.error.is_some() {
                sum.errors += 1;
                continue;
            }
            sum.episodes += 1;
            sum.turns += result.turns.len();
            sum.won += usize::from(result.won == Some(true));
            sum.counts.add(result.counts.unwrap_or_default());
            sum.compatibility.merge(result.compatibility.unwrap_or_default());
        }
        sum
    }
}

/// The tables of all results, one a world.
pub fn table(results: &[PolicyResult]) -> String {
    let mut text = String::new();
    for world in ["dialogue", "household"] {
        let of_world: Vec<&PolicyResult> = results.iter().filter(|r| r.world == world).collect();
        if of_world.is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&one(world, &of_world));
        text.push_str(&paper(world));
    }
    text
}

fn one(world: &str, results: &[&PolicyResult]) -> String {
    let mut settings: Vec<&Setting> = Vec::new();
    for result in results {
        if !settings.contains(&&result.setting) {
            settings.push(&result.setting);
        }
    }
    settings.sort();
    let mut models: Vec<&str> = settings.iter().map(|s| s.model.as_str()).collect();
    models.dedup();
    let dialogue = world == "dialogue";
    let mut kinds: Vec<&str> = results.iter().map(|r| r.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let what = if dialogue { "service" } else { "task type" };
    let mut text = format!(
        "{} ({}), model {}\n",
        if dialogue { "Acts predicted from the recorded turns before" } else { "Household tasks run to their end" },
        count(kinds.len(), what),
        models
            .iter()
            .map(|m| if *m == SYMBOLIC { "symbolic (no language model)" } else { m })
            .collect::<Vec<_>>()
            .join(", "),
    );
    let figures: &[&str] =
        if dialogue { &["dialogues", "turns", "F1", "precision", "recall"] } else { &["tasks", "won", "success"] };
    let rest = ["compat", "asks", "tokens", "errors", "paper", "compat"];
    let headings = ["method", "prompt", "sampling", "think", "preconditions", "model", "shots"];
    let mut table = Table::new(6, headings.iter().chain(figures).chain(&rest));
    for setting in settings {
        let of: Vec<&PolicyResult> = results.iter().filter(|r| r.setting == *setting).copied().collect();
        let sum = Sum::of(&of);
        let (prompt, sampling) = conditions(setting);
        let yes = |yes: Option<bool>| yes.map_or("-", |yes| if yes { "yes" } else { "no" }).to_owned();
        let by_sum = setting.method == "scored" && setting.likelihood == "sum";
        let mut cells = vec![
            setting.method.clone() + if by_sum { " (sum)" } else { "" },
            yes(prompt),
            yes(sampling),
            yes(Some(setting.think)),
            setting.preconditions.clone(),
            setting.model.clone(),
            shots(world, setting),
            sum.episodes.to_string(),
        ];
        let known = sum.episodes > 0;
        if dialogue {
            let score = sum.counts.score();
            cells.push(sum.turns.to_string());
            cells.extend([score.f1, score.precision, score.recall].map(|figure| share(known.then_some(figure))));
        } else {
            cells.push(sum.won.to_string());
            cells.push(share(known.then(|| sum.won as f64 / sum.episodes as f64)));
        }
        cells.push(share(sum.compatibility.share()));
        cells.extend([sum.asks.to_string(), sum.tokens.to_string(), sum.errors.to_string()]);
        cells.extend(printed_beside(world, setting));
        table.row(cells);
    }
    text.push_str(&table.to_string());
    if results.iter().any(|r| r.error.is_none() && r.compatibility.is_none()) {
        text.push_str("compat counts only services whose true preconditions the data tells\n");
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
    text
}

/// How many demonstrations there were: the built-in proposer learns from all of the household's.
fn shots(world: &str, setting: &Setting) -> String {
    if world == "household" && setting.model == SYMBOLIC { "all".to_owned() } else { setting.shots.to_string() }
}

/// Whether the assertions stand in the prompt, and whether samples are drawn until one verifies; `None` for methods that the paper
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
fn printed_beside(world: &str, setting: &Setting) -> [String; 2] {
    let (Some(prompt), Some(sampling)) = conditions(setting) else { return ["-", "-"].map(str::to_owned) };
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
    [performance, "compat"].map(|measure| in_print(beside(&POLICIES, &ours, measure)))
}

/// The paper's own tables.
fn paper(world: &str) -> String {
    let rows = |place: &'static str| {
        POLICIES.iter().filter(move |row| row.place == place && row.value("world") == Some(world))
    };
    let given = ("preconditions", "preconditions");
    let mut text = format!("\nBeside it, as printed in \"{SOURCE}\" (the columns `paper`: its 16B model)\n");
    let measures = if world == "dialogue" {
        let varies =
            [("model", "Figure 2 (SGD)"), ("prompt", "prompt"), ("sampling", "sampling"), given, ("shots", "shots")];
        text.push_str(&printed_table(rows("Figure 2"), &varies, &[("F1", "F1"), ("compat", "compat")]).to_string());
        [("F1", "F1"), ("compat", "compat")]
    } else {
        [("success", "success"), ("compat", "compat")]
    };
    let what = if world == "dialogue" { "Table 3 (SGD, 4 shots)" } else { "Table 3 (ALFWorld)" };
    let varies = [("model", what), ("approach", "approach"), ("think", "think"), given];
    text.push_str(&printed_table(rows("Table 3"), &varies, &measures).to_string());
    text
}
