//! Household agent without a language model: meets the goals one after the other, doing before each what its steps require.
//!
//! It knows the goals left, what it can see in its room, and how the last step went; never the hidden state. A thing that it does not
//! see it walks to by its name, as a person who knows the home does.

use std::sync::Arc;

use stepwright_graph::{Action, Line, State};

use super::goal::{self, Says};
use super::{names, program};
use stepwright_program::{Call, Literal};
use stepwright_world::demonstration::Demonstration;
use stepwright_world::literal::{Atom, Facts};
use stepwright_world::planner::{Agent, AgentContext, EffectModel, Ranked, Wanted};

/// How deep a step's requirements are followed.
const DEEPEST: usize = 8;

#[derive(Debug)]
pub(crate) struct GraphAgent {
    effects: EffectModel,
    knows: bool,
}

pub fn learn(demonstrations: &[Demonstration]) -> Arc<dyn Agent> {
    let steps = || demonstrations.iter().flat_map(|d| &d.steps);
    let knows = steps()
        .filter_map(|step| step.call.as_ref())
        .next()
        .is_some_and(|call| call.receiver == program::PERSON && program::text_of(call).is_some());
    Arc::new(GraphAgent { effects: EffectModel::learn(steps()), knows })
}

type Step = (Action, Vec<String>, String);

struct Moment<'a> {
    facts: &'a Facts,
    goals: &'a [Atom],
    history: &'a [stepwright_trajectory::Step],
}

impl Moment<'_> {
    fn holds(&self, predicate: &str, args: &[&str]) -> bool {
        self.facts.holds(predicate, args)
    }

    fn is(&self, thing: &str, state: State) -> bool {
        self.holds(&state.to_string(), &[thing])
    }

    fn near(&self, thing: &str) -> bool {
        self.holds("NEAR", &[thing])
    }

    fn held(&self) -> Vec<&str> {
        let atoms = self.facts.atoms.iter().filter(|atom| atom.predicate == "HOLDS");
        atoms.filter_map(|atom| atom.args.first()).map(String::as_str).collect()
    }

    fn rests(&self) -> bool {
        self.facts.atoms.iter().any(|atom| matches!(atom.predicate.as_str(), "SITS_ON" | "LIES_ON"))
    }

    /// Whether the last step was to walk to a thing and a door was in the way.
    fn was_shut_out(&self, thing: &str) -> bool {
        let last = self.history.last().filter(|step| step.refused && step.observed().starts_with("Door(s)"));
        last.and_then(|step| step.call.as_ref()).is_some_and(|call| is_of(call, thing))
    }

    fn walk(&self, thing: &str, why: &str) -> Option<Step> {
        if self.rests() {
            return Some((Action::StandUp, Vec::new(), format!("standing up to walk to {thing}")));
        }
        if self.was_shut_out(thing) {
            let closed = |name: &&String| name.starts_with("door_") && self.is(name, State::Closed);
            let door = self.facts.things.iter().find(closed)?;
            return Some(if self.near(door) {
                (Action::Open, vec![door.clone()], format!("{door} is in the way to {thing}"))
            } else {
                (Action::Walk, vec![door.clone()], format!("{door} is in the way to {thing}"))
            });
        }
        Some((Action::Walk, vec![thing.to_owned()], why.to_owned()))
    }

    /// The step that comes first before something is done to a thing that is close; `None` if it is close.
    fn come_near(&self, thing: &str) -> Option<Step> {
        if self.near(thing) { None } else { self.walk(thing, &format!("to be close to {thing}")) }
    }

    fn free_a_hand(&self) -> Option<Step> {
        let held = self.held();
        if held.len() < 2 {
            return None;
        }
        let needed = |thing: &str| self.goals.iter().any(|goal| goal.args.iter().any(|arg| arg == thing));
        let spare = held.iter().find(|thing| !needed(thing)).or(held.first())?;
        Some((Action::Drop, vec![(*spare).to_owned()], "to free a hand".to_owned()))
    }

    /// The step that comes first before a thing is held; `None` if it is held.
    fn take(&self, thing: &str) -> Option<Step> {
        if self.held().contains(&thing) {
            return None;
        }
        // What is inside something closed cannot be seen; its container is close once it was walked to.
        let refused =
            self.history.last().is_some_and(|step| step.refused && step.observed().contains("inside other closed"));
        if refused && let Some(container) = self.closed_nearby() {
            return self.change(Action::Open, &container);
        }
        self.come_near_hidden(thing)
            .or_else(|| self.free_a_hand())
            .or_else(|| Some((Action::Grab, vec![thing.to_owned()], format!("to hold {thing}"))))
    }

    /// As [`Moment::come_near`]; a thing that was walked to and is not seen is close nevertheless, in something closed.
    fn come_near_hidden(&self, thing: &str) -> Option<Step> {
        let seen = self.facts.sees(thing);
        if !seen && self.walked_to(thing) { None } else { self.come_near(thing) }
    }

    fn walked_to(&self, thing: &str) -> bool {
        let mut done = self.history.iter().rev().filter(|step| !step.refused).filter_map(|step| step.call.as_ref());
        let last = done.find(|call| matches!(call.function.as_str(), "walk" | "run"));
        last.is_some_and(|call| is_of(call, thing))
    }

    /// A closed thing close by, which may hide another.
    fn closed_nearby(&self) -> Option<String> {
        let closed = |name: &&String| {
            self.near(name)
                && self.is(name, State::Closed)
                && !name.starts_with("door_")
                && !self.held().contains(&name.as_str())
        };
        self.facts.things.iter().find(closed).cloned()
    }

    /// The step that changes a state, or what comes first before it.
    fn change(&self, action: Action, thing: &str) -> Option<Step> {
        self.come_near_hidden(thing)
            .or_else(|| if action == Action::Open { self.free_a_hand() } else { None })
            .or_else(|| Some((action, vec![thing.to_owned()], format!("to {} {thing}", action.name().to_lowercase()))))
    }

    fn put(&self, thing: &str, place: &str, inside: bool) -> Option<Step> {
        self.take(thing)
            .or_else(|| self.come_near(place))
            .or_else(|| {
                let shut = inside && self.is(place, State::Closed);
                if shut { self.change(Action::Open, place) } else { None }
            })
            .or_else(|| {
                let action = if inside { Action::PutIn } else { Action::PutBack };
                Some((action, vec![thing.to_owned(), place.to_owned()], format!("{thing} belongs there")))
            })
    }

    fn towards_state(&self, thing: &str, state: State) -> Option<Step> {
        match state {
            State::On if self.is(thing, State::PluggedOut) => self.change(Action::PlugIn, thing),
            State::On => self.change(Action::SwitchOn, thing),
            State::Off => self.change(Action::SwitchOff, thing),
            State::Open => self.change(Action::Open, thing),
            State::Closed => self.change(Action::Close, thing),
            State::PluggedIn => self.change(Action::PlugIn, thing),
            State::PluggedOut => self.change(Action::PlugOut, thing),
            State::Clean => self.change(Action::Wash, thing),
            State::Dirty | State::Sitting | State::Lying => None,
        }
    }

    fn towards_deed(&self, action: Action, things: &[String]) -> Option<Step> {
        let done = || Some((action, things.to_vec(), "the task asks for it".to_owned()));
        let Some(thing) = things.first() else { return done() };
        match action {
            Action::Walk | Action::Run => self.walk(thing, "the task asks for it"),
            Action::Read | Action::Drink | Action::PutOn | Action::Drop => self.take(thing).or_else(done),
            Action::Pour | Action::PutBack | Action::PutIn => {
                let place = things.get(1)?;
                // What is in something closed near by is not seen.
                let uncover = || {
                    let hidden = !self.facts.sees(place);
                    self.closed_nearby().filter(|_| hidden).and_then(|container| self.change(Action::Open, &container))
                };
                self.take(thing).or_else(|| self.come_near_hidden(place)).or_else(uncover).or_else(done)
            }
            Action::LookAt | Action::PointAt | Action::Watch => {
                if self.holds("FACES", &[thing]) {
                    return done();
                }
                Some((Action::TurnTo, vec![thing.clone()], format!("to face {thing}")))
            }
            Action::Cut => {
                let armed = self.held().iter().any(|held| held.contains("knife"));
                let arm = if armed { None } else { self.take("knife_1") };
                arm.or_else(|| self.come_near(thing)).or_else(|| self.free_a_hand()).or_else(done)
            }
            Action::Wipe => {
                let empty = self.held().is_empty();
                let arm = if empty { self.take("rag_1") } else { None };
                arm.or_else(|| self.come_near(thing)).or_else(done)
            }
            Action::Greet | Action::TurnTo => done(),
            _ => self.come_near_hidden(thing).or_else(done),
        }
    }

    /// The step that reaches a goal by itself, whatever it needs first.
    fn reaching(goal: &Atom) -> Option<Step> {
        let action = match goal::read(goal).ok()? {
            Says::Is(State::On) => Action::SwitchOn,
            Says::Is(State::Off) => Action::SwitchOff,
            Says::Is(State::Open) => Action::Open,
            Says::Is(State::Closed) => Action::Close,
            Says::Is(State::PluggedIn) => Action::PlugIn,
            Says::Is(State::PluggedOut) => Action::PlugOut,
            Says::Is(State::Clean) => Action::Wash,
            Says::Is(State::Dirty | State::Sitting | State::Lying) => return None,
            Says::OnTop => Action::PutBack,
            Says::Inside => Action::PutIn,
            Says::Holds => Action::Grab,
            Says::Wears => Action::PutOn,
            Says::Near | Says::At => Action::Walk,
            Says::Faces => Action::TurnTo,
            Says::SitsOn => Action::Sit,
            Says::LiesOn => Action::Lie,
            Says::Did(action) => action,
        };
        Some((action, goal.args.clone(), String::new()))
    }

    fn towards(&self, goal: &Atom) -> Option<Step> {
        let thing = goal.args.first().map(String::as_str).unwrap_or_default();
        let place = goal.args.get(1).map(String::as_str).unwrap_or_default();
        let rest = |action: Action| {
            self.come_near(thing).or_else(|| Some((action, vec![thing.to_owned()], format!("to rest on {thing}"))))
        };
        match goal::read(goal).ok()? {
            Says::Is(state) => self.towards_state(thing, state),
            Says::OnTop => self.put(thing, place, false),
            Says::Inside => self.put(thing, place, true),
            Says::Holds => self.take(thing),
            Says::Wears => {
                self.take(thing).or_else(|| Some((Action::PutOn, vec![thing.to_owned()], format!("to wear {thing}"))))
            }
            Says::Near | Says::At => self.walk(thing, "the task asks for it"),
            Says::Faces => Some((Action::TurnTo, vec![thing.to_owned()], format!("to face {thing}"))),
            Says::SitsOn => rest(Action::Sit),
            Says::LiesOn => rest(Action::Lie),
            Says::Did(action) => self.towards_deed(action, &goal.args),
        }
    }
}

fn is_of(call: &Call, thing: &str) -> bool {
    call.args.iter().any(|arg| matches!(arg, Literal::Str(name) if name == thing))
}

fn call_of((action, things, _): &Step) -> Option<Call> {
    let params = things.iter().map(|name| names::parts(name)).collect::<Option<Vec<_>>>()?;
    Some(program::call_of_line(&Line { action: *action, params }))
}

impl Agent for GraphAgent {
    fn propose(&self, context: &AgentContext<'_>, most: usize) -> Vec<Ranked> {
        let Some((facts, goals)) = context.observed else { return Vec::new() };
        let moment = Moment { facts, goals, history: context.history };
        let mut offered: Vec<Ranked> = Vec::new();
        for (at, goal) in goals.iter().enumerate().take(DEEPEST) {
            let Some(step) = moment.towards(goal) else { continue };
            let Some(call) = call_of(&step) else { continue };
            let refused = context.rejected.iter().any(|(rejected, _)| *rejected == call);
            if refused || offered.iter().any(|ranked| ranked.call == call) || offered.len() == most {
                continue;
            }
            #[allow(clippy::cast_precision_loss)] // a handful of goals
            let score = -((goals.len() + at) as f64);
            offered.push(Ranked { call, score, rationale: format!("{}: {}", goal, step.2) });
        }
        offered
    }

    fn wanted(&self, context: &AgentContext<'_>, most: usize) -> Vec<Wanted> {
        let goals = context.observed.map(|(_, goals)| goals).unwrap_or_default();
        let reached = |goal: &Atom| Some(Wanted { call: call_of(&Moment::reaching(goal)?)?, goal: Some(goal.clone()) });
        goals.iter().filter_map(reached).take(most).collect()
    }

    fn effects(&self) -> &EffectModel {
        &self.effects
    }

    fn knows(&self) -> bool {
        self.knows
    }
}
