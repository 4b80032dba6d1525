//! Bounded parsing: Python's grammar from the parser crate, with the stack it needs and a refusal of what is too large.

use ruff_python_ast::token::TokenKind;
use ruff_python_ast::{Expr, Mod, ModModule, PythonVersion};
use ruff_python_parser::{Mode, ParseError, ParseErrorType, ParseOptions, Parsed, parse_unchecked};
use ruff_text_size::Ranged;

/// Longest source that is parsed, in bytes.
const MAX_SOURCE: usize = 512 * 1024;
/// Upper bound of nesting that is parsed at all; what is deeper than [`super::depth::MAX_DEPTH`] is refused later.
const MAX_NESTING: usize = 60_000;
/// Levels of nesting that the parser goes down; a little more than what compiles, since it counts its own framing too.
const PARSER_DEPTH: u16 = 1_010;
/// Stack a level of nesting takes while it is parsed, generously.
const BYTES_PER_PARSED_LEVEL: usize = 32 * 1024;
/// Stack a level of nesting takes when a tree is dropped, generously. A chain such as `a.b.c` nests without the parser going down.
const BYTES_PER_LEVEL: usize = 1024;

/// The version of Python whose grammar code has where none is said.
const USUAL: PythonVersion = PythonVersion::PY312;
/// Brackets in brackets that CPython reads.
const MAX_BRACKETS: usize = 200;

/// Why source could not be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParseFailure {
    /// Message and byte offset.
    Syntax(String, usize),
    /// Longer than is parsed.
    TooLarge,
    /// Nested more deeply than is parsed.
    TooDeep,
}

/// An upper bound of how deep the tree of a source can be: every level takes a word or a sign.
fn nesting_bound(source: &str) -> usize {
    let mut in_word = false;
    let mut count = 0;
    for b in source.bytes() {
        let word = b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
        if word {
            count += usize::from(!in_word);
        } else if !b.is_ascii_whitespace() || b == b'\n' {
            count += 1;
        }
        in_word = word;
    }
    count
}

/// Parses a module and hands its tree to `f`, with stack enough for both; the tree is gone when this returns.
pub fn with_module<T>(source: &str, f: impl FnOnce(&ModModule) -> T) -> Result<T, ParseFailure> {
    with_parsed(source, |parsed| f(parsed.syntax()))
}

/// The same, with the tokens beside the tree.
pub fn with_parsed<T>(source: &str, f: impl FnOnce(&Parsed<ModModule>) -> T) -> Result<T, ParseFailure> {
    with_parsed_of(USUAL, source, f)
}

/// The same by the grammar of a version of Python: what came later is a fault.
pub fn with_parsed_of<T>(
    version: PythonVersion,
    source: &str,
    f: impl FnOnce(&Parsed<ModModule>) -> T,
) -> Result<T, ParseFailure> {
    parsed_as(Mode::Module, version, source, |parsed| match parsed.try_into_module() {
        Some(parsed) => Ok(f(&parsed)),
        None => Err(ParseFailure::Syntax("no module".into(), 0)),
    })
}

/// Parses one expression and hands its tree to `f`, as [`with_module`] does.
pub(crate) fn with_expression<T>(source: &str, f: impl FnOnce(&Expr) -> T) -> Result<T, ParseFailure> {
    parsed_as(Mode::Expression, USUAL, source, |parsed| match parsed.syntax() {
        Mod::Expression(expression) => Ok(f(&expression.body)),
        Mod::Module(_) => Err(ParseFailure::Syntax("no expression".into(), 0)),
    })
}

fn parsed_as<T>(
    mode: Mode,
    version: PythonVersion,
    source: &str,
    f: impl FnOnce(Parsed<Mod>) -> Result<T, ParseFailure>,
) -> Result<T, ParseFailure> {
    if source.len() > MAX_SOURCE {
        return Err(ParseFailure::TooLarge);
    }
    if let Some(at) = source.find('\0') {
        return Err(ParseFailure::Syntax("source code cannot contain null bytes".into(), at));
    }
    let nesting = nesting_bound(source);
    if nesting > MAX_NESTING {
        return Err(ParseFailure::TooLarge);
    }
    let parsed = nesting.min(usize::from(PARSER_DEPTH));
    let stack = 256 * 1024 + (nesting * BYTES_PER_LEVEL).max(parsed * BYTES_PER_PARSED_LEVEL);
    stacker::maybe_grow(stack, stack + 256 * 1024, || {
        let options = ParseOptions::from(mode).with_target_version(version).with_max_recursion_depth(PARSER_DEPTH);
        let parsed = parse_unchecked(source, options);
        first_error(&parsed)?;
        if let Some(at) = too_many_brackets(source, &parsed) {
            return Err(ParseFailure::Syntax("too many nested parentheses".into(), at));
        }
        f(parsed)
    })
}

/// Where more brackets are open than CPython reads.
fn too_many_brackets(source: &str, parsed: &Parsed<Mod>) -> Option<usize> {
    if source.bytes().filter(|b| matches!(b, b'(' | b'[' | b'{')).count() <= MAX_BRACKETS {
        return None;
    }
    let mut open = 0_usize;
    let deep = parsed.tokens().iter().find(|token| {
        match token.kind() {
            TokenKind::Lpar | TokenKind::Lsqb | TokenKind::Lbrace => open += 1,
            TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace => open = open.saturating_sub(1),
            _ => {}
        }
        open > MAX_BRACKETS
    });
    deep.map(|token| token.range().start().to_usize())
}

fn first_error(parsed: &Parsed<Mod>) -> Result<(), ParseFailure> {
    if parsed.errors().iter().any(|error| error.error == ParseErrorType::RecursionLimitExceeded) {
        return Err(ParseFailure::TooDeep);
    }
    if let Some(error) = parsed.errors().iter().find(|error| !is_bare_raise(parsed, error)) {
        return Err(ParseFailure::Syntax(error.error.to_string(), error.location.start().to_usize()));
    }
    if let Some(error) = parsed.unsupported_syntax_errors().first() {
        return Err(ParseFailure::Syntax(error.to_string(), error.range.start().to_usize()));
    }
    Ok(())
}

/// Whether the parser misses an exception between a bare `raise` and a semicolon, where Python needs none. The tree has a name without
/// a text there.
fn is_bare_raise(parsed: &Parsed<Mod>, error: &ParseError) -> bool {
    let at = error.location.start();
    let place = parsed.tokens().partition_point(|token| token.range().start() < at);
    let is_at = |place: Option<usize>, kind: TokenKind| {
        place.and_then(|place| parsed.tokens().get(place)).is_some_and(|token| token.kind() == kind)
    };
    error.error == ParseErrorType::ExpectedExpression
        && is_at(Some(place), TokenKind::Semi)
        && is_at(place.checked_sub(1), TokenKind::Raise)
}

/// Line and column (both from 1, columns in characters) of a byte offset.
pub fn position(source: &str, offset: usize) -> (usize, usize) {
    let mut end = offset.min(source.len());
    while !source.is_char_boundary(end) {
        end -= 1;
    }
    let before = &source[..end];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
    (line, column)
}
