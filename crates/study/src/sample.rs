//! Results as tables count them: what one is about, and what it was measured under.

use std::sync::Arc;

use serde_json::Value;
use stepwright_method::publications::SETTINGS;

/// Where an experiment has the options of methods that a person gave beside the conditions of its study.
pub(crate) const METHOD_OPTIONS: &str = "method_options";

/// Where an experiment says that prompts are a person's own; it stands nowhere else.
pub(crate) const OWN_PROMPTS: &str = "own_prompts";

/// What stands for the digest of data that ships with the program.
pub(crate) const SHIPPED: &str = "shipped";
/// How the id of a task begins that `new-task` made.
const GENERATED: &str = "generated/";

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

    /// Whether what was measured is no publication's: a person gave options of the method beside its condition, a budget of tokens or prompts
    /// of their own, or had settings left out of requests.
    pub fn departs(&self) -> bool {
        let experiment = &self.experiment;
        let given = experiment[METHOD_OPTIONS].as_object();
        let omitted = experiment["model"]["settings"]["omit"].as_str();
        given.is_some_and(|given| given.keys().any(|key| key != SETTINGS.key))
            || !experiment["token_budget"].is_null()
            || experiment[OWN_PROMPTS] == true
            || omitted.is_some_and(|omitted| omitted != "[]")
    }

    /// Whether its tasks ship with this program or were made by it: no publication measured on them.
    pub fn is_on_own_tasks(&self, task: &str) -> bool {
        self.experiment["data"] == SHIPPED || task.starts_with(GENERATED)
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
