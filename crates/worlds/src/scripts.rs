//! Scripts of actions for tests: what a world says to each, as a text for a snapshot.

use std::fmt::Write as _;

use stepwright_world::{Outcome, World, WorldError};

/// Plays a script: `# heading`, `reset TASK`, `keep` and `back` (a snapshot and its return), `truth POINTER`, `belief POINTER`, `goals`,
/// `admissible`; any other line is an action, in which `⏎` begins a line.
pub(crate) fn play(world: &mut dyn World, script: &str) -> String {
    let (mut out, mut kept) = (String::new(), None);
    for line in script.lines().filter(|line| !line.is_empty()) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let said = match word {
            "#" => {
                writeln!(out, "{line}").unwrap();
                continue;
            }
            "reset" => told(world.reset(rest, 0)),
            "keep" => {
                kept = Some(world.snapshot());
                String::new()
            }
            "back" => world.restore(kept.as_ref().unwrap()).map_or_else(|e| e.to_string(), |()| String::new()),
            "truth" => world.truth().pointer(rest).unwrap().to_string(),
            "belief" => world.belief_form().unwrap().pointer(rest).unwrap().to_string(),
            "goals" => world.goals().map_or("none".to_owned(), |goals| format!("{goals:?}")),
            "admissible" => format!("{:?}", world.admissible()),
            _ => {
                let before = world.truth();
                let text = line.replace('⏎', "\n");
                let preview = world.preview(&text);
                let outcome = world.act(&text);
                assert!(
                    preview.is_none_or(|preview| outcome.as_ref().is_ok_and(|outcome| *outcome == preview)),
                    "{line}"
                );
                // What is refused changes nothing.
                let refused = outcome.as_ref().is_ok_and(|outcome| outcome.error.is_some());
                assert!(!refused || world.truth() == before, "{line}");
                told(outcome)
            }
        };
        writeln!(out, "> {line}").unwrap();
        said.lines().for_each(|said| writeln!(out, "    {said}").unwrap());
    }
    out
}

/// What an outcome says, line by line.
fn told(outcome: Result<Outcome, WorldError>) -> String {
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => return format!("no outcome: {error}"),
    };
    let mut out = format!("{}\n", outcome.observation);
    outcome.calls().for_each(|call| writeln!(out, "+ {call}").unwrap());
    if let Some(error) = &outcome.error {
        writeln!(out, "refused: {error}").unwrap();
    }
    if outcome.reward != 0.0 || outcome.done {
        let end = if outcome.won {
            ", won"
        } else if outcome.done {
            ", over"
        } else {
            ""
        };
        writeln!(out, "reward {}{end}", outcome.reward).unwrap();
    }
    out
}
