//! Comparison of the engine with CPython on a few thousand expressions. `data/python_golden.jsonl` holds, a line each, an expression, its
//! `repr` and the exception it raises in CPython 3.11; it was written by systematic combination for this project.

use stepwright::program::{Declarations, FaultKind, Specification};

#[test]
fn expressions_give_what_cpython_gives_or_are_unsupported() {
    let source = "from collections import defaultdict\n\nclass Holder:\n    def __init__(self, what):\n        self.what = what\n";
    let declarations =
        Declarations { setup: vec!["defaultdict = Holder(defaultdict).what".into()], ..Default::default() };
    let state = Specification::load_with(source, "golden", declarations).unwrap().start().unwrap();
    let (mut equal, mut unsupported, mut differences) =
        (0, std::collections::BTreeMap::<String, usize>::new(), Vec::new());
    for line in include_str!("../data/python_golden.jsonl").lines() {
        let (text, repr, exception): (String, Option<String>, Option<String>) = serde_json::from_str(line).unwrap();
        let (got_repr, got_exception) = match state.evaluate(&text) {
            Ok((repr, _)) => (Some(repr), None),
            Err(fault) => match fault.kind {
                FaultKind::Exception(name) => (None, Some(name)),
                FaultKind::Unsupported(what) | FaultKind::Budget(what) => {
                    *unsupported.entry(what).or_default() += 1;
                    continue;
                }
            },
        };
        if (&got_repr, &got_exception) == (&repr, &exception) {
            equal += 1;
        } else {
            differences.push(format!("{text}: {got_repr:?} {got_exception:?}, CPython {repr:?} {exception:?}"));
        }
    }
    let not_offered: usize = unsupported.values().sum();
    eprintln!("{equal} equal, {not_offered} unsupported: {unsupported:?}");
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
    assert!(not_offered * 10 < equal, "{not_offered} unsupported, {equal} equal");
}
