//! The pools of a small world: a lamp that must be seen and be off to be lit, and a hand that holds one thing.

use super::*;

const SPEC: &str = "
from collections import defaultdict

SETUP = ['room = Room()', 'robot = Robot(room)']
ACTIONS = ['robot.light', 'robot.grab', 'robot.rest']
OBSERVATIONS = ['robot.see', 'robot.hold', 'room.switch']

class Room:
    def __init__(self):
        self.lit = defaultdict(lambda: False)
    def switch(self, lamp, on):
        self.lit[lamp] = on

class Robot:
    def __init__(self, room):
        self.room = room
        self.seen = set()
        self.hand = None
    def see(self, *names):
        self.seen.update(names)
    def hold(self, thing):
        if self.hand is not None:
            raise ValueError('full')
        self.hand = thing
    def knows(self, name):
        return name in self.seen
    def light(self, lamp):
        assert False, 'never looked at'
    def grab(self, thing):
        assert False
    def rest(self):
        assert False
";

fn demo(id: &str, calls: &[&str]) -> Demo {
    Demo { id: id.into(), calls: calls.iter().map(|c| c.parse().unwrap()).collect() }
}

fn workshop() -> Workshop {
    let demos = vec![
        demo(
            "a",
            &[
                "robot.see('lamp 1')",
                "robot.light('lamp 1')",
                "room.switch('lamp 1', True)",
                "robot.see('cup 1')",
                "robot.grab('cup 1')",
                "robot.hold('cup 1')",
            ],
        ),
        demo(
            "b",
            &[
                "robot.see('cup 2')",
                "robot.grab('cup 2')",
                "robot.hold('cup 2')",
                "robot.see('lamp 2')",
                "robot.light('lamp 2')",
                "room.switch('lamp 2', True)",
            ],
        ),
        demo(
            "c",
            &[
                "robot.see('lamp 3', 'cup 3')",
                "robot.light('lamp 3')",
                "room.switch('lamp 3', True)",
                "robot.grab('cup 3')",
                "robot.hold('cup 3')",
            ],
        ),
    ];
    Workshop::new(&Specification::load(SPEC, "spec.py").unwrap(), demos).unwrap()
}

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|t| (*t).to_owned()).collect()
}

#[test]
fn the_enumerator_finds_what_matters_and_nothing_by_chance() {
    let mut workshop = workshop();
    let pool = workshop.enumerate("light", |_, _| true).unwrap();
    assert_eq!((pool.calls, pool.instances, pool.params.as_slice()), (3, 18, &["lamp".to_owned()][..]));
    assert_eq!(workshop.suggested("light"), ["self.knows(lamp)"]);
    assert!(
        pool.candidates.iter().all(|c| c.origin == CandidateOrigin::Enumerated && !c.text.contains("False, 'never"))
    );
    assert!(pool.candidates.iter().any(|c| matches!(c.fate, Fate::Fails { .. })));
    // Once more: nothing is added twice.
    let count = pool.candidates.len();
    assert_eq!(workshop.enumerate("light", |_, _| true).unwrap().candidates.len(), count);
    workshop.enumerate("grab", |_, _| true).unwrap();
    assert!(workshop.suggested("grab").contains(&"self.knows(thing)".to_owned()));
}

#[test]
fn failures_say_where_and_with_what_values() {
    let mut workshop = workshop();
    let pool = workshop.put("grab", None, "self.hand is None and self.knows('lamp 2')").unwrap();
    let Fate::Fails { demonstration, call, at, exception, message, failing } = &pool.candidates[0].fate else {
        panic!("{:?}", pool.candidates[0].fate);
    };
    assert_eq!(
        (*demonstration, *call, at.as_str(), exception.as_str()),
        (0, 4, "robot.grab('cup 1')", "AssertionError")
    );
    assert_eq!(*failing, 3);
    assert!(
        message.starts_with("demonstration 1 (a), call 5: it is false; ") && message.contains("is False"),
        "{message}"
    );
    let raised = workshop.try_text("grab", "self.hands is None").unwrap();
    assert!(matches!(&raised.fate, Fate::Fails { exception, .. } if exception == "AttributeError"), "{raised:?}");
}

#[test]
fn forms_and_budgets_are_told_apart() {
    let workshop = workshop();
    let fate = |text: &str| workshop.try_text("light", text).unwrap().fate;
    assert!(matches!(fate("self.knows("), Fate::Malformed { reason, .. } if reason == "SyntaxError"));
    assert!(matches!(fate("open('x')"), Fate::Malformed { reason, .. } if reason == "Unsafe"));
    assert!(matches!(fate("lamp\nlamp"), Fate::Malformed { reason, .. } if reason == "Form"));
    assert!(matches!(fate("any(False for _ in iter(int, 1))"), Fate::Unknown { reason, .. } if reason == "Budget"));
}

#[test]
fn effects_stay_until_the_end_of_their_demonstration() {
    let workshop = workshop();
    // The first evaluation puts the key in; a second one in the same demonstration would fail.
    let twice = workshop.try_text("light", "lamp not in self.room.lit and not self.room.lit[lamp]").unwrap();
    assert_eq!(twice.fate, Fate::Valid);
    let ever = workshop.try_text("light", "'x' not in self.room.lit and not self.room.lit['x']").unwrap();
    assert_eq!(ever.fate, Fate::Valid, "each demonstration starts afresh and lights once");
    // What the candidate breaks for a later call is its failure, there.
    let breaks = workshop.try_text("grab", "self.hold(thing) is None").unwrap();
    assert!(
        matches!(&breaks.fate, Fate::Fails { call: 5, at, failing: 3, .. } if at == "robot.hold('cup 1')"),
        "{breaks:?}"
    );
}

#[test]
fn editing_and_rejecting_rerank() {
    let mut workshop = workshop();
    let offered =
        texts(&["self.knows(lamp)", "lamp in self.seen", "True", "self.knows(lamp) and not self.room.lit[lamp]"]);
    let pool = workshop.offer("light", CandidateOrigin::Model, &offered, |_, _| true).unwrap();
    let standing =
        |pool: &Pool| pool.candidates.iter().map(|c| (c.cluster, c.optimal, c.representative)).collect::<Vec<_>>();
    assert_eq!(
        standing(&pool),
        [(Some(0), false, true), (Some(0), false, false), (Some(1), false, true), (Some(2), true, true)]
    );
    assert_eq!(workshop.suggested("light"), [offered[3].as_str()]);
    assert_eq!(workshop.relation("light", 0, 1), Some(Relation::Equivalent));
    assert_eq!(workshop.relation("light", 3, 0), Some(Relation::Implies));
    let difference = workshop.difference("light", 0, 3).unwrap();
    assert!(
        difference.first_holds && difference.message.contains("only `self.knows(lamp)` holds"),
        "{}",
        difference.message
    );
    assert_eq!(workshop.difference("light", 0, 1), None);

    let pool = workshop.reject("light", 3, true).unwrap();
    assert!(
        pool.candidates[3].rejected && pool.candidates[3].cluster.is_none() && pool.candidates[3].coverage.is_some()
    );
    assert_eq!(workshop.suggested("light"), ["self.knows(lamp)"]);
    workshop.reject("light", 3, false).unwrap();
    assert_eq!(workshop.suggested("light"), [offered[3].as_str()]);

    let pool = workshop.put("light", Some(3), "lamp").unwrap();
    assert_eq!((pool.candidates.len(), pool.candidates[3].origin), (4, CandidateOrigin::Person));
    assert_eq!(workshop.suggested("light"), ["self.knows(lamp)"]);
}

#[test]
fn trying_keeps_nothing_and_agrees_with_putting() {
    let mut workshop = workshop();
    workshop.offer("light", CandidateOrigin::Model, &texts(&["True", "self.knows(lamp)"]), |_, _| true).unwrap();
    for text in ["lamp in self.seen", "self.hand is None", "lamp ==", "not self.room.lit[lamp] and self.knows(lamp)"] {
        let before = workshop.pool("light").unwrap();
        let tried = workshop.try_text("light", text).unwrap();
        assert_eq!(workshop.pool("light").unwrap(), before);
        let put = workshop.clone().put("light", None, text).unwrap();
        assert_eq!(Some(&tried), put.candidates.last());
    }
}

#[test]
fn refusals_name_what_is_wrong_and_change_nothing() {
    let mut workshop = workshop();
    assert!(workshop.put("fly", None, "True").unwrap_err().to_string().contains("light, grab, rest"));
    assert_eq!(workshop.put("rest", None, "True").unwrap_err(), WorkshopError::NeverCalled("rest".into()));
    assert_eq!(workshop.put("light", Some(7), "True").unwrap_err(), WorkshopError::NoSuchCandidate("light".into(), 7));
    assert_eq!(workshop.enumerate("light", |done, _| done < 3).unwrap_err(), WorkshopError::Cancelled);
    assert_eq!(
        workshop.offer("light", CandidateOrigin::Model, &texts(&["1"]), |_, _| false).unwrap_err(),
        WorkshopError::Cancelled
    );
    assert!(workshop.pool("light").unwrap().candidates.is_empty());
    let names = |list: Vec<&Function>| list.into_iter().map(|f| f.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(workshop.called_actions().collect()), ["light", "grab"]);
}

#[test]
fn a_demonstration_that_does_not_run_is_named() {
    let spec = Specification::load(SPEC, "spec.py").unwrap();
    let error =
        Workshop::new(&spec, vec![demo("ok", &[]), demo("bad", &["robot.see('x')", "robot.fly()"])]).unwrap_err();
    assert!(error.to_string().starts_with("demonstration 2 (bad), call 2 `robot.fly()`: "), "{error}");
}

#[test]
fn the_prompt_context_comes_from_a_demonstration() {
    let workshop = workshop();
    let context = workshop.context("grab", 1).unwrap();
    assert!(context.demonstration.starts_with("robot.see('cup 2')") && !context.definitions.contains("assert"));
    assert_eq!(context.class_line, "class Robot:");
    assert!(workshop.context("grab", 9).is_none() && workshop.context("fly", 0).is_none());
}

#[test]
fn a_denial_follows_where_only_truth_decides() {
    let workshop = workshop();
    let function = workshop.ground().action("light").unwrap();
    let instances = Instances::new(workshop.ground(), function);
    let evaluate = |text: &str| instances.evaluate(workshop.ground(), &Assertion::compile(text).unwrap()).unwrap();
    for text in ["self.knows(lamp)", "self.room.lit[lamp]", "lamp", "self.hand is None"] {
        assert_eq!(evaluate(text).denied(), Some(evaluate(&format!("not ({text})"))), "{text}");
    }
    assert_eq!(evaluate("len(self.hand) > 2").denied(), None);
}
