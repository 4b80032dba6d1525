//! Rules, the part of knowledge that a program can use: what an action needs, its effects, how a task is divided into calls, and
//! where things tend to be. Each has a line of text in the file of skills, which a person may read and edit.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::call::SkillCall;
use crate::form::Binding;
use crate::scene::Scene;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    pub refused: Vec<String>,
    pub actions: Vec<ActionRule>,
    pub plans: Vec<Plan>,
    /// Where things of a kind tend to be: kinds of places, the best first.
    pub likely: Vec<(String, Vec<String>)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ActionRule {
    pub form: String,
    pub needs: Vec<Need>,
    /// How it makes the thing in a slot (`receptacle`, `open`).
    pub makes: Vec<(String, String)>,
    /// The slot of the place whose things it shows, if it does.
    pub shows: Option<String>,
}

/// How tasks of a form are divided into calls.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Plan {
    /// The task, what varies in square brackets (`put a clean [object] in [receptacle]`).
    pub task: String,
    pub calls: Vec<SkillCall>,
    pub seen: usize,
}

/// A condition on what was observed and done, over the slots of a form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Need {
    /// Whether it is to hold, or not to.
    pub holds: bool,
    pub fact: Fact,
}

/// A condition on the slots of a form. Verbs name other forms.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fact {
    /// The last action of that name was of this thing.
    Last { verb: String, slot: String },
    /// As [`Fact::Last`], and no action of the other name came after it.
    Since { verb: String, slot: String, until: String },
    /// The last action of the one name was after the last of the other.
    Later { verb: String, until: String },
    /// The one was seen at the other when it was last looked at.
    Seen { slot: String, at: String },
    /// The thing was seen where the last action of that name led.
    Here { slot: String, verb: String },
    /// The thing was last said to be so.
    Is { slot: String, state: String },
    /// The thing was listed at the beginning.
    Known { slot: String },
}

impl Need {
    /// Whether it is met; `false` while a slot that it names is open.
    pub fn is_met(&self, scene: &Scene, binding: &Binding) -> bool {
        self.fact.holds(scene, binding).is_some_and(|holds| holds == self.holds)
    }
}

impl Fact {
    /// Whether it holds; `None` while a slot that it names is open.
    pub fn holds(&self, scene: &Scene, binding: &Binding) -> Option<bool> {
        let last = |verb: &str, slot: &str| {
            let thing = binding.get(slot)?;
            Some(scene.last(verb).is_some_and(|done| done.binding.get(slot) == Some(thing)))
        };
        Some(match self {
            Fact::Last { verb, slot } => last(verb, slot)?,
            Fact::Since { verb, slot, until } => last(verb, slot)? && scene.is_later(verb, until),
            Fact::Later { verb, until } => scene.is_later(verb, until),
            Fact::Seen { slot, at } => {
                let (thing, place) = (binding.get(slot)?, binding.get(at)?);
                scene.listed.get(place).is_some_and(|things| things.contains(thing))
            }
            Fact::Here { slot, verb } => {
                let thing = binding.get(slot)?;
                let place = scene.last(verb).and_then(|done| done.binding.values().next());
                place.and_then(|place| scene.listed.get(place)).is_some_and(|things| things.contains(thing))
            }
            Fact::Is { slot, state } => scene.states.get(binding.get(slot)?) == Some(state),
            Fact::Known { slot } => scene.places.contains(binding.get(slot)?),
        })
    }

    pub fn slots(&self) -> Vec<&str> {
        match self {
            Fact::Last { slot, .. }
            | Fact::Since { slot, .. }
            | Fact::Here { slot, .. }
            | Fact::Is { slot, .. }
            | Fact::Known { slot } => vec![slot],
            Fact::Seen { slot, at } => vec![slot, at],
            Fact::Later { .. } => Vec::new(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no need; there are \"last VERB: [slot]\", \"VERB [slot], no VERB since\", \"VERB after VERB\", \"[slot] seen at [slot]\", \
     \"[slot] seen where VERB led\", \"[slot] is STATE\", \"[slot] listed at first\", each with \"not \" before it or without"
)]
pub struct NeedError(pub String);

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.holds {
            f.write_str("not ")?;
        }
        match &self.fact {
            Fact::Last { verb, slot } => write!(f, "last {verb}: [{slot}]"),
            Fact::Since { verb, slot, until } => write!(f, "{verb} [{slot}], no {until} since"),
            Fact::Later { verb, until } => write!(f, "{verb} after {until}"),
            Fact::Seen { slot, at } => write!(f, "[{slot}] seen at [{at}]"),
            Fact::Here { slot, verb } => write!(f, "[{slot}] seen where {verb} led"),
            Fact::Is { slot, state } => write!(f, "[{slot}] is {state}"),
            Fact::Known { slot } => write!(f, "[{slot}] listed at first"),
        }
    }
}

impl FromStr for Need {
    type Err = NeedError;

    fn from_str(text: &str) -> Result<Self, NeedError> {
        let own = text.trim();
        let (holds, rest) = own.strip_prefix("not ").map_or((true, own), |rest| (false, rest.trim()));
        let fact = fact(rest).ok_or_else(|| NeedError(own.to_owned()))?;
        Ok(Need { holds, fact })
    }
}

impl TryFrom<String> for Need {
    type Error = NeedError;

    fn try_from(text: String) -> Result<Self, NeedError> {
        text.parse()
    }
}

impl From<Need> for String {
    fn from(need: Need) -> Self {
        need.to_string()
    }
}

fn fact(text: &str) -> Option<Fact> {
    let slot = |text: &str| {
        let inside = text.trim().strip_prefix('[')?.strip_suffix(']')?;
        (!inside.is_empty() && !inside.contains(['[', ']'])).then(|| inside.to_owned())
    };
    let verb = |text: &str| {
        let text = text.trim();
        (!text.is_empty() && !text.contains(['[', ']', ':', ','])).then(|| text.to_owned())
    };
    if let Some((name, rest)) = text.strip_prefix("last ").and_then(|rest| rest.split_once(':')) {
        return Some(Fact::Last { verb: verb(name)?, slot: slot(rest)? });
    }
    if let Some((first, rest)) = text.strip_suffix(" since").and_then(|rest| rest.split_once(", no ")) {
        let (name, of) = first.split_once('[')?;
        return Some(Fact::Since { verb: verb(name)?, slot: slot(&format!("[{of}"))?, until: verb(rest)? });
    }
    if let Some((of, at)) = text.split_once(" seen at ") {
        return Some(Fact::Seen { slot: slot(of)?, at: slot(at)? });
    }
    if let Some((of, rest)) = text.split_once(" seen where ") {
        return Some(Fact::Here { slot: slot(of)?, verb: verb(rest.strip_suffix(" led")?)? });
    }
    if let Some(of) = text.strip_suffix(" listed at first") {
        return Some(Fact::Known { slot: slot(of)? });
    }
    if let Some((of, state)) = text.split_once(" is ") {
        return Some(Fact::Is { slot: slot(of)?, state: verb(state)? });
    }
    let (name, until) = text.split_once(" after ")?;
    Some(Fact::Later { verb: verb(name)?, until: verb(until)? })
}

impl Rules {
    pub fn is_empty(&self) -> bool {
        *self == Rules::default()
    }

    pub fn refuses(&self, observation: &str) -> bool {
        let said = observation.trim();
        self.refused.iter().any(|text| text == said)
    }

    pub fn action(&self, form: &str) -> Option<&ActionRule> {
        self.actions.iter().find(|rule| rule.form == form)
    }

    pub(crate) fn places_of(&self, kind: &str) -> &[String] {
        self.likely.iter().find(|(known, _)| known == kind).map_or(&[], |(_, places)| places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_need_is_read_as_it_is_written() {
        for text in [
            "last go to: [receptacle]", "not last go to: [receptacle]", "take [object], no put since",
            "take after put", "not take after put", "[object] seen at [receptacle]", "[object] seen where go to led",
            "not [receptacle] is closed", "[receptacle] listed at first",
        ] {
            assert_eq!(text.parse::<Need>().unwrap().to_string(), text);
        }
        for text in ["", "last go to", "go there", "[a] seen at b", "[] is open", "take [object, no put since"] {
            assert!(text.parse::<Need>().is_err(), "{text}");
        }
    }
}
