//! Recorded outputs of models: the calls read from them, the two judgements of each step, and the scores over all episodes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{difference, each, field, read, row};
use crate::Row;
use stepwright_study::recordings::{json_files, name_of};
use stepwright_study::statler::outputs::{Output, Said, equal_text};
use stepwright_study::statler::recorded::{Episode, episode_files};
use stepwright_study::statler::scores::{ByMemory, Played, Scores, Share, up_to_first_failure_of_any};
use stepwright_world::table::Move;

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
        let mut row = row(file, "episodes");
        match read::<Vec<Episode>>(file, &mut row) {
            Some(list) => episodes.extend(list.into_iter().map(|episode| (episode.id.clone(), episode))),
            None => rows.push(row),
        }
    }
    let runs = RefCell::new(Runs::new());
    rows.extend(each(folder, "recorded_runs", "outputs", |file| {
        let mut row = row(file, "outputs");
        row.each_record(file, |row, at, run: Run| match episodes.get(&run.id) {
            None => row.lacks(run.steps.len(), || format!("their episodes are not there (first: {})", run.id)),
            Some(episode) => {
                let played = judge(&run, episode, &format!("{at}, {} {}", run.id, run.method), row);
                let key = (episode.domain.clone(), run.method);
                runs.borrow_mut().entry(key).or_default().push((episode.index, played));
            }
        });
        row
    }));
    let what = ("scoring_expected*.json", "scores", "not in this folder");
    let scored = json_files(folder, "scoring_expected");
    rows.extend(Row::of_files(&scored, what, |file| [scores(file, &runs.borrow())]));
    rows
}

/// Compares a run step by step. Steps that the episode does not have cannot be judged.
fn judge(run: &Run, episode: &Episode, at: &str, row: &mut Row) -> Played {
    let objects = episode.objects();
    let mut played = Played { episode: run.id.clone(), outcomes: Vec::new(), of: run.steps.len() };
    for (number, step) in run.steps.iter().enumerate() {
        let at = format!("{at}, step {}", number + 1);
        let Some(asked) = episode.asked(number, &step.query) else {
            let left = run.steps.len() - number;
            row.lacks(left, || format!("the episode has no such request ({at})"));
            break;
        };
        let output = Output::read(&step.generated);
        let outcome = asked.outcome(&output, &objects);
        let equal = |said| equal_text(&step.generated, &asked.gold_code, said);
        let fields = [
            field("moves", &step.moves, &output.moves),
            field("say", &step.say, &output.say),
            field("update", &step.update, &output.update),
            field("equal_text", &step.equal_text, &equal(Said::Counts)),
            field("equal_text_without_say", &step.equal_text_without_say, &equal(Said::IsDropped)),
            field("correct", &step.correct, &outcome.right),
        ];
        row.fields(|| at, fields);
        played.outcomes.push(outcome);
    }
    let got = (played.prefix(), played.success());
    row.fields(|| at.to_owned(), [field("correct_prefix and success", &(run.correct_prefix, run.success), &got)]);
    played
}

/// Compares scores with those of the runs they were made from.
fn scores(file: &Path, runs: &Runs) -> Row {
    let mut row = row(file, "scores");
    let Some(expected) = read::<Value>(file, &mut row) else { return row };
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
            figure(&mut row, &at, numbers, "episodes", json!(got.episodes));
            figure(&mut row, &at, numbers, "success", json!(got.success));
            figure(&mut row, &at, numbers, "successful_steps", json!(got.successful_steps));
            both(got.requests).into_iter().for_each(|(name, got)| figure(&mut row, &at, numbers, name, got));
        }
    }
    for (domain, methods) in entries(&expected, "aligned_truncation") {
        let names: Vec<&String> = methods.as_object().into_iter().flat_map(|m| m.keys()).collect();
        let played: Vec<Vec<&Played>> = names.iter().map(|method| of(domain, method)).collect();
        for (method, got) in names.iter().zip(up_to_first_failure_of_any(&played)) {
            let at = format!("{}, {domain} {method}, common truncation", name_of(file));
            let numbers = methods.get(method.as_str()).unwrap_or(&Value::Null);
            both(got).into_iter().for_each(|(name, got)| figure(&mut row, &at, numbers, name, got));
        }
    }
    row
}

fn entries<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    value.get(name).and_then(Value::as_object).into_iter().flatten()
}

/// Compares one number or pair, if the recording has it; fractions to the four digits recorded.
fn figure(row: &mut Row, at: &str, numbers: &Value, name: &str, got: Value) {
    let Some(expected) = numbers.get(name) else { return };
    let equal = match (expected.as_f64(), got.as_f64()) {
        (Some(expected), Some(got)) => (expected - got).abs() < 0.5001e-4,
        _ => *expected == got,
    };
    row.count((!equal).then(|| difference(format!("{at}, {name}"), expected, got)));
}
