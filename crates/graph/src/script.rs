//! Scripts: `[ACTION] <name> (n) <name> (n)`, a line each. Reads and writes them; performing them is [`run`](crate::run)'s.

use std::fmt;
use std::sync::Arc;

use stepwright_text::words::{is_space, stripped};
use unicode_general_category::{GeneralCategory, get_general_category};

use crate::action::Action;
use crate::nearness::nearest;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Param {
    /// The name in lower case, spaces as underscores (`home_office`).
    pub name: Arc<str>,
    /// The number: a node's id, or in a program that is not prepared yet the how-manieth thing of the name.
    pub number: i64,
}

impl fmt::Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}> ({})", self.name, self.number)
    }
}

/// A step of a script: an action with the things it is done to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Line {
    pub action: Action,
    /// To what; as many as [`Action::arity`] says.
    pub params: Vec<Param>,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}]", self.action.name())?;
        self.params.iter().try_for_each(|param| write!(f, " {param}"))
    }
}

pub type Script = Vec<Line>;

/// Why a line is no step; displayed as the reference says it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// No `[ACTION]` at the line's beginning.
    #[error("Cannot parse action")]
    NoAction,
    #[error("Unknown action \"{0}\"")]
    UnknownAction(String),
    #[error("Wrong number of parameters for \"{action}\". Got {found}, expected {expected}")]
    Parameters { action: &'static str, found: usize, expected: usize },
    #[error("invalid literal for int() with base 10: '{0}'")]
    Number(String),
}

/// A line of a file that is no step: where, what is wrong, what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, `{text}`: {error}; {}", hint(error))]
pub struct LineError {
    /// The line in the text, from 1.
    pub line: usize,
    pub text: String,
    pub error: ParseError,
}

fn hint(error: &ParseError) -> String {
    match error {
        ParseError::NoAction => "expected `[ACTION] <name> (number)`, the action in brackets first".to_owned(),
        ParseError::UnknownAction(name) => {
            let all: Vec<&str> = Action::ALL.iter().map(|action| action.name()).collect();
            match nearest(name, all.iter().copied(), 2).as_slice() {
                [] => format!("expected one of {}", all.join(", ")),
                near => format!("did you mean {}?", near.join(" or ")),
            }
        }
        ParseError::Parameters { expected: 0, .. } => "expected no object after the action".to_owned(),
        ParseError::Parameters { expected: 1, .. } => {
            "expected one object, `<name> (number)` with both brackets closed".to_owned()
        }
        ParseError::Parameters { .. } => {
            "expected two objects, `<name> (number) <name> (number)` with all brackets closed".to_owned()
        }
        ParseError::Number(_) => "expected a whole number in parentheses, such as `(1)`".to_owned(),
    }
}

pub fn parse_line(text: &str) -> Result<Line, ParseError> {
    let text = stripped(text);
    let (name, rest) = text.strip_prefix('[').and_then(|t| t.split_once(']')).ok_or(ParseError::NoAction)?;
    if name.is_empty() || !name.chars().all(is_word) {
        return Err(ParseError::NoAction);
    }
    let name = name.to_uppercase();
    let action: Action = name.parse().map_err(|()| ParseError::UnknownAction(name))?;
    let mut params = Vec::with_capacity(2);
    let mut rest = rest;
    while let Some((name, number, after)) = next_param(rest) {
        let read = integer(number).ok_or_else(|| ParseError::Number(number.to_owned()))?;
        params.push(Param { name: name.to_lowercase().replace(' ', "_").into(), number: read });
        rest = after;
    }
    if params.len() != action.arity() {
        return Err(ParseError::Parameters { action: action.name(), found: params.len(), expected: action.arity() });
    }
    Ok(Line { action, params })
}

/// Python's `\w`: a letter, a number of any kind, an underscore. A vowel's sign or a letter in a circle is none.
fn is_word(c: char) -> bool {
    use GeneralCategory::{LowercaseLetter, ModifierLetter, OtherLetter, TitlecaseLetter, UppercaseLetter};
    let letter = |c| {
        let category = get_general_category(c);
        matches!(category, LowercaseLetter | ModifierLetter | OtherLetter | TitlecaseLetter | UppercaseLetter)
    };
    c == '_' || c.is_numeric() || letter(c)
}

/// The first `<name>`, white space, `(number)`, both as short as they can be, and what follows; as the reference's pattern finds it.
fn next_param(text: &str) -> Option<(&str, &str, &str)> {
    for (open, _) in text.match_indices('<') {
        let inner = text.get(open + 1..)?;
        // Neither a name nor a number goes over a line's end.
        let line = inner.find('\n').unwrap_or(inner.len());
        for (close, _) in inner.match_indices('>').filter(|(at, _)| (1..=line).contains(at)) {
            let after = inner.get(close + 1..)?.trim_start_matches(is_space);
            let Some(number) = after.strip_prefix('(') else { continue };
            let skip = number.chars().next().map_or(0, char::len_utf8);
            let Some(end) = number.get(skip..).and_then(|t| t.find(')')) else { continue };
            if number.get(..skip + end).is_some_and(|number| number.contains('\n')) {
                continue;
            }
            let (number, after) = (number.get(..skip + end)?, number.get(skip + end + 1..)?);
            return Some((inner.get(..close)?, number, after));
        }
    }
    None
}

/// A whole number as Python reads it: white space around (without ASCII's separators, which only texts lose), a sign, digits of any
/// script, underscores between them.
fn integer(text: &str) -> Option<i64> {
    let text = text.trim();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.split('_').any(str::is_empty) {
        return None;
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    // A number too large for any id is an id that no node has.
    let add = |number: i64, c| Some(number.saturating_mul(10).saturating_add(sign * digit(c)?));
    digits.chars().filter(|c| *c != '_').try_fold(0, add)
}

/// The value of a decimal digit of any script: in each of them the ten follow each other, in some several times.
fn digit(c: char) -> Option<i64> {
    if c.is_ascii() {
        return c.to_digit(10).map(i64::from);
    }
    let is_decimal = |c: &char| get_general_category(*c) == GeneralCategory::DecimalNumber;
    let before = |c: &char| char::from_u32(u32::from(*c) - 1).filter(is_decimal);
    let place = std::iter::successors(Some(c).filter(is_decimal), before).count() as i64;
    (place > 0).then_some((place - 1) % 10)
}

/// Whether a line of a text is a step at all: it has a bracket and is no comment.
fn is_step(line: &str) -> bool {
    line.contains('[') && !line.starts_with('#')
}

/// Reads the steps among some lines; others are skipped.
pub fn parse<'a>(lines: impl IntoIterator<Item = &'a str>) -> Result<Script, LineError> {
    let lines = lines.into_iter().map(stripped).enumerate().filter(|(_, line)| is_step(line));
    let read = |(at, text): (usize, &str)| {
        parse_line(text).map_err(|error| LineError { line: at + 1, text: text.to_owned(), error })
    };
    lines.map(read).collect()
}

/// Reads every step that can be read, and says of the others what is wrong.
pub fn parse_leniently<'a>(lines: impl IntoIterator<Item = &'a str>) -> (Script, Vec<LineError>) {
    let (mut script, mut errors) = (Script::new(), Vec::new());
    for (at, text) in lines.into_iter().map(stripped).enumerate().filter(|(_, line)| is_step(line)) {
        match parse_line(text) {
            Ok(line) => script.push(line),
            Err(error) => errors.push(LineError { line: at + 1, text: text.to_owned(), error }),
        }
    }
    (script, errors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_back_as_it_is_written() {
        for text in ["[WALK] <home_office> (319)", "[PUTBACK] <cup> (1) <table> (2)", "[STANDUP]"] {
            assert_eq!(parse_line(text).unwrap().to_string(), text);
        }
        assert_eq!(parse_line(" [Walk]<Home Office>  (+1_0)").unwrap().to_string(), "[WALK] <home_office> (10)");
        assert_eq!(parse_line("[LookAt_Medium] <tv> (1)").unwrap().to_string(), "[LOOKAT] <tv> (1)");
    }

    #[test]
    fn numbers_and_white_space_are_read_as_python_reads_them() {
        let number =
            |text: &str| parse_line(&format!("\u{1c}[WALK]<tv>\u{1f}({text})\u{1d}")).map(|line| line.params[0].number);
        for (text, read) in [
            ("１", 1),
            ("-١٢", -12),
            ("\u{85}+1_𝟘 ", 10),
            ("99999999999999999999", i64::MAX),
            ("-9223372036854775808", i64::MIN),
        ] {
            assert_eq!(number(text), Ok(read), "{text}");
        }
        for text in ["²", "五", "1__1", "1_", "+ 1", "-", "\u{1c}1"] {
            assert_eq!(number(text), Err(ParseError::Number(text.to_owned())), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_in_the_references_order() {
        let error = |text: &str| parse_line(text).unwrap_err().to_string();
        assert_eq!(error("walk to [WALK]"), "Cannot parse action");
        assert_eq!(error("[FLY] <chair> (x)"), "Unknown action \"FLY\"");
        // No letters to Python.
        assert_eq!(error("[Ⓐ] <chair> (1)"), error("chair"));
        assert_eq!(error("[कि] <chair> (1)"), error("chair"));
        assert_eq!(error("[WALK]"), "Wrong number of parameters for \"WALK\". Got 0, expected 1");
        assert_eq!(error("[WALK] <chair> (1"), "Wrong number of parameters for \"WALK\". Got 0, expected 1");
        assert_eq!(error("[WALK] <chair> (x)"), "invalid literal for int() with base 10: 'x'");
        assert_eq!(error("[WALK] <chair> (1.2)"), "invalid literal for int() with base 10: '1.2'");
    }

    #[test]
    fn an_error_names_the_line_and_what_was_expected_and_nothing_is_lost() {
        let lines = ["# a comment", "[WALK] <chair> (1)", "[GRABB] <cup> (1)", "[GRAB] <cup> (1", "[GRAB] <cup> (1)"];
        let error = parse(lines).unwrap_err().to_string();
        assert_eq!(error, "line 3, `[GRABB] <cup> (1)`: Unknown action \"GRABB\"; did you mean GRAB?");
        let (script, errors) = parse_leniently(lines);
        assert_eq!((script.len(), errors.len()), (2, 2));
        assert!(errors[1].to_string().contains("line 4") && errors[1].to_string().contains("both brackets closed"));
    }
}
