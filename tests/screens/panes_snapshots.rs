//! Snapshots of every pane in its states, sizes and themes.

use std::sync::Arc;
use std::time::Duration;

use crate::support::fixture::{self, Script, episode, fails, goals, pool};
use crate::support::screen::{ascii, pane, shot, shown, unicode};
use insta::assert_snapshot;
use stepwright::blocking::{Forest, Moment, Selection};
use stepwright::driver::{Notice, Situation};
use stepwright::episode::{Choice, Event, Origin, TreeEdit};
use stepwright::tui::pane::{Intent, PANES, PaneAction, PaneId};
use stepwright::tui::view::View;
use stepwright::world::{Atom, Facts};

#[test]
fn nothing_open() {
    let all: String = PANES.iter().map(|id| shot(*id, &View::default(), (50, 4))).collect();
    assert_snapshot!(all);
}

#[test]
fn just_reset() {
    let script = Script::open();
    let all: String = PANES.iter().map(|id| shot(*id, &script.view, (60, 8))).collect();
    assert_snapshot!(all);
}

#[test]
fn program() {
    let s = episode();
    assert_snapshot!("program_medium", shot(PaneId::Program, &s.view, (70, 14)));
    assert_snapshot!("program_small", shot(PaneId::Program, &s.view, (24, 5)));
    let mut open = pane(PaneId::Program);
    let _ = open.update(&s.view);
    open.act(PaneAction::ToggleFold, &s.view);
    assert_snapshot!("program_unfolded_ascii", shown(open.as_mut(), &s.view, &ascii(), (70, 30), false));
}

#[test]
fn program_after_undo_and_branch() {
    let mut s = episode();
    s.go(1);
    assert_snapshot!("program_after_undo", shot(PaneId::Program, &s.view, (70, 14)));
    let p = s.propose("look", None, Origin::Person, Some(fails()));
    s.execute(p, fixture::outcome("You are facing the shelf 2.", &[]), serde_json::json!([]));
    assert_snapshot!("program_branch", shot(PaneId::Program, &s.view, (70, 14)));
}

#[test]
fn proposals() {
    let mut s = episode();
    s.decide(Choice::Reject { proposal: 5, reason: "the mug is clean".into() });
    assert_snapshot!("proposals_medium", shot(PaneId::Proposals, &s.view, (78, 22)));
    assert_snapshot!("proposals_wide", shot(PaneId::Proposals, &s.view, (130, 14)));
    assert_snapshot!("proposals_small", shot(PaneId::Proposals, &s.view, (30, 8)));
    s.view.selected = Some(5);
    assert_snapshot!("proposals_failing", shot(PaneId::Proposals, &s.view, (78, 26)));
    s.view.selected = Some(7);
    let mut unfocused = pane(PaneId::Proposals);
    let _ = unfocused.update(&s.view);
    assert_snapshot!("proposals_no_action_ascii", shown(unfocused.as_mut(), &s.view, &ascii(), (78, 16), false));
}

#[test]
fn proposals_scored_by_likelihood() {
    let mut s = Script::open();
    let ask = s.ask("next action, scored");
    s.answer(ask, &["agent.goto('shelf 1')", "agent.goto('desk 1')"]);
    s.propose("go to shelf 1", Some("agent.goto('shelf 1')"), Origin::Scored, Some(fails()));
    s.propose("go to desk 1", Some("agent.goto('desk 1')"), Origin::Scored, None);
    assert_snapshot!("proposals_scored", shot(PaneId::Proposals, &s.view, (78, 14)));
    assert_snapshot!("model_scored", shot(PaneId::Model, &s.view, (78, 20)));
}

#[test]
fn proposals_streaming() {
    let mut s = Script::open();
    let ask = s.ask("next action, greedy");
    assert_snapshot!("proposals_asked", shot(PaneId::Proposals, &s.view, (60, 8)));
    s.view.notice(Notice::Stream { ask, index: 0, text: "agent.goto('sh\u{1b}[2J".into() });
    s.view.notice(Notice::Stream { ask, index: 1, text: "agent.ta".into() });
    assert_snapshot!("proposals_streaming", shot(PaneId::Proposals, &s.view, (60, 8)));
    let why = "429 too many requests".into();
    s.view.notice(Notice::Retrying { ask, attempt: 2, wait: Duration::from_secs(4), why });
    assert_snapshot!("proposals_retrying", shot(PaneId::Proposals, &s.view, (60, 8)));
}

#[test]
fn preconditions() {
    let mut s = episode();
    assert_snapshot!("preconditions_in_force_only", shot(PaneId::Preconditions, &s.view, (80, 8)));
    s.view.notice(Notice::Pool(Arc::new(pool())));
    assert_snapshot!("preconditions_medium", shot(PaneId::Preconditions, &s.view, (100, 18)));
    assert_snapshot!("preconditions_small", shot(PaneId::Preconditions, &s.view, (36, 8)));
    let mut p = pane(PaneId::Preconditions);
    let _ = p.update(&s.view);
    for _ in 0..6 {
        p.act(PaneAction::Down, &s.view);
    }
    assert_snapshot!("preconditions_failing_ascii", shown(p.as_mut(), &s.view, &ascii(), (80, 16), true));
    p.act(PaneAction::Edit, &s.view);
    assert_snapshot!("preconditions_editing", shown(p.as_mut(), &s.view, &unicode(), (80, 16), true));
}

#[test]
fn state() {
    let s = episode();
    assert_snapshot!("state_variables", shot(PaneId::State, &s.view, (60, 12)));
    let mut p = pane(PaneId::State);
    let _ = p.update(&s.view);
    p.act(PaneAction::Cycle, &s.view);
    assert_snapshot!("state_truth", shown(p.as_mut(), &s.view, &unicode(), (60, 8), true));
    p.act(PaneAction::Cycle, &s.view);
    assert_snapshot!("state_both_wide", shown(p.as_mut(), &s.view, &unicode(), (100, 12), true));
    assert_snapshot!("state_both_narrow_ascii", shown(p.as_mut(), &s.view, &ascii(), (50, 12), false));
}

#[test]
fn blocking() {
    let mut s = episode();
    assert_snapshot!("blocking_goals", shot(PaneId::Blocking, &s.view, (60, 12)));
    let id = s.view.selected.expect("one is chosen");
    let mut tree = goals();
    tree.nodes.truncate(3);
    s.view.notice(Notice::Blocking { proposal: id, tree: Arc::new(tree) });
    let mut p = pane(PaneId::Blocking);
    let _ = p.update(&s.view);
    p.act(PaneAction::Down, &s.view);
    p.act(PaneAction::ToggleFold, &s.view);
    assert_snapshot!("blocking_proposal_folded_ascii", shown(p.as_mut(), &s.view, &ascii(), (60, 12), true));
}

/// The live tree of a kitchen: a goal met, one blocked twice, a candidate pruned and one added by a person.
pub(crate) fn live_tree() -> stepwright::blocking::BlockingTree {
    let domain = stepwright::world::shipped_domain(&stepwright::worlds::kitchen::KIND).unwrap().unwrap();
    let facts = Facts {
        things: vec!["Cabinet|1".into(), "Drawer|2".into()],
        atoms: [
            "HANDS_EMPTY", "ROOM kitchen", "CAN_OPEN Cabinet|1", "CLOSED Cabinet|1", "CLOSE Cabinet|1",
            "CAN_OPEN Drawer|2", "FAR Drawer|2",
        ]
        .map(|a| a.parse().unwrap())
        .into(),
    };
    let goals: Vec<Atom> = ["ON CoffeeMachine|1", "ON Mug|1 CoffeeMachine|1"].map(|g| g.parse().unwrap()).into();
    let mut moment = Moment { facts: &facts, goals: &goals, judge: &|_| false };
    let mut forest = Forest::plant(&domain, &moment);
    moment.goals = &goals[1..];
    forest.executed(&domain, "switchon CoffeeMachine|1", None, &moment);
    for text in ["put Mug|1 CoffeeMachine|1", "grab Mug|1"] {
        assert!(matches!(forest.select(&domain, text, &facts), Selection::Blocked(_)));
    }
    let key = |forest: &Forest, text: &str| forest.leaf(text).unwrap().key;
    let pruned = TreeEdit::Prune { node: key(&forest, "moveforward"), pruned: true };
    let under = forest.path(key(&forest, "lookup"))[1].key;
    for edit in [pruned, TreeEdit::Add { under, action: "open Fridge|1".into() }] {
        forest.edit(&domain, &edit).unwrap();
    }
    forest.shown(&domain, &facts)
}

#[test]
fn the_live_blocking_tree() {
    let mut s = episode();
    s.propose("scanroom Mug|1", None, Origin::Symbolic, None);
    let goals = live_tree();
    let node = s.view.session.as_ref().unwrap().cursor();
    s.view.notice(Notice::Situation(Arc::new(Situation { node, goals, live: true, ..Situation::default() })));
    assert_snapshot!("blocking_live_small", shot(PaneId::Blocking, &s.view, (38, 10)));
    assert_snapshot!("blocking_live_medium", shot(PaneId::Blocking, &s.view, (58, 20)));
    assert_snapshot!("blocking_live_large", shot(PaneId::Blocking, &s.view, (98, 28)));
    let mut p = pane(PaneId::Blocking);
    let _ = p.update(&s.view);
    for _ in 0..4 {
        p.act(PaneAction::Down, &s.view);
    }
    assert_snapshot!("blocking_live_ascii", shown(p.as_mut(), &s.view, &ascii(), (58, 16), true));
    let typed = p.act(PaneAction::Add, &s.view);
    assert!(matches!(typed[..], [Intent::AddToTree(_)]), "{typed:?}");
}

#[test]
fn observations() {
    let mut s = episode();
    assert_snapshot!("observations_medium", shot(PaneId::Observations, &s.view, (50, 24)));
    assert_snapshot!("observations_small", shot(PaneId::Observations, &s.view, (20, 6)));
    let p = s.propose("put mug 1 in/on desk 1", Some("agent.put('mug 1', 'desk 1')"), Origin::Greedy, None);
    let mut won = fixture::outcome("You put the mug 1 in/on the desk 1.", &["agent.put('mug 1', 'desk 1')"]);
    (won.done, won.won) = (true, true);
    s.execute(p, won, serde_json::json!([]));
    assert_snapshot!("observations_won", shot(PaneId::Observations, &s.view, (50, 8)));
}

#[test]
fn model() {
    let mut s = episode();
    assert_snapshot!("model_answered", shot(PaneId::Model, &s.view, (80, 26)));
    assert_snapshot!("model_wide", shot(PaneId::Model, &s.view, (130, 18)));
    let ask = s.ask("next action, samples");
    s.view.notice(Notice::Stream { ask, index: 0, text: "agent.put('mug 1'".into() });
    assert_snapshot!("model_streaming", shot(PaneId::Model, &s.view, (80, 12)));
    let error = "http://localhost:1/v1: connection refused; is the server running?".into();
    s.event(Event::AskFailed { ask, error, cancelled: false, usage: None, partial: String::new() });
    assert_snapshot!("model_failed", shot(PaneId::Model, &s.view, (80, 12)));
    let mut p = pane(PaneId::Model);
    let _ = p.update(&s.view);
    p.act(PaneAction::Edit, &s.view);
    assert_snapshot!("model_editing", shown(p.as_mut(), &s.view, &ascii(), (60, 8), true));
}

#[test]
fn log() {
    let mut s = episode();
    s.event(Event::Noted { text: "two\nlines and \u{1b}]0;a title\u{7}".into() });
    assert_snapshot!("log_medium", shot(PaneId::Log, &s.view, (90, 34)));
    assert_snapshot!("log_small", shot(PaneId::Log, &s.view, (40, 6)));
}
