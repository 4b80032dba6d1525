//! Fit of a choice among alternatives whose features are given: a log-linear model, fitted to the choices that were made (maximum
//! likelihood with a penalty on large weights). Deterministic; knows nothing of calls.

use std::collections::HashMap;

/// A decision that was made: the features of each alternative, and which was chosen.
#[derive(Debug, Clone)]
pub struct Decision {
    pub alternatives: Vec<Vec<u64>>,
    pub chosen: usize,
}

#[derive(Debug, Clone, Default)]
pub struct Weights(HashMap<u64, f32>);

/// How often all decisions are gone through.
const ROUNDS: usize = 40;
/// How far a decision moves the weights of its features.
const STEP: f32 = 0.05;
/// Pull of each weight towards zero at each decision that has its feature.
const PENALTY: f32 = 0.001;

impl Weights {
    pub fn fit(decisions: &[Decision]) -> Self {
        let mut numbers: HashMap<u64, u32> = HashMap::new();
        let mut number = |feature: &u64| {
            let next = numbers.len() as u32;
            *numbers.entry(*feature).or_insert(next)
        };
        let numbered: Vec<(Vec<Vec<u32>>, usize)> = decisions
            .iter()
            .map(|d| (d.alternatives.iter().map(|a| a.iter().map(&mut number).collect()).collect(), d.chosen))
            .collect();
        let mut fit = Fit::new(numbers.len());
        for round in 0..ROUNDS {
            // Another order each time, the same each run.
            for at in 0..numbered.len() {
                let at = if round % 2 == 0 { at } else { numbered.len() - 1 - at };
                if let Some((alternatives, chosen)) = numbered.get(at) {
                    fit.learn(alternatives, *chosen);
                }
            }
        }
        Weights(numbers.into_iter().filter_map(|(feature, n)| Some((feature, *fit.weights.get(n as usize)?))).collect())
    }

    pub fn score(&self, features: &[u64]) -> f32 {
        features.iter().filter_map(|f| self.0.get(f)).sum()
    }
}

struct Fit {
    weights: Vec<f32>,
    gradient: Vec<f32>,
    touched: Vec<u32>,
}

impl Fit {
    fn new(n: usize) -> Self {
        Fit { weights: vec![0.0; n], gradient: vec![0.0; n], touched: Vec::new() }
    }

    fn learn(&mut self, alternatives: &[Vec<u32>], chosen: usize) {
        let weight = |f: &u32| self.weights.get(*f as usize).copied().unwrap_or(0.0);
        let scores: Vec<f32> = alternatives.iter().map(|a| a.iter().map(weight).sum()).collect();
        for (at, (alternative, p)) in alternatives.iter().zip(probabilities(&scores)).enumerate() {
            let missing = if at == chosen { 1.0 - p } else { -p };
            if missing.abs() < 1e-4 {
                continue;
            }
            for f in alternative {
                if let Some(g) = self.gradient.get_mut(*f as usize) {
                    if *g == 0.0 {
                        self.touched.push(*f);
                    }
                    *g += missing;
                }
            }
        }
        for f in self.touched.drain(..) {
            let at = f as usize;
            if let (Some(w), Some(g)) = (self.weights.get_mut(at), self.gradient.get_mut(at)) {
                *w += STEP * (std::mem::take(g) - PENALTY * *w);
            }
        }
    }
}

/// Probabilities that are proportional to the exponentials of scores.
pub fn probabilities(scores: &[f32]) -> Vec<f32> {
    let highest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let raw: Vec<f32> = scores.iter().map(|s| (s - highest).exp()).collect();
    let sum: f32 = raw.iter().sum();
    raw.into_iter().map(|p| p / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(alternatives: &[&[u64]], chosen: usize) -> Decision {
        Decision { alternatives: alternatives.iter().map(|a| a.to_vec()).collect(), chosen }
    }

    #[test]
    fn what_was_chosen_more_often_scores_higher() {
        // Of two alternatives, feature 1 is chosen three times of four; feature 9 decides the rest.
        let mut decisions = vec![decision(&[&[1], &[2]], 0); 30];
        decisions.extend(vec![decision(&[&[1], &[2, 9]], 1); 10]);
        let weights = Weights::fit(&decisions);
        assert!(weights.score(&[1]) > weights.score(&[2]));
        assert!(weights.score(&[2, 9]) > weights.score(&[1]));
        let p = probabilities(&[weights.score(&[1]), weights.score(&[2])]);
        assert!(p[0] > 0.8 && p[0] < 1.0, "{p:?}");
    }

    #[test]
    fn the_same_decisions_give_the_same_weights() {
        let decisions = [decision(&[&[1, 3], &[2]], 0), decision(&[&[4], &[2, 3]], 1)];
        let (a, b) = (Weights::fit(&decisions), Weights::fit(&decisions));
        for feature in 1..5 {
            assert_eq!(a.score(&[feature]).to_bits(), b.score(&[feature]).to_bits());
        }
    }

    #[test]
    fn nothing_learned_prefers_nothing() {
        assert_eq!(probabilities(&[Weights::fit(&[]).score(&[1]), 0.0]), [0.5, 0.5]);
    }
}
