//! An agent of Python's standard library behind the proxy, answered by the test: no model is asked.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use stepwright_confine::group::Group;
use stepwright_episode::{Action, StepOutcome};
use stepwright_world::options::Values;
use stepwright_world::remote::{ProcessStatus, Recorded};
use stepwright_world::{AgentCommand, Kinds, Origin, World};

/// Calls `note(text)` as it is told, which appends to a file of its folder, and ends at an answer without a call.
const AGENT: &str = r#"
import json, os, urllib.request
tools = [{"type": "function", "function": {"name": "note", "description": "Writes.", "parameters": {"type": "object",
    "properties": {"text": {"type": "string"}}, "required": ["text"]}}}]
messages = [{"role": "system", "content": "You note."}, {"role": "user", "content": os.environ.get("STEPWRIGHT_TASK") or "Go."}]
while True:
    body = json.dumps({"model": "m", "messages": messages, "tools": tools}).encode()
    asked = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, {"content-type": "application/json"})
    message = json.load(urllib.request.urlopen(asked))["choices"][0]["message"]
    messages.append(message)
    if not message.get("tool_calls"):
        print("said", message["content"])
        break
    for call in message["tool_calls"]:
        text = json.loads(call["function"]["arguments"])["text"]
        open("notes", "a").write(text + "\n")
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps({"lines": open("notes").read().split()})})
"#;

fn has_python() -> bool {
    std::process::Command::new("python3").arg("--version").output().is_ok_and(|out| out.status.success())
}

fn world(folder: &Path) -> Box<dyn World> {
    world_of(folder, AGENT)
}

fn world_of(folder: &Path, agent: &str) -> Box<dyn World> {
    let script = folder.join("agent.py");
    std::fs::write(&script, agent).unwrap();
    let command = AgentCommand {
        words: vec!["python3".into(), script.display().to_string()],
        workspace: Some(folder.join("work")),
        success: Some("test -e notes".into()),
        ..AgentCommand::default()
    };
    std::fs::create_dir_all(folder.join("work")).unwrap();
    let (command, adapters) = (Arc::new(command), BTreeMap::new());
    let set = super::tasks::read(&Origin {
        path: None,
        adapters: &adapters,
        agent: Some(&command),
        kinds: &Kinds::default(),
    })
    .unwrap();
    let task = set.resolve("").unwrap();
    set.open(&task, &Values::default()).unwrap().world
}

fn typed(world: &dyn World, text: &str) -> Action {
    world.read(text, None).unwrap().unwrap()
}

#[test]
fn an_agent_is_answered_brought_back_and_branches() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut world = world(folder.path());
    let reset = world.reset("agent", 0).unwrap();
    assert_eq!(reset.observation, "[tools: note]\nsystem: You note.\nuser: Go.");
    assert_eq!(world.admissible().unwrap(), ["tools.note(text=)"]);
    let one = typed(world.as_ref(), "tools.note(text='one')");
    let first = world.take(&one).unwrap();
    assert_eq!(first.observation, "note: {\"lines\": [\"one\"]}");
    let calls: Vec<String> = first.calls().map(ToString::to_string).collect();
    assert_eq!(calls, ["tools.note(text='one')", "results.returned('note', 'one', {'lines': ['one']})"]);
    let here = world.snapshot();
    let two = typed(world.as_ref(), "I note twice.\nnote({\"text\": \"two\"})\nnote({\"text\": \"three\"})");
    let second = world.take(&two).unwrap();
    assert!(second.observation.ends_with("note: {\"lines\": [\"one\", \"two\", \"three\"]}"), "{}", second.observation);
    // Back and on another branch: what was noted since is gone, for it is another copy.
    world.restore(&here).unwrap();
    let other = typed(world.as_ref(), "tools.note(text='other')");
    let branch = world.take(&other).unwrap();
    assert_eq!(branch.observation, "note: {\"lines\": [\"one\", \"other\"]}");
    let end = world.take(&typed(world.as_ref(), "That is all.")).unwrap();
    assert!(
        end.done && end.won && end.observation.contains("exit code 0") && end.observation.contains("said That is all.")
    );
    assert!(!folder.path().join("work/notes").exists(), "the original stays");
    // A session that is opened again: nothing runs until a step is taken, then it is fed.
    let record = [(None, reset), (Some(one), first), (Some(two), second)];
    let mut again = self::world(folder.path());
    let mut start = None;
    for (action, outcome) in &record {
        let outcome = StepOutcome::from(outcome);
        let remote = again.remote().unwrap();
        match action {
            None => remote.recall(Recorded::Reset { task: "agent", seed: 0, outcome: &outcome }),
            Some(action) => remote.recall(Recorded::Act { action, outcome: &outcome }),
        }
        start.get_or_insert_with(|| again.snapshot());
    }
    let asked = again.asked().unwrap();
    assert_eq!((asked.request.messages.len(), asked.sender), (7, 0), "what was asked is known from the record");
    let last = again.take(&typed(again.as_ref(), "tools.note(text='four')")).unwrap();
    assert!(last.observation.ends_with("[\"one\", \"two\", \"three\", \"four\"]}"), "{}", last.observation);
    // An agent that asks otherwise than it did is not taken for the same.
    std::fs::write(folder.path().join("work/notes"), "before\n").unwrap();
    again.remote().unwrap().restart().unwrap_err().to_string();
    let why = again.take(&typed(again.as_ref(), "tools.note(text='five')")).unwrap_err().to_string();
    assert!(why.contains("step 1") && why.contains("before"), "{why}");
    // Whoever takes that step once more goes on from what it asked; it is not started again, when it would have found something else.
    std::fs::write(folder.path().join("work/notes"), "after\n").unwrap();
    again.restore(&start.unwrap()).unwrap();
    let one = record[1].0.as_ref().unwrap();
    let branch = again.take(one).unwrap().observation;
    assert!(branch.contains("before") && !branch.contains("after"), "{branch}");
    let on = again.take(&typed(again.as_ref(), "tools.note(text='five')")).unwrap();
    assert!(on.observation.contains("before") && on.observation.contains("five"), "{}", on.observation);
    again.remote().unwrap().close();
}

/// A world whose agent waits a second for an answer and does something `then`, and what is said of it from its first request on.
fn impatient(folder: &Path, then: &str) -> (Box<dyn World>, Receiver<ProcessStatus>) {
    let asking = "    message = json.load(urllib.request.urlopen(asked))";
    assert!(AGENT.contains(asking));
    let tried = "    try: said = urllib.request.urlopen(asked, timeout=1)\n";
    let agent = AGENT.replace(asking, &format!("{tried}    except OSError: {then}\n    message = json.load(said)"));
    let mut world = world_of(folder, &agent);
    world.reset("agent", 0).unwrap();
    let (tell, said) = channel();
    world.remote().unwrap().watch(Arc::new(move |status| drop(tell.send(status))));
    (world, said)
}

/// Waits until something wanted is said.
fn until<T>(said: &Receiver<ProcessStatus>, wanted: impl Fn(ProcessStatus) -> Option<T>) -> T {
    loop {
        let status = said.recv_timeout(Duration::from_secs(60)).unwrap();
        if let Some(found) = wanted(status) {
            return found;
        }
    }
}

#[test]
fn an_agent_that_ends_while_its_request_is_thought_about_is_reported_and_started_again_by_the_next_step() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (mut world, said) = impatient(folder.path(), "print('no patience', flush=True); raise SystemExit(3)");
    let (what, last) = until(&said, |status| match status {
        ProcessStatus::Dead { what, last_words } => Some((what, last_words)),
        _ => None,
    });
    assert_eq!(what, "ended (exit code 3) while its request waited for an answer");
    assert_eq!(last, ["no patience"]);
    let first = world.take(&typed(world.as_ref(), "tools.note(text='one')")).unwrap();
    assert_eq!(first.observation, "note: {\"lines\": [\"one\"]}", "it was started again, and has its answer");
    world.remote().unwrap().close();
}

#[test]
fn an_agent_that_gives_up_is_reported_and_has_its_answer_once_it_asks_again() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (mut world, said) = impatient(folder.path(), "continue");
    let words = until(&said, |status| match status {
        ProcessStatus::Left(words) => Some(words),
        _ => None,
    });
    assert!(words.contains("gave up the request"), "{words}");
    until(&said, |status| matches!(status, ProcessStatus::Ready).then_some(()));
    let first = world.take(&typed(world.as_ref(), "tools.note(text='one')")).unwrap();
    assert_eq!(first.observation, "note: {\"lines\": [\"one\"]}");
    world.remote().unwrap().close();
}

fn opened(command: AgentCommand) -> Box<dyn World> {
    let (command, adapters) = (Arc::new(command), BTreeMap::new());
    let set = super::tasks::read(&Origin {
        path: None,
        adapters: &adapters,
        agent: Some(&command),
        kinds: &Kinds::default(),
    })
    .unwrap();
    set.open("agent", &Values::default()).unwrap().world
}

#[test]
fn a_command_that_never_says_whether_the_goal_is_reached_can_be_stopped() {
    let words = ["sh", "-c", "exit 0"].map(str::to_owned).into();
    let mut world = opened(AgentCommand { words, success: Some("sleep 1000".into()), ..AgentCommand::default() });
    let (stop, since) = (world.remote().unwrap().stopper(), std::time::Instant::now());
    std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(500));
        stop();
    });
    let why = world.reset("agent", 0).unwrap_err().to_string();
    assert!(why.contains("stopped") && since.elapsed().as_secs() < 60, "{why}");
}

#[test]
fn a_command_that_hangs_is_waited_for_no_longer_than_its_limit() {
    let start = |words: &str| Group::start("/bin/sh", &["-c".to_owned(), words.to_owned()], |_| ()).unwrap();
    let ends = |command: &Group, ms| super::link::ends_within(command, Duration::from_millis(ms), || Ok(())).unwrap();
    assert!(!ends(&start("sleep 1000"), 50));
    assert!(ends(&start("exit 1"), 60_000));
}

#[test]
fn a_command_that_is_not_there_says_nothing_of_the_goal() {
    let words: Vec<String> = ["sh", "-c", "exit 0"].map(str::to_owned).into();
    let end = |success: &str| {
        let (words, success) = (words.clone(), Some(success.to_owned()));
        opened(AgentCommand { words, success, ..AgentCommand::default() }).reset("agent", 0).unwrap()
    };
    let (lost, unknown) = (end("exit 1"), end("no-such-command-here"));
    assert!(!lost.won && !lost.untold && lost.observation.contains("not reached"), "{lost:?}");
    assert!(!unknown.won && unknown.untold && unknown.observation.contains("cannot be run"), "{unknown:?}");
}

#[test]
fn one_that_ends_or_cannot_be_started_says_so() {
    let command = |words: &[&str]| {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        opened(AgentCommand { words, ..AgentCommand::default() })
    };
    let end = command(&["sh", "-c", "echo nothing to ask; exit 3"]).reset("agent", 0).unwrap();
    assert!(
        end.done && end.observation.contains("exit code 3") && end.observation.contains("nothing to ask"),
        "{end:?}"
    );
    let killed = command(&["sh", "-c", "kill -9 $$"]).reset("agent", 0).unwrap();
    assert!(killed.done && killed.observation.starts_with("The agent ended, signal: 9"), "{killed:?}");
    let why = command(&["/no/such/agent"]).reset("agent", 0).unwrap_err().to_string();
    assert!(why.contains("cannot be started") && why.contains("is the program installed"), "{why}");
    // A server that it started goes on: that is not it.
    let end = command(&["sh", "-c", "sleep 1000 & exit 4"]).reset("agent", 0).unwrap();
    assert!(end.done && end.observation.contains("exit code 4"), "{end:?}");
    let none = command(&[]).reset("agent", 0).unwrap_err().to_string();
    assert!(none.contains("stepwright gate --open"), "{none}");
}
