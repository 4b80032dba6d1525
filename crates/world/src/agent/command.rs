//! Command of an agent: how it is started, and what it is told.

use std::net::SocketAddr;
use std::path::PathBuf;

/// How an agent is started.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
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
    /// Whether its output goes to this program's own.
    pub echo: bool,
}

impl AgentCommand {
    /// The command as a person would type it, without what may be secret in it: it is shown and kept.
    pub fn command_line(&self) -> String {
        let shown = stepwright_secret::shown_words(&self.words);
        shlex::try_join(shown.iter().map(String::as_str)).unwrap_or_else(|_| shown.join(" "))
    }
}
