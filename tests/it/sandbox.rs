//! Model-written code in worker processes: what it calls, what stops it, and what happens when a worker fails.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use crate::support::program::PROGRAM;
use crate::support::recordings::recordings;
use serde_json::{Value, json};
use stepwright::sandbox::{Bound, Fault, FaultKind, Limits, Run, Step, Workers, run};

const FUNCTIONS: &[&str] = &["put_first_on_second", "say", "noop", "update_wm"];

fn workers() -> Workers {
    Workers::at(PROGRAM, Limits { wall: Duration::from_secs(20), ..Limits::default() })
}

fn limited(wall: u64) -> Workers {
    Workers::at(PROGRAM, Limits { wall: Duration::from_millis(wall), ..Limits::default() })
}

async fn all(workers: &Workers, code: &str) -> Run {
    run(workers, code, FUNCTIONS, &json!({"state": {"objects": ["red block"]}})).await
}

fn texts(run: &Run) -> Vec<String> {
    run.calls.iter().map(|(call, _)| call.to_string()).collect()
}

fn script(folder: &tempfile::TempDir, body: &str) -> Workers {
    script_within(Duration::from_secs(20), folder, body)
}

fn script_within(wall: Duration, folder: &tempfile::TempDir, body: &str) -> Workers {
    let path = folder.path().join("worker");
    std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    Workers::at(path, Limits { wall, ..Limits::default() })
}

#[tokio::test]
async fn a_run_suspends_at_each_call_and_goes_on_with_its_answer() {
    let workers = workers();
    let code = "x = say('how many?')\nfor i in range(x):\n    put_first_on_second(state['objects'][0], 'table')\n";
    let mut running = workers.start("", code, FUNCTIONS, &json!({"state": {"objects": ["red block"]}}));
    let Step::Call { call, line: 1, .. } = running.next(Value::Null).await else { panic!("no call") };
    assert_eq!(call.to_string(), "say(\"how many?\")");
    // A person may take longer than the worker may.
    tokio::time::sleep(Duration::from_millis(50)).await;
    for answer in [json!(2), Value::Null] {
        let Step::Call { call, line: 3, .. } = running.next(answer).await else { panic!("no call") };
        assert_eq!(call.to_string(), "put_first_on_second(\"red block\", \"table\")");
    }
    assert_eq!(running.next(Value::Null).await, Step::Finished);
    assert_eq!(running.next(Value::Null).await, Step::Finished);
}

#[tokio::test]
async fn time_in_which_a_person_thinks_is_not_the_workers() {
    let workers = limited(1_500);
    let mut running = workers.start("", "say(1)\nsay(2)", FUNCTIONS, &Value::Null);
    assert!(matches!(running.next(Value::Null).await, Step::Call { .. }));
    tokio::time::sleep(Duration::from_millis(1_600)).await;
    assert!(matches!(running.next(Value::Null).await, Step::Call { .. }));
    assert_eq!(running.next(Value::Null).await, Step::Finished);
}

#[tokio::test]
async fn what_would_not_end_is_stopped() {
    let (hurried, patient) = (limited(700), workers());
    for (code, bound) in [
        ("while True: pass", Bound::Time),
        ("x = 0\nwhile True:\n  try:\n    while True: x += 1\n  except BaseException: pass", Bound::Time),
        ("def f(n): return f(n + 1)\nf(0)", Bound::Depth),
        ("while True: noop()", Bound::Calls),
        ("say('a' * 10_000_000)", Bound::Message),
        ("x = 'a' * 10 ** 12", Bound::Memory),
        ("x = 10 ** 10 ** 9", Bound::Memory),
    ] {
        let since = Instant::now();
        let run = all(if bound == Bound::Time { &hurried } else { &patient }, code).await;
        assert_eq!(run.fault.as_ref().map(|f| &f.kind), Some(&FaultKind::Limit(bound)), "{code}: {:?}", run.fault);
        assert!(since.elapsed() < Duration::from_secs(20), "{code}");
    }
}

#[tokio::test]
async fn memory_is_bounded_by_the_operating_system_where_the_engine_does_not_see_it() {
    let workers = workers();
    for code in
        ["l = []\nwhile True: l.append('x' * 1000 + str(len(l)))", "d = {}\nwhile True: d[len(d)] = [len(d)] * 100"]
    {
        let run = all(&workers, code).await;
        if cfg!(target_os = "linux") {
            assert_eq!(run.fault.unwrap().kind, FaultKind::Limit(Bound::Memory), "{code}");
        } else {
            assert!(matches!(run.fault.unwrap().kind, FaultKind::Limit(_)), "{code}");
        }
    }
}

#[tokio::test]
async fn hostile_texts_are_answered_with_a_fault() {
    let workers = limited(2_000);
    let deep = |open: &str, close: &str| format!("x = {}1{}", open.repeat(20_000), close.repeat(20_000));
    for code in [
        deep("[", "]"),
        deep("(", ")"),
        deep("not ", ""),
        deep("{1:", "}"),
        deep("lambda: ", ""),
        format!("x = {}1", "1 + ".repeat(50_000)),
        format!("f'{}'", "{".repeat(10_001)),
        "if 1:\n".to_owned() + &(1..2_000).map(|n| format!("{}if 1:\n", " ".repeat(n))).collect::<String>(),
        format!("x = '{}'", "y".repeat(1 << 20)),
        format!("# {}\nsay(1)", "z".repeat(1 << 20)),
        "\0".to_owned(),
        "say(1)\u{2028}import os".to_owned(),
        "import os; os.system('true')".to_owned(),
    ] {
        let run = all(&workers, &code).await;
        let fault = run.fault.unwrap_or_else(|| panic!("{code:.60}"));
        assert!(!matches!(fault.kind, FaultKind::Worker(_)), "{code:.60}: {fault}");
        assert!(run.calls.is_empty(), "{code:.60}");
    }
}

#[tokio::test]
async fn much_that_is_printed_goes_nowhere() {
    let run = all(&workers(), "for i in range(2000): print('x' * 1000)\nsay('done')").await;
    assert_eq!((texts(&run), run.fault), (vec!["say(\"done\")".to_owned()], None));
}

#[tokio::test]
async fn a_long_message_of_an_exception_is_cut() {
    let fault = all(&workers(), "raise ValueError('x' * 1000000)").await.fault.unwrap();
    let FaultKind::Raised(exception, message) = fault.kind else { panic!("{fault}") };
    assert_eq!(exception, "ValueError");
    assert!(message.len() < 9_000);
}

#[tokio::test]
async fn runs_go_on_beside_one_another() {
    let workers = workers();
    let runs = (0..8).map(|n| {
        let workers = workers.clone();
        tokio::spawn(async move { all(&workers, &format!("for i in range({n}): say(i)")).await })
    });
    for (n, run) in runs.collect::<Vec<_>>().into_iter().enumerate() {
        let run = run.await.unwrap();
        assert_eq!((run.calls.len(), run.fault), (n, None));
    }
}

#[tokio::test]
async fn a_worker_that_is_not_there_is_said_not_to_be() {
    let workers = Workers::at("/nowhere/stepwright", Limits::default());
    let fault = all(&workers, "say(1)").await.fault.unwrap();
    assert!(matches!(&fault.kind, FaultKind::Worker(why) if why.contains("/nowhere/stepwright")), "{fault}");
}

#[tokio::test]
async fn a_worker_that_fails_is_the_sandboxs_fault_not_the_codes() {
    let folder = tempfile::tempdir().unwrap();
    for (body, says) in [
        ("exit 3", "exit status: 3"),
        ("read x; echo it broke >&2; kill -9 $$", "it broke"),
        ("read x; echo '{\"fault\": nonsense'", "no answer"),
        ("echo 'Welcome!'; cat", "no answer"),
        ("read x; exec 1>&-; sleep 60", "closed its output"),
        ("read x; yes | head -c 10000000 | tr -d '\\n'; sleep 60", "more than an answer"),
        (
            "read x; echo '{\"call\": {\"call\": {\"function\": \"say\", \"args\": []}, \"line\": 1, \"way\": [1]}}'; exit 0",
            "ended",
        ),
    ] {
        let workers = script(&folder, body);
        let fault = all(&workers, "say(1)").await.fault.unwrap();
        assert!(matches!(&fault.kind, FaultKind::Worker(why) if why.contains(says)), "{body}: {fault}");
    }
}

#[tokio::test]
async fn a_worker_that_says_nothing_is_killed_with_its_group() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let workers = script_within(
        Duration::from_secs(2),
        &folder,
        &format!("read x; sleep 60 & echo $! > {}; wait", pid.display()),
    );
    let since = Instant::now();
    let fault = all(&workers, "say(1)").await.fault.unwrap();
    assert_eq!(fault.kind, FaultKind::Limit(Bound::Time));
    assert!(since.elapsed() < Duration::from_secs(30));
    let child: i32 = std::fs::read_to_string(&pid).unwrap().trim().parse().unwrap();
    assert!(gone(child).await, "its child still runs");
}

async fn gone(pid: i32) -> bool {
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    for _ in 0..200 {
        if rustix::process::test_kill_process(pid).is_err() || is_zombie(pid.as_raw_nonzero().get()) {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    false
}

/// Whether a process has ended and only waits to be collected by the process that inherited it.
fn is_zombie(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z'))
}

#[tokio::test]
async fn dropping_a_run_ends_its_worker_and_the_spare_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("pids");
    // Prints its number, then becomes the worker.
    let workers = script(&folder, &format!("echo $$ >> {}; exec {PROGRAM} \"$@\"", log.display()));
    let mut running = workers.start("", "while True: say(1)", FUNCTIONS, &Value::Null);
    assert!(matches!(running.next(Value::Null).await, Step::Call { .. }));
    // Beside the worker of the run another is started ahead; either may be the first to report.
    let mut pids: Vec<i32> = Vec::new();
    for _ in 0..800 {
        let reported = std::fs::read_to_string(&log).unwrap_or_default();
        pids = reported.lines().filter_map(|line| line.parse().ok()).collect();
        if pids.len() == 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    assert_eq!(pids.len(), 2);
    drop(running);
    let (first, second) = (gone(pids[0]), gone(pids[1]));
    let spare = tokio::select! {
        true = first => pids[1],
        true = second => pids[0],
        else => panic!("the worker of the run still runs"),
    };
    // One that died meanwhile serves no run.
    let pid = rustix::process::Pid::from_raw(spare).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    assert!(gone(spare).await);
    let run = all(&workers, "say(2)").await;
    assert_eq!(texts(&run), ["say(2)"], "{:?}", run.fault);
}

#[tokio::test]
async fn a_worker_killed_in_the_middle_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("pid");
    let workers = script(&folder, &format!("echo $$ >> {}; exec {PROGRAM} \"$@\"", log.display()));
    let mut running = workers.start("", "say(1)\nsay(2)", FUNCTIONS, &Value::Null);
    assert!(matches!(running.next(Value::Null).await, Step::Call { .. }));
    // The worker started ahead may have reported its number too.
    for pid in std::fs::read_to_string(&log).unwrap().lines() {
        let pid = rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }
    let Step::Fault(fault) = running.next(Value::Null).await else { panic!("no fault") };
    assert!(matches!(&fault.kind, FaultKind::Worker(why) if why.contains("signal: 9")), "{fault}");
    assert_eq!(running.next(Value::Null).await, Step::Fault(fault));
}

#[tokio::test]
async fn the_environment_is_empty_and_the_folder_is_the_root() {
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen");
    let workers = script(&folder, &format!("(pwd; env) > {}; exit 1", seen.display()));
    let _ = all(&workers, "say(1)").await;
    let seen = std::fs::read_to_string(seen).unwrap();
    let allowed = |line: &str| {
        ["/", "PWD=/", "OLDPWD=/", "SHLVL=", "_="]
            .iter()
            .any(|start| line == *start || (start.ends_with('=') && line.starts_with(start)))
    };
    assert!(seen.lines().all(allowed), "{seen}");
}

#[test]
fn a_worker_ends_with_the_program_that_started_it() {
    let mut child = std::process::Command::new(PROGRAM)
        .args(["sandbox-worker", "200000000", "60"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let order = json!({"code": "while True: pass", "functions": [], "values": null,
        "limits": {"wall": {"secs": 60, "nanos": 0}, "memory": 64 << 20, "calls": 1, "depth": 50}});
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, format!("{order}\n").as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    assert!(child.try_wait().unwrap().is_none());
    drop(stdin);
    let since = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(since.elapsed() < Duration::from_secs(20), "it still runs");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The worker that is started ahead is confined before it is given anything, and holds no descriptor of its program's.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_worker_started_ahead_is_confined_before_it_reads() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("pids");
    let workers = script(&folder, &format!("echo $$ >> {0}; exec 9<{0}; exec {PROGRAM} \"$@\"", log.display()));
    workers.warm();
    let pid = loop {
        if let Some(pid) = std::fs::read_to_string(&log).ok().and_then(|t| t.trim().parse::<i32>().ok()) {
            break pid;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    let since = Instant::now();
    let status = loop {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        if status.contains("Seccomp:\t2") {
            break status;
        }
        assert!(since.elapsed() < Duration::from_secs(60), "not confined: {status}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert!(status.contains("NoNewPrivs:\t1"), "{status}");
    let open: Vec<_> = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten().map(|e| e.file_name()).collect();
    assert_eq!(open.len(), 3, "{open:?}");
    let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
    let of = |name: &str| limits.lines().find_map(|l| l.strip_prefix(name)).unwrap().split_whitespace().next().unwrap();
    assert_eq!((of("Max open files"), of("Max processes"), of("Max file size")), ("3", "0", "0"));
    assert_ne!(of("Max address space"), "unlimited");
    assert_eq!(of("Max cpu time"), "22");
    for thread in std::fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten() {
        let status = std::fs::read_to_string(thread.path().join("status")).unwrap();
        assert!(status.contains("Seccomp:\t2"), "a thread is not confined: {status}");
    }
    assert_eq!(texts(&all(&workers, "say(2)").await), ["say(2)"]);
}

#[test]
fn the_check_prints_what_holds_here() {
    let done = std::process::Command::new(PROGRAM).args(["sandbox", "--check"]).output().unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    assert!(text.contains("read a file") && text.contains("compute for longer"), "{text}");
    if cfg!(target_os = "linux") {
        assert!(done.status.success() && text.contains("seccomp                             yes"), "{text}");
        let first =
            |line: &str| line.get(36..).unwrap_or_default().split_whitespace().next().unwrap_or_default().to_owned();
        let trials = text.lines().skip_while(|l| !l.starts_with("it tries to")).skip(1).take_while(|l| !l.is_empty());
        assert!(trials.clone().count() == 16 && trials.clone().all(|l| first(l) == "held"), "{text}");
    }
}

#[test]
fn what_is_no_order_is_refused() {
    for input in ["", "hello\n", "{}\n", "{\"answer\": 1}\n"] {
        let mut child = std::process::Command::new(PROGRAM)
            .args(["sandbox-worker", "200000000", "60"])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
        let done = child.wait_with_output().unwrap();
        assert!(done.stdout.is_empty(), "{input}");
    }
}

fn data(file: &str) -> Option<String> {
    recordings(file).map(|path| std::fs::read_to_string(path).unwrap())
}

fn own_part(generated: &str) -> &str {
    let mut at = 0;
    for line in generated.split_inclusive('\n') {
        if line.starts_with("# query:") {
            return &generated[..at];
        }
        at += line.len();
    }
    generated
}

/// Every recorded text of a model gives the moves, answers and updates that were recorded for it. A text that is no program
/// (the recorded runs hold a notice where the context was full) gives none, and a syntax error.
#[tokio::test]
async fn recorded_code_makes_the_recorded_calls() {
    let Some(runs) = data("statler/recorded_runs.jsonl") else { return };
    let workers = workers();
    let (mut steps, mut no_programs) = (0, 0);
    for recorded in runs.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        for step in recorded["steps"].as_array().unwrap() {
            let name = format!("{} {} {}", recorded["id"], recorded["method"], step["step"]);
            let generated = step["generated"].as_str().unwrap();
            let code = own_part(generated);
            let made = all(&workers, code).await;
            let of = |function: &str| {
                made.calls.iter().filter(|(c, _)| c.function == function).map(|(c, _)| &c.args).collect::<Vec<_>>()
            };
            let single = |function: &str| of(function).iter().map(|args| args[0].clone()).collect::<Vec<_>>();
            assert_eq!(json!(of("put_first_on_second")), step["moves"], "{name}");
            assert_eq!(json!(single("say")), step["say"], "{name}");
            // The writer is also asked for what the model wrote beyond this query.
            let updates = step["update"].as_array().unwrap();
            let own = single("update_wm");
            assert_eq!(own[..], updates[..own.len()], "{name}");
            assert!(own.len() == updates.len() || code.len() < generated.len(), "{name}");
            match made.fault {
                None => {}
                Some(fault) => {
                    assert!(matches!(&fault.kind, FaultKind::Raised(e, _) if e == "SyntaxError"), "{name}: {fault}");
                    assert!(made.calls.is_empty());
                    no_programs += 1;
                }
            }
            steps += 1;
        }
    }
    assert!(steps > 0);
    eprintln!("{steps} recorded texts, {no_programs} of them no programs");
}

/// The gold code of every episode gives the gold moves.
#[tokio::test]
async fn gold_code_makes_the_gold_moves() {
    let workers = workers();
    for domain in ["pick_and_place", "disinfection", "weight"] {
        let Some(text) = data(&format!("statler/episodes_{domain}.json")) else { return };
        let episodes: Value = serde_json::from_str(&text).unwrap();
        let mut steps = 0;
        for episode in episodes.as_array().unwrap() {
            for step in episode["steps"].as_array().unwrap() {
                // The publication reads it line by line, and some lines are indented by mistake.
                let code: Vec<&str> = step["gold_code"].as_str().unwrap().lines().map(str::trim).collect();
                let made = all(&workers, &code.join("\n")).await;
                let moves: Vec<_> = made
                    .calls
                    .iter()
                    .filter(|(c, _)| c.function == "put_first_on_second")
                    .map(|(c, _)| &c.args)
                    .collect();
                assert_eq!(
                    (json!(moves), &made.fault),
                    (step["gold_moves"].clone(), &None),
                    "{}: {}",
                    episode["id"],
                    step["query"]
                );
                steps += 1;
            }
        }
        assert!(steps > 0);
    }
}

/// Programs of one construct each print what CPython prints, or the construct is said not to be supported.
#[tokio::test]
async fn constructs_behave_as_in_cpython_or_are_unsupported() {
    let Some(constructs) = data("python/constructs.jsonl") else { return };
    let workers = workers();
    let (mut equal, mut not_offered, mut wrong) = (0, Vec::new(), Vec::new());
    for construct in constructs.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let source = construct["source"].as_str().unwrap();
        // A host function of that name comes before the builtin; of plain texts the output can be put together again.
        let made = run(&workers, &shown(source), &["show"], &Value::Null).await;
        let printed: String = made.calls.iter().map(|(call, _)| call.args[0].as_str().unwrap()).collect();
        match made.fault {
            None if printed == construct["stdout"].as_str().unwrap() => equal += 1,
            None => wrong.push(format!("{}: {printed:?}, not {}", construct["name"], construct["stdout"])),
            Some(fault) => match &fault.kind {
                FaultKind::Unsupported(_) | FaultKind::Forbidden(_) => {
                    not_offered.push(format!("{}: {fault}", construct["name"]))
                }
                _ => wrong.push(format!("{}: {fault}", construct["name"])),
            },
        }
    }
    eprintln!("{equal} as CPython; not offered: {}", not_offered.join("; "));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(equal >= 29);
}

/// `print` of a program, made a host function that is given the line.
fn shown(source: &str) -> String {
    let print = "def print(*args, sep=' ', end='\\n'): show(sep.join([str(a) for a in args]) + end)";
    format!("{print}\n{source}")
}

/// Programs made to break out, hang or crash.
#[tokio::test]
async fn recorded_hostile_programs_end() {
    let Some(hostile) = data("python/hostile.jsonl") else { return };
    let workers = limited(300);
    for program in hostile.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let since = Instant::now();
        let made = all(&workers, program["source"].as_str().unwrap()).await;
        assert!(since.elapsed() < Duration::from_secs(30), "{}", program["name"]);
        if let Some(Fault { kind: FaultKind::Worker(why), .. }) = made.fault {
            panic!("{}: {why}", program["name"]);
        }
    }
}

/// A worker judges assertions without a verdict of the bounded evaluator as the evaluator judges others of the same
/// meaning.
#[test]
fn the_second_tier_judges_as_the_first() {
    use stepwright::precondition::{CandidateOrigin, CandidateStore, Demo, SecondTier, Validity};
    use stepwright::program::Specification;
    use stepwright::sandbox::Trials;
    use stepwright::worlds::household::{Edition, shipped};
    let specification = Specification::load(include_str!("../../worlds/household/spec.py"), "spec.py").unwrap();
    // A part of them: each evaluation fills more memory than the evaluator has, and a worker's time is bounded.
    let demos = shipped::demonstrations(Edition::Put).unwrap().iter().take(8).map(Demo::from).collect();
    let store = CandidateStore::new(&specification, demos).unwrap();
    let plain = [
        "self.inventory is None",
        "self.is_visible(obj)",
        "not self.env.get_property(recep, 'open')",
        "self.inventory.startswith('m')",
        "self.env.object_states[obj, 'clean'] or obj in self.visible_objects",
    ];
    // More memory than the evaluator gives.
    let large: Vec<String> = plain.iter().map(|text| format!("len('x' * 5000000) > 0 and ({text})")).collect();
    let offer = |mut store: CandidateStore, texts: &[String]| {
        store.offer("take", CandidateOrigin::Model, texts, |_, _| true).unwrap().candidates
    };
    let first = offer(store.clone(), &plain.map(str::to_owned));
    let unknown = offer(store.clone(), &large);
    assert!(
        unknown
            .iter()
            .all(|c| matches!(&c.fate, Validity::Unknown { reason, .. } if reason == "Budget") && c.coverage.is_none())
    );
    let second = offer(store.with_second_tier(SecondTier::in_workers(Trials::at(PROGRAM))), &large);
    for (one, other) in first.iter().zip(&second) {
        assert_eq!(one.coverage, other.coverage, "{}: {:?}", one.text, other.fate);
        match (&one.fate, &other.fate) {
            (Validity::Valid, Validity::Valid) => {}
            (
                Validity::Fails { demonstration, call, exception, failing, .. },
                Validity::Fails { demonstration: d, call: c, exception: e, failing: f, .. },
            ) => assert_eq!((demonstration, call, exception, failing), (d, c, e, f), "{}", one.text),
            (one, other) => panic!("{one:?} and {other:?}"),
        }
        assert_eq!((one.cluster, one.optimal), (other.cluster, other.optimal));
    }
}

/// A worker that has neither landlock nor seccomp, as on systems that offer none, runs code only where nothing is required.
#[test]
fn code_is_not_run_where_nothing_holds_it() {
    use std::io::Write;
    use stepwright::sandbox::Require;
    use stepwright::sandbox::wire::Order;

    let reply = |words: &[&str], require: Require| {
        let mut command = std::process::Command::new(PROGRAM);
        command
            .arg("sandbox-worker")
            .args(words)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (prelude, code, functions) = (String::new(), "look()".to_owned(), vec!["look".to_owned()]);
        let (values, limits) = (Value::Object(serde_json::Map::default()), Limits::default());
        let order = Order { prelude, code, functions, values, limits, require };
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(format!("{}\n", serde_json::to_string(&order).unwrap()).as_bytes()).unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut line).unwrap();
        drop(stdin);
        child.wait().unwrap();
        line
    };
    let memory = Limits::default().bounds().memory.to_string();
    let bare = [memory.as_str(), "5", "unconfined"];
    let refused = reply(&bare, Require::Any);
    assert!(refused.contains("neither landlock nor seccomp") && refused.contains("sandbox --check"), "{refused}");
    assert!(reply(&bare, Require::None).contains("\"call\""));
    assert!(reply(&bare[..2], Require::Any).contains("\"call\""));
}
