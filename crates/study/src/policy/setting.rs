//! Settings of a study of policies: what is varied, and what all episodes share.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::in_force::Assertions;
use stepwright_driver::{Beginning, Clock, MethodResolver, Persistence, Resolver, Setup, Source, sandbox};
use stepwright_episode::{Header, Policy};
use stepwright_launch::new_header;
use stepwright_method::options::{ASSERTIONS, LIKELIHOOD, SHOTS, THINK};
use stepwright_method::publications::{self, SETTINGS};
use stepwright_method::verify::rules;
use stepwright_method::{self as method, Method, Methods, SYMBOLIC, prompting};
use stepwright_model::prompt::Prompts;
use stepwright_program::{Function, Role, Rules, Specification};
use stepwright_world::World;
use stepwright_world::blocking::BlockingSource;
use stepwright_world::demonstration::Demonstration;
use stepwright_world::options::Values;
use stepwright_world::planner::Agent;
use stepwright_worlds::agent_of_demonstrations;

/// The settings of the paper.
const PUBLISHED: &str = "preconditions";

/// One way of predicting: a row of the table.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Setting {
    pub method: String,
    /// The model's name; `symbolic` for the built-in proposer.
    pub model: String,
    pub shots: usize,
    /// Whether demonstrations and completions hold think comments.
    pub think: bool,
    /// Whether the assertions are in the prompt: `method` (as the method has it), `shown`, `hidden`.
    pub assertions: String,
    /// The rank of scored actions: `mean` or `sum` of their tokens' log-probabilities.
    #[serde(default = "usual_likelihood")]
    pub likelihood: String,
    /// The preconditions in force: `ground-truth`, `inferred`, `none`, or a file's name.
    pub preconditions: String,
    /// What such a file holds, as a hash.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub preconditions_held: String,
    /// The publication's settings, where a language model is asked; empty: the method's own.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub settings: String,
    /// The model that inferred what a file of results holds, where one did and its assertions were validated.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub preconditions_by: String,
    /// Options of the method that a person gave beside the study's own.
    #[serde(skip)]
    pub beside: BTreeMap<String, String>,
    pub seed: u64,
}

fn usual_likelihood() -> String {
    LIKELIHOOD.default.to_owned()
}

impl Setting {
    /// The paper's settings of a method with a model, as [`Setting::settings`].
    pub fn published(method: &str, model: &str) -> String {
        let known = model != SYMBOLIC && publications::fixed(PUBLISHED, method, "").is_some();
        if known { PUBLISHED.to_owned() } else { String::new() }
    }

    /// The options of its method: what is its own, then what a person gave beside it, then the publication's.
    pub fn options(&self, methods: &'static Methods) -> Result<Values, String> {
        let own = [
            (SHOTS, self.shots.to_string()),
            (THINK, self.think.to_string()),
            (ASSERTIONS, self.assertions.clone()),
            (LIKELIHOOD, self.likelihood.clone()),
        ];
        let settings = (!self.settings.is_empty()).then(|| (SETTINGS, self.settings.clone()));
        let own = own.into_iter().chain(settings).map(|(spec, value)| (spec.key.to_owned(), value));
        let mut given = self.beside.clone();
        given.extend(own);
        let given = publications::preset((&self.method, methods.options()), "", given)?;
        Values::read(methods.options(), &given).map_err(|e| e.to_string())
    }
}

#[derive(Clone)]
pub struct Basis {
    pub source: Source,
    pub resolver: Resolver,
    pub prompts: Prompts,
    pub clock: Clock,
    pub steps: u32,
    /// Tokens that a turn or an episode may take.
    pub token_budget: Option<u64>,
}

/// The knowledge of one setting and its demonstrations, for all its episodes.
#[derive(Clone)]
pub(super) struct Knowledge {
    pub(super) methods: &'static Methods,
    pub(super) method: Arc<dyn Method>,
    pub(super) options: Values,
    pub(super) proposer: Arc<dyn Agent>,
    pub(super) demonstrations: Arc<Vec<Demonstration>>,
}

impl Knowledge {
    pub(super) fn new(
        setting: &Setting,
        methods: &'static Methods,
        demonstrations: &[Demonstration],
    ) -> Result<Self, String> {
        let method = methods.named(&setting.method).ok_or_else(|| format!("no method `{}`", setting.method))?;
        let demonstrations: Vec<Demonstration> = demonstrations.to_vec();
        Ok(Knowledge {
            methods,
            method,
            options: setting.options(methods)?,
            proposer: agent_of_demonstrations(&demonstrations),
            demonstrations: Arc::new(demonstrations),
        })
    }
}

/// A specification in one setting: the assertions in force, the true ones, and what is known of the method.
pub(super) struct Subject {
    pub(super) setting: Setting,
    pub(super) specification: Specification,
    /// The specification's text with the assertions in force in its bodies.
    pub(super) in_force: String,
    /// The true preconditions that compatibility is counted by, where they are known.
    pub(super) truth: Option<Rules>,
    pub(super) knowledge: Knowledge,
}

impl Subject {
    pub(super) fn new(
        (setting, methods): (&Setting, &'static Methods),
        specification: Specification,
        demonstrations: &[Demonstration],
        in_force: &Assertions,
        truth: Option<&Assertions>,
    ) -> Result<Self, String> {
        // What is judged here is whether an action is permitted: its effects say nothing of that. And a file may name actions that are not
        // here.
        let is_action = |f: &Function, name: &str| f.role == Role::Action && (f.name == name || f.path() == name);
        let is_here = |name: &str| specification.functions().iter().any(|f| is_action(f, name));
        let in_force = in_force.iter().filter(|(name, _)| is_here(name));
        let in_force = &in_force.map(|(name, texts)| (name.clone(), texts.clone())).collect::<Assertions>();
        let compiled = |set: &Assertions| rules(set.iter().map(|(action, texts)| (action.as_str(), texts.as_slice())));
        compiled(in_force)?;
        Ok(Subject {
            setting: setting.clone(),
            in_force: specification.with_assertions(in_force).map_err(|e| e.to_string())?.source().to_owned(),
            specification,
            truth: truth.map(compiled).transpose().map_err(|e| format!("ground truth: {e}"))?,
            knowledge: Knowledge::new(setting, methods, demonstrations)?,
        })
    }
}

impl std::fmt::Debug for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.setting.fmt(f)
    }
}

pub(super) struct Start<'a> {
    pub(super) world: Box<dyn World>,
    /// World options, beside those of the method.
    pub(super) options: BTreeMap<String, String>,
    pub(super) task: &'a str,
    pub(super) sentence: &'a str,
    /// The specification with the assertions in force in its bodies.
    pub(super) specification: &'a str,
}

impl Basis {
    /// The driver of one episode that runs by itself to its end.
    pub(super) fn setup(&self, subject: &Subject, start: Start<'_>) -> Setup {
        let Subject { setting, knowledge: known, .. } = subject;
        let mut options = start.options;
        options.extend(known.options.record(known.method.info().options));
        let header = Header {
            options,
            task: start.task.to_owned(),
            sentence: start.sentence.to_owned(),
            seed: setting.seed,
            method: setting.method.clone(),
            model: setting.model.clone(),
            specification: start.specification.to_owned(),
            ..new_header(start.world.as_ref(), &self.clock)
        };
        let prompting = prompting::Prompting {
            prompts: self.prompts.clone(),
            demonstrations: Arc::clone(&known.demonstrations),
            ..prompting::Prompting::default()
        };
        let (proposer, demonstrations) = (Arc::clone(&known.proposer), Arc::clone(&known.demonstrations));
        let world = start.world.as_ref();
        let knowledge = method::Knowledge::new(world, proposer, demonstrations, BlockingSource::Assertions);
        Setup {
            beginning: Beginning::New(Box::new(header)),
            world: start.world,
            method: Arc::clone(&known.method),
            source: self.source.clone(),
            resolver: Arc::clone(&self.resolver),
            methods: MethodResolver::new(known.methods, |_| None),
            knowledge,
            prompting,
            sandbox: sandbox(),
            services: Vec::new(),
            keep: Persistence::Nothing,
            adopted: Vec::new(),
            form: None,
            policy: Some(Policy { steps: self.steps, token_budget: self.token_budget, ..Policy::manual() }),
            headless: true,
            clock: Arc::clone(&self.clock),
            remarks: Vec::new(),
        }
    }
}
