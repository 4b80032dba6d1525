//! Makes episodes of covers and games of cups: the same seed gives the same ones, on every machine.

mod cover;
mod cups;

use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

pub use cover::cover;
pub use cups::cups;

/// Names of colours for things.
const COLOURS: [&str; 12] =
    ["red", "blue", "green", "yellow", "purple", "orange", "black", "white", "gray", "brown", "pink", "cyan"];

/// One of several; the first of none is no text.
fn one_of<'a>(random: &mut ChaCha8Rng, texts: &[&'a str]) -> &'a str {
    texts.choose(random).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of each ship.
    const SHIPPED: u64 = 20;

    /// With `STEPWRIGHT_WRITE` set, writes the files anew.
    #[test]
    fn the_shipped_files_are_what_the_seeds_give() {
        let covers: String =
            (1..=SHIPPED).map(|seed| cover(&format!("cover/{seed:02}"), seed).unwrap().to_string() + "\n").collect();
        let games = cups(1, 10, SHIPPED as usize).to_string() + "\n";
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("worlds/table");
        for (name, text) in [("cover.jsonl", covers), ("cups.json", games)] {
            if std::env::var_os("STEPWRIGHT_WRITE").is_some() {
                std::fs::write(folder.join(name), &text).unwrap();
            }
            assert!(std::fs::read_to_string(folder.join(name)).unwrap() == text, "{name} is not what the seeds give");
        }
    }

    #[test]
    fn every_seed_gives_an_episode_with_something_to_remember() {
        for seed in 0..200 {
            let episode = cover("x", seed).unwrap();
            let steps = episode["steps"].as_array().unwrap();
            assert!((8..=12).contains(&steps.len()));
            assert!(steps.iter().any(|step| step["temporal"] == true));
            assert!(steps.iter().any(|step| step["gold_moves"].as_array().unwrap().len() > 1));
        }
    }
}
