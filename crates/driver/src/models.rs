//! Models and methods: what the session asks with, what it can be exchanged for, and how prompts are made to suit it.

use std::sync::Arc;

use super::source::{MethodResolver, Resolver, Source};
use stepwright_method::prompting::{Meter, Prompting};
use stepwright_method::{Method, ModelTraits};
use stepwright_model::ModelError;
use stepwright_sandbox::Sandbox;
use stepwright_world::options::Values;

/// A method, its options and, where it is another one, a model, ready to be used.
pub(super) struct Prepared {
    pub(super) method: Arc<dyn Method>,
    pub(super) options: Values,
    pub(super) source: Option<Source>,
}

/// The model in use and what prompts for it are made with.
pub(super) struct Models {
    pub(super) source: Source,
    pub(super) traits: ModelTraits,
    pub(super) prompting: Prompting,
    pub(super) sandbox: Arc<dyn Sandbox>,
    pub(super) resolver: Resolver,
    pub(super) methods: MethodResolver,
    /// Model and method made ready, until their record is written.
    pub(super) prepared: Option<Prepared>,
    pub(super) shortened: bool,
    /// How often in a row a prompt turned out too long.
    too_long: u32,
}

impl Models {
    pub(super) fn new(
        source: Source,
        prompting: Prompting,
        sandbox: Arc<dyn Sandbox>,
        (resolver, methods): (Resolver, MethodResolver),
    ) -> Self {
        let mut models = Models {
            source: source.clone(),
            traits: ModelTraits::default(),
            prompting,
            sandbox,
            resolver,
            methods,
            prepared: None,
            shortened: false,
            too_long: 0,
        };
        models.take(source);
        models
    }

    /// Takes a model into use; prompts are made as it wants them.
    pub(super) fn take(&mut self, source: Source) {
        self.traits = source.traits();
        if let Source::Language { model, .. } = &source {
            self.prompting.raw = model.prefers_raw();
            self.prompting.chosen = model.has_chosen_interface();
            self.prompting.context = model.context();
            self.prompting.answer_tokens = model.settings().answer_tokens.unwrap_or_default();
            self.prompting.meter = Meter::default();
        }
        self.source = source;
    }

    /// Whether a prompt that the model could not take can be made shorter; the words for it.
    pub(super) fn shorter(&mut self, error: &ModelError) -> Option<String> {
        let ModelError::TooLong { context: Some(context), .. } = error else { return None };
        let context = usize::try_from(*context).unwrap_or(usize::MAX);
        self.too_long += 1;
        let known = self.prompting.context;
        // By the estimate it fitted: the estimate is wrong, so less is aimed at each time.
        let aim = if known.is_none_or(|k| k > context) { context } else { known.unwrap_or(context) * 4 / 5 };
        self.prompting.context = Some(aim);
        (self.too_long <= 4).then(|| error.to_string())
    }

    /// Takes in that a prompt was not too long and, where that is known, of how many characters and tokens it was.
    pub(super) fn learn_length(&mut self, length: Option<(usize, u64)>) {
        self.too_long = 0;
        if let Some((chars, tokens)) = length {
            self.prompting.meter.learn(chars, tokens);
        }
    }
}
