//! Runs a whole program text: statements at module level, what it prints is captured.

use std::sync::Arc;

use super::engine::compile::{self, CompileFailure};
use super::engine::fault::{Fault, FaultKind, Limits, Python};
use super::engine::heap::Heap;
use super::engine::parse::{ParseFailure, position, with_module};
use super::engine::value::{Attrs, Obj, Value};
use super::engine::vm::Vm;
use super::specification::GLOBALS;

/// The result of running a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleRun {
    /// Its printed text.
    pub stdout: String,
    /// Why it ended early, if it did.
    pub fault: Option<Fault>,
}

/// Runs a program text from its first line to its last, within limits.
pub fn run_module(source: &str, limits: Limits) -> ModuleRun {
    let syntax = |message: String, offset: usize| Fault {
        kind: kind_of(&message, source),
        message,
        line: Some(position(source, offset).0),
        call: None,
    };
    let budget = |what: &str| Fault {
        kind: FaultKind::Budget(what.to_owned()),
        message: format!("the {what} budget is spent"),
        line: None,
        call: None,
    };
    let failed = |fault| ModuleRun { stdout: String::new(), fault: Some(fault) };
    let code = match with_module(source, |module| compile::module(source, &module.body, "<module>", Python::default()))
    {
        Ok(Ok(code)) => Arc::new(code),
        Ok(Err(CompileFailure::Syntax(message, offset))) | Err(ParseFailure::Syntax(message, offset)) => {
            return failed(syntax(message, offset));
        }
        Ok(Err(CompileFailure::Unsupported(what, offset))) => {
            return failed(Fault {
                kind: FaultKind::Unsupported(what.to_owned()),
                message: format!("{what}: not offered by the engine"),
                line: Some(position(source, offset).0),
                call: None,
            });
        }
        Ok(Err(CompileFailure::TooDeep)) | Err(ParseFailure::TooDeep) => return failed(budget("depth")),
        Err(ParseFailure::TooLarge) => return failed(budget("size")),
    };
    let mut names = Attrs::default();
    names.set(&Arc::from("__name__"), Value::str("__main__"));
    let mut vm = Vm::new(Heap::new(Arc::new(vec![Arc::new(Obj::Namespace(names))])), GLOBALS, limits);
    let result = vm.run_code(&code, std::iter::empty());
    ModuleRun { stdout: std::mem::take(&mut vm.out), fault: result.err().map(|stop| Fault::at(stop, vm.stopped, None)) }
}

/// What a program that does not parse raises: Python tells faults of indentation apart.
fn kind_of(message: &str, source: &str) -> FaultKind {
    // The parser's words.
    let unindents = message.starts_with("unindent does not match");
    let indents = message == "Unexpected indentation" || message.starts_with("Expected an indented block");
    if unindents && source.lines().any(|line| line.trim_start_matches(' ').starts_with('\t')) {
        // Python has an error of its own for tabs whose width decides; the parser does not tell which it is.
        return FaultKind::Unsupported("tabs and blanks in indentation".into());
    }
    FaultKind::Exception(if indents || unindents { "IndentationError" } else { "SyntaxError" }.into())
}
