//! Differences: what a step changed, as a JSON patch (RFC 6902) of few and readable operations.
//!
//! Sets are shown as sorted lists. An element that joins one is one addition, where a diff by position would say that every
//! element after it changed.

use std::collections::HashSet;

use serde_json::{Value, json};

use stepwright_text::json_pointer::join;

/// A JSON patch from one value to the other.
pub fn difference(from: &Value, to: &Value) -> Value {
    let mut operations = Vec::new();
    compare(from, to, "", &mut operations);
    Value::Array(operations)
}

fn compare(from: &Value, to: &Value, path: &str, operations: &mut Vec<Value>) {
    match (from, to) {
        _ if from == to => {}
        (Value::Object(before), Value::Object(after)) => {
            for key in before.keys().filter(|k| !after.contains_key(*k)) {
                operations.push(json!({ "op": "remove", "path": join(path, key) }));
            }
            for (key, value) in after {
                match before.get(key) {
                    Some(old) => compare(old, value, &join(path, key), operations),
                    None => operations.push(json!({ "op": "add", "path": join(path, key), "value": value })),
                }
            }
        }
        (Value::Array(before), Value::Array(after)) => lists(before, after, path, operations),
        _ => operations.push(json!({ "op": "replace", "path": path, "value": to })),
    }
}

/// Removals from the end, then insertions from the front; where that does not give the list, it was reordered: it is replaced.
fn lists(before: &[Value], after: &[Value], path: &str, operations: &mut Vec<Value>) {
    let mut list = before.to_vec();
    let staying: HashSet<String> = after.iter().map(Value::to_string).collect();
    let mut found = Vec::new();
    for i in (0..list.len()).rev() {
        let gone = list.get(i).is_some_and(|item| !staying.contains(&item.to_string()));
        if gone {
            list.remove(i);
            found.push(json!({ "op": "remove", "path": format!("{path}/{i}") }));
        }
    }
    for (i, item) in after.iter().enumerate() {
        // All before it are in their places by now, so that there is room for it.
        if list.get(i) != Some(item) {
            list.insert(i, item.clone());
            found.push(json!({ "op": "add", "path": format!("{path}/{i}"), "value": item }));
        }
    }
    if list == after {
        operations.extend(found);
    } else {
        operations.push(json!({ "op": "replace", "path": path, "value": after }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_element_that_joins_a_set_is_one_addition() {
        let (from, to) = (json!({"seen": ["a", "c", "d"]}), json!({"seen": ["a", "b", "c", "d"]}));
        assert_eq!(difference(&from, &to), json!([{"op": "add", "path": "/seen/1", "value": "b"}]));
        assert_eq!(difference(&to, &from), json!([{"op": "remove", "path": "/seen/1"}]));
        assert_eq!(difference(&from, &from), json!([]));
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf =
            prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), "[a-c/~]{0,2}".prop_map(Value::from)];
        leaf.prop_recursive(3, 24, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                proptest::collection::btree_map("[a-c/~]{0,2}", inner, 0..4).prop_map(|m| m.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_patch_leads_from_one_to_the_other(from in values(), to in values()) {
            let patch: json_patch::Patch = serde_json::from_value(difference(&from, &to)).unwrap();
            let mut value = from;
            json_patch::patch(&mut value, &patch).unwrap();
            prop_assert_eq!(value, to);
        }
    }
}
