//! `stepwright pddl`: a task as a planning domain and problem, and the plan found for it.

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::world::{WorldName, WorldOptions};
use super::{CliError, Global, print, print_file};
use stepwright_world::planner::classical::{Limits, PlanningTask, Unseen};
use stepwright_world::{Ability, OpenSpec, OpenedWorld, refusal};
use stepwright_worlds::WORLDS;

/// Prints a task as PDDL, in worlds with a planning domain.
#[derive(Debug, Args)]
pub(crate) struct Pddl {
    /// The world
    #[arg(help = planned_for())]
    world: WorldName,
    #[command(flatten)]
    options: WorldOptions,
    /// The task's id, or an unambiguous part of it; the first task if absent
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// The planner's knowledge: what is seen at the beginning and that goal things are in the room, what is seen alone, or everything
    #[arg(long, value_name = "room|limited|full", default_value = "room")]
    knowledge: Knowledge,
    /// Print the domain in place of the problem
    #[arg(long, conflicts_with = "plan")]
    domain: bool,
    /// Print a plan for the problem, checked step by step, in place of the problem
    #[arg(long)]
    plan: bool,
}

/// The planner's knowledge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Knowledge {
    /// Things in sight, and that goal things are in the room
    Room,
    /// Things in sight
    Limited,
    /// Everything
    Full,
}

impl Pddl {
    /// Prints what was asked for; exit code 1 if a plan was and there is none.
    pub fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        let (name, options) = (self.world.name(), self.options.of(self.world)?);
        let task = self.task.as_deref().unwrap_or_default();
        if let Some(why) = refusal("pddl", &[Ability::Planning], self.world.kind(), WORLDS) {
            return Err(CliError::Usage(why));
        }
        let data = global.load()?.data.or_named(name, self.options.data.clone());
        let spec = OpenSpec { world: name, data: data.as_deref(), options: &options, task };
        let problem = self.problem(stepwright_worlds::sources().open(&spec)?)?;
        if self.domain {
            print_file(problem.domain)?;
        } else if !self.plan {
            print_file(&problem.problem)?;
        } else {
            match problem.plan(&Limits::default()) {
                Ok(steps) => steps.iter().try_for_each(|step| print(&format!("({step})\n")))?,
                Err(none) => {
                    print(&format!("; {none}\n"))?;
                    return Ok(ExitCode::from(1));
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    fn problem(&self, opened: OpenedWorld) -> Result<PlanningTask, CliError> {
        let OpenedWorld { mut world, task, sentence, .. } = opened;
        let reset = world.reset(&task, 0)?;
        let known = match self.knowledge {
            Knowledge::Room => Unseen::InRoom,
            Knowledge::Limited => Unseen::Nothing,
            Knowledge::Full => Unseen::Everything,
        };
        let shown = reset.into_step("");
        let problem = world.symbols().and_then(|symbols| symbols.planning((&task, &sentence), &[shown], known));
        let none = || Err(format!("{task}: this task has no goal that can be planned for"));
        problem.unwrap_or_else(none).map_err(CliError::Failed)
    }
}

fn planned_for() -> String {
    let planned = WORLDS.iter().filter(|kind| kind.abilities.contains(&Ability::Planning)).map(|kind| kind.name);
    format!("The world, one with a planning domain: {}", planned.collect::<Vec<_>>().join(" or "))
}
