//! Compares dialogues read from the dataset's own files with the same dialogues as recorded calls and turns.

use std::path::Path;

use super::replay;
use crate::{Difference, Row};
use stepwright_worlds::dialogue::{Dialogue, Source};

/// Compares every dialogue in `raw/` that the recordings hold too, and steps through all of them.
pub(super) fn compare(recorded: &Source, folder: &Path) -> Vec<Row> {
    const WHAT: &str = "raw/ as calls and turns";
    let raw = folder.join("raw");
    if !raw.is_dir() {
        return vec![Row::missing(WHAT, "dialogues", "no folder raw/ here")];
    }
    let mut row = Row::new(WHAT, "dialogues");
    let imported = match Source::open(&raw) {
        Ok(imported) => imported,
        Err(error) => {
            row.differs(super::difference("raw/", "files in the dataset's own layout", error));
            return vec![row];
        }
    };
    let mut others = 0;
    for dialogue in imported.dialogues() {
        match recorded.dialogue(&dialogue.id) {
            Ok(expected) => row.count(differences(expected, dialogue)),
            Err(_) => others += 1,
        }
    }
    if others > 0 {
        row.lacks(others, || "they are imported, but no compact file holds them".to_owned());
    }
    vec![row, replay::compare(&imported, "raw/")]
}

/// The differences; calls are compared one by one where each turn has as many.
fn differences(expected: &Dialogue, got: &Dialogue) -> Vec<Difference> {
    let at = |what: &str| format!("{}: {what}", expected.id);
    let mut found = Vec::new();
    if expected.service != got.service {
        let (expected, got) = (expected.service.clone(), got.service.clone());
        found.push(Difference { at: at("service"), expected, got });
    }
    let turns = |d: &Dialogue| d.turns.iter().map(|t| t.calls.len()).collect::<Vec<_>>();
    if turns(expected) != turns(got) {
        let words = |d: &Dialogue| format!("{:?}", turns(d));
        found.push(Difference { at: at("calls of each turn"), expected: words(expected), got: words(got) });
        return found;
    }
    let different = expected.calls().zip(got.calls()).enumerate().filter(|(_, (e, g))| e != g);
    found.extend(different.map(|(i, (e, g))| Difference {
        at: at(&format!("call {i}")),
        expected: e.to_string(),
        got: g.to_string(),
    }));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_that_differs_is_listed() {
        let line =
            |calls: &str, turns: &str| format!(r#"{{"id":"t/1","service":"S","calls":[{calls}],"turns":{turns}}}"#);
        let folder = tempfile::tempdir().unwrap();
        let read = |text: String| {
            let file = folder.path().join("a.jsonl");
            std::fs::write(&file, text).unwrap();
            Source::open(&file).unwrap().dialogues()[0].clone()
        };
        let one = read(line(r#""user.INFORM('a')", "system.INFORM('b')""#, "[1, 1]"));
        let two = read(line(r#""user.INFORM('d')", "system.INFORM('c')""#, "[1, 1]"));
        let three = read(line(r#""user.INFORM('a')", "user.INFORM('b')""#, "[2]"));
        let places = |other| differences(&one, other).into_iter().map(|d| d.at).collect::<Vec<_>>();
        assert!(places(&one).is_empty());
        assert_eq!(places(&two), ["t/1: call 0", "t/1: call 1"]);
        assert_eq!(places(&three), ["t/1: calls of each turn"]);
    }
}
