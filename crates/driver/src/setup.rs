//! Setup: what a driver is started with.

use std::path::PathBuf;
use std::sync::Arc;

use super::service::Service;
use super::source::{MethodResolver, Resolver, Source};
use stepwright_episode::Assertions;
use stepwright_episode::{Header, Policy, Record, Session, log};
use stepwright_method::prompting::Prompting;
use stepwright_method::{Knowledge, Method};
use stepwright_sandbox::{Limits, Workers};
use stepwright_world::World;

/// Unix time in milliseconds.
pub type Clock = Arc<dyn Fn() -> u64 + Send + Sync>;

pub fn system_clock() -> Clock {
    Arc::new(|| {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        since.map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX))
    })
}

/// The sandbox that ships: this program again, as workers. Nothing is started before the first program runs.
pub fn sandbox() -> Workers {
    Workers::of_this_program(Limits::default())
}

/// The session's beginning: a task of a world, or the records of a log.
pub enum Beginning {
    /// A new session; the world is reset to the header's task.
    New(Box<Header>),
    Resume {
        session: Box<Session>,
        records: Vec<Record>,
    },
}

#[derive(Debug)]
pub enum Persistence {
    Nothing,
    /// Nowhere, and nothing is changed: the session is only read.
    Reading,
    Log(log::Writer),
    /// In a new file, made when the first record is added: for sessions that are opened to be read.
    Copy(PathBuf),
}

/// The parts of a driver, put together by the composition root.
pub struct Setup {
    pub beginning: Beginning,
    /// The world, loaded, with the task among its tasks.
    pub world: Box<dyn World>,
    pub method: Arc<dyn Method>,
    pub source: Source,
    pub resolver: Resolver,
    pub methods: MethodResolver,
    pub knowledge: Knowledge,
    pub prompting: Prompting,
    pub sandbox: Workers,
    pub services: Vec<Box<dyn Service>>,
    pub keep: Persistence,
    /// Assertions that a new session begins with, in place of the specification's; of other actions these stay.
    pub adopted: Vec<Assertions>,
    /// The text of a form of states of a person's own, which a new session begins with; of logs that do not hold the text, what it was.
    pub form: Option<String>,
    /// The policy a new session begins with; a person decides everything if `None`.
    pub policy: Option<Policy>,
    /// Nobody watches: nothing is asked for once the policy's steps are used up.
    pub headless: bool,
    pub clock: Clock,
    pub remarks: Vec<String>,
}
