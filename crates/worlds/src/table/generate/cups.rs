//! Games of cups: a ball under one of three, and pairs swapped at random.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

const CUPS: usize = 3;
const SWAPS: usize = 10;
/// The most swaps of a demonstration.
const SHOWN: usize = 5;

/// A file of demonstrations (one to five swaps) and games (ten swaps), with the cups after each swap.
pub fn cups(seed: u64, demonstrations: usize, games: usize) -> Value {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let shown: Vec<Value> = (0..demonstrations)
        .map(|_| {
            let swaps = random.random_range(1..=SHOWN);
            game(&mut random, swaps)
        })
        .collect();
    let games: Vec<Value> = (0..games).map(|_| game(&mut random, SWAPS)).collect();
    json!({ "demonstrations": shown, "episodes": games })
}

fn game(random: &mut ChaCha8Rng, count: usize) -> Value {
    let ball = random.random_range(0..CUPS);
    let mut cups: Vec<bool> = (0..CUPS).map(|cup| cup == ball).collect();
    let initial = cups.clone();
    let (mut swaps, mut states) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let left_out = random.random_range(0..CUPS);
        let pair: Vec<usize> = (0..CUPS).filter(|cup| *cup != left_out).collect();
        if let [first, second] = pair.as_slice() {
            cups.swap(*first, *second);
        }
        swaps.push(pair);
        states.push(cups.clone());
    }
    json!({ "initial": initial, "swaps": swaps, "states": states })
}
