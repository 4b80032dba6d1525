//! Registry of worlds: what a kind declares is what its worlds do; a world of one file is played by everything, from a list.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::{Event as Key, KeyCode, KeyEvent};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use stepwright::cli::Launch;
use stepwright::config::{Config, Overrides, load_with};
use stepwright::driver::{Handle, NewSession, Notice, Source};
use stepwright::episode::log;
use stepwright::export::{Format, render};
use stepwright::methods::METHODS;
use stepwright::program::Specification;
use stepwright::study::run::{Run, RunResult};
use stepwright::study::runner::{Opening, SessionFolder, Study, episode};
use stepwright::tui::app::{App, Effect, Parts};
use stepwright::tui::keymap::Keymap;
use stepwright::tui::launcher::Launcher;
use stepwright::tui::theme::{Theme, UNICODE};
use stepwright::world::{Ability, OpenSpec, Sources, WorldKind, refusal, state_form};
use stepwright::worlds::WORLDS;
use tokio_util::sync::CancellationToken;

use crate::support::driver::Scripted;
use crate::support::toy_world::KIND;

fn configuration(folder: &std::path::Path) -> Config {
    configured(folder, &[])
}

fn configured(folder: &std::path::Path, settings: &[(&str, &str)]) -> Config {
    let mut overrides = Overrides { config_dir: Some(folder.join("config")), ..Overrides::default() };
    settings.iter().for_each(|(setting, value)| overrides.set(setting, "--set", Some(*value)));
    let state = folder.join("state").display().to_string();
    load_with(&overrides, &METHODS, &|name| (name == "STEPWRIGHT_STATE_DIR").then(|| state.clone())).unwrap()
}

/// The abilities that the first task of a world shows once it is reset.
fn shown(kind: &WorldKind, sources: &Sources) -> Vec<Ability> {
    let options = Default::default();
    let opened = sources.open(&OpenSpec { world: kind.name, data: None, options: &options, task: "" }).unwrap();
    let mut world = opened.world;
    assert!(!world.kind().about.is_empty() && world.kind() == kind);
    Specification::load(&world.specification(), "spec.py").unwrap();
    world.reset(&opened.task, 0).unwrap();
    let text = world.admissible().as_ref().and_then(|all| all.first().cloned()).unwrap_or("noop()".into());
    let has = |ability| match ability {
        Ability::Admissible => world.admissible().is_some(),
        Ability::Preview => world.preview(&text).is_some(),
        Ability::Facts => world.symbols().is_some(),
        Ability::Things => world.symbols().is_some_and(|s| s.things().is_some()),
        Ability::Planning => {
            kind.file("domain.toml").is_some_and(|file| stepwright::blocking::Domain::pddl(file.text).is_ok())
        }
        Ability::Plans => kind.file("plans.txt").is_some(),
        Ability::Blocking => kind.file("domain.toml").is_some(),
        Ability::Belief => world.belief_form().or_else(|| state_form::of(world.as_ref())).is_some(),
        Ability::Requests => world.requests().is_some_and(|r| r.open().is_some()),
        Ability::Reference => world.requests().is_some_and(|r| r.reference().is_some()),
        Ability::Language => world.language().is_some(),
        Ability::Picture => world.picture().is_some(),
        Ability::SkillCode => kind.file("skills.py").is_some(),
        Ability::Answers | Ability::Remote => false,
    };
    let all = [
        Ability::Admissible,
        Ability::Preview,
        Ability::Facts,
        Ability::Things,
        Ability::Planning,
        Ability::Plans,
        Ability::Blocking,
        Ability::Belief,
        Ability::Requests,
        Ability::Reference,
        Ability::Language,
        Ability::Picture,
        Ability::SkillCode,
        Ability::Remote,
    ];
    all.into_iter().filter(|ability| has(*ability)).collect()
}

#[test]
fn worlds_do_what_their_kinds_declare() {
    let sources = stepwright::worlds::sources();
    for kind in WORLDS.iter().filter(|kind| !kind.has(Ability::Remote)) {
        assert_eq!(shown(kind, &sources), kind.abilities, "{}", kind.name);
        let tasks = sources.tasks(kind.name, None).unwrap();
        let task = tasks.first().unwrap();
        let options = Default::default();
        let opened =
            sources.open(&OpenSpec { world: kind.name, data: None, options: &options, task: &task.id }).unwrap();
        let shown = sources.demonstrations(&opened, None, 0, None).unwrap();
        assert!(!shown.is_empty() && shown.iter().all(|d| d.id != task.id), "{}", kind.name);
    }
    let toys = Sources::with_kinds(&[&KIND]);
    assert_eq!(shown(&KIND, &toys), KIND.abilities);
    assert!(
        toys.tasks("household", None)
            .unwrap_err()
            .to_string()
            .contains("there is no world `household`; there is lamps")
    );
}

#[test]
fn what_is_absent_is_refused_in_one_sentence() {
    let why = refusal("ff-replan", &[Ability::Admissible, Ability::Planning], &KIND, WORLDS).unwrap();
    let wanted = "ff-replan cannot work in the world lamps: it has no planning domain; household, kitchen have";
    assert_eq!(why, wanted);
    assert_eq!(refusal("few-shot", &[Ability::Preview], &KIND, WORLDS), None);
    assert!(KIND.generate("row", 1).unwrap_err().contains("no tasks are generated for the world lamps"));
    let wrong = [("edition".to_owned(), "fly".to_owned())].into();
    let spec = OpenSpec { world: "household", data: None, options: &wrong, task: "" };
    let error = stepwright::worlds::sources().open(&spec).err().unwrap().to_string();
    assert!(error.contains("edition") && error.contains("put or move"), "{error}");
}

/// Runs every task of the lamps by a method, with a model that writes these lines if there are any: the results agree with what is won,
/// and the session of the larger row is kept.
async fn run(folder: &std::path::Path, config: Config, method: &str, lines: &'static [&'static str]) -> log::Loaded {
    let sources = Sources::with_kinds(&[&KIND]);
    let opening = Opening {
        config: Arc::new(config),
        sources: sources.clone(),
        most_actions: KIND.steps,
        sides: Vec::new(),
        sessions: Some(SessionFolder::create(&folder.join("sessions")).unwrap()),
        in_force: None,
    };
    let tasks = sources.tasks(KIND.name, None).unwrap();
    let new = NewSession {
        world: KIND.name.into(),
        method: method.into(),
        model: "symbolic".into(),
        ..NewSession::default()
    };
    Run::new(opening.clone(), new.clone(), tasks.clone(), &"0..1".parse().unwrap()).unwrap();
    let mut results = Vec::new();
    for task in &tasks {
        let (opening, one) = (opening.clone(), NewSession { task: task.id.clone(), ..new.clone() });
        let setup = move || {
            let mut setup = opening.setup(&one)?;
            opening.sessions.as_ref().map(|folder| folder.keep(&mut setup)).transpose()?;
            if !lines.is_empty() {
                setup.source = Source::Language { name: "scripted".into(), model: Scripted::lines(lines) };
            }
            Ok(setup)
        };
        let ended = episode(setup, &CancellationToken::new()).await.unwrap();
        results.push(RunResult::of(&ended, task, &new, &METHODS));
    }
    let won: Vec<(bool, u64)> = results.iter().map(|r| (r.won, r.steps as u64)).collect();
    assert_eq!(won, [(true, 2), (true, 3)], "{results:?}");
    let report = Run::report(&results, false).to_string();
    assert!(report.contains("row"), "{report}");
    log::load(&folder.join("sessions/row_3.jsonl.part")).unwrap()
}

#[tokio::test]
async fn a_world_of_one_file_is_run_and_measured() {
    let folder = tempfile::tempdir().unwrap();
    let lines = &["row.switch(2)", "row.switch(1)", "row.switch(3)"];
    let kept = run(folder.path(), configuration(folder.path()), "few-shot", lines).await;
    assert!(
        render(Format::Html, &kept.session.header, &kept.records, |kind| METHODS.showing(kind))
            .unwrap()
            .contains("Lamp 3 shines.")
    );
}

/// The workbench over a launcher, without a terminal.
struct Workbench {
    app: App,
    launch: Launch,
    driver: Option<Handle>,
    notices: Vec<Notice>,
}

impl Workbench {
    /// Presses a key, and has everything carried out that it leads to.
    fn press(&mut self, code: KeyCode) {
        self.app.terminal(Key::Key(KeyEvent::from(code)), Instant::now());
        self.settle();
    }

    fn settle(&mut self) {
        let quiet = Instant::now() + Duration::from_millis(300);
        while Instant::now() < quiet {
            self.app.settle(Instant::now());
            for effect in self.app.take_effects() {
                match effect {
                    Effect::Catalog => self.app.catalog(self.launch.catalog()),
                    Effect::Begin(choice) => self.driver = Some(self.launch.start(&choice).unwrap()),
                    Effect::Send(command) => self.driver.as_ref().unwrap().commands.send(command).unwrap(),
                    _ => {}
                }
            }
            while let Some(notice) = self.driver.as_mut().and_then(|d| d.notices.try_recv().ok()) {
                self.notices.push(notice.clone());
                self.app.notice(notice);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn screen(&mut self) -> String {
        let mut terminal = Terminal::new(TestBackend::new(120, 40)).unwrap();
        terminal.draw(|frame| self.app.draw(frame)).unwrap();
        let cells = terminal.backend().buffer().content.chunks(120);
        cells.map(|row| row.iter().map(|c| c.symbol()).collect::<String>() + "\n").collect()
    }
}

#[test]
fn a_world_of_one_file_is_played_in_the_workbench_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let launch = Launch::new(configuration(folder.path()), None).unwrap().with_sources(Sources::with_kinds(&[&KIND]));
    let themes = vec![Theme::monochrome(UNICODE)];
    let parts = Parts {
        panes: stepwright::tui::panes::all(),
        keymap: Keymap::default(),
        themes,
        worlds: stepwright::worlds::WORLDS.into(),
        methods: &METHODS,
    };
    let mut bench = Workbench { app: App::new(parts), launch, driver: None, notices: Vec::new() };
    bench.settle();
    assert!(bench.screen().contains("lamps") && bench.screen().contains("switch 2 lamps on."), "{}", bench.screen());
    bench.press(KeyCode::Enter);
    bench.press(KeyCode::F(6));
    assert!(bench.screen().contains("It is dark."), "{}", bench.screen());
    for lamp in ['1', '2'] {
        bench.press(KeyCode::Char('m'));
        "switch ".chars().chain([lamp]).for_each(|c| bench.press(KeyCode::Char(c)));
        bench.press(KeyCode::Enter);
    }
    assert!(bench.screen().contains("Lamp 2 shines."), "{}", bench.screen());
    let records: Vec<_> = bench
        .notices
        .iter()
        .filter_map(|n| match n {
            Notice::Recorded(record) => Some((**record).clone()),
            _ => None,
        })
        .collect();
    let header = bench
        .notices
        .iter()
        .find_map(|n| match n {
            Notice::Opened { session, .. } => Some(session.header.clone()),
            _ => None,
        })
        .unwrap();
    assert_eq!((header.world.as_str(), header.task.as_str()), ("lamps", "row/2"));
    let text = render(Format::Text, &header, &records, |kind| METHODS.showing(kind)).unwrap();
    assert!(
        text.contains("Lamp 2 shines.")
            && render(Format::Html, &header, &records, |kind| METHODS.showing(kind)).is_ok(),
        "{text}"
    );
}

/// The settings that name the method of one file as the one to begin with.
fn toy_method() -> [(&'static str, &'static str); 2] {
    let command = concat!("python3 ", env!("CARGO_MANIFEST_DIR"), "/python/stepwright/examples/toy_method.py");
    [("methods.toy.command", command), ("method.method", "external:toy")]
}

#[tokio::test]
async fn a_world_and_a_method_of_one_file_each_are_run_together() {
    let folder = tempfile::tempdir().unwrap();
    let kept = run(folder.path(), configured(folder.path(), &toy_method()), "external:toy", &[]).await;
    let page = render(Format::Text, &kept.session.header, &kept.records, |kind| METHODS.showing(kind)).unwrap();
    assert!(page.contains("external:toy") && page.contains("Lamp 1 shines."), "{page}");
}

#[test]
fn a_world_and_a_method_of_one_file_each_meet_in_the_workbench() {
    let folder = tempfile::tempdir().unwrap();
    let config = configured(folder.path(), &toy_method());
    let launch = Launch::new(config, None).unwrap().with_sources(Sources::with_kinds(&[&KIND]));
    let themes = vec![Theme::monochrome(UNICODE)];
    let parts = Parts {
        panes: stepwright::tui::panes::all(),
        keymap: Keymap::default(),
        themes,
        worlds: stepwright::worlds::WORLDS.into(),
        methods: &METHODS,
    };
    let mut bench = Workbench { app: App::new(parts), launch, driver: None, notices: Vec::new() };
    bench.settle();
    assert!(bench.screen().contains("external:toy"), "{}", bench.screen());
    bench.press(KeyCode::Enter);
    bench.press(KeyCode::F(6));
    for shines in ["Lamp 2 shines.", "Lamp 1 shines."] {
        let waits = Instant::now() + Duration::from_secs(20);
        while !bench.screen().contains("the first that is offered") && Instant::now() < waits {
            bench.settle();
        }
        bench.press(KeyCode::Char('a'));
        bench.settle();
        assert!(bench.screen().contains(shines), "{}", bench.screen());
    }
}
