//! Patches of documents (RFC 6902), applied within bounds.
//!
//! This program writes `add`, `remove` and `replace`. `copy` could double a document with every operation, so that a small file took all
//! memory; it and `move` are in no patch of ours and are refused. What all versions of all documents of a session take together is
//! bounded as well ([`MAX_DOCUMENTS`]).

use json_patch::{Patch, PatchOperation};
use serde::Deserialize;
use serde_json::Value;

/// Most bytes, about, that the versions of the documents of a session take in memory together.
pub(crate) const MAX_DOCUMENTS: usize = 512 << 20;

/// The memory of a value beside its texts, about.
const VALUE: usize = 32;

/// Applies a patch.
/// Errors: if the value is no patch, copies or moves, or an operation does not fit the document: in words that follow
/// "the patch". The document may then be changed in part.
pub fn apply(document: &mut Value, patch: &Value) -> Result<(), String> {
    let patch = Patch::deserialize(patch).map_err(|e| {
        format!("is none ({e}); a patch is a list such as [{{\"op\": \"replace\", \"path\": \"/a\", \"value\": 1}}]")
    })?;
    for operation in &patch.0 {
        if let PatchOperation::Copy(_) | PatchOperation::Move(_) = operation {
            return Err("copies or moves, which no session needs; write `add`, `remove` and `replace`".to_owned());
        }
    }
    json_patch::patch_unsafe(document, &patch).map_err(|e| format!("does not fit: {e}"))
}

/// What an operation does to what stands at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Something new is there.
    Added,
    /// It is there no longer.
    Removed,
    /// It has another value.
    Changed,
}

/// The operations of a patch that change something, for display: kind, pointer, new value. What is taken out and put in again at once, as
/// items of lists are, has changed. Those of other programs may move and copy.
pub fn operations(patch: &Value) -> impl Iterator<Item = (Change, &str, Option<&Value>)> {
    let all = patch.as_array().map_or(&[][..], Vec::as_slice);
    let is = |op: &Value, kind: &str| op.get("op").is_some_and(|op| op == kind);
    let replaces =
        move |one: &Value, next: &Value| is(one, "remove") && is(next, "add") && one.get("path") == next.get("path");
    all.iter().enumerate().flat_map(move |(at, op)| {
        let text = |key: &str| op.get(key).and_then(Value::as_str);
        let before = at.checked_sub(1).and_then(|before| all.get(before));
        let is_put_again = before.is_some_and(|before| replaces(before, op));
        let is_taken_first = all.get(at + 1).is_some_and(|next| replaces(op, next));
        let new = op.get("value");
        let path = text("path");
        let moved = text("from");
        let pair = match text("op") {
            Some("add") if is_put_again => [path.map(|p| (Change::Changed, p, new)), None],
            Some("add") => [path.map(|p| (Change::Added, p, new)), None],
            Some("remove") if is_taken_first => [None, None],
            Some("remove") => [path.map(|p| (Change::Removed, p, None)), None],
            Some("replace") => [path.map(|p| (Change::Changed, p, new)), None],
            Some("copy") => [path.map(|p| (Change::Added, p, None)), None],
            Some("move") => [moved.map(|p| (Change::Removed, p, None)), path.map(|p| (Change::Added, p, None))],
            _ => [None, None],
        };
        pair.into_iter().flatten()
    })
}

/// The bytes that a document takes in memory, about.
pub fn weight(document: &Value) -> usize {
    let own = match document {
        Value::String(text) => text.len(),
        Value::Array(list) => list.iter().map(weight).sum(),
        Value::Object(entries) => entries.iter().map(|(name, value)| VALUE + name.len() + weight(value)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    VALUE + own
}

/// Whether two documents are the same, the order of their entries included.
pub fn is_same(one: &Value, other: &Value) -> bool {
    serde_json::to_string(one).ok() == serde_json::to_string(other).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The bomb of 4.6 KB: twenty-two times the document into itself.
    #[test]
    fn d2_a_patch_that_copies_is_refused_before_anything_grows() {
        let mut operations = vec![json!({"op": "add", "path": "", "value": {"a": ["x"]}})];
        operations.extend((0..60).map(|_| json!({"op": "copy", "from": "", "path": "/a/-"})));
        let mut document = Value::Null;
        let why = apply(&mut document, &Value::Array(operations)).unwrap_err();
        assert!(why.contains("copies or moves"), "{why}");
        assert_eq!(document, Value::Null);
        let moved = json!([{"op": "move", "from": "/a", "path": "/b"}]);
        assert!(apply(&mut json!({"a": 1}), &moved).is_err());
    }

    #[test]
    fn what_is_no_patch_is_said() {
        assert!(apply(&mut Value::Null, &json!({"op": "remove"})).unwrap_err().starts_with("is none"));
        assert!(apply(&mut json!({}), &json!([{"op": "remove", "path": "/b"}])).unwrap_err().contains("/b"));
    }

    #[test]
    fn an_item_that_is_taken_out_and_put_in_again_has_changed() {
        let patch = json!([
            {"op": "remove", "path": "/at/0"}, {"op": "remove", "path": "/at/0"},
            {"op": "add", "path": "/at/0", "value": 4}, {"op": "add", "path": "/at/1", "value": 5}
        ]);
        let said: Vec<_> = operations(&patch).collect();
        let (four, five) = (json!(4), json!(5));
        assert_eq!(
            said,
            [
                (Change::Removed, "/at/0", None),
                (Change::Changed, "/at/0", Some(&four)),
                (Change::Added, "/at/1", Some(&five))
            ]
        );
    }

    #[test]
    fn a_document_weighs_about_its_text() {
        let document = json!({"objects": ["a".repeat(1000), "b"], "n": 1});
        assert!((1000..1500).contains(&weight(&document)));
    }
}
