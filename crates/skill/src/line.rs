//! Single lines of a policy: what a base policy (thoughts and calls of skills) or a skill policy (thoughts, primitives, Done) wrote.

use serde::Serialize;

use crate::call::SkillCall;
use crate::knowledge::Knowledge;
use crate::primitive::{Miss, bracketed, check};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// The policy that calls skills.
    Base,
    /// The policy of a skill, which emits primitives.
    Skill,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reading {
    Think,
    Call(SkillCall),
    Primitive {
        action: String,
    },
    Done {
        #[serde(skip_serializing_if = "Option::is_none")]
        call: Option<String>,
        message: String,
    },
    Invalid {
        reason: String,
    },
}

fn invalid(reason: impl Into<String>) -> Reading {
    Reading::Invalid { reason: reason.into() }
}

/// Reads a line by what is known of the skills.
pub fn read(line: &str, level: Level, knowledge: &Knowledge) -> Reading {
    let text = line.trim();
    let text = text.strip_prefix('>').or_else(|| text.strip_prefix("Action:")).unwrap_or(text).trim();
    // A thought may be cut off where its tokens ended.
    if text.starts_with("think:") || text.starts_with("think[") {
        return Reading::Think;
    }
    if let Some(done) = done(text) {
        return match level {
            Level::Skill => done,
            Level::Base => invalid("only a skill says that it is done"),
        };
    }
    let called = text.strip_prefix("call:").map(str::trim);
    let call = called.unwrap_or(text).parse::<SkillCall>();
    let primitive = || {
        let forms = knowledge.primitives();
        check(forms.iter().map(|primitive| primitive.syntax.as_str()), text)
    };
    match (level, call) {
        (Level::Base, Ok(call)) => check_call(call, knowledge),
        (Level::Base, Err(_)) if called.is_some() => invalid("not a call of the form name(one, two)"),
        (Level::Base, Err(_)) => match primitive() {
            Err(Miss::Other) => invalid("neither a call of a skill nor a thought"),
            _ => invalid("a primitive is not allowed at base level"),
        },
        (Level::Skill, Ok(_)) => invalid("a call is not allowed at skill level"),
        (Level::Skill, Err(_)) if called.is_some() => invalid("a call is not allowed at skill level"),
        (Level::Skill, Err(_)) => match primitive() {
            Ok(()) => Reading::Primitive { action: text.to_owned() },
            Err(miss) => invalid(miss.to_string()),
        },
    }
}

fn check_call(call: SkillCall, knowledge: &Knowledge) -> Reading {
    match knowledge.skill(&call.skill) {
        None => invalid("unknown skill"),
        Some(skill) if skill.signature.parameters.len() != call.args.len() => invalid("wrong number of arguments"),
        Some(_) => Reading::Call(call),
    }
}

/// `Done heat(egg): I have …` or `Done[I have …]`.
fn done(text: &str) -> Option<Reading> {
    if let Some(("Done", message)) = bracketed(text) {
        return Some(Reading::Done { call: None, message: message.to_owned() });
    }
    let rest = text.strip_prefix("Done")?;
    let rest = rest.starts_with([' ', ':']).then(|| rest.trim_start_matches([' ', ':']))?;
    match rest.split_once(':') {
        Some((call, message)) if call.parse::<SkillCall>().is_ok() => {
            Some(Reading::Done { call: Some(call.trim().to_owned()), message: message.trim().to_owned() })
        }
        _ => Some(Reading::Done { call: None, message: rest.trim().to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_at_base_level_are_no_primitive() {
        let skill = "[[skill]]\nname = \"find(object)\"\nprimitives = [{ syntax = \"go to [receptacle] [id]\" }]";
        let known = crate::file::read(skill).unwrap();
        let reason = |line: &str| match read(line, Level::Base, &known) {
            Reading::Invalid { reason } => reason,
            other => format!("{other:?}"),
        };
        for line in ["I cannot say.", "I will call the skill."] {
            assert_eq!(reason(line), "neither a call of a skill nor a thought", "{line}");
        }
        for line in ["> go to desk 1", "> go to desk"] {
            assert_eq!(reason(line), "a primitive is not allowed at base level", "{line}");
        }
    }
}
