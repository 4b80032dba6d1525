use std::cell::Cell;
use std::rc::Rc;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::backend::TestBackend;

use super::*;
use crate::dialog::compare::Compare;
use crate::launcher::SessionEntry;
use crate::pane::{PANES, PaneAction, Wants};
use crate::theme::Theme;
use crate::widgets::draw::Painter;
use crate::widgets::outline::Outline;
use stepwright_episode::{FORMAT_VERSION, Header};

fn opened() -> App {
    opened_with(Vec::new())
}

fn opened_with(panes: Vec<Box<dyn Pane>>) -> App {
    let parts = Parts {
        panes,
        keymap: Keymap::default(),
        themes: Vec::new(),
        worlds: Default::default(),
        methods: Default::default(),
    };
    let mut app = App::new(parts);
    let header = Header { stepwright: "session".into(), version: FORMAT_VERSION, ..Header::default() };
    app.notice(Notice::opened(header, Vec::new(), Some("own.jsonl".into())).unwrap());
    app.take_effects();
    app
}

fn press(app: &mut App, code: KeyCode) -> Vec<Effect> {
    app.terminal(Event::Key(KeyEvent::from(code)), Instant::now());
    app.take_effects()
}

fn sessions(names: &[&str]) -> Catalog {
    let entry = |name: &&str| SessionEntry { path: name.into(), title: (*name).to_owned(), ..SessionEntry::default() };
    Catalog { sessions: names.iter().map(entry).collect(), ..Catalog::default() }
}

#[test]
fn a_session_to_compare_with_is_one_of_those_there_are_now() {
    let mut app = opened();
    app.catalog(sessions(&["gone.jsonl"]));
    app.open(Compare::default());
    let comparison = app.dialog();
    assert_eq!(press(&mut app, KeyCode::Char('+')), [Effect::Catalog]);
    assert_eq!(app.dialog(), comparison, "they are read first");
    app.catalog(sessions(&["own.jsonl", "new.jsonl"]));
    assert_eq!(app.dialog().as_deref(), Some("Compare with"));
    assert_eq!(
        press(&mut app, KeyCode::Enter),
        [Effect::Load("new.jsonl".into())],
        "and the one shown is none of them"
    );
    press(&mut app, KeyCode::Char('+'));
    app.catalog(sessions(&["own.jsonl"]));
    assert_eq!(app.dialog(), comparison);
    assert_eq!(app.view.message, Some((Level::Info, "There is no other session yet".to_owned())));
    press(&mut app, KeyCode::Char('+'));
    app.close_all();
    app.catalog(sessions(&["new.jsonl"]));
    assert_eq!(app.dialog(), None, "the comparison was left meanwhile");
}

#[test]
fn what_was_said_goes_once_a_dialog_sends_the_next_command() {
    let mut app = opened();
    let said = Some((Level::Warning, "this branch is the one you are on".to_owned()));
    app.view.message.clone_from(&said);
    app.replies(0, vec![Reply::Send(Command::Look { node: 0 })], Instant::now());
    assert_eq!(app.view.message, said, "looking is no command of the person");
    app.replies(0, vec![Reply::Send(Command::Gate(Request::Undo))], Instant::now());
    assert_eq!(app.view.message, None);
}

/// Proposals that have so many rows.
struct Rows(Rc<Cell<usize>>, Outline);

impl Pane for Rows {
    fn id(&self) -> PaneId {
        PaneId::Proposals
    }

    fn update(&mut self, _: &View) -> Vec<Intent> {
        Vec::new()
    }

    fn draw(&mut self, _: &View, _: &mut Painter<'_>, _: Rect) {}

    fn wants(&mut self, _: &View, _: &Theme, _: u16) -> Wants {
        Wants::exactly(self.0.get())
    }

    fn outline(&self) -> &Outline {
        &self.1
    }

    fn outline_mut(&mut self) -> &mut Outline {
        &mut self.1
    }

    fn len(&self, _: &View) -> usize {
        self.0.get()
    }

    fn row_text(&self, _: usize, _: &View) -> String {
        String::new()
    }

    fn actions(&self, _: &View) -> Vec<(PaneAction, &'static str)> {
        Vec::new()
    }

    fn act(&mut self, _: PaneAction, _: &View) -> Vec<Intent> {
        Vec::new()
    }
}

#[test]
fn rows_kept_for_a_pane_are_those_it_had_since_the_first_key() {
    let rows = Rc::new(Cell::new(9));
    let mut app = opened_with(vec![Box::new(Rows(Rc::clone(&rows), Outline::default()))]);
    let mut terminal = ratatui::Terminal::new(TestBackend::new(120, 40)).unwrap();
    let mut kept = |app: &mut App, now: usize| {
        rows.set(now);
        terminal.draw(|frame| app.draw(frame)).unwrap();
        let at = PANES.iter().position(|pane| *pane == PaneId::Proposals).unwrap();
        app.layout.wants[at].needs.unwrap()
    };
    assert_eq!(kept(&mut app, 9), 9);
    assert_eq!(kept(&mut app, 4), 4, "what was there before it had all that it waits for leaves nothing behind");
    press(&mut app, KeyCode::Down);
    assert_eq!(kept(&mut app, 7), 7);
    assert_eq!(kept(&mut app, 3), 7, "nothing moves while one looks through rows");
}

#[test]
fn a_file_that_cannot_be_written_is_asked_for_again_by_the_name_that_was_typed() {
    let pane = Rows(Rc::new(Cell::new(1)), Outline::default());
    let mut app = opened_with(vec![Box::new(pane)]);
    let (form, target) = (ExportForm::Html, PathBuf::from("full/page.html"));
    let title = "Write the session out";
    app.replies(0, vec![Reply::Export(form, target)], Instant::now());
    app.exported(Err("full/page.html: no space is left".to_owned()));
    assert_eq!(app.dialog().as_deref(), Some(title));
    let shown = {
        let mut terminal = ratatui::Terminal::new(TestBackend::new(120, 40)).unwrap();
        terminal.draw(|frame| app.draw(frame)).unwrap();
        terminal.backend().to_string()
    };
    assert!(shown.contains("full/page.html: no space is left"), "{shown}");
    app.close_all();
    app.exported(Err("of what was asked for before".to_owned()));
    assert_eq!(app.dialog(), None);
    // What the driver writes it tells of.
    let command = Command::Candidates(CandidateCommand::SaveSet("full/own.py".into()));
    app.replies(0, vec![Reply::Send(command)], Instant::now());
    let mut say = |text: &str| {
        app.notice(Notice::Say { level: Level::Error, text: text.to_owned() });
        app.dialog()
    };
    assert_eq!(say("something else failed"), None);
    assert_eq!(say("full/own.py: no space is left").as_deref(), Some("Write what is in force to a file"));
    // So is one that is refused when it is read.
    app.close_all();
    let (left, right) = (SetSource::InForce, SetSource::File("own.py".into()));
    let command = Command::Candidates(CandidateCommand::Compare { token: 1, left, right });
    app.replies(0, vec![Reply::Send(command)], Instant::now());
    app.notice(Notice::Say { level: Level::Error, text: "own.py:2: `x` is no effect".to_owned() });
    assert_eq!(app.dialog().as_deref(), Some("Read a file of preconditions"));
}
