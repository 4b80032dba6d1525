//! Shape of a belief, into which a state that was read is brought: lists of names, sentences as relations, an object an entry.

use serde_json::{Map, Value};

use super::lines::Body;
use super::repair::{Fault, Repairs, clip};
use super::{DEEPEST, ReadError};
use crate::{OBJECTS, RELATIONS};

pub fn shape(raw: Value, body: &Body, repairs: &mut Repairs) -> Result<Value, ReadError> {
    let Value::Object(raw) = super::unwrapped(raw) else {
        return Err(ReadError::NoState { line: body.line, text: clip(&body.text) });
    };
    let mut shaper = Shaper { body, repairs, entry: String::new(), line: None };
    let mut state = Map::new();
    for (name, value) in raw {
        shaper.entry.clone_from(&name);
        shaper.line = None;
        if deep(&value, DEEPEST) {
            return Err(ReadError::TooDeep { line: shaper.line() });
        }
        let name = shaper.trimmed(name);
        if name.is_empty() {
            shaper.note(Fault::LeftOut("\"\"".to_owned()));
            continue;
        }
        let value = match name.as_str() {
            OBJECTS => Value::Array(shaper.names(value, OBJECTS)),
            RELATIONS => Value::Array(shaper.relations(value)),
            _ => Value::Object(shaper.entry(&name, value)),
        };
        if state.insert(name.clone(), value).is_some() {
            shaper.note(Fault::Twice(clip(&name)));
        }
    }
    Ok(Value::Object(state))
}

fn deep(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(list) => levels == 0 || list.iter().any(|v| deep(v, levels - 1)),
        Value::Object(entries) => levels == 0 || entries.values().any(|v| deep(v, levels - 1)),
        _ => false,
    }
}

struct Shaper<'a> {
    body: &'a Body,
    repairs: &'a mut Repairs,
    entry: String,
    /// The line it is on, once somebody asked.
    line: Option<usize>,
}

impl Shaper<'_> {
    fn line(&mut self) -> usize {
        *self.line.get_or_insert_with(|| self.body.line_of(&self.entry))
    }

    fn note(&mut self, fault: Fault) {
        // Looking for a line takes time that a repair nobody lists is not worth.
        let line = if self.repairs.is_full() { self.body.line } else { self.line() };
        self.repairs.note(line, fault);
    }

    fn trimmed(&mut self, text: String) -> String {
        let trimmed = text.trim();
        if trimmed.len() == text.len() {
            return text;
        }
        self.note(Fault::Blanks(clip(trimmed)));
        trimmed.to_owned()
    }

    /// A list of names; a single one is a list of one, and empty ones are left out.
    fn names(&mut self, value: Value, of: &str) -> Vec<Value> {
        let list = match value {
            Value::Array(list) => list,
            Value::Null => Vec::new(),
            single => {
                self.note(Fault::NotAList(clip(of)));
                vec![single]
            }
        };
        let named = list.into_iter().map(|element| match element {
            Value::String(name) => Value::String(self.trimmed(name)),
            other => other,
        });
        named.filter(|element| element.as_str() != Some("")).collect()
    }

    /// Relations as sentences: lists within the list are opened, and words in pieces joined.
    fn relations(&mut self, value: Value) -> Vec<Value> {
        let list = self.names(value, RELATIONS);
        if let Some(sentence) = joined(&list) {
            // One relation in pieces instead of a list of relations.
            self.note(Fault::RelationInWords(clip(&sentence)));
            return vec![Value::String(sentence)];
        }
        let mut sentences = Vec::new();
        for relation in list {
            match relation {
                Value::Array(inner) => {
                    let inner = self.names(Value::Array(inner), RELATIONS);
                    match joined(&inner).or_else(|| pair(&inner)) {
                        Some(sentence) => {
                            self.note(Fault::RelationInWords(clip(&sentence)));
                            sentences.push(Value::String(sentence));
                        }
                        None => {
                            self.note(Fault::NestedRelations);
                            sentences.extend(inner);
                        }
                    }
                }
                Value::Object(_) => {
                    self.note(Fault::RelationAsObject);
                    sentences.push(relation);
                }
                other => sentences.push(other),
            }
        }
        sentences
    }

    fn entry(&mut self, name: &str, value: Value) -> Map<String, Value> {
        let properties = match value {
            Value::Object(properties) => properties,
            Value::Null => Map::new(),
            bare => {
                self.note(Fault::BareEntry(clip(name)));
                Map::from_iter([("is".to_owned(), if bare.is_array() { bare } else { Value::Array(vec![bare]) })])
            }
        };
        let mut kept = Map::new();
        for (property, value) in properties {
            let property = self.trimmed(property);
            if property.is_empty() || property.contains(char::is_whitespace) {
                self.note(Fault::NoProperty(clip(&property)));
                continue;
            }
            let value = match property.as_str() {
                "is" | "contains" => Value::Array(self.names(value, &property)),
                _ => value,
            };
            kept.insert(property, value);
        }
        kept
    }
}

/// A relation in pieces as a sentence: `["a", "on", "b"]`. Pieces that are sentences themselves are several relations.
fn joined(pieces: &[Value]) -> Option<String> {
    let [Value::String(one), Value::String(how), Value::String(other)] = pieces else { return None };
    let bare = how.trim().strip_prefix("is ").unwrap_or(how).trim();
    let place = matches!(
        bare,
        "on" | "in" | "under" | "above" | "below" | "inside" | "on top of" | "in front of" | "next to" | "near" | "at"
    );
    (place && !is_sentence(one) && !is_sentence(other)).then(|| format!("{one} is {bare} {other}"))
}

/// Two names without a word between them: the first is on the second.
fn pair(pieces: &[Value]) -> Option<String> {
    let [Value::String(one), Value::String(other)] = pieces else { return None };
    (!is_sentence(one) && !is_sentence(other)).then(|| format!("{one} is on {other}"))
}

/// Whether a text says something of two things, rather than naming one.
fn is_sentence(text: &str) -> bool {
    [" is ", " on ", " in "].iter().any(|word| text.contains(word))
}
