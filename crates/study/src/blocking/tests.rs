//! Tests of the table's figures and of what counts as done.

use std::sync::Arc;

use super::*;
use crate::runner::{Experiment, Results, Shard, units};
use crate::sample::Under;
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
        seed: trial,
        under: Under { experiment: Arc::new(json!({"limits": {"max_steps": 100}})), ..Under::default() },
        ..RunResult::default()
    };
    // What was blocked is a decision, and no step.
    BlockingResult { condition: condition.to_owned(), trial, run }
}

fn row(results: &[BlockingResult]) -> Vec<String> {
    let text = report::report(results).to_string();
    text.lines().nth(1).unwrap().split_whitespace().map(str::to_owned).collect()
}

#[test]
fn each_condition_is_a_row_that_says_what_acted() {
    let mut results = [result("FF-Replan", "mug", 0, true), result("FF-Replan", "mug", 1, false)];
    let own = row(&results);
    // Two trials in one kitchen.
    assert_eq!(
        own[..10],
        ["FF-Replan", "mug", "the", "planner", "2", "1/2", "0.05-0.95", "4.0", "-", "0.0"],
        "{own:?}"
    );
    // Its plan's next line is no choice among actions; what the planner chose among is.
    assert_eq!(own[10], "-");
    results.iter_mut().for_each(|r| r.run.considered = Some(412.0));
    assert_eq!(row(&results)[10], "412.00");
    let bcr = [result("BCR", "mug", 0, true)];
    assert_eq!(row(&bcr)[2..5].join(" "), "the built-in selector");
    assert_eq!(row(&bcr)[11], "2.50");
    let mut of_role = bcr.clone();
    of_role[0].run.options.insert("model.selector".to_owned(), "sel".to_owned());
    assert_eq!(row(&of_role)[2..5].join(" "), "symbolic (selector sel)");
    assert_eq!(row(&of_role)[11], "-", "what a model was given is not told");
    // Where each selection had one candidate no model was asked; where one was, an ask would tell how many it was given.
    let mut alone = result("BCR", "mug", 0, true);
    alone.run.model = "m".into();
    let of_asks = |asks| BlockingResult { run: RunResult { asks, ..alone.run.clone() }, ..alone.clone() }.considered();
    assert_eq!([of_asks(0), of_asks(1)], [Some(2.5), None]);
    assert!(
        report::report(&results)
            .to_string()
            .contains("2 trials in 1 scene (nook), model: symbolic, at most 100 actions each")
    );
}

#[test]
fn alike_trials_count_once_and_what_was_not_begun_is_none() {
    let lost: Vec<BlockingResult> = (0..20).map(|trial| result("ProgPrompt", "mug", trial, false)).collect();
    assert_eq!(row(&lost)[5..8], ["1", "0/1", "0.00-0.79"], "{:?}", row(&lost));
    assert!(report::report(&lost).to_string().contains("19 repetitions came out alike"));
    let mut unbegun = result("ProgPrompt", "mug", 9, false);
    unbegun.run.ended = crate::runner::NOT_BEGUN.to_owned();
    let own = row(&[result("ProgPrompt", "mug", 0, true), unbegun]);
    assert_eq!((own[5..7].join(" "), own.last().map(String::as_str)), ("1 1/1".to_owned(), Some("1")), "{own:?}");
}

/// The paper's kitchens are AI2-THOR's, whatever else is the same.
#[test]
fn no_figure_of_the_papers_stands_beside_ours() {
    let one = |trial| {
        let mut one = result("BCR", "mug", trial, trial % 2 == 0);
        one.run.model = "openai/gpt-3.5-turbo".to_owned();
        one.run.under.experiment = Arc::new(json!({"data": "ab12", "limits": {"max_steps": 100}}));
        one.run.under.condition = Arc::new(json!({ "settings": "blocking" }));
        one
    };
    let text = report::report(&(0..50).map(one).collect::<Vec<_>>()).to_string();
    let (ours, printed) = text.split_once("As printed in").unwrap();
    assert!(!ours.contains("39/50") && printed.contains("39/50"), "{text}");
}

#[test]
fn a_trial_is_done_once_by_condition_task_number_and_model() {
    let task = TaskInfo { id: "nook/mug".into(), kind: String::new(), sentence: String::new(), source: String::new() };
    let folder = tempfile::tempdir().unwrap();
    let overrides = Overrides { config_dir: Some(folder.path().to_owned()), ..Overrides::default() };
    let config = Arc::new(load_with(&overrides, &stepwright_methods::METHODS, &|_| None).unwrap());
    let study = |model: &str| Blocking {
        opening: Opening::new(&config, stepwright_worlds::sources(), MOST_ACTIONS),
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
    let mut read: BlockingResult = serde_json::from_str(&text).unwrap();
    // The plan knows it, and no line.
    read.run.under.clone_from(&line.run.under);
    assert_eq!(read, line);
}

#[test]
fn conditions_are_the_papers_unless_named() {
    let names: Vec<&str> = conditions(&[]).unwrap().iter().map(|c| c.name).collect();
    assert_eq!(names, ["BCR", "ProgPrompt", "FF-Replan", "ProgPrompt-no-find", "FF-Replan-limited"]);
    assert!(conditions(&["STRIPS".to_owned()]).unwrap_err().contains("ProgPrompt-heeded"));
}
