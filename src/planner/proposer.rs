//! The built-in symbolic proposer: no language model.
//!
//! Where another party takes turns in the demonstrations (dialogues) it does what they did, see [`super::imitation`]. Elsewhere,
//! at each decision it reads the goal from the task sentence, builds its belief from the history, and searches for plans with the
//! learned effects under the assertions in force. The first actions of the cheapest plans are its proposals; where a thing has not
//! been seen, plans hope to find it and pay for the search. Deterministic.

use super::Observed;
use super::effects::{EffectModel, Sample, kind_of};
use super::household::belief::Belief;
use super::household::goal::{self, Goal};
use super::household::likely::Likely;
use super::household::outlook::{is_shut, natural};
use super::household::problem::Household;
use super::household::words::Grounds;
use super::imitation::Imitation;
use super::program_view::ProgramView;
use super::search::{NoPlan, Plan, search};
use crate::episode::Status;
use crate::program::Call;
use crate::world::demonstration::Demonstration;

/// States one search may expand.
const LIMIT: usize = 600;

/// What a decision is made on: only what the agent was told and saw.
#[derive(Debug, Clone, Copy)]
pub struct ProposeContext<'a, P> {
    /// The task as the agent is told it.
    pub sentence: &'a str,
    /// The program state with the assertions in force.
    pub program: &'a P,
    /// Everything so far, the reset first.
    pub history: &'a [Observed],
    /// Calls a person refused at this decision, with the reasons given.
    pub rejected: &'a [(Call, String)],
}

/// A proposed action.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The action.
    pub call: Call,
    /// Higher is better. Of a plan: minus the expected number of steps to the goal, lower still where no plan stands behind it.
    /// Of imitation: a probability, which is above 0.
    pub score: f64,
    /// Why, in words for people.
    pub rationale: String,
}

/// Proposes actions by planning over what the agent has seen, or by imitating demonstrations.
#[derive(Debug, Clone)]
pub struct SymbolicProposer {
    effects: EffectModel,
    likely: Likely,
    imitation: Option<Imitation>,
}

impl SymbolicProposer {
    /// Learns effects and habits from demonstrated steps.
    pub fn learn<'a>(samples: impl IntoIterator<Item = Sample<'a>>) -> Self {
        let samples: Vec<_> = samples.into_iter().collect();
        let mut likely = Likely::shipped();
        likely.learn(samples.iter().copied());
        SymbolicProposer { effects: EffectModel::learn(samples), likely, imitation: None }
    }

    /// Learns from whole demonstrations.
    pub fn from_demonstrations(demonstrations: &[Demonstration]) -> Self {
        let learned = Self::learn(demonstrations.iter().flat_map(|d| &d.steps).map(Sample::from));
        // Where the demonstrations show places, there is something to plan on.
        let imitation = if shows_places(demonstrations) { None } else { Imitation::of(demonstrations) };
        SymbolicProposer { imitation, ..learned }
    }

    /// The learned effects.
    pub fn effects(&self) -> &EffectModel {
        &self.effects
    }

    /// The different calls of another party in the demonstrations, where it imitates.
    pub fn replies(&self) -> Vec<Call> {
        self.imitation.as_ref().map(Imitation::replies).unwrap_or_default()
    }

    /// The goal read from a sentence, spelt with the kinds of places and things known of; none where it imitates, because what
    /// a person says there is no goal.
    pub fn goal(&self, sentence: &str, belief: &Belief) -> Option<Goal> {
        if self.imitation.is_some() {
            return None;
        }
        let places = goal::kinds(belief.places.iter().map(String::as_str));
        let objects = goal::kinds(belief.seen.iter().map(String::as_str).chain(self.likely.objects()));
        let objects: Vec<&str> = objects.into_iter().filter(|o| !places.contains(o)).collect();
        goal::read(sentence, &places, &objects)
    }

    /// Up to `k` different actions, best first. Empty only when nothing at all can be thought of.
    pub fn propose<P: ProgramView>(&self, context: &ProposeContext<'_, P>, k: usize) -> Vec<Ranked> {
        if let Some(imitation) = &self.imitation {
            return imitation.propose(context, k);
        }
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

    /// The actions the task wants, whatever the assertions say, at most `k`: of a plan those without which it would not reach the
    /// goal, in its order, down to a look for something not seen yet; without a plan, the place to look at next.
    pub fn wanted<P: ProgramView>(&self, context: &ProposeContext<'_, P>, k: usize) -> Vec<Call> {
        if let Some(imitation) = &self.imitation {
            return imitation.wanted(context, k);
        }
        let belief = Belief::of(context.history);
        let mut wanted = Vec::new();
        if let Some(goal) = self.goal(context.sentence, &belief) {
            let mut problem = Household::new(&goal, &belief, &self.effects, &self.likely, context.program);
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

    /// Ranks the first actions of the cheapest plans. Gives what to say beside actions that no plan stands behind.
    fn plan<P: ProgramView>(
        &self,
        context: &ProposeContext<'_, P>,
        belief: &Belief,
        goal: &Goal,
        ranked: &mut Ranking<'_>,
    ) -> Shortfall {
        let mut problem = Household::new(goal, belief, &self.effects, &self.likely, context.program);
        let grounds = Grounds { goal, belief, likely: &self.likely };
        while !ranked.is_full() {
            match search(&problem, problem.start(), LIMIT, |first| ranked.is_new(first)) {
                Ok(plan) if is_hopeless(&plan) => break,
                Ok(plan) => {
                    let Some(first) = plan.actions.first() else { return Shortfall::because("the goal seems to hold") };
                    let rationale = format!("{} ({})", grounds.why(&plan.actions), steps_to_go(plan.cost));
                    ranked.add(first.clone(), -plan.cost, rationale);
                }
                Err(_) if !ranked.taken.is_empty() => break,
                Err(_) if !problem.with_close => problem.with_close = true,
                Err(NoPlan::Impossible | NoPlan::Limit) if problem.was_blocked() => {
                    problem.strict = false;
                    return self.blocked_plan(context, &problem, ranked);
                }
                Err(_) => break,
            }
        }
        Shortfall::because("no plan reaches the goal with what is known")
    }

    /// What would be done if the assertions did not stand in the way, and which one does.
    fn blocked_plan<P: ProgramView>(
        &self,
        context: &ProposeContext<'_, P>,
        problem: &Household<'_, P>,
        ranked: &mut Ranking<'_>,
    ) -> Shortfall {
        let unblocked = search(problem, problem.start(), LIMIT, |first| ranked.is_new(first));
        let Some(plan) = unblocked.ok().filter(|plan| !is_hopeless(plan)) else {
            return Shortfall::because("no plan reaches the goal with what is known");
        };
        let mut program = context.program.clone();
        for (i, call) in plan.actions.iter().enumerate() {
            if let Some(failing) = program.check(call).into_iter().find(|c| c.status == Status::Fails) {
                let condition = failing.condition;
                let remark = format!("no plan passes the assertions in force: `{call}` fails `{condition}`");
                let mut shortfall = Shortfall::because(&remark);
                if i == 0 {
                    shortfall.failing = Some(Ranked { call: call.clone(), score: -2000.0, rationale: remark });
                } else if let Some(first) = plan.actions.first() {
                    ranked.add(first.clone(), -500.0 - plan.cost, remark);
                }
                return shortfall;
            }
            program.apply(&self.effects.predict(call));
        }
        Shortfall::because("no plan passes the assertions in force")
    }

    /// Looks around where no plan says what to do: unseen places first, then those seen longest ago.
    fn explore<P: ProgramView>(
        &self,
        context: &ProposeContext<'_, P>,
        belief: &Belief,
        remark: &str,
        most: usize,
        ranked: &mut Ranking<'_>,
    ) {
        let receiver = self.effects.action(super::household::GOTO).map_or("agent", |m| m.receiver.as_str());
        let call = |function: &str, place: &str| Call::new(receiver, function, [place]);
        let mut offers: Vec<(Call, f64, String)> = Vec::new();
        let mut places: Vec<&String> = belief.places.iter().collect();
        places.sort_by(|a, b| natural(a, b));
        let crowd = |place: &str| belief.places.iter().filter(|p| kind_of(p) == kind_of(place)).count();
        for place in places {
            let (seen, here) = (belief.is_seen_into(place), belief.is_here(place));
            let shut = is_shut(belief, &self.likely, place);
            if here && shut {
                offers.push((call("open", place), -900.0, format!("{remark}{place} is closed and here")));
            } else if !here {
                // Kinds with few members first: they are looked through sooner.
                let rank = crowd(place) as f64 + if seen { 100.0 } else { 0.0 } + if shut { 20.0 } else { 0.0 };
                let why = if seen { "may be looked at again" } else { "has not been looked at" };
                offers.push((call(super::household::GOTO, place), -1000.0 - rank, format!("{remark}{place} {why}")));
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

/// Whether the demonstrations tell of a household's places.
fn shows_places(demonstrations: &[Demonstration]) -> bool {
    let calls = demonstrations.iter().flat_map(Demonstration::calls).cloned().collect();
    !Belief::of(&[Observed { calls, ..Observed::default() }]).places.is_empty()
}

fn steps_to_go(cost: f64) -> String {
    match cost.round() {
        steps if steps <= 1.0 => "the last step".to_owned(),
        steps => format!("about {steps:.0} steps to go"),
    }
}

/// A plan that counts on things that are nowhere to be found.
fn is_hopeless(plan: &Plan<Call>) -> bool {
    plan.cost >= 1000.0
}

/// Why plans do not fill the ranking.
struct Shortfall {
    /// Said before what is offered instead; ends ready for more words.
    remark: String,
    /// What would be done next if its assertions did not fail.
    failing: Option<Ranked>,
}

impl Shortfall {
    fn because(remark: &str) -> Self {
        Shortfall { remark: format!("{remark}; "), failing: None }
    }
}

/// The proposals so far.
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
#[path = "proposer_tests.rs"]
mod tests;
