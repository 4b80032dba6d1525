//! Members of sets and of the dictionary views that act as sets, compared where they are: nothing is copied but the items of a view.

use std::sync::Arc;

use super::value::{Entry, Id, Key, Map, Obj, Part, Value};
use super::vm::{Done, Vm};

pub(crate) enum Members<'a> {
    Values(&'a Map<Value>),
    Keys(&'a Map<Entry>),
    Items(&'a Map<()>),
}

impl Members<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Members::Values(map) => map.len(),
            Members::Keys(map) => map.len(),
            Members::Items(map) => map.len(),
        }
    }

    fn contains(&self, key: &Key) -> bool {
        match self {
            Members::Values(map) => map.contains_key(key),
            Members::Keys(map) => map.contains_key(key),
            Members::Items(map) => map.contains_key(key),
        }
    }

    pub(crate) fn are_in(&self, other: &Members<'_>) -> bool {
        self.len() <= other.len()
            && match self {
                Members::Values(map) => map.keys().all(|key| other.contains(key)),
                Members::Keys(map) => map.keys().all(|key| other.contains(key)),
                Members::Items(map) => map.keys().all(|key| other.contains(key)),
            }
    }
}

impl Vm {
    /// The items of a view of items as keys; `None` of anything else.
    pub(crate) fn items_as_keys(&mut self, id: Id) -> Done<Option<Map<()>>> {
        let Obj::View(of, Part::Items) = self.heap.get(id) else { return Ok(None) };
        let Obj::Dict(dict) = self.heap.get(*of) else { return Ok(None) };
        let items: Vec<(Key, Value)> = dict.map.iter().map(|(key, entry)| (key.clone(), entry.value.clone())).collect();
        let mut keys = Map::default();
        for (key, value) in items {
            let value = self.key(&value)?;
            keys.insert(Key::Tuple(Arc::from([key, value])), ());
        }
        Ok(Some(keys))
    }

    /// The members of a set or of a view that acts as one, with what [`Vm::items_as_keys`] gave of it; `None` of anything else.
    pub(crate) fn members<'a>(&'a self, id: Id, items: Option<&'a Map<()>>) -> Option<Members<'a>> {
        match self.heap.get(id) {
            Obj::Set(set) => Some(Members::Values(&set.map)),
            Obj::View(of, Part::Keys) => match self.heap.get(*of) {
                Obj::Dict(dict) => Some(Members::Keys(&dict.map)),
                _ => None,
            },
            Obj::View(_, Part::Items) => items.map(Members::Items),
            _ => None,
        }
    }
}
