//! Commands from the `[external.NAME]` and `[methods.NAME]` sections: values that only make sense together are checked here.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::file::{Value, from_text};
use super::settings::{EXTERNAL, METHODS, SETTINGS, base};
use super::show::Source;
use super::{Layer, Paths, Problem};
use stepwright_method as method;
use stepwright_world::external::{Adapter, Phrase};

/// The worlds behind commands by name. They do not get the variables `withheld`.
pub(super) fn adapters(
    merged: &Layer,
    withheld: &[String],
    paths: &Paths,
    problems: &mut Vec<Problem>,
) -> BTreeMap<String, Arc<Adapter>> {
    let commands = commands(EXTERNAL, (merged, withheld, paths), problems);
    commands.into_iter().map(|(name, (adapter, _))| (name, Arc::new(adapter))).collect()
}

/// The methods behind commands by name, with what is set of their options.
pub(super) fn methods(
    merged: &Layer,
    withheld: &[String],
    paths: &Paths,
    problems: &mut Vec<Problem>,
) -> BTreeMap<String, Arc<method::Command>> {
    let commands = commands(METHODS, (merged, withheld, paths), problems);
    let method = |(name, (adapter, options))| (name, Arc::new(method::Command::new(Arc::new(adapter), options)));
    commands.into_iter().map(method).collect()
}

/// The commands of a group of sections, each with its table of options.
fn commands(
    group: &'static str,
    (merged, withheld, paths): (&Layer, &[String], &Paths),
    problems: &mut Vec<Problem>,
) -> BTreeMap<String, (Adapter, BTreeMap<String, String>)> {
    let sections = merged.iter().filter_map(|(name, (_, source))| Some((name.strip_suffix('.')?, source)));
    let mut adapters = BTreeMap::new();
    for (section, source) in sections.filter(|(section, _)| base(section) == group) {
        let Some((_, name)) = section.split_once('.') else { continue };
        let mut reader = Reader { merged, section, place: paths.config_file().display().to_string(), problems };
        let Some(command) = reader.texts("command") else {
            reader.problem(source, format!("[{section}] has no `command`; name the program to start"));
            continue;
        };
        let adapter = Adapter {
            section: group,
            folder: reader.path("dir"),
            inherited: reader.texts("inherit"),
            env: reader.variables(),
            withheld: withheld.to_vec(),
            start_timeout: reader.seconds("start_timeout_s"),
            step_timeout: reader.seconds("step_timeout_s"),
            specification: reader.path("spec"),
            phrases: reader.phrases(),
            tasks: reader.texts("tasks").unwrap_or_default(),
            demonstrations: reader.path("demonstrations"),
            ..Adapter::new(name, command)
        };
        let options = reader.table("options");
        adapters.insert(name.to_owned(), (adapter, options));
    }
    adapters
}

struct Reader<'a> {
    merged: &'a Layer,
    section: &'a str,
    place: String,
    problems: &'a mut Vec<Problem>,
}

impl Reader<'_> {
    fn get(&self, key: &str) -> Option<&(Value, Source)> {
        self.merged.get(&format!("{}.{key}", self.section))
    }

    fn texts(&self, key: &str) -> Option<Vec<String>> {
        match self.get(key) {
            Some((Value::Texts(texts), _)) => Some(texts.clone()),
            _ => None,
        }
    }

    fn path(&self, key: &str) -> Option<PathBuf> {
        match self.get(key) {
            Some((Value::Text(text), _)) => Some(PathBuf::from(text)),
            _ => None,
        }
    }

    /// A time; the setting's default where none is given.
    fn seconds(&self, key: &str) -> Duration {
        let default = || {
            let setting = SETTINGS.iter().find(|s| s.section == base(self.section) && s.key == key)?;
            from_text(setting, setting.default).ok()
        };
        let number = match self.get(key).map(|(value, _)| value.clone()).or_else(default) {
            Some(Value::Number(number)) => number,
            _ => 0.0,
        };
        Duration::try_from_secs_f64(number).unwrap_or_default()
    }

    /// A table of single values as texts.
    fn table(&mut self, key: &str) -> BTreeMap<String, String> {
        let Some((Value::Table(table), source)) = self.get(key).cloned() else { return BTreeMap::new() };
        let mut texts = BTreeMap::new();
        for (name, value) in table {
            match value {
                toml::Value::String(text) => texts.insert(name, text),
                toml::Value::Array(_) | toml::Value::Table(_) => {
                    self.problem(&source, format!("`{name}` in `{key}` of [{}] must be a single value", self.section));
                    None
                }
                plain => texts.insert(name, plain.to_string()),
            };
        }
        texts
    }

    fn variables(&mut self) -> Vec<(String, String)> {
        let read = |text: &str| match text.split_once('=') {
            Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
            _ => Err(format!("`{text}` sets no variable; write it as NAME=value")),
        };
        self.each("env", read)
    }

    fn phrases(&mut self) -> Vec<Phrase> {
        self.each("actions", |text| text.parse())
    }

    fn each<T>(&mut self, key: &str, read: impl Fn(&str) -> Result<T, String>) -> Vec<T> {
        let source = self.get(key).map(|(_, source)| source.clone());
        let mut good = Vec::new();
        for text in self.texts(key).unwrap_or_default() {
            match (read(&text), &source) {
                (Ok(value), _) => good.push(value),
                (Err(why), Some(source)) => self.problem(source, format!("`{key}` in [{}]: {why}", self.section)),
                (Err(_), None) => {}
            }
        }
        good
    }

    fn problem(&mut self, source: &Source, message: String) {
        let (place, line) = match source {
            Source::File { line } => (self.place.clone(), Some(*line)),
            Source::Flag { flag } => (flag.clone(), None),
            Source::Environment { name } => (name.clone(), None),
            Source::Default => (self.place.clone(), None),
        };
        self.problems.push(Problem { place, line, message });
    }
}
