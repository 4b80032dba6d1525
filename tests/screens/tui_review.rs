//! A review as a person sees it: presenter's view, branches side by side, notes, a blind session; and every layout at every size.

use std::time::{Duration, Instant};

use crossterm::event::KeyCode;
use serde_json::json;
use stepwright::driver::{Command, Request};
use stepwright::episode::{Check, CheckKind, Event, Status, Verdict};
use stepwright::export::{Format, render};
use stepwright::method::showing;
use stepwright::tui::app::{App, Effect};

use crate::support::session::{self, Builder};
use crate::tui_screens::{app, opened, press, screen, shown};

const SIZES: [(u16, u16); 4] = [(60, 16), (80, 24), (120, 40), (200, 60)];

/// The outcome that only the world knows before a decision.
const FUTURE: &str = "THE FUTURE";

/// A session of two steps and a branch, with remarks.
pub(crate) fn reviewed() -> Builder {
    let mut builder = Builder::default();
    builder.propose().step().propose().step().push(Event::Noted { text: "why not the shelf?".into() });
    builder.go(1).propose().step().propose();
    builder
}

#[test]
fn every_layout_at_every_size() {
    for (name, key) in [("stepping", 10), ("assertions", 11), ("review", 12)] {
        for (width, height) in SIZES {
            let mut app = opened(false);
            press(&mut app, &[KeyCode::F(key)]);
            insta::assert_snapshot!(format!("layout_{name}_{width}x{height}"), screen(&mut app, width, height));
        }
    }
}

#[test]
fn the_presenter_shows_one_decision_at_a_time() {
    for (width, height) in SIZES {
        let mut app = shown(&reviewed());
        press(&mut app, &[KeyCode::Char('V')]);
        insta::assert_snapshot!(format!("presenter_{width}x{height}"), screen(&mut app, width, height));
    }
}

#[test]
fn the_presenter_goes_on_by_itself() {
    let mut app = shown(&reviewed());
    press(
        &mut app,
        &[KeyCode::Char('V'), KeyCode::Char('g'), KeyCode::Char('-'), KeyCode::Char('+'), KeyCode::Char('+')],
    );
    press(&mut app, &[KeyCode::Char(' ')]);
    assert!(screen(&mut app, 80, 24).contains("playing, 2 s each"));
    let mut at = Instant::now();
    for expected in ["Decision 1 of 2", "Decision 2 of 2", "Not decided yet"] {
        at += Duration::from_secs(20);
        app.wake(at);
        let text = screen(&mut app, 80, 24);
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(screen(&mut app, 80, 24).contains("paused"), "it stops at the end");
    assert!(app.next_wake().is_none());
}

#[test]
fn branches_and_sessions_are_set_side_by_side() {
    for (width, height) in SIZES {
        let mut app = shown(&reviewed());
        press(&mut app, &[KeyCode::Char('C')]);
        insta::assert_snapshot!(format!("compare_{width}x{height}"), screen(&mut app, width, height));
    }
}

/// A proposal's verdict with the world's dry run.
fn dry_run(builder: &mut Builder, proposal: u64) {
    let check = |kind, condition: &str| Check {
        kind,
        condition: condition.into(),
        status: Status::Holds,
        detail: Some(FUTURE.into()).filter(|_| kind == CheckKind::World),
    };
    let verdict = Verdict {
        checks: vec![check(CheckKind::Precondition, "self.location != recep"), check(CheckKind::World, FUTURE)],
        effect: Some(json!([{"op": "add", "path": "/agent/seen", "value": FUTURE}]).into()),
        preview: Some(format!("You see {FUTURE}.")),
    };
    builder.push(Event::Checked { proposal, verdict: verdict.into() });
}

/// Everything the workbench shows of a session, at several sizes: each pane alone and every dialog that is about the session.
fn everything(app: &mut App) -> String {
    let mut all = String::new();
    for pane in 1..=9 {
        press(app, &[KeyCode::F(pane), KeyCode::Char('z')]);
        all.push_str(&screen(app, 200, 60));
        press(app, &[KeyCode::Char('z')]);
        all.push_str(&screen(app, 120, 40));
        all.push_str(&screen(app, 80, 24));
    }
    press(app, &[KeyCode::F(2)]);
    for key in [':', 't', 'V', 'C', '?', 'e', 'x'] {
        press(app, &[KeyCode::Char(key)]);
        all.push_str(&screen(app, 200, 60));
        press(app, &[KeyCode::Esc]);
    }
    all
}

#[test]
fn nothing_tells_the_future_of_a_blind_session_before_the_decision() {
    let mut builder = Builder::default();
    builder.push(Event::BlindSet { blind: true }).propose();
    dry_run(&mut builder, 1);
    let mut app = shown(&builder);
    let text = everything(&mut app);
    assert!(!text.contains(FUTURE) && text.contains("hidden until you decide"), "{text}");
    assert!(!text.contains("\"mug 1\": \"desk 1\"") && !text.contains("objects: {"), "the world's truth is hidden too");
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("blind · step 0") && text.contains("what is recommended: hidden until you decide"), "{text}");
    assert!(!text.contains('★') && !text.contains("~4.2 steps") && app.view.selected.is_none(), "{text}");
    assert!(text.contains("1 choose"), "nothing is chosen, and the keys that choose are named: {text}");
    for format in [Format::Html, Format::Text, Format::Jsonl] {
        let out = render(format, &session::header(), builder.records(), showing).unwrap();
        assert!(!out.contains(FUTURE), "{format:?}");
    }
    // Decided: it is shown at the step that was decided, not at the next.
    builder.go(0);
    let before = builder.records().len();
    builder.step().propose();
    dry_run(&mut builder, 4);
    assert!(!everything(&mut shown(&builder)).contains("You see THE FUTURE."), "the turn after it is open");
    builder.go(0);
    assert!(everything(&mut shown(&builder)).contains("You see THE FUTURE."));
    // Record by record it is the same as all at once.
    let mut app = app_of(&builder, before);
    app.settle(Instant::now());
    assert!(everything(&mut app).contains("You see THE FUTURE."));
    // Switched off, everything is there.
    builder.go(1).push(Event::BlindSet { blind: false });
    assert!(everything(&mut shown(&builder)).contains("You see THE FUTURE."));
    press(&mut app, &[KeyCode::F(2), KeyCode::Char('b')]);
    assert_eq!(app.take_effects().last(), Some(&Effect::Send(Command::Gate(Request::SetBlind(false)))));
}

#[test]
fn the_order_of_a_blind_session_says_nothing_of_the_ranking() {
    let order = |created: u64, blind: bool| {
        let mut builder = Builder::default();
        builder.push(Event::BlindSet { blind }).propose();
        let mut app = app(false);
        let records = builder.records().iter().cloned().map(std::sync::Arc::new).collect();
        let header = stepwright::episode::Header { created, ..session::header() };
        app.notice(stepwright::driver::Notice::opened(header, records, None).unwrap());
        app.view.offered().iter().map(|p| p.id).collect::<Vec<_>>()
    };
    assert_eq!(order(1, false), [1, 2, 3]);
    let orders: std::collections::BTreeSet<_> = (0..40).map(|created| order(created, true)).collect();
    assert!(orders.len() > 3, "sessions differ: {orders:?}");
    assert_eq!(order(7, true), order(7, true), "and each is the same when it is opened again");
}

#[test]
fn help_over_a_dialog_begins_with_its_keys_and_leaves_it_as_it_was() {
    let mut app = shown(&reviewed());
    press(&mut app, &[KeyCode::Char('V'), KeyCode::Char('g'), KeyCode::Char(' '), KeyCode::Char('?')]);
    let text = screen(&mut app, 120, 40);
    assert!(text.contains("In Presenter's view, now") && text.contains("Go on by itself, or stop that"), "{text}");
    // What plays below goes on.
    app.wake(Instant::now() + Duration::from_secs(20));
    assert_eq!(app.dialog().as_deref(), Some("Help"));
    press(&mut app, &[KeyCode::Char('?')]);
    assert_eq!(app.dialog().as_deref(), Some("Presenter's view"));
    let text = screen(&mut app, 120, 40);
    assert!(text.contains("Decision 1 of 2") && text.contains("playing"), "{text}");
    assert!(app.next_wake().is_some());
    press(&mut app, &[KeyCode::Char('V')]);
    assert_eq!(app.dialog(), None, "the key that opens it closes it");
    assert!(app.next_wake().is_none());
}

#[test]
fn a_person_s_keys_count_in_the_presenter_s_view_and_are_shown_there() {
    use stepwright::tui::keymap::{Keymap, UserKeys};
    let user = UserKeys { action: "present-next".into(), keys: vec!["w".into()], place: String::new() };
    let (keymap, _) = Keymap::with_user(&[user]).unwrap();
    let (themes, _) = stepwright::tui::theme_file::load(stepwright::tui::theme_file::Wanted {
        folder: None,
        name: Some("monochrome"),
        ascii: false,
        depth: stepwright::tui::color::Depth::None,
    })
    .unwrap();
    let panes = stepwright::tui::panes::all();
    let mut app = App::new(stepwright::tui::app::Parts { panes, keymap, themes });
    let builder = reviewed();
    app.notice(builder.opened());
    press(&mut app, &[KeyCode::Char('V'), KeyCode::Char('g'), KeyCode::Char('w')]);
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("Decision 1 of 2") && text.contains("Left/w decision"), "{text}");
    press(&mut app, &[KeyCode::Right]);
    assert!(screen(&mut app, 80, 24).contains("Decision 1 of 2"), "its own key is gone");
}

/// The session opened after so many records, the others arriving one by one.
fn app_of(builder: &Builder, first: usize) -> App {
    use stepwright::driver::Notice;
    let mut app = app(false);
    let records = builder.records()[..first].iter().cloned().map(std::sync::Arc::new).collect();
    app.notice(Notice::opened(session::header(), records, None).unwrap());
    for record in &builder.records()[first..] {
        app.notice(Notice::Recorded(std::sync::Arc::new(record.clone())));
        app.settle(Instant::now());
    }
    app.notice(builder.situation());
    app
}
