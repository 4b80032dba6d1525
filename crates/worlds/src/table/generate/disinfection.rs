//! Disinfection: blocks get dirty by touching dirty ones and clean in the disinfector; what is clean is stated, and changes.

use rand::seq::IndexedRandom;
use rand::{Rng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use super::super::thing::{at, counted, list};
use super::super::{Kind, TABLE, Table};
use super::episode::{self, EpisodeDraft, blocks_that_are};
use super::look::{contents, of_kind, on};
use super::made::MadeRequest;
use super::one_of;

/// An episode in the format of files.
/// Errors: if no attempt gives one that has all that is wanted.
pub fn disinfection(id: &str, seed: u64) -> Result<Value, String> {
    episode::first(id, "disinfection", seed, |random| {
        let mut course = EpisodeDraft::new(random, 4..=6, 1..=2, true)?;
        let wanted = episode::length(random, 8..=14);
        while course.len() < wanted {
            let made = match episode::dice(random) {
                _ if course.len() < 2 => statement(random, course.table()),
                0 => statement(random, course.table()),
                1..=4 => put(random, course.table()),
                5 | 6 => put_all(random, course.table()),
                7 | 8 => event(random, course.table()),
                _ => question(random, course.table()),
            };
            course.add(made)?;
        }
        Ok(course)
    })
}

fn word(clean: bool) -> &'static str {
    if clean { "clean" } else { "dirty" }
}

/// A statement of clean or dirty blocks of unknown state.
fn statement(random: &mut ChaCha8Rng, table: &Table) -> Option<MadeRequest> {
    let mut unknown = blocks_that_are(table, None);
    let clean = random.random_bool(0.5);
    let known = unknown.len() < of_kind(table, Kind::Block).len();
    let is = |blocks: &[String]| {
        format!("{} {} {}.", list(blocks), if blocks.len() == 1 { "is" } else { "are" }, word(clean))
    };
    if known && !unknown.is_empty() && random.random_bool(0.6) {
        let query =
            format!("{} {}", one_of(random, &["The other blocks are", "All the other blocks are"]), word(clean));
        return Some(MadeRequest::stated("statement", query, is(&unknown)));
    }
    unknown.shuffle(random);
    unknown.truncate(random.random_range(1..=3));
    (!unknown.is_empty()).then(|| MadeRequest::stated("statement", is(&unknown), is(&unknown)))
}

fn put(random: &mut ChaCha8Rng, table: &Table) -> Option<MadeRequest> {
    let mut blocks = of_kind(table, Kind::Block);
    blocks.shuffle(random);
    let mut targets: Vec<String> = blocks.iter().filter(|block| on(table, block).is_none()).cloned().collect();
    targets.extend(table.things().iter().filter(|thing| thing.kind.contains()).map(|thing| thing.name.clone()));
    targets.push(TABLE.to_owned());
    let target = targets.choose(random)?.clone();
    blocks.retain(|block| *block != target && table.place_of(block) != Some(target.as_str()));
    let together = Kind::of(&target).is_some_and(Kind::contains) && random.random_bool(0.3);
    blocks.truncate(if together { 2 } else { 1 });
    let verb = one_of(random, &["Put", "Place", "Move"]);
    let moves = blocks.iter().map(|block| (block.clone(), target.clone())).collect();
    (!blocks.is_empty()).then(|| MadeRequest::put(format!("{verb} {} {}", list(&blocks), at(&target)), false, moves))
}

/// All the clean blocks, all the dirty ones, or all in a bowl.
fn put_all(random: &mut ChaCha8Rng, table: &Table) -> Option<MadeRequest> {
    let bowl = of_kind(table, Kind::Bowl).choose(random)?.clone();
    let (words, blocks, from) = match episode::dice(random) {
        0..=3 => ("dirty blocks".to_owned(), blocks_that_are(table, Some(false)), None),
        4..=7 => ("clean blocks".to_owned(), blocks_that_are(table, Some(true)), None),
        _ => (format!("blocks in the {bowl}"), contents(table, &bowl), Some(bowl)),
    };
    let mut targets = vec![TABLE.to_owned()];
    targets.extend(table.things().iter().filter(|thing| thing.kind.contains()).map(|thing| thing.name.clone()));
    targets.retain(|target| Some(target) != from.as_ref());
    let target = targets.choose(random)?;
    let all = one_of(random, &["all the", "all"]);
    let moves = blocks.iter().map(|block| (block.clone(), target.clone())).collect();
    let query = format!("Put {all} {words} {}", at(target));
    (!blocks.is_empty()).then(|| MadeRequest { kind: "put_all", ..MadeRequest::put(query, true, moves) })
}

/// Something happens to a block: it gets dirty, falls, or is wiped.
fn event(random: &mut ChaCha8Rng, table: &Table) -> Option<MadeRequest> {
    let blocks = of_kind(table, Kind::Block);
    let outside: Vec<&String> =
        blocks.iter().filter(|block| super::look::container(table, block).as_deref() != Some("disinfector")).collect();
    let block = *outside.choose(random)?;
    let dirty = format!("the {block} becomes dirty.");
    Some(match episode::dice(random) {
        0..=3 => {
            let words = one_of(
                random,
                &[
                    "Oops, the # fell on a dirty spot of the table",
                    "Somebody dropped the # on a dirty part of the table",
                ],
            );
            MadeRequest::stated(
                "event",
                words.replace('#', block),
                format!("the {block} is placed on the table. {dirty}"),
            )
        }
        4..=7 => {
            let words = one_of(
                random,
                &[
                    "Somebody touched the # with muddy hands",
                    "Oh no, someone sneezed on the #",
                    "A careless visitor polluted the #",
                    "Somebody spilled paint on the #, it is dirty now",
                ],
            );
            MadeRequest::stated("event", words.replace('#', block), dirty)
        }
        _ => MadeRequest::stated(
            "event",
            format!("Somebody wiped the {block}, it is clean now"),
            format!("the {block} becomes clean."),
        ),
    })
}

fn question(random: &mut ChaCha8Rng, table: &Table) -> Option<MadeRequest> {
    let clean = random.random_bool(0.4);
    let those = blocks_that_are(table, Some(clean));
    let block = of_kind(table, Kind::Block).choose(random)?.clone();
    Some(match episode::dice(random) {
        0..=4 => MadeRequest::question(format!("How many blocks are {}?", word(clean)), counted(those.len(), "block")),
        5..=7 => MadeRequest::question(
            format!("Is the {block} {}?", word(clean)),
            if those.contains(&block) { "yes" } else { "no" },
        ),
        _ if those.is_empty() => return None,
        _ => MadeRequest::question(format!("Which blocks are {}?", word(clean)), those.join(", ")),
    })
}
