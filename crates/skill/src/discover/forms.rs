//! Forms of action: texts of actions that the world took, generalised over their numbered things; and what a refusal reads like.

use std::collections::{BTreeMap, BTreeSet};

use crate::form::{Form, Part, kind_of, pattern};
use crate::scene::{self, Scene};
use stepwright_trajectory::Trajectory;

/// Forms after which an observation is to have been read to count as a refusal.
const FORMS_REFUSED: usize = 3;
/// The share of a slot's things that were listed at the beginning, from which on it is a slot for places.
const PLACES: f64 = 0.9;
/// The name of a slot for things that are listed at the beginning.
pub(super) const PLACE: &str = "receptacle";
/// The name of a slot for things that have to be found.
pub(super) const OBJECT: &str = "object";

#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    pub form: Form,
    pub taken: usize,
    pub refused: usize,
}

impl Shape {
    /// Whether it acts on what has to be found first.
    pub(crate) fn has_object(&self) -> bool {
        self.object().is_some()
    }

    /// The first slot of what has to be found.
    pub fn object(&self) -> Option<&str> {
        self.form.slots().find(|slot| slot.starts_with(OBJECT))
    }

    /// Examples, of different kinds of places first.
    pub(super) fn examples(&self, actions: &[&str], most: usize) -> Vec<String> {
        let mut counted: BTreeMap<Vec<String>, (usize, &str)> = BTreeMap::new();
        for action in actions {
            let Some(binding) = self.form.bind(action) else { continue };
            let places = binding.iter().filter(|(slot, _)| slot.starts_with(PLACE));
            let key: Vec<String> = places.map(|(_, thing)| kind_of(thing).to_owned()).collect();
            let entry = counted.entry(key).or_insert((0, action));
            entry.0 += 1;
        }
        let mut all: Vec<(usize, &str)> = counted.into_values().collect();
        all.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
        all.into_iter().take(most).map(|(_, action)| action.to_owned()).collect()
    }
}

/// Whether the world took an action; `false` where the log does not say.
pub(super) fn taken(observation: Option<&str>, refused: &[String]) -> bool {
    observation.is_some_and(|said| refused.iter().all(|text| text != said.trim()))
}

/// Observations that name nothing and were read after actions of several forms, the most frequent first.
pub(super) fn refusals(logs: &[Trajectory]) -> Vec<String> {
    type Pattern = Vec<Option<String>>;
    let mut said: BTreeMap<&str, (usize, BTreeSet<Pattern>)> = BTreeMap::new();
    for step in logs.iter().flat_map(|log| &log.steps) {
        let Some(observation) = step.observation.as_deref().map(str::trim) else { continue };
        if observation.is_empty() || scene::read(observation) != scene::Said::default() {
            continue;
        }
        let entry = said.entry(observation).or_default();
        entry.0 += 1;
        entry.1.insert(pattern(&step.action).0);
    }
    let mut found: Vec<(usize, &str)> = said
        .into_iter()
        .filter(|(_, (_, forms))| forms.len() >= FORMS_REFUSED)
        .map(|(text, (n, _))| (n, text))
        .collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    found.into_iter().map(|(_, text)| text.to_owned()).collect()
}

/// The forms that the world took at least so often, the most frequent first.
pub(super) fn shapes(logs: &[Trajectory], refused: &[String], least: usize) -> Vec<Shape> {
    #[derive(Default)]
    struct Count {
        taken: usize,
        refused: usize,
        /// For each slot, things that were listed at the beginning.
        places: Vec<usize>,
    }
    let mut counts: BTreeMap<Vec<Option<String>>, Count> = BTreeMap::new();
    for log in logs {
        let first = Scene::begin(log.initial_observation.as_deref().unwrap_or_default());
        for step in &log.steps {
            let (pattern, things) = pattern(&step.action);
            let count = counts.entry(pattern).or_default();
            count.places.resize(things.len(), 0);
            if taken(step.observation.as_deref(), refused) {
                count.taken += 1;
                for (places, thing) in count.places.iter_mut().zip(&things) {
                    *places += usize::from(first.places.contains(thing));
                }
            } else if step.observation.is_some() {
                count.refused += 1;
            }
        }
    }
    let mut shapes: Vec<Shape> = counts
        .into_iter()
        .filter(|(_, count)| count.taken >= least.max(1))
        .filter_map(|(pattern, count)| {
            let form = named(pattern, &count.places, count.taken);
            // A form begins with what the action is called.
            (!form.verb().is_empty()).then_some(Shape { form, taken: count.taken, refused: count.refused })
        })
        .collect();
    shapes.sort_by(|a, b| b.taken.cmp(&a.taken).then_with(|| a.form.cmp(&b.form)));
    shapes
}

/// A form whose slots are named after their fillers.
fn named(pattern: Vec<Option<String>>, places: &[usize], taken: usize) -> Form {
    let (mut parts, mut slot, mut used) = (Vec::new(), 0, Vec::<String>::new());
    for part in pattern {
        parts.push(match part {
            Some(word) => Part::Word(word),
            None => {
                let share = places.get(slot).map_or(0.0, |places| *places as f64 / taken.max(1) as f64);
                let base = if share >= PLACES { PLACE } else { OBJECT };
                let number = used.iter().filter(|known| known.starts_with(base)).count();
                let name = if number == 0 { base.to_owned() } else { format!("{base}{}", number + 1) };
                used.push(name.clone());
                slot += 1;
                Part::Slot(name)
            }
        });
    }
    Form { parts }
}
