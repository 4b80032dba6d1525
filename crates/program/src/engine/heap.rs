//! Heap of one evaluation: the objects of a shared, unchanging state below, what this evaluation changed or made above.
//! Dropping it undoes everything; `settle` makes a new state of it.

use std::cell::{Cell, OnceCell};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::value::{Dict, Entry, Id, Key, Obj, Value};

/// The objects of a state, shared between copies of it.
pub(crate) type Slots = Arc<Vec<Arc<Obj>>>;

/// Objects as one evaluation sees them.
pub(crate) struct Heap {
    base: Slots,
    /// Objects of `base` this evaluation wrote to, by their place in it.
    changed: Vec<(Id, Obj)>,
    /// Dictionaries of `base` of which no more than this was changed: a missing item was read, and its default put there.
    defaults: Vec<Defaults>,
    /// Finds entries of `changed` once there are many.
    index: FxHashMap<Id, usize>,
    fresh: Vec<Obj>,
    /// How often an object of `base` was taken to be written to.
    writes: u32,
    /// Marks of the dictionaries of `base` that were looked at other than by keys.
    whole: Cell<u64>,
    /// Marks of the `defaultdict`s that were looked at other than by an item, which shows whether keys are there.
    observed: Cell<u64>,
}

/// Defaults beside the `defaultdict` that they are of, which is not copied before anything but items of it is looked at.
struct Defaults {
    id: Id,
    items: Vec<(Key, Entry)>,
    /// The dictionary with them.
    whole: OnceCell<Obj>,
}

impl Defaults {
    fn put(dict: &mut Obj, items: impl IntoIterator<Item = (Key, Entry)>) {
        let Obj::Dict(dict) = dict else { return };
        for (key, entry) in items {
            dict.version += u32::from(dict.map.insert(key, entry).is_none());
        }
    }

    fn whole(&self, base: &Slots) -> &Obj {
        self.whole.get_or_init(|| {
            let mut dict = base.get(self.id.0 as usize).map_or(Obj::Free, |dict| (**dict).clone());
            Defaults::put(&mut dict, self.items.iter().cloned());
            dict
        })
    }
}

/// Marks an object. Objects may share a mark: then one counts as observed where the other was.
pub(crate) fn mark_of_object(id: Id) -> u64 {
    1 << (id.0 % 64)
}

const SCAN: usize = 6;

impl Heap {
    pub(crate) fn new(base: Slots) -> Heap {
        let (changed, defaults, index, fresh) = (Vec::new(), Vec::new(), FxHashMap::default(), Vec::new());
        Heap { base, changed, defaults, index, fresh, writes: 0, whole: Cell::new(0), observed: Cell::new(0) }
    }

    /// Goes on with another state; nothing of this evaluation stays but the memory it had.
    pub(crate) fn put_on(&mut self, base: Slots) {
        self.undo();
        self.base = base;
    }

    /// How often an object of the state was taken to be written to.
    pub(crate) fn writes(&self) -> u32 {
        self.writes
    }

    /// Marks of the dictionaries that were looked at other than by keys, see [`mark_of_object`].
    pub(crate) fn whole(&self) -> u64 {
        self.whole.get()
    }

    /// Marks of the `defaultdict`s that were looked at other than by an item, see [`mark_of_object`].
    pub(crate) fn observed(&self) -> u64 {
        self.observed.get()
    }

    /// Whether it is an object of the state, not one this evaluation made.
    pub(crate) fn in_state(&self, id: Id) -> bool {
        (id.0 as usize) < self.base.len()
    }

    #[inline]
    fn changed_at(&self, id: Id) -> Option<usize> {
        if self.changed.len() <= SCAN {
            self.changed.iter().position(|(i, _)| *i == id)
        } else {
            self.index.get(&id).copied()
        }
    }

    /// The object at `id`. Of a dictionary anything may be seen.
    #[inline]
    pub(crate) fn get(&self, id: Id) -> &Obj {
        let obj = self.whole_of(id);
        if let Obj::Dict(dict) = obj
            && self.in_state(id)
        {
            self.whole.set(self.whole.get() | mark_of_object(id));
            self.note_observed(id, dict);
        }
        obj
    }

    /// The object at `id`. Of a dictionary no more is seen than whether and with what value a key is there, and the key is noted.
    #[inline]
    pub(crate) fn get_for_key(&self, id: Id) -> &Obj {
        let obj = self.whole_of(id);
        if let Obj::Dict(dict) = obj {
            self.note_observed(id, dict);
        }
        obj
    }

    #[inline]
    fn note_observed(&self, id: Id, dict: &Dict) {
        if dict.factory.is_some() {
            self.observed.set(self.observed.get() | mark_of_object(id));
        }
    }

    #[inline]
    fn whole_of(&self, id: Id) -> &Obj {
        match self.defaults.iter().find(|defaults| defaults.id == id) {
            Some(defaults) => defaults.whole(&self.base),
            None => self.peek(id),
        }
    }

    /// The default that was put at a key of a dictionary, where [`Heap::peek`] does not show it.
    #[inline]
    pub(crate) fn default_at(&self, id: Id, key: &Key) -> Option<&Value> {
        let defaults = self.defaults.iter().find(|defaults| defaults.id == id)?;
        defaults.items.iter().find(|(known, _)| known == key).map(|(_, entry)| &entry.value)
    }

    /// Puts a default at a key that a dictionary does not have.
    pub(crate) fn put_default(&mut self, id: Id, key: Key, entry: Entry) {
        let at = self.defaults.iter().position(|defaults| defaults.id == id);
        let is_whole = at.and_then(|at| self.defaults.get(at)).is_some_and(|defaults| defaults.whole.get().is_some());
        if is_whole || !self.in_state(id) || self.changed_at(id).is_some() {
            return Defaults::put(self.get_mut_for_item(id), [(key, entry)]);
        }
        match at.and_then(|at| self.defaults.get_mut(at)) {
            Some(defaults) => defaults.items.push((key, entry)),
            None => self.defaults.push(Defaults { id, items: vec![(key, entry)], whole: OnceCell::new() }),
        }
        self.writes += 1;
    }

    /// The object at `id`. Of a dictionary no more is seen than its kind, or an item whose key is noted (and which [`Heap::default_at`]
    /// may have); of a `defaultdict` an item does not show whether the key was there.
    #[inline]
    pub(crate) fn peek(&self, id: Id) -> &Obj {
        let i = id.0 as usize;
        if i >= self.base.len() {
            return self.fresh.get(i - self.base.len()).unwrap_or(&Obj::Free);
        }
        if !self.changed.is_empty()
            && let Some(k) = self.changed_at(id)
        {
            return &self.changed[k].1;
        }
        &self.base[i]
    }

    /// The object at `id`, to write to; an object of the state is copied first. Of a dictionary anything may be seen.
    pub(crate) fn get_mut(&mut self, id: Id) -> &mut Obj {
        self.get(id);
        self.get_mut_for_item(id)
    }

    /// As [`Heap::get_mut`], to write an item whose key is noted, if it is a dictionary.
    pub(crate) fn get_mut_for_item(&mut self, id: Id) -> &mut Obj {
        let i = id.0 as usize;
        if i >= self.base.len() {
            let at = i - self.base.len();
            if at >= self.fresh.len() {
                // No value refers beyond the heap; a separate object keeps this total without a panic.
                self.fresh.resize(at + 1, Obj::Free);
            }
            return &mut self.fresh[at];
        }
        self.writes += 1;
        let k = match self.changed_at(id) {
            Some(k) => k,
            None => {
                let at = self.defaults.iter().position(|defaults| defaults.id == id);
                let whole = at.map(|at| self.defaults.swap_remove(at)).map(|defaults| {
                    defaults.whole(&self.base);
                    defaults.whole.into_inner()
                });
                self.changed.push((id, whole.flatten().unwrap_or_else(|| (*self.base[i]).clone())));
                let k = self.changed.len() - 1;
                if self.changed.len() == SCAN + 1 {
                    self.index = self.changed.iter().enumerate().map(|(k, (id, _))| (*id, k)).collect();
                } else if self.changed.len() > SCAN {
                    self.index.insert(id, k);
                }
                k
            }
        };
        &mut self.changed[k].1
    }

    pub(crate) fn alloc(&mut self, obj: Obj) -> Id {
        let id = Id((self.base.len() + self.fresh.len()) as u32);
        self.fresh.push(obj);
        id
    }

    /// Whether the state is another now than it was: writing back what was there is no change.
    pub(crate) fn differs(&self) -> bool {
        !self.defaults.is_empty()
            || self.changed.iter().any(|(id, obj)| self.base.get(id.0 as usize).is_none_or(|old| !obj.same(old)))
    }

    /// Undoes all that was changed or made, for another evaluation on the same state.
    pub(crate) fn undo(&mut self) {
        self.changed.clear();
        self.defaults.clear();
        self.index.clear();
        self.fresh.clear();
        self.writes = 0;
        self.whole.set(0);
        self.observed.set(0);
    }

    /// The state as it was before this evaluation.
    pub(crate) fn into_base(self) -> Slots {
        self.base
    }

    /// The state after this evaluation; what it made and nothing refers to is dropped.
    pub(crate) fn settle(mut self) -> Slots {
        while let Some(id) = self.defaults.last().map(|defaults| defaults.id) {
            self.get_mut_for_item(id);
        }
        if self.changed.is_empty() {
            return self.base;
        }
        let first = self.base.len();
        // Mark the fresh objects that changed objects reach.
        let mut kept: Vec<Option<u32>> = vec![None; self.fresh.len()];
        let mut order: Vec<usize> = Vec::new();
        let mut found: Vec<usize> = Vec::new();
        let note = |id: &mut Id, found: &mut Vec<usize>| {
            if id.0 as usize >= first {
                found.push(id.0 as usize - first);
            }
        };
        for (_, obj) in &mut self.changed {
            obj.each_ref(&mut |id| note(id, &mut found));
        }
        while let Some(k) = found.pop() {
            if kept.get(k).is_some_and(Option::is_none) {
                kept[k] = Some((first + order.len()) as u32);
                order.push(k);
                self.fresh[k].each_ref(&mut |id| note(id, &mut found));
            }
        }
        let mut relocate = |id: &mut Id| {
            if let Some(Some(new)) = (id.0 as usize).checked_sub(first).and_then(|k| kept.get(k)) {
                *id = Id(*new);
            }
        };
        let slots = Arc::make_mut(&mut self.base);
        for (id, mut obj) in self.changed {
            // What was written back as it was stays the one object of all states that have it.
            if slots.get(id.0 as usize).is_some_and(|old| obj.same(old)) {
                continue;
            }
            if !order.is_empty() {
                obj.each_ref(&mut relocate);
            }
            slots[id.0 as usize] = Arc::new(obj);
        }
        for k in order {
            let mut obj = std::mem::replace(&mut self.fresh[k], Obj::Free);
            obj.each_ref(&mut relocate);
            slots.push(Arc::new(obj));
        }
        self.base
    }
}

/// Drops what `roots` does not reach, once that is worth it: `live` is the number of objects after the last time.
/// Objects that are left change their places: then it answers true.
pub(crate) fn collect(slots: &mut Slots, roots: usize, live: &mut usize) -> bool {
    if slots.len() < *live * 2 + 256 {
        return false;
    }
    let old = Arc::make_mut(slots);
    let mut new_place: Vec<Option<u32>> = vec![None; old.len()];
    let mut order: Vec<usize> = Vec::new();
    let mut found: Vec<usize> = Vec::new();
    // Roots keep their places.
    for (k, (place, root)) in new_place.iter_mut().zip(old.iter_mut()).enumerate().take(roots) {
        *place = Some(k as u32);
        order.push(k);
        Arc::make_mut(root).each_ref(&mut |id| found.push(id.0 as usize));
    }
    while let Some(k) = found.pop() {
        if new_place.get(k).is_some_and(Option::is_none) {
            new_place[k] = Some(order.len() as u32);
            order.push(k);
            Arc::make_mut(&mut old[k]).each_ref(&mut |id| found.push(id.0 as usize));
        }
    }
    let mut kept: Vec<Arc<Obj>> = Vec::with_capacity(order.len());
    for k in order {
        let mut obj = old[k].clone();
        Arc::make_mut(&mut obj).each_ref(&mut |id| {
            if let Some(Some(new)) = new_place.get(id.0 as usize) {
                *id = Id(*new);
            }
        });
        kept.push(obj);
    }
    *live = kept.len();
    *slots = Arc::new(kept);
    true
}
