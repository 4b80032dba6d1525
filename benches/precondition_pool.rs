//! Cost of validating and ranking a pool of 1000 candidates, against CPython in the same run (`benches/precondition_pool.py`): same
//! pools, same results, one thread each, CPU time of both: the best of several rounds in which the two take turns, as a machine's speed may
//! change meanwhile. Bars: at least twenty times faster, and 100 candidates within 5 ms.
//!
//! The pools are those of the recordings (`golden/large_*.json` under `STEPWRIGHT_DATA`), or one of our own over the shipped
//! demonstrations. `cargo bench --bench precondition_pool`.
#![allow(clippy::unwrap_used)] // A figure that cannot be taken stops the run.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use conform::sgd::{Recordings, Split};
use serde_json::{Value, json};
use stepwright::precondition::{CandidateOrigin, CandidateStore, Demonstrations, Instances, Pool, Validity};
use stepwright::program::{Role, Specification};

struct Problem {
    name: String,
    demos: Demonstrations,
    action: String,
    candidates: Vec<String>,
}

fn folder() -> PathBuf {
    let dir = std::env::var_os("STEPWRIGHT_DATA");
    dir.map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from).join("sgd")
}

fn recorded() -> Vec<Problem> {
    let Ok(recordings) = Recordings::open(&folder()) else { return Vec::new() };
    let pools = [("Restaurants_1", "INFORM"), ("Buses_1", "CONFIRM"), ("Movies_1", "GetTimesForMovie")];
    let read = |(service, action): (&str, &str)| {
        let text = std::fs::read_to_string(folder().join(format!("golden/large_{service}_{action}.json"))).ok()?;
        let pool: Value = serde_json::from_str(&text).ok()?;
        let candidates = pool["candidates"].as_array()?.iter().filter_map(|c| Some(c["cand"].as_str()?.to_owned()));
        let demos = recordings.service(service, Split::Demonstrations).ok()?;
        let name = format!("{service}/{action}");
        Some(Problem { name, demos, action: action.to_owned(), candidates: candidates.collect() })
    };
    pools.into_iter().filter_map(read).collect()
}

/// A thousand candidates for taking a thing in the shipped household, of the shapes that models write.
fn own() -> Problem {
    use stepwright::precondition::Demo;
    use stepwright::worlds::household::{Edition, shipped};
    let source = include_str!("../worlds/household/spec.py");
    let specification = Specification::load(source, "spec.py").unwrap();
    let demos = shipped::demonstrations(Edition::Put).unwrap();
    let demos = Demonstrations::new(&specification, demos.iter().map(Demo::from).collect()).unwrap();
    let parts = [
        "self.inventory is None",
        "self.inventory == obj",
        "self.is_visible(obj)",
        "self.is_visible(recep)",
        "not self.env.get_property(recep, 'open')",
        "len(self.visible_objects) > 3",
        "obj in self.visible_objects",
        "any(o in recep for o in self.visible_objects)",
        "obj.split()[0] != 'mug'",
        "'shelf' in recep",
        "sorted([obj, recep])[0] == obj",
        "self.inventori is None",
        "f'{obj}' == obj",
    ];
    let joins = ["", " and ", " or ", " and not ", " or not ", " == "];
    let mut candidates: Vec<String> = Vec::new();
    for a in parts {
        for b in parts {
            for join in &joins[1..] {
                candidates.push(format!("{a}{join}({b})"));
            }
        }
    }
    candidates.extend(parts.iter().map(ToString::to_string));
    candidates.extend((candidates.len()..1000).map(|n| format!("len(obj) < {n} or self.is_visible(obj)")));
    candidates.truncate(1000);
    Problem { name: "household/take (own pool)".into(), demos, action: "take".into(), candidates }
}

fn for_python(problem: &Problem, repeats: usize) -> Value {
    let specification = problem.demos.specification();
    let function = problem.demos.action(&problem.action).unwrap();
    let instances = Instances::new(&problem.demos, function);
    let is_action =
        |receiver: &str, name: &str| specification.function(receiver, name).is_some_and(|f| f.role == Role::Action);
    let demos: Vec<Vec<Value>> = problem
        .demos
        .all
        .iter()
        .map(|d| {
            let call = |c: &stepwright::program::Call| {
                let args: Vec<Value> = c.args.iter().map(Value::from).collect();
                json!([c.receiver, c.function, args, is_action(&c.receiver, &c.function)])
            };
            d.calls.iter().map(call).collect()
        })
        .collect();
    let bindings: Vec<Vec<Value>> = instances.bindings.iter().map(|b| b.iter().map(Value::from).collect()).collect();
    // Actions run without their assertions, as in ours.
    let without = |line: &str| match line.trim_start().strip_prefix("assert ") {
        Some(rest) => line.replace(&format!("assert {rest}"), "pass"),
        None => line.to_owned(),
    };
    let source: Vec<String> = specification.source().lines().map(without).collect();
    json!({
        "source": source.join("\n"), "setup": specification.declarations().setup, "receiver": function.receiver,
        "action": function.name, "params": function.params, "demonstrations": demos, "bindings": bindings,
        "candidates": problem.candidates, "repeats": repeats,
    })
}

fn python(problem: &Problem, repeats: usize) -> Option<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/precondition_pool.py");
    let mut command = Command::new("python3");
    let mut child = command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    child.stdin.take()?.write_all(for_python(problem, repeats).to_string().as_bytes()).ok()?;
    serde_json::from_slice(&child.wait_with_output().ok()?.stdout).ok()
}

/// CPU time of this thread.
fn spent() -> Duration {
    rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime).try_into().unwrap()
}

/// From texts to the ranked pool, and how long the fastest of several passes took.
fn ours(problem: &Problem, candidates: &[String], repeats: usize) -> (Pool, Duration) {
    let specification = problem.demos.specification();
    let pass = || {
        // From scratch each time: what is learned of the states in one pass is not used in the next.
        let mut store = CandidateStore::new(specification, problem.demos.all.clone()).unwrap();
        let begun = spent();
        let pool = store.offer(&problem.action, CandidateOrigin::Model, candidates, |_, _| true).unwrap();
        (pool, spent().saturating_sub(begun))
    };
    (0..repeats).map(|_| pass()).min_by_key(|(_, time)| *time).unwrap()
}

/// Where the two differ, in words. A text that is there twice is one candidate in the store: its first place counts.
fn differences(problem: &Problem, pool: &Pool, theirs: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let place = |text: &String| pool.candidates.iter().position(|c| c.text == *text);
    for (at, text) in problem.candidates.iter().enumerate() {
        let Some(mine) = place(text).and_then(|p| pool.candidates.get(p)) else {
            found.push(format!("`{text}` is not in the pool"));
            continue;
        };
        let (valid, sat) = (mine.fate == Validity::Valid, mine.coverage);
        if Some(valid) != theirs["valid"][at].as_bool() || sat.map(|n| n as u64) != theirs["sat"][at].as_u64() {
            found
                .push(format!("`{text}`: ours {valid} {sat:?}, CPython {} {}", theirs["valid"][at], theirs["sat"][at]));
        }
    }
    let named = |members: &mut dyn Iterator<Item = String>, optimal: bool| {
        let mut names: Vec<String> = members.collect();
        names.sort();
        names.dedup();
        (names, optimal)
    };
    let mut mine: Vec<(Vec<String>, bool)> = Vec::new();
    for cluster in 0.. {
        let of = || pool.candidates.iter().filter(|c| c.cluster == Some(cluster));
        let Some(first) = of().next() else { break };
        mine.push(named(&mut of().map(|c| c.text.clone()), first.optimal));
    }
    let text = |id: &Value| id.as_u64().and_then(|id| problem.candidates.get(id as usize)).cloned();
    let theirs = theirs["clusters"].as_array().into_iter().flatten();
    let theirs: Vec<(Vec<String>, bool)> = theirs
        .map(|c| {
            named(&mut c["members"].as_array().into_iter().flatten().filter_map(text), c["optimal"] == json!(true))
        })
        .collect();
    if mine != theirs {
        found.push(format!("the clusters differ: {} and {}", mine.len(), theirs.len()));
    }
    found
}

/// How often the two take turns.
const ROUNDS: usize = 4;

fn main() {
    let mut problems = recorded();
    if problems.is_empty() {
        eprintln!("no recorded pools in {} (set STEPWRIGHT_DATA): a pool of our own instead", folder().display());
        problems.push(own());
    }
    for problem in &problems {
        let (pool, mut time) = ours(problem, &problem.candidates, 20);
        let mut theirs = None;
        let mut cpu = f64::INFINITY;
        for _ in 0..ROUNDS {
            theirs = python(problem, 3);
            cpu = cpu.min(theirs.as_ref().and_then(|found| found["cpu"].as_f64()).unwrap_or(f64::INFINITY));
            time = time.min(ours(problem, &problem.candidates, 20).1);
        }
        let hundred: Vec<String> = problem.candidates.iter().take(100).cloned().collect();
        let (_, short) = ours(problem, &hundred, 20);
        let valid = pool.candidates.iter().filter(|c| c.fate == Validity::Valid).count();
        let milliseconds = |d: Duration| d.as_secs_f64() * 1e3;
        println!(
            "{}: {} candidates, {valid} valid, {:.1} ms; the first 100 in {:.2} ms (bar: 5 ms)",
            problem.name,
            problem.candidates.len(),
            milliseconds(time),
            milliseconds(short)
        );
        let Some(theirs) = theirs else {
            println!("  no python3 to compare with");
            continue;
        };
        let differences = differences(problem, &pool, &theirs);
        for difference in differences.iter().take(10) {
            println!("  DIFFERS {difference}");
        }
        println!(
            "  CPython {}: {:.1} ms of CPU; {:.1} times ours (bar: 20); {} differences",
            theirs["python"].as_str().unwrap_or("?"),
            cpu * 1e3,
            cpu / time.as_secs_f64(),
            differences.len()
        );
    }
}
