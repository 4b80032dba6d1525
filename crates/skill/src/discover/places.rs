//! Places and effects: what actions change and reveal, and where things tend to be, counted in logs.

use std::collections::{BTreeMap, BTreeSet};

use super::forms::{Shape, taken};
use super::needs::Found;
use crate::form::kind_of;
use crate::rules::ActionRule;
use crate::scene::{Scene, read};
use stepwright_trajectory::Trajectory;

/// The share of its successes after which an action is said to make a thing so.
const MAKES: f64 = 0.8;
/// The share of its successes after which an action is said to show a place.
const SHOWS: f64 = 0.3;
/// Kinds of places kept for a kind of thing.
const PLACES: usize = 8;

pub(super) fn actions(logs: &[Trajectory], shapes: &[Shape], refused: &[String], found: &[Found]) -> Vec<ActionRule> {
    let rule = |shape: &Shape| {
        let form = shape.form.syntax();
        let mut made: BTreeMap<(String, String), usize> = BTreeMap::new();
        let mut shown: BTreeMap<String, usize> = BTreeMap::new();
        for step in logs.iter().flat_map(|log| &log.steps) {
            let (Some(said), Some(binding)) = (step.observation.as_deref(), shape.form.bind(&step.action)) else {
                continue;
            };
            if !taken(Some(said), refused) {
                continue;
            }
            let said = read(said);
            for (slot, thing) in &binding {
                for (_, state) in said.states.iter().filter(|(known, _)| known == thing) {
                    *made.entry((slot.clone(), state.clone())).or_default() += 1;
                }
                if said.listed.as_ref().is_some_and(|(place, _)| place.as_ref() == Some(thing)) {
                    *shown.entry(slot.clone()).or_default() += 1;
                }
            }
        }
        let often = |count: usize, share: f64| count as f64 >= share * shape.taken as f64;
        ActionRule {
            needs: found.iter().filter(|found| found.form == form).map(|found| found.need.clone()).collect(),
            makes: made.into_iter().filter(|(_, count)| often(*count, MAKES)).map(|(made, _)| made).collect(),
            shows: shown.into_iter().find(|(_, count)| often(*count, SHOWS)).map(|(slot, _)| slot),
            form,
        }
    };
    shapes.iter().map(rule).collect()
}

/// For each kind of thing the kinds of places it was seen at, by how often a look there shows one for its price in steps.
pub(super) fn likely(logs: &[Trajectory], shapes: &[Shape], refused: &[String]) -> Vec<(String, Vec<String>)> {
    let forms: Vec<_> = shapes.iter().map(|shape| shape.form.clone()).collect();
    // Looks at kinds of places, of which into closed ones; things of a kind seen there.
    let mut looks: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut seen: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    // Several logs of one task look at the same things.
    let mut counted: BTreeSet<(String, String)> = BTreeSet::new();
    for log in logs {
        let mut scene = Scene::begin(log.initial_observation.as_deref().unwrap_or_default());
        let task = log.task_id.as_ref().map_or_else(|| log.id.clone(), ToString::to_string);
        for step in &log.steps {
            let Some(said) = step.observation.as_deref() else { break };
            let is_taken = taken(Some(said), refused);
            if let Some((Some(place), things)) = read(said).listed.filter(|_| is_taken)
                && counted.insert((task.clone(), place.clone()))
            {
                let was_closed = scene.states.contains_key(&place);
                let entry = looks.entry(kind_of(&place).to_owned()).or_default();
                *entry = (entry.0 + 1, entry.1 + usize::from(was_closed));
                let kinds: BTreeSet<&str> = things.iter().map(|thing| kind_of(thing)).collect();
                for kind in kinds {
                    *seen.entry(kind.to_owned()).or_default().entry(kind_of(&place).to_owned()).or_default() += 1;
                }
            }
            scene.step(&forms, &step.action, said, is_taken);
        }
    }
    let worth = |place: &str, count: usize| {
        let (looks, closed) = looks.get(place).copied().unwrap_or((1, 0));
        // A closed place costs a step more.
        count as f64 / (looks + closed) as f64
    };
    let ranked = |places: BTreeMap<String, usize>| {
        let mut places: Vec<(f64, String)> =
            places.into_iter().map(|(place, count)| (worth(&place, count), place)).collect();
        places.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        places.into_iter().take(PLACES).map(|(_, place)| place).collect()
    };
    seen.into_iter().map(|(kind, places)| (kind, ranked(places))).collect()
}
