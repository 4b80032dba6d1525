//! Confined workers doing real runs: what the engine needs of the system it still gets. Called as a worker this program is one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::json;
use stepwright_sandbox::{Bound, FaultKind, Limits, Workers, run};

fn main() -> ExitCode {
    if let Some(code) = stepwright_worker::serve(std::env::args_os()) {
        return code;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        programs_run().await;
        what_is_used_up_stops_a_run().await;
        #[cfg(unix)]
        a_slow_start_is_no_time_of_the_codes().await;
    });
    ExitCode::SUCCESS
}

fn workers(wall: u64) -> Workers {
    Workers::at(std::env::current_exe().unwrap(), Limits { wall: Duration::from_millis(wall), ..Limits::default() })
}

async fn programs_run() {
    let workers = workers(20_000);
    let values = json!({"objects": ["red block", "green block"], "numbers": (0..2_000).collect::<Vec<u32>>()});
    for (code, calls) in [
        ("say('a')", vec!["say(\"a\")"]),
        (
            "for o in sorted(objects): say(o.upper(), len(numbers))",
            vec!["say(\"GREEN BLOCK\", 2000)", "say(\"RED BLOCK\", 2000)"],
        ),
        ("def f(n): return 1 if n < 2 else n * f(n - 1)\nsay(str(f(150))[:5])", vec!["say(\"57133\")"]),
        (
            "d = {i: str(i) * 10 for i in range(20000)}\nsay(len(d), sum(len(x) for x in d.values()))",
            vec!["say(20000, 888900)"],
        ),
        ("try:\n    [][1]\nexcept IndexError as e:\n    say(str(e))", vec!["say(\"list index out of range\")"]),
        ("say(round(2 ** 0.5, 3), f'{3.14159:.2f}', {1, 2} == {2, 1})", vec!["say(1.414, \"3.14\", True)"]),
    ] {
        let run = run(&workers, code, &["say"], &values).await;
        let made: Vec<String> = run.calls.iter().map(|(call, _)| call.to_string()).collect();
        assert_eq!((made, run.fault), (calls.into_iter().map(str::to_owned).collect(), None), "{code}");
    }
    // A large order fits beside the code's own memory.
    let values = json!({"objects": vec!["some object of the world"; 200_000]});
    let run = run(&workers, "say(len(objects))", &["say"], &values).await;
    assert_eq!((run.calls.len(), run.fault), (1, None));
}

async fn what_is_used_up_stops_a_run() {
    let (hurried, patient) = (workers(700), workers(20_000));
    for (code, bound) in [
        ("while True: pass", Bound::Time),
        ("def f(n): return f(n + 1)\nf(0)", Bound::Depth),
        ("x = 'a' * 10 ** 12", Bound::Memory),
        ("l = []\nwhile True: l.append('x' * 1000 + str(len(l)))", Bound::Memory),
        ("d = {}\nwhile True: d[len(d)] = [len(d)] * 100", Bound::Memory),
        ("while True: say(1)", Bound::Calls),
    ] {
        let since = Instant::now();
        let of = if bound == Bound::Time { &hurried } else { &patient };
        let run = run(of, code, &["say"], &json!({})).await;
        assert_eq!(run.fault.map(|f| f.kind), Some(FaultKind::Limit(bound)), "{code}");
        assert!(since.elapsed() < Duration::from_secs(60), "{code}");
    }
    for deep in ["[", "(", "not ", "lambda: "] {
        let run = run(&hurried, &format!("x = {}1", deep.repeat(20_000)), &["say"], &json!({})).await;
        assert!(!matches!(run.fault.clone().unwrap().kind, FaultKind::Worker(_)), "{deep}: {:?}", run.fault);
    }
}

/// On a busy machine a worker gets no processor for a while; what the code does is the same.
#[cfg(unix)]
async fn a_slow_start_is_no_time_of_the_codes() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = std::env::temp_dir().join(format!("stepwright-slow-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("worker");
    let itself = std::env::current_exe().unwrap();
    std::fs::write(&path, format!("#!/bin/sh\n/bin/sleep 2\nexec '{}' \"$@\"\n", itself.display())).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let limits = Limits { wall: Duration::from_millis(1_000), ..Limits::default() };
    let run = run(&Workers::at(&path, limits), "say(1)\nsay(2)", &["say"], &json!({})).await;
    assert_eq!((run.calls.len(), run.fault), (2, None));
    std::fs::remove_dir_all(folder).unwrap();
}
