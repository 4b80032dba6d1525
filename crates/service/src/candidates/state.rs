//! The candidates of a session and all that is under way with them.

use std::collections::BTreeMap;

use super::worker::{CandidateWorker, Job};
use super::writing::{Wanted, Writing};
use stepwright_driver::{RequestId, SessionView};
use stepwright_episode::gate::Request;
use stepwright_method::precondition::CandidateAsks;

#[derive(Debug)]
pub(super) enum PendingRequest {
    /// Putting assertions in force; what to say when that is done.
    Adopt { then: Option<String> },
    /// Having candidates written.
    Write(Wanted),
    /// Having candidates scored, whose texts are kept with the scoring.
    Score,
}

/// The candidates of a session and all that is done with them.
pub struct CandidateService {
    pub(super) settings: CandidateAsks,
    pub(super) worker: CandidateWorker,
    pub(super) writing: Writing,
    pub(super) pending: BTreeMap<RequestId, PendingRequest>,
}

impl CandidateService {
    pub fn new(settings: CandidateAsks) -> Self {
        CandidateService {
            settings,
            worker: CandidateWorker::default(),
            writing: Writing::default(),
            pending: BTreeMap::new(),
        }
    }

    pub(super) fn request(&mut self, pending: PendingRequest, request: Request, view: &mut SessionView<'_>) {
        self.pending.insert(view.request(request), pending);
    }

    pub(super) fn work(&mut self, job: Job, view: &mut SessionView<'_>) {
        self.worker.add(job, self.writing.actions(), view);
    }
}
