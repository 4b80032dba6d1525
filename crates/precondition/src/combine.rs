//! Candidates judged from their parts: what each part gives at all instances is found once and kept, and `and`, `or`, `not`,
//! `… if … else …` and comparisons of truth values are done on sets. Where a part's effect could be seen by a part after it, or a part has no verdict, nothing is
//! said: those instances are left open, to be evaluated as they are.

use std::sync::Arc;

use super::instance_set::InstanceSet;
use super::table::{Ending, Evaluated, Table};
use stepwright_program::{Change, Dissection, Limits, Memory, Part, PartBook, Skeleton, Specification, Truths};

#[derive(Debug)]
pub(super) struct PartSets {
    holds: InstanceSet,
    fails: InstanceSet,
    raises: Vec<(&'static str, InstanceSet)>,
    /// Where it was not evaluated.
    missing: Option<InstanceSet>,
    /// Where it puts defaults into `defaultdict`s, and marks of those.
    inserts: Option<InstanceSet>,
    inserted: u64,
    /// Where it changes the state in any other way.
    changes: Option<InstanceSet>,
    /// Marks of the `defaultdict`s at which it looks in any other way than by an item.
    observed: u64,
    spent: (u64, u64),
}

impl PartSets {
    /// Read off a table: `states` are those of the steps, `groups` the lists of arguments of the bindings.
    pub(super) fn new(table: &Table, states: impl Iterator<Item = usize>, groups: &[usize], len: usize) -> Self {
        let endings = table.endings.len();
        if let [only] = table.endings.as_slice()
            && table.is_full()
        {
            return PartSets::alike(*only, len, table.spent);
        }
        let mut by_ending = vec![InstanceSet::none(len); endings + 1];
        // Many steps are in the same state: by state, which of its bindings end how. More than a word holds are read one by one.
        let width = if (2..=64).contains(&groups.len()) { endings + 1 } else { 0 };
        let mut rows = vec![0_u64; table.states() * width];
        for (state, row) in rows.chunks_mut(width.max(1)).enumerate() {
            for (bit, group) in groups.iter().enumerate() {
                if let Some(word) = row.get_mut(table.at(state, *group).unwrap_or(endings)) {
                    *word |= 1 << bit;
                }
            }
        }
        let ending = |state: usize, group: usize| table.at(state, group).unwrap_or(endings);
        if let [only] = groups {
            let by_state: Vec<usize> = (0..table.states()).map(|state| ending(state, *only)).collect();
            for (step, state) in states.enumerate() {
                if let Some(set) = by_state.get(state).and_then(|ending| by_ending.get_mut(*ending)) {
                    set.insert(step);
                }
            }
        } else {
            for (step, state) in states.enumerate() {
                let at = step * groups.len();
                let row = rows.get(state * width..(state + 1) * width).unwrap_or_default();
                for (set, word) in by_ending.iter_mut().zip(row).filter(|(_, word)| **word != 0) {
                    set.insert_word(at, *word);
                }
                for (binding, group) in groups.iter().enumerate().filter(|_| width == 0) {
                    if let Some(set) = by_ending.get_mut(ending(state, *group)) {
                        set.insert(at + binding);
                    }
                }
            }
        }
        let missing = by_ending.pop().unwrap_or_default();
        let mut sets = PartSets::nowhere(len, table.spent);
        sets.missing = Some(missing).filter(|set| !set.is_empty());
        for (ending, set) in table.endings.iter().zip(&by_ending) {
            sets.take(*ending, set);
        }
        sets
    }

    /// Of a part that ends everywhere in the same way.
    fn alike(ending: Ending, len: usize, spent: (u64, u64)) -> Self {
        let mut sets = PartSets::nowhere(len, spent);
        sets.take(ending, &InstanceSet::all(len));
        sets
    }

    fn nowhere(len: usize, spent: (u64, u64)) -> Self {
        PartSets {
            holds: InstanceSet::none(len),
            fails: InstanceSet::none(len),
            raises: Vec::new(),
            missing: None,
            inserts: None,
            inserted: 0,
            changes: None,
            observed: 0,
            spent,
        }
    }

    fn take(&mut self, ending: Ending, set: &InstanceSet) {
        match ending.result {
            Evaluated::Holds => self.holds.unite(set),
            Evaluated::Fails => self.fails.unite(set),
            Evaluated::Raises(exception) => raise(&mut self.raises, exception, set),
        }
        self.observed |= ending.observed;
        let place = match ending.change {
            Change::None => return,
            Change::Defaults => {
                self.inserted |= ending.inserted;
                &mut self.inserts
            }
            Change::Other => &mut self.changes,
        };
        match place {
            Some(place) => place.unite(set),
            None => *place = Some(set.clone()),
        }
    }

    /// Bytes it takes, roughly.
    fn size(&self) -> usize {
        let optional = [&self.missing, &self.inserts, &self.changes];
        (2 + self.raises.len() + optional.iter().filter(|set| set.is_some()).count()) * (self.holds.len() / 8 + 64)
    }
}

fn raise(raises: &mut Vec<(&'static str, InstanceSet)>, exception: &'static str, set: &InstanceSet) {
    match raises.iter_mut().find(|(known, _)| *known == exception) {
        Some((_, known)) => known.unite(set),
        None => {
            // There is seldom more than one.
            raises.reserve_exact(1);
            raises.push((exception, set.clone()));
        }
    }
}

/// The parts of one action's candidates and what is known of them.
#[derive(Debug)]
pub(super) struct KnownParts {
    pub(super) book: PartBook,
    sets: Vec<Option<(Arc<Part>, Arc<PartSets>)>>,
    size: usize,
    /// What parts are evaluated in.
    pub(super) memory: Memory,
}

/// Most bytes that are kept of sets of parts.
const MOST: usize = 64 << 20;

impl KnownParts {
    /// Nothing yet, of candidates for an action of that specification.
    pub(super) fn new(specification: &Specification) -> Self {
        KnownParts { book: PartBook::new(specification), sets: Vec::new(), size: 0, memory: Memory::default() }
    }

    pub(super) fn sets(&self, part: &Arc<Part>) -> Option<Arc<PartSets>> {
        let (known, sets) = self.sets.get(part.number())?.as_ref()?;
        // A book that was emptied gives its numbers again.
        Arc::ptr_eq(known, part).then(|| sets.clone())
    }

    pub(super) fn keep(&mut self, part: &Arc<Part>, sets: &Arc<PartSets>) {
        if self.size > MOST {
            (self.size, self.sets) = (0, Vec::new());
        }
        if self.sets.len() <= part.number() {
            self.sets.resize(part.number() + 1, None);
        }
        if let Some(place) = self.sets.get_mut(part.number()) {
            self.size += sets.size();
            *place = Some((part.clone(), sets.clone()));
        }
    }
}

/// A candidate's value by its parts.
#[derive(Debug)]
pub(super) struct Combined {
    pub(super) holds: InstanceSet,
    pub(super) raises: Vec<(&'static str, InstanceSet)>,
    /// Where they do not decide.
    pub(super) open: InstanceSet,
    /// Whether an evaluation changes the state, and whether in another way than by defaults.
    pub(super) changes: bool,
    pub(super) changes_otherwise: bool,
    pub(super) changed: Option<InstanceSet>,
    /// Marks of the `defaultdict`s that defaults are put into, and of those looked at other than by an item.
    pub(super) inserted: u64,
    pub(super) observed: u64,
}

impl Combined {
    pub(super) fn nothing(len: usize) -> Self {
        Combined::open_at(InstanceSet::all(len))
    }

    fn open_at(open: InstanceSet) -> Self {
        Combined {
            holds: InstanceSet::none(open.len()),
            raises: Vec::new(),
            open,
            changes: false,
            changes_otherwise: false,
            changed: None,
            inserted: 0,
            observed: 0,
        }
    }

    /// Puts parts together; `parts` are those of the dissection, in its order. `places_decide` is false where marks of objects mean
    /// nothing.
    pub(super) fn new(dissection: &Dissection, parts: &[Arc<PartSets>], len: usize, places_decide: bool) -> Self {
        let mut combined = Combined::open_at(InstanceSet::none(len));
        let spent = parts.iter().fold((0, 0), |sum: (u64, u64), p| (sum.0 + p.spent.0, sum.1 + p.spent.1));
        let around = dissection.nodes as u64 + 16;
        if spent.0 + around * 16 > Limits::ASSERTION.steps || spent.1 + around * 256 > Limits::ASSERTION.size {
            // Together they might not end within the budget that each of them has.
            return Combined::nothing(len);
        }
        let mut work = Work { parts, places_decide, inserts: None, changes: None, combined: &mut combined };
        let (holds, fails) = work.run(&dissection.skeleton, InstanceSet::all(len));
        let (inserts, changes) = (work.inserts, work.changes);
        // What was left open may in the end change nothing: one part may undo what another did.
        let somewhere = |set: &Option<InstanceSet>| set.as_ref().is_some_and(|set| !set.is_subset(&combined.open));
        combined.changes_otherwise = somewhere(&changes);
        combined.changes = combined.changes_otherwise || somewhere(&inserts);
        combined.changed = changes;
        note(&mut combined.changed, &inserts, &InstanceSet::all(len));
        combined.holds = holds;
        raise(&mut combined.raises, "AssertionError", &fails);
        if !combined.open.is_empty() {
            // What was decided of them before they were left open does not count.
            combined.holds.subtract(&combined.open);
            combined.raises.iter_mut().for_each(|(_, set)| set.subtract(&combined.open));
        }
        combined
    }
}

struct Work<'a> {
    parts: &'a [Arc<PartSets>],
    places_decide: bool,
    /// Where defaults have been put in so far, and where the state was changed otherwise.
    inserts: Option<InstanceSet>,
    changes: Option<InstanceSet>,
    combined: &'a mut Combined,
}

impl Work<'_> {
    /// Evaluates at the instances in `reached`: where it is true and where it is false. Elsewhere it raises, or is left open.
    fn run(&mut self, skeleton: &Skeleton, mut reached: InstanceSet) -> (InstanceSet, InstanceSet) {
        match skeleton {
            Skeleton::Part(number) => self.part(*number, reached),
            Skeleton::And(operands) => {
                let mut fails = InstanceSet::none(reached.len());
                for operand in operands {
                    let (holds, not) = self.run(operand, reached);
                    fails.unite(&not);
                    reached = holds;
                }
                (reached, fails)
            }
            Skeleton::Or(operands) => {
                let mut holds = InstanceSet::none(reached.len());
                for operand in operands {
                    let (found, not) = self.run(operand, reached);
                    holds.unite(&found);
                    reached = not;
                }
                (holds, reached)
            }
            Skeleton::Not(operand) => {
                let (holds, fails) = self.run(operand, reached);
                (fails, holds)
            }
            Skeleton::If(choice) => {
                let [test, body, otherwise] = &**choice;
                let (holds, fails) = self.run(test, reached);
                let (mut true_, mut false_) = self.run(body, holds);
                let (holds, fails) = self.run(otherwise, fails);
                true_.unite(&holds);
                false_.unite(&fails);
                (true_, false_)
            }
            Skeleton::Compared(both, Truths(truths)) => {
                let [first, second] = &**both;
                let (held, failed) = self.run(first, reached);
                let mut decided = held.clone();
                decided.unite(&failed);
                let after = self.run(second, decided);
                let (mut true_, mut false_) = (InstanceSet::none(held.len()), InstanceSet::none(held.len()));
                for (first, by_second) in [failed, held].iter().zip(truths) {
                    for (second, result) in [&after.1, &after.0].into_iter().zip(by_second) {
                        let mut here = first.clone();
                        here.intersect(second);
                        if *result { true_.unite(&here) } else { false_.unite(&here) }
                    }
                }
                (true_, false_)
            }
        }
    }

    fn part(&mut self, number: usize, mut reached: InstanceSet) -> (InstanceSet, InstanceSet) {
        let Some(part) = self.parts.get(number) else {
            self.combined.open.unite(&reached);
            return (InstanceSet::none(reached.len()), InstanceSet::none(reached.len()));
        };
        // Defaults put in before are not seen by a part that looks at items of those only: with or without the key, an item is
        // what it is.
        let seen = self.combined.inserted & part.observed != 0 || !self.places_decide;
        let before = [self.inserts.as_ref().filter(|_| seen), self.changes.as_ref(), part.missing.as_ref()];
        for set in before.into_iter().flatten() {
            let mut left = reached.clone();
            left.intersect(set);
            self.combined.open.unite(&left);
            reached.subtract(set);
        }
        self.combined.observed |= part.observed;
        for (exception, set) in &part.raises {
            let mut raised = reached.clone();
            raised.intersect(set);
            if !raised.is_empty() {
                raise(&mut self.combined.raises, exception, &raised);
            }
        }
        note(&mut self.inserts, &part.inserts, &reached);
        note(&mut self.changes, &part.changes, &reached);
        if self.inserts.is_some() {
            self.combined.inserted |= part.inserted;
        }
        let mut fails = reached.clone();
        fails.intersect(&part.fails);
        reached.intersect(&part.holds);
        (reached, fails)
    }
}

/// Adds to `sum` where `set` is reached, if anywhere.
fn note(sum: &mut Option<InstanceSet>, set: &Option<InstanceSet>, reached: &InstanceSet) {
    let Some(set) = set else { return };
    let mut new = reached.clone();
    new.intersect(set);
    if !new.is_empty() {
        match sum {
            Some(sum) => sum.unite(&new),
            None => *sum = Some(new),
        }
    }
}
