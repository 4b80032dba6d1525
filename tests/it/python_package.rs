//! The Python package of the wheel: worlds, methods and agents served by it are stepped, and the ready worlds speak the protocol. Gymnasium
//! is a module here that has of its interface what is used.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::program::{PROGRAM, at_home};
use serde_json::Value;
use stepwright::world::World;
use stepwright::worlds::external::{Adapter, ExternalWorld};

const COUNTER: &str = r#"
from stepwright import world

class Counter:
    hello = {"name": "Counter", "tasks": [{"id": "four", "sentence": "reach four."}]}

    def reset(self, task, seed):
        print("what a library prints")
        self.total = 0
        return {"observation": "You have 0.", "task": "reach exactly four.", "admissible": ["add 1", "add 2"], "snapshot": 0}

    def restore(self, total):
        self.total = total

    def act(self, text):
        if text not in ("add 1", "add 2"):
            raise world.Refused("That cannot be done here.")
        self.total += int(text[-1])
        return {"observation": f"You have {self.total}.", "admissible": ["add 1", "add 2"], "snapshot": self.total,
                "done": self.total >= 4, "won": self.total == 4}

world.main(Counter())
"#;

const LAST: &str = r#"
from stepwright import method

method.serve(lambda context: context["admissible"][-1], name="Last", needs={"world": ["admissible"]})
"#;

const AGENT: &str = r#"
from stepwright import gate

ORDERS = {"W41": "pending", "W42": "delivered"}

def act(messages):
    seen = [message for message in messages if message["role"] == "tool"]
    if len(seen) == 2:
        return "both were read"
    return gate.Call("get_order", {"order_id": list(ORDERS)[len(seen)]})

agent = gate.Agent(act, task="Read both.", tools=[{"name": "get_order", "parameters": {"type": "object", "properties":
    {"order_id": {"type": "string"}}, "required": ["order_id"]}}])
while (call := agent.decide()).name:
    print("CALL", call.arguments["order_id"])
    agent.saw(ORDERS[call.arguments["order_id"]])
print("END", call.text)
"#;

const GYMNASIUM: &str = r#"
__version__ = "0"

class Space:
    n, start, shape = 4, 0, ()

class Lake:
    metadata = {"render_modes": ["ansi"]}
    action_space = Space()

    def __init__(self, render_mode=None):
        self.render_mode = render_mode

    def close(self):
        pass

    def reset(self, seed=None):
        self.at = seed % 3
        return self.at, {"action_mask": [0, 0, 1, 1]}

    def step(self, action):
        self.at += action == 2
        return self.at, float(self.at == 3), self.at == 3, False, {}

    def render(self):
        return "SFFG"[self.at]

def make(name, **options):
    return Lake(**options)
"#;

/// A folder with files, and what a process started there by Python finds.
struct Bed(tempfile::TempDir);

impl Bed {
    fn new(files: &[(&str, &str)]) -> Self {
        let bed = Bed(tempfile::tempdir().unwrap());
        files.iter().for_each(|(name, text)| std::fs::write(bed.0.path().join(name), text).unwrap());
        bed
    }

    fn package(&self) -> String {
        let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
        format!("{}:{}", package.display(), self.0.path().display())
    }

    fn run(&self, program: &str, args: &[&str]) -> Output {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.0.path()).env("PYTHONPATH", self.package());
        at_home(&mut command, self.0.path());
        command.env("STEPWRIGHT_PROGRAM", PROGRAM);
        command.output().unwrap()
    }

    fn world(&self, command: &[&str]) -> ExternalWorld {
        let adapter = Adapter {
            folder: Some(self.0.path().to_owned()),
            env: vec![("PYTHONPATH".to_owned(), self.package())],
            ..Adapter::new("own", command.iter().map(|word| (*word).to_owned()).collect())
        };
        ExternalWorld::new(std::sync::Arc::new(adapter), None).unwrap()
    }
}

#[test]
fn a_class_is_a_world() {
    let bed = Bed::new(&[("counter.py", COUNTER)]);
    let mut world = bed.world(&["python3", "counter.py"]);
    world.reset("own/four", 0).unwrap();
    let start = world.snapshot();
    assert_eq!(world.act("fly").unwrap().error.as_deref(), Some("That cannot be done here."));
    assert_eq!(world.admissible().unwrap(), ["add 1", "add 2"], "a refusal changes nothing of what is possible");
    world.act("add 2").unwrap();
    world.remote().unwrap().restart().unwrap();
    assert!(world.act("fly").unwrap().error.is_some());
    assert_eq!(world.admissible().unwrap(), ["add 1", "add 2"], "a new process knows it by the snapshot");
    world.restore(&start).unwrap();
    world.act("add 2").unwrap();
    let end = world.act("add 2").unwrap();
    assert!(end.won && end.done && end.observation == "You have 4.", "{end:?}");
}

#[test]
fn a_function_is_a_method() {
    let bed = Bed::new(&[("counter.py", COUNTER), ("last.py", LAST)]);
    let set = "methods.last.command=python3 last.py";
    let args =
        ["run", "--world", "external", "--command", "python3 counter.py", "--method", "external:last", "--set", set];
    let run = bed.run(PROGRAM, &[&args[..], &["--out", "r.jsonl"]].concat());
    let results = std::fs::read_to_string(bed.0.path().join("r.jsonl")).unwrap_or_else(|e| panic!("{e}: {run:?}"));
    let result: Value = serde_json::from_str(results.lines().last().unwrap()).unwrap();
    assert_eq!((&result["won"], &result["steps"]), (&true.into(), &2.into()), "{run:?}");
}

#[test]
fn an_agent_hands_over_actions_and_gets_decisions() {
    let bed = Bed::new(&[("agent.py", AGENT)]);
    let decided = "CALL W41\nCALL W42\nEND both were read\n";
    let alone = bed.run("python3", &["agent.py"]);
    assert_eq!(String::from_utf8_lossy(&alone.stdout), decided, "{alone:?}");
    let gated = bed.run("python3", &["-m", "stepwright.gate", "--headless", "--", "agent.py"]);
    assert!(gated.status.success() && String::from_utf8_lossy(&gated.stdout).contains(decided), "{gated:?}");
    let sessions = bed.0.path().join("state/sessions");
    let session = std::fs::read_dir(&sessions).unwrap().flatten().next().unwrap().path();
    let log = std::fs::read_to_string(session).unwrap();
    assert!(log.contains("both were read") && log.contains("tools.get_order(order_id='W42')"), "{log}");
    // What it may not do ends it before it is done.
    let rule = "# stepwright preconditions, format 1\n\ndef get_order(self, order_id):\n    assert order_id == 'W41'\n";
    std::fs::write(bed.0.path().join("orders.preconditions.py"), rule).unwrap();
    let args = ["-m", "stepwright.gate", "--headless", "--preconditions", "orders.preconditions.py", "--", "agent.py"];
    let stopped = bed.run("python3", &args);
    assert_eq!(stopped.status.code(), Some(3), "{stopped:?}");
    assert!(!String::from_utf8_lossy(&stopped.stdout).contains("CALL W42"), "{stopped:?}");
}

#[test]
fn an_environment_of_gymnasium_is_a_world() {
    let bed = Bed::new(&[("gymnasium.py", GYMNASIUM)]);
    let mut world = bed.world(&["python3", "-m", "stepwright.gymnasium", "FrozenLake-v1"]);
    let begin = world.reset("own/", 1).unwrap();
    assert_eq!(begin.observation, "F\n1");
    assert_eq!(world.admissible().unwrap(), ["right", "up"], "the mask says what is possible");
    assert!(world.act("jump").unwrap().error.unwrap().contains("left, down, right, up"));
    world.act("right").unwrap();
    let end = world.act("right").unwrap();
    assert!(end.won && end.done && end.reward == 1.0, "{end:?}");
    // Of an environment whose goal nobody told, nothing is said of winning.
    let mut other = bed.world(&["python3", "-m", "stepwright.gymnasium", "Other-v0"]);
    other.reset("own/", 2).unwrap();
    assert_eq!(other.admissible().unwrap(), ["action 2", "action 3"]);
    let end = other.act("action 2").unwrap();
    assert!(end.done && end.untold && !end.won, "{end:?}");
}
