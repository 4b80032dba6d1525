//! What `run` and the studies share on the command line: the flags, a progress bar, an end at Ctrl-C, the results file, the table,
//! the exit code.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use super::{CliError, print};
use crate::study::runner::{Results, Study, carry_out, is_error};

/// How a study is carried out.
#[derive(Debug, Args)]
pub struct UnattendedFlags {
    /// How many at once
    #[arg(long, value_name = "N", default_value = "1", value_parser = at_least_one)]
    jobs: usize,
    /// Results file, one JSON object a line; what has a result in it is not done again
    #[arg(long, value_name = "FILE.jsonl")]
    out: Option<PathBuf>,
}

/// A study as far as it was carried out.
#[derive(Debug)]
pub struct CarriedOut<L> {
    /// The newest line of each unit, of this run and of the results file.
    pub lines: Vec<L>,
    /// How much was done: `12 of 20 episodes run, 5 had results already; results in x.jsonl`.
    pub summary: String,
    /// 1 if a line is an error or it was stopped.
    pub code: ExitCode,
}

impl UnattendedFlags {
    /// Carries out what has no result yet.
    ///
    /// # Errors
    /// If the results file cannot be read or written.
    pub fn carry_out<S: Study>(&self, study: &Arc<S>) -> Result<CarriedOut<S::Line>, CliError> {
        let mut results: Results<S::Line> = Results::open(self.out.as_deref()).map_err(CliError::Failed)?;
        let (open, done) = results.open_units(&**study);
        let (asked, mut ran) = (open.len(), 0);
        let bar = progress(asked as u64);
        let runtime = Runtime::new()?;
        let cancel = interrupted(&runtime);
        let ended = |task, lines: Vec<S::Line>| {
            bar.inc(1);
            bar.set_message(task);
            ran += 1;
            lines.into_iter().try_for_each(|line| results.add(line))
        };
        runtime.block_on(carry_out(study, open, self.jobs, &cancel, ended)).map_err(CliError::Failed)?;
        bar.finish_and_clear();
        let lines = results.latest(&**study);
        let stopped = cancel.is_cancelled();
        let failed = lines.iter().any(is_error);
        let already = if done > 0 { format!(", {done} had results already") } else { String::new() };
        let early = if stopped { ", stopped early; run again to go on" } else { "" };
        let kept =
            results.path().map_or("; not kept (name a file with --out)".to_owned(), |p| format!("; results in {p}"));
        Ok(CarriedOut {
            lines,
            summary: format!("{ran} of {asked} {}{already}{early}{kept}\n", S::CARRIED_OUT),
            code: ExitCode::from(u8::from(failed || stopped)),
        })
    }

    /// Carries out what has no result yet and prints the study's tables; exit code 1 if something could not be carried out.
    ///
    /// # Errors
    /// As [`UnattendedFlags::carry_out`].
    pub fn run<S: Study>(&self, study: S) -> Result<ExitCode, CliError> {
        let study = Arc::new(study);
        let CarriedOut { lines, summary, code } = self.carry_out(&study)?;
        print(&study.table(&lines))?;
        print(&format!("\n{summary}"))?;
        Ok(code)
    }
}

/// A number of pieces of work at once.
fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| *n > 0).ok_or_else(|| "it takes a whole number from 1 on".to_owned())
}

/// A bar on standard error; nothing where that is no terminal.
fn progress(total: u64) -> ProgressBar {
    let bar = ProgressBar::new(total);
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    // The template is a constant of ours; if it were wrong the default bar would do.
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} {elapsed}, {eta} left") {
        bar.set_style(style);
    }
    bar
}

/// Fires at Ctrl-C.
pub(super) fn interrupted(runtime: &Runtime) -> CancellationToken {
    let cancel = CancellationToken::new();
    let fired = cancel.clone();
    runtime.spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            fired.cancel();
        }
    });
    cancel
}
