//! Gate. Decides which action is taken: a state machine that every action of an episode passes through.
//!
//! Pure: requests and reports go in, effects come out as data; it never does any input or output, and time is an argument. It
//! owns the session and is the only one that adds records to it. The method decides what a *good* next action is, the world what an
//! action *means*: both are consulted through effects. `requests.rs` handles requests, `reports.rs` the results
//! of effects, `answers.rs` reports the outcome of each request, `artifact.rs` decides about artifacts, `policy.rs` rules when it
//! may decide by itself.

mod answers;
mod artifact;
mod messages;
mod policy;
mod replay;
mod reports;
mod requests;
#[cfg(test)]
mod scripts;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::artifact::ArtifactKind;
use super::ask::AskState;
use super::decision::{Actor, Choice, Decision, DecisionId, Policy};
use super::event::{AskId, Configuration, Event, NodeId, Record};
use super::proposal::{Action, Mark, Proposal, ProposalId, Verdict};
use super::session::Session;
use answers::Serving;
use artifact::Changing;
pub use messages::{
    Advice, Answer, AskSpec, Conduct, Conducts, Draft, Edit, Effect, Follows, Heard, Level, Report, Request, Ticket,
    Unchecked,
};
pub use policy::{NO_PROPOSAL, OVER, PolicyOutcome, rule, spent, tells, without_number};
use replay::Replay;
#[cfg(test)]
pub(super) use simulation::header;
use stepwright_text::words::one_line;

/// Asks the gate lets a method make in one round before it stops it, its own computations included: a program may be corrected twenty times
/// and is run after each.
const MAX_ASKS: u32 = 48;

/// The event that the gate waits for. Asks are no phase: they run beside everything else.
#[derive(Debug, Clone, PartialEq)]
enum Phase {
    /// A request.
    Idle,
    /// The method's advice.
    Advising,
    /// Verdicts of these proposals.
    Checking { left: BTreeSet<ProposalId>, then: Then },
    /// The verdict of the next step of a replay, which is taken if it still holds.
    Replaying(Proposal),
    /// The action a typed text stands for.
    Reading(Intent),
    /// The world's outcome of this decision.
    Stepping { decision: DecisionId, action: Action },
    /// World and program at a node.
    Moving { to: NodeId, then: AfterMove },
    /// Whether a document can be what it is to be.
    Changing(Changing),
    /// A model and a method to be made ready.
    Configuring(Configuration),
}

/// The use of a typed text.
#[derive(Debug, Clone, PartialEq)]
enum Intent {
    Manual,
    Edit(ProposalId),
}

/// The step once everything is checked.
#[derive(Debug, Clone, PartialEq)]
enum Then {
    /// Ask the method again.
    Consult,
    /// Take this.
    Take { choice: Choice, by: Actor, why: String },
    /// Nothing.
    Rest,
}

/// The step once the world is at another node.
#[derive(Debug, Clone, PartialEq)]
enum AfterMove {
    Rest,
    /// Say that the decision was taken before, and that its branch goes on from here.
    TakenBefore,
    /// The same, and go on as after the step: the policy took it.
    Follow,
    /// Perform the text a person typed.
    Read(String),
    /// Choose so once more.
    Again(Decision),
}

/// An input that waits for the phase to end.
#[derive(Debug, Clone, PartialEq)]
enum Input {
    Request(Ticket, Request),
    Report(Report),
}

/// The gate of one session.
#[derive(Debug)]
pub struct Gate {
    session: Session,
    phase: Phase,
    /// The ask under way.
    ask: Option<AskId>,
    /// Asks under way that propose nothing, and the nodes they were made at.
    background: BTreeMap<AskId, NodeId>,
    /// First ask of the present round.
    round: AskId,
    asks_in_round: u32,
    /// Steps taken by the policy since it was set, blocked selections not among them.
    taken: u32,
    replay: Option<Replay>,
    queue: VecDeque<Input>,
    /// The newest request's ticket.
    ticket: Ticket,
    /// The request that the phase belongs to, as long as its fate is open.
    serving: Option<Serving>,
    /// Nobody watches: nothing is asked once the policy's allowance is used up.
    headless: bool,
    conducts: Conducts,
    now: u64,
    out: Vec<Effect>,
}

impl Gate {
    /// A gate over a session that has not begun.
    pub fn new(session: Session) -> Self {
        let round = session.next_ask();
        Gate {
            session,
            phase: Phase::Idle,
            ask: None,
            background: BTreeMap::new(),
            round,
            asks_in_round: 0,
            taken: 0,
            replay: None,
            queue: VecDeque::new(),
            ticket: 0,
            serving: None,
            headless: false,
            conducts: Conducts::new(),
            now: 0,
            out: Vec::new(),
        }
    }

    /// The same gate for a run that nobody watches: it asks for no proposal that nobody would decide about.
    pub fn headless(mut self) -> Self {
        self.headless = true;
        self
    }

    /// The same gate that treats documents so.
    pub fn treating(mut self, conducts: Conducts) -> Self {
        self.conducts = conducts;
        self
    }

    fn conduct(&self, kind: &ArtifactKind) -> Conduct {
        self.conducts.get(kind.id()).copied().unwrap_or(Conduct::USUAL)
    }

    /// A gate over a session read from a file. Nothing that was under way is done again: pending asks are marked as interrupted,
    /// an automatic policy is taken back, a decision that was not carried out is pointed out. `reads`: the session is only read, so that
    /// nothing is advised that would change it.
    pub fn resume(session: Session, now: u64, reads: bool) -> (Self, Vec<Effect>) {
        let mut gate = Gate::new(session);
        gate.now = now;
        gate.mark_interrupted(reads);
        gate.bring_back(gate.session.cursor());
        let effects = std::mem::take(&mut gate.out);
        (gate, effects)
    }

    /// The session so far.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The ticket of the newest request.
    pub fn ticket(&self) -> Ticket {
        self.ticket
    }

    /// Whether the gate waits for a request only: no effect and no ask is outstanding.
    pub fn is_at_rest(&self) -> bool {
        self.phase == Phase::Idle && self.ask.is_none() && self.background.is_empty() && self.queue.is_empty()
    }

    /// Whether any ask is under way.
    pub fn is_asking(&self) -> bool {
        self.ask.is_some() || !self.background.is_empty()
    }

    /// The ask for the next action under way.
    pub fn asking(&self) -> Option<AskId> {
        self.ask
    }

    /// First ask of the present round.
    pub fn round(&self) -> AskId {
        self.round
    }

    /// Takes a request at `now` (Unix milliseconds) and answers it; the effects are to be carried out in order, their results
    /// reported.
    pub fn request(&mut self, request: Request, now: u64) -> (Answer, Vec<Effect>) {
        self.ticket += 1;
        let ticket = self.ticket;
        let mut effects = self.handle(Input::Request(ticket, request), now);
        let ended = effects.iter().position(|e| matches!(e, Effect::Ended { ticket: of, .. } if *of == ticket));
        match ended.map(|at| effects.remove(at)) {
            Some(Effect::Ended { answer, .. }) => (answer, effects),
            _ => (Answer::Queued(ticket), effects),
        }
    }

    /// Takes the result of an effect. A report nobody waits for changes nothing; of a cancelled ask it counts what was spent.
    pub fn report(&mut self, report: Report, now: u64) -> Vec<Effect> {
        self.handle(Input::Report(report), now)
    }

    fn handle(&mut self, input: Input, now: u64) -> Vec<Effect> {
        self.now = now;
        self.accept(input);
        while self.phase == Phase::Idle
            && let Some(next) = self.queue.pop_front()
        {
            self.accept(next);
        }
        std::mem::take(&mut self.out)
    }

    /// Handles what is due now, keeps what must wait for the effects under way, drops what nobody waits for. Asks aside of the
    /// episode and their answers wait for nothing.
    fn accept(&mut self, input: Input) {
        match input {
            Input::Request(ticket, Request::Cancel) => self.cancel(ticket),
            Input::Request(ticket, request) if self.is_background(&request) => {
                self.serve_in_background(ticket, request)
            }
            Input::Request(ticket, request) if self.phase == Phase::Idle => self.serve(ticket, request),
            Input::Report(report) => match report.ask() {
                Some(ask) if self.background.contains_key(&ask) => self.on_report(report),
                Some(ask) if self.ask != Some(ask) => self.count_late(ask, report),
                Some(_) if self.phase != Phase::Idle => self.queue.push_back(Input::Report(report)),
                _ => {
                    self.on_report(report);
                    self.end_served();
                }
            },
            request => self.queue.push_back(request),
        }
    }

    /// Adds a record at the cursor.
    fn record(&mut self, event: Event) {
        self.record_at(self.session.cursor(), event);
    }

    fn record_at(&mut self, node: NodeId, event: Event) {
        let record = Record { id: self.session.records() + 1, ts: self.now, node, event };
        match self.session.apply(&record) {
            Ok(()) => self.out.push(Effect::Persist(record)),
            // The gate only makes records that fit; should it not, the person is informed and nothing is written.
            Err(misfit) => self.say(Level::Error, format!("the session refused one of its own records: {misfit}")),
        }
    }

    fn say(&mut self, level: Level, text: impl Into<String>) {
        self.out.push(Effect::Say(level, text.into()));
    }

    /// Asks the method what comes next; not while a belief waits for a decision.
    fn consult(&mut self, samples: Option<u32>) {
        if self.session.pending_offer().is_some() {
            return;
        }
        self.phase = Phase::Advising;
        self.out.push(Effect::Consult { round: self.round, samples });
    }

    fn new_round(&mut self) {
        self.round = self.session.next_ask();
        self.asks_in_round = 0;
    }

    /// Offers an action and has it checked.
    fn propose(&mut self, draft: Draft, ask: Option<AskId>) -> ProposalId {
        let id = self.session.next_proposal();
        let proposal = draft.numbered(id, ask);
        self.record(Event::Proposed { proposal: proposal.clone().into() });
        self.out.push(Effect::CheckProposal(proposal));
        id
    }

    fn check(&mut self, left: BTreeSet<ProposalId>, then: Then) {
        if left.is_empty() { self.after_checks(then) } else { self.phase = Phase::Checking { left, then } }
    }

    /// Records the decision and has it carried out. `id` is a proposal of this turn that holds an action.
    fn take(&mut self, choice: Choice, by: Actor, why: String) {
        let decision = Decision { id: self.session.next_decision(), choice, by, why };
        let id = decision.proposal();
        let turn = self.session.current().map(|n| &n.turn);
        let action = turn.and_then(|t| t.proposal(id)).and_then(|p| p.action.clone());
        let Some(action) = action else {
            return self.refuse(Level::Error, "this proposal is no action; edit it or type one".to_owned());
        };
        let failing = turn.and_then(|t| t.newest(id)).and_then(Verdict::failing_in_words);
        let number = decision.id;
        self.record(Event::Decided { decision: decision.into() });
        if let Some(failing) = failing.filter(|_| by == Actor::Person && self.replay.is_none()) {
            self.say(Level::Warning, format!("{} is taken although {failing}", quoted(&action)));
        }
        self.phase = Phase::Stepping { decision: number, action: action.clone() };
        self.out.push(Effect::StepWorld { decision: number, action });
    }

    /// Ends an ask without its answer.
    fn drop_ask(&mut self, why: &str) -> bool {
        let Some(ask) = self.ask.take() else { return false };
        self.out.push(Effect::CancelAsk(ask));
        self.record(Event::cancelled(ask, why));
        true
    }

    /// Takes the automatic policy back, keeping its limits.
    fn stop_policy(&mut self, why: &str) -> bool {
        self.taken = 0;
        if !self.session.policy.is_automatic() {
            return false;
        }
        let policy = Policy { steps: 0, ..self.session.policy.clone() };
        self.record(Event::PolicySet { policy, why: why.to_owned() });
        true
    }

    /// Ends the asks that propose nothing.
    fn drop_asides(&mut self, why: &str) -> bool {
        let background = std::mem::take(&mut self.background);
        for (ask, node) in &background {
            self.out.push(Effect::CancelAsk(*ask));
            self.record_at(*node, Event::cancelled(*ask, why));
        }
        !background.is_empty()
    }

    fn mark_interrupted(&mut self, reads: bool) {
        let pending: Vec<(NodeId, AskId)> = self
            .session
            .nodes()
            .iter()
            .flat_map(|n| n.turn.asks.iter().filter(|a| a.state == AskState::Pending).map(move |a| (n.id, a.id)))
            .collect();
        for (node, ask) in &pending {
            let (error, partial) = ("interrupted: the program ended before the answer came".to_owned(), String::new());
            self.record_at(*node, Event::AskFailed { ask: *ask, error, cancelled: false, usage: None, partial });
        }
        let stopped = self.stop_policy("the session was opened again");
        let undone = self.session.current().and_then(|node| {
            let carried: std::collections::BTreeSet<_> =
                node.children.iter().filter_map(|c| self.session.node(*c)?.decision).collect();
            let last = node.turn.decisions.last().filter(|d| self.session.is_last_and_open(d.id));
            let open = last.filter(|d| d.takes() && !carried.contains(&d.id))?;
            node.turn.proposal(open.proposal()).and_then(|p| p.action.as_ref()).map(quoted)
        });
        let advice = |what: &'static str| if reads { "" } else { what };
        if let Some(text) = undone {
            let advice = advice("; approve it again to do it");
            let words = format!("{text} was decided but not carried out before the program ended{advice}");
            self.say(Level::Warning, words);
        } else if !pending.is_empty() {
            let advice = advice("; propose again to repeat it");
            self.say(Level::Warning, format!("an ask was interrupted when the program ended{advice}"));
        } else if stopped {
            self.say(Level::Info, "opened; the automatic policy was taken back");
        }
    }
}

/// Whether nothing that was checked fails: what a replayed step needs to be taken again.
fn still_holds(verdict: Option<&Verdict>) -> bool {
    verdict.is_none_or(|v| v.mark() != Mark::Fails)
}

/// The action of a proposal, in a few words for messages.
fn describe(proposal: &Proposal) -> String {
    proposal.action.as_ref().map_or_else(|| "the proposal".to_owned(), quoted)
}

/// An action in a message: its calls on one line.
fn quoted(action: &Action) -> String {
    format!("`{}`", one_line(&action.text))
}
