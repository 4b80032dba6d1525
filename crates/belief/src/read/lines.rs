//! Lines of a text, and the state in them: takes the `# ` from the lines, drops what cannot be shown, and looks for where the state begins.
//! Reading it is left to the parsers.

use serde_json::Value;

use super::ReadError;
use super::repair::{Fault, Repairs, clip};

/// The text of a state, from its first character on.
#[derive(Debug)]
pub struct Body {
    /// The text: an object or, without its opening brace, its entries; then all that follows.
    pub text: String,
    /// The line its first character is on, from 1.
    pub line: usize,
}

impl Body {
    pub(crate) fn line_at(&self, byte: usize) -> usize {
        self.line + self.text.bytes().take(byte).filter(|b| *b == b'\n').count()
    }

    /// The line where a name is first followed by a colon (or `=`); the first line if it is nowhere.
    pub fn line_of(&self, name: &str) -> usize {
        self.text
            .match_indices(name)
            .find(|(at, _)| self.names(*at + name.len()))
            .map_or(self.line, |(at, _)| self.line_at(at))
    }

    /// The line where a name is last followed by a colon.
    pub(crate) fn line_of_last(&self, name: &str) -> usize {
        self.text
            .rmatch_indices(name)
            .find(|(at, _)| self.names(*at + name.len()))
            .map_or(self.line, |(at, _)| self.line_at(at))
    }

    fn names(&self, end: usize) -> bool {
        // A few spaces: looking past more of them would make bad input slow.
        let mut after =
            self.text.get(end..).unwrap_or_default().chars().take(20).skip_while(|c| c.is_whitespace()).peekable();
        after.next_if(|c| super::is_quote(*c));
        matches!(after.find(|c| !c.is_whitespace()), Some(':' | '='))
    }
}

pub(crate) fn locate(text: &str, repairs: &mut Repairs) -> Result<Body, ReadError> {
    let clean = uncomment(text, repairs);
    let start = beginning(&clean)?;
    let (before, state) = clean.split_at(start);
    let is_beside = |l: &str| !l.get(state_word(l).unwrap_or_default()..).unwrap_or_default().trim().is_empty();
    if let Some((line, words)) = before.lines().enumerate().find(|(_, l)| is_beside(l)) {
        repairs.note(line + 1, Fault::Beside(clip(words)));
    }
    Ok(Body { text: state.to_owned(), line: 1 + before.matches('\n').count() })
}

/// The text without comment signs, fences and control characters; its lines stay where they are.
fn uncomment(text: &str, repairs: &mut Repairs) -> String {
    let mut clean = String::with_capacity(text.len());
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            clean.push('\n');
        }
        let line =
            line.strip_suffix('\r').unwrap_or(line).trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let line = line.trim_start_matches('#');
        if line.trim_start().starts_with("```") {
            repairs.note(number + 1, Fault::Beside(clip(line)));
            continue;
        }
        for c in line.chars() {
            match c {
                '\t' => clean.push(' '),
                c if c.is_control() => repairs.note(number + 1, Fault::Control),
                c => clean.push(c),
            }
        }
    }
    clean
}

/// Where the state begins. Where one that is JSON is followed by others the last counts: a writer thought better of it.
fn beginning(clean: &str) -> Result<usize, ReadError> {
    let first = first_state(clean)?;
    let state = clean[first..].trim_start();
    let is_json = object(state).is_some_and(|(is_state, _)| is_state);
    let later = if is_json { last_state(state).filter(|later| *later > 0) } else { None };
    Ok(later.map_or(first, |later| clean.len() - state.len() + later))
}

/// Where a state first begins: after `state =`; behind words, at the last state that is JSON; else at the first brace or line with an entry.
fn first_state(clean: &str) -> Result<usize, ReadError> {
    let mut offset = 0;
    let (mut first, mut entry) = (None, None);
    for (number, line) in clean.split('\n').enumerate() {
        if let Some(after) = state_word(line) {
            return Ok(offset + after);
        }
        let start = offset + line.len() - line.trim_start().len();
        if first.is_none() && !line.trim().is_empty() {
            first = Some((number + 1, start, line));
        }
        if entry.is_none() && line.trim_start().starts_with(super::is_quote) {
            entry = Some(start);
        }
        offset += line.len() + 1;
    }
    let (number, start, line) = first.ok_or(ReadError::Empty)?;
    let entry = entry.filter(|at| clean[*at..].contains([':', '=']));
    let is_begun = clean[start..].starts_with('{') || entry == Some(start);
    if !is_begun && let Some(state) = last_state(clean) {
        return Ok(state);
    }
    let mut braces = clean.match_indices('{').map(|(brace, _)| brace);
    let first_brace = braces.clone().next();
    let brace = braces.find(|brace| is_begun || !is_word(&clean[*brace..])).or(first_brace.filter(|_| entry.is_none()));
    entry.into_iter().chain(brace).min().ok_or(ReadError::NoState { line: number, text: clip(line) })
}

/// Whether a brace stands in prose: what it opens ends in its line and names no value, as in `{this}`.
fn is_word(text: &str) -> bool {
    let inside = text.strip_prefix('{').unwrap_or(text);
    inside.find(['}', '{', ':', '=', '\n']).is_some_and(|end| inside[end..].starts_with('}'))
}

/// Where the last object of a text begins that is JSON and lists things or relations, within no other object.
fn last_state(clean: &str) -> Option<usize> {
    let (mut found, mut end) = (None, 0);
    for (brace, _) in clean.match_indices('{') {
        if brace < end {
            continue;
        }
        if let Some((is_state, length)) = object(&clean[brace..]) {
            end = brace + length;
            found = Some(brace).filter(|_| is_state).or(found);
        }
    }
    found
}

/// Of the JSON that a text begins with: whether it lists things or relations, as a state does, and how long it is.
fn object(text: &str) -> Option<(bool, usize)> {
    let mut objects = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let object = objects.next()?.ok()?;
    Some((super::is_state(&super::unwrapped(object)), objects.byte_offset()))
}

/// Where a line's state begins, if the line says `state =`.
fn state_word(line: &str) -> Option<usize> {
    let word = line.trim_start().strip_prefix("state")?.trim_start().strip_prefix(['=', ':'])?;
    Some(line.len() - word.len())
}
