//! Context of a method: the session's path, the world, the program state, the model's traits, options, prompts and knowledge. Read
//! only; [`Context`] borrows it all, [`WorkInput`] is the part that work beside the episode takes along.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::derived::{DerivedState, History, Kept, folded, steps};
use super::lived::{Lived, LivedPath};
use super::options::TEMPERATURE;
use super::program_context::{ProgramContext, ProgramState};
use super::prompting::{Form, Prompting};
use super::publications::{self, Asked, Interface, SETTINGS};
use super::skills::{FORMS, SkillShelf, TIPS, with_tips};
use stepwright_episode::gate::AskSpec;
use stepwright_episode::{
    Action, ArtifactId, AskId, AskKind, Choice, Decision, Generation, Node, NodeId, PromptRecord, Proposal, Role,
    Session, Shape, Turn,
};
use stepwright_model::translator::Translator;
use stepwright_precondition::{Demo, DemonstrationError, SharedDemonstrations, enumerated_over};
use stepwright_program::{Assertion, Call, Effects, Rules, Specification};
use stepwright_sandbox::Workers;
use stepwright_trajectory::Step;
use stepwright_world::blocking::BlockingSource;
use stepwright_world::demonstration::Demonstration;
use stepwright_world::options::{OptionSpec, Values};
use stepwright_world::planner::classical::{self, PlanningTask};
use stepwright_world::planner::{Agent, AgentContext};
use stepwright_world::program::CheckedProgram;
use stepwright_world::{Atom, CLOSING, Facts, Kinds, Request, WordedPlan, World, WorldKind};

/// The temperature of random samples where nothing says another.
const SAMPLED: f64 = 0.7;

/// The traits of the model in use. Without a language model the built-in agents stand in.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ModelTraits {
    pub name: String,
    pub language: bool,
    /// Temperature of random samples, where one is set for it.
    pub temperature: Option<f64>,
    /// Frequency penalty of plans, where one is set for it.
    pub frequency_penalty: Option<f64>,
    /// Whether its answers are to be held to their form.
    #[serde(default)]
    pub structured: bool,
    /// How to have it continue raw text, where it now gets chat messages: a setting, in words.
    pub raw_setting: Option<String>,
    /// Whether it reports log-probabilities of given texts.
    pub scores: bool,
}

/// A model as a method sees it: its traits, and prompts as it wants them.
#[derive(Debug, Clone, Default)]
pub struct RoleModel {
    pub traits: ModelTraits,
    pub prompting: Prompting,
}

/// The model in use, and those that roles have of their own.
#[derive(Debug, Clone, Default)]
pub struct RoleModels {
    pub main: RoleModel,
    pub of: BTreeMap<Role, RoleModel>,
}

impl RoleModels {
    pub fn of(&self, role: Role) -> &RoleModel {
        self.of.get(&role).unwrap_or(&self.main)
    }

    pub fn of_mut(&mut self, role: Role) -> &mut RoleModel {
        self.of.get_mut(&role).unwrap_or(&mut self.main)
    }
}

/// Knowledge learned or loaded before the episode.
#[derive(Clone)]
pub struct Knowledge {
    /// The agent without a language model.
    pub proposer: Arc<dyn Agent>,
    pub demonstrations: Arc<Vec<Demonstration>>,
    pub blocking: BlockingSource,
    pub kind: String,
    /// The goals at the reset, where the world reports any.
    pub goals: Vec<Atom>,
    pub skills: Arc<SkillShelf>,
    /// The worlds there are, for saying which would do where a method does not fit.
    pub worlds: Kinds,
    demonstrated: Arc<OnceLock<Result<Arc<SharedDemonstrations>, DemonstrationError>>>,
    /// What the demonstrations show that actions change, found when first asked.
    effects: Arc<OnceLock<Arc<Effects>>>,
    /// What they show that actions need, found when first asked.
    inferred: Arc<OnceLock<Arc<Rules>>>,
    /// Whether somebody finds both beside the episode, and has not yet.
    postponed: Arc<AtomicBool>,
}

impl Knowledge {
    /// Of a world whose episode has not begun.
    pub fn new(
        world: &dyn World,
        proposer: Arc<dyn Agent>,
        demonstrations: Arc<Vec<Demonstration>>,
        blocking: BlockingSource,
    ) -> Self {
        let skills = Arc::new(SkillShelf::new(world.kind()));
        Knowledge {
            proposer,
            demonstrations,
            blocking,
            kind: String::new(),
            goals: Vec::new(),
            skills,
            worlds: Kinds::default(),
            demonstrated: Arc::default(),
            effects: Arc::default(),
            inferred: Arc::default(),
            postponed: Arc::default(),
        }
    }

    /// Says that somebody is about to find out beside the episode what the demonstrations show ([`Knowledge::infer`]): what is only shown does
    /// not wait for it.
    pub fn postpone(&self) {
        self.postponed.store(true, Ordering::Relaxed);
    }

    /// Whether what the demonstrations show is still being found out beside the episode.
    pub fn is_being_inferred(&self) -> bool {
        self.postponed.load(Ordering::Relaxed)
    }

    /// Finds out what the demonstrations show; it may take seconds.
    pub fn infer(&self, specification: &Specification) {
        /// Whatever becomes of it, nobody waits on.
        struct Ended<'a>(&'a AtomicBool);
        impl Drop for Ended<'_> {
            fn drop(&mut self) {
                self.0.store(false, Ordering::Relaxed);
            }
        }
        let _ended = Ended(&self.postponed);
        self.proposer.prepare();
        self.effects(specification);
        if !self.proposer.replies().is_empty() {
            self.inferred(specification);
        }
    }

    /// The demonstrations, executed once for all who read them.
    /// Errors: they do not run on the specification.
    pub fn demonstrated(&self, specification: &Specification) -> Result<Arc<SharedDemonstrations>, DemonstrationError> {
        let executed = || {
            let demos = self.demonstrations.iter().map(Demo::from).collect();
            SharedDemonstrations::new(specification, demos).map(Arc::new)
        };
        self.demonstrated.get_or_init(executed).clone()
    }

    /// What actions need, as the demonstrations show it; nothing where they do not run on the specification.
    pub fn inferred(&self, specification: &Specification) -> Arc<Rules> {
        let found = || {
            let found = self.demonstrated(specification).map_err(|e| e.to_string()).and_then(enumerated_over);
            let compile = |texts: Vec<String>| texts.iter().filter_map(|text| Assertion::compile(text).ok()).collect();
            Arc::new(found.unwrap_or_default().into_iter().map(|(action, texts)| (action, compile(texts))).collect())
        };
        Arc::clone(self.inferred.get_or_init(found))
    }

    /// What actions change, as the demonstrations show it; nothing where they do not run on the specification.
    pub fn effects(&self, specification: &Specification) -> Arc<Effects> {
        let found = || {
            let demos = self.demonstrated(specification);
            Arc::new(demos.map(|demos| demos.suggested_effects()).unwrap_or_default())
        };
        Arc::clone(self.effects.get_or_init(found))
    }

    /// Takes in what a world says of its task, once it is reset to it.
    pub fn meet(&mut self, world: &dyn World, task: &str) {
        self.kind = world.tasks().into_iter().find(|t| t.id == task).map(|t| t.kind).unwrap_or_default();
        self.goals = world.goals().unwrap_or_default();
    }
}

/// The timeline's other nodes than the cursor.
#[derive(Clone, Copy)]
pub struct Past<'a> {
    /// The request that was open at each node visited.
    pub requests: &'a BTreeMap<NodeId, Request>,
    /// The methods' derived states, as they are at the cursor.
    pub derived: &'a [Box<dyn DerivedState>],
    /// The true state at the cursor, in the form of a belief.
    pub truth: Option<&'a Value>,
    /// Whether that form is a person's own: it tells the program's state then, which the agent knows.
    pub is_own_form: bool,
    /// The path as it was read last.
    pub lived: &'a LivedPath,
}

impl<'a> Past<'a> {
    pub fn derived<T: 'static>(&self) -> Option<&'a T> {
        self.derived.iter().find_map(|derived| derived.as_any().downcast_ref())
    }
}

/// A method's view of the session at its cursor. Read-only: a method is pure over it.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The session; its cursor is where the method is asked.
    pub session: &'a Session,
    /// First ask of the present round: earlier proposals were dismissed.
    pub round: AskId,
    pub samples: Option<u32>,
    pub world: &'a dyn World,
    /// The specification with the assertions in force.
    pub program: &'a ProgramContext,
    pub state: &'a ProgramState,
    pub model: &'a ModelTraits,
    /// Prompts, demonstrations as programs, options.
    pub prompting: &'a Prompting,
    /// The model in use and those of roles.
    pub role_models: &'a RoleModels,
    pub knowledge: &'a Knowledge,
    pub past: Past<'a>,
    /// The sandbox for programs that models write.
    pub sandbox: &'a Workers,
}

impl<'a> Context<'a> {
    /// The same for asks of a role: the model that answers them, prompts as that wants them.
    pub fn of(&self, role: Role) -> Context<'a> {
        let RoleModel { traits, prompting } = self.role_models.of(role);
        Context { model: traits, prompting, ..*self }
    }

    pub fn options(&self) -> &'a Values {
        &self.prompting.options
    }

    /// The node at the cursor; `None` before the reset.
    pub fn node(&self) -> Option<&'a Node> {
        self.session.current()
    }

    /// The cursor's present round; `None` before the reset.
    pub fn round(&self) -> Option<Round<'a>> {
        Some(Round { turn: &self.node()?.turn, since: self.round })
    }

    /// The nodes from the reset to the cursor.
    pub fn path(&self) -> Vec<&'a Node> {
        self.session.path(self.session.cursor())
    }

    /// The form of a prompt for the model in use.
    pub fn form(&self) -> Form {
        if self.prompting.raw { Form::Raw } else { Form::Chat }
    }

    /// What the settings in force fixed for asks of that purpose.
    pub fn fixed(&self, purpose: &str) -> Asked {
        let row = publications::fixed(self.options().text(&SETTINGS), &self.session.method, self.world.kind().name);
        row.map_or(Asked::NOTHING, |row| row.asked(purpose))
    }

    /// The temperature of an ask: the option's, else that of the settings in force, the method's own, or the model's.
    pub fn temperature(&self, purpose: &str, own: Option<f64>) -> f64 {
        let given = self.options().number(&TEMPERATURE);
        given.or(self.fixed(purpose).temperature).or(own).or(self.model.temperature).unwrap_or(SAMPLED)
    }

    /// How many answers are asked for: as the settings in force have it, else the method.
    pub fn answers(&self, purpose: &str, own: u32) -> u32 {
        self.fixed(purpose).n.unwrap_or(own)
    }

    /// How answers are limited: as the settings in force have it, else the method.
    pub fn generation(&self, purpose: &str, own: Generation) -> Generation {
        self.fixed(purpose).generation(own)
    }

    /// The interface of an ask: the one that a person chose for the model, that of the settings in force, or the model's.
    pub fn interface(&self, purpose: &str) -> Interface {
        let own = if self.prompting.raw { Interface::Text } else { Interface::Chat };
        match self.fixed(purpose).interface {
            Some(Interface::Message) if self.prompting.raw => Interface::Text,
            Some(fixed) if fixed == Interface::Message || !self.prompting.chosen => fixed,
            _ => own,
        }
    }

    /// Fills a template in for an ask: the one of that name for a text, the one that ends in `_chat` for chat messages.
    pub fn render<C: Serialize>(&self, purpose: &str, template: &str, material: &C) -> Result<PromptRecord, String> {
        let interface = self.interface(purpose);
        if interface == Interface::Chat {
            return self.prompting.render(&format!("{template}_chat"), material);
        }
        let mut prompt = self.prompting.render(template, material)?;
        if interface == Interface::Message {
            prompt.messages.iter_mut().for_each(|message| "user".clone_into(&mut message.role));
        }
        Ok(prompt)
    }

    /// The reference program of the open request, or that none is written down; `None` where no answers are.
    pub fn reference(&self) -> Option<Result<&'a str, String>> {
        self.world.requests()?.reference()
    }

    /// The skills and tips at the cursor: the session's own, else those of an option.
    pub fn skills(&self, option: &OptionSpec) -> Result<Arc<stepwright_skill::Knowledge>, String> {
        let given = self.node().and_then(|node| node.document(&ArtifactId::KNOWLEDGE));
        self.knowledge.skills.known(given.map(AsRef::as_ref), self.options().text(option))
    }

    /// The call that closes a request; empty in a world without requests.
    pub fn closing(&self) -> &'static str {
        if self.world.requests().is_some() { CLOSING } else { "" }
    }

    /// The program state with the assertions in force.
    pub fn checked(&self) -> CheckedProgram {
        self.program.checked(self.state)
    }

    /// A program state with what the demonstrations show that actions change, and, where another party takes turns and no assertions
    /// are in force, with those they show.
    pub(crate) fn as_shown(&self, program: CheckedProgram) -> CheckedProgram {
        let effects = self.knowledge.effects(program.state().specification());
        let program = program.with_effects(effects);
        if self.knowledge.proposer.replies().is_empty() {
            return program;
        }
        program.or_inferred(|specification| self.knowledge.inferred(specification))
    }

    /// An action of the world by its text.
    pub fn action(&self, text: &str) -> Action {
        Action::new(text, self.world.call_of(text).map(|c| c.to_string()))
    }

    /// The action that an answer to the open request is: a program, where the world's own texts are none.
    pub fn answer(&self, text: &str) -> Action {
        let program = self.world.requests().and_then(|requests| requests.program(text));
        program.unwrap_or_else(|| self.action(text))
    }

    /// An ask of the language model in use for completions.
    pub fn ask(&self, kind: AskKind, prompt: PromptRecord, n: u32, temperature: f64) -> AskSpec {
        // Where those that are named cannot be read, nothing is asked at all.
        let tips = Some(&TIPS).filter(|tips| !self.options().text(tips).is_empty());
        let prompt = match tips.and_then(|tips| self.skills(tips).ok()) {
            Some(known) => with_tips(prompt, &known, self.options().is(&FORMS, "on")),
            None => prompt,
        };
        AskSpec { kind, model: self.model.name.clone(), prompt: Some(prompt), n, temperature, shape: Shape::Usual }
    }

    /// An ask without a language model, under the name of what answers it.
    pub fn own(&self, kind: AskKind, by: &str, n: u32, work: Value) -> AskSpec {
        let shape = Shape::Compute { work };
        AskSpec { kind, model: by.to_owned(), prompt: None, n, temperature: 0.0, shape }
    }

    fn lived(&self) -> Lived {
        self.past.lived.of(&self.path())
    }

    /// The trajectory as the agent lived it, the reset first.
    pub fn history(&self) -> Arc<Vec<Step>> {
        self.lived().steps
    }

    /// All calls on the way here, actions and observations.
    pub(crate) fn calls(&self) -> Arc<Vec<Call>> {
        self.lived().calls
    }

    /// The knowledge that work beside the episode takes along.
    pub fn known(&self) -> WorkInput {
        let (header, Lived { steps: history, taken, .. }) = (&self.session.header, self.lived());
        let problem = |sight| self.world.symbols()?.planning((&header.task, &header.sentence), &history, sight);
        let language = self.world.language();
        let steps = || self.world.admissible().unwrap_or_default().into();
        WorkInput {
            world: self.world.kind(),
            translator: self.prompting.translator.clone(),
            steps: language.map_or_else(steps, |language| language.steps()),
            examples: language.map_or_else(|| Arc::from([]), |language| language.examples()),
            sentence: header.sentence.clone(),
            problem: problem(classical::Unseen::InRoom),
            limited: problem(classical::Unseen::Nothing),
            history,
            taken,
            program: self.checked(),
            facts: self.world.facts(),
            goals: self.world.goals().unwrap_or_default(),
            reference: self.reference().and_then(Result::ok).map(str::to_owned),
            knowledge: self.knowledge.clone(),
            sandbox: self.sandbox.clone(),
        }
    }

    fn kept<H: History>(&self) -> Option<&H> {
        let kept = self.past.derived::<Kept<H>>()?;
        (kept.at == self.session.cursor()).then_some(&kept.history)
    }

    /// A history at the cursor, as the timeline keeps it or else made anew from the empty one.
    pub fn so_far<H: History>(&self, begun: H) -> H {
        match (self.kept::<H>(), self.node()) {
            (Some(kept), Some(here)) => {
                let mut history = kept.clone();
                history.stay(here);
                history
            }
            _ => folded(begun, &self.path()),
        }
    }

    /// A history for the timeline to keep from here on, where it does not yet.
    pub fn keep<H: History>(&self, begun: H) -> Option<Box<dyn DerivedState>> {
        let due = self.kept::<H>().is_none() && self.node().is_some();
        due.then(|| Box::new(Kept { history: steps(begun, &self.path()), at: self.session.cursor() }) as _)
    }
}

/// The situation at the cursor, as work beside the episode takes it along.
#[derive(Clone)]
pub struct WorkInput {
    pub world: &'static WorldKind,
    /// The search for the nearest of many sentences.
    pub translator: Translator,
    /// All steps in words, where the world has words for them; else the admissible actions; empty where it lists none.
    pub steps: Arc<[String]>,
    /// Example plans in words, where the world has them.
    pub examples: Arc<[WordedPlan]>,
    pub sentence: String,
    /// The planning problem, where the world has a planning domain: of what is seen, with goal things in the room.
    pub problem: Option<Result<PlanningTask, String>>,
    /// The planning problem of what is seen alone.
    pub limited: Option<Result<PlanningTask, String>>,
    /// The trajectory as the agent lived it, the reset first.
    pub history: Arc<Vec<Step>>,
    /// The actions taken on the way here, and whether the world refused them.
    pub taken: Arc<Vec<(String, bool)>>,
    pub program: CheckedProgram,
    pub facts: Option<Facts>,
    pub goals: Vec<Atom>,
    /// The reference program of the open request, where one is written down.
    pub reference: Option<String>,
    pub knowledge: Knowledge,
    pub sandbox: Workers,
}

impl WorkInput {
    /// The context of an agent without a language model; `rejected`: calls a person refused at this decision, with the reasons.
    pub fn agent<'a>(&'a self, rejected: &'a [(Call, String)]) -> AgentContext<'a> {
        AgentContext {
            sentence: &self.sentence,
            program: &self.program,
            history: &self.history,
            rejected,
            observed: self.facts.as_ref().map(|facts| (facts, self.goals.as_slice())),
            reference: self.reference.as_deref(),
        }
    }
}

/// Signals work beside the episode that it is no longer wanted.
#[derive(Debug, Clone)]
pub struct Stop(Arc<AtomicBool>);

impl Default for Stop {
    fn default() -> Self {
        Stop(Arc::new(AtomicBool::new(true)))
    }
}

impl Stop {
    pub fn stop(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    pub fn is_stopped(&self) -> bool {
        !self.0.load(Ordering::Relaxed)
    }

    /// The flag that is true while the work is to continue.
    pub fn keep_running(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

/// The cursor's asks and proposals, from the present round on.
#[derive(Debug, Clone, Copy)]
pub struct Round<'a> {
    pub turn: &'a Turn,
    /// First ask of the round. Earlier proposals were dismissed, by a rejection or by asking again.
    pub since: AskId,
}

impl<'a> Round<'a> {
    /// The round's proposals by models and agents, in order, rejected ones and those of a duel's sides left out.
    pub fn proposals(&self) -> impl Iterator<Item = &'a Proposal> + use<'a> {
        let Round { turn, since } = *self;
        turn.proposals
            .iter()
            .map(AsRef::as_ref)
            .filter(move |p: &&Proposal| p.ask.is_some_and(|a| a >= since) && turn.rejection(p.id).is_none())
            .filter(move |p| !kind_of(turn, p).is_some_and(AskKind::is_of_side))
    }

    pub fn has_asked(&self, kind: &AskKind) -> bool {
        self.asked(kind) > 0
    }

    pub fn asked(&self, kind: &AskKind) -> usize {
        self.turn.asks.iter().filter(|a| a.id >= self.since && a.kind.is(kind)).count()
    }
}

/// The proposal that a decision takes, or that the person edited for it.
pub fn source<'a>(turn: &'a Turn, decision: &Decision) -> Option<&'a Proposal> {
    turn.proposal(match decision.choice {
        Choice::Edit { from, .. } => from,
        _ => decision.proposal(),
    })
}

pub fn kind_of<'a>(turn: &'a Turn, proposal: &Proposal) -> Option<&'a AskKind> {
    let ask = proposal.ask?;
    turn.ask(ask).map(|a| &a.kind)
}

pub fn decided<'a>(from: &'a Node, to: &Node) -> Option<&'a Decision> {
    to.decision.and_then(|id| from.turn.decision(id))
}

/// The action a call stands for. Its own call is what the world reads its text as: a call of another party stands for the end of
/// a turn, which is no call of the agent's.
pub fn action_of(world: &dyn World, call: &Call) -> Option<Action> {
    let text = world.text_of(call)?;
    let call = world.call_of(&text).map(|c| c.to_string());
    Some(Action::new(text, call))
}
