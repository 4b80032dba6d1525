//! Circumstances that results of any study depend on: the program, the model and how it is asked, the prompts, the data, other commands.
//!
//! Contents count, not names: a digest of what a file holds, not its path, so that machines with other folders share an experiment.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::experiment::{digest, hex};
use crate::sample::{METHOD_OPTIONS, OWN_PROMPTS, SHIPPED};
use stepwright_driver::Source;
use stepwright_launch::config::Config;
use stepwright_method as method;
use stepwright_method::{Methods, SYMBOLIC};
use stepwright_model::prompt::Prompts;
use stepwright_world::blocking::NamedDomain;
use stepwright_world::options::Kind;

/// Files of a folder of data that are read whole; in larger folders names and sizes count.
const MOST_FILES: usize = 20_000;
const MOST_BYTES: u64 = 1 << 30;

/// The circumstances that results depend on beside a study's own conditions.
#[derive(Debug, Clone, PartialEq)]
pub struct Provenance(Map<String, Value>);

impl Provenance {
    /// Of a build of the program: its release and the commit of its sources.
    pub fn of(build: &str, config: &Config, model: &str) -> Result<Self, String> {
        let mut fields = Map::new();
        fields.insert("program".to_owned(), json!(build));
        fields.insert("model".to_owned(), model_of(config, model)?);
        let prompts = Prompts::new(Some(&config.paths.config)).digest();
        if prompts != Prompts::new(None).digest() {
            fields.insert(OWN_PROMPTS.to_owned(), json!(true));
        }
        fields.insert("prompts".to_owned(), json!(prompts));
        fields.insert("embedder".to_owned(), json!(config.embedder("").name()));
        fields.insert("token_budget".to_owned(), json!(config.gate.policy.token_budget));
        let domain = match &config.method.domain {
            // A file that cannot be read is refused where it is read.
            Some(NamedDomain::File(path)) => json!(data_digest(path).ok()),
            Some(NamedDomain::Derived) => json!("derived"),
            None => Value::Null,
        };
        fields.insert("blocking_domain".to_owned(), domain);
        let own = config.data.demonstrations.as_deref().and_then(|path| data_digest(path).ok());
        fields.insert("demonstrations".to_owned(), json!(own));
        Ok(Provenance(fields))
    }

    /// The same with data: its digest, or that it ships with the program.
    pub fn with_data(self, data: Option<&Path>) -> Result<Self, String> {
        let data = data.map_or_else(|| Ok(SHIPPED.to_owned()), data_digest)?;
        Ok(self.with("data", json!(data)))
    }

    /// The same with the models that are configured for roles; which of them an episode asks its options say.
    pub fn with_roles(self, config: &Config) -> Result<Self, String> {
        let of = config.roles.iter().map(|(role, name)| Ok((role.name().to_owned(), model_of(config, name)?)));
        let of = of.collect::<Result<Map<String, Value>, String>>()?;
        Ok(if of.is_empty() { self } else { self.with("roles", Value::Object(of)) })
    }

    /// The same with the agent behind the gate: its command, what it is told, and where its model answers.
    pub fn with_agent(self, config: &Config) -> Result<Self, String> {
        let Some(agent) = &config.agent else { return Ok(self) };
        let words: Vec<Value> = agent.words.iter().map(|word| word_of(word, None)).collect();
        let command = digest(&json!([words, agent.variables]));
        Ok(self.with("agent", json!({ "command": command, "asks": agent.provider()?.addresses() })))
    }

    /// The same with further models, which conditions name.
    pub fn with_models<'a>(self, config: &Config, names: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let of = names.into_iter().map(|name| Ok((name.to_owned(), model_of(config, name)?)));
        let of = of.collect::<Result<Map<String, Value>, String>>()?;
        Ok(if of.is_empty() { self } else { self.with("models", Value::Object(of)) })
    }

    /// The same with the commands of worlds and methods in other processes.
    pub fn with_commands<'a>(self, config: &Config, names: impl IntoIterator<Item = &'a str>) -> Self {
        let command = |name: &'a str| {
            let adapter = match name.strip_prefix(method::EXTERNAL) {
                Some(method) => &config.methods.get(method)?.adapter,
                None => config.external.get(name)?,
            };
            let mut words = vec![json!(format!("{:?}", (&adapter.env, &adapter.inherited, &adapter.phrases)))];
            words.extend(adapter.command.iter().map(|word| word_of(word, adapter.folder.as_deref())));
            words.extend(
                adapter.specification.iter().chain(&adapter.demonstrations).filter_map(|p| file_digest(p).ok()),
            );
            Some((name.to_owned(), json!({ "command": adapter.command_line(), "digest": digest(&json!(words)) })))
        };
        let commands: Map<String, Value> = names.into_iter().filter_map(command).collect();
        if commands.is_empty() { self } else { self.with("commands", Value::Object(commands)) }
    }

    /// The same with the options of methods that a person gave, where those are no condition of a study; a publication's name among them.
    pub fn with_method_options(self, methods: &'static Methods, given: &BTreeMap<String, String>) -> Self {
        let names_file = |key: &str| {
            let spec = methods.options().iter().find(|spec| spec.key == key);
            spec.is_some_and(|spec| matches!(spec.kind, Kind::Path | Kind::PathOr(_)))
        };
        // Where a file cannot be read, that is said where it is read.
        let held = |key: &str, value: &String| {
            let held = names_file(key).then(|| named_digest(value).ok()).flatten();
            held.unwrap_or_else(|| value.clone())
        };
        let given: Map<String, Value> =
            given.iter().map(|(key, value)| (key.clone(), json!(held(key, value)))).collect();
        if given.is_empty() { self } else { self.with(METHOD_OPTIONS, Value::Object(given)) }
    }

    #[must_use]
    pub fn with(mut self, name: &str, value: Value) -> Self {
        self.0.insert(name.to_owned(), value);
        self
    }

    /// All of it, with a study's own part beside it.
    pub fn and(self, study: Value) -> Value {
        let mut fields = self.0;
        if let Value::Object(own) = study {
            fields.extend(own);
        }
        Value::Object(fields)
    }
}

/// A model: its name, where it answers, every setting that changes what it says.
fn model_of(config: &Config, name: &str) -> Result<Value, String> {
    let name = if name.is_empty() { config.model.model.as_str() } else { name };
    let Source::Language { model, .. } = stepwright_launch::resolver(config)(name)? else {
        return Ok(json!({ "name": SYMBOLIC }));
    };
    let info = model.info();
    let mut fields = json!({ "name": name, "id": info.name, "endpoint": info.endpoint });
    // A recording or weights named by their file are what the file holds.
    let file = name.split_once(':').map(|(_, path)| PathBuf::from(path)).filter(|path| path.is_file());
    if let Some(file) = file {
        fields["file"] = file_digest(&file)?;
        // Where the file lies does not matter.
        fields["name"] = json!(name.split_once(':').map(|(kind, _)| kind));
        fields["id"] = Value::Null;
        fields["endpoint"] = Value::Null;
    }
    fields["settings"] = config.sampling(name).into_iter().map(|(key, value)| (key, json!(value))).collect();
    Ok(fields)
}

/// A word of a command; what a program or a script holds where it names one.
fn word_of(word: &str, folder: Option<&Path>) -> Value {
    let here = folder.map_or_else(|| PathBuf::from(word), |folder| folder.join(word));
    let in_path = || std::env::split_paths(&std::env::var_os("PATH")?).map(|dir| dir.join(word)).find(|p| p.is_file());
    let file = if here.is_file() { Some(here) } else { (!word.contains('/')).then(in_path).flatten() };
    match file.map(|file| file_digest(&file)) {
        Some(Ok(held)) => held,
        _ => json!(word),
    }
}

/// The digest of what a named file holds, with the part of it that is named (`knowledge.json#ENVIRONMENT/AUTHOR`).
pub(crate) fn named_digest(name: &str) -> Result<String, String> {
    let path = name.split_once(".json#").map_or_else(|| name.to_owned(), |(path, _)| format!("{path}.json"));
    Ok(format!("{}{}", data_digest(Path::new(&path))?, name.get(path.len()..).unwrap_or_default()))
}

fn file_digest(path: &Path) -> Result<Value, String> {
    let mut hasher = Sha256::new();
    take_in(path, &mut hasher).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(json!(hex(&hasher.finalize())))
}

fn take_in(path: &Path, hasher: &mut Sha256) -> std::io::Result<()> {
    let mut file = std::fs::File::open(path)?;
    let mut block = vec![0; 1 << 16];
    loop {
        match file.read(&mut block)? {
            0 => return Ok(()),
            length => hasher.update(block.get(..length).unwrap_or_default()),
        }
    }
}

/// The content of a file or folder of data, as a hash. Of a very large folder the names and sizes of its files count,
/// which the value says. Hidden files and those that this program itself writes (results, sessions) do not count.
pub(crate) fn data_digest(path: &Path) -> Result<String, String> {
    let fail = |e: std::io::Error| format!("{}: {e}", path.display());
    if path.is_file() {
        return file_digest(path).map(|held| held.as_str().unwrap_or_default().to_owned());
    }
    let mut files = Vec::new();
    collect(path, Path::new(""), &mut files).map_err(fail)?;
    files.sort();
    let bytes: u64 = files.iter().map(|(_, length)| length).sum();
    let small = files.len() <= MOST_FILES && bytes <= MOST_BYTES;
    let mut hasher = Sha256::new();
    for (name, length) in &files {
        hasher.update(format!("{}\0{length}\0", name.display()));
        if small {
            take_in(&path.join(name), &mut hasher).map_err(fail)?;
        }
    }
    Ok(hex(&hasher.finalize()) + if small { "" } else { " (names and sizes)" })
}

fn collect(root: &Path, below: &Path, files: &mut Vec<(PathBuf, u64)>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(root.join(below))? {
        let entry = entry?;
        let name = below.join(entry.file_name());
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        let about = std::fs::metadata(entry.path())?;
        if about.is_dir() {
            // A link back up would never end.
            if !entry.file_type()?.is_symlink() {
                collect(root, &name, files)?;
            }
        } else if about.is_file() && !is_own(&entry.path())? {
            files.push((name, about.len()));
        }
    }
    Ok(())
}

fn is_own(path: &Path) -> std::io::Result<bool> {
    let mut beginning = Vec::new();
    std::fs::File::open(path)?.take(16).read_to_end(&mut beginning)?;
    Ok(beginning.starts_with(b"{\"stepwright\":"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::sample::Under;
    use stepwright_launch::config::{Overrides, load_with};
    use stepwright_methods::METHODS;
    use stepwright_world::AgentCommand;

    fn of(folder: &Path, flags: &[(&str, &str)], model: &str) -> Value {
        let mut overrides = Overrides { config_dir: Some(folder.to_owned()), ..Overrides::default() };
        flags.iter().for_each(|(setting, value)| overrides.set(setting, "--set", Some(*value)));
        let config = load_with(&overrides, &METHODS, &|_| None).unwrap();
        Provenance::of("0.1.0+ab", &config, model).unwrap().with_data(None).unwrap().and(json!({"max_steps": 3}))
    }

    /// Of a file what it holds, wherever it lies.
    #[test]
    fn options_of_methods_are_part_of_it_and_files_count_by_what_they_hold() {
        let folder = tempfile::tempdir().unwrap();
        let of = |skills: &str, text: &str| {
            let path = folder.path().join(skills);
            std::fs::write(&path, text).unwrap();
            let given = [("skills", path.display().to_string()), ("beta", "9".to_owned())];
            let given = given.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
            Provenance(Map::new()).with_method_options(&METHODS, &given).and(json!({}))
        };
        let one = of("a.skills.toml", "x");
        assert_eq!(one[METHOD_OPTIONS]["beta"], "9");
        assert_eq!(one, of("b.skills.toml", "x"));
        assert_ne!(one, of("a.skills.toml", "y"));
        assert_eq!(Provenance(Map::new()).with_method_options(&METHODS, &BTreeMap::new()), Provenance(Map::new()));
    }

    #[test]
    fn what_changes_answers_changes_them_and_patience_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let plain = of(folder.path(), &[], "m");
        assert_eq!((&plain["max_steps"], &plain["data"]), (&json!(3), &json!("shipped")));
        for flag in [
            ("model.temperature", "0.3"),
            ("model.base_url", "http://127.0.0.1:1/v1"),
            ("model.max_tokens", "77"),
            ("gate.token_budget", "100"),
            ("method.domain", "derived"),
        ] {
            assert_ne!(of(folder.path(), &[flag], "m"), plain, "{flag:?}");
        }
        for flag in [("model.retries", "0"), ("model.idle_timeout_s", "5"), ("model.price_in", "1")] {
            let both = [flag, ("model.price_out", "1")];
            let flags = if flag.0 == "model.price_in" { &both[..] } else { &both[..1] };
            assert_eq!(of(folder.path(), flags, "m"), plain, "{flag:?}");
        }
        assert_ne!(of(folder.path(), &[], "symbolic"), plain);
        // A prompt of one's own.
        std::fs::create_dir_all(folder.path().join("prompts/program")).unwrap();
        std::fs::write(folder.path().join("prompts/program/next_action.jinja"), "{{ role(\"text\") }}\nx").unwrap();
        assert_ne!(of(folder.path(), &[], "m")["prompts"], plain["prompts"]);
        // Neither a key nor a user's name is kept.
        let secret = of(folder.path(), &[("model.base_url", "http://u:PASS@127.0.0.1:1/v1?key=Q")], "m");
        assert!(!secret.to_string().contains("PASS") && !secret.to_string().contains("key=Q"), "{secret}");
    }

    /// The usual values of a model's settings, with which figures of publications may stand beside ours, are the configuration's.
    #[test]
    fn what_is_configured_as_it_comes_departs_from_no_publication() {
        let folder = tempfile::tempdir().unwrap();
        let departs = |flags: &[(&str, &str)]| {
            let experiment = of(folder.path(), flags, "m").into();
            Under { experiment, ..Under::default() }.departs()
        };
        let harmless = [("retries", "0"), ("top_logprobs", "3"), ("context", "4096"), ("api", "completions")];
        let harmless = harmless.map(|(key, value)| (format!("model.{key}"), value));
        assert!(!departs(&[]) && harmless.iter().all(|(setting, value)| !departs(&[(setting.as_str(), *value)])));
        for flag in [
            ("model.api", "chat"),
            ("model.temperature", "0.3"),
            ("model.max_tokens", "77"),
            ("model.think", "off"),
            ("gate.token_budget", "100"),
            ("method.domain", "derived"),
        ] {
            assert!(departs(&[flag]), "{flag:?}");
        }
    }

    #[test]
    fn an_agent_counts_by_its_command_and_by_who_answers_it() {
        let folder = tempfile::tempdir().unwrap();
        let overrides = Overrides { config_dir: Some(folder.path().to_owned()), ..Overrides::default() };
        let mut config = load_with(&overrides, &METHODS, &|_| None).unwrap();
        let none = Provenance(Map::new()).with_agent(&config).unwrap();
        assert_eq!(none, Provenance(Map::new()));
        let mut behind = |word: &str, address: &str| {
            let (words, upstream) = (vec![word.to_owned()], Some(address.to_owned()));
            config.agent = Some(Arc::new(AgentCommand { words, upstream, ..AgentCommand::default() }));
            Provenance(Map::new()).with_agent(&config).unwrap().and(json!({}))["agent"].clone()
        };
        let one = behind("./one", "http://u:PASS@127.0.0.1:1/v1");
        assert_eq!(one["asks"], json!(["http://127.0.0.1:1/v1"]));
        let (other, elsewhere) = (behind("./other", "http://127.0.0.1:1/v1"), behind("./one", "http://127.0.0.1:2/v1"));
        assert_eq!((&one["asks"], &one["command"]), (&other["asks"], &elsewhere["command"]));
        assert!(one["asks"] != elsewhere["asks"] && one["command"] != other["command"]);
    }

    #[test]
    fn data_is_what_its_files_hold() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            std::fs::create_dir_all(folder.path().join(name).parent().unwrap()).unwrap();
            std::fs::write(folder.path().join(name), text).unwrap();
        };
        write("a/one.json", "1");
        let first = data_digest(folder.path()).unwrap();
        write("results.jsonl", "{\"stepwright\":\"results\"}\n");
        write(".cache", "x");
        assert_eq!(data_digest(folder.path()).unwrap(), first);
        write("a/one.json", "2");
        let second = data_digest(folder.path()).unwrap();
        write("b.json", "2");
        assert!(first != second && data_digest(folder.path()).unwrap() != second);
        assert!(data_digest(&folder.path().join("none")).unwrap_err().contains("none"));
        // A command is the program and the script it names.
        let script = folder.path().join("a/one.json").display().to_string();
        let before = word_of(&script, None);
        write("a/one.json", "3");
        assert_ne!(word_of(&script, None), before);
        assert_ne!(word_of("sh", None), json!("sh"), "a program of the path");
        assert_eq!(word_of("--option", None), json!("--option"));
    }
}
