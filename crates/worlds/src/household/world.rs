//! Household as a simulated world: an episode of a game in one of the wordings.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::belief::Belief;
use super::game::Game;
use super::rules;
use super::state::State;
use super::{Edition, Source, facts, goal, picture, planning, program, text, truth};
use crate::Simulated;
use stepwright_program::Call;
use stepwright_text::words::stripped;
use stepwright_trajectory::Step;
use stepwright_world::planner::classical::{PlanningTask, Unseen};
use stepwright_world::{Atom, Facts, Map, Outcome, ProgramHeader, Symbols, WorldError, WorldKind};

#[derive(Debug, Clone)]
pub struct Episode {
    game: Arc<Game>,
    edition: Edition,
    state: State,
    /// The texts of the admissible commands, once they were asked for.
    menu: OnceLock<Arc<Vec<String>>>,
    /// Shared by the moments between which nothing new was learned.
    belief: Arc<Belief>,
    /// The facts of the belief, once they were asked for.
    facts: OnceLock<Arc<Facts>>,
}

pub type HouseholdWorld = Simulated<Episode>;

impl HouseholdWorld {
    pub fn new(source: impl Into<Arc<Source>>, edition: Edition) -> Self {
        Simulated::over(source, edition)
    }
}

impl Episode {
    /// Takes in what the agent did and observes, and answers it.
    fn tell(&mut self, step: Step) -> Outcome {
        if Arc::make_mut(&mut self.belief).observe(&step) {
            self.facts = OnceLock::new();
        }
        let won = goal::won(&self.game, &self.state);
        Outcome {
            error: step.refused.then(|| step.observed().to_owned()),
            action_call: step.call.filter(|_| !step.refused),
            observation: step.observation.unwrap_or_default(),
            observation_calls: step.calls,
            reward: if won { 1.0 } else { 0.0 },
            done: won,
            won,
            ..Outcome::default()
        }
    }

    #[cfg(test)]
    pub(super) fn facts_again(&self) -> Facts {
        facts::facts(&self.belief)
    }
}

impl crate::Episode for Episode {
    type Tasks = Source;
    type Options = Edition;

    fn kind() -> &'static WorldKind {
        &super::KIND
    }

    fn begin(source: &Source, edition: Edition, task: &str) -> Result<(Self, Outcome), WorldError> {
        let game = Arc::new(source.game(task)?);
        let (state, belief) = (game.initial.clone(), Arc::default());
        let mut episode = Episode { game, edition, state, menu: OnceLock::new(), belief, facts: OnceLock::new() };
        let (observation, calls) = (Some(text::reset(&episode.game)), program::reset_calls(&episode.game));
        let outcome = episode.tell(Step { observation, calls, ..Step::default() });
        Ok((episode, outcome))
    }

    fn is_same_task(&self, other: &Self) -> bool {
        self.game.id == other.game.id
    }

    fn act(&mut self, command_text: &str) -> Outcome {
        let (edition, action) = (self.edition, stripped(command_text).to_owned());
        let Some(command) = rules::find(&self.game, &self.state, edition, &action) else {
            let (call, observation) = (program::call_of(&action, edition), Some(text::NOTHING_HAPPENS.to_owned()));
            return self.tell(Step { action, call, observation, refused: true, ..Step::default() });
        };
        rules::apply(&self.game, &mut self.state, command);
        if !command.reports() {
            self.menu = OnceLock::new();
        }
        let observation = Some(text::observation(&self.game, &self.state, command, edition));
        let (call, calls) = program::calls(&self.game, &self.state, command);
        self.tell(Step { action, call, observation, calls, ..Step::default() })
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
        Cow::Borrowed(include_str!("../../worlds/household/spec.py"))
    }

    fn symbols(&self) -> Option<&dyn Symbols> {
        Some(self)
    }

    fn picture(&self) -> Option<Map> {
        Some(Map::Places(picture::picture(&self.belief)))
    }
}

impl Symbols for Episode {
    fn facts(&self) -> Facts {
        self.shared_facts().as_ref().clone()
    }

    fn shared_facts(&self) -> Arc<Facts> {
        Arc::clone(self.facts.get_or_init(|| Arc::new(facts::facts(&self.belief))))
    }

    fn goals(&self) -> Option<Vec<Atom>> {
        Some(if goal::won(&self.game, &self.state) { Vec::new() } else { vec![facts::goal(&self.game)] })
    }

    fn everything(&self) -> Facts {
        facts::everything(&self.game, &self.state)
    }

    fn search(&self, kind: &str) -> Option<String> {
        facts::search(&self.game.goal_words, &self.belief, kind)
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
