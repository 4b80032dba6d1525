//! Games of three cups, made up by a seed: the examples of the three cups' prompts.

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::answer::list_of;

/// The seed of the games that prompts show.
const SEED: u64 = 3;
const SWAPS: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Game {
    pub first: String,
    pub swaps: Vec<String>,
    pub states: Vec<String>,
    pub last: String,
    pub steps: Vec<Swap>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Swap {
    pub swap: String,
    pub state: String,
}

pub fn games(n: usize) -> Vec<Game> {
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    (0..n).map(|_| game(&mut random)).collect()
}

fn game(random: &mut ChaCha8Rng) -> Game {
    let mut cups = [false; 3];
    let ball = random.random_range(0..cups.len());
    if let Some(cup) = cups.get_mut(ball) {
        *cup = true;
    }
    let first = list_of(&cups);
    let swaps = random.random_range(1..=SWAPS);
    let steps: Vec<Swap> = (0..swaps)
        .map(|_| {
            let (a, b) = *[(0, 1), (0, 2), (1, 2)].choose(random).unwrap_or(&(0, 1));
            cups.swap(a, b);
            Swap { swap: format!("Swapping cup {a} with cup {b}"), state: list_of(&cups) }
        })
        .collect();
    Game {
        first,
        swaps: steps.iter().map(|s| s.swap.clone()).collect(),
        states: steps.iter().map(|s| s.state.clone()).collect(),
        last: list_of(&cups),
        steps,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_games_are_always_the_same_and_keep_one_ball() {
        let all = games(30);
        assert_eq!(all, games(30));
        assert!((1..=SWAPS).all(|n| all.iter().any(|g| g.swaps.len() == n)), "games of every length");
        for game in all {
            assert!(game.states.iter().chain([&game.first]).all(|s| s.matches("True").count() == 1), "{game:?}");
            assert_eq!(game.states.last(), Some(&game.last));
        }
    }
}
