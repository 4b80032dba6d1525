use super::*;
use crate::{CandidateStore, Demo, SharedDemonstrations};
use std::sync::Arc;
use stepwright_episode::action_of_effects;
use stepwright_program::{Call, Specification};

const HOME: &str = "
SETUP = ['home = Home()', 'me = Person(home)']
ACTIONS = ['me.go', 'me.grab', 'me.drop', 'me.open', 'me.press', 'me.rest']
OBSERVATIONS = ['home.set', 'me.near', 'me.hold', 'me.post']
class Home:
    def __init__(self):
        self.states = {}
        self.name = 'flat'
    def set(self, obj, *states):
        self.states[obj] = states
class Person:
    def __init__(self, home):
        self.home = home
        self.close = ()
        self.held = set()
        self.posture = 'standing'
    def near(self, *objs):
        self.close = objs
    def hold(self, *objs):
        self.held = set(objs)
    def post(self, posture):
        self.posture = posture
    def go(self, obj):
        pass
    def grab(self, obj):
        pass
    def drop(self, obj):
        pass
    def open(self, obj):
        pass
    def press(self, obj):
        pass
    def rest(self):
        pass
";

fn demonstrations(demos: &[&[&str]]) -> SharedDemonstrations {
    let calls = |texts: &[&str]| texts.iter().map(|text| text.parse::<Call>().unwrap()).collect();
    let demos = demos.iter().map(|texts| Demo { id: "demo".into(), calls: calls(texts) }).collect();
    SharedDemonstrations::new(&Specification::load(HOME, "spec.py").unwrap(), demos).unwrap()
}

fn shown(demos: &SharedDemonstrations) -> Vec<(String, Vec<String>)> {
    let suggested = |action: &ActionEffects| {
        let texts = action.candidates.iter().filter(|candidate| candidate.is_suggested());
        (action.action.clone(), texts.map(|candidate| candidate.text.clone()).collect())
    };
    demos.effects().iter().map(suggested).collect()
}

fn of<'a>(shown: &'a [(String, Vec<String>)], action: &str) -> &'a [String] {
    shown.iter().find(|(name, _)| name == action).map(|(_, texts)| texts.as_slice()).unwrap()
}

const DAY: &[&str] = &[
    "home.set('tv', 'off', 'plugged')",
    "home.set('fridge', 'closed')",
    "me.go('tv')",
    "me.near('tv', 'sofa')",
    "me.press('tv')",
    "home.set('tv', 'on', 'plugged')",
    "me.go('fridge')",
    "me.near('sink', 'fridge')",
    "me.open('fridge')",
    "home.set('fridge', 'open')",
    "me.grab('milk')",
    "me.hold('milk')",
    "me.grab('cup')",
    "me.hold('milk', 'cup')",
    "me.drop('milk')",
    "me.hold('cup')",
    "me.go('tv')",
    "me.near('tv')",
    "me.press('tv')",
    "home.set('tv', 'off', 'plugged')",
    "me.rest()",
    "me.post('sitting')",
];

#[test]
fn what_a_call_changes_is_found_in_terms_of_its_parameters() {
    let shown = shown(&demonstrations(&[DAY]));
    assert!(of(&shown, "go").contains(&"self.close += (obj,)".to_owned()), "{shown:?}");
    assert_eq!(of(&shown, "grab"), ["self.held.add(obj)"]);
    assert_eq!(of(&shown, "drop"), ["self.held.discard(obj)"]);
    assert_eq!(of(&shown, "rest"), ["self.posture = 'sitting'"]);
    assert!(of(&shown, "open").contains(&"self.home.states[obj] += ('open',)".to_owned()), "{shown:?}");
}

#[test]
fn what_follows_in_some_states_alone_stands_behind_an_if() {
    let shown = shown(&demonstrations(&[DAY, DAY]));
    let press = of(&shown, "press");
    let behind = |text: &String| text.starts_with("if ") && text.ends_with("self.home.states[obj] += ('on',)");
    assert!(press.iter().any(behind), "{press:?}");
}

#[test]
fn what_no_call_changes_is_said_to_be_left_alone() {
    let demos = demonstrations(&[DAY]);
    let found = demos.effects();
    let grab = found.iter().find(|action| action.action == "grab").unwrap();
    for alone in ["self.posture", "self.close", "self.home.states", "self.home.name"] {
        assert!(grab.left_alone.iter().any(|text| text == alone), "{alone}: {:?}", grab.left_alone);
    }
    for other in ["self.held", "self.home"] {
        assert!(!grab.left_alone.iter().any(|text| text == other), "{other}");
    }
}

#[test]
fn a_thing_that_one_call_names_by_chance_is_no_effect() {
    let once = demonstrations(&[&["me.go('tv')", "me.near('tv', 'sofa')", "me.grab('sofa')"]]);
    assert_eq!(of(&shown(&once), "go"), ["self.close += (obj,)"]);
    // So is one that no action is called with, and observations say something of.
    let seen = demonstrations(&[&[
        "home.set('lamp', 'off')", "home.set('tv', 'lamp')", "me.press('tv')", "home.set('tv', 'on')",
    ]]);
    let shown = shown(&seen);
    let press = of(&shown, "press");
    assert!(!press.is_empty() && press.iter().all(|text| !text.contains("lamp")), "{press:?}");
}

#[test]
fn an_effect_with_an_exception_is_shown_and_not_suggested() {
    let demos = demonstrations(&[&[
        "me.grab('milk')", "me.hold('milk')", "me.grab('cup')", "me.hold('milk', 'cup')", "me.grab('oven')",
    ]]);
    let found = demos.effects();
    let add = found[0].candidates.iter().find(|candidate| candidate.text == "self.held.add(obj)").unwrap();
    assert_eq!((add.explains, add.exceptions, add.is_suggested()), (2, 1, false));
}

proptest::proptest! {
    /// Whatever was done: a suggested effect makes the state of each demonstrated call what the next call found.
    #[test]
    fn what_is_suggested_has_no_exception(picks in proptest::collection::vec(0..DAY.len(), 1..24)) {
        let texts: Vec<&str> = picks.iter().map(|at| DAY[*at]).collect();
        for action in demonstrations(&[&texts]).effects() {
            for candidate in &action.candidates {
                proptest::prop_assert_eq!(candidate.explains + candidate.exceptions, action.calls);
                proptest::prop_assert!(candidate.changes > 0 && candidate.changes <= action.calls);
            }
        }
    }
}

#[test]
fn what_an_item_that_is_missing_reads_as_is_no_change() {
    let home = "
from collections import defaultdict
SETUP = ['home = Home()', 'me = Person(home)']
ACTIONS = ['me.go']
OBSERVATIONS = ['home.see']
class Home:
    def __init__(self):
        self.open = defaultdict(bool)
        self.seen = 'nothing'
    def see(self, obj):
        self.open[obj] = False
        self.seen = obj
class Person:
    def __init__(self, home):
        self.home = home
    def go(self, obj):
        pass
";
    let calls = ["me.go('tv')", "home.see('tv')", "me.go('sink')", "home.see('sink')"];
    let demo = Demo { id: "demo".into(), calls: calls.iter().map(|text| text.parse::<Call>().unwrap()).collect() };
    let demos = SharedDemonstrations::new(&Specification::load(home, "spec.py").unwrap(), vec![demo]).unwrap();
    let found = demos.effects();
    let texts: Vec<&str> = found[0].candidates.iter().map(|candidate| candidate.text.as_str()).collect();
    assert_eq!(texts, ["self.home.seen = obj"]);
}

#[test]
fn what_is_taken_out_of_a_list_leaves_a_list() {
    let home = "
SETUP = ['me = Person()']
ACTIONS = ['me.drop']
OBSERVATIONS = ['me.hold']
class Person:
    def __init__(self):
        self.held = ['milk', 'cup', 'key']
    def hold(self, *objs):
        self.held = list(objs)
    def drop(self, obj):
        pass
";
    let calls = ["me.drop('milk')", "me.hold('cup', 'key')", "me.drop('key')", "me.hold('cup')"];
    let demo = Demo { id: "demo".into(), calls: calls.iter().map(|text| text.parse::<Call>().unwrap()).collect() };
    let demos = SharedDemonstrations::new(&Specification::load(home, "spec.py").unwrap(), vec![demo]).unwrap();
    assert_eq!(of(&shown(&demos), "drop"), ["self.held = [x for x in self.held if x != obj]"]);
}

#[test]
fn effects_are_found_once_for_the_trees_and_the_pools() {
    let demos = Arc::new(demonstrations(&[DAY]));
    let before = INFERRED.get();
    assert!(!demos.suggested_effects().is_empty());
    let mut store = CandidateStore::over(Arc::clone(&demos)).with_effects();
    let names: Vec<String> = store.called().into_iter().filter(|name| action_of_effects(name).is_some()).collect();
    let pools = names.iter().map(|name| store.enumerate(name, |_, _| true).unwrap());
    assert!(pools.filter(|pool| !pool.candidates.is_empty()).count() > 1, "{names:?}");
    assert_eq!(INFERRED.get() - before, 1);
}
