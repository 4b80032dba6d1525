//! Recorded outputs of models: the calls read from them, the two judgements of each step, and the scores over all episodes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{difference, each, field, read, row};
use crate::Row;
use stepwright_study::recordings::{json_files, name_of};
use stepwright_study::statler::groups::Group;
use stepwright_study::statler::outputs::{Output, Said, equal_text};
use stepwright_study::statler::recorded::{Episode, episode_files};
use stepwright_study::statler::report::common;
use stepwright_study::statler::scores::{Played, Scores, Share};
use stepwright_worlds::table::Move;

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

/// Compares scores with those that the study's tables give of the runs they were made from.
fn scores(file: &Path, runs: &Runs) -> Row {
    let mut row = row(file, "scores");
    let Some(expected) = read::<Value>(file, &mut row) else { return row };
    let used: Option<Vec<u64>> =
        expected.get("episodes_used").and_then(|list| serde_json::from_value(list.clone()).ok());
    let is_used = |index: &u64| used.as_ref().is_none_or(|used| used.contains(index));
    let mut groups = Vec::new();
    for ((domain, method), runs) in runs {
        let played = runs.iter().filter(|(index, _)| is_used(index)).map(|(_, played)| played.clone());
        Group::of(&mut groups, domain, &own_name(method), "recorded").played.extend(played);
    }
    let pair = |share: Share| [share.right, share.of];
    for (cut, is_common) in [("per_model_truncation", false), ("aligned_truncation", true)] {
        for (domain, method, numbers) in entries(&expected, cut) {
            let at = format!("{}, {domain} {method}, {cut}", name_of(file));
            let Some(group) = groups.iter().find(|g| g.domain == *domain && g.method == own_name(method)) else {
                row.differs(difference(at, numbers, "no recorded outputs"));
                continue;
            };
            let got = Scores::of(&group.played);
            // A method that none is compared with is cut at its own failures alone.
            let by_memory = common(&groups, group).filter(|_| is_common).unwrap_or(got.requests);
            let [non_temporal, temporal] = [by_memory.non_temporal, by_memory.temporal].map(pair);
            let whole = [
                ("episodes", json!(got.episodes)),
                ("success", json!(got.success)),
                ("successful_steps", json!(got.successful_steps)),
            ];
            let requests = [("non_temporal", json!(non_temporal)), ("temporal", json!(temporal))];
            let figures = whole.into_iter().filter(|_| !is_common).chain(requests);
            figures.for_each(|(name, got)| figure(&mut row, &at, numbers, name, got));
        }
    }
    row
}

/// The program's own names of methods have hyphens.
fn own_name(method: &str) -> String {
    method.replace('_', "-")
}

/// The numbers of each domain and method.
fn entries<'a>(expected: &'a Value, cut: &str) -> impl Iterator<Item = (&'a String, &'a String, &'a Value)> {
    let domains = expected.get(cut).and_then(Value::as_object).into_iter().flatten();
    domains.flat_map(|(domain, methods)| {
        methods.as_object().into_iter().flatten().map(move |(method, numbers)| (domain, method, numbers))
    })
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
