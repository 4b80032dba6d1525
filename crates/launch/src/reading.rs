//! Reading: a recorded session in a world of its own, gone through node by node without a terminal and without writing anything: for
//! exports that show more than the log holds (the state at a step, the tree, a belief beside the truth).

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::error::OpenError;
use super::open::prepare_loaded;
use crate::config::Config;
use stepwright_driver::{Persistence, Setup, start};
use stepwright_episode::{NodeId, ProposalId, log};
use stepwright_protocol::{Command, Handle, Level, Notice, Request, Situation};
use stepwright_world::Sources;

/// How long a step may take to be reached; at the first, what the demonstrations show is found out too.
const PATIENCE: Duration = Duration::from_secs(60);

/// A recorded session that is only looked at: it has a world, and nothing is written.
#[derive(Debug)]
pub struct Reading {
    handle: Handle,
    here: Option<Arc<Situation>>,
}

impl Reading {
    /// Opens a session that was read from its log. Must be called within a tokio runtime.
    /// Errors: as opening it in the workbench: its world is not there, its data are not.
    pub fn open(loaded: log::Loaded, config: &Config, sources: &Sources) -> Result<Self, OpenError> {
        let setup = prepare_loaded(loaded, Persistence::Reading, config, sources)?;
        // What is found out beside the episode would be shown again once it is known, and an export shows a node once: here it is found out
        // on the way, so that the same session gives the same export.
        let services = stepwright_service::all(config.candidates, config.paths.shelf(), false);
        let handle = start(Setup { services, ..setup }).map_err(OpenError::Failed)?;
        Ok(Reading { handle, here: None })
    }

    /// Goes to a node; everything the driver says on the way is handed to `seen`, in order.
    pub async fn go(&mut self, to: NodeId, seen: &mut (dyn FnMut(Notice) + Send)) -> Result<Arc<Situation>, String> {
        if self.here.is_none() {
            // What opening says ends with the situation where the session was left.
            let opened = self.until(seen, |n| matches!(n, Notice::Situation(_))).await?;
            self.arrive(opened);
        }
        if self.here.as_ref().is_none_or(|s| s.node != to) {
            self.send(Command::Gate(Request::Goto(to)))?;
            let there = self.until(seen, |n| matches!(n, Notice::Situation(s) if s.node == to)).await?;
            self.arrive(there);
        }
        self.here.clone().ok_or_else(|| "the session says nothing of its state".to_owned())
    }

    /// Has a proposal of the present node explained.
    /// Errors: where the answer does not come in time.
    pub async fn explain(&mut self, proposal: ProposalId, seen: &mut (dyn FnMut(Notice) + Send)) -> Result<(), String> {
        self.send(Command::Explain { proposal })?;
        let answered = |n: &Notice| matches!(n, Notice::Blocking { proposal: of, .. } if *of == proposal);
        self.until(seen, answered).await.map(|_| ())
    }

    fn arrive(&mut self, notice: Notice) {
        if let Notice::Situation(situation) = notice {
            self.here = Some(situation);
        }
    }

    fn send(&self, command: Command) -> Result<(), String> {
        self.handle.commands.send(command).map_err(|_| "the session was closed".to_owned())
    }

    /// Hands on what is said until something in particular is; errors end the waiting.
    async fn until(
        &mut self,
        seen: &mut (dyn FnMut(Notice) + Send),
        wanted: impl Fn(&Notice) -> bool,
    ) -> Result<Notice, String> {
        loop {
            let next = timeout(PATIENCE, self.handle.notices.recv()).await;
            let notice = next.map_err(|_| "the session did not answer in time".to_owned())?;
            let notice = notice.ok_or_else(|| "the session was closed".to_owned())?;
            if let Notice::Say { level: Level::Error, text } = &notice {
                return Err(text.clone());
            }
            seen(notice.clone());
            if wanted(&notice) {
                return Ok(notice);
            }
        }
    }
}
