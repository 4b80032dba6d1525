//! Household agent without a language model: plans over what it has seen, and explores where it has not.
//!
//! At each decision it reads the goal from the task sentence, builds its belief from the history, and searches for plans with the
//! effects learned from demonstrations, under the assertions in force. The first actions of the cheapest plans are its proposals;
//! where a thing has not been seen, plans hope to find it and pay for the search. Everything it knows about households beforehand is
//! here (sentence forms, how places and hands work) and in `worlds/household/likely.txt`.

mod facts;
pub mod goal;
mod goal_parts;
mod operators;
mod problem;
mod search_cost;
mod wanted;
mod words;

use std::sync::Arc;

use self::goal::Goal;
use self::problem::Household;
pub(super) use self::search_cost::is_shut;
use self::search_cost::natural;
use self::words::Grounds;
use super::belief::{
    ADD_INVENTORY, Belief, GOTO, OPEN, OPPOSITES, REMOVE_INVENTORY, SET_PROPERTY, TOGGLE, UPDATE_VISIBLE,
};
use stepwright_episode::Status;
use stepwright_program::{Call, Literal};
use stepwright_trajectory::Step;
use stepwright_world::demonstration::Demonstration;
use stepwright_world::planner::effects::{EffectModel, kind_of};
use stepwright_world::planner::search::{NoPlan, Plan, search};
use stepwright_world::planner::{Agent, AgentContext, GoalPart, LocationPrior, Ranked, Wanted};

/// The kind of place that gives a thing a property, where demonstrations do not show it.
pub(super) const TOOLS: &[(&str, &str)] = &[("clean", "sinkbasin"), ("heat", "microwave"), ("cool", "fridge")];

/// Where household objects tend to be, as shipped.
const LIKELY: &str = include_str!("../../../worlds/household/likely.txt");

/// Where household objects tend to be: the shipped table of our own judgement.
pub(crate) fn location_prior() -> LocationPrior {
    LocationPrior::parse(LIKELY)
}

/// States one search may expand.
const LIMIT: usize = 600;

#[derive(Debug, Clone)]
pub struct HouseholdAgent {
    effects: EffectModel,
    prior: LocationPrior,
    knows: bool,
}

pub fn learn(demonstrations: &[Demonstration]) -> Arc<dyn Agent> {
    Arc::new(HouseholdAgent::from_demonstrations(demonstrations))
}

impl Agent for HouseholdAgent {
    fn propose(&self, context: &AgentContext<'_>, most: usize) -> Vec<Ranked> {
        HouseholdAgent::propose(self, context, most)
    }

    fn wanted(&self, context: &AgentContext<'_>, most: usize) -> Vec<Wanted> {
        HouseholdAgent::wanted(self, context, most).into_iter().map(Wanted::from).collect()
    }

    fn effects(&self) -> &EffectModel {
        &self.effects
    }

    fn goal_parts(&self, sentence: &str, history: &[Step]) -> Vec<GoalPart> {
        let belief = Belief::of(history);
        self.goal(sentence, &belief).map(|goal| goal_parts::parts(&goal, &belief)).unwrap_or_default()
    }

    fn knows(&self) -> bool {
        self.knows
    }
}

/// The looks into places that a step shows: a place, and what it lists. The listing of the whole room at the start is none.
fn looks(step: &Step) -> impl Iterator<Item = (&str, Vec<&str>)> {
    let named = move |place: &str| {
        step.call.as_ref().is_some_and(|action| action.args.iter().any(|arg| arg.text() == Some(place)))
    };
    step.calls.iter().filter(|call| call.function == UPDATE_VISIBLE).filter_map(move |call| {
        let mut names = call.args.iter().filter_map(Literal::text);
        let place = names.next().filter(|place| named(place))?;
        Some((place, names.collect()))
    })
}

/// The goal read from a sentence, spelt with the kinds of places and things known of.
pub(super) fn goal_of(sentence: &str, belief: &Belief, prior: &LocationPrior) -> Option<Goal> {
    let places = goal::kinds(belief.places.iter().map(String::as_str));
    let objects = goal::kinds(belief.seen.iter().map(String::as_str).chain(prior.objects()));
    let objects: Vec<&str> = objects.into_iter().filter(|o| !places.contains(o)).collect();
    goal::read(sentence, &places, &objects)
}

impl HouseholdAgent {
    /// Learns effects and likely places from demonstrated steps.
    pub fn learn<'a>(steps: impl IntoIterator<Item = &'a Step>) -> Self {
        let steps: Vec<_> = steps.into_iter().collect();
        let mut prior = location_prior();
        for (place, things) in steps.iter().copied().flat_map(looks) {
            prior.learn(place, things);
        }
        HouseholdAgent { effects: EffectModel::learn(steps), prior, knows: false }
    }

    pub fn from_demonstrations(demonstrations: &[Demonstration]) -> Self {
        let learned = Self::learn(demonstrations.iter().flat_map(|d| &d.steps));
        HouseholdAgent { knows: shows_places(demonstrations), ..learned }
    }

    fn goal(&self, sentence: &str, belief: &Belief) -> Option<Goal> {
        goal_of(sentence, belief, &self.prior)
    }

    /// Up to `k` different actions, best first. Empty only when nothing at all can be thought of.
    pub fn propose(&self, context: &AgentContext<'_>, k: usize) -> Vec<Ranked> {
        let belief = Belief::of(context.history);
        let mut ranked = Ranking { taken: Vec::new(), rejected: context.rejected, most: k };
        let shortfall = match self.goal(context.sentence, &belief) {
            Some(goal) => self.plan(context, &belief, &goal, &mut ranked),
            None => Shortfall::because("the task sentence was not understood"),
        };
        if !ranked.is_full() {
            // Room is left for the action that would be next but fails: it shows, and is never first if anything else can be done.
            let reserved = usize::from(shortfall.failing.is_some() && k > 1);
            self.explore(context, &belief, &shortfall.remark, k - reserved, &mut ranked);
        }
        if let Some(failing) = shortfall.failing.filter(|_| !ranked.is_full()) {
            ranked.taken.push(failing);
        }
        ranked.taken.sort_by(|a, b| b.score.total_cmp(&a.score));
        ranked.taken
    }

    /// The actions the task wants, with the assertions ignored, at most `k`: of a plan those without which it would not reach the
    /// goal, in its order, down to a look for something not seen yet; without a plan, the place to look at next.
    pub fn wanted(&self, context: &AgentContext<'_>, k: usize) -> Vec<Call> {
        let belief = Belief::of(context.history);
        let mut wanted = Vec::new();
        if let Some(goal) = self.goal(context.sentence, &belief) {
            let mut problem = Household::new(&goal, &belief, &self.effects, &self.prior, context.program);
            problem.strict = false;
            let plan = search(&problem, problem.start(), LIMIT, |_| true).ok().filter(|plan| !is_hopeless(plan));
            wanted = plan.map(|plan| problem.wanted(&plan.actions)).unwrap_or_default();
        }
        if wanted.is_empty() {
            let mut ranked = Ranking { taken: Vec::new(), rejected: context.rejected, most: 1 };
            self.explore(context, &belief, "", 1, &mut ranked);
            wanted.extend(ranked.taken.into_iter().map(|r| r.call));
        }
        wanted.truncate(k);
        wanted
    }

    /// Ranks the first actions of the cheapest plans. Gives the rationale of actions without a plan.
    fn plan(&self, context: &AgentContext<'_>, belief: &Belief, goal: &Goal, ranked: &mut Ranking<'_>) -> Shortfall {
        let mut problem = Household::new(goal, belief, &self.effects, &self.prior, context.program);
        let grounds = Grounds { goal, belief, prior: &self.prior };
        while !ranked.is_full() {
            match search(&problem, problem.start(), LIMIT, |first| ranked.is_new(first)) {
                Ok(plan) if is_hopeless(&plan) => break,
                Ok(plan) => {
                    let Some(first) = plan.actions.first() else { return Shortfall::because("the goal seems to hold") };
                    ranked.add(first.clone(), -plan.cost, grounds.why(&plan.actions));
                }
                Err(_) if !ranked.taken.is_empty() => break,
                Err(_) if !problem.with_close => problem.with_close = true,
                Err(NoPlan::Impossible | NoPlan::Limit) if problem.was_blocked() => {
                    problem.strict = false;
                    return Self::blocked_plan(&problem, ranked);
                }
                Err(_) => break,
            }
        }
        Shortfall::because(match ranked.taken.is_empty() {
            true => "no plan reaches the goal with what is known",
            false => "no further plan was found",
        })
    }

    /// The plan if no assertion blocked it, and the assertion that does.
    fn blocked_plan(problem: &Household<'_>, ranked: &mut Ranking<'_>) -> Shortfall {
        let unblocked = search(problem, problem.start(), LIMIT, |first| ranked.is_new(first));
        let Some(plan) = unblocked.ok().filter(|plan| !is_hopeless(plan)) else {
            return Shortfall::because("no plan reaches the goal with what is known");
        };
        let Some((i, call, condition)) = problem.first_failing(&plan.actions) else {
            return Shortfall::because("no plan passes the assertions in force");
        };
        let remark = format!("no plan passes the assertions in force: `{call}` fails `{condition}`");
        let mut shortfall = Shortfall::because(&remark);
        if i == 0 {
            shortfall.failing = Some(Ranked { call, score: -2000.0, rationale: remark });
        } else if let Some(first) = plan.actions.first() {
            ranked.add(first.clone(), -500.0 - plan.cost, remark);
        }
        shortfall
    }

    /// Looks around where no plan says what to do: unseen places first, then those seen longest ago.
    fn explore(
        &self,
        context: &AgentContext<'_>,
        belief: &Belief,
        remark: &str,
        most: usize,
        ranked: &mut Ranking<'_>,
    ) {
        let receiver = self.effects.action(GOTO).map_or("agent", |m| m.receiver.as_str());
        let call = |function: &str, place: &str| Call::new(receiver, function, [place]);
        let mut offers: Vec<(Call, f64, String)> = Vec::new();
        let mut places: Vec<&String> = belief.places.iter().collect();
        places.sort_by(|a, b| natural(a, b));
        let crowd = |place: &str| belief.places.iter().filter(|p| kind_of(p) == kind_of(place)).count();
        for place in places {
            let (seen, here) = (belief.is_seen_into(place), belief.is_here(place));
            let shut = is_shut(belief, &self.prior, place);
            if here && shut {
                offers.push((call("open", place), -900.0, format!("{remark}{place} is closed and here")));
            } else if !here {
                // Kinds with few members first: they are looked through sooner.
                let rank = crowd(place) as f64 + if seen { 100.0 } else { 0.0 } + if shut { 20.0 } else { 0.0 };
                let why = if seen { "may be looked at again" } else { "has not been looked at" };
                offers.push((call(GOTO, place), -1000.0 - rank, format!("{remark}{place} {why}")));
            }
        }
        offers.sort_by(|a, b| b.1.total_cmp(&a.1));
        for (call, score, why) in offers {
            if ranked.taken.len() >= most {
                break;
            }
            let refused_here = belief.refused.iter().any(|(c, moves)| *c == call && *moves == belief.moves);
            if ranked.is_new(&call) && !refused_here && context.program.permits(&call) != Status::Fails {
                ranked.add(call, score, why);
            }
        }
    }
}

fn shows_places(demonstrations: &[Demonstration]) -> bool {
    let calls = demonstrations.iter().flat_map(Demonstration::calls).cloned().collect();
    !Belief::of(&[Step { calls, ..Step::default() }]).places.is_empty()
}

/// A plan that counts on things that are nowhere to be found.
fn is_hopeless(plan: &Plan<Call>) -> bool {
    plan.cost >= 1000.0
}

struct Shortfall {
    /// Said before what is offered instead; ends ready for more words.
    remark: String,
    /// The next step if its assertions did not fail.
    failing: Option<Ranked>,
}

impl Shortfall {
    fn because(remark: &str) -> Self {
        Shortfall { remark: format!("{remark}; "), failing: None }
    }
}

struct Ranking<'a> {
    taken: Vec<Ranked>,
    rejected: &'a [(Call, String)],
    most: usize,
}

impl Ranking<'_> {
    fn is_full(&self) -> bool {
        self.taken.len() >= self.most
    }

    fn is_new(&self, call: &Call) -> bool {
        !self.taken.iter().any(|r| r.call == *call) && !self.rejected.iter().any(|(c, _)| c == call)
    }

    fn add(&mut self, call: Call, score: f64, rationale: String) {
        self.taken.push(Ranked { call, score, rationale });
    }
}

#[cfg(test)]
mod tests;
