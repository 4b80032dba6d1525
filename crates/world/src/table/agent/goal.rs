//! Goals about total weights: "put blocks in the green bowl so that their total weight becomes identical to what is in the red bowl".
//!
//! Every set of moves is tried, smallest first, and weighed in exact ratios; a goal counts as met only if it is whatever the weights
//! are that the belief does not hold.

use std::cmp::Ordering;

use serde_json::Value;

use super::Unreadable;
use super::act::Act;
use super::parse::Parser;
use super::scene::{Scene, kind};
use super::weight_fact;
use super::weights::{Sum, Weights, compare, times};
use super::words::{Token, mentions};
use crate::table::{Kind, TABLE};
use crate::weights::Ratio;

/// At most this many sets of moves are weighed.
const SETS: usize = 300_000;

/// Words after which it is said how long blocks are put.
const UNTIL: &str = "until till without";
/// Pairs of words after which it is said what for.
const JOINTS: [&str; 3] = ["so that", "such that", "to make"];

/// Words of a goal that weights be equal, or a part or a multiple.
const EQUAL: &str = "identical equal equals same as match matches half twice double times balanced";

/// What the weights are to become.
#[derive(Debug, Clone, PartialEq)]
enum Aim {
    /// The first bowl's weight compares so with the second's, times a factor.
    Compare { left: String, order: Ordering, factor: Ratio, right: String },
    /// As many blocks as possible in the first bowl, not heavier than the second, or lighter if so said.
    Fill { left: String, right: String, lighter: bool },
    /// All bowls weigh the same.
    AllEqual(Vec<String>),
}

/// What may be done for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Means {
    put: bool,
    remove: bool,
    /// "a block": one move.
    single: bool,
    /// "blocks": more than one move, if that can be.
    several: bool,
}

/// Whether a text is such a goal.
pub fn is_one(tokens: &[Token]) -> bool {
    let any = |words| mentions(tokens, words);
    let until = any(UNTIL) || JOINTS.iter().any(|words| joined(tokens, words));
    until && (weight_fact::is_one(tokens) || any("balanced balance")) && any("put place add move remove take")
}

fn joined(tokens: &[Token], words: &str) -> bool {
    (0..tokens.len()).any(|at| tokens.get(at..).is_some_and(|rest| Parser::new(rest).take_all(words)))
}

/// The moves that meet a goal.
///
/// # Errors
/// What is not understood, or that no moves meet it.
pub fn read(tokens: &[Token], belief: &Value, scene: &Scene) -> Result<Vec<Act>, Unreadable> {
    let two = |pair: &[Token]| JOINTS.iter().any(|words| joined(pair, words));
    let cut = tokens.iter().position(|token| token.among(UNTIL)).or_else(|| tokens.windows(2).position(two));
    let cut = cut.ok_or_else(|| Unreadable::at(tokens))?;
    let (asked, rest) = tokens.split_at(cut);
    let wanted = rest.split(|token| *token == Token::Stop).next().unwrap_or_default();
    let means = means(asked);
    let aim = aim(asked, wanted, scene)?;
    let weights = Weights::of(belief, scene)?;
    let moves = Search { scene, weights: &weights, aim: &aim, means }.best()?;
    let mut acts: Vec<Act> = Vec::new();
    for (block, target) in moves {
        match acts.last_mut() {
            Some(Act::Put(what, to)) if *to == target => what.push(block),
            _ => acts.push(Act::Put(vec![block], target)),
        }
    }
    Ok(acts)
}

fn means(asked: &[Token]) -> Means {
    let any = |words| mentions(asked, words);
    let remove = any("remove take");
    let put = any("put place add") || any("move") && !any("out") || !remove;
    let single = ["a block", "one block", "single block"].iter().any(|words| joined(asked, words));
    Means { put, remove, single, several: !single && any("blocks") }
}

fn bowls(tokens: &[Token]) -> Vec<String> {
    let names = tokens.iter().filter_map(|token| match token {
        Token::Object(name) if kind(name).contains() => Some(name.clone()),
        _ => None,
    });
    names.collect()
}

fn aim(asked: &[Token], wanted: &[Token], scene: &Scene) -> Result<Aim, Unreadable> {
    let (first, second) = (bowls(asked), bowls(wanted));
    let all_bowls = mentions(asked, "both bowls each") || mentions(wanted, "both bowls each") || first.len() > 1;
    if second.is_empty() && all_bowls || first.is_empty() && second.is_empty() {
        let named = if first.len() > 1 { first } else { scene.all(Kind::Bowl).cloned().collect() };
        return match named.len() {
            0 | 1 => Err(Unreadable::new("", "the belief has no two bowls to compare")),
            _ => Ok(Aim::AllEqual(named)),
        };
    }
    let left = first.first().or_else(|| second.first()).cloned();
    let right = second.iter().rev().find(|name| Some(*name) != left.as_ref()).cloned();
    let (Some(left), Some(right)) = (left, right) else {
        return Err(Unreadable::new("", "it does not name the two bowls whose weights are compared"));
    };
    if joined(asked, "as many") || joined(asked, "as much") || mentions(asked, "most") {
        let lighter = mentions(wanted, "less lighter smaller below");
        return Ok(Aim::Fill { left, right, lighter });
    }
    let (more, less) = (
        mentions(wanted, "greater more heavier larger bigger above exceeds"),
        mentions(wanted, "less lighter smaller lower below"),
    );
    let order = match (more, less) {
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        (true, true) => return Err(Unreadable::at(wanted)),
        (false, false) if mentions(wanted, EQUAL) => Ordering::Equal,
        _ => return Err(Unreadable::at(wanted)),
    };
    let stated: Vec<Token> =
        wanted.iter().filter(|token| !token.among("more less heavier lighter light different")).cloned().collect();
    Ok(Aim::Compare { left, order, factor: weight_fact::factor(&stated)?, right })
}

/// Looks for the moves.
struct Search<'a> {
    scene: &'a Scene,
    weights: &'a Weights,
    aim: &'a Aim,
    means: Means,
}

type Move = (String, String);

impl Search<'_> {
    /// The smallest set of moves that meets the goal; of several the first by name, and of removals the one that arrived last.
    fn best(&self) -> Result<Vec<Move>, Unreadable> {
        let choices = self.choices();
        let mut tried = 0;
        let sizes: Vec<usize> = match (self.aim, self.means) {
            (Aim::Fill { .. }, _) => (1..=choices.len()).rev().collect(),
            (_, Means { single: true, .. }) => vec![1],
            (_, Means { several: true, .. }) if choices.len() > 1 => (2..=choices.len()).chain([1]).collect(),
            _ => (1..=choices.len()).collect(),
        };
        for size in sizes {
            let mut chosen = Vec::new();
            if let Some(found) = self.of_size(&choices, size, &mut chosen, &mut tried)? {
                return Ok(found);
            }
        }
        let unmet = || Unreadable::new("", "by what the belief says of the weights, no moves meet this goal");
        self.meets(&[]).then(Vec::new).ok_or_else(unmet)
    }

    /// Where each block may be moved to.
    fn choices(&self) -> Vec<(String, Vec<String>)> {
        let mut blocks: Vec<&String> = self.scene.all(Kind::Block).collect();
        blocks.sort();
        let (targets, fixed): (Vec<String>, Vec<String>) = match self.aim {
            Aim::Compare { left, right, .. } | Aim::Fill { left, right, .. } => {
                (vec![left.clone()], vec![right.clone()])
            }
            Aim::AllEqual(bowls) => (bowls.clone(), Vec::new()),
        };
        let mut removable = Vec::new();
        let mut free = Vec::new();
        for block in blocks {
            match self.scene.container(block) {
                Some(container) if targets.contains(&container) => removable.push(block.clone()),
                Some(container) if fixed.contains(&container) => {}
                _ => free.push(block.clone()),
            }
        }
        let arrival = |block: &String| self.scene.support.get_index_of(block);
        removable.sort_by_key(|block| std::cmp::Reverse(arrival(block)));
        let remove = removable.into_iter().filter(|_| self.means.remove).map(|block| (block, vec![TABLE.to_owned()]));
        let put = free.into_iter().filter(|_| self.means.put).map(|block| (block, targets.clone()));
        remove.chain(put).collect()
    }

    fn of_size(
        &self,
        choices: &[(String, Vec<String>)],
        size: usize,
        chosen: &mut Vec<Move>,
        tried: &mut usize,
    ) -> Result<Option<Vec<Move>>, Unreadable> {
        if size == 0 {
            *tried += 1;
            if *tried > SETS {
                return Err(Unreadable::new("", "there are too many blocks to weigh every set of them"));
            }
            return Ok(self.meets(chosen).then(|| chosen.clone()));
        }
        for (at, (block, targets)) in choices.iter().enumerate() {
            let rest = choices.get(at + 1..).unwrap_or_default();
            if rest.len() + 1 < size {
                break;
            }
            for target in targets {
                chosen.push((block.clone(), target.clone()));
                let found = self.of_size(rest, size - 1, chosen, tried)?;
                chosen.pop();
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
        Ok(None)
    }

    /// What is in a bowl after some moves weighs; `None` beyond the numbers' range.
    fn weight(&self, bowl: &str, moves: &[Move]) -> Option<Sum> {
        let mut inside = self.scene.contents(bowl);
        inside.retain(|block| !moves.iter().any(|(moved, _)| moved == block));
        inside.extend(moves.iter().filter(|(_, target)| target == bowl).map(|(block, _)| block.clone()));
        self.weights.sum(&inside)
    }

    fn meets(&self, moves: &[Move]) -> bool {
        self.is_met(moves).unwrap_or(false)
    }

    fn is_met(&self, moves: &[Move]) -> Option<bool> {
        match self.aim {
            Aim::Compare { left, order, factor, right } => {
                let wanted = times(&self.weight(right, moves)?, factor)?;
                Some(compare(&self.weight(left, moves)?, &wanted)? == *order)
            }
            Aim::Fill { left, right, lighter } => {
                let fits = if *lighter { Ordering::is_lt } else { Ordering::is_le };
                Some(fits(compare(&self.weight(left, moves)?, &self.weight(right, moves)?)?))
            }
            Aim::AllEqual(bowls) => {
                let weights: Vec<Sum> = bowls.iter().map(|bowl| self.weight(bowl, moves)).collect::<Option<_>>()?;
                let first = weights.first()?;
                Some(!first.is_empty() && weights.iter().all(|weight| compare(weight, first) == Some(Ordering::Equal)))
            }
        }
    }
}
