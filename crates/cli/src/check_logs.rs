//! `stepwright preconditions logs`: which assertions logs of episodes violate and which effects they contradict, where, with what values.
//! No model, no world.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::{CliError, print, print_json};
use stepwright_episode::{Assertions, Status};
use stepwright_launch::read_recorded;
use stepwright_method::log_checks::{Read, Violation};
use stepwright_precondition::{AdoptedAction, AdoptedSet};
use stepwright_study::in_force::not_checked;
use stepwright_text::words::count;
use stepwright_trajectory::Trajectory;

/// Checks logs of episodes against preconditions and effects.
#[derive(Debug, Args)]
pub(crate) struct CheckLogs {
    /// Files of logs: trajectories a line, texts of ReAct, or sessions, each judged by its own specification and what was in force in it
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// A *.preconditions.py file in place of the assertions of the specification, or of those in force in a session, for the actions that it
    /// names; of logs effects are in such files alone
    #[arg(long, value_name = "FILE")]
    preconditions: Option<PathBuf>,
    /// Print an object a log; steps are counted from 1, as in words
    #[arg(long)]
    json: bool,
}

impl CheckLogs {
    pub fn run(self) -> Result<ExitCode, CliError> {
        let set = self.preconditions.as_deref().map(AdoptedSet::read_sound).transpose();
        let set = set.map_err(|e| CliError::Failed(e.to_string()))?;
        let (mut out, mut steps, mut logs) = (String::new(), 0, 0);
        let (mut violated, mut contradicted) = (0, 0);
        // Logs that list no tools have those actions that they call.
        let mut idle: BTreeSet<&str> = set.iter().flat_map(|set| &set.actions).map(|a| a.action.as_str()).collect();
        for recorded in read_recorded(&self.logs, super::note).map_err(CliError::Failed)? {
            let log = &recorded.log;
            let failed = |why: String| CliError::Failed(format!("{}: {why}", log.id));
            let program = recorded.program().map_err(failed)?;
            let fits = set.iter().flat_map(|set| &set.actions).filter(|own| program.has(&own.action));
            let adopted: Vec<Assertions> = fits.map(adopted).collect();
            idle.retain(|name| !program.has(name));
            let found = recorded.violations(&adopted).map_err(failed)?;
            (logs, steps) = (logs + 1, steps + log.steps.len());
            let failing = |effects| move |v: &&Violation| v.check.status == Status::Fails && v.is_effect == effects;
            violated += found.iter().filter(failing(false)).count();
            contradicted += found.iter().filter(failing(true)).count();
            if self.json {
                let listed: Vec<Value> = found.iter().map(as_json).collect();
                let line =
                    json!({ "log": log.id, "success": log.success, "steps": log.steps.len(), "violations": listed });
                out.push_str(&format!("{line}\n"));
            } else if !found.is_empty() {
                let how = log.how();
                out.push_str(&format!("{} ({how}, {})\n", log.id, count(log.steps.len(), "step")));
                found.iter().for_each(|violation| out.push_str(&in_words(violation, log)));
            }
        }
        if let (Some(file), false) = (&self.preconditions, idle.is_empty()) {
            let none = set.iter().all(|set| set.actions.len() == idle.len());
            let why = not_checked(&file.display().to_string(), idle);
            if none {
                return Err(CliError::Failed(why));
            }
            super::note(&why);
        }
        if !self.json {
            let effects = match contradicted {
                0 => String::new(),
                n => format!(" and {} contradicted", count(n, "effect")),
            };
            out.push_str(&format!(
                "{} violated{effects} in {} of {}\n",
                count(violated, "assertion"),
                count(steps, "step"),
                count(logs, "log")
            ));
        }
        if self.json { print_json(&out) } else { print(&out) }?;
        Ok(ExitCode::from(u8::from(violated + contradicted > 0)))
    }
}

fn adopted(of: &AdoptedAction) -> Assertions {
    Assertions { action: of.action.clone(), assertions: of.assertions.clone(), origin: "a file".to_owned() }
}

fn as_json(violation: &Violation) -> Value {
    let Violation { step, action, check, is_effect, read } = violation;
    let of = if *is_effect { "effect" } else { "assertion" };
    let read: Vec<Value> = read
        .iter()
        .map(|Read { part, value, since }| json!({ "part": part, "value": value, "since": since }))
        .collect();
    json!({
        "step": step + 1, "action": action, of: check.condition, "status": check.status, "detail": check.detail, "read": read,
    })
}

/// A violation, and of what it read since which step that was so.
fn in_words(violation: &Violation, log: &Trajectory) -> String {
    let Violation { step, action, check, read, .. } = violation;
    let word = violation.word();
    let detail = check.detail.as_ref().map_or_else(String::new, |detail| format!("  ({detail})"));
    let mut words = format!("  step {} `{action}`: {} {word}{detail}\n", step + 1, check.condition);
    for Read { part, value, since } in read {
        let then = since.checked_sub(1).and_then(|at| log.steps.get(at));
        let Some(then) = then else { continue };
        words.push_str(&format!("    {part} is {value} since step {since} `{}`\n", then.action));
    }
    words
}
