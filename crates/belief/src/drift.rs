//! Drift: how far a belief is from the truth, counted value by value.

use serde_json::Value;

use super::compare;

/// A belief's distance from the truth at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Drift {
    /// Values believed that are not so, or not so any more.
    pub wrong: usize,
    /// Values that are so and not believed.
    pub missing: usize,
    /// Values believed in place of others.
    pub changed: usize,
}

impl Drift {
    pub fn of(belief: &Value, truth: &Value) -> Self {
        let mut drift = Drift::default();
        for difference in compare(belief, truth) {
            match (difference.believed, difference.truth) {
                (Some(_), Some(_)) => drift.changed += 1,
                (Some(_), None) => drift.wrong += 1,
                _ => drift.missing += 1,
            }
        }
        drift
    }

    pub fn differing(&self) -> usize {
        self.wrong + self.missing + self.changed
    }
}

/// The drift from moment to moment, for a plot: what is believed and what is true at each.
pub fn series<'a>(moments: impl IntoIterator<Item = (&'a Value, &'a Value)>) -> Vec<Drift> {
    moments.into_iter().map(|(belief, truth)| Drift::of(belief, truth)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_counted_apart() {
        let truth =
            json!({"objects": ["a", "b"], "relations": ["a is on b"], "a": {"weight": 1}, "b": {"is": ["clean"]}});
        let belief = json!({"objects": ["a", "b"], "relations": [], "a": {"weight": 2}, "b": {"is": ["clean", "hot"]}});
        let drift = series([(&truth, &truth), (&belief, &truth)]);
        assert_eq!(drift, [Drift::default(), Drift { wrong: 1, missing: 1, changed: 1 }]);
        assert_eq!(drift.last().map(Drift::differing), Some(3));
    }
}
