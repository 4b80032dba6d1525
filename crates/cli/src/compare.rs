//! `stepwright compare`: branches of a session, or several sessions, side by side.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::export::write;
use super::sessions::{found, newest};
use super::{CliError, Global, print, print_file};
use stepwright_episode::{NodeId, Session, log};
use stepwright_export::compare::{self, Line};
use stepwright_export::comparison_page;

/// Puts branches or sessions side by side, aligned by step.
#[derive(Debug, Args)]
pub struct Compare {
    /// Sessions: files, or names of those in the folder of sessions; `FILE#N` is the branch through node N of one. Of a single
    /// session all branches are compared
    #[arg(required_unless_present = "last", value_name = "FILE[#NODE]")]
    sessions: Vec<String>,
    /// The session written to last, before those named
    #[arg(long)]
    last: bool,
    /// Columns to use; if absent what `COLUMNS` says, else the terminal's, else 120
    #[arg(long, value_name = "N")]
    width: Option<usize>,
    /// One self-contained HTML page in place of the text; `-` is standard output
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The comparison as JSON; `-` is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl Compare {
    /// Compares, and prints or writes. The exit code is 1 where they differ.
    pub fn run(mut self, global: &Global) -> Result<ExitCode, CliError> {
        let folder = global.load()?.paths.sessions();
        if self.last {
            self.sessions.insert(0, newest(&folder)?.display().to_string());
        }
        let loaded: Vec<(&str, Session, Option<NodeId>)> =
            self.sessions.iter().map(|name| load(&folder, name)).collect::<Result<_, _>>()?;
        let mut lines = Vec::new();
        let labels = compare::labels(&loaded.iter().map(|(name, ..)| *name).collect::<Vec<_>>());
        for ((_, session, node), name) in loaded.iter().zip(&labels) {
            let tips = compare::tips(session);
            let line = |tip: NodeId, name: String| Line { name, session, tip };
            match (node, loaded.len()) {
                (Some(node), _) => lines.push(line(compare::end(session, *node), name.clone())),
                (None, 1) => lines.extend(tips.iter().map(|tip| {
                    let named = session.branch_name(*tip);
                    line(*tip, if named.is_empty() { format!("{name}#{tip}") } else { format!("{named} (#{tip})") })
                })),
                (None, _) => lines.extend(tips.first().map(|tip| line(*tip, name.clone()))),
            }
        }
        if lines.len() < 2 {
            let why = "there is one branch; name a second session, or open it, go back and take another action";
            return Err(CliError::Failed(format!("{}: {why}", self.sessions.join(" "))));
        }
        let comparison = compare::compare(&lines);
        let failed = |e: &dyn std::fmt::Display| CliError::Failed(format!("the comparison: {e}"));
        let html = self.html.as_ref().map(|file| comparison_page(&comparison).map(|text| (file, text)));
        let json = self.json.as_ref().map(|file| serde_json::to_string_pretty(&comparison).map(|t| (file, t + "\n")));
        let files = [html.transpose().map_err(|e| failed(&e))?, json.transpose().map_err(|e| failed(&e))?];
        if files.iter().all(Option::is_none) {
            print(&compare::render(&comparison, self.width.unwrap_or_else(columns)))?;
        }
        for (file, text) in files.into_iter().flatten() {
            out(file, &text)?;
        }
        Ok(if comparison.first_difference.is_some() { ExitCode::from(1) } else { ExitCode::SUCCESS })
    }
}

/// The columns there are. A shell may leave the variable empty.
fn columns() -> usize {
    let said =
        std::env::var("COLUMNS").ok().and_then(|said| said.trim().parse::<usize>().ok()).filter(|columns| *columns > 0);
    let there = || std::io::stdout().is_terminal().then(crossterm::terminal::size)?.ok();
    said.or_else(|| there().map(|(columns, _)| usize::from(columns))).unwrap_or(120)
}

fn out(file: &Path, text: &str) -> Result<(), CliError> {
    if file.as_os_str() == "-" {
        return print_file(text);
    }
    write(file, text).map_err(|e| CliError::Failed(format!("{}: {e}", file.display())))
}

/// A session, and the node named after `#`. A file whose own name ends so is taken as it is.
fn load<'a>(folder: &Path, name: &'a str) -> Result<(&'a str, Session, Option<NodeId>), CliError> {
    let named = name.rsplit_once('#').filter(|_| !Path::new(name).exists());
    let (file, node) = match named.map(|(file, node)| (file, node.parse::<NodeId>())) {
        Some((file, Ok(node))) => (file, Some(node)),
        Some((_, Err(_))) => return Err(CliError::Failed(format!("{name}: a number of a node comes after `#`"))),
        None => (name, None),
    };
    let loaded = log::load(&found(folder, Path::new(file))?).map_err(|e| CliError::Failed(e.to_string()))?;
    if let Some(node) = node.filter(|node| loaded.session.node(*node).is_none()) {
        let last = loaded.session.nodes().len().saturating_sub(1);
        return Err(CliError::Failed(format!("{file}: there is no node {node}; they are 0 to {last}")));
    }
    Ok((name, loaded.session, node))
}
