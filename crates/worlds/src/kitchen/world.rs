//! Kitchen as a simulated world: an episode of a task in a scene.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::program::{self, Observation};
use super::scene::Task;
use super::simulation::Simulation;
use super::{Goal, Rules, Source, facts, floor_plan, observe, planning, truth};
use crate::Simulated;
use stepwright_program::{Call, Literal};
use stepwright_trajectory::Step;
use stepwright_world::planner::classical::{PlanningTask, Unseen};
use stepwright_world::{Atom, Facts, Map, Outcome, ProgramHeader, Symbols, WorldError, WorldKind};

#[derive(Debug, Clone)]
pub struct Episode {
    task: Arc<Task>,
    simulation: Simulation,
    observed: Arc<Observation>,
    /// How many goals are met, for good.
    met: usize,
}

pub type KitchenWorld = Simulated<Episode>;

impl KitchenWorld {
    pub fn new(source: impl Into<Arc<Source>>, rules: impl Into<Rules>) -> Self {
        Simulated::over(source, rules.into())
    }

    /// The kitchen at this moment; `None` before the first reset.
    pub fn simulation(&self) -> Option<&Simulation> {
        self.episode().map(|e| &e.simulation)
    }

    /// Whether each goal of the task holds now, met before or not, in their order; none before the first reset.
    pub fn goals_holding(&self) -> Vec<bool> {
        self.episode().map_or_else(Vec::new, |e| e.task.goals.iter().map(|g| g.holds(e.simulation.state())).collect())
    }
}

impl Episode {
    fn open_goals(&self) -> Vec<Atom> {
        self.task.goals.iter().skip(self.met).map(|goal| goal.literal.clone()).collect()
    }

    fn view(&self) -> String {
        observe::view(self.simulation.scene(), self.simulation.state())
    }

    fn outcome(&mut self, observation: String) -> Outcome {
        let won = self.met >= self.task.goals.len();
        let observation_calls =
            Arc::make_mut(&mut self.observed).update(self.simulation.scene(), self.simulation.state());
        Outcome {
            observation,
            observation_calls,
            reward: if won { 1.0 } else { 0.0 },
            done: won,
            won,
            ..Outcome::default()
        }
    }

    fn actions(&self) -> Vec<String> {
        let wanted: BTreeSet<&str> =
            self.task.goals.iter().flat_map(|goal| &goal.literal.args).map(String::as_str).collect();
        let wanted = wanted.into_iter().filter(|name| self.simulation.scene().find(name).is_some()).collect();
        facts::sensible(self.simulation.scene(), self.simulation.state(), &wanted)
    }
}

impl crate::Episode for Episode {
    type Tasks = Source;
    type Options = Rules;

    fn kind() -> &'static WorldKind {
        &super::KIND
    }

    fn begin(source: &Source, rules: Rules, task: &str) -> Result<(Self, Outcome), WorldError> {
        let (scene, task) = source.task(task)?;
        let state = scene.start_of(&task);
        let simulation = Simulation::at(scene, state, rules);
        let mut episode = Episode { simulation, task: Arc::new(task), observed: Arc::default(), met: 0 };
        let observation = format!("{}\n\n{}", episode.task.text, episode.view());
        let outcome = episode.outcome(observation);
        Ok((episode, outcome))
    }

    fn is_same_task(&self, other: &Self) -> bool {
        self.simulation.scene().id == other.simulation.scene().id && self.task.name == other.task.name
    }

    /// A refused action's outcome says why in the simulator's words.
    fn act(&mut self, text: &str) -> Outcome {
        let end = self.simulation.perform(text);
        // Goals are met in order, one an action, and stay met.
        if Simulation::understands(text)
            && let Some(goal) = self.task.goals.get(self.met)
            && goal.holds(self.simulation.state())
        {
            self.met += 1;
        }
        match end {
            Ok(()) => {
                let call = program::call_of(text);
                let sliced = call.as_ref().filter(|call| call.function == "slice").and_then(|call| call.args.first());
                let note = sliced.map(|thing| {
                    Call::new("kitchen", "set_property", [thing.clone(), Literal::from("sliced"), Literal::from(true)])
                });
                let mut outcome = self.outcome(self.view());
                outcome.observation_calls.extend(note);
                outcome.action_call = call;
                outcome
            }
            Err(message) => Outcome { error: Some(message.clone()), ..self.outcome(message) },
        }
    }

    fn admissible(&self) -> Option<Vec<String>> {
        Some(self.actions())
    }

    fn truth(&self) -> Value {
        truth::truth(&self.simulation, &self.task.goals, self.met)
    }

    fn call_of(_world: &KitchenWorld, text: &str) -> Option<Call> {
        program::call_of(text)
    }

    fn text_of(_world: &KitchenWorld, call: &Call) -> Option<String> {
        program::text_of(call)
    }

    fn header(world: &KitchenWorld) -> ProgramHeader {
        let known =
            world.episode().map(|e| (e.simulation.scene().id.as_str(), e.task.name.as_str(), e.task.text.as_str()));
        let (scene, name, text) = known.unwrap_or_default();
        program::header(scene, name, text)
    }

    fn specification(_world: &KitchenWorld) -> Cow<'static, str> {
        Cow::Borrowed(include_str!("../../worlds/kitchen/spec.py"))
    }

    fn symbols(&self) -> Option<&dyn Symbols> {
        Some(self)
    }

    fn picture(&self) -> Option<Map> {
        let left = self.task.goals.get(self.met..).unwrap_or_default();
        let (scene, state) = (self.simulation.scene(), self.simulation.state());
        Some(Map::FloorPlan(floor_plan::floor_plan(scene, state, &self.observed, left)))
    }
}

impl Symbols for Episode {
    fn facts(&self) -> Facts {
        facts::facts(self.simulation.scene(), self.simulation.state())
    }

    fn goals(&self) -> Option<Vec<Atom>> {
        Some(self.open_goals())
    }

    fn everything(&self) -> Facts {
        facts::everything(self.simulation.scene(), self.simulation.state())
    }

    fn things(&self) -> Option<Vec<String>> {
        Some(self.simulation.things().map(|(id, ..)| id.to_owned()).collect())
    }

    fn goal_holds(&self, part: &Atom) -> Option<bool> {
        let goal = Goal::read(&part.to_string(), &self.simulation.scene().things).ok()?;
        Some(goal.holds(self.simulation.state()))
    }

    fn planning(
        &self,
        (task, _): (&str, &str),
        _history: &[Step],
        known: Unseen,
    ) -> Option<Result<PlanningTask, String>> {
        let facts = if known == Unseen::Everything { self.everything() } else { self.facts() };
        Some(planning::problem(task, &facts, &self.open_goals(), known))
    }
}
