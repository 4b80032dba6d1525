//! Reading a completion as the next line of the trajectory program: the `verify` rules of Algorithm 1 that need no state.

use ruff_python_ast::{Expr, Stmt};

use crate::program::Call;

/// What a completion's line is.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// A call of constants.
    Call(Call),
    /// No action: the rule's name (`NoAction`, `NotAnAction`, `SyntaxError`) and the matter in words.
    Not {
        /// The rule.
        reason: &'static str,
        /// In words.
        message: String,
    },
}

/// The line of a completion that counts: the first that is not blank, without its indentation. Chat models wrap code in fences
/// and prompts; these are taken off.
pub fn first_line(completion: &str) -> &str {
    completion
        .lines()
        .map(|line| line.trim().trim_start_matches(">>> ").trim())
        .find(|line| !line.is_empty() && !line.starts_with("```"))
        .map(|line| line.trim_matches('`').trim())
        .unwrap_or("")
}

/// Reads a line as a program call.
pub fn read_line(line: &str) -> Line {
    let not = |reason, message: &str| Line::Not { reason, message: message.to_owned() };
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return not("NoAction", "the line is blank or a comment");
    }
    // The grammar's parser recurses: depth is bounded before it is called.
    if line.len() > 16 * 1024 || line.matches(['(', '[', '{']).count() > 64 {
        return not("SyntaxError", "the line is too long or too deeply nested");
    }
    let module = match ruff_python_parser::parse_module(line) {
        Ok(parsed) => parsed.into_syntax(),
        Err(error) => return not("SyntaxError", &error.error.to_string()),
    };
    match module.body.as_slice() {
        [Stmt::Expr(statement)] if matches!(statement.value.as_ref(), Expr::Call(_)) => {}
        _ => return not("NotAnAction", "the line is no single call"),
    }
    // Comments after the call are no part of it.
    let code = match module.body.first() {
        Some(statement) => {
            let range = ruff_text_size::Ranged::range(statement);
            line.get(range.start().to_usize()..range.end().to_usize()).unwrap_or(line)
        }
        None => line,
    };
    match code.parse::<Call>() {
        Ok(call) => Line::Call(call),
        Err(error) => not("NotAnAction", &error.why),
    }
}
