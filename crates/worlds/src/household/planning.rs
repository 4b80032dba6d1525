//! Planning problem of a household over what the agent was shown, and plans back as program calls.
//!
//! The goal is read from the task sentence, so it is over kinds: some thing of the kind, at some place of the kind. A thing of the
//! kind that was never seen stands in as `some KIND`; where nobody looked it may be ([`Unseen::InRoom`]), or nothing is known of it
//! ([`Unseen::Nothing`]). Plans are cut before the first step that handles such a stand-in: until it has shown itself there is nothing
//! to take.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::Value;

use super::agent::goal::Goal;
use super::agent::{TOOLS, goal_of, is_shut, location_prior};
use super::belief::{Belief, OPEN, TOGGLE};
use stepwright_program::Call;
use stepwright_world::blocking::Domain;
use stepwright_world::planner::LocationPrior;
use stepwright_world::planner::classical::{Names, PlanningTask, Step, Unseen};
use stepwright_world::planner::effects::kind_of;

/// The domain: preconditions and effects of actions.
static DOMAIN: LazyLock<String> =
    LazyLock::new(|| Domain::pddl(include_str!("../../worlds/household/domain.toml")).unwrap_or_default());

/// How a stand-in's name begins.
const SOME: &str = "some ";

/// A plan as calls, up to the first step that cannot be taken because what it is about was not seen yet.
fn calls(names: &Names, plan: &[Step]) -> Vec<String> {
    let mut calls = Vec::new();
    for step in plan {
        let things: Option<Vec<&str>> = step.args.iter().map(|a| names.thing(a)).collect();
        let Some(mut things) = things.filter(|t| !t.iter().any(|thing| thing.starts_with(SOME))) else { break };
        // Where a lamp stands is no argument of switching it on.
        if step.action == "toggle" {
            things.truncate(1);
        }
        calls.push(Call::new("agent", &step.action, things).to_string());
    }
    calls
}

/// The problem of doing what a task sentence asks for, from what the agent was shown.
/// Errors: a sentence that is not understood.
pub fn problem(title: &str, sentence: &str, belief: &Belief, known: Unseen) -> Result<PlanningTask, String> {
    let prior = location_prior();
    let goal =
        goal_of(sentence, belief, &prior).ok_or_else(|| format!("the task sentence was not understood: {sentence}"))?;
    Ok(encode(title, belief, &goal, &prior, known))
}

/// All there is to know, as if it had been shown: from a household's hidden state, for exports.
pub fn everything(truth: &Value) -> Belief {
    let mut belief = Belief::default();
    let text = |v: &Value| v.as_str().map(str::to_owned);
    for (name, place) in truth["receptacles"].as_object().into_iter().flatten() {
        belief.places.push(name.clone());
        belief.visited.insert(name.clone());
        let things: Vec<String> = place["contains"].as_array().into_iter().flatten().filter_map(text).collect();
        belief.seen.extend(things.iter().cloned());
        belief.show(name.clone(), things);
        if let Some(open) = place["open"].as_bool() {
            belief.properties.insert((name.clone(), OPEN.to_owned()), open);
        }
    }
    for (name, properties) in truth["properties"].as_object().into_iter().flatten() {
        for property in properties.as_array().into_iter().flatten().filter_map(Value::as_str) {
            let property = match property {
                "hot" => "heat",
                "toggled" => TOGGLE,
                other => other,
            };
            belief.properties.insert((name.clone(), property.to_owned()), true);
        }
    }
    belief.at = truth["at"].as_array().and_then(|at| at.first()).and_then(text);
    belief.held = text(&truth["holding"]);
    belief.seen.extend(belief.held.iter().cloned());
    belief
}

/// The problem of reaching a goal from the agent's knowledge.
fn encode(title: &str, belief: &Belief, goal: &Goal, prior: &LocationPrior, known: Unseen) -> PlanningTask {
    let mut start: BTreeSet<Vec<String>> = BTreeSet::new();
    let mut add = |words: &[&str]| {
        start.insert(words.iter().map(|w| (*w).to_owned()).collect());
    };
    let (count, lamp) = match goal {
        Goal::Place { count, .. } => (*count, None),
        Goal::Light { lamp, .. } => (1, Some(lamp.as_str())),
    };
    let mut things = belief.seen.clone();
    let mut hoped: Vec<String> = Vec::new();
    let mut missing = |kind: &str, wanted: usize| {
        let seen = things.iter().filter(|t| kind_of(t) == kind).count();
        for number in seen..wanted {
            let name = format!("{SOME}{kind} {}", number + 1);
            hoped.push(name.clone());
            things.insert(name);
        }
    };
    missing(goal.object(), count);
    if let Some(lamp) = lamp {
        missing(lamp, 1);
    }
    let kind = |thing: &str| kind_of(thing.strip_prefix(SOME).unwrap_or(thing)).to_owned();
    for place in &belief.places {
        add(&["place", place]);
        let shut = is_shut(belief, prior, place);
        if belief.is_here(place) {
            add(&[if shut || belief.is_seen_into(place) { "at" } else { "beside" }, place]);
        }
        if belief.property(place, OPEN).is_some() {
            add(&["openable", place]);
        }
        if shut {
            add(&["shut", place]);
        }
        for (property, tool) in TOOLS {
            let predicate = [("clean", "washes"), ("heat", "heats"), ("cool", "cools")].into_iter();
            if let Some((_, predicate)) = predicate.filter(|_| kind_of(place) == *tool).find(|(p, _)| p == property) {
                add(&[predicate, place]);
            }
        }
        if matches!(goal, Goal::Place { place: target, .. } if kind_of(place) == target) {
            add(&["target", place]);
        }
        for thing in belief.contents(place) {
            add(&["in", thing, place]);
        }
        if !belief.is_seen_into(place) && known != Unseen::Nothing {
            hoped.iter().for_each(|thing| add(&["maybe", thing, place]));
        }
    }
    for thing in &things {
        add(&["thing", thing]);
        let kind = kind(thing);
        if kind == goal.object() {
            add(&["wanted", thing]);
        }
        if lamp == Some(kind.as_str()) {
            add(&["lamp", thing]);
        }
        for (property, predicate) in [("clean", "clean"), ("heat", "hot"), ("cool", "cool"), (TOGGLE, "lit")] {
            if belief.property(thing, property) == Some(true) {
                add(&[predicate, thing]);
            }
        }
    }
    match &belief.held {
        Some(held) => add(&["holding", held]),
        None => add(&["hand-empty"]),
    }
    let names = Names::of(belief.places.iter().cloned().chain(things));
    PlanningTask::new(("household", DOMAIN.as_str()), title, names, &start, &literal(goal), calls)
}

fn literal(goal: &Goal) -> String {
    match goal {
        // The lamp has to be where the agent is.
        Goal::Light { .. } => {
            "(exists (?x ?l ?p) (and (wanted ?x) (holding ?x) (lamp ?l) (lit ?l) (in ?l ?p) (at ?p)))".to_owned()
        }
        Goal::Place { count, state, .. } => {
            let state = match state.as_deref() {
                Some("heat") => Some("hot"),
                other => other,
            };
            let stands = |x: &str| {
                let state = state.map(|s| format!(" ({s} {x})")).unwrap_or_default();
                format!("(wanted {x}) (in {x} ?p){state}")
            };
            if *count > 1 {
                format!("(exists (?p ?x ?y) (and (target ?p) (not (= ?x ?y)) {} {}))", stands("?x"), stands("?y"))
            } else {
                format!("(exists (?p ?x) (and (target ?p) {}))", stands("?x"))
            }
        }
    }
}

#[cfg(test)]
#[path = "planning_tests.rs"]
mod tests;
