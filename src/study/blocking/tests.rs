//! The table's figures and what counts as done.

use super::*;

fn result(condition: &str, task: &str, trial: u32, won: bool) -> BlockingResult {
    let info = TaskInfo {
        id: format!("nook/{task}"),
        kind: task.to_owned(),
        sentence: String::new(),
        source: "shipped".to_owned(),
    };
    let mut run = failure(&info, String::new(), Instant::now());
    run.error = None;
    (run.model, run.won, run.steps, run.proposals, run.asks) = ("symbolic".to_owned(), won, 3, 10, 2);
    // What was blocked is a decision, and no step.
    run.blocked = 1;
    BlockingResult { condition: condition.to_owned(), trial, run }
}

#[test]
fn each_condition_stands_beside_the_papers_figure() {
    let text = table(&[result("FF-Replan", "mug", 0, true), result("FF-Replan", "mug", 1, false)]);
    let row: Vec<&str> = text.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(row[..8], ["FF-Replan", "mug", "2", "1/2", "11/50", "4.0", "0.0", "2.50"], "{text}");
    assert!(text.contains("2 trials in 1 scenes (nook), model: symbolic. With `symbolic` no language model"), "{text}");
}

#[test]
fn a_trial_is_done_once_by_condition_task_number_and_model() {
    let mut done = result("BCR", "mug", 3, false);
    let condition = conditions(&["bcr".to_owned()]).unwrap()[0];
    let info =
        TaskInfo { id: done.run.task.clone(), kind: String::new(), sentence: String::new(), source: String::new() };
    let trial = |number| Trial { condition, task: info.clone(), number };
    assert!(done.is_of(&trial(3), "symbolic"));
    assert!(!done.is_of(&trial(2), "symbolic") && !done.is_of(&trial(3), "other"));
    done.run.error = Some("no server".to_owned());
    assert!(!done.is_of(&trial(3), "symbolic"));
    let line = serde_json::to_string(&done).unwrap();
    assert_eq!(serde_json::from_str::<BlockingResult>(&line).unwrap(), done);
}

#[test]
fn conditions_are_the_papers_unless_named() {
    let names: Vec<&str> = conditions(&[]).unwrap().iter().map(|c| c.name).collect();
    assert_eq!(names, ["BCR", "ProgPrompt", "FF-Replan", "ProgPrompt-no-find", "FF-Replan-limited"]);
    assert!(conditions(&["STRIPS".to_owned()]).unwrap_err().contains("ProgPrompt-heeded"));
}
