//! Agent world: any program that asks a language model over HTTP, behind a proxy. An action is the answer that it receives, an
//! observation what its next request adds to the conversation, and the end is the end of its process.
//!
//! `stepwright_world::AgentCommand` says how an agent is started, `task` what it is to do, `tasks` which tasks there are, `said` how a request reads, `link` runs the process and the proxy and brings both
//! to the step that is wanted by feeding recorded answers, `world` is the [`World`](stepwright_world::World) over them. Answers as actions are
//! `stepwright_world::answer`. Which model is asked, and what a person decides, is known elsewhere.

mod link;
mod said;
mod task;
mod tasks;
#[cfg(test)]
mod tests;
mod world;

use stepwright_world::{Ability, DataSpec, Lines, WorldKind};
use task::{SUCCESS, WORKSPACE};

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
        edited: stepwright_world::answer::edited,
        example: "What it says, then its calls: name({…}) with the arguments as JSON, or tools.name(argument=value).",
    }),
    ..WorldKind::new(
        "agent",
        "any agent that asks a model over HTTP, behind a proxy (stepwright gate -- COMMAND)",
        tasks::read,
    )
};
