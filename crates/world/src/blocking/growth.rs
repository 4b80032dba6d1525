//! Growth of an episode's blocking tree: the domain, the forest, the built-in selector's memory.
//!
//! The domain is the world's own, or derived again from assertions after every step. It follows what happened; the runner of an
//! episode holds one a node. Cheap to clone. It reads worlds, but never touches one.

use std::sync::Arc;

use super::derived::{Derived, Report};
use super::selector::{self, Memory, RankedLeaf};
use super::{BlockingTree, Domain, Environment, Forest, Moment, REFUSED, RefusedTree, Selection};
use crate::literal::{Atom, Facts};
use stepwright_episode::TreeEdit;
use stepwright_program::Call;
use stepwright_trajectory::Step;

/// A forest with its domain and the robot's memory.
#[derive(Debug, Clone)]
pub struct Growth {
    domain: Arc<Domain>,
    forest: Arc<Forest>,
    memory: Arc<Memory>,
    /// The grounds of the domain, where the world has none of its own.
    derived: Option<Derived>,
    /// The tree of the last action that was refused and is no leaf of the forest.
    refused: Option<Arc<RefusedTree>>,
    /// Whether a request that the step taken in last closed was met; `None` where it closed none.
    closed: Option<bool>,
}

/// The observation of a world's present moment: facts and goals.
#[derive(Debug, Clone, Default)]
pub struct Observation {
    pub facts: Arc<Facts>,
    goals: Vec<Atom>,
}

impl Observation {
    /// The present moment of a world; `None` where it reports no facts.
    pub fn of(world: &(impl Environment + ?Sized)) -> Option<Self> {
        Some(Observation { facts: world.shared_facts()?, goals: world.goals().unwrap_or_default() })
    }

    fn moment<T>(&self, world: &(impl Environment + ?Sized), act: impl FnOnce(&Moment<'_>) -> T) -> T {
        let judge = |part: &Atom| world.goal_holds(part).unwrap_or_else(|| self.facts.atoms.contains(part));
        act(&Moment { facts: &self.facts, goals: &self.goals, judge: &judge })
    }
}

impl Growth {
    /// The tree of a world's present moment; `None` where it reports no facts.
    pub fn begin(domain: Arc<Domain>, world: &(impl Environment + ?Sized)) -> Option<Self> {
        let observed = Observation::of(world)?;
        let forest = observed.moment(world, |moment| Forest::plant(&domain, moment));
        let memory = Memory::begin(&observed.facts);
        Some(Growth {
            domain,
            forest: Arc::new(forest),
            memory: Arc::new(memory),
            derived: None,
            refused: None,
            closed: None,
        })
    }

    /// A forest grown from assertions, where there is no domain, or another one is not wanted.
    pub fn derive(mut derived: Derived, world: &(impl Environment + ?Sized)) -> Self {
        let domain = derived.domain(&Forest::default(), None, &|call| world.text_of(call));
        let observed = Observation { facts: Arc::new(derived.facts().clone()), goals: derived.goals() };
        let forest = observed.moment(world, |moment| Forest::plant(&domain, moment));
        let memory = Memory::begin(&observed.facts);
        let (domain, forest) = (Arc::new(domain), Arc::new(forest));
        Growth { domain, forest, memory: Arc::new(memory), derived: Some(derived), refused: None, closed: None }
    }

    pub fn is_derived(&self) -> bool {
        self.derived.is_some()
    }

    /// The domain that is derived, where one is.
    pub fn derived(&self) -> Option<&Derived> {
        self.derived.as_ref()
    }

    pub fn observation(&self, world: &(impl Environment + ?Sized)) -> Option<Observation> {
        match &self.derived {
            Some(derived) => Some(Observation { facts: Arc::new(derived.facts().clone()), goals: derived.goals() }),
            None => Observation::of(world),
        }
    }

    pub fn facts(&self, world: &(impl Environment + ?Sized)) -> Option<Facts> {
        self.derived.as_ref().map_or_else(|| world.facts(), |derived| Some(derived.facts().clone()))
    }

    /// Takes in a step that the world took, whether the task is done, and the step's reward, before [`Growth::executed`]: what is derived
    /// from assertions changes with it.
    pub fn hear(&mut self, step: Step, (won, reward): (bool, f64), world: &(impl Environment + ?Sized)) {
        if let Some(derived) = &mut self.derived {
            let open = derived.request_number();
            derived.hear(step, won, Report::of(world));
            // Of a request that is closed the reward says whether it was met.
            self.closed = (open.is_some() && derived.request_number() != open).then_some(won || reward > 0.0);
            self.derive_again(None, world);
        }
    }

    /// Derives the domain again, for what has grown and an action that is about to be selected or added.
    fn derive_again(&mut self, next: Option<Call>, world: &(impl Environment + ?Sized)) {
        if let Some(derived) = &mut self.derived {
            self.domain = Arc::new(derived.domain(&self.forest, next, &|call| world.text_of(call)));
        }
    }

    pub fn domain(&self) -> &Arc<Domain> {
        &self.domain
    }

    pub fn forest(&self) -> &Forest {
        &self.forest
    }

    /// Selects a leaf; see [`Forest::select`].
    pub fn select(&mut self, text: &str, facts: &Facts, world: &(impl Environment + ?Sized)) -> Selection {
        if self.derived.is_some() {
            let next = self.forest.leaf(text).and_then(|leaf| leaf.action.predicate.parse().ok());
            self.derive_again(next, world);
        }
        let selection = Arc::make_mut(&mut self.forest).select(&self.domain, text, facts);
        if matches!(selection, Selection::Blocked(_)) {
            Arc::make_mut(&mut self.memory).blocked(text, facts);
            self.derive_again(None, world);
        }
        selection
    }

    /// Takes in that the world executed an action: the observation before it, and the world after it. Gives the observation after it;
    /// `None`, and nothing is taken in, where there is none.
    pub fn executed(
        &mut self,
        text: &str,
        error: Option<&str>,
        before: &Observation,
        world: &(impl Environment + ?Sized),
    ) -> Option<Observation> {
        let after = self.observation(world)?;
        let leaf = self.forest.leaf(text).map(|leaf| leaf.action.clone());
        let is_leaf = leaf.is_some();
        let action = leaf.or_else(|| self.domain.read_text(text));
        let known = (text, action.as_ref());
        Arc::make_mut(&mut self.memory).executed(&self.domain, known, error, &before.facts, &after.facts);
        let forest = Arc::make_mut(&mut self.forest);
        if let Some(met) = self.closed.take() {
            forest.close(met);
        }
        after.moment(world, |moment| forest.executed(&self.domain, text, error, moment));
        if self.derived.is_some() {
            forest.replant_roots(&self.domain);
            self.derive_again(None, world);
        }
        self.follow_refused(text, error, is_leaf, &after.facts, world);
        // What is derived from assertions changed with what grew.
        if self.derived.is_some() { self.observation(world) } else { Some(after) }
    }

    /// Follows the tree of the last refused action after a step, or begins that of the action refused now. Of a leaf of
    /// the forest the forest itself grows.
    fn follow_refused(
        &mut self,
        text: &str,
        error: Option<&str>,
        is_leaf: bool,
        facts: &Facts,
        world: &(impl Environment + ?Sized),
    ) {
        let before = self.refused.take().filter(|_| !(is_leaf && error.is_some()));
        // A domain derived from assertions is that of one moment.
        let follows = |tree: &Arc<RefusedTree>| self.derived.is_none() && (error.is_none() || tree.resolves(text));
        let refused = match (before.filter(follows), error) {
            (Some(tree), error) => Arc::unwrap_or_clone(tree).followed(text, error, facts),
            (None, Some(error)) if !is_leaf => {
                let why = "the world refused it; what is below may make it possible";
                self.tree_of(text, Some(error), why, facts, world)
            }
            (None, _) => None,
        };
        self.refused = refused.map(Arc::new);
    }

    /// The tree of an action that the world refused with an error, or that was kept from being tried, at the present moment; `None`
    /// where the domain has no condition for it.
    pub fn tree_of(
        &self,
        text: &str,
        error: Option<&str>,
        why: &str,
        facts: &Facts,
        world: &(impl Environment + ?Sized),
    ) -> Option<RefusedTree> {
        let Some(derived) = &self.derived else { return RefusedTree::grow(&self.domain, text, error, why, facts) };
        let mut derived = derived.clone();
        let domain = derived.domain(&self.forest, world.call_of(text), &|call| world.text_of(call));
        RefusedTree::grow(&Arc::new(domain), text, error, why, derived.facts())
    }

    /// The tree of the last action that was refused and is no leaf of the forest, while it is of use.
    pub fn refused(&self) -> Option<&RefusedTree> {
        self.refused.as_deref()
    }

    pub fn edit(&mut self, edit: &TreeEdit, world: &(impl Environment + ?Sized)) -> Result<(), String> {
        let (TreeEdit::Prune { node, .. } | TreeEdit::Add { under: node, .. } | TreeEdit::Move { node, .. }) = edit;
        if *node >= REFUSED {
            let tree = self.refused.as_mut().ok_or("this action is no longer in the tree")?;
            return Arc::make_mut(tree).edit(edit);
        }
        if let TreeEdit::Add { action, .. } = edit {
            self.derive_again(world.call_of(action), world);
        }
        Arc::make_mut(&mut self.forest).edit(&self.domain, edit)?;
        self.derive_again(None, world);
        Ok(())
    }

    /// All leaves as the built-in selector ranks them, the best first.
    pub fn rank(&self, facts: &Facts, seed: u64) -> Vec<RankedLeaf> {
        selector::rank(&self.domain, &self.forest, facts, &self.memory, seed)
    }

    /// An action in literals: a leaf's, or what the domain reads a text as.
    pub fn action(&self, text: &str) -> Option<Atom> {
        self.forest.leaf(text).map(|leaf| leaf.action.clone()).or_else(|| self.domain.read_text(text))
    }

    /// The condition that blocks an action now, and what would resolve it.
    pub fn blocking(&self, text: &str, facts: &Facts) -> Option<(Atom, Option<Atom>)> {
        let condition = self.forest.blocking(&self.domain, &self.action(text)?, facts)?;
        let resolution = self.domain.resolution(&condition);
        Some((condition, resolution))
    }

    /// What does not hold of an action that nothing blocks, and why that does not block it.
    pub fn waived(&self, text: &str) -> Option<&str> {
        self.domain.waived.get(&self.action(text)?.to_string()).map(String::as_str)
    }

    /// Why no selection is left, if none is.
    pub fn spent(&self) -> Option<String> {
        let limit = self.domain.limits.selections;
        if self.forest.selections() >= limit {
            return Some(format!("the limit of {limit} selections is reached"));
        }
        let stuck = self.derived.is_none() && self.has_no_tree();
        stuck.then(|| "no action is left for the goals; the domain knows none".to_owned())
    }

    fn has_no_tree(&self) -> bool {
        !self.forest.goals().is_empty() && self.forest.trees().is_empty()
    }

    /// Why there is no use in any of the candidates: all are known to be blocked, and nothing is known to help; or there are none
    /// because nothing in the demonstrations leads on. Only where everything was checked again after the last step.
    pub fn helpless(&self) -> Option<String> {
        if self.derived.is_some() && self.has_no_tree() {
            return Some(self.domain.rootless.to_owned());
        }
        let leaves = self.forest.leaves();
        let blocked = leaves.iter().filter_map(|leaf| leaf.blocked.as_ref());
        let conditions: Vec<String> = blocked.map(|blocked| self.domain.recorded(&blocked.condition)).collect();
        let all = self.domain.refresh && !leaves.is_empty() && conditions.len() == leaves.len();
        all.then(|| format!("every candidate is blocked, and nothing is known to help: {}", conditions.join("; ")))
    }

    pub fn shown(&self, facts: &Facts) -> BlockingTree {
        self.forest.shown(&self.domain, facts)
    }
}
