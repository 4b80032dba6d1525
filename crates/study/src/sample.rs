//! Results as tables count them: what one is about, and what it was measured under.

use std::sync::Arc;

use serde_json::{Map, Value};
use stepwright_episode::Role;
use stepwright_method::publications::SETTINGS;

/// Where an experiment has the options of methods that a person gave beside the conditions of its study.
pub(crate) const METHOD_OPTIONS: &str = "method_options";

/// Where an experiment says that prompts are a person's own; it stands nowhere else.
pub(crate) const OWN_PROMPTS: &str = "own_prompts";

/// What stands for the digest of data that ships with the program.
pub(crate) const SHIPPED: &str = "shipped";
/// How the id of a task begins that `new-task` made.
const GENERATED: &str = "generated/";

/// The settings of a model where nobody set any, as experiments have them: with another value, or a further setting, it answers otherwise.
const USUAL: [(&str, &str); 9] = [
    ("api", "\"auto\""),
    // What `auto` comes to where a prompt is a text, as publications' are.
    ("api", "\"completions\""),
    ("frequency_penalty", "0.15"),
    ("max_tokens", "256"),
    ("omit", "[]"),
    ("score", "\"auto\""),
    ("structured", "false"),
    ("temperature", "0.7"),
    ("think", "\"auto\""),
];

/// Settings of a model that change nothing of what it answers: of its window it is said below a table where a prompt did not fit.
const HARMLESS: [&str; 5] = ["context", "headers", "limit_field", "provider", "top_logprobs"];

/// Whether a field of an experiment is as where a person set nothing, or is a condition by which figures are found.
fn is_usual(name: &str, value: &Value) -> bool {
    let fields = || value.as_object().into_iter().flatten();
    match name {
        // Of samples, their temperature and a translator's embedder publications tell nothing, or another.
        "program" | "prompts" | "embedder" | "data" | "world" | "max_steps" | "samples" | "temperature" | "tests" => {
            true
        }
        "model" => is_as_it_comes(value),
        "models" => fields().all(|(_, model)| is_as_it_comes(model)),
        "roles" => fields().all(|(role, model)| is_beside(role) && is_as_it_comes(model)),
        METHOD_OPTIONS => fields().all(|(key, _)| key == SETTINGS.key),
        "limits" => fields().all(|(key, value)| key == "max_steps" || value.is_null()),
        _ => value.is_null() || value.as_object().is_some_and(Map::is_empty),
    }
}

/// Whether a role decides nothing of an episode: where another has a model of its own, figures are no publication's.
fn is_beside(role: &str) -> bool {
    matches!(Role::named(role), Some(Role::Translator | Role::Discoverer))
}

/// Whether a model is asked as where nobody set anything of it.
fn is_as_it_comes(model: &Value) -> bool {
    let mut settings = model["settings"].as_object().into_iter().flatten();
    settings.all(|(name, value)| {
        let of = (name.as_str(), value.as_str().unwrap_or_default());
        HARMLESS.contains(&of.0) || USUAL.contains(&of)
    })
}

/// What a result was measured under beside what its line says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Under {
    /// What its table has no column for, in words; empty where that is as usual.
    pub words: String,
    /// The condition of its unit, as the plan has it.
    pub condition: Arc<Value>,
    /// What its experiment depends on.
    pub experiment: Arc<Value>,
}

impl Under {
    /// Actions that an episode or a turn may take.
    pub fn most_actions(&self) -> Option<u64> {
        self.experiment["limits"]["max_steps"].as_u64().or_else(|| self.experiment["max_steps"].as_u64())
    }

    /// Whether what was measured is no publication's: its experiment holds something that a person set, of any model, the world, the method
    /// or the truth, or that is not known here.
    pub fn departs(&self) -> bool {
        let mut fields = self.experiment.as_object().into_iter().flatten();
        !fields.all(|(name, value)| is_usual(name, value))
    }

    /// Whether its tasks ship with this program or were made by it: no publication measured on them.
    pub fn is_on_own_tasks(&self, task: &str) -> bool {
        self.experiment["data"] == SHIPPED || task.starts_with(GENERATED)
    }

    /// A model as publications name it: by the id that its endpoint knows it by, whatever it is called here; one of a file by its kind.
    pub fn model(&self, name: &str) -> String {
        let of = &self.experiment["model"];
        let is_of_file =
            |kind: &str| !of["file"].is_null() && name.strip_prefix(kind).is_some_and(|path| path.starts_with(':'));
        match (of["name"].as_str(), of["id"].as_str()) {
            (Some(own), Some(id)) if own == name => id.to_owned(),
            (Some(kind), None) if is_of_file(kind) => kind.to_owned(),
            _ => name.to_owned(),
        }
    }

    /// The publication whose settings were in force; empty where none was named.
    pub fn settings(&self) -> String {
        settings(&self.condition).or_else(|| settings(&self.experiment)).unwrap_or_default()
    }
}

/// The settings that an experiment or a condition names.
pub(crate) fn settings(of: &Value) -> Option<String> {
    [&of["settings"], &of["options"]["settings"], &of[METHOD_OPTIONS]["settings"]]
        .into_iter()
        .find_map(Value::as_str)
        .map(str::to_owned)
}

/// A result as tables count it.
pub trait Sample: serde::Serialize {
    /// The unit that is independent of other results: a dialogue, a task, an action. What it did with another seed is a repetition.
    fn about(&self) -> String;

    /// The task of its unit, where that is not all that it is about: the same task in several scenes is one.
    fn task(&self) -> String {
        self.about()
    }

    fn seed(&self) -> u64;

    fn under(&self) -> &Under;

    fn under_mut(&mut self) -> &mut Under;
}

/// A line as a [`Sample`]: what it is about, its seed, where what it was measured under stands.
macro_rules! sample {
    ($line:ty, |$of:ident| $about:expr, $seed:expr, $($under:tt)+) => {
        impl $crate::sample::Sample for $line {
            fn about(&self) -> String {
                let $of = self;
                $about
            }

            fn seed(&self) -> u64 {
                let $of = self;
                $seed
            }

            fn under(&self) -> &$crate::sample::Under {
                &self.$($under)+
            }

            fn under_mut(&mut self) -> &mut $crate::sample::Under {
                &mut self.$($under)+
            }
        }
    };
}
pub(crate) use sample;
