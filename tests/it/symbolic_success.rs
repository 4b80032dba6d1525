//! Built-in symbolic proposer: plays whole episodes from observations alone: the shipped tasks, and the recorded games where
//! they are at hand.

use crate::support::games::{ACTIONS, Figures, Played, is_unseen, play_all};
use crate::support::recordings::recordings;
use stepwright::planner::AgentContext;
use stepwright::program::CheckedProgram;
use stepwright::program::Specification;
use stepwright::world::World;
use stepwright::worlds::household::agent::HouseholdAgent;
use stepwright::worlds::household::{Edition, HouseholdWorld, Source, shipped};
use stepwright_trajectory::Step;

struct Player {
    proposer: HouseholdAgent,
    start: CheckedProgram,
}

impl Player {
    fn new() -> Self {
        let demonstrations = shipped::demonstrations(Edition::Put).expect("the shipped demonstrations read");
        let spec = HouseholdWorld::new(Source::default(), Edition::Put).specification();
        let spec = Specification::load(&spec, "spec.py").expect("the shipped specification loads");
        Player {
            proposer: HouseholdAgent::from_demonstrations(&demonstrations),
            start: CheckedProgram::start(&spec).expect("the shipped specification starts"),
        }
    }

    /// Plays a task; the transcript where it was lost.
    fn play(&self, world: &mut HouseholdWorld, task: &str, sentence: &str) -> Result<(), String> {
        let reset = world.reset(task, 0).expect("the task exists");
        let mut program = self.start.clone();
        program.apply(&reset.observation_calls);
        let mut history = vec![reset.into_step("")];
        let mut transcript = format!("{task}: {sentence}\n");
        for _ in 0..ACTIONS {
            let context = AgentContext {
                sentence,
                program: &program,
                history: &history,
                rejected: &[],
                observed: None,
                reference: None,
            };
            let Some(best) = self.proposer.propose(&context, 1).into_iter().next() else { break };
            let text = world.text_of(&best.call).expect("every proposal is an action of the world");
            let outcome = world.act(&text).expect("the household never breaks");
            transcript.push_str(&format!("> {text} ({})\n{}\n", best.rationale, outcome.observation));
            if outcome.won {
                return Ok(());
            }
            program.apply(&outcome.observation_calls);
            history.push(Step { call: Some(best.call), ..outcome.into_step("") });
        }
        Err(transcript)
    }

    fn play_all(&self, source: Source, edition: Edition, wanted: impl Fn(&str) -> bool) -> Figures {
        let mut world = HouseholdWorld::new(source, edition);
        play_all(world.tasks(), wanted, |task| Played::of(self.play(&mut world, &task.id, &task.sentence)))
    }
}

#[test]
fn every_shipped_task_is_solved_in_both_editions() {
    let player = Player::new();
    for edition in [Edition::Put, Edition::Move] {
        let Figures { trials, lost, .. } =
            player.play_all(Source::shipped().expect("shipped tasks read"), edition, |_| true);
        assert_eq!(trials, 30);
        assert!(lost.is_empty(), "{edition}: {} of {trials} lost, the first:\n{}", lost.len(), lost[0]);
    }
}

#[test]
fn every_unseen_game_is_solved_within_fifty_steps() {
    let Some(path) = recordings("alfworld/games_more.jsonl.gz") else { return };
    let player = Player::new();
    let source = Source::open(&path).expect("the games read");
    let Figures { trials, lost, .. } = player.play_all(source, Edition::Put, is_unseen);
    assert!(lost.is_empty(), "{} of {trials} lost, the first:\n{}", lost.len(), lost[0]);
    assert_eq!(trials, 98);
}
