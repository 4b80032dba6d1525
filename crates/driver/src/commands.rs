//! Commands of the watchers, and what each starts.

use std::sync::Arc;

use super::checking;
use super::driver::Driver;
use stepwright_episode::Configuration;
use stepwright_episode::gate::Request;
use stepwright_method::{self as method, publications};
use stepwright_protocol::{Command, Level, Notice, READ_ONLY};

impl Driver {
    /// The request; where it changes whose settings a method has, with the options that these fixed.
    fn with_settings(&self, request: Request) -> Result<Request, String> {
        let Request::Configure(Configuration { model, method, options }) = request else { return Ok(request) };
        // Without a name the method stays.
        let named = if method.is_empty() { self.stack.method() } else { self.models.methods.resolve(&method)? };
        let info = named.info();
        let (world, before) = (self.timeline.world.kind().name, &self.gate.session().options);
        let options = publications::changed((info.id, info.options), world, before, options)?;
        Ok(Request::Configure(Configuration { model, method, options }))
    }

    pub(super) fn command(&mut self, command: Command) {
        if self.journal.only_reads() && !command.only_reads() {
            return self.say(Level::Info, READ_ONLY);
        }
        match command {
            Command::Gate(request) => match self.with_settings(request) {
                Ok(request) => {
                    self.request(request);
                }
                Err(why) => self.say(Level::Warning, why),
            },
            Command::Cancel => {
                // The job says itself that it was cancelled; a step of a world ends with a report that says so.
                let (stopped, served) = (self.jobs.stop_deeds(), self.jobs.stop_services());
                if !self.gate.is_at_rest() || !(stopped || served) {
                    self.request(Request::Cancel);
                }
                self.cancel_services();
            }
            Command::RestartWorld => self.restart_world(),
            Command::CheckBelief { token, text } => {
                let believed = self.gate.session().belief();
                let reading = method::read_typed_belief(&text, believed.map(AsRef::as_ref));
                self.tell(Notice::BeliefChecked { token, reading });
            }
            Command::CheckText { token, text, over } => {
                let world = self.timeline.world.as_ref();
                let turn = self.gate.session().current().map(|node| &node.turn);
                let from = turn.zip(over).and_then(|(turn, id)| turn.proposal(id)?.action.as_ref());
                let verdict = checking::read(world, &text, from)
                    .map(|draft| draft.action.map(|a| self.verdict(&a, false)).unwrap_or_default());
                self.tell(Notice::TextChecked { token, verdict });
            }
            Command::CheckProgram { token, lines } => {
                let lines = self.program.run(&lines);
                self.tell(Notice::ProgramChecked { token, lines });
            }
            Command::Explain { proposal } => {
                // Of another turn, it is stale: the session moved on while it was under way.
                if let Some(tree) = self.stack.explain(&self.context(None), proposal) {
                    self.tell(Notice::Blocking { proposal, tree: Arc::new(tree) });
                }
            }
            Command::Look { node } => self.look(node),
            Command::Write => self.write_again(),
            Command::Keep(path) => self.keep_in(&path),
            Command::Quit => {}
            command => self.serve(command),
        }
    }
}
