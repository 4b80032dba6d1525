//! Course of requests on a table, and the episode it makes.

use std::ops::RangeInclusive;

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::super::{Kind, Table};
use super::made::MadeRequest;
use super::{BOWLS, COLOURS};

/// How often an episode is tried: most have what is wanted at once.
const TRIES: u64 = 64;
/// How many requests in a row may be impossible before an attempt is given up.
const PATIENCE: usize = 400;

/// Requests, with the table after each.
pub struct EpisodeDraft {
    names: Vec<String>,
    initial: Value,
    table: Table,
    steps: Vec<(MadeRequest, Table)>,
    refused: usize,
}

impl EpisodeDraft {
    /// Nothing asked yet: so many blocks and bowls, with a disinfector if so said.
    pub fn new(
        random: &mut ChaCha8Rng,
        blocks: RangeInclusive<usize>,
        bowls: RangeInclusive<usize>,
        disinfector: bool,
    ) -> Result<EpisodeDraft, String> {
        let (blocks, bowls) = (random.random_range(blocks), random.random_range(bowls));
        let mut names: Vec<String> =
            COLOURS.choose_multiple(random, blocks).map(|colour| format!("{colour} block")).collect();
        names.extend(BOWLS.choose_multiple(random, bowls).map(|stuff| format!("{stuff} bowl")));
        if disinfector {
            names.push("disinfector".to_owned());
        }
        EpisodeDraft::over(names)
    }

    /// Nothing asked yet about things of these names.
    pub fn over(names: Vec<String>) -> Result<EpisodeDraft, String> {
        let table = Table::new(&names)?;
        Ok(EpisodeDraft { names, initial: table.form(), table, steps: Vec::new(), refused: 0 })
    }

    pub fn table(&self) -> &Table {
        &self.table
    }

    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Adds a request, if there is one, and does what it asks.
    /// Errors: if nothing can be asked any more, or the rules refuse a move.
    pub fn add(&mut self, made: Option<MadeRequest>) -> Result<(), String> {
        // The same is not asked twice in a row.
        let made = made.filter(|made| self.steps.last().is_none_or(|(last, _)| last.query != made.query));
        let Some(made) = made else {
            self.refused += 1;
            return if self.refused > PATIENCE { Err("nothing more can be asked".to_owned()) } else { Ok(()) };
        };
        self.follow(made)
    }

    pub fn follow(&mut self, made: MadeRequest) -> Result<(), String> {
        for (first, second) in &made.moves {
            self.table.put(first, second)?;
        }
        if let Ok(telling) = made.kind.parse() {
            self.table.hear(&made.query, telling);
        }
        self.steps.push((made, self.table.clone()));
        Ok(())
    }

    pub fn requests(&self) -> impl Iterator<Item = &MadeRequest> {
        self.steps.iter().map(|(made, _)| made)
    }

    fn is_good(&self) -> bool {
        let temporal = self.steps.iter().filter(|(made, _)| made.temporal).count();
        temporal > 0 && (5..=16).contains(&self.steps.len())
    }

    fn written(&self, id: &str, domain: &str) -> Value {
        let steps: Vec<Value> =
            self.steps.iter().enumerate().map(|(i, (made, table))| made.entry(i + 1, table)).collect();
        json!({
            "id": id, "domain": domain, "objects": self.names, "initial": self.initial, "n_steps": steps.len(), "steps": steps,
        })
    }
}

/// The first attempt of a seed that gives an episode of 5 to 16 requests with one that takes memory.
pub fn first(
    id: &str,
    domain: &str,
    seed: u64,
    attempt: impl Fn(&mut ChaCha8Rng) -> Result<EpisodeDraft, String>,
) -> Result<Value, String> {
    for number in 0..TRIES {
        let mut random = ChaCha8Rng::seed_from_u64(seed.wrapping_mul(TRIES).wrapping_add(number));
        match attempt(&mut random) {
            Ok(course) if course.is_good() => return Ok(course.written(id, domain)),
            _ => {}
        }
    }
    Err(format!("seed {seed} gives no episode of {domain}"))
}

/// A number from 0 to 9.
pub(crate) fn dice(random: &mut ChaCha8Rng) -> u32 {
    random.random_range(0..10)
}

pub fn length(random: &mut ChaCha8Rng, range: RangeInclusive<usize>) -> usize {
    random.random_range(range)
}

/// The blocks of a table that are clean, dirty, or not known to be either.
pub(crate) fn blocks_that_are(table: &Table, clean: Option<bool>) -> Vec<String> {
    let blocks = table.things().iter().filter(|thing| thing.kind == Kind::Block);
    blocks.map(|thing| thing.name.clone()).filter(|name| table.is_clean(name) == clean).collect()
}
