//! Metrics: how alike two programs are, how alike the households they leave, and how much raters agree.

use indexmap::{IndexMap, IndexSet};
use serde::Deserialize;

use crate::graph::At;
use crate::language;
use crate::names::Names;
use crate::run::Run;
use crate::script::Line;
use crate::vocabulary::States;

/// The longest common subsequence of two programs as part of the longer one, by their steps in words with general names; 0 for two
/// that are empty.
pub fn lcs(a: &[Line], b: &[Line], names: &Names) -> f64 {
    let in_words = |program: &[Line]| -> Vec<String> {
        language::generalised(program, names).iter().map(language::words).collect()
    };
    common(&in_words(a), &in_words(b))
}

/// The longest common subsequence as part of the longer sequence.
#[allow(clippy::cast_precision_loss)] // lengths of programs
fn common<T: PartialEq>(a: &[T], b: &[T]) -> f64 {
    let mut row = vec![0_usize; b.len() + 1];
    for x in a {
        let mut diagonal = 0;
        for (at, y) in b.iter().enumerate() {
            let (left, above) = (row.get(at).copied().unwrap_or(0), row.get(at + 1).copied().unwrap_or(0));
            let best = if x == y { diagonal + 1 } else { left.max(above) };
            if let Some(cell) = row.get_mut(at + 1) {
                *cell = best;
            }
            diagonal = above;
        }
    }
    let longest = a.len().max(b.len());
    if longest == 0 { 0.0 } else { row.last().copied().unwrap_or(0) as f64 / longest as f64 }
}

/// The states a run ends with, by class. Of several things of a class the last one counts: first come those whose states a step set, in
/// the order of the first time, then the others in the order of the scene.
pub fn final_states(run: &Run) -> IndexMap<String, States> {
    let mut by_class = IndexMap::new();
    let Some(graph) = run.end() else { return by_class };
    let others = graph.places().filter(|at| !run.set.contains(at));
    let order: Vec<At> = run.set.iter().copied().chain(others).collect();
    for at in order {
        by_class.insert(graph.node(at).class.to_string(), graph.states(at));
    }
    by_class
}

/// The states that a class can have, where they were annotated.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct AnnotatedStates(IndexMap<String, IndexSet<String>>);

/// The share of states that agree, in percent, as the script of 2022 counts: over all classes of which states are annotated, how many of
/// one side's states the other lacks, of all annotated. It saturates: two whole households differ in little.
#[allow(clippy::cast_precision_loss)] // numbers of states
pub fn similarity_of_all(
    a: &IndexMap<String, States>,
    b: &IndexMap<String, States>,
    annotated: &AnnotatedStates,
) -> f64 {
    let (mut missing, mut total) = (0_usize, 0_usize);
    for (one, other) in [(a, b), (b, a)] {
        for (class, states) in one {
            let (Some(known), Some(there)) = (annotated.0.get(class), other.get(class)) else { continue };
            missing += states.iter().filter(|state| !there.has(*state)).count();
            total += known.len();
        }
    }
    percent(missing, total)
}

/// The share of states that agree, in percent, as the script of 2024 counts: over the classes that either program names.
pub fn similarity_of_used<'a>(
    a: &IndexMap<String, States>,
    b: &IndexMap<String, States>,
    used: impl IntoIterator<Item = &'a str>,
) -> f64 {
    let (mut differing, mut total) = (0, 0);
    for class in used {
        match (a.get(class), b.get(class)) {
            (Some(one), Some(other)) => {
                differing += one.differing(*other).len();
                total += one.union(*other).len();
            }
            (Some(alone), None) | (None, Some(alone)) => {
                differing += alone.len();
                total += alone.len();
            }
            (None, None) => {}
        }
    }
    percent(differing, total)
}

#[allow(clippy::cast_precision_loss)] // numbers of states
fn percent(wrong: usize, total: usize) -> f64 {
    if total == 0 { 100.0 } else { 100.0 * (total as f64 - wrong as f64) / total as f64 }
}

/// Fleiss' kappa: a row an item, a column a category, an entry how many raters chose it. `None` where raters agree by chance alone, or
/// nothing was rated.
#[allow(clippy::cast_precision_loss)] // numbers of raters
pub fn fleiss_kappa(ratings: &[Vec<u32>]) -> Option<f64> {
    let raters: f64 = ratings.first()?.iter().map(|n| f64::from(*n)).sum();
    let items = ratings.len() as f64;
    let categories = ratings.iter().map(Vec::len).max()?;
    if raters < 2.0 {
        return None;
    }
    let agreement = |row: &Vec<u32>| {
        let squares: f64 = row.iter().map(|n| f64::from(*n) * f64::from(*n)).sum();
        (squares - raters) / (raters * (raters - 1.0))
    };
    let observed = ratings.iter().map(agreement).sum::<f64>() / items;
    let share = |category: usize| {
        let chosen: f64 = ratings.iter().filter_map(|row| row.get(category)).map(|n| f64::from(*n)).sum();
        chosen / (items * raters)
    };
    let by_chance: f64 = (0..categories).map(|category| share(category).powi(2)).sum();
    ((1.0 - by_chance).abs() > 1e-12).then(|| (observed - by_chance) / (1.0 - by_chance))
}
