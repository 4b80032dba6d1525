//! Every pane, dialog and state at every size at once: what is cut, missing or crowded shows as a difference.

use std::time::Instant;

use crossterm::event::{Event as TerminalEvent, KeyCode, KeyEvent, KeyModifiers};
use serde_json::json;
use stepwright::episode::{Action, Actor, Choice, Decision, Event, StepOutcome};
use stepwright::tui::app::App;
use stepwright::tui::launcher::{Catalog, Entry, SessionEntry, WorldEntry};
use stepwright::world::TaskInfo;

use crate::support::session::Builder;
use crate::tui_screens::{app, opened, press, screen, shown};

const SIZES: [(u16, u16); 4] = [(60, 16), (80, 24), (120, 40), (200, 60)];

fn at_every_size(app: &mut App) -> String {
    let shown = SIZES.map(|(width, height)| format!("== {width}x{height}\n{}\n", screen(app, width, height)));
    shown.concat()
}

#[test]
fn every_pane_at_every_size() {
    for (number, name) in (1..)
        .zip(["program", "proposals", "preconditions", "state", "blocking", "observations", "model", "log", "skills"])
    {
        let mut app = opened(false);
        press(&mut app, &[KeyCode::F(number), KeyCode::Char('z')]);
        insta::assert_snapshot!(format!("pane_{name}"), at_every_size(&mut app));
    }
}

/// The key that opens each dialog, from Proposals.
const DIALOGS: [(&str, char); 14] = [
    ("edit", 'e'),
    ("reject", 'x'),
    ("manual", 'm'),
    ("policy", 'p'),
    ("breakpoints", 'B'),
    ("note", 'c'),
    ("tree", 't'),
    ("palette", ':'),
    ("help", '?'),
    ("theme", 'T'),
    ("message", '!'),
    ("presenter", 'V'),
    ("compare", 'C'),
    ("export", 'E'),
];

fn with_dialog(key: char) -> App {
    let mut app = opened(false);
    let (code, modifiers) = match key {
        'E' => (KeyCode::Char('e'), KeyModifiers::CONTROL),
        key => (KeyCode::Char(key), KeyModifiers::NONE),
    };
    app.terminal(TerminalEvent::Key(KeyEvent::new(code, modifiers)), Instant::now());
    app.settle(Instant::now());
    app
}

#[test]
fn every_dialog_at_every_size() {
    for (name, key) in DIALOGS {
        let mut app = with_dialog(key);
        assert!(app.dialog().is_some(), "{name}");
        insta::assert_snapshot!(format!("dialog_{name}"), at_every_size(&mut app));
    }
}

#[test]
fn a_dialog_survives_any_change_of_size_and_says_how_to_get_out() {
    for (name, key) in DIALOGS {
        let mut app = with_dialog(key);
        let before = screen(&mut app, 120, 40);
        for (width, height) in [(1, 1), (20, 3), (40, 10), (60, 16), (200, 60), (41, 11)] {
            let text = screen(&mut app, width, height);
            let footer = text.lines().last().unwrap_or_default();
            assert!(width < 40 || footer.contains("Esc "), "{name} at {width}x{height}: {text}");
        }
        assert_eq!(screen(&mut app, 120, 40), before, "{name}: as it was before");
        press(&mut app, &[KeyCode::Esc]);
        assert_eq!(app.dialog(), None, "{name}");
    }
}

#[test]
fn every_state_of_a_session_at_every_size() {
    let mut blind = Builder::default();
    blind.push(Event::BlindSet { blind: true }).propose();
    insta::assert_snapshot!("session_blind", at_every_size(&mut shown(&blind)));

    let mut looked_back = Builder::default();
    looked_back.propose().step().propose().step().push(Event::Noted { text: "why not the shelf?".into() }).go(1);
    insta::assert_snapshot!("session_looked_back", at_every_size(&mut shown(&looked_back)));

    insta::assert_snapshot!("session_nothing_offered", at_every_size(&mut shown(&Builder::default())));

    let mut over = Builder::default();
    over.propose();
    let decision =
        Decision { id: 1, choice: Choice::Approve { proposal: 1 }, by: Actor::Person, why: "the last one".into() };
    over.push(Event::Decided { decision: decision.into() }).push(Event::Executed {
        decision: 1,
        child: 1,
        action: Action::new("go to desk 1", Some("agent.goto('desk 1')".into())).into(),
        outcome: StepOutcome { observation: "You are there.".into(), done: true, won: true, ..StepOutcome::default() }
            .into(),
        changes: json!([]).into(),
    });
    let mut app = app(false);
    app.notice(over.opened());
    app.settle(Instant::now());
    let text = at_every_size(&mut app);
    assert!(text.contains("the episode is over") || text.contains("The episode is over"), "{text}");
    assert!(text.contains("V presenter's view") && text.contains("Ctrl-E export"), "what comes next is named: {text}");
    insta::assert_snapshot!("session_over", text);
}

fn full_catalog() -> Catalog {
    let task = |n: usize| TaskInfo {
        id: format!("shipped/task-{n}"),
        kind: "pick_and_place_simple".into(),
        sentence: format!("put some thing {n} on the coffeetable that stands beside the armchair."),
        source: "shipped".into(),
    };
    let entry = |name: &str| Entry {
        name: name.into(),
        about: "what it is and what it is good for, in a line".into(),
        ..Entry::default()
    };
    Catalog {
        worlds: ["household", "dialogue", "kitchen", "table", "shop", "graph"]
            .map(|name| WorldEntry {
                name: name.into(),
                about: "what one finds in it".into(),
                tasks: (0..30).map(task).collect(),
                ..WorldEntry::default()
            })
            .into(),
        methods: (1..=17).map(|n| entry(&format!("method-of-number-{n}"))).collect(),
        models: vec![entry("symbolic"), entry("small")],
        sessions: (1..=12)
            .map(|n| SessionEntry {
                path: format!("session-{n}").into(),
                title: format!("session {n}"),
                detail: "how it was left".into(),
                shipped: n > 4,
            })
            .collect(),
        ..Catalog::default()
    }
}

#[test]
fn every_list_of_the_start_screen_can_be_worked_in_at_every_size() {
    let names = ["tasks", "sessions", "worlds", "methods", "models"];
    for (at, name) in names.into_iter().enumerate() {
        let mut app = app(false);
        app.catalog(full_catalog());
        press(&mut app, &vec![KeyCode::Tab; at]);
        insta::assert_snapshot!(format!("start_{name}"), at_every_size(&mut app));
    }
    // The marked row of the list in focus is in sight down to the smallest screen.
    for (at, marked) in ["put some thing 2", "session 3", "kitc", "method-of-n", "small"].into_iter().enumerate() {
        let mut app = app(false);
        app.catalog(full_catalog());
        press(&mut app, &vec![KeyCode::Tab; at]);
        press(&mut app, &[KeyCode::Down, KeyCode::Down]);
        let text = screen(&mut app, 40, 10);
        assert!(text.contains(marked), "{marked}: {text}");
    }
}
