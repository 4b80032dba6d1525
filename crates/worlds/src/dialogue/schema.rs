//! Services: as a `schema.json` (or `domains.json`) describes them, or as inferred from their dialogues.

use std::path::Path;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::Argument;
use super::acts::{QUERY_STATUS, SYSTEM, SYSTEM_ACTS, USER, USER_ACTS, argument};
use super::record::{Dialogue, Speaker};
use stepwright_program::Literal;
use stepwright_world::WorldError;
use stepwright_world::files::{data, or_default, read_text};

/// A service: a small database with an interface of intents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Service {
    pub name: String,
    /// In a sentence; empty where not given.
    pub description: String,
    pub slots: Vec<Slot>,
    pub intents: Vec<Intent>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Slot {
    /// `city`
    pub name: String,
    /// In words; empty where not given.
    #[serde(default, deserialize_with = "or_default")]
    pub description: String,
    #[serde(default, deserialize_with = "texts")]
    pub possible_values: Vec<String>,
}

/// An intent, which is also the service call that serves it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Intent {
    pub name: String,
    /// In words; empty where not given.
    #[serde(default, deserialize_with = "or_default")]
    pub description: String,
    /// Whether calling it changes something (books, buys).
    #[serde(default, deserialize_with = "or_default")]
    pub is_transactional: bool,
    #[serde(default, deserialize_with = "or_default")]
    pub required_slots: Vec<String>,
    /// Slots that a call takes, with the values assumed when they are not given.
    #[serde(default, deserialize_with = "assumed")]
    pub optional_slots: indexmap::IndexMap<String, String>,
}

fn text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let values: Option<Vec<Value>> = Option::deserialize(from)?;
    Ok(values.into_iter().flatten().map(text).collect())
}

/// Slots with the values assumed, or their names alone.
fn assumed<'de, D: Deserializer<'de>>(from: D) -> Result<indexmap::IndexMap<String, String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Slots {
        Assumed(indexmap::IndexMap<String, Value>),
        Names(Vec<String>),
    }
    Ok(match Option::deserialize(from)? {
        Some(Slots::Assumed(slots)) => slots.into_iter().map(|(name, value)| (name, text(value))).collect(),
        Some(Slots::Names(names)) => names.into_iter().map(|name| (name, String::new())).collect(),
        None => indexmap::IndexMap::new(),
    })
}

/// The true preconditions: actions with their assertions.
pub type GroundTruth = Vec<(String, Vec<String>)>;

#[derive(Debug, Clone, Default)]
pub(super) struct Schema {
    pub(super) services: Vec<Service>,
    /// By service, in its order; of `domains.json` alone.
    pub(super) truths: Vec<(String, GroundTruth)>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum SlotLine {
    Name(String),
    Whole(Slot),
}

#[derive(Deserialize)]
struct ServiceLine {
    #[serde(alias = "service")]
    service_name: String,
    #[serde(default, deserialize_with = "or_default")]
    description: String,
    slots: Vec<SlotLine>,
    intents: Vec<Intent>,
    #[serde(default)]
    actions: Vec<ActionLine>,
}

#[derive(Deserialize)]
struct ActionLine {
    action: String,
    #[serde(default)]
    ground_truth: Vec<String>,
}

/// `domains.json`: services with what is known of their actions.
#[derive(Deserialize)]
struct Domains {
    domains: Vec<ServiceLine>,
}

impl Schema {
    /// Reads a `schema.json` or `domains.json`.
    pub(super) fn read(path: &Path) -> Result<Schema, WorldError> {
        Schema::parse(&read_text(path)?).map_err(|why| data(path, &why))
    }

    pub(super) fn parse(text: &str) -> Result<Schema, String> {
        let list = text.trim_start().starts_with('[');
        let lines: Result<Vec<ServiceLine>, _> =
            if list { serde_json::from_str(text) } else { serde_json::from_str::<Domains>(text).map(|d| d.domains) };
        let lines = lines.map_err(|e| {
            format!("no list of services ({e}); each needs service_name, slots and intents, as in SGD's schema.json")
        })?;
        let mut schema = Schema::default();
        for line in lines {
            let (service, truth) = line.into_service()?;
            if schema.services.iter().any(|s| s.name == service.name) {
                return Err(format!("the service {} is listed twice; leave one out", service.name));
            }
            if !truth.is_empty() {
                schema.truths.push((service.name.clone(), truth));
            }
            schema.services.push(service);
        }
        Ok(schema)
    }

    /// Takes in the services of another file; those known already stay as they are.
    pub(super) fn merge(&mut self, other: Schema) {
        for service in other.services {
            if !self.services.iter().any(|s| s.name == service.name) {
                self.services.push(service);
            }
        }
        for (service, truth) in other.truths {
            if !self.truths.iter().any(|(known, _)| *known == service) {
                self.truths.push((service, truth));
            }
        }
    }
}

impl ServiceLine {
    fn into_service(self) -> Result<(Service, GroundTruth), String> {
        let slot = |line| match line {
            SlotLine::Name(name) => Slot { name, ..Slot::default() },
            SlotLine::Whole(slot) => slot,
        };
        let service = Service {
            name: self.service_name,
            description: self.description,
            slots: self.slots.into_iter().map(slot).collect(),
            intents: self.intents,
        };
        let mut seen: Vec<&str> = Vec::new();
        for Intent { name, .. } in &service.intents {
            let at = || format!("service {}, intent {name:?}", service.name);
            if !is_function_name(name) {
                return Err(format!("{}: the name must be a Python identifier, because it becomes a function", at()));
            }
            if is_taken(name) {
                return Err(format!("{}: class SYSTEM has something of that name already; rename the intent", at()));
            }
            if seen.contains(&name.as_str()) {
                return Err(format!("{}: listed twice; leave one out", at()));
            }
            seen.push(name);
        }
        let truth = self.actions.into_iter().map(|a| (a.action, a.ground_truth)).collect();
        Ok((service, truth))
    }
}

/// Whether class SYSTEM has something of that name already.
fn is_taken(name: &str) -> bool {
    argument(&SYSTEM_ACTS, name).is_some() || ["user", "query_success", QUERY_STATUS].contains(&name)
}

pub(super) fn is_function_name(name: &str) -> bool {
    const KEYWORDS: [&str; 35] = [
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
        "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
        "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
    ];
    let mut letters = name.chars();
    letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with("__")
        && !KEYWORDS.contains(&name)
}

impl Service {
    pub fn intent(&self, name: &str) -> Option<&Intent> {
        self.intents.iter().find(|i| i.name == name)
    }

    /// The argument of a system function; `None` if the service has no such act or call.
    pub(crate) fn system_argument(&self, function: &str) -> Option<Argument> {
        argument(&SYSTEM_ACTS, function).or_else(|| self.intent(function).map(|_| Argument::Nothing))
    }

    /// Adds the slots that a dialogue names and, if asked for, its intents; in the order they appear.
    pub(super) fn take_in(&mut self, dialogue: &Dialogue, intents: bool) {
        for turn in &dialogue.turns {
            for call in &turn.calls {
                let acts: &[_] = if turn.speaker == Speaker::User { &USER_ACTS } else { &SYSTEM_ACTS };
                match (argument(acts, &call.function), call.args.first()) {
                    (Some(Argument::Slot), Some(Literal::Str(name))) if !self.slots.iter().any(|s| s.name == *name) => {
                        self.slots.push(Slot { name: name.clone(), ..Slot::default() });
                    }
                    (Some(Argument::Intent), Some(Literal::Str(name))) if intents => self.add_intent(name),
                    (None, None) if intents => self.add_intent(&call.function),
                    _ => {}
                }
            }
        }
    }

    fn add_intent(&mut self, name: &str) {
        if is_function_name(name) && !is_taken(name) && self.intent(name).is_none() {
            self.intents.push(Intent { name: name.to_owned(), ..Intent::default() });
        }
    }
}

/// Whether a call is one that this service's program can make: by the user, the world, or the system.
pub(super) fn is_known(service: &Service, call: &stepwright_program::Call) -> bool {
    let argument = match call.receiver.as_str() {
        USER => argument(&USER_ACTS, &call.function),
        SYSTEM if call.function == QUERY_STATUS => return matches!(call.args.as_slice(), [Literal::Bool(_)]),
        SYSTEM => service.system_argument(&call.function),
        _ => None,
    };
    match argument {
        Some(Argument::Nothing) => call.args.is_empty(),
        Some(Argument::Slot) => matches!(call.args.as_slice(), [Literal::Str(_)]),
        Some(Argument::Intent) => match call.args.as_slice() {
            [Literal::Str(intent)] => call.receiver == USER || service.intent(intent).is_some(),
            _ => false,
        },
        None => false,
    }
}
