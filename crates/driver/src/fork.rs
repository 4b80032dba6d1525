//! A fork of a session where it is: a driver of its own over copies, which asks with another model, method, prompts or assertions what they
//! would do there, up to the decision to execute something and no further: a choice that is blocked executes nothing, and they go on from
//! what it adds to their tree. Nothing is written, no world takes a step.

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
use stepwright_episode::gate::{Draft, Request, spent};
use stepwright_episode::{
    Actor, AskId, AskState, Assertions, Breakpoint, Event, Gate, Mark, NodeId, Policy, Proposal, ProposalId, Record,
    Session, Turn,
};
use stepwright_method::prompting::Prompting;
use stepwright_method::{LivedPath, Method, MethodStack};
use stepwright_world::options::Values;

/// What a fork is asked with.
pub struct Wanted {
    pub side: Side,
    pub source: Source,
    pub method: Arc<dyn Method>,
    /// Assertions in force in place of those that are.
    pub assertions: Vec<Assertions>,
}

/// How often it is looked for what came, and for a person who waits no more. On a clock of its own: the runtime's timers panic while it goes
/// down, which this may outlive.
const LOOK: Duration = Duration::from_millis(5);
/// Choices that are blocked, one after the other, after which nothing more is expected.
const BLOCKED: u32 = 40;

impl Fork {
    pub fn prompting(&mut self) -> &mut Prompting {
        &mut self.prompting
    }

    /// Asks until something would be taken or nothing can be; `None` where `goes_on` says that nobody waits any more. Blocks its thread, which
    /// is one for long work.
    pub fn ask(mut self, wanted: Wanted, goes_on: impl Fn() -> bool) -> Result<Option<Heard>, String> {
        let Wanted { side, source, method, assertions } = wanted;
        // Where what is in use chooses what is blocked itself, such choices are compared.
        let most = if blocked_choice(&self.session).is_some() { 0 } else { BLOCKED };
        let since = Since {
            node: self.session.cursor(),
            ask: self.session.next_ask(),
            proposal: self.session.next_proposal(),
            notes: self.session.current().map_or(0, |node| node.turn.notes.len()),
        };
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
            Values::read(self.methods.built_in.options_with(method.info().options), &self.session.options)
                .map_err(|e| e.to_string())?;
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
            gate: Gate::new(session).treating(methods.built_in.conducts()).headless(),
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
            lived: LivedPath::default(),
        };
        let mut blocked = 0;
        loop {
            driver.request(Request::SetPolicy(Policy { steps: u32::MAX, token_budget: budget, ..Policy::default() }));
            while driver.gate.session().policy.is_automatic() && goes_on() {
                match returns.try_recv() {
                    Ok(message) => driver.message(message),
                    Err(_) => std::thread::sleep(LOOK),
                }
            }
            let may_ask = budget.is_none_or(|budget| spent(driver.gate.session()) < budget);
            match blocked_choice(driver.gate.session()).filter(|_| may_ask && blocked < most && goes_on()) {
                Some(proposal) => driver.request(Request::Approve { proposal }),
                None => break,
            };
            blocked += 1;
        }
        driver.jobs.stop_all();
        let session = driver.gate.session();
        if session.policy.is_automatic() {
            return Ok(None);
        }
        Ok(Some(heard(session, side, &since)))
    }

    fn record(&mut self, event: Event) -> Result<(), String> {
        let record = Record { id: self.session.records() + 1, ts: 0, node: self.session.cursor(), event };
        self.session.apply(&record).map_err(|misfit| misfit.to_string())
    }
}

/// Where a fork began: its node, and the first numbers that are its own.
struct Since {
    node: NodeId,
    ask: AskId,
    proposal: ProposalId,
    /// Of the remarks at the node.
    notes: usize,
}

/// What is recommended, where that is blocked: to choose it executes nothing.
fn blocked_choice(session: &Session) -> Option<ProposalId> {
    let turn = &session.current()?.turn;
    let (recommended, _) = turn.recommended.as_ref()?;
    let chosen = turn.proposal((*recommended)?)?;
    (turn.mark(chosen) == Mark::Blocked).then_some(chosen.id)
}

/// What came of it: its asks, what is recommended of its proposals, else its last remark.
fn heard(session: &Session, mut side: Side, since: &Since) -> Heard {
    let path = session.path(session.cursor());
    let own = path.iter().skip_while(|node| node.id != since.node);
    let asked = own.flat_map(|node| &node.turn.asks).filter(|ask| ask.id >= since.ask).cloned().collect();
    let Some(turn) = session.current().map(|node| &node.turn) else {
        return Heard { side, asks: asked, draft: None };
    };
    let (chosen, why) = turn.recommended.clone().unwrap_or_default();
    let chosen = chosen.filter(|id| *id >= since.proposal).and_then(|id| turn.proposal(id));
    let notes = if session.cursor() == since.node { since.notes } else { 0 };
    let last = || turn.notes.get(notes..)?.last().cloned();
    side.why = match chosen {
        None if why.is_empty() => failed(turn, since.ask).or_else(last).unwrap_or_default(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_episode::{AskKind, Header, Origin};

    /// A session with two asks, of which one failed, a remark before and one after, and two proposals.
    fn session() -> Session {
        let mut session = Session::new(Header::default());
        let ask = |id| Event::Asked {
            ask: id,
            kind: AskKind::GREEDY,
            model: "m".into(),
            prompt: None,
            n: 1,
            temperature: 0.0,
        };
        let noted = |text: &str| Event::Noted { text: text.into() };
        let offer = |id: ProposalId| Event::Proposed {
            proposal: Arc::new(Proposal::new(id, format!("p{id}"), Origin::Person)),
        };
        let fails = |ask: AskId| Event::AskFailed {
            ask,
            error: format!("e{ask}"),
            cancelled: false,
            usage: None,
            partial: String::new(),
        };
        let first = [Event::Started { outcome: Arc::default() }, ask(1), fails(1), noted("before"), offer(1)];
        for event in first.into_iter().chain([ask(2), fails(2), ask(3), offer(2)]) {
            let record = Record { id: session.records() + 1, ts: 0, node: 0, event };
            session.apply(&record).unwrap();
        }
        session
    }

    fn recommended(proposal: Option<ProposalId>, why: &str) -> Session {
        let mut session = session();
        let event = Event::Recommended { proposal, why: why.into() };
        let record = Record { id: session.records() + 1, ts: 0, node: 0, event };
        session.apply(&record).unwrap();
        session
    }

    fn side() -> Side {
        let (configuration, proposal) = (stepwright_episode::Configuration::default(), None);
        Side {
            name: "a".into(),
            configuration,
            set: String::new(),
            prompts: String::new(),
            proposal,
            why: String::new(),
        }
    }

    #[test]
    fn what_a_side_comes_to_is_of_its_own_asks_and_proposals_alone() {
        let heard = |session: &Session, (ask, proposal, notes)| {
            heard(session, side(), &Since { node: 0, ask, proposal, notes })
        };
        let asked = |heard: &Heard| heard.asks.iter().map(|ask| ask.id).collect::<Vec<_>>();
        let chosen = heard(&recommended(Some(2), "it is near"), (2, 2, 1));
        assert_eq!((asked(&chosen), chosen.side.why.as_str()), (vec![2, 3], "it is near"));
        assert_eq!(chosen.draft.map(|(_, draft)| draft.raw).as_deref(), Some("p2"));
        let former = heard(&recommended(Some(1), ""), (2, 2, 1));
        assert_eq!(
            (former.draft, former.side.why.as_str()),
            (None, "e2"),
            "what was recommended before is somebody else's"
        );
        assert_eq!(heard(&recommended(None, "nothing fits"), (2, 2, 1)).side.why, "nothing fits");
        assert_eq!(
            heard(&recommended(None, ""), (3, 2, 0)).side.why,
            "before",
            "no ask of its own failed: its last remark"
        );
        assert_eq!(heard(&recommended(None, ""), (3, 2, 1)).side.why, "");
    }
}
