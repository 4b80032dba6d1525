//! List of methods and of kinds of documents. A new one is its file or folder and its line here.

use std::sync::{Arc, LazyLock};

use super::artifacts::{self, ArtifactSpec};
use super::info::MethodInfo;
use super::method::Method;
use super::options::FORM;
use super::step::{Place, Section};
use super::{
    adaplanner, belief_update, blocking, code_policy, demo2code, few_shot, ff_replan, o3d, plan_following,
    precondition_aware, precondition_prompting, progprompt, react, reflexion, relay, reprompt, scored, skills, statler,
    wording,
};
use stepwright_episode::ArtifactKind;
use stepwright_episode::gate::Conduct;
use stepwright_episode::showing::Showing;
use stepwright_world::options::{OptionSpec, Table};

/// The kinds of documents that are registered.
static ARTIFACTS: [&ArtifactSpec; 12] = [
    &belief_update::ARTIFACT,
    &belief_update::FORM,
    &plan_following::ARTIFACT,
    &statler::ARTIFACT,
    &blocking::ARTIFACT,
    &artifacts::ASSERTIONS,
    &artifacts::CANDIDATES,
    &skills::KNOWLEDGE,
    &skills::SEGMENTS,
    &reflexion::ARTIFACT,
    &reprompt::ARTIFACT,
    &wording::ARTIFACT,
];

/// A kind of documents; one that is not registered is of a method in another process.
pub fn artifact(kind: &ArtifactKind) -> &'static ArtifactSpec {
    ARTIFACTS.iter().copied().find(|spec| spec.id == kind.id()).unwrap_or(&belief_update::OTHER)
}

/// How documents of a kind are shown.
pub fn showing(kind: &ArtifactKind) -> &'static Showing {
    &artifact(kind).showing
}

/// How the gate treats documents of a kind.
pub fn conduct(kind: &ArtifactKind) -> Conduct {
    artifact(kind).conduct
}

/// All methods, the default first.
pub fn all() -> Vec<MethodInfo> {
    BUILT_IN.iter().map(|m| m.info()).collect()
}

/// The method of that id.
pub fn named(id: &str) -> Option<Arc<dyn Method>> {
    BUILT_IN.iter().find(|m| m.info().id == id).cloned()
}

impl Place<'_> {
    /// Sections of the method in use there.
    pub fn sections(&self) -> Vec<Section> {
        named(&self.session.method).map(|method| method.rows(self)).unwrap_or_default()
    }

    /// The figure of that name in its sections.
    pub fn figure(&self, name: &str) -> Option<f64> {
        let figures = self.sections().into_iter().flat_map(|section| section.figures);
        figures.filter(|(of, _)| *of == name).map(|(_, figure)| figure).next()
    }
}

static BUILT_IN: LazyLock<Vec<Arc<dyn Method>>> = LazyLock::new(|| {
    let mut all: Vec<Arc<dyn Method>> = vec![
        Arc::new(precondition_aware::METHOD),
        Arc::new(precondition_prompting::METHOD),
        Arc::new(few_shot::METHOD),
        Arc::new(scored::METHOD),
        Arc::new(blocking::Blocking),
        Arc::new(progprompt::ProgPrompt { respect_assertions: true }),
        Arc::new(progprompt::ProgPrompt { respect_assertions: false }),
        Arc::new(ff_replan::FfReplan { limited: false }),
        Arc::new(ff_replan::FfReplan { limited: true }),
        Arc::new(o3d::O3d),
        Arc::new(react::React { long: false }),
        Arc::new(react::React { long: true }),
        Arc::new(reflexion::Reflexion),
        Arc::new(code_policy::O3dCode),
        Arc::new(demo2code::Demo2Code),
        Arc::new(adaplanner::AdaPlanner),
        Arc::new(relay::Relay),
    ];
    all.extend(reprompt::METHODS.map(|method| Arc::new(method) as Arc<dyn Method>));
    all.extend(statler::built_in().into_iter().map(|method| Arc::new(method) as Arc<dyn Method>));
    all
});

/// The options of all methods, each once, in the order of the methods.
pub fn all_options() -> Table {
    static ALL: LazyLock<Vec<OptionSpec>> = LazyLock::new(|| {
        let mut options: Vec<OptionSpec> = Vec::new();
        for spec in all().iter().flat_map(|method| method.options) {
            if options.iter().all(|known| known.key != spec.key) {
                options.push(*spec);
            }
        }
        options
    });
    &ALL
}

/// The same with those of a method that is not among them.
pub fn options_with(own: Table) -> impl Iterator<Item = &'static OptionSpec> {
    all_options()
        .iter()
        .chain([&FORM])
        .chain(own.iter().filter(|spec| all_options().iter().all(|known| known.key != spec.key)))
}
