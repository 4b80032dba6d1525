//! The nearest example fitted to a task: a plan without a language model.
//!
//! Of the examples whose task is much like the one asked for, or whose steps are about the things it names, the one is chosen that agrees
//! best with the others: what most plans of such tasks do is what they have in common. Where the example's task names another thing,
//! its steps are about the asked one, as far as there are such steps. The plan of the task itself is never among the examples.

use std::collections::BTreeSet;

use crate::once::once;
use crate::written::spelled;

/// How many of the best examples are compared with each other.
const COMPARED: usize = 30;
/// How much an example may be worse than the best and still be compared.
const NEAR: f64 = 0.25;
/// The weight of names shared by an example's steps and the task, beside the likeness of the tasks.
const NAMED: f64 = 0.6;

/// Words that say nothing of what a task is about.
const EMPTY: &[&str] = &[
    "a", "an", "the", "to", "of", "in", "on", "at", "up", "out", "and", "or", "for", "with", "from", "into", "is",
    "it", "me", "my", "some", "please", "do", "go", "get", "off", "down", "away", "them",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    pub task: String,
    pub steps: Vec<String>,
}

#[derive(Debug)]
pub struct Examples<'a> {
    examples: &'a [Example],
    named: Vec<BTreeSet<String>>,
    weights: Weights,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    pub example: usize,
    pub steps: Vec<String>,
    /// Substitutions, in words (`cup for mug`).
    pub changed: Vec<String>,
}

impl<'a> Examples<'a> {
    pub fn of(examples: &'a [Example]) -> Self {
        let named = |example: &Example| example.steps.iter().flat_map(|step| stems(step)).collect();
        Examples { examples, named: examples.iter().map(named).collect(), weights: Weights::of(examples) }
    }

    /// Fits the nearest example to a task; `None` without examples. `likeness` says how like the task each one's task is, from -1 to 1.
    /// `admissible` are the steps there are, sorted, in lower case; empty where any step can be asked for.
    pub fn fitted(&self, task: &str, likeness: &[f64], admissible: &[String]) -> Option<Fitted> {
        let wanted = stems(task);
        let mut scored: Vec<(f64, usize)> = self
            .named
            .iter()
            .zip(likeness)
            .enumerate()
            .map(|(at, (named, likeness))| (NAMED.mul_add(self.weights.share(&wanted, named), *likeness), at))
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let best = scored.first()?.0;
        let near: Vec<(f64, usize)> =
            scored.into_iter().take(COMPARED).filter(|(score, _)| *score >= best - NEAR).collect();
        let lower: Vec<Vec<String>> = near
            .iter()
            .filter_map(|(_, at)| Some(self.examples.get(*at)?.steps.iter().map(|s| s.to_lowercase()).collect()))
            .collect();
        let agreement = |plan: &Vec<String>| -> f64 {
            near.iter().zip(&lower).map(|((score, _), other)| score * score * in_common(plan, other)).sum()
        };
        let agreements: Vec<f64> = lower.iter().map(agreement).collect();
        let chosen = (0..near.len()).max_by(|a, b| {
            let of = |at: usize| agreements.get(at).copied().unwrap_or_default();
            of(*a).total_cmp(&of(*b)).then(b.cmp(a))
        })?;
        let (_, at) = near.get(chosen)?;
        let example = self.examples.get(*at)?;
        let (steps, mut changed) = about(&wanted, &stems(&example.task), &example.steps, admissible);
        let (steps, left_out) = once(steps);
        changed.extend(left_out.into_iter().map(|step| format!("without a second `{step}`")));
        Some(Fitted { example: *at, steps, changed })
    }
}

/// The steps with what the example's task names alone in place of what the task names alone, and what was replaced.
fn about(
    wanted: &BTreeSet<String>,
    had: &BTreeSet<String>,
    steps: &[String],
    admissible: &[String],
) -> (Vec<String>, Vec<String>) {
    let whole = || (steps.iter().map(|step| spelled(step)).collect(), Vec::new());
    let in_steps: BTreeSet<String> = steps.iter().flat_map(|step| stems(step)).collect();
    let old: Vec<&String> = had.difference(wanted).filter(|word| in_steps.contains(*word)).collect();
    let unnamed: Vec<&String> = wanted.difference(had).filter(|word| !in_steps.contains(*word)).collect();
    let is_named = |word: &str| admissible.iter().any(|step| step.contains(word) && stems(step).contains(word));
    let new: Vec<&String> = unnamed.into_iter().filter(|word| !old.is_empty() && is_named(word)).collect();
    let ([old], [new]) = (old.as_slice(), new.as_slice()) else { return whole() };
    let mut changed = false;
    let fitted = steps
        .iter()
        .map(|step| match replaced(step, old, new, admissible) {
            Some(other) => {
                changed = true;
                spelled(other)
            }
            None => spelled(step),
        })
        .collect();
    if changed { (fitted, vec![format!("{new} for {old}")]) } else { whole() }
}

/// The admissible step that says of another thing what a step says of one; the one with the fewest words.
fn replaced<'a>(step: &str, old: &str, new: &str, admissible: &'a [String]) -> Option<&'a String> {
    let lower = step.to_lowercase();
    let words: Vec<&str> = lower.split(' ').collect();
    let at = words.iter().position(|word| stem(word) == *old)?;
    let end = words.get(at + 1..).unwrap_or_default().join(" ");
    // The name may begin before the word: `clothes jacket`.
    (1..=at).rev().find_map(|begin| {
        let start = words.get(..begin).unwrap_or_default().join(" ");
        let from = admissible.partition_point(|known| known.as_str() < start.as_str());
        let like = admissible.iter().skip(from).take_while(|known| known.starts_with(&start));
        let fits = like.filter(|known| {
            let middle = known.get(start.len()..).and_then(|rest| rest.strip_suffix(end.as_str()));
            middle.is_some_and(|middle| middle.split([' ', '_']).any(|word| stem(word) == *new))
        });
        fits.min_by_key(|known| known.len())
    })
}

/// How much the words of tasks tell, by how rare they are.
#[derive(Debug)]
struct Weights {
    tasks: Vec<BTreeSet<String>>,
}

impl Weights {
    fn of(examples: &[Example]) -> Weights {
        let tasks: BTreeSet<&str> = examples.iter().map(|example| example.task.as_str()).collect();
        Weights { tasks: tasks.into_iter().map(stems).collect() }
    }

    #[allow(clippy::cast_precision_loss)] // numbers of tasks
    fn of_word(&self, word: &str) -> f64 {
        let having = self.tasks.iter().filter(|task| task.contains(word)).count();
        (1.0 + self.tasks.len() as f64 / (1.0 + having as f64)).ln()
    }

    fn share(&self, wanted: &BTreeSet<String>, among: &BTreeSet<String>) -> f64 {
        let weight = |words: &mut dyn Iterator<Item = &String>| words.map(|word| self.of_word(word)).sum::<f64>();
        let all = weight(&mut wanted.iter());
        if all > 0.0 { weight(&mut wanted.intersection(among)) / all } else { 0.0 }
    }
}

/// The longest common subsequence of two plans as part of the longer one.
#[allow(clippy::cast_precision_loss)] // lengths of plans
fn in_common(a: &[String], b: &[String]) -> f64 {
    let mut row = vec![0_usize; b.len() + 1];
    for x in a {
        let mut diagonal = 0;
        for (at, y) in b.iter().enumerate() {
            let (left, above) = (row.get(at).copied().unwrap_or(0), row.get(at + 1).copied().unwrap_or(0));
            if let Some(cell) = row.get_mut(at + 1) {
                *cell = if x == y { diagonal + 1 } else { left.max(above) };
            }
            diagonal = above;
        }
    }
    let longest = a.len().max(b.len());
    if longest == 0 { 0.0 } else { row.last().copied().unwrap_or(0) as f64 / longest as f64 }
}

fn stems(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    words.filter(|word| !word.is_empty() && !EMPTY.contains(&word.as_str())).map(|word| stem(&word)).collect()
}

/// A word without the endings of its forms.
fn stem(word: &str) -> String {
    let word = ["ing", "es", "s", "ed"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending).filter(|rest| rest.len() > 2))
        .unwrap_or(word);
    let word = word.strip_suffix('e').unwrap_or(word);
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(list: &[&str]) -> Vec<String> {
        list.iter().map(|step| (*step).to_owned()).collect()
    }

    #[test]
    fn what_most_examples_do_is_done_and_the_thing_asked_for_takes_the_place_of_the_other() {
        let plans = [
            steps(&["Walk to bedroom", "Find clothes jacket", "Grab clothes jacket"]),
            steps(&["Walk to bedroom", "Find clothes jacket", "Put on clothes jacket"]),
            steps(&["Sleep"]),
        ];
        let tasks = ["Put on jacket", "Put on jacket", "Rest"];
        let example = |(task, steps): (&&str, &Vec<String>)| Example { task: (*task).to_owned(), steps: steps.clone() };
        let examples: Vec<Example> = tasks.iter().zip(&plans).map(example).collect();
        let mut admissible =
            steps(&["find clothes shirt", "grab clothes shirt", "find clothes jacket", "put on clothes shirt"]);
        admissible.sort();
        let fitted = Examples::of(&examples).fitted("Put on shirt", &[0.8, 0.8, 0.1], &admissible).unwrap();
        assert_eq!(fitted.steps, ["Walk to bedroom", "Find clothes shirt", "Put on clothes shirt"]);
        assert_eq!(fitted.changed, ["shirt for jacket"]);
        assert_eq!(Examples::of(&[]).fitted("Rest", &[], &[]), None);
    }
}
