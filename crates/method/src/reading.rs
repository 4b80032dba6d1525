//! Parsing of a completion as the next line of the trajectory program: the `verify` rules of Algorithm 1 that need no state.

use std::borrow::Cow;

use ruff_python_ast::{Expr, Stmt};

use stepwright_program::Call;

#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    Call(Call),
    /// No action: the rule's name (`NoAction`, `NotAnAction`, `SyntaxError`) and the matter in words.
    Not {
        reason: &'static str,
        message: String,
    },
}

/// The end of the call in a raw completion that may begin with a thought: the text at which generation stops. A line
/// break alone would stop it behind the thought. The parenthesis is put back by [`closed`].
pub(crate) const END_OF_CALL: &str = ")\n";

/// That an answer calls a tool, which no prompt for a text offers.
pub(crate) const CALLS_A_TOOL: &str = "the model called a tool and wrote no text";

/// What an answer without a text is, by its reason for ending.
pub fn wordless(finish: &str) -> &'static str {
    if finish == "tool_calls" { CALLS_A_TOOL } else { "the model wrote nothing" }
}

/// A completion taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Written<'a> {
    /// The comments before the line, without `#` and `think:`.
    pub thoughts: Vec<&'a str>,
    /// The line that counts, without its indentation; empty if there is none.
    pub line: &'a str,
}

/// Takes a completion apart: comments first, then the first line that is neither blank nor a fence. Chat models wrap code in
/// fences and prompts; these are taken off.
pub fn written(completion: &str) -> Written<'_> {
    let mut written = Written::default();
    for line in completion.lines() {
        let line = line.trim().trim_start_matches(">>> ").trim();
        if line.is_empty() || line.starts_with("```") {
            continue;
        }
        if let Some(comment) = line.strip_prefix('#') {
            let comment = comment.trim_start_matches('#').trim();
            let thought = comment.strip_prefix("think:").unwrap_or(comment).trim();
            if !thought.is_empty() {
                written.thoughts.push(thought);
            }
            continue;
        }
        written.line = line.trim_matches('`').trim();
        break;
    }
    written
}

pub fn first_line(completion: &str) -> &str {
    written(completion).line
}

/// A line whose generation was stopped at [`END_OF_CALL`] with its parenthesis put back; any other line as it is. `finish` is
/// the completion's reason for ending: a line cut off by the token limit stays cut off.
pub fn closed<'a>(line: &'a str, finish: &str) -> Cow<'a, str> {
    let cut = matches!(finish, "length" | "content_filter" | stepwright_model::CUT_OFF);
    let opens = line.contains('(') && !line.ends_with(')');
    if cut || !opens || line.parse::<Call>().is_ok() {
        return Cow::Borrowed(line);
    }
    let closed = format!("{line})");
    // What is Python then is taken, also a call with arguments by name.
    let broken = matches!(read_line(&closed), Line::Not { reason: "SyntaxError", .. });
    if broken { Cow::Borrowed(line) } else { Cow::Owned(closed) }
}

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
