//! Dialogue agent without a language model: imitates what the demonstrations' agent did next, turn by turn.
//!
//! Learns from program calls alone: after which calls of both parties which action was taken, and where a turn ended. Knows no
//! world, no function by name and no text; arguments are compared, never read. Only actions whose assertions hold are
//! proposed.
//!
//! Ten demonstrations show a choice that falls either way a handful of times, and what they show most may be the rarer. So others, in
//! which the same is chosen between, are learned from beside them: how likely a choice is where, never what can be done or said.

mod exchanges;
mod features;
mod fit;
mod moment;
mod words;

use std::sync::{Arc, OnceLock};

use self::exchanges::Exchanges;
use self::features::Scene;
use self::fit::{Decision, Weights, probabilities};
use self::moment::{Heard, Moment, NOTHING, Parties};
use self::words::Habits;
use stepwright_episode::Status;
use stepwright_program::Call;
use stepwright_trajectory::Step;
use stepwright_world::demonstration::Demonstration;
use stepwright_world::planner::{Agent, AgentContext, EffectModel, Ranked, Wanted};
use stepwright_world::program::CheckedProgram;

/// A turn this many actions longer than any demonstrated one is offered to end first.
const PATIENCE: usize = 2;

/// Questions that block questions are looked into this deep.
const NEEDED: usize = 2;

/// The agent of a world in which another party takes turns. It offers nothing where the demonstrations show no such party.
#[derive(Debug, Clone)]
pub(crate) struct DialogueAgent {
    effects: EffectModel,
    imitation: Option<Imitation>,
}

/// The agent of demonstrations, which learns what is likely from others beside them too.
pub fn learn(demonstrations: &[Demonstration], others: &[&[Demonstration]]) -> Arc<dyn Agent> {
    let effects = EffectModel::learn(demonstrations.iter().flat_map(|d| &d.steps));
    let imitation = Imitation::of(demonstrations).map(|imitation| imitation.beside(others));
    Arc::new(DialogueAgent { effects, imitation })
}

impl Agent for DialogueAgent {
    fn propose(&self, context: &AgentContext<'_>, most: usize) -> Vec<Ranked> {
        self.imitation.as_ref().map(|imitation| imitation.propose(context, most)).unwrap_or_default()
    }

    fn wanted(&self, context: &AgentContext<'_>, most: usize) -> Vec<Wanted> {
        let wanted = self.imitation.as_ref().map(|imitation| imitation.wanted(context, most)).unwrap_or_default();
        wanted.into_iter().map(Wanted::from).collect()
    }

    fn effects(&self) -> &EffectModel {
        &self.effects
    }

    fn replies(&self) -> Vec<Call> {
        self.imitation.as_ref().map(Imitation::replies).unwrap_or_default()
    }

    fn asks_for(&self, history: &[Step], reply: &Call) -> Vec<Call> {
        let asks = |imitation: &Imitation| imitation.asks_for(&imitation.now(history).0, reply);
        self.imitation.as_ref().map(asks).unwrap_or_default()
    }

    fn prepare(&self) {
        self.imitation.as_ref().map(|imitation| imitation.learned.get_or_init(|| imitation.learn()));
    }

    fn is_prepared(&self) -> bool {
        self.imitation.as_ref().is_none_or(|imitation| imitation.learned.get().is_some())
    }

    fn lacks(&self) -> Option<&'static str> {
        let alone = "no other dialogue of the service is there to learn from; add one to the data, choose a language model, or \
                     type the action";
        self.imitation.is_none().then_some(alone)
    }

    fn knows(&self) -> bool {
        self.imitation.is_some()
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Imitation {
    parties: Parties,
    demos: Vec<Vec<Call>>,
    /// Each different action of the demonstrations, in order of first appearance.
    known: Vec<Heard>,
    longest: usize,
    exchanges: Exchanges,
    /// Of other demonstrations, in which the same is chosen between: what is likely is learned from them too.
    others: Vec<Imitation>,
    /// Learned when first asked.
    learned: OnceLock<Learned>,
}

#[derive(Debug, Clone)]
struct Learned {
    weights: Weights,
    habits: Habits,
}

impl Imitation {
    /// Of demonstrations; `None` if no other party takes turns in them.
    pub fn of(demonstrations: &[Demonstration]) -> Option<Self> {
        let parties = Parties::of(demonstrations)?;
        let demos: Vec<Vec<Call>> = demonstrations.iter().map(|d| d.calls().cloned().collect()).collect();
        let mut known: Vec<Heard> = Vec::new();
        let mut longest = 0;
        for calls in &demos {
            let mut moment = Moment::default();
            for call in calls {
                if parties.is_action(call) && !known.contains(&Heard::from(call)) {
                    known.push(Heard::from(call));
                }
                moment.hear(&parties, call);
                longest = longest.max(moment.turn.len());
            }
        }
        let exchanges = Exchanges::of(&parties, &demos);
        Some(Imitation { parties, demos, known, longest, exchanges, others: Vec::new(), learned: OnceLock::new() })
    }

    /// Itself, learning what is likely from other demonstrations too, as far as they have actions of its own.
    pub fn beside(self, others: &[&[Demonstration]]) -> Self {
        let is_alike = |other: &Imitation| other.parties.has_actions_of(&self.parties);
        let others = others.iter().filter_map(|of| Imitation::of(of)).filter(is_alike).collect();
        Imitation { others, ..self }
    }

    /// Up to `k` different next calls, most probable first; a call of the other party stands for ending the turn. The scores
    /// are natural logarithms of probabilities.
    pub fn propose(&self, context: &AgentContext<'_>, k: usize) -> Vec<Ranked> {
        self.ranked(context, k, |call| context.program.permits(call) != Status::Fails)
    }

    /// The same, with the assertions ignored, and with what the turn owes: an answer that is due before its end, of questions those
    /// first that the call needs which was asked for, and that call itself.
    pub fn wanted(&self, context: &AgentContext<'_>, k: usize) -> Vec<Call> {
        let asking = |call: &Call| self.exchanges.is_question(&Heard::from(call));
        // A question that may not be asked, because it was answered, is wanted by nobody.
        let may = |call: &Call| !asking(call) || context.program.permits(call) != Status::Fails;
        let mut wanted: Vec<Call> = self.ranked(context, k, may).into_iter().map(|ranked| ranked.call).collect();
        let (moment, refused) = self.now(context.history);
        let open = self.open_call(context.history).filter(|open| {
            let is = |heard: &Heard| heard.call == *open;
            !moment.turn.iter().any(is) && !refused.iter().any(is)
        });
        let ends = wanted.first().is_some_and(|first| self.parties.is_other(first));
        let asks = wanted.first().is_some_and(asking);
        let first = match &open {
            _ if ends => self.exchanges.due(&moment, &self.known),
            Some(open) if asks => {
                self.needed(context.program, open, &moment, NEEDED).into_iter().filter(asking).collect()
            }
            _ => Vec::new(),
        };
        if let Some(call) = first.first().filter(|_| !first.iter().any(|call| wanted.first() == Some(call))) {
            wanted.retain(|other| other != call);
            wanted.insert(0, call.clone());
        }
        let open = open.filter(|open| !wanted.contains(open));
        wanted.truncate(k.saturating_sub(usize::from(open.is_some())));
        wanted.extend(open);
        wanted
    }

    /// The call that was named last, by the other party or to it: what it wants done.
    fn open_call(&self, history: &[Step]) -> Option<Call> {
        let named = |call: &Call| {
            let [name] = call.args.as_slice() else { return None };
            let is = |known: &&Heard| known.args == NOTHING && name.text() == Some(known.call.function.as_str());
            self.known.iter().find(is).map(|known| known.call.clone())
        };
        let own = |step: &Step| {
            step.call.as_ref().filter(|call| !step.refused && !self.parties.is_other(call)).and_then(named)
        };
        history.iter().rev().find_map(|step| step.calls.iter().rev().find_map(named).or_else(|| own(step)))
    }

    /// The questions whose answers meet what blocks a call, or what blocks such questions.
    fn needed(&self, program: &CheckedProgram, call: &Call, moment: &Moment, depth: usize) -> Vec<Call> {
        let mut needed: Vec<Call> = Vec::new();
        let checks = program.check(call);
        for (at, _) in checks.iter().enumerate().filter(|(_, check)| check.status == Status::Fails) {
            for reply in self.replies() {
                let mut then = program.clone();
                then.apply(std::slice::from_ref(&reply));
                if then.check(call).get(at).is_none_or(|check| check.status != Status::Holds) {
                    continue;
                }
                for ask in self.asks_for(moment, &reply) {
                    if program.permits(&ask) != Status::Fails {
                        needed.push(ask);
                    } else if let Some(deeper) = depth.checked_sub(1) {
                        needed.extend(self.needed(program, &ask, moment, deeper));
                    }
                }
            }
        }
        needed
    }

    /// The actions that ask for a call of the other party and were not taken in this turn, likeliest first.
    pub fn asks_for(&self, moment: &Moment, reply: &Call) -> Vec<Call> {
        let (learned, scene) = (self.learned.get_or_init(|| self.learn()), Scene::of(moment));
        let reply = Heard::from(reply);
        let mut features = Vec::new();
        let mut asking: Vec<(f32, Call)> = Vec::new();
        for known in &self.known {
            let args = if reply.args == NOTHING { &known.call.args } else { &reply.call.args };
            let action = Heard::from(&Call { args: args.clone(), ..known.call.clone() });
            let new = !moment.turn.contains(&action) && asking.iter().all(|(_, call)| *call != action.call);
            if new && known.call.args.len() == args.len() && self.exchanges.asks(&action, &reply) {
                scene.features(Some(&action), &mut features);
                asking.push((learned.weights.score(&features), action.call));
            }
        }
        asking.sort_by(|a, b| b.0.total_cmp(&a.0));
        asking.into_iter().map(|(_, call)| call).collect()
    }

    fn ranked(&self, context: &AgentContext<'_>, k: usize, permits: impl Fn(&Call) -> bool) -> Vec<Ranked> {
        let learned = self.learned.get_or_init(|| self.learn());
        let (moment, refused) = self.now(context.history);
        let alternatives = self.alternatives(&moment);
        let scene = Scene::of(&moment);
        let mut features = Vec::new();
        let scores: Vec<f32> = alternatives
            .iter()
            .map(|a| {
                scene.features(a.as_ref(), &mut features);
                learned.weights.score(&features)
            })
            .collect();
        let mut ranking: Vec<(f32, Option<Heard>)> = probabilities(&scores).into_iter().zip(alternatives).collect();
        let overdue = moment.turn.len() >= self.longest + PATIENCE;
        ranking.sort_by(|a, b| (overdue && b.1.is_none()).cmp(&(overdue && a.1.is_none())).then(b.0.total_cmp(&a.0)));
        let rejected = |action: Option<&Heard>| {
            context.rejected.iter().any(|(call, _)| match action {
                Some(action) => action.call == *call,
                None => self.parties.is_other(call),
            })
        };
        let mut offered = Vec::new();
        for (p, action) in ranking {
            if offered.len() == k {
                break;
            }
            let possible = match &action {
                Some(a) => !refused.contains(a) && permits(&a.call),
                None => true,
            };
            if !possible || rejected(action.as_ref()) {
                continue;
            }
            let mut rationale = learned.habits.why(&scene, &learned.weights, action.as_ref(), p);
            if overdue && action.is_none() {
                rationale = format!("the turn is longer than any demonstrated one; {rationale}");
            }
            let call = match action {
                Some(action) => action.call,
                None => match learned.habits.reply(&moment) {
                    Some(call) => call,
                    None => continue,
                },
            };
            offered.push(Ranked { call, score: f64::from(p.max(f32::MIN_POSITIVE)), rationale });
        }
        offered
    }

    /// The different calls of the other party in the demonstrations, in order of first appearance.
    pub fn replies(&self) -> Vec<Call> {
        let mut replies: Vec<Call> = Vec::new();
        for call in self.demos.iter().flatten().filter(|call| self.parties.is_other(call)) {
            if !replies.contains(call) {
                replies.push(call.clone());
            }
        }
        replies
    }

    /// The present moment of the episode, and what the world has refused there.
    fn now(&self, history: &[Step]) -> (Moment, Vec<Heard>) {
        let mut moment = Moment::default();
        let mut refused = Vec::new();
        for step in history {
            let action = step.call.as_ref();
            if step.refused {
                refused.extend(action.map(Heard::from));
                continue;
            }
            refused.clear();
            for call in action.into_iter().chain(&step.calls) {
                // Ending the turn is given as a call of the other party, which has not happened.
                if action != Some(call) || !self.parties.is_other(call) {
                    moment.hear(&self.parties, call);
                }
            }
        }
        (moment, refused)
    }

    /// The actions possible at a moment: every action of the demonstrations, those actions with the arguments that the
    /// other party just named, and the end of the turn (`None`).
    fn alternatives(&self, moment: &Moment) -> Vec<Option<Heard>> {
        let mut alternatives = self.known.clone();
        for (at, known) in self.known.iter().enumerate() {
            let first = self.known.iter().position(|k| k.function == known.function) == Some(at);
            if !first || known.args == NOTHING {
                continue;
            }
            for said in moment.said.iter().filter(|t| t.call.args.len() == known.call.args.len()) {
                let call = Call { args: said.call.args.clone(), ..known.call.clone() };
                let action = Heard { call, function: known.function, args: said.args };
                if !alternatives.contains(&action) {
                    alternatives.push(action);
                }
            }
        }
        alternatives.into_iter().map(Some).chain([None]).collect()
    }

    fn learn(&self) -> Learned {
        let mut decisions = Vec::new();
        let mut habits = Habits::default();
        self.note_all(&mut decisions, &mut habits, true);
        for other in &self.others {
            other.note_all(&mut decisions, &mut habits, false);
        }
        Learned { weights: Weights::fit(&decisions), habits }
    }

    /// Takes in its demonstrations, and what the other party answered if that `replies` here.
    fn note_all(&self, decisions: &mut Vec<Decision>, habits: &mut Habits, replies: bool) {
        for calls in &self.demos {
            let mut moment = Moment::default();
            for (at, call) in calls.iter().enumerate() {
                let ends = self.parties.is_other(call) && !moment.turn.is_empty() && !moment.is_listening();
                if ends && replies {
                    habits.note_reply(&moment, call);
                }
                if ends || self.parties.is_action(call) {
                    self.note(&moment, (!ends).then(|| Heard::from(call)), decisions, habits);
                }
                moment.hear(&self.parties, call);
                if at + 1 == calls.len() && !moment.is_listening() {
                    self.note(&moment, None, decisions, habits);
                }
            }
        }
    }

    fn note(&self, moment: &Moment, choice: Option<Heard>, decisions: &mut Vec<Decision>, habits: &mut Habits) {
        let alternatives = self.alternatives(moment);
        let Some(chosen) = alternatives.iter().position(|a| *a == choice) else { return };
        let scene = Scene::of(moment);
        let features = |action: &Option<Heard>| {
            let mut features = Vec::new();
            scene.features(action.as_ref(), &mut features);
            features
        };
        decisions.push(Decision { alternatives: alternatives.iter().map(features).collect(), chosen });
        habits.note(&scene, choice);
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
