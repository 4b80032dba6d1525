//! Method: the trait that each method implements.

use serde_json::Value;

use super::context::{Context, Stop, WorkInput};
use super::derived::DerivedState;
use super::info::MethodInfo;
use super::step::{Answer, Checks, Deed, Place, Reading, Section, Step, VetoedAction};
use stepwright_episode::{Action, Ask, AskKind, Decision, Generation, Shape};
use stepwright_world::blocking::BlockingTree;

/// The name that is recorded where no language model answers.
pub const SYMBOLIC: &str = "symbolic";

/// Name in place of a model where the reference programs of a task's file are played.
pub const REFERENCE: &str = "reference";

/// A method. All functions are pure: the same context gives the same result.
pub trait Method: Send + Sync + std::fmt::Debug {
    /// Name and description for display.
    fn info(&self) -> MethodInfo;

    /// Its own version, where it has one beside the program's; all of its info is known from then on. One in another process is asked
    /// for both, once, which may take as long as its command takes to start.
    fn ready(&self) -> Result<Option<String>, String> {
        Ok(None)
    }

    /// The next step. Called at a new node and after every answer, when all proposals have their verdicts. Where the episode is over
    /// only what writes a belief is taken of it.
    fn step(&self, cx: &Context<'_>) -> Step;

    /// Reads the answer to one of its own asks, at the node it was made at.
    fn read(&self, cx: &Context<'_>, ask: &Ask, answer: &Answer) -> Reading;

    /// How asks of that kind are answered where they do not say so themselves; `raw` for one text that the model continues.
    fn shape(&self, _cx: &Context<'_>, _kind: &AskKind, raw: bool) -> Shape {
        Shape::Generate(one_line(raw))
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

    /// Why the episode is over for the method after a step that carried out this decision, where the world continues. The context is
    /// that before the step, except for what follows steps as they are taken.
    fn ended(&self, _cx: &Context<'_>, _decision: &Decision) -> Option<String> {
        None
    }

    /// The plan, program or document that it follows at a node, for panes and exports: read from the records alone.
    fn rows(&self, _at: &Place<'_>) -> Vec<Section> {
        Vec::new()
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

    /// The goals with what blocks them, where it keeps a tree that a person may change; `vetoed` is the action that the method in use keeps
    /// from being tried.
    fn goals(&self, _cx: &Context<'_>, _vetoed: Option<&VetoedAction>) -> Option<BlockingTree> {
        None
    }

    /// A warning for the person when it is taken into use, if any.
    fn warning(&self, _cx: &Context<'_>) -> Option<String> {
        None
    }
}

/// A line of a program; a chat model may wrap it in a fence.
pub fn one_line(raw: bool) -> Generation {
    let stop = if raw { vec!["\n".to_owned()] } else { Vec::new() };
    Generation { max_tokens: if raw { 64 } else { 160 }, stop, logprobs: true, ..Generation::default() }
}
