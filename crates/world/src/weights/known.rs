//! Known weights of a belief: which objects' weights have a known ratio.
//!
//! Each entry that is a fraction of one other object joins the two; objects joined through others are compared as well. Entries in
//! plain numbers are comparable with each other. Sums of several weights join nothing here.

use std::collections::{BTreeMap, VecDeque};

use num_traits::{CheckedMul, Signed};
use serde_json::{Map, Value};

use super::{Expression, Ratio};

/// A belief's weights, object by object within groups of comparable ones.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Weights {
    /// Each object's group and its weight in the group's own unit.
    known: BTreeMap<String, (usize, Ratio)>,
}

/// Two entries that cannot both be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the weights contradict each other: `{object}` would weigh {one} and {other} of the same unit")]
pub struct Contradiction {
    pub object: String,
    pub one: Ratio,
    pub other: Ratio,
}

/// Stands for the unit of plain numbers; no object has this name.
const UNIT: &str = "";

impl Weights {
    /// The weights of a belief.
    /// Errors: if entries contradict each other. What is no weight is passed over.
    pub fn of(belief: &Value) -> Result<Self, Contradiction> {
        let none = Map::new();
        let entries = belief.as_object().unwrap_or(&none);
        let mut edges: BTreeMap<String, Vec<(String, Ratio)>> = BTreeMap::new();
        for (object, entry) in entries {
            let Some(expression) = entry.get("weight").and_then(Expression::of) else { continue };
            let plain = || {
                (expression.terms.is_empty() && expression.number.is_positive()).then_some((UNIT, expression.number))
            };
            let Some((other, factor)) = expression.one_term().filter(|(_, f)| f.is_positive()).or_else(plain) else {
                continue;
            };
            // object = other * factor, and the other way round.
            edges.entry(other.to_owned()).or_default().push((object.clone(), factor));
            edges.entry(object.clone()).or_default().push((other.to_owned(), factor.recip()));
        }
        let mut weights = Weights::default();
        for (group, start) in edges.keys().enumerate() {
            weights.spread(&edges, start, group)?;
        }
        weights.known.remove(UNIT);
        Ok(weights)
    }

    /// Gives a weight to all that is joined to an object.
    fn spread(
        &mut self,
        edges: &BTreeMap<String, Vec<(String, Ratio)>>,
        start: &str,
        group: usize,
    ) -> Result<(), Contradiction> {
        if self.known.contains_key(start) {
            return Ok(());
        }
        self.known.insert(start.to_owned(), (group, Ratio::from_integer(1)));
        let mut queue = VecDeque::from([start.to_owned()]);
        while let Some(object) = queue.pop_front() {
            let Some((_, weight)) = self.known.get(&object).copied() else { continue };
            for (other, factor) in edges.get(&object).into_iter().flatten() {
                // Beyond the numbers' range nothing is known.
                let Some(product) = weight.checked_mul(factor) else { continue };
                match self.known.get(other) {
                    None => {
                        self.known.insert(other.clone(), (group, product));
                        queue.push_back(other.clone());
                    }
                    Some((_, there)) if *there == product => {}
                    Some((_, there)) => {
                        return Err(Contradiction { object: other.clone(), one: *there, other: product });
                    }
                }
            }
        }
        Ok(())
    }

    /// The objects whose weights are comparable, each with its weight in a unit of the group's own; groups in the order of names.
    pub fn groups(&self) -> Vec<BTreeMap<&str, Ratio>> {
        let mut groups: BTreeMap<usize, BTreeMap<&str, Ratio>> = BTreeMap::new();
        for (object, (group, weight)) in &self.known {
            groups.entry(*group).or_default().insert(object, *weight);
        }
        groups.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_follows_from_several_weights() {
        let belief = json!({
            "red block": {"weight": "green_block.weight / 2"}, "green block": {"weight": "blue_block.weight * 3"}, "blue block": {},
            "gray block": {"weight": 2}, "tan block": {"weight": "half"}, "bowl": {"contains": ["red block"]},
        });
        let weights = Weights::of(&belief).unwrap();
        let groups = weights.groups();
        assert_eq!(groups.iter().map(BTreeMap::len).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(groups[1]["red block"] / groups[1]["blue block"], Ratio::new(3, 2));
        assert_eq!(groups[0]["gray block"] / groups[0]["tan block"], Ratio::new(4, 1));
        assert!(groups.iter().all(|group| !group.contains_key("bowl")));
    }

    #[test]
    fn a_circle_that_agrees_is_no_contradiction() {
        let circle =
            |factor: &str| json!({"a": {"weight": "b.weight / 2"}, "b": {"weight": format!("a.weight * {factor}")}});
        assert!(Weights::of(&circle("2")).is_ok());
        let wrong = Weights::of(&circle("3")).unwrap_err();
        assert!(wrong.to_string().contains("contradict"), "{wrong}");
        assert!(Weights::of(&json!({"a": {"weight": "a.weight * 2"}})).is_err());
    }

    #[test]
    fn what_is_no_belief_has_no_weights() {
        assert_eq!(Weights::of(&json!([1])), Ok(Weights::default()));
        assert_eq!(Weights::of(&json!({"a": {"weight": "red_block."}})), Ok(Weights::default()));
    }
}
