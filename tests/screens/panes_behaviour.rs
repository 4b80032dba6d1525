//! Behaviour of the panes with actions, keys and the mouse.

use std::time::Duration;

use crate::support::fixture::{self, Script, episode};
use crate::support::screen::{buffer, pane, shown, text, unicode};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::style::Modifier;
use serde_json::json;
use stepwright::driver::{Command, Level, LineStatus, Notice, Request};
use stepwright::episode::{Choice, Event, Origin};
use stepwright::tui::event::Input;
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

fn keys(pane: &mut dyn Pane, view: &View, text: &str) -> Vec<Intent> {
    text.chars().flat_map(|c| press(pane, view, KeyCode::Char(c))).collect()
}

fn press(pane: &mut dyn Pane, view: &View, code: KeyCode) -> Vec<Intent> {
    pane.input(Input::Key(KeyEvent::new(code, KeyModifiers::NONE)), view)
}

fn mouse(pane: &mut dyn Pane, view: &View, kind: MouseEventKind, at: (u16, u16)) -> Vec<Intent> {
    let event = MouseEvent { kind, column: at.0, row: at.1, modifiers: KeyModifiers::NONE };
    pane.mouse(event, view)
}

#[test]
fn what_is_asked_beside_the_episode_is_no_pending_proposal() {
    let mut s = Script::open();
    let ask = s.ask("assertions for take");
    s.view.notice(Notice::Stream { ask, index: 0, text: "obj in self.visible".into() });
    let mut proposals = pane(PaneId::Proposals);
    let shown = look(proposals.as_mut(), &s.view);
    assert!(!shown.contains("assertions") && !shown.contains("visible"), "{shown}");
    s.ask("next action, greedy");
    let shown = look(proposals.as_mut(), &s.view);
    assert!(shown.contains("next action, greedy") && !shown.contains("assertions"), "{shown}");
}

#[test]
fn a_call_that_is_the_action_itself_is_shown_once() {
    let mut s = Script::open();
    s.propose("system.OFFER('city')", Some("system.OFFER('city')"), Origin::Greedy, None);
    s.view.select(1);
    let mut proposals = pane(PaneId::Proposals);
    let shown = look(proposals.as_mut(), &s.view);
    let twice = |line: &str| line.matches("system.OFFER").count() > 1;
    assert!(!shown.lines().any(twice) && !shown.contains("call  "), "{shown}");
}

const CLICK: MouseEventKind = MouseEventKind::Down(MouseButton::Left);

/// Lets typing rest until the pane sends what it debounced.
fn rest(pane: &mut dyn Pane, view: &View) -> Command {
    for _ in 0..50 {
        std::thread::sleep(Duration::from_millis(20));
        for intent in pane.wake(view) {
            if let Intent::Send(command) = intent {
                return command;
            }
        }
    }
    panic!("nothing was sent after a pause");
}

fn sent(intents: &[Intent]) -> &Command {
    let [Intent::Send(command)] = intents else { panic!("one command, not {intents:?}") };
    command
}

#[test]
fn a_program_line_is_edited_checked_and_rewritten() {
    let mut s = episode();
    let mut p = ready(PaneId::Program, &s.view);
    for _ in 0..3 {
        p.act(PaneAction::Up, &s.view);
    }
    // The cursor is on an observation of step 1: editing goes to its action.
    assert!(p.act(PaneAction::Edit, &s.view).is_empty());
    assert!(p.captures_text());
    press(p.as_mut(), &s.view, KeyCode::Backspace);
    keys(p.as_mut(), &s.view, "x");
    press(p.as_mut(), &s.view, KeyCode::Backspace);
    keys(p.as_mut(), &s.view, ", 'y')");
    let Command::CheckProgram { token, lines } = rest(p.as_mut(), &s.view) else { panic!("a check") };
    assert_eq!(
        lines,
        [
            "agent.update_visible_receps('desk 1', 'shelf 2')",
            "agent.goto('shelf 2', 'y')",
            "agent.update_visible_objects('shelf 2', 'mug 1')",
            "agent.take('mug 1', 'shelf 2')",
        ]
    );
    let fates = |why: &str| vec![LineStatus::Ran, LineStatus::Ran, LineStatus::Ran, LineStatus::Raised(why.into())];
    s.view.notice(Notice::ProgramChecked { token: token + 1_000, lines: fates("stale") });
    assert!(!look(p.as_mut(), &s.view).contains("stale"));
    s.view.notice(Notice::ProgramChecked { token, lines: fates("AssertionError: not here") });
    let screen = look(p.as_mut(), &s.view);
    assert!(screen.contains("23 ✗     agent.take('mug 1', 'shelf 2')  # AssertionError: not here"), "{screen}");
    assert!(screen.contains("2 calls further on: AssertionError"), "{screen}");
    let intents = press(p.as_mut(), &s.view, KeyCode::Enter);
    assert_eq!(sent(&intents), &Command::Gate(Request::Rewrite { node: 1, text: "agent.goto('shelf 2', 'y')".into() }));
    assert!(!p.captures_text());
}

#[test]
fn a_line_that_is_no_call_and_no_known_action_is_not_taken() {
    let s = episode();
    let mut p = ready(PaneId::Program, &s.view);
    let mut enter = |text: &str| {
        p.act(PaneAction::Edit, &s.view);
        for _ in 0..80 {
            press(p.as_mut(), &s.view, KeyCode::Backspace);
        }
        keys(p.as_mut(), &s.view, text);
        (press(p.as_mut(), &s.view, KeyCode::Enter), p.captures_text())
    };
    let (intents, open) = enter("agent.take('mug 1'");
    let [Intent::Say(Level::Warning, why)] = intents.as_slice() else { panic!("a warning, not {intents:?}") };
    assert!(why.contains("this line does not parse: line 1, column 11: `(` is never closed"), "{why}");
    assert!(open, "it is to be corrected");
    // What the world says can be done here is taken as it is.
    let (intents, open) = enter("go to desk 1");
    assert!(matches!(sent(&intents), Command::Gate(Request::Rewrite { text, .. }) if text == "go to desk 1") && !open);
}

#[test]
fn giving_up_an_edit_changes_nothing() {
    let s = episode();
    let mut p = ready(PaneId::Program, &s.view);
    p.act(PaneAction::Edit, &s.view);
    keys(p.as_mut(), &s.view, "zzz");
    assert!(press(p.as_mut(), &s.view, KeyCode::Esc).is_empty());
    assert!(!look(p.as_mut(), &s.view).contains("zzz"));
    assert!(p.wake(&s.view).iter().all(|i| !matches!(i, Intent::Send(_))));
}

#[test]
fn a_late_answer_to_an_earlier_edit_is_not_shown() {
    let mut s = episode();
    let mut p = ready(PaneId::Program, &s.view);
    p.act(PaneAction::Edit, &s.view);
    keys(p.as_mut(), &s.view, "a");
    let Command::CheckProgram { token, .. } = rest(p.as_mut(), &s.view) else { panic!("a check") };
    press(p.as_mut(), &s.view, KeyCode::Esc);
    p.act(PaneAction::Edit, &s.view);
    keys(p.as_mut(), &s.view, "b");
    let lines = vec![LineStatus::Raised("late".into()); 4];
    s.view.notice(Notice::ProgramChecked { token, lines });
    assert!(!look(p.as_mut(), &s.view).contains("late"));
}

#[test]
fn the_program_leads_to_steps_and_branches() {
    let mut s = episode();
    let mut p = ready(PaneId::Program, &s.view);
    p.act(PaneAction::Up, &s.view);
    assert_eq!(sent(&p.act(PaneAction::Activate, &s.view)), &Command::Gate(Request::Goto(2)));
    s.go(1);
    let again = s.propose("look", None, Origin::Person, None);
    s.execute(again, fixture::outcome("You see a shelf.", &[]), json!([]));
    let screen = look(p.as_mut(), &s.view);
    assert!(screen.contains("# look") && screen.contains("branch 2 of 2") && !screen.contains("mug 1 from desk"));
    assert_eq!(sent(&p.act(PaneAction::Cycle, &s.view)), &Command::Gate(Request::Goto(2)));
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
fn choosing_a_proposal_explains_it_and_enter_approves() {
    let mut s = episode();
    let mut p = ready(PaneId::Proposals, &s.view);
    let explain = Intent::Send(Command::Explain { proposal: 5 });
    assert_eq!(p.act(PaneAction::Down, &s.view), [Intent::Select(5), explain]);
    s.view.selected = Some(5);
    s.view.revision += 1;
    assert!(look(p.as_mut(), &s.view).contains("AssertionError"));
    assert_eq!(sent(&p.act(PaneAction::Activate, &s.view)), &Command::Gate(Request::Approve { proposal: 5 }));
    let edit = Intent::EditAction { proposal: 5, text: "take mug 2 from shelf 2".into() };
    assert_eq!(p.act(PaneAction::Edit, &s.view), [edit]);
    s.decide(Choice::Reject { proposal: 5, reason: "no".into() });
    assert!(matches!(p.act(PaneAction::Activate, &s.view)[..], [Intent::Say(..)]), "a rejected one is not taken");
    let clicked = mouse(p.as_mut(), &s.view, CLICK, (10, 2));
    assert_eq!(clicked.first(), Some(&Intent::Select(6)));
}

#[test]
fn the_chosen_proposal_is_explained_once() {
    let s = episode();
    let mut p = pane(PaneId::Proposals);
    assert_eq!(sent(&p.update(&s.view)), &Command::Explain { proposal: 4 });
    assert!(p.update(&s.view).is_empty());
}

#[test]
fn the_state_stays_where_the_reader_is() {
    let mut s = episode();
    let mut p = ready(PaneId::State, &s.view);
    for _ in 0..2 {
        p.act(PaneAction::Down, &s.view);
    }
    assert_eq!(p.act(PaneAction::Copy, &s.view), [Intent::Copy("agent.inventory = \"mug 1\"".into())]);
    s.situation(json!({"aaa": 1, "agent": {"location": "desk 1", "inventory": "mug 7"}}), json!([]));
    look(p.as_mut(), &s.view);
    assert_eq!(p.act(PaneAction::Copy, &s.view), [Intent::Copy("agent.inventory = \"mug 7\"".into())]);
}

#[test]
fn the_state_is_searched_through_what_is_folded() {
    let s = episode();
    let mut p = ready(PaneId::State, &s.view);
    p.act(PaneAction::FoldAll, &s.view);
    p.act(PaneAction::Search, &s.view);
    keys(p.as_mut(), &s.view, "\"b\"");
    press(p.as_mut(), &s.view, KeyCode::Enter);
    assert_eq!(p.act(PaneAction::Copy, &s.view), [Intent::Copy("receptacles['shelf 2'].holds[1] = \"b\"".into())]);
    assert!(look(p.as_mut(), &s.view).contains("[1]: \"b\""));
}

#[test]
fn former_values_are_shown_beside_new_ones() {
    let mut s = episode();
    let mut p = ready(PaneId::State, &s.view);
    let go = s.propose("go to desk 1", None, Origin::Person, None);
    let patch = json!([{"op": "replace", "path": "/agent/location", "value": "desk 1"}]);
    s.execute(go, fixture::outcome("You arrive.", &[]), patch);
    s.situation(json!({"agent": {"location": "desk 1", "inventory": "mug 1"}}), json!([]));
    let screen = look(p.as_mut(), &s.view);
    assert!(screen.contains("~     location: \"desk 1\"  (was \"shelf 2\")"), "{screen}");
}

#[test]
fn blocking_offers_an_action_through_the_edit_dialog() {
    let s = episode();
    let mut p = ready(PaneId::Blocking, &s.view);
    p.act(PaneAction::Down, &s.view);
    let edit = Intent::EditAction { proposal: 4, text: "put mug 1 in/on desk 1".into() };
    assert_eq!(p.act(PaneAction::Activate, &s.view), [edit]);
    p.act(PaneAction::Down, &s.view);
    p.act(PaneAction::Down, &s.view);
    let chosen = p.act(PaneAction::Activate, &s.view);
    assert_eq!(chosen.first(), Some(&Intent::Select(4)), "what is offered already is chosen, not typed again");
    p.act(PaneAction::Left, &s.view);
    p.act(PaneAction::Left, &s.view);
    assert!(!look(p.as_mut(), &s.view).contains("go to desk 1"));
    p.act(PaneAction::Right, &s.view);
    assert!(look(p.as_mut(), &s.view).contains("go to desk 1"));
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
fn a_prompt_is_edited_and_sent_again() {
    let mut s = episode();
    let mut p = ready(PaneId::Model, &s.view);
    p.act(PaneAction::Edit, &s.view);
    keys(p.as_mut(), &s.view, "# ");
    press(p.as_mut(), &s.view, KeyCode::Tab);
    keys(p.as_mut(), &s.view, "Now: ");
    let send = KeyEvent::new(KeyCode::Char('s'), KeyModifiers::CONTROL);
    let intents = p.input(Input::Key(send), &s.view);
    let Command::Gate(Request::Resend { ask: 2, messages }) = sent(&intents) else { panic!("{intents:?}") };
    assert_eq!(messages[0].text, "Now: You complete a program that acts in a household.");
    assert!(messages[1].text.starts_with("# def put_a_mug"));
    assert!(!p.captures_text());
    // The pane goes to the ask that was sent, wherever it was.
    p.act(PaneAction::Top, &s.view);
    let ask = s.ask("next action, greedy");
    s.answer(ask, &["agent.goto('shelf 9')"]);
    assert!(look(p.as_mut(), &s.view).contains("agent.goto('shelf 9')"), "{}", look(p.as_mut(), &s.view));
}

#[test]
fn the_log_jumps_searches_and_copies() {
    let s = episode();
    let mut p = ready(PaneId::Log, &s.view);
    p.act(PaneAction::Search, &s.view);
    keys(p.as_mut(), &s.view, "to step 1");
    press(p.as_mut(), &s.view, KeyCode::Enter);
    assert_eq!(sent(&p.act(PaneAction::Activate, &s.view)), &Command::Gate(Request::Goto(1)));
    let [Intent::Copy(json)] = &p.act(PaneAction::Copy, &s.view)[..] else { panic!("a copy") };
    assert!(json.contains("\"event\":\"executed\""));
    p.act(PaneAction::Bottom, &s.view);
    assert!(matches!(p.act(PaneAction::Activate, &s.view)[..], [Intent::Say(..)]), "the session is there already");
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
