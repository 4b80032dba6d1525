//! `stepwright belief`: the form of states in which a belief is kept in a world that ships none: proposed by a model from episodes, and
//! checked against them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;
use tokio::runtime::Runtime;

use super::candidate_store::{self, Where};
use super::headless::interrupted;
use super::{CliError, Global, note, print, print_json, target};
use stepwright_belief::form::{AGAIN, CHAT_TEMPLATE, Judged, MAX_TOKENS, Moments, TEMPLATE, written};
use stepwright_driver::Source;
use stepwright_episode::Role;
use stepwright_launch::{read_form, resolver};
use stepwright_model::prompt::Prompts;
use stepwright_model::{ModelRequest, ask};
use stepwright_world::FileFaults;

/// Find and check forms of states.
#[derive(Debug, Subcommand)]
pub(crate) enum BeliefCommand {
    /// Have a model propose a form from episodes, and write it to a file; exit code 1 if the episodes' states cannot be written in it
    Form(Form),
    /// Say whether the states of episodes can be written in a form, and what it tells of them; exit code 1 if they cannot
    Check(Check),
}

/// The episodes whose states count.
#[derive(Debug, Args)]
struct Episodes {
    /// Logs of episodes in place of the world's demonstrations, in any format that `open` reads; those that failed are left out
    #[arg(value_name = "LOG", conflicts_with_all = ["world", "task"])]
    logs: Vec<PathBuf>,
    #[command(flatten)]
    at: Where,
}

/// Proposes a form.
#[derive(Debug, Args)]
pub(crate) struct Form {
    #[command(flatten)]
    episodes: Episodes,
    /// The file to write, such as shop.state_form.toml; for `--states FILE` of an episode
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// How often the model is asked until a form passes: first greedily, then by sampling
    #[arg(long, value_name = "N", default_value = "4", value_parser = clap::value_parser!(u16).range(1..))]
    tries: u16,
    /// Replace the file if it is there
    #[arg(long)]
    replace: bool,
}

/// Checks a form.
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// A form of states
    file: PathBuf,
    #[command(flatten)]
    episodes: Episodes,
    /// Print the verdict as JSON
    #[arg(long)]
    json: bool,
}

impl BeliefCommand {
    pub fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        match self {
            BeliefCommand::Form(form) => form.run(global),
            BeliefCommand::Check(check) => check.run(global),
        }
    }
}

impl Episodes {
    fn moments(&self, global: &Global) -> Result<Moments, CliError> {
        let (store, ..) = candidate_store::over(&self.logs, &self.at, global)?;
        Ok(Moments::of(store.demonstrations()))
    }
}

/// Where a form goes that did not pass: beside what is there, which may be a good one.
fn beside(out: &Path) -> PathBuf {
    let ending = out.file_name().and_then(|name| name.to_str()?.split_once('.').map(|(_, ending)| ending));
    stepwright_files::free(out, &ending.map_or_else(String::new, |ending| format!(".{ending}")))
}

impl Form {
    fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        if self.out.exists() && !self.replace {
            let why = format!("{} is there already; name another --out, or give --replace", self.out.display());
            return Err(CliError::Usage(why));
        }
        let config = global.load()?;
        let name = config.roles.get(&Role::Discoverer).unwrap_or(&config.model.model);
        let Source::Language { model, .. } = resolver(&config)(name).map_err(CliError::Failed)? else {
            return Err(CliError::Usage("no language model is in use; name one with --model".to_owned()));
        };
        let moments = self.episodes.moments(global)?;
        let raw = model.prefers_raw();
        let prompts = Prompts::new(Some(&config.paths.config));
        let prompt = prompts.render(if raw { TEMPLATE } else { CHAT_TEMPLATE }, &moments.context());
        let messages = prompt.map_err(|e| CliError::Failed(e.to_string()))?.messages;
        let runtime = Runtime::new()?;
        let cancel = interrupted(&runtime).cancel;
        let path = self.out.display().to_string();
        // The text with the fewest faults.
        let mut best: Option<(String, FileFaults)> = None;
        for at in 0..self.tries {
            let temperature = if at == 0 { 0.0 } else { AGAIN };
            let request = ModelRequest {
                messages: messages.clone(),
                max_tokens: MAX_TOKENS,
                temperature,
                n: 1,
                ..ModelRequest::default()
            };
            let asked = runtime.block_on(ask(&*model, &request, &cancel));
            asked.remarks.iter().for_each(|remark| note(remark));
            let completions = asked.completions.map_err(|e| CliError::Failed(e.to_string()))?;
            note(&format!("{} asked, {} tokens in, {} out", name, asked.spent.prompt, asked.spent.completion));
            let text = written(completions.first().map(|one| one.text.as_str()).unwrap_or_default());
            match moments.judge(&text, &path) {
                Ok(judged) => {
                    target::replace(&self.out, &text)?;
                    print(&format!(
                        "{judged}written to {path}; edit it, check it (belief check), and begin with --states {path}\n"
                    ))?;
                    return Ok(ExitCode::SUCCESS);
                }
                Err(wrong) if best.as_ref().is_none_or(|(_, least)| wrong.faults.len() < least.faults.len()) => {
                    best = Some((text, wrong));
                }
                Err(_) => {}
            }
        }
        let Some((text, wrong)) = best else { return Ok(ExitCode::FAILURE) };
        let beside = beside(&self.out);
        target::replace(&beside, &text)?;
        let (stays, beside) = (beside != self.out, beside.display());
        let stays = if stays { format!("; {path} stays as it is") } else { String::new() };
        print(&format!(
            "{wrong}\nno form passed{stays}; that with the fewest faults is in {beside}: edit it, then belief check\n"
        ))?;
        Ok(ExitCode::FAILURE)
    }
}

impl Check {
    fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        let text = read_form(&self.file).map_err(CliError::Failed)?;
        let judged = self.episodes.moments(global)?.judge(&text, &self.file.display().to_string());
        let passes = judged.is_ok();
        if self.json {
            let verdict = match &judged {
                Ok(Judged { tells, leaves_out, states, changes, told, .. }) => {
                    json!({ "tells": tells, "leaves_out": leaves_out, "states": states, "changes": changes, "told": told })
                }
                Err(wrong) => json!({ "faults": wrong.faults }),
            };
            print_json(&format!("{verdict:#}\n"))?;
        } else {
            print(&judged.map_or_else(|wrong| format!("{wrong}\n"), |judged| judged.to_string()))?;
        }
        Ok(if passes { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_that_did_not_pass_takes_no_good_ones_place() {
        let folder = tempfile::tempdir().unwrap();
        let (out, other) = (folder.path().join("a.state_form.toml"), folder.path().join("a-2.state_form.toml"));
        assert_eq!(beside(&out), out);
        std::fs::write(&out, "").unwrap();
        assert_eq!(beside(&out), other);
    }
}
