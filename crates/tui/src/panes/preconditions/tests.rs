use super::*;
use serde_json::json;
use stepwright_episode::{Action, Actor, Event, Header, Origin, Proposal, Record, Session, replacing};
use stepwright_precondition::{CandidateEdit, CandidateMark};
use stepwright_protocol::Notice;

/// It vanished for as long as it was checked, and keys hit another row.
#[test]
fn what_was_added_has_a_row_while_it_is_checked() {
    let edit =
        CandidateEdit { at: 1, before: None, after: Some(CandidateMark { text: "slow".into(), rejected: false }) };
    let settled = Event::ArtifactSettled {
        artifact: ArtifactId::candidates("goto"),
        offer: None,
        patch: replacing(&json!([edit])).into(),
        by: Actor::Person,
        edited: false,
        why: String::new(),
    };
    let mut session = Session::new(Header::default());
    for (id, event) in (1..).zip([Event::Started { outcome: Arc::default() }, settled]) {
        session.apply(&Record { id, ts: 0, node: 0, event }).unwrap();
    }
    let pool = |texts: &[&str]| {
        let of = |(id, text): (usize, &&str)| {
            Candidate::new(id, (*text).to_owned(), CandidateOrigin::Person, Validity::Valid)
        };
        let candidates = texts.iter().enumerate().map(of).collect();
        Arc::new(Pool { action: "goto".into(), candidates, ..Pool::default() })
    };
    let mut view = View::default();
    view.session = Some(session);
    view.pools.insert("goto".into(), pool(&["quick"]));
    let mut pane = PreconditionsPane::default();
    pane.update(&view);
    assert_eq!(pane.items.len(), 1, "of what another session had added there is no row");
    (pane.added, pane.wanted) = (Some(("goto".into(), "slow".into())), Some("slow".into()));
    pane.update(&view);
    assert_eq!((pane.items.len(), pane.row_text(pane.outline.list.cursor(), &view)), (2, "slow".to_owned()));
    assert!(matches!(pane.items[0], Item::Coming(_)));
    view.pools.insert("goto".into(), pool(&["quick", "slow"]));
    pane.update(&view);
    assert_eq!((pane.items.len(), pane.row_text(pane.outline.list.cursor(), &view)), (2, "slow".to_owned()));
    assert!(pane.added.is_none() && !pane.items.iter().any(|item| matches!(item, Item::Coming(_))));
    // What was refused is not waited for: the same text, added later, would have had the cursor.
    (pane.added, pane.wanted) = (Some(("goto".into(), "refused".into())), Some("refused".into()));
    pane.update(&view);
    assert!(pane.added.is_some(), "it was not answered yet");
    view.notice(Notice::Say { level: Level::Warning, text: "goto: `refused` is no assertion".to_owned() });
    pane.update(&view);
    assert_eq!((pane.added, pane.wanted), (None, None));
}

#[test]
fn of_an_answer_with_several_calls_the_first_is_followed() {
    let calls = "tools.get_order(order_id='W1')\ntools.get_order(order_id='W2')";
    let action = Action::new(format!("Both.\n{calls}"), Some(calls.to_owned()));
    let proposal = Proposal { action: Some(action), ..Proposal::new(1, "Both.", Origin::Relayed) };
    let mut session = Session::new(Header::default());
    let events = [Event::Started { outcome: Arc::default() }, Event::Proposed { proposal: proposal.into() }];
    for (id, event) in (1..).zip(events) {
        session.apply(&Record { id, ts: 0, node: 0, event }).unwrap();
    }
    let mut view = View::default();
    (view.session, view.selected) = (Some(session), Some(1));
    for action in ["cancel_order", "get_order"] {
        view.pools.insert(action.into(), Arc::new(Pool { action: action.into(), ..Pool::default() }));
    }
    let mut pane = PreconditionsPane::default();
    pane.update(&view);
    assert_eq!(pane.action_name(), Some("get_order"));
}
