//! Keys in, commands and screens out: the workbench without a terminal, for scripts of keys and for what a script does not show.

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;
use stepwright::driver::{CandidateCommand, Command, Level, Notice, Request, SetSource};
use stepwright::episode::{Actor, Assertions, Policy};
use stepwright::methods::METHODS;
use stepwright::precondition::{Candidate, CandidateOrigin, Pool, Validity};
use stepwright::tui::app::{App, Effect, Parts};
use stepwright::tui::keymap::Keymap;
use stepwright::tui::launcher::{Catalog, Entry, SessionEntry, WorldEntry};
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
        let mut app = App::new(Parts {
            panes,
            keymap: Keymap::default(),
            themes,
            worlds: stepwright::worlds::WORLDS.into(),
            methods: &METHODS,
        });
        assert_eq!(app.take_effects(), vec![Effect::Catalog]);
        Bench { app, now: Instant::now() }
    }

    /// The same with the program's own panes, after these notices.
    pub(crate) fn over(notices: Vec<Notice>) -> Self {
        Bench::bound(Keymap::default(), notices)
    }

    /// The same with these keys.
    fn bound(keymap: Keymap, notices: Vec<Notice>) -> Self {
        let themes = vec![Theme::monochrome(UNICODE)];
        let parts = Parts {
            panes: stepwright::tui::panes::all(),
            keymap,
            themes,
            worlds: stepwright::worlds::WORLDS.into(),
            methods: &METHODS,
        };
        let mut bench = Bench { app: App::new(parts), now: Instant::now() };
        notices.into_iter().for_each(|notice| bench.app.notice(notice));
        bench.app.settle(bench.now);
        bench.app.take_effects();
        bench
    }

    /// The same over a session of two steps with candidates for `goto`.
    pub(crate) fn with_panes() -> Self {
        let mut notices = session(2);
        notices.push(Notice::Pool(std::sync::Arc::new(candidates())));
        Bench::over(notices)
    }

    /// The commands but for those that only look.
    pub(crate) fn wishes(&mut self) -> Vec<Command> {
        let looks = |c: &Command| {
            matches!(
                c,
                Command::Candidates(CandidateCommand::Try { .. }) | Command::Library(_) | Command::Explain { .. }
            )
        };
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

    pub(crate) fn commands(&mut self) -> Vec<Command> {
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
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "space" => KeyCode::Char(' '),
        one => KeyCode::Char(one.chars().next().unwrap()),
    };
    KeyEvent::new(code, modifiers)
}

/// What the start screen lists: `plain`, or with a local model whose weights are not here (`local`) or are (`here`), a model that a method
/// suits (`suited`), two worlds of which one suggests a method (`worlds`), tasks that read alike (`alike`).
pub(crate) fn catalog(which: &str) -> Catalog {
    let coffee = "Make coffee: switch the machine on and stand a mug in it, whatever room it may be in.";
    let tasks = match which {
        "alike" => [("galley/coffee", coffee), ("corner/coffee", coffee)],
        _ => [("t1", "put a mug in desk"), ("t2", "heat an egg and put it in fridge")],
    };
    let task = |(id, sentence): (&str, &str)| TaskInfo {
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
    let household = WorldEntry {
        name: "household".into(),
        about: "rooms".into(),
        tasks: tasks.map(task).into(),
        ..WorldEntry::default()
    };
    let session = |name: &str, shipped| SessionEntry {
        path: format!("/x/{name}.jsonl").into(),
        title: name.into(),
        detail: String::new(),
        shipped,
    };
    let mut catalog = Catalog {
        worlds: vec![household.clone()],
        methods: vec![entry("preconditions", None), entry("few-shot", None)],
        models: vec![entry("gpt", Some("set OPENAI_API_KEY")), entry("symbolic", None)],
        sessions: vec![session("one", true), session("two", false)],
        ..Catalog::default()
    };
    match which {
        "local" => {
            let absent = entry("local:smollm2", Some("not fetched yet (98 MB)"));
            catalog.models.push(Entry { fetch: Some("98 MB".into()), ..absent });
        }
        "here" => catalog.models.push(entry("local:smollm2", None)),
        "suited" => {
            catalog.methods.push(entry("scored", None));
            catalog.models.push(Entry { suggests: Some("scored".into()), ..entry("small", None) });
        }
        "worlds" => {
            catalog.worlds.push(WorldEntry { name: "kitchen".into(), suggests: Some("few-shot".into()), ..household })
        }
        _ => {}
    }
    catalog
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
        in_force: Vec::new(),
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
fn a_file_of_a_set_that_is_there_is_replaced_only_when_asked_and_read_only_where_it_is() {
    let mut bench = Bench::with_panes();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mine.preconditions.py");
    let mut named = |keys: &str, path: &std::path::Path| {
        bench.press(keys);
        bench.app.terminal(Event::Paste(path.display().to_string()), bench.now);
        bench.press("enter");
        (bench.wishes(), bench.draw(80, 24))
    };
    let save = [Command::Candidates(CandidateCommand::SaveSet(path.clone()))];
    assert_eq!(named("alt-3 W ctrl-u", &dir.path().join("mine")).0, save, "the ending is supplied");
    std::fs::write(&path, "").unwrap();
    let (wishes, screen) = named("W ctrl-u", &path);
    assert!(wishes.is_empty() && screen.contains("Enter replace"), "what is there is not replaced unasked: {screen}");
    assert_eq!(named("enter R ctrl-u", &dir.path().join("none")).0, save);
    let (wishes, _) = named("ctrl-u", &path);
    let [Command::Candidates(CandidateCommand::Compare { right: SetSource::File(file), .. })] = &wishes[..] else {
        panic!("{wishes:?}")
    };
    assert_eq!(*file, path);
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

/// World, method and model are reached in four keys at most, from the start screen and from the workbench; where a world suggests the
/// method of its paper, it is the marked one as soon as the world is.
#[test]
fn world_method_and_model_are_four_keys_away() {
    let begun = |which: &str, reach: &str, then: &str| {
        assert!(reach.split(' ').count() <= 4, "{reach}");
        let mut bench = Bench::new();
        bench.app.catalog(catalog(which));
        bench.draw(120, 40);
        bench.app.take_effects();
        bench.press(&format!("{reach} {then}").replace("none ", ""));
        let begun = bench.app.take_effects().into_iter().find_map(|effect| match effect {
            Effect::Begin(choice) => Some(choice),
            _ => None,
        });
        begun.unwrap_or_else(|| panic!("{reach}: {}", bench.draw(120, 40)))
    };
    let usual = begun("worlds", "none", "enter");
    let world = begun("worlds", "tab tab", "down enter");
    assert_eq!((world.world.as_str(), world.method.as_str()), ("kitchen", "few-shot"), "and the method it suggests");
    let method = begun("worlds", "tab tab tab", "down enter");
    assert_eq!((method.world.as_str(), method.method.as_str()), (usual.world.as_str(), "few-shot"));
    assert_eq!(begun("here", "tab tab tab tab", "down enter").model, "local:smollm2");
    let start = |keys: &str, title: &str| {
        let mut bench = Bench::with_panes();
        bench.app.catalog(catalog("here"));
        bench.draw(120, 40);
        bench.press(keys);
        assert!(bench.draw(120, 40).contains(title), "{keys}: {}", bench.draw(120, 40));
        bench
    };
    // In the workbench both are in one dialog, and the worlds are on the start screen.
    for (keys, changed) in [("M down", "local:smollm2"), ("M tab down", "few-shot")] {
        let mut bench = start(keys, "Model");
        bench.app.take_effects();
        bench.press("enter");
        let wishes = format!("{:?}", bench.wishes());
        assert!(wishes.contains("Configure") && wishes.contains(changed), "{keys}: {wishes}");
    }
    start("ctrl-o tab tab", "World");
}

/// A world whose process knows its tasks: it is asked when somebody looks at it, once, and the marked task stays marked.
#[test]
fn tasks_that_a_process_tells_are_listed_once_somebody_looks() {
    let mut bench = Bench::new();
    let mut listed = catalog("worlds");
    listed.worlds[1].asks = true;
    bench.app.catalog(listed);
    bench.draw(120, 40);
    bench.app.take_effects();
    bench.press("down");
    assert_eq!(bench.app.take_effects(), [], "nobody looked at it");
    bench.press("tab tab down");
    assert_eq!(bench.app.take_effects(), [Effect::Tell("kitchen".into())]);
    let task = |id: &str| TaskInfo {
        id: id.into(),
        kind: "told".into(),
        sentence: format!("reach {id}"),
        source: String::new(),
    };
    bench.app.told("kitchen", vec![task("nine"), task("t1"), task("ten")]);
    let screen = bench.draw(120, 40);
    assert!(screen.contains("reach nine") && screen.contains("▶ reach t1"), "{screen}");
    bench.app.told("kitchen", Vec::new());
    bench.press("up down");
    assert_eq!(bench.app.take_effects(), [], "asked once");
    assert!(bench.draw(120, 40).contains("reach ten"));
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
fn movement_of_the_mouse_draws_nothing() {
    let mut bench = Bench::open();
    bench.draw(120, 40);
    assert!(!bench.app.is_dirty());
    let moved = MouseEvent { kind: MouseEventKind::Moved, column: 3, row: 3, modifiers: KeyModifiers::NONE };
    bench.app.terminal(Event::Mouse(moved), bench.now);
    assert!(!bench.app.is_dirty());
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
        bench.app.catalog(catalog("plain"));
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
fn a_key_that_a_pane_has_too_is_not_said_to_approve_there() {
    use stepwright::tui::actions::ActionId;
    use stepwright::tui::keymap::UserKeys;
    for (key, is_said) in [("ctrl-a", false), ("ctrl-y", true)] {
        let user = UserKeys { action: "approve".into(), keys: vec![key.into()], place: String::new() };
        let mut bench = Bench::bound(Keymap::with_user(&[user]).unwrap().0, session(2));
        bench.press("alt-3");
        assert_eq!(bench.app.focus(), PaneId::Preconditions);
        let said = bench.app.hints().iter().any(|hint| hint.action == Some(ActionId::Approve));
        assert_eq!(said, is_said, "{key}");
    }
}
