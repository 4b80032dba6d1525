//! The agent by skills without a language model, in the household: knowledge found in logs solves games that the logs do not have, the
//! knowledge that ships solves the games that ship, and no knowledge solves none.

use crate::support::games::{ACTIONS, Figures, Played, is_unseen, play_all};
use crate::support::recordings::recordings;
use stepwright::world::World;
use stepwright::worlds::household::{Edition, HouseholdWorld, KIND, Source};
use stepwright_skill::agent::{Next, Past, next};
use stepwright_skill::discover::{Settings, discover};
use stepwright_skill::{Knowledge, file};
use stepwright_trajectory as trajectory;

fn play_wanted(knowledge: &Knowledge, source: Source, wanted: impl Fn(&str) -> bool) -> Figures {
    let mut world = HouseholdWorld::new(source, Edition::Put);
    play_all(world.tasks(), wanted, |task| Played::of(play(knowledge, &mut world, &task.id, &task.sentence)))
}

/// Plays a game by what the agent observes; why it was lost.
fn play(knowledge: &Knowledge, world: &mut HouseholdWorld, task: &str, sentence: &str) -> Result<(), String> {
    let first = world.reset(task, 0).unwrap().observation;
    let (mut past, mut actions) = (Vec::new(), 0);
    while actions < ACTIONS {
        match next(knowledge, sentence, &first, &past) {
            Next::Call { call, .. } => past.push(Past::Call(call)),
            Next::Done { reached: true, .. } => past.push(Past::Done),
            Next::Done { message: why, .. } | Next::Stuck(why) => return Err(why),
            Next::Act { action, .. } => {
                actions += 1;
                let outcome = world.act(&action).unwrap();
                if outcome.won {
                    return Ok(());
                }
                past.push(Past::Act { action, observation: outcome.observation, refused: outcome.error.is_some() });
            }
        }
    }
    Err(format!("{ACTIONS} actions"))
}

#[test]
fn what_ships_solves_the_games_that_ship_and_nothing_solves_none() {
    let shipped = file::read(KIND.file("skills.toml").unwrap().text).unwrap();
    let Figures { won, trials, lost, .. } = play_wanted(&shipped, Source::shipped().unwrap(), |_| true);
    assert!(won * 100 >= trials * 91 && trials == 30, "{won} of {trials}, lost:\n{}", lost.join("\n"));
    assert_eq!(play_wanted(&Knowledge::default(), Source::shipped().unwrap(), |_| true).won, 0);
}

#[test]
fn what_logs_teach_solves_unseen_games() {
    let (Some(logs), Some(games), Some(more)) = (
        recordings("o3d/alfworld_pairs.jsonl"),
        recordings("alfworld/games.jsonl"),
        recordings("alfworld/games_more.jsonl.gz"),
    ) else {
        return;
    };
    let logs: Vec<_> =
        trajectory::read(&std::fs::read_to_string(logs).unwrap()).into_iter().filter_map(Result::ok).collect();
    let learned = discover(&logs, &Settings::default()).knowledge;
    let seen = |id: &str| {
        logs.iter().any(|log| log.task_id.as_ref().and_then(|t| t.as_str()).is_some_and(|own| id.ends_with(own)))
    };
    for (name, source, most) in [
        ("shipped", Source::shipped().unwrap(), "the games that ship"),
        ("recorded", Source::open(&games).unwrap(), "the recorded games"),
        ("unseen", Source::open(&more).unwrap(), "the unseen games"),
    ] {
        let Figures { won, trials, lost, .. } =
            play_wanted(&learned, source, |id| !seen(id) && (name != "unseen" || is_unseen(id)));
        assert!(trials > 0 && won * 100 >= trials * 91, "{most}: {won} of {trials}, lost:\n{}", lost.join("\n"));
        // Without what the logs said of needs it gets nowhere.
        let mut less = learned.clone();
        less.rules.actions.clear();
        assert!(matches!(next(&less, "put a mug in shelf", "you see a shelf 1.", &[]), Next::Stuck(_)));
    }
}
