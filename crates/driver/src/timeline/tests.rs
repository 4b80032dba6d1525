//! A long timeline: few checkpoints, every node reached, drift noticed wherever it is.

use std::collections::BTreeMap;

use super::*;
use stepwright_episode::{Choice, Decision, Event, Header, Origin, Proposal, Record};
use stepwright_method::blocking::LiveTree;
use stepwright_world::OpenSpec;

/// Steps of the session: more than there may be checkpoints at every 16th.
const STEPS: u64 = 16 * MOST as u64 + 700;

fn world() -> Box<dyn World> {
    let (world, options) = ("household", BTreeMap::new());
    let mut opened =
        stepwright_worlds::sources().open(&OpenSpec { world, data: None, options: &options, task: "" }).unwrap();
    opened.world.reset(&opened.task, 0).unwrap();
    opened.world
}

/// The step at a node: `look`, with a walk between two places in between.
fn text(at: u64) -> &'static str {
    match at % 5 {
        1 => "go to sofa 1",
        3 => "go to drawer 1",
        _ => "look",
    }
}

/// A session of many steps, and the truth at every 97th node; `changed` is a node whose record says something else.
fn session(changed: Option<NodeId>) -> (Session, BTreeMap<NodeId, Value>) {
    let mut world = world();
    let mut session = Session::new(Header { specification: world.specification().into_owned(), ..Header::default() });
    let mut truths = BTreeMap::new();
    let mut apply = |node: NodeId, event: Event| {
        let record = Record { id: session.records() + 1, ts: 0, node, event };
        session.apply(&record).unwrap();
    };
    apply(0, Event::Started { outcome: Arc::default() });
    for at in 0..STEPS {
        let (id, child, text) = (at + 1, at + 1, text(at));
        let mut outcome = StepOutcome::from(&world.act(text).unwrap());
        if changed == Some(child) {
            outcome.observation.push_str(" A bell rings.");
        }
        let action = Action::new(text, None);
        let proposal = Proposal { action: Some(action.clone()), ..Proposal::new(id, text, Origin::Person) };
        apply(at, Event::Proposed { proposal: proposal.into() });
        let choice = Choice::Manual { proposal: id };
        let decision = Decision { id, choice, by: stepwright_episode::Actor::Person, why: String::new() };
        apply(at, Event::Decided { decision: decision.into() });
        let changes = serde_json::json!([]).into();
        let event = Event::Executed { decision: id, child, action: action.into(), outcome: outcome.into(), changes };
        apply(at, event);
        if child % 97 == 0 || child == STEPS {
            truths.insert(child, world.truth());
        }
    }
    (session, truths)
}

fn timeline(session: &Session) -> Timeline {
    let program = ProgramContext::load(&session.header.specification).unwrap();
    let world = world();
    let domain = stepwright_world::shipped_domain(world.kind()).unwrap().unwrap();
    let tree: Box<dyn DerivedState> = Box::new(LiveTree::begin(&domain, world.as_ref()).unwrap());
    Timeline::new(world, &program, vec![tree], &[], None)
}

#[test]
fn a_long_session_has_few_checkpoints_and_every_node_is_reached() {
    let (session, truths) = session(None);
    let mut timeline = timeline(&session);
    timeline.go(&session, STEPS).unwrap();
    assert!(timeline.kept.len() <= MOST && timeline.every > EVERY, "{} kept", timeline.kept.len());
    assert_eq!(timeline.world.truth(), truths[&STEPS]);
    assert!(timeline.truth_at(STEPS - 1).is_some(), "the step before is at hand");
    for (node, truth) in truths.iter().rev().step_by(7) {
        timeline.go(&session, *node).unwrap();
        assert_eq!(&timeline.world.truth(), truth, "node {node}");
        assert!(!timeline.arrived().is_empty(), "the tree of node {node}");
    }
    assert!(timeline.kept.len() <= MOST);
}

#[test]
fn drift_is_noticed_between_checkpoints() {
    let changed = STEPS / 2 + 5;
    let (session, truths) = session(Some(changed));
    let mut timeline = timeline(&session);
    let error = timeline.go(&session, STEPS).unwrap_err();
    assert!(error.starts_with(&format!("step {changed} (`")) && error.contains("A bell rings."), "{error}");
    assert_eq!(timeline.at, 0);
    assert!(!timeline.arrived().is_empty(), "the tree is still that of the beginning");
    let before = truths.keys().rev().find(|node| **node < changed).unwrap();
    timeline.go(&session, *before).unwrap();
    assert_eq!(timeline.world.truth(), truths[before]);
}

/// Derived state that notes what it follows and which changes it was given.
#[derive(Clone, Debug, PartialEq)]
struct Trail {
    followed: Vec<String>,
    edits: usize,
    grounds: Grounds,
    comes: bool,
}

impl DerivedState for Trail {
    fn copy(&self) -> Box<dyn DerivedState> {
        Box::new(self.clone())
    }
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
    fn follow(&mut self, action: &Action, outcome: &StepOutcome, _: &dyn World) {
        self.followed.push(format!("{}: {}", action.text, outcome.observation));
    }
    fn come(&mut self, _: &Session) -> bool {
        self.comes
    }
    fn edit(&mut self, _: &TreeEdit, _: &dyn World) -> Option<Result<(), String>> {
        self.edits += 1;
        Some(Ok(()))
    }
    fn grounds(&self) -> Grounds {
        self.grounds
    }
}

fn trail(grounds: Grounds, comes: bool) -> Box<dyn DerivedState> {
    Box::new(Trail { followed: Vec::new(), edits: 0, grounds, comes })
}

fn trails(derived: &[Box<dyn DerivedState>]) -> Vec<Trail> {
    derived.iter().filter_map(|derived| derived.as_any().downcast_ref::<Trail>()).cloned().collect()
}

/// The world that adds up to ten, at its beginning.
fn adding(derived: Vec<Box<dyn DerivedState>>, form: Option<&str>) -> Timeline {
    use crate::simulation::world::{SPECIFICATION, Sum};
    let given = form.map(|text| Arc::new(StateForm::load(text, "here.toml").unwrap()));
    Timeline::new(Box::new(Sum::default()), &ProgramContext::load(SPECIFICATION).unwrap(), derived, &[], given)
}

fn add(timeline: &mut Timeline, node: NodeId) {
    timeline.act(&Action::new("add 1", None), None, node, node as u32).unwrap();
}

/// A session at whose beginning that document is in force.
fn holding(artifact: ArtifactId, document: Value) -> Session {
    let patch = serde_json::json!([{"op": "replace", "path": "", "value": document}]).into();
    let by = stepwright_episode::Actor::Person;
    let event = Event::ArtifactSettled { artifact, offer: None, patch, by, edited: false, why: String::new() };
    let mut session = Session::new(Header::default());
    for event in [Event::Started { outcome: Arc::default() }, event] {
        session.apply(&Record { id: session.records() + 1, ts: 0, node: 0, event }).unwrap();
    }
    session
}

#[test]
fn what_is_derived_follows_steps_and_has_a_person_s_changes_beside_what_was_arrived_at() {
    let mut timeline = adding(vec![trail(Grounds::Steps, true)], None);
    add(&mut timeline, 1);
    add(&mut timeline, 2);
    let followed = ["add 1: The total is 1.", "add 1: The total is 2."];
    assert_eq!(trails(&timeline.derived)[0].followed, followed);
    let prune = [TreeEdit::Prune { node: 1, pruned: true }];
    timeline.begin_deriving(vec![trail(Grounds::Turns, true)], &prune);
    let edits = |derived: &[Box<dyn DerivedState>]| trails(derived).iter().map(|trail| trail.edits).collect::<Vec<_>>();
    assert_eq!((edits(&timeline.derived), edits(timeline.arrived())), (vec![0, 1], vec![0, 0]));
    let node = |changes: &[TreeEdit]| holding(ArtifactId::TREE, serde_json::to_value(changes).unwrap());
    timeline.amend(node(&prune).node(0).unwrap());
    assert_eq!(edits(&timeline.derived), [1, 1], "from what was arrived at");
    timeline.amend(node(&[]).node(0).unwrap());
    assert_eq!(edits(&timeline.derived), [0, 0], "taken back");
}

#[test]
fn what_is_void_is_dropped_and_nothing_else() {
    let all = || vec![trail(Grounds::Steps, true), trail(Grounds::Assertions, true), trail(Grounds::Turns, true)];
    let grounds = |derived: &[Box<dyn DerivedState>]| derived.iter().map(|d| d.grounds()).collect::<Vec<_>>();
    let mut timeline = adding(all(), None);
    add(&mut timeline, 1);
    timeline.forget_elsewhere();
    let three = [Grounds::Steps, Grounds::Assertions, Grounds::Turns];
    assert_eq!((grounds(&timeline.derived), grounds(timeline.arrived())), (three.to_vec(), three.to_vec()));
    assert_eq!(grounds(&timeline.kept[&0].derived), three[..2], "made elsewhere of records there");
    assert!(timeline.forget());
    assert!(!timeline.forget(), "nothing is left to drop");
    for derived in [&timeline.derived, &timeline.kept[&0].derived, &timeline.kept[&1].derived] {
        assert_eq!(grounds(derived), [Grounds::Steps]);
    }
    let mut timeline = adding(vec![trail(Grounds::Steps, false), trail(Grounds::Turns, true)], None);
    timeline.catch_up(&Session::new(Header::default()));
    assert_eq!((grounds(&timeline.derived), grounds(timeline.arrived())), (vec![Grounds::Turns], vec![Grounds::Turns]));
}

#[test]
fn the_nodes_visited_last_have_checkpoints_and_of_the_others_every_sixteenth() {
    let mut timeline = adding(Vec::new(), None);
    let steps = RECENT as u64 + 40;
    for node in 1..=steps {
        let held = StepOutcome { observation: "held".into(), ..StepOutcome::default() };
        timeline.act(&Action::new("add 1", None), Some(held), node, node as u32).unwrap();
    }
    let first = steps - RECENT as u64 + 1;
    let expected: Vec<NodeId> = (0..first).filter(|node| node % u64::from(EVERY) == 0).chain(first..=steps).collect();
    assert_eq!(timeline.kept.keys().copied().collect::<Vec<_>>(), expected);
    assert_eq!(timeline.world.truth()["total"], 0, "the world was left alone");
    assert_eq!((timeline.truth_at(first - 1), timeline.truth_at(first).is_some()), (None, true));
}

#[test]
fn a_world_that_knows_more_of_a_node_is_what_one_comes_back_to() {
    let mut timeline = adding(Vec::new(), None);
    let mut other = timeline.world.fork();
    other.act("add 3").unwrap();
    timeline.refresh(other, 0);
    assert_eq!(
        (timeline.world.truth()["total"].clone(), timeline.truth_at(0).unwrap()["total"].clone()),
        (3.into(), 3.into())
    );
}

#[test]
fn the_truth_is_told_in_the_form_in_force_and_only_where_it_is_followed() {
    let form = "[tells]\n\"agent.total n\" = \"the total is n\"\n";
    let said = |timeline: &Timeline| timeline.belief_truth().map(|truth| truth["relations"].to_string());
    for (given, own) in [(Some(form), true), (None, false)] {
        let mut timeline = adding(Vec::new(), given);
        assert_eq!((timeline.is_own_form(), said(&timeline), timeline.truth()), (own, None, None));
        timeline.track_truth(None);
        assert_eq!(said(&timeline).is_some(), own);
        add(&mut timeline, 1);
        assert_eq!(said(&timeline), own.then(|| "[\"the total is 1\"]".to_owned()));
        assert_eq!(timeline.belief_truth_at(1).map(|truth| &**truth), timeline.belief_truth());
        assert_eq!(
            (timeline.belief_truth_at(0) == timeline.belief_truth_at(1), timeline.belief_truth_at(7)),
            (!own, None)
        );
    }
    // A document of the session counts before what was given, and one that cannot be read is none.
    let mut timeline = adding(Vec::new(), None);
    timeline.track_truth(None);
    let mut adopt = |text: &str| {
        let session = holding(ArtifactId::FORM, stepwright_belief::form::document(text));
        timeline.take_form(session.node(0));
        (timeline.is_own_form(), said(&timeline))
    };
    assert_eq!(adopt(form), (true, Some("[\"the total is 0\"]".to_owned())));
    assert_eq!(adopt(&form.replace("the total", "the sum")), (true, Some("[\"the sum is 0\"]".to_owned())));
    assert_eq!(adopt("[tells"), (false, None));
}

#[test]
fn a_reset_that_differs_from_its_record_is_told() {
    let session = session(None).0;
    let other = |text: &str| StepOutcome { observation: text.into(), ..StepOutcome::default() };
    assert_eq!(Timeline::compare_reset(&session, &StepOutcome::default()), Ok(()));
    let differs = Timeline::compare_reset(&session, &other("Good morning.")).unwrap_err();
    assert!(differs.starts_with("the reset: "), "{differs}");
}

#[test]
fn the_requests_of_the_nodes_visited_are_known() {
    let (world, options) = ("table", BTreeMap::new());
    let task = stepwright_worlds::sources().told(world, None).unwrap().remove(0).id;
    let mut opened =
        stepwright_worlds::sources().open(&OpenSpec { world, data: None, options: &options, task: &task }).unwrap();
    opened.world.reset(&opened.task, 0).unwrap();
    let request = opened.world.request();
    let program = ProgramContext::load(&opened.world.specification()).unwrap();
    let timeline = Timeline::new(opened.world, &program, Vec::new(), &[], None);
    assert!(request.is_some());
    assert_eq!(timeline.requests().get(&0), request.as_ref());
    assert_eq!(timeline.requests().len(), 1);
    assert!(adding(Vec::new(), None).requests().is_empty());
}

#[test]
fn a_world_in_another_process_is_told_of_its_reset_by_the_record() {
    use crate::simulation::world::{Shared, Sum};
    let mut session = Session::new(Header::default());
    let calls = vec!["agent.set_total(2)".to_owned(), "no call".to_owned()];
    let outcome = StepOutcome { observation: "as recorded".into(), calls, ..StepOutcome::default() };
    let started = Event::Started { outcome: Arc::new(outcome.clone()) };
    session.apply(&Record { id: 1, ts: 0, node: 0, event: started }).unwrap();
    let (said, calls) = reset(&mut Sum::of(Shared::default()), &session).unwrap();
    assert_eq!(
        (said, calls.iter().map(ToString::to_string).collect::<Vec<_>>()),
        (outcome, vec!["agent.set_total(2)".to_owned()])
    );
    assert_eq!(reset(&mut Sum::default(), &session).unwrap().0.observation, "Reach ten.");
}
