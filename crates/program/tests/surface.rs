//! Comparison of the evaluator with CPython on the whole public surface of its built-in data types. `surface.jsonl` is written by
//! `scripts/python-surface`: what CPython gives, or why the evaluator refuses it on purpose.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking, as tests do"
)]

use std::collections::BTreeMap;

use stepwright_program::{Declarations, FaultKind, Specification};

#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Row {
    Head {
        r#type: String,
        member: String,
    },
    /// An expression and its `repr`; or what it raises; or why it is refused.
    Value(Vec<Option<String>>),
}

const SHOWN: &str = "class Shown:\n    def of(self, x):\n        return sorted(x, key=repr) if isinstance(x, (set, frozenset)) else x\n";

#[test]
fn every_method_and_operator_gives_what_cpython_gives_or_is_refused_by_name() {
    let declarations = Declarations { setup: vec!["s = Shown()".into()], ..Default::default() };
    let state = Specification::load_with(SHOWN, "surface", declarations).unwrap().start().unwrap();
    let mut differences: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    let mut members: BTreeMap<String, usize> = BTreeMap::new();
    let mut at = (String::new(), String::new());
    for line in include_str!("surface.jsonl").lines() {
        let row = match serde_json::from_str(line).unwrap() {
            Row::Head { r#type, member } => {
                at = (r#type, member);
                continue;
            }
            Row::Value(row) => row,
        };
        let mut row = row.into_iter();
        let text = row.next().flatten().unwrap();
        let (repr, exception, refused) = (row.next().flatten(), row.next().flatten(), row.next().flatten());
        let (got, raised, unsupported) = match state.evaluate(&text) {
            Ok((repr, _)) => (Some(repr), None, None),
            Err(fault) => match fault.kind {
                FaultKind::Exception(name) => (None, Some(name), None),
                FaultKind::Unsupported(what) | FaultKind::Budget(what) => (None, None, Some(what)),
            },
        };
        *members.entry(at.0.clone()).or_default() += 1;
        let fits = if refused.is_some() { unsupported.is_some() } else { (&got, &raised) == (&repr, &exception) };
        if !fits {
            let wanted = refused.map(|why| format!("refused ({why})")).or(repr).or(exception).unwrap_or_default();
            let here = got.or(raised).or(unsupported.map(|why| format!("unsupported ({why})"))).unwrap_or_default();
            differences.entry(at.clone()).or_default().push(format!("{text}: {here}, CPython {wanted}"));
        }
    }
    let kinds = ["str", "bytes", "list", "tuple", "dict", "dict_keys", "dict_values", "dict_items", "set", "frozenset"];
    for kind in kinds.iter().chain(&["range", "int", "bool", "float", "operator"]) {
        assert!(members.get(*kind).is_some_and(|rows| *rows > 0), "the table has nothing on {kind}");
    }
    let count: usize = differences.values().map(Vec::len).sum();
    let all: Vec<String> =
        differences.into_iter().map(|((of, m), rows)| format!("{of}.{m}\n  {}", rows.join("\n  "))).collect();
    assert!(all.is_empty(), "{count} differences:\n{}", all.join("\n"));
}
