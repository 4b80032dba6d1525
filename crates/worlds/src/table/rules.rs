//! Rules of the table: what is on what, what falls, what gets dirty or clean, which covers hide what.
//!
//! A [`Table`] is a small value: made of the names on it or of a state in the form beliefs have (`form`), changed by [`Table::put`] and by
//! statements (`statement`). It knows nothing of requests, episodes or agents.

use std::sync::Arc;

use super::thing::{Kind, TABLE, tidy};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Now {
    pub(super) under: Option<usize>,
    /// When it came there, counted in arrivals.
    pub(super) since: u64,
    pub(super) clean: Option<bool>,
    /// Its weight, in terms of others' (`white_block.weight * 2`).
    pub(super) weight: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thing {
    pub name: String,
    pub kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Each thing once, in the order of the list they were named in.
    pub(super) things: Arc<Vec<Thing>>,
    /// That list; a name may be in it twice, and a state then lists the thing twice.
    pub(super) listed: Arc<Vec<usize>>,
    pub(super) now: Vec<Now>,
    arrivals: u64,
}

impl Table {
    /// These things, each by itself on the table, nothing known of them.
    /// Errors: if a name does not say what the thing is.
    pub fn new<S: AsRef<str>>(names: &[S]) -> Result<Table, String> {
        let mut things: Vec<Thing> = Vec::new();
        let mut listed = Vec::new();
        for name in names {
            let name = tidy(name.as_ref());
            let index = match things.iter().position(|known| known.name == name) {
                Some(index) => index,
                None => {
                    let kind = Kind::of(&name).ok_or_else(|| {
                        format!("{name:?} is no object of a table; names end in block, bowl, disinfector or cover")
                    })?;
                    things.push(Thing { name, kind });
                    things.len() - 1
                }
            };
            listed.push(index);
        }
        let now = vec![Now { under: None, since: 0, clean: None, weight: None }; things.len()];
        Ok(Table { things: Arc::new(things), listed: Arc::new(listed), now, arrivals: 0 })
    }

    /// Puts a block (or a cover) on or in something: `put_first_on_second`.
    pub fn put(&mut self, first: &str, second: &str) -> Result<(), String> {
        let (first, second) = (tidy(first), tidy(second));
        let moved =
            self.find(&first).filter(|i| self.is_movable(*i)).ok_or_else(|| format!("unknown object: {first}"))?;
        let target = match second.as_str() {
            TABLE => None,
            name => Some(self.find(name).ok_or_else(|| format!("unknown target: {name}"))?),
        };
        if target == Some(moved) {
            return Err(format!("cannot put {first} on itself"));
        }
        if let Some(cover) = self.cover_of(moved) {
            return Err(self.covered(moved, cover));
        }
        if let Some(target) = target {
            self.accepts(moved, target)?;
        }
        for above in self.above(moved) {
            self.lay(above, None);
        }
        // What the target carries is looked at with the moved thing gone from it.
        self.lay(moved, None);
        self.lay(moved, target.map(|target| self.top_of(target)));
        self.touch(moved);
        Ok(())
    }

    /// Whether a thing may be put on a target, where covers are concerned.
    fn accepts(&self, moved: usize, target: usize) -> Result<(), String> {
        let cannot = || format!("cannot put {} on {}", self.name(moved), self.name(target));
        if let Some(cover) = self.cover_of(target) {
            // A cover that hides the target already may be put there again.
            return if cover == moved { Ok(()) } else { Err(self.covered(target, cover)) };
        }
        match (self.kind(moved), self.kind(target)) {
            (_, Some(Kind::Cover)) => Err(cannot()),
            (Some(Kind::Cover), Some(Kind::Bowl | Kind::Disinfector)) => Err(cannot()),
            (Some(Kind::Cover), _) => match self.above(target).into_iter().find(|above| *above != moved) {
                Some(above) => Err(format!("{}: {} is on it", cannot(), self.name(above))),
                None => Ok(()),
            },
            _ => {
                // The moved block and what it carries come off the stack first.
                let mut top = target;
                while let Some(next) = self.on_top(top).filter(|next| *next != moved) {
                    top = next;
                }
                match self.kind(top) {
                    Some(Kind::Cover) => {
                        let hidden = self.now.get(top).and_then(|now| now.under).unwrap_or(target);
                        Err(self.covered(hidden, top))
                    }
                    _ => Ok(()),
                }
            }
        }
    }

    fn covered(&self, thing: usize, cover: usize) -> String {
        format!("{} is covered by {}", self.name(thing), self.name(cover))
    }

    /// The contact rule: what is in the disinfector is clean; else one dirty block makes its whole stack dirty.
    fn touch(&mut self, moved: usize) {
        let stack = self.stack(moved);
        if self.kind(self.base(moved)) == Some(Kind::Disinfector) {
            self.mark(&stack, true);
        } else if stack.iter().any(|block| self.clean(*block) == Some(false)) {
            self.mark(&stack, false);
        }
    }

    pub(super) fn mark(&mut self, things: &[usize], clean: bool) {
        for index in things {
            if let Some(now) = self.now.get_mut(*index) {
                now.clean = Some(clean);
            }
        }
    }

    /// Lays a thing somewhere, where it has then arrived last, even if it was there before.
    pub(super) fn lay(&mut self, thing: usize, under: Option<usize>) {
        self.arrivals += 1;
        let since = self.arrivals;
        if let Some(now) = self.now.get_mut(thing) {
            (now.under, now.since) = (under, since);
        }
    }

    /// The block (or container) on which something put on a thing ends up.
    fn top_of(&self, target: usize) -> usize {
        let mut top = target;
        while let Some(next) = self.on_top(top) {
            top = next;
        }
        top
    }

    pub(super) fn on_top(&self, thing: usize) -> Option<usize> {
        if self.kind(thing).is_none_or(Kind::contains) {
            return None;
        }
        self.now.iter().position(|now| now.under == Some(thing))
    }

    /// All that lies above a block, lowest first.
    pub(super) fn above(&self, thing: usize) -> Vec<usize> {
        std::iter::successors(self.on_top(thing), |top| self.on_top(*top)).collect()
    }

    /// The lowest thing of the place a thing is at: a container, or else the lowest block of its stack.
    pub(super) fn base(&self, thing: usize) -> usize {
        let under = |at: &usize| self.now.get(*at).and_then(|now| now.under);
        std::iter::successors(Some(thing), under).last().unwrap_or(thing)
    }

    /// The blocks of a thing's stack, lowest first; a cover is none.
    pub(super) fn stack(&self, thing: usize) -> Vec<usize> {
        let below = |at: &usize| {
            let under = self.now.get(*at)?.under?;
            (!self.kind(under).is_none_or(Kind::contains)).then_some(under)
        };
        let lowest = std::iter::successors(Some(thing), below).last().unwrap_or(thing);
        let all = std::iter::once(lowest).chain(self.above(lowest));
        all.filter(|block| self.kind(*block) == Some(Kind::Block)).collect()
    }

    pub(super) fn cover_of(&self, thing: usize) -> Option<usize> {
        self.on_top(thing).filter(|top| self.kind(*top) == Some(Kind::Cover))
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.things.iter().position(|thing| thing.name == name)
    }

    pub(super) fn kind(&self, thing: usize) -> Option<Kind> {
        self.things.get(thing).map(|thing| thing.kind)
    }

    pub(super) fn name(&self, thing: usize) -> &str {
        self.things.get(thing).map_or("", |thing| thing.name.as_str())
    }

    pub(super) fn clean(&self, thing: usize) -> Option<bool> {
        self.now.get(thing).and_then(|now| now.clean)
    }

    fn is_movable(&self, thing: usize) -> bool {
        matches!(self.kind(thing), Some(Kind::Block | Kind::Cover))
    }

    /// Every thing once, in the order it was listed.
    pub fn things(&self) -> &[Thing] {
        &self.things
    }

    /// Where a block or cover is: `table`, or the name of what it lies on or in; `None` for other things.
    pub fn place_of(&self, name: &str) -> Option<&str> {
        let index = self.find(name).filter(|i| self.is_movable(*i))?;
        Some(self.now.get(index)?.under.map_or(TABLE, |under| self.name(under)))
    }

    /// Whether a block is clean; `None` where that is not known.
    pub fn is_clean(&self, name: &str) -> Option<bool> {
        self.clean(self.find(name)?)
    }

    /// How many blocks are below a block.
    pub(crate) fn height_of(&self, name: &str) -> Option<usize> {
        let index = self.find(name)?;
        self.stack(index).iter().position(|block| *block == index)
    }

    /// Says whether a block is clean, where an episode begins with that known; whether there is such a block.
    pub fn set_clean(&mut self, name: &str, clean: bool) -> bool {
        let block = self.find(name).filter(|i| self.kind(*i) == Some(Kind::Block));
        self.mark(block.as_slice(), clean);
        block.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(moves: &[(&str, &str)]) -> Table {
        let mut table =
            Table::new(&["red block", "blue block", "green block", "pink cover", "gray cover", "tin bowl"]).unwrap();
        for (first, second) in moves {
            table.put(first, second).unwrap();
        }
        table
    }

    #[test]
    fn what_is_covered_is_out_of_use() {
        let hidden = table(&[("red block", "blue block"), ("pink cover", "red block")]);
        for (first, second, error) in [
            ("red block", "table", "red block is covered by pink cover"),
            ("green block", "red block", "red block is covered by pink cover"),
            ("green block", "blue block", "red block is covered by pink cover"),
            ("gray cover", "red block", "red block is covered by pink cover"),
            ("gray cover", "blue block", "cannot put gray cover on blue block: red block is on it"),
            ("green block", "pink cover", "cannot put green block on pink cover"),
            ("gray cover", "tin bowl", "cannot put gray cover on tin bowl"),
            ("tin bowl", "table", "unknown object: tin bowl"),
        ] {
            let mut now = hidden.clone();
            assert_eq!(now.put(first, second), Err(error.to_owned()), "{first} on {second}");
            assert_eq!(now, hidden);
        }
        let mut now = hidden.clone();
        now.put("pink cover", "red block").unwrap();
        assert_eq!(now.form(), hidden.form(), "where it was already");
        now.put("pink cover", "green block").unwrap();
        now.put("red block", "tin bowl").unwrap();
        assert_eq!((now.place_of("pink cover"), now.place_of("red block")), (Some("green block"), Some("tin bowl")));
        // What is above falls, covers too.
        let mut now = hidden.clone();
        now.put("blue block", "tin bowl").unwrap();
        assert_eq!((now.place_of("pink cover"), now.place_of("red block")), (Some(TABLE), Some(TABLE)));
    }

    #[test]
    fn heights_count_the_blocks_below() {
        let now = table(&[("red block", "tin bowl"), ("blue block", "red block"), ("pink cover", "blue block")]);
        assert_eq!(
            ["red block", "blue block", "green block"].map(|name| now.height_of(name)),
            [Some(0), Some(1), Some(0)]
        );
    }
}
