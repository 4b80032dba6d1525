//! Skills as resolutions in a blocking tree: what is adopted is offered where it would resolve what blocks, and a call is carried out
//! primitive by primitive through the gate.

use std::sync::Arc;

use crate::support::driver::Watched;
use stepwright::blocking::NodeKind;
use stepwright::config::{Overrides, load_with};
use stepwright::driver::{Command, NewSession, Notice, Request, prepare_new};
use stepwright::episode::{ArtifactId, Event, Proposal};
use stepwright::world::Sources;

const SKILLS: &str = include_str!("../../worlds/household/skills.toml");

fn household() -> Watched {
    let folder = tempfile::tempdir().unwrap();
    let overrides = Overrides { config_dir: Some(folder.path().join("config")), ..Overrides::default() };
    let state = folder.path().join("state").display().to_string();
    let config = load_with(&overrides, &|name| (name == "STEPWRIGHT_STATE_DIR").then(|| state.clone())).unwrap();
    let new = NewSession {
        world: "household".into(),
        task: "place-box-1".into(),
        method: "blocking".into(),
        model: "symbolic".into(),
        ..NewSession::default()
    };
    Watched::start(prepare_new(&new, &config, &Sources::default(), Arc::new(|| 1_000)).unwrap())
}

fn calls(w: &Watched) -> Vec<Proposal> {
    let turn = &w.session.current().unwrap().turn;
    let is_call = |p: &&Proposal| p.action.as_ref().is_some_and(|action| action.text.starts_with("call: "));
    turn.proposals.iter().map(AsRef::as_ref).filter(is_call).cloned().collect()
}

#[tokio::test]
async fn an_adopted_skill_resolves_what_blocks_and_its_primitives_go_through_the_gate() {
    let mut w = household();
    w.recommended().await;
    assert!(calls(&w).is_empty());
    w.send(Command::Gate(Request::correct(ArtifactId::KNOWLEDGE, SKILLS.into())));
    let settled = |n: &Notice| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::ArtifactSettled { .. }));
    w.until("the skills", |n, _| settled(n)).await;
    // The only candidate is blocked: no box was seen yet. What finds one is offered beside the places to look at.
    w.approve();
    w.executed().await;
    assert!(w.session.current().unwrap().outcome.blocked.as_ref().unwrap().contains("not_found"));
    w.recommended().await;
    let offered = calls(&w);
    assert_eq!(offered.len(), 1, "{offered:?}");
    let (call, why) = (offered[0].action.as_ref().unwrap().text.clone(), offered[0].rationale.clone().unwrap());
    assert_eq!(call, "call: find(box)");
    assert!(why.contains("adopted skill") && why.contains("FOUND box"), "{why}");
    let tree = w.notices.iter().rev().find_map(|n| match n {
        Notice::Situation(situation) if situation.live => Some(situation.goals.clone()),
        _ => None,
    });
    let tree = tree.unwrap();
    let shown = tree.nodes.iter().find(|node| node.text == call).expect("the call is in the tree");
    assert_eq!(tree.nodes[shown.parent.unwrap()].kind, NodeKind::Condition);
    // The call executes nothing; then each primitive is a proposal of its own.
    w.send(Command::Gate(Request::Approve { proposal: offered[0].id }));
    w.executed().await;
    assert_eq!(w.session.current().unwrap().outcome.held.as_deref(), Some("call"));
    let mut acted = Vec::new();
    loop {
        let raw = w.recommended().await;
        assert!(calls(&w).is_empty(), "a skill calls none here");
        w.approve();
        w.executed().await;
        let node = w.session.current().unwrap();
        if node.outcome.held.as_deref() == Some("report") {
            assert!(raw.contains("Done"), "{raw}");
            break;
        }
        assert!(node.outcome.blocked.is_none() && node.outcome.held.is_none());
        acted.push(node.action.as_ref().unwrap().text.clone());
        assert!(acted.len() < 40, "{acted:?}");
    }
    assert!(acted.iter().all(|text| text.starts_with("go to ") || text.starts_with("open ")), "{acted:?}");
    // A box was found: nothing has to find one any more, and the tree grows on.
    w.recommended().await;
    assert!(calls(&w).iter().all(|call| call.action.as_ref().unwrap().text != "call: find(box)"));
    // Going back before the adoption leaves the skills behind.
    let start = w.session.nodes()[0].id;
    w.send(Command::Gate(Request::Goto(start)));
    w.until("the start", |_, session| session.cursor() == start).await;
    w.send(Command::Gate(Request::turn(ArtifactId::KNOWLEDGE, false)));
    let undone = |n: &Notice| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::ArtifactUndone { .. }));
    w.until("the skills gone", |n, _| undone(n)).await;
    assert!(w.session.current().unwrap().document(&ArtifactId::KNOWLEDGE).is_none());
}
