//! Commands from the `[external.NAME]` and `[methods.NAME]` sections: values that only make sense together are checked here.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;

use super::folders::Paths;
use super::layer::{Layer, Problem};
use super::settings::{EXTERNAL, METHODS, base};
use super::values::{Values, plain, problem};
use stepwright_method as method;
use stepwright_world::options::Table;
use stepwright_worlds::external::Adapter;

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

/// The methods behind commands by name, with what is set of their options; they may have options of the program's methods.
pub(super) fn methods(
    settings: (&Layer, &[String], &Paths),
    shared: Table,
    problems: &mut Vec<Problem>,
) -> BTreeMap<String, Arc<method::Command>> {
    let commands = commands(METHODS, settings, problems);
    let method =
        |(name, (adapter, options))| (name, Arc::new(method::Command::new(Arc::new(adapter), options, shared)));
    commands.into_iter().map(method).collect()
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Section {
    command: Option<Vec<String>>,
    dir: Option<PathBuf>,
    env: Vec<String>,
    inherit: Option<Vec<String>>,
    tasks: Vec<String>,
    spec: Option<PathBuf>,
    actions: Vec<String>,
    demonstrations: Option<PathBuf>,
    options: toml::Table,
    start_timeout_s: f64,
    step_timeout_s: f64,
}

/// The commands of a group of sections, each with its table of options.
fn commands(
    group: &'static str,
    (merged, withheld, paths): (&Layer, &[String], &Paths),
    problems: &mut Vec<Problem>,
) -> BTreeMap<String, (Adapter, BTreeMap<String, String>)> {
    let mut adapters = BTreeMap::new();
    for section in merged.keys().filter_map(|name| name.strip_suffix('.')).filter(|section| base(section) == group) {
        let Some((_, name)) = section.split_once('.') else { continue };
        let mut wrong =
            |key: &str, why: String| problems.push(problem(merged, paths, &format!("{section}.{key}"), why));
        let read: Section = Values(merged).section(section).unwrap_or_else(|why| {
            wrong("", why);
            Section::default()
        });
        let Some(command) = read.command else {
            wrong("", format!("[{section}] has no `command`; name the program to start"));
            continue;
        };
        if command.is_empty() {
            // It cannot be read, which was told where it was.
            continue;
        }
        let mut each = |key: &str, why: String| wrong(key, format!("`{key}` in [{section}]: {why}"));
        let env = good(&read.env, variable, |why| each("env", why));
        let phrases = good(&read.actions, str::parse, |why| each("actions", why));
        let seconds = |seconds| Duration::try_from_secs_f64(seconds).unwrap_or_default();
        let adapter = Adapter {
            section: group,
            folder: read.dir,
            inherited: read.inherit,
            env,
            withheld: withheld.to_vec(),
            start_timeout: seconds(read.start_timeout_s),
            step_timeout: seconds(read.step_timeout_s),
            specification: read.spec,
            phrases,
            tasks: read.tasks,
            demonstrations: read.demonstrations,
            ..Adapter::new(name, command)
        };
        let single = |(name, value): &(String, toml::Value)| match value {
            toml::Value::Array(_) | toml::Value::Table(_) => {
                wrong("options", format!("`{name}` in `options` of [{section}] must be a single value"));
                false
            }
            _ => true,
        };
        let options = read.options.into_iter().filter(single).map(|(name, value)| (name, plain(&value))).collect();
        adapters.insert(name.to_owned(), (adapter, options));
    }
    adapters
}

fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(format!("`{text}` sets no variable; write it as NAME=value")),
    }
}

/// The readable ones of some texts; the faults of the others go to `wrong`.
fn good<T>(texts: &[String], read: impl Fn(&str) -> Result<T, String>, mut wrong: impl FnMut(String)) -> Vec<T> {
    texts.iter().filter_map(|text| read(text).map_err(&mut wrong).ok()).collect()
}
