//! Values of settings: from texts to TOML of the kind that a setting takes, and from a layer to what the program reads.

use serde::de::DeserializeOwned;
use toml::Value;

use super::folders::Paths;
use super::layer::{Layer, Problem, Source};
use super::settings::{OWN, Setting, base, holds_commands};
use stepwright_world::options::Kind;

/// Reads values by name. Kinds were checked when they were read.
pub(super) struct Values<'a>(pub(super) &'a Layer);

impl Values<'_> {
    pub(super) fn get(&self, section: &str, key: &str) -> Option<&Value> {
        let own = self.0.get(&format!("{section}.{key}"));
        let own = own.or_else(|| section.starts_with("models.").then(|| self.0.get(&format!("model.{key}"))).flatten());
        own.map(|(value, _)| value)
    }

    pub(super) fn text(&self, section: &str, key: &str) -> Option<String> {
        self.get(section, key)?.as_str().map(str::to_owned)
    }

    /// A section as the type that has its keys as fields. The defaults of commands apply here: there is no command by default.
    /// Errors: what the type takes otherwise than the settings declare it.
    pub(super) fn section<T: DeserializeOwned>(&self, section: &str) -> Result<T, String> {
        let values = OWN.iter().filter(|s| s.section == base(section)).filter_map(|s| {
            let default =
                || from_text(s, s.default).ok().filter(|_| holds_commands(s.section) && !s.default.is_empty());
            Some((s.key.to_owned(), self.get(section, s.key).cloned().or_else(default)?))
        });
        T::deserialize(values.collect::<toml::Table>()).map_err(|e| format!("[{section}]: {}", e.message()))
    }
}

/// The fault of a setting, where the person set it.
pub(super) fn problem(merged: &Layer, paths: &Paths, key: &str, message: String) -> Problem {
    let (place, line) = match merged.get(key).map(|(_, source)| source) {
        Some(Source::Flag { flag }) => (flag.clone(), None),
        Some(Source::Environment { name }) => (name.clone(), None),
        Some(Source::File { line }) => (paths.config_file().display().to_string(), Some(*line)),
        _ => (paths.config_file().display().to_string(), None),
    };
    Problem { place, line, message }
}

/// Reads a value given as text, by an environment variable or a flag: as TOML where it is such a value, else as text.
pub(super) fn from_text(setting: &Setting, text: &str) -> Result<Value, String> {
    // A text that is no TOML value, or one of another kind (a model called `1.5`), is meant as text.
    let read: Option<Value> = text.trim().parse().ok();
    // What stands in quotes is the text between them, whatever comes of it.
    let quoted = read.as_ref().and_then(Value::as_str).map(str::to_owned);
    let as_toml = read.and_then(|value| accepted(setting.kind, value));
    let as_text = || {
        let read = match setting.kind {
            Kind::Text | Kind::Name | Kind::Path | Kind::PathOr(_) | Kind::Choice(_) | Kind::Command => {
                Some(text.into())
            }
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
    as_toml.or_else(|| as_text().filter(|_| quoted.is_none())).ok_or_else(|| {
        let text = quoted.as_deref().unwrap_or(text);
        unfit(setting.kind, Some(text)).replace(" in quotes", "")
    })
}

/// What is said of a value, with its text where it is one, that is none of a kind.
pub(super) fn unfit(kind: Kind, text: Option<&str>) -> String {
    match (kind, text) {
        (Kind::Command, Some(text)) if shlex::split(text).is_none() => {
            "opens a quote that is not closed, or ends in a backslash".to_owned()
        }
        (Kind::Path | Kind::PathOr(_), Some("")) => "must not be empty; leave it out for none".to_owned(),
        _ => format!("must be {}", kind.allowed(true)),
    }
}

/// A value in the form that is kept of its kind: commands in words, whole numbers without a fraction. `None` if it is none of that kind.
pub(super) fn accepted(kind: Kind, value: Value) -> Option<Value> {
    let value = match (kind, value) {
        (Kind::Command, Value::String(line)) => shlex::split(&line)?.into(),
        (Kind::Number { .. }, Value::Float(x)) if x.fract() == 0.0 && x.abs() < 1e15 => Value::Integer(x as i64),
        (_, value) => value,
    };
    let fits = match (kind, &value) {
        (Kind::Text, Value::String(_)) => true,
        (Kind::Choice(_) | Kind::Name | Kind::Path | Kind::PathOr(_), Value::String(word)) => kind.accepts(word),
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
