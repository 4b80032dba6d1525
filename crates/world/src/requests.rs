//! Requests. What a person asks for, in worlds whose episodes are sequences of requests answered by programs.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use stepwright_program::{Call, Literal};

/// The request an agent is to answer now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

/// An episode that is a sequence of requests.
pub trait Requests {
    /// The request to answer now; `None` after the last one.
    fn open(&self) -> Option<Request>;

    /// The program that the task gives as the answer to the open request.
    fn reference(&self) -> Result<&str, String>;

    /// The domain of the episode, which says what its worked example is (`weight`).
    fn domain(&self) -> &'static str;

    /// The subject of the requests, in sentences, for a writer that is shown no example.
    fn about(&self) -> &'static str;

    /// The functions that programs may call.
    fn functions(&self) -> &'static [&'static str];

    /// The call that closes a request, as an action's text (`done()`).
    fn closing(&self) -> &'static str;

    /// The program that does nothing (`noop()`).
    fn nothing(&self) -> &'static str;

    /// The function that answers a question (`say`).
    fn answering(&self) -> &'static str;

    /// The function that has a maintained belief brought up to date (`update_wm`), with the words of the update.
    fn updating(&self) -> &'static str;

    /// The first state and the list of objects in the task's own words, where it has them. They need not be JSON.
    fn first_texts(&self) -> Option<&[String; 2]> {
        None
    }

    fn worked(&self) -> Result<&'static WorkedExample, String>;
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

/// The texts of a program's updates, in order: calls of the function `updating` with one text, as they are in programs that were run.
pub fn updates(code: &str, updating: &str) -> Vec<String> {
    let calls = code.lines().map(str::trim).filter(|l| l.strip_prefix(updating).is_some_and(|l| l.starts_with('(')));
    let texts = calls.filter_map(|line| match format!("robot.{line}").parse::<Call>().ok()?.args.as_slice() {
        [Literal::Str(text)] => Some(text.clone()),
        _ => None,
    });
    texts.collect()
}
