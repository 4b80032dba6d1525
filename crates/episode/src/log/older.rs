//! Older formats. Maps the records of a log of format 1 to the events of today, once, on reading.
//!
//! Format 1 had an event family each for beliefs, changes of the blocking tree and adopted assertions; they are artifacts now. It
//! said in words, under the name `purpose`, what is asked for.

use serde_json::{Map, Value, json};

use super::super::artifact::{ArtifactId, replacing};
use super::super::ask::AskKind;
use super::super::event::Record;

/// Reads a record of format 1.
///
/// # Errors
/// What is wrong with the line, in the parser's words.
pub(super) fn record(line: &[u8]) -> Result<Record, serde_json::Error> {
    let mut value: Value = serde_json::from_slice(line)?;
    if let Some(fields) = value.as_object_mut() {
        upgrade(fields);
    }
    serde_json::from_value(value)
}

/// Rewrites an event that has another form today.
fn upgrade(fields: &mut Map<String, Value>) {
    let mut take = |name: &str| fields.remove(name).unwrap_or_default();
    let (event, settled) = match take("event").as_str().unwrap_or_default() {
        "asked" => {
            let kind = take("purpose").as_str().map(AskKind::from_words);
            ("asked".to_owned(), kind.map(|kind| ("kind", json!(kind))).into_iter().collect())
        }
        "belief_offered" => {
            let names = ["due", "raw", "repairs", "problem"];
            let mut written: Map<String, Value> = names.iter().map(|n| ((*n).to_owned(), take(n))).collect();
            written.insert("artifact".into(), json!(ArtifactId::BELIEF));
            written.insert("title".into(), take("update"));
            written.insert("value".into(), take("state"));
            written.retain(|_, value| !value.is_null());
            ("artifact_offered".to_owned(), vec![("written", Value::Object(written))])
        }
        "believed" => ("artifact_settled".to_owned(), vec![("artifact", json!(ArtifactId::BELIEF))]),
        "belief_refused" => ("artifact_refused".to_owned(), Vec::new()),
        "assertions_adopted" => {
            let action = take("action");
            let artifact = ArtifactId::assertions(action.as_str().unwrap_or_default());
            let (assertions, origin) = (take("assertions"), take("origin"));
            let by = if origin == "specification" { "policy" } else { "person" };
            let patch = replacing(&json!({ "assertions": assertions, "origin": origin }));
            let settled = vec![("artifact", json!(artifact)), ("patch", patch), ("by", json!(by))];
            ("artifact_settled".to_owned(), settled)
        }
        "tree_edited" => {
            let patch = json!([{ "op": "add", "path": "/-", "value": take("edit") }]);
            let settled = vec![("artifact", json!(ArtifactId::TREE)), ("patch", patch), ("by", json!("person"))];
            ("artifact_settled".to_owned(), settled)
        }
        "tree_edit_undone" => ("artifact_undone".to_owned(), vec![("artifact", json!(ArtifactId::TREE))]),
        same => (same.to_owned(), Vec::new()),
    };
    fields.insert("event".into(), Value::String(event));
    fields.extend(settled.into_iter().map(|(name, value)| (name.to_owned(), value)));
}

#[cfg(test)]
mod tests {
    use super::super::super::event::Event;
    use super::*;

    fn event(fields: Value) -> Event {
        let mut line = json!({ "id": 1, "ts": 0, "node": 0 });
        line.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        record(line.to_string().as_bytes()).unwrap().event
    }

    #[test]
    fn beliefs_are_artifacts() {
        let offered =
            json!({ "event": "belief_offered", "offer": 1, "due": { "step": 2, "nth": 0 }, "update": "u", "raw": "r" });
        let Event::ArtifactOffered { offer: 1, ask: None, written } = event(offered) else { panic!() };
        assert_eq!((written.title.as_str(), written.raw.as_str(), &written.value), ("u", "r", &None));
        assert_eq!(written.artifact, ArtifactId::BELIEF);
        let settled = event(json!({ "event": "believed", "offer": 1, "patch": [], "by": "person" }));
        assert!(matches!(settled, Event::ArtifactSettled { offer: Some(1), .. }), "{settled:?}");
        let refused = event(json!({ "event": "belief_refused", "offer": 1, "by": "policy", "why": "no" }));
        assert!(matches!(refused, Event::ArtifactRefused { offer: 1, .. }), "{refused:?}");
    }

    #[test]
    fn what_was_asked_for_is_read_from_words() {
        let words =
            json!({ "event": "asked", "ask": 1, "purpose": "a plan", "model": "m", "n": 1, "temperature": 0.0 });
        assert!(matches!(event(words), Event::Asked { kind: AskKind::PLAN, .. }));
    }

    #[test]
    fn adopted_assertions_and_tree_edits_are_artifacts() {
        let adopted =
            json!({ "event": "assertions_adopted", "action": "take", "assertions": ["x"], "origin": "edited" });
        let Event::ArtifactSettled { artifact, patch, .. } = event(adopted) else { panic!() };
        assert_eq!(artifact, ArtifactId::assertions("take"));
        assert_eq!(patch[0]["value"]["assertions"], json!(["x"]));
        let edited = json!({ "event": "tree_edited", "edit": { "change": "prune", "node": 3, "pruned": true } });
        let Event::ArtifactSettled { artifact, patch, .. } = event(edited) else { panic!() };
        assert_eq!((artifact, patch[0]["path"].as_str()), (ArtifactId::TREE, Some("/-")));
        let undone = event(json!({ "event": "tree_edit_undone" }));
        assert!(matches!(undone, Event::ArtifactUndone { .. }), "{undone:?}");
    }
}
