//! `stepwright study tools`: preconditions of tools inferred from recorded episodes, on calls that the tools accepted or refused.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::{CliError, Global, note, print, print_json};
use stepwright_study::tools::{as_json, domains, measure, tables};

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
/// No language model takes part. A call is refused, accepted, or it cannot be told because what decides it was not read.
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
    /// Print the assertions, too
    #[arg(long)]
    assertions: bool,
    /// Print figures, assertions and every call as JSON
    #[arg(long)]
    json: bool,
}

impl ToolsStudy {
    pub(super) fn run(self, _global: &Global) -> Result<ExitCode, CliError> {
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
        let mut measured = Vec::new();
        for folder in &folders {
            let told = |tool: &str| note(&format!("{}: {tool}", name(folder)));
            measured.push(measure(folder, self.episodes == Episodes::All, told).map_err(CliError::Failed)?);
        }
        if self.json {
            print_json(&format!("{:#}\n", as_json(&measured)))?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut text = tables(&measured);
        if self.assertions {
            for domain in &measured {
                for (tool, rules) in &domain.rules {
                    text.push_str(&format!("\n{}: {tool}\n", domain.name));
                    rules.iter().for_each(|rule| text.push_str(&format!("  assert {}\n", rule.assertion.text())));
                }
            }
        }
        print(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}
