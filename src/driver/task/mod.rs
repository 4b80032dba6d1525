//! The driver's task: commands in, effects carried out, notices out.
//!
//! Everything quick happens on this task; asks and other long work run beside it and come back as messages. This file holds the
//! task's state, its beginning and its loop; its folder holds what is done: `commands` and `effects`, `consult` (the method),
//! `asks` and `answers` (models), `configure`.

mod answers;
mod asks;
mod commands;
mod configure;
mod consult;
mod effects;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use super::asking;
use super::mind::Mind;
use super::points::{self, Points};
use super::remote::{Back, Errands};
use super::running::{Programs, Ran};
use super::setup::{Beginning, BlockingSource, Keep, Setup, Source};
use super::workshop::{self, Surroundings, Workshop};
use super::{Command, Handle, Level, Notice};
use super::{planning, proposing, scoring, selecting};
use crate::blocking::Growth;
use crate::episode::gate::{Answer, Assertions, Effect, Report, Request, Ticket};
use crate::episode::{AskId, Gate, Record, Session};
use crate::method::{Believing, Method, Options};
use crate::planner::SymbolicProposer;
use crate::program::sandbox::Sandbox;
use crate::world::Atom;
use crate::world::demonstration::Demonstration;
use configure::Prepared;

/// What long work sends back.
pub(super) enum Message {
    /// A language model's answer.
    Answer(asking::Answer),
    /// The symbolic proposer's.
    Ranked(proposing::Ranking),
    /// A plan made without a language model.
    Made(planning::Made),
    /// A language model's log-probabilities.
    Scored(scoring::Scores),
    /// A language model's scores of candidate preconditions.
    CandidateScores(workshop::CandidateScores),
    /// The built-in selector's ranking of the blocking tree's leaves.
    Selected(selecting::Ranking),
    /// The end of work on candidates.
    Workshop(workshop::Done),
    /// A program has run.
    Ran(Ran),
    /// A world in another process has taken a step, or not.
    World(Back),
}

/// The driver of one session.
pub(super) struct Driver {
    pub(super) gate: Gate,
    pub(super) points: Points,
    pub(super) mind: Mind,
    pub(super) blocking: BlockingSource,
    pub(super) kind: String,
    /// The task's goals as they were at the reset, where the world tells any.
    pub(super) goals: Vec<Atom>,
    pub(super) method: Arc<dyn Method>,
    pub(super) source: Source,
    resolver: super::setup::Resolver,
    pub(super) proposer: Arc<SymbolicProposer>,
    pub(super) prompting: super::prompting::Prompting,
    /// What runs programs that models write, and what ran.
    pub(super) sandbox: Arc<dyn Sandbox>,
    pub(super) programs: Programs,
    pub(super) demonstrations: Arc<Vec<Demonstration>>,
    keep: Keep,
    /// What a copy begins with.
    before: Arc<Vec<Record>>,
    clock: super::setup::Clock,
    /// Effects not yet carried out.
    effects: VecDeque<Effect>,
    /// Queued requests that have come to their end since somebody looked.
    ended: Vec<(Ticket, Answer)>,
    /// Model and method made ready, until their record is written.
    prepared: Option<Prepared>,
    pub(super) notices: UnboundedSender<Notice>,
    pub(super) messages: UnboundedSender<Message>,
    pub(super) workshop: Workshop,
    pub(super) asks: BTreeMap<AskId, CancellationToken>,
    /// What a world in another process is doing.
    pub(super) errands: Errands,
    /// Why world and program are not where the session is.
    pub(super) astray: Option<String>,
    /// The node the last situation described, and the world's truth there.
    pub(super) shown: Option<(u64, serde_json::Value)>,
    /// Whether it was said that prompts are shortened.
    shortened: bool,
    /// How often in a row a prompt turned out too long.
    too_long: u32,
}

/// Starts a driver on the present tokio runtime.
///
/// # Errors
/// When the specification does not load or the world cannot be reset: in words.
pub fn start(setup: Setup) -> Result<Handle, String> {
    let (commands, inbox) = unbounded_channel();
    let (notices, outbox) = unbounded_channel();
    let (messages, returns) = unbounded_channel();
    let driver = Driver::begin(setup, notices, messages)?;
    tokio::spawn(driver.run(inbox, returns));
    Ok(Handle { commands, notices: outbox })
}

impl Driver {
    fn begin(
        setup: Setup,
        notices: UnboundedSender<Notice>,
        messages: UnboundedSender<Message>,
    ) -> Result<Self, String> {
        let Setup { beginning, mut world, method, source, resolver, proposer, mut prompting, .. } = setup;
        let Setup { sandbox, blocking, demonstrations, keep, policy, unattended, clock, .. } = setup;
        let (session, records) = match beginning {
            Beginning::New(header) => (Session::new(*header), Vec::new()),
            Beginning::Resume { session, records } => (*session, records),
        };
        prompting.options = Options::read(&session.options)?;
        let header = session.header.clone();
        let mut mind = Mind::load(&header.specification)?;
        let (reset, calls) = points::reset(world.as_mut(), &session).map_err(|e| e.to_string())?;
        let goals = world.goals().unwrap_or_default();
        let kind = world.tasks().into_iter().find(|t| t.id == header.task).map(|t| t.kind).unwrap_or_default();
        for (action, (assertions, origin)) in session.assertions() {
            let (assertions, origin) = (assertions.clone(), origin.clone());
            mind.adopt(&Assertions { action: action.clone(), assertions, origin })?;
        }
        let growth = match &blocking {
            BlockingSource::Domain(domain) => Growth::begin(Arc::clone(domain), world.as_ref()),
            BlockingSource::Assertions | BlockingSource::Gone(_) => None,
        };
        let mut points = Points::new(world, &mind, growth, &calls);
        if prompting.options.belief == Believing::On {
            points.tell_truth();
        }
        let path = match &keep {
            Keep::Log(log) => Some(log.path().to_owned()),
            Keep::Nothing | Keep::Copy(_) => None,
        };
        let records = Arc::new(records);
        let _ = notices.send(Notice::Opened { header: Box::new(header), records: Arc::clone(&records), path });
        let now = clock();
        let started = session.is_started();
        let mut astray = None;
        if started {
            let there = Points::compare_reset(&session, &reset).and_then(|()| points.go(&session, session.cursor()));
            astray = there.err();
        }
        let (mut gate, mut effects) =
            if started { Gate::resume(session, now) } else { (Gate::new(session), Vec::new()) };
        if unattended {
            gate = gate.unattended();
        }
        if !started {
            let assertions = mind.assertions();
            let belief = points.truth();
            effects.extend(gate.request(Request::Begin { outcome: reset, assertions, policy, belief }, now).1);
        }
        let workshop =
            Workshop::new(notices.clone(), messages.clone(), Arc::clone(&demonstrations), prompting.candidates);
        let mut driver = Driver {
            gate,
            points,
            mind,
            blocking,
            kind,
            goals,
            method,
            source,
            resolver,
            proposer,
            prompting,
            sandbox,
            programs: Programs::default(),
            demonstrations,
            keep,
            before: records,
            clock,
            effects: effects.into(),
            ended: Vec::new(),
            prepared: None,
            notices,
            messages,
            workshop,
            asks: BTreeMap::new(),
            errands: Errands::default(),
            astray,
            shown: None,
            shortened: false,
            too_long: 0,
        };
        driver.suit(&driver.source.clone());
        driver.watch_world();
        driver.tell_gone_domain();
        driver.say_without_belief();
        if let Some(difference) = driver.astray.clone() {
            driver.say(Level::Error, astray_words(&difference));
        }
        Ok(driver)
    }

    async fn run(mut self, mut inbox: UnboundedReceiver<Command>, mut returns: UnboundedReceiver<Message>) {
        self.carry_out();
        self.show_situation();
        self.workshop(|workshop, around| workshop.tell_inference(around));
        loop {
            tokio::select! {
                biased;
                command = inbox.recv() => match command {
                    Some(Command::Quit) | None => break,
                    Some(command) => self.command(command),
                },
                Some(message) = returns.recv() => self.message(message),
            }
            self.workshop(|_, _| ());
            self.show_situation();
        }
        self.workshop.cancel();
        self.close_world();
        if self.gate.is_asking() {
            self.request(Request::Cancel);
        }
        if let Keep::Log(log) = &self.keep
            && let Err(error) = log.sync()
        {
            self.say(Level::Error, error.to_string());
        }
        let _ = self.notices.send(Notice::Stopped);
    }

    fn now(&self) -> u64 {
        (self.clock)()
    }

    pub(super) fn say(&self, level: Level, text: impl Into<String>) {
        let _ = self.notices.send(Notice::Say { level, text: text.into() });
    }

    pub(super) fn tell(&self, notice: Notice) {
        let _ = self.notices.send(notice);
    }

    /// Has the workshop do something; carries out what it asks of the gate, and tells it what became of its requests and asks.
    pub(super) fn workshop(&mut self, act: impl FnOnce(&mut Workshop, &Surroundings<'_>)) {
        self.with_workshop(act);
        loop {
            if let Some((ticket, answer)) = self.ended.pop() {
                self.with_workshop(|workshop, around| workshop.request_ended(ticket, answer, around));
            } else if let Some((errand, request)) = self.workshop.next_request() {
                let answer = self.request(request);
                self.with_workshop(|workshop, around| workshop.answered(errand, answer, around));
            } else if let Some((ask, texts)) = self.workshop.next_end() {
                self.with_workshop(|workshop, around| workshop.ask_ended(ask, texts, around));
            } else {
                return;
            }
        }
    }

    fn with_workshop(&mut self, act: impl FnOnce(&mut Workshop, &Surroundings<'_>)) {
        let around = Surroundings {
            session: self.gate.session(),
            mind: &self.mind,
            world: self.points.world.as_ref(),
            source: &self.source,
            prompting: &self.prompting,
        };
        act(&mut self.workshop, &around);
    }

    pub(super) fn report(&mut self, report: Report) {
        let now = self.now();
        self.effects.extend(self.gate.report(report, now));
    }

    /// Tells what world and program look like at the cursor, when that changed.
    fn show_situation(&mut self) {
        let at = self.gate.session().cursor();
        if self.astray.is_some() || self.shown.as_ref().is_some_and(|(node, _)| *node == at) {
            return;
        }
        self.derive_tree();
        let situation = super::situation::of(self);
        self.shown = Some((at, situation.truth.clone()));
        self.tell(Notice::Situation(Arc::new(situation)));
    }
}

pub(super) fn astray_words(difference: &str) -> String {
    format!(
        "the world does not answer as recorded: {difference}. The session is open for reading; go to an earlier step to go on from there"
    )
}
