//! The kitchen as a [`World`]: a source of scenes and, once reset, an episode.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::program::{self, Told};
use super::scene::Task;
use super::simulation::Simulation;
use super::{Find, Goal, Source, facts, observe, plan, truth};
use crate::program::{Call, Literal};
use crate::world::{Atom, Facts, Map, Outcome, ProgramHeader, Snapshot, TaskInfo, World, WorldError, WorldKind};

/// A running episode.
#[derive(Debug, Clone)]
struct Episode {
    task: Arc<Task>,
    simulation: Simulation,
    told: Arc<Told>,
    /// How many goals are met, for good.
    met: usize,
}

/// The kitchen world.
#[derive(Debug, Clone)]
pub struct KitchenWorld {
    source: Arc<Source>,
    find: Find,
    episode: Option<Episode>,
}

impl KitchenWorld {
    /// A world over the scenes of a source.
    pub fn new(source: impl Into<Arc<Source>>, find: Find) -> Self {
        KitchenWorld { source: source.into(), find, episode: None }
    }

    /// The kitchen at this moment; `None` before the first reset.
    pub fn simulation(&self) -> Option<&Simulation> {
        self.episode.as_ref().map(|e| &e.simulation)
    }
}

impl KitchenWorld {
    /// Whether each goal of the task holds now, met before or not, in their order; none before the first reset.
    pub fn goals_holding(&self) -> Vec<bool> {
        let episode = self.episode.as_ref();
        episode.map_or_else(Vec::new, |e| e.task.goals.iter().map(|g| g.holds(e.simulation.state())).collect())
    }
}

impl Episode {
    /// Does an action; the outcome of a refused one says so in the simulator's words.
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

    fn view(&self) -> String {
        observe::view(self.simulation.scene(), self.simulation.state())
    }

    fn outcome(&mut self, observation: String) -> Outcome {
        let won = self.met >= self.task.goals.len();
        let observation_calls = Arc::make_mut(&mut self.told).update(self.simulation.scene(), self.simulation.state());
        Outcome {
            observation,
            admissible: Some(self.admissible()),
            action_call: None,
            observation_calls,
            error: None,
            reward: if won { 1.0 } else { 0.0 },
            done: won,
            won,
        }
    }

    fn admissible(&self) -> Vec<String> {
        let wanted: BTreeSet<&str> =
            self.task.goals.iter().flat_map(|goal| &goal.literal.args).map(String::as_str).collect();
        let wanted = wanted.into_iter().filter(|name| self.simulation.scene().find(name).is_some()).collect();
        facts::sensible(self.simulation.scene(), self.simulation.state(), &wanted)
    }

    fn truth(&self) -> Value {
        truth::truth(&self.simulation, &self.task.goals, self.met)
    }
}

impl World for KitchenWorld {
    fn kind(&self) -> &'static WorldKind {
        &super::KIND
    }

    fn reset(&mut self, task: &str, _seed: u64) -> Result<Outcome, WorldError> {
        let (scene, task) = self.source.task(task)?;
        let state = scene.start_of(&task);
        let mut episode = Episode {
            simulation: Simulation::at(scene, state, self.find),
            task: Arc::new(task),
            told: Arc::default(),
            met: 0,
        };
        let observation = format!("{}\n\n{}", episode.task.text, episode.view());
        let outcome = episode.outcome(observation);
        self.episode = Some(episode);
        Ok(outcome)
    }

    fn act(&mut self, text: &str) -> Result<Outcome, WorldError> {
        let episode = self.episode.as_mut().ok_or_else(not_reset)?;
        Ok(episode.act(text))
    }

    fn admissible(&self) -> Option<Vec<String>> {
        self.episode.as_ref().map(Episode::admissible)
    }

    fn truth(&self) -> Value {
        self.episode.as_ref().map_or(Value::Null, Episode::truth)
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot(Arc::new(self.episode.clone()))
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), WorldError> {
        let episode = snapshot.0.downcast_ref::<Option<Episode>>().ok_or(WorldError::ForeignSnapshot)?;
        if let (Some(now), Some(then)) = (&self.episode, episode)
            && (now.simulation.scene().id != then.simulation.scene().id || now.task.name != then.task.name)
        {
            return Err(WorldError::ForeignSnapshot);
        }
        self.episode.clone_from(episode);
        Ok(())
    }

    fn preview(&self, text: &str) -> Option<(Outcome, Value)> {
        let mut episode = self.episode.clone()?;
        let outcome = episode.act(text);
        let after = episode.truth();
        Some((outcome, after))
    }

    fn tasks(&self) -> Vec<TaskInfo> {
        self.source.tasks()
    }

    fn call_of(&self, text: &str) -> Option<Call> {
        program::call_of(text)
    }

    fn text_of(&self, call: &Call) -> Option<String> {
        program::text_of(call)
    }

    fn header(&self) -> ProgramHeader {
        let (scene, task) =
            self.episode.as_ref().map_or(("", None), |e| (e.simulation.scene().id.as_str(), Some(&e.task)));
        program::header(scene, task.map_or("", |t| t.name.as_str()), task.map_or("", |t| t.text.as_str()))
    }

    fn specification(&self) -> Cow<'static, str> {
        Cow::Borrowed(include_str!("../../../worlds/kitchen/spec.py"))
    }

    fn facts(&self) -> Option<Facts> {
        self.episode.as_ref().map(|e| facts::facts(e.simulation.scene(), e.simulation.state()))
    }

    fn goals(&self) -> Option<Vec<Atom>> {
        let episode = self.episode.as_ref()?;
        Some(episode.task.goals.iter().skip(episode.met).map(|goal| goal.literal.clone()).collect())
    }

    fn everything(&self) -> Option<Facts> {
        self.episode.as_ref().map(|e| facts::everything(e.simulation.scene(), e.simulation.state()))
    }

    fn things(&self) -> Option<Vec<String>> {
        self.episode.as_ref().map(|e| e.simulation.things().map(|(id, ..)| id.to_owned()).collect())
    }

    fn goal_holds(&self, part: &Atom) -> Option<bool> {
        let episode = self.episode.as_ref()?;
        let goal = Goal::read(&part.to_string(), &episode.simulation.scene().things).ok()?;
        Some(goal.holds(episode.simulation.state()))
    }

    fn map(&self) -> Option<Map> {
        let episode = self.episode.as_ref()?;
        let left = episode.task.goals.get(episode.met..).unwrap_or_default();
        Some(Map::Plan(plan::plan(episode.simulation.scene(), episode.simulation.state(), &episode.told, left)))
    }

    fn fork(&self) -> Box<dyn World> {
        Box::new(self.clone())
    }
}

fn not_reset() -> WorldError {
    WorldError::Failed("the world was not reset to a task yet".to_owned())
}
