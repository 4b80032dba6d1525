//! Built-in selector: ranks the leaves of a forest without any language model.
//!
//! It knows what the robot sees now and its history in this episode ([`Memory`]), never the world's hidden state.
//! An action's use is read off the domain: from its effects on `VISIBLE`, on `HERE` (leaving the place) and on `TILT`
//! (looking up or down), so it works in every world that has a domain. `value.rs` holds what a leaf is worth.

mod memory;
#[cfg(test)]
mod tests;
mod value;

pub use memory::Memory;

use super::{Domain, Forest};
use crate::literal::Facts;

#[derive(Debug, Clone, PartialEq)]
pub struct RankedLeaf {
    pub text: String,
    /// Its worth; only the order means something.
    pub value: f64,
    pub why: String,
}

/// Differences below this are decided by chance.
const CHANCE: f64 = 3.0;
/// The cost of each tree before it: goals are met in order.
const LATER: f64 = 100.0;
/// The cost of being known to be blocked, with nothing known that would help.
const STUCK: f64 = 10_000.0;

/// All leaves, the best first. Equal ones are ordered by the seed.
pub fn rank(domain: &Domain, forest: &Forest, facts: &Facts, memory: &Memory, seed: u64) -> Vec<RankedLeaf> {
    let view = memory::view_of(facts);
    let mut ranked: Vec<RankedLeaf> = Vec::new();
    for leaf in forest.leaves() {
        let path = forest.path(leaf.key);
        let tree = path.first().and_then(|root| forest.trees().iter().position(|t| t.key == root.key));
        let scene = value::Scene { domain, forest, facts, memory, view };
        let (value, why) = scene.value(&path);
        let luck = chance(seed, forest.selections(), &leaf.text) * CHANCE;
        // Where everything was checked again after the last step, what nothing helps is tried last.
        let stuck = if domain.refresh && leaf.blocked.is_some() { STUCK } else { 0.0 };
        let value = value + luck - stuck - LATER * tree.unwrap_or_default() as f64;
        ranked.push(RankedLeaf { text: leaf.text.clone(), value, why });
    }
    ranked.sort_by(|a, b| b.value.total_cmp(&a.value));
    ranked
}

/// A number from 0 to 1 that depends on nothing but its arguments, so that going back and forth gives the same ranking.
fn chance(seed: u64, selection: u32, text: &str) -> f64 {
    let mut hash = seed ^ 0x9e37_79b9_7f4a_7c15 ^ (u64::from(selection) << 32);
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        hash ^= hash >> 29;
    }
    hash = hash.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (hash >> 11) as f64 / (1u64 << 53) as f64
}
