//! Tests of the table's figures and of what counts as done.

use std::sync::Arc;

use super::*;
use crate::runner::{Experiment, Results, Shard, units};
use stepwright_launch::config::{Overrides, load_with};
use stepwright_world::TaskInfo;

fn result(condition: &str, task: &str, trial: u64, won: bool) -> BlockingResult {
    let run = RunResult {
        task: format!("nook/{task}"),
        kind: task.to_owned(),
        model: "symbolic".to_owned(),
        won,
        steps: 3,
        proposals: 10,
        asks: 2,
        blocked: 1,
        ..RunResult::default()
    };
    // What was blocked is a decision, and no step.
    BlockingResult { condition: condition.to_owned(), trial, run }
}

#[test]
fn each_condition_is_beside_the_papers_figure() {
    let mut results = [result("FF-Replan", "mug", 0, true), result("FF-Replan", "mug", 1, false)];
    let row = |results: &[BlockingResult]| -> Vec<String> {
        let text = report::report(results).to_string();
        text.lines().nth(1).unwrap().split_whitespace().map(str::to_owned).collect()
    };
    let own = row(&results);
    assert_eq!(own[..9], ["FF-Replan", "mug", "2", "1/2", "0.09-0.91", "11/50", "4.0", "4.0-4.0", "0.0"], "{own:?}");
    // Its plan's next line is no choice among actions; what the planner chose among is.
    assert_eq!(own[9], "-");
    results.iter_mut().for_each(|r| r.run.considered = Some(412.0));
    assert_eq!(row(&results)[9], "412.00");
    let bcr = [result("BCR", "mug", 0, true)];
    assert_eq!(row(&bcr)[9], "2.50");
    assert_eq!(row(&[result("ProgPrompt", "mug", 0, true)])[9], "-");
    let text = report::report(&results).to_string();
    assert!(text.contains("2 trials in 1 scene (nook), model: symbolic. With `symbolic` no language model"), "{text}");
}

#[test]
fn a_trial_is_done_once_by_condition_task_number_and_model() {
    let task = TaskInfo { id: "nook/mug".into(), kind: String::new(), sentence: String::new(), source: String::new() };
    let folder = tempfile::tempdir().unwrap();
    let overrides = Overrides { config_dir: Some(folder.path().to_owned()), ..Overrides::default() };
    let config = Arc::new(load_with(&overrides, &|_| None).unwrap());
    let study = |model: &str| Blocking {
        opening: Opening::new(&config, stepwright_world::Sources::default(), MOST_ACTIONS),
        data: None,
        plan: Plan {
            conditions: vec![Arc::new(conditions(&["bcr".to_owned()]).unwrap()[0])],
            tasks: vec![task.clone()],
            seeds: vec![0, 1, 2, 3],
        },
        model: model.to_owned(),
    };
    let open = |results: &Results, model: &str| {
        results.open_units(units(&study(model))).iter().map(|u| u.seed).collect::<Vec<_>>()
    };
    let own = study("symbolic");
    let experiment = Experiment::new(Blocking::NAME, own.shared());
    let mut results = Results::open(None, &own, experiment, Shard::ALL).unwrap();
    let line = result("BCR", "mug", 3, false);
    results.add(&units(&own)[3].key, std::slice::from_ref(&line)).unwrap();
    assert_eq!((open(&results, "symbolic"), open(&results, "other")), (vec![0, 1, 2], vec![0, 1, 2, 3]));
    let text = serde_json::to_string(&line).unwrap();
    assert_eq!(serde_json::from_str::<BlockingResult>(&text).unwrap(), line);
}

#[test]
fn conditions_are_the_papers_unless_named() {
    let names: Vec<&str> = conditions(&[]).unwrap().iter().map(|c| c.name).collect();
    assert_eq!(names, ["BCR", "ProgPrompt", "FF-Replan", "ProgPrompt-no-find", "FF-Replan-limited"]);
    assert!(conditions(&["STRIPS".to_owned()]).unwrap_err().contains("ProgPrompt-heeded"));
}
