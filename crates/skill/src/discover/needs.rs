//! Needs by contrast: of all conditions over what was done and seen, the fewest that hold before every success of an action and of
//! which one fails before each refusal; then those that distinguish the moments of its successes from the moments before them.

use std::collections::BTreeSet;

use super::forms::{PLACE, Shape, taken};
use super::{Settings, Witness};
use crate::rules::{Fact, Need};
use crate::scene::{Scene, read};
use stepwright_trajectory::Trajectory;

/// Refusals from which on they are contrast enough.
const REFUSALS: usize = 4;
/// The share of all refusals that a condition has to explain alone.
const EXPLAINS: f64 = 0.03;
/// The share of the moments before successes that a condition has to explain alone.
const DISTINGUISHES: f64 = 0.1;
/// A plainer condition is taken that explains at least this share of what the best does.
const NEAR: f64 = 0.9;
const MOST: usize = 6;
/// Steps kept to show for a need.
const WITNESSES: usize = 3;
/// Most moments that an action is contrasted with.
const MOMENTS: usize = 4000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub form: String,
    pub need: Need,
    pub successes: (usize, usize),
    /// Refusals before which it did not hold, of how many.
    pub refusals: (usize, usize),
    /// Some of these refusals, or where there is none some successes.
    pub witnesses: Vec<Witness>,
}

struct Moment {
    holds: Vec<bool>,
    witness: Witness,
}

pub(super) fn contrast(logs: &[Trajectory], shapes: &[Shape], refused: &[String], settings: &Settings) -> Vec<Found> {
    let states: BTreeSet<String> = logs
        .iter()
        .flat_map(|log| &log.steps)
        .filter_map(|step| step.observation.as_deref())
        .flat_map(|said| read(said).states)
        .map(|(_, state)| state)
        .collect();
    shapes.iter().flat_map(|shape| of_form(shape, logs, shapes, refused, &states, settings)).collect()
}

fn of_form(
    shape: &Shape,
    logs: &[Trajectory],
    shapes: &[Shape],
    refused: &[String],
    states: &BTreeSet<String>,
    settings: &Settings,
) -> Vec<Found> {
    let needs = candidates(shape, shapes, states);
    let (mut successes, mut refusals, mut others) = (Vec::new(), Vec::new(), Vec::new());
    let forms: Vec<_> = shapes.iter().map(|shape| shape.form.clone()).collect();
    for log in logs {
        let mut scene = Scene::begin(log.initial_observation.as_deref().unwrap_or_default());
        // The moments before this one.
        let mut before: Vec<Scene> = Vec::new();
        for (at, step) in log.steps.iter().enumerate() {
            let Some(said) = step.observation.as_deref() else { break };
            let is_taken = taken(Some(said), refused);
            if let Some(binding) = shape.form.bind(&step.action) {
                let moment = |scene: &Scene, step: usize| Moment {
                    holds: needs.iter().map(|need| need.is_met(scene, &binding)).collect(),
                    witness: Witness { trajectory: log.id.clone(), step },
                };
                match is_taken {
                    true => {
                        successes.push(moment(&scene, at));
                        if others.len() < MOMENTS {
                            others.extend(before.iter().enumerate().map(|(step, scene)| moment(scene, step)));
                        }
                    }
                    false => refusals.push(moment(&scene, at)),
                }
            }
            before.push(scene.clone());
            scene.step(&forms, &step.action, said, is_taken);
        }
    }
    let enough = (successes.len() as f64 * settings.share).ceil() as usize;
    let held = |at: &usize| successes.iter().filter(|moment| moment.holds[*at]).count();
    let hold: Vec<usize> = (0..needs.len()).filter(|at| held(at) >= enough).collect();
    let mut fewest = Vec::new();
    if settings.contrast && refusals.len() >= REFUSALS {
        explain(&hold, &refusals, EXPLAINS, &mut fewest);
    }
    // A moment before a success is no refusal: only what the agent brought about itself is taken from it.
    let plain = |at: &usize| {
        let need = &needs[*at];
        need.holds && matches!(need.fact, Fact::Last { .. } | Fact::Here { .. } | Fact::Seen { .. })
    };
    let plain: Vec<usize> = hold.iter().copied().filter(plain).collect();
    explain(&plain, &others, DISTINGUISHES, &mut fewest);
    fewest
        .into_iter()
        .filter_map(|at| {
            let held = successes.iter().filter(|moment| moment.holds[at]).count();
            let missed: Vec<&Moment> = refusals.iter().filter(|moment| !moment.holds[at]).collect();
            let show: Vec<&Moment> = if missed.is_empty() { successes.iter().collect() } else { missed.clone() };
            Some(Found {
                form: shape.form.syntax(),
                need: needs.get(at)?.clone(),
                successes: (held, successes.len()),
                refusals: (missed.len(), refusals.len()),
                witnesses: show.into_iter().take(WITNESSES).map(|moment| moment.witness.clone()).collect(),
            })
        })
        .collect()
}

/// The conditions that could be needs of a form, the plainest first.
fn candidates(shape: &Shape, shapes: &[Shape], states: &BTreeSet<String>) -> Vec<Need> {
    let slots: Vec<&str> = shape.form.slots().collect();
    let mut facts: Vec<Fact> = Vec::new();
    for slot in slots.iter().map(|slot| (*slot).to_owned()) {
        facts.push(Fact::Known { slot: slot.clone() });
        facts.extend(states.iter().map(|state| Fact::Is { slot: slot.clone(), state: state.clone() }));
        for at in slots.iter().filter(|at| at.starts_with(PLACE) && **at != slot) {
            facts.push(Fact::Seen { slot: slot.clone(), at: (*at).to_owned() });
        }
    }
    let verbs: Vec<(String, &Shape)> = shapes.iter().map(|shape| (shape.form.verb(), shape)).collect();
    for (verb, other) in &verbs {
        for slot in slots.iter().filter(|slot| other.form.slots().any(|own| own == **slot)) {
            facts.push(Fact::Last { verb: verb.clone(), slot: (*slot).to_owned() });
        }
        if let [only] = other.form.slots().collect::<Vec<_>>().as_slice()
            && only.starts_with(PLACE)
        {
            let objects = slots.iter().filter(|slot| !slot.starts_with(PLACE));
            facts.extend(objects.map(|slot| Fact::Here { slot: (*slot).to_owned(), verb: verb.clone() }));
        }
    }
    for (verb, other) in &verbs {
        for (until, _) in verbs.iter().filter(|(until, _)| until != verb) {
            for slot in slots.iter().filter(|slot| other.form.slots().any(|own| own == **slot)) {
                let (verb, slot, until) = (verb.clone(), (*slot).to_owned(), until.clone());
                facts.push(Fact::Since { verb, slot, until });
            }
            facts.push(Fact::Later { verb: verb.clone(), until: until.clone() });
        }
    }
    let needs = |holds: bool| facts.iter().map(move |fact| Need { holds, fact: fact.clone() });
    needs(true).chain(needs(false)).collect()
}

/// Adds the fewest of these conditions of which one fails at each moment, the most distinguishing first; each explains a share of them.
fn explain(hold: &[usize], moments: &[Moment], share: f64, chosen: &mut Vec<usize>) {
    let mut left: Vec<&Moment> = moments.iter().filter(|moment| chosen.iter().all(|at| moment.holds[*at])).collect();
    let least = ((moments.len() as f64 * share).ceil() as usize).max(2);
    while chosen.len() < MOST {
        let explained: Vec<usize> =
            hold.iter().map(|at| left.iter().filter(|moment| !moment.holds[*at]).count()).collect();
        let best = explained.iter().copied().max().unwrap_or_default();
        let near = (best as f64 * NEAR).ceil() as usize;
        // Of those that explain about as much the plainest, which comes first.
        let Some(at) = hold.iter().zip(&explained).find(|(_, count)| **count >= near).map(|(at, _)| *at) else { break };
        if best < least {
            break;
        }
        left.retain(|moment| moment.holds[at]);
        chosen.push(at);
    }
}
