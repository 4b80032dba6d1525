//! Command of an agent: how it is started, and what it is told.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use stepwright_proxy::{Options, Proxy, Upstream};

/// A proxy with the provider it leads to.
pub type Door = (Proxy, Arc<Upstream>);

/// How an agent is started.
#[derive(Debug, Clone, Default)]
pub struct AgentCommand {
    /// The program and its arguments; none for an agent that is started elsewhere. `{task}` and `{id}` stand for those of the task.
    pub words: Vec<String>,
    /// Variables beside the usual ones, `{url}` and `{root}` for the proxy's address.
    pub variables: Vec<(String, String)>,
    /// Where its model answers, in place of what its own variables say.
    pub upstream: Option<String>,
    /// The folder of which it gets a copy at each start; it runs where Stepwright does if `None`.
    pub workspace: Option<PathBuf>,
    pub keep_workspaces: bool,
    /// A command whose exit code says whether the goal is reached.
    pub success: Option<String>,
    /// Where the proxy listens; a port of its own choice on loopback if `None`.
    pub listen: Option<SocketAddr>,
    /// A proxy that listens already, for the first episode.
    pub open: Arc<Mutex<Option<Door>>>,
    /// Whether its output goes to this program's own.
    pub echo: bool,
    /// Whether it ended otherwise than with exit code 0, the last time it did.
    pub failed: Arc<AtomicBool>,
}

impl AgentCommand {
    /// Listens at once; the variables of an agent that is started elsewhere.
    pub fn listen_now(&self) -> Result<Vec<(String, String)>, String> {
        let door = self.door()?;
        let variables = door.0.variables(&self.variables, |_| None);
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(door);
        Ok(variables.into_iter().filter(|(name, _)| !name.eq_ignore_ascii_case("no_proxy")).collect())
    }

    /// The proxy that listens already, or a new one.
    pub fn door(&self) -> Result<Door, String> {
        if let Some(door) = self.open.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Ok(door);
        }
        let upstream = Arc::new(self.provider()?);
        let options = Options { listen: self.listen, ..Options::new(Arc::clone(&upstream)) };
        let proxy = Proxy::start(options).map_err(|e| format!("the proxy cannot be started: {e}"))?;
        Ok((proxy, upstream))
    }

    /// The provider that it asks.
    /// Errors: an address that is none, in words.
    pub fn provider(&self) -> Result<Upstream, String> {
        match &self.upstream {
            Some(address) => Upstream::at("--upstream", address),
            None => Upstream::of_variables(|name| std::env::var(name).ok()),
        }
    }

    /// The command as a person would type it, without what may be secret in it: it is shown and kept.
    pub fn command_line(&self) -> String {
        crate::adapter::shown(&self.words)
    }
}
