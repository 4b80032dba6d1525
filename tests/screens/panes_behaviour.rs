//! What panes do that no script of keys shows: how text is drawn, where a reader stays, another session (`scripts/panes.script` has the rest).

use std::sync::Arc;

use crate::panes_snapshots::live_tree;
use crate::support::fixture::{self, Script, episode, pool};
use crate::support::requests::Table;
use crate::support::screen::{buffer, pane, shown, text, unicode};
use crossterm::event::{KeyModifiers, MouseEvent, MouseEventKind};
use ratatui::style::Modifier;
use serde_json::{Value, json};
use stepwright::driver::{Command, Notice, Request, Situation};
use stepwright::episode::{Actor, ArtifactId, Event, Origin, Record, replacing};
use stepwright::tui::pane::{Intent, Pane, PaneAction, PaneId};
use stepwright::tui::view::View;

const SIZE: (u16, u16) = (90, 16);

/// A pane that has taken in the view and was drawn once.
fn ready(id: PaneId, view: &View) -> Box<dyn Pane> {
    let mut pane = pane(id);
    let _ = pane.update(view);
    let _ = buffer(pane.as_mut(), view, &unicode(), SIZE, true);
    pane
}

fn look(pane: &mut dyn Pane, view: &View) -> String {
    let _ = pane.update(view);
    text(&buffer(pane, view, &unicode(), SIZE, true))
}

fn mouse(pane: &mut dyn Pane, view: &View, kind: MouseEventKind, at: (u16, u16)) -> Vec<Intent> {
    let event = MouseEvent { kind, column: at.0, row: at.1, modifiers: KeyModifiers::NONE };
    pane.mouse(event, view)
}

#[test]
fn later_lines_are_dim_after_undo_and_the_mark_moves() {
    let mut s = episode();
    let mut p = ready(PaneId::Program, &s.view);
    s.go(1);
    let _ = p.update(&s.view);
    let drawn = buffer(p.as_mut(), &s.view, &unicode(), SIZE, true);
    let row = |needle: &str| text(&drawn).lines().position(|l| l.contains(needle)).expect("the row") as u16;
    let cell = |needle: &str| drawn.cell((12, row(needle))).expect("a cell").modifier;
    assert!(cell("agent.take").contains(Modifier::DIM), "the redo tail");
    assert!(!cell("agent.goto").contains(Modifier::DIM));
    assert!(text(&drawn).contains("▶21"));
}

#[test]
fn observations_follow_the_end_but_never_pull_a_reader() {
    let mut s = episode();
    let mut p = ready(PaneId::Observations, &s.view);
    let step = |s: &mut Script, seen: &str| {
        let id = s.propose("look", None, Origin::Person, None);
        s.execute(id, fixture::outcome(seen, &[]), json!([]));
    };
    step(&mut s, &"first ".repeat(80));
    assert!(look(p.as_mut(), &s.view).contains("first"), "the end is followed");
    for _ in 0..12 {
        p.act(PaneAction::Up, &s.view);
    }
    let before = look(p.as_mut(), &s.view);
    step(&mut s, "second");
    let top = |screen: &str| screen.lines().next().map(|l| l.trim_end_matches(['│', '█']).to_owned());
    let after = look(p.as_mut(), &s.view);
    assert_eq!(top(&before), top(&after));
    assert!(!after.contains("second"));
    p.act(PaneAction::Bottom, &s.view);
    assert!(look(p.as_mut(), &s.view).contains("second"));
    s.go(3);
    assert!(!look(p.as_mut(), &s.view).contains("second"), "undo takes it back");
}

#[test]
fn the_wheel_scrolls_and_the_end_is_found_again() {
    let mut s = episode();
    let mut p = ready(PaneId::Log, &s.view);
    mouse(p.as_mut(), &s.view, MouseEventKind::ScrollUp, (5, 5));
    let before = look(p.as_mut(), &s.view);
    s.event(Event::Noted { text: "new at the end".into() });
    assert_eq!(look(p.as_mut(), &s.view).lines().next(), before.lines().next());
    for _ in 0..9 {
        mouse(p.as_mut(), &s.view, MouseEventKind::ScrollDown, (5, 5));
    }
    assert!(look(p.as_mut(), &s.view).contains("new at the end"));
    s.event(Event::Noted { text: "and one more".into() });
    assert!(look(p.as_mut(), &s.view).contains("and one more"));
}

#[test]
fn another_session_replaces_what_was_shown() {
    let first = episode();
    let second = Script::open();
    for &id in stepwright::tui::pane::PANES {
        let mut fresh = ready(id, &second.view);
        let mut used = ready(id, &first.view);
        let _ = used.update(&second.view);
        let theme = unicode();
        assert_eq!(
            shown(used.as_mut(), &second.view, &theme, SIZE, true),
            shown(fresh.as_mut(), &second.view, &theme, SIZE, true),
            "{id:?}"
        );
    }
}

/// A record of the session of a view, as the driver would send it.
fn record(view: &mut View, event: Event) {
    let session = view.session.as_ref().unwrap();
    let record = Record { id: session.records() + 1, ts: 0, node: session.cursor(), event };
    view.notice(Notice::Recorded(Arc::new(record)));
}

/// A change of a document by a person.
fn settled(artifact: &ArtifactId, value: &Value) -> Event {
    let (artifact, patch) = (artifact.clone(), replacing(value).into());
    Event::ArtifactSettled { artifact, offer: None, patch, by: Actor::Person, edited: false, why: String::new() }
}

#[test]
fn each_pane_turns_the_changes_of_the_documents_it_shows() {
    let with = |notice: Notice| {
        let mut view = episode().view;
        view.notice(notice);
        view
    };
    let live = Situation { node: 3, goals: live_tree(), live: true, ..Situation::default() };
    let candidates = (ArtifactId::candidates("take"), json!([{ "at": 0, "after": { "text": "obj" } }]));
    let assertions = (ArtifactId::assertions("take"), json!({ "assertions": ["obj"], "origin": "edited" }));
    for (id, mut view, changes) in [
        (PaneId::State, Table::begun().view, vec![(ArtifactId::BELIEF, json!({ "objects": [] }))]),
        (PaneId::Program, episode().view, vec![(ArtifactId::PLAN, json!({ "text": "look", "node": 3 }))]),
        (PaneId::Skills, episode().view, vec![(ArtifactId::KNOWLEDGE, json!({ "tips": ["Look."] }))]),
        (PaneId::Blocking, with(Notice::Situation(Arc::new(live))), vec![(ArtifactId::TREE, json!([]))]),
        (PaneId::Preconditions, with(Notice::Pool(Arc::new(pool()))), vec![candidates, assertions]),
    ] {
        let mut pane = pane(id);
        let mut offered = |view: &View, action: PaneAction| {
            let _ = pane.update(view);
            let offered: Vec<PaneAction> = pane.actions(view).iter().map(|(action, _)| *action).collect();
            let turns = [PaneAction::UndoChange, PaneAction::RedoChange];
            (turns.map(|turn| offered.contains(&turn)), pane.act(action, view))
        };
        let sent = |artifact: &ArtifactId, forward| {
            vec![Intent::Send(Command::Gate(Request::turn(artifact.clone(), forward)))]
        };
        assert_eq!(offered(&view, PaneAction::UndoChange), ([false, false], vec![]), "{id:?}");
        for (artifact, value) in &changes {
            record(&mut view, settled(artifact, value));
        }
        for (artifact, _) in changes.iter().rev() {
            let (turns, intents) = offered(&view, PaneAction::UndoChange);
            assert_eq!((turns[0], &intents), (true, &sent(artifact, false)), "{id:?}");
            record(&mut view, Event::ArtifactUndone { artifact: artifact.clone() });
        }
        for (artifact, value) in &changes {
            let (turns, intents) = offered(&view, PaneAction::RedoChange);
            assert_eq!((turns[1], &intents), (true, &sent(artifact, true)), "{id:?}");
            record(&mut view, settled(artifact, value));
        }
        assert_eq!(offered(&view, PaneAction::RedoChange), ([true, false], vec![]), "{id:?}");
    }
}
