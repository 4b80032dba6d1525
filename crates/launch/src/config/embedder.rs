//! From an embedder's name to the embedder: the built-in table, MiniLM in this process, or a model's embedding interface.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use stepwright_embed::{EmbedError, Embedder};

use super::select::{Selected, WITHOUT_LOCAL, select};
use super::typed::Config;
use stepwright_model::embed::{self, Served};
use stepwright_model::fetch;

/// The static table in the binary.
pub const BUILT_IN: &str = "built-in";

const MINILM: &str = "minilm";

/// The name the list of its word pieces is fetched by.
const PIECES: &str = "minilm-pieces";

impl Config {
    /// The embedder of a name: `built-in`, `minilm`, or any model's name that has an embedding interface; empty for the one
    /// `[model] embedder` names. Nothing is read or sent yet. What cannot be had is an embedder that says why when it is asked, as no
    /// session should be closed to its reader for that.
    pub fn embedder(&self, name: &str) -> Arc<dyn Embedder> {
        let name = if name.is_empty() { self.embedder.as_str() } else { name };
        match name {
            BUILT_IN => embed::built_in(),
            MINILM => Arc::new(self.minilm()),
            name => match select(self, name) {
                Ok(Selected::Language(model)) => Arc::new(Served::new(model)),
                Ok(Selected::Symbolic) => gone(name, "it is no model with sentence vectors".to_owned()),
                Err(error) => gone(name, error.to_string()),
            },
        }
    }

    fn minilm(&self) -> InProcess {
        let folder = self.places().folder;
        let path = |name: &str| fetch::named(name).map(|weights| fetch::path(&folder, &weights));
        let files = path(MINILM).and_then(|weights| Ok((weights, path(PIECES)?)));
        InProcess { files: files.map_err(|e| e.to_string()), model: OnceLock::new() }
    }
}

fn gone(name: &str, why: String) -> Arc<dyn Embedder> {
    let advice = format!("{why}; choose another: [model] embedder = \"{BUILT_IN}\", \"{MINILM}\" or a model's name");
    Arc::new(Gone { name: name.to_owned(), why: advice })
}

struct Gone {
    name: String,
    why: String,
}

impl Embedder for Gone {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimensions(&self) -> usize {
        0
    }

    fn embed(&self, _: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Err(EmbedError::Failed { embedder: self.name.clone(), message: self.why.clone() })
    }
}

/// MiniLM, read when it is first asked.
struct InProcess {
    files: Result<(PathBuf, PathBuf), String>,
    model: OnceLock<Result<Box<dyn Embedder>, EmbedError>>,
}

impl InProcess {
    fn open(&self) -> Result<Box<dyn Embedder>, EmbedError> {
        let failed = |message: String| EmbedError::Failed { embedder: self.name().to_owned(), message };
        let without = || failed(format!("it would run in this process: {WITHOUT_LOCAL}"));
        // What cannot be run need not be fetched.
        if !cfg!(feature = "local") {
            return Err(without());
        }
        let (weights, pieces) = self.files.as_ref().map_err(|why| failed(why.clone()))?;
        if !weights.is_file() || !pieces.is_file() {
            return Err(failed(format!("its weights are not fetched yet: stepwright models fetch {MINILM}")));
        }
        #[cfg(feature = "local")]
        let opened = stepwright_embed::minilm::MiniLm::open(weights, pieces).map(|model| Box::new(model) as Box<_>);
        #[cfg(not(feature = "local"))]
        let opened = Err(without());
        opened
    }
}

impl Embedder for InProcess {
    fn name(&self) -> &str {
        "all-MiniLM-L6-v2"
    }

    fn dimensions(&self) -> usize {
        384
    }

    fn embed(&self, sentences: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.model.get_or_init(|| self.open()).as_ref().map_err(Clone::clone)?.embed(sentences)
    }
}

#[cfg(test)]
mod tests {
    use crate::config::{Overrides, load_with};

    #[test]
    fn what_cannot_be_had_says_what_to_do_when_it_is_asked() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str| {
            let mut overrides = Overrides { config_dir: Some(folder.path().to_owned()), ..Overrides::default() };
            overrides.set("model.embedder", "--set", Some(name));
            let config = load_with(&overrides, &stepwright_methods::METHODS, &|variable| {
                (variable == "XDG_DATA_HOME").then(|| folder.path().display().to_string())
            });
            config.unwrap().embedder("")
        };
        let texts = ["open the fridge".to_owned()];
        let built_in = of("built-in");
        assert!(
            built_in.name().starts_with("built-in")
                && built_in.embed(&texts).unwrap()[0].len() == built_in.dimensions()
        );
        let minilm = if cfg!(feature = "local") { "models fetch minilm" } else { "--features local" };
        for (name, advice) in [("minilm", minilm), ("symbolic", "built-in"), ("no such model", "there is no model")] {
            let error = of(name).embed(&texts).unwrap_err().to_string();
            assert!(error.contains(advice), "{name}: {error}");
        }
    }
}
