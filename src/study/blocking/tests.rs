//! The table's figures and what counts as done.

use std::sync::Arc;

use super::*;
use crate::config::{Overrides, load_with};
use crate::study::runner::Results;
use crate::world::TaskInfo;

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
fn each_condition_stands_beside_the_papers_figure() {
    let text = report::table(&[result("FF-Replan", "mug", 0, true), result("FF-Replan", "mug", 1, false)]);
    let row: Vec<&str> = text.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(row[..8], ["FF-Replan", "mug", "2", "1/2", "11/50", "4.0", "0.0", "2.50"], "{text}");
    assert!(text.contains("2 trials in 1 scene (nook), model: symbolic. With `symbolic` no language model"), "{text}");
}

#[test]
fn a_trial_is_done_once_by_condition_task_number_and_model() {
    let task = TaskInfo { id: "nook/mug".into(), kind: String::new(), sentence: String::new(), source: String::new() };
    let folder = tempfile::tempdir().unwrap();
    let overrides = Overrides { config_dir: Some(folder.path().to_owned()), ..Overrides::default() };
    let config = Arc::new(load_with(&overrides, &|_| None).unwrap());
    let study = |model: &str| Blocking {
        opening: Opening {
            config: Arc::clone(&config),
            sources: crate::world::Sources::default(),
            most_actions: MOST_ACTIONS,
            in_force: None,
            sessions: None,
        },
        data: None,
        plan: Plan {
            conditions: vec![Arc::new(conditions(&["bcr".to_owned()]).unwrap()[0])],
            tasks: vec![task.clone()],
            seeds: 0..=3,
        },
        model: model.to_owned(),
    };
    let mut results = Results::open(None).unwrap();
    results.add(result("BCR", "mug", 3, false)).unwrap();
    let open = |model: &str| results.open_units(&study(model)).0.iter().map(|u| u.seed).collect::<Vec<_>>();
    assert_eq!((open("symbolic"), open("other")), (vec![0, 1, 2], vec![0, 1, 2, 3]));
    let line = serde_json::to_string(&results.all[0]).unwrap();
    assert_eq!(serde_json::from_str::<BlockingResult>(&line).unwrap(), results.all[0]);
}

#[test]
fn conditions_are_the_papers_unless_named() {
    let names: Vec<&str> = conditions(&[]).unwrap().iter().map(|c| c.name).collect();
    assert_eq!(names, ["BCR", "ProgPrompt", "FF-Replan", "ProgPrompt-no-find", "FF-Replan-limited"]);
    assert!(conditions(&["STRIPS".to_owned()]).unwrap_err().contains("ProgPrompt-heeded"));
}
