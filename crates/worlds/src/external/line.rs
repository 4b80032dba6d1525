//! Lines of the protocol: requests and answers, read strictly enough to say what is wrong.

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use stepwright_program::Call;
use stepwright_program::tools::Tool;
use stepwright_text::words::of_types;
use stepwright_world::adapter::excerpt;
use stepwright_world::files::or_default;
use stepwright_world::{self as world, Atom, Facts, Symbols};

/// The newest version of the line protocol; those before it are spoken too.
pub const PROTOCOL: u32 = 2;

#[derive(Debug, Clone, Copy)]
pub(super) enum Request<'a> {
    Reset {
        task: &'a str,
        seed: u64,
    },
    /// An action; of worlds whose actions are tools, with the tool and its arguments.
    Act(&'a str, Option<&'a (String, Value)>),
    /// Back or on to a step by what the world gave with it.
    Restore {
        snapshot: &'a Value,
        step: u64,
    },
}

impl Request<'_> {
    pub(super) fn line(self) -> Vec<u8> {
        let object = match self {
            Request::Reset { task, seed: 0 } => json!({"reset": task}),
            Request::Reset { task, seed } => json!({"reset": task, "seed": seed}),
            Request::Act(text, None) => json!({"act": text}),
            Request::Act(text, Some((tool, arguments))) => json!({"act": text, "tool": tool, "arguments": arguments}),
            Request::Restore { snapshot, step } => json!({"restore": snapshot, "step": step}),
        };
        let mut line = object.to_string().into_bytes();
        line.push(b'\n');
        line
    }
}

/// An answer to `reset` or `act`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[schemars(rename = "WorldAnswer")]
pub struct Answer {
    /// 0 for a reset, then the number of actions since, refused ones counted.
    pub(super) step: u64,
    /// What the agent sees.
    pub(super) observation: String,
    /// The actions that are possible now.
    pub(super) admissible: Option<Vec<String>>,
    /// What the step means as calls of the specification, the action first.
    #[serde(default, deserialize_with = "or_default")]
    #[schemars(with = "Option<Vec<String>>")]
    pub(super) calls: Vec<Call>,
    /// Why the action was refused.
    pub(super) error: Option<String>,
    /// Of this step.
    #[serde(default, deserialize_with = "or_default")]
    #[schemars(with = "Option<f64>")]
    pub(super) reward: f64,
    /// Whether the episode is over.
    #[serde(default, deserialize_with = "or_default")]
    #[schemars(with = "Option<bool>")]
    pub(super) done: bool,
    /// Whether the goal holds; of an ended episode that does not say, nobody knows.
    pub(super) won: Option<bool>,
    /// The hidden state, for people to look at.
    pub(super) state: Option<Value>,
    /// The goal as stated to the agent; of a reset.
    pub(super) task: Option<String>,
    /// What the agent can know now, as literals.
    #[serde(default)]
    #[schemars(with = "Option<Vec<String>>")]
    facts: Option<BTreeSet<Atom>>,
    /// The things that facts are about.
    things: Option<BTreeSet<String>>,
    /// The goal literals not met yet; without them nobody knows which are.
    #[serde(default)]
    #[schemars(with = "Option<Vec<String>>")]
    goals: Option<Vec<Atom>>,
    /// The request to answer now, in worlds whose episodes are sequences of requests.
    pub(super) request: Option<world::Request>,
    /// What the world is; in the answer to a reset.
    pub(super) hello: Option<Arc<Hello>>,
    /// All that the world needs to come back here, in its own form.
    pub(super) snapshot: Option<Value>,
}

/// What a world says of itself.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Hello {
    /// The version of the protocol: 2.
    protocol: u32,
    /// As people know it.
    pub(super) name: String,
    /// Its own version.
    pub(super) version: String,
    /// The tasks that it can be reset to.
    pub(super) tasks: Vec<Task>,
    /// Its actions, where they are tools: name, description and JSON schema of the arguments, as models are given them.
    pub(super) tools: Vec<Value>,
}

/// A task of a world.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Task {
    /// What a reset names.
    pub(super) id: String,
    /// What tasks of a kind have in common.
    pub(super) kind: String,
    /// The goal in words.
    pub(super) sentence: String,
}

/// An answer to `restore`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct Restored {
    /// The step that was asked for.
    pub(super) step: u64,
    /// Why it cannot be restored: the steps are replayed then.
    pub(super) error: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Literals {
    facts: Facts,
    goals: Option<Vec<Atom>>,
}

/// The hidden state is not reported in literals, so there are no more than the facts.
impl Symbols for Literals {
    fn facts(&self) -> Facts {
        self.facts.clone()
    }

    fn goals(&self) -> Option<Vec<Atom>> {
        self.goals.clone()
    }

    fn everything(&self) -> Facts {
        self.facts.clone()
    }
}

impl Answer {
    /// Facts, the things they are about (those they name, if no others are listed) and goals; `None` without facts.
    pub(super) fn literals(&mut self) -> Option<Literals> {
        let atoms = self.facts.take()?;
        let named = || atoms.iter().flat_map(|atom| atom.args.iter().cloned()).collect();
        let things = self.things.take().unwrap_or_else(named).into_iter().collect();
        Some(Literals { facts: Facts { things, atoms }, goals: self.goals.take() })
    }
}

pub(super) fn read(line: &[u8]) -> Result<Answer, String> {
    let mut answer: Answer = typed(line)?;
    // The actions sorted by code point, each once, as every world gives them.
    if let Some(list) = &mut answer.admissible {
        list.sort_unstable();
        list.dedup();
    }
    let none = answer.hello.iter().flat_map(|hello| &hello.tools).position(|tool| Tool::of_json(tool).is_none());
    if let Some(at) = none {
        return Err(format!("`hello.tools[{at}]` of its answer is no tool: a tool is an object with a `name`"));
    }
    match answer.hello.as_ref().map(|hello| hello.protocol) {
        Some(other) if !(1..=PROTOCOL).contains(&other) => {
            Err(format!("`hello.protocol` of its answer is {other}, and here are 1 to {PROTOCOL}"))
        }
        _ => Ok(answer),
    }
}

pub(super) fn restored(line: &[u8]) -> Result<Restored, String> {
    typed(line)
}

/// An object of a line; an error says which field is wrong.
fn typed<T: DeserializeOwned>(line: &[u8]) -> Result<T, String> {
    let value: Value = serde_json::from_slice(line).map_err(|e| {
        let shown = excerpt(&String::from_utf8_lossy(line));
        if e.is_eof() {
            format!("its answer breaks off: {shown}")
        } else {
            format!("its answer is no JSON object on one line ({e}): {shown}. Remarks belong on standard error")
        }
    })?;
    if !value.is_object() {
        return Err(format!("its answer is no JSON object: {}", excerpt(&value.to_string())));
    }
    serde_path_to_error::deserialize(value).map_err(|e| match e.path().to_string().as_str() {
        "." => format!("its answer: {}", of_types(&e.inner().to_string())),
        at => format!("`{at}` of its answer: {}", excerpt(&of_types(&e.inner().to_string()))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_lines() {
        let line = |r: Request<'_>| String::from_utf8(r.line()).unwrap();
        assert_eq!(line(Request::Reset { task: "a\nb", seed: 0 }), "{\"reset\":\"a\\nb\"}\n");
        assert_eq!(line(Request::Reset { task: "t", seed: 7 }), "{\"reset\":\"t\",\"seed\":7}\n");
        assert_eq!(line(Request::Act("go \"there\"", None)), "{\"act\":\"go \\\"there\\\"\"}\n");
        let tool = ("go".to_owned(), json!({"to": 1}));
        let called = line(Request::Act("go(to=1)", Some(&tool)));
        assert_eq!(called, "{\"act\":\"go(to=1)\",\"tool\":\"go\",\"arguments\":{\"to\":1}}\n");
        assert_eq!(line(Request::Restore { snapshot: &json!([3]), step: 2 }), "{\"restore\":[3],\"step\":2}\n");
    }

    #[test]
    fn a_whole_answer_is_read() {
        let line = br#"{"step":3,"observation":"x\ny","admissible":["b","a","b"],"calls":["agent.goto('d 1')"],
            "error":null,"reward":1,"done":true,"won":true,"state":{"k":1},"task":"put it.","more":[1]}"#;
        let answer = read(line).unwrap();
        assert_eq!(answer.admissible, Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(answer.calls[0].to_string(), "agent.goto('d 1')");
        assert_eq!((answer.step, answer.reward, answer.done, answer.won), (3, 1.0, true, Some(true)));
        assert_eq!(answer.task.as_deref(), Some("put it."));
        let literals =
            br#"{"step":0,"observation":"","facts":["IN mug_1 sink_1","HANDS_EMPTY"],"goals":["ON lamp_1"]}"#;
        let literals = read(literals).unwrap().literals().unwrap();
        assert!(literals.facts().holds("IN", &["mug_1", "sink_1"]) && literals.facts().things == ["mug_1", "sink_1"]);
        assert_eq!(literals.goals(), Some(vec![Atom::new("ON", ["lamp_1"])]));
        let untold = read(br#"{"step":1,"observation":"","facts":["HANDS_EMPTY"]}"#).unwrap().literals().unwrap();
        assert_eq!(untold.goals(), None, "that no goal is told is not that all are met");
        let least = read(br#"{"step":0,"observation":""}"#).unwrap();
        assert_eq!(least, Answer::default());
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (line, part) in [
            (r#"{"step":0,"observation":"#, "breaks off"),
            ("Loading…", "no JSON object on one line"),
            ("[1]", "is no JSON object: [1]"),
            ("", "breaks off"),
            (r#"{"observation":""}"#, "its answer: missing field `step`"),
            (
                r#"{"step":-1,"observation":""}"#,
                "`step` of its answer: invalid value: integer `-1`, expected a whole number from 0",
            ),
            (r#"{"step":1}"#, "missing field `observation`"),
            (r#"{"step":1,"observation":["x"]}"#, "`observation` of its answer: invalid type: a list, expected a text"),
            (
                r#"{"step":1,"observation":"","admissible":"go"}"#,
                "`admissible` of its answer: invalid type: string \"go\", expected a list",
            ),
            (
                r#"{"step":1,"observation":"","admissible":[1]}"#,
                "`admissible[0]` of its answer: invalid type: integer `1`",
            ),
            (
                r#"{"step":1,"observation":"","calls":["import os"]}"#,
                "`calls[0]` of its answer: `import os` is not a call",
            ),
            (r#"{"step":1,"observation":"","facts":"ON a"}"#, "`facts` of its answer: invalid type"),
            (r#"{"step":1,"observation":"","facts":[""]}"#, "`facts[0]` of its answer: an atom needs a predicate"),
            (
                r#"{"step":1,"observation":"","done":1}"#,
                "`done` of its answer: invalid type: integer `1`, expected true or false",
            ),
            (
                r#"{"step":0,"observation":"","hello":{"protocol":3}}"#,
                "`hello.protocol` of its answer is 3, and here are 1 to 2",
            ),
            (
                r#"{"step":0,"observation":"","hello":{"protocol":2,"tasks":[{"id":1}]}}"#,
                "`hello.tasks[0].id` of its answer",
            ),
            (
                r#"{"step":1,"observation":"","reward":"1"}"#,
                "`reward` of its answer: invalid type: string \"1\", expected a number",
            ),
        ] {
            let why = read(line.as_bytes()).unwrap_err();
            assert!(why.contains(part), "{line}: {why}");
        }
        assert!(read(&[0xff, 0xfe]).is_err());
        let deep = "[".repeat(100_000);
        assert!(read(deep.as_bytes()).is_err());
    }
}
