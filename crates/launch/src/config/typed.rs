//! Typed configuration, merged, as the rest of the program reads it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

use super::endpoint::{self, Endpoints, ModelConfig};
use super::folders::Paths;
use super::layer::{Environment, Layer, Problem, Shown, Source};
use super::settings::MODEL;
use super::values::{Values, plain, problem, texts};
use stepwright_episode::{Policy, Role};
use stepwright_method::{Command, FORM, Methods};
use stepwright_model::Price;
use stepwright_model::fetch::Hub;
use stepwright_precondition::CandidateAsks;
use stepwright_sandbox::Require;
use stepwright_world::blocking::NamedDomain;
use stepwright_world::{AgentCommand, WorldKind};
use stepwright_worlds::WORLDS;
use stepwright_worlds::external::Adapter;

/// The configuration: defaults, file, environment and flags, read into types.
#[derive(Debug, Clone)]
pub struct Config {
    pub paths: Paths,
    pub model: ModelConfig,
    pub models: BTreeMap<String, ModelConfig>,
    /// The models that roles have of their own, by their names; a translator's is the embedder.
    pub roles: BTreeMap<Role, String>,
    pub embedder: String,
    pub method: MethodConfig,
    pub ui: Ui,
    pub data: Data,
    pub gate: Gate,
    pub sandbox: Sandbox,
    pub log: Log,
    pub candidates: CandidateAsks,
    /// The `[external.NAME]` sections: worlds behind commands.
    pub external: BTreeMap<String, Arc<Adapter>>,
    /// The methods of the program.
    pub built_in: &'static Methods,
    /// The `[methods.NAME]` sections: methods behind commands.
    pub methods: BTreeMap<String, Arc<Command>>,
    /// The agent behind the gate, of the command line.
    pub agent: Option<Arc<AgentCommand>>,
    pub keys: BTreeMap<String, KeySetting>,
    pub(super) endpoints: Endpoints,
    /// Rows of `config show`; from `show`.
    pub(super) shown: Vec<Shown>,
}

/// How model-written code is run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Sandbox {
    pub require: Require,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Log {
    /// How much is written: `off`, `error` … `trace`.
    pub level: String,
    pub prompts: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MethodConfig {
    pub method: String,
    pub options: stepwright_world::options::Values,
    /// Those of them that were set, to the default too.
    pub given: BTreeMap<String, String>,
    /// Options of a method in another process, by the keys it gives them; unchecked. They go before those of its section.
    pub own: BTreeMap<String, String>,
    /// A blocking domain in place of the one that ships for the world.
    pub domain: Option<NamedDomain>,
    /// A form of states in place of the world's.
    pub form: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Ui {
    pub theme: String,
    #[serde(rename = "color", deserialize_with = "is_never")]
    pub no_color: bool,
    pub ascii: bool,
    pub mouse: bool,
}

#[derive(Debug, Clone, Default)]
pub struct Data {
    /// Files or folders of tasks, by the world's name.
    pub tasks: BTreeMap<&'static str, PathBuf>,
    /// Household demonstrations in place of the shipped ones.
    pub demonstrations: Option<PathBuf>,
    pub hub: Hub,
}

fn is_never<'de, D: Deserializer<'de>>(value: D) -> Result<bool, D::Error> {
    Ok(String::deserialize(value)? == "never")
}

impl Data {
    pub fn of(&self, world: &str) -> Option<&Path> {
        self.tasks.get(world).map(PathBuf::as_path)
    }

    /// The person's own demonstrations, in a world that takes such.
    pub fn demonstrations_in(&self, world: &WorldKind) -> Option<&Path> {
        self.demonstrations.as_deref().filter(|_| world.data.is_some_and(|data| data.demonstrations))
    }

    /// The data that was named, else that of the world.
    pub fn or_named(&self, world: &str, named: Option<PathBuf>) -> Option<PathBuf> {
        named.or_else(|| self.of(world).map(Path::to_owned))
    }
}

/// The approvals without a person at the start of a session.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Gate {
    pub policy: Policy,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeySetting {
    pub keys: Vec<String>,
    /// The line in the configuration file, for messages.
    pub line: Option<usize>,
}

pub(super) fn build(
    paths: Paths,
    built_in: &'static Methods,
    merged: &Layer,
    environment: Environment<'_>,
    problems: &mut Vec<Problem>,
) -> Config {
    let values = Values(merged);
    let mut models = BTreeMap::new();
    let mut keys = BTreeMap::new();
    let mut wrong = |key: &str, message: String| problems.push(problem(merged, &paths, key, message));
    let endpoints = Endpoints::new(merged, &model_config(&values, "model", environment, &mut wrong), environment);
    let model = endpoints.of_model("");
    for (name, (value, source)) in merged {
        if let Some(model) = name.strip_prefix("models.").and_then(|n| n.strip_suffix('.')) {
            let section = format!("models.{model}");
            let mut config = model_config(&values, &section, environment, &mut wrong);
            if !merged.contains_key(&format!("{section}.model")) {
                config.model = model.to_owned();
                config.options.model = model.to_owned();
            }
            models.insert(model.to_owned(), endpoints.of_section(merged, &section, config));
        } else if let Some(action) = name.strip_prefix("keys.") {
            let line = if let Source::File { line } = source { Some(*line) } else { None };
            keys.insert(action.to_owned(), KeySetting { keys: texts(value), line });
        }
    }
    for (section, model) in std::iter::once(("model".to_owned(), &model))
        .chain(models.iter().map(|(name, model)| (format!("models.{name}"), model)))
    {
        one_price(&values, &section, model, &paths, problems);
    }
    let options = built_in.options();
    let of_methods: BTreeMap<String, String> =
        options.iter().filter_map(|s| Some((s.key.to_owned(), plain(values.get("method", s.key)?)))).collect();
    let is_set = |key: &str| merged.get(&format!("method.{key}")).is_some_and(|(_, source)| *source != Source::Default);
    let given = of_methods.iter().filter(|(key, _)| is_set(key)).map(|(k, v)| (k.clone(), v.clone())).collect();
    let method = MethodConfig {
        method: values.text("method", "method").filter(|m| m != "auto").unwrap_or_default(),
        // Only values that the table allows come this far.
        options: stepwright_world::options::Values::read(options, &of_methods).unwrap_or_default(),
        given,
        own: BTreeMap::new(),
        domain: values.text("method", "domain").map(|text| NamedDomain::from(text.as_str())),
        form: values.text("method", FORM.key),
    };
    let path = |key| values.text("data", key).map(PathBuf::from);
    let data = Data {
        tasks: WORLDS.iter().filter_map(|world| Some((world.name, path(world.name)?))).collect(),
        demonstrations: path("demonstrations"),
        hub: Hub::of_environment(values.text("data", "model_hub").as_deref(), environment),
    };
    let mut roles: BTreeMap<Role, String> = Role::ALL
        .into_iter()
        .filter_map(|role| Some((role, values.text(&format!("{MODEL}.{}", role.name()), MODEL)?)))
        .collect();
    let embedder = roles.remove(&Role::Translator).or_else(|| values.text(MODEL, "embedder"));
    let keys_of_models = std::iter::once(&model).chain(models.values()).map(|m| m.options.api_key_env.clone());
    let withheld: Vec<String> =
        keys_of_models.filter(|name| !name.is_empty()).chain(endpoint::key_variables().map(str::to_owned)).collect();
    let (ui, log, candidates) =
        (section(merged, "ui", problems), section(merged, "log", problems), section(merged, "candidates", problems));
    let sandbox = section(merged, "sandbox", problems);
    let gate = Gate { policy: section(merged, "gate", problems) };
    let external = super::external::adapters(merged, &withheld, &paths, problems);
    let methods = super::external::methods((merged, &withheld, &paths), options, problems);
    Config {
        paths,
        model,
        models,
        roles,
        embedder: embedder.unwrap_or_default(),
        method,
        ui,
        data,
        gate,
        sandbox,
        log,
        candidates,
        external,
        built_in,
        methods,
        agent: None,
        keys,
        endpoints,
        shown: Vec::new(),
    }
}

fn section<T: DeserializeOwned + Default>(merged: &Layer, name: &str, problems: &mut Vec<Problem>) -> T {
    Values(merged).section(name).unwrap_or_else(|message| {
        problems.push(Problem { place: name.to_owned(), line: None, message });
        T::default()
    })
}

/// One price without the other would make costs wrong.
fn one_price(values: &Values<'_>, section: &str, model: &ModelConfig, paths: &Paths, problems: &mut Vec<Problem>) {
    let given = ["price_in", "price_out"].map(|key| values.get(section, key).is_some());
    if model.price.is_none() && given.contains(&true) {
        let key = if given[0] { "price_in" } else { "price_out" };
        let message = format!("[{section}] needs both price_in and price_out, or neither");
        problems.push(problem(values.0, paths, &format!("{section}.{key}"), message));
    }
}

/// A model's section; where its provider leads to comes after (`endpoint`).
fn model_config(
    values: &Values<'_>,
    section: &str,
    environment: Environment<'_>,
    wrong: &mut dyn FnMut(&str, String),
) -> ModelConfig {
    let mut config: ModelConfig = values.section(section).unwrap_or_else(|message| {
        wrong(section, message);
        ModelConfig::default()
    });
    config.options.model.clone_from(&config.model);
    config.options.api_key = endpoint::key(&config.options.api_key_env, environment);
    config.options.think = values.text(section, "think").unwrap_or_default().parse().unwrap_or_else(|why| {
        wrong(&format!("{section}.think"), format!("`think` in [{section}]: {why}"));
        Default::default()
    });
    config.options.headers = endpoint::headers(values, section, environment).unwrap_or_else(|why| {
        wrong(&format!("{section}.headers"), format!("`headers` in [{section}]: {why}"));
        Vec::new()
    });
    let price = |key| f64::deserialize(values.get(section, key)?.clone()).ok();
    config.price = price("price_in").zip(price("price_out")).map(|(input, output)| Price { input, output });
    config.options.settings.price = config.price;
    if config.record.is_some() && config.cache.is_some() {
        wrong(
            &format!("{section}.cache"),
            format!("[{section}] has `record` and `cache`: a cache records as well; leave one of them out"),
        );
    }
    config
}
