//! Reader of `config.toml` and of single values: TOML with line numbers, checked against the settings. What is read is kept as TOML.

use std::io::ErrorKind;
use std::path::Path;

use serde::Deserialize;
use serde::de::IntoDeserializer;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Value};

use super::layer::{ConfigError, Layer, Problem, Source};
use super::settings::{EXTERNAL, METHODS, MODEL, SECTIONS, Setting, Settings};
use super::values::{accepted, unfit};
use stepwright_episode::Role;
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
pub(super) fn parse(
    (place, text): (&str, &str),
    settings: &Settings,
    source: &dyn Fn(usize) -> Source,
    problems: &mut Vec<Problem>,
) -> Layer {
    let mut reader = Reader { place, text, settings, source, problems, layer: Layer::new() };
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
    settings: &'a Settings,
    source: &'a dyn Fn(usize) -> Source,
    problems: &'a mut Vec<Problem>,
    layer: Layer,
}

impl Reader<'_> {
    fn document(&mut self, table: &DeTable<'_>) {
        for (name, value) in table {
            let (at, name) = (name.span().start, name.get_ref().as_ref());
            let DeValue::Table(entries) = value.get_ref() else {
                let sections: Vec<&str> = self.settings.iter().filter(|s| s.key == name).map(|s| s.section).collect();
                match sections.first() {
                    Some(section) => self
                        .problem(at, format!("`{name}` belongs in the section [{section}]: put it below such a line")),
                    None => self.unknown_section(at, name),
                }
                continue;
            };
            match name {
                MODEL => self.model(entries),
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
            if section == MODEL && can_name(MODEL, key) {
                continue;
            }
            let Some(setting) = self.settings.find(section, key) else {
                let known: Vec<&str> = self.settings.of(section).map(|s| s.key).collect();
                let advice = match nearest(key, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the keys there are {}", known.join(", ")),
                };
                let message = match value.get_ref() {
                    DeValue::Table(_) if section == MODEL => {
                        let roles: Vec<&str> = Role::ALL.into_iter().map(Role::name).collect();
                        format!("`{key}` is no role; [{MODEL}.ROLE] is for {}", roles.join(", "))
                    }
                    _ => format!("unknown key `{key}` in [{section}]; {advice}"),
                };
                self.problem(at, message);
                continue;
            };
            match from_toml(setting, value) {
                Ok(read) => self.put(format!("{section}.{key}"), read, at),
                Err(why) => {
                    self.problem(value.span().start, format!("`{key}` in [{section}] {why}"));
                    if setting.kind == Kind::Command {
                        // There is one, though it cannot be read: no command that can be read is empty.
                        self.put(format!("{section}.{key}"), Value::Array(Vec::new()), at);
                    }
                }
            }
        }
    }

    /// The section of the model in use, and those of roles in it.
    fn model(&mut self, entries: &DeTable<'_>) {
        self.section(MODEL, entries);
        for (name, value) in entries.iter().filter(|(name, _)| can_name(MODEL, name.get_ref())) {
            match value.get_ref() {
                DeValue::Table(entries) => self.section(&format!("{MODEL}.{}", name.get_ref()), entries),
                _ => {
                    let name = name.get_ref();
                    let advice = format!(
                        "`{name}` is a role: write [{MODEL}.{name}] on a line of its own, and model = below it"
                    );
                    self.problem(value.span().start, advice);
                }
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

/// Whether a section of a group can have that name; one of a model has a role's. An adapter's is the prefix of its tasks' names, with a `/` between.
pub(super) fn can_name(group: &str, name: &str) -> bool {
    if group == MODEL {
        return Role::named(name).is_some();
    }
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.') || (c == '/' && group == "models");
    !name.is_empty() && name.chars().all(plain) && (group, name) != ("models", "symbolic")
}

fn from_toml(setting: &Setting, value: &Spanned<DeValue<'_>>) -> Result<Value, String> {
    let read = Value::deserialize(value.clone().into_deserializer()).ok();
    let read = read.map(|value| match (setting.kind, value) {
        // A name may be a number, as in `think = 4096`.
        (Kind::Name, Value::Integer(number)) => number.to_string().into(),
        (_, value) => value,
    });
    let text = read.as_ref().and_then(Value::as_str).map(str::to_owned);
    read.and_then(|value| accepted(setting.kind, value)).ok_or_else(|| unfit(setting.kind, text.as_deref()))
}
