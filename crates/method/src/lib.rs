//! Methods: each fills the slots of the loop for one paper's method or baseline, and nothing else.
//!
//! A method is pure: it sees a read-only [`Context`] and says what comes next ([`Step`]), reads answers ([`Reading`]), checks
//! actions, and says how a decision is carried out ([`Deed`]). Asking, deciding, acting and recording belong to the driver and
//! the gate. `exchange` holds what goes in and out, `context` what a method sees, `needs` what it takes of a world and a model.
//! Adding a method is a file or folder here and a line in `built_in`.
//!
//! [`MethodStack`] is the method in use with its layers: a layer (`belief_update`) is asked first and passes when it has
//! nothing to do.

pub mod artifacts;
pub mod belief;
mod belief_update;
pub mod blocking;
mod code_policy;
mod context;
mod derived;
mod explain;
mod external;
mod few_shot;
mod ff_replan;
pub mod log_checks;
mod method_stack;
mod needs;
mod next_action;
pub mod o3d;
pub mod options;
mod plan_following;
pub mod precondition;
mod precondition_aware;
mod precondition_prompting;
mod progprompt;
pub mod program_context;
pub mod prompting;
mod react;
pub mod reading;
pub mod reference;
mod reflexion;
mod reprompt;
mod scored;
pub mod skills;
mod statler;
mod step;
#[cfg(test)]
mod tests;
pub mod think;
pub mod verify;
pub mod written_plan;

use std::sync::Arc;

pub use artifacts::ArtifactSpec;
pub use belief_update::{BeliefReading, read as read_belief};
pub use context::{Context, Knowledge, ModelTraits, Past, Round, Stop, WorkInput, action_of, lived, observed};
pub use derived::{DerivedState, Grounds, History, folded};
pub use external::{Command, External, PREFIX as EXTERNAL};
pub use method_stack::MethodStack;
pub use needs::{Misfit, Needs, fits};
pub use options::{DOMAIN, MAX_SHOTS, TRIALS};
pub use precondition_aware::ID as DEFAULT;
pub use scored::ID as SCORED;
pub use step::{
    Answer, Carried, Checks, Deed, Place, Program, Rank, Reading, Section, SectionLine, Step, StepStatus, VetoedAction,
};

use serde_json::Value;
use stepwright_episode::gate::Conduct;
use stepwright_episode::{Action, ArtifactId, ArtifactKind, Ask, AskKind, Decision, Shape};
use stepwright_sandbox::Run;
use stepwright_world::blocking::BlockingTree;
use stepwright_world::options::Table;

/// The name that is recorded where no language model answers.
pub const SYMBOLIC: &str = "symbolic";

/// Name in place of a model where the reference programs of a task's file are played.
pub const REFERENCE: &str = "reference";

/// A method's name and description for display.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MethodInfo {
    pub id: &'static str,
    pub label: &'static str,
    pub description: &'static str,
    pub options: Table,
    pub needs: Needs,
}

/// A method. All functions are pure: the same context gives the same result.
pub trait Method: Send + Sync + std::fmt::Debug {
    fn info(&self) -> MethodInfo;

    /// Its own version, where it has one beside the program's; all of its info is known from then on. One in another process is asked
    /// for both, once, which may take as long as its command takes to start.
    fn ready(&self) -> Result<Option<String>, String> {
        Ok(None)
    }

    /// The next step. Called at a new node and after every answer, when all proposals have their verdicts.
    fn step(&self, cx: &Context<'_>) -> Step;

    /// The documents still to be written where the episode is over, such as the belief after the last step. No action
    /// comes of it.
    fn close(&self, _cx: &Context<'_>) -> Step {
        Step::Pass
    }

    /// Reads the answer to one of its own asks, at the node it was made at.
    fn read(&self, cx: &Context<'_>, ask: &Ask, answer: &Answer) -> Reading;

    /// How asks of that kind are answered where they do not say so themselves; `raw` for one text that the model continues.
    fn shape(&self, _cx: &Context<'_>, _kind: &AskKind, raw: bool) -> Shape {
        Shape::Generate(next_action::one_line(raw))
    }

    /// Does its own work ([`stepwright_episode::Shape::Compute`]), on a separate thread.
    fn compute(&self, _known: &WorkInput, _work: &Value, _stop: &Stop) -> Result<Answer, String> {
        Err("this method has no work of its own".to_owned())
    }

    /// Its own checks of an action; `offered` unless a person typed it.
    fn check(&self, _cx: &Context<'_>, _action: &Action, _offered: bool) -> Checks {
        Checks::default()
    }

    /// How a decision is carried out; `action` is what it takes.
    fn carry_out(&self, _cx: &Context<'_>, _decision: &Decision, _action: &Action) -> Deed {
        Deed::Act
    }

    /// Whether documents of that kind are Python programs, so that one can be parsed while it is typed.
    fn writes_program(&self, _artifact: &ArtifactId) -> bool {
        false
    }

    /// The result of a program of [`Deed::Run`].
    fn ran(&self, _cx: &Context<'_>, _decision: &Decision, _run: &Run) -> Result<Carried, String> {
        Err("this method runs no programs".to_owned())
    }

    /// Why the episode is over for the method after a step that carried out this decision, where the world continues. The context is
    /// that before the step, except for what follows steps as they are taken.
    fn ended(&self, _cx: &Context<'_>, _decision: &Decision) -> Option<String> {
        None
    }

    /// The plan, program or document that it follows at a node, for panes and exports: read from the records alone.
    fn rows(&self, _at: &Place<'_>) -> Vec<Section> {
        Vec::new()
    }

    /// The goals as they are at the cursor, with what blocks them, where the method keeps a tree of them that a person may change; with
    /// the action that the method in use kept from being tried there.
    fn tree(&self, _cx: &Context<'_>, _kept: Option<&VetoedAction>) -> Option<BlockingTree> {
        None
    }

    /// The action that it keeps from being tried at the cursor, where it does.
    fn vetoed(&self, _cx: &Context<'_>) -> Option<VetoedAction> {
        None
    }

    /// Its derived state, begun at the cursor from the records ([`Context::keep`]); `None` where there is nothing to
    /// derive, or it is there already.
    fn follow(&self, _cx: &Context<'_>) -> Option<Box<dyn DerivedState>> {
        None
    }

    fn believes(&self, _cx: &Context<'_>) -> bool {
        false
    }

    /// A warning for the person when it is taken into use, if any.
    fn warning(&self, _cx: &Context<'_>) -> Option<String> {
        None
    }

    /// Whether asks of that kind are its own; layers answer for few.
    fn answers(&self, _kind: &AskKind) -> bool {
        true
    }
}

/// The kinds of documents that are registered.
static ARTIFACTS: [&ArtifactSpec; 10] = [
    &belief_update::ARTIFACT,
    &plan_following::ARTIFACT,
    &statler::ARTIFACT,
    &blocking::ARTIFACT,
    &artifacts::ASSERTIONS,
    &skills::KNOWLEDGE,
    &skills::SEGMENTS,
    &reflexion::ARTIFACT,
    &reprompt::ARTIFACT,
    &code_policy::ARTIFACT,
];

/// A kind of documents; one that is not registered is of a method in another process.
pub fn artifact(kind: &ArtifactKind) -> &'static ArtifactSpec {
    ARTIFACTS.iter().copied().find(|spec| spec.id == kind.id()).unwrap_or(&belief_update::OTHER)
}

/// How the gate treats documents of a kind.
pub fn conduct(kind: &ArtifactKind) -> Conduct {
    artifact(kind).conduct
}

/// All methods, the default first.
pub fn all() -> Vec<MethodInfo> {
    built_in().iter().map(|m| m.info()).collect()
}

pub fn named(id: &str) -> Option<Arc<dyn Method>> {
    built_in().into_iter().find(|m| m.info().id == id)
}

impl Place<'_> {
    /// The sections of the method in use.
    pub fn sections(&self) -> Vec<Section> {
        named(&self.session.method).map(|method| method.rows(self)).unwrap_or_default()
    }

    /// The first figure of that name in its sections.
    pub fn figure(&self, name: &str) -> Option<f64> {
        let figures = self.sections().into_iter().flat_map(|section| section.figures);
        figures.filter(|(of, _)| *of == name).map(|(_, figure)| figure).next()
    }
}

fn built_in() -> Vec<Arc<dyn Method>> {
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
        Arc::new(code_policy::CodePolicy::O3d),
        Arc::new(code_policy::CodePolicy::Demo2Code),
        Arc::new(code_policy::CodePolicy::AdaPlanner),
    ];
    all.extend(reprompt::METHODS.map(|method| Arc::new(method) as Arc<dyn Method>));
    all.extend(statler::built_in().into_iter().map(|method| Arc::new(method) as Arc<dyn Method>));
    all
}

#[cfg(test)]
#[path = "../../../tests/support/recordings.rs"]
#[allow(dead_code, reason = "shared with the integration tests, each of which uses a part of it")]
mod recordings;
