//! Services: workbenches beside the episode, in a list that the driver does not look into.
//!
//! A service answers commands of its own. What it wants of the episode it asks of the gate, and what takes long is a job beside the
//! driver's task; both are put to its [`SessionView`], and their ends come back to it. So nothing of a service happens before its record,
//! and Esc and quitting stop all its work.

use std::any::Any;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Deref;
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use super::models::Models;
use super::source::{MethodResolver, Resolver, Roles, Source};
use super::timeline::Timeline;
use stepwright_episode::gate::{Answer, Request, Ticket};
use stepwright_episode::{AskId, Event, Record, Session};
use stepwright_method::program_context::ProgramContext;
use stepwright_method::prompting::Prompting;
use stepwright_method::{Answer as ModelAnswer, Knowledge, Stop};
use stepwright_protocol::{Command, Level, Notice};
use stepwright_sandbox::Workers;
use stepwright_world::World;

pub type RequestId = u64;

/// The result of a piece of work, in the service's own type; in words, where the program itself broke in it.
pub type WorkResult = Result<Box<dyn Any + Send>, String>;

/// A workbench beside the episode.
pub trait Service: Send {
    /// The session is open, and its watchers have been told so.
    fn opened(&mut self, _view: &mut SessionView<'_>) {}

    /// Takes a command of its own; gives any other back.
    fn command(&mut self, command: Command, view: &mut SessionView<'_>) -> Option<Command>;

    /// Takes in a record, once it is written and what follows from it is done.
    fn recorded(&mut self, _record: &Record, _view: &mut SessionView<'_>) {}

    /// Takes the end of a request: done or refused, which the person has been told.
    fn answered(&mut self, _request: RequestId, _answer: Answer, _view: &mut SessionView<'_>) {}

    /// Takes the end of an ask that a request of its own began; no answer where it failed or was cancelled.
    fn ask_ended(&mut self, _ask: AskId, _answer: Option<ModelAnswer>, _view: &mut SessionView<'_>) {}

    /// Takes the end of work; stopped work ends too.
    fn worked(&mut self, _result: WorkResult, _view: &mut SessionView<'_>) {}

    /// A person cancels: asks and work under way are being stopped, and what is not begun is to be forgotten.
    fn cancel(&mut self, _view: &mut SessionView<'_>) {}
}

/// A session with what it is played with.
pub struct SessionContext<'a> {
    pub session: &'a Session,
    pub program: &'a ProgramContext,
    pub world: &'a dyn World,
    /// The model in use.
    pub source: &'a Source,
    pub knowledge: &'a Knowledge,
    pub resolver: &'a Resolver,
    pub methods: &'a MethodResolver,
}

/// The session as a service sees it, and what it can want of it.
pub struct SessionView<'a> {
    pub(super) ground: SessionContext<'a>,
    /// What is learned is asked of it, and prompts are as it wants them.
    pub discoverer: &'a Source,
    pub(super) models: &'a Models,
    pub prompting: &'a Prompting,
    pub sandbox: &'a Workers,
    pub(super) timeline: &'a Timeline,
    /// Whether nobody watches: what is only shown need not be worked out.
    pub headless: bool,
    pub(super) notices: &'a UnboundedSender<Notice>,
    pub(super) wanted: &'a mut Vec<Wanted>,
    pub(super) last_request: &'a mut RequestId,
}

/// Copies of what a session is at its cursor.
pub struct Fork {
    pub(super) session: Session,
    pub(super) timeline: Timeline,
    pub(super) program: ProgramContext,
    pub(super) knowledge: Knowledge,
    pub(super) prompting: Prompting,
    pub(super) roles: Roles,
    pub(super) sandbox: Workers,
    pub(super) resolver: Resolver,
    pub(super) methods: MethodResolver,
}

#[allow(clippy::large_enum_variant, reason = "a few of them wait at a time")]
pub(super) enum Wanted {
    Request(RequestId, Request),
    Work(Work),
    /// Show the situation again.
    Show,
}

pub(super) type Work = Box<dyn FnOnce(&WorkDesk) -> Box<dyn Any + Send> + Send>;

impl<'a> Deref for SessionView<'a> {
    type Target = SessionContext<'a>;

    fn deref(&self) -> &SessionContext<'a> {
        &self.ground
    }
}

impl SessionView<'_> {
    /// Has something asked of the gate; its end comes to [`Service::answered`].
    pub fn request(&mut self, request: Request) -> RequestId {
        *self.last_request += 1;
        self.wanted.push(Wanted::Request(*self.last_request, request));
        *self.last_request
    }

    /// Has work done beside the driver's task; what it gives comes to [`Service::worked`].
    pub fn work<T: Send + 'static>(&mut self, work: impl FnOnce(&WorkDesk) -> T + Send + 'static) {
        self.wanted.push(Wanted::Work(Box::new(|desk| Box::new(work(desk)))));
    }

    /// Has the situation shown again: something that it is derived from is known now.
    pub fn show_again(&mut self) {
        self.wanted.push(Wanted::Show);
    }

    /// A copy of the session where it is, to be asked with something else; nothing of it comes back by itself.
    pub fn fork(&self) -> Fork {
        Fork {
            session: self.session.clone(),
            timeline: self.timeline.fork(),
            program: self.program.clone(),
            knowledge: self.knowledge.clone(),
            prompting: self.models.prompting().clone(),
            roles: self.models.roles.clone(),
            sandbox: self.sandbox.clone(),
            resolver: Arc::clone(self.resolver),
            methods: self.methods.clone(),
        }
    }

    pub fn say(&self, level: Level, text: impl Into<String>) {
        self.tell(Notice::Say { level, text: text.into() });
    }

    pub fn tell(&self, notice: Notice) {
        let _ = self.notices.send(notice);
    }
}

/// The means of work beside the driver's task.
pub struct WorkDesk {
    pub(super) stop: Stop,
    pub(super) notices: UnboundedSender<Notice>,
}

impl WorkDesk {
    pub fn keep_running(&self) -> bool {
        !self.stop.is_stopped()
    }

    pub fn tell(&self, notice: Notice) {
        let _ = self.notices.send(notice);
    }

    pub fn say(&self, level: Level, text: impl Into<String>) {
        self.tell(Notice::Say { level, text: text.into() });
    }
}

pub(super) type ServiceId = usize;

#[derive(Default)]
pub(super) struct Services {
    pub(super) list: Vec<Box<dyn Service>>,
    pub(super) last_request: RequestId,
    pub(super) wanted: VecDeque<(ServiceId, Wanted)>,
    pub(super) queued: BTreeMap<Ticket, (ServiceId, RequestId)>,
    pub(super) asks: BTreeMap<AskId, ServiceId>,
    heard: Option<(AskId, ModelAnswer)>,
    pub(super) ended: VecDeque<(AskId, Option<ModelAnswer>)>,
    pub(super) records: VecDeque<Arc<Record>>,
}

impl Services {
    pub(super) fn new(list: Vec<Box<dyn Service>>) -> Self {
        Services { list, ..Services::default() }
    }

    /// Notes what a model answered; whom it reaches is clear once it is recorded.
    pub(super) fn heard(&mut self, ask: AskId, answer: ModelAnswer) {
        self.heard = Some((ask, answer));
    }

    pub(super) fn recorded(&mut self, record: &Arc<Record>) {
        if self.list.is_empty() {
            return;
        }
        match &record.event {
            Event::Answered { ask, .. } => {
                if let Some((ask, answer)) = self.heard.take_if(|(heard, _)| heard == ask) {
                    self.ended.push_back((ask, Some(answer)));
                }
            }
            Event::AskFailed { ask, .. } => self.ended.push_back((*ask, None)),
            _ => {}
        }
        self.records.push_back(Arc::clone(record));
    }
}
