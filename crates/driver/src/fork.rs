//! A fork of a session where it is: a driver of its own over copies, which asks with another model, method, prompts or assertions what they
//! would do there, up to the decision and no further. Nothing is written, no world takes a step.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::unbounded_channel;

use super::driver::{Driver, Shown};
use super::jobs::Jobs;
use super::journal::Journal;
use super::messages::{Outlets, threads};
use super::models::Models;
use super::service::{Fork, Services};
use super::setup::{Persistence, system_clock};
use super::source::{Source, roles_named};
use stepwright_episode::duel::{Heard, Side};
use stepwright_episode::gate::{Draft, Request};
use stepwright_episode::{
    Actor, AskId, AskState, Assertions, Breakpoint, Event, Gate, Policy, Proposal, ProposalId, Record, Session, Turn,
};
use stepwright_method::prompting::Prompting;
use stepwright_method::{Method, MethodStack, conduct, options_with};
use stepwright_world::options::Values;

/// What a fork is asked with.
pub struct Wanted {
    pub side: Side,
    pub source: Source,
    pub method: Arc<dyn Method>,
    /// Assertions in force in place of those that are.
    pub assertions: Vec<Assertions>,
}

/// How often a person who waits no more is looked for.
const LOOK: Duration = Duration::from_millis(50);

impl Fork {
    pub fn prompting(&mut self) -> &mut Prompting {
        &mut self.prompting
    }

    /// Asks until something would be taken or nothing can be; `None` where `goes_on` says that nobody waits any more.
    pub async fn ask(mut self, wanted: Wanted, goes_on: impl Fn() -> bool) -> Result<Option<Heard>, String> {
        let Wanted { side, source, method, assertions } = wanted;
        let (asks, offered) = (self.session.next_ask(), self.session.next_proposal());
        let notes = self.session.current().map_or(0, |node| node.turn.notes.len());
        self.record(Event::Configured(side.configuration.clone()))?;
        // A decision is where it stops, and what was recommended here is somebody else's.
        self.record(Event::BreakpointsSet { breakpoints: vec![Breakpoint::Action("*".to_owned())] })?;
        self.record(Event::Recommended { proposal: None, why: String::new() })?;
        for set in &assertions {
            self.program.adopt(set)?;
            self.record(set.clone().event(Actor::Policy))?;
        }
        self.timeline.forget();
        self.prompting.options =
            Values::read(options_with(method.info().options), &self.session.options).map_err(|e| e.to_string())?;
        let budget = self.session.policy.token_budget;
        let stack = MethodStack::new(method, &self.prompting.options);
        if stack.keeps_belief() {
            self.timeline.track_truth(self.session.current());
        }
        let Fork { session, timeline, program, knowledge, prompting, roles, sandbox, resolver, methods } = self;
        let known: Vec<&Source> = [&source].into_iter().chain(roles.values()).collect();
        let roles = roles_named(&session.options, &side.configuration.options, &known, &resolver)?;
        let (messages, mut returns) = unbounded_channel();
        let (notices, _nobody) = unbounded_channel();
        let mut driver = Driver {
            gate: Gate::new(session).treating(conduct).headless(),
            timeline,
            program,
            knowledge,
            stack,
            models: Models::new((source, roles), prompting, sandbox, (resolver, methods)),
            journal: Journal::new(Persistence::Nothing, Vec::new(), (false, false)),
            jobs: Jobs::default(),
            services: Services::default(),
            outlets: Outlets { messages, notices, clock: system_clock(), beside: threads() },
            headless: true,
            effects: VecDeque::new(),
            ended: Vec::new(),
            diverged: None,
            shown: Shown::default(),
        };
        driver.request(Request::SetPolicy(Policy { steps: u32::MAX, token_budget: budget, ..Policy::default() }));
        while driver.gate.session().policy.is_automatic() && goes_on() {
            if let Ok(Some(message)) = tokio::time::timeout(LOOK, returns.recv()).await {
                driver.message(message);
            }
        }
        driver.jobs.stop_all();
        let session = driver.gate.session();
        if session.policy.is_automatic() {
            return Ok(None);
        }
        Ok(Some(heard(session, side, (asks, offered, notes))))
    }

    fn record(&mut self, event: Event) -> Result<(), String> {
        let record = Record { id: self.session.records() + 1, ts: 0, node: self.session.cursor(), event };
        self.session.apply(&record).map_err(|misfit| misfit.to_string())
    }
}

/// What came of it: the asks from that number on, what is recommended of the proposals from that number on, else the last remark from
/// there on.
fn heard(session: &Session, mut side: Side, (asks, offered, notes): (AskId, ProposalId, usize)) -> Heard {
    let Some(turn) = session.current().map(|node| &node.turn) else {
        return Heard { side, asks: Vec::new(), draft: None };
    };
    let asked = turn.asks.iter().filter(|ask| ask.id >= asks).cloned().collect();
    let (chosen, why) = turn.recommended.clone().unwrap_or_default();
    let chosen = chosen.filter(|id| *id >= offered).and_then(|id| turn.proposal(id));
    let last = || turn.notes.get(notes..)?.last().cloned();
    side.why = match chosen {
        None if why.is_empty() => failed(turn, asks).or_else(last).unwrap_or_default(),
        _ => why,
    };
    Heard { side, asks: asked, draft: chosen.map(|proposal| (proposal.ask, draft(proposal))) }
}

/// Why the last of the asks from that number on failed.
fn failed(turn: &Turn, asks: AskId) -> Option<String> {
    turn.asks.iter().rev().filter(|ask| ask.id >= asks).find_map(|ask| match &ask.state {
        AskState::Failed { error, .. } => Some(error.clone()),
        _ => None,
    })
}

fn draft(proposal: &Proposal) -> Draft {
    let Proposal { raw, line, action, problem, origin, score, logprob, rationale, .. } = proposal.clone();
    Draft { raw, line, action, problem, origin, score, logprob, rationale }
}
