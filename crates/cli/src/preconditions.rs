//! `stepwright preconditions`: files of adopted preconditions, checked against a world's demonstrations and compared.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;

use super::candidate_store::Where;
use super::check_logs::CheckLogs;
use super::impact::Measure;
use super::{CliError, Global, candidates, print, print_json};
use stepwright_precondition::{AdoptedSet, CandidateOrigin, Pool, SetComparison, SideBySide, Validity};
use stepwright_text::words::count;

/// Check and compare files of preconditions.
#[derive(Debug, Subcommand)]
pub(crate) enum PreconditionsCommand {
    /// Say of each assertion whether the demonstrations bear it out; exit code 1 if one fails, departs, cannot be read or is of no action there
    /// (one that is unknown is no fault)
    Check(Check),
    /// Print the candidate preconditions of actions with their verdicts and clusters, those that would be adopted, and the true ones
    Candidates(candidates::Candidates),
    /// Say which assertions logs of episodes violate, where and with what values; exit code 1 if there are any
    Logs(CheckLogs),
    /// Say what each assertion would have stopped of all that the library holds; exit code 1 if a right step is among it, or if parameters are
    /// named otherwise than there
    Impact(Measure),
    /// Compare two files, or a file with the world's ground truth (else the specification's own assertions); exit code 1 if they do not permit the same
    Diff(Diff),
}

/// Checks a file.
#[derive(Debug, Args)]
pub struct Check {
    /// A *.preconditions.py file
    file: PathBuf,
    #[command(flatten)]
    at: Where,
    /// Print the verdicts as JSON; demonstrations and calls are counted from 1, as in words
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// The left file
    left: PathBuf,
    /// The right file, taken as the truth in Equation (2); the world's ground truth, or the specification's own assertions, if absent
    right: Option<PathBuf>,
    #[command(flatten)]
    at: Where,
    /// Print the comparison as JSON; calls are counted from 1, as in words
    #[arg(long)]
    json: bool,
}

impl PreconditionsCommand {
    pub fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        match self {
            PreconditionsCommand::Check(check) => check.run(global),
            PreconditionsCommand::Candidates(candidates) => candidates.run(global),
            PreconditionsCommand::Logs(logs) => logs.run(),
            PreconditionsCommand::Impact(measure) => measure.run(global),
            PreconditionsCommand::Diff(diff) => diff.run(global),
        }
    }
}

fn read(path: &Path) -> Result<AdoptedSet, CliError> {
    AdoptedSet::read(path).map_err(|e| CliError::Failed(e.to_string()))
}

impl Check {
    fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        let set = read(&self.file)?;
        let (mut store, ..) = self.at.store(&set, global)?;
        let (mut sound, mut known) = (true, true);
        let mut out = String::new();
        let mut pools = Vec::new();
        for action in &set.actions {
            out.push_str(&format!("{}({})\n", action.action, action.params.join(", ")));
            let pool = match store.offer(&action.action, CandidateOrigin::Person, &action.assertions, |_, _| true) {
                Ok(pool) => pool,
                Err(why) => {
                    (sound, known) = (false, false);
                    out.push_str(&format!("  ? {why}\n"));
                    pools.push(json!({ "action": action.action, "error": why.to_string() }));
                    continue;
                }
            };
            let mut judged = Vec::new();
            for text in &action.assertions {
                let Some(candidate) = pool.candidates.iter().find(|c| c.text == *text) else { continue };
                let Ok(candidate) = store.look_at(&action.action, candidate.id) else { continue };
                judged.push(candidate.clone());
                // What neither tier decides is reported, and is no fault of the assertion.
                sound &= matches!(candidate.fate, Validity::Valid | Validity::Unknown { .. });
                let (sign, why) = match &candidate.fate {
                    Validity::Valid if pool.is_of_effects() => ("ok", format!("follows {}", pool.judged_on())),
                    Validity::Departs { demonstration, call, at, message, exceptions, .. } => {
                        let place = format!("demonstration {}, call {}, {at}", demonstration + 1, call + 1);
                        let all = format!("{exceptions} of {} depart from it", pool.judged_on());
                        ("departs", format!("after {place}: {message} ({all})"))
                    }
                    Validity::Valid => ("ok", format!("|C| {} of {}", candidate.coverage.unwrap_or(0), pool.instances)),
                    Validity::Malformed { reason, message } => ("malformed", format!("{reason}: {message}")),
                    Validity::Fails { message, failing, .. } => ("fails", format!("{message} ({failing} failing)")),
                    Validity::Unknown { reason, message } => ("unknown", format!("{reason}: {message}")),
                };
                out.push_str(&format!("  {sign:<9} {text}\n            {why}\n"));
            }
            pools.push(candidates::as_json(&Pool { candidates: judged, ..pool }));
        }
        if self.json {
            print_json(&format!("{:#}\n", json!({ "actions": pools })))?;
            return Ok(ExitCode::from(u8::from(!sound)));
        }
        if !known {
            out.push_str(&self.at.advice(&set));
        }
        print(&out)?;
        Ok(ExitCode::from(u8::from(!sound)))
    }
}

impl Diff {
    fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        let left = read(&self.left)?;
        let right = self.right.as_deref().map(read).transpose()?;
        let sets: Vec<&AdoptedSet> = std::iter::once(&left).chain(&right).filter(|set| set.place.is_some()).collect();
        if let ([one, other], None) = (sets.as_slice(), &self.at.task)
            && one.place != other.place
        {
            let (one, other) = (self.at.subject(one, global)?, self.at.subject(other, global)?);
            if one != other {
                return Err(CliError::Usage(format!(
                    "the left file was in force in {one}, the right one in {other}: name with --task whose demonstrations count"
                )));
            }
        }
        let (store, truth, truth_name) = self.at.store(sets.first().copied().unwrap_or(&left), global)?;
        let name = |path: &Path| path.display().to_string();
        let right_name = self.right.as_deref().map_or_else(|| truth_name.to_owned(), name);
        let right = right.unwrap_or(truth);
        let comparison = store.compare((&name(&self.left), &left), (&right_name, &right));
        if self.json {
            print_json(&format!("{:#}\n", candidates::compared(&comparison)))?;
        } else {
            print(&described(&comparison))?;
        }
        let same = comparison.actions.iter().all(|a| a.score.is_ok() && a.difference.is_none());
        Ok(ExitCode::from(u8::from(!same)))
    }
}

fn described(comparison: &SetComparison) -> String {
    let mut out = format!("--- {}\n+++ {}\n", comparison.left, comparison.right);
    for action in &comparison.actions {
        let score = match &action.score {
            Ok(score) => score.in_words(),
            Err(why) => why.clone(),
        };
        out.push_str(&format!("{}({})  {score}\n", action.action, action.params.join(", ")));
        for SideBySide { left, right, counterpart, .. } in &action.rows {
            let word = counterpart.in_words();
            out.push_str(&match (left, right) {
                (Some(left), Some(right)) if left == right => format!("  = {left}\n"),
                (Some(left), Some(right)) => format!("  ~ {left}    {word}: {right}\n"),
                (Some(left), None) => format!("  - {left}    {word}\n"),
                (None, Some(right)) => format!("  + {right}    {word}\n"),
                (None, None) => String::new(),
            });
        }
        if let Some((place, is_left)) = &action.difference {
            let one = if *is_left { &comparison.left } else { &comparison.right };
            let applied = place.application(&action.action);
            out.push_str(&format!("  only {one} permits {applied} in {}\n", place.in_words()));
        }
    }
    if let Some(score) = &comparison.score {
        let over = match comparison.averaged() {
            (scored, all) if scored < all => format!(" of {scored} of {}", count(all, "action")),
            _ => String::new(),
        };
        out.push_str(&format!("macro{over}  {}\n", score.in_words()));
    }
    out
}
