//! What panes do that no script of keys shows: how text is drawn, where a reader stays, another session (`scripts/panes.script` has the rest).

use crate::support::fixture::{self, Script, episode};
use crate::support::screen::{buffer, pane, shown, text, unicode};
use crossterm::event::{KeyModifiers, MouseEvent, MouseEventKind};
use ratatui::style::Modifier;
use serde_json::json;
use stepwright::episode::{Event, Origin};
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
