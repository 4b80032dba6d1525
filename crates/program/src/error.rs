//! Errors in program texts, for display: what, where, what to do.

use super::engine::compile::CompileFailure;
use super::engine::parse::{ParseFailure, position};

/// Fault in a program text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {message}{}", hint.as_ref().map(|h| format!(" ({h})")).unwrap_or_default())]
pub struct ProgramError {
    /// Name of the file or text.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Fault.
    pub message: String,
    /// The remedy.
    pub hint: Option<String>,
}

impl ProgramError {
    pub(crate) fn at(file: &str, source: &str, offset: usize, message: impl Into<String>) -> Self {
        let (line, column) = position(source, offset);
        ProgramError { file: file.to_owned(), line, column, message: message.into(), hint: None }
    }

    pub(crate) fn at_line(file: &str, line: usize, message: impl Into<String>) -> Self {
        ProgramError { file: file.to_owned(), line: line.max(1), column: 1, message: message.into(), hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn of_parse(file: &str, source: &str, failure: ParseFailure) -> Self {
        match failure {
            ParseFailure::Syntax(message, offset) => ProgramError::at(file, source, offset, message),
            ParseFailure::TooLarge => {
                ProgramError::at_line(file, 1, "the text is too large to be a program").hint("split it or shorten it")
            }
            ParseFailure::TooDeep => Self::of_compile(file, source, CompileFailure::TooDeep),
        }
    }

    pub(crate) fn of_compile(file: &str, source: &str, failure: CompileFailure) -> Self {
        match failure {
            CompileFailure::Syntax(message, offset) => ProgramError::at(file, source, offset, message),
            CompileFailure::Unsupported(what, offset) => {
                ProgramError::at(file, source, offset, format!("{what}: not offered by the engine"))
            }
            CompileFailure::TooDeep => {
                ProgramError::at_line(file, 1, "the program nests too deeply").hint("flatten its expressions")
            }
        }
    }
}
