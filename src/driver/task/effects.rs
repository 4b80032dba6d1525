//! The gate's effects, carried out in their order.
//!
//! A record is written before it is shown, and what follows an unwritten one waits. What is asked of a method and of models
//! lies in `consult` and `asks`.

use std::sync::Arc;

use super::{Driver, astray_words};
use crate::driver::difference::difference;
use crate::driver::setup::Keep;
use crate::driver::{Level, Notice, believing, checking};
use crate::episode::gate::{Answer, Effect, Report, Request};
use crate::episode::{Choice, DecisionId, Event, FORMAT_VERSION, Header, Origin, Record, StepOutcome, Verdict, log};

impl Driver {
    /// Carries out what is due, in order. What follows an unwritten record waits.
    ///
    /// # Errors
    /// Why a record cannot be written; a person was told.
    fn try_carry_out(&mut self) -> Result<(), String> {
        while let Some(effect) = self.effects.pop_front() {
            if let Effect::Persist(record) = &effect
                && let Err(error) = self.persist(record)
            {
                self.effects.push_front(effect);
                let text =
                    format!("{error}. Nothing happens until the session can be written; make room and try again");
                self.say(Level::Error, text);
                return Err(format!("the session cannot be written: {error}"));
            }
            self.perform(effect);
        }
        Ok(())
    }

    /// Carries out what is due; what cannot be now is tried again at the next request.
    pub(in crate::driver) fn carry_out(&mut self) {
        // A person was told, and the effects are kept.
        let _ = self.try_carry_out();
    }

    /// Asks something of the gate; nothing is asked while records of earlier requests cannot be written. The answer is the
    /// request's end, if that is reached and its records are written; what others come to is kept in `ended`.
    pub(in crate::driver) fn request(&mut self, request: Request) -> Answer {
        if let Err(why) = self.try_carry_out() {
            return Answer::Refused(why);
        }
        let now = self.now();
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

    /// Hands a record to the operating system, decisions to the disk.
    fn persist(&mut self, record: &Record) -> Result<(), log::LogError> {
        if let Keep::Copy(path) = &self.keep {
            // Records are written in today's format, whatever format they were read in.
            let header = Header { version: FORMAT_VERSION, ..self.gate.session().header.clone() };
            let mut log = log::Writer::create(path, &header)?;
            if let Err(error) = self.before.iter().try_for_each(|earlier| log.append(earlier)) {
                // Half a copy is of no use, and would stand in the way of the next try.
                let _ = std::fs::remove_file(path);
                return Err(error);
            }
            self.say(Level::Info, format!("what you do is kept in {}", path.display()));
            self.before = Arc::default();
            self.keep = Keep::Log(log);
        }
        let Keep::Log(log) = &mut self.keep else { return Ok(()) };
        log.append(record)?;
        if matches!(record.event, Event::Decided { .. }) { log.sync() } else { Ok(()) }
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Persist(record) => {
                if matches!(record.event, Event::ArtifactSettled { .. } | Event::ArtifactUndone { .. }) {
                    self.shown = None;
                }
                self.workshop.recorded(&record);
                self.tell(Notice::Recorded(Box::new(record)));
            }
            Effect::Say(level, text) => self.say(level, text),
            Effect::Consult { round, samples } => {
                let advice = self.consult(round, samples);
                self.report(Report::Advised(advice));
            }
            Effect::AskModel { ask, spec } => self.ask_model(ask, &spec),
            Effect::AskSymbolic { ask, spec } => self.ask_symbolic(ask, &spec),
            Effect::CancelAsk(ask) => {
                if let Some(token) = self.asks.remove(&ask) {
                    token.cancel();
                }
            }
            Effect::CheckProposal(proposal) => {
                let verdict = match (&proposal.action, &self.astray) {
                    (Some(action), None) => self.verdict(action, proposal.origin != Origin::Person),
                    (None, _) => checking::no_action(proposal.problem.as_deref()),
                    // Without the world nothing can be checked.
                    (Some(_), Some(_)) => Verdict::default(),
                };
                self.report(Report::Checked { proposal: proposal.id, verdict });
            }
            Effect::ReadText(text) => {
                let read = checking::read(self.points.world.as_ref(), &text);
                self.report(Report::Read(read));
            }
            Effect::ReadArtifact { text, .. } => {
                let read = believing::read(&text).map(|reading| {
                    if !reading.repairs.is_empty() {
                        self.say(Level::Info, format!("read with repairs: {}", reading.repairs.join("; ")));
                    }
                    reading.state.as_ref().clone()
                });
                self.report(Report::ArtifactRead(read));
            }
            Effect::StepWorld { decision, action } => {
                let beside = self.astray.is_none()
                    && (self.run_program(decision, &action.text) || self.step_beside(decision, &action.text));
                if !beside {
                    let result = self.step(decision, &action.text);
                    self.report(Report::Stepped { decision, result });
                }
            }
            Effect::MoveWorld { to } => {
                let result = self.points.go(self.gate.session(), to).map_err(|d| astray_words(&d));
                if result.is_ok() {
                    self.astray = None;
                    // Another branch may have other assertions in force.
                    match self.mind.put_in_force(self.gate.session().assertions_at(to)) {
                        Ok(true) => self.forget_derived_trees(),
                        Ok(false) => {}
                        Err(why) => self.say(Level::Error, why),
                    }
                }
                self.report(Report::Moved { to, result });
            }
            Effect::CheckAssertions(assertions) => {
                let result = self.mind.clone().adopt(&assertions);
                self.report(Report::AssertionsChecked(result));
            }
            Effect::AdoptAssertions(assertions) => {
                // They compiled when they were checked.
                if let Err(error) = self.mind.adopt(&assertions) {
                    self.say(Level::Error, error);
                }
                self.forget_derived_trees();
            }
            Effect::CheckTree(edits) => {
                let result = self.points.changed_tree(&edits).map(|_| ());
                self.report(Report::TreeChecked(result));
            }
            Effect::ChangeTree(edits) => {
                match self.points.changed_tree(&edits) {
                    Ok(growth) => self.points.growth = Some(growth),
                    Err(why) => self.say(Level::Error, why),
                }
                self.shown = None;
            }
            Effect::Prepare(wanted) => {
                let result = self.prepare(&wanted).map(|prepared| self.prepared = Some(prepared));
                self.report(Report::Prepared(result));
            }
            Effect::Configure => self.configure(),
            Effect::Ended { ticket, answer } => self.ended.push((ticket, answer)),
        }
    }

    /// Performs an action at the cursor.
    pub(in crate::driver) fn step(
        &mut self,
        decision: DecisionId,
        text: &str,
    ) -> Result<(StepOutcome, serde_json::Value), String> {
        if let Some(difference) = &self.astray {
            return Err(astray_words(difference));
        }
        let session = self.gate.session();
        let depth = session.current().map_or(0, |n| n.depth) + 1;
        let before = self.points.state.variables();
        // What a person types or edits is done, whatever the blocking tree says of it.
        let turn = session.current().map(|n| &n.turn);
        let decided = turn.and_then(|t| t.decisions.iter().find(|d| d.id == decision));
        let selecting =
            self.method.selects_leaves() && decided.is_some_and(|d| matches!(d.choice, Choice::Approve { .. }));
        let outcome = self.points.act(text, selecting, session.next_node(), depth)?;
        if selecting {
            self.tell_selection(text, &outcome);
        }
        let changes = difference(&before, &self.points.state.variables());
        Ok((outcome, changes))
    }
}
