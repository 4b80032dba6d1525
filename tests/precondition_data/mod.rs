//! Recordings of precondition inference, as grounds to judge candidates on. Shared by tests and benchmarks.
#![allow(dead_code, unreachable_pub)] // Each user needs some of it.

use std::path::{Path, PathBuf};

use serde_json::Value;
use stepwright::precondition::{Demo, Ground};
use stepwright::program::{Call, Declarations, Specification};

/// The folder of recordings, if it holds `file`; says so where it does not.
pub fn data(file: &str) -> Option<PathBuf> {
    let dir = std::env::var_os("STEPWRIGHT_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from);
    if dir.join(file).exists() {
        return Some(dir);
    }
    eprintln!("not compared: {} holds no {file} (set STEPWRIGHT_DATA)", dir.display());
    None
}

pub fn read_json(path: &Path) -> Value {
    serde_json::from_str(&read(path)).unwrap()
}

pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Which dialogues.
#[derive(Clone, Copy)]
pub enum Source {
    Demos,
    Test,
}

pub fn demos(path: &Path) -> Vec<Demo> {
    let demo = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap();
        let id = value.get("id").or(value.get("episode")).and_then(Value::as_str).unwrap().to_owned();
        let calls = value["calls"].as_array().unwrap();
        Demo { id, calls: calls.iter().map(|c| c.as_str().unwrap().parse::<Call>().unwrap()).collect() }
    };
    read(path).lines().map(demo).collect()
}

/// The household demonstrations on the recordings' own specification.
pub fn household(dir: &Path) -> Ground {
    let source = read(&dir.join("alfworld/program_spec.txt"));
    let paths = |receiver: &str, names: &[&str]| names.iter().map(|n| format!("{receiver}.{n}")).collect::<Vec<_>>();
    let actions = ["goto", "open", "close", "take", "put", "clean", "heat", "cool", "toggle"];
    let mut observations = paths("agent", &["update_visible_objects", "add_inventory", "remove_inventory"]);
    observations.extend(paths("env", &["set_property"]));
    let declarations = Declarations {
        setup: vec!["env = Environment()".into(), "agent = Agent(env)".into()],
        actions: paths("agent", &actions),
        observations,
    };
    let specification = Specification::load_with(&source, "program_spec.txt", declarations).unwrap();
    Ground::new(&specification, demos(&dir.join("sgd/dialogues/alfworld.demos.jsonl"))).unwrap()
}

/// The services there are recordings of.
pub fn services(dir: &Path) -> Vec<String> {
    let domains = read_json(&dir.join("sgd/domains.json"));
    domains["domains"].as_array().unwrap().iter().map(|d| d["service"].as_str().unwrap().to_owned()).collect()
}

fn domain(dir: &Path, service: &str) -> (Value, Value) {
    let domains = read_json(&dir.join("sgd/domains.json"));
    let found = domains["domains"].as_array().unwrap().iter().find(|d| d["service"] == service).unwrap().clone();
    (domains, found)
}

/// A service's specification: the recorded class USER, and SYSTEM with an empty method an action.
pub fn dialogue_specification(dir: &Path, service: &str) -> Specification {
    let (domains, domain) = domain(dir, service);
    let mut source = domains["user_class"].as_str().unwrap().to_owned();
    source.push_str(
        "\nclass SYSTEM:\n    def __init__(self, user):\n        self.user = user\n        self.query_success = None\n\n    \
         def set_query_status(self, status):\n        self.query_success = status\n",
    );
    let mut actions: Vec<(String, Option<String>)> = Vec::new();
    for action in domain["actions"].as_array().unwrap() {
        actions.push((action["action"].as_str().unwrap().into(), action["arg"].as_str().map(str::to_owned)));
    }
    for act in domains["acts_without_service_calls"].as_array().unwrap() {
        let name = act["action"].as_str().unwrap();
        if !actions.iter().any(|(known, _)| known == name) {
            actions.push((name.into(), act["arg"].as_str().map(str::to_owned)));
        }
    }
    for intent in domain["intents"].as_array().unwrap() {
        let name = intent["name"].as_str().unwrap();
        if !actions.iter().any(|(known, _)| known == name) {
            actions.push((name.into(), None));
        }
    }
    for (name, arg) in &actions {
        let arg = arg.as_ref().map(|a| format!(", {a}")).unwrap_or_default();
        source.push_str(&format!("\n    def {name}(self{arg}):\n        pass\n"));
    }
    let user = [
        "INFORM_INTENT",
        "NEGATE_INTENT",
        "AFFIRM_INTENT",
        "REQUEST_ALTS",
        "INFORM",
        "REQUEST",
        "GOODBYE",
        "THANK_YOU",
    ];
    let user = user.iter().chain(&["SELECT", "AFFIRM", "NEGATE"]).map(|f| format!("user.{f}"));
    let declarations = Declarations {
        setup: vec!["user = USER()".into(), "system = SYSTEM(user)".into()],
        actions: actions.iter().map(|(name, _)| format!("system.{name}")).collect(),
        observations: user.chain(["system.set_query_status".to_owned()]).collect(),
    };
    Specification::load_with(&source, service, declarations).unwrap()
}

/// A service's demonstrations or test dialogues.
pub fn service(dir: &Path, service: &str, which: Source) -> Ground {
    let kind = match which {
        Source::Demos => "demos",
        Source::Test => "test",
    };
    let specification = dialogue_specification(dir, service);
    Ground::new(&specification, demos(&dir.join(format!("sgd/dialogues/{service}.{kind}.jsonl")))).unwrap()
}

/// The true preconditions of a service's actions that its demonstrations call.
pub fn truth(dir: &Path, service: &str) -> Vec<(String, Vec<String>)> {
    let (_, domain) = domain(dir, service);
    let called = domain["actions"].as_array().unwrap().iter().filter(|a| a["calls_in_demos"].as_u64() > Some(0));
    called
        .map(|a| {
            let texts = a["ground_truth"].as_array().unwrap().iter().map(|t| t.as_str().unwrap().to_owned());
            (a["action"].as_str().unwrap().to_owned(), texts.collect())
        })
        .collect()
}
