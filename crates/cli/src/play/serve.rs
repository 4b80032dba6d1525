//! Line protocol with requests: what the external world asks of its process (adapters/README.md).
//!
//! So any world of this program can stand behind an adapter, and both sides of the protocol are tried against each other.

use std::io::{BufRead, Write};

use serde::Deserialize;

use super::protocol::{More, Wishes, goal, read, write};
use crate::CliError;
use stepwright_world::{OpenedWorld, Outcome, World, WorldError};

/// The request: one of the two.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    reset: Option<String>,
    /// Of a reset; the command line's if absent.
    seed: Option<u64>,
    act: Option<String>,
}

/// Answers requests until the input ends, what is none and a task that is not there with an `error`. `begin` opens a world for the name of
/// a task.
pub fn serve(
    begin: impl Fn(&str) -> Result<OpenedWorld, WorldError>,
    seed: u64,
    wishes: Wishes,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Result<(), CliError> {
    let mut running: Option<(Box<dyn World>, u64)> = None;
    while let Some(line) = read(&mut input)? {
        let why = match (serde_json::from_str(&line), &mut running) {
            (Ok(Request { reset: Some(task), seed: own, act: None }), _) => match begin(&task) {
                Ok(OpenedWorld { mut world, task, sentence, .. }) => {
                    let outcome = world.reset(&task, own.unwrap_or(seed))?;
                    let told = goal(world.as_ref(), &task, &sentence);
                    write(&mut output, 0, &outcome, wishes.of(world.as_ref()), Some(&told))?;
                    running = Some((world, 0));
                    continue;
                }
                Err(why) => why.to_string(),
            },
            (Ok(Request { reset: None, seed: None, act: Some(text) }), Some((world, step))) => {
                let outcome = world.act(&text)?;
                *step += 1;
                write(&mut output, *step, &outcome, wishes.of(world.as_ref()), None)?;
                continue;
            }
            (Ok(Request { reset: None, act: Some(_), .. }), None) => {
                "an action was sent before the first reset".to_owned()
            }
            (Ok(_), _) => format!("`{line}` is no request: it takes `reset` or `act`, one of them"),
            (Err(why), _) => {
                format!("`{line}` is no request ({why}); send {{\"reset\": \"TASK\"}} or {{\"act\": \"TEXT\"}}")
            }
        };
        let step = running.as_ref().map_or(0, |(_, step)| *step);
        let refused = Outcome { observation: why.clone(), error: Some(why), ..Outcome::default() };
        write(&mut output, step, &refused, More::default(), None)?;
    }
    Ok(())
}
