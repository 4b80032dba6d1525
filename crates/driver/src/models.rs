//! Models and methods: what the session asks with, what it can be exchanged for, and how prompts are made to suit it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::source::{MethodResolver, Resolver, Roles, Source};
use stepwright_episode::Role;
use stepwright_method::prompting::{Meter, Prompting};
use stepwright_method::{Method, RoleModel, RoleModels};
use stepwright_model::ModelError;
use stepwright_sandbox::Workers;
use stepwright_world::options::Values;

/// A method, its options and models, ready to be used.
pub(super) struct Prepared {
    pub(super) method: Arc<dyn Method>,
    pub(super) options: Values,
    /// The model in use, where it is another one.
    pub(super) source: Option<Source>,
    pub(super) roles: Roles,
}

/// The models in use and what prompts for them are made with.
pub(super) struct Models {
    pub(super) source: Source,
    pub(super) roles: Roles,
    pub(super) role_models: RoleModels,
    pub(super) sandbox: Workers,
    pub(super) resolver: Resolver,
    pub(super) methods: MethodResolver,
    /// Model and method made ready, until their record is written.
    pub(super) prepared: Option<Prepared>,
    pub(super) shortened: bool,
    /// How often in a row a prompt turned out too long.
    too_long: u32,
}

/// A model as methods see it; prompts are made as it wants them.
fn role_model(source: &Source, mut prompting: Prompting) -> RoleModel {
    if let Source::Language { model, .. } = source {
        prompting.raw = model.prefers_raw();
        prompting.chosen = model.has_chosen_interface();
        prompting.context = model.context();
        prompting.answer_tokens = model.settings().answer_tokens.unwrap_or_default();
        prompting.meter = Meter::default();
    }
    RoleModel { traits: source.traits(), prompting }
}

impl Models {
    pub(super) fn new(
        (source, roles): (Source, Roles),
        prompting: Prompting,
        sandbox: Workers,
        (resolver, methods): (Resolver, MethodResolver),
    ) -> Self {
        let mut models = Models {
            role_models: RoleModels { main: role_model(&source, prompting), of: BTreeMap::new() },
            source,
            roles: Roles::new(),
            sandbox,
            resolver,
            methods,
            prepared: None,
            shortened: false,
            too_long: 0,
        };
        models.take(None, roles);
        models
    }

    /// Takes models into use, those of roles in place of all that they had.
    pub(super) fn take(&mut self, source: Option<Source>, roles: Roles) {
        if let Some(source) = source {
            self.role_models.main = role_model(&source, self.role_models.main.prompting.clone());
            self.source = source;
        }
        let mut before = std::mem::take(&mut self.role_models.of);
        for (role, source) in &roles {
            let known = before.remove(role).filter(|known| known.traits.name == source.name());
            let new = || role_model(source, self.role_models.main.prompting.clone());
            self.role_models.of.insert(*role, known.unwrap_or_else(new));
        }
        self.roles = roles;
    }

    pub(super) fn set_options(&mut self, options: &Values) {
        for role_model in self.role_models.of.values_mut().chain([&mut self.role_models.main]) {
            role_model.prompting.options = options.clone();
        }
    }

    /// The model that is asked as that.
    pub(super) fn source_of(&self, role: Role) -> &Source {
        self.roles.get(&role).unwrap_or(&self.source)
    }

    pub(super) fn prompting(&self) -> &Prompting {
        &self.role_models.main.prompting
    }

    /// Whether a prompt that the model could not take can be made shorter; the words for it.
    pub(super) fn shorter(&mut self, role: Role, error: &ModelError) -> Option<String> {
        let ModelError::TooLong { context: Some(context), .. } = error.cause() else { return None };
        let context = usize::try_from(*context).unwrap_or(usize::MAX);
        self.too_long += 1;
        let prompting = &mut self.role_models.of_mut(role).prompting;
        let known = prompting.context;
        // By the estimate it fitted: the estimate is wrong, so less is aimed at each time.
        let aim = if known.is_none_or(|k| k > context) { context } else { known.unwrap_or(context) * 4 / 5 };
        prompting.context = Some(aim);
        (self.too_long <= 4).then(|| error.to_string())
    }

    /// Takes in that a prompt was not too long and, where that is known, of how many characters and tokens it was.
    pub(super) fn learn_length(&mut self, role: Role, length: Option<(usize, u64)>) {
        self.too_long = 0;
        if let Some((chars, tokens)) = length {
            self.role_models.of_mut(role).prompting.meter.learn(chars, tokens);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_method::FORM;
    use stepwright_model::answering::Answering;
    use stepwright_model::{ModelRequest, ModelResponse, Settings};

    fn language(name: &str) -> Source {
        let settings = Settings { answer_tokens: Some(70), ..Settings::default() };
        let by = |_: &ModelRequest| Ok(ModelResponse::default());
        Source::Language { name: name.to_owned(), model: Arc::new(Answering { raw: true, settings, by }) }
    }

    fn models(roles: Roles) -> Models {
        let resolver: Resolver = Arc::new(|name| Err(format!("no {name}")));
        let methods = MethodResolver::new(Default::default(), |_| None);
        Models::new((language("main"), roles), Prompting::default(), super::super::sandbox(), (resolver, methods))
    }

    fn too_long(context: Option<u64>) -> ModelError {
        ModelError::TooLong { endpoint: "e".into(), message: "m".into(), context }
    }

    #[test]
    fn prompts_are_made_as_their_model_wants_them_and_roles_keep_what_was_learned_while_theirs_stays() {
        let roles = || Roles::from([(Role::Writer, language("writer"))]);
        let mut models = models(roles());
        assert!(models.prompting().raw && models.role_models.of(Role::Writer).prompting.raw);
        assert_eq!(
            (models.prompting().answer_tokens, models.source_of(Role::Writer).name()),
            (70, "writer".to_owned())
        );
        let meter = |models: &Models, role| models.role_models.of(role).prompting.meter;
        let (new, learned) = (Meter::default(), meter(&models, Role::Writer));
        assert_eq!(new, learned);
        for role in [Role::Writer, Role::Reader] {
            models.learn_length(role, Some((1000, 500)));
            assert_ne!(meter(&models, role), new, "{role:?}");
        }
        models.take(None, roles());
        assert_ne!(meter(&models, Role::Writer), new, "the same model");
        models.take(Some(language("other")), Roles::from([(Role::Writer, language("third"))]));
        assert_eq!((meter(&models, Role::Writer), meter(&models, Role::Reader)), (new, new), "other models");
        assert_eq!((models.source.name(), models.source_of(Role::Writer).name()), ("other".into(), "third".into()));
        models.take(None, Roles::new());
        assert_eq!(models.source_of(Role::Writer).name(), "other");
    }

    #[test]
    fn options_reach_the_prompts_of_all() {
        let mut models = models(Roles::from([(Role::Writer, language("writer"))]));
        let options = Values::default().with(&FORM, "own");
        models.set_options(&options);
        assert_eq!(models.prompting().options, options);
        assert_eq!(models.role_models.of(Role::Writer).prompting.options, options);
    }

    #[test]
    fn less_is_aimed_at_each_time_a_prompt_is_too_long_and_four_times_in_a_row_at_most() {
        let mut models = models(Roles::new());
        let role = Role::Proposer;
        let context = |models: &Models| models.prompting().context;
        assert_eq!(models.shorter(role, &ModelError::Cancelled), None);
        assert_eq!(models.shorter(role, &too_long(None)), None, "how long is not known");
        let error = too_long(Some(1000));
        let mut aims = Vec::new();
        for _ in 0..4 {
            assert_eq!(models.shorter(role, &error), Some(error.to_string()));
            aims.extend(context(&models));
        }
        assert_eq!(aims, [1000, 800, 640, 512]);
        assert_eq!(models.shorter(role, &error), None, "the fifth in a row");
        models.learn_length(role, None);
        assert!(models.shorter(role, &too_long(Some(300))).is_some(), "one was taken since");
        assert_eq!(context(&models), Some(300), "the model takes less than was thought");
        assert_eq!(
            models.shorter(role, &too_long(Some(300)).charged(stepwright_model::Charge::default())).map(|_| ()),
            Some(())
        );
        assert_eq!(context(&models), Some(240));
    }
}
