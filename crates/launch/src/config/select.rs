//! Selection of a model by its name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::endpoint::ModelConfig;
use super::typed::Config;
use stepwright_model::cassette::{Cassette, Recorder};
use stepwright_model::demo::{DEMO, Demo};
use stepwright_model::fetch;
use stepwright_model::recorded::Recorded;
use stepwright_model::remote::Remote;
use stepwright_model::upstream::{UPSTREAM, Upstream};
use stepwright_model::{LanguageModel, ModelError};

const LOCAL: &str = "local:";

const RECORDED: &str = "recorded:";

/// Why nothing runs in this process, in a program that was built so.
pub const WITHOUT_LOCAL: &str = "this stepwright was built without models in its own process; install one that has them (cargo \
                                 install --path . --features local)";

#[derive(Clone)]
pub enum Selected {
    /// The built-in symbolic proposer: no language model.
    Symbolic,
    Language(Arc<dyn LanguageModel>),
}

impl Config {
    pub fn places(&self) -> fetch::Places {
        fetch::Places { folder: self.paths.data.join("models"), hub: self.data.hub.clone() }
    }

    /// How a name is to be reached: the configured model of that name, or the default endpoint for a plain model id. `None` for
    /// `symbolic`, models in this process and cassettes, which have no endpoint. An empty name is that of `[model]`.
    pub fn model_config(&self, name: &str) -> Option<ModelConfig> {
        let name = if name.is_empty() { self.model.model.as_str() } else { name };
        if name == "symbolic"
            || name == UPSTREAM
            || name == DEMO
            || name.starts_with("cassette:")
            || name.starts_with(LOCAL)
            || name.starts_with(RECORDED)
        {
            return None;
        }
        if let Some(model) = self.models.get(name) {
            return Some(model.clone());
        }
        Some(self.endpoints.of_model(name))
    }
}

impl Config {
    /// Whether a person said where the model of a name answers: by a section of its own, a flag, the file or the environment.
    pub fn is_address_set(&self, name: &str) -> bool {
        self.models.contains_key(name) || self.endpoints.is_address_set()
    }
}

/// The model of a name: `symbolic`, `local:NAME` or `local:FILE.gguf`, `cassette:PATH`, `recorded:PATH`, a configured name, or a model's id at the
/// default endpoint; empty for the one `[model]` names. Nothing is sent or loaded yet.
/// Errors: [`ModelError::Configuration`] when a cassette cannot be read or written, weights are not there, or the
/// endpoint's settings are wrong.
pub fn select(config: &Config, name: &str) -> Result<Selected, ModelError> {
    let wrong = |e: stepwright_model::cassette::CassetteError| ModelError::Configuration(e.to_string());
    let name = if name.is_empty() { config.model.model.as_str() } else { name };
    if name == UPSTREAM {
        return Ok(Selected::Language(Arc::new(Upstream)));
    }
    if name == DEMO {
        return Ok(Selected::Language(Arc::new(Demo)));
    }
    let recorded = |model: Arc<dyn LanguageModel>, config: &ModelConfig| {
        Ok(Selected::Language(match (&config.cache, &config.record) {
            (Some(path), _) => Arc::new(Recorder::cache(model, path).map_err(wrong)?),
            (None, Some(path)) => Arc::new(Recorder::new(model, path).map_err(wrong)?),
            (None, None) => model,
        }))
    };
    if let Some(path) = name.strip_prefix("cassette:") {
        let played = Path::new(path);
        refuse_to_record_into(played, &config.model)?;
        return recorded(Arc::new(Cassette::open(played).map_err(wrong)?), &config.model);
    }
    if let Some(path) = name.strip_prefix(RECORDED) {
        return recorded(Arc::new(Recorded::open(name, Path::new(path))?), &config.model);
    }
    if let Some(rest) = name.strip_prefix(LOCAL) {
        return recorded(in_process(name, &weights_of(config, name, rest)?)?, &config.model);
    }
    // No provider has such an id; it is the name of something that was only there when a session was recorded.
    if name.contains(char::is_whitespace) && !config.models.contains_key(name) {
        let known: Vec<&str> = config.models.keys().map(String::as_str).collect();
        return Err(ModelError::Configuration(format!(
            "there is no model `{name}` here; choose symbolic, a model's id, or a configured one ({})",
            if known.is_empty() { "none yet".to_owned() } else { known.join(", ") }
        )));
    }
    let Some(found) = config.model_config(name) else { return Ok(Selected::Symbolic) };
    recorded(Arc::new(Remote::new(found.options.clone())?), &found)
}

/// Errors: what answers are recorded in is the cassette that is played.
fn refuse_to_record_into(played: &Path, config: &ModelConfig) -> Result<(), ModelError> {
    let is_it = |path: &&PathBuf| path.canonicalize().is_ok_and(|path| played.canonicalize().is_ok_and(|p| p == path));
    let named = [("record", &config.record), ("cache", &config.cache)];
    match named.into_iter().find(|(_, path)| path.as_ref().filter(is_it).is_some()) {
        Some((key, _)) => Err(ModelError::Configuration(format!(
            "{} is played, so nothing is recorded in it; leave out `{key}` (in [model], or the environment) or name another file",
            played.display()
        ))),
        None => Ok(()),
    }
}

fn weights_of(config: &Config, name: &str, rest: &str) -> Result<PathBuf, ModelError> {
    if rest.ends_with(".gguf") || rest.contains(std::path::MAIN_SEPARATOR) {
        return Ok(PathBuf::from(rest));
    }
    let weights = fetch::named(rest)
        .map_err(|e| ModelError::Configuration(format!("{e}; or name a file: {LOCAL}/path/to/model.gguf")))?;
    if weights.purpose != fetch::Purpose::Language {
        return Err(ModelError::Configuration(format!(
            "{rest} gives sentence vectors and answers no prompt; name it in [model] embedder"
        )));
    }
    // What cannot be run need not be fetched.
    if !cfg!(feature = "local") {
        return Err(without_local(name));
    }
    let folder = config.places().folder;
    if !fetch::is_present(&folder, &weights) {
        let size = weights.megabytes();
        return Err(ModelError::Configuration(format!(
            "the weights of {name} are not fetched yet ({size}); fetch them: stepwright models fetch {rest}"
        )));
    }
    Ok(fetch::path(&folder, &weights))
}

#[cfg(feature = "local")]
fn in_process(name: &str, path: &Path) -> Result<Arc<dyn LanguageModel>, ModelError> {
    Ok(Arc::new(stepwright_model::local::Local::open(name, path)?))
}

#[cfg(not(feature = "local"))]
fn in_process(name: &str, _: &Path) -> Result<Arc<dyn LanguageModel>, ModelError> {
    Err(without_local(name))
}

fn without_local(name: &str) -> ModelError {
    ModelError::Configuration(format!(
        "{name} would run in this process: {WITHOUT_LOCAL}, or serve the model (scripts/local-model)"
    ))
}
