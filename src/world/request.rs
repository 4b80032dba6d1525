//! What a person asks for, in worlds whose episodes are sequences of requests.
//!
//! Only the record; which request is open and when it counts as answered is the world's business.

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
