//! Corrective re-prompting by keys, in a pseudo-terminal, with a served model: a plan meets an error, the corrective prompt is edited and
//! sent, the error is corrected, the plan ends; back at the error it is corrected another way.

use crate::support::pty::Pty;
use crate::support::server::{Received, Server, Step, good};
use stepwright::episode::{AskKind, Event, log};

const PROGRAM: &str = env!("CARGO_BIN_EXE_stepwright");

/// A person's addition to the corrective prompt.
const EDITED: &str = " open what is closed";

/// A model that answers by what the prompt ends with.
fn answer(request: &Received) -> Vec<Step> {
    let messages = request.body["messages"].as_array().cloned().unwrap_or_default();
    let last = messages.last().and_then(|m| m["content"].as_str()).or(request.body["prompt"].as_str());
    // What comes before the task is the example.
    let prompt = last.unwrap_or_default().trim_end();
    let prompt = prompt.rsplit("Task: ").next().unwrap_or_default().to_owned();
    let step = if prompt.contains(EDITED) {
        "Open the fridge"
    } else if prompt.contains("Error: the milk is inside something") {
        "Skip"
    } else if prompt.contains("Step 2: Open fridge") {
        "Done"
    } else if prompt.ends_with("Step 1:") {
        "Walk to the fridge"
    } else if prompt.ends_with("Step 2:") && !prompt.contains("Walk to table") {
        // After the step was left out the same is asked for; nothing else is left to do.
        if prompt.matches("Error").count() == 0 { "Grab milk" } else { "Done" }
    } else {
        "Done"
    };
    good(step)
}

#[test]
fn an_error_is_corrected_undone_and_corrected_another_way() {
    let server = Server::answering(answer);
    let home = tempfile::tempdir().unwrap();
    let env = server.variables();
    let mut pty = Pty::start(PROGRAM, &["--method", "reprompt", "--completions", "1"], home.path(), &env, (160, 50));
    pty.wait_for("/ searches").settle().send("\t\t");
    pty.settle().send("\x1b[B\x1b[B\x1b[B\x1b[B\x1b[B\x1b[B");
    pty.wait_for("▶ graph").settle().send("\t");
    pty.settle().send("/");
    pty.wait_for("Search:").send("Take the milk out");
    pty.settle().send("\r");
    pty.settle().send("\r");

    pty.wait_for("step 0 ·").wait_for("★ recommended").wait_for("Walk to fridge").settle().send("a");
    pty.wait_for("step 1 ·").wait_for("Grab milk").settle().send("a");
    pty.wait_for("a corrective prompt waits").wait_for("object (type 6)");
    pty.wait_for("Error: the milk is inside something. A correct step").settle().send("e");
    pty.wait_for("Edit it, then take it").settle().send(EDITED);
    pty.settle().send("\r");
    pty.wait_for("Open fridge").wait_for("★ recommended").settle().send("a");
    pty.wait_for("step 3 ·").wait_for("generation has stopped: the plan is finished").settle();
    assert!(pty.text().contains("plan (1 correction)"), "{}", pty.text());

    // Back at the error, its prompt is sent as it is; the model leaves the step out.
    pty.send("u");
    pty.wait_for("step 2 ·").settle().send("P");
    pty.wait_for("a corrective prompt waits").settle().send("a");
    pty.wait_for("▶★").settle();
    assert!(pty.text().contains("Grab milk"), "{}", pty.text());
    pty.send("x");
    pty.wait_for("Why not?").settle().send("\x1b");
    pty.settle().send("q");
    pty.wait();

    let folder = home.path().join("state/stepwright/sessions");
    let file = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let loaded = log::load(&file).unwrap();
    let settled = loaded.records.iter().filter_map(|r| match &r.event {
        Event::ArtifactSettled { edited, .. } => Some(*edited),
        _ => None,
    });
    assert_eq!(settled.filter(|edited| *edited).count(), 1);
    let asked = |e: &Event| matches!(e, Event::Asked { kind: AskKind::Other(own), .. } if own.tag == "correction");
    assert_eq!(loaded.records.iter().filter(|r| asked(&r.event)).count(), 2);
}
