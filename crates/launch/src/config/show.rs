//! Display of the configuration: each value with where it comes from, and a file to start from.

use std::collections::BTreeMap;

use toml::Value;

use super::endpoint::{FROM_ENVIRONMENT, ModelConfig};
use super::layer::{Layer, Shown};
use super::settings::{SECTIONS, Settings, base, holds_commands};
use super::typed::Config;
use super::values::texts;
use stepwright_episode::Role;
use stepwright_method::Methods;
use stepwright_model::remote;
use stepwright_world::options::Kind;

/// Everything that is set, in the order it is shown.
pub(super) fn all(settings: &Settings, merged: &Layer, config: &Config) -> Vec<Shown> {
    let mut shown = Vec::new();
    for (section, _) in SECTIONS.iter().filter(|(section, _)| *section != "models") {
        let keys = settings.of(section).map(|s| s.key.to_owned());
        let own =
            merged.keys().filter_map(|n| n.strip_prefix("keys.")).filter(|_| *section == "keys").map(str::to_owned);
        add(&mut shown, merged, section, keys.chain(own));
        if *section == "model" {
            shown.push(key_line("model", &config.model));
            for role in Role::ALL {
                add(&mut shown, merged, &format!("{section}.{}", role.name()), [section.to_string()].into_iter());
            }
        }
    }
    for (name, model) in &config.models {
        let section = format!("models.{name}");
        let keys = settings.of(&section).map(|s| s.key.to_owned());
        add(&mut shown, merged, &section, keys);
        shown.push(key_line(&section, model));
    }
    for section in merged.keys().filter_map(|n| n.strip_suffix('.')).filter(|n| holds_commands(base(n))) {
        let keys = settings.of(section).map(|s| s.key.to_owned());
        add(&mut shown, merged, section, keys);
    }
    shown
}

fn add(shown: &mut Vec<Shown>, merged: &Layer, section: &str, keys: impl Iterator<Item = String>) {
    for key in keys {
        if let Some((value, source)) = merged.get(&format!("{section}.{key}")) {
            let text = format!("{key} = {}", plain(&key, value));
            shown.push(Shown { section: section.to_owned(), key, text, source: source.to_string() });
        }
    }
}

/// A value without what may be secret in it: passwords and queries of addresses, values of headers, secrets in commands and in the
/// variables and fields with names of secrets.
fn plain(key: &str, value: &Value) -> Value {
    match (key, value) {
        ("base_url" | "proxy", Value::String(url)) => remote::shown_address(url).into(),
        (_, Value::String(url)) if url.contains("://") => remote::shown_address(url).into(),
        ("command" | "env", Value::Array(_)) => stepwright_secret::shown_words(&texts(value)).into(),
        ("extra_body" | "options" | "headers", Value::Table(table)) => {
            let is_secret = |name: &str, value: &Value| match key {
                "headers" => !value.as_str().is_some_and(|v| v.starts_with(FROM_ENVIRONMENT)),
                _ => stepwright_secret::is_secret_name(name),
            };
            let shown = table
                .iter()
                .map(|(name, value)| (name.clone(), if is_secret(name, value) { "…".into() } else { value.clone() }));
            Value::Table(shown.collect())
        }
        _ => value.clone(),
    }
}

/// Whether there is a key; never the key.
fn key_line(section: &str, model: &ModelConfig) -> Shown {
    let from = &model.options.api_key_env;
    let (text, source) = match (&model.options.api_key, from.is_empty()) {
        (Some(_), _) => ("# key: present", format!("${from}")),
        (None, false) => ("# key: absent", format!("${from} is not set")),
        (None, true) => ("# key: none", "api_key_env is empty".to_owned()),
    };
    Shown { section: section.to_owned(), key: String::new(), text: text.to_owned(), source }
}

impl Config {
    /// Where a setting is from, in words; `None` where it has no value.
    pub fn source(&self, section: &str, key: &str) -> Option<&str> {
        let line = self.shown.iter().find(|line| line.section == section && line.key == key);
        line.map(|line| line.source.as_str())
    }

    /// The merged configuration as TOML, each value with its source in a comment. Holds no key.
    pub fn show(&self) -> String {
        let width = self.shown.iter().map(|s| s.text.chars().count()).max().unwrap_or(0).min(60);
        let mut out = format!(
            "# sessions are in {}\n# logs and reports of crashes are in {}\n\n",
            self.paths.sessions().display(),
            self.paths.logs().display()
        );
        let mut section = "";
        for line in &self.shown {
            if line.section != section {
                let gap = if section.is_empty() { "" } else { "\n" };
                out.push_str(&format!("{gap}[{}]\n", line.section));
                section = &line.section;
            }
            out.push_str(&format!("{:width$}  # {}\n", line.text, line.source));
        }
        out
    }
}

/// Settings of a model that change how it is reached or paid for, not what it answers. Where it answers, the model itself says.
const NOT_SAMPLING: [&str; 17] = [
    "model", "base_url", "api_key_env", "stream", "connect_timeout_s", "idle_timeout_s", "answer_timeout_s", "retries",
    "retry_cap_s", "price_in", "price_out", "threads", "record", "cache", "proxy", "keep_alive", "embedder",
];

impl Config {
    /// The settings of a model's name that change what it answers, with their values as TOML. Values that may hold a secret are
    /// given by their digest.
    pub fn sampling(&self, name: &str) -> BTreeMap<String, String> {
        let own = format!("models.{name}");
        let mut settings = BTreeMap::new();
        for section in ["model", &own] {
            for line in self.shown.iter().filter(|line| line.section == section) {
                let Some((key, value)) = line.text.split_once(" = ") else { continue };
                if !NOT_SAMPLING.contains(&key) {
                    let secret = key == "headers";
                    let value = if secret { stepwright_model::prompt::digest_of(value) } else { value.to_owned() };
                    settings.insert(key.to_owned(), value);
                }
            }
        }
        settings
    }
}

/// A configuration file to start from: every setting, commented out, with its default and what it means.
pub fn template(methods: &'static Methods) -> String {
    let settings = Settings::new(methods);
    let mut out = String::from("# Stepwright's configuration. Remove the # before a setting to change it.\n");
    for (section, help) in SECTIONS.iter().filter(|(section, _)| *section != "models") {
        let heading = if holds_commands(section) { format!("# [{section}.mine]") } else { format!("[{section}]") };
        out.push_str(&format!("\n# {help}\n{heading}\n"));
        for setting in settings.of(section) {
            out.push_str(&format!("# {}: {}", setting.help, setting.kind.allowed(true)));
            if !setting.env.is_empty() {
                out.push_str(&format!("; environment: {}", setting.env.join(", ")));
            }
            let value = match setting.kind {
                Kind::Command => "[\"python3\", \"adapter.py\"]".to_owned(),
                Kind::Table => "{ NAME = \"VALUE\" }".to_owned(),
                _ if setting.default.is_empty() => "…".to_owned(),
                _ => setting.default_toml(),
            };
            out.push_str(&format!("\n# {} = {value}\n", setting.key));
        }
    }
    out.push_str(
        "\n# a further model, chosen by its name\n# [models.local]\n# base_url = \"http://127.0.0.1:8080/v1\"\n",
    );
    out.push_str("# model = \"qwen2.5-coder\"\n# the model of a role, by its name or described here\n# [model.writer]\n# model = \"local\"\n");
    out.push_str("# [models.claude]\n# model = \"anthropic/claude-sonnet-4-5\"\n# think = \"4096\"\n");
    out
}
