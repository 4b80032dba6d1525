//! A study of two conditions, two tasks and two seeds, that fails when it is told to.

use std::sync::Mutex;

use serde::Deserialize;
use serde_json::json;

use super::*;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Sum {
    condition: String,
    task: String,
    seed: u64,
    sum: usize,
    error: Option<String>,
}

struct Sums {
    plan: Plan<String>,
    /// The tasks that fail.
    failing: Mutex<Vec<&'static str>>,
}

#[async_trait]
impl Study for Sums {
    type Condition = String;
    type Line = Sum;
    const CARRIED_OUT: &'static str = "sums made";

    fn plan(&self) -> &Plan<String> {
        &self.plan
    }

    fn suits(&self, condition: &String, task: &TaskInfo) -> bool {
        condition != "short" || task.id.len() == 1
    }

    fn experiment(&self, unit: &Unit<String>) -> Value {
        json!({ "condition": *unit.condition, "task": unit.task.id, "seed": unit.seed })
    }

    async fn perform(&self, unit: Unit<String>, cancel: &CancellationToken) -> Option<Vec<Sum>> {
        let fails = self.failing.lock().unwrap().contains(&unit.task.id.as_str());
        let (condition, task, sum) = ((*unit.condition).clone(), unit.task.id.clone(), unit.task.id.len());
        let error = fails.then(|| "no server".to_owned());
        (!cancel.is_cancelled()).then(|| vec![Sum { condition, task, seed: unit.seed, sum, error }])
    }

    fn table(&self, lines: &[Sum]) -> String {
        lines.iter().map(|l| format!("{} {} {} {:?}\n", l.condition, l.task, l.seed, l.error)).collect()
    }
}

fn study() -> Arc<Sums> {
    let task = |id: &str| TaskInfo { id: id.into(), kind: "k".into(), sentence: String::new(), source: String::new() };
    let conditions = ["short", "any"].map(|name| Arc::new(name.to_owned())).into();
    let plan = Plan { conditions, tasks: vec![task("a"), task("bb")], seeds: 0..=1 };
    Arc::new(Sums { plan, failing: Mutex::default() })
}

/// Carries out what is open; how many units that was.
async fn go_on(study: &Arc<Sums>, results: &mut Results<Sum>) -> usize {
    let (open, _) = results.open_units(&**study);
    let asked = open.len();
    let add = |_, lines: Vec<Sum>| lines.into_iter().try_for_each(|line| results.add(line));
    carry_out(study, open, 2, &CancellationToken::new(), add).await.unwrap();
    asked
}

#[tokio::test]
async fn units_are_carried_out_once_and_failures_again() {
    let study = study();
    let of: Vec<String> = units(&*study).iter().map(|u| format!("{} {} {}", u.condition, u.task.id, u.seed)).collect();
    assert_eq!(of, ["short a 0", "short a 1", "any a 0", "any a 1", "any bb 0", "any bb 1"]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sums.jsonl");
    let mut results = Results::open(Some(&file)).unwrap();
    study.failing.lock().unwrap().push("bb");
    assert_eq!(go_on(&study, &mut results).await, 6);
    // What failed is open still, in a later run that reads the file as well.
    study.failing.lock().unwrap().clear();
    let mut later = Results::open(Some(&file)).unwrap();
    assert_eq!(later.open_units(&*study).1, 4);
    assert_eq!(go_on(&study, &mut later).await, 2);
    assert_eq!((later.all.len(), go_on(&study, &mut later).await), (8, 0));
    // Repaired failures do not count.
    let latest = later.latest(&*study);
    assert_eq!(latest.len(), 6);
    assert!(latest.iter().all(|line| line.error.is_none()), "{}", study.table(&latest));
}

#[tokio::test]
async fn what_was_cancelled_has_no_line() {
    let (study, cancel) = (study(), CancellationToken::new());
    cancel.cancel();
    let take = |_, lines: Vec<Sum>| Err(format!("{lines:?}"));
    assert_eq!(carry_out(&study, units(&*study), 2, &cancel, take).await, Ok(()));
}
