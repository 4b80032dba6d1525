//! Screens as a person sees them; every pane, dialog and state at every size is in `tui_sizes`; with the real panes over a made-up session.
//!
//! `INSTA_UPDATE=always cargo test --test screens tui_screens` writes the snapshots again; look at the difference before keeping it.

use std::time::Instant;

use crate::support::session;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use stepwright::driver::{Command, Notice, ProcessStatus, Request};
use stepwright::episode::{Configuration, Event as Recorded};
use stepwright::methods::METHODS;
use stepwright::tui::app::{App, Effect, Parts};
use stepwright::tui::color::Depth;
use stepwright::tui::keymap::Keymap;
use stepwright::tui::launcher::{Catalog, Entry, SessionEntry, WorldEntry};
use stepwright::tui::theme_file::{self, Wanted};
use stepwright::world::TaskInfo;

pub fn app(ascii: bool) -> App {
    let wanted = Wanted { folder: None, name: Some("monochrome"), ascii, depth: Depth::None };
    let (themes, _) = theme_file::load(wanted).unwrap();
    App::new(Parts {
        panes: stepwright::tui::panes::all(),
        keymap: Keymap::default(),
        themes,
        worlds: stepwright::worlds::WORLDS.into(),
        methods: &METHODS,
    })
}

/// A session of two steps and a branch, waiting at the gate.
pub fn opened(ascii: bool) -> App {
    let mut builder = session::Builder::default();
    builder.propose().step().propose().step().go(1).propose().step().propose();
    filled(app(ascii), &builder)
}

/// A session as it was recorded so far, with the situation at its cursor.
pub fn shown(builder: &session::Builder) -> App {
    filled(app(false), builder)
}

fn filled(mut app: App, builder: &session::Builder) -> App {
    app.notice(builder.opened());
    app.notice(builder.situation());
    app.settle(Instant::now());
    app
}

pub fn press(app: &mut App, keys: &[KeyCode]) {
    for code in keys {
        app.terminal(Event::Key(KeyEvent::new(*code, KeyModifiers::NONE)), Instant::now());
        app.settle(Instant::now());
    }
}

pub fn screen(app: &mut App, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| app.draw(frame)).unwrap();
    let buffer = terminal.backend().buffer();
    let rows = buffer.content.chunks(usize::from(width));
    rows.map(|row| row.iter().map(|c| c.symbol()).collect::<String>().trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn the_workbench_at_every_size() {
    for (width, height) in [(60, 16), (80, 24), (120, 40), (200, 60)] {
        insta::assert_snapshot!(format!("workbench_{width}x{height}"), screen(&mut opened(false), width, height));
    }
}

#[test]
fn a_world_that_ended_is_seen_on_any_screen_until_it_is_put_away() {
    let ended = |ascii| {
        let mut app = opened(ascii);
        app.notice(Notice::World(ProcessStatus::Working("step 3: `go to desk 1`".into())));
        assert!(screen(&mut app, 80, 24).contains("the world is working: step 3: `go to desk 1`"));
        let last_words =
            ["Traceback (most recent call last):", "", "  File \"adapter.py\", line 3", "KeyError: \u{1b}[31m'desk'"];
        app.notice(Notice::World(ProcessStatus::Dead {
            what: "ended before step 3 was answered (exit status: 1)".into(),
            last_words: last_words.map(str::to_owned).to_vec(),
        }));
        app.settle(Instant::now());
        app
    };
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        insta::assert_snapshot!(format!("world_ended_{width}x{height}"), screen(&mut ended(false), width, height));
    }
    assert!(screen(&mut ended(true), 120, 40).is_ascii());
    let mut app = ended(false);
    press(&mut app, &[KeyCode::Esc]);
    let text = screen(&mut app, 120, 40);
    assert!(!text.contains("KeyError") && text.contains("the world has ended"), "{text}");
    app.take_effects();
    press(&mut app, &[KeyCode::Char('R')]);
    assert_eq!(app.take_effects(), [Effect::Send(Command::RestartWorld)]);
    app.notice(Notice::World(ProcessStatus::Ready));
    assert!(!screen(&mut app, 120, 40).contains("the world has ended"));
    // Worlds of the program itself have nothing to restart.
    let mut app = opened(false);
    app.take_effects();
    press(&mut app, &[KeyCode::Char('R')]);
    assert_eq!(app.take_effects(), []);
    assert!(screen(&mut app, 120, 40).contains("nothing to restart"));
}

#[test]
fn another_pane_on_a_small_screen_keeps_the_choice_in_sight() {
    let mut app = opened(false);
    press(&mut app, &[KeyCode::F(1)]);
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("1/3 go to desk 1"), "{text}");
    insta::assert_snapshot!("program_80x24", text);
}

#[test]
fn ascii_alone_is_enough() {
    let text = screen(&mut opened(true), 120, 40);
    assert!(text.is_ascii(), "{text}");
    insta::assert_snapshot!("ascii_120x40", text);
}

#[test]
fn the_configure_dialog_shows_models_methods_and_options() {
    let mut app = opened(false);
    let entry = |name: &str, suggests: Option<&str>| Entry {
        name: name.into(),
        about: "what it is".into(),
        unavailable: None,
        suggests: suggests.map(str::to_owned),
        ..Entry::default()
    };
    app.catalog(Catalog {
        methods: ["precondition-aware", "few-shot", "scored"]
            .map(|name| Entry { method: METHODS.named(name).map(|m| m.info()), ..entry(name, None) })
            .into(),
        models: vec![entry("symbolic", Some("precondition-aware")), entry("small", Some("scored"))],
        ..Catalog::default()
    });
    press(&mut app, &[KeyCode::Char('M'), KeyCode::Down]);
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("scored suits small better"), "{text}");
    press(&mut app, &[KeyCode::Tab, KeyCode::Down, KeyCode::Down, KeyCode::Tab, KeyCode::Left]);
    press(&mut app, &[KeyCode::Down, KeyCode::Right, KeyCode::Down, KeyCode::Left]);
    insta::assert_snapshot!("dialog_configure_80x24", screen(&mut app, 80, 24));
    press(&mut app, &[KeyCode::Enter]);
    let sent = app.take_effects();
    let options: std::collections::BTreeMap<String, String> = [
        ("shots", "2"),
        ("think", "true"),
        ("assertions", "hidden"),
        ("likelihood", "mean"),
        ("belief", "off"),
        ("blocking", "off"),
    ]
    .map(|(k, v)| (k.into(), v.into()))
    .into();
    let wanted = Configuration { model: "small".into(), method: "scored".into(), options };
    assert!(sent.contains(&Effect::Send(Command::Gate(Request::Configure(wanted.clone())))), "{sent:?}");
}

#[test]
fn each_role_of_a_method_has_a_model_to_choose_and_to_take_back() {
    let entry = |name: &str| Entry { name: name.into(), about: "what it is".into(), ..Entry::default() };
    let catalog = Catalog {
        methods: ["statler", "few-shot"]
            .map(|name| Entry { method: METHODS.named(name).map(|m| m.info()), ..entry(name) })
            .into(),
        models: vec![entry("large"), entry("small")],
        ..Catalog::default()
    };
    let chosen = |named: &[(&str, &str)], keys: &[KeyCode], shot: Option<&str>| {
        let mut builder = session::Builder::default();
        let options = named.iter().map(|(key, name)| ((*key).to_owned(), (*name).to_owned())).collect();
        let now = Configuration { model: "large".into(), method: "statler".into(), options };
        builder.propose().push(Recorded::Configured(now));
        let mut app = shown(&builder);
        app.catalog(catalog.clone());
        press(&mut app, &[KeyCode::Char('M'), KeyCode::Tab, KeyCode::Tab, KeyCode::End]);
        press(&mut app, keys);
        for (width, height) in shot.iter().flat_map(|_| [(80, 24), (120, 40), (200, 60)]) {
            let name = format!("{}_{width}x{height}", shot.unwrap_or_default());
            insta::assert_snapshot!(name, screen(&mut app, width, height));
        }
        app.take_effects();
        press(&mut app, &[KeyCode::Enter]);
        let sent = app.take_effects().into_iter().find_map(|effect| match effect {
            Effect::Send(Command::Gate(Request::Configure(wanted))) => Some(wanted.options),
            _ => None,
        });
        let models = sent.unwrap().into_iter().filter(|(key, _)| key.starts_with("model."));
        models.map(|(key, name)| format!("{key}={name}")).collect::<Vec<_>>()
    };
    // The last row is the discoverer's, above it the writer's.
    let to_writer = [KeyCode::Up, KeyCode::Right, KeyCode::Right];
    assert_eq!(chosen(&[], &to_writer, Some("dialog_configure_roles")), ["model.writer=small"]);
    assert_eq!(chosen(&[("model.writer", "small")], &[KeyCode::Up, KeyCode::Right], None), ["model.writer="]);
    assert_eq!(chosen(&[("model.writer", "small")], &[], None), ["model.writer=small"]);
}

#[test]
fn work_under_way_is_shown_with_the_key_that_stops_it() {
    let mut app = opened(false);
    app.notice(Notice::Progress { what: "validating take".into(), done: 20, total: 300 });
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("validating take 20 of 300; Esc stops it") && text.contains("Esc stop"), "{text}");
}

#[test]
fn a_screen_too_small_says_so() {
    insta::assert_snapshot!("too_small_30x5", screen(&mut opened(false), 30, 5));
}

#[test]
fn the_start_screen() {
    let task = |id: &str, kind: &str, sentence: &str| TaskInfo {
        id: id.into(),
        kind: kind.into(),
        sentence: sentence.into(),
        source: "shipped".into(),
    };
    let entry = |name: &str, about: &str, unavailable: Option<&str>| Entry {
        name: name.into(),
        about: about.into(),
        unavailable: unavailable.map(str::to_owned),
        ..Entry::default()
    };
    let catalog = Catalog {
        worlds: vec![WorldEntry {
            name: "household".into(),
            about: "rooms and objects".into(),
            tasks: vec![
                task("t1", "pick_and_place_simple", "put a mug in desk"),
                task("t2", "pick_heat_then_place_in_recep", "heat an egg and put it in fridge"),
            ],
            ..WorldEntry::default()
        }],
        methods: vec![entry("precondition-aware", "Algorithm 1", None), entry("few-shot", "the baseline", None)],
        models: vec![entry("symbolic", "no language model", None), entry("gpt", "", Some("set OPENAI_API_KEY"))],
        sessions: vec![SessionEntry {
            path: "example:solved".into(),
            title: "solved".into(),
            detail: "an episode to its end".into(),
            shipped: true,
        }],
        ..Catalog::default()
    };
    for (width, height) in [(60, 16), (80, 24), (120, 40), (200, 60)] {
        let mut app = app(false);
        app.catalog(catalog.clone());
        insta::assert_snapshot!(format!("start_{width}x{height}"), screen(&mut app, width, height));
    }
}
