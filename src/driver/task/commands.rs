//! What each command of the watchers sets going.

use super::Driver;
use crate::driver::candidates::Job;
use crate::driver::setup::Source;
use crate::driver::{Command, Level, Notice, believing, checking};
use crate::episode::gate::{Assertions, Request};

impl Driver {
    pub(super) fn command(&mut self, command: Command) {
        match command {
            Command::Propose => self.request(Request::Propose),
            Command::Sample { n } => self.request(Request::Sample { n }),
            Command::Approve { proposal } => self.request(Request::Approve { proposal }),
            Command::Edit { proposal, text } => self.request(Request::Edit { proposal, text }),
            Command::Reject { proposal, reason } => self.request(Request::Reject { proposal, reason }),
            Command::Manual { text } => self.request(Request::Manual { text }),
            Command::SetPolicy(policy) => self.request(Request::SetPolicy(policy)),
            Command::Undo => self.request(Request::Undo),
            Command::Redo => self.request(Request::Redo),
            Command::Goto(node) => self.request(Request::Goto(node)),
            Command::Rewrite { node, text } => self.request(Request::Rewrite { node, text }),
            Command::Cancel => {
                // The job says itself that it was cancelled; a step of a world ends with a report that says so.
                let stopped = self.errands.stop() | self.programs.stop();
                if (!self.bench.cancel() || !self.gate.is_at_rest()) && (!stopped || self.gate.is_asking()) {
                    self.request(Request::Cancel);
                }
                self.stop_writing();
            }
            Command::Resend { ask, messages } => self.request(Request::Resend { ask, messages }),
            Command::Adopt { action, assertions, origin } => {
                self.adopt(Assertions { action, assertions, origin });
            }
            Command::RestartWorld => self.restart_world(),
            Command::Configure(wanted) => self.request(Request::Configure(wanted)),
            Command::EditTree(edit) => self.edit_tree(edit),
            Command::UndoTreeEdit => self.undo_tree_edit(),
            Command::ApproveBelief { offer } => self.request(Request::ApproveBelief(offer)),
            Command::EditBelief { offer, text } => self.request(Request::EditBelief { offer, text }),
            Command::RefuseBelief { offer, reason } => self.request(Request::RefuseBelief { offer, reason }),
            Command::RewriteBelief { offer } => self.request(Request::RewriteBelief(offer)),
            Command::CorrectBelief { text } => self.request(Request::CorrectBelief(text)),
            Command::CheckBelief { token, text } => {
                let reading = believing::read(&text);
                self.tell(Notice::BeliefChecked { token, reading });
            }
            Command::Note(text) => self.request(Request::Note(text)),
            Command::CheckText { token, text } => {
                let world = self.points.world.as_ref();
                let verdict = checking::read(world, &text)
                    .map(|draft| draft.action.map(|a| self.verdict(&a, false)).unwrap_or_default());
                self.tell(Notice::TextChecked { token, verdict });
            }
            Command::CheckProgram { token, lines } => {
                let lines = self.mind.run(&lines);
                self.tell(Notice::ProgramChecked { token, lines });
            }
            Command::Explain { proposal } => self.explain(proposal),
            Command::Infer { action, origin } => self.infer(action, origin),
            Command::PutCandidate { action, id, text } => self.bench(Job::Put { action, id, text }),
            Command::TryCandidate { token, action, text } => {
                let in_force = self.assertions_of(&action);
                self.bench(Job::Try { token, action, text, in_force });
            }
            Command::RejectCandidate { action, id, rejected } => self.bench(Job::Reject { action, id, rejected }),
            Command::UndoChange { action } => self.turn_back(action, false),
            Command::RedoChange { action } => self.turn_back(action, true),
            Command::ShowStep { token, action, place, texts } => self.bench(Job::Step { token, action, place, texts }),
            Command::ShowDifference { token, action, one, other } => {
                self.bench(Job::Differ { token, action, one, other });
            }
            Command::CompareSets { token, left, right } => self.compare(token, left, right),
            Command::SaveSet(path) => self.save_set(&path),
            Command::AdoptSet { origin, set } => self.adopt_set(&origin, set),
            Command::ScoreCandidates { action } => match &self.source {
                Source::Symbolic => {
                    self.say(Level::Warning, "no language model is in use; choose one (M) to have candidates scored")
                }
                Source::Language { .. } => self.bench(Job::ToScore(action)),
            },
            Command::SetCandidateAsks(asks) => {
                self.prompting.candidates = asks;
                self.tell_inference();
            }
            Command::Quit => {}
        }
    }
}
