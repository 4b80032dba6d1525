//! A derived domain on a small program.

use std::collections::BTreeSet;
use std::sync::Arc;

use std::cell::OnceCell;

use crate::household::{Edition, HouseholdWorld, Source, shipped};
use stepwright_program::Call;
use stepwright_program::{Assertion, Rules, Specification};
use stepwright_trajectory::Step;
use stepwright_world::blocking::{
    Basis, Before, Derived, EVALUATIONS, EXCUSED, Forest, Growth, Knowledge, NodeStatus, Report, Selection,
};
use stepwright_world::demonstration::Demonstration;
use stepwright_world::program::CheckedProgram;
use stepwright_world::{Atom, World};

fn call(text: &str) -> Call {
    text.parse().unwrap()
}

#[test]
fn before_is_what_came_just_before_with_the_same_things() {
    let before = Before::learn(shipped::demonstrations(Edition::Put).unwrap().iter().map(Demonstration::actions));
    let of = |text: &str| before.of(&call(text)).iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(of("agent.open('drawer 7')"), ["agent.goto('drawer 7')"]);
    assert!(of("agent.put('mug 1', 'drawer 7')").contains(&"agent.goto('drawer 7')".to_owned()));
    assert!(of("agent.goto('drawer 7')").is_empty());
}

/// At a desk, after a mug was seen on a shelf, with the specification's assertions or others.
fn at_a_desk(others: Option<Rules>) -> (Derived, HouseholdWorld) {
    let demonstrations = shipped::demonstrations(Edition::Put).unwrap();
    let source = Arc::new(Source::shipped().unwrap());
    let mut world = HouseholdWorld::new(Arc::clone(&source), Edition::Put);
    let task = source.tasks().remove(0);
    world.reset(&task.id, 0).unwrap();
    let specification = Specification::load(&world.specification(), "spec.py").unwrap();
    let rules = others.unwrap_or_else(|| CheckedProgram::stated(&specification).unwrap());
    let mut program = CheckedProgram::new(specification.start().unwrap(), Arc::new(rules));
    let places = [call("agent.update_visible_objects('shelf 1', 'desk 1')")];
    program.apply(&places);
    let agent = crate::built_in_agent(&crate::household::KIND, &demonstrations);
    let before = Before::learn(demonstrations.iter().map(Demonstration::actions));
    let basis = Basis { sentence: "put a mug in desk".into(), agent, before };
    let reset = Step { calls: places.to_vec(), ..Step::default() };
    let mut derived = Derived::new(Arc::new(basis), program, reset, Report::default());
    let step = |action: &str, seen: &str| Step { call: Some(call(action)), calls: vec![call(seen)], ..Step::default() };
    derived.hear(
        step("agent.goto('shelf 1')", "agent.update_visible_objects('shelf 1', 'mug 1')"),
        false,
        Report::default(),
    );
    derived.hear(step("agent.goto('desk 1')", "agent.update_visible_objects('desk 1')"), false, Report::default());
    (derived, world)
}

#[test]
fn an_unmet_assertion_blocks_and_what_meets_it_in_the_demonstrations_is_offered() {
    let (mut derived, world) = at_a_desk(None);
    let put = call("agent.put('mug 1', 'desk 1')");
    let domain = derived.domain(&Forest::default(), Some(put.clone()), &|call| world.text_of(call));
    let remembered = BTreeSet::new();
    let known = Knowledge::new(&domain, derived.facts(), &remembered);
    let put = Atom { predicate: put.to_string(), args: Vec::new() };
    assert_eq!(domain.roots(&derived.goals()[0], &|_| false), std::slice::from_ref(&put));
    let condition = domain.blocked(&put, &known).unwrap();
    assert_eq!(condition.predicate, "unmet: self.inventory == obj for agent.put('mug 1', 'desk 1')");
    let offered: Vec<String> =
        domain.resolving(&condition, &known).into_iter().map(|r| domain.text(&r.action)).collect();
    assert_eq!(offered, ["take mug 1 from shelf 1"]);
}

#[test]
fn the_tree_says_whether_an_effect_that_is_offered_was_inferred_or_adopted_and_what_is_the_agents_advice() {
    let put = call("agent.put('mug 1', 'desk 1')");
    let why = |derived: &mut Derived, world: &HouseholdWorld| {
        let domain = derived.domain(&Forest::default(), Some(put.clone()), &|call| world.text_of(call));
        let key = |(condition, _): &(String, String)| condition.contains("self.inventory == obj");
        domain.offered.iter().filter(|(offered, _)| key(offered)).map(|(_, why)| *why).collect::<Vec<_>>()
    };
    let (mut derived, world) = at_a_desk(None);
    assert_eq!(why(&mut derived, &world), ["its effect (inferred) meets the condition"]);
    let (mut spent, world) = at_a_desk(None);
    spent.left.set(0);
    let said = why(&mut spent, &world);
    assert!(said.iter().all(|why| why.starts_with("the built-in proposer would do it now")), "{said:?}");
}

#[test]
fn without_demonstrations_that_is_why_a_goal_has_no_action() {
    let mut world = HouseholdWorld::new(Arc::new(Source::shipped().unwrap()), Edition::Put);
    let task = world.tasks().remove(0).id;
    let reset = world.reset(&task, 0).unwrap();
    let program = CheckedProgram::start(&Specification::load(&world.specification(), "spec.py").unwrap()).unwrap();
    let agent = Arc::new(stepwright_world::planner::EffectsOnly::default());
    let basis = Basis { sentence: "dance".into(), agent, before: Before::default() };
    let growth = Growth::derive(Derived::new(Arc::new(basis), program, reset.into_step(""), Report::default()), &world);
    let why = growth.helpless().unwrap();
    assert!(why.starts_with("there are no demonstrations"), "{why}");
    let shown = growth.shown(&growth.facts(&world).unwrap());
    assert!(shown.nodes[0].why.ends_with(&why), "{shown:?}");
}

#[test]
fn a_request_that_was_closed_wrongly_stands_as_closed_and_not_met() {
    use crate::table::{KIND, Source, TableWorld};
    let mut world = TableWorld::new(Source::shipped().unwrap());
    let task = world.tasks().remove(0).id;
    let reset = world.reset(&task, 0).unwrap();
    let mut program = CheckedProgram::start(&Specification::load(&world.specification(), "spec.py").unwrap()).unwrap();
    program.apply(&reset.observation_calls);
    let basis =
        Basis { sentence: "all of it".into(), agent: crate::built_in_agent(&KIND, &[]), before: Before::default() };
    let derived = Derived::new(Arc::new(basis), program, reset.into_step(""), Report::of(&world));
    let mut growth = Growth::derive(derived, &world);
    // What only states something is answered by nothing.
    let wrong = loop {
        let asked = World::request(&world).unwrap().query;
        let before = growth.observation(&world).unwrap();
        let outcome = world.act("done()").unwrap();
        let step = Step { call: world.call_of("done()"), ..outcome.clone().into_step("done()") };
        growth.hear(step, (outcome.won, outcome.reward), &world);
        growth.executed("done()", None, &before, &world);
        if outcome.reward <= 0.0 {
            break asked;
        }
        assert!(growth.forest().done().iter().any(|done| done.predicate == asked), "{asked}");
    };
    let shown = growth.shown(&growth.facts(&world).unwrap());
    let node = shown.nodes.iter().find(|node| node.text == wrong).unwrap();
    assert_eq!((node.status, node.why.as_str()), (NodeStatus::Missed, "closed, and not met"));
}

/// What blocks a call, and what would resolve that; the agent would take the call itself.
fn blocked(derived: &mut Derived, world: &HouseholdWorld, call: &Call) -> Option<(String, Vec<String>)> {
    derived.advice = OnceCell::from(vec![call.clone()]);
    let domain = derived.domain(&Forest::default(), Some(call.clone()), &|call| world.text_of(call));
    let remembered = BTreeSet::new();
    let known = Knowledge::new(&domain, derived.facts(), &remembered);
    let condition = domain.blocked(&Atom { predicate: call.to_string(), args: Vec::new() }, &known)?;
    let offered = domain.resolving(&condition, &known).into_iter().map(|r| domain.text(&r.action)).collect();
    Some((condition.predicate, offered))
}

#[test]
fn only_the_condition_that_the_last_action_was_offered_for_is_waived_and_that_is_said() {
    let needs = ["self.inventory == obj", "self.env.get_property(recep, 'open')"];
    let needs = needs.iter().map(|text| Assertion::compile(text).unwrap()).collect();
    let (mut derived, world) = at_a_desk(Some(std::iter::once(("put".to_owned(), needs)).collect()));
    let put = call("agent.put('mug 1', 'desk 1')");
    let open = "self.env.get_property(recep, 'open') for agent.put('mug 1', 'desk 1')";
    // Something was done with the desk just now, but for neither condition.
    let (first, _) = blocked(&mut derived, &world, &put).unwrap();
    assert_eq!(first, "unmet: self.inventory == obj for agent.put('mug 1', 'desk 1')");
    assert!(derived.facts().atoms.iter().any(|atom| atom.predicate == format!("unmet: {open}")));
    // It was done for the second one: the first blocks all the same.
    derived.answered = [(put.to_string(), 1)].into();
    let (still, _) = blocked(&mut derived, &world, &put).unwrap();
    assert_eq!(still, first);
    derived.advice = OnceCell::from(vec![put.clone()]);
    let domain = derived.domain(&Forest::default(), Some(put.clone()), &|call| world.text_of(call));
    let said =
        "unmet, but what was offered for it was just taken: self.env.get_property(recep, 'open') (recep = 'desk 1')";
    assert_eq!(domain.waived.get(&put.to_string()).map(String::as_str), Some(said));
    assert_eq!(domain.words.get(open).map(String::as_str), Some(said), "it is not called met");
}

#[test]
fn a_step_answers_the_conditions_that_it_was_offered_for() {
    let (mut derived, world) = at_a_desk(None);
    let put = call("agent.put('mug 1', 'desk 1')");
    let _ = derived.domain(&Forest::default(), Some(put.clone()), &|call| world.text_of(call));
    let step = |action: &str, refused| Step { call: Some(call(action)), refused, ..Step::default() };
    let after = |step: Step| {
        let mut derived = derived.clone();
        derived.hear(step, false, Report::default());
        derived.answered
    };
    assert_eq!(after(step("agent.take('mug 1', 'shelf 1')", false)), [(put.to_string(), 0)].into());
    assert!(after(step("agent.take('mug 1', 'shelf 1')", true)).is_empty());
    assert!(after(step("agent.goto('shelf 1')", false)).is_empty());
}

#[test]
fn what_is_refused_again_and_again_is_blocked_and_nothing_is_known_to_help() {
    let (mut derived, world) = at_a_desk(None);
    let goto = call("agent.goto('shelf 1')");
    let refused = Step { call: Some(goto.clone()), refused: true, ..Step::default() };
    for time in 1..=EXCUSED {
        assert_eq!(blocked(&mut derived, &world, &goto), None, "refused {} times", time - 1);
        derived.hear(refused.clone(), false, Report::default());
    }
    let none = Vec::new();
    assert_eq!(blocked(&mut derived, &world, &goto), Some(("refused: agent.goto('shelf 1')".to_owned(), none)));
    // What the world accepts may have changed that.
    derived.hear(Step { call: Some(call("agent.open('desk 1')")), ..Step::default() }, false, Report::default());
    assert_eq!(blocked(&mut derived, &world, &goto), None);
}

#[test]
fn what_is_looked_for_in_a_moment_has_a_bound_whatever_the_assertions() {
    // Every action needs what only another gives, or nothing does.
    let sets = [
        ("goto", "self.env.get_property(recep, 'open')"),
        ("open", "self.inventory == recep"),
        ("take", "self.env.get_property(obj, 'hot') and self.env.get_property(recep, 'clean')"),
        ("put", "self.inventory == obj and self.env.get_property(recep, 'nowhere')"),
        ("clean", "self.inventory == recep"),
        ("heat", "self.env.get_property(recep, 'cool')"),
    ];
    let rule = |(action, text): (&str, &str)| (action.to_owned(), vec![Assertion::compile(text).unwrap()]);
    let (derived, world) = at_a_desk(Some(sets.into_iter().map(rule).collect()));
    let mut growth = Growth::derive(derived, &world);
    let mut selections = 0;
    while growth.helpless().is_none() && growth.spent().is_none() {
        let facts = growth.facts(&world).unwrap();
        let first = growth.rank(&facts, 0).remove(0);
        assert!(matches!(growth.select(&first.text, &facts, &world), Selection::Blocked(_)), "{first:?}");
        selections += 1;
    }
    let derived = growth.derived().unwrap();
    let used = EVALUATIONS - derived.left.get();
    assert!(used > 0 && used < EVALUATIONS, "{used} evaluations");
    assert!(selections < 60, "no action is below itself, so trees end: {selections}");
}

#[test]
fn where_the_bound_is_reached_the_agents_advice_alone_is_left() {
    let (mut derived, world) = at_a_desk(None);
    derived.left.set(0);
    let put = call("agent.put('mug 1', 'desk 1')");
    let domain = derived.domain(&Forest::default(), Some(put.clone()), &|call| world.text_of(call));
    let condition = domain.condition("unmet: self.inventory == obj for agent.put('mug 1', 'desk 1')").unwrap();
    let offered: Vec<_> = condition.actions.iter().flat_map(|offer| &offer.choose).collect();
    assert!(offered.len() <= 1 && offered.iter().all(|candidate| candidate.maybe), "{offered:?}");
}

/// Resolutions offered for the first condition that blocks a call, in a dialogue in which these calls were made.
fn offered_in_a_dialogue(said: &[&str], next: &str) -> (String, Vec<String>) {
    use crate::dialogue::{DialogueWorld, KIND, Source};
    let source = Arc::new(Source::shipped().unwrap());
    let service = "ToolLibrary_1";
    let demonstrations: Vec<Demonstration> =
        source.demonstrations(service, "", 0).into_iter().map(Demonstration::from).collect();
    let truth = source.ground_truth(service).unwrap();
    let compile = |texts: Vec<String>| texts.iter().map(|text| Assertion::compile(text).unwrap()).collect();
    let rules: Rules = truth.into_iter().map(|(action, texts)| (action, compile(texts))).collect();
    let specification = Specification::load(&source.specification(service), "spec.py").unwrap();
    let mut program = CheckedProgram::new(specification.start().unwrap(), Arc::new(rules));
    let calls: Vec<Call> = said.iter().map(|text| call(text)).collect();
    program.apply(&calls);
    let before = Before::learn(demonstrations.iter().map(Demonstration::actions));
    let agent = crate::built_in_agent(&KIND, &demonstrations);
    let reset = Step { calls, ..Step::default() };
    let basis = Arc::new(Basis { sentence: "a drill".into(), agent, before });
    let mut derived = Derived::new(basis, program, reset, Report::default());
    let mut world = DialogueWorld::new(Arc::clone(&source));
    let task = source.tasks().into_iter().find(|task| task.id.contains("toollibrary")).unwrap();
    world.reset(&task.id, 0).unwrap();
    let domain = derived.domain(&Forest::default(), Some(call(next)), &|call| world.text_of(call));
    let remembered = BTreeSet::new();
    let known = Knowledge::new(&domain, derived.facts(), &remembered);
    let blocked = domain.blocked(&Atom { predicate: next.to_owned(), args: Vec::new() }, &known).unwrap();
    let offered = domain.resolving(&blocked, &known).into_iter().map(|r| domain.text(&r.action)).collect();
    (blocked.predicate, offered)
}

#[test]
fn in_a_dialogue_what_is_missing_is_asked_for() {
    let wants = ["user.INFORM_INTENT('FindTool')", "user.INFORM('tool_type')"];
    let (blocked, offered) = offered_in_a_dialogue(&wants, "system.FindTool()");
    assert_eq!(blocked, "unmet: self.user.informed_slot['district'] for system.FindTool()");
    assert_eq!(offered, ["system.REQUEST('district')"]);
    // Once it was asked for, the turn is the user's.
    let asked = [&wants[..], &["system.REQUEST('district')"]].concat();
    assert_eq!(offered_in_a_dialogue(&asked, "system.FindTool()").1, ["end turn"]);
    // A booking needs a yes, which a confirmation asks for, and a confirmation needs the day.
    let books = ["user.INFORM_INTENT('BorrowTool')", "user.INFORM('tool_name')"];
    let (blocked, offered) = offered_in_a_dialogue(&books, "system.BorrowTool()");
    assert_eq!(blocked, "unmet: self.user.affirmed for system.BorrowTool()");
    assert!(offered.iter().all(|text| text.starts_with("system.CONFIRM(")) && !offered.is_empty(), "{offered:?}");
    let (blocked, offered) = offered_in_a_dialogue(&books, "system.CONFIRM('tool_name')");
    assert_eq!(blocked, "unmet: self.user.informed_slot['pickup_date'] for system.CONFIRM('tool_name')");
    assert_eq!(offered, ["system.REQUEST('pickup_date')"]);
}
