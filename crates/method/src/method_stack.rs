//! Method stack: the method in use with the layers over it. Layers are asked first and pass when they have nothing to do; an answer goes to the
//! member that makes asks of its kind.

use std::sync::Arc;

use serde_json::Value;

use super::belief_update::BeliefUpdate;
use super::blocking::{self, LiveTree};
use super::options::{BELIEF, BLOCKING};
use super::skills::{SHIPPED, SKILLS, TIPS};
use super::{
    Answer, Checks, Context, Deed, DerivedState, Knowledge, Method, Reading, Step, Stop, VetoedAction, WorkInput,
    explain,
};
use stepwright_episode::{Action, ArtifactId, Ask, AskKind, Decision, ProposalId, Shape};
use stepwright_skill::Knowledge as Skills;
use stepwright_world::World;
use stepwright_world::blocking::{BlockingSource, BlockingTree};
use stepwright_world::options::{OptionSpec, Values};

#[derive(Debug, Clone)]
pub struct MethodStack {
    method: Arc<dyn Method>,
    layers: Vec<Arc<dyn Method>>,
}

impl MethodStack {
    /// A method with the layers that its options name.
    pub fn new(method: Arc<dyn Method>, options: &Values) -> Self {
        let mut layers: Vec<Arc<dyn Method>> = Vec::new();
        if options.is(&BELIEF, "on") && !method.info().keeps_belief() {
            layers.push(Arc::new(BeliefUpdate));
        }
        if options.is(&BLOCKING, "on") && method.info().options.contains(&BLOCKING) {
            layers.push(Arc::new(blocking::BlockingChecks));
        }
        MethodStack { method, layers }
    }

    pub fn id(&self) -> &'static str {
        self.method.info().id
    }

    pub fn method(&self) -> Arc<dyn Method> {
        Arc::clone(&self.method)
    }

    fn members(&self) -> impl Iterator<Item = &Arc<dyn Method>> {
        self.layers.iter().chain([&self.method])
    }

    pub fn member(&self, kind: &AskKind) -> &Arc<dyn Method> {
        let layer = self.layers.iter().find(|layer| *kind == AskKind::BELIEF && layer.info().keeps_belief());
        layer.unwrap_or(&self.method)
    }

    /// The next step: the first other than [`Step::Pass`]. Nothing is asked as if tips led it that cannot be read.
    pub fn step(&self, cx: &Context<'_>) -> Step {
        let step = self.members().map(|member| member.step(cx)).find(|step| *step != Step::Pass).unwrap_or(Step::Pass);
        let leads = matches!(step, Step::Ask { .. }) && !cx.options().text(&TIPS).is_empty();
        match leads.then(|| cx.skills(&TIPS)) {
            Some(Err(why)) => Step::Error(format!("the tips that lead every request: {why}")),
            _ => step,
        }
    }

    /// The belief still to be written where the episode is over. No action comes of it.
    pub fn close(&self, cx: &Context<'_>) -> Step {
        let writes = |step: &Step| match step {
            Step::Ask { ask, .. } => ask.kind == AskKind::BELIEF,
            Step::Amend(written) => written.artifact == ArtifactId::BELIEF,
            _ => false,
        };
        let keepers = self.members().filter(|member| member.info().keeps_belief());
        keepers.map(|member| member.step(cx)).find(writes).unwrap_or(Step::Pass)
    }

    pub fn read(&self, cx: &Context<'_>, ask: &Ask, answer: &Answer) -> Reading {
        self.member(&ask.kind).read(cx, ask, answer)
    }

    pub fn shape(&self, cx: &Context<'_>, kind: &AskKind, raw: bool) -> Shape {
        self.member(kind).shape(cx, kind, raw)
    }

    /// All checks of an action by the members; one that replaces all others ends them.
    pub fn check(&self, cx: &Context<'_>, action: &Action, offered: bool) -> Checks {
        let mut all = Vec::new();
        for member in self.members() {
            match member.check(cx, action, offered) {
                Checks::Beside(checks) => all.extend(checks),
                instead @ Checks::Instead(_) => return instead,
            }
        }
        Checks::Beside(all)
    }

    /// How a decision is carried out: the first deed that is not just the action.
    pub fn carry_out(&self, cx: &Context<'_>, decision: &Decision, action: &Action) -> Deed {
        let mut deeds = self.members().map(|member| member.carry_out(cx, decision, action));
        deeds.find(|deed| *deed != Deed::Act).unwrap_or(Deed::Act)
    }

    /// Why the episode is over after a step.
    pub fn ended(&self, cx: &Context<'_>, decision: &Decision) -> Option<String> {
        self.members().find_map(|member| member.ended(cx, decision))
    }

    /// The derived state of an episode whatever method is in use, begun where the world is reset to its task.
    pub fn begin(knowledge: &Knowledge, world: &dyn World) -> Option<Box<dyn DerivedState>> {
        match &knowledge.blocking {
            BlockingSource::Domain(domain) => Some(Box::new(LiveTree::begin(domain, world)?)),
            BlockingSource::Assertions | BlockingSource::Gone(_) => None,
        }
    }

    /// The goals with what blocks them, and whether they are a tree that a person may change. Where no demonstrations show what else
    /// would explain a proposal, the world's own tree goes with every method.
    pub fn goals(&self, cx: &Context<'_>) -> (BlockingTree, bool) {
        let vetoed = self.vetoed(cx);
        let kept = self.members().find_map(|member| member.goals(cx, vetoed.as_ref()));
        let own = || cx.knowledge.demonstrations.is_empty().then(|| blocking::shown(cx)).flatten();
        let tree = kept.or_else(own);
        let is_live = tree.is_some();
        (tree.unwrap_or_else(|| explain::goals(cx)), is_live)
    }

    /// The conditions that block a proposal of the cursor's turn, under the task; `None` where it is another turn's.
    pub fn explain(&self, cx: &Context<'_>, proposal: ProposalId) -> Option<BlockingTree> {
        explain::explain(cx, proposal)
    }

    pub fn vetoed(&self, cx: &Context<'_>) -> Option<VetoedAction> {
        self.method.vetoed(cx)
    }

    /// Warnings for the person when these are taken into use.
    pub fn warnings<'a>(&'a self, cx: &'a Context<'_>) -> impl Iterator<Item = String> + 'a {
        let gone = match &cx.knowledge.blocking {
            BlockingSource::Gone(why) => Some(blocking::gone(why)),
            BlockingSource::Domain(_) | BlockingSource::Assertions => None,
        };
        gone.into_iter().chain(self.members().filter_map(|member| member.warning(cx)))
    }

    /// The derived states that the episode lacks.
    pub fn follow(&self, cx: &Context<'_>) -> Vec<Box<dyn DerivedState>> {
        self.members().filter_map(|member| member.follow(cx)).collect()
    }

    /// The skills and tips it works with at the cursor, and where they are from; nothing where it takes none, or they cannot be read.
    pub fn skills_in_use(&self, cx: &Context<'_>) -> Option<(Arc<Skills>, String)> {
        let takes =
            |key: &str| self.members().any(|member| member.info().options.iter().any(|option| option.key == key));
        let named = |option: &OptionSpec| cx.options().text(option).to_owned();
        // Tips lead prompts only where a file of them is named.
        let option =
            [&SKILLS, &TIPS].into_iter().find(|o| takes(o.key) && (o.key == SKILLS.key || !named(o).is_empty()))?;
        let known = cx.skills(option).ok()?;
        Some((known, Some(named(option)).filter(|name| !name.is_empty()).unwrap_or_else(|| SHIPPED.to_owned())))
    }

    /// Whether a belief is maintained.
    pub fn keeps_belief(&self) -> bool {
        self.members().any(|member| member.info().keeps_belief())
    }

    pub fn compute(&self, kind: &AskKind, known: &WorkInput, work: &Value, stop: &Stop) -> Result<Answer, String> {
        self.member(kind).compute(known, work, stop)
    }
}
