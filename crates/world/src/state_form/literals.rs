//! Literals of a program's variables: what an agent can know in any world, as a form of a person's or a model's own may say it.

use serde_json::Value;

use crate::{Atom, Facts};

/// A predicate an attribute of an object (`agent.inventory`): of its value, or of each member of it; behind the keys that lead there in
/// a dictionary. What is true has no value (`agent.opened desk 1`); nothing is said of what is false, `None` or empty.
pub fn literals(variables: &Value) -> Facts {
    let mut facts = Facts::default();
    let is_object = |name: &str| variables.get(name).is_some();
    for (object, attributes) in variables.as_object().into_iter().flatten() {
        for (attribute, value) in attributes.as_object().into_iter().flatten() {
            let predicate = format!("{object}.{attribute}");
            // Which object holds which never changes.
            if value.as_str().and_then(|name| name.strip_prefix('<')?.strip_suffix('>')).is_some_and(is_object) {
                continue;
            }
            say(&mut facts, &predicate, &mut Vec::new(), value);
        }
    }
    facts
}

fn say(facts: &mut Facts, predicate: &str, keys: &mut Vec<String>, value: &Value) {
    match value {
        Value::Null | Value::Bool(false) => {}
        Value::Bool(true) => facts.atoms.extend([Atom::new(predicate, keys.iter())]),
        Value::Array(members) => {
            for member in members {
                match member {
                    // A tuple within a list is one literal.
                    Value::Array(parts) => {
                        let parts: Vec<String> = parts.iter().filter_map(text).collect();
                        facts.atoms.insert(Atom::new(predicate, keys.iter().cloned().chain(parts)));
                    }
                    member => say(facts, predicate, keys, member),
                }
            }
        }
        Value::Object(entries) => {
            for (key, value) in entries {
                keys.push(key.clone());
                say(facts, predicate, keys, value);
                keys.pop();
            }
        }
        Value::String(_) | Value::Number(_) => {
            let value = text(value);
            facts.atoms.extend(value.map(|value| Atom::new(predicate, keys.iter().cloned().chain([value]))));
        }
    }
}

/// A value in words; none of what is empty.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.split_whitespace().collect::<Vec<_>>().join(" ")),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(known) => Some(known.to_string()),
        _ => None,
    }
    .filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn variables_are_literals_of_their_values() {
        let variables = json!({"agent": {"held": "mug 1", "at": null, "open": {"desk 1": true, "box 1": false},
            "on": {"desk 1": ["pen 1", "cup 1"]}, "pairs": [["a", 2]], "seen": [], "home": "<home>"}, "home": {}});
        let found: Vec<String> = literals(&variables).atoms.iter().map(ToString::to_string).collect();
        let expected = [
            "agent.held mug 1", "agent.on desk 1 cup 1", "agent.on desk 1 pen 1", "agent.open desk 1",
            "agent.pairs a 2",
        ];
        assert_eq!(found, expected);
    }
}
