//! Tests with a study of two conditions, two tasks and two seeds, that fails on demand.

use std::path::Path;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::*;
use crate::sample::{Under, sample};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Sum {
    condition: String,
    task: String,
    seed: u64,
    sum: usize,
    error: Option<String>,
    #[serde(skip)]
    under: Under,
}

sample!(Sum, |of| of.task.clone(), of.seed, under);

struct Sums {
    plan: Plan<String>,
    failing: Mutex<Vec<&'static str>>,
    most: u64,
}

#[async_trait]
impl Study for Sums {
    type Condition = String;
    type Line = Sum;
    const NAME: &'static str = "sums";
    const CARRIED_OUT: &'static str = "sums made";

    fn plan(&self) -> &Plan<String> {
        &self.plan
    }

    fn suits(&self, condition: &String, task: &TaskInfo, _seed: u64) -> bool {
        condition != "short" || task.id.len() == 1
    }

    fn shared(&self) -> Value {
        json!({ "most": self.most })
    }

    fn condition(&self, condition: &String) -> Value {
        json!({ "condition": condition })
    }

    async fn perform(&self, unit: Unit<String>, cancel: &CancellationToken) -> Option<Vec<Sum>> {
        let fails = self.failing.lock().unwrap().contains(&unit.task.id.as_str());
        let (condition, task, sum) = ((*unit.condition).clone(), unit.task.id.clone(), unit.task.id.len());
        let error = fails.then(|| "no server".to_owned());
        (!cancel.is_cancelled())
            .then(|| vec![Sum { condition, task, seed: unit.seed, sum, error, under: Under::default() }])
    }

    fn report(lines: &[Sum], _detail: bool) -> Report {
        let mut report = Report::default();
        lines.iter().for_each(|l| report.text(format!("{} {} {} {:?}\n", l.condition, l.task, l.seed, l.error)));
        report
    }
}

fn study() -> Arc<Sums> {
    of_most(9)
}

fn of_most(most: u64) -> Arc<Sums> {
    let task = |id: &str| TaskInfo { id: id.into(), kind: "k".into(), sentence: String::new(), source: String::new() };
    let conditions = ["short", "any"].map(|name| Arc::new(name.to_owned())).into();
    let plan = Plan { conditions, tasks: vec![task("a"), task("bb")], seeds: vec![0, 1] };
    Arc::new(Sums { plan, failing: Mutex::default(), most })
}

fn open(file: &Path, study: &Sums) -> Result<Results, String> {
    let experiment = Experiment::new(Sums::NAME, json!({ "program": "1", "limits": study.shared() }));
    Results::open(Some(file), study, experiment, Shard::ALL)
}

/// Carries out what is open; how many units that was.
async fn go_on(study: &Arc<Sums>, results: &mut Results) -> usize {
    let open = results.open_units(units(&**study));
    let asked = open.len();
    let add = |unit: &Unit<String>, lines: Vec<Sum>| results.add(&unit.key, &lines);
    let (enough, cancel) = (CancellationToken::new(), CancellationToken::new());
    carry_out(study, open, 2, &enough, &cancel, add).await.unwrap();
    asked
}

fn latest(study: &Sums, results: &Results) -> Vec<Sum> {
    lines_of::<Sums>(results.latest(&units(study)), results.experiment(), &results.planned).unwrap()
}

#[tokio::test]
async fn units_are_carried_out_once_and_failures_again() {
    let study = study();
    let of: Vec<String> = units(&*study).iter().map(|u| format!("{} {} {}", u.condition, u.task.id, u.seed)).collect();
    assert_eq!(of, ["short a 0", "short a 1", "any a 0", "any a 1", "any bb 0", "any bb 1"]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sums.jsonl");
    let mut results = open(&file, &study).unwrap();
    study.failing.lock().unwrap().push("bb");
    assert_eq!(go_on(&study, &mut results).await, 6);
    drop(results);
    // What failed is open still, in a later run that reads the file as well.
    study.failing.lock().unwrap().clear();
    let mut later = open(&file, &study).unwrap();
    assert_eq!(later.open_units(units(&*study)).len(), 2);
    assert_eq!(go_on(&study, &mut later).await, 2);
    assert_eq!(go_on(&study, &mut later).await, 0);
    // Repaired failures do not count, and the order is the plan's.
    let lines = latest(&study, &later);
    let of: Vec<String> = lines.iter().map(|l| format!("{} {} {}", l.condition, l.task, l.seed)).collect();
    assert_eq!(of, ["short a 0", "short a 1", "any a 0", "any a 1", "any bb 0", "any bb 1"]);
    assert!(lines.iter().all(|line| line.error.is_none()), "{}", Sums::report(&lines, false));
}

#[tokio::test]
async fn another_experiment_in_the_same_file_is_no_result_of_this_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sums.jsonl");
    let (first, second) = (study(), of_most(2));
    assert_eq!(go_on(&first, &mut open(&file, &first).unwrap()).await, 6);
    let mut results = open(&file, &second).unwrap();
    assert_eq!(results.others.len(), 1);
    assert_eq!((go_on(&second, &mut results).await, latest(&second, &results).len()), (6, 6));
    drop(results);
    // Both are in the file, and each is found again.
    assert_eq!(open(&file, &first).unwrap().open_units(units(&*first)).len(), 0);
    let merged = merge(&[read(&file).unwrap()]);
    assert_eq!(
        merged.iter().map(|m| (m.planned, m.entries.len(), m.holes.len())).collect::<Vec<_>>(),
        [(6, 6, 0), (6, 6, 0)]
    );
    assert_eq!(merged[0].experiment.differences(&merged[1].experiment).len(), 1);
    // Of another kind of study nothing is added.
    let before = std::fs::read(&file).unwrap();
    let other = Results::open(Some(&file), &*first, Experiment::new("policy", json!({})), Shard::ALL);
    assert!(other.unwrap_err().contains("holds results of `sums`"));
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[test]
fn a_folder_that_is_missing_is_made_for_the_results() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r/deep/x.jsonl");
    open(&file, &study()).unwrap();
    assert!(file.is_file());
    let why = open(&file.join("below.jsonl"), &study()).unwrap_err();
    assert!(why.contains("its folder cannot be made"), "{why}");
}

#[tokio::test]
async fn a_second_writer_gets_an_error_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sums.jsonl");
    let study = study();
    let mut first = open(&file, &study).unwrap();
    let before = std::fs::read(&file).unwrap();
    assert!(open(&file, &study).unwrap_err().contains("another process is writing it"));
    assert_eq!(std::fs::read(&file).unwrap(), before);
    assert_eq!(go_on(&study, &mut first).await, 6);
    drop(first);
    assert_eq!(open(&file, &study).unwrap().open_units(units(&*study)).len(), 0);
}

#[tokio::test]
async fn what_is_no_results_file_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let study = study();
    for notes in ["my only notes", "{\"task\": \"a\"}\n", "{\"one\": 1}"] {
        let file = folder.path().join("notes");
        std::fs::write(&file, notes).unwrap();
        let why = open(&file, &study).unwrap_err();
        assert!(why.contains("line 1") && why.contains("name another file"), "{why}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), notes);
    }
    // A torn tail is cut off, and the unit is open again.
    let file = folder.path().join("sums.jsonl");
    assert_eq!(go_on(&study, &mut open(&file, &study).unwrap()).await, 6);
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, &whole[..whole.len() - 9]).unwrap();
    let mut results = open(&file, &study).unwrap();
    assert_eq!(go_on(&study, &mut results).await, 1);
    drop(results);
    assert_eq!(read(&file).unwrap().entries.len(), 6);
    // In a folder a new file is made; nothing is read of what is no file.
    let mut results = open(folder.path(), &study).unwrap();
    assert_eq!((results.name().ends_with("results.jsonl"), go_on(&study, &mut results).await), (true, 6));
    #[cfg(unix)]
    assert_eq!(go_on(&study, &mut open(Path::new("/dev/null"), &study).unwrap()).await, 6);
}

#[tokio::test]
async fn shards_together_are_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let study = study();
    let experiment = Experiment::new(Sums::NAME, json!({}));
    for index in 1..=3 {
        let shard: Shard = format!("{index}/3").parse().unwrap();
        let mut results = Results::open(Some(folder.path()), &*study, experiment.clone(), shard).unwrap();
        let mine: Vec<_> = units(&*study).into_iter().filter(|unit| shard.takes(&unit.key)).collect();
        let add = |unit: &Unit<String>, lines: Vec<Sum>| results.add(&unit.key, &lines);
        let none = CancellationToken::new();
        carry_out(&study, mine, 1, &none, &none, add).await.unwrap();
    }
    let files = files_of(folder.path()).unwrap();
    let contents: Vec<Contents> = files.iter().map(|file| read(file).unwrap()).collect();
    let merged = merge(&contents);
    assert_eq!((files.len(), merged.len(), merged[0].planned, merged[0].duplicates.all), (3, 1, 6, 0));
    let alone = folder.path().join("alone.jsonl");
    let mut results = Results::open(Some(&alone), &*study, experiment, Shard::ALL).unwrap();
    go_on(&study, &mut results).await;
    let lines = lines_of::<Sums>(&merged[0].entries, &merged[0].experiment, &merged[0].plan).unwrap();
    assert_eq!(lines, latest(&study, &results));
}

#[tokio::test]
async fn what_was_cancelled_has_no_line() {
    let (study, cancel) = (study(), CancellationToken::new());
    cancel.cancel();
    let take = |_: &Unit<String>, lines: Vec<Sum>| Err(format!("{lines:?}"));
    assert_eq!(carry_out(&study, units(&*study), 2, &cancel, &cancel, take).await, Ok(()));
}

#[tokio::test]
async fn d3_a_results_file_is_never_touched_unless_it_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let study = study();
    let whole = {
        let file = folder.path().join("sums.jsonl");
        go_on(&study, &mut open(&file, &study).unwrap()).await;
        std::fs::read_to_string(file).unwrap()
    };
    let second = whole.lines().nth(2).unwrap();
    // Also what only looks like results further down, and a file in the form of an earlier version.
    for foreign in
        ["{", "{\"stepwright\"", "my only notes", "{\"task\":\"a\",\"won\":true}", &format!("notes\n{whole}"), second]
    {
        let file = folder.path().join("foreign");
        std::fs::write(&file, foreign).unwrap();
        assert!(open(&file, &study).is_err(), "{foreign}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), foreign);
    }
}

/// A result of a unit.
fn line(unit: &Unit<String>) -> Vec<Sum> {
    let (condition, task) = ((*unit.condition).clone(), unit.task.id.clone());
    vec![Sum { condition, task, seed: unit.seed, sum: 1, error: None, under: Under::default() }]
}

#[tokio::test]
async fn d5_a_results_file_on_a_full_disk_keeps_whole_lines() {
    use stepwright_files::faults::{self, ENOSPC, Fault, Operation};
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sums.jsonl");
    let study = study();
    let mut results = open(&file, &study).unwrap();
    let before = std::fs::read(&file).unwrap();
    let units = units(&*study);
    {
        let _full = faults::inject(Fault { bytes: 20, ..Fault::next(folder.path(), Operation::Write, ENOSPC) });
        assert!(results.add(&units[0].key, &line(&units[0])).is_err());
    }
    assert_eq!(std::fs::read(&file).unwrap(), before, "no half line is left");
    results.add(&units[1].key, &line(&units[1])).unwrap();
    drop(results);
    let mut again = open(&file, &study).unwrap();
    assert_eq!(again.open_units(units.clone()).len(), units.len() - 1);
    assert_eq!(go_on(&study, &mut again).await, units.len() - 1);
}

/// M6: no bit of a results file changes a figure.
#[test]
fn every_flipped_bit_of_results_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.jsonl");
    let study = study();
    let mut results = open(&file, &study).unwrap();
    let units = units(&*study);
    units.iter().take(2).for_each(|unit| results.add(&unit.key, &line(unit)).unwrap());
    drop(results);
    let read = |bytes: &[u8]| {
        let Contents { experiments, plans, entries, .. } = Contents::read(bytes)?;
        let head = format!("{experiments:?} {plans:?}");
        Ok(std::iter::once(head).chain(entries.iter().map(Entry::text)).collect())
    };
    stepwright_files::losses::flipped_everywhere(&std::fs::read(&file).unwrap(), read).unwrap();
}

/// A power cut at every operation leaves a results file that goes on with every result that the disk had confirmed.
#[test]
fn no_power_cut_takes_a_result() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.jsonl");
    let study = study();
    let watch = stepwright_files::power::watch(&file);
    let mut results = open(&file, &study).unwrap();
    let lines = |unit: &Unit<String>| [line(unit), line(unit), line(unit)].concat();
    units(&*study).iter().for_each(|unit| results.add(&unit.key, &lines(unit)).unwrap());
    let read = |file: &[u8]| Contents::read(file).map(|found| found.entries.len());
    stepwright_files::power::cut_everywhere(&watch.done(), read).unwrap();
}

#[test]
fn results_whose_file_is_gone_are_kept_beside_it_and_the_run_says_where() {
    let study = study();
    let units = units(&*study);
    let add = |results: &mut Results, at: usize| results.add(&units[at].key, &line(&units[at]));
    let begin = |file: &Path| open(file, &study).unwrap();
    let count = |file: &Path| open(file, &study).map(|results| units.len() - results.open_units(units.clone()).len());
    stepwright_files::losses::lost_everywhere(units.len() - 1, begin, add, count).unwrap();
}
