//! A review as a person sees it: presenter's view, branches side by side, notes, a blind session; and every layout at every size.

use std::time::{Duration, Instant};

use crossterm::event::KeyCode;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use stepwright::driver::{Command, Handle, OpenRequest, Request, open_to_read};
use stepwright::episode::{Check, CheckKind, Event, Status, Verdict};
use stepwright::export::{Format, render};
use stepwright::methods::METHODS;
use stepwright::tui::app::{App, Effect};
use stepwright::tui::manner::Manner;

use crate::support::opened::configuration;
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

/// A plan with its corrections stands in one pane with what is offered of it, whole.
#[test]
fn a_plan_its_corrections_and_the_candidates_are_seen_together() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let _inside = runtime.enter();
    let folder = tempfile::tempdir().unwrap();
    let request = OpenRequest::Example("reprompt".to_owned());
    let mut handle = open_to_read(&request, &configuration(folder.path()), &stepwright::worlds::sources()).unwrap();
    let mut app = app(false);
    app.show_in(Manner { read_only: true, ..Manner::default() }, None);
    settled(&mut app, &mut handle, &runtime);
    let steps = app.view.session.as_ref().unwrap().current().unwrap().depth;
    let mut corrected = 0;
    for step in (0..steps).rev() {
        press(&mut app, &[KeyCode::Char('u')]);
        settled(&mut app, &mut handle, &runtime);
        let text = screen(&mut app, 120, 40);
        assert!(text.contains(&format!("step {step} ")), "{text}");
        let shown = |words: &str| text.contains(words);
        assert!(shown("▶★"), "step {step}: {text}");
        corrected += usize::from(shown("plan (") && shown("correction: "));
    }
    assert!(corrected >= 2, "{corrected} steps at which a correction is in sight");
}

/// U11: who typed again what was recommended is named beside whom the star is of.
#[test]
fn the_star_of_what_was_typed_again_says_whose_it_is() {
    let mut builder = Builder::default();
    builder.propose().typed();
    let mut app = shown(&builder);
    press(&mut app, &[KeyCode::Char('V'), KeyCode::Char('g'), KeyCode::Right]);
    let text = screen(&mut app, 120, 40);
    let row = |sign: &str| text.lines().find(|line| line.contains(sign)).unwrap();
    assert!(row("★").contains("go to desk 1") && !row("★").contains("chosen"), "{text}");
    assert!(row("chosen").contains("go to desk 1  chosen  a person"), "{text}");
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
fn a_mirror_is_told_what_is_shown_also_where_the_session_goes_there_later() {
    use stepwright::driver::Notice;
    let mut builder = reviewed();
    let mut app = app(false);
    app.show_in(Manner { read_only: true, presents: true, ..Manner::default() }, Some("http://127.0.0.1:9/".into()));
    app.notice(builder.opened());
    app.notice(builder.situation());
    let told = |app: &mut App| -> Vec<Effect> {
        app.settle(Instant::now());
        let presented = |effect: &Effect| matches!(effect, Effect::Presented(_));
        app.take_effects().into_iter().filter(presented).collect()
    };
    assert_eq!(told(&mut app), [Effect::Presented(3)]);
    let before = builder.records().len();
    builder.go(1);
    for record in &builder.records()[before..] {
        app.notice(Notice::Recorded(std::sync::Arc::new(record.clone())));
    }
    assert_eq!(told(&mut app), [Effect::Presented(1)]);
    press(&mut app, &[KeyCode::Right]);
    assert_eq!(told(&mut app), [Effect::Presented(3)]);
    press(&mut app, &[KeyCode::Char('?')]);
    assert_eq!(told(&mut app), [], "what is shown has not changed");
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
        let out = render(format, &session::header(), builder.records(), |kind| METHODS.showing(kind)).unwrap();
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

/// Rows carried their marks, and below them it said that nothing was checked.
#[test]
fn what_was_checked_is_said_where_nothing_is_chosen_or_recommended() {
    let mut builder = Builder::default();
    builder.push(Event::BlindSet { blind: true });
    let mut app = shown(builder.propose());
    press(&mut app, &[KeyCode::Char('V'), KeyCode::Right]);
    let text = screen(&mut app, 120, 40);
    assert!(!text.contains("Nothing was checked.") && text.contains("each marked with what came of it"), "{text}");
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
    let mut app = App::new(stepwright::tui::app::Parts {
        panes,
        keymap,
        themes,
        worlds: stepwright::worlds::WORLDS.into(),
        methods: &METHODS,
    });
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

#[test]
fn a_session_that_is_only_read_refuses_in_a_sentence_and_sends_nothing_that_changes_it() {
    let mut app = app(false);
    app.show_in(Manner { read_only: true, ..Manner::default() }, None);
    let builder = reviewed();
    app.notice(builder.opened());
    app.notice(builder.situation());
    app.settle(Instant::now());
    app.take_effects();
    assert!(screen(&mut app, 80, 24).starts_with(" read-only \u{b7}"));
    for key in ['a', 'e', 'x', 's', 'm', 'P', 'p', 'B', 'c', 'M'] {
        press(&mut app, &[KeyCode::Char(key)]);
        assert_eq!((app.take_effects(), app.dialog()), (vec![], None), "{key}");
        assert!(screen(&mut app, 120, 40).contains(": the session is open read-only: nothing in it"), "{key}");
    }
    // Looking at another step is no change of it.
    press(&mut app, &[KeyCode::Char('u')]);
    assert_eq!(app.take_effects(), [Effect::Send(Command::Gate(Request::Undo))]);
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for _ in 0..20_000 {
        let code = match random.random_range(0..12) {
            0 => KeyCode::Enter,
            1 => KeyCode::F(random.random_range(1..=12)),
            2 => [KeyCode::Esc, KeyCode::Tab, KeyCode::Down, KeyCode::Up][random.random_range(0..4)],
            _ => KeyCode::Char(char::from(random.random_range(b' '..=b'~'))),
        };
        press(&mut app, &[code]);
        for effect in app.take_effects() {
            let reads = match &effect {
                Effect::Send(command) => command.only_reads(),
                Effect::Copy(_) | Effect::Repaint | Effect::Catalog | Effect::Quit | Effect::GiveUp => true,
                _ => false,
            };
            assert!(reads, "{code:?}: {effect:?}");
        }
    }
}

/// Hands on what is asked and answered until neither has anything more to say.
fn settled(app: &mut App, handle: &mut Handle, runtime: &tokio::runtime::Runtime) {
    loop {
        app.settle(Instant::now());
        let asked = app.take_effects().into_iter().filter_map(|effect| match effect {
            Effect::Send(command) => handle.commands.send(command).ok(),
            _ => None,
        });
        let mut patience = Duration::from_millis(if asked.count() > 0 { 5_000 } else { 60 });
        let mut told = false;
        while let Ok(Some(notice)) =
            runtime.block_on(async { tokio::time::timeout(patience, handle.notices.recv()).await })
        {
            (told, patience) = (true, Duration::from_millis(60));
            app.notice(notice);
        }
        if !told {
            return;
        }
    }
}

#[test]
fn what_a_decision_was_about_is_beside_it_in_every_example() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let _inside = runtime.enter();
    let folder = tempfile::tempdir().unwrap();
    let config = configuration(folder.path());
    for (name, wanted) in [
        ("kitchen", "What blocks"),
        ("table", "The belief"),
        ("reprompt", "admissible steps"),
        ("reprompt-mixed", "What blocks"),
        ("algorithm-1", "The program so far"),
        ("by-hand", "The program so far"),
        ("dialogue", "The program so far"),
    ] {
        let request = OpenRequest::Example(name.to_owned());
        let mut handle = open_to_read(&request, &config, &stepwright::worlds::sources()).unwrap();
        let mut app = app(false);
        app.show_in(Manner { read_only: true, presents: true, ..Manner::default() }, None);
        settled(&mut app, &mut handle, &runtime);
        assert_eq!(app.dialog().as_deref(), Some("Presenter's view"), "{name}");
        press(&mut app, &[KeyCode::Char('g')]);
        let records = app.view.records.len();
        let decisions = app.view.session.as_ref().unwrap().line().len() - 1;
        for decision in 1..=decisions {
            press(&mut app, &[KeyCode::Right]);
            settled(&mut app, &mut handle, &runtime);
            let text = screen(&mut app, 120, 40);
            assert!(text.contains(&format!("Decision {decision} of {decisions}")), "{name}: {text}");
            assert!(text.contains(wanted), "{name}, decision {decision}: {text}");
        }
        assert_eq!(app.view.records.len(), records, "{name}: a review leaves no record");
    }
}
