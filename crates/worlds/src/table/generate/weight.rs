//! Weights: blocks' weights are stated in terms of other blocks, then bowls are to weigh the same, less, more, or as much as can be.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use num_rational::Ratio;
use rand::Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::super::thing::at;
use super::super::{Kind, Table};
use super::episode::{self, EpisodeDraft};
use super::look::{contents, of_kind};
use super::made::MadeRequest;
use super::one_of;

/// The true weights, which the table does not know.
type Weights = BTreeMap<String, Ratio<i64>>;

/// An episode in the format of files.
/// Errors: if no attempt gives one that has all that is wanted.
pub fn weight(id: &str, seed: u64) -> Result<Value, String> {
    episode::first(id, "weight", seed, |random| {
        let mut course = EpisodeDraft::new(random, 4..=6, 2..=2, false)?;
        let (mut statements, weights) = statements(random, course.table());
        let mut bowls = of_kind(course.table(), Kind::Bowl);
        bowls.shuffle(random);
        let [left, right] = bowls.as_slice() else { return Err("two bowls are needed".to_owned()) };
        let mut puts = puts(random, course.table(), left, right);
        while !statements.is_empty() || !puts.is_empty() {
            let tell = puts.is_empty() || !statements.is_empty() && random.random_bool(0.65);
            course.add(if tell { statements.pop() } else { puts.pop() })?;
        }
        let goal = goal(random, course.table(), &weights, left, right).ok_or("no goal has a solution")?;
        course.add(Some(goal))?;
        Ok(course)
    })
}

/// Every block's weight, stated in terms of one before it, in any order; and the weights.
fn statements(random: &mut ChaCha8Rng, table: &Table) -> (Vec<MadeRequest>, Weights) {
    const FACTORS: [(i64, i64); 7] = [(1, 1), (2, 1), (3, 1), (4, 1), (1, 2), (1, 3), (1, 4)];
    let mut blocks = of_kind(table, Kind::Block);
    blocks.shuffle(random);
    let mut weights = Weights::new();
    let mut stated = Vec::new();
    for block in blocks {
        let known: Vec<String> = weights.keys().cloned().collect();
        let (Some(other), Some((above, below))) = (known.choose(random), FACTORS.choose(random)) else {
            weights.insert(block, Ratio::from_integer(1));
            continue;
        };
        let factor = Ratio::new(*above, *below);
        let weight = weights.get(other).copied().unwrap_or_default() * factor;
        let query = sentence(random, &block, factor, other);
        weights.insert(block, weight);
        stated.push(MadeRequest::stated("statement", query.clone(), format!("{query}.")));
    }
    stated.shuffle(random);
    (stated, weights)
}

/// "The red block is twice the weight of the blue block", in some wording.
fn sentence(random: &mut ChaCha8Rng, block: &str, factor: Ratio<i64>, other: &str) -> String {
    let (multiple, plain) = match (*factor.numer(), *factor.denom()) {
        (1, 1) => {
            let words = one_of(random, &["has the same weight as", "weighs as much as", "is as heavy as"]);
            return format!("The {block} {words} the {other}");
        }
        (2, _) => ("twice", true),
        (3, _) => ("three times", true),
        (_, 1) => ("four times", true),
        (_, 2) => ("half", false),
        (_, 3) => ("one-third", false),
        _ => ("one-fourth", false),
    };
    match episode::dice(random) {
        0..=5 => format!("The {block} is {multiple} the weight of the {other}"),
        6 | 7 => format!("The weight of the {block} is {multiple} that of the {other}"),
        8 if plain => format!("The {block} is {multiple} as heavy as the {other}"),
        _ => format!("The {block} weighs {multiple} as much as the {other}"),
    }
}

/// One or two blocks come into the bowl that is compared with, at times one into the other.
fn puts(random: &mut ChaCha8Rng, table: &Table, left: &str, right: &str) -> Vec<MadeRequest> {
    let mut blocks = of_kind(table, Kind::Block);
    blocks.shuffle(random);
    let mut moves: Vec<(String, String)> = Vec::new();
    let into = random.random_range(1..=2);
    moves.extend(blocks.drain(..into).map(|block| (block, right.to_owned())));
    if random.random_bool(0.3) {
        moves.extend(blocks.pop().map(|block| (block, left.to_owned())));
    }
    let put = |(block, bowl): (String, String)| {
        MadeRequest::put(format!("Put the {block} {}", at(&bowl)), false, vec![(block, bowl)])
    };
    moves.into_iter().map(put).collect()
}

/// The last request, with every set of blocks that meets it; the smallest is expected, of several the first by name.
fn goal(random: &mut ChaCha8Rng, table: &Table, weights: &Weights, left: &str, right: &str) -> Option<MadeRequest> {
    let sum = |blocks: &[String]| -> Ratio<i64> { blocks.iter().filter_map(|block| weights.get(block)).sum() };
    let (inside, target) = (sum(&contents(table, left)), sum(&contents(table, right)));
    let taken = [contents(table, left), contents(table, right)].concat();
    let mut free = of_kind(table, Kind::Block);
    free.retain(|block| !taken.contains(block));
    free.sort();
    let sets: Vec<Vec<String>> = (1..1_usize << free.len())
        .map(|set| {
            free.iter().enumerate().filter(|(at, _)| set & (1 << at) != 0).map(|(_, block)| block.clone()).collect()
        })
        .collect();
    let meets = |order: Ordering, blocks: &Vec<String>| (inside + sum(blocks)).cmp(&target) == order;
    let (op, query, mut solutions) = match episode::dice(random) {
        0..=4 => {
            let what = one_of(random, &["Put blocks", "Place some blocks"]);
            let words = one_of(random, &["becomes identical to", "is the same as", "equals"]);
            let query = format!("{what} in the {left} so that their total weight {words} what is in the {right}");
            ("eq", query, sets.iter().filter(|set| meets(Ordering::Equal, set)).cloned().collect::<Vec<_>>())
        }
        5 | 6 => {
            let query = format!(
                "Put a block in the {left} so that the total weight of blocks in the {left} is less than what is in the {right}"
            );
            ("lt", query, sets.iter().filter(|set| set.len() == 1 && meets(Ordering::Less, set)).cloned().collect())
        }
        7 | 8 => {
            let query = format!(
                "Put a block in the {left} so that the total weight of blocks in the {left} is greater than what is in the {right}"
            );
            ("gt", query, sets.iter().filter(|set| set.len() == 1 && meets(Ordering::Greater, set)).cloned().collect())
        }
        _ => {
            let query = format!(
                "Put as many blocks as you can in the {left} until their total weight becomes greater than what is in the {right}"
            );
            let fit: Vec<_> = sets.iter().filter(|set| inside + sum(set) <= target).cloned().collect();
            let most = fit.iter().map(Vec::len).max()?;
            ("fill_up_to", query, fit.into_iter().filter(|set| set.len() == most).collect())
        }
    };
    solutions.sort_by(|one, other| one.len().cmp(&other.len()).then_with(|| one.cmp(other)));
    let moves = solutions.first()?.iter().map(|block| (block.clone(), left.to_owned())).collect();
    let goal = json!({ "op": op, "left": left, "right": right });
    Some(MadeRequest { kind: "goal", goal: Some((goal, solutions)), ..MadeRequest::put(query, true, moves) })
}
