//! Messages over the pipes between the program and a worker: one JSON object a line.

use std::io::Write;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Limits, Require};

/// Longest line a worker writes, in bytes.
pub const LONGEST_REPLY: usize = 256 << 10;
/// Longest line a worker reads: an order's code and values, or an answer.
pub const LONGEST_ORDER: usize = 16 << 20;

/// The first message to a worker, sent once: a worker does one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// Code of this program's own that stands before: what only model-written code may not say, it may.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prelude: String,
    pub code: String,
    pub functions: Vec<String>,
    pub values: Value,
    pub limits: Limits,
    /// What must hold before any of it is run.
    #[serde(default)]
    pub require: Require,
}

/// What a worker is told after a [`Step`](super::Step) that calls; each of its lines is a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    pub answer: Value,
}

/// A message as a line; `None` if it is longer than `longest`.
pub fn line(message: &impl Serialize, longest: usize) -> Option<Vec<u8>> {
    let mut line = Bounded { bytes: Vec::new(), longest };
    serde_json::to_writer(&mut line, message).ok()?;
    line.write_all(b"\n").ok()?;
    Some(line.bytes)
}

/// Bytes up to a bound, so that what is far too long is not written to its end first.
struct Bounded {
    bytes: Vec<u8>,
    longest: usize,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.longest {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_as_long_as_it_may_be() {
        let answer = Answer { answer: "abc".into() };
        assert_eq!(line(&answer, 16), None);
        assert_eq!(line(&answer, 17), Some(b"{\"answer\":\"abc\"}\n".to_vec()));
    }
}
