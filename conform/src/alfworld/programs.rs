//! Compares episodes written as programs: the calls of every step, the function's name, the whole text, and whether its assertions hold
//! when it is run.

use std::path::Path;

use serde::Deserialize;

use super::replay::world_of;
use super::{Games, difference, label, unreadable};
use crate::Row;
use stepwright_program::{Call, FaultKind, Limits, run_module};
use stepwright_study::recordings::{jsonl_files, text};
use stepwright_text::words::stripped;
use stepwright_trajectory as trajectory;
use stepwright_world::World;
use stepwright_worlds::household::Edition;

#[derive(Debug, Deserialize)]
struct Program {
    episode: String,
    game: String,
    edition: Edition,
    function: String,
    program: String,
    assertions_hold: Option<bool>,
    steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
struct Step {
    command: String,
    observation: String,
    action_call: Option<String>,
    #[serde(default)]
    observation_calls: Vec<String>,
}

/// Compares every `programs*.jsonl`: a row of steps, one of whole programs and one of their runs.
pub fn compare(folder: &Path, games: &Games) -> Vec<Row> {
    let what = ("programs*.jsonl", "programs", "no programs in this folder");
    let specification = text(&folder.join("program_spec.txt"));
    Row::of_files(&jsonl_files(folder, "programs"), what, |file| {
        let mut steps = Row::new(format!("{} calls, both ways", label(file)), "calls");
        let mut programs = Row::new(format!("{} texts", label(file)), "programs");
        let mut runs = Row::new(format!("{} run", label(file)), "programs");
        programs.each_record(file, |programs, at, recorded| {
            run(&recorded, specification.as_deref(), &at, &mut runs);
            one(games, &recorded, &at, &mut steps, programs);
        });
        [steps, programs, runs]
    })
}

/// Runs a whole program against the recorded specification, whose assertions must hold or fail as they did.
fn run(recorded: &Program, specification: Result<&str, &String>, at: &str, row: &mut Row) {
    let outcome = |hold: bool| (if hold { "the assertions hold" } else { "an assertion fails" }).to_owned();
    let (expected, specification) = match (recorded.assertions_hold, specification) {
        (Some(hold), Ok(specification)) => (outcome(hold), specification),
        (None, _) => return row.lacks(1, || format!("not said whether assertions hold (first: {})", recorded.episode)),
        (_, Err(why)) => return row.lacks(1, || why.clone()),
    };
    let whole = format!("{specification}\n{}\n{}()\n", recorded.program, recorded.function);
    let got = match run_module(&whole, Limits::MODULE).fault {
        None => outcome(true),
        Some(fault) if fault.kind == FaultKind::Exception("AssertionError".to_owned()) => outcome(false),
        Some(fault) => fault.to_string(),
    };
    row.equal(format!("{at}, {}, run", recorded.episode), expected, got);
}

fn one(games: &Games, recorded: &Program, at: &str, steps: &mut Row, programs: &mut Row) {
    let (mut world, reset) = match world_of(games, &recorded.game, recorded.edition) {
        None => {
            let note = || format!("their games are not there (first: {})", recorded.game);
            programs.lacks(1, note);
            return steps.lacks(recorded.steps.len(), note);
        }
        Some(Err(e)) => return programs.count(Some(unreadable(at.to_owned(), &e))),
        Some(Ok(ready)) => ready,
    };
    let mut calls: Vec<Call> = reset.calls().cloned().collect();
    for (i, step) in recorded.steps.iter().enumerate() {
        let place = || format!("{at}, step {}, `{}`", i + 1, step.command);
        let outcome = match world.act(&step.command) {
            Ok(outcome) => outcome,
            Err(e) => {
                steps.count(Some(unreadable(place(), e)));
                continue;
            }
        };
        let expected = line(&step.observation, step.action_call.clone(), step.observation_calls.clone());
        let got = line(
            &outcome.observation,
            outcome.action_call.as_ref().map(ToString::to_string),
            outcome.observation_calls.iter().map(ToString::to_string).collect(),
        );
        // The inverse: the text's call is the step's, and the call's text is the command.
        let call = outcome.action_call.as_ref();
        let back = call.is_none_or(|c| {
            world.call_of(&step.command).as_ref() == Some(c)
                && world.text_of(c).as_deref() == Some(stripped(&step.command))
        });
        let differs = expected != got || !back;
        let got = if back { got } else { format!("{got}; text and call are not each other's inverse") };
        steps.count(differs.then(|| difference(place(), expected, got)));
        calls.extend(outcome.calls().cloned());
    }
    let header = world.header();
    let all = trajectory::Step { calls, ..trajectory::Step::default() };
    let text = trajectory::program::write(&header.opening(), &[all], false, 0);
    let differs = text != recorded.program || header.function != recorded.function;
    let expected = format!("{}\n{}", recorded.function, recorded.program);
    let got = format!("{}\n{text}", header.function);
    programs.count(differs.then(|| difference(format!("{at}, {}", recorded.episode), expected, got)));
}

/// A step on one line, for comparison and display.
fn line(observation: &str, action: Option<String>, calls: Vec<String>) -> String {
    let all: Vec<String> = action.into_iter().chain(calls).collect();
    format!("{observation:?} {}", all.join("; "))
}
