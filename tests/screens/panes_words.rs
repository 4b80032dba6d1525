//! Words that are longer than their box scroll, by keys and by the wheel.

use std::sync::Arc;

use crate::panes_preconditions::Bench;
use crate::panes_snapshots::live_tree;
use crate::support::fixture::episode;
use crate::support::screen::{pane, shown, unicode};
use crossterm::event::{KeyModifiers, MouseEvent, MouseEventKind};
use insta::assert_snapshot;
use stepwright::driver::{Notice, Situation};
use stepwright::episode::Origin;
use stepwright::tui::pane::{Pane, PaneAction, PaneId};
use stepwright::tui::view::View;

/// Too few rows for the words on a candidate.
const SMALL: (u16, u16) = (58, 13);

fn wheel(pane: &mut dyn Pane, view: &View, row: u16) {
    let kind = MouseEventKind::ScrollDown;
    let event = MouseEvent { kind, column: 10, row, modifiers: KeyModifiers::NONE };
    assert_eq!(pane.mouse(event, view), []);
}

#[test]
fn the_words_on_a_candidate_scroll() {
    let mut b = Bench::new();
    b.down(2);
    let first = b.shot(SMALL);
    assert_snapshot!("preconditions_why_top", first);
    assert!(b.p.actions(&b.s.view).iter().any(|(action, _)| *action == PaneAction::WordsOn));
    assert!(b.act(PaneAction::WordsOn).is_empty());
    assert_snapshot!("preconditions_why_scrolled", b.shot(SMALL));
    b.act(PaneAction::WordsBack);
    assert_eq!(b.shot(SMALL), first, "back where it was");
    // The wheel over the box scrolls it, and over the list the list.
    wheel(b.p.as_mut(), &b.s.view, SMALL.1 - 1);
    assert_ne!(b.shot(SMALL), first);
    // Another row begins at its top.
    b.act(PaneAction::Down);
    b.shot(SMALL);
    b.act(PaneAction::Up);
    assert_eq!(b.shot(SMALL), first);
    // Where all of it fits, the keys are not offered and say so.
    b.shot((120, 40));
    assert!(!b.p.actions(&b.s.view).iter().any(|(action, _)| *action == PaneAction::WordsOn));
    assert_eq!(b.p.outline().words.in_sight().as_deref(), Some("the words on this row are all in sight"));
}

#[test]
fn the_words_on_a_row_of_the_tree_scroll() {
    let mut s = episode();
    s.propose("scanroom Mug|1", None, Origin::Symbolic, None);
    let (goals, node) = (live_tree(), s.view.session.as_ref().unwrap().cursor());
    s.view.notice(Notice::Situation(Arc::new(Situation { node, goals, live: true, ..Situation::default() })));
    let mut p = pane(PaneId::Blocking);
    let _ = p.update(&s.view);
    for _ in 0..5 {
        p.act(PaneAction::Down, &s.view);
    }
    let shot = |p: &mut dyn Pane| shown(p, &s.view, &unicode(), (50, 10), true);
    let first = shot(p.as_mut());
    assert_snapshot!("blocking_why_top", first);
    p.act(PaneAction::WordsOn, &s.view);
    assert_snapshot!("blocking_why_scrolled", shot(p.as_mut()));
    p.act(PaneAction::WordsBack, &s.view);
    assert_eq!(shot(p.as_mut()), first);
    wheel(p.as_mut(), &s.view, 9);
    assert_ne!(shot(p.as_mut()), first);
    p.act(PaneAction::Up, &s.view);
    shot(p.as_mut());
    p.act(PaneAction::Down, &s.view);
    assert_eq!(shot(p.as_mut()), first);
}
