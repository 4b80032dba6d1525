//! `stepwright conform`: compares the program with recordings of the original systems.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::{CliError, print, print_json};
use stepwright_study::conform;

/// Compares the program with recordings; exit code 1 on any difference, 2 where there is nothing to compare.
#[derive(Debug, Args)]
pub struct Conform {
    /// Folder of the recordings: one folder a topic, or a topic's own folder
    dir: PathBuf,
    /// Compare this topic alone (alfworld)
    #[arg(long, value_name = "NAME")]
    topic: Option<String>,
    /// List every difference, not just the first of each recording
    #[arg(long)]
    all: bool,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

impl Conform {
    /// Compares and prints the report.
    ///
    /// # Errors
    /// If the folder or the topic does not exist.
    pub fn run(self) -> Result<ExitCode, CliError> {
        let report = conform::run(&self.dir, self.topic.as_deref()).map_err(|e| CliError::Usage(e.to_string()))?;
        let printed = if self.json {
            let mut value = json!({
                "compared": report.compared(), "differences": report.differences(), "rows": report.rows,
            });
            for (row, other) in
                report.rows.iter().zip(value["rows"].as_array_mut().into_iter().flatten()).filter(|_| self.all)
            {
                other["others"] = json!(row.others);
            }
            print_json(&format!("{value:#}\n"))
        } else if self.all {
            print(&format!("{report:#}"))
        } else {
            print(&report.to_string())
        };
        match printed {
            // A reader that left early does not turn differences into success.
            Err(CliError::Stream(e)) if e.kind() == ErrorKind::BrokenPipe => {}
            other => other?,
        }
        if report.exit_code() == 2 {
            return Err(CliError::Failed(format!("{}: nothing to compare", self.dir.display())));
        }
        Ok(ExitCode::from(report.exit_code()))
    }
}
