use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use stepwright_episode::{BranchEdit, Event, Record, Session, log};
use stepwright_program::{Call, Role, Specification};

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
    let other = library.impact(None, "take", Some(&params), "True").unwrap();
    assert_eq!(other.decisions, 0);
    assert_eq!(other.in_words(), "4 decisions to take have other parameters (obj, recep), and were not judged");
    assert_eq!(
        library.impact(None, "fly", Some(&params), "True").unwrap().in_words(),
        "no decision to fly is in the library"
    );
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
    // Not every file system takes such a name.
    #[cfg(unix)]
    let unnamed = {
        use std::os::unix::ffi::OsStrExt;
        std::fs::write(places[0].join(std::ffi::OsStr::from_bytes(b"caf\xe9.jsonl")), logs()).is_ok()
    };
    let decisions =
        |library: &Library| library.index.files().map(|(_, contents)| contents.decisions()).collect::<Vec<_>>();
    let (mut library, files) = read(&places, &cache);
    assert_eq!((files, decisions(&library)), (3, vec![7, 2, 0]));
    assert!(
        library.index.problems().iter().any(|problem| problem.contains("c.eval")),
        "{:?}",
        library.index.problems()
    );
    #[cfg(unix)]
    assert_eq!(library.index.problems().iter().any(|problem| problem.contains("no text in UTF-8")), unnamed);
    assert!(library.index.problem.is_none(), "the rest is kept");
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
        let specification = Specification::load(&session.header.specification, "spec.py").unwrap();
        let is_action = |call: &&String| {
            let call: Call = call.parse().unwrap();
            specification.function(&call.receiver, &call.function).is_some_and(|f| f.role == Role::Action)
        };
        let executed = session.nodes().iter().filter(|node| node.decision.is_some() && node.outcome.is_executed());
        // What has no call of its own is of the actions that the world did.
        let calls = executed.map(|node| match node.action.as_ref().unwrap() {
            action if action.call.is_some() || action.exact.is_some() => action.calls().count(),
            _ => node.outcome.calls.iter().filter(is_action).count(),
        });
        let calls: usize = calls.sum();
        let of_person = |decision: &&Decision| matches!(decision.person, Some(Person::Rejected | Person::Corrected));
        let own = contents.episodes[0].decisions.iter().filter(of_person).count();
        assert_eq!(contents.decisions(), calls + own, "{}", path.display());
        assert!(contents.decisions() > 0, "{}", path.display());
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

/// A session that is written event by event.
#[derive(Default)]
struct Played {
    events: Vec<Value>,
    at: u64,
    nodes: u64,
    proposals: u64,
    decisions: u64,
}

impl Played {
    fn new() -> Self {
        let mut played = Played::default();
        played.event(json!({ "event": "started", "outcome": { "observation": "", "calls": [] } }));
        played
    }

    fn event(&mut self, event: Value) {
        let mut record = json!({ "id": self.events.len() + 1, "ts": 1, "node": self.at });
        record.as_object_mut().unwrap().extend(event.as_object().unwrap().clone());
        self.events.push(record);
    }

    fn propose(&mut self, action: &Value) -> u64 {
        self.proposals += 1;
        let proposal = json!({ "id": self.proposals, "raw": "x", "action": action, "origin": "relayed" });
        self.event(json!({ "event": "proposed", "proposal": proposal }));
        self.proposals
    }

    fn decide(&mut self, by: &str, mut choice: Value) {
        self.decisions += 1;
        choice["id"] = self.decisions.into();
        choice["by"] = by.into();
        self.event(json!({ "event": "decided", "decision": choice }));
    }

    /// Carries out the last decision.
    fn execute(&mut self, action: &Value, outcome: &Value) {
        self.nodes += 1;
        let (decision, child) = (self.decisions, self.nodes);
        self.event(json!({
            "event": "executed", "decision": decision, "child": child, "action": action, "outcome": outcome, "changes": [],
        }));
        self.at = child;
    }

    fn step(&mut self, action: &Value, outcome: &Value) {
        let proposal = self.propose(action);
        self.decide("policy", json!({ "choice": "approve", "proposal": proposal }));
        self.execute(action, outcome);
    }

    fn go_to(&mut self, node: u64) {
        self.event(json!({ "event": "moved", "to": node }));
        self.at = node;
    }

    /// Its file.
    fn write(&self, folder: &Path, specification: &str) -> PathBuf {
        let header = json!({
            "stepwright": "session", "version": 3, "program": "0", "created": 1, "world": "own", "data": "shipped", "task": "t",
            "sentence": "s", "seed": 0, "method": "m", "model": "symbolic", "specification": specification, "opening": [],
        });
        let text: String = std::iter::once(&header).chain(&self.events).map(|line| format!("{line}\n")).collect();
        let path = folder.join("session.jsonl");
        std::fs::write(&path, text).unwrap();
        path
    }
}

/// The decisions of the only file: what they are shown as, and what they turned out to be.
fn judged(library: &Library) -> Vec<(&str, Judged)> {
    assert_eq!(library.index.problems(), Vec::<&str>::new());
    let (_, contents) = library.index.files().next().unwrap();
    contents.episodes[0].decisions.iter().map(|decision| (decision.text.as_str(), decision.judged())).collect()
}

const TOOLS: &str = "SETUP = ['tools = Tools()', 'results = Results(tools)']\nACTIONS = ['tools.get_order']\nOBSERVATIONS = ['results.returned']\n\n\nclass Tools:\n    def __init__(self):\n        self.last = None\n\n    def get_order(self, order_id):\n        pass\n\n\nclass Results:\n    def __init__(self, tools):\n        self.tools = tools\n\n    def returned(self, tool, key, result):\n        self.tools.last = key\n";

#[test]
fn each_of_the_calls_of_an_answer_is_a_decision() {
    let call = |order: &str| format!("tools.get_order(order_id='{order}')");
    let answer = |orders: [&str; 2]| {
        let calls = orders.map(call).join("\n");
        json!({ "text": format!("Both.\n{calls}"), "call": calls, "exact": "chat" })
    };
    let (rejected, first, edited) = (answer(["W7", "W8"]), answer(["W1", "W9"]), answer(["W1", "W2"]));
    let mut played = Played::new();
    let proposal = played.propose(&rejected);
    played.decide("person", json!({ "choice": "reject", "proposal": proposal, "reason": "not these" }));
    let (from, proposal) = (played.propose(&first), played.propose(&edited));
    played.decide("person", json!({ "choice": "edit", "from": from, "proposal": proposal }));
    let calls = ["W1", "W2"].map(|order| format!("results.returned('get_order', '{order}', 'sent')"));
    let calls: Vec<String> = ["W1", "W2"].map(call).into_iter().chain(calls).collect();
    played.execute(&edited, &json!({ "observation": "", "calls": calls }));
    let words = json!({ "text": "tools.get_order(order_id='W5')", "exact": "chat" });
    played.step(&words, &json!({ "observation": "", "calls": [], "done": true, "won": true }));
    let folder = tempfile::tempdir().unwrap();
    let path = played.write(folder.path(), TOOLS);
    let (library, _) = read(&[path], &folder.path().join(".cache"));
    // `W1` stayed as it was when the answer was edited, and what an answer says in words is no call.
    let expected = [
        (call("W7"), Judged::Rejected),
        (call("W8"), Judged::Rejected),
        (call("W9"), Judged::Corrected),
        (call("W1"), Judged::Right),
        (call("W2"), Judged::Right),
    ];
    let expected: Vec<(&str, Judged)> = expected.iter().map(|(call, judged)| (call.as_str(), *judged)).collect();
    assert_eq!(judged(&library), expected);
    let second = library.impact(Some("own"), "get_order", None, "order_id != 'W2'").unwrap();
    assert_eq!((second.decisions, second.sessions, second.stopped.right, second.stopped.all()), (5, 1, 1, 1));
    assert_eq!((second.listed[0].action.clone(), second.listed[0].node), (call("W2"), 0));
    let look = library.look(&second.listed[0], "get_order", "order_id != 'W2'").unwrap();
    assert_eq!(look.before, [call("W1")], "what was taken at once comes before it");
    // The state between them is not known.
    let effect = library.impact(Some("own"), "effects of get_order", None, "self.last = order_id").unwrap();
    assert_eq!((effect.decisions, effect.untold, effect.stopped.all()), (2, 2, 0), "{effect:?}");
    assert!(effect.in_words().ends_with("(the state after it is not known)"), "{}", effect.in_words());
}

/// A session of the gate holds it as a log does: its tool's error is the world's.
#[test]
fn a_call_whose_tool_failed_was_refused() {
    let call = |order: &str| format!("tools.get_order(order_id='{order}')");
    let calls = ["W1", "W2"].map(call).join("\n");
    let answer = json!({ "text": format!("Both.\n{calls}"), "call": calls, "exact": "chat" });
    let failed = "results.failed('get_order', 'W1', 'no such order')";
    let returned = json!([failed, "results.returned('get_order', 'W2', 'sent')"]);
    let mut played = Played::new();
    played.step(&answer, &json!({ "observation": "", "calls": returned, "done": true, "won": true }));
    let folder = tempfile::tempdir().unwrap();
    let path = played.write(folder.path(), TOOLS);
    let (library, _) = read(&[path], &folder.path().join(".cache"));
    let (first, second) = (call("W1"), call("W2"));
    assert_eq!(judged(&library), [(first.as_str(), Judged::Refused), (second.as_str(), Judged::Right)]);
    let (_, contents) = library.index.files().next().unwrap();
    assert_eq!(contents.episodes[0].decisions[0].words, "no such order");
}

/// Of a log too: what the first of several calls returned is known after the last of them.
#[test]
fn no_effect_is_held_against_a_call_whose_result_comes_later() {
    let made = |id: &str| json!({ "id": id, "type": "function", "function": { "name": "get_order", "arguments": format!("{{\"order_id\": \"{id}\"}}") } });
    let result = |id: &str| json!({ "role": "tool", "tool_call_id": id, "content": "sent" });
    let messages = json!([
        { "role": "user", "content": "look" },
        { "role": "assistant", "content": "", "tool_calls": [made("W1"), made("W2")] }, result("W1"), result("W2"),
        { "role": "assistant", "content": "", "tool_calls": [made("W3")] }, result("W3"),
    ]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chat.json");
    std::fs::write(&path, json!({ "messages": messages }).to_string()).unwrap();
    let (library, _) = read(&[path], &folder.path().join(".cache"));
    let effect = library.impact(None, "effects of get_order", None, "self.read = None").unwrap();
    assert_eq!((effect.decisions, effect.untold, effect.stopped.all()), (3, 2, 1), "{effect:?}");
}

#[test]
fn a_program_that_the_world_reads_as_a_whole_is_of_its_calls() {
    let specification = "SETUP = ['robot = Robot()']\nACTIONS = ['robot.put', 'robot.done']\nOBSERVATIONS = ['robot.see']\n\n\nclass Robot:\n    def __init__(self):\n        self.at = {}\n\n    def put(self, thing, place):\n        self.at[thing] = place\n\n    def done(self):\n        pass\n\n    def see(self, thing):\n        pass\n";
    let rejected = json!({ "text": "put('e', 'f')\ndone()" });
    let taken =
        json!({ "text": "# both\nput(\"a\", \"b\")\nput('x', 'a')\nrobot.put('c', 'a')\ndone()\nput('d', 'a')" });
    let mut played = Played::new();
    let proposal = played.propose(&rejected);
    played.decide("person", json!({ "choice": "reject", "proposal": proposal, "reason": "no" }));
    let calls = ["robot.put('a', 'b')", "robot.put('c', 'a')", "robot.done()", "robot.see('g')"];
    played.step(&taken, &json!({ "observation": "There is no x.", "calls": calls, "done": true, "won": true }));
    let folder = tempfile::tempdir().unwrap();
    let path = played.write(folder.path(), specification);
    let (library, _) = read(&[path], &folder.path().join(".cache"));
    // What the world could not do is told apart from what it did, and what comes after the end was not tried.
    let expected = [
        ("put('e', 'f')", Judged::Rejected),
        ("done()", Judged::Rejected),
        ("put(\"a\", \"b\")", Judged::Right),
        ("put('x', 'a')", Judged::Refused),
        ("robot.put('c', 'a')", Judged::Right),
        ("done()", Judged::Right),
    ];
    assert_eq!(judged(&library), expected);
    // Each is judged after those before it.
    let placed = library.impact(None, "put", None, "place in self.at").unwrap();
    assert_eq!((placed.decisions, placed.stopped.rejected, placed.stopped.right), (4, 1, 1), "{placed:?}");
    assert_eq!(placed.stopped.refused, 0);
    let refused = library.impact(None, "put", None, "thing != 'x'").unwrap();
    assert_eq!((refused.stopped.all(), refused.listed[0].words.as_str()), (1, "There is no x."));
}

#[test]
fn a_decision_on_another_branch_is_said_to_be_on_one() {
    let action = json!({ "text": "look", "call": "tools.get_order(order_id='W1')" });
    let outcome = json!({ "observation": "", "calls": [], "done": false, "won": false });
    let mut played = Played::new();
    played.step(&action, &outcome);
    played.step(&action, &outcome);
    played.go_to(1);
    played.step(&action, &outcome);
    let folder = tempfile::tempdir().unwrap();
    let session = log::load(&played.write(folder.path(), TOOLS)).unwrap().session;
    let decisions = Contents::of_session(&session).episodes.remove(0).decisions;
    assert_eq!(decisions.iter().map(|decision| decision.aside).collect::<Vec<_>>(), [false, true, false]);
}

#[test]
fn of_the_branches_that_ended_one_that_won_counts_and_else_those_that_lost() {
    let action = json!({ "text": "look", "call": "tools.get_order(order_id='W1')" });
    let outcome = |end: &str| {
        let (done, won, untold) = (!end.is_empty(), end == "won", end == "untold");
        json!({ "observation": "", "calls": [], "done": done, "won": won, "untold": untold })
    };
    // Of a step, and of the two branches after it.
    let successes = |one: &str, other: &str| {
        let mut played = Played::new();
        played.step(&action, &outcome(""));
        played.step(&action, &outcome(one));
        played.go_to(1);
        played.step(&action, &outcome(other));
        let folder = tempfile::tempdir().unwrap();
        let session = log::load(&played.write(folder.path(), TOOLS)).unwrap().session;
        let contents = Contents::of_session(&session);
        contents.episodes[0].decisions.iter().map(|decision| decision.success).collect::<Vec<_>>()
    };
    let (yes, no) = (Some(true), Some(false));
    assert_eq!(successes("won", "lost"), [yes, yes, no]);
    assert_eq!(successes("won", ""), [yes, yes, None]);
    assert_eq!(successes("lost", "lost"), [no, no, no]);
    assert_eq!(successes("lost", ""), [no, no, None], "what has not ended says nothing");
    assert_eq!(successes("", ""), [None, None, None]);
    assert_eq!(successes("lost", "untold"), [None, no, None], "one may have reached it");
}

/// A session that was copied, or is there as it was before it went on, is one episode; one that went on otherwise is another.
#[test]
fn an_episode_counts_once_in_however_many_files_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, orders: &[&str]| {
        let mut played = Played::new();
        for order in orders {
            let call = format!("tools.get_order(order_id='{order}')");
            let action = json!({ "text": call, "call": call, "exact": "chat" });
            played.step(&action, &json!({ "observation": "", "calls": [call] }));
        }
        let place = folder.path().join(name);
        std::fs::create_dir(&place).unwrap();
        played.write(&place, TOOLS);
    };
    write("a", &["W1"]);
    ["b", "c"].into_iter().for_each(|name| write(name, &["W1", "W2"]));
    write("d", &["W1", "W3"]);
    let (library, _) = read(&[folder.path().to_owned()], &folder.path().join(".cache"));
    let found: Vec<&Path> = library.index.files().map(|(path, _)| path).collect();
    assert_eq!(found, ["b", "d"].map(|name| folder.path().join(name).join("session.jsonl")));
    let told = library.index.problems();
    assert!(told.len() == 1 && told[0].starts_with("2 copies of sessions passed over"), "{told:?}");
}

/// A link to a folder that it is in, and one to a file beside it, lead to what is there already.
#[cfg(unix)]
#[test]
fn what_several_paths_lead_to_is_read_once() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("logs");
    std::fs::create_dir_all(place.join("z")).unwrap();
    std::fs::write(place.join("z/run.jsonl"), logs()).unwrap();
    symlink(".", place.join("again")).unwrap();
    symlink("../z", place.join("z/again")).unwrap();
    symlink("z", place.join("a")).unwrap();
    symlink("z/run.jsonl", place.join("b.jsonl")).unwrap();
    // What is elsewhere is read through a link.
    std::fs::create_dir(folder.path().join("other")).unwrap();
    std::fs::write(folder.path().join("other/run.jsonl"), logs()).unwrap();
    symlink(folder.path().join("other"), place.join("c")).unwrap();
    let (library, files) = read(&[place.clone(), place.join("z")], &folder.path().join(".cache"));
    assert_eq!(files, 2);
    let found: Vec<&Path> = library.index.files().map(|(path, _)| path).collect();
    assert_eq!(found, [place.join("c/run.jsonl"), place.join("z/run.jsonl")]);
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
    // What is gone is taken out by the path that it had.
    let (kept, gone) = (folder.path().join("kept"), folder.path().join("kept/../kept/gone"));
    std::fs::create_dir_all(kept.join("gone")).unwrap();
    assert_eq!(shelf.add(&gone), Ok(true));
    std::fs::remove_dir(kept.join("gone")).unwrap();
    assert_eq!((shelf.remove(&gone), shelf.added()), (Ok(true), Vec::new()));
}
