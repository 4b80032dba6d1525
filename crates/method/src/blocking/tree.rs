//! The live blocking tree: a [`DerivedState`] of the episode. Where the world has a blocking domain it follows from the reset on;
//! elsewhere one is derived from the assertions in force, from the reset on as well: a tree is the same function of the records and the
//! assertions wherever and whenever it is begun.

use std::any::Any;
use std::sync::Arc;

use serde::Deserialize;

use crate::artifacts::ArtifactSpec;
use crate::lived::{lived, observed};
use crate::{Context, DerivedState, Grounds, VetoedAction};
use stepwright_episode::gate::Conduct;
use stepwright_episode::showing::Showing;
use stepwright_episode::{Action, CheckKind, Decision, Mark, Node, StepOutcome, TreeEdit};
use stepwright_program::Call;
use stepwright_world::blocking::{Basis, Before, Derived, Domain, Growth, RefusedTree, Report, Selection};
use stepwright_world::demonstration::Demonstration;
use stepwright_world::{Ability, Facts, World};

/// A person's changes of the blocking tree as a document: an array of [`TreeEdit`]s, those of the steps before first.
pub static ARTIFACT: ArtifactSpec = ArtifactSpec {
    conduct: Conduct { waits: false, ..Conduct::USUAL },
    check: |at, _, value| {
        let edits = at.session.current().and_then(|node| node.edits_in(value));
        let edits = edits.ok_or("the tree was not changed at this step")?;
        let none = "there is no blocking tree here; a world needs a blocking domain for one";
        let mut all = at.arrived.to_vec();
        for edit in &edits {
            let mut results = all.iter_mut().filter_map(|derived| derived.edit(edit, at.world));
            results.next().ok_or(none)??;
        }
        Ok(())
    },
    ..ArtifactSpec::new(
        "tree",
        Showing {
            word: |_| "tree",
            patch: |_, patch, _| Some(in_words(&TreeEdit::deserialize(patch.pointer("/0/value")?).ok()?)),
            ..Showing::new("changes of the blocking tree")
        },
    )
};

fn in_words(edit: &TreeEdit) -> String {
    match edit {
        TreeEdit::Prune { node, pruned: true } => format!("action {node} pruned"),
        TreeEdit::Prune { node, pruned: false } => format!("action {node} put back"),
        TreeEdit::Add { under, action } => format!("`{action}` added below action {under}"),
        TreeEdit::Move { node, up } => format!("action {node} moved {}", if *up { "up" } else { "down" }),
    }
}

/// The tree at a node, with the facts observed there.
#[derive(Debug, Clone)]
pub struct LiveTree {
    growth: Growth,
    observed: stepwright_world::blocking::Observation,
}

impl LiveTree {
    /// The tree of a domain, where the world is now; `None` where it reports no facts.
    pub fn begin(domain: &Arc<Domain>, world: &dyn World) -> Option<Self> {
        LiveTree::of(Growth::begin(Arc::clone(domain), world)?, world)
    }

    fn of(growth: Growth, world: &dyn World) -> Option<Self> {
        let observed = growth.observation(world)?;
        Some(LiveTree { growth, observed })
    }

    /// The tree derived from the assertions in force, at the cursor.
    pub fn derive(cx: &Context<'_>) -> Option<Self> {
        let path = cx.path();
        let (root, steps) = path.split_first()?;
        let basis = Arc::new(Basis {
            sentence: cx.session.header.sentence.clone(),
            agent: Arc::clone(&cx.knowledge.proposer),
            before: Before::learn(cx.knowledge.demonstrations.iter().map(Demonstration::actions)),
        });
        let mut start = cx.program.start();
        let calls: Vec<Call> = root.outcome.calls.iter().filter_map(|c| c.parse().ok()).collect();
        start.run(calls.iter());
        // What the world reported on the way is read off a copy that goes it again.
        let header = &cx.session.header;
        let begun = |mut world: Box<dyn World>| world.reset(&header.task, header.seed).is_ok().then_some(world);
        let due = !steps.is_empty() && !cx.world.kind().has(Ability::Remote);
        let mut again = due.then(|| cx.world.fork()).and_then(begun);
        let world = again.as_deref().unwrap_or(cx.world);
        let program = cx.as_shown(cx.program.checked(&start));
        let derived = Derived::new(basis, program, observed(root), Report::of(world));
        let mut tree = LiveTree::of(Growth::derive(derived, world), world)?;
        for node in steps {
            if let (Some(world), Some(action)) = (&mut again, &node.action)
                && node.outcome.held.is_none()
                && node.outcome.blocked.is_none()
            {
                // One that cannot be taken again leaves the copy where it is.
                let _ = world.take(action);
            }
            tree.recall(node, again.as_deref().unwrap_or(cx.world));
        }
        Some(tree)
    }

    /// Takes in a recorded step, after which the world is as given.
    fn recall(&mut self, node: &Node, world: &dyn World) {
        let Some(action) = &node.action else { return };
        for edit in &node.tree_edits {
            // One that no longer fits, because other assertions are in force, is passed over.
            let _ = self.growth.edit(edit, world);
        }
        self.follow(action, &node.outcome, world);
    }

    fn observe(&mut self, observed: Option<stepwright_world::blocking::Observation>) {
        if let Some(observed) = observed {
            self.observed = observed;
        }
    }

    /// The tree that follows an episode's node.
    pub fn at<'a>(cx: &Context<'a>) -> Option<&'a LiveTree> {
        cx.past.derived()
    }

    pub fn growth(&self) -> &Growth {
        &self.growth
    }

    pub fn facts(&self) -> &Facts {
        &self.observed.facts
    }

    pub fn domain(&self) -> &Arc<Domain> {
        self.growth.domain()
    }

    pub fn leaves(&self) -> Vec<String> {
        self.growth.forest().leaves().into_iter().map(|leaf| leaf.text.clone()).collect()
    }

    /// The tree of an action that was kept from being tried.
    pub fn of_vetoed(&self, vetoed: &VetoedAction, world: &dyn World) -> Option<RefusedTree> {
        self.growth.tree_of(&vetoed.action, None, &vetoed.why, &self.observed.facts, world)
    }

    /// The outcome of selecting a leaf that is blocked: nothing is executed.
    pub fn held(&self, text: &str, world: &dyn World) -> Option<StepOutcome> {
        match self.growth.clone().select(text, &self.observed.facts, world) {
            Selection::Blocked(blocked) => {
                let domain = self.growth.domain();
                let (condition, resolution) =
                    (domain.recorded(&blocked.condition), domain.recorded(&blocked.resolution));
                let observation = format!("Not executed: {condition}. What makes `{resolution}` true may help.");
                Some(StepOutcome { observation, blocked: Some(condition), ..StepOutcome::default() })
            }
            Selection::Execute | Selection::NotALeaf => None,
        }
    }

    /// The outcome of a decision that takes what was offered as a leaf, where nothing is executed: it is blocked, or was blocked when it was
    /// decided on and is no leaf any more, because a person pruned it or took back the change that added it. What was offered off the list
    /// of leaves was not checked against the tree, and is executed.
    pub fn held_by(cx: &Context<'_>, decision: &Decision, action: &Action) -> Option<StepOutcome> {
        let tree = LiveTree::at(cx)?;
        if tree.growth.forest().leaf(&action.text).is_some() {
            return tree.held(&action.text, cx.world);
        }
        let verdict = cx.node()?.turn.taken(decision.id).filter(|verdict| verdict.mark() == Mark::Blocked)?;
        let condition = verdict.failing().find(|check| check.kind == CheckKind::Blocking)?.condition.clone();
        let observation = format!("Not executed: {condition}. It is no longer in the blocking tree.");
        Some(StepOutcome { observation, blocked: Some(condition), ..StepOutcome::default() })
    }
}

impl DerivedState for LiveTree {
    fn copy(&self) -> Box<dyn DerivedState> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn follow(&mut self, action: &Action, outcome: &StepOutcome, world: &dyn World) {
        if outcome.held.is_some() {
            // A thought, a call, a report: nothing was done.
            return;
        }
        if outcome.blocked.is_some() {
            // A tree of another domain, or of other assertions, may not block it: it is left unchanged then.
            self.growth.select(&action.text, &self.observed.facts, world);
            self.observe(self.growth.observation(world));
        } else {
            if self.growth.is_derived() {
                let call = action.call.as_deref().and_then(|c| c.parse::<Call>().ok());
                self.growth.hear(lived(call, outcome), (outcome.won, outcome.reward), world);
            }
            let after = self.growth.executed(&action.text, outcome.error.as_deref(), &self.observed, world);
            self.observe(after);
        }
    }

    fn edit(&mut self, edit: &TreeEdit, world: &dyn World) -> Option<Result<(), String>> {
        Some(self.growth.edit(edit, world))
    }

    fn grounds(&self) -> Grounds {
        if self.growth.is_derived() { Grounds::Assertions } else { Grounds::Steps }
    }
}
