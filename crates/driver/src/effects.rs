//! The interpreter: the gate's effects, carried out in their order.
//!
//! A record is written before it is shown and before anything follows from it. What is to be done next, how answers are read and how
//! a decision is carried out is decided by the method; asks are started in `asks`.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::checking;
use super::difference::changes;
use super::driver::{Driver, diverged_words};
use super::jobs::{self, Job};
use super::messages::ProgramResult;
use stepwright_episode::gate::{Advice, Answer, AskSpec, Effect, Report, Request, Unchecked};
use stepwright_episode::{
    Action, ArtifactId, AskKind, DecisionId, Departure, Event, NodeId, Origin, Proposal, Record, StepOutcome, Verdict,
    log,
};
use stepwright_method::artifacts::At;
use stepwright_method::program_context::ProgramState;
use stepwright_method::{Carried, Checks, Deed, Program, Step, carried, lived};
use stepwright_program::Call;
use stepwright_protocol::{Level, Notice, Unwritten};

impl Driver {
    /// Carries out what is due, in order. What follows an unwritten record waits.
    fn try_carry_out(&mut self) -> Result<(), String> {
        while let Some(effect) = self.effects.pop_front() {
            if let Effect::Persist(record) = &effect
                && let Err(error) = self.write(record)
            {
                self.effects.push_front(effect);
                // A file system that turned read-only, as it does after an error of its disk, takes nothing however much room is made.
                let lost = match &error {
                    log::LogError::Lost { .. } => true,
                    log::LogError::Io { source, .. } => source.kind() == std::io::ErrorKind::ReadOnlyFilesystem,
                    _ => false,
                };
                let remedy = if lost {
                    "All of it is still in memory: name a file to write it to. Nothing happens until then"
                } else {
                    "Nothing happens until the session can be written; make room and try again"
                };
                self.say(Level::Error, format!("{error}. {remedy}"));
                self.tell(Notice::Unwritten(Some(if lost { Unwritten::Lost } else { Unwritten::Failed })));
                self.journal.is_unwritten = true;
                return Err(format!("the session cannot be written: {error}"));
            }
            self.perform(effect);
        }
        if std::mem::take(&mut self.journal.is_unwritten) {
            self.tell(Notice::Unwritten(None));
            self.say(Level::Info, "the session is written again");
        }
        Ok(())
    }

    /// Tries again to write what could not be written.
    pub(crate) fn write_again(&mut self) {
        if self.journal.is_unwritten {
            self.carry_out();
        }
    }

    /// Writes the session from memory to a new file, and goes on there.
    pub(crate) fn keep_in(&mut self, path: &Path) {
        if let Err(error) = self.journal.keep_in(path, &self.gate.session().header) {
            return self.say(Level::Error, format!("{error}. The session was not written there; name another file"));
        }
        tell_kept(&self.outlets.notices, path);
        self.carry_out();
    }

    /// Carries out what is due; what cannot be now is tried again at the next request.
    pub(crate) fn carry_out(&mut self) {
        // The person has been informed, and the effects are kept.
        let _ = self.try_carry_out();
    }

    /// Asks something of the gate; nothing is asked while records of earlier requests cannot be written. The answer is the
    /// request's end, if that is reached and its records are written; the ends of others are kept in `ended`.
    pub(crate) fn request(&mut self, request: Request) -> Answer {
        if let Err(why) = self.try_carry_out() {
            return Answer::Refused(why);
        }
        let now = (self.outlets.clock)();
        let (answer, effects) = self.gate.request(request, now);
        self.effects.extend(effects);
        let ticket = match answer {
            Answer::Queued(ticket) => ticket,
            answer => {
                let ticket = self.gate.ticket();
                self.effects.push_back(Effect::Ended { ticket, answer });
                ticket
            }
        };
        self.carry_out();
        let ended = self.ended.iter().position(|(of, _)| *of == ticket);
        ended.map_or(Answer::Queued(ticket), |at| self.ended.remove(at).1)
    }

    fn write(&mut self, record: &Record) -> Result<(), log::LogError> {
        let notices = &self.outlets.notices;
        self.journal.write(record, &self.gate.session().header, |path| tell_kept(notices, path))
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Persist(record) => self.recorded(record),
            Effect::Say(level, text) => self.say(level, text),
            Effect::Consult { round: _, samples } => {
                let advice = self.consult(samples);
                self.report(Report::Advised(advice));
            }
            Effect::AskModel { ask, spec } => self.ask_model(ask, &spec),
            Effect::AskSymbolic { ask, spec } => self.compute(ask, &spec),
            Effect::CancelAsk(ask) => self.jobs.end_ask(ask, true),
            Effect::CheckProposal(proposal) => {
                // A change may have dropped what the method's own checks read.
                self.follow_episode();
                let verdict = self.checked(&proposal);
                self.report(Report::Checked { proposal: proposal.id, verdict });
            }
            Effect::ReadText { text, from } => {
                let read = checking::read(self.timeline.world.as_ref(), &text, from.as_ref());
                self.report(Report::Read(read));
            }
            Effect::CheckChange { artifact, to } => {
                let checked = self.check_change(&artifact, to);
                self.report(Report::ChangeChecked(checked));
            }
            Effect::ApplyChange(artifact) => self.apply_change(&artifact),
            Effect::StepWorld { decision, action } => self.carry_out_decision(decision, &action),
            Effect::MoveWorld { to } => {
                let result = self.timeline.go(self.gate.session(), to);
                let result = result.map_err(|difference| self.diverged_in_words(&difference));
                if result.is_ok() {
                    self.diverged = None;
                    // Another branch may have other assertions in force.
                    self.put_in_force(to);
                }
                self.report(Report::Moved { to, result });
            }
            Effect::Prepare(wanted) => {
                let result = self.prepare(&wanted).map(|prepared| self.models.prepared = Some(prepared));
                self.report(Report::Prepared(result));
            }
            Effect::Configure => self.configure(),
            Effect::Ended { ticket, answer } => self.ended.push((ticket, answer)),
        }
    }

    /// Reads and checks what a document is to be, as its kind says.
    fn check_change(&self, artifact: &ArtifactId, to: Unchecked) -> Result<Value, String> {
        let spec = self.models.methods.built_in.artifact(&artifact.kind);
        let (session, world) = (self.gate.session(), self.timeline.world.as_ref());
        let at = At { session, world, program: &self.program, arrived: self.timeline.arrived() };
        let value = match to {
            Unchecked::Value(value) => value,
            Unchecked::Text(text) => {
                let (value, remark) = (spec.read)(&at, artifact, &text)?;
                remark.into_iter().for_each(|remark| self.say(Level::Info, remark));
                value
            }
        };
        (spec.check)(&at, artifact, &value).map(|()| value)
    }

    /// Has all that depends on documents follow one that changed.
    fn apply_change(&mut self, artifact: &ArtifactId) {
        if let Some(node) = self.gate.session().current() {
            self.timeline.amend(node);
            self.timeline.take_form(Some(node));
        }
        self.put_in_force(self.gate.session().cursor());
        let document = self.gate.session().document(artifact);
        let told = self.models.methods.built_in.artifact(&artifact.kind).told;
        if let Some(text) = document.and_then(|document| told(artifact, document)) {
            self.say(Level::Info, text);
        }
    }

    fn put_in_force(&mut self, at: NodeId) {
        match self.program.put_in_force(self.gate.session().assertions_at(at)) {
            Ok(true) => self.forget_assertions(),
            Ok(false) => {}
            Err(why) => self.say(Level::Error, why),
        }
    }

    fn recorded(&mut self, record: Record) {
        if matches!(record.event, Event::ArtifactSettled { .. } | Event::ArtifactUndone { .. }) {
            self.shown.at = None;
        }
        // What was derived further down from a node that has more to tell now does not hold.
        let left = self.gate.session().node(record.node).is_some_and(|node| !node.children.is_empty());
        if left && !matches!(record.event, Event::Moved { .. } | Event::Executed { .. }) {
            self.timeline.forget_elsewhere();
        }
        let record = Arc::new(record);
        self.services.recorded(&record);
        self.journal.add(Arc::clone(&record));
        self.tell(Notice::Recorded(record));
    }

    /// Asks the method what comes next; where the episode is over, what is still to be written. The plan or program it follows is shown first.
    fn consult(&mut self, samples: Option<u32>) -> Advice {
        self.show_situation();
        self.follow_episode();
        let over = self.gate.session().is_done();
        let cx = self.context(samples);
        let step = if over { self.stack.close(&cx) } else { self.stack.step(&cx) };
        match step {
            Step::Ask { ask, note } => {
                if let Some(text) = note {
                    self.say(Level::Warning, text);
                }
                let long: usize = ask.prompt.iter().flat_map(|p| &p.messages).map(|m| m.text.len()).sum();
                if long > MAX_PROMPT {
                    let why =
                        format!("the prompt has {} MiB, more than any model reads and a session keeps", long >> 20);
                    return Advice::Stuck(why);
                }
                self.say_left_out(&ask);
                let ask = self.named(ask);
                Advice::Ask(ask)
            }
            Step::Offer { ask, drafts, note } => {
                if let Some(text) = note {
                    self.say(Level::Info, text);
                }
                Advice::Answered { spec: self.named(ask), drafts }
            }
            Step::Amend(written) => Advice::Offer(written),
            Step::Recommend { proposal, why } => Advice::Recommend { proposal, why },
            Step::Stuck(why) => Advice::Stuck(why),
            Step::Error(why) => Advice::Error(why),
            Step::Pass if over => Advice::Rest,
            Step::Pass => Advice::Stuck("the method has nothing to do here; choose another (M)".to_owned()),
        }
    }

    /// An ask under the name of the model in use, where it names none.
    fn named(&self, ask: AskSpec) -> AskSpec {
        let model = if ask.model.is_empty() {
            self.models.role_models.of(ask.kind.role()).traits.name.clone()
        } else {
            ask.model
        };
        AskSpec { model, ..ask }
    }

    /// Says, once, that prompts are shortened.
    fn say_left_out(&mut self, ask: &AskSpec) {
        let Some(prompt) = ask.prompt.as_ref().filter(|_| matches!(ask.kind, AskKind::Action { .. })) else { return };
        if let Some(text) = prompt.left_out.as_ref().filter(|_| !self.models.shortened) {
            self.say(Level::Info, format!("{text}; the model pane says so for each ask"));
        }
        self.models.shortened = prompt.left_out.is_some();
    }

    fn checked(&self, proposal: &Proposal) -> Verdict {
        match (&proposal.action, &self.diverged) {
            (Some(action), None) => self.verdict(action, proposal.origin != Origin::Person),
            (None, _) => checking::no_action(proposal.problem.as_deref()),
            // Without the world nothing can be checked.
            (Some(_), Some(_)) => Verdict::default(),
        }
    }

    /// The method's own checks, the assertions in force and the world's dry run of an action.
    pub(crate) fn verdict(&self, action: &Action, offered: bool) -> Verdict {
        match self.stack.check(&self.context(None), action, offered) {
            Checks::Instead(verdict) => verdict,
            Checks::Beside(own) => {
                let mut verdict =
                    checking::check(self.timeline.world.as_ref(), &self.program, &self.timeline.state, action);
                verdict.checks.splice(0..0, own);
                verdict
            }
        }
    }

    fn carry_out_decision(&mut self, id: DecisionId, action: &Action) {
        if let Some(difference) = &self.diverged {
            let result = Err(diverged_words(difference));
            return self.report(Report::Stepped { decision: id, result });
        }
        let turn = self.gate.session().current().map(|n| &n.turn);
        let decision = turn.and_then(|t| t.decision(id));
        let deed = decision.map(|decision| self.stack.carry_out(&self.context(None), decision, action));
        match deed {
            Some(Deed::Run(program)) => self.run_program(id, program),
            Some(Deed::Hold(outcome)) => self.step(id, action, Some(outcome)),
            Some(Deed::Act) | None if self.step_remote(id, action) => {}
            Some(Deed::Act) | None => self.step(id, action, None),
        }
    }

    /// Performs an action at the cursor, or holds it, and reports the result.
    fn step(&mut self, id: DecisionId, action: &Action, held: Option<StepOutcome>) {
        let session = self.gate.session();
        let (child, depth) = (session.next_node(), session.current().map_or(0, |n| n.depth) + 1);
        let before = self.timeline.state.clone();
        let result = self.timeline.act(action, held, child, depth).map(|mut outcome| {
            self.hold_against_effects(&before, action, &mut outcome);
            let turn = self.gate.session().current().map(|n| &n.turn);
            let decision = turn.and_then(|t| t.decision(id)).filter(|_| !outcome.done);
            outcome.ended = decision.and_then(|decision| self.stack.ended(&self.context(None), decision));
            outcome.done |= outcome.ended.is_some();
            let text = &action.text;
            if let Some(condition) = &outcome.blocked {
                self.say(
                    Level::Info,
                    format!(
                        "`{text}` is blocked ({condition}) and was not executed; Blocking now lists what may resolve it"
                    ),
                );
            }
            if let Some(why) = &outcome.ended {
                self.say(Level::Warning, format!("{why}: the episode has failed"));
            }
            let changes = changes(&before, &self.timeline.state);
            (outcome, changes)
        });
        self.report(Report::Stepped { decision: id, result });
    }

    /// Notes and says where a step that was just taken contradicts an adopted effect of its action. One that the world refused
    /// contradicts none.
    pub(super) fn hold_against_effects(&self, before: &ProgramState, action: &Action, outcome: &mut StepOutcome) {
        let mut calls = action.calls();
        // Of several calls in one step the states between are not known.
        let (Some(call), None) = (calls.next(), calls.next()) else { return };
        let Ok(call) = call.parse::<Call>() else { return };
        if !outcome.is_executed() || lived(None, outcome).is_refused() {
            return;
        }
        outcome.departures = self.program.departures(before, &self.timeline.state, &call);
        if let Some(Departure { effect, why }) = outcome.departures.first() {
            let more = match outcome.departures.len() {
                1 => String::new(),
                n => format!("; and {} more", n - 1),
            };
            self.say(Level::Warning, format!("drift: `{effect}` did not follow {}: {why}{more}", call.function));
        }
    }

    fn run_program(&mut self, decision: DecisionId, program: Program) {
        let cancel = CancellationToken::new();
        self.tell(Notice::Progress { what: RUNNING.to_owned(), done: 0, total: 1 });
        jobs::run(self.models.sandbox.clone(), decision, program, cancel.clone(), self.outlets.clone());
        self.jobs.begin(Job::Program, move || cancel.cancel());
    }

    /// Takes in what a program did: the world performs the resulting calls.
    pub(super) fn program_ran(&mut self, ran: ProgramResult) {
        let ProgramResult { decision: id, code, run } = ran;
        self.jobs.end_program();
        self.tell(Notice::Progress { what: RUNNING.to_owned(), done: 1, total: 1 });
        let turn = self.gate.session().current().map(|n| &n.turn);
        let Some(decision) = turn.and_then(|t| t.decision(id)) else { return };
        match carried(&self.context(None), decision, &run) {
            Err(why) => self.report(Report::Stepped { decision: id, result: Err(why) }),
            Ok(Carried { action, calls, remark }) => {
                let program = json!({ "decision": id, "source": code, "calls": calls });
                self.report(Report::Ran { decision: id, program, action: action.clone(), remark });
                self.step(id, &action, None);
            }
        }
        self.carry_out();
    }
}

fn tell_kept(notices: &UnboundedSender<Notice>, path: &Path) {
    let text = format!("what you do is kept in {}", path.display());
    let _ = notices.send(Notice::Say { level: Level::Info, text });
    let _ = notices.send(Notice::Kept(path.to_owned()));
}

/// Most bytes of a prompt: written, each takes at most six, and a line of a session must hold them.
const MAX_PROMPT: usize = (log::MAX_LINE / 8) as usize;

/// The progress shown while a program runs.
const RUNNING: &str = "running the program";
