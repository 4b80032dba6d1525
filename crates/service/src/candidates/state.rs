//! The candidates of a session and all that is under way with them.

use std::collections::BTreeMap;

use super::worker::{CandidateWorker, Job};
use super::writing::{Wanted, Writing};
use stepwright_driver::{RequestId, SessionView};
use stepwright_episode::gate::Request;
use stepwright_precondition::CandidateAsks;

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
    /// Whether candidates are enumerated before anybody asks.
    pub(super) infers: bool,
    pub(super) worker: CandidateWorker,
    pub(super) writing: Writing,
    pub(super) pending: BTreeMap<RequestId, PendingRequest>,
    /// Assertions in force when they were looked at last, by action.
    pub(super) in_force: BTreeMap<String, (Vec<String>, String)>,
}

impl CandidateService {
    pub fn new(settings: CandidateAsks, infers: bool) -> Self {
        CandidateService {
            settings,
            infers,
            worker: CandidateWorker::default(),
            writing: Writing::default(),
            pending: BTreeMap::new(),
            in_force: BTreeMap::new(),
        }
    }

    pub(super) fn request(&mut self, pending: PendingRequest, request: Request, view: &mut SessionView<'_>) {
        self.pending.insert(view.request(request), pending);
    }

    /// Has validated what came into force since, by adoption or by going to another branch.
    pub(super) fn renew(&mut self, view: &mut SessionView<'_>) {
        let now = view.session.assertions();
        if !self.infers || view.headless || *now == self.in_force {
            return;
        }
        let before = std::mem::replace(&mut self.in_force, now.clone());
        for action in now.iter().filter(|(action, set)| before.get(*action) != Some(set)).map(|(action, _)| action) {
            self.work(Job::Renew(action.clone()), view);
        }
    }

    pub(super) fn work(&mut self, job: Job, view: &mut SessionView<'_>) {
        self.worker.add(job, self.writing.actions(), view);
    }
}
