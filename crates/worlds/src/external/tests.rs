//! Tests of the external world against processes that behave and that do not, all of them `/bin/sh`.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::{Adapter, ExternalWorld};
use stepwright_episode::{Action, Check, StepOutcome};
use stepwright_world::remote::{ProcessStatus, Recorded};
use stepwright_world::{OpenSpec, Sources, World, WorldError};

/// Counts actions. Other actions make it misbehave; all that it is asked goes to the file it is given.
const COUNTER: &str = include_str!("../../../../tests/support/stand_in.sh");

struct Bed {
    folder: tempfile::TempDir,
}

impl Bed {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("counter.sh"), COUNTER).unwrap();
        Bed { folder }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn adapter(&self) -> Adapter {
        let path = |name: &str| self.file(name).display().to_string();
        let command = vec!["/bin/sh".to_owned(), path("counter.sh"), path("asked")];
        Adapter {
            step_timeout: Duration::from_secs(2),
            start_timeout: Duration::from_secs(20),
            ..Adapter::new("counter", command)
        }
    }

    fn world(&self) -> ExternalWorld {
        ExternalWorld::new(Arc::new(self.adapter()), None).unwrap()
    }

    fn begun(&self) -> ExternalWorld {
        let mut world = self.world();
        world.reset("counter", 0).unwrap();
        world
    }

    /// The requests to the processes, in short.
    fn asked(&self) -> String {
        let text = std::fs::read_to_string(self.file("asked")).unwrap_or_default();
        text.replace("{\"reset\":\"\"}", "reset").replace("{\"act\":\"", "").replace("\"}", "").replace('\n', " ")
    }

    fn pids(&self) -> Vec<i32> {
        let text = std::fs::read_to_string(self.file("asked.pids")).unwrap_or_default();
        text.lines().map(|l| l.parse().unwrap()).collect()
    }

    /// Waits until nothing of the processes is left, zombies included.
    fn nothing_is_left(&self) {
        let pids = self.pids();
        assert!(!pids.is_empty());
        let end = Instant::now() + Duration::from_secs(10);
        while let Some(pid) = pids.iter().find(|p| is_there(**p)) {
            assert!(Instant::now() < end, "process {pid} is still there");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Whether there is such a process. An orphan that init has not collected yet counts as gone.
fn is_there(pid: i32) -> bool {
    let zombie = |stat: String| stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'));
    if Path::new("/proc/self").exists() {
        return std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !zombie(stat));
    }
    rustix::process::Pid::from_raw(pid).is_some_and(|p| rustix::process::test_kill_process(p).is_ok())
}

fn failed(result: Result<stepwright_world::Outcome, WorldError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn an_episode_is_played_and_gone_back_in() {
    let bed = Bed::new();
    let mut world = bed.world();
    let reset = world.reset("counter", 0).unwrap();
    assert_eq!(reset.observation, "total 0");
    assert_eq!(world.admissible(), Some(vec!["add".to_owned(), "die".to_owned()]));
    assert_eq!(reset.observation_calls[0].to_string(), "agent.observe('total 0')");
    assert_eq!(world.tasks()[0].sentence, "count to nine.");
    assert_eq!(world.header().function, "episode_count_to_nine");
    let start = world.snapshot();
    let one = world.act("a").unwrap();
    assert_eq!(one.action_call.unwrap().to_string(), "agent.act('a')");
    let at_one = world.snapshot();
    assert_eq!(world.act("b").unwrap().observation, "total 2");
    // Going back asks nothing of the process, and is known at once.
    world.restore(&start).unwrap();
    assert_eq!(world.truth()["n"], 0);
    assert_eq!(bed.asked(), "reset a b ");
    world.restore(&at_one).unwrap();
    assert_eq!(world.act("c").unwrap().observation, "total 2");
    assert_eq!(bed.asked(), "reset a b reset a c ");
    // A fork continues from its own node with the same process.
    let mut fork = world.fork();
    assert_eq!(fork.act("d").unwrap().observation, "total 3");
    assert_eq!(world.truth()["n"], 2);
    assert_eq!(bed.pids().len(), 1);
    // A reset of a process that is at that reset is not requested again.
    let mut other = bed.begun();
    other.reset("counter", 0).unwrap();
    assert_eq!(bed.asked(), "reset a b reset a c d reset ");
    assert!(other.act("refuse").unwrap().action_call.is_none());
    drop((world, fork, other));
    bed.nothing_is_left();
}

#[test]
fn a_process_that_dies_is_reported_with_its_last_words_and_comes_back() {
    let bed = Bed::new();
    let mut world = bed.begun();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ear = Arc::clone(&heard);
    world.remote().unwrap().watch(Arc::new(move |standing| ear.lock().unwrap().push(standing)));
    world.act("a").unwrap();
    let why = failed(world.act("die"));
    assert!(why.contains("ended before step 2 was answered (exit status: 3); its last words: Traceback"), "{why}");
    assert!(why.ends_with("the simulator fell over"), "what to do is said where it can be done: {why}");
    let last = heard.lock().unwrap().last().cloned().unwrap();
    let ProcessStatus::Dead { what, last_words } = last else { panic!("{last:?}") };
    assert!(what.contains("exit status: 3"), "{what}");
    assert_eq!(last_words, ["loading", "Traceback: the simulator fell over"]);
    assert_eq!(heard.lock().unwrap().first(), Some(&ProcessStatus::Ready));
    // It is where it was; the next step brings a new process there.
    assert_eq!(world.act("b").unwrap().observation, "total 2");
    assert_eq!(bed.asked(), "reset a die reset a b ");
    assert_eq!(bed.pids().len(), 2);
    assert!(heard.lock().unwrap().contains(&ProcessStatus::Working("step 1: `a`".into())));
}

#[test]
fn one_that_dies_while_nobody_asks_is_noticed() {
    let bed = Bed::new();
    let mut world = bed.begun();
    let heard = Arc::new(Mutex::new(None));
    let ear = Arc::clone(&heard);
    world.remote().unwrap().watch(Arc::new(move |standing| *ear.lock().unwrap() = Some(standing)));
    assert_eq!(world.act("leave").unwrap().observation, "total 1");
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        let now = heard.lock().unwrap().clone();
        if let Some(ProcessStatus::Dead { what, .. }) = now {
            assert_eq!(what, "ended by itself (exit status: 4)");
            break;
        }
        assert!(Instant::now() < end, "{now:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
    // The replay goes through the step after which it left, so it leaves again; nothing hangs and nothing is left.
    assert!(world.act("a").is_err());
    drop(world);
    bed.nothing_is_left();
}

#[test]
fn what_cannot_be_taken_for_an_answer_is_not() {
    for (action, part) in [
        ("garbage", "cannot be understood at step 1: its answer is no JSON object on one line"),
        ("partial", "its answer breaks off: {\"step\":1,\"obs"),
        ("type", "`observation` of its answer: invalid type: integer `7`, expected a text"),
        ("other", "answered step 2 where step 1 was asked"),
        ("endless", "wrote a line of more than 8 MiB at step 1"),
        ("mute", "closed its standard output before step 1 was answered"),
    ] {
        let bed = Bed::new();
        let mut world = bed.begun();
        let why = failed(world.act(action));
        assert!(why.contains(part), "{action}: {why}");
        assert_eq!(world.act("a").unwrap().observation, "total 1", "{action}");
        drop(world);
        bed.nothing_is_left();
    }
}

#[test]
fn what_was_not_asked_for_is_never_the_next_answer() {
    for (action, part) in [
        ("twice", "said something it was not asked before step 2"),
        ("flood", "said something it was not asked before step 2"),
        ("deaf", "closed its standard input before step 2 was answered"),
    ] {
        let bed = Bed::new();
        let mut world = bed.begun();
        assert_eq!(world.act(action).unwrap().observation, "total 1");
        std::thread::sleep(Duration::from_millis(300));
        let why = failed(world.act("a"));
        assert!(why.contains(part), "{action}: {why}");
        drop(world);
        bed.nothing_is_left();
    }
}

#[test]
fn one_that_hangs_is_killed_with_its_children_and_answers_too_late_for_ever() {
    let bed = Bed::new();
    let mut world = bed.begun();
    let why = failed(world.act("hang"));
    assert!(why.contains("gave no answer to step 1 within 2 s"), "{why}");
    bed.nothing_is_left();
    let why = failed(world.act("late"));
    assert!(why.contains("gave no answer to step 1 within 2 s"), "{why}");
    // Nobody is left to give the late answer.
    bed.nothing_is_left();
    assert_eq!(world.act("a").unwrap().observation, "total 1");
    assert_eq!(world.act("b").unwrap().observation, "total 2");
    let why = failed(world.act("orphan"));
    assert!(why.contains("ended before step 3 was answered (exit status: 0); what it had started"), "{why}");
    drop(world);
    bed.nothing_is_left();
}

#[test]
fn a_step_is_stopped_from_another_thread() {
    let bed = Bed::new();
    let adapter = Adapter { step_timeout: Duration::from_secs(600), ..bed.adapter() };
    let mut world = ExternalWorld::new(Arc::new(adapter), None).unwrap();
    world.reset("counter", 0).unwrap();
    world.act("a").unwrap();
    let mut fork = world.fork();
    let stop = fork.remote().unwrap().stopper();
    let stepping = std::thread::spawn(move || failed(fork.act("hang")));
    while !bed.asked().contains("hang") {
        std::thread::sleep(Duration::from_millis(10));
    }
    stop();
    let why = stepping.join().unwrap();
    assert!(why.contains("step 2 was stopped before"), "{why}");
    bed.nothing_is_left();
    // Another fork continues; one that was stopped before it began does not begin.
    assert_eq!(world.act("b").unwrap().observation, "total 2");
    let mut fork = world.fork();
    fork.remote().unwrap().stopper()();
    assert!(failed(fork.act("c")).contains("was stopped"));
    // Closed for good.
    world.remote().unwrap().close();
    assert!(failed(world.act("c")).contains("was stopped"));
    bed.nothing_is_left();
}

#[test]
fn a_replay_that_differs_is_said_and_earlier_points_are_still_there() {
    let bed = Bed::new();
    let mut world = bed.begun();
    world.act("a").unwrap();
    let before = world.snapshot();
    world.act("who").unwrap();
    let error = world.remote().unwrap().restart().unwrap_err();
    let WorldError::Differs { step: 2, what: difference } = &error else { panic!("{error}") };
    assert!(difference.starts_with("step 2 (`who`): the observation was \"I am "), "{difference}");
    world.restore(&before).unwrap();
    // Whoever goes on from there gets what was asked and differed; asked again, and after another step, the world is.
    let starts = bed.pids().len();
    let told = difference.rsplit_once("is now \"").unwrap().1.trim_end_matches('"').to_owned();
    assert_eq!(world.act("who").unwrap().observation, told);
    assert_eq!(bed.pids().len(), starts);
    world.restore(&before).unwrap();
    assert_eq!(world.act("b").unwrap().observation, "total 2");
    world.restore(&before).unwrap();
    assert_eq!(world.act("b").unwrap().observation, "total 2");
}

#[test]
fn a_recorded_way_starts_nothing_until_it_is_gone_on_from() {
    let bed = Bed::new();
    let outcome = |n: i64| StepOutcome {
        observation: format!("total {n}"),
        calls: match n {
            0 => vec!["agent.observe('total 0')".to_owned()],
            n => vec!["agent.act('a')".to_owned(), format!("agent.observe('total {n}')")],
        },
        ..StepOutcome::default()
    };
    let mut world = bed.world();
    let remote = world.remote().unwrap();
    remote.recall(Recorded::Reset { task: "counter", seed: 0, outcome: &outcome(0) });
    remote.recall(Recorded::Act { action: &Action::new("a", None), outcome: &outcome(1) });
    assert_eq!((world.admissible(), world.truth()), (None, serde_json::Value::Null));
    assert!(bed.pids().is_empty());
    // Restarting reports what the record does not.
    world.remote().unwrap().restart().unwrap();
    assert_eq!(world.truth()["n"], 1);
    assert_eq!(world.act("b").unwrap().observation, "total 2");
    assert_eq!(bed.asked(), "reset a b ");
    // A record that does not fit is found out at its step.
    let mut world = bed.world();
    let remote = world.remote().unwrap();
    remote.recall(Recorded::Reset { task: "counter", seed: 0, outcome: &outcome(0) });
    remote.recall(Recorded::Act { action: &Action::new("a", None), outcome: &outcome(5) });
    assert!(failed(world.act("b")).contains("step 1 (`a`): the observation was \"total 5\" and is now \"total 1\""));
}

#[test]
fn what_cannot_be_started_says_why() {
    let bed = Bed::new();
    let start = |adapter: Adapter| failed(ExternalWorld::new(Arc::new(adapter), None).unwrap().reset("x", 0));
    let none = start(Adapter { command: vec!["/nowhere/at all".to_owned()], ..bed.adapter() });
    assert!(
        none.contains("`'/nowhere/at all'` cannot be started") && none.contains("is the program installed"),
        "{none}"
    );
    let folder = start(Adapter { folder: Some("/nowhere".into()), ..bed.adapter() });
    assert!(folder.contains("cannot be started in /nowhere"), "{folder}");
    assert!(
        start(Adapter { command: vec![], ..bed.adapter() }).contains("write [external.counter] with its `command`")
    );
    let spec = Adapter { specification: Some("/nowhere/spec.py".into()), ..bed.adapter() };
    let why = ExternalWorld::new(Arc::new(spec), None).err().unwrap().to_string();
    assert!(why.contains("/nowhere/spec.py: the specification of the adapter `counter` cannot be read"), "{why}");
    let source =
        "SETUP = ['agent = Agent()']\nACTIONS = ['agent.add']\n\n\nclass Agent:\n    def add(self, n):\n        pass\n";
    std::fs::write(bed.file("spec.py"), source).unwrap();
    let phrases = vec!["agent.add: add {} to {}".parse().unwrap()];
    let other = Adapter { specification: Some(bed.file("spec.py")), phrases, ..bed.adapter() };
    let why = ExternalWorld::new(Arc::new(other.clone()), None).err().unwrap().to_string();
    assert_eq!(why, "`actions` in [external.counter]: `agent.add` takes (n), and its phrase has 2 arguments");
    assert!(ExternalWorld::new(Arc::new(other), Some(source)).is_ok(), "a recorded specification is read all the same");
}

#[test]
fn variables_folder_and_seed_reach_the_process_and_keys_do_not() {
    let bed = Bed::new();
    let script = r#"read -r line; printf '%s' "$line" >seen; printf '{"step":0,"observation":"%s %s %s %s"}\n' "$GIVEN" "${PATH:+path}" "${HOME:+home}" "$(basename "$PWD")"; read -r _"#;
    let adapter = Adapter {
        command: vec!["/bin/sh".into(), "-c".into(), script.into()],
        folder: Some(bed.folder.path().to_owned()),
        env: vec![("GIVEN".into(), "a value".into())],
        withheld: vec!["HOME".into()],
        ..Adapter::new("env", Vec::new())
    };
    let mut world = ExternalWorld::new(Arc::new(adapter), None).unwrap();
    let name = bed.folder.path().file_name().unwrap().to_string_lossy().into_owned();
    assert_eq!(world.reset("env/one \"task\"", 7).unwrap().observation, format!("a value path  {name}"));
    assert_eq!(std::fs::read_to_string(bed.file("seen")).unwrap(), r#"{"reset":"one \"task\"","seed":7}"#);
}

#[test]
fn a_command_line_is_meant_alone_and_a_misspelt_name_is_no_task() {
    let open = |adapters: &[(&str, &str)], task: &str| {
        let made = |(name, own): &(&str, &str)| {
            let adapter = Adapter { tasks: vec![(*own).to_owned()], ..Adapter::new(name, vec!["true".to_owned()]) };
            ((*name).to_owned(), Arc::new(adapter))
        };
        let sources = Sources::with_kinds(&[&super::KIND]).with_adapters(adapters.iter().map(made).collect());
        let options = std::collections::BTreeMap::new();
        let opened = sources.open(&OpenSpec { world: "external", data: None, options: &options, task });
        let listed: Vec<String> = sources.told("external", None).unwrap().into_iter().map(|info| info.id).collect();
        (listed, opened.map(|opened| opened.task).map_err(|why| why.to_string()))
    };
    let both = [("ext", "0"), (super::COMMAND_LINE, "x")];
    assert_eq!(open(&both, ""), (vec!["cli/x".to_owned()], Ok("cli/x".to_owned())));
    assert_eq!(open(&both, "ext/0").1, Ok("ext/0".to_owned()));
    assert_eq!(open(&[("ext", "rooms/0")], "rooms/0").1, Ok("ext/rooms/0".to_owned()));
    assert_eq!(open(&[("ext", "0")], "17").1, Ok("ext/17".to_owned()), "what is not configured can be named");
    let why = open(&[("ext", "0")], "exts/0").1.unwrap_err();
    assert_eq!(why, "there is no adapter `exts`; there is ext");
}

#[test]
fn a_world_that_cannot_be_asked_for_its_tasks_says_why_in_their_place() {
    let none = Adapter::new("none", vec!["/nowhere/at all".to_owned()]);
    let listed = ExternalWorld::listed(&Arc::new(none)).remove(0);
    assert_eq!(listed.id, "none");
    assert!(
        listed.sentence.contains("cannot be asked for its tasks: `'/nowhere/at all'` cannot be started"),
        "{listed:?}"
    );
}

/// A world of the protocol's second version: it says what it is, its actions are tools, and it gives with each step what it needs to come
/// back. What it was asked goes to standard error; with `forgets` it restores nothing, with `dies` it does not survive being asked to.
const TOOLS: &str = r#"
import json, sys
total = steps = 0
for line in sys.stdin:
    r = json.loads(line)
    print(" ".join(r), file=open(sys.argv[1], "a"))
    if "restore" in r:
        if "dies" in sys.argv:
            sys.exit(3)
        if "forgets" in sys.argv:
            print(json.dumps({"step": r["step"], "error": "gone"}), flush=True)
            continue
        total, steps = r["restore"]
        print(json.dumps({"step": steps}), flush=True)
        continue
    answer = {"error": None}
    if "reset" in r:
        total = steps = 0
        schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
        answer["hello"] = {"protocol": 2, "name": "Counting", "version": "7", "tasks": [{"id": "ten", "sentence": "Reach ten."}],
            "tools": [{"name": "add", "description": "Adds.", "parameters": schema}]}
    else:
        steps += 1
        if r.get("tool") == "add":
            total += r["arguments"]["n"]
        else:
            answer["error"] = "no tool"
    print(json.dumps(dict(answer, step=steps, observation=f"total {total}", snapshot=[total, steps], won=total == 10)), flush=True)
"#;

fn of_tools(bed: &Bed, more: &[&str]) -> ExternalWorld {
    let asked = bed.file("told").display().to_string();
    let command = ["python3", "-c", TOOLS, &asked].iter().chain(more).map(|word| (*word).to_owned()).collect();
    ExternalWorld::new(Arc::new(Adapter { command, ..bed.adapter() }), None).unwrap()
}

#[test]
fn a_world_says_its_tasks_and_its_actions_as_tools() {
    let bed = Bed::new();
    let mut world = of_tools(&bed, &[]);
    assert_eq!(world.tasks()[0].id, "counter", "nothing was asked yet");
    world.reset("counter/ten", 0).unwrap();
    let tasks: Vec<_> = world.tasks().into_iter().map(|task| (task.id, task.sentence)).collect();
    assert_eq!(tasks, [("counter/ten".to_owned(), "Reach ten.".to_owned())]);
    assert_eq!(world.introduced().as_deref(), Some("Counting 7"));
    let specification = world.specification();
    assert!(specification.contains("class Tools") && specification.contains("def add(self, n"), "{specification}");
    assert_eq!(world.header().setup[0], "tools = Tools()");
    // A call is written as a program's line, as JSON, or as a model writes it.
    for text in ["add(n=2)", "tools.add(n=2)", r#"add({"n": 2})"#, r#"{"name": "add", "arguments": {"n": 2}}"#] {
        assert_eq!(world.call_of(text).unwrap().to_string(), "tools.add(n=2)", "{text}");
    }
    // What can be called is known, and whether a call fits, before it is made.
    assert_eq!(world.tools().unwrap().forms(), ["tools.add(n=)"]);
    let fits = |text: &str| {
        let said = |check: Check| (check.condition, check.detail.unwrap_or_default());
        world.form_checks(&Action::new(text, None)).into_iter().map(said).collect::<Vec<_>>()
    };
    let of = |why: &str| vec![("the arguments fit add".to_owned(), why.to_owned())];
    assert_eq!(fits("add(n=2)"), of(""));
    assert_eq!(fits("add(n='two')"), of("`n`: \"two\" is not of type \"integer\""));
    assert_eq!(fits("add()"), of("\"n\" is a required property"));
    assert!(fits("subtract(n=2)")[0].1.contains("there are add"), "{:?}", fits("subtract(n=2)"));
    assert_eq!(fits("look around"), [], "not a call, and nothing is said of it");
    let outcome = world.act("add(n=2)").unwrap();
    let calls: Vec<_> = outcome.calls().map(ToString::to_string).collect();
    assert_eq!(calls, ["tools.add(n=2)", "results.returned('add', 2, 'total 2')"]);
    assert_eq!(world.text_of(&calls[0].parse().unwrap()).as_deref(), Some("tools.add(n=2)"));
    let refused = world.act("subtract(n=2)").unwrap();
    assert_eq!((refused.error.as_deref(), refused.calls().count()), (Some("no tool"), 0));
    // The recorded specification is made of the same tools when the session is opened again.
    let again = ExternalWorld::new(Arc::new(bed.adapter()), Some(&specification)).unwrap();
    assert_eq!(again.call_of("tools.add(n=2)").unwrap().to_string(), "tools.add(n=2)");
}

#[test]
fn a_tool_without_a_name_is_told() {
    let answer = r#"{"step": 0, "observation": "", "hello": {"tools": [{"name": "add"}, {"description": "Adds."}]}}"#;
    let why = super::line::read(answer.as_bytes()).unwrap_err();
    assert_eq!(why, "`hello.tools[1]` of its answer is no tool: a tool is an object with a `name`");
}

#[test]
fn a_world_that_does_not_survive_being_restored_is_brought_back_by_its_steps() {
    let bed = Bed::new();
    let mut world = of_tools(&bed, &["dies"]);
    world.reset("counter", 0).unwrap();
    world.act("add(n=2)").unwrap();
    let at = world.snapshot();
    world.act("add(n=3)").unwrap();
    world.restore(&at).unwrap();
    assert!(world.act("add(n=1)").is_err(), "it has ended");
    world.remote().unwrap().restart().unwrap();
    assert_eq!(world.remote().unwrap().restored(), 0);
    assert_eq!(world.act("add(n=1)").unwrap().observation, "total 3");
}

#[test]
fn what_a_world_gives_to_come_back_spares_the_replay() {
    let told = |bed: &Bed| std::fs::read_to_string(bed.file("told")).unwrap().replace('\n', "; ");
    let bed = Bed::new();
    let mut world = of_tools(&bed, &[]);
    world.reset("counter", 0).unwrap();
    let mut at = vec![world.snapshot()];
    for _ in 0..3 {
        world.act("add(n=2)").unwrap();
        at.push(world.snapshot());
    }
    world.restore(&at[2]).unwrap();
    assert_eq!(world.act("add(n=1)").unwrap().observation, "total 5");
    assert_eq!(
        told(&bed),
        "reset; act tool arguments; act tool arguments; act tool arguments; restore step; act tool arguments; "
    );
    // On again to where it was, and back in a new process: the last step that can be restored is.
    world.restore(&at[3]).unwrap();
    world.remote().unwrap().restart().unwrap();
    assert_eq!(world.remote().unwrap().restored(), 3);
    assert_eq!(world.act("add(n=4)").unwrap().observation, "total 10");
    assert!(told(&bed).ends_with("act tool arguments; reset; restore step; act tool arguments; "), "{}", told(&bed));
    // Back to the reset, which is asked for as ever.
    world.restore(&at[0]).unwrap();
    assert_eq!(world.act("add(n=3)").unwrap().observation, "total 3");
    assert!(told(&bed).ends_with("reset; act tool arguments; "));

    let bed = Bed::new();
    let mut world = of_tools(&bed, &["forgets"]);
    world.reset("counter", 0).unwrap();
    world.act("add(n=2)").unwrap();
    let there = world.snapshot();
    world.act("add(n=2)").unwrap();
    world.restore(&there).unwrap();
    assert_eq!(world.act("add(n=1)").unwrap().observation, "total 3");
    assert!(told(&bed).ends_with("restore step; reset; act tool arguments; act tool arguments; "), "{}", told(&bed));
}
