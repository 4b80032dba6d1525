//! Properties: for any content, size and input, no pane panics, and what is drawn never acts on a terminal.

use std::sync::Arc;
use std::time::Duration;

use crate::support::fixture::{Script, comparison, episode, fails, holds, inspection, long, outcome, pool, step_view};
use crate::support::screen::{self, ascii, buffer, unicode};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use ratatui::layout::Rect;
use serde_json::{Value, json};
use stepwright::driver::{LineStatus, Notice};
use stepwright::episode::{Check, CheckKind, Choice, Event, Origin, Status, Verdict};
use stepwright::tui::event::Input;
use stepwright::tui::pane::{PANES, PaneAction, PaneId};
use stepwright::tui::panes;

const ACTIONS: [PaneAction; 22] = [
    PaneAction::Up,
    PaneAction::Down,
    PaneAction::PageUp,
    PaneAction::PageDown,
    PaneAction::Top,
    PaneAction::Bottom,
    PaneAction::Left,
    PaneAction::Right,
    PaneAction::ToggleFold,
    PaneAction::Activate,
    PaneAction::Edit,
    PaneAction::Add,
    PaneAction::ToggleReject,
    PaneAction::Adopt,
    PaneAction::Run,
    PaneAction::RunAll,
    PaneAction::Cycle,
    PaneAction::Search,
    PaneAction::NextMatch,
    PaneAction::PreviousMatch,
    PaneAction::Copy,
    PaneAction::Copy,
];

#[derive(Debug, Clone)]
enum Happening {
    Step(String),
    Ask(String),
    Go(u64),
    Reject(String),
    State(Value),
    Pool(String),
    Answers(String),
    Reopen(u8),
    Act(usize),
    Key(char),
    Special(u8),
    Paste(String),
    Mouse(u8, u16, u16),
    Size(u16, u16),
}

/// Text as models and files may hold it.
fn hostile() -> impl Strategy<Value = String> {
    prop_oneof!["[ -~]{0,30}", "\\PC{0,12}", "[\\x00-\\x20\u{1b}\u{9b}\u{202e}\u{200b}日é]{0,12}"]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), hostile().prop_map(Value::from)];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(hostile(), inner, 0..5).prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
}

fn happening() -> impl Strategy<Value = Happening> {
    use Happening as H;
    prop_oneof![
        2 => hostile().prop_map(H::Step),
        1 => hostile().prop_map(H::Ask),
        1 => (0u64..6).prop_map(H::Go),
        1 => hostile().prop_map(H::Reject),
        1 => value().prop_map(H::State),
        1 => hostile().prop_map(H::Pool),
        1 => hostile().prop_map(H::Answers),
        1 => (0u8..3).prop_map(H::Reopen),
        8 => (0..ACTIONS.len()).prop_map(H::Act),
        3 => any::<char>().prop_map(H::Key),
        3 => (0u8..8).prop_map(H::Special),
        1 => hostile().prop_map(H::Paste),
        2 => (0u8..4, 0u16..130, 0u16..50).prop_map(|(k, x, y)| H::Mouse(k, x, y)),
        2 => (0u16..130, 0u16..40).prop_map(|(w, h)| H::Size(w, h)),
    ]
}

fn pools(text: &str) -> Notice {
    let mut pool = pool();
    pool.action = text.chars().take(8).collect();
    pool.candidates.iter_mut().for_each(|c| c.text.push_str(text));
    Notice::Pool(Arc::new(pool))
}

/// Lets something happen to the session.
fn happen(s: &mut Script, what: &Happening) {
    match what {
        Happening::Step(text) => {
            let verdict = if text.len() % 2 == 0 { holds() } else { fails() };
            let call = (text.len() % 3 > 0).then(|| format!("agent.f({text:?})"));
            let id = s.propose(text, call.as_deref(), Origin::Sample, Some(verdict));
            let mut result = outcome(text, &[call.as_deref().unwrap_or(text)]);
            result.error = (text.len() % 5 == 0).then(|| text.clone());
            s.execute(
                id,
                result,
                json!([{"op": "add", "path": format!("/{text}"), "value": text}, {"op": "remove", "path": "/a/b/0"}]),
            );
        }
        Happening::Ask(text) => {
            let ask = s.ask(text);
            s.view.notice(Notice::Stream { ask, index: 3, text: text.clone() });
            let wait = Duration::from_secs(1);
            s.view.notice(Notice::Retrying { ask, attempt: 2, wait, why: text.clone() });
            match text.len() % 3 {
                0 => s.answer(ask, &[text, "", text]),
                1 => s.event(Event::AskFailed {
                    ask,
                    error: text.clone(),
                    cancelled: false,
                    usage: None,
                    partial: text.clone(),
                }),
                _ => {}
            }
        }
        Happening::Go(to) if s.view.session.as_ref().is_some_and(|x| x.node(*to).is_some()) => s.go(*to),
        Happening::Reject(reason) => {
            let id = s.propose(reason, None, Origin::Greedy, None);
            s.view.selected = Some(id);
            s.decide(Choice::Reject { proposal: id, reason: reason.clone() });
        }
        Happening::State(value) => {
            s.situation(value.clone(), json!([{"op": "replace", "path": "/robot/at", "value": 1}]))
        }
        Happening::Pool(text) => s.view.notice(pools(text)),
        Happening::Answers(text) => {
            for token in 0..40 {
                let lines = vec![LineStatus::Ran, LineStatus::Raised(text.clone()), LineStatus::NotReached];
                s.view.notice(Notice::ProgramChecked { token, lines });
                let mut inspection = (*inspection(usize::try_from(token % 7).unwrap_or(0))).clone();
                inspection.candidate.text = text.clone();
                s.view.notice(Notice::CandidateChecked { token, inspection: Ok(Arc::new(inspection)) });
                s.view.notice(Notice::StepShown { token, step: step_view() });
                let (comparison, right) = comparison();
                s.view.notice(Notice::SetsCompared { token, comparison, right });
            }
        }
        Happening::Reopen(0) => *s = Script::open(),
        Happening::Reopen(_) => *s = episode(),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_pane_ever_panics(happenings in prop::collection::vec(happening(), 1..30), mono in any::<bool>()) {
        let theme = if mono { ascii() } else { unicode() };
        let mut s = episode();
        let mut all = panes::all();
        let mut size = (40, 10);
        for what in &happenings {
            happen(&mut s, what);
            if let Happening::Size(w, h) = what {
                size = (*w, *h);
            }
            for pane in &mut all {
                let _ = pane.update(&s.view);
                match what {
                    Happening::Act(i) if !pane.captures_text() => drop(pane.act(ACTIONS[*i], &s.view)),
                    Happening::Key(c) if pane.captures_text() => {
                        pane.input(Input::Key(KeyEvent::new(KeyCode::Char(*c), KeyModifiers::NONE)), &s.view);
                    }
                    Happening::Special(n) if pane.captures_text() => {
                        let code = [KeyCode::Esc, KeyCode::Enter, KeyCode::Backspace, KeyCode::Tab, KeyCode::Up, KeyCode::Down, KeyCode::Home, KeyCode::Delete];
                        pane.input(Input::Key(KeyEvent::new(code[usize::from(*n)], KeyModifiers::NONE)), &s.view);
                    }
                    Happening::Paste(text) if pane.captures_text() => drop(pane.input(Input::Paste(text), &s.view)),
                    Happening::Mouse(kind, x, y) => {
                        let kind = [MouseEventKind::ScrollUp, MouseEventKind::ScrollDown, MouseEventKind::Moved, MouseEventKind::Down(MouseButton::Left)][usize::from(*kind)];
                        let event = MouseEvent { kind, column: *x, row: *y, modifiers: KeyModifiers::NONE };
                        pane.mouse(event, &s.view);
                    }
                    _ => {}
                }
                let _ = pane.wake(&s.view);
                let drawn = buffer(pane.as_mut(), &s.view, &theme, size, true);
                let hazard = drawn.content().iter().find(|c| c.symbol().chars().any(char::is_control));
                prop_assert!(hazard.is_none(), "{:?} in {:?}", hazard, pane.id());
                let _ = pane.title(&s.view);
                let _ = pane.actions(&s.view);
            }
        }
    }

    /// A pane that has followed a session through undo and branches shows what a fresh one shows.
    #[test]
    fn following_gives_what_a_fresh_start_gives(happenings in prop::collection::vec(happening(), 1..25)) {
        let mut s = episode();
        let mut all = panes::all();
        for pane in &mut all {
            let _ = pane.update(&s.view);
        }
        for what in happenings.iter().filter(|h| matches!(h, Happening::Step(_) | Happening::Go(_) | Happening::Ask(_))) {
            happen(&mut s, what);
            for pane in &mut all {
                let _ = pane.update(&s.view);
            }
        }
        for (mut fresh, used) in panes::all().into_iter().zip(&mut all) {
            let _ = fresh.update(&s.view);
            let one = screen::text(&buffer(fresh.as_mut(), &s.view, &unicode(), (80, 60), true));
            let two = screen::text(&buffer(used.as_mut(), &s.view, &unicode(), (80, 60), true));
            prop_assert_eq!(one, two, "{:?}", fresh.id());
        }
    }
}

#[test]
fn every_size_from_nothing_on() {
    let mut s = episode();
    s.view.notice(Notice::Pool(Arc::new(pool())));
    for &id in PANES {
        let mut pane = screen::pane(id);
        let _ = pane.update(&s.view);
        for width in 0..40 {
            for height in 0..9 {
                let _ = buffer(pane.as_mut(), &s.view, &unicode(), (width, height), true);
            }
        }
        // An area that reaches beyond the screen is clipped.
        let mut terminal = ratatui::Terminal::new(ratatui::backend::TestBackend::new(10, 5)).expect("a test terminal");
        let beyond = Rect::new(6, 3, 60, 40);
        terminal.draw(|f| pane.render(&s.view, &unicode(), beyond, f, true)).expect("drawing");
    }
}

#[test]
fn ten_thousand_steps_are_shown_at_their_end() {
    let view = long(10_000);
    for &id in PANES {
        let mut pane = screen::pane(id);
        let _ = pane.update(&view);
        let drawn = screen::text(&buffer(pane.as_mut(), &view, &unicode(), (100, 30), true));
        assert!(!drawn.trim().is_empty(), "{id:?}");
    }
}

/// U3 and U7: over a thousand made-up steps with every combination of verdicts, what is recommended against a verdict says why in its row,
/// and no cross stands beside words of acceptance.
#[test]
fn a_star_beside_a_cross_says_why() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let statuses = [Status::Holds, Status::Fails, Status::Unknown];
    for round in 0..1_000 {
        let mut s = Script::open();
        let offered = random.random_range(1..7);
        let mut ids = Vec::new();
        for at in 0..offered {
            let mut checks = Vec::new();
            for kind in [CheckKind::Precondition, CheckKind::Blocking, CheckKind::World] {
                let words = match kind {
                    CheckKind::World => ("the world accepts it", "the world would refuse it: Nothing happens."),
                    _ => ("self.is_visible(recep)", "self.is_visible(recep)"),
                };
                if random.random_bool(0.7) {
                    let status = statuses[random.random_range(0..statuses.len())];
                    let condition = if status == Status::Holds { words.0 } else { words.1 }.to_owned();
                    checks.push(Check { kind, condition, status, detail: None });
                }
            }
            let verdict = Some(Verdict { checks, ..Verdict::default() }).filter(|_| random.random_bool(0.9));
            let text = format!("go to shelf {at}");
            ids.push(s.propose(&text, Some(&format!("agent.goto('shelf {at}')")), Origin::Symbolic, verdict));
        }
        let proposal = Some(ids[random.random_range(0..ids.len())]);
        s.event(Event::Recommended { proposal, why: "the greedy completion after all".to_owned() });
        for width in [40, 58, 96] {
            let text = screen::shot(PaneId::Proposals, &s.view, (width, 24));
            for line in text.lines() {
                assert!(!line.contains('✗') || !line.contains("accepts"), "round {round}:\n{text}");
                let against = line.contains('★') && line.contains('✗') && line.contains("go to shelf");
                assert!(!against || line.contains("(the g"), "round {round}:\n{text}");
            }
        }
    }
}
