//! Beliefs and programs in the workbench: what the panes look like with them, and what keys do about them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::support::requests::{Table, stacked, start, waiting, wrong};
use crate::support::screen::{self, ascii, pane, shot, shown, unicode};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use insta::assert_snapshot;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use serde_json::{Value, json};
use stepwright::driver::{BeliefReading, Command, Notice, Request};
use stepwright::episode::AskKind;
use stepwright::episode::gate::Edit;
use stepwright::episode::{Actor, ArtifactId};
use stepwright::tui::app::{App, Effect, Parts};
use stepwright::tui::event::Input;
use stepwright::tui::keymap::Keymap;
use stepwright::tui::pane::{Intent, Pane, PaneAction, PaneId};
use stepwright::tui::view::View;

fn ready(id: PaneId, view: &View) -> Box<dyn Pane> {
    let mut pane = pane(id);
    let _ = pane.update(view);
    pane
}

#[test]
fn a_new_belief_that_waits() {
    let table = waiting();
    assert_snapshot!("offer_medium", shot(PaneId::Proposals, &table.view, (78, 16)));
    assert_snapshot!("offer_narrow", shot(PaneId::Proposals, &table.view, (40, 12)));
    let mut unread = Table::begun();
    unread.offer("The red block is dirty.", None, &[]);
    unread.situation(&start());
    assert_snapshot!("offer_unread", shot(PaneId::Proposals, &unread.view, (78, 12)));
    let mut state = ready(PaneId::State, &unread.view);
    assert_snapshot!("offer_unread_state_ascii", shown(state.as_mut(), &unread.view, &ascii(), (70, 20), true));
}

#[test]
fn belief_beside_truth() {
    let table = wrong();
    assert_snapshot!("belief_wide", shot(PaneId::State, &table.view, (110, 16)));
    assert_snapshot!("belief_narrow", shot(PaneId::State, &table.view, (58, 22)));
    let mut state = ready(PaneId::State, &table.view);
    assert_snapshot!("belief_ascii", shown(state.as_mut(), &table.view, &ascii(), (78, 20), false));
    let mut blind = wrong();
    blind.event(stepwright::episode::Event::BlindSet { blind: true });
    let hidden = shot(PaneId::State, &blind.view, (110, 16));
    assert!(hidden.contains("believed (the truth is hidden until you decide)"), "{hidden}");
    let waits = waiting();
    assert_snapshot!("belief_with_offer", shot(PaneId::State, &waits.view, (110, 18)));
}

#[test]
fn drift_over_the_steps() {
    let mut table = wrong();
    let program = table.propose("noop()\ndone()");
    table.take(program, "noop()\ndone()", "3 of 3: …", 0.0);
    table.situation(&stacked());
    let mut state = ready(PaneId::State, &table.view);
    let _ = (0..2).map(|_| state.act(PaneAction::Cycle, &table.view)).collect::<Vec<_>>();
    assert_eq!(state.title(&table.view), "State, drift");
    assert_snapshot!("drift_medium", shown(state.as_mut(), &table.view, &unicode(), (60, 12), true));
    assert_snapshot!("drift_small_ascii", shown(state.as_mut(), &table.view, &ascii(), (18, 6), true));
    for size in [(0, 0), (1, 1), (3, 2), (200, 3), (5, 60)] {
        let _ = shown(state.as_mut(), &table.view, &unicode(), size, true);
    }
}

#[test]
fn programs_as_they_come_are_offered_and_have_run() {
    let mut table = Table::begun();
    let ask = table.ask(AskKind::PROGRAM);
    table.stream(ask, "put_first_on_second(\"red block\", \"bl");
    assert_snapshot!("passage_streaming", shot(PaneId::Program, &table.view, (78, 12)));
    let table = wrong();
    assert_snapshot!("passage_offered", shot(PaneId::Program, &table.view, (78, 16)));
    assert_snapshot!("program_proposed", shot(PaneId::Proposals, &table.view, (78, 16)));
    let table = waiting();
    assert_snapshot!("passage_made", shot(PaneId::Program, &table.view, (110, 16)));
    assert_snapshot!("passage_made_narrow", shot(PaneId::Program, &table.view, (60, 16)));
}

#[test]
fn a_program_taken_call_by_call_stays_in_sight() {
    let mut table = Table::begun();
    let ask = table.ask(AskKind::PROGRAM);
    let calls = ["put_first_on_second(\"red block\", \"blue block\")", "update_wm(\"Put it there.\")"];
    let code = format!("# THINK: easy\n{}", calls.join("\n"));
    let program = table.propose_as(&code, None, Some(ask));
    table.take(program, calls[0], "You put the red block on the blue block.", 0.0);
    table.situation(&stacked());
    let ask = table.ask(AskKind::PROGRAM_CALL);
    table.propose_as(calls[1], Some(2), Some(ask));
    let program = shot(PaneId::Program, &table.view, (100, 14));
    assert!(program.contains("# THINK: easy") && program.contains("made: 1 call\n"), "{program}");
    assert_snapshot!("passage_call_by_call", program);
}

#[test]
fn corrections_stand_in_the_log_as_a_persons() {
    let mut table = wrong();
    table.believe(None, &stacked(), Actor::Person, false);
    table.situation(&stacked());
    let log = shot(PaneId::Log, &table.view, (100, 20));
    assert!(log.lines().any(|l| l.contains("corrected") && l.contains("person: 2 changes")), "{log}");
    let proposals = shot(PaneId::Proposals, &table.view, (78, 20));
    assert!(proposals.contains("a person corrected it, 2 changes"), "{proposals}");
}

#[test]
fn what_was_offered_for_another_belief_is_not_chosen_any_more() {
    let mut table = wrong();
    assert_eq!(table.view.selected, Some(2));
    table.believe(None, &stacked(), Actor::Person, false);
    table.situation(&stacked());
    assert_eq!(table.view.selected, None);
    let new = table.propose("say(\"yes\")");
    assert_eq!(table.view.selected, Some(new));
}

#[test]
fn cycling_goes_round_belief_drift_and_values() {
    let table = wrong();
    let mut state = ready(PaneId::State, &table.view);
    let mut seen = Vec::new();
    for _ in 0..7 {
        seen.push(state.actions(&table.view).iter().find(|(a, _)| *a == PaneAction::Cycle).unwrap().1);
        let _ = state.act(PaneAction::Cycle, &table.view);
    }
    let round = [
        "to the truth",
        "show the drift",
        "show the variables",
        "show the truth",
        "show both",
        "to the truth",
        "show the belief",
    ];
    assert_eq!(seen, round);
    assert!(state.title(&table.view).starts_with("State, belief: "));
}

/// Puts the cursor on the row whose path ends so.
fn go_to(state: &mut dyn Pane, view: &View, key: &str) {
    let _ = state.act(PaneAction::Top, view);
    for _ in 0..60 {
        let shown = shown(state, view, &unicode(), (60, 40), true);
        if shown.lines().any(|l| l.starts_with('«') && l.contains(key)) {
            return;
        }
        let _ = state.act(PaneAction::Down, view);
    }
    panic!("no row {key}");
}

fn press(state: &mut dyn Pane, view: &View, text: &str) -> Vec<Intent> {
    let key = |c| KeyEvent::new(if c == '\r' { KeyCode::Enter } else { KeyCode::Char(c) }, KeyModifiers::NONE);
    text.chars().flat_map(|c| state.input(Input::Key(key(c)), view)).collect()
}

fn clear(state: &mut dyn Pane, view: &View) {
    let _ = state.input(Input::Key(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL)), view);
}

fn corrected(intents: &[Intent]) -> Value {
    let [Intent::Send(Command::Gate(Request::Change { edit: Edit::Text(text), .. }))] = intents else {
        panic!("a correction, not {intents:?}")
    };
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_value_is_corrected_in_its_row() {
    let table = wrong();
    let mut state = ready(PaneId::State, &table.view);
    for row in ["blue block: ", "is: "] {
        go_to(state.as_mut(), &table.view, row);
        let _ = state.act(PaneAction::Right, &table.view);
    }
    go_to(state.as_mut(), &table.view, "[0]: \"dirty\"");
    assert!(state.act(PaneAction::Activate, &table.view).is_empty() && state.captures_text());
    assert_snapshot!("belief_value_edited", shown(state.as_mut(), &table.view, &unicode(), (78, 24), true));
    clear(state.as_mut(), &table.view);
    let mut expected = table.view.session.as_ref().unwrap().belief().unwrap().as_ref().clone();
    expected["blue block"] = json!({"is": ["clean"]});
    let intents = press(state.as_mut(), &table.view, "clean\r");
    assert_eq!(corrected(&intents), expected);
    assert!(!state.captures_text());
    // A collection is JSON; what is none stays to be put right, and Esc leaves all as it was.
    go_to(state.as_mut(), &table.view, "red block: {}");
    let _ = state.act(PaneAction::Edit, &table.view);
    clear(state.as_mut(), &table.view);
    let wrong_json = press(state.as_mut(), &table.view, "{\"is\": [\"dirty\"]\r");
    assert!(matches!(wrong_json.as_slice(), [Intent::Say(_, why)] if why.contains("no value")), "{wrong_json:?}");
    assert!(shown(state.as_mut(), &table.view, &unicode(), (78, 24), true).contains("no value"));
    assert!(state.captures_text());
    expected["blue block"] = json!({"is": ["dirty"]});
    expected["red block"] = json!({"is": ["dirty"]});
    assert_eq!(corrected(&press(state.as_mut(), &table.view, "}\r")), expected);
    let _ = state.act(PaneAction::Edit, &table.view);
    let _ = press(state.as_mut(), &table.view, "zzz");
    let left = state.input(Input::Key(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE)), &table.view);
    assert!(matches!(left.as_slice(), [Intent::Say(..)]) && !state.captures_text());
}

#[test]
fn no_value_is_edited_while_a_new_belief_waits_nor_in_the_truth() {
    let table = waiting();
    let mut state = ready(PaneId::State, &table.view);
    let _ = state.act(PaneAction::Edit, &table.view);
    assert!(!state.captures_text());
    let table = wrong();
    let mut state = ready(PaneId::State, &table.view);
    let _ = state.act(PaneAction::Cycle, &table.view);
    assert!(state.actions(&table.view).iter().all(|(a, _)| *a != PaneAction::Edit));
    let _ = state.act(PaneAction::Edit, &table.view);
    assert!(!state.captures_text());
}

struct Bench {
    app: App,
    now: Instant,
}

impl Bench {
    fn new(table: &Table) -> Self {
        let themes = vec![unicode()];
        let parts = Parts { panes: stepwright::tui::panes::all(), keymap: Keymap::default(), themes };
        let mut bench = Bench { app: App::new(parts), now: Instant::now() };
        for notice in &table.notices {
            bench.app.notice(notice.clone());
        }
        bench.screen((120, 40));
        let _ = bench.sent();
        bench
    }

    fn screen(&mut self, size: (u16, u16)) -> String {
        self.app.settle(self.now);
        let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
        terminal.draw(|frame| self.app.draw(frame)).unwrap();
        screen::text(terminal.backend().buffer())
    }

    fn keys(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            let (code, modifiers) = match c {
                '\r' => (KeyCode::Enter, KeyModifiers::NONE),
                '\u{1b}' => (KeyCode::Esc, KeyModifiers::NONE),
                '\u{13}' => (KeyCode::Char('s'), KeyModifiers::CONTROL),
                '\u{15}' => (KeyCode::Char('u'), KeyModifiers::CONTROL),
                c => (KeyCode::Char(c), KeyModifiers::NONE),
            };
            self.app.terminal(Event::Key(KeyEvent::new(code, modifiers)), self.now);
            self.app.settle(self.now);
        }
        self
    }

    fn sent(&mut self) -> Vec<Command> {
        let effects = self.app.take_effects();
        effects.into_iter().filter_map(|e| if let Effect::Send(c) = e { Some(c) } else { None }).collect()
    }

    /// Lets time pass, and answers the check of a belief that is sent then.
    fn check(&mut self, reading: Result<Value, &str>) -> String {
        self.now += Duration::from_millis(300);
        self.app.wake(self.now);
        let checks = self.sent();
        let Some(Command::CheckBelief { token, text }) = checks.last() else { panic!("a check, not {checks:?}") };
        let reading =
            reading.map(|state| BeliefReading { state: Arc::new(state), repairs: Vec::new() }).map_err(str::to_owned);
        self.app.notice(Notice::BeliefChecked { token: *token, reading });
        self.app.settle(self.now);
        text.clone()
    }
}

#[test]
fn the_gates_keys_decide_about_a_new_belief() {
    let table = waiting();
    let mut bench = Bench::new(&table);
    for keys in ["a", "\r"] {
        assert_eq!(bench.keys(keys).sent(), [Command::Gate(Request::ApproveOffer(1))], "{keys:?}");
    }
    for keys in ["P", "s"] {
        assert_eq!(bench.keys(keys).sent(), [Command::Gate(Request::RewriteOffer(1))], "{keys:?}");
    }
    bench.keys("x");
    assert_eq!(bench.app.dialog().as_deref(), Some("Refuse the new belief"));
    let refused = Command::Gate(Request::RefuseOffer { offer: 1, reason: "blue is clean".into() });
    assert_eq!(bench.keys("blue is clean\r").sent(), [refused]);
    assert!(bench.keys("m").sent().is_empty());
    assert!(bench.screen((120, 40)).contains("a new belief waits; take, edit or refuse it first"));
    assert_eq!(bench.keys("u").sent(), [Command::Gate(Request::Undo)]);
}

#[test]
fn a_new_belief_that_cannot_be_read_is_not_taken_but_put_right() {
    let mut table = Table::begun();
    table.offer("The red block is dirty.", None, &[]);
    table.situation(&start());
    let mut bench = Bench::new(&table);
    assert!(bench.keys("a").sent().is_empty());
    assert!(bench.screen((120, 40)).contains("cannot be read; edit it, refuse it"));
    bench.keys("e");
    // The written text is there, and is checked without a key.
    let checks = bench.sent();
    let [Command::CheckBelief { token, text }] = checks.as_slice() else { panic!("{checks:?}") };
    assert!(text.starts_with("# state = {\n"), "{text}");
    let why = "line 2: a value is missing after `red block`".to_owned();
    bench.app.notice(Notice::BeliefChecked { token: *token, reading: Err(why) });
    assert_snapshot!("dialog_belief_unread_80x24", bench.screen((80, 24)));
    // Accepted before it can be read it stays open, nothing is lost.
    assert!(bench.keys("\u{13}").sent().is_empty());
    assert_eq!(bench.app.dialog().as_deref(), Some("Edit the new belief, then take it"));
    bench.keys("!");
    let text = bench.check(Ok(stacked()));
    assert!(text.starts_with("!# state"));
    assert_snapshot!("dialog_belief_read_80x24", bench.screen((80, 24)));
    assert_eq!(bench.keys("\u{13}").sent(), [Command::Gate(Request::EditOffer { offer: 1, text })]);
    assert_eq!(bench.app.dialog(), None);
}

#[test]
fn the_whole_belief_is_corrected_as_text() {
    let table = wrong();
    let mut bench = Bench::new(&table);
    bench.app.terminal(Event::Key(KeyEvent::new(KeyCode::F(4), KeyModifiers::NONE)), bench.now);
    bench.keys("E");
    assert_eq!(bench.app.dialog().as_deref(), Some("Correct what is believed"));
    let _ = bench.sent();
    // Enter begins a line here. Accepted at once, the check is waited for.
    bench.keys("\r\u{13}");
    let checks = bench.sent();
    let [Command::CheckBelief { token, text }] = checks.as_slice() else { panic!("{checks:?}") };
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), **table.view.session.as_ref().unwrap().belief().unwrap());
    let reading = Ok(BeliefReading { state: Arc::new(start()), repairs: Vec::new() });
    bench.app.notice(Notice::BeliefChecked { token: *token, reading });
    bench.now += Duration::from_millis(100);
    bench.app.wake(bench.now);
    assert_eq!(bench.sent(), [Command::Gate(Request::correct(ArtifactId::BELIEF, text.clone()))]);
    // Esc leaves it as it was.
    bench.keys("Ezzz\u{1b}");
    assert!(bench.sent().iter().all(|c| matches!(c, Command::CheckBelief { .. })));
    assert_eq!(bench.app.dialog(), None);
}

#[test]
fn programs_of_many_lines_are_edited_and_typed() {
    let table = wrong();
    let mut bench = Bench::new(&table);
    bench.keys("e");
    let _ = bench.sent();
    assert_snapshot!("dialog_program_80x24", bench.screen((80, 24)));
    bench.keys("# now\r\u{13}");
    let text = "# now\nnoop()\nupdate_wm(\"The red block is dirty.\")".to_owned();
    assert_eq!(bench.sent().last(), Some(&Command::Gate(Request::Edit { proposal: 2, text })));
    bench.keys("mnoop()\rdone()\u{13}");
    assert_eq!(bench.sent().last(), Some(&Command::Gate(Request::Manual { text: "noop()\ndone()".into() })));
}

#[test]
fn the_request_is_always_in_sight() {
    let mut bench = Bench::new(&wrong());
    for size in [(80, 24), (120, 40), (200, 60)] {
        let screen = bench.screen(size);
        let title = screen.lines().next().unwrap();
        assert!(title.contains("step 1 · request 2 of 3 · 1 ✓ 0 ✗ · The red bl"), "{title}");
    }
    assert_snapshot!("belief_80x24", bench.screen((80, 24)));
    assert_snapshot!("belief_120x40", bench.screen((120, 40)));
    assert_snapshot!("belief_200x60", bench.screen((200, 60)));
    let mut bench = Bench::new(&waiting());
    assert_snapshot!("belief_waits_120x40", bench.screen((120, 40)));
    bench.app.terminal(Event::Key(KeyEvent::new(KeyCode::F(4), KeyModifiers::NONE)), bench.now);
    assert_snapshot!("belief_waits_state_80x24", bench.screen((80, 24)));
}
