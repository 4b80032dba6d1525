//! Requests. What a person asks for, in worlds whose episodes are sequences of requests answered by programs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use stepwright_episode::Action;
use stepwright_program::{Call, Literal};

/// The request an agent is to answer now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Request {
    /// The person's words, verbatim.
    pub query: String,
    /// Its place in the episode, from 1.
    pub number: usize,
    pub of: usize,
    /// Whether answering it takes something of earlier requests that the words do not say.
    pub temporal: bool,
    /// The world's own kind of request (`put`, `question`, `statement`, `event`, `put_all`, `goal`).
    pub kind: String,
}

/// Whether an action's text closes the request; `closing` is the call that does, empty in a world without requests.
pub fn closes(text: &str, closing: &str) -> bool {
    !closing.is_empty() && text.lines().any(|line| line.trim() == closing)
}

/// The kind of a request that is the whole task, whose words are the session's sentence.
pub const TASK: &str = "task";

/// The call that closes a request.
pub const CLOSING: &str = "done()";
/// The program that does nothing.
pub const NOTHING: &str = "noop()";
/// The function that has a maintained belief brought up to date, with the words of the update.
pub const UPDATING: &str = "update_wm";

/// A function that programs may call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostFunction {
    pub name: String,
    pub params: Vec<String>,
    /// Its use in a few words; empty where the name says it.
    pub about: &'static str,
}

impl HostFunction {
    pub fn new(name: &str, params: &[&str], about: &'static str) -> Self {
        HostFunction { name: name.to_owned(), params: params.iter().map(|p| (*p).to_owned()).collect(), about }
    }

    /// Those that any program may call, whatever the world: update, nothing, end.
    pub fn of_any_world() -> [Self; 3] {
        [
            HostFunction::new(UPDATING, &["text"], "brings the state up to date with what was done or told."),
            HostFunction::new("noop", &[], "nothing is to be done now."),
            HostFunction::new("done", &[], ""),
        ]
    }
}

/// An episode that is a sequence of requests. What has a default is as where the whole task is the one request.
pub trait Requests {
    /// The request to answer now; `None` after the last one.
    fn open(&self) -> Option<Request>;

    /// The program that the task gives as the answer to the open request; none in a world where no answers are written down.
    fn reference(&self) -> Option<Result<&str, String>> {
        None
    }

    /// The subject of the requests, in sentences, for a writer that is shown no example.
    fn about(&self) -> &'static str {
        "The state is of the place that an agent acts in."
    }

    /// The functions that programs may call.
    fn functions(&self) -> Vec<HostFunction>;

    /// The action that a text of such calls, a line each, is. `None` for every other text, and where programs are the world's own texts.
    fn program(&self, _text: &str) -> Option<Action> {
        None
    }

    /// The function that answers a question (`say`); empty where nothing is asked.
    fn answering(&self) -> &'static str {
        ""
    }

    /// The first state and the list of objects in the task's own words, where it has them. They need not be JSON.
    fn first_texts(&self) -> Option<&[String; 2]> {
        None
    }

    /// The domain's worked example; none where demonstrations stand for it.
    fn worked(&self) -> Result<Option<&'static WorkedExample>, String> {
        Ok(None)
    }
}

/// The kind of task, and the name of the state, in which a ball is under one of several cups: a list of truth values.
pub const CUPS: &str = "cups";

/// Requests answered as they should be, with the states that follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkedExample {
    /// The description of the domain, line by line.
    pub about: Vec<String>,
    pub first: Value,
    pub steps: Vec<WorkedStep>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkedStep {
    pub query: String,
    pub code: String,
    /// The program's updates with the state after each.
    pub updates: Vec<(String, Value)>,
    pub after: Value,
}

/// The texts of a program's updates, in order, as they are in programs that were run.
pub fn updates(code: &str) -> Vec<String> {
    let calls = code.lines().map(str::trim).filter(|l| l.strip_prefix(UPDATING).is_some_and(|l| l.starts_with('(')));
    let texts = calls.filter_map(|line| match format!("robot.{line}").parse::<Call>().ok()?.args.as_slice() {
        [Literal::Str(text)] => Some(text.clone()),
        _ => None,
    });
    texts.collect()
}
