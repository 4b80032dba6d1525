//! Acts that a sentence states or asks for, and their wording: the calls of a program and the text of its update.

use crate::table::thing::{at, list};
use crate::weights::Ratio;

/// One thing done or stated.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// To be put somewhere, one after another.
    Put(Vec<String>, String),
    /// Put somewhere by somebody else.
    Moved(Vec<String>, String),
    /// Clean (`true`) or dirty.
    Is(Vec<String>, bool),
    /// Has become clean (`true`) or dirty.
    Becomes(Vec<String>, bool),
    /// Weighs a multiple of what another weighs.
    Weighs(String, Ratio, String),
}

impl Act {
    /// The calls that do it; none for what is only stated.
    pub fn calls(&self) -> Vec<String> {
        match self {
            Act::Put(what, target) => {
                what.iter().map(|block| format!("put_first_on_second({}, {})", quoted(block), quoted(target))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The sentence for a writer; none if it is about nothing.
    pub fn sentence(&self) -> Option<String> {
        let (Act::Put(what, _) | Act::Moved(what, _) | Act::Is(what, _) | Act::Becomes(what, _)) = self else {
            let Act::Weighs(block, factor, other) = self else { return None };
            return Some(format!("The {block} {} the {other}.", times(factor)));
        };
        if what.is_empty() {
            return None;
        }
        let (names, state) = (list(what), |clean: &bool| if *clean { "clean" } else { "dirty" });
        let one = what.len() == 1;
        Some(match self {
            Act::Put(_, target) => format!("Put {names} {}.", at(target)),
            Act::Moved(_, target) => format!("{names} {} placed {}.", if one { "is" } else { "are" }, at(target)),
            Act::Is(_, clean) => format!("{names} {} {}.", if one { "is" } else { "are" }, state(clean)),
            Act::Becomes(_, clean) => format!("{names} {} {}.", if one { "becomes" } else { "become" }, state(clean)),
            Act::Weighs(..) => return None,
        })
    }

    /// The things it is about, for "it" and "them".
    pub fn about(&self) -> Vec<String> {
        match self {
            Act::Put(what, _) | Act::Moved(what, _) | Act::Is(what, _) | Act::Becomes(what, _) => what.clone(),
            Act::Weighs(block, ..) => vec![block.clone()],
        }
    }
}

/// A text as a literal of the program.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// "is twice the weight of".
fn times(factor: &Ratio) -> String {
    match factor.to_string().as_str() {
        "1" => "has the same weight as".to_owned(),
        "2" => "is twice the weight of".to_owned(),
        "1/2" => "is half the weight of".to_owned(),
        other if other.contains('/') => format!("is {other} the weight of"),
        other => format!("is {other} times the weight of"),
    }
}
