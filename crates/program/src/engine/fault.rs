//! Faults, why evaluation stops: a Python exception, something this engine does not offer, or a spent budget. Also the budget itself.

use std::fmt;
use std::sync::Arc;

/// An exception whose message, given as to `format!`, is exactly CPython's.
macro_rules! exact {
    ($kind:ident, $($message:tt)+) => { $crate::engine::fault::Stop::exact($crate::engine::fault::ExcKind::$kind, format!($($message)+)) };
}

/// An exception whose message is only roughly CPython's.
macro_rules! rough {
    ($kind:ident, $($message:tt)+) => { $crate::engine::fault::Stop::raise($crate::engine::fault::ExcKind::$kind, format!($($message)+)) };
}

/// A `TypeError` with CPython's message.
macro_rules! type_error {
    ($($message:tt)+) => { exact!(TypeError, $($message)+) };
}

/// A construct that is not offered.
macro_rules! unsupported {
    ($($what:tt)+) => { $crate::engine::fault::Stop::unsupported(format!($($what)+)) };
}

/// Bounds of one evaluation. Each is a count, so that a verdict does not depend on the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Evaluation steps (about one an AST node or element visited).
    pub steps: u64,
    /// Bytes allocated in all, roughly.
    pub size: u64,
    /// Nested evaluations (expressions within expressions, calls within calls).
    pub depth: u32,
}

impl Limits {
    /// For one assertion on a state: a few milliseconds at worst.
    pub const ASSERTION: Limits = Limits { steps: 100_000, size: 4 << 20, depth: 1_600 };
    /// For one call of a trajectory.
    pub const CALL: Limits = Limits { steps: 1_000_000, size: 16 << 20, depth: 1_600 };
    /// For a whole module: as many bytes as its steps allocate, sixteen each, and levels enough for a thousand calls.
    pub const MODULE: Limits = Limits { steps: 10_000_000, size: 160_000_000, depth: 16_000 };
}

/// The version of Python as which a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Python {
    /// 3.11, also where none is said.
    #[default]
    V3_11,
    /// 3.12, which reads more f-strings.
    V3_12,
}

/// Calls within calls that CPython 3.11 goes down to, the module among them: its limit of recursion.
pub(crate) const CALLS: u32 = 1_000;

impl Default for Limits {
    fn default() -> Self {
        Limits::MODULE
    }
}

macro_rules! exceptions {
    ($($name:ident < $base:ident),* $(,)?) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) enum ExcKind { BaseException, $($name),* }

        impl ExcKind {
            pub(crate) fn name(self) -> &'static str {
                match self { ExcKind::BaseException => "BaseException", $(ExcKind::$name => stringify!($name)),* }
            }

            pub(crate) fn named(name: &str) -> Option<ExcKind> {
                Some(match name { "BaseException" => ExcKind::BaseException, $(stringify!($name) => ExcKind::$name,)* _ => return None })
            }

            fn base(self) -> Option<ExcKind> {
                match self { ExcKind::BaseException => None, $(ExcKind::$name => Some(ExcKind::$base)),* }
            }
        }
    };
}

exceptions! {
    Exception < BaseException,
    ArithmeticError < Exception,
    AssertionError < Exception,
    AttributeError < Exception,
    ConnectionError < OSError,
    EOFError < Exception,
    FileExistsError < OSError,
    FileNotFoundError < OSError,
    IndexError < LookupError,
    KeyError < LookupError,
    KeyboardInterrupt < BaseException,
    LookupError < Exception,
    MemoryError < Exception,
    NameError < Exception,
    NotImplementedError < RuntimeError,
    OSError < Exception,
    OverflowError < ArithmeticError,
    PermissionError < OSError,
    RecursionError < RuntimeError,
    RuntimeError < Exception,
    StopIteration < Exception,
    TimeoutError < OSError,
    TypeError < Exception,
    UnboundLocalError < NameError,
    UnicodeDecodeError < UnicodeError,
    UnicodeEncodeError < UnicodeError,
    UnicodeError < ValueError,
    ValueError < Exception,
    ZeroDivisionError < ArithmeticError,
}

impl ExcKind {
    /// Whether `except other` catches it.
    pub(crate) fn is_a(self, other: ExcKind) -> bool {
        let mut kind = Some(self);
        while let Some(k) = kind {
            if k == other {
                return true;
            }
            kind = k.base();
        }
        false
    }
}

/// A raised exception. `exact` says whether the message is CPython's, letter for letter; a program may only look at it then.
#[derive(Debug, Clone)]
pub(crate) struct Raised {
    pub kind: ExcKind,
    pub message: String,
    pub exact: bool,
    /// `args` where they are not just the message; values of the heap it was raised in.
    pub args: Option<Vec<super::value::Value>>,
    pub line: Option<u32>,
}

/// The reason why an evaluation ends before its result.
#[derive(Debug, Clone)]
pub(crate) enum Stop {
    Raise(Box<Raised>),
    Unsupported(Arc<str>),
    Budget(&'static str),
}

impl Stop {
    /// An exception whose message is only roughly CPython's.
    #[cold]
    pub(crate) fn raise(kind: ExcKind, message: impl Into<String>) -> Stop {
        Stop::Raise(Box::new(Raised { kind, message: message.into(), exact: false, args: None, line: None }))
    }

    pub(crate) fn with_args(kind: ExcKind, message: String, args: Vec<super::value::Value>, exact: bool) -> Stop {
        Stop::Raise(Box::new(Raised { kind, message, exact, args: Some(args), line: None }))
    }

    /// An exception whose message is exactly CPython's.
    #[cold]
    pub(crate) fn exact(kind: ExcKind, message: impl Into<String>) -> Stop {
        Stop::Raise(Box::new(Raised { kind, message: message.into(), exact: true, args: None, line: None }))
    }

    /// A `TypeError` with CPython's message.
    #[cold]
    pub(crate) fn type_error(message: impl Into<String>) -> Stop {
        Stop::exact(ExcKind::TypeError, message)
    }

    /// A construct that is not offered.
    #[cold]
    pub(crate) fn unsupported(what: impl AsRef<str>) -> Stop {
        Stop::Unsupported(Arc::from(what.as_ref()))
    }
}

/// The kind of a [`Fault`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// A Python exception, by the name of its type.
    Exception(String),
    /// A construct the engine does not offer: no verdict, not a failure of the program.
    Unsupported(String),
    /// A bound was reached; which.
    Budget(String),
}

/// Why a call or a program did not end normally.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// For display: the exception's message, or the kind in words.
    pub message: String,
    /// Line of the source it arose in, where known (1-based).
    pub line: Option<usize>,
    /// The call that was being executed.
    pub call: Option<String>,
}

impl Fault {
    /// As [`Fault::from_stop`], with the line at which the machine stopped.
    pub(crate) fn at(stop: Stop, stopped: Option<u32>, call: Option<String>) -> Fault {
        let fault = Fault::from_stop(stop, call);
        Fault { line: fault.line.or(stopped.map(|l| l as usize)), ..fault }
    }

    pub(crate) fn from_stop(stop: Stop, call: Option<String>) -> Fault {
        match stop {
            Stop::Raise(raised) => Fault {
                kind: FaultKind::Exception(raised.kind.name().to_owned()),
                message: raised.message,
                line: raised.line.map(|l| l as usize),
                call,
            },
            Stop::Unsupported(what) => Fault {
                kind: FaultKind::Unsupported(what.to_string()),
                message: format!("{what}: not offered by the engine"),
                line: None,
                call,
            },
            Stop::Budget(what) => Fault {
                kind: FaultKind::Budget(what.to_owned()),
                message: format!("the {what} budget is spent"),
                line: None,
                call,
            },
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            FaultKind::Exception(name) => {
                f.write_str(name)?;
                if !self.message.is_empty() {
                    write!(f, ": {}", self.message)?;
                }
            }
            FaultKind::Unsupported(_) => write!(f, "unsupported: {}", self.message)?,
            FaultKind::Budget(_) => f.write_str(&self.message)?,
        }
        if let Some(line) = self.line {
            write!(f, " (line {line})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}
