//! Generator of episodes of every domain and games of cups: the same seed gives the same ones, on every machine.
//!
//! A file a domain says what may be asked of a table; `episode` lets requests follow each other and `made` writes them down in the
//! format of the recorded episodes.

mod cover;
mod cups;
mod disinfection;
mod episode;
mod look;
mod made;
mod pick_and_place;
mod weight;

use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use super::Domain;
pub use cups::cups;
use stepwright_world::GeneratedTask;

/// Names of colours for things.
const COLOURS: [&str; 12] =
    ["red", "blue", "green", "yellow", "purple", "orange", "black", "white", "gray", "brown", "pink", "cyan"];

const BOWLS: [&str; 6] = ["tin", "glass", "wooden", "copper", "paper", "stone"];

/// An episode in the format of files, JSON Lines as well as lists; the same domain and seed give the same one.
/// Errors: for cups, whose games make a file together ([`cups`]); otherwise never for any seed tried.
pub fn episode(domain: Domain, id: &str, seed: u64) -> Result<Value, String> {
    match domain {
        Domain::PickAndPlace => pick_and_place::pick_and_place(id, seed),
        Domain::Disinfection => disinfection::disinfection(id, seed),
        Domain::Weight => weight::weight(id, seed),
        Domain::Cover => cover::cover(id, seed),
        Domain::Cups => Err("games of cups are made together, as a file".to_owned()),
    }
}

/// Generates an episode of a domain by its name, for the command line.
/// Errors: if episodes of that name are not generated: with those that are.
pub(super) fn new_task(kind: &str, seed: u64) -> Result<GeneratedTask, String> {
    let domain = kind.parse().ok().filter(|domain: &Domain| *domain != Domain::Cups).ok_or_else(|| {
        let known = <Domain as strum::VariantArray>::VARIANTS
            .iter()
            .filter(|d| **d != Domain::Cups)
            .map(|d| d.name())
            .collect::<Vec<_>>();
        format!("episodes of `{kind}` are not generated; there are {}", known.join(", "))
    })?;
    let id = format!("generated/{}-{seed}", domain.name());
    let made = episode(domain, &id, seed)?;
    let requests = made.get("n_steps").and_then(Value::as_u64).unwrap_or_default();
    Ok(GeneratedTask { id, about: format!("{requests} requests"), line: made.to_string() })
}

/// One of several; the first of none is no text.
fn one_of<'a>(random: &mut ChaCha8Rng, texts: &[&'a str]) -> &'a str {
    texts.choose(random).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHIPPED: u64 = 20;
    const DOMAINS: [Domain; 4] = [Domain::PickAndPlace, Domain::Disinfection, Domain::Weight, Domain::Cover];

    /// With `STEPWRIGHT_WRITE` set, writes the files again.
    #[test]
    fn the_shipped_files_are_what_the_seeds_give() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join("worlds/table");
        let write = std::env::var_os("STEPWRIGHT_WRITE").is_some();
        let compare = |name: &str, there: &str, made: &str| {
            if write && there != made {
                std::fs::write(folder.join(name), made).unwrap();
            } else {
                assert!(there == made, "{name} is not what the seeds give");
            }
        };
        for domain in DOMAINS {
            let name = format!("{}.jsonl", domain.name());
            let there = std::fs::read_to_string(folder.join(&name)).unwrap();
            // A short one, written by hand, comes first.
            let by_hand = there.lines().next().filter(|_| domain != Domain::Cover).map(|line| format!("{line}\n"));
            let generated = (1..=SHIPPED).map(|seed| {
                let id = format!("{}/{}{seed:02}", domain.name(), if domain == Domain::Cover { "" } else { "own-" });
                episode(domain, &id, seed).unwrap().to_string() + "\n"
            });
            compare(&name, &there, &by_hand.into_iter().chain(generated).collect::<String>());
        }
        let there = std::fs::read_to_string(folder.join("cups.json")).unwrap();
        compare("cups.json", &there, &(cups(1, 10, SHIPPED as usize).to_string() + "\n"));
    }

    #[test]
    fn every_seed_gives_an_episode_with_something_to_remember() {
        for domain in DOMAINS {
            for seed in 0..100 {
                let episode = episode(domain, "x", seed).unwrap();
                let steps = episode["steps"].as_array().unwrap();
                assert!((5..=16).contains(&steps.len()));
                assert!(steps.iter().any(|step| step["temporal"] == true));
                let longest = steps.iter().map(|step| step["gold_moves"].as_array().unwrap().len()).max();
                assert!(domain != Domain::Cover || longest > Some(1), "nothing hidden is moved");
            }
        }
    }
}
