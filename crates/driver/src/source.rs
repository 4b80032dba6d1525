//! Where proposals come from: a language model, or the agent without one.

use std::collections::BTreeMap;
use std::sync::Arc;

use stepwright_episode::Role;
use stepwright_method::{Method, MethodInfo, Methods, ModelTraits, SYMBOLIC};
use stepwright_model::LanguageModel;

/// The source of proposals: the built-in agent, or a language model.
#[derive(Clone)]
pub enum Source {
    /// The built-in symbolic proposer: no language model.
    Symbolic,
    Language {
        name: String,
        model: Arc<dyn LanguageModel>,
    },
}

impl Source {
    pub fn name(&self) -> String {
        match self {
            Source::Symbolic => SYMBOLIC.to_owned(),
            Source::Language { name, .. } => name.clone(),
        }
    }

    pub fn traits(&self) -> ModelTraits {
        match self {
            Source::Symbolic => ModelTraits { name: self.name(), ..ModelTraits::default() },
            Source::Language { name, model } => ModelTraits {
                name: name.clone(),
                language: true,
                temperature: model.settings().temperature,
                frequency_penalty: model.settings().frequency_penalty,
                structured: model.settings().structured,
                raw_setting: model.raw_setting().map(str::to_owned),
                scores: model.may_score(),
            },
        }
    }
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name())
    }
}

/// Finds the model of a name; the error says what names there are.
pub type Resolver = Arc<dyn Fn(&str) -> Result<Source, String> + Send + Sync>;

/// Methods by their ids: those of the program, and what a function finds beside them.
#[derive(Clone)]
pub struct MethodResolver {
    /// The methods of the program, and the kinds of documents.
    pub built_in: &'static Methods,
    others: Arc<Others>,
}

type Others = dyn Fn(&str) -> Option<Arc<dyn Method>> + Send + Sync;

impl MethodResolver {
    pub fn new(
        built_in: &'static Methods,
        others: impl Fn(&str) -> Option<Arc<dyn Method>> + Send + Sync + 'static,
    ) -> Self {
        MethodResolver { built_in, others: Arc::new(others) }
    }

    /// The method of an id, the default for none.
    /// Errors: there is none; what ids there are.
    pub fn resolve(&self, id: &str) -> Result<Arc<dyn Method>, String> {
        (self.others)(id).map_or_else(|| self.built_in.resolve(id), Ok)
    }
}

/// The models that roles have of their own.
pub type Roles = BTreeMap<Role, Source>;

/// The models that a session's options name for roles, and the roles whose models cannot be had, each with why. One name is one model: `known`
/// are looked through first.
pub fn roles_of(
    options: &BTreeMap<String, String>,
    known: &[&Source],
    resolver: &Resolver,
) -> (Roles, Vec<(Role, String)>) {
    let (mut found, mut gone) = (Roles::new(), Vec::new());
    for (role, name) in Role::models(options) {
        let same = known.iter().copied().chain(found.values()).find(|source| source.name() == name).cloned();
        match same.map_or_else(|| resolver(name), Ok) {
            Ok(source) => drop(found.insert(role, source)),
            Err(why) => gone.push((role, format!("the model of the {}: {why}", role.name()))),
        }
    }
    (found, gone)
}

/// The models of roles where each has to be there that is named in `by`; others that are gone are left out.
/// Errors: why one of them cannot be had.
pub fn roles_named(
    options: &BTreeMap<String, String>,
    by: &BTreeMap<String, String>,
    known: &[&Source],
    resolver: &Resolver,
) -> Result<Roles, String> {
    let (found, gone) = roles_of(options, known, resolver);
    match gone.into_iter().find(|(role, _)| by.contains_key(&role.key())) {
        Some((_, why)) => Err(why),
        None => Ok(found),
    }
}

/// The model that a method asks before any other of its own.
pub fn first_asked<'a>(method: &MethodInfo, roles: &'a Roles, main: &'a Source) -> &'a Source {
    method.roles.first().and_then(|role| roles.get(role)).unwrap_or(main)
}
