use crossterm::event::{KeyCode, KeyEvent};

use super::*;
use crate::dialog::compare::Compare;
use crate::launcher::SessionEntry;
use stepwright_episode::{FORMAT_VERSION, Header};

fn opened() -> App {
    let parts = Parts { panes: Vec::new(), keymap: Keymap::default(), themes: Vec::new(), worlds: Default::default() };
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
