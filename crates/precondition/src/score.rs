//! Equation (2): how a predicted set of assertions compares with the true one, over the same instances.

use super::instance_set::InstanceSet;

/// Precision, recall and their harmonic mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// |C(pred) ∩ C(truth)| / |C(pred)|
    pub precision: f64,
    /// |C(pred) ∩ C(truth)| / |C(truth)|
    pub recall: f64,
    /// Harmonic mean of the two; 0 if both are 0.
    pub f1: f64,
}

impl Score {
    pub fn new(precision: f64, recall: f64) -> Self {
        let f1 = if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 };
        Score { precision, recall, f1 }
    }

    /// In words: `P 1.000  R 0.998  F1 0.999`, to so many places that sets which differ by little do not look alike.
    pub fn in_words(&self) -> String {
        format!("P {:.3}  R {:.3}  F1 {:.3}", self.precision, self.recall, self.f1)
    }

    /// Equation (2) for one action: where the conjunctions of the predicted and of the true assertions hold. A share of
    /// nothing is 1 if both sets are empty, else 0.
    pub fn of_sets(predicted: &InstanceSet, truth: &InstanceSet) -> Self {
        let (p, t, both) = (predicted.count(), truth.count(), predicted.count_common(truth));
        let share = |of: usize| match of {
            0 if p == t => 1.0,
            0 => 0.0,
            _ => both as f64 / of as f64,
        };
        Score::new(share(p), share(t))
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    /// As the paper's Table 2 takes them: mean precision, mean recall, and the harmonic mean of these two.
    pub of_means: Score,
    pub of_f1: f64,
}

impl Mean {
    /// Of the scores of actions; `None` for no action.
    pub fn of(scores: &[Score]) -> Option<Self> {
        if scores.is_empty() {
            return None;
        }
        let mean = |value: fn(&Score) -> f64| scores.iter().map(value).sum::<f64>() / scores.len() as f64;
        Some(Mean { of_means: Score::new(mean(|s| s.precision), mean(|s| s.recall)), of_f1: mean(|s| s.f1) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_nothing_are_as_defined() {
        let (none, some) = (InstanceSet::none(4), InstanceSet::of(4, |i| i < 2));
        assert_eq!(Score::of_sets(&none, &none), Score { precision: 1.0, recall: 1.0, f1: 1.0 });
        assert_eq!(Score::of_sets(&none, &some), Score { precision: 0.0, recall: 0.0, f1: 0.0 });
        assert_eq!(Score::of_sets(&some, &none), Score { precision: 0.0, recall: 0.0, f1: 0.0 });
    }

    #[test]
    fn overlap_counts_both_ways() {
        let score = Score::of_sets(&InstanceSet::of(8, |i| i < 4), &InstanceSet::of(8, |i| (2..8).contains(&i)));
        assert_eq!((score.precision, score.recall), (0.5, 1.0 / 3.0));
        assert!((score.f1 - 0.4).abs() < 1e-12);
    }

    #[test]
    fn the_macro_figure_is_of_the_means() {
        let mean = Mean::of(&[Score::new(1.0, 0.0), Score::new(0.5, 1.0)]).unwrap();
        assert_eq!((mean.of_means.precision, mean.of_means.recall), (0.75, 0.5));
        assert!((mean.of_means.f1 - 0.6).abs() < 1e-12);
        assert!((mean.of_f1 - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(Mean::of(&[]), None);
    }
}
