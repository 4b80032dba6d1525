//! Commands of the watchers, and what each starts.

use super::Driver;
use crate::workshop::Workshop;
use crate::{Command, Notice, checking};
use stepwright_episode::gate::Request;
use stepwright_method as method;

impl Driver {
    pub(super) fn command(&mut self, command: Command) {
        match command {
            Command::Gate(request) => {
                self.request(request);
            }
            Command::Workshop(command) => self.workshop(|workshop, around| workshop.command(command, around)),
            Command::Cancel => {
                // The job says itself that it was cancelled; a step of a world ends with a report that says so.
                let stopped = self.jobs.stop_deeds();
                if (!self.workshop.cancel() || !self.gate.is_at_rest()) && (!stopped || self.gate.is_asking()) {
                    self.request(Request::Cancel);
                }
                self.workshop(Workshop::stop_writing);
            }
            Command::Skills(command) => self.skills(command),
            Command::RestartWorld => self.restart_world(),
            Command::CheckBelief { token, text } => {
                let reading = method::read_belief(&text);
                self.tell(Notice::BeliefChecked { token, reading });
            }
            Command::CheckText { token, text } => {
                let world = self.timeline.world.as_ref();
                let verdict = checking::read(world, &text)
                    .map(|draft| draft.action.map(|a| self.verdict(&a, false)).unwrap_or_default());
                self.tell(Notice::TextChecked { token, verdict });
            }
            Command::CheckProgram { token, lines } => {
                let lines = self.program.run(&lines);
                self.tell(Notice::ProgramChecked { token, lines });
            }
            Command::Explain { proposal } => self.explain(proposal),
            Command::Write => self.write_again(),
            Command::Keep(path) => self.keep_in(path),
            Command::Quit => {}
        }
    }
}
