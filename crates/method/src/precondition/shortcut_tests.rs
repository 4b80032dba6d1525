//! Shortcuts give what the full work gives: satisfied sets from what evaluations touched, fates from satisfied sets.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{Demo, Demonstrations, Instances, Validity, settled, validate};
use stepwright_program::{Assertion, CheckResult, Specification};
use stepwright_world::household::{Edition, shipped};

const PARTS: [&str; 22] = [
    "self.inventory is None",
    "self.inventory == obj",
    "self.is_visible(obj)",
    "self.env.get_property(recep, 'open')",
    "len(self.visible_objects) > 3",
    "obj in self.visible_objects",
    "'shelf' in recep",
    "self.inventori",
    "hasattr(self, 'inven' + 'tory') and self.inventory",
    "getattr(self, 'inven' + 'tory') == obj",
    "self.add_inventory('mug 1') is None and self.inventory == 'mug 1'",
    "self.add_inventory(obj) is None",
    "self.remove_inventory(obj) is None",
    "self.env.set_property(obj, 'open', True) is None",
    "self.visible_objects.clear() is None",
    "[self.env, self][len(recep) % 2] is self",
    "(lambda o: o.inventory)(self) != recep",
    "all(o.inventory for o in [self])",
    "'{0.inventory}'.format(self) == obj",
    "f'{self.inventory}' == obj",
    "1 / len(self.visible_objects) < 1",
    "sum(1 for _ in iter(int, 1))",
];

#[test]
fn shortcuts_lead_to_the_same_end() {
    let specification = Specification::load(include_str!("../../../../worlds/household/spec.py"), "spec.py").unwrap();
    let demos = shipped::demonstrations(Edition::Put).unwrap();
    let demos = Demonstrations::new(&specification, demos.iter().map(Demo::from).collect()).unwrap();
    let mut texts: Vec<String> = PARTS.iter().map(|part| (*part).to_owned()).collect();
    for (at, one) in PARTS.iter().enumerate() {
        let other = PARTS[(at * 7 + 3) % PARTS.len()];
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
const BOX: &str = "
from collections import defaultdict

SETUP = ['box = Box()']
ACTIONS = ['box.use', 'box.shake']
OBSERVATIONS = ['box.put', 'box.count', 'box.look']

class Box:
    def __init__(self):
        self.flags = defaultdict(lambda: False)
        self.counts = defaultdict(int)
        self.lists = defaultdict(list)
        self.moody = defaultdict(self.mood)
        self.plain = {}
        self.level = 0
    def mood(self):
        return self.level
    def put(self, key):
        self.flags[key] = True
        self.plain[key] = len(key)
    def count(self, key):
        self.counts[key] += 1
    def look(self):
        self.level = len(self.flags)
    def bump(self):
        self.level += 1
    def fail(self):
        assert self.level > 1, 'low'
        return self.flags['a']
    def use(self, key):
        assert False
    def shake(self, key):
        assert self.flags[key]
";

const HOSTILE: [&str; 39] = [
    "self.flags[key]",
    "self.flags['a']",
    "self.flags['z'] is False",
    "key in self.flags",
    "'z' in self.flags",
    "len(self.flags) > 1",
    "list(self.flags)[0] == key",
    "self.flags.get(key)",
    "self.flags == {}",
    "any(self.flags[k] for k in 'abc')",
    "[self.flags[k] for k in ('a', key)][0]",
    "(lambda: self.flags[key])()",
    "str(self.flags)",
    "self.flags.pop('a', None) is None",
    "dict(self.flags)[key]",
    "self.counts[key] > 0",
    "self.counts['z'] == 0",
    "sum(self.counts.values()) > 1",
    "self.lists[key] == []",
    "self.lists[key].append(1) is None",
    "len(self.lists) < 2",
    "self.moody['b'] == 0",
    "self.moody[key]",
    "self.plain[key] == 1",
    "self.plain.get(key)",
    "(n := len(self.flags)) > 1 and n < 3",
    "(n := key) == 'a'",
    "n == 'a'",
    "(key := 'c') == 'c'",
    "self.level < 2",
    "1 / self.level",
    "self.bump() is None",
    "self.fail()",
    "self.missing",
    "key == 'a'",
    "key.startswith('b')",
    "self.flags[key] == self.counts[key]",
    "self.flags[[]]",
    "sum(1 for _ in iter(int, 1))",
];

/// Two grounds: in the second the calls themselves look at what candidates put in.
fn boxes() -> Vec<Demonstrations> {
    let quiet: [&[&str]; 3] = [
        &["box.use('a')", "box.put('a')", "box.shake('a')", "box.use('b')", "box.count('b')", "box.use('a')"],
        &["box.put('b')", "box.use('b')", "box.put('a')", "box.use('c')", "box.shake('b')", "box.use('b')"],
        &["box.count('a')", "box.use('a')", "box.count('c')", "box.shake('c')", "box.put('c')", "box.use('c')"],
    ];
    let looking: [&[&str]; 2] = [
        &["box.use('a')", "box.look()", "box.use('b')", "box.put('b')", "box.look()", "box.use('a')"],
        &["box.put('c')", "box.use('c')", "box.look()", "box.shake('a')", "box.use('c')", "box.look()"],
    ];
    let specification = Specification::load(BOX, "box.py").unwrap();
    let demos = |demos: &[&[&str]]| {
        let demo = |(at, calls): (usize, &&[&str])| Demo {
            id: at.to_string(),
            calls: calls.iter().map(|call| call.parse().unwrap()).collect(),
        };
        Demonstrations::new(&specification, demos.iter().enumerate().map(demo).collect()).unwrap()
    };
    vec![demos(&quiet), demos(&looking)]
}

fn expression() -> impl Strategy<Value = String> {
    let part = prop::sample::select(HOSTILE.as_slice()).prop_map(|part| format!("({part})"));
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
    let [quiet, looking]: [Demonstrations; 2] = boxes().try_into().unwrap();
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
const ELSEWHERE: &str = "
SETUP = ['clock = Clock()']
ACTIONS = ['clock.ring']
OBSERVATIONS = ['clock.tick', 'clock.turn', 'clock.change', 'clock.keep']

turns = 0

class Slow:
    pass

class Fast:
    pass

class Clock:
    ticks = 0
    def __init__(self):
        self.mode = Slow()
    def tick(self):
        Clock.ticks += 1
    def turn(self):
        global turns
        turns += 1
    def change(self):
        self.mode = Fast()
    def keep(self, kept=[]):
        kept.append(1)
        return len(kept)
    def ring(self):
        assert False
";

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
