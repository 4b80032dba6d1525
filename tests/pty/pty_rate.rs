//! `stepwright rate` in a pseudo-terminal: plans are judged blind, a judgement is taken back, a sitting is gone on with.

use crate::scripts::play;

fn results(plans: usize) -> String {
    let line = |n: usize| {
        let steps: Vec<String> = (1..=30).map(|step| format!("Walk to place {n} {step}")).collect();
        let condition = if n.is_multiple_of(2) { "open-loop" } else { "cause" };
        serde_json::json!({ "condition": condition, "title": format!("Task {n}"), "plan": steps, "executable": !n.is_multiple_of(3) }).to_string() + "\n"
    };
    (0..plans).map(line).collect()
}

#[test]
fn plans_are_judged_blind_and_a_sitting_is_gone_on_with() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("results.jsonl"), results(4)).unwrap();
    play(include_str!("scripts/rate.script"), home.path(), &[]);
    assert!(std::fs::read_to_string(home.path().join("figure.svg")).unwrap().contains("<circle"));
}
