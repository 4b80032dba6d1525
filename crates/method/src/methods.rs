//! Methods: their list with the kinds of documents there are, as a value. This crate knows none of them: whoever opens sessions is given
//! the list, and hands it on to what says something of all methods, or looks one up by its id.

use std::sync::Arc;

use super::artifacts::ArtifactSpec;
use super::belief_update;
use super::info::MethodInfo;
use super::method::Method;
use super::options::{FORM, OF_ANY};
use super::step::{Place, Section};
use stepwright_episode::ArtifactKind;
use stepwright_episode::gate::Conducts;
use stepwright_episode::showing::Showing;
use stepwright_world::options::{OptionSpec, Table, known_names};

/// The methods and the kinds of documents of a program.
#[derive(Debug)]
pub struct Methods {
    methods: Vec<Arc<dyn Method>>,
    artifacts: &'static [&'static ArtifactSpec],
    options: Vec<OptionSpec>,
}

/// None, where nothing is said of any.
impl Default for &'static Methods {
    fn default() -> Self {
        static NONE: Methods = Methods { methods: Vec::new(), artifacts: &[], options: Vec::new() };
        &NONE
    }
}

impl Methods {
    /// Of these methods, the default first.
    pub fn new(methods: Vec<Arc<dyn Method>>, artifacts: &'static [&'static ArtifactSpec]) -> Self {
        let mut options: Vec<OptionSpec> = Vec::new();
        for spec in methods.iter().flat_map(|method| method.info().options) {
            if options.iter().all(|known| known.key != spec.key) {
                options.push(*spec);
            }
        }
        Methods { methods, artifacts, options }
    }

    /// All of them, the default first.
    pub fn all(&self) -> Vec<MethodInfo> {
        self.methods.iter().map(|method| method.info()).collect()
    }

    /// The method of that id.
    pub fn named(&self, id: &str) -> Option<Arc<dyn Method>> {
        self.methods.iter().find(|method| method.info().id == id).cloned()
    }

    /// The method of that id, the default for none.
    /// Errors: there is no such method; what there is instead.
    pub fn resolve(&self, id: &str) -> Result<Arc<dyn Method>, String> {
        let found = if id.is_empty() { self.methods.first().cloned() } else { self.named(id) };
        found.ok_or_else(|| {
            let known: Vec<_> = self.methods.iter().map(|method| method.info().id).collect();
            format!("there is no method `{id}`; {}", known_names(id, &known))
        })
    }

    /// The id of the one that suits a model, where none is asked for: the first that needs one which reports log-probabilities for a model
    /// that does, else the default.
    pub fn suited(&self, scores: bool) -> &'static str {
        let all = self.all();
        let scored = all.iter().find(|info| scores && info.needs.scores);
        scored.or(all.first()).map_or("", |info| info.id)
    }

    /// The options of all methods, each once, in the order of the methods.
    pub fn options(&'static self) -> Table {
        &self.options
    }

    /// The same with those of a method that is not among them.
    pub fn options_with(&'static self, own: Table) -> impl Iterator<Item = &'static OptionSpec> {
        let is_own = |spec: &&OptionSpec| self.options.iter().all(|known| known.key != spec.key);
        self.options.iter().chain([&FORM]).chain(own.iter().filter(is_own))
    }

    /// Whether an option that a session records changes what a method with these options does: one of its own, one that any method goes
    /// by, or one that is of no method here. The others are what the configuration says of other methods.
    pub fn is_in_force(&self, key: &str, own: &[OptionSpec]) -> bool {
        let has = |table: &[OptionSpec]| table.iter().any(|spec| spec.key == key);
        has(own) || has(&OF_ANY) || !has(&self.options)
    }

    /// A kind of documents; one that is not listed is of a method in another process.
    pub fn artifact(&self, kind: &ArtifactKind) -> &'static ArtifactSpec {
        self.artifacts.iter().copied().find(|spec| spec.id == kind.id()).unwrap_or(&belief_update::OTHER)
    }

    /// How documents of a kind are shown.
    pub fn showing(&self, kind: &ArtifactKind) -> &'static Showing {
        &self.artifact(kind).showing
    }

    /// How the gate treats documents of each kind.
    pub fn conducts(&self) -> Conducts {
        self.artifacts.iter().map(|spec| (spec.id, spec.conduct)).collect()
    }

    /// Sections of the method in use at a place.
    pub fn sections(&self, at: &Place<'_>) -> Vec<Section> {
        self.named(&at.session.method).map(|method| method.rows(at)).unwrap_or_default()
    }

    /// The figure of that name in these sections.
    pub fn figure(&self, at: &Place<'_>, name: &str) -> Option<f64> {
        let figures = self.sections(at).into_iter().flat_map(|section| section.figures);
        figures.filter(|(of, _)| *of == name).map(|(_, figure)| figure).next()
    }
}
