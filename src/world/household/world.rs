//! The household as a [`World`]: a source of tasks and, once reset, an episode.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::game::Game;
use super::memory::Memory;
use super::rules::{self, Command, Menu};
use super::state::State;
use super::{Edition, Source, facts, goal, program, text, truth};
use crate::program::Call;
use crate::world::{Atom, Facts, Outcome, ProgramHeader, Snapshot, TaskInfo, World, WorldError, WorldKind};

/// A running episode.
#[derive(Debug, Clone)]
struct Episode {
    game: Arc<Game>,
    state: State,
    menu: Arc<Menu>,
    memory: Arc<Memory>,
}

/// The household world.
#[derive(Debug, Clone)]
pub struct HouseholdWorld {
    source: Arc<Source>,
    edition: Edition,
    episode: Option<Episode>,
}

impl HouseholdWorld {
    /// A world over the tasks of a source, in an edition's wording.
    pub fn new(source: impl Into<Arc<Source>>, edition: Edition) -> Self {
        HouseholdWorld { source: source.into(), edition, episode: None }
    }

    /// The wording in use.
    pub fn edition(&self) -> Edition {
        self.edition
    }
}

impl Episode {
    fn start(game: Game, edition: Edition) -> Self {
        let state = game.initial.clone();
        let menu = Arc::new(Menu::of(&game, &state, edition));
        let memory = Arc::new(Memory::new(&game));
        Episode { game: Arc::new(game), state, menu, memory }
    }

    /// Performs a command's text; the outcome of a refused one says so.
    fn act(&mut self, command_text: &str, edition: Edition) -> Outcome {
        let Some(command) = self.menu.find(command_text.trim()) else {
            Arc::make_mut(&mut self.memory).refused(&self.game, command_text);
            return self.outcome(text::NOTHING_HAPPENS.to_owned(), None, Some(text::NOTHING_HAPPENS.to_owned()));
        };
        rules::apply(&self.game, &mut self.state, command);
        Arc::make_mut(&mut self.memory).told(&self.game, &self.state, command, edition);
        // Commands that only tell change no state, so the list stays.
        let tells = matches!(
            command,
            Command::Look
                | Command::Inventory
                | Command::Help
                | Command::ExamineObject { .. }
                | Command::ExamineReceptacle { .. }
        );
        if !tells {
            self.menu = Arc::new(Menu::of(&self.game, &self.state, edition));
        }
        let observation = text::observation(&self.game, &self.state, command, edition);
        self.outcome(observation, Some(program::calls(&self.game, &self.state, command)), None)
    }

    fn outcome(&self, observation: String, calls: Option<(Option<Call>, Vec<Call>)>, error: Option<String>) -> Outcome {
        let (action_call, observation_calls) = calls.unwrap_or_default();
        let won = goal::won(&self.game, &self.state);
        Outcome {
            observation,
            admissible: Some(self.menu.texts()),
            action_call,
            observation_calls,
            error,
            reward: if won { 1.0 } else { 0.0 },
            done: won,
            won,
        }
    }
}

impl World for HouseholdWorld {
    fn kind(&self) -> &'static WorldKind {
        &super::KIND
    }

    fn reset(&mut self, task: &str, _seed: u64) -> Result<Outcome, WorldError> {
        let episode = Episode::start(self.source.game(task)?, self.edition);
        let outcome =
            episode.outcome(text::reset(&episode.game), Some((None, program::reset_calls(&episode.game))), None);
        self.episode = Some(episode);
        Ok(outcome)
    }

    fn act(&mut self, command_text: &str) -> Result<Outcome, WorldError> {
        let edition = self.edition;
        let episode = self.episode.as_mut().ok_or_else(not_reset)?;
        Ok(episode.act(command_text, edition))
    }

    fn admissible(&self) -> Option<Vec<String>> {
        self.episode.as_ref().map(|e| e.menu.texts())
    }

    fn truth(&self) -> Value {
        self.episode.as_ref().map_or(Value::Null, |e| truth::truth(&e.game, &e.state))
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot(Arc::new(self.episode.clone()))
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), WorldError> {
        let episode = snapshot.0.downcast_ref::<Option<Episode>>().ok_or(WorldError::ForeignSnapshot)?;
        if let (Some(now), Some(then)) = (&self.episode, episode)
            && now.game.id != then.game.id
        {
            return Err(WorldError::ForeignSnapshot);
        }
        self.episode.clone_from(episode);
        Ok(())
    }

    fn preview(&self, command_text: &str) -> Option<(Outcome, Value)> {
        let mut episode = self.episode.clone()?;
        let outcome = episode.act(command_text, self.edition);
        let after = truth::truth(&episode.game, &episode.state);
        Some((outcome, after))
    }

    fn tasks(&self) -> Vec<TaskInfo> {
        self.source.tasks()
    }

    fn call_of(&self, command_text: &str) -> Option<Call> {
        program::call_of(command_text, self.edition)
    }

    fn text_of(&self, call: &Call) -> Option<String> {
        program::text_of(call, self.edition)
    }

    fn header(&self) -> ProgramHeader {
        program::header(self.episode.as_ref().map_or("", |e| &e.game.task))
    }

    fn specification(&self) -> Cow<'static, str> {
        Cow::Borrowed(include_str!("../../../worlds/household/spec.py"))
    }

    fn facts(&self) -> Option<Facts> {
        self.episode.as_ref().map(|e| facts::facts(&e.game, &e.memory))
    }

    fn everything(&self) -> Option<Facts> {
        self.episode.as_ref().map(|e| facts::everything(&e.game, &e.state))
    }

    fn goals(&self) -> Option<Vec<Atom>> {
        let episode = self.episode.as_ref()?;
        let won = goal::won(&episode.game, &episode.state);
        Some(if won { Vec::new() } else { vec![facts::goal(&episode.game)] })
    }

    fn fork(&self) -> Box<dyn World> {
        Box::new(self.clone())
    }
}

fn not_reset() -> WorldError {
    WorldError::Failed("the world was not reset to a task yet".to_owned())
}
