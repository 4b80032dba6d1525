//! Cost of a run of model-written code: with a worker started ahead, without one, and the cost of starting CPython.
//!
//! `cargo bench --bench sandbox` prints medians of rounds in which all three take turns, and their ratios.
#![allow(missing_docs, reason = "a benchmark has no interface")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot begin has nothing to measure")]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use stepwright::sandbox::{Limits, Workers, run};

/// Rounds; the three take turns.
const ROUNDS: usize = 40;
/// Time between runs, in which the worker of the next is started, as it is while a person reads.
const PAUSE: Duration = Duration::from_millis(100);
const CODE: &str = "put_first_on_second('red block', 'table')\nupdate_wm('Put the red block on the table')\n";

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(measure());
}

async fn measure() {
    let values = json!({"state": {"objects": ["red block"], "relations": []}});
    let functions = ["put_first_on_second", "say", "noop", "update_wm"];
    let program = env!("CARGO_BIN_EXE_stepwright");
    let ahead = Workers::at(program, Limits::default());
    ahead.warm();
    let (mut warm, mut cold, mut cpython) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        tokio::time::sleep(PAUSE).await;
        let since = Instant::now();
        let done = run(&ahead, CODE, &functions, &values).await;
        warm.push(since.elapsed());
        assert!(done.fault.is_none() && done.calls.len() == 2, "{:?}", done.fault);
        tokio::time::sleep(PAUSE).await;
        let since = Instant::now();
        let done = run(&Workers::at(program, Limits::default()), CODE, &functions, &values).await;
        cold.push(since.elapsed());
        assert!(done.fault.is_none(), "{:?}", done.fault);
        tokio::time::sleep(PAUSE).await;
        let since = Instant::now();
        let python = Command::new("python3").args(["-c", "pass"]).stdin(Stdio::null()).status();
        if python.is_ok_and(|status| status.success()) {
            cpython.push(since.elapsed());
        }
    }
    let (warm, cold) = (median(warm), median(cold));
    println!("a run with a worker started ahead: {warm:?}");
    println!("a run that starts its worker:      {cold:?}, {:.2} times", ratio(cold, warm));
    if cpython.is_empty() {
        println!("python3 -c pass: no python3 here");
    } else {
        let cpython = median(cpython);
        println!("python3 -c pass:                   {cpython:?}, {:.2} times", ratio(cpython, warm));
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn ratio(time: Duration, of: Duration) -> f64 {
    time.as_secs_f64() / of.as_secs_f64().max(f64::EPSILON)
}
