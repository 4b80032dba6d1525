//! The driver's task: commands in, effects carried out, notices out.
//!
//! Everything quick happens on this task; asks and other long work run beside it and come back as messages. This file holds the
//! task's state, its beginning and its loop; its folder holds what is done: `commands`, `effects` (the interpreter), `asks` and
//! `answers` (jobs), `configure`.

mod answers;
mod asks;
mod commands;
mod configure;
mod effects;

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::jobs::{Jobs, Message, Outlets};
use super::questions::Distilling;
use super::recorded::violations;
use super::setup::{Beginning, Persistence, Setup, Source};
use super::timeline::{self, Timeline};
use super::workshop::{Surroundings, Workshop};
use super::{Command, Handle, Level, Notice};
use configure::Prepared;
use stepwright_episode::gate::{Answer, Effect, Report, Request, Ticket};
use stepwright_episode::{Assertions, Gate, Record, Session};
use stepwright_method::blocking::{LiveTree, gone};
use stepwright_method::options::{self, BELIEF};
use stepwright_method::program_context::ProgramContext;
use stepwright_method::prompting::Prompting;
use stepwright_method::skills::SkillShelf;
use stepwright_method::{Context, DerivedState, KeptBack, Knowledge, ModelTraits, Past, Team, conduct};
use stepwright_sandbox::Sandbox;
use stepwright_world::blocking::BlockingSource;
use stepwright_world::options::Values;

/// The driver of one session.
pub(super) struct Driver {
    pub(super) gate: Gate,
    pub(super) timeline: Timeline,
    pub(super) program: ProgramContext,
    pub(super) knowledge: Knowledge,
    /// The method in use, with its companions.
    pub(super) team: Team,
    pub(super) source: Source,
    /// Its traits, as methods see them.
    pub(super) traits: ModelTraits,
    resolver: super::setup::Resolver,
    methods: super::setup::MethodResolver,
    pub(super) prompting: Prompting,
    /// What runs programs that models write.
    pub(super) sandbox: Arc<dyn Sandbox>,
    keep: Persistence,
    /// All records, shared with the watchers: what a new file begins with.
    records: Vec<Arc<Record>>,
    /// Whether a record waits to be written.
    unwritten: bool,
    /// Records not written yet, since nothing but looking was done since.
    held: VecDeque<Record>,
    /// Whether a session is being opened that has begun before.
    opening: bool,
    /// Nobody watches.
    pub(super) unattended: bool,
    clock: super::setup::Clock,
    /// Effects not yet carried out.
    effects: VecDeque<Effect>,
    /// Queued requests that ended since they were last looked at.
    ended: Vec<(Ticket, Answer)>,
    /// Model and method made ready, until their record is written.
    prepared: Option<Prepared>,
    pub(super) notices: UnboundedSender<Notice>,
    pub(super) messages: UnboundedSender<Message>,
    pub(super) outlets: Outlets,
    pub(super) jobs: Jobs,
    pub(super) workshop: Workshop,
    /// What the model is asked about logs.
    pub(super) distilling: Distilling,
    /// Why world and program are not where the session is.
    pub(super) diverged: Option<String>,
    /// The node the last situation described, and the world's truth there.
    pub(super) shown: Option<(u64, serde_json::Value)>,
    /// The action that the method kept from being tried there.
    kept: Option<KeptBack>,
    /// Whether it was said that prompts are shortened.
    shortened: bool,
    /// How often in a row a prompt turned out too long.
    too_long: u32,
    /// Whether recorded episodes were announced.
    logs_reported: bool,
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
        let Setup { beginning, mut world, method, source, resolver, methods, proposer, mut prompting, .. } = setup;
        let Setup { sandbox, blocking, demonstrations, keep, adopted, policy, unattended, clock, remarks, .. } = setup;
        let (session, records) = match beginning {
            Beginning::New(header) => (Session::new(*header), Vec::new()),
            Beginning::Resume { session, records } => (*session, records),
        };
        prompting.options =
            Values::read(options::with(method.info().options), &session.options).map_err(|e| e.to_string())?;
        let header = session.header.clone();
        let mut program = ProgramContext::load(&header.specification)?;
        let (reset, calls) = timeline::reset(world.as_mut(), &session).map_err(|e| e.to_string())?;
        let goals = world.goals().unwrap_or_default();
        let skills = Arc::new(SkillShelf::new(world.kind()));
        let kind = world.tasks().into_iter().find(|t| t.id == header.task).map(|t| t.kind).unwrap_or_default();
        for (action, (assertions, origin)) in session.assertions() {
            let (assertions, origin) = (assertions.clone(), origin.clone());
            program.adopt(&Assertions { action: action.clone(), assertions, origin })?;
        }
        let started = session.is_started();
        let mut assertions = program.assertions();
        for adopted in adopted.into_iter().filter(|_| !started) {
            program.adopt(&adopted)?;
            assertions.retain(|own| own.action != adopted.action);
            assertions.push(adopted);
        }
        let tree = match &blocking {
            BlockingSource::Domain(domain) => LiveTree::begin(domain, world.as_ref()),
            BlockingSource::Assertions | BlockingSource::Gone(_) => None,
        };
        let tree = tree.into_iter().map(|tree| Box::new(tree) as Box<dyn DerivedState>);
        let mut timeline = Timeline::new(world, &program, tree.collect(), &calls);
        if prompting.options.is(&BELIEF, "on") {
            timeline.track_truth();
        }
        let path = match &keep {
            Persistence::Log(log) => Some(log.path().to_owned()),
            Persistence::Nothing | Persistence::Copy(_) => None,
        };
        let mut records: Vec<Arc<Record>> = records.into_iter().map(Arc::new).collect();
        // They are collected in the place of the records themselves, which took many times as much.
        records.shrink_to_fit();
        let _ = notices.send(Notice::Opened { session: Box::new(session.clone()), records: records.clone(), path });
        let now = clock();
        let mut diverged = None;
        if started {
            let there =
                Timeline::compare_reset(&session, &reset).and_then(|()| timeline.go(&session, session.cursor()));
            diverged = there.err();
        }
        let (mut gate, mut effects) =
            if started { Gate::resume(session, now) } else { (Gate::new(session), Vec::new()) };
        gate = gate.treating(conduct);
        if unattended {
            gate = gate.unattended();
        }
        if !started {
            let belief = timeline.truth();
            effects.extend(gate.request(Request::Begin { outcome: reset, assertions, policy, belief }, now).1);
        }
        let workshop =
            Workshop::new(notices.clone(), messages.clone(), Arc::clone(&demonstrations), prompting.candidates);
        let outlets = Outlets { messages: messages.clone(), notices: notices.clone() };
        let mut driver = Driver {
            gate,
            timeline,
            program,
            knowledge: Knowledge { proposer, demonstrations, blocking, kind, goals, skills },
            team: Team::new(method, &prompting.options),
            source,
            traits: ModelTraits::default(),
            resolver,
            methods,
            prompting,
            sandbox,
            keep,
            records,
            unwritten: false,
            held: VecDeque::new(),
            opening: started,
            unattended,
            clock,
            effects: effects.into(),
            ended: Vec::new(),
            prepared: None,
            notices,
            messages,
            outlets,
            jobs: Jobs::default(),
            workshop,
            distilling: Distilling::default(),
            diverged,
            shown: None,
            kept: None,
            shortened: false,
            too_long: 0,
            logs_reported: false,
        };
        driver.suit(&driver.source.clone());
        driver.watch_world();
        if let BlockingSource::Gone(why) = &driver.knowledge.blocking {
            driver.say(Level::Warning, gone(why));
        }
        driver.say_warnings();
        if let Some(first) = remarks.first() {
            let more = if remarks.len() > 1 { format!("; and {} more", remarks.len() - 1) } else { String::new() };
            driver.say(Level::Warning, format!("{first}{more}"));
        }
        driver.tell_logs();
        if let Some(difference) = driver.diverged.clone() {
            driver.say(Level::Error, diverged_words(&difference));
        }
        Ok(driver)
    }

    async fn run(mut self, mut inbox: UnboundedReceiver<Command>, mut returns: UnboundedReceiver<Message>) {
        self.carry_out();
        self.opening = false;
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
            self.question_ended();
            self.show_situation();
        }
        self.workshop.cancel();
        self.close_world();
        if self.gate.is_asking() {
            self.request(Request::Cancel);
        }
        if let Persistence::Log(log) = &mut self.keep
            && let Err(error) = log.sync()
        {
            self.say(Level::Error, error.to_string());
        }
        let _ = self.notices.send(Notice::Stopped);
    }

    /// What a method sees at the cursor.
    pub(super) fn context(&self, samples: Option<u32>) -> Context<'_> {
        Context {
            session: self.gate.session(),
            round: self.gate.round(),
            samples,
            world: self.timeline.world.as_ref(),
            program: &self.program,
            state: &self.timeline.state,
            model: &self.traits,
            prompting: &self.prompting,
            knowledge: &self.knowledge,
            past: Past {
                requests: self.timeline.requests(),
                derived: &self.timeline.derived,
                truth: self.timeline.belief_truth(),
            },
            sandbox: &self.sandbox,
        }
    }

    /// Brings what methods derive from the episode to the cursor, and begins what is needed and not there.
    pub(super) fn follow_episode(&mut self) {
        if self.diverged.is_some() || self.timeline.world.remote().is_some() {
            return;
        }
        self.timeline.catch_up(self.gate.session());
        let begun = self.team.follow(&self.context(None));
        let edits = self.gate.session().current().map(|n| n.tree_edits_here()).unwrap_or_default();
        self.timeline.begin_deriving(begun, &edits);
    }

    /// Drops what was derived from the assertions in force: they or the method are others now.
    pub(super) fn forget_assertions(&mut self) {
        if self.timeline.forget() {
            self.shown = None;
        }
    }

    /// Reports which recorded episodes there are, and what is violated in the one that is played back.
    pub(super) fn tell_logs(&mut self) {
        let Some(logs) = self.timeline.world.recorded() else { return };
        if let (Some(first), false) = (logs.problems.first(), self.logs_reported) {
            let more = match logs.problems.len() {
                1 => "the others were read".to_owned(),
                n => {
                    format!("{} could not be read, the others were", stepwright_text::words::count(n - 1, "more line"))
                }
            };
            self.say(Level::Warning, format!("{first}; {more}"));
        }
        self.logs_reported = true;
        let found = logs.current().map(|log| violations(log, &self.program)).unwrap_or_default();
        self.tell(Notice::Logs { logs, violations: Arc::new(found) });
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

    /// Has the workshop do something; carries out what it asks of the gate, and reports the ends of its requests and asks to it.
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
            program: &self.program,
            world: self.timeline.world.as_ref(),
            source: &self.source,
            prompting: &self.prompting,
        };
        act(&mut self.workshop, &around);
    }

    pub(super) fn report(&mut self, report: Report) {
        let now = self.now();
        self.effects.extend(self.gate.report(report, now));
    }

    /// Sends the state of world and program at the cursor, when that changed.
    pub(super) fn show_situation(&mut self) {
        let at = self.gate.session().cursor();
        let kept = self.team.kept_back(&self.context(None));
        let is_shown = self.shown.as_ref().is_some_and(|(node, _)| *node == at) && kept == self.kept;
        if self.diverged.is_some() || is_shown {
            return;
        }
        self.kept = kept;
        self.follow_episode();
        let situation = super::situation::of(self);
        self.shown = Some((at, situation.truth.clone()));
        self.tell(Notice::Situation(Arc::new(situation)));
    }
}

pub(super) fn diverged_words(difference: &str) -> String {
    format!(
        "the world does not answer as recorded: {difference}. The session is open for reading; go to an earlier step to go on from there"
    )
}
