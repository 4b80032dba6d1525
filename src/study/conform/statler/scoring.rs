//! Recorded outputs of models: the calls read from them, the two judgements of each step, and the scores over all episodes.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{NAME, difference, row, unreadable};
use crate::study::conform::Row;
use crate::study::conform::files::{each_line, files_with_end, jsonl_files, name_of};
use crate::study::statler::outputs::{Output, Said, equal_text};
use crate::study::statler::recorded::{Episode, Gold, document, episode_files};
use crate::study::statler::scores::{ByMemory, Played, Scores, Share, up_to_first_failure_of_any};
use crate::world::table::Move;

/// A method's recorded run of an episode.
#[derive(Debug, Deserialize)]
struct Run {
    id: String,
    method: String,
    correct_prefix: usize,
    success: bool,
    steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
struct Step {
    query: String,
    generated: String,
    moves: Vec<Move>,
    say: Vec<String>,
    update: Vec<String>,
    equal_text: bool,
    equal_text_without_say: bool,
    correct: bool,
}

/// Runs by domain and method, each with its episode's index.
type Runs = BTreeMap<(String, String), Vec<(u64, Played)>>;

/// Compares all recorded runs of a folder, then their scores.
pub fn compare(folder: &Path) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut episodes: BTreeMap<String, Episode> = BTreeMap::new();
    for file in &episode_files(folder) {
        match document::<Vec<Episode>>(file) {
            Ok(list) => episodes.extend(list.into_iter().map(|episode| (episode.id.clone(), episode))),
            Err(e) => {
                let mut row = row(file, "episodes");
                row.differs(unreadable(name_of(file), &e));
                rows.push(row);
            }
        }
    }
    let mut runs = Runs::new();
    let recorded = jsonl_files(folder, "recorded_runs");
    if recorded.is_empty() {
        rows.push(Row::missing(NAME, "recorded_runs*.jsonl", "outputs", "not in this folder"));
    }
    for file in recorded {
        let mut row = row(&file, "outputs");
        each_line(&file, |at, line: Result<Run, String>| match line {
            Err(e) => row.differs(unreadable(at, &e)),
            Ok(run) => match episodes.get(&run.id) {
                None => {
                    row.lacks(run.steps.len() as u64, || format!("their episodes are not there (first: {})", run.id))
                }
                Some(episode) => {
                    let played = judge(&run, episode, &format!("{at}, {} {}", run.id, run.method), &mut row);
                    runs.entry((episode.domain.clone(), run.method)).or_default().push((episode.index, played));
                }
            },
        });
        rows.push(row);
    }
    let files = files_with_end(folder, ".json");
    let scored: Vec<_> = files.iter().filter(|file| name_of(file).starts_with("scoring_expected")).collect();
    if scored.is_empty() {
        rows.push(Row::missing(NAME, "scoring_expected*.json", "scores", "not in this folder"));
    }
    rows.extend(scored.into_iter().map(|file| scores(file, &runs)));
    rows
}

/// Compares a run step by step. Steps that the episode does not have cannot be judged.
fn judge(run: &Run, episode: &Episode, at: &str, row: &mut Row) -> Played {
    let objects = episode.objects();
    let mut played = Played { episode: run.id.clone(), outcomes: Vec::new(), of: run.steps.len() };
    for (number, step) in run.steps.iter().enumerate() {
        let at = format!("{at}, step {}", number + 1);
        let Some(asked) = episode.asked(number, &step.query) else {
            let left = (run.steps.len() - number) as u64;
            row.lacks(left, || format!("the episode has no such request ({at})"));
            break;
        };
        let output = Output::read(&step.generated);
        let outcome = asked.outcome(&output, &objects, Gold::Published);
        let equal = |said| json!(equal_text(&step.generated, &asked.gold_code, said));
        let fields = [
            ("moves", json!(step.moves), json!(output.moves)),
            ("say", json!(step.say), json!(output.say)),
            ("update", json!(step.update), json!(output.update)),
            ("equal_text", json!(step.equal_text), equal(Said::Counts)),
            ("equal_text_without_say", json!(step.equal_text_without_say), equal(Said::IsDropped)),
            ("correct", json!(step.correct), json!(outcome.right)),
        ];
        row.count_fields(|| at, fields);
        played.outcomes.push(outcome);
    }
    let (expected, got) = ((run.correct_prefix, run.success), (played.prefix(), played.success()));
    row.count(
        (expected != got).then(|| {
            difference(format!("{at}, correct_prefix and success"), format!("{expected:?}"), format!("{got:?}"))
        }),
    );
    played
}

/// Compares scores with those of the runs they were made from.
fn scores(file: &Path, runs: &Runs) -> Row {
    let mut row = row(file, "scores");
    let expected: Value = match document(file) {
        Ok(expected) => expected,
        Err(e) => {
            row.differs(unreadable(name_of(file), &e));
            return row;
        }
    };
    let used: Option<Vec<u64>> =
        expected.get("episodes_used").and_then(|list| serde_json::from_value(list.clone()).ok());
    let of = |domain: &str, method: &str| -> Vec<&Played> {
        let all = runs.get(&(domain.to_owned(), method.to_owned())).into_iter().flatten();
        all.filter(|(index, _)| used.as_ref().is_none_or(|used| used.contains(index)))
            .map(|(_, played)| played)
            .collect()
    };
    let share = |share: Share| json!([share.right, share.of]);
    let both = |by: ByMemory| [("non_temporal", share(by.non_temporal)), ("temporal", share(by.temporal))];
    for (domain, methods) in entries(&expected, "per_model_truncation") {
        for (method, numbers) in methods.as_object().into_iter().flatten() {
            let got = Scores::of(of(domain, method));
            let at = format!("{}, {domain} {method}, own truncation", name_of(file));
            field(&mut row, &at, numbers, "episodes", json!(got.episodes));
            field(&mut row, &at, numbers, "success", json!(got.success));
            field(&mut row, &at, numbers, "successful_steps", json!(got.successful_steps));
            both(got.requests).into_iter().for_each(|(name, got)| field(&mut row, &at, numbers, name, got));
        }
    }
    for (domain, methods) in entries(&expected, "aligned_truncation") {
        let names: Vec<&String> = methods.as_object().into_iter().flat_map(|m| m.keys()).collect();
        let played: Vec<Vec<&Played>> = names.iter().map(|method| of(domain, method)).collect();
        for (method, got) in names.iter().zip(up_to_first_failure_of_any(&played)) {
            let at = format!("{}, {domain} {method}, common truncation", name_of(file));
            let numbers = methods.get(method.as_str()).unwrap_or(&Value::Null);
            both(got).into_iter().for_each(|(name, got)| field(&mut row, &at, numbers, name, got));
        }
    }
    row
}

fn entries<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    value.get(name).and_then(Value::as_object).into_iter().flatten()
}

/// Compares one number or pair, if the recording has it; fractions to the four digits recorded.
fn field(row: &mut Row, at: &str, numbers: &Value, name: &str, got: Value) {
    let Some(expected) = numbers.get(name) else { return };
    let equal = match (expected.as_f64(), got.as_f64()) {
        (Some(expected), Some(got)) => (expected - got).abs() < 0.5001e-4,
        _ => *expected == got,
    };
    row.count((!equal).then(|| difference(format!("{at}, {name}"), expected, got)));
}
