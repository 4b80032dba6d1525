//! Differences: what a step changed, as a JSON patch (RFC 6902) of few and readable operations.
//!
//! Sets are shown as sorted lists. An element that joins one is one addition, where a diff by position would say that every
//! element after it changed.

use std::collections::HashSet;

use serde_json::{Value, json};

use stepwright_method::program_context::ProgramState;
use stepwright_text::json_pointer::join;

/// What changed of a program's variables, as a JSON patch. What a step left as it was is not written down for it.
pub fn changes(before: &ProgramState, after: &ProgramState) -> Value {
    let (from, to) = before.variables_apart(after);
    difference(&from, &to)
}

/// A JSON patch from one value to the other.
pub(super) fn difference(from: &Value, to: &Value) -> Value {
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
    let mut list: Vec<&Value> = before.iter().collect();
    // What both begin with stays, and where the rest of the one ends the other, nothing is gone: so most lists grow.
    let first = before.iter().zip(after).take_while(|(old, new)| old == new).count();
    let rest = before.get(first..).unwrap_or_default();
    let mut found = Vec::new();
    if !after.ends_with(rest) {
        let staying: HashSet<String> = after.iter().map(Value::to_string).collect();
        for (i, item) in before.iter().enumerate().skip(first).rev() {
            if !staying.contains(&item.to_string()) {
                list.remove(i);
                found.push(json!({ "op": "remove", "path": format!("{path}/{i}") }));
            }
        }
    }
    for (i, item) in after.iter().enumerate().skip(first) {
        // All before it are in their places by now, so that there is room for it.
        if list.get(i) != Some(&item) {
            list.insert(i, item);
            found.push(json!({ "op": "add", "path": format!("{path}/{i}"), "value": item }));
        }
    }
    if list.iter().copied().eq(after) {
        operations.extend(found);
    } else {
        operations.push(json!({ "op": "replace", "path": path, "value": after }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use stepwright_method::program_context::ProgramContext;
    use stepwright_program::Call;

    #[test]
    fn an_element_that_joins_a_set_is_one_addition() {
        let (from, to) = (json!({"seen": ["a", "c", "d"]}), json!({"seen": ["a", "b", "c", "d"]}));
        assert_eq!(difference(&from, &to), json!([{"op": "add", "path": "/seen/1", "value": "b"}]));
        assert_eq!(difference(&to, &from), json!([{"op": "remove", "path": "/seen/1"}]));
        assert_eq!(difference(&from, &from), json!([]));
    }

    const SPECIFICATION: &str = "
SETUP = ['env = Env()', 'agent = Agent(env)']
OBSERVATIONS = []
ACTIONS = ['agent.put', 'agent.drop', 'agent.bare', 'agent.note', 'agent.tie', 'agent.clear']


class Env:
    def __init__(self):
        self.marks = {}
        self.order = []


class Agent:
    def __init__(self, env):
        self.env = env
        self.read = {}
        self.last = None
        self.seen = set()

    def put(self, key, value):
        self.last = [key, {'of': [value]}]
        self.read[key] = self.last
        self.seen.add(key)

    def drop(self, key):
        self.read.pop(key, None)

    def bare(self, key):
        self.last = key
        self.env.order.append(key)

    def note(self, key, value):
        for known in self.read:
            self.read[known][1][key] = value
        self.env.marks[(key, 'x')] = value

    def tie(self, key):
        self.read[key] = [self, self.read]

    def clear(self):
        self.read = {}
";

    /// The calls of a walk, whatever they find.
    fn calls() -> impl Strategy<Value = Vec<(usize, String)>> {
        proptest::collection::vec((0..6_usize, "[a-d]"), 1..24)
    }

    fn call((function, key): &(usize, String)) -> Call {
        let texts = [
            format!("agent.put('{key}', '{key}')"),
            format!("agent.drop('{key}')"),
            format!("agent.bare('{key}')"),
            format!("agent.note('{key}', 1)"),
            "agent.tie('a')".to_owned(),
            "agent.clear()".to_owned(),
        ];
        texts[*function].parse().unwrap()
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

        /// What is passed over, because two states share it, differs in nothing.
        #[test]
        fn changes_are_the_differences_of_all_variables(calls in calls()) {
            let mut state = ProgramContext::load(SPECIFICATION).unwrap().start();
            let begun = state.clone();
            for one in &calls {
                let before = state.clone();
                state.run(std::iter::once(&call(one)));
                for earlier in [&before, &begun] {
                    let whole = difference(&earlier.variables(), &state.variables());
                    prop_assert_eq!(changes(earlier, &state), whole, "{:?}", one);
                }
            }
        }
    }
}
