//! Steps through recorded dialogues with their own acts: each must be won, and its program be the recorded calls.

use crate::{Difference, Row};
use stepwright_world::{Outcome, World};
use stepwright_worlds::dialogue::{Dialogue, DialogueWorld, END_TURN, Source, Speaker};

/// Replays every dialogue of a source; `what` names it.
pub(super) fn compare(source: &Source, what: &str) -> Row {
    let mut row = Row::new(format!("{what} stepped through with its own acts"), "dialogues");
    let mut world = DialogueWorld::new(source.clone());
    for dialogue in source.dialogues() {
        row.count(differences(&mut world, dialogue));
    }
    row
}

/// Where the world answers otherwise than recorded. What follows an act that is refused is another dialogue, and not compared.
fn differences(world: &mut DialogueWorld, dialogue: &Dialogue) -> Vec<Difference> {
    let found = |at: String, expected: &str, got: String| Difference {
        at: format!("{}: {at}", dialogue.id),
        expected: expected.to_owned(),
        got,
    };
    let differs = |at: String, expected: &str, got: String| vec![found(at, expected, got)];
    let mut last: Outcome = match world.reset(&dialogue.id, 0) {
        Ok(outcome) => outcome,
        Err(error) => return differs("reset".to_owned(), "the dialogue", error.to_string()),
    };
    let mut calls: Vec<String> = last.calls().map(ToString::to_string).collect();
    let mut unanswered = true;
    for (i, turn) in dialogue.turns.iter().enumerate().filter(|(_, t)| t.speaker == Speaker::System) {
        unanswered = false;
        let acts = turn.calls.iter().filter(|c| world.call_of(&c.to_string()).is_some()).map(ToString::to_string);
        let acts: Vec<String> = acts.chain([END_TURN.to_owned()]).collect();
        for act in acts {
            last = match world.act(&act) {
                Ok(outcome) => outcome,
                Err(error) => return differs(format!("turn {}, {act}", i + 1), "an answer", error.to_string()),
            };
            if let Some(error) = last.error {
                return differs(format!("turn {}, {act}", i + 1), "accepted", error);
            }
            calls.extend(last.calls().map(ToString::to_string));
        }
    }
    let recorded: Vec<String> = dialogue.calls().map(ToString::to_string).collect();
    let shown = |calls: &[String], at: usize| calls.get(at).map_or("no call", String::as_str).to_owned();
    let wrong = (0..recorded.len().max(calls.len())).filter(|i| recorded.get(*i) != calls.get(*i));
    let mut all: Vec<Difference> =
        wrong.map(|at| found(format!("call {at}"), &shown(&recorded, at), shown(&calls, at))).collect();
    if !last.done || !(last.won || unanswered) || last.reward < 1.0 {
        let got = format!("done {}, won {}, F1 {}", last.done, last.won, last.reward);
        all.push(found("the end".to_owned(), "done, won, F1 1", got));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_dialogues_replay_and_a_broken_one_is_found() {
        let row = compare(&Source::shipped().unwrap(), "shipped");
        assert_eq!((row.compared, row.differences), (102, 0), "{:?}", row.first);
        // A service call without a result is supplied without one: its status is missing nowhere else.
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.jsonl");
        let line = r#"{"id":"t/1","service":"S","calls":["user.GOODBYE()","system.set_query_status(True)","system.GOODBYE()"],"turns":[1,2]}"#;
        std::fs::write(&file, line).unwrap();
        let row = compare(&Source::open(&file).unwrap(), "a status without a call");
        assert_eq!(row.differences, 1);
        assert!(row.first.unwrap().at.starts_with("t/1: call 1"));
    }
}
