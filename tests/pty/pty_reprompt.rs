//! Corrective re-prompting by keys, in a pseudo-terminal, with a served model: a plan meets an error, the corrective prompt is edited and
//! sent, the error is corrected, the plan ends; back at the error it is corrected another way.

use crate::scripts::{play, session};
use crate::support::server::{Received, Server, Step, good};
use stepwright::episode::{AskKind, Event};

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
    play(include_str!("scripts/reprompt.script"), home.path(), &server.variables());
    let (_, loaded) = session(home.path());
    let settled = loaded.records.iter().filter_map(|r| match &r.event {
        Event::ArtifactSettled { edited, .. } => Some(*edited),
        _ => None,
    });
    assert_eq!(settled.filter(|edited| *edited).count(), 1);
    let asked = |e: &Event| matches!(e, Event::Asked { kind: AskKind::Other(own), .. } if own.tag == "correction");
    assert_eq!(loaded.records.iter().filter(|r| asked(&r.event)).count(), 2);
}
