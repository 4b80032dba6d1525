//! The workshop of candidate preconditions, a service beside the episode. Keeps the candidates (`worker`), has models write and score
//! them (`asks`), compares, saves and adopts sets (`sets`), takes a person's changes back (`history`).
//!
//! It reaches the episode through the gate alone: what it asks there is handed out as [`Errand`]s with their requests, and every
//! answer comes back to it. It learns of its own asks through the records.

mod asks;
mod command;
mod history;
mod sets;
mod worker;

pub use command::WorkshopCommand;
pub use sets::{SetSource, file_name};
pub(super) use worker::Done;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use super::jobs::Message;
use super::setup::Source;
use super::{Level, Notice};
use asks::{Wanted, Writing};
use history::Changes;
use stepwright_episode::gate::{Answer, Request, Ticket};
use stepwright_episode::{AskId, AskKind, Assertions, Event, Record, Session};
use stepwright_method::precondition::{CandidateAsks, CandidateOrigin, Edit, PlannedEdit};
use stepwright_method::program_context::ProgramContext;
use stepwright_method::prompting::Prompting;
use stepwright_world::World;
use stepwright_world::demonstration::Demonstration;
use worker::{CandidateWorker, Job};

/// What the workshop sees of the episode. Read only.
pub(super) struct Surroundings<'a> {
    pub(super) session: &'a Session,
    pub(super) program: &'a ProgramContext,
    pub(super) world: &'a dyn World,
    pub(super) source: &'a Source,
    pub(super) prompting: &'a Prompting,
}

impl Surroundings<'_> {
    /// What is in force for an action, and where it comes from.
    fn in_force(&self, action: &str) -> Assertions {
        let found = self.session.assertions().get(action).cloned();
        let (assertions, origin) = found.unwrap_or_default();
        Assertions { action: action.to_owned(), assertions, origin }
    }
}

/// What a request of the workshop is for.
#[derive(Debug)]
pub(super) enum Errand {
    /// Putting assertions in force in place of others; what to say when that is done.
    Adopt { before: Assertions, after: Assertions, then: Option<String> },
    /// Putting in force again what was before a change of that action, or after it.
    Turn { action: String, forward: bool },
    /// Recording a person's change of a candidate.
    Edit(Box<PlannedEdit>),
    /// Having candidates written.
    Write(Wanted),
    /// Having candidates scored, whose texts are kept with the scoring.
    Score,
}

/// The candidates of a session and all that is done with them.
pub(super) struct Workshop {
    notices: UnboundedSender<Notice>,
    demonstrations: Arc<Vec<Demonstration>>,
    /// How candidates are asked of a model.
    settings: CandidateAsks,
    worker: CandidateWorker,
    writing: Writing,
    changes: Changes,
    /// What is to be asked of the gate, in order.
    requests: VecDeque<(Errand, Request)>,
    /// What was asked and waits there.
    queued: BTreeMap<Ticket, Errand>,
    /// Asks for candidates without an end yet, and those that have ended: completions, or none.
    own: BTreeSet<AskId>,
    ended: VecDeque<(AskId, Option<Vec<String>>)>,
}

impl Workshop {
    pub(super) fn new(
        notices: UnboundedSender<Notice>,
        messages: UnboundedSender<Message>,
        demonstrations: Arc<Vec<Demonstration>>,
        settings: CandidateAsks,
    ) -> Self {
        Workshop {
            worker: CandidateWorker::new(notices.clone(), messages, Arc::clone(&demonstrations)),
            notices,
            demonstrations,
            settings,
            writing: Writing::default(),
            changes: Changes::default(),
            requests: VecDeque::new(),
            queued: BTreeMap::new(),
            own: BTreeSet::new(),
            ended: VecDeque::new(),
        }
    }

    pub(super) fn command(&mut self, command: WorkshopCommand, around: &Surroundings<'_>) {
        match command {
            WorkshopCommand::Infer { action, origin } => match (origin, around.source) {
                (CandidateOrigin::Model, Source::Symbolic) => {
                    self.say(Level::Warning, "no language model is in use; choose one (M), or infer by enumeration");
                }
                (CandidateOrigin::Model, Source::Language { .. }) => {
                    self.work(Job::Contexts(action, self.settings.demonstrations), around);
                }
                _ => self.work(Job::Enumerate(action), around),
            },
            WorkshopCommand::Put { action, id, text } => self.edit(action, Edit::Put { id, text }, around),
            WorkshopCommand::Reject { action, id, rejected } => {
                self.edit(action, Edit::Reject { id, rejected }, around);
            }
            WorkshopCommand::Try { token, action, text } => {
                let in_force = around.in_force(&action).assertions;
                self.work(Job::Try { token, action, text, in_force }, around);
            }
            WorkshopCommand::Undo { action } => self.turn(action, false, around),
            WorkshopCommand::Redo { action } => self.turn(action, true, around),
            WorkshopCommand::ShowStep { token, action, place, texts } => {
                self.work(Job::Step { token, action, place, texts }, around);
            }
            WorkshopCommand::ShowDifference { token, action, one, other } => {
                self.work(Job::Differ { token, action, one, other }, around);
            }
            WorkshopCommand::Compare { token, left, right } => self.compare(token, left, right, around),
            WorkshopCommand::SaveSet(path) => self.save_set(&path, around),
            WorkshopCommand::AdoptSet { origin, set } => self.adopt_set(&origin, set, around),
            WorkshopCommand::Score { action } => match around.source {
                Source::Symbolic => {
                    self.say(Level::Warning, "no language model is in use; choose one (M) to have candidates scored");
                }
                Source::Language { .. } => self.work(Job::ToScore(action), around),
            },
            WorkshopCommand::SetAsks(settings) => {
                self.settings = settings;
                self.tell_inference(around);
            }
            WorkshopCommand::Adopt { action, assertions, origin } => {
                self.adopt(Assertions { action, assertions, origin }, None, around);
            }
        }
    }

    /// The next request to the gate.
    pub(super) fn next_request(&mut self) -> Option<(Errand, Request)> {
        self.requests.pop_front()
    }

    /// Takes the gate's answer; one that is queued is answered again when it has ended.
    pub(super) fn answered(&mut self, errand: Errand, answer: Answer, around: &Surroundings<'_>) {
        match (errand, answer) {
            (errand, Answer::Queued(ticket)) => {
                self.queued.insert(ticket, errand);
            }
            (Errand::Adopt { before, after, then }, Answer::Done { .. }) => {
                self.changes.adopted(before, after);
                if let Some(text) = then {
                    self.say(Level::Info, text);
                }
            }
            // Why something is refused, the person has been informed.
            (Errand::Adopt { .. }, Answer::Refused(_)) | (Errand::Turn { .. }, Answer::Done { .. }) => {}
            (Errand::Turn { action, forward }, Answer::Refused(_)) => {
                self.changes.turn(&action, !forward);
            }
            (Errand::Edit(planned), answer) => {
                let job = matches!(answer, Answer::Done { .. }).then(|| Job::Make(planned.clone()));
                match planned.forward() {
                    _ if job.is_some() => {}
                    None => self.changes.forget(planned.action()),
                    Some(forward) => {
                        self.changes.turn(planned.action(), !forward);
                    }
                }
                self.worker.go_on(job, self.writing.actions(), around);
            }
            (Errand::Write(wanted), Answer::Done { ask: Some(ask) }) => {
                self.writing.sent(ask, &wanted);
                self.ask_for_candidates(around);
            }
            (Errand::Write(_), _) => self.stop_writing(around),
            (Errand::Score, Answer::Done { ask: Some(ask) }) => self.writing.scoring_sent(ask),
            (Errand::Score, _) => self.writing.end_scoring(),
        }
    }

    /// Takes the fate of a request that was queued, if it is one of the workshop's.
    pub(super) fn request_ended(&mut self, ticket: Ticket, answer: Answer, around: &Surroundings<'_>) {
        if let Some(errand) = self.queued.remove(&ticket) {
            self.answered(errand, answer, around);
        }
    }

    /// Notes what a record says of the workshop's asks.
    pub(super) fn recorded(&mut self, record: &Record) {
        match &record.event {
            Event::Asked { ask, kind: AskKind::Candidates { .. } | AskKind::CandidateScores { .. }, .. } => {
                self.own.insert(*ask);
            }
            Event::Answered { ask, texts, .. } if self.own.remove(ask) => {
                self.ended.push_back((*ask, Some(texts.to_vec())));
            }
            Event::AskFailed { ask, .. } if self.own.remove(ask) => self.ended.push_back((*ask, None)),
            _ => {}
        }
    }

    /// The next of its asks that has ended.
    pub(super) fn next_end(&mut self) -> Option<(AskId, Option<Vec<String>>)> {
        self.ended.pop_front()
    }

    /// Stops the work on candidates; whether there was any.
    pub(super) fn cancel(&mut self) -> bool {
        self.worker.cancel()
    }

    /// Takes the candidates back from a job, with what it found.
    pub(super) fn worked(&mut self, done: Done, around: &Surroundings<'_>) {
        let Done { store, contexts, to_score, unchanged, planned } = done;
        self.worker.take_back(store);
        if let Some(action) = unchanged {
            self.changes.forget(&action);
        }
        if !contexts.is_empty() {
            self.write_candidates(contexts, around);
        }
        if let Some(to_score) = to_score {
            self.score_candidates(to_score, around);
        }
        match planned {
            // The next job waits until the change is recorded and made.
            Some(planned) => {
                let request = Request::EditCandidate { action: planned.action().to_owned(), edit: planned.record() };
                self.requests.push_back((Errand::Edit(Box::new(planned)), request));
            }
            None => self.worker.go_on(None, self.writing.actions(), around),
        }
    }

    fn work(&mut self, job: Job, around: &Surroundings<'_>) {
        self.worker.add(job, self.writing.actions(), around);
    }

    /// Has a person's change looked over; it is recorded before it is made.
    fn edit(&mut self, action: String, edit: Edit, around: &Surroundings<'_>) {
        if matches!(edit, Edit::Put { .. } | Edit::Reject { .. }) {
            // Noted in the order in which the person asked, whatever is done meanwhile.
            self.changes.edited(action.clone());
        }
        self.work(Job::Edit { action, edit }, around);
    }

    fn say(&self, level: Level, text: impl Into<String>) {
        self.tell(Notice::Say { level, text: text.into() });
    }

    fn tell(&self, notice: Notice) {
        let _ = self.notices.send(notice);
    }
}
