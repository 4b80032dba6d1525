//! Candidate preconditions beside the episode: the store and the work on it (`worker`), asks of a model (`asks`, `writing`), sets of
//! assertions (`sets`). A person's changes of candidates are documents of the session, which the store follows.

mod asks;
pub(crate) mod sets;
mod state;
mod worker;
mod writing;

pub use state::CandidateService;

use stepwright_driver::{RequestId, Service, SessionView, Source, WorkResult};
use stepwright_episode::gate::Answer;
use stepwright_episode::{ArtifactKind, AskId, Assertions, Event, Record};
use stepwright_method::Answer as ModelAnswer;
use stepwright_precondition::{CandidateOrigin, changes};
use stepwright_protocol::{CandidateCommand, Command, Level};

use sets::assertions_of;
use state::PendingRequest;
use worker::{Done, Job};

impl Service for CandidateService {
    fn opened(&mut self, view: &mut SessionView<'_>) {
        self.tell_inference(view);
        self.in_force.clone_from(view.session.assertions());
        // Nothing of them is adopted or recorded.
        if self.infers && !view.headless && !view.knowledge.demonstrations.is_empty() {
            view.knowledge.postpone();
            self.work(Job::Learn, view);
            self.work(Job::Called, view);
        }
    }

    fn command(&mut self, command: Command, view: &mut SessionView<'_>) -> Option<Command> {
        let Command::Candidates(command) = command else { return Some(command) };
        match command {
            CandidateCommand::Infer { action, origin } => match (origin, view.discoverer) {
                (CandidateOrigin::Model, Source::Symbolic) => {
                    view.say(Level::Warning, "no language model is in use; choose one (M), or infer by enumeration");
                }
                (CandidateOrigin::Model, Source::Language { .. }) => {
                    self.work(Job::Contexts(action, self.settings.demonstrations), view);
                }
                _ => self.work(Job::Enumerate(action), view),
            },
            CandidateCommand::Try { token, action, text } => {
                let in_force = assertions_of(view, &action).assertions;
                self.work(Job::Try { token, action, text, in_force }, view);
            }
            CandidateCommand::ShowStep { token, action, place, texts } => {
                self.work(Job::Step { token, action, place, texts }, view);
            }
            CandidateCommand::ShowDifference { token, action, one, other } => {
                self.work(Job::Differ { token, action, one, other }, view);
            }
            CandidateCommand::Compare { token, left, right } => self.compare(token, left, right, view),
            CandidateCommand::SaveSet(path) => sets::save(&path, view),
            CandidateCommand::AdoptSet { origin, set } => self.adopt_set(&origin, set, view),
            CandidateCommand::Score { action } => match view.discoverer {
                Source::Symbolic => {
                    view.say(Level::Warning, "no language model is in use; choose one (M) to have candidates scored");
                }
                Source::Language { .. } => self.work(Job::ToScore(action), view),
            },
            CandidateCommand::SetAsks(settings) => {
                self.settings = settings;
                self.tell_inference(view);
            }
            CandidateCommand::Adopt { action, assertions, origin } => {
                self.adopt(&Assertions { action, assertions, origin }, None, view);
            }
        }
        None
    }

    fn recorded(&mut self, record: &Record, view: &mut SessionView<'_>) {
        self.renew(view);
        let (Event::ArtifactSettled { artifact, .. } | Event::ArtifactUndone { artifact }) = &record.event else {
            return;
        };
        if artifact.kind == ArtifactKind::Candidates {
            let edits = changes(view.session.document(artifact).map(AsRef::as_ref));
            self.work(Job::Follow { action: artifact.key.clone(), edits }, view);
        }
    }

    fn answered(&mut self, request: RequestId, answer: Answer, view: &mut SessionView<'_>) {
        let Some(pending) = self.pending.remove(&request) else { return };
        match (pending, answer) {
            (PendingRequest::Adopt { then }, Answer::Done { .. }) => {
                if let Some(text) = then {
                    view.say(Level::Info, text);
                }
            }
            (PendingRequest::Adopt { .. }, _) => {}
            (PendingRequest::Write(wanted), Answer::Done { ask: Some(ask) }) => {
                self.writing.sent(ask, &wanted);
                self.ask_for_candidates(view);
            }
            (PendingRequest::Write(_), _) => self.cancel_writing(view),
            (PendingRequest::Score, Answer::Done { ask: Some(ask) }) => self.writing.scoring_sent(ask),
            (PendingRequest::Score, _) => self.writing.end_scoring(),
        }
    }

    fn ask_ended(&mut self, ask: AskId, answer: Option<ModelAnswer>, view: &mut SessionView<'_>) {
        self.take_in(ask, answer, view);
    }

    fn worked(&mut self, result: WorkResult, view: &mut SessionView<'_>) {
        let Done { contexts, to_score, called, learned } = self.worker.ended(result, view);
        if learned {
            view.show_again();
        }
        for action in called {
            self.work(Job::Infer(action), view);
        }
        if !contexts.is_empty() {
            self.write_candidates(contexts, view);
        }
        if let Some(to_score) = to_score {
            self.score_candidates(to_score, view);
        }
        self.worker.proceed(self.writing.actions(), view);
    }

    fn cancel(&mut self, view: &mut SessionView<'_>) {
        self.worker.forget();
        self.cancel_writing(view);
    }
}
