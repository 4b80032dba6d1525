//! Words that are longer than their box scroll, by keys and by the wheel; what is typed is parsed at every key, and kept where it does not
//! parse.

use std::sync::Arc;

use crate::panes_preconditions::Bench;
use crate::panes_snapshots::live_tree;
use crate::support::fixture::episode;
use crate::support::screen::{pane, shown, unicode};
use crate::tui_keys;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEvent, MouseEventKind};
use insta::assert_snapshot;
use stepwright::driver::{CandidateCommand, Command, Level, Notice, Situation};
use stepwright::episode::Origin;
use stepwright::tui::event::Input;
use stepwright::tui::pane::{Intent, Pane, PaneAction, PaneId};
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

#[test]
fn an_assertion_is_parsed_at_every_key_and_stays_where_it_does_not_parse() {
    let mut b = Bench::new();
    b.act(PaneAction::Add);
    b.keys("self.inventory ==");
    // At once, without a pause: nothing is asked of the driver.
    let screen = b.screen();
    assert!(screen.contains("does not parse: line 1, column 18: expected an expression"), "{screen}");
    let said = b.press(KeyCode::Enter);
    assert!(matches!(&said[..], [Intent::Say(Level::Warning, text)] if text.contains("does not parse")), "{said:?}");
    assert!(b.p.is_editing() && b.screen().contains("self.inventory =="), "nothing is lost");
    b.keys(" None");
    assert!(!b.screen().contains("does not parse"));
    let put = b.press(KeyCode::Enter);
    assert!(
        matches!(&put[..], [Intent::Send(Command::Candidates(CandidateCommand::Put { text, .. }))] if text == "self.inventory == None"),
        "{put:?}"
    );
}

#[test]
fn a_call_that_does_not_parse_is_said_while_it_is_typed_and_asked_about() {
    let mut bench = tui_keys::Bench::with_panes();
    bench.draw(120, 40);
    bench.press("m 'agent.goto('");
    let screen = bench.draw(120, 40);
    assert!(screen.contains("does not parse: line 1, column 11: `(` is never closed"), "{screen}");
    bench.press("enter");
    assert_eq!(bench.wishes(), [], "nothing is taken");
    let screen = bench.draw(120, 40);
    assert!(screen.contains("Enter again takes it") && screen.contains(" agent.goto("), "{screen}");
    // Typed on, it is no question any more.
    bench.press("''desk_1')'");
    let screen = bench.draw(120, 40);
    assert!(!screen.contains("does not parse"), "{screen}");
}

#[test]
fn a_file_of_skills_is_read_while_it_is_typed() {
    let s = episode();
    let mut p = pane(PaneId::Skills);
    let _ = p.update(&s.view);
    p.act(PaneAction::EditWhole, &s.view);
    let typed = |p: &mut dyn Pane, key: KeyEvent| p.input(Input::Key(key), &s.view);
    typed(p.as_mut(), KeyEvent::from(KeyCode::Char('x')));
    let screen = shown(p.as_mut(), &s.view, &unicode(), (60, 12), true);
    assert!(screen.contains("✗ line 1: "), "{screen}");
    let said = typed(p.as_mut(), KeyEvent::new(KeyCode::Char('s'), KeyModifiers::CONTROL));
    assert!(matches!(&said[..], [Intent::Say(Level::Warning, _)]) && p.is_editing(), "{said:?}");
}

#[test]
fn tasks_that_read_alike_are_told_apart() {
    let mut bench = tui_keys::Bench::new();
    let mut catalog = tui_keys::catalog();
    let sentence = "Make coffee: switch the machine on and stand a mug in it, whatever room it may be in.";
    for (task, id) in catalog.worlds[0].tasks.iter_mut().zip(["galley/coffee", "corner/coffee"]) {
        (task.sentence, task.id) = (sentence.into(), id.into());
    }
    bench.app.catalog(catalog);
    for size in [(80, 24), (120, 40)] {
        let screen = bench.draw(size.0, size.1);
        let rows: Vec<&str> = screen.lines().filter(|line| line.contains("Make coffee")).collect();
        assert!(rows[0].contains("galley/coffee") && rows[1].contains("corner/coffee"), "{screen}");
    }
}

#[test]
fn the_help_is_searched_by_names_and_other_words() {
    for (query, found) in [
        ("blind", "Hide the world's dry run"),
        ("comment", "Write a remark"),
        ("pruned", "of candidates: holds always"),
    ] {
        let mut bench = tui_keys::Bench::with_panes();
        bench.draw(120, 40);
        bench.press("? /").press(&format!("'{query}'"));
        let screen = bench.draw(120, 40);
        assert!(screen.contains(found), "{query}\n{screen}");
    }
}
