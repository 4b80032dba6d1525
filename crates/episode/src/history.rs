//! Documents as they came about: of each the change that made it what it is, what was before, and what was taken back and can be made
//! again. Also across steps: a node inherits how its parent's documents came about.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::patch;

/// Documents by their names.
#[derive(Debug, Clone, PartialEq)]
pub struct Documents<Name> {
    values: BTreeMap<Name, Arc<Value>>,
    places: BTreeMap<Name, Place>,
}

/// Where a document is among its changes, which are numbered in the order of the session.
#[derive(Debug, Clone, PartialEq, Default)]
struct Place {
    last: Option<usize>,
    /// The changes that were taken back since the last new one, newest last.
    undone: Vec<usize>,
}

/// A change as it was made somewhere in the session.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentChange {
    /// Where.
    pub node: u64,
    /// The offer taken.
    pub offer: Option<u64>,
    /// The document before.
    pub before: Option<Arc<Value>>,
    /// The document since.
    pub after: Arc<Value>,
    /// Whether it is what an episode begins with: that is not taken back.
    pub begins: bool,
    /// The change of the document before it.
    pub previous: Option<usize>,
}

/// The changes of all documents of a session, in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    made: Vec<DocumentChange>,
    room: usize,
}

impl Default for Changes {
    fn default() -> Self {
        Changes { made: Vec::new(), room: patch::MAX_DOCUMENTS }
    }
}

impl Changes {
    /// The document before the change of that number.
    pub fn before(&self, number: Option<usize>) -> Option<&Arc<Value>> {
        self.get(number?)?.before.as_ref()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.made.len()
    }

    /// The change of that number.
    pub fn get(&self, number: usize) -> Option<&DocumentChange> {
        self.made.get(number)
    }
}

impl<Name> Default for Documents<Name> {
    fn default() -> Self {
        Documents { values: BTreeMap::new(), places: BTreeMap::new() }
    }
}

impl<Name: Ord + Clone> Documents<Name> {
    /// A document.
    pub fn get(&self, artifact: &Name) -> Option<&Arc<Value>> {
        self.values.get(artifact)
    }

    /// Puts a document there that no change led to: logs of earlier versions hold some plans so.
    pub(crate) fn insert(&mut self, artifact: Name, document: Arc<Value>) {
        self.values.insert(artifact, document);
    }

    /// Ends a document: what comes next begins it, and nothing from before is taken back or made again.
    pub fn end(&mut self, artifact: &Name) {
        self.values.remove(artifact);
        self.places.remove(artifact);
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&Name, &Arc<Value>)> {
        self.values.iter()
    }

    /// The number of the change that made a document what it is.
    pub fn last(&self, artifact: &Name) -> Option<usize> {
        self.places.get(artifact)?.last
    }

    /// The number of the change that was taken back last and can be made again.
    pub fn undone(&self, artifact: &Name) -> Option<usize> {
        self.places.get(artifact)?.undone.last().copied()
    }

    /// Makes a change. One that was taken back last is made again; after another, nothing that was taken back can be.
    /// Errors: where the documents of the session would take too much memory; nothing is changed then.
    pub fn settle(&mut self, artifact: &Name, made: DocumentChange, changes: &mut Changes) -> Result<(), String> {
        changes.room = changes.room.checked_sub(patch::weight(&made.after)).ok_or_else(|| {
            format!("the documents of the session take more than {} MiB together", patch::MAX_DOCUMENTS >> 20)
        })?;
        let place = self.places.entry(artifact.clone()).or_default();
        let undone = place.undone.pop().and_then(|number| changes.get(number));
        if undone.is_none_or(|undone| !patch::is_same(&undone.after, &made.after)) {
            place.undone.clear();
        }
        let previous = place.last.replace(changes.made.len());
        self.values.insert(artifact.clone(), Arc::clone(&made.after));
        changes.made.push(DocumentChange { previous, ..made });
        Ok(())
    }

    /// Takes the last change of a document back, and says which; `None` where there is none.
    pub fn take_back<'a>(&mut self, artifact: &Name, changes: &'a Changes) -> Option<&'a DocumentChange> {
        let place = self.places.get_mut(artifact)?;
        let number = place.last?;
        let made = changes.get(number)?;
        place.last = made.previous;
        place.undone.push(number);
        match &made.before {
            Some(before) => self.values.insert(artifact.clone(), Arc::clone(before)),
            None => self.values.remove(artifact),
        };
        Some(made)
    }
}

impl<Name: Ord> FromIterator<(Name, Arc<Value>)> for Documents<Name> {
    fn from_iter<T: IntoIterator<Item = (Name, Arc<Value>)>>(documents: T) -> Self {
        Documents { values: documents.into_iter().collect(), places: BTreeMap::new() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    proptest! {
        /// The same as two stacks of documents, which is what undo and redo mean.
        #[test]
        fn taking_back_and_making_again_is_going_along_two_stacks(moves in proptest::collection::vec(0u8..6, 0..60)) {
            let (id, mut documents, mut changes) = ("belief", Documents::default(), Changes::default());
            let (mut past, mut future): (Vec<Option<u8>>, Vec<u8>) = (vec![None], vec![]);
            for one in moves {
                let next = match one {
                    4 => {
                        let taken = documents.take_back(&id, &changes).is_some();
                        prop_assert_eq!(taken, past.len() > 1);
                        future.extend(past.pop_if(|_| taken).flatten());
                        None
                    }
                    5 => documents.undone(&id).and_then(|number| changes.get(number)).map(|made| made.after.clone()),
                    value => Some(Arc::new(json!(value))),
                };
                if let Some(after) = next {
                    let value = after.as_u64().unwrap() as u8;
                    let before = documents.get(&id).cloned();
                    let made = DocumentChange { node: 0, offer: None, before, after, begins: false, previous: None };
                    documents.settle(&id, made, &mut changes).unwrap();
                    past.push(Some(value));
                    if future.pop() != Some(value) {
                        future.clear();
                    }
                }
                let here = documents.get(&id).and_then(|value| value.as_u64()).map(|value| value as u8);
                prop_assert_eq!(here, *past.last().unwrap());
                let again = documents.undone(&id).and_then(|n| changes.get(n)).and_then(|made| made.after.as_u64());
                prop_assert_eq!(again.map(|value| value as u8), future.last().copied());
            }
        }
    }
}
