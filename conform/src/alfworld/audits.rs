//! Recorded episodes as logs, held against the true preconditions: a step that the engine accepted violates none of them.

use std::path::Path;

use serde::Deserialize;

use crate::{Row, difference};
use stepwright_episode::Status;
use stepwright_method::log_checks::violations;
use stepwright_method::program_context::ProgramContext;
use stepwright_trajectory::{Step, Trajectory};
use stepwright_worlds::transcript_of;

#[derive(Deserialize)]
struct Episode {
    id: String,
    reset: Reset,
    steps: Vec<Played>,
}

#[derive(Deserialize)]
struct Reset {
    observation: String,
}

#[derive(Deserialize)]
struct Played {
    command: String,
    observation: String,
}

pub(super) fn compare(file: &Path, label: &str) -> Row {
    let mut row = Row::new(format!("{label} as logs: accepted steps without a violation"), "steps");
    row.each_record(file, |row, _, episode: Episode| {
        let step = |played: &Played| {
            let (action, observation) = (played.command.clone(), Some(played.observation.clone()));
            Step { action, observation, ..Step::default() }
        };
        let log = Trajectory {
            id: episode.id.clone(),
            env: "alfworld".to_owned(),
            initial_observation: Some(episode.reset.observation.clone()),
            steps: episode.steps.iter().map(step).collect(),
            ..Trajectory::default()
        };
        let accepted = |at: usize| log.steps.get(at).is_some_and(|step| !step.is_refused());
        row.compared += (0..log.steps.len()).filter(|at| accepted(*at)).count() as u64;
        let transcript = transcript_of(&log);
        match ProgramContext::load(&transcript.specification()) {
            Err(why) => row.differs(difference(&episode.id, "a program", why)),
            Ok(program) => {
                // Some games have a bath's basin that is of the type of a sink's, which its name, all that a log has, does not say.
                let misnamed = |action: &str| action.starts_with("clean ") && action.contains("bathtubbasin");
                for found in violations(&log, &transcript, &program)
                    .into_iter()
                    .filter(|found| accepted(found.step) && found.check.status == Status::Fails)
                    .filter(|found| !misnamed(&found.action))
                {
                    let at = format!("{} step {} `{}`", episode.id, found.step + 1, found.action);
                    row.differs(difference(at, "no violation", format!("{:?}", found.check)));
                }
            }
        }
    });
    row
}
