//! Patches (RFC 6902) between two beliefs, and their application.

use serde_json::Value;

/// The patch from one belief to another. The order of keys is not part of a patch.
pub fn patch(from: &Value, to: &Value) -> Value {
    serde_json::to_value(json_patch::diff(from, to)).unwrap_or_else(|_| Value::Array(Vec::new()))
}

/// A belief with a patch applied; the belief itself is left alone.
/// Errors: if the value is no patch, or an operation of it does not fit the belief; the text says which.
pub fn apply(state: &Value, patch: &Value) -> Result<Value, String> {
    let mut changed = state.clone();
    stepwright_episode::patch::apply(&mut changed, patch).map_err(|why| format!("the patch of the state {why}"))?;
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_patch_leads_from_one_state_to_the_other() {
        let from = json!({"objects": ["a", "b"], "relations": [], "a": {}, "b": {"contains": []}});
        let to = json!({"objects": ["a", "b"], "relations": ["a is on b"], "a": {"is": ["dirty"]}});
        assert_eq!(apply(&from, &patch(&from, &to)), Ok(to));
        assert_eq!(patch(&from, &from), json!([]));
    }

    #[test]
    fn a_patch_that_does_not_fit_is_an_error_and_changes_nothing() {
        let state = json!({"a": 1});
        let wrong = apply(&state, &json!([{"op": "remove", "path": "/b"}])).unwrap_err();
        assert!(wrong.contains("does not fit") && wrong.contains("/b"), "{wrong}");
        assert!(apply(&state, &json!({"op": "remove"})).unwrap_err().contains("state is none"));
        assert_eq!(state, json!({"a": 1}));
    }

    #[test]
    fn a_whole_document_is_a_patch_as_well() {
        let whole = json!([{"op": "replace", "path": "", "value": {"objects": []}}]);
        assert_eq!(apply(&Value::Null, &whole), Ok(json!({"objects": []})));
    }
}
