//! Reader of `config.toml` and of single values: TOML with line numbers, checked against the settings. What is read is kept as TOML.

use std::io::ErrorKind;
use std::path::Path;

use serde::Deserialize;
use serde::de::IntoDeserializer;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Value};

use super::settings::{EXTERNAL, METHODS, SECTIONS, SETTINGS, Setting, base, find};
use super::show::Source;
use super::{ConfigError, Layer, Problem};
use stepwright_world::options::{Kind, nearest};

const MAX_FILE: u64 = 1 << 20;

pub(super) fn read(path: &Path) -> Result<Option<String>, ConfigError> {
    let wrong = |why: String| ConfigError::one(path.display().to_string(), why);
    let bytes = match stepwright_files::read_bytes(path, MAX_FILE) {
        Ok(bytes) => bytes,
        // A home that is no folder (`/dev/null`, of accounts of services) holds no configuration either.
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(e) if e.kind() == ErrorKind::FileTooLarge => {
            return Err(wrong("is larger than 1 MiB: this cannot be a configuration".into()));
        }
        Err(e) => return Err(wrong(format!("cannot be read: {e}"))),
    };
    String::from_utf8(bytes).map(Some).map_err(|_| wrong("is no UTF-8 text; save it as UTF-8".into()))
}

/// Reads the file's text into a layer; all that is wrong goes to `problems`.
pub(super) fn parse(place: &str, text: &str, source: &dyn Fn(usize) -> Source, problems: &mut Vec<Problem>) -> Layer {
    let mut reader = Reader { place, text, source, problems, layer: Layer::new() };
    match DeTable::parse(text) {
        Ok(table) => reader.document(table.get_ref()),
        Err(e) => {
            let at = e.span().map_or(0, |span| span.start);
            reader.problem(at, format!("is no TOML: {}", e.message()));
        }
    }
    reader.layer
}

struct Reader<'a> {
    place: &'a str,
    text: &'a str,
    source: &'a dyn Fn(usize) -> Source,
    problems: &'a mut Vec<Problem>,
    layer: Layer,
}

impl Reader<'_> {
    fn document(&mut self, table: &DeTable<'_>) {
        for (name, value) in table {
            let (at, name) = (name.span().start, name.get_ref().as_ref());
            let DeValue::Table(entries) = value.get_ref() else {
                let sections: Vec<&str> = SETTINGS.iter().filter(|s| s.key == name).map(|s| s.section).collect();
                match sections.first() {
                    Some(section) => self
                        .problem(at, format!("`{name}` belongs in the section [{section}]: put it below such a line")),
                    None => self.unknown_section(at, name),
                }
                continue;
            };
            match name {
                "models" => self.named("models", "a model", entries),
                EXTERNAL => self.named(EXTERNAL, "an adapter", entries),
                METHODS => self.named(METHODS, "a method", entries),
                "keys" => self.keys(entries),
                _ if SECTIONS.iter().any(|(section, _)| *section == name) => self.section(name, entries),
                _ => self.unknown_section(at, name),
            }
        }
    }

    fn section(&mut self, section: &str, entries: &DeTable<'_>) {
        for (key, value) in entries {
            let (at, key) = (key.span().start, key.get_ref().as_ref());
            let Some(setting) = find(section, key) else {
                let base = base(section);
                let known: Vec<&str> = SETTINGS.iter().filter(|s| s.section == base).map(|s| s.key).collect();
                let advice = match nearest(key, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the keys there are {}", known.join(", ")),
                };
                self.problem(at, format!("unknown key `{key}` in [{section}]; {advice}"));
                continue;
            };
            match from_toml(setting, value) {
                Ok(read) => self.put(format!("{section}.{key}"), read, at),
                Err(why) => self.problem(value.span().start, format!("`{key}` in [{section}] {why}")),
            }
        }
    }

    /// A section that holds sections by name: models, adapters.
    fn named(&mut self, group: &str, what: &str, entries: &DeTable<'_>) {
        for (name, value) in entries {
            let (at, name) = (name.span().start, name.get_ref().as_ref());
            if !can_name(group, name) {
                self.problem(at, format!("{name:?} cannot name {what} of yours; use letters, digits, - and _"));
                continue;
            }
            match value.get_ref() {
                DeValue::Table(entries) => {
                    // A dot in a name would blur where the key begins; names are kept as they are, keys hold no dot.
                    self.section(&format!("{group}.{name}"), entries);
                    self.put(format!("{group}.{name}."), Value::Boolean(true), at);
                }
                _ => self.problem(at, format!("[{group}] holds sections: write [{group}.{name}] on a line of its own")),
            }
        }
    }

    fn keys(&mut self, entries: &DeTable<'_>) {
        for (action, value) in entries {
            let (at, action) = (action.span().start, action.get_ref().as_ref());
            let keys = match Value::deserialize(value.clone().into_deserializer()) {
                Ok(key @ Value::String(_)) => Some(Value::Array(vec![key])),
                Ok(list) => accepted(Kind::Texts, list),
                Err(_) => None,
            };
            match keys {
                Some(keys) => self.put(format!("keys.{action}"), keys, at),
                None => self.problem(at, format!("`{action}` in [keys] must be a key or a list of keys in quotes")),
            }
        }
    }

    fn unknown_section(&mut self, at: usize, name: &str) {
        let known: Vec<&str> = SECTIONS.iter().map(|(section, _)| *section).collect();
        let advice = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean [{near}]?"),
            None => format!("the sections are {}", known.join(", ")),
        };
        self.problem(at, format!("unknown section or key `{name}`; {advice}"));
    }

    fn put(&mut self, name: String, value: Value, at: usize) {
        let source = (self.source)(self.line(at));
        self.layer.insert(name, (value, source));
    }

    fn problem(&mut self, at: usize, message: String) {
        let line = Some(self.line(at));
        self.problems.push(Problem { place: self.place.to_owned(), line, message });
    }

    fn line(&self, at: usize) -> usize {
        self.text.bytes().take(at).filter(|b| *b == b'\n').count() + 1
    }
}

/// Whether a section of a group can have that name. An adapter's is the prefix of its tasks' names, with a `/` between.
pub(super) fn can_name(group: &str, name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.') || (c == '/' && group == "models");
    !name.is_empty() && name.chars().all(plain) && (group, name) != ("models", "symbolic")
}

fn from_toml(setting: &Setting, value: &Spanned<DeValue<'_>>) -> Result<Value, String> {
    let read = Value::deserialize(value.clone().into_deserializer()).ok();
    let read = read.and_then(|value| accepted(setting.kind, value));
    read.ok_or_else(|| format!("must be {}", setting.kind.allowed(true)))
}

/// Reads a value given as text, by an environment variable or a flag: as TOML where it is such a value, else as text.
pub(super) fn from_text(setting: &Setting, text: &str) -> Result<Value, String> {
    // A text that is no TOML value, or one of another kind (a model called `1.5`), is meant as text.
    let as_toml = text.trim().parse().ok().and_then(|value| accepted(setting.kind, value));
    let as_text = || {
        let read = match setting.kind {
            Kind::Text | Kind::Path | Kind::PathOr(_) | Kind::Choice(_) | Kind::Command => Some(text.into()),
            Kind::Switch => match text.to_ascii_lowercase().as_str() {
                "1" | "true" | "yes" | "on" => Some(true.into()),
                "0" | "false" | "no" | "off" => Some(false.into()),
                _ => None,
            },
            Kind::Texts if !text.trim_start().starts_with('[') => {
                let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
                Some(parts.map(Value::from).collect::<Vec<_>>().into())
            }
            Kind::Whole { .. } => text.parse::<i64>().ok().map(Value::from),
            Kind::Number { .. } => text.parse::<f64>().ok().map(Value::from),
            Kind::Texts | Kind::Table => None,
        };
        read.and_then(|value| accepted(setting.kind, value))
    };
    as_toml.or_else(as_text).ok_or_else(|| {
        let words = setting.kind.allowed(true).replace(" in quotes", "");
        format!("sets {}.{}, which must be {words}", setting.section, setting.key)
    })
}

/// A value in the form that is kept of its kind: commands in words, whole numbers without a fraction. `None` if it is none of that kind.
fn accepted(kind: Kind, value: Value) -> Option<Value> {
    let value = match (kind, value) {
        (Kind::Command, Value::String(line)) => shlex::split(&line)?.into(),
        (Kind::Number { .. }, Value::Float(x)) if x.fract() == 0.0 && x.abs() < 1e15 => Value::Integer(x as i64),
        (_, value) => value,
    };
    let fits = match (kind, &value) {
        (Kind::Text | Kind::Path | Kind::PathOr(_), Value::String(_)) => true,
        (Kind::Choice(_), Value::String(word)) => kind.accepts(word),
        (Kind::Switch, Value::Boolean(_)) => true,
        (Kind::Whole { .. }, Value::Integer(_)) | (Kind::Number { .. }, Value::Integer(_) | Value::Float(_)) => {
            kind.accepts(&value.to_string())
        }
        (Kind::Texts, Value::Array(items)) => items.iter().all(Value::is_str),
        (Kind::Command, Value::Array(items)) => {
            items.iter().all(Value::is_str)
                && items.first().and_then(Value::as_str).is_some_and(|word| !word.is_empty())
        }
        (Kind::Table, Value::Table(_)) => !holds_date(&value),
        _ => false,
    };
    fits.then_some(value)
}

/// Whether there is a date in a value, which nothing here takes.
fn holds_date(value: &Value) -> bool {
    match value {
        Value::Datetime(_) => true,
        Value::Array(items) => items.iter().any(holds_date),
        Value::Table(table) => table.values().any(holds_date),
        _ => false,
    }
}

/// A value as plain text, as a session records it.
pub(super) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

pub(super) fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
