//! `stepwright models fetch`, and the weights in the list of models.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio_util::sync::CancellationToken;

use super::line;
use crate::headless::INTERRUPTED;
use crate::{CliError, note, print};
use stepwright_launch::config::{Config, WITHOUT_LOCAL};
use stepwright_model::fetch::{self, FetchError, Purpose, Step, Weights};

/// Lists the models that run in this process: those whose weights are there or can be fetched, and the person's own file.
pub(super) fn list(config: &Config, out: &mut String) -> Result<(), CliError> {
    let folder = config.places().folder;
    for weights in fetch::all().map_err(failed)? {
        let state = if fetch::is_present(&folder, &weights) {
            fetch::path(&folder, &weights).display().to_string()
        } else {
            format!("not fetched ({}): stepwright models fetch {}", weights.megabytes(), weights.name)
        };
        let name = match weights.purpose {
            Purpose::Language => format!("local:{}", weights.name),
            Purpose::Embedder => weights.name.clone(),
        };
        let chosen = if weights.purpose == Purpose::Language { &config.model.model } else { &config.embedder };
        let mark = if *chosen == name { "*" } else { " " };
        line(out, format!("{mark} {name}  {}, {}, {state}", weights.title, weights.about));
    }
    if let Some(file) = config.model.model.strip_prefix("local:").filter(|f| fetch::named(f).is_err()) {
        line(out, format!("* local:{file}  a file of your own"));
    }
    if !cfg!(feature = "local") {
        line(out, format!("  ({WITHOUT_LOCAL})"));
    }
    Ok(())
}

/// Fetches weights with those that go with them, and prints their paths.
pub(super) fn fetch(config: &Config, name: &str, from: Option<&Path>) -> Result<ExitCode, CliError> {
    let all = fetch::with_companions(name).map_err(failed)?;
    if !cfg!(feature = "local") {
        note(&format!("stepwright: what is fetched cannot be run here: {WITHOUT_LOCAL}"));
    }
    for (at, weights) in all.iter().enumerate() {
        // What goes with a file lies beside it.
        let beside = |path: &Path| at > 0 && path.is_file();
        let from = from.map(|path| if beside(path) { path.parent().unwrap_or(path) } else { path });
        let code = fetch_one(config, weights, from)?;
        if code != ExitCode::SUCCESS {
            return Ok(code);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn fetch_one(config: &Config, weights: &Weights, from: Option<&Path>) -> Result<ExitCode, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let cancel = CancellationToken::new();
    let bar = bar(weights);
    let done = runtime.block_on(async {
        let fired = cancel.clone();
        tokio::spawn(async move {
            // Without a handler Ctrl-C ends the program at once, and what has arrived is kept just the same.
            if tokio::signal::ctrl_c().await.is_ok() {
                fired.cancel();
            }
        });
        let progress = |step: Step| {
            bar.set_message(step.what);
            bar.set_position(step.done);
        };
        let places = config.places();
        match from {
            Some(from) => fetch::take(weights, from, &places, &progress, &cancel).await,
            None => fetch::fetch(weights, &places, &progress, &cancel).await,
        }
    });
    bar.finish_and_clear();
    match done {
        Ok(path) => {
            print(&format!("{}\n", path.display()))?;
            Ok(ExitCode::SUCCESS)
        }
        Err(FetchError::Cancelled) => {
            // With standard error closed nobody can read it.
            let _ = writeln!(io::stderr(), "stepwright: {}", FetchError::Cancelled);
            Ok(ExitCode::from(INTERRUPTED))
        }
        Err(error) => Err(failed(error)),
    }
}

fn bar(weights: &Weights) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(Some(weights.size), ProgressDrawTarget::hidden());
    }
    let bar = ProgressBar::new(weights.size);
    let form = "{prefix} {bar:30} {binary_bytes}/{binary_total_bytes} {binary_bytes_per_sec} {msg}";
    // A form that cannot be read leaves the plain one.
    if let Ok(style) = ProgressStyle::with_template(form) {
        bar.set_style(style);
    }
    bar.set_prefix(weights.name.clone());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn failed(error: FetchError) -> CliError {
    CliError::Failed(error.to_string())
}
