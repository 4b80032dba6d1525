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

/// `Done heat(egg): I have …`, `Done[I have …]`, or `Done` with as little behind it as a model writes.
pub(crate) fn done(text: &str) -> Option<Reading> {
    if let Some(("Done", message)) = bracketed(text) {
        return Some(Reading::Done { call: None, message: message.to_owned() });
    }
    let rest = text.strip_prefix("Done")?;
    let ends = rest.is_empty() || rest.starts_with([' ', ':', '.', '!']);
    let rest = ends.then(|| rest.trim_start_matches([' ', ':', '.', '!']))?;
    let (call, message) = rest.split_once(':').unwrap_or((rest, ""));
    let call = call.trim().trim_end_matches(['.', '!']);
    Some(match call.parse::<SkillCall>() {
        Ok(_) => Reading::Done { call: Some(call.to_owned()), message: message.trim().to_owned() },
        Err(_) => Reading::Done { call: None, message: rest.trim().to_owned() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_may_be_as_short_as_a_word() {
        let said = |line: &str| match done(line) {
            Some(Reading::Done { call, message }) => Some((call, message)),
            _ => None,
        };
        for (line, call, message) in [
            ("Done", None, ""),
            ("Done.", None, ""),
            ("Done!", None, ""),
            ("Done: there", None, "there"),
            ("Done. It is there: on the desk", None, "It is there: on the desk"),
            ("Done[there]", None, "there"),
            ("Done heat(egg)", Some("heat(egg)"), ""),
            ("Done heat(egg).", Some("heat(egg)"), ""),
            ("Done heat(egg): it is hot", Some("heat(egg)"), "it is hot"),
        ] {
            assert_eq!(said(line), Some((call.map(str::to_owned), message.to_owned())), "{line}");
        }
        assert_eq!(said("Doneness is not enough"), None);
    }

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
