//! Responses of a model in the three stages: skills with a segmented log, primitives by skill, tips. Each gives its answer after
//! `New summarization:`; the text before it is passed over, and of several the last counts.

use std::fmt;

use crate::call::{Signature, SkillCall};

const MARKER: &str = "New summarization:";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub call: SkillCall,
    pub actions: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Skills {
    pub skills: Vec<Signature>,
    pub parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    pub syntax: String,
    /// The example; empty where none is given.
    pub example: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseError {
    /// The line, counted from 1; `None` for the whole.
    pub line: Option<usize>,
    pub message: String,
}

impl fmt::Display for ResponseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for ResponseError {}

fn wrong(line: usize, message: impl fmt::Display) -> ResponseError {
    ResponseError { line: Some(line), message: message.to_string() }
}

/// The lines after the marker with their numbers; what follows it on its own line is the first.
fn lines(response: &str) -> Result<Vec<(usize, &str)>, ResponseError> {
    let absent = || ResponseError { line: None, message: format!("no \"{MARKER}\" in the response") };
    let at = response.rfind(MARKER).ok_or_else(absent)?;
    let before = response.get(..at).unwrap_or_default().matches('\n').count();
    let rest = response.get(at + MARKER.len()..).unwrap_or_default();
    Ok(rest.split('\n').enumerate().map(|(i, line)| (before + i + 1, line.trim_end())).collect())
}

/// Reads a response of the first stage.
/// Errors: if the marker is missing or a heading is no call.
pub fn skills(response: &str) -> Result<Skills, ResponseError> {
    let mut read = Skills::default();
    let mut listing = false;
    // How far the first subtask's heading is indented.
    let mut indent = None;
    for (number, line) in lines(response)? {
        let text = line.trim();
        let own = line.len() - line.trim_start().len();
        if text.to_lowercase().contains("list the environment-specific") {
            listing = true;
        } else if let Some(action) = text.strip_prefix("> ").or_else(|| text.strip_prefix("Action:")) {
            match read.parts.last_mut() {
                Some(part) => part.actions.push(action.trim().to_owned()),
                None => return Err(wrong(number, "an action precedes the first subtask")),
            }
        } else if let Some(item) = text.strip_prefix("- ") {
            if listing {
                read.skills.push(item.trim().parse().map_err(|e| wrong(number, e))?);
            } else {
                match item.trim().trim_end_matches(':').parse() {
                    Ok(call) => read.parts.push(Part { call, actions: Vec::new() }),
                    // An observation of the log, further in than the headings, may list things as they are listed.
                    Err(_) if indent.is_some_and(|first| own > first) => {}
                    Err(e) => return Err(wrong(number, e)),
                }
                indent = indent.or(Some(own));
            }
        }
    }
    Ok(read)
}

/// Reads a response of the second stage: primitives by skill, in its order; a skill without any is there too.
/// Errors: if the marker is missing, or a heading is no skill.
pub fn primitives(response: &str) -> Result<Vec<(Signature, Vec<Given>)>, ResponseError> {
    let mut read: Vec<(Signature, Vec<Given>)> = Vec::new();
    for (number, line) in lines(response)? {
        let text = line.trim();
        if let Some(heading) = text.strip_prefix(">>").or_else(|| text.strip_prefix("> >")) {
            read.push((heading.trim().parse().map_err(|e| wrong(number, e))?, Vec::new()));
            continue;
        }
        let Some((_, given)) = read.last_mut() else { continue };
        let plain = text.trim_start_matches('#').trim_start();
        if let Some(example) = plain.strip_prefix("Example") {
            match given.last_mut() {
                Some(last) => example.trim_start_matches(':').trim().clone_into(&mut last.example),
                None => return Err(wrong(number, "an example precedes the first action")),
            }
        } else if !text.is_empty() && !text.ends_with(':') {
            let syntax = text.strip_prefix("- ").unwrap_or(text).trim().to_owned();
            given.push(Given { syntax, example: String::new() });
        }
    }
    Ok(read)
}

/// Reads a response of the third stage: the tips, each once, those over several lines joined.
pub fn tips(response: &str) -> Result<Vec<String>, ResponseError> {
    let mut tips: Vec<String> = Vec::new();
    let mut begun = false;
    for (_, line) in lines(response)? {
        let text = line.trim();
        if !begun {
            begun = text.eq_ignore_ascii_case("tips:");
            continue;
        }
        match (bullet(text), tips.last_mut()) {
            (Some(tip), _) => tips.push(tip.to_owned()),
            (None, Some(last)) if !text.is_empty() => {
                last.push(' ');
                last.push_str(text);
            }
            _ => {}
        }
    }
    let mut once: Vec<String> = Vec::new();
    for tip in tips.into_iter().filter(|tip| !tip.is_empty()) {
        if !once.contains(&tip) {
            once.push(tip);
        }
    }
    Ok(once)
}

/// The text after a dash, a star, a dot or a number at the beginning of a line.
fn bullet(text: &str) -> Option<&str> {
    if let Some(rest) = ["- ", "* ", "• "].iter().find_map(|mark| text.strip_prefix(mark)) {
        return Some(rest.trim());
    }
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = (rest.len() < text.len()).then_some(rest)?;
    rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let error = skills("x\nNew summarization:\n- find bowl:\n").unwrap_err();
        assert!(error.to_string().starts_with("line 3: "), "{error}");
        assert_eq!(tips("Tips:\n- x").unwrap_err().to_string(), "no \"New summarization:\" in the response");
        let log = "New summarization:\n- find(bowl):\n> look\n    - machine washable\n> take bowl\n";
        let read = skills(log).unwrap();
        assert_eq!(read.parts.iter().map(|part| part.actions.len()).collect::<Vec<_>>(), [2]);
        let error = primitives("New summarization:\n>> find(object)\nExample: x").unwrap_err();
        assert_eq!(error.to_string(), "line 3: an example precedes the first action");
    }
}
