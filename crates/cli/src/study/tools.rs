//! `stepwright study tools`: preconditions of tools inferred from recorded episodes, on calls that the tools accepted or refused.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::data::{discoverer, failed, runs_none, without_options};
use crate::{CliError, Global, note, print, print_json};
use stepwright_driver::Source;
use stepwright_model::prompt::Prompts;
use stepwright_precondition::CandidateContext;
use stepwright_study::precondition::Asking;
use stepwright_study::runner::hearing;
use stepwright_study::tools::{Writer, as_json, domains, measure, tables};

/// Episodes that are learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Episodes {
    /// Those of the benchmark, and generated ones
    All,
    /// Those of the benchmark alone
    Gold,
}

/// Infers assertions for tools from recorded episodes alone, and judges calls that the real tools accepted or refused.
///
/// With `--model` a language model writes assertions as well, as for the preconditions of actions; those that hold at every accepted call
/// judge in a row of their own. A call is refused, accepted, or it cannot be told because what decides it was not read.
#[derive(Debug, Args)]
pub(crate) struct ToolsStudy {
    /// Folder of a domain (tools.json, demonstrations.jsonl, calls.jsonl), or of several
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Domains; all that are there if absent
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    domain: Vec<String>,
    /// Episodes to learn from
    #[arg(long, default_value = "all")]
    episodes: Episodes,
    /// Random completions a language model is asked for after each episode
    #[arg(long, value_name = "K", default_value_t = 8, value_parser = clap::value_parser!(u32).range(0..=1000))]
    samples: u32,
    /// Their temperature
    #[arg(long, value_name = "T", default_value_t = 0.7)]
    temperature: f64,
    /// Episodes of each tool that the model is shown, one at a time
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=1000))]
    shown: u16,
    /// Show the model the policy of the domain (policy.md) as well
    #[arg(long)]
    policy: bool,
    /// Print the assertions, too
    #[arg(long)]
    assertions: bool,
    /// Print figures, assertions and every call as JSON
    #[arg(long)]
    json: bool,
}

impl ToolsStudy {
    /// Measures and prints; exit code 1 if an ask of the model failed.
    pub(super) fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        let mut folders = domains(&self.data);
        let name =
            |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if let Some(unknown) = self.domain.iter().find(|wanted| !folders.iter().any(|path| name(path) == **wanted)) {
            let there: Vec<String> = folders.iter().map(name).collect();
            return Err(CliError::Usage(format!("there is no domain `{unknown}`; there are {}", there.join(", "))));
        }
        folders.retain(|path| self.domain.is_empty() || self.domain.contains(&name(path)));
        if folders.is_empty() {
            let why = "no domain is there: a folder with tools.json, demonstrations.jsonl and calls.jsonl is expected";
            return Err(CliError::Usage(format!("{}: {why}", self.data.display())));
        }
        global.roles_suit("study tools", &std::collections::BTreeMap::new())?;
        let config = global.load()?;
        without_options("tools", global, runs_none)?;
        let asking = match discoverer(&config)?.1 {
            Source::Language { model, .. } => Some(Asking {
                model,
                prompts: Prompts::new(Some(&config.paths.config)),
                samples: self.samples,
                temperature: self.temperature,
            }),
            Source::Symbolic => None,
        };
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(failed)?;
        let mut write = |context: &CandidateContext| match &asking {
            Some(asking) => runtime.block_on(hearing(note, asking.written(context, 0))),
            None => Ok(Vec::new()),
        };
        let mut writer = Writer { write: &mut write, episodes: self.shown.into(), policy: self.policy };
        let mut measured = Vec::new();
        for folder in &folders {
            let told = |tool: &str| note(&format!("{}: {tool}", name(folder)));
            let writer = asking.is_some().then_some(&mut writer);
            measured.push(measure(folder, self.episodes == Episodes::All, writer, told).map_err(CliError::Failed)?);
        }
        let failed = measured.iter().filter_map(|domain| domain.written.as_ref()).any(|of| !of.failed.is_empty());
        let code = ExitCode::from(u8::from(failed));
        if self.json {
            print_json(&format!("{:#}\n", as_json(&measured)))?;
            return Ok(code);
        }
        let mut text = tables(&measured);
        if self.assertions {
            for domain in &measured {
                let of_model = domain.written.iter().flat_map(|of_model| &of_model.rules);
                let of_model = of_model.map(|(tool, rules)| (tool, rules, ", by the model"));
                for (tool, rules, by) in domain.rules.iter().map(|(tool, rules)| (tool, rules, "")).chain(of_model) {
                    text.push_str(&format!("\n{}: {tool}{by}\n", domain.name));
                    rules.iter().for_each(|rule| text.push_str(&format!("  assert {}\n", rule.assertion.text())));
                }
            }
        }
        print(&text)?;
        Ok(code)
    }
}
