//! Whether a text parses, asked while it is typed: where its first fault is, and what was expected there. Nothing is compiled or run.

use std::fmt;

use super::assertion::{Assertion, BEFORE, source_of};
use super::call::Call;
use super::effect::{Effect, FORM};
use super::engine::parse::{ParseFailure, position, with_expression, with_module};

/// Put before a line to make it the body of a function.
const DEFINED: &str = "def _():\n ";

/// An assertion is known by its blank: so the recorded programs read candidates, and `assert(` is part of what is asserted to them.
const BLANK: &str = "put a blank behind `assert`, or leave it out";

/// What is wrong with an assertion that is written as an assignment.
const SETS: &str = "`=` sets a value; an assertion compares with `==`";

/// The first fault of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxFault {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Expectation, or what is wrong.
    pub message: String,
}

impl fmt::Display for SyntaxFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl SyntaxFault {
    /// That it does not parse, with where and why; a text of one line needs no line.
    pub fn in_words(&self) -> String {
        format!("does not parse: {self}")
    }

    /// The fault of a program.
    pub fn of_program(text: &str) -> Option<SyntaxFault> {
        with_module(text, |_| ()).err().map(|failure| fault(text, failure, 0))
    }

    /// The fault of an assertion, with or without `assert ` before it.
    pub fn of_assertion(text: &str) -> Option<SyntaxFault> {
        let rejection = Assertion::compile(text).err()?;
        let body = Assertion::expression(text);
        if body.strip_prefix("assert").is_some_and(|rest| rest.starts_with(['(', '\t'])) {
            let column = text.chars().count() - text.trim_start().chars().count() + 1;
            return Some(SyntaxFault { line: 1, column, message: BLANK.to_owned() });
        }
        let lead = text.trim_end().len().saturating_sub(body.len());
        let parsed = with_module(&source_of(body), |_| ());
        Some(match parsed {
            Err(failure) => {
                let found = fault(text, failure, BEFORE.len() as isize - lead as isize);
                if sets_a_value(text, &found) { SyntaxFault { message: SETS.to_owned(), ..found } } else { found }
            }
            Ok(()) => SyntaxFault { line: 1, column: 1, message: rejection.message },
        })
    }

    /// The fault of an effect.
    pub fn of_effect(text: &str) -> Option<SyntaxFault> {
        let whole = text.trim();
        let lead = text.len() - text.trim_start().len();
        match with_module(&format!("{DEFINED}{whole}\n"), |_| ()) {
            Err(failure) => Some(fault(text, failure, DEFINED.len() as isize - lead as isize)),
            Ok(()) if Effect::is_one(whole) => None,
            Ok(()) => Some(SyntaxFault { line: 1, column: 1, message: FORM.to_owned() }),
        }
    }

    /// The fault of a text that begins as a call, `receiver.function(`; `None` for any other text, as that may be an action in words,
    /// or a tool's call such as `bash({"command": "ls"})`.
    pub fn of_call(text: &str) -> Option<SyntaxFault> {
        let name = text.trim_start().split_once('(')?.0.trim_end();
        let plain = |part: &str| part.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let word = |part: &str| plain(part) && part.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !name.split('.').all(word) {
            return None;
        }
        let error = text.parse::<Call>().err()?;
        let lead = text.len() - text.trim_start().len();
        Some(match with_expression(text.trim(), |_| ()) {
            Err(failure) => fault(text, failure, -(lead as isize)),
            Ok(()) if !name.contains('.') => return None,
            Ok(()) => SyntaxFault { line: 1, column: 1, message: error.why },
        })
    }
}

/// A failure as a fault of the text; its offset counts `before` bytes that are not the text's.
fn fault(text: &str, failure: ParseFailure, before: isize) -> SyntaxFault {
    let (offset, message) = match failure {
        ParseFailure::Syntax(message, offset) => (offset.saturating_add_signed(-before), message),
        ParseFailure::TooLarge => (0, "the text is too large".to_owned()),
        ParseFailure::TooDeep => (0, "the text nests too deeply".to_owned()),
    };
    // The end of the text says nothing of what is missing there.
    if message.starts_with("unexpected EOF")
        && let Some((bracket, at)) = unclosed(text)
    {
        let (line, column) = position(text, at);
        return SyntaxFault { line, column, message: format!("`{bracket}` is never closed") };
    }
    // Behind the last sign, where a line break was added for the parser.
    let (line, column) = position(text, offset.min(text.trim_end_matches('\n').len()));
    SyntaxFault { line, column, message: in_a_sentence(&message) }
}

/// Whether the fault of an assertion is the sign that sets a value.
fn sets_a_value(text: &str, fault: &SyntaxFault) -> bool {
    let mut signs = text.chars().skip(fault.column.saturating_sub(1));
    fault.line == 1 && signs.next() == Some('=') && signs.next() != Some('=')
}

/// The innermost bracket that is open at the end of a text, and where. Strings of several lines are not told from others: then it is
/// the parser's word that counts.
fn unclosed(text: &str) -> Option<(char, usize)> {
    let mut open = Vec::new();
    let mut signs = text.char_indices();
    while let Some((at, sign)) = signs.next() {
        match sign {
            '(' | '[' | '{' => open.push((sign, at)),
            ')' | ']' | '}' => drop(open.pop()),
            '#' => drop(signs.find(|(_, c)| *c == '\n')),
            '\'' | '"' => {
                while let Some((_, c)) = signs.next().filter(|(_, c)| *c != sign) {
                    if c == '\\' {
                        signs.next();
                    }
                }
            }
            _ => {}
        }
    }
    open.pop()
}

/// A message that goes on a sentence: small where its first word is no name.
fn in_a_sentence(message: &str) -> String {
    let mut letters = message.chars();
    match letters.next() {
        Some(first) if letters.as_str().starts_with(|c: char| c.is_lowercase()) => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(fault: Option<SyntaxFault>) -> String {
        fault.map(|fault| fault.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_program_s_first_fault_has_its_line() {
        assert_eq!(
            said(SyntaxFault::of_program("a = 1\nif a\n    b()\n")),
            "line 2, column 5: expected `:`, found newline"
        );
        assert_eq!(
            said(SyntaxFault::of_program("for x in [1, 2:\n    f(x)")),
            "line 1, column 15: expected `,`, found `:`"
        );
        assert_eq!(SyntaxFault::of_program("def f(x):\n    return x\n\nf(1)"), None);
        assert_eq!(SyntaxFault::of_program(""), None);
    }

    #[test]
    fn an_assertion_s_fault_is_counted_in_its_own_text() {
        assert_eq!(said(SyntaxFault::of_assertion("self.inventory ==")), "line 1, column 18: expected an expression");
        assert_eq!(said(SyntaxFault::of_assertion(" assert (a")), "line 1, column 9: `(` is never closed");
        for (text, column) in [("self.inventory = recep", 16), (" assert held = 'mug'", 14)] {
            let told = format!("line 1, column {column}: `=` sets a value; an assertion compares with `==`");
            assert_eq!(said(SyntaxFault::of_assertion(text)), told);
        }
        let said_of = said(SyntaxFault::of_assertion("a; b"));
        assert!(said_of.starts_with("line 1, column ") && said_of.len() > 20, "{said_of}");
        assert_eq!(SyntaxFault::of_assertion("assert self.inventory == None"), None);
        assert_eq!(said(SyntaxFault::of_effect("self.inventory =")), "line 1, column 17: expected an expression");
        assert!(said(SyntaxFault::of_effect("obj in self.held")).contains("an effect is one assignment"));
        assert_eq!(SyntaxFault::of_effect(" self.inventory = obj"), None);
    }

    #[test]
    fn only_what_begins_as_a_call_has_a_call_s_fault() {
        assert_eq!(said(SyntaxFault::of_call("agent.goto('a) b'")), "line 1, column 11: `(` is never closed");
        assert_eq!(said(SyntaxFault::of_call("agent.goto(drawer)")), "line 1, column 1: an argument is no constant");
        assert_eq!(said(SyntaxFault::of_call("bash({\"command\": \"ls\"")), "line 1, column 6: `{` is never closed");
        for words in [
            "go to drawer 1",
            "bash({\"command\": \"ls\", \"all\": true})",
            "[WALK] <kitchen> (1)",
            "search[red (large) shoe]",
            "agent.goto('drawer 1')",
        ] {
            assert_eq!(SyntaxFault::of_call(words), None, "{words}");
        }
    }
}
