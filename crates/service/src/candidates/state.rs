//! The candidates of a session and all that is under way with them.

use std::collections::BTreeMap;

use super::history::Changes;
use super::worker::{CandidateWorker, Job};
use super::writing::{Wanted, Writing};
use stepwright_driver::{RequestId, SessionView};
use stepwright_episode::Assertions;
use stepwright_episode::gate::Request;
use stepwright_method::precondition::{CandidateAsks, Edit, PlannedEdit};

#[derive(Debug)]
pub(super) enum PendingRequest {
    /// Putting assertions in force in place of others; what to say when that is done.
    Adopt {
        before: Assertions,
        after: Assertions,
        then: Option<String>,
    },
    /// Putting in force again what was before a change of that action, or after it.
    Turn {
        action: String,
        forward: bool,
    },
    /// Recording a person's change of a candidate.
    Edit(Box<PlannedEdit>),
    Write(Wanted),
    /// Having candidates scored, whose texts are kept with the scoring.
    Score,
}

/// The candidates of a session and all that is done with them.
pub struct CandidateService {
    pub(super) settings: CandidateAsks,
    pub(super) worker: CandidateWorker,
    pub(super) writing: Writing,
    pub(super) changes: Changes,
    pub(super) pending: BTreeMap<RequestId, PendingRequest>,
}

impl CandidateService {
    pub fn new(settings: CandidateAsks) -> Self {
        CandidateService {
            settings,
            worker: CandidateWorker::default(),
            writing: Writing::default(),
            changes: Changes::default(),
            pending: BTreeMap::new(),
        }
    }

    pub(super) fn request(&mut self, pending: PendingRequest, request: Request, view: &mut SessionView<'_>) {
        self.pending.insert(view.request(request), pending);
    }

    pub(super) fn work(&mut self, job: Job, view: &mut SessionView<'_>) {
        self.worker.add(job, self.writing.actions(), view);
    }

    /// Has a person's change looked over; it is recorded before it is made.
    pub(super) fn edit(&mut self, action: String, edit: Edit, view: &mut SessionView<'_>) {
        if matches!(edit, Edit::Put { .. } | Edit::Reject { .. }) {
            // Noted in the order in which the person asked, whatever is done meanwhile.
            self.changes.edited(action.clone());
        }
        self.work(Job::Edit { action, edit }, view);
    }
}
