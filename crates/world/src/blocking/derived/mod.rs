//! A blocking domain derived from assertions and demonstrations, for worlds that have none.
//!
//! An unmet assertion of an action is a blocking condition; the calls that make it true in the demonstrations are its resolution
//! actions ([`super::derive`] finds them). A refusal of the world that no assertion foresaw is one as well, and what came before
//! such actions in the demonstrations ([`Before`]) may resolve it. The roots are the actions the built-in agent wants, below the goals
//! that the world reports, else below the open request or the task. Where no effect is known to meet a condition, or the action with that
//! effect was just taken in vain, what the agent would do next may.
//! Assertions are expressions over the program's state, so the domain is ground and rebuilt for each moment (`ground`): it says
//! of each action in the trees what blocks it, and of each blocked one what may resolve that.

mod before;
mod ground;

pub use before::Before;

use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::derive::Means;
use super::domain::Domain;
use super::environment::Requested;
use super::forest::Forest;
use crate::literal::{Atom, Facts};
use crate::planner::{Agent, AgentContext, Wanted};
use crate::program::CheckedProgram;
use stepwright_program::Call;
use stepwright_trajectory::Step;

const ROOTS: usize = 5;
/// Proposals of the agent that are looked at.
const ADVICE: usize = 4;
/// Refusals of one action that a tree answers by what came before it in demonstrations; more of them count for the agent too.
pub const EXCUSED: usize = 3;
/// Evaluations of assertions for all that is derived at one moment. What is not found with them counts as not known.
pub const EVALUATIONS: usize = 6000;

/// The grounds of derived domains, for a whole episode.
#[derive(Debug)]
pub struct Basis {
    pub sentence: String,
    /// The agent that knows the effects of actions and the task's goals.
    pub agent: Arc<dyn Agent>,
    /// The actions before others in the demonstrations.
    pub before: Before,
}

/// What the world reports at a moment beside what the records say.
#[derive(Debug, Clone, Default)]
pub struct Report {
    symbols: Option<(Arc<Facts>, Vec<Atom>)>,
    request: Option<Requested>,
}

impl Report {
    pub fn of(world: &(impl super::environment::Environment + ?Sized)) -> Self {
        let symbols = world.shared_facts().map(|facts| (facts, world.goals().unwrap_or_default()));
        Report { symbols, request: world.requested() }
    }
}

pub type TextOf<'a> = &'a dyn Fn(&Call) -> Option<String>;

/// A call that may resolve a condition.
#[derive(Debug, Clone)]
struct Offered {
    call: Call,
    /// Whether it only may.
    maybe: bool,
    /// Why it is offered.
    means: Means,
}

impl Offered {
    fn maybe(call: Call, means: Means) -> Self {
        Offered { call, maybe: true, means }
    }
}

/// The grounds of a derived domain at a moment: a function of the steps so far and of the trees; cheap to clone.
#[derive(Debug, Clone)]
pub struct Derived {
    basis: Arc<Basis>,
    program: CheckedProgram,
    /// Everything so far, the reset first.
    history: Arc<Vec<Step>>,
    won: bool,
    report: Report,
    /// The actions that the agent without a model wants now.
    wanted: Vec<Wanted>,
    /// The actions that the agent would take now, the best first.
    pub advice: OnceCell<Vec<Call>>,
    /// The other party's calls in the demonstrations.
    replies: Arc<Vec<Call>>,
    /// The resolutions of the conditions looked at in this moment: by action and number of the condition.
    offers: BTreeMap<(String, usize), Vec<Offered>>,
    /// The conditions that the action taken last was offered for, likewise.
    pub answered: BTreeSet<(String, usize)>,
    /// The evaluations that are left at this moment.
    pub left: Cell<usize>,
    facts: Facts,
}

impl Derived {
    /// At the beginning of an episode: the program's state after the reset with the assertions in force, and the reset.
    pub fn new(basis: Arc<Basis>, program: CheckedProgram, reset: Step, report: Report) -> Self {
        let mut derived = Derived {
            replies: Arc::new(basis.agent.replies()),
            basis,
            program,
            history: Arc::new(vec![reset]),
            won: false,
            report,
            wanted: Vec::new(),
            advice: OnceCell::new(),
            offers: BTreeMap::new(),
            answered: BTreeSet::new(),
            left: Cell::new(EVALUATIONS),
            facts: Facts::default(),
        };
        derived.wanted = derived.wants();
        derived
    }

    /// Takes in a step, whether the task is done with it, and what the world reports after it.
    pub fn hear(&mut self, step: Step, won: bool, report: Report) {
        if !step.refused {
            self.program.apply(step.call.as_slice());
        }
        self.program.apply(&step.calls);
        let taken = step.call.as_ref().filter(|_| !step.refused);
        let offered = |offers: &[Offered]| offers.iter().any(|offer| Some(&offer.call) == taken);
        let answered = self.offers.iter().filter(|(_, offers)| offered(offers)).map(|(condition, _)| condition.clone());
        self.answered = answered.collect();
        Arc::make_mut(&mut self.history).push(step);
        (self.won, self.report, self.advice) = (won, report, OnceCell::new());
        self.offers.clear();
        self.left.set(EVALUATIONS);
        self.wanted = self.wants();
    }

    /// The facts that hold now, as literals of the domain made last.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The goals that the wanted actions are for, as long as the world does not say that the task is done.
    pub fn goals(&self) -> Vec<Atom> {
        if self.won {
            return Vec::new();
        }
        let mut goals: Vec<String> = Vec::new();
        for wanted in &self.wanted {
            let goal = self.goal_of(wanted);
            if !goals.contains(&goal) {
                goals.push(goal);
            }
        }
        if goals.is_empty() {
            goals.push(self.task());
        }
        goals.into_iter().map(|predicate| Atom { predicate, args: Vec::new() }).collect()
    }

    fn goal_of(&self, wanted: &Wanted) -> String {
        wanted.goal.as_ref().map_or_else(|| self.task(), ToString::to_string)
    }

    /// The open request, else the task as stated.
    fn task(&self) -> String {
        self.request().unwrap_or(&self.basis.sentence).to_owned()
    }

    /// The words of the open request.
    pub(super) fn request(&self) -> Option<&str> {
        self.report.request.as_ref().map(|request| request.words.as_str()).filter(|words| !words.trim().is_empty())
    }

    /// Its place in the episode, by which it is told from others of the same words.
    pub(super) fn request_number(&self) -> Option<usize> {
        self.report.request.as_ref().map(|request| request.number)
    }

    /// Why a goal has no action below it.
    fn rootless(&self) -> &'static str {
        match self.basis.agent.effects().actions().next() {
            Some(_) => "the demonstrations show no action that leads to the task from here",
            None => "there are no demonstrations, and without them no action is known to lead to the task",
        }
    }

    /// The domain of this moment, for the present trees, and with an action that is about to be selected or added.
    pub fn domain(&mut self, forest: &Forest, next: Option<Call>, text_of: TextOf<'_>) -> Domain {
        let (domain, facts) = ground::domain(self, forest, next, text_of);
        self.facts = facts;
        domain
    }

    fn refusals(&self, call: &Call) -> usize {
        self.history.iter().filter(|step| step.refused && step.call.as_ref() == Some(call)).count()
    }

    fn context<T>(&self, history: &[Step], ask: impl FnOnce(&AgentContext<'_>) -> T) -> T {
        ask(&AgentContext {
            sentence: &self.basis.sentence,
            program: &self.program,
            history,
            rejected: &[],
            observed: self.report.symbols.as_ref().map(|(facts, goals)| (facts.as_ref(), goals.as_slice())),
            reference: self.report.request.as_ref().and_then(|request| request.reference.as_deref()),
        })
    }

    /// The actions that the agent without a model wants. Refusals that the trees answer do not count against an action.
    fn wants(&self) -> Vec<Wanted> {
        if self.won {
            return Vec::new();
        }
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        let counts = |step: &&Step| match &step.call {
            Some(call) if step.refused && !self.basis.before.of(call).is_empty() => {
                let times = times.entry(call.to_string()).or_default();
                *times += 1;
                *times > EXCUSED
            }
            _ => true,
        };
        let history: Vec<Step> = self.history.iter().filter(counts).cloned().collect();
        let goals = self.report.symbols.as_ref().map_or(0, |(_, goals)| goals.len());
        self.context(&history, |context| self.basis.agent.wanted(context, ROOTS.max(goals)))
    }

    /// The best action that the agent would take now, but for these: what it knows of the world beyond assertions and effects.
    fn advice(&self, but: &[Call]) -> Option<&Call> {
        let propose = || self.context(&self.history, |context| self.basis.agent.propose(context, ADVICE));
        let all = self.advice.get_or_init(|| propose().into_iter().map(|ranked| ranked.call).collect());
        all.iter().find(|call| !but.contains(call))
    }

    /// The action taken last: what it was to bring about, and is still wanted, did not follow.
    fn taken_in_vain(&self) -> Option<&Call> {
        self.history.last().filter(|step| !step.refused)?.call.as_ref()
    }

    /// Whether the condition of that number of an action is an open question: what was offered for it was just done with the same things
    /// and did not bring it about as far as can be seen, and the agent would take the action all the same.
    fn is_open(&self, call: &Call, index: usize) -> bool {
        let about = |last: &Call| last.args.iter().any(|arg| call.args.contains(arg));
        self.taken_in_vain().is_some_and(about)
            && self.answered.contains(&(call.to_string(), index))
            && self.advice(&[]) == Some(call)
    }

    /// Whether an action was taken after a refusal of another, and that was refused again.
    fn was_no_help(&self, action: &Call, refused: &Call) -> bool {
        let is = |step: &Step, call: &Call, so: bool| step.refused == so && step.call.as_ref() == Some(call);
        let mut since = self.history.iter().skip_while(|step| !is(step, refused, true));
        since.any(|step| is(step, action, false)) && since.any(|step| is(step, refused, true))
    }

    /// The likely precondition of a refused action: the one that came before such actions in the demonstrations, but
    /// was not done last, nor in vain.
    fn missing(&self, call: &Call) -> Option<Call> {
        let last = self.history.iter().rev().find(|step| !step.refused).and_then(|step| step.call.as_ref());
        let due =
            |other: &Call| Some(other) != last && self.refusals(other) < EXCUSED && !self.was_no_help(other, call);
        self.basis.before.of(call).into_iter().find(due)
    }

    /// Whether an action that the world refused has to wait: nothing in the demonstrations says what it lacks, nothing that it follows
    /// there was done since, and the agent would do something else now.
    fn waits(&self, call: &Call) -> bool {
        let last = self.history.iter().rposition(|step| step.call.as_ref() == Some(call));
        let Some((last, since)) = last.and_then(|at| self.history.split_at_checked(at)?.1.split_first()) else {
            return false;
        };
        let before = self.basis.before.of(call);
        let helps = |step: &Step| !step.refused && step.call.as_ref().is_some_and(|call| before.contains(call));
        last.refused
            && !since.iter().any(helps)
            && self.missing(call).is_none()
            && self.advice(&[]).is_some_and(|advice| advice != call)
    }

    /// Whether the world refused an action so often, and accepted nothing since, that one more try tells nothing new, and nothing in the
    /// demonstrations says what it lacks.
    fn is_given_up(&self, call: &Call) -> bool {
        let since = self.history.iter().rev().take_while(|step| step.refused);
        since.filter(|step| step.call.as_ref() == Some(call)).count() >= EXCUSED && self.missing(call).is_none()
    }
}
