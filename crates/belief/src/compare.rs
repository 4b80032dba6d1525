//! Comparison of two beliefs by meaning, value by value: what is believed wrongly, what is missing, what is too much.
//!
//! The order of keys and lists does not count; an absent value, `{}`, `[]` and null are the same. Weights are compared as they are
//! given, apart from spelling (`b.weight / 2`, `b.weight * 0.5`): what follows from several of them belongs to [`stepwright_world::weights`].

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::{OBJECTS, RELATIONS};
use stepwright_text::json_pointer::join;
use stepwright_world::weights::Expression;

#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Where, as a JSON pointer: into the belief if something is believed there, else into the truth.
    pub path: String,
    pub believed: Option<Value>,
    pub truth: Option<Value>,
}

/// How a belief differs from the truth, in the truth's order, then what is only believed.
pub fn compare(belief: &Value, truth: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    let grounded = grounded(truth);
    differ("", Some(belief), Some(truth), &mut found);
    found.retain(|d| d.truth.is_some() || !grounded(&d.path, d.believed.as_ref()));
    found
}

fn differ(path: &str, believed: Option<&Value>, truth: Option<&Value>, found: &mut Vec<Difference>) {
    let believed = believed.filter(|v| !is_nothing(v));
    let truth = truth.filter(|v| !is_nothing(v));
    match (believed, truth) {
        (None, None) => {}
        (Some(Value::Object(b)), Some(Value::Object(t))) => entries(path, b, t, found),
        (Some(Value::Object(b)), None) => entries(path, b, &Map::new(), found),
        (None, Some(Value::Object(t))) => entries(path, &Map::new(), t, found),
        (Some(Value::Array(b)), Some(Value::Array(t))) => elements(path, b, t, found),
        (Some(Value::Array(b)), None) => elements(path, b, &[], found),
        (None, Some(Value::Array(t))) => elements(path, &[], t, found),
        (Some(b), Some(t)) if same(b, t) => {}
        _ => found.push(Difference { path: path.to_owned(), believed: believed.cloned(), truth: truth.cloned() }),
    }
}

fn entries(path: &str, believed: &Map<String, Value>, truth: &Map<String, Value>, found: &mut Vec<Difference>) {
    for (name, value) in truth {
        differ(&join(path, name), believed.get(name), Some(value), found);
    }
    for (name, value) in believed.iter().filter(|(name, _)| !truth.contains_key(*name)) {
        differ(&join(path, name), Some(value), None, found);
    }
}

/// Lists as sets, in time linear in their length: values that mean the same have the same [`meaning`].
fn elements(path: &str, believed: &[Value], truth: &[Value], found: &mut Vec<Difference>) {
    let believed_meanings: Vec<String> = believed.iter().map(meaning).collect();
    let true_meanings: Vec<String> = truth.iter().map(meaning).collect();
    let is_believed: HashSet<&str> = believed_meanings.iter().map(String::as_str).collect();
    let mut seen: HashSet<&str> = true_meanings.iter().map(String::as_str).collect();
    for (number, (value, meaning)) in truth.iter().zip(&true_meanings).enumerate() {
        if !is_believed.contains(meaning.as_str()) {
            found.push(Difference { path: format!("{path}/{number}"), believed: None, truth: Some(value.clone()) });
        }
    }
    for (number, (value, meaning)) in believed.iter().zip(&believed_meanings).enumerate() {
        if seen.insert(meaning) {
            found.push(Difference { path: format!("{path}/{number}"), believed: Some(value.clone()), truth: None });
        }
    }
}

/// A text that values share exactly if they mean the same: order and repetitions do not count, absent values neither, and a weight has
/// one spelling.
fn meaning(value: &Value) -> String {
    let mut text = String::new();
    write_meaning(value, &mut text);
    text
}

/// The sign for an absent value: no JSON begins like it.
const NOTHING: &str = "-";

fn write_meaning(value: &Value, text: &mut String) {
    let list = |mut parts: Vec<String>, (open, close): (char, char), text: &mut String| {
        parts.sort_unstable();
        parts.dedup();
        text.push(open);
        for part in parts {
            text.push_str(&part);
            text.push(',');
        }
        text.push(close);
    };
    match value {
        Value::Array(values) if !values.is_empty() => list(values.iter().map(meaning).collect(), ('[', ']'), text),
        Value::Object(entries) => {
            let told = entries.iter().map(|(name, value)| (name, meaning(value)));
            let told = told.filter(|(_, meaning)| meaning != NOTHING);
            let parts: Vec<String> = told.map(|(name, meaning)| format!("{}:{meaning}", json!(name))).collect();
            if parts.is_empty() { text.push_str(NOTHING) } else { list(parts, ('{', '}'), text) }
        }
        Value::Null | Value::Array(_) => text.push_str(NOTHING),
        scalar => match Expression::of(scalar) {
            // The spelling of an expression is one, and no JSON begins with its mark.
            Some(weight) => text.push_str(&format!("={weight}")),
            None => text.push_str(&scalar.to_string()),
        },
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        _ => false,
    }
}

fn same(one: &Value, other: &Value) -> bool {
    one == other || meaning(one) == meaning(other)
}

/// Whether something believed only says that a thing lies on the table, which a truth that never names the table leaves out:
/// there, a thing that is on nothing else is on the table.
fn grounded(truth: &Value) -> impl Fn(&str, Option<&Value>) -> bool {
    const TABLE: &str = "table";
    let strings = |list: Option<&Value>| -> Vec<String> {
        list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let relations = strings(truth.get(RELATIONS));
    let objects: HashSet<String> = strings(truth.get(OBJECTS)).into_iter().collect();
    let named =
        truth.get(TABLE).is_some() || objects.contains(TABLE) || relations.iter().any(|r| r.ends_with(" on table"));
    let contained: HashSet<String> =
        truth.as_object().into_iter().flat_map(|t| t.values()).flat_map(|v| strings(v.get("contains"))).collect();
    let placed: HashSet<String> = relations
        .iter()
        .flat_map(|relation| relation.match_indices(" is ").filter_map(|(at, _)| relation.get(..at).map(str::to_owned)))
        .collect();
    let lies_free = move |thing: &str| objects.contains(thing) && !contained.contains(thing) && !placed.contains(thing);
    move |path, believed| {
        let Some(text) = believed.and_then(Value::as_str).filter(|_| !named) else { return false };
        if path.starts_with("/objects/") {
            return text == TABLE;
        }
        let thing = if path.starts_with("/table/contains/") { Some(text) } else { text.strip_suffix(" is on table") };
        let places = path.starts_with("/relations/") || path.starts_with("/table/contains/");
        places && thing.is_some_and(&lies_free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_empty_values_do_not_count() {
        let belief = json!({"b": {"contains": ["y", "x"]}, "a": {}, "relations": ["x is on y", "p is on q"], "objects": ["a", "b"]});
        let truth = json!({"objects": ["b", "a"], "relations": ["p is on q", "x is on y"], "a": {"is": []}, "b": {"contains": ["x", "y"]}, "c": {}});
        assert_eq!(compare(&belief, &truth), []);
    }

    #[test]
    fn what_differs_is_listed_value_by_value() {
        let belief = json!({"objects": ["a"], "relations": ["a is on b"], "a": {"is": ["dirty"]}, "m/n": {"weight": "a.weight"}});
        let truth = json!({"objects": ["a"], "relations": ["a is on c"], "a": {"is": ["clean"]}, "d": {"contains": ["a"]}, "m/n": {"weight": "a.weight * 2"}});
        let found: Vec<(String, Option<Value>, Option<Value>)> =
            compare(&belief, &truth).into_iter().map(|d| (d.path, d.believed, d.truth)).collect();
        assert_eq!(
            found,
            [
                ("/relations/0".into(), None, Some(json!("a is on c"))),
                ("/relations/0".into(), Some(json!("a is on b")), None),
                ("/a/is/0".into(), None, Some(json!("clean"))),
                ("/a/is/0".into(), Some(json!("dirty")), None),
                ("/d/contains/0".into(), None, Some(json!("a"))),
                ("/m~1n/weight".into(), Some(json!("a.weight")), Some(json!("a.weight * 2"))),
            ]
        );
    }

    #[test]
    fn every_difference_has_a_place_in_the_side_it_names() {
        let belief = json!({"relations": ["a is on b"], "a": {"is": ["dirty"]}});
        let truth = json!({"relations": [], "a": {"weight": 2}});
        for d in compare(&belief, &truth) {
            match &d.believed {
                Some(value) => assert_eq!(belief.pointer(&d.path), Some(value)),
                None => assert_eq!(truth.pointer(&d.path), d.truth.as_ref()),
            }
        }
    }

    #[test]
    fn one_weight_in_two_spellings_is_one_weight() {
        let with = |weight: &str| json!({"a": {"weight": weight}});
        assert_eq!(compare(&with("green_block.weight / 2"), &with("green block.weight * 1/2")), []);
        assert_eq!(compare(&with("green_block.weight / 2"), &with("green_block.weight / 3")).len(), 1);
        assert_eq!(compare(&with("heavy"), &with("heavier")).len(), 1);
    }

    #[test]
    fn lying_on_the_table_is_no_difference_unless_it_is_wrong() {
        let truth = json!({"objects": ["a", "b", "bowl"], "relations": ["a is on b"], "a": {}, "b": {}, "bowl": {}});
        let with = |relation: &str| json!({"objects": ["a", "b", "bowl", "table"], "relations": ["a is on b", relation], "table": {"contains": ["b"]}});
        assert_eq!(compare(&with("b is on table"), &truth), []);
        assert_eq!(compare(&with("a is on table"), &truth).len(), 1);
        assert_eq!(compare(&with("c is on table"), &truth).len(), 1);
    }

    #[test]
    fn what_means_the_same_has_one_meaning() {
        let same = [
            (json!(["a", "b", "a"]), json!(["b", "a"])),
            (json!({"x": {"y": []}, "z": 1}), json!({"z": 1})),
            (json!([[], {}]), json!([null])),
            (json!("green_block.weight / 2"), json!("green block.weight * 1/2")),
        ];
        for (one, other) in same {
            assert_eq!(meaning(&one), meaning(&other));
        }
        let different = [
            (json!(["a,b"]), json!(["a", "b"])),
            (json!("null"), json!(null)),
            (json!([[]]), json!([])),
            (json!({"a": "b"}), json!(["a:b"])),
            (json!("-"), json!([])),
            (json!(true), json!("true")),
        ];
        for (one, other) in different {
            assert_ne!(meaning(&one), meaning(&other), "{one} {other}");
        }
    }

    /// Ten times the objects take about ten times as long, not a hundred times.
    #[test]
    fn d6_beliefs_are_compared_in_linear_time() {
        let state = |n: usize, place: &str| {
            let objects: Vec<String> = (0..n).map(|i| format!("block {i}")).collect();
            let relations: Vec<String> = objects.iter().map(|o| format!("{o} is on {place}")).collect();
            json!({"objects": objects, "relations": relations})
        };
        let time = |n: usize| {
            let (belief, truth) = (state(n, "table"), state(n, "shelf"));
            // The thread's own time: how busy the machine is does not matter.
            let clock = || {
                let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
                now.tv_sec * 1_000_000 + now.tv_nsec / 1_000
            };
            let started = clock();
            assert_eq!(compare(&belief, &truth).len(), 2 * n);
            clock() - started
        };
        time(300);
        let (small, large) = (time(1_000), time(30_000));
        assert!(large < small * 200 + 100_000, "{small} µs, {large} µs for thirty times as many");
    }
}
