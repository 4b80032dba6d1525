//! The fitted examples against the recorded programs of test tasks: how much of a written program they have in common, best of a task's.
//! The tasks are known by their titles alone; the programs only judge.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking, as tests do")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use stepwright_graph::{Line, Names, language, metrics, script};
use stepwright_plan::fit::{Example, Examples};

fn data() -> Option<PathBuf> {
    let path = PathBuf::from(std::env::var_os("STEPWRIGHT_DATA")?).join("virtualhome");
    path.is_dir().then_some(path)
}

fn lines(path: PathBuf) -> Vec<Value> {
    std::fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn words(text: &str) -> Vec<String> {
    let split = text.split(|c: char| !c.is_alphanumeric());
    split.filter(|w| !w.is_empty()).map(str::to_lowercase).collect()
}

/// A likeness of tasks that needs no sentence vectors: the share of their words in common.
fn likeness(a: &str, b: &str) -> f64 {
    let (a, b) = (words(a), words(b));
    let both = a.iter().filter(|w| b.contains(w)).count();
    both as f64 / ((a.len() * b.len()) as f64).sqrt().max(1.0)
}

#[test]
fn fitted_examples_have_steps_in_common_with_what_people_wrote() {
    let Some(data) = data() else { return };
    let names = Names::read(&std::fs::read_to_string(data.join("resources/names.json")).unwrap()).unwrap();
    let names = names.get("lp").unwrap();
    let mut admissible: Vec<String> =
        serde_json::from_str(&std::fs::read_to_string(data.join("available_actions.json")).unwrap()).unwrap();
    for step in &mut admissible {
        *step = step.replace('_', " ");
    }
    admissible.sort();
    let examples = lines(data.join("examples.jsonl"));
    let plans: Vec<Example> = examples
        .iter()
        .map(|e| {
            let steps = e["text"].as_str().unwrap().lines().skip(1);
            let steps = steps.map(|l| l.split_once(':').unwrap().1.trim().to_owned()).collect();
            Example { task: e["title"].as_str().unwrap().to_owned(), steps }
        })
        .collect();
    let mut truth: BTreeMap<String, Vec<Vec<Line>>> = BTreeMap::new();
    for program in lines(data.join("programs.jsonl")).iter().filter(|p| p["split"] == "test") {
        let text = program["program"].as_array().unwrap().iter().map(|l| l.as_str().unwrap());
        truth.entry(program["title"].as_str().unwrap().to_owned()).or_default().push(script::parse(text).unwrap());
    }
    let library = Examples::of(&plans);
    let mut total = 0.0;
    for (title, programs) in &truth {
        let near: Vec<f64> = plans.iter().map(|example| likeness(title, &example.task)).collect();
        let plan = library.fitted(title, &near, &admissible).unwrap();
        let read: Vec<Line> = plan
            .steps
            .iter()
            .filter_map(|step| script::parse_line(&language::scripted(step, names).script).ok())
            .collect();
        let best = programs.iter().map(|program| metrics::lcs(&read, program, names)).fold(0.0, f64::max);
        println!("{best:.2} {title} <- {} {:?} {:?}", plans[plan.example].task, plan.changed, plan.steps);
        total += best;
    }
    let mean = 100.0 * total / truth.len() as f64;
    println!("mean {mean:.2}");
    // What is fitted, before a step is tried; the paper's 24.72 is held against what was tried (`bars.rs`).
    assert!(mean >= 24.5, "{mean:.2}");
}
