//! `stepwright play`: a world's task by hand, as a prompt to type at or as the line protocol.

mod protocol;
mod repl;
mod serve;

use std::process::ExitCode;

use clap::Args;

use super::world::{WorldName, WorldOptions};
use super::{CliError, Global, print};
use stepwright_world::{OpenSpec, OpenedWorld};

/// Plays a task.
#[derive(Debug, Args)]
pub struct Play {
    /// The world
    world: WorldName,
    #[command(flatten)]
    options: WorldOptions,
    /// The task's id, or an unambiguous part of it; if absent the first one, or what the world begins with by itself
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// The world's seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Speak the line protocol: one JSON object for the reset, then one for each action read from standard input
    #[arg(long)]
    jsonl: bool,
    /// With --jsonl: add the world's hidden state to each object
    #[arg(long, requires = "jsonl")]
    state: bool,
    /// With --jsonl: add the facts the agent can know and the goals, as literals, to each object, where the world has them
    #[arg(long, requires = "jsonl")]
    facts: bool,
    /// With --jsonl: read requests in place of action texts, {"reset": "TASK"} or {"act": "TEXT"}: the other side of the external world
    #[arg(long, requires = "jsonl")]
    serve: bool,
    /// List the tasks and end
    #[arg(long, conflicts_with_all = ["jsonl", "task"])]
    list: bool,
}

impl Play {
    pub fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        global.command_suits(self.world)?;
        let (name, options) = (self.world.name(), self.options.of(self.world)?);
        let config = global.load()?;
        let data = config.data.or_named(name, self.options.data.clone());
        let data = data.as_deref();
        let sources = stepwright_worlds::sources().with_adapters(config.external);
        if self.list {
            let mut text = String::new();
            for task in sources.told(name, data)? {
                // A line and three columns each, whatever the data's names hold.
                let cell = |text: &str| text.replace(['\n', '\r', '\t'], " ");
                text.push_str(&format!("{}\t{}\t{}\n", cell(&task.id), cell(&task.kind), cell(&task.sentence)));
            }
            print(&text)?;
            return Ok(ExitCode::SUCCESS);
        }
        let task = self.task.as_deref().unwrap_or_default();
        let open = |task: &str| sources.open(&OpenSpec { world: name, data, options: &options, task });
        let OpenedWorld { mut world, task, sentence, .. } = open(task)?;
        let wishes = protocol::Wishes { state: self.state, facts: self.facts };
        // The prompt locks them line by line.
        let (input, output) = (|| std::io::stdin().lock(), || std::io::stdout().lock());
        if self.serve {
            let begin = |wanted: &str| open(if wanted.is_empty() { &task } else { wanted });
            serve::serve(begin, self.seed, wishes, input(), output())?;
            return Ok(ExitCode::SUCCESS);
        }
        let reset = world.reset(&task, self.seed)?;
        if self.jsonl {
            protocol::speak(world.as_mut(), &reset, wishes, input(), output())?;
        } else {
            let goal = protocol::goal(world.as_ref(), &task, &sentence);
            repl::play(world.as_mut(), &reset, &goal)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
