//! Shortcuts give what the full work gives: satisfied sets from what evaluations touched, fates from satisfied sets.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{Demo, Demonstrations, Instances, Validity, settled, validate};
use stepwright_program::{Assertion, CheckResult, Specification};
use stepwright_worlds::household::{Edition, shipped};

const PARTS: &str = include_str!("shortcut_tests/parts.txt");

#[test]
fn shortcuts_lead_to_the_same_end() {
    let specification = Specification::load(include_str!("../../../worlds/household/spec.py"), "spec.py").unwrap();
    let demos = shipped::demonstrations(Edition::Put).unwrap();
    let demos = Demonstrations::new(&specification, demos.iter().map(Demo::from).collect()).unwrap();
    let parts: Vec<&str> = PARTS.lines().collect();
    let mut texts: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
    for (at, one) in parts.iter().enumerate() {
        let other = parts[(at * 7 + 3) % parts.len()];
        texts.extend([format!("({one}) or ({other})"), format!("({other}) and not ({one})")]);
        let operator = ["<", "<=", ">", ">=", "==", "!=", "^", "&", "|"][at % 9];
        texts.extend([
            format!("bool({one}) {operator} bool({other})"),
            format!("not (bool({other}) {operator} bool({one} and {other}))"),
        ]);
    }
    let (mut judged, mut mutating, mut valid) = (0, 0, 0);
    for action in ["take", "put"] {
        let instances = Instances::new(&demos, demos.action(action).unwrap());
        for text in &texts {
            let Some(fate) = compared(&demos, &instances, text) else { continue };
            judged += 1;
            mutating += usize::from(fate.is_none());
            valid += usize::from(fate == Some(Validity::Valid));
        }
    }
    assert!(judged > 80 && mutating > 10 && valid > 10, "{judged} {mutating} {valid}");
}

/// Judges a text with all shortcuts and without any, and compares. `None` without a verdict, else what is settled without
/// execution.
fn compared(demos: &Demonstrations, instances: &Instances, text: &str) -> Option<Option<Validity>> {
    let action = &instances.function.name;
    let assertion = instances.read(text).unwrap();
    let plain = plainly(demos, instances, &Assertion::compile(text).unwrap());
    let Ok(evaluation) = instances.evaluate(demos, &assertion) else {
        assert!(plain.is_none(), "{action}: `{text}` has a verdict everywhere");
        return None;
    };
    let (outcomes, set, changes) = plain.unwrap_or_else(|| panic!("{action}: `{text}` has no verdict"));
    let found: BTreeMap<String, usize> = evaluation.outcomes().into_iter().map(|(k, n)| (k.to_owned(), n)).collect();
    assert_eq!((found, evaluation.mutates), (outcomes, changes), "{action}: `{text}`");
    assert!(evaluation.set.iter().eq(set), "{action}: `{text}`");
    let fate = settled(demos, instances, &evaluation);
    assert!(changes || fate.is_some(), "{action}: `{text}` changes nothing");
    if let Some(fate) = &fate {
        assert_eq!(*fate, validate(demos, instances, &assertion), "{action}: `{text}`");
    }
    Some(fate)
}

/// A world in which reading changes things, and looking shows that they have changed.
const BOX: &str = include_str!("shortcut_tests/box.py");

const HOSTILE: &str = include_str!("shortcut_tests/hostile.txt");

/// Two grounds: in the second the calls themselves look at what candidates put in.
fn boxes() -> [Demonstrations; 2] {
    let specification = Specification::load(BOX, "box.py").unwrap();
    ["quiet", "looking"].map(|ground| {
        let lines = include_str!("shortcut_tests/boxes.txt").lines().filter_map(|line| line.split_once(": "));
        let of = lines.filter(|(of, _)| *of == ground).enumerate();
        let demo = |(at, (_, calls)): (usize, (&str, &str))| Demo {
            id: at.to_string(),
            calls: calls.split("; ").map(|call| call.parse().unwrap()).collect(),
        };
        Demonstrations::new(&specification, of.map(demo).collect()).unwrap()
    })
}

fn expression() -> impl Strategy<Value = String> {
    let part = prop::sample::select(HOSTILE.lines().collect::<Vec<_>>()).prop_map(|part| format!("({part})"));
    part.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(|all| format!("({})", all.join(" and "))),
            prop::collection::vec(inner.clone(), 2..4).prop_map(|all| format!("({})", all.join(" or "))),
            inner.clone().prop_map(|one| format!("(not {one})")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("({a} if {b} else {c})")),
            (inner.clone(), prop::sample::select(["<", "<=", ">", ">=", "==", "!=", "^", "&", "|"].as_slice()), inner)
                .prop_map(|(a, operator, b)| format!("(bool({a}) {operator} bool({b}))")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]
    #[test]
    fn candidates_that_share_their_parts_are_judged_as_if_alone(
        texts in prop::collection::vec(expression(), 1..24),
    ) {
        for demos in boxes() {
            for action in ["use", "shake"] {
                let instances = Instances::new(&demos, demos.action(action).unwrap());
                for text in &texts {
                    compared(&demos, &instances, text);
                }
            }
        }
    }
}

#[test]
fn what_nobody_can_see_later_needs_no_execution() {
    let [quiet, looking] = boxes();
    let fate = |demos: &Demonstrations, text: &str| {
        let instances = Instances::new(demos, demos.action("use").unwrap());
        compared(demos, &instances, text).unwrap()
    };
    // Defaults are put in, and nothing looks at more than items.
    assert_eq!(fate(&quiet, "self.flags['z'] == False and self.counts[key] < 9"), Some(Validity::Valid));
    // The candidate looks; the calls look; what is put in depends on the state or can itself be changed.
    assert_eq!(fate(&quiet, "self.flags['z'] == False and len(self.flags) < 9"), None);
    assert_eq!(fate(&looking, "self.flags['z'] == False"), None);
    assert_eq!(fate(&quiet, "self.moody['z'] == 0"), None);
    assert_eq!(fate(&quiet, "self.lists['z'] == []"), None);
}

/// A world whose state is not in its objects' variables alone.
const ELSEWHERE: &str = include_str!("shortcut_tests/clock.py");

#[test]
fn states_that_differ_elsewhere_are_distinguished() {
    let specification = Specification::load(ELSEWHERE, "clock.py").unwrap();
    for (call, text) in [
        ("clock.tick()", "self.ticks > 0 and Clock.ticks > 0"),
        ("clock.turn()", "turns > 0"),
        ("clock.change()", "isinstance(self.mode, Fast)"),
        ("clock.keep()", "self.keep() > 1"),
    ] {
        let calls = ["clock.ring()", call, "clock.ring()"].map(|call| call.parse().unwrap());
        let demos = Demonstrations::new(&specification, vec![Demo { id: call.into(), calls: calls.into() }]).unwrap();
        assert_eq!(demos.states.len(), 2, "{call}");
        let instances = Instances::new(&demos, demos.action("ring").unwrap());
        let evaluation = instances.evaluate(&demos, &instances.read(text).unwrap()).unwrap();
        assert_eq!(evaluation.set.iter().collect::<Vec<_>>(), [1], "{call}: `{text}`");
    }
}

type Plain = (BTreeMap<String, usize>, Vec<usize>, bool);

/// Each instance evaluated by itself, on the state of its own step.
fn plainly(demos: &Demonstrations, instances: &Instances, assertion: &Assertion) -> Option<Plain> {
    let (mut outcomes, mut set, mut changes) = (BTreeMap::new(), Vec::new(), false);
    let mut at = 0;
    for step in &demos.steps {
        for binding in &instances.bindings {
            let state = demos.state(step)?;
            let (result, changed) = state.check_traced(assertion, &instances.function, binding);
            changes |= changed;
            let outcome = match result {
                CheckResult::Holds => {
                    set.push(at);
                    "ok".to_owned()
                }
                CheckResult::Raises { exception, .. } => exception,
                _ => return None,
            };
            *outcomes.entry(outcome).or_insert(0) += 1;
            at += 1;
        }
    }
    Some((outcomes, set, changes))
}
