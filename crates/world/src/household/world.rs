//! Household as a simulated world: an episode of a game in one of the wordings.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::agent::belief::Belief;
use super::game::Game;
use super::memory::Memory;
use super::rules;
use super::state::State;
use super::{Edition, Source, facts, goal, planning, program, text, truth};
use crate::planner::classical::{PlanningTask, Unseen};
use crate::{self as world, Atom, Facts, Outcome, ProgramHeader, Simulated, Symbols, WorldError, WorldKind};
use stepwright_program::Call;
use stepwright_trajectory::Step;

#[derive(Debug, Clone)]
pub struct Episode {
    game: Arc<Game>,
    edition: Edition,
    state: State,
    /// The texts of the admissible commands, once they were asked for.
    menu: OnceLock<Arc<Vec<String>>>,
    /// Shared by the moments between which nothing new was learned.
    memory: Arc<Memory>,
    /// The facts of the memory, once they were asked for.
    facts: OnceLock<Arc<Facts>>,
}

pub type HouseholdWorld = Simulated<Episode>;

impl HouseholdWorld {
    pub fn new(source: impl Into<Arc<Source>>, edition: Edition) -> Self {
        Simulated::over(source, edition)
    }
}

impl Episode {
    fn start(game: Game, edition: Edition) -> Self {
        let state = game.initial.clone();
        let memory = Arc::new(Memory::new(&game));
        Episode { game: Arc::new(game), edition, state, menu: OnceLock::new(), memory, facts: OnceLock::new() }
    }

    /// Has the memory take something in, and say whether it was new.
    fn remember(&mut self, take: impl FnOnce(&mut Memory, &Game, &State) -> bool) {
        let new = match Arc::get_mut(&mut self.memory) {
            Some(own) => take(own, &self.game, &self.state),
            None => {
                let mut memory = self.memory.as_ref().clone();
                let new = take(&mut memory, &self.game, &self.state);
                if new {
                    self.memory = Arc::new(memory);
                }
                new
            }
        };
        if new {
            self.facts = OnceLock::new();
        }
    }

    /// The facts, made of the memory anew.
    #[cfg(test)]
    pub(super) fn facts_again(&self) -> Facts {
        facts::facts(&self.game, &self.memory)
    }

    fn outcome(&self, observation: String, calls: Option<(Option<Call>, Vec<Call>)>, error: Option<String>) -> Outcome {
        let (action_call, observation_calls) = calls.unwrap_or_default();
        let won = goal::won(&self.game, &self.state);
        Outcome {
            observation,
            action_call,
            observation_calls,
            error,
            reward: if won { 1.0 } else { 0.0 },
            done: won,
            won,
        }
    }
}

impl world::Episode for Episode {
    type Tasks = Source;
    type Options = Edition;

    fn kind() -> &'static WorldKind {
        &super::KIND
    }

    fn begin(source: &Source, edition: Edition, task: &str) -> Result<(Self, Outcome), WorldError> {
        let episode = Episode::start(source.game(task)?, edition);
        let calls = Some((None, program::reset_calls(&episode.game)));
        let outcome = episode.outcome(text::reset(&episode.game), calls, None);
        Ok((episode, outcome))
    }

    fn is_same_task(&self, other: &Self) -> bool {
        self.game.id == other.game.id
    }

    fn act(&mut self, command_text: &str) -> Outcome {
        let edition = self.edition;
        let Some(command) = rules::find(&self.game, &self.state, edition, command_text.trim()) else {
            self.remember(|memory, game, _| memory.refused(game, command_text));
            return self.outcome(text::NOTHING_HAPPENS.to_owned(), None, Some(text::NOTHING_HAPPENS.to_owned()));
        };
        rules::apply(&self.game, &mut self.state, command);
        self.remember(|memory, game, state| memory.observe(game, state, command, edition));
        if !command.reports() {
            self.menu = OnceLock::new();
        }
        let observation = text::observation(&self.game, &self.state, command, edition);
        self.outcome(observation, Some(program::calls(&self.game, &self.state, command)), None)
    }

    fn admissible(&self) -> Option<Vec<String>> {
        let menu = || Arc::new(rules::menu(&self.game, &self.state, self.edition));
        Some(self.menu.get_or_init(menu).to_vec())
    }

    fn truth(&self) -> Value {
        truth::truth(&self.game, &self.state)
    }

    fn call_of(world: &HouseholdWorld, command_text: &str) -> Option<Call> {
        program::call_of(command_text, world.options())
    }

    fn text_of(world: &HouseholdWorld, call: &Call) -> Option<String> {
        program::text_of(call, world.options())
    }

    fn header(world: &HouseholdWorld) -> ProgramHeader {
        program::header(world.episode().map_or("", |e| &e.game.task))
    }

    fn specification(_world: &HouseholdWorld) -> Cow<'static, str> {
        Cow::Borrowed(include_str!("../../../../worlds/household/spec.py"))
    }

    fn symbols(&self) -> Option<&dyn Symbols> {
        Some(self)
    }
}

impl Symbols for Episode {
    fn facts(&self) -> Facts {
        self.shared_facts().as_ref().clone()
    }

    fn shared_facts(&self) -> Arc<Facts> {
        Arc::clone(self.facts.get_or_init(|| Arc::new(facts::facts(&self.game, &self.memory))))
    }

    fn goals(&self) -> Vec<Atom> {
        if goal::won(&self.game, &self.state) { Vec::new() } else { vec![facts::goal(&self.game)] }
    }

    fn everything(&self) -> Facts {
        facts::everything(&self.game, &self.state)
    }

    fn search(&self, kind: &str) -> Option<String> {
        facts::search(&self.game, &self.memory, kind)
    }

    fn planning(
        &self,
        (task, sentence): (&str, &str),
        history: &[Step],
        known: Unseen,
    ) -> Option<Result<PlanningTask, String>> {
        let belief = match known {
            Unseen::Everything => planning::everything(&truth::truth(&self.game, &self.state)),
            Unseen::InRoom | Unseen::Nothing => Belief::of(history),
        };
        Some(planning::problem(task, sentence, &belief, known))
    }
}
