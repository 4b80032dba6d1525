//! What subcommands that work for long without a person share: a progress bar, and an end at Ctrl-C.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

/// A number of pieces of work at once.
pub(super) fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| *n > 0).ok_or_else(|| "it takes a whole number from 1 on".to_owned())
}

/// A bar on standard error; nothing where that is no terminal.
pub(super) fn progress(total: u64) -> ProgressBar {
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

/// How much was done, for the last line: `12 of 20 episodes run, 5 had results already; results in x.jsonl`.
pub(super) fn done(what: &str, ran: usize, asked: usize, skipped: usize, stopped: bool, out: Option<&str>) -> String {
    let stopped = if stopped { ", stopped early; run again to go on" } else { "" };
    let already = if skipped > 0 { format!(", {skipped} had results already") } else { String::new() };
    let out = out.map_or_else(|| "; not kept (name a file with --out)".to_owned(), |out| format!("; results in {out}"));
    format!("{ran} of {asked} {what}{already}{stopped}{out}\n")
}
