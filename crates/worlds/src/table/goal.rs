//! Goals of weight (`put blocks in the red bowl so that their weight equals …`), judged by what they ask for: any blocks that meet a
//! goal answer the request. Pure: two tables and the moves between them in, a verdict out.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use num_traits::CheckedAdd;
use serde::Deserialize;

use super::judge::Move;
use super::rules::Table;
use super::thing::{Kind, TABLE, tidy};
use stepwright_world::weights::{Ratio, Weights};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The left bowl holds as much as the right one.
    Eq,
    Lt,
    Gt,
    /// It holds as many blocks as it can without holding more.
    FillUpTo,
    EqualAllBowls,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Goal {
    pub op: Relation,
    pub left: Option<String>,
    pub right: Option<String>,
    pub max_moves: Option<usize>,
}

/// A sum of weights: the multiple of what one block of each family weighs.
type Sum = BTreeMap<usize, Ratio>;

/// Families of blocks that are joined by what is known, and how many times as heavy as its family's unit each block is.
struct KnownWeights(BTreeMap<String, (usize, Ratio)>);

impl Goal {
    /// Whether these moves, and no needless ones, bring it about. No where the weights do not decide it.
    pub fn is_met(&self, before: &Table, after: &Table, moves: &[Move]) -> bool {
        self.judged(before, after, moves).unwrap_or(false)
    }

    fn judged(&self, before: &Table, after: &Table, moves: &[Move]) -> Option<bool> {
        let known = KnownWeights::of(after)?;
        let sum = |bowl: usize| known.sum(&inside(after, bowl));
        let bowls: Vec<usize> = match self.op {
            Relation::EqualAllBowls => {
                (0..after.things().len()).filter(|thing| after.kind(*thing) == Some(Kind::Bowl)).collect()
            }
            _ => vec![after.find(&tidy(self.left.as_deref()?))?],
        };
        if moves.is_empty()
            || self.max_moves.is_some_and(|most| moves.len() > most)
            || !needed(before, after, moves, &bowls)
        {
            return Some(false);
        }
        if self.op == Relation::EqualAllBowls {
            let sums = bowls.iter().map(|bowl| sum(*bowl)).collect::<Option<Vec<_>>>()?;
            return Some(sums.windows(2).all(|pair| compare(&pair[0], &pair[1]) == Some(Ordering::Equal)));
        }
        let (left, right) = (*bowls.first()?, after.find(&tidy(self.right.as_deref()?))?);
        let order = compare(&sum(left)?, &sum(right)?)?;
        Some(match self.op {
            Relation::Eq => order.is_eq(),
            Relation::Lt => order.is_lt(),
            Relation::Gt => order.is_gt(),
            _ => order.is_le() && inside(after, left).len() == most_within(&known, before, left, right)?,
        })
    }
}

/// Whether each move takes a block into one of these bowls, or out of one on the table, and none is made twice.
fn needed(before: &Table, after: &Table, moves: &[Move], bowls: &[usize]) -> bool {
    let mut moved: Vec<String> = moves.iter().map(|(block, _)| tidy(block)).collect();
    moved.sort();
    moved.dedup();
    moved.len() == moves.len()
        && moves.iter().all(|(block, target)| {
            let (Some(thing), target) = (after.find(&tidy(block)), tidy(target)) else { return false };
            let (was, is) = (before.base(thing), after.base(thing));
            let out = target == TABLE && bowls.contains(&was);
            let into = bowls.contains(&is) && was != is && after.find(&target) == Some(is);
            after.kind(thing) == Some(Kind::Block) && (out || into)
        })
}

/// How many blocks of known weight the left bowl can hold at the most, those that are there already among them, without holding more
/// than the right one.
fn most_within(known: &KnownWeights, before: &Table, left: usize, right: usize) -> Option<usize> {
    let mut sum = known.sum(&inside(before, left))?;
    let limit = known.sum(&inside(before, right))?;
    let mut free: Vec<(usize, Ratio)> = Vec::new();
    for thing in (0..before.things().len()).filter(|thing| before.kind(*thing) == Some(Kind::Block)) {
        if ![left, right].contains(&before.base(thing)) {
            free.extend(known.0.get(before.name(thing)).copied());
        }
    }
    free.sort_by_key(|(_, weight)| *weight);
    let mut count = inside(before, left).len();
    for (family, weight) in free {
        let all = sum.get(&family).copied().unwrap_or_default().checked_add(&weight)?;
        sum.insert(family, all);
        if compare(&sum, &limit)?.is_gt() {
            break;
        }
        count += 1;
    }
    Some(count)
}

/// The names of the blocks in a bowl, whole stacks.
fn inside(table: &Table, bowl: usize) -> Vec<String> {
    let block = |thing: &usize| table.kind(*thing) == Some(Kind::Block) && table.base(*thing) == bowl;
    (0..table.things().len()).filter(block).map(|thing| table.name(thing).to_owned()).collect()
}

impl KnownWeights {
    fn of(table: &Table) -> Option<KnownWeights> {
        let weights = Weights::of(&table.form()).ok()?;
        let groups = weights.groups();
        let each = groups
            .iter()
            .enumerate()
            .flat_map(|(family, group)| group.iter().map(move |(block, weight)| (tidy(block), (family, *weight))));
        Some(KnownWeights(each.collect()))
    }

    /// The weight of some blocks together; `None` where nothing is known of one.
    fn sum(&self, blocks: &[String]) -> Option<Sum> {
        let mut sum = Sum::new();
        for block in blocks {
            let (family, weight) = self.0.get(block)?;
            let all = sum.get(family).copied().unwrap_or_default().checked_add(weight)?;
            sum.insert(*family, all);
        }
        Some(sum)
    }
}

/// How two sums compare; `None` where that depends on what the families weigh.
fn compare(one: &Sum, other: &Sum) -> Option<Ordering> {
    let none = Ratio::default();
    let mut order = Ordering::Equal;
    for family in one.keys().chain(other.keys()) {
        match (order, one.get(family).unwrap_or(&none).cmp(other.get(family).unwrap_or(&none))) {
            (_, Ordering::Equal) => {}
            (Ordering::Equal, here) => order = here,
            (order, here) if order != here => return None,
            _ => {}
        }
    }
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::statement::StatementKind;

    /// Red weighs 1, blue and green 2, gray 3, pink nothing known; gray lies in the tin bowl.
    fn table() -> Table {
        let names = ["red block", "blue block", "green block", "gray block", "pink block", "tin bowl", "glass bowl"];
        let mut table = Table::new(&names).unwrap();
        for text in [
            "the blue block is twice the weight of the red block",
            "the green block is the same weight as the blue block",
            "the gray block is 3 times the weight of the red block",
        ] {
            table.hear(text, StatementKind::Statement);
        }
        table.put("gray block", "tin bowl").unwrap();
        table
    }

    fn met(op: Relation, max_moves: Option<usize>, moves: &[(&str, &str)]) -> bool {
        let (left, right) = (Some("glass bowl".to_owned()), Some("tin_bowl".to_owned()));
        let before = table();
        let mut after = before.clone();
        for (block, target) in moves {
            let _ = after.put(block, target);
        }
        let moves: Vec<Move> = moves.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        Goal { op, left, right, max_moves }.is_met(&before, &after, &moves)
    }

    #[test]
    fn whichever_blocks_meet_a_goal_answer_it() {
        use Relation::{Eq, EqualAllBowls, FillUpTo, Gt, Lt};
        let (red, blue) = (("red block", "glass bowl"), ("blue block", "glass bowl"));
        let (green, gray) = (("green block", "glass bowl"), ("gray block", "glass bowl"));
        type Case<'a> = (Relation, Option<usize>, &'a [(&'a str, &'a str)], bool);
        let cases: [Case<'_>; 16] = [
            (Eq, None, &[red, blue], true),
            (Eq, None, &[green, red], true),
            (Eq, None, &[red, green, blue], false),
            (Eq, None, &[red], false),
            (Lt, Some(1), &[blue], true),
            (Lt, Some(1), &[green], true),
            (Lt, Some(1), &[red, blue], false),
            (Gt, None, &[blue, green], true),
            (Gt, None, &[blue], false),
            (EqualAllBowls, None, &[red, green], true),
            (FillUpTo, None, &[red, green], true),
            (FillUpTo, None, &[red], false),
            (Eq, None, &[], false),
            // A needless move, one to another place, and a block of which nothing is known.
            (Eq, None, &[red, blue, ("pink block", "table")], false),
            (Gt, None, &[gray, ("red_block", "tin bowl")], false),
            (Gt, None, &[("pink block", "glass bowl")], false),
        ];
        for (op, most, moves, expected) in cases {
            assert_eq!(met(op, most, moves), expected, "{op:?} {moves:?}");
        }
    }
}
