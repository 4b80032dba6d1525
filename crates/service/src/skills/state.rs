//! The skill service's state of a session: questions under way, the search, and the knowledge there.

use std::collections::BTreeMap;

use serde_json::Value;
use stepwright_skill::distil::{Cuts, Distiller, Proposed, Question as Asked};
use stepwright_skill::{document, file};
use stepwright_trajectory::Trajectory;

use stepwright_driver::{RequestId, SessionView, WorkDesk};
use stepwright_episode::gate::Request;
use stepwright_episode::{ArtifactId, AskId, Written};

pub(super) struct Question {
    pub(super) distiller: Distiller,
    /// Whether it is of the run through all questions.
    pub(super) is_of_run: bool,
    pub(super) asked: Asked,
}

pub(super) enum PendingRequest {
    Ask(Box<Question>),
    /// Offering something; what to say when that is done.
    Offer(String),
}

/// The result of reading or finding beside the driver's task.
pub(super) struct Found {
    /// How often a person had cancelled when it was begun.
    pub(super) cancelled: u64,
    pub(super) title: String,
    /// An error names what it is about.
    pub(super) result: Result<Vec<Proposed>, String>,
}

/// A function that was tried beside the driver's task, with the run that it is of.
pub(super) struct Tried {
    pub(super) cancelled: u64,
    pub(super) title: String,
    pub(super) distiller: Distiller,
    pub(super) is_of_run: bool,
    pub(super) results: Result<Vec<Result<(), String>>, String>,
}

#[derive(Default)]
pub struct SkillService {
    /// The run through all questions, between two of them.
    pub(super) run: Option<Distiller>,
    pub(super) asked: Option<(AskId, Question)>,
    pub(super) pending: BTreeMap<RequestId, PendingRequest>,
    /// How often a person cancelled: what was begun before is not offered any more.
    pub(super) cancelled: u64,
}

impl SkillService {
    /// Does long work beside the driver's task; what it finds is offered.
    pub(super) fn find(
        &self,
        view: &mut SessionView<'_>,
        title: String,
        work: impl FnOnce(&dyn Fn() -> bool) -> Result<Vec<Proposed>, String> + Send + 'static,
    ) {
        let cancelled = self.cancelled;
        view.work(move |desk: &WorkDesk| Found { cancelled, title, result: work(&|| desk.keep_running()) });
    }

    pub(super) fn put_forward(&mut self, title: &str, proposed: Proposed, view: &mut SessionView<'_>) {
        let (artifact, value, raw, words) = match proposed {
            Proposed::Knowledge(known) => {
                let words = "changes are offered in Skills: take, edit or leave out each".to_owned();
                (ArtifactId::KNOWLEDGE, document::write(&known), file::write(&known), words)
            }
            Proposed::Cut { of, segments } => {
                let value = serde_json::json!(segments);
                let words = format!("a cut of {of} into calls is offered in Skills, in the view of the log");
                (ArtifactId::segments(&of), value.clone(), value.to_string(), words)
            }
        };
        let (title, value) = (title.to_owned(), Some(value.into()));
        let written = Written { artifact, due: None, title, raw, repairs: Vec::new(), value, problem: None };
        let request = view.request(Request::OfferArtifact(Box::new(written)));
        self.pending.insert(request, PendingRequest::Offer(words));
    }
}

pub(super) fn known_document(view: &SessionView<'_>) -> Value {
    let document = view.session.current().and_then(|node| node.document(&ArtifactId::KNOWLEDGE).cloned());
    document.map_or(Value::Null, |document| document.as_ref().clone())
}

pub(super) fn cuts(view: &SessionView<'_>, logs: &[Trajectory]) -> Cuts {
    let Some(node) = view.session.current() else { return Cuts::new() };
    let of = |log: &Trajectory| {
        let document = node.document(&ArtifactId::segments(&log.id))?;
        Some((log.id.clone(), serde_json::from_value(document.as_ref().clone()).ok()?))
    };
    logs.iter().filter_map(of).filter(|(_, cut): &(_, Vec<_>)| !cut.is_empty()).collect()
}
