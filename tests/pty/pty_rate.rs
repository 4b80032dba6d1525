//! `stepwright rate` in a pseudo-terminal: plans are judged blind, a judgement is taken back, a sitting is gone on with.

use crate::support::pty::Pty;

const PROGRAM: &str = env!("CARGO_BIN_EXE_stepwright");

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
    let file = home.path().join("results.jsonl");
    std::fs::write(&file, results(4)).unwrap();
    let path = file.display().to_string();
    let start = |size| Pty::start(PROGRAM, &["rate", &path, "--rater", "ann"], home.path(), &[], size);

    let mut pty = start((80, 24));
    pty.wait_for("plan 1 of 4").settle();
    let first = pty.text();
    assert!(first.contains("Does this plan do the task?") && first.contains("not judged"), "{first}");
    assert!(!first.contains("open-loop") && !first.contains("cause"), "no method is named: {first}");
    assert!(first.contains("more below") && !first.contains(" 30. "), "{first}");
    for _ in 0..30 {
        pty.send("\x1b[B");
    }
    pty.wait_for(" 30. ").send("y");
    pty.wait_for("plan 2 of 4").send("n");
    pty.wait_for("plan 3 of 4").send("u");
    pty.wait_for("Taken back").wait_for("plan 2 of 4").settle();
    pty.resize((20, 5));
    pty.wait_for("Too small").send("y");
    pty.settle().resize((120, 40));
    pty.wait_for("1 judged").settle();
    assert!(pty.text().contains(" 30. "), "all of it fits now: {}", pty.text());
    pty.send("q");
    assert_eq!(pty.wait(), 0);
    assert!(pty.is_restored());

    let mut pty = start((120, 40));
    pty.wait_for("plan 2 of 4").wait_for("1 judged").send("y");
    pty.wait_for("plan 3 of 4").send("n");
    pty.wait_for("plan 4 of 4").send("y");
    pty.wait_for("All plans are judged").send("\x1b[D");
    pty.wait_for("plan 3 of 4").wait_for("you said: not correct").send("q");
    assert_eq!(pty.wait(), 0);

    let svg = home.path().join("figure.svg").display().to_string();
    let mut pty = Pty::start(PROGRAM, &["rate", &path, "--figures", "--export", &svg], home.path(), &[], (160, 60));
    assert_eq!(pty.wait(), 0);
    let text = pty.text();
    assert!(text.contains("% correct-EP") && text.contains("open-loop") && text.contains("1 rater."), "{text}");
    assert!(std::fs::read_to_string(&svg).unwrap().contains("<circle"));
}
