//! Tests of the tables: what is considered, who won where, differences task by task.

use super::*;

fn result(method: &str, task: &str, won: bool, tokens: u64) -> DecisionResult {
    let run = RunResult {
        task: task.to_owned(),
        method: method.to_owned(),
        model: "m".to_owned(),
        won,
        steps: 4,
        blocked: 1,
        proposals: 20,
        prompt_tokens: tokens,
        ..RunResult::default()
    };
    DecisionResult { whole: method == "progprompt", run }
}

fn rows<'t>(text: &'t str, table: &str) -> Vec<Vec<&'t str>> {
    let below = text.split_once(table).unwrap().1;
    let lines =
        below.lines().skip_while(|line| !line.starts_with("method")).skip(1).take_while(|line| !line.is_empty());
    lines.map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()).collect()
}

#[test]
fn methods_are_held_against_each_other_task_by_task() {
    let of = |method: &str, won: [bool; 4], tokens: u64| {
        let tasks = ["a", "b", "c", "d"].into_iter().zip(won);
        tasks.map(|(task, won)| result(method, task, won, tokens)).collect::<Vec<_>>()
    };
    let both = [of("blocking", [true, true, true, false], 200), of("progprompt", [true, false, false, false], 50)];
    let text = report::report(&both.concat()).to_string();
    let alone = rows(&text, "");
    // Four decisions of five were actions; a plan that is written whole considers none.
    assert_eq!(alone[0][..6], ["blocking", "an action at a time", "m", "4", "3/4", "75.0"], "{text}");
    assert!(alone[0].contains(&"4.0") && alone[1][1] == "a whole plan", "{text}");
    assert_eq!(alone[1][7], "-", "{text}");
    let pairs = rows(&text, "Every two methods, task by task");
    assert_eq!(pairs.len(), 1, "{text}");
    // Both won one, the first alone two, the second alone none, neither one.
    assert_eq!(pairs[0][..8], ["blocking", "progprompt", "4", "1", "2", "0", "1", "50.0"], "{text}");
    assert_eq!(pairs[0][8], "0.0-100.0", "{text}");
    assert_eq!(pairs[0][9..11], ["150", "150-150"], "{text}");
    assert!(!text.contains("built-in agents"), "{text}");
    // What is named first is what the others are held against.
    let [first, second] = both;
    let text = report::report(&[second, first].concat()).to_string();
    let pairs = rows(&text, "Every two methods, task by task");
    assert_eq!(pairs[0][..2], ["progprompt", "blocking"], "{text}");
}

#[test]
fn a_task_is_the_ones_that_won_more_of_its_repetitions() {
    let of = |method: &str, task: &str, won: [bool; 3]| {
        let each = won.into_iter().zip(0..).map(|(won, seed)| {
            let mut one = result(method, task, won, 10);
            one.run.seed = seed;
            one
        });
        each.collect::<Vec<_>>()
    };
    let some = [true, false, false];
    let all = [
        of("blocking", "a", some),
        of("few-shot", "a", [false; 3]),
        of("blocking", "b", some),
        of("few-shot", "b", [true; 3]),
        of("blocking", "c", some),
        of("few-shot", "c", [false, true, false]),
        of("blocking", "d", [false; 3]),
        of("few-shot", "d", [false; 3]),
    ];
    let text = report::report(&all.concat()).to_string();
    let pairs = rows(&text, "Every two methods, task by task");
    // Both as often in c, the first more often in a, the second in b, neither in d.
    assert_eq!(pairs[0][..7], ["blocking", "few-shot", "4", "1", "1", "1", "1"], "{text}");
}

#[test]
fn what_was_cut_from_prompts_is_said_of_each_method() {
    let mut cut = result("few-shot", "a", true, 1);
    (cut.run.asks, cut.run.shortened, cut.run.left_out) = (5, 2, "the first steps".to_owned());
    let text = report::report(&[result("blocking", "a", true, 1), cut]).to_string();
    assert!(text.contains("few-shot: 2 of 5 prompts did not fit the model; the first: the first steps\n"), "{text}");
    assert_eq!(text.matches("did not fit").count(), 1, "{text}");
}

/// What was offered for thoughts and reports was offered at decisions of their own.
#[test]
fn what_executes_nothing_is_a_decision_that_something_was_considered_at() {
    let mut one = result("o3d", "a", true, 1);
    (one.run.steps, one.run.blocked, one.run.held, one.run.proposals) = (6, 0, 5, 11);
    assert_eq!(one.considered(), Some(1.0));
}

#[test]
fn what_played_no_task_of_the_other_is_not_compared() {
    let all = [result("blocking", "a", true, 1), result("few-shot", "b", true, 1)];
    let text = report::report(&all).to_string();
    let pairs = rows(&text, "Every two methods, task by task");
    assert_eq!(pairs[0][2..8], ["0", "0", "0", "0", "0", "-"], "{text}");
}
