//! A long timeline: few checkpoints, every node reached, drift noticed wherever it is.

use std::collections::BTreeMap;

use super::*;
use stepwright_episode::{Choice, Decision, Event, Header, Origin, Proposal, Record};
use stepwright_method::blocking::LiveTree;
use stepwright_world::{OpenSpec, Sources};

/// Steps of the session: more than there may be checkpoints at every 16th.
const STEPS: u64 = 16 * MOST as u64 + 700;

fn world() -> Box<dyn World> {
    let (world, options) = ("household", BTreeMap::new());
    let mut opened = Sources::default().open(&OpenSpec { world, data: None, options: &options, task: "" }).unwrap();
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
