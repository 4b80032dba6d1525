//! Line protocol: one JSON object for the reset, then one action a line in, one JSON object a line out.

use std::collections::BTreeSet;
use std::io::{BufRead, Write};

use serde::Serialize;
use serde_json::Value;

use crate::CliError;
use stepwright_program::Call;
use stepwright_world::{Atom, Facts, Outcome, Symbols, World};

/// The longest line read, in bytes; no world has longer actions, and a line without end must not fill the memory.
const LONGEST: u64 = 64 * 1024;

#[derive(Debug, Serialize)]
struct Line<'a> {
    step: u64,
    observation: &'a str,
    admissible: Option<Vec<String>>,
    calls: Vec<&'a Call>,
    error: &'a Option<String>,
    reward: f64,
    done: bool,
    won: bool,
    #[serde(flatten)]
    more: More,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<&'a str>,
}

/// The answer's parts beyond the outcome: admissible actions, and the request.
#[derive(Debug, Default, Serialize)]
pub(super) struct More {
    #[serde(skip)]
    admissible: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<Value>,
    #[serde(flatten)]
    literals: Option<Literals>,
}

#[derive(Debug, Serialize)]
struct Literals {
    facts: BTreeSet<Atom>,
    things: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    goals: Option<Vec<Atom>>,
}

/// The options of serving: which parts are sent beyond the outcomes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wishes {
    pub state: bool,
    pub facts: bool,
}

impl Wishes {
    /// The parts at a world's present moment.
    pub(super) fn of(self, world: &dyn World) -> More {
        let literals = |symbols: &dyn Symbols| {
            let Facts { things, atoms } = symbols.facts();
            Literals { facts: atoms, things, goals: symbols.goals() }
        };
        More {
            admissible: world.admissible(),
            state: self.state.then(|| world.truth()),
            literals: world.symbols().filter(|_| self.facts).map(literals),
        }
    }
}

/// The goal in words: of a world that is told it by its reset, what was told.
pub(super) fn goal(world: &dyn World, task: &str, opened: &str) -> String {
    if !opened.is_empty() {
        return opened.to_owned();
    }
    let told = world.tasks().into_iter().find(|info| info.id == task);
    told.map(|info| info.sentence).unwrap_or_default()
}

/// Speaks the protocol until the input ends.
pub fn speak(
    world: &mut dyn World,
    reset: &Outcome,
    wishes: Wishes,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Result<(), CliError> {
    write(&mut output, 0, reset, wishes.of(world), None)?;
    let mut step = 0;
    while let Some(text) = read(&mut input)? {
        step += 1;
        let outcome = world.act(&text)?;
        write(&mut output, step, &outcome, wishes.of(world), None)?;
    }
    Ok(())
}

/// The next line without its end; `None` at the end of the input.
pub(super) fn read(input: &mut impl BufRead) -> Result<Option<String>, CliError> {
    let mut line = Vec::new();
    let read = std::io::Read::take(&mut *input, LONGEST).read_until(b'\n', &mut line)?;
    if read as u64 == LONGEST && line.last() != Some(&b'\n') {
        return Err(CliError::Failed(format!("a line of the input is longer than {LONGEST} bytes")));
    }
    // Bytes that are no text cannot be an admissible action; the world says so in its own words.
    Ok((read > 0).then(|| String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned()))
}

/// Writes an object; `task` is the goal in words, where requests choose the task.
pub(super) fn write(
    output: &mut impl Write,
    step: u64,
    outcome: &Outcome,
    mut more: More,
    task: Option<&str>,
) -> Result<(), CliError> {
    let line = Line {
        step,
        observation: &outcome.observation,
        admissible: more.admissible.take(),
        calls: outcome.calls().collect(),
        error: &outcome.error,
        reward: outcome.reward,
        done: outcome.done,
        won: outcome.won,
        more,
        task,
    };
    let mut text = serde_json::to_string(&line).map_err(|e| CliError::Failed(e.to_string()))?;
    text.push('\n');
    output.write_all(stepwright_text::sanitize::json(&text).as_bytes())?;
    output.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_worlds::household::{Edition, HouseholdWorld, Source};

    fn play(input: &[u8], wishes: Wishes) -> Vec<Value> {
        let mut world = HouseholdWorld::new(Source::shipped().unwrap(), Edition::Put);
        let reset = world.reset("shipped/place-pencil-5", 0).unwrap();
        let mut output = Vec::new();
        speak(&mut world, &reset, wishes, input, &mut output).unwrap();
        output.split(|b| *b == b'\n').filter(|l| !l.is_empty()).map(|l| serde_json::from_slice(l).unwrap()).collect()
    }

    #[test]
    fn every_line_has_the_protocols_fields_in_order() {
        let lines = play(b"look\r\ngo to desk 1\nfly\n\xff\xfe\n", Wishes::default());
        assert_eq!(lines.len(), 5);
        let fields = ["step", "observation", "admissible", "calls", "error", "reward", "done", "won"];
        for (i, line) in lines.iter().enumerate() {
            assert_eq!(line.as_object().unwrap().keys().collect::<Vec<_>>(), fields);
            assert_eq!(line["step"], i);
        }
        assert_eq!(lines[2]["calls"][0], "agent.goto('desk 1')");
        assert_eq!(lines[3]["error"], "Nothing happens.");
        assert_eq!(lines[4]["observation"], "Nothing happens.");
        let more = &play(b"", Wishes { state: true, facts: true })[0];
        assert!(more["state"]["receptacles"].is_object() && more["facts"].is_array() && more["goals"][0].is_string());
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut world = HouseholdWorld::new(Source::shipped().unwrap(), Edition::Put);
        let reset = world.reset("shipped/place-pencil-5", 0).unwrap();
        let endless = vec![b'a'; 70_000];
        let error = speak(&mut world, &reset, Wishes::default(), endless.as_slice(), Vec::new()).unwrap_err();
        assert!(error.to_string().contains("longer than"));
    }
}
