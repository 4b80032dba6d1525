//! Signatures of skills (`put(object, receptacle)`) and their calls (`put(mug, shelf)`): a name and words in brackets.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Signature {
    pub name: String,
    pub parameters: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SkillCall {
    pub skill: String,
    /// The arguments, as they were written.
    pub args: Vec<String>,
}

/// A text that is no name with brackets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not of the form name(one, two)")]
pub struct CallError(pub String);

/// A name and the words between its brackets; nothing may follow them.
fn split(text: &str) -> Result<(String, Vec<String>), CallError> {
    let fail = || CallError(text.to_owned());
    let (name, rest) = text.trim().split_once('(').ok_or_else(fail)?;
    let inside = rest.strip_suffix(')').ok_or_else(fail)?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !is_name || inside.contains(['(', ')']) {
        return Err(fail());
    }
    let words: Vec<String> = inside.split(',').map(|word| word.trim().to_owned()).collect();
    let none = inside.trim().is_empty();
    if !none && words.iter().any(String::is_empty) {
        return Err(fail());
    }
    Ok((name.to_owned(), if none { Vec::new() } else { words }))
}

fn write(f: &mut fmt::Formatter<'_>, name: &str, words: &[String]) -> fmt::Result {
    write!(f, "{name}({})", words.join(", "))
}

impl FromStr for Signature {
    type Err = CallError;

    fn from_str(text: &str) -> Result<Self, CallError> {
        let (name, parameters) = split(text)?;
        Ok(Signature { name, parameters })
    }
}

impl TryFrom<String> for Signature {
    type Error = String;

    /// As it is read in a document, where nothing else says which skill is at fault.
    fn try_from(text: String) -> Result<Self, String> {
        text.parse().map_err(|e| format!("skill {text:?}: {e}"))
    }
}

impl From<Signature> for String {
    fn from(signature: Signature) -> String {
        signature.to_string()
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, &self.name, &self.parameters)
    }
}

impl FromStr for SkillCall {
    type Err = CallError;

    fn from_str(text: &str) -> Result<Self, CallError> {
        let (skill, args) = split(text)?;
        Ok(SkillCall { skill, args })
    }
}

impl fmt::Display for SkillCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, &self.skill, &self.args)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_calls_are_each_others_inverse() {
        for text in ["find(bowl)", "put(cellphone1, sofa)", "buy()"] {
            assert_eq!(text.parse::<SkillCall>().unwrap().to_string(), text);
            assert_eq!(text.parse::<Signature>().unwrap().to_string(), text);
        }
        for text in ["find", "find(", "(x)", "find(a,)", "go to(x)", "f(g(x))", "f(x) y"] {
            assert!(text.parse::<SkillCall>().is_err(), "{text}");
        }
    }
}
