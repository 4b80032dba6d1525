//! The driver of one session: its state, and how that begins.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use super::jobs::Jobs;
use super::journal::Journal;
use super::messages::{Beside, Message, Outlets};
use super::models::Models;
use super::service::Services;
use super::setup::{Beginning, Persistence, Setup};
use super::source::roles_of;
use super::timeline::{self, Timeline};
use stepwright_belief::form;
use stepwright_episode::gate::{Answer, Effect, Report, Request, Ticket};
use stepwright_episode::{Assertions, Gate, NodeId, Record, Role, Session};
use stepwright_method::options::{BELIEF, FORM};
use stepwright_method::program_context::ProgramContext;
use stepwright_method::{Context, Knowledge, LivedPath, MethodStack, Past, VetoedAction};
use stepwright_protocol::{Level, Notice};
use stepwright_world::options::Values;
use stepwright_world::state_form::StateForm;

/// The last state shown to the watchers.
#[derive(Default)]
pub(super) struct Shown {
    pub(super) at: Option<(NodeId, serde_json::Value)>,
    /// The action that the method kept from being tried there.
    pub(super) vetoed: Option<VetoedAction>,
}

pub(super) struct Driver {
    pub(super) gate: Gate,
    pub(super) timeline: Timeline,
    pub(super) program: ProgramContext,
    pub(super) knowledge: Knowledge,
    pub(super) stack: MethodStack,
    pub(super) models: Models,
    pub(super) journal: Journal,
    pub(super) jobs: Jobs,
    pub(super) services: Services,
    pub(super) outlets: Outlets,
    /// Nobody watches.
    pub(super) headless: bool,
    pub(super) effects: VecDeque<Effect>,
    /// Queued requests that ended since they were last looked at.
    pub(super) ended: Vec<(Ticket, Answer)>,
    /// Why world and program are not where the session is.
    pub(super) diverged: Option<String>,
    pub(super) shown: Shown,
    /// The path to the cursor, as methods read it last.
    pub(super) lived: LivedPath,
}

impl Driver {
    pub(super) fn begin(
        setup: Setup,
        notices: UnboundedSender<Notice>,
        messages: UnboundedSender<Message>,
        beside: Beside,
    ) -> Result<Self, String> {
        let Setup { beginning, mut world, method, source, resolver, methods, mut knowledge, mut prompting, .. } = setup;
        let Setup { sandbox, services, keep, adopted, form, policy, headless, clock, mut remarks, .. } = setup;
        let (session, records) = match beginning {
            Beginning::New(header) => (Session::new(*header), Vec::new()),
            Beginning::Resume { session, records } => (*session, records),
        };
        prompting.options = Values::read(methods.built_in.options_with(method.info().options), &session.options)
            .map_err(|e| e.to_string())?;
        let mut program = ProgramContext::load(&session.header.specification)?;
        let (reset, calls) = timeline::reset(world.as_mut(), &session).map_err(|e| e.to_string())?;
        knowledge.meet(world.as_ref(), &session.header.task);
        for (action, (assertions, origin)) in session.assertions() {
            let (assertions, origin) = (assertions.clone(), origin.clone());
            program.adopt(&Assertions { action: action.clone(), assertions, origin })?;
        }
        let started = session.is_started();
        let (roles, gone) = roles_of(&session.options, &[&source], &resolver);
        for (_, why) in gone {
            // Models that are gone must not keep anyone from reading the session.
            if !started {
                return Err(why);
            }
            // Of a session that is only read nothing is asked.
            if !matches!(keep, Persistence::Reading) {
                remarks.push(format!("{why}; the model in use is asked in its place"));
            }
        }
        let mut assertions = program.assertions();
        for adopted in adopted.into_iter().filter(|_| !started) {
            program.adopt(&adopted)?;
            assertions.retain(|own| own.action != adopted.action);
            assertions.push(adopted);
        }
        let derived = MethodStack::begin(&knowledge, world.as_ref());
        let given = form.as_deref().map(|text| StateForm::load(text, FORM.key)).transpose();
        let given = given.map_err(|e| e.to_string())?.map(Arc::new);
        let mut timeline = Timeline::new(world, &program, derived.into_iter().collect(), &calls, given);
        if prompting.options.is(&BELIEF, "on") || method.info().keeps_belief() {
            timeline.track_truth(session.node(0));
        } else {
            timeline.take_form(session.node(0));
        }
        let path = match &keep {
            Persistence::Log(log) => Some(log.path().to_owned()),
            Persistence::Nothing | Persistence::Reading | Persistence::Copy(_) => None,
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
        let reads = matches!(keep, Persistence::Reading);
        let (mut gate, mut effects) =
            if started { Gate::resume(session, now, reads) } else { (Gate::new(session), Vec::new()) };
        gate = gate.treating(methods.built_in.conducts());
        if headless {
            gate = gate.headless();
        }
        if !started {
            let (form, belief) = (form.as_deref().map(form::document), timeline.truth());
            effects.extend(gate.request(Request::Begin { outcome: reset, assertions, policy, form, belief }, now).1);
        }
        let mut driver = Driver {
            gate,
            timeline,
            program,
            knowledge,
            stack: MethodStack::new(method, &prompting.options),
            models: Models::new((source, roles), prompting, sandbox, (resolver, methods)),
            journal: Journal::new(keep, records, (started, !started && !headless)),
            jobs: Jobs::default(),
            services: Services::new(services),
            outlets: Outlets { messages, notices, clock, beside },
            headless,
            effects: effects.into(),
            ended: Vec::new(),
            diverged,
            shown: Shown::default(),
            lived: LivedPath::default(),
        };
        driver.watch_world();
        driver.say_warnings();
        if let Some(first) = remarks.first() {
            let more = if remarks.len() > 1 { format!("; and {} more", remarks.len() - 1) } else { String::new() };
            driver.say(Level::Warning, format!("{first}{more}"));
        }
        driver.open_services();
        if let Some(difference) = driver.diverged.clone() {
            driver.say_diverged(&difference);
        }
        Ok(driver)
    }

    pub(super) fn context(&self, samples: Option<u32>) -> Context<'_> {
        self.context_in(self.gate.session(), samples)
    }

    /// The same in a session that is elsewhere, where the world is too.
    pub(super) fn context_in<'a>(&'a self, session: &'a Session, samples: Option<u32>) -> Context<'a> {
        let proposer = self.models.role_models.of(Role::Proposer);
        Context {
            session,
            round: self.gate.round(),
            samples,
            world: self.timeline.world.as_ref(),
            program: &self.program,
            state: &self.timeline.state,
            model: &proposer.traits,
            prompting: &proposer.prompting,
            role_models: &self.models.role_models,
            knowledge: &self.knowledge,
            past: Past {
                requests: self.timeline.requests(),
                derived: &self.timeline.derived,
                truth: self.timeline.belief_truth(),
                is_own_form: self.timeline.is_own_form(),
                lived: &self.lived,
            },
            sandbox: &self.models.sandbox,
        }
    }

    /// Brings what methods derive from the episode to the cursor, and begins what is needed and not there.
    pub(super) fn follow_episode(&mut self) {
        if self.diverged.is_some() || self.timeline.world.remote().is_some() {
            return;
        }
        self.timeline.catch_up(self.gate.session());
        let begun = self.stack.follow(&self.context(None));
        let edits = self.gate.session().current().map(|n| n.tree_edits_here()).unwrap_or_default();
        self.timeline.begin_deriving(begun, &edits);
    }

    /// Drops what was derived from the assertions in force: they or the method are others now.
    pub(super) fn forget_assertions(&mut self) {
        if self.timeline.forget() {
            self.shown.at = None;
        }
    }

    pub(super) fn report(&mut self, report: Report) {
        let now = (self.outlets.clock)();
        self.effects.extend(self.gate.report(report, now));
    }

    pub(super) fn say(&self, level: Level, text: impl Into<String>) {
        self.tell(Notice::Say { level, text: text.into() });
    }

    /// Says that the world is not where the session is.
    pub(super) fn say_diverged(&self, difference: &str) {
        self.say(Level::Error, self.diverged_in_words(difference));
    }

    /// That the world is not where the session is; where that is only read, nothing is advised.
    pub(super) fn diverged_in_words(&self, difference: &str) -> String {
        if self.journal.only_reads() { differs(difference) } else { diverged_words(difference) }
    }

    pub(super) fn tell(&self, notice: Notice) {
        let _ = self.outlets.notices.send(notice);
    }
}

fn differs(difference: &str) -> String {
    format!("the world does not answer as recorded: {difference}")
}

pub(super) fn diverged_words(difference: &str) -> String {
    let differs = differs(difference);
    format!("{differs}. The session is open for reading; go on from a step before it, if there is one, or begin anew")
}

/// The same where the difference is at the start: there is no step before it.
pub(super) fn begun_otherwise_words(difference: &str) -> String {
    let differs = differs(difference);
    format!("{differs}. It begins otherwise than recorded: only a new session goes on from here")
}
