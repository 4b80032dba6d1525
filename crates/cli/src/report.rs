//! `stepwright report`: the results of one study or several, from any number of files, as tables and as files.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::{CliError, note, print, target};
use stepwright_methods::METHODS;
use stepwright_study::curve::Format;
use stepwright_study::kinds::Kind;
use stepwright_study::report;
use stepwright_study::runner::{Merged, files_of, merge, read};

/// Holes that are named one by one.
const MOST_HOLES: usize = 20;

/// Puts results files together, by experiment: units that were carried out twice count once, units that are missing are named, tables are
/// printed as the study prints them.
#[derive(Debug, Args)]
pub struct Report {
    /// Results files, or folders of them
    #[arg(required = true, value_name = "DIR_OR_FILE")]
    from: Vec<PathBuf>,
    /// This experiment alone, by the beginning of its hash
    #[arg(long, value_name = "HASH")]
    experiment: Option<String>,
    /// Exit code 1 if a planned unit has no result
    #[arg(long)]
    require_complete: bool,
    /// More rows: each task, action or service
    #[arg(long)]
    detail: bool,
    /// Write a file as well, by its end: tables and curves as .csv (a cell a line) or .json, plots as .svg; may be given several times
    #[arg(long, visible_alias = "out", value_name = "FILE", value_parser = format)]
    export: Vec<(PathBuf, Format)>,
}

fn format(text: &str) -> Result<(PathBuf, Format), String> {
    let path = PathBuf::from(text);
    Format::of(&path).map(|format| (path, format))
}

struct Tabulated {
    merged: Merged,
    report: report::Report,
}

impl Report {
    pub fn run(self) -> Result<ExitCode, CliError> {
        let files = self.files()?;
        let contents = files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>().map_err(CliError::Failed)?;
        let mut merged = merge(&contents);
        if let Some(wanted) = &self.experiment {
            let known: Vec<String> = merged.iter().map(|m| m.experiment.hash().to_owned()).collect();
            merged.retain(|m| m.experiment.hash().starts_with(wanted.as_str()));
            if merged.is_empty() {
                let why = format!("there is no experiment {wanted}; there are {}", known.join(", "));
                return Err(CliError::Usage(why));
            }
        }
        let tabulate = |merged: Merged| {
            let kind = Kind::named(merged.experiment.study())?;
            let report = kind.report(&merged, self.detail, &METHODS)?;
            Ok(Tabulated { merged, report })
        };
        let all =
            merged.into_iter().map(tabulate).collect::<Result<Vec<Tabulated>, String>>().map_err(CliError::Failed)?;
        // What is written comes first: a reader that closes the pipe must not cost the files.
        for (path, form) in &self.export {
            target::write(path, &written(&all, *form), &files)?;
        }
        print(&printed(&all))?;
        let holes: usize = all.iter().map(|one| one.merged.holes.len()).sum();
        if self.require_complete && holes > 0 {
            note(&format!("{} without a result", stepwright_text::words::count(holes, "unit")));
            return Ok(ExitCode::FAILURE);
        }
        Ok(ExitCode::SUCCESS)
    }

    fn files(&self) -> Result<Vec<PathBuf>, CliError> {
        let mut files: Vec<PathBuf> = Vec::new();
        for from in &self.from {
            if from.is_dir() {
                files.extend(files_of(from).map_err(CliError::Failed)?);
            } else {
                files.push(from.clone());
            }
        }
        if files.is_empty() {
            let named: Vec<String> = self.from.iter().map(|from| from.display().to_string()).collect();
            return Err(CliError::Failed(format!("{}: no results files (*.jsonl) are there", named.join(", "))));
        }
        // The same file by two names is one.
        let same = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let mut seen = std::collections::BTreeSet::new();
        files.retain(|file| seen.insert(same(file)));
        Ok(files)
    }
}

fn printed(all: &[Tabulated]) -> String {
    let mut text = String::new();
    for (at, Tabulated { merged, report }) in all.iter().enumerate() {
        let Merged { experiment, planned, duplicates, holes, files, .. } = merged;
        text.push_str(if at > 0 { "\n" } else { "" });
        let done = planned.saturating_sub(holes.len());
        let units = stepwright_text::words::noun(*planned, "unit");
        text.push_str(&format!("{} {}: {done} of {planned} {units}", experiment.study(), experiment.hash()));
        text.push_str(&format!(", {}", stepwright_text::words::count(*files, "file")));
        if duplicates.all > 0 {
            text.push_str(&format!(", {} left out", stepwright_text::words::count(duplicates.all, "double")));
        }
        if duplicates.unlike > 0 {
            let unlike = stepwright_text::words::count(duplicates.unlike, "result");
            text.push_str(&format!(
                " (OF THEM {unlike} UNLIKE the one that counts, the newest in the order of the files)"
            ));
        }
        text.push('\n');
        if let Some(first) = all.first().filter(|_| at > 0) {
            let differences = experiment.differences(&first.merged.experiment);
            text.push_str(&format!("  unlike {}: {}\n", first.merged.experiment.hash(), differences.join("; ")));
        }
        text.push_str(&format!("\n{report}"));
        if !holes.is_empty() {
            text.push_str(&format!("\n{} without a result:\n", stepwright_text::words::count(holes.len(), "unit")));
            for hole in holes.iter().take(MOST_HOLES) {
                text.push_str(&format!("  {hole}\n"));
            }
            if holes.len() > MOST_HOLES {
                text.push_str(&format!("  and {} more\n", holes.len() - MOST_HOLES));
            }
        }
    }
    stepwright_text::sanitize::visible(&text).into_owned()
}

fn written(all: &[Tabulated], form: Format) -> String {
    match form {
        Format::Csv => {
            let of = |one: &Tabulated| one.report.csv(&format!("{},", one.merged.experiment.hash()));
            "experiment,table,row,column,value\n".to_owned() + &all.iter().map(of).collect::<String>()
        }
        Format::Json => {
            let of = |Tabulated { merged, report }: &Tabulated| {
                let mut value = report.json();
                value["study"] = json!(merged.experiment.study());
                value["experiment"] = json!(merged.experiment.hash());
                value["depends_on"] = merged.experiment.fields().clone();
                value["units"] = json!({
                    "planned": merged.planned, "doubles": merged.duplicates.all, "doubles_unlike": merged.duplicates.unlike,
                    "without_a_result": merged.holes,
                });
                value
            };
            format!("{:#}\n", all.iter().map(of).collect::<Value>())
        }
        Format::Svg => report::Report::svg(&all.iter().map(|one| one.report.clone()).collect::<Vec<_>>()),
    }
}
