//! Lines of the protocol: requests and answers, read strictly enough to say what is wrong.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{self as world, Atom, Facts, Symbols};
use stepwright_program::Call;

/// The longest line that is read, in bytes: states can be large, but a line without end must not fill the memory.
pub(super) const LONGEST: usize = 8 << 20;

#[derive(Debug, Clone, Copy)]
pub(super) enum Request<'a> {
    Reset { task: &'a str, seed: u64 },
    Act(&'a str),
}

impl Request<'_> {
    pub(super) fn line(self) -> Vec<u8> {
        let object = match self {
            Request::Reset { task, seed: 0 } => json!({"reset": task}),
            Request::Reset { task, seed } => json!({"reset": task, "seed": seed}),
            Request::Act(text) => json!({"act": text}),
        };
        let mut line = object.to_string().into_bytes();
        line.push(b'\n');
        line
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Answer {
    pub(super) step: u64,
    pub(super) observation: String,
    pub(super) admissible: Option<Vec<String>>,
    pub(super) calls: Vec<Call>,
    pub(super) error: Option<String>,
    pub(super) reward: f64,
    pub(super) done: bool,
    pub(super) won: bool,
    pub(super) state: Option<Value>,
    /// The goal as stated to the agent; of a reset.
    pub(super) task: Option<String>,
    /// Facts and goals as literals, where the world speaks in such.
    pub(super) literals: Option<Literals>,
    /// The request to answer now, in worlds whose episodes are sequences of requests.
    pub(super) request: Option<world::Request>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Literals {
    facts: Facts,
    goals: Vec<Atom>,
}

/// The hidden state is not reported in literals, so there are no more than the facts.
impl Symbols for Literals {
    fn facts(&self) -> Facts {
        self.facts.clone()
    }

    fn goals(&self) -> Vec<Atom> {
        self.goals.clone()
    }

    fn everything(&self) -> Facts {
        self.facts.clone()
    }
}

pub(super) fn read(line: &[u8]) -> Result<Answer, String> {
    let value: Value = serde_json::from_slice(line).map_err(|e| {
        let shown = excerpt(&String::from_utf8_lossy(line));
        if e.is_eof() {
            format!("its answer breaks off: {shown}")
        } else {
            format!("its answer is no JSON object on one line ({e}): {shown}. Remarks belong on standard error")
        }
    })?;
    let Value::Object(fields) = value else {
        return Err(format!("its answer is no JSON object: {}", excerpt(&value.to_string())));
    };
    let given = |key: &str| fields.get(key).filter(|v| !v.is_null());
    let step = given("step").ok_or("its answer has no `step`")?;
    Ok(Answer {
        step: step.as_u64().ok_or_else(|| wrong("step", "a whole number from 0", step))?,
        observation: text(&fields, "observation")?.ok_or("its answer has no `observation`")?,
        admissible: given("admissible").map(admissible).transpose()?,
        calls: given("calls").map(calls).transpose()?.unwrap_or_default(),
        error: text(&fields, "error")?,
        reward: given("reward").map_or(Ok(0.0), |v| v.as_f64().ok_or_else(|| wrong("reward", "a number", v)))?,
        done: flag(&fields, "done")?,
        won: flag(&fields, "won")?,
        state: given("state").cloned(),
        task: text(&fields, "task")?,
        literals: literals(&fields)?,
        request: given("request").map(request).transpose()?,
    })
}

fn request(value: &Value) -> Result<world::Request, String> {
    world::Request::deserialize(value).map_err(|e| format!("`request` of its answer: {e}"))
}

fn text(fields: &Map<String, Value>, key: &str) -> Result<Option<String>, String> {
    match fields.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(wrong(key, "a text", other)),
    }
}

fn flag(fields: &Map<String, Value>, key: &str) -> Result<bool, String> {
    match fields.get(key) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(value)) => Ok(*value),
        Some(other) => Err(wrong(key, "true or false", other)),
    }
}

/// The actions sorted by code point, each once, as every world gives them.
fn admissible(value: &Value) -> Result<Vec<String>, String> {
    let mut list = texts("admissible", value)?;
    list.sort_unstable();
    list.dedup();
    Ok(list)
}

/// Facts, the things they are about (those they name, if no others are listed) and goals; `None` without `facts`.
fn literals(fields: &Map<String, Value>) -> Result<Option<Literals>, String> {
    let list = |key: &str| match fields.get(key).filter(|value| !value.is_null()) {
        Some(value) => texts(key, value).map(Some),
        None => Ok(None),
    };
    let atoms = |key: &str| {
        let read = |text: String| text.parse::<Atom>().map_err(|e| format!("`{key}` of its answer: {e}"));
        list(key)?.map(|texts| texts.into_iter().map(read).collect::<Result<Vec<Atom>, _>>()).transpose()
    };
    let (Some(facts), goals) = (atoms("facts")?, atoms("goals")?.unwrap_or_default()) else { return Ok(None) };
    let named = || facts.iter().flat_map(|atom| atom.args.iter().cloned()).collect();
    let things: BTreeSet<String> = list("things")?.map_or_else(named, |things| things.into_iter().collect());
    let facts = Facts { things: things.into_iter().collect(), atoms: facts.into_iter().collect() };
    Ok(Some(Literals { facts, goals }))
}

fn calls(value: &Value) -> Result<Vec<Call>, String> {
    let read = |text: String| text.parse::<Call>().map_err(|e| format!("`calls` of its answer: {e}"));
    texts("calls", value)?.into_iter().map(read).collect()
}

fn texts(key: &str, value: &Value) -> Result<Vec<String>, String> {
    let Value::Array(items) = value else { return Err(wrong(key, "a list of texts or null", value)) };
    let item = |v: &Value| v.as_str().map(str::to_owned).ok_or_else(|| wrong(key, "a list of texts or null", v));
    items.iter().map(item).collect()
}

fn wrong(key: &str, wanted: &str, got: &Value) -> String {
    format!("`{key}` of its answer must be {wanted}, and is {}", excerpt(&got.to_string()))
}

pub(super) fn excerpt(text: &str) -> String {
    let text = text.trim_end();
    let short: String = text.chars().take(160).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_lines() {
        let line = |r: Request<'_>| String::from_utf8(r.line()).unwrap();
        assert_eq!(line(Request::Reset { task: "a\nb", seed: 0 }), "{\"reset\":\"a\\nb\"}\n");
        assert_eq!(line(Request::Reset { task: "t", seed: 7 }), "{\"reset\":\"t\",\"seed\":7}\n");
        assert_eq!(line(Request::Act("go \"there\"")), "{\"act\":\"go \\\"there\\\"\"}\n");
    }

    #[test]
    fn a_whole_answer_is_read() {
        let line = br#"{"step":3,"observation":"x\ny","admissible":["b","a","b"],"calls":["agent.goto('d 1')"],
            "error":null,"reward":1,"done":true,"won":true,"state":{"k":1},"task":"put it.","more":[1]}"#;
        let answer = read(line).unwrap();
        assert_eq!(answer.admissible, Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(answer.calls[0].to_string(), "agent.goto('d 1')");
        assert_eq!((answer.step, answer.reward, answer.done, answer.won), (3, 1.0, true, true));
        assert_eq!(answer.task.as_deref(), Some("put it."));
        let literals =
            br#"{"step":0,"observation":"","facts":["IN mug_1 sink_1","HANDS_EMPTY"],"goals":["ON lamp_1"]}"#;
        let literals = read(literals).unwrap().literals.unwrap();
        assert!(literals.facts().holds("IN", &["mug_1", "sink_1"]) && literals.facts().things == ["mug_1", "sink_1"]);
        assert_eq!(literals.goals(), [Atom::new("ON", ["lamp_1"])]);
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
            (r#"{"observation":""}"#, "no `step`"),
            (r#"{"step":-1,"observation":""}"#, "`step` of its answer must be a whole number from 0, and is -1"),
            (r#"{"step":1}"#, "no `observation`"),
            (r#"{"step":1,"observation":["x"]}"#, "`observation` of its answer must be a text"),
            (r#"{"step":1,"observation":"","admissible":"go"}"#, "`admissible` of its answer must be a list"),
            (r#"{"step":1,"observation":"","admissible":[1]}"#, "and is 1"),
            (r#"{"step":1,"observation":"","calls":["import os"]}"#, "is not a call"),
            (r#"{"step":1,"observation":"","facts":"ON a"}"#, "`facts` of its answer must be a list"),
            (r#"{"step":1,"observation":"","facts":[""]}"#, "`facts` of its answer: an atom needs a predicate"),
            (r#"{"step":1,"observation":"","done":1}"#, "`done` of its answer must be true or false"),
            (r#"{"step":1,"observation":"","reward":"1"}"#, "`reward` of its answer must be a number"),
        ] {
            let why = read(line.as_bytes()).unwrap_err();
            assert!(why.contains(part), "{line}: {why}");
        }
        assert!(read(&[0xff, 0xfe]).is_err());
        let deep = "[".repeat(100_000);
        assert!(read(deep.as_bytes()).is_err());
    }
}
