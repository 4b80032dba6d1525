use super::*;
use crate::launcher::SessionEntry;

fn entry(name: &str) -> Entry {
    Entry { name: name.into(), about: "about".into(), ..Entry::default() }
}

fn catalog() -> Catalog {
    let task = |id: &str| TaskInfo { id: id.into(), sentence: id.into(), kind: "k".into(), source: String::new() };
    let world = |name: &str| WorldEntry {
        name: name.into(),
        tasks: ["one", "two"].map(|id| task(&format!("{name} {id}"))).into(),
        ..WorldEntry::default()
    };
    Catalog {
        worlds: ["household", "kitchen"].map(world).into(),
        methods: ["few-shot", "scored"].map(entry).into(),
        models: ["symbolic", "small"].map(entry).into(),
        ..Catalog::default()
    }
}

fn marked(start: &Start) -> [String; 4] {
    let Choice { world, task, method, model, .. } = start.choice().unwrap();
    [world, task, method, model]
}

#[test]
fn what_was_to_be_begun_is_marked_once_the_lists_are_there() {
    let (world, task) = ("kitchen".to_owned(), "kitchen two".to_owned());
    let choice = Choice { world, source: String::new(), task, method: "scored".into(), model: "small".into() };
    let mut start = Start::default();
    start.wish(&choice);
    start.set_catalog(catalog());
    assert_eq!(marked(&start), ["kitchen", "kitchen two", "scored", "small"]);
    start.set_catalog(catalog());
    assert_eq!(marked(&start), ["household", "household one", "few-shot", "symbolic"], "once");
    let mut start = Start::default();
    start.wish(&Choice { task: String::new(), method: "gone".into(), ..choice });
    start.set_catalog(catalog());
    assert_eq!(marked(&start), ["kitchen", "kitchen one", "few-shot", "small"]);
}

#[test]
fn sessions_are_counted_with_those_that_are_not_listed() {
    let session = |shipped| SessionEntry { path: PathBuf::new(), title: String::new(), detail: String::new(), shipped };
    let sessions = vec![session(false), session(false), session(true)];
    for (unlisted, said) in [(0, ": 2 of yours, 1 example"), (4700, ": the newest 2 of your 4,702, 1 example")] {
        let mut start = Start::default();
        start.set_catalog(Catalog { sessions: sessions.clone(), unlisted, ..Catalog::default() });
        assert_eq!(start.counted_sessions(), said);
    }
}

#[test]
fn leaving_a_search_of_a_list_puts_the_marks_back() {
    let mut start = Start::default();
    start.set_catalog(catalog());
    start.step(ActionId::StartDown);
    let before = marked(&start);
    assert_eq!(before, ["household", "household two", "few-shot", "symbolic"]);
    let wanted = [(Part::Worlds, "kit"), (Part::Methods, "sco"), (Part::Models, "small")];
    for (part, text) in wanted {
        start.focus = part as usize;
        start.act(ActionId::StartSearch);
        start.input(Input::Paste(text));
        assert_ne!(marked(&start), before, "{text}");
        assert_eq!(start.leaving(), "cancel");
        start.input(Input::Key(KeyCode::Esc.into()));
        assert_eq!((marked(&start), start.method_chosen, start.searching), (before.clone(), false, false));
    }
    start.focus = Part::Tasks as usize;
    start.act(ActionId::StartSearch);
    start.input(Input::Paste("two"));
    assert_eq!(start.leaving(), "show all");
}

#[test]
fn the_list_in_focus_has_room_on_any_screen() {
    assert_eq!(stacked([0, 7, 5], 0, 20), [8, 7, 5]);
    assert_eq!(stacked([0, 7, 5], 0, 12), [6, 3, 3]);
    assert_eq!(stacked([0, 7, 5], 2, 12), [3, 3, 6]);
    assert_eq!(stacked([0, 7, 5], 1, 7), [1, 5, 1]);
    assert_eq!(stacked([0, 3, 3], 0, 0), [0, 0, 0]);
}

#[test]
fn what_is_chosen_from_takes_the_rows_that_are_left() {
    assert_eq!(rows_of_choices(17, 30, 54), 19, "all of them");
    assert_eq!(rows_of_choices(17, 30, 33), 11, "a third of the height");
    assert_eq!(rows_of_choices(17, 30, 12), 7);
    assert_eq!(rows_of_choices(2, 0, 54), 4);
    assert_eq!(rows_of_choices(0, 0, 0), 3);
}
