//! The introduction of a method in another process, before anything else: name, protocol, needs, options, artifacts.
//!
//! It becomes a [`MethodInfo`] as the built-in methods have one, so that flags, dialogs, sessions and refusals are made of it. Texts
//! and lists are kept for the life of the program, once for each command, and are bounded.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{MethodInfo, Needs};
use stepwright_episode::ArtifactKind;
use stepwright_text::sanitize;
use stepwright_text::words::of_types;
use stepwright_world::Ability;
use stepwright_world::options::{Kind, OptionSpec, Table};

/// The newest version of the line protocol; those before it are spoken too.
pub(super) const NEWEST: u32 = 2;
/// Options that a method may declare, and words of a choice.
const MOST: usize = 32;
/// Characters of a name or key.
const LONGEST_NAME: usize = 40;
/// Characters of a description.
const LONGEST_TEXT: usize = 300;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Introduction {
    /// As menus, `run` and the checks read it. Keys of its own options begin with the name it is configured under (`toy.order`).
    pub(super) info: MethodInfo,
    /// Its own version; may be empty.
    pub(super) version: String,
    /// The version of the line protocol that it speaks.
    pub(super) protocol: u32,
    pub(super) writes: Vec<ArtifactKind>,
}

/// The answer to `info`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "InfoAnswer")]
pub struct Declared {
    /// As people know it.
    name: String,
    /// The version of the line protocol that it speaks: 1 or 2.
    protocol: u32,
    /// Its own version.
    #[serde(default)]
    version: String,
    /// What it does, in a sentence.
    #[serde(default)]
    about: String,
    /// What it cannot do without.
    #[serde(default)]
    needs: DeclaredNeeds,
    /// Options of its own (`DeclaredOption`), or the keys of options of the program.
    #[serde(default)]
    options: Vec<Value>,
    /// The kinds of documents that it writes.
    #[serde(default)]
    writes: Vec<ArtifactKind>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct DeclaredNeeds {
    /// What the world has to offer.
    world: Vec<Ability>,
    /// The kind of its tasks.
    task: Option<String>,
    /// A language model.
    language: bool,
    /// A model that reports log-probabilities of given texts, where one is in use.
    scores: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeclaredOption {
    key: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    label: String,
    #[serde(default)]
    about: String,
    min: Option<f64>,
    max: Option<f64>,
    /// Words, or pairs of a word and what it means.
    #[serde(default)]
    choices: Vec<Value>,
    #[serde(default)]
    default: Value,
}

impl Introduction {
    /// Reads the answer to `{"info": …}` of the method that is configured under a name.
    pub(super) fn read(line: &str, (id, configured): (&'static str, &str), program: Table) -> Result<Self, String> {
        let whole: Map<String, Value> =
            serde_json::from_str(line).map_err(|e| format!("that is no JSON object: {e}"))?;
        // A program of another version may say other things; the version is read first.
        match whole.get("protocol").and_then(Value::as_u64) {
            Some(version) if (1..=u64::from(NEWEST)).contains(&version) => {}
            Some(version) => {
                return Err(format!("it speaks version {version} of the protocol, and here are 1 to {NEWEST}"));
            }
            None => {
                return Err(format!(
                    "it does not say which version of the protocol it speaks (\"protocol\": {NEWEST})"
                ));
            }
        }
        let declared: Declared = serde_json::from_value(Value::Object(whole)).map_err(|e| of_types(&e.to_string()))?;
        if declared.options.len() > MOST {
            return Err(format!("it declares {} options, and {MOST} are allowed", declared.options.len()));
        }
        let mut table: Vec<OptionSpec> = Vec::new();
        for option in &declared.options {
            let spec = match option {
                Value::String(key) => shared(key, program)?,
                own => own_option(own, configured)?,
            };
            if table.iter().any(|known| known.key == spec.key) {
                return Err(format!("it declares the option `{}` twice", spec.key));
            }
            table.push(spec);
        }
        let by_people = |kind: &&ArtifactKind| matches!(kind, ArtifactKind::Tree | ArtifactKind::Assertions);
        if let Some(kind) = declared.writes.iter().find(by_people) {
            return Err(format!("it writes {kind}: these are changed by people"));
        }
        let mut world = declared.needs.world;
        // A belief has the form that the world gives it.
        if declared.writes.contains(&ArtifactKind::Belief) && !world.contains(&Ability::Belief) {
            world.push(Ability::Belief);
        }
        let needs = Needs {
            world: Vec::leak(world),
            task: declared.needs.task.map(|kind| text(&kind, LONGEST_NAME, "the kind of task")).transpose()?,
            language: declared.needs.language,
            scores: declared.needs.scores,
            ..Needs::NONE
        };
        let info = MethodInfo {
            id,
            label: text(&declared.name, LONGEST_NAME, "its name")?,
            description: text(&declared.about, LONGEST_TEXT, "what it is about")?,
            options: Vec::leak(table),
            needs,
            ..MethodInfo::BARE
        };
        let version = sanitize::line(&declared.version).chars().take(LONGEST_NAME).collect();
        Ok(Introduction { info, version, protocol: declared.protocol, writes: declared.writes })
    }
}

/// The key of a method's own option as sessions record it.
pub(super) fn own_key(configured: &str, key: &str) -> String {
    format!("{configured}.{key}")
}

/// An option that methods of the program share.
fn shared(key: &str, program: Table) -> Result<OptionSpec, String> {
    program.iter().find(|spec| spec.key == key).copied().ok_or_else(|| {
        let known: Vec<&str> = program.iter().map(|spec| spec.key).collect();
        format!("`{key}` is no option of this program; it has {}. Declare your own as an object", known.join(", "))
    })
}

fn own_option(declared: &Value, configured: &str) -> Result<OptionSpec, String> {
    let declared: DeclaredOption =
        serde_json::from_value(declared.clone()).map_err(|e| format!("an option: {}", of_types(&e.to_string())))?;
    let key = declared.key.as_str();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if key.is_empty() || key.len() > LONGEST_NAME || !key.chars().all(plain) {
        return Err(format!("{key:?} cannot be an option's key; use letters, digits, - and _"));
    }
    let wrong = |why: &str| format!("the option `{key}` {why}");
    let bounds = || {
        let bounds = declared.min.zip(declared.max).filter(|(min, max)| min <= max);
        bounds.ok_or_else(|| wrong("needs `min` and `max`, the lesser first"))
    };
    let kind = match declared.kind.as_str() {
        "switch" => Kind::Switch,
        "text" => Kind::Text,
        "number" => {
            let (min, max) = bounds()?;
            Kind::Number { min, max }
        }
        "whole" => {
            let (min, max) = bounds()?;
            Kind::Whole { min: min as i64, max: max as i64 }
        }
        "choice" if declared.choices.is_empty() || declared.choices.len() > MOST => {
            return Err(wrong(&format!("needs `choices`, {MOST} at most")));
        }
        "choice" => {
            let words: Result<Vec<_>, String> =
                declared.choices.iter().map(|c| choice(c).map_err(|why| wrong(&why))).collect();
            Kind::Choice(Vec::leak(words?))
        }
        other => {
            return Err(wrong(&format!("has the type {other:?}; there is switch, whole, number, choice and text")));
        }
    };
    let default = plain_text(&declared.default).ok_or_else(|| wrong("has a default that is no single value"))?;
    if !default.is_empty() && !kind.accepts(&default) {
        return Err(wrong(&format!("has the default `{default}`: it must be {}", kind.allowed(false))));
    }
    let label = if declared.label.is_empty() { key } else { declared.label.as_str() };
    Ok(OptionSpec {
        key: String::leak(own_key(configured, key)),
        label: text(label, LONGEST_NAME, "an option's label")?,
        about: text(&declared.about, LONGEST_TEXT, "what an option sets")?,
        kind,
        default: text(&default, LONGEST_TEXT, "a default")?,
        with_model: "",
    })
}

fn choice(declared: &Value) -> Result<(&'static str, &'static str), String> {
    let (word, about) = match declared {
        Value::String(word) => (word.as_str(), ""),
        Value::Array(pair) => match pair.as_slice() {
            [Value::String(word), Value::String(about)] => (word.as_str(), about.as_str()),
            _ => return Err("has a choice that is no [word, meaning]".to_owned()),
        },
        _ => return Err("has a choice that is no word".to_owned()),
    };
    Ok((text(word, LONGEST_NAME, "a choice")?, text(about, LONGEST_TEXT, "what a choice means")?))
}

/// A single value as sessions record it; nothing for none.
pub(super) fn plain_text(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(_) | Value::Object(_) => return None,
    })
}

/// A text for the life of the program, safe to draw on a line.
fn text(declared: &str, longest: usize, what: &str) -> Result<&'static str, String> {
    if declared.chars().count() > longest {
        return Err(format!("{what} is longer than {longest} characters"));
    }
    Ok(String::leak(sanitize::line(declared).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(declared: Value) -> Result<Introduction, String> {
        Introduction::read(&declared.to_string(), ("external:mine", "mine"), &[crate::options::SHOTS])
    }

    #[test]
    fn what_a_method_declares_is_one_table_with_the_programs_own() {
        let own =
            json!({"key": "order", "type": "choice", "choices": [["up", "the least first"], "down"], "default": "up"});
        let depth = json!({"key": "depth", "type": "whole", "min": 1, "max": 9, "default": 3, "label": "Depth", "about": "how far"});
        let declared = json!({"name": "Mine", "protocol": 1, "version": "2.0", "options": [own, depth, "shots"],
            "needs": {"world": ["admissible"], "language": true}, "writes": ["belief", "notes"]});
        let Introduction { info, version, writes, protocol } = read(declared).unwrap();
        assert_eq!(protocol, 1);
        let rows: Vec<_> = info.options.iter().map(|s| (s.key, s.label, s.default)).collect();
        assert_eq!(
            rows,
            [("mine.order", "order", "up"), ("mine.depth", "Depth", "3"), ("shots", "Demonstrations", "3")]
        );
        assert_eq!(info.options[0].note("up"), "the least first");
        assert_eq!((info.label, version.as_str(), info.needs.language), ("Mine", "2.0", true));
        assert_eq!(info.needs.world, [Ability::Admissible, Ability::Belief]);
        assert_eq!(writes, [ArtifactKind::Belief, ArtifactKind::Other("notes".into())]);
    }

    #[test]
    fn what_cannot_be_used_is_refused_in_words() {
        let with = |field: &str, value: Value| {
            let mut declared = json!({"name": "m", "protocol": 1});
            declared[field] = value;
            read(declared).unwrap_err()
        };
        assert!(read(json!({"name": "m", "protocol": 1})).is_ok());
        assert!(read(json!({"drafts": []})).unwrap_err().contains("\"protocol\": 2"));
        assert_eq!(read(json!({"name": "m", "protocol": 2})).unwrap().protocol, 2);
        assert!(with("protocol", json!(3)).contains("version 3 of the protocol, and here are 1 to 2"));
        assert!(with("need", json!({})).contains("unknown field `need`"));
        let needs = with("needs", json!({"world": ["admissable"]}));
        assert!(needs.contains("`admissable`") && needs.contains("`admissible`"), "{needs}");
        assert!(with("options", json!(["shot"])).contains("`shot` is no option of this program"));
        let option = |declared: Value| with("options", json!([declared]));
        assert!(option(json!({"key": "a b", "type": "text"})).contains("cannot be an option's key"));
        assert!(option(json!({"key": "a", "type": "list"})).contains("there is switch, whole"));
        assert!(option(json!({"key": "a", "type": "whole", "min": 3, "max": 1})).contains("the lesser first"));
        assert!(option(json!({"key": "a", "type": "choice"})).contains("needs `choices`"));
        let default = option(json!({"key": "a", "type": "switch", "default": "yes"}));
        assert_eq!(default, "the option `a` has the default `yes`: it must be true or false");
        assert!(with("options", json!(["shots", "shots"])).contains("twice"));
        assert!(with("writes", json!(["tree"])).contains("changed by people"));
        assert!(with("about", json!("x".repeat(301))).contains("longer than 300"));
    }
}
