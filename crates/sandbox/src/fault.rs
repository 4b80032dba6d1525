//! Faults: why a run ended early, and whose fault that is.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a run ended before the end of its code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The line of the code, from 1, where there is one.
    pub line: Option<u32>,
    pub kind: FaultKind,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// The code raised an exception as CPython would have: its type and message. The code is wrong.
    Raised(String, String),
    /// The sandbox does not offer this part of Python; the code may be right.
    Unsupported(String),
    /// The code wanted what no code may have here.
    Forbidden(String),
    /// The code used up what it was given.
    Limit(Bound),
    /// The worker failed or cannot be started; says nothing about the code.
    Worker(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    Time,
    Memory,
    Calls,
    /// Functions, or brackets, inside one another.
    Depth,
    Code,
    /// The size of what a call hands over.
    Message,
}

impl Fault {
    pub fn new(kind: FaultKind) -> Self {
        Fault { line: None, kind }
    }

    pub fn at(line: u32, kind: FaultKind) -> Self {
        Fault { line: Some(line), kind }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        write!(f, "{}", self.kind)
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::Raised(exception, message) if message.is_empty() => f.write_str(exception),
            FaultKind::Raised(exception, message) => write!(f, "{exception}: {message}"),
            FaultKind::Unsupported(what) => write!(f, "not supported by the sandbox: {what}"),
            FaultKind::Forbidden(what) => write!(f, "not allowed in the sandbox: {what}"),
            FaultKind::Limit(bound) => write!(f, "stopped: {bound}"),
            FaultKind::Worker(why) => write!(f, "the sandbox failed: {why}"),
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Bound::Time => "it ran too long",
            Bound::Memory => "it took too much memory",
            Bound::Calls => "it called too often",
            Bound::Depth => "it nests too deeply",
            Bound::Code => "the code is too long",
            Bound::Message => "it hands over too much at once",
        })
    }
}

impl FaultKind {
    /// Keeps what it says short enough to be handed on; code may raise exceptions with messages of any length. What an assertion says of
    /// three acts in a kitchen of fifty places is kept.
    pub fn shorten(&mut self) {
        const LONGEST: usize = 8_000;
        let text = match self {
            FaultKind::Raised(_, text)
            | FaultKind::Unsupported(text)
            | FaultKind::Forbidden(text)
            | FaultKind::Worker(text) => text,
            FaultKind::Limit(_) => return,
        };
        if text.len() > LONGEST {
            text.truncate(text.floor_char_boundary(LONGEST));
            text.push('…');
        }
    }
}
