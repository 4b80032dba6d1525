//! Many episodes of an agent: the program killed in between and started again, nothing done twice and nothing lost.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use stepwright::episode::log;

use super::{Bed, chat, results, three};

const TASKS: usize = 20;
/// The task of which the model would empty the folder.
const PLANTED: usize = 13;
/// Episodes that are over before the kill.
const BEFORE: usize = 5;

fn name(task: usize) -> String {
    format!("t{task:02}")
}

/// What the agent of a task was answered, in all its starts.
fn answers(bed: &Bed, task: usize) -> Vec<String> {
    let seen = std::fs::read_to_string(bed.at(&format!("seen-{}", name(task)))).unwrap_or_default();
    seen.lines().map(str::to_owned).collect()
}

/// How often the agent of a task was started.
fn starts(bed: &Bed, task: usize) -> usize {
    std::fs::read_to_string(bed.at(&format!("seen-{}-starts", name(task)))).unwrap_or_default().len()
}

/// Whether no agent of a task runs: each has the file of its answers locked.
fn is_over(bed: &Bed, task: usize) -> bool {
    let file = std::fs::File::open(bed.at(&format!("seen-{}", name(task))));
    file.map_or(true, |file| file.try_lock().is_ok())
}

/// The results by task; a task with two is a mistake.
fn done(file: &Path) -> BTreeMap<String, Value> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let lines = whole.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut done = BTreeMap::new();
    for line in lines.filter(|line| line.get("unit").is_some()) {
        let task = line["task"].as_str().unwrap().to_owned();
        assert!(done.insert(task, line).is_none(), "{text}");
    }
    done
}

#[test]
fn twenty_episodes_are_killed_in_between_and_resumed() {
    let planted = format!("Tidy {PLANTED}.");
    let model = move |body: &Value, number: usize| {
        std::thread::sleep(Duration::from_millis(10));
        match results(body) == 1 && body["messages"][1]["content"] == planted.as_str() {
            true => chat(number, Some("rm -rf ./*")),
            false => three(body, number),
        }
    };
    let Some(bed) = Bed::new(model) else { return };
    let task = |n: usize| {
        let seen = bed.at(&format!("seen-{}", name(n)));
        json!({ "id": name(n), "task": format!("Tidy {n}."), "env": { "SEEN": seen } }).to_string() + "\n"
    };
    std::fs::write(bed.at("tasks.jsonl"), (0..TASKS).map(task).collect::<String>()).unwrap();
    std::fs::write(bed.at("own.preconditions.py"), "def bash(self, command):\n    assert 'rm -rf' not in command\n")
        .unwrap();
    let at = |name: &str| bed.at(name).display().to_string();
    let (tasks, rule, out, sessions) = (at("tasks.jsonl"), at("own.preconditions.py"), at("r.jsonl"), at("sessions"));
    let args = [
        "run", "--world", "agent", "--tasks", &tasks, "--preconditions", &rule, "--jobs", "2", "--out", &out,
        "--sessions", &sessions,
    ];
    let mut child = bed.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(120);
    while done(&bed.at("r.jsonl")).len() < BEFORE {
        assert!(Instant::now() < deadline && child.try_wait().unwrap().is_none(), "{:?}", bed.seen());
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // The agents end with it, none asks on; one that had not begun finds nobody to ask.
    let deadline = Instant::now() + Duration::from_secs(60);
    while !(0..TASKS).all(|n| is_over(&bed, n)) {
        assert!(Instant::now() < deadline, "agents go on");
        std::thread::sleep(Duration::from_millis(5));
    }
    let before = done(&bed.at("r.jsonl"));
    let answered: Vec<usize> = (0..TASKS).map(|n| answers(&bed, n).len()).collect();
    let open = TASKS - before.len();
    assert!((1..=TASKS - BEFORE).contains(&open), "it was to be killed in between: {open}");

    let resume = |expected: String| {
        let ran = bed.command(&args).output().unwrap();
        let said = format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        assert!(ran.status.success() && said.contains(&expected), "{said}");
    };
    resume(format!("{open} of {open} episodes run, {} had results already", before.len()));
    let after = done(&bed.at("r.jsonl"));
    let names: BTreeSet<String> = (0..TASKS).map(name).collect();
    assert_eq!(after.keys().cloned().collect::<BTreeSet<_>>(), names);
    for n in 0..TASKS {
        let (answers, result) = (answers(&bed, n), &after[&name(n)]);
        let (steps, ended) = if n == PLANTED { (1, "fails") } else { (4, "") };
        assert_eq!(result["steps"], steps, "{result}");
        assert!(result["ended"].as_str().unwrap().contains(ended), "{result}");
        assert!(result["error"].is_null() && !answers.concat().contains("rm -rf"), "{result} {answers:?}");
        // What had a result was not begun again; what was under way was, from its start.
        match before.get(&name(n)) {
            Some(kept) => assert_eq!((answers.len(), kept, starts(&bed, n)), (answered[n], result, 1)),
            None => assert_eq!(answers.len(), answered[n] + steps, "task {n}"),
        }
    }
    let started: Vec<usize> = (0..TASKS).map(|n| starts(&bed, n)).collect();
    resume(format!("0 of 0 episodes run, {TASKS} had results already"));
    assert_eq!((0..TASKS).map(|n| starts(&bed, n)).collect::<Vec<_>>(), started, "nothing is started to be looked at");
    assert_eq!(done(&bed.at("r.jsonl")), after);

    // The sessions that were cut off are there too, beside those begun again: no answer was given that is not in one of them.
    let mut sessions: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for file in std::fs::read_dir(bed.at("sessions")).unwrap() {
        let session = log::load(&file.unwrap().path()).unwrap().session;
        let decisions = session.nodes().iter().map(|node| node.turn.decisions.len()).sum();
        sessions.entry(session.header.task.clone()).or_default().push(decisions);
    }
    for n in 0..TASKS {
        let (decided, given) = (&sessions[&name(n)], answers(&bed, n).len());
        assert!(decided.len() <= 1 + usize::from(!before.contains_key(&name(n))), "task {n}: {decided:?}");
        // The last of a session that was cut off may not have been given any more.
        assert!((given..=given + 1).contains(&decided.iter().sum()), "task {n}: {decided:?}, {given} given");
    }
}
