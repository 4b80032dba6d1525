//! Requests. What a person asks for, in worlds whose episodes are sequences of requests answered by programs.

use serde::{Deserialize, Serialize};

/// The request an agent is to answer now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The person's words, verbatim.
    pub query: String,
    /// Its place in the episode, from 1.
    pub number: usize,
    /// How many requests the episode has.
    pub of: usize,
    /// Whether answering it takes something of earlier requests that the words do not say.
    pub temporal: bool,
    /// The world's own kind of request (`put`, `question`, `statement`, `event`, `put_all`, `goal`).
    pub kind: String,
}

/// An episode that is a sequence of requests.
pub trait Requests {
    /// The request to answer now; `None` after the last one.
    fn open(&self) -> Option<Request>;

    /// The domain of the episode, which says what its worked examples are (`weight`).
    fn domain(&self) -> &'static str;

    /// The functions that programs may call.
    fn functions(&self) -> &'static [&'static str];

    /// The call that closes a request, as an action's text (`done()`).
    fn closing(&self) -> &'static str;

    /// The program that does nothing (`noop()`).
    fn nothing(&self) -> &'static str;
}
