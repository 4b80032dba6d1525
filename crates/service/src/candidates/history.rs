//! History: a person's changes to each action's preconditions, undone and redone in order.

use stepwright_episode::Assertions;

#[derive(Debug, Clone)]
pub(super) enum Change {
    /// To its candidates; which, the candidate store knows.
    Candidates(String),
    /// To what is in force: before and after.
    Adopted(Assertions, Assertions),
}

impl Change {
    fn action(&self) -> &str {
        match self {
            Change::Candidates(action) => action,
            Change::Adopted(before, _) => &before.action,
        }
    }
}

/// A person's changes, oldest first, and those taken back.
#[derive(Debug, Default)]
pub(super) struct Changes {
    past: Vec<Change>,
    future: Vec<Change>,
}

impl Changes {
    pub(super) fn edited(&mut self, action: String) {
        self.add(Change::Candidates(action));
    }

    pub(super) fn adopted(&mut self, before: Assertions, after: Assertions) {
        if before != after {
            self.add(Change::Adopted(before, after));
        }
    }

    /// Adds a change; changes of the action that had been taken back can no longer be done again.
    fn add(&mut self, change: Change) {
        self.future.retain(|c| c.action() != change.action());
        self.past.push(change);
    }

    /// Drops the action's last change to its candidates: it had no effect.
    pub(super) fn forget(&mut self, action: &str) {
        let last = self.past.iter().rposition(|c| matches!(c, Change::Candidates(changed) if changed == action));
        last.map(|at| self.past.remove(at));
    }

    /// The action's last change goes over to those taken back (or, forward, the other way round).
    pub(super) fn turn(&mut self, action: &str, forward: bool) -> Option<Change> {
        let (from, to) = if forward { (&mut self.future, &mut self.past) } else { (&mut self.past, &mut self.future) };
        let at = from.iter().rposition(|c| c.action() == action)?;
        let change = from.remove(at);
        to.push(change.clone());
        Some(change)
    }
}
