//! Endpoint of a model: what the person set, and what a provider's name says where they set nothing.
//!
//! A model's id may begin with a well-known provider (`anthropic/…`), which determines wire format, address and key variable. An
//! address that a person set comes first: there the id is sent unchanged, as OpenRouter and many servers have such ids.

use std::path::PathBuf;

use secrecy::SecretString;
use serde::Deserialize;
use toml::Value;

use super::layer::{Environment, Layer, Source};
use super::values::{Values, plain};
use stepwright_model::Price;
use stepwright_model::remote::Options;
use stepwright_model::remote::providers::{self, PROVIDERS, Provider};

/// The prefix of the name of a variable that holds a header's value.
pub(super) const FROM_ENVIRONMENT: &str = "env:";

/// A provider with what the environment says of it.
#[derive(Debug, Clone)]
struct ProviderSetting {
    provider: &'static Provider,
    base_url: String,
    key_env: String,
    key: Option<SecretString>,
}

/// Which of a section's values a person set.
#[derive(Debug, Clone, Default)]
struct Set {
    base_url: bool,
    /// By the variable of OpenAI's own tools, which says nothing of other providers.
    of_openai: bool,
    api_key_env: bool,
    provider: Option<String>,
}

/// A section `[model]` or `[models.NAME]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct ModelConfig {
    /// In `[model]` any name [`super::select`] takes; in `[models.NAME]` the id at the endpoint.
    pub model: String,
    /// Threads of a model in this process; 0 for one a core.
    pub threads: usize,
    #[serde(skip)]
    pub price: Option<Price>,
    pub record: Option<PathBuf>,
    /// The cassette that answers what is recorded in it, and records the rest.
    pub cache: Option<PathBuf>,
    /// Endpoint, key, time limits; its `model` is the id.
    #[serde(flatten)]
    pub options: Options,
}

#[derive(Debug, Clone)]
pub(super) struct Endpoints {
    known: Vec<ProviderSetting>,
    model: ModelConfig,
    set: Set,
}

impl Endpoints {
    pub(super) fn new(merged: &Layer, model: &ModelConfig, environment: Environment<'_>) -> Self {
        let filled = |name: &str| environment(name).filter(|v| !name.is_empty() && !v.trim().is_empty());
        let known = PROVIDERS.iter().map(|provider| {
            let held = provider.keys.iter().find(|name| filled(name).is_some());
            let key_env = held.or(provider.keys.first()).copied().unwrap_or_default();
            let address = filled(provider.address).map(|text| providers::address(&text, provider.wire));
            ProviderSetting {
                provider,
                base_url: address.unwrap_or_else(|| provider.base_url.to_owned()),
                key_env: key_env.to_owned(),
                key: key(key_env, environment),
            }
        });
        Endpoints { known: known.collect(), model: model.clone(), set: set_in(merged, "model") }
    }

    pub(super) fn is_address_set(&self) -> bool {
        self.set.base_url
    }

    /// The model of an id, by the `[model]` section; under its own id if empty.
    pub(super) fn of_model(&self, id: &str) -> ModelConfig {
        let mut config = self.model.clone();
        if !id.is_empty() {
            config.model = id.to_owned();
            config.options.model = id.to_owned();
        }
        self.resolved(config, &self.set)
    }

    pub(super) fn of_section(&self, merged: &Layer, section: &str, config: ModelConfig) -> ModelConfig {
        let own = set_in(merged, section);
        let nearer = own.base_url || own.provider.is_some();
        let set = Set {
            base_url: own.base_url || (self.set.base_url && own.provider.is_none()),
            of_openai: !own.base_url && self.set.of_openai,
            api_key_env: own.api_key_env || (self.set.api_key_env && !nearer),
            provider: own.provider.or_else(|| self.set.provider.clone().filter(|_| !own.base_url)),
        };
        let mut config = self.resolved(config, &set);
        // A key belongs to the endpoint it was made for.
        if own.base_url && !own.api_key_env && set.provider.is_none() {
            config.options.api_key = None;
            config.options.api_key_env = String::new();
        }
        config
    }

    fn resolved(&self, mut config: ModelConfig, set: &Set) -> ModelConfig {
        let by_id = providers::split(&config.options.model);
        let set_url = set.base_url && !(set.of_openai && by_id.is_some());
        let found = match set.provider.as_deref() {
            Some(name) => self.known.iter().find(|k| k.provider.name == name),
            None if set_url => None,
            None => by_id.and_then(|(provider, _)| self.known.iter().find(|k| k.provider == provider)),
        };
        let Some(known) = found else { return config };
        if let Some((_, id)) = by_id.filter(|(provider, _)| *provider == known.provider) {
            config.options.model = id.to_owned();
        }
        config.options.wire = known.provider.wire;
        if !set_url {
            config.options.base_url.clone_from(&known.base_url);
        }
        if !set.api_key_env {
            config.options.api_key.clone_from(&known.key);
            config.options.api_key_env.clone_from(&known.key_env);
        }
        config
    }
}

fn set_in(merged: &Layer, section: &str) -> Set {
    let given = |key: &str| merged.get(&format!("{section}.{key}")).filter(|(_, source)| *source != Source::Default);
    Set {
        base_url: given("base_url").is_some(),
        of_openai: given("base_url")
            .is_some_and(|(_, source)| *source == Source::Environment { name: "OPENAI_BASE_URL".to_owned() }),
        api_key_env: given("api_key_env").is_some(),
        provider: given("provider").map(|(value, _)| plain(value)).filter(|name| name != "auto"),
    }
}

/// All variables that hold keys of providers, whether or not they are used.
pub(super) fn key_variables() -> impl Iterator<Item = &'static str> {
    PROVIDERS.iter().flat_map(|p| p.keys.iter().copied()).chain(["HUGGING_FACE_HUB_TOKEN"])
}

pub(super) fn key(variable: &str, environment: Environment<'_>) -> Option<SecretString> {
    let key = (!variable.is_empty()).then(|| environment(variable)).flatten()?.trim().to_owned();
    (!key.is_empty()).then(|| SecretString::from(key))
}

pub(super) fn headers(
    values: &Values<'_>,
    section: &str,
    environment: Environment<'_>,
) -> Result<Vec<(String, SecretString)>, String> {
    let Some(Value::Table(table)) = values.get(section, "headers") else { return Ok(Vec::new()) };
    let header = |(name, value): (&String, &toml::Value)| {
        let Some(text) = value.as_str() else { return Err(format!("`{name}` must be a text in quotes")) };
        let text = match text.strip_prefix(FROM_ENVIRONMENT) {
            None => text.to_owned(),
            Some(variable) => environment(variable)
                .ok_or_else(|| format!("`{name}` is to be taken from ${variable}, which is not set"))?,
        };
        Ok((name.clone(), SecretString::from(text)))
    };
    table.iter().map(header).collect()
}
