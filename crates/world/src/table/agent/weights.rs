//! Sums of believed weights, and how they compare.
//!
//! What a belief says of single weights is read by [`crate::weights`]: blocks that are joined by statements make a family, whose
//! weights are multiples of one that stays unknown. Families cannot be compared with each other.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use num_traits::{CheckedAdd, CheckedMul};
use serde_json::Value;

use super::Unreadable;
use super::scene::Scene;
use crate::table::Kind;
use crate::weights::{Ratio, Weights as Known};

/// A sum of weights: the multiple of each family's unknown.
pub type Sum = BTreeMap<usize, Ratio>;

/// The weights of all blocks.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// Family and multiple of each block.
    of: BTreeMap<String, (usize, Ratio)>,
}

impl Weights {
    /// Puts together what a belief says of weights.
    ///
    /// # Errors
    /// If it contradicts itself.
    pub fn of(belief: &Value, scene: &Scene) -> Result<Weights, Unreadable> {
        let known = Known::of(belief).map_err(|error| Unreadable::new("", format!("the belief: {error}")))?;
        let mut of = BTreeMap::new();
        let groups = known.groups();
        for (family, group) in groups.iter().enumerate() {
            of.extend(group.iter().map(|(block, weight)| ((*block).to_owned(), (family, *weight))));
        }
        for (at, block) in scene.all(Kind::Block).enumerate() {
            of.entry(block.clone()).or_insert_with(|| (groups.len() + at, Ratio::from_integer(1)));
        }
        Ok(Weights { of })
    }

    /// How the weights of two blocks compare; `None` if nothing joins them.
    pub fn compare(&self, one: &str, other: &str) -> Option<Ordering> {
        let ((family, weight), (others, of)) = (self.of.get(one)?, self.of.get(other)?);
        (family == others).then(|| weight.cmp(of))
    }

    /// Whether a block weighs so many times what another weighs; `None` if nothing joins them.
    pub fn is_times(&self, one: &str, factor: &Ratio, other: &str) -> Option<bool> {
        let ((family, weight), (others, of)) = (self.of.get(one)?, self.of.get(other)?);
        (family == others).then(|| of.checked_mul(factor).as_ref() == Some(weight))
    }

    /// The weight of some blocks together; `None` beyond the numbers' range.
    pub fn sum<'a>(&self, blocks: impl IntoIterator<Item = &'a String>) -> Option<Sum> {
        let mut sum = Sum::new();
        for (family, weight) in blocks.into_iter().filter_map(|block| self.of.get(block)) {
            let before = sum.get(family).copied().unwrap_or_default();
            sum.insert(*family, before.checked_add(weight)?);
        }
        Some(sum)
    }
}

/// A sum so many times; `None` beyond the numbers' range.
pub fn times(sum: &Sum, factor: &Ratio) -> Option<Sum> {
    sum.iter().map(|(family, weight)| Some((*family, weight.checked_mul(factor)?))).collect()
}

/// How two sums compare for all values of the unknown weights; `None` if that depends on them.
pub fn compare(one: &Sum, other: &Sum) -> Option<Ordering> {
    let mut order = Ordering::Equal;
    let none = Ratio::default();
    for family in one.keys().chain(other.keys()) {
        let here = one.get(family).unwrap_or(&none).cmp(other.get(family).unwrap_or(&none));
        match (order, here) {
            (_, Ordering::Equal) => {}
            (Ordering::Equal, _) => order = here,
            _ if order != here => return None,
            _ => {}
        }
    }
    Some(order)
}
