//! One rater's way through the items: an order of their own, forth and back, and taking back.

use crate::plans::{Item, Plans};
use crate::{Judgement, Kept, RateError, digest};

#[derive(Debug)]
pub struct Judging {
    rater: String,
    order: Vec<Item>,
    kept: Kept,
    at: usize,
    /// The places judged since the beginning, the last one last.
    done: Vec<usize>,
}

impl Judging {
    /// Begins or goes on, at the first item that the rater has not judged. The order is a hash of rater and item: the same at each
    /// sitting, another for each rater, and nothing of the methods in it.
    pub fn new(rater: &str, plans: &Plans, kept: Kept) -> Self {
        let mut order = plans.items.values().cloned().collect::<Vec<_>>();
        order.sort_by_cached_key(|item| digest(&[rater, &item.id]));
        let mut judging = Judging { rater: rater.to_owned(), order, kept, at: 0, done: Vec::new() };
        judging.at = judging.open_from(0).unwrap_or(0);
        judging
    }

    /// The next item without a judgement, from a place on, then from the beginning.
    fn open_from(&self, from: usize) -> Option<usize> {
        let is_open = |at: &usize| self.judged(*at).is_none();
        (from..self.order.len()).chain(0..from).find(is_open)
    }

    fn judged(&self, at: usize) -> Option<bool> {
        self.kept.judged().of(&self.rater, &self.order.get(at)?.id)
    }

    pub fn rater(&self) -> &str {
        &self.rater
    }

    pub fn item(&self) -> Option<&Item> {
        self.order.get(self.at)
    }

    /// Its place in the order, from 1.
    pub fn place(&self) -> usize {
        self.at + 1
    }

    pub fn judgement(&self) -> Option<bool> {
        self.judged(self.at)
    }

    pub fn all(&self) -> usize {
        self.order.len()
    }

    pub fn count(&self) -> usize {
        (0..self.order.len()).filter(|at| self.judged(*at).is_some()).count()
    }

    /// Judges the item and goes to the next one that is open; stays where none is.
    pub fn judge(&mut self, correct: bool) -> Result<(), RateError> {
        let Some(item) = self.item() else { return Ok(()) };
        let judgement = Judgement { rater: self.rater.clone(), item: item.id.clone(), correct: Some(correct) };
        self.kept.keep(&judgement)?;
        self.done.retain(|at| *at != self.at);
        self.done.push(self.at);
        self.at = self.open_from(self.at).unwrap_or(self.at);
        Ok(())
    }

    /// Takes back the last judgement of this sitting, or that of the item where there is none, and goes there. Whether there was one.
    pub fn undo(&mut self) -> Result<bool, RateError> {
        let at = self.done.last().copied().unwrap_or(self.at);
        if self.judged(at).is_none() {
            return Ok(false);
        }
        let Some(item) = self.order.get(at) else { return Ok(false) };
        let judgement = Judgement { rater: self.rater.clone(), item: item.id.clone(), correct: None };
        self.kept.keep(&judgement)?;
        self.done.pop();
        self.at = at;
        Ok(true)
    }

    /// Goes to the next or, with `back`, to the item before; stays at the ends.
    pub fn go(&mut self, back: bool) {
        let to = if back { self.at.saturating_sub(1) } else { self.at + 1 };
        self.at = to.min(self.order.len().saturating_sub(1));
    }

    pub fn kept(&self) -> &Kept {
        &self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plans::tests::RESULTS;

    fn plans(folder: &std::path::Path) -> Plans {
        let path = folder.join("results.jsonl");
        std::fs::write(&path, RESULTS).unwrap();
        Plans::open(&path).unwrap()
    }

    #[test]
    fn a_sitting_can_be_taken_back_and_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let (plans, path) = (plans(folder.path()), folder.path().join("r"));
        let mut ann = Judging::new("ann", &plans, Kept::open(&path).unwrap());
        let order = ann.order.iter().map(|i| i.id.clone()).collect::<Vec<_>>();
        assert_eq!((ann.all(), ann.count(), ann.place()), (3, 0, 1));
        ann.judge(true).unwrap();
        ann.judge(false).unwrap();
        assert_eq!((ann.place(), ann.count()), (3, 2));
        assert!(ann.undo().unwrap());
        assert_eq!((ann.place(), ann.count(), ann.judgement()), (2, 1, None));
        ann.go(true);
        assert_eq!((ann.place(), ann.judgement()), (1, Some(true)));
        ann.go(true);
        assert_eq!(ann.place(), 1, "there is nothing before the first");
        drop(ann);
        let mut ann = Judging::new("ann", &plans, Kept::open(&path).unwrap());
        assert_eq!(ann.order.iter().map(|i| i.id.clone()).collect::<Vec<_>>(), order, "the same order at each sitting");
        assert_eq!((ann.place(), ann.count()), (2, 1));
        ann.judge(false).unwrap();
        ann.judge(true).unwrap();
        assert_eq!((ann.count(), ann.place()), (3, 3), "at the end it stays");
        assert!(ann.undo().unwrap() && ann.undo().unwrap() && ann.count() == 1);
        ann.go(true);
        assert!(ann.undo().unwrap(), "a judgement of an earlier sitting is taken back where it is looked at");
        assert!(!ann.undo().unwrap());
    }

    #[test]
    fn raters_have_orders_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let plans = plans(folder.path());
        let order = |rater: &str| {
            let kept = Kept::open(&folder.path().join(rater)).unwrap();
            Judging::new(rater, &plans, kept).order.into_iter().map(|i| i.id).collect::<Vec<_>>()
        };
        let all = ["ann", "bob", "cleo", "dan", "eve"].map(order);
        assert!(all.iter().any(|o| *o != all[0]));
    }
}
