//! Pick and place: blocks and bowls, described by name or by where they are.

use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use super::super::thing::{at, counted};
use super::super::{Kind, TABLE, Table};
use super::episode::{self, EpisodeDraft};
use super::look::{below, container, contents, inside, of_kind, on};
use super::made::{MadeRequest, colour};
use super::one_of;

/// An episode in the format of files.
/// Errors: if no attempt gives one that has all that is wanted.
pub fn pick_and_place(id: &str, seed: u64) -> Result<Value, String> {
    episode::first(id, "pick_and_place", seed, |random| {
        let mut course = EpisodeDraft::new(random, 4..=6, 2..=3, false)?;
        let wanted = episode::length(random, 6..=11);
        while course.len() < wanted {
            let made = match episode::dice(random) {
                // Nothing is worth a question before something has been moved.
                0..=3 => named(random, course.table()),
                _ if course.len() < 2 => named(random, course.table()),
                4..=6 => described(random, course.table()),
                _ => question(random, course.table()),
            };
            course.add(made)?;
        }
        Ok(course)
    })
}

fn named(random: &mut ChaCha8Rng, table: &Table) -> Option<MadeRequest> {
    let block = of_kind(table, Kind::Block).choose(random)?.clone();
    let mut targets = of_kind(table, Kind::Block);
    targets.extend(of_kind(table, Kind::Bowl));
    targets.extend(of_kind(table, Kind::Bowl));
    targets.push(TABLE.to_owned());
    targets.retain(|target| *target != block && table.place_of(&block) != Some(target.as_str()));
    let target = targets.choose(random)?.clone();
    // Onto a stack the block would end up on another than the one that is named.
    if Kind::of(&target) == Some(Kind::Block) && on(table, &target).is_some() {
        return None;
    }
    let verb = one_of(random, &["Put", "Place", "Move", "Set"]);
    Some(MadeRequest::put(format!("{verb} the {block} {}", at(&target)), false, vec![(block, target)]))
}

fn described(random: &mut ChaCha8Rng, table: &Table) -> Option<MadeRequest> {
    let blocks = of_kind(table, Kind::Block);
    let bowls = of_kind(table, Kind::Bowl);
    let verb = one_of(random, &["Put", "Place", "Move"]);
    let free = |block: &&String| on(table, block).is_none();
    let (query, block, target) = match episode::dice(random) % 4 {
        0 => {
            let empty: Vec<&String> = bowls.iter().filter(|bowl| inside(table, bowl).is_empty()).collect();
            let [bowl] = empty.as_slice() else { return None };
            let block = blocks.choose(random)?;
            (format!("{verb} the {block} in the empty bowl"), block.clone(), (*bowl).clone())
        }
        1 => {
            let bowl = bowls.choose(random)?;
            let inside = contents(table, bowl);
            let [block] = inside.as_slice() else { return None };
            let target = blocks.iter().filter(free).filter(|other| *other != block).collect::<Vec<_>>();
            let target = (*target.choose(random)?).clone();
            (format!("{verb} the block in the {bowl} {}", at(&target)), block.clone(), target)
        }
        2 => {
            let carried: Vec<&String> = blocks.iter().filter(|block| on(table, block).is_some()).collect();
            let carrier = *carried.choose(random)?;
            let block = on(table, carrier)?;
            let target = bowls.choose(random)?;
            let place = one_of(random, &["right above", "on top of"]);
            (format!("{verb} the block {place} the {carrier} {}", at(target)), block, target.clone())
        }
        _ => {
            let bowl = bowls.choose(random)?;
            let stacks = inside(table, bowl);
            let top = contents(table, bowl).into_iter().find(|block| on(table, block).is_none())?;
            if stacks.len() != 1 || stacks.contains(&top) {
                return None;
            }
            (format!("{verb} the topmost block in the {bowl} on the table"), top, TABLE.to_owned())
        }
    };
    Some(MadeRequest::put(query, true, vec![(block, target)]))
}

fn question(random: &mut ChaCha8Rng, table: &Table) -> Option<MadeRequest> {
    let blocks = of_kind(table, Kind::Block);
    let bowls = of_kind(table, Kind::Bowl);
    let block = blocks.choose(random)?;
    let bowl = bowls.choose(random)?;
    let yes = |so: bool| if so { "yes" } else { "no" };
    let height = |block: &String| table.height_of(block).unwrap_or_default();
    Some(match episode::dice(random) {
        0 => MadeRequest::question(
            format!("What is the color of the block right above the {block}?"),
            colour(&on(table, block)?),
        ),
        1 => MadeRequest::question(
            format!("What is the color of the block right under the {block}?"),
            colour(&below(table, block)?),
        ),
        2 => {
            let other = blocks.iter().filter(|other| *other != block).collect::<Vec<_>>();
            let other = *other.choose(random)?;
            let words = one_of(random, &["in a higher position", "higher"]);
            MadeRequest::question(
                format!("Is the {block} {words} than the {other}?"),
                yes(height(block) > height(other)),
            )
        }
        3 => MadeRequest::question(format!("Is the {block} in a bowl?"), yes(container(table, block).is_some())),
        4 => MadeRequest::question(
            format!("How many blocks are in the {bowl}?"),
            counted(contents(table, bowl).len(), "block"),
        ),
        5 => {
            let outside = blocks.iter().filter(|block| container(table, block).is_none()).count();
            MadeRequest::question("How many blocks are not in a bowl?".to_owned(), counted(outside, "block"))
        }
        6 => {
            let highest = blocks.iter().map(height).max()?;
            let tops: Vec<&String> = blocks.iter().filter(|block| height(block) == highest).collect();
            let [top] = tops.as_slice() else { return None };
            MadeRequest::question("Which block is in the highest position?".to_owned(), top.as_str())
        }
        7 => {
            let inside = contents(table, bowl);
            if inside.is_empty() {
                return None;
            }
            let words = one_of(random, &["What is in", "Which blocks are in"]);
            MadeRequest::question(format!("{words} the {bowl}?"), inside.join(", "))
        }
        8 => {
            let stack = inside(table, bowl);
            let [bottom] = stack.as_slice() else { return None };
            on(table, bottom)?;
            MadeRequest::question(format!("Which block is at the bottom of the stack in the {bowl}?"), bottom.as_str())
        }
        _ => MadeRequest::question(format!("Which bowl is the {block} in?"), container(table, block)?),
    })
}
