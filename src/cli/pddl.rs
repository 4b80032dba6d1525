//! `stepwright pddl`: a task as a planning domain and problem, and the plan found for it.

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::world::{WorldName, WorldOptions};
use super::{CliError, print};
use crate::planner::Observed;
use crate::planner::classical::{Known, Limits, PlanningTask, household};
use crate::planner::household::belief::Belief;
use crate::world::{Ability, OpenSpec, OpenedWorld, Sources, WORLDS, World, household as house, refusal};

/// Prints a task of the kitchen or the household as PDDL.
#[derive(Debug, Args)]
pub struct Pddl {
    /// The world: kitchen or household
    world: WorldName,
    #[command(flatten)]
    options: WorldOptions,
    /// The task's id, or an unambiguous part of it; the first task if absent
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// What is known: what is seen at the beginning and that goal things are in the room, what is seen alone, or everything
    #[arg(long, value_name = "room|limited|full", default_value = "room")]
    knowledge: Knowledge,
    /// Print the domain in place of the problem
    #[arg(long, conflicts_with = "plan")]
    domain: bool,
    /// Print a plan for the problem, checked step by step, in place of the problem
    #[arg(long)]
    plan: bool,
}

/// What is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Knowledge {
    /// What is seen, and that goal things are in the room
    Room,
    /// What is seen
    Limited,
    /// Everything
    Full,
}

impl Pddl {
    /// Prints what was asked for; exit code 1 if a plan was and there is none.
    ///
    /// # Errors
    /// If the task cannot be loaded or has no goal that can be planned for.
    pub fn run(self) -> Result<ExitCode, CliError> {
        let (name, options) = (self.world.name(), self.options.of(self.world)?);
        let task = self.task.as_deref().unwrap_or_default();
        if let Some(why) = refusal("pddl", &[Ability::Planning], self.world.kind(), WORLDS) {
            return Err(CliError::Usage(why));
        }
        let spec = OpenSpec { world: name, data: self.options.data.as_deref(), options: &options, task };
        let problem = self.problem(Sources::default().open(&spec)?)?;
        if self.domain {
            print(problem.domain())?;
        } else if !self.plan {
            print(problem.problem())?;
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
            Knowledge::Room => Known::InRoom,
            Knowledge::Limited => Known::Nothing,
            Knowledge::Full => Known::Everything,
        };
        let problem = match self.world.name() {
            name if name == house::KIND.name => {
                let belief = match known {
                    Known::Everything => household::everything(&world.truth()),
                    Known::InRoom | Known::Nothing => Belief::of(&[Observed {
                        observation: reset.observation,
                        calls: reset.observation_calls,
                        ..Observed::default()
                    }]),
                };
                PlanningTask::household(&task, &sentence, &belief, known)
            }
            _ => kitchen(world.as_ref(), &task, known),
        };
        problem.map_err(CliError::Failed)
    }
}

fn kitchen(world: &dyn World, task: &str, known: Known) -> Result<PlanningTask, String> {
    let facts = if known == Known::Everything { world.everything() } else { world.facts() };
    match (facts, world.goals()) {
        (Some(facts), Some(goals)) => PlanningTask::kitchen(task, &facts, &goals, known),
        _ => Err(format!("the world {} has no goals to plan for; kitchen and household have", world.name())),
    }
}
