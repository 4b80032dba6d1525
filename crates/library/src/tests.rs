use std::path::{Path, PathBuf};

use stepwright_episode::{BranchEdit, Event, Record, Session, log};

use super::*;

const DESK: &str = "You are in the middle of a room. Looking quickly around you, you see a desk 1, and a fridge 1.";

fn line(id: &str, success: &str, first: &str, steps: &[(&str, &str)]) -> String {
    let steps: Vec<_> =
        steps.iter().map(|(action, seen)| serde_json::json!({"action": action, "observation": seen})).collect();
    let mut log = serde_json::json!({"id": id, "env": "alfworld", "initial_observation": first, "steps": steps});
    log["success"] = serde_json::from_str(success).unwrap();
    format!("{log}\n")
}

/// Takes the mug where it sees it (a success), and a pan that it does not see (refused; a failure).
fn logs() -> String {
    let seen = "On the desk 1, you see a mug 1, and a pen 1.";
    let taken = "You pick up the mug 1 from the desk 1.";
    let good = line("good", "true", DESK, &[("go to desk 1", seen), ("take mug 1 from desk 1", taken)]);
    let bad =
        [("go to desk 1", seen), ("take pan 1 from desk 1", "Nothing happens."), ("take pen 1 from desk 1", taken)];
    let mut silent = line("silent", "null", DESK, &[("go to desk 1", seen), ("take mug 1 from desk 1", taken)]);
    silent = silent.replacen(&format!("\"observation\":{seen:?},"), "", 1).replacen(
        &format!(",\"observation\":{seen:?}"),
        "",
        1,
    );
    format!("{good}{}{silent}", line("bad", "false", DESK, &bad))
}

fn read(places: &[PathBuf], cache: &Path) -> (Library, usize) {
    let mut library = Library::new(cache.to_owned(), stepwright_worlds::WORLDS.into());
    let mut files = 0;
    library.index.refresh(places, &mut |_, _| {
        files += 1;
        true
    });
    (library, files)
}

#[test]
fn decisions_are_told_apart_by_what_became_of_them() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("run.jsonl"), logs()).unwrap();
    let (library, _) = read(&[folder.path().to_owned()], &folder.path().join(".cache"));
    let weigh = |text: &str| library.impact(Some("household"), "take", None, text).unwrap();
    // What is not seen: the pan, which the world refused.
    let visible = weigh("self.is_visible(obj)");
    assert_eq!((visible.decisions, visible.sessions, visible.untold), (4, 3, 1));
    assert_eq!((visible.stopped.refused, visible.stopped.all()), (1, 1), "{visible:?}");
    assert_eq!(
        visible.in_words(),
        "would have stopped 1 of 4 decisions in 3 sessions: 1 was a mistake (1 refused by the world); 1 cannot be told (the log does not say all that was observed before)"
    );
    let place = &visible.listed[0];
    assert_eq!((place.place().as_str(), place.action.as_str()), ("run.jsonl#1 (bad)", "take pan 1 from desk 1"));
    assert!(place.why.starts_with("it is false"), "{}", place.why);
    // A right step comes first.
    let all = weigh("obj == 'pot 1'");
    assert_eq!((all.stopped.right, all.stopped.failed, all.stopped.refused), (1, 1, 1));
    assert_eq!((all.listed[0].judged, all.listed[0].episode.as_str()), (Judged::Right, "good"));
    assert!(weigh("True").in_words().starts_with("would have stopped none of 4 decisions in 3 sessions; 1 cannot"));
    // The pen was seen at the desk. A cup that the world gave was there, though no text before had told of it.
    let given = [
        ("go to desk 1", "On the desk 1, you see a mug 1."),
        ("take cup 1 from desk 1", "You pick up the cup 1 from the desk 1."),
    ];
    std::fs::write(folder.path().join("given.jsonl"), line("given", "true", DESK, &given)).unwrap();
    let (with, _) = read(&[folder.path().to_owned()], &folder.path().join(".cache"));
    let visible = with.impact(Some("household"), "take", None, "self.is_visible(obj)").unwrap();
    assert_eq!((visible.decisions, visible.stopped.all(), visible.untold), (5, 1, 2), "{visible:?}");
    let cup = visible.not_told.iter().find(|stopped| stopped.action.contains("cup")).unwrap();
    assert!(cup.why.contains("it is false; the world accepted it: it was there"), "{}", cup.why);
    assert!(with.look(cup, "take", "self.is_visible(obj)").unwrap().outcome.contains("the world accepted it"));
    // Of an effect: of what the world accepted, after what the state is not as it says.
    let effect = |text: &str| with.impact(Some("household"), "effects of take", None, text);
    let taken = effect("self.inventory = obj").unwrap();
    assert_eq!((taken.decisions, taken.stopped.all(), taken.untold), (4, 1, 1), "{taken:?}");
    assert!(taken.in_words().starts_with("did not follow 1 of 4 decisions in"), "{}", taken.in_words());
    // The log has the pen taken and the mug picked up.
    assert_eq!(taken.listed[0].why, "self.inventory is 'mug 1', not 'pen 1'");
    let wrong = effect("self.inventory = recep").unwrap();
    assert_eq!((wrong.stopped.all(), wrong.untold), (3, 1), "{wrong:?}");
    assert!(wrong.listed[0].why.contains("self.inventory is '"), "{}", wrong.listed[0].why);
    assert!(with.look(&wrong.listed[0], "effects of take", "self.inventory = recep").is_some());
    assert!(effect("self.").is_err() && effect("obj in self.visible_objects").is_err());
    let never = with.impact(Some("household"), "take", None, "obj != 'cup 1'").unwrap();
    assert_eq!((never.stopped.right, never.untold), (1, 1), "{never:?}");
    // A misspelt name is the assertion's own fault.
    assert_eq!(weigh("self.inventori is None").stopped.all(), 3);
    let misspelt = weigh("self.nope(obj)");
    assert!(misspelt.listed[0].why.contains("self.nope(obj) raises AttributeError"), "{}", misspelt.listed[0].why);
    assert_eq!(library.impact(Some("kitchen"), "take", None, "True").unwrap().decisions, 0);
    let params = ["thing".to_owned()];
    assert_eq!(library.impact(None, "take", Some(&params), "True").unwrap().decisions, 0);
    assert!(library.impact(None, "take", None, "self.").is_err());
    let look = library.look(place, "take", "self.is_visible(obj)").unwrap();
    assert!(look.before.iter().any(|call| call.contains("goto")) && look.variables.is_object(), "{look:?}");
    assert_eq!(look.values.iter().find(|(part, _)| part == "obj").unwrap().1, "'pan 1'");
}

#[test]
fn what_is_new_is_read_and_what_is_damaged_takes_nothing_from_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let (cache, places) = (folder.path().join("cache"), [folder.path().join("logs")]);
    std::fs::create_dir_all(places[0].join("below")).unwrap();
    std::fs::write(places[0].join("a.jsonl"), logs()).unwrap();
    std::fs::write(places[0].join("below/b.jsonl"), logs().lines().next().unwrap()).unwrap();
    std::fs::write(places[0].join("c.eval"), "PK\u{3}\u{4}torn").unwrap();
    std::fs::write(places[0].join("notes.rs"), "no log").unwrap();
    let decisions =
        |library: &Library| library.index.files().map(|(_, contents)| contents.decisions()).collect::<Vec<_>>();
    let (mut library, files) = read(&places, &cache);
    assert_eq!((files, decisions(&library)), (3, vec![7, 2, 0]));
    assert!(
        library.index.problems().iter().any(|problem| problem.contains("c.eval")),
        "{:?}",
        library.index.problems()
    );
    assert!(!library.index.refresh(&places, &mut |_, _| true), "nothing is new");
    // What is kept is taken from there: the file itself is not looked at while its stamp is the same.
    let entries = || std::fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    assert_eq!(entries().len(), 3);
    let (again, _) = read(&places, &cache);
    assert_eq!(decisions(&again), [7, 2, 0]);
    // A damaged entry is made anew, and a touched file with the same bytes is not read again.
    for entry in entries() {
        std::fs::write(entry, "{\"version\":1").unwrap();
    }
    assert_eq!(decisions(&read(&places, &cache).0), [7, 2, 0]);
    std::fs::write(places[0].join("below/b.jsonl"), logs()).unwrap();
    std::fs::remove_file(places[0].join("a.jsonl")).unwrap();
    assert!(library.index.refresh(&places, &mut |_, _| true));
    assert_eq!(decisions(&library), [7, 0]);
    library.index.prune();
    assert_eq!(entries().len(), 2);
    // A cache that cannot be written is said once, and nothing else fails.
    let (library, _) = read(&places, &places[0].join("c.eval"));
    assert_eq!(decisions(&library), [7, 0]);
    assert!(library.index.problem.is_some());
}

#[test]
fn sessions_say_what_a_person_did() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sessions");
    for entry in std::fs::read_dir(examples).unwrap() {
        let path = entry.unwrap().path();
        let session = log::load(&path).unwrap().session;
        let contents = Contents::of_session(&session);
        let executed = session.nodes().iter().filter(|node| node.decision.is_some() && node.outcome.is_executed());
        let with_calls =
            executed.filter(|node| node.action.as_ref().is_some_and(|action| action.call.is_some())).count();
        let of_person = |decision: &&Decision| matches!(decision.person, Some(Person::Rejected | Person::Corrected));
        let own = contents.episodes[0].decisions.iter().filter(of_person).count();
        assert_eq!(contents.decisions(), with_calls + own, "{}", path.display());
        assert_eq!(contents.episodes[0].nodes.len(), session.nodes().len());
        let text = serde_json::to_string(&contents).unwrap();
        assert_eq!(serde_json::from_str::<Contents>(&text).unwrap(), contents);
    }
}

#[test]
fn decisions_of_a_deleted_branch_are_nobodys() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../export/src/tests/session.jsonl");
    let mut session = log::load(&path).unwrap().session;
    let texts = |session: &Session| {
        let contents = Contents::of_session(session);
        contents.episodes[0].decisions.iter().map(|decision| decision.text.clone()).collect::<Vec<_>>()
    };
    let before = texts(&session);
    let edit = |deleted| Event::BranchEdited { branch: 1, edit: BranchEdit::Delete { deleted } };
    let record = |event, session: &mut Session| {
        session.apply(&Record { id: session.records() + 1, ts: 0, node: 2, event }).unwrap();
    };
    let gone = session.node(1).unwrap().action.clone().unwrap().text.clone();
    record(edit(true), &mut session);
    let expected: Vec<String> = before.iter().filter(|text| **text != gone).cloned().collect();
    assert_eq!(texts(&session), expected);
    assert!(expected.len() < before.len());
    record(edit(false), &mut session);
    assert_eq!(texts(&session), before);
}

#[test]
fn the_shelf_keeps_whole_paths_once() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf { list: folder.path().join("state/library.txt"), ..Shelf::default() };
    assert_eq!(shelf.add(folder.path()), Ok(true));
    assert_eq!(shelf.add(&folder.path().join(".")), Ok(false));
    assert_eq!(shelf.added(), [folder.path().canonicalize().unwrap()]);
    assert!(shelf.add(&folder.path().join("none")).unwrap_err().contains("none"));
    assert_eq!((shelf.remove(folder.path()), shelf.remove(folder.path())), (Ok(true), Ok(false)));
}
