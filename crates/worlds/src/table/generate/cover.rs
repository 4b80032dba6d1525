//! Episodes with covers: things are hidden, looked for, uncovered and moved; a hidden block needs its cover taken off first.

use rand::Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use super::super::thing::{at, counted};
use super::super::{Kind, Move, TABLE, Table};
use super::episode::{self, EpisodeDraft};
use super::look::{of_kind, on};
use super::made::MadeRequest;
use super::{BOWLS, COLOURS, one_of};

/// An episode in the format of files. It has requests that only somebody who remembers can answer, and a hidden block is moved.
pub fn cover(id: &str, seed: u64) -> Result<Value, String> {
    episode::first(id, "cover", seed, |random| {
        let course = course(random)?;
        let uncovers = course.requests().any(|made| made.kind == "put" && made.moves.len() > 1);
        uncovers.then_some(course).ok_or_else(|| "no hidden block is moved".to_owned())
    })
}

fn course(random: &mut ChaCha8Rng) -> Result<EpisodeDraft, String> {
    let mut names = Vec::new();
    let (blocks, covers, bowls) = (random.random_range(4..=5), random.random_range(2..=3), random.random_range(1..=2));
    for (list, kind, count) in [(&COLOURS[..], "block", blocks), (&COLOURS, "cover", covers), (&BOWLS, "bowl", bowls)] {
        names.extend(list.choose_multiple(random, count).map(|name| format!("{name} {kind}")));
    }
    let mut course = EpisodeDraft::over(names)?;
    let wanted = episode::length(random, 8..=12);
    while course.len() < wanted {
        let table = course.table();
        // Something has to be hidden before it can be asked for.
        let made = match course.len() {
            0 | 1 => hide(random, table),
            _ => match episode::dice(random) {
                0..3 => hide(random, table),
                3..4 => uncover(random, table),
                4..7 => put(random, table),
                _ => question(random, table),
            },
        };
        made.map_or(Ok(()), |made| course.follow(made))?;
    }
    Ok(course)
}

fn cover_of(table: &Table, block: &str) -> Option<String> {
    on(table, block).filter(|above| Kind::of(above) == Some(Kind::Cover))
}

fn hidden_by(table: &Table, cover: &str) -> Option<String> {
    table.place_of(cover).filter(|place| *place != TABLE).map(str::to_owned)
}

fn pick(random: &mut ChaCha8Rng, names: &[String]) -> Option<String> {
    names.choose(random).cloned()
}

/// A cover is put over a block that carries nothing.
fn hide(random: &mut ChaCha8Rng, table: &Table) -> Option<MadeRequest> {
    let free: Vec<String> = of_kind(table, Kind::Block).into_iter().filter(|b| on(table, b).is_none()).collect();
    let idle: Vec<String> =
        of_kind(table, Kind::Cover).into_iter().filter(|cover| hidden_by(table, cover).is_none()).collect();
    let (block, cover) = (pick(random, &free)?, pick(random, &idle)?);
    let query = match random.random_range(0..3) {
        0 => format!("Cover the {block} with the {cover}"),
        1 => format!("Hide the {block} under the {cover}"),
        _ => format!("Put the {cover} over the {block}"),
    };
    Some(MadeRequest::put(query, false, vec![(cover, block)]))
}

/// A cover is taken off; which one is not said, or what it hides is not.
fn uncover(random: &mut ChaCha8Rng, table: &Table) -> Option<MadeRequest> {
    let hiding: Vec<String> =
        of_kind(table, Kind::Cover).into_iter().filter(|cover| hidden_by(table, cover).is_some()).collect();
    let cover = pick(random, &hiding)?;
    let block = hidden_by(table, &cover)?;
    let (query, temporal) = match random.random_range(0..3) {
        0 => (format!("Put the {cover} on the table"), false),
        1 => (format!("Take the cover off the {block}"), true),
        _ => (format!("Uncover the {block}"), true),
    };
    Some(MadeRequest::put(query, temporal, vec![(cover, TABLE.to_owned())]))
}

/// A block is moved; covers over it and over where it goes are taken off first.
fn put(random: &mut ChaCha8Rng, table: &Table) -> Option<MadeRequest> {
    let is_light = |block: &String| on(table, block).is_none_or(|above| Kind::of(&above) == Some(Kind::Cover));
    let mut light: Vec<String> = of_kind(table, Kind::Block).into_iter().filter(is_light).collect();
    light.shuffle(random);
    // Hidden ones are what the domain is about.
    if random.random_bool(0.6) {
        light.sort_by_key(|block| cover_of(table, block).is_none());
    }
    let block = light.first()?.clone();
    let mut targets: Vec<String> = light.iter().skip(1).cloned().collect();
    targets.extend(of_kind(table, Kind::Bowl));
    targets.push(TABLE.to_owned());
    targets.retain(|target| table.place_of(&block) != Some(target.as_str()));
    let target = pick(random, &targets)?;
    let mut moves: Vec<Move> = Vec::new();
    let cover = cover_of(table, &block);
    moves.extend(cover.iter().map(|cover| (cover.clone(), TABLE.to_owned())));
    let hides_target = Some(&target).filter(|target| *target != TABLE).and_then(|target| cover_of(table, target));
    moves.extend(hides_target.map(|cover| (cover, TABLE.to_owned())));
    let temporal = !moves.is_empty();
    moves.push((block.clone(), target.clone()));
    let verb = one_of(random, &["Put", "Place", "Move"]);
    let what = match &cover {
        Some(cover) if random.random_bool(0.4) => format!("block under the {cover}"),
        _ => block,
    };
    Some(MadeRequest::put(format!("{verb} the {what} {}", at(&target)), temporal, moves))
}

fn question(random: &mut ChaCha8Rng, table: &Table) -> Option<MadeRequest> {
    let blocks = of_kind(table, Kind::Block);
    let covers = of_kind(table, Kind::Cover);
    let (query, say) = match random.random_range(0..4) {
        0 => {
            let block = pick(random, &blocks)?;
            let say = if cover_of(table, &block).is_some() { "yes" } else { "no" };
            (format!("Is the {block} covered?"), say.to_owned())
        }
        1 => {
            let cover = pick(random, &covers)?;
            let say = hidden_by(table, &cover).unwrap_or_else(|| "nothing".to_owned());
            (format!("What is under the {cover}?"), say)
        }
        2 => {
            let hidden: Vec<&String> = blocks.iter().filter(|b| cover_of(table, b).is_some()).collect();
            let block = hidden.choose(random)?;
            (format!("Which cover is over the {block}?"), cover_of(table, block)?)
        }
        _ => {
            let (word, covered) = match random.random_bool(0.5) {
                true => ("covered", true),
                false => ("not covered", false),
            };
            let count = blocks.iter().filter(|b| cover_of(table, b).is_some() == covered).count();
            (format!("How many blocks are {word}?"), counted(count, "block"))
        }
    };
    Some(MadeRequest::question(query, say))
}
