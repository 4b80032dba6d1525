//! Agent world: any program that asks a language model over HTTP, behind a proxy. An action is the answer that it receives, an
//! observation what its next request adds to the conversation, and the end is the end of its process.
//!
//! `command` says how an agent is started, `tasks` which tasks there are, `said` how a request reads, `link` runs the process and the proxy and brings both
//! to the step that is wanted by feeding recorded answers, `world` is the [`World`](super::World) over them. Answers as actions are
//! `crate::answer`. Which model is asked, and what a person decides, is known elsewhere.

mod command;
mod link;
mod said;
mod tasks;
#[cfg(test)]
mod tests;
mod world;

pub use command::AgentCommand;

use super::{Ability, DataSpec, Lines, WorldKind};
use crate::options::{Kind, OptionSpec};

const WORKSPACE: OptionSpec =
    OptionSpec::new("workspace", "Workspace", Kind::Text, "The folder of which the agent gets a copy at each start.");

const SUCCESS: OptionSpec = OptionSpec::new(
    "success",
    "Success",
    Kind::Text,
    "A command in the workspace whose exit code says whether the goal is reached.",
);

pub static KIND: WorldKind = WorldKind {
    options: &[WORKSPACE, SUCCESS],
    data: Some(DataSpec {
        about: "tasks of an agent: a JSON object a line with id and task (docs/reference/agent.md)",
        env: "STEPWRIGHT_AGENT_TASKS",
        lies_at: tasks::lie_at,
        demonstrations: false,
    }),
    steps: 200,
    method: Some("relay"),
    abilities: &[Ability::Answers, Ability::Remote],
    lines: Some(Lines {
        edited: crate::answer::edited,
        example: "What it says, then its calls: name({…}) with the arguments as JSON, or tools.name(argument=value).",
    }),
    ..WorldKind::new(
        "agent",
        "any agent that asks a model over HTTP, behind a proxy (stepwright gate -- COMMAND)",
        tasks::read,
    )
};
