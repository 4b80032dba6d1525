//! Reader of `config.toml` and of single values: TOML with line numbers, checked against the settings.

use std::io::ErrorKind;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::settings::{EXTERNAL, METHODS, SECTIONS, SETTINGS, Setting, base, find};
use super::show::Source;
use super::{ConfigError, Layer, Problem};
use stepwright_world::options::{Kind, nearest};

/// Most bytes of the file.
const MAX_FILE: u64 = 1 << 20;

/// A value that was given.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(String),
    Bool(bool),
    Whole(i64),
    Number(f64),
    Texts(Vec<String>),
    Table(toml::Table),
}

impl Value {
    /// As plain text, as a session records it.
    pub(super) fn plain(&self) -> String {
        match self {
            Value::Text(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

impl std::fmt::Display for Value {
    /// As TOML.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Text(text) => write!(f, "{}", toml::Value::String(text.clone())),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Whole(value) => write!(f, "{value}"),
            Value::Number(value) => write!(f, "{value}"),
            Value::Table(table) => write!(f, "{}", toml::Value::Table(table.clone())),
            Value::Texts(texts) => {
                let list = texts.iter().map(|t| toml::Value::String(t.clone())).collect();
                write!(f, "{}", toml::Value::Array(list))
            }
        }
    }
}

/// The file's text; `None` if there is no such file.
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
            match from_toml(setting, value.get_ref()) {
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
                    self.put(format!("{group}.{name}."), Value::Bool(true), at);
                }
                _ => self.problem(at, format!("[{group}] holds sections: write [{group}.{name}] on a line of its own")),
            }
        }
    }

    fn keys(&mut self, entries: &DeTable<'_>) {
        for (action, value) in entries {
            let (at, action) = (action.span().start, action.get_ref().as_ref());
            let keys = match value.get_ref() {
                DeValue::String(key) => Some(vec![key.to_string()]),
                other => texts(other),
            };
            match keys {
                Some(keys) => self.put(format!("keys.{action}"), Value::Texts(keys), at),
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

fn from_toml(setting: &Setting, value: &DeValue<'_>) -> Result<Value, String> {
    let read = match (setting.kind, value) {
        (Kind::Text | Kind::Path | Kind::PathOr(_) | Kind::Choice(_), DeValue::String(text)) => {
            Some(Value::Text(text.to_string()))
        }
        (Kind::Switch, DeValue::Boolean(value)) => Some(Value::Bool(*value)),
        (Kind::Whole { .. }, DeValue::Integer(i)) => i64::from_str_radix(i.as_str(), i.radix()).ok().map(Value::Whole),
        (Kind::Number { .. }, DeValue::Integer(i)) => {
            i64::from_str_radix(i.as_str(), i.radix()).ok().map(|i| Value::Number(i as f64))
        }
        (Kind::Number { .. }, DeValue::Float(f)) => f.as_str().parse().ok().map(Value::Number),
        (Kind::Command, DeValue::String(line)) => shlex::split(line).map(Value::Texts),
        (Kind::Table, DeValue::Table(_)) => match owned(value) {
            Some(toml::Value::Table(table)) => Some(Value::Table(table)),
            _ => None,
        },
        (Kind::Texts | Kind::Command, list) => texts(list).map(Value::Texts),
        _ => None,
    };
    read.filter(|v| fits(setting.kind, v)).ok_or_else(|| format!("must be {}", setting.kind.allowed(true)))
}

/// Reads a value given as text, by an environment variable or a flag: as TOML where it is such a value, else as text.
pub(super) fn from_text(setting: &Setting, text: &str) -> Result<Value, String> {
    // A text that is no TOML value, or one of another kind (a model called `1.5`), is meant as text.
    let toml = format!("value = {text}");
    if let Ok(table) = DeTable::parse(&toml)
        && let [(_, value)] = table.get_ref().iter().collect::<Vec<_>>().as_slice()
        && let Ok(read) = from_toml(setting, value.get_ref())
    {
        return Ok(read);
    }
    let read = match setting.kind {
        Kind::Text | Kind::Path | Kind::PathOr(_) | Kind::Choice(_) => Some(Value::Text(text.to_owned())),
        Kind::Switch => match text.to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Some(Value::Bool(true)),
            "0" | "false" | "no" | "off" => Some(Value::Bool(false)),
            _ => None,
        },
        Kind::Whole { .. } => text.parse().ok().map(Value::Whole),
        Kind::Number { .. } => text.parse().ok().map(Value::Number),
        Kind::Command => shlex::split(text).map(Value::Texts),
        Kind::Table => None,
        Kind::Texts if text.trim_start().starts_with('[') => None,
        Kind::Texts => {
            let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
            Some(Value::Texts(parts.map(str::to_owned).collect()))
        }
    };
    read.filter(|v| fits(setting.kind, v)).ok_or_else(|| {
        let words = setting.kind.allowed(true).replace(" in quotes", "");
        format!("sets {}.{}, which must be {words}", setting.section, setting.key)
    })
}

/// A value without its place in the text; `None` where it holds a date, which nothing here takes.
fn owned(value: &DeValue<'_>) -> Option<toml::Value> {
    Some(match value {
        DeValue::String(text) => toml::Value::String(text.to_string()),
        DeValue::Integer(i) => toml::Value::Integer(i64::from_str_radix(i.as_str(), i.radix()).ok()?),
        DeValue::Float(f) => toml::Value::Float(f.as_str().parse().ok()?),
        DeValue::Boolean(value) => toml::Value::Boolean(*value),
        DeValue::Array(items) => {
            toml::Value::Array(items.iter().map(|item| owned(item.get_ref())).collect::<Option<_>>()?)
        }
        DeValue::Table(table) => {
            let pairs = table.iter().map(|(key, value)| Some((key.get_ref().to_string(), owned(value.get_ref())?)));
            toml::Value::Table(pairs.collect::<Option<_>>()?)
        }
        DeValue::Datetime(_) => return None,
    })
}

fn texts(value: &DeValue<'_>) -> Option<Vec<String>> {
    let DeValue::Array(items) = value else { return None };
    items
        .iter()
        .map(|item| match item.get_ref() {
            DeValue::String(text) => Some(text.to_string()),
            _ => None,
        })
        .collect()
}

fn fits(kind: Kind, value: &Value) -> bool {
    match value {
        Value::Texts(words) => kind != Kind::Command || words.first().is_some_and(|program| !program.is_empty()),
        other => kind.accepts(&other.plain()),
    }
}
