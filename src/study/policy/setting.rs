//! The settings of a study of policies: what is varied, and what all episodes share.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::driver::{
    Beginning, BlockingSource, Clock, Persistence, Resolver, Setup, Source, built_in_methods, prompting, sandbox,
};
use crate::episode::{FORMAT_VERSION, Header, Policy};
use crate::method::options::{ASSERTIONS, LIKELIHOOD, SHOTS, THINK};
use crate::method::{self, Method};
use crate::options::Values;
use crate::planner::Agent;
use crate::prompt::Prompts;
use crate::world::agent_of_demonstrations;
use crate::world::demonstration::Demonstration;
use crate::world::{ProgramHeader, World};

/// One way of predicting: a row of the table.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Setting {
    /// The method's id.
    pub method: String,
    /// The model's name; `symbolic` for the built-in proposer.
    pub model: String,
    /// Demonstrations shown to the model, or learned from by the built-in proposer.
    pub shots: usize,
    /// Whether demonstrations and completions hold think comments.
    pub think: bool,
    /// Whether the assertions stand in the prompt: `method` (as the method has it), `shown`, `hidden`.
    pub assertions: String,
    /// What ranks scored actions: `mean` or `sum` of their tokens' log-probabilities.
    #[serde(default = "usual_likelihood")]
    pub likelihood: String,
    /// The preconditions in force: `ground-truth`, `inferred`, `none`, or a file's name.
    pub preconditions: String,
    /// The seed of the samples.
    pub seed: u64,
}

fn usual_likelihood() -> String {
    LIKELIHOOD.default.to_owned()
}

impl Setting {
    /// The options of the method.
    ///
    /// # Errors
    /// If there are none such, in words.
    pub fn options(&self) -> Result<Values, String> {
        let given = [
            (SHOTS, self.shots.to_string()),
            (THINK, self.think.to_string()),
            (ASSERTIONS, self.assertions.clone()),
            (LIKELIHOOD, self.likelihood.clone()),
        ];
        let given = given.map(|(spec, value)| (spec.key.to_owned(), value)).into();
        Values::read(method::options::all(), &given).map_err(|e| e.to_string())
    }
}

/// What all episodes of a study share.
#[derive(Clone)]
pub struct Basis {
    /// The built-in proposer, or a language model.
    pub source: Source,
    /// Finds models by name.
    pub resolver: Resolver,
    /// The templates.
    pub prompts: Prompts,
    /// The clock of the records.
    pub clock: Clock,
    /// Actions of a turn or an episode at most.
    pub steps: u32,
    /// Tokens that a turn or an episode may take.
    pub token_budget: Option<u64>,
}

/// What one setting and the demonstrations give for all its episodes.
#[derive(Clone)]
pub(super) struct Knowledge {
    pub(super) method: Arc<dyn Method>,
    pub(super) options: Values,
    pub(super) proposer: Arc<dyn Agent>,
    pub(super) shown: Arc<Vec<prompting::Demonstration>>,
    pub(super) demonstrations: Arc<Vec<Demonstration>>,
}

impl Knowledge {
    /// Of a setting and the demonstrations it may use.
    pub(super) fn new(setting: &Setting, demonstrations: &[Demonstration]) -> Result<Self, String> {
        let method = crate::method::named(&setting.method).ok_or_else(|| format!("no method `{}`", setting.method))?;
        let demonstrations: Vec<Demonstration> = demonstrations.to_vec();
        Ok(Knowledge {
            method,
            options: setting.options()?,
            proposer: agent_of_demonstrations(&demonstrations),
            shown: Arc::new(demonstrations.iter().map(prompting::Demonstration::of).collect()),
            demonstrations: Arc::new(demonstrations),
        })
    }
}

/// Where an episode begins.
pub(super) struct Start<'a> {
    pub(super) world: Box<dyn World>,
    /// World options, beside those of the method.
    pub(super) options: BTreeMap<String, String>,
    pub(super) task: &'a str,
    pub(super) sentence: &'a str,
    pub(super) opening: ProgramHeader,
    /// The specification with the assertions in force in its bodies.
    pub(super) specification: &'a str,
}

impl Basis {
    /// The driver of one episode that runs by itself to its end.
    pub(super) fn setup(&self, setting: &Setting, known: &Knowledge, start: Start<'_>) -> Setup {
        let mut lines = vec![format!("def {}():", start.opening.function)];
        lines.extend((!start.opening.comment.is_empty()).then(|| format!("# {}", start.opening.comment)));
        lines.extend(start.opening.setup);
        let mut options = start.options;
        options.extend(known.options.record(known.method.info().options));
        let header = Header {
            stepwright: "session".to_owned(),
            version: FORMAT_VERSION,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            created: (self.clock)(),
            world: start.world.name().to_owned(),
            options,
            data: String::new(),
            task: start.task.to_owned(),
            sentence: start.sentence.to_owned(),
            seed: setting.seed,
            method: setting.method.clone(),
            model: setting.model.clone(),
            specification: start.specification.to_owned(),
            opening: lines,
        };
        let prompting = prompting::Prompting {
            prompts: self.prompts.clone(),
            demonstrations: Arc::clone(&known.shown),
            ..prompting::Prompting::default()
        };
        Setup {
            blocking: BlockingSource::Assertions,
            beginning: Beginning::New(Box::new(header)),
            world: start.world,
            method: Arc::clone(&known.method),
            source: self.source.clone(),
            resolver: Arc::clone(&self.resolver),
            methods: built_in_methods(),
            proposer: Arc::clone(&known.proposer),
            prompting,
            sandbox: sandbox(),
            demonstrations: Arc::clone(&known.demonstrations),
            keep: Persistence::Nothing,
            adopted: Vec::new(),
            policy: Some(Policy { steps: self.steps, token_budget: self.token_budget, ..Policy::manual() }),
            unattended: true,
            clock: Arc::clone(&self.clock),
        }
    }
}
