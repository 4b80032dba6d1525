//! Ways to the models that agents ask, by numbers: who sends a request on may be another than who received it, and no key passes between
//! the two.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::upstream::{Ask, Upstream};

#[derive(Default)]
struct Senders {
    last: u64,
    known: BTreeMap<u64, (Weak<Upstream>, Ask)>,
}

static SENDERS: Mutex<Senders> = Mutex::new(Senders { last: 0, known: BTreeMap::new() });

fn senders() -> MutexGuard<'static, Senders> {
    SENDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a way for as long as its provider's address is.
pub fn keep(upstream: &Arc<Upstream>, ask: &Ask) -> u64 {
    let mut senders = senders();
    senders.known.retain(|_, (upstream, _)| upstream.strong_count() > 0);
    let same = |(_, (of, known)): &(&u64, &(Weak<Upstream>, Ask))| {
        std::ptr::eq(of.as_ptr(), Arc::as_ptr(upstream)) && known.is_same(ask)
    };
    if let Some((number, _)) = senders.known.iter().rev().find(same) {
        return *number;
    }
    senders.last += 1;
    let number = senders.last;
    senders.known.insert(number, (Arc::downgrade(upstream), ask.clone()));
    number
}

/// The way of a number, while there is one.
pub fn find(number: u64) -> Option<(Arc<Upstream>, Ask)> {
    let senders = senders();
    let (upstream, ask) = senders.known.get(&number)?;
    Some((upstream.upgrade()?, ask.clone()))
}
