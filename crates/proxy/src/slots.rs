//! Decisions that wait: one a request, joined by the requests that repeat it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use stepwright_wire::{Request, Threads, Whole};
use tokio::sync::watch;

use crate::upstream::{Ask, Refusal};

/// Decisions kept that nobody waits for any more, for a client that asks again.
const LEFT: usize = 64;

/// What the proxy has to say.
#[derive(Debug)]
pub enum Notice {
    /// A request waits for a decision.
    Pending(Pending),
    /// A client asked again for what waits already.
    Joined { id: u64 },
    /// Nobody waits for this decision any more; who asks for the same again gets it.
    GaveUp { id: u64 },
    /// A decision was handed over; the digest of the answer, where it was one.
    Delivered { id: u64, digest: Option<String> },
    /// A request that is no answer went to the provider.
    Passed { method: String, path: String, status: u16 },
    /// A request that this proxy cannot let pass.
    Refused { path: String, why: String },
}

/// What a client gets.
#[derive(Debug, Clone)]
pub enum Reply {
    Whole(Arc<Whole>),
    /// An error, as the provider said it.
    Error(Refusal),
}

/// A request that waits. Dropped without an answer, its connection is closed.
#[derive(Debug)]
pub struct Pending {
    pub id: u64,
    /// Its conversation's number.
    pub thread: usize,
    pub request: Arc<Request>,
    /// The request's body as it came.
    pub body: Arc<str>,
    /// Asks the provider for it.
    pub ask: Ask,
    pub(crate) slot: Arc<Slot>,
}

impl Pending {
    /// Hands the decision over.
    pub fn answer(self, reply: Reply) {
        self.slot.decided.send_replace(Some(Outcome::Reply(reply)));
    }

    /// Whether a client still waits for it.
    pub fn is_awaited(&self) -> bool {
        self.slot.waiting.load(Ordering::SeqCst) > 0
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.slot.decided.send_if_modified(|decided| {
            let open = decided.is_none();
            if open {
                *decided = Some(Outcome::Closed);
            }
            open
        });
    }
}

#[derive(Debug, Clone)]
pub(crate) enum Outcome {
    Reply(Reply),
    Closed,
}

#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) id: u64,
    thread: usize,
    pub(crate) request: Arc<Request>,
    pub(crate) body: Arc<str>,
    decided: watch::Sender<Option<Outcome>>,
    waiting: AtomicUsize,
    delivered: AtomicBool,
}

/// All that waits, and the conversations.
#[derive(Debug)]
pub(crate) struct Slots {
    held: Mutex<Held>,
    notices: Sender<Notice>,
}

#[derive(Debug, Default)]
struct Held {
    threads: Threads,
    open: Vec<Arc<Slot>>,
    next: u64,
    /// Counts the agent's starts: what an earlier one left is not of this one's conversations.
    start: u64,
}

impl Slots {
    pub(crate) fn new(notices: Sender<Notice>) -> Self {
        Slots { held: Mutex::default(), notices }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn tell(&self, notice: Notice) {
        // Whoever listened is gone: there is nobody to tell.
        let _ = self.notices.send(notice);
    }

    /// Forgets all conversations and what waits.
    pub(crate) fn reset(&self) {
        let mut held = self.held();
        for slot in held.open.drain(..) {
            slot.decided.send_if_modified(|decided| {
                let open = decided.is_none();
                *decided = decided.take().or(Some(Outcome::Closed));
                open
            });
        }
        held.threads = Threads::default();
        held.start += 1;
    }

    /// The decision that the same request waits for already, if it is to be joined: one that nobody waits for, or any where the
    /// client says that it asks again.
    pub(crate) fn joined(self: &Arc<Self>, request: &Request, body: &str, again: bool) -> Option<Waiter> {
        let held = self.held();
        let same = |slot: &&Arc<Slot>| slot.request.api == request.api && *slot.body == *body;
        let open = |slot: &&Arc<Slot>| !matches!(*slot.decided.borrow(), Some(Outcome::Closed));
        let free = |slot: &&Arc<Slot>| open(slot) && (again || slot.waiting.load(Ordering::SeqCst) == 0);
        let slot = held.open.iter().rfind(|slot| same(slot) && free(slot))?.clone();
        drop(held);
        let waiter = self.waiter(slot);
        self.tell(Notice::Joined { id: waiter.slot.id });
        Some(waiter)
    }

    /// Whether the same request waits, and its client too.
    pub(crate) fn has_twin(&self, request: &Request, body: &str) -> bool {
        self.held().open.iter().any(|slot| slot.request.api == request.api && *slot.body == *body)
    }

    /// Opens a decision and tells of it.
    pub(crate) fn open(self: &Arc<Self>, request: Request, body: Arc<str>, ask: Ask) -> Waiter {
        let mut held = self.held();
        let thread = held.threads.place(&request);
        held.next += 1;
        let slot = Arc::new(Slot {
            id: held.next,
            thread,
            request: Arc::new(request),
            body,
            decided: watch::Sender::new(None),
            waiting: AtomicUsize::new(0),
            delivered: AtomicBool::new(false),
        });
        held.open.push(Arc::clone(&slot));
        let left = |slot: &Arc<Slot>| slot.waiting.load(Ordering::SeqCst) == 0;
        if held.open.iter().filter(|slot| left(slot)).count() > LEFT + 1
            && let Some(at) = held.open.iter().position(left)
        {
            held.open.remove(at);
        }
        drop(held);
        let waiter = self.waiter(Arc::clone(&slot));
        let (request, body) = (Arc::clone(&slot.request), Arc::clone(&slot.body));
        let id = slot.id;
        self.tell(Notice::Pending(Pending { id, thread, request, body, ask, slot }));
        waiter
    }

    fn waiter(self: &Arc<Self>, slot: Arc<Slot>) -> Waiter {
        slot.waiting.fetch_add(1, Ordering::SeqCst);
        let decided = slot.decided.subscribe();
        Waiter { slots: Arc::clone(self), start: self.held().start, slot, decided, done: false }
    }
}

/// A client that waits for a decision. Dropped before it was handed over, the client gave up.
#[derive(Debug)]
pub(crate) struct Waiter {
    slots: Arc<Slots>,
    pub(crate) slot: Arc<Slot>,
    decided: watch::Receiver<Option<Outcome>>,
    start: u64,
    done: bool,
}

impl Waiter {
    pub(crate) async fn decision(&mut self) -> Outcome {
        match self.decided.wait_for(Option::is_some).await {
            Ok(outcome) => outcome.clone().unwrap_or(Outcome::Closed),
            Err(_) => Outcome::Closed,
        }
    }

    /// The decision was handed over, or there is none to hand over.
    pub(crate) fn done(&mut self, outcome: &Outcome) {
        self.done = true;
        let digest = {
            let mut held = self.slots.held();
            held.open.retain(|slot| !Arc::ptr_eq(slot, &self.slot));
            let own = held.start == self.start;
            match outcome {
                Outcome::Reply(Reply::Whole(whole)) if own => {
                    held.threads.answered(self.slot.thread, whole.id(), whole.answers());
                }
                _ if own => held.threads.given_up(self.slot.thread),
                _ => {}
            }
            match outcome {
                Outcome::Reply(Reply::Whole(whole)) => Some(whole.digest()),
                _ => None,
            }
        };
        let first = !self.slot.delivered.swap(true, Ordering::SeqCst);
        if first && matches!(outcome, Outcome::Reply(_)) {
            self.slots.tell(Notice::Delivered { id: self.slot.id, digest });
        }
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        let left = self.slot.waiting.fetch_sub(1, Ordering::SeqCst) == 1;
        if self.done || !left || self.slot.delivered.load(Ordering::SeqCst) {
            return;
        }
        let mut held = self.slots.held();
        if held.start == self.start {
            held.threads.given_up(self.slot.thread);
        }
        drop(held);
        self.slots.tell(Notice::GaveUp { id: self.slot.id });
    }
}
