//! `stepwright compare`: branches of a session, or several sessions, side by side.

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::sessions::{found, newest};
use super::{CliError, Global, note, print, target};
use stepwright_episode::{NodeId, Session, log};
use stepwright_export::compare::text::{LEAD, NARROWEST};
use stepwright_export::compare::{self, Line};
use stepwright_export::comparison_page;
use stepwright_launch::{OpenError, load_sessions};
use stepwright_world::Sources;

/// Puts branches or sessions side by side, aligned by step.
#[derive(Debug, Args)]
pub struct Compare {
    /// Sessions: files, or names of those in the folder of sessions; `FILE#N` is the branch through node N of one. Of a single
    /// session all branches are compared. Of a file of logs all episodes, or that of an id: `FILE#ID`
    #[arg(required_unless_present = "last", value_name = "FILE[#NODE]")]
    sessions: Vec<OsString>,
    /// The session written to last, before those named
    #[arg(long)]
    last: bool,
    /// Columns to use; if absent what `COLUMNS` says, else the terminal's, else 120
    #[arg(long, value_name = "N")]
    width: Option<usize>,
    /// One self-contained HTML page in place of the text; `-` is standard output
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The comparison as JSON, `won` null where it is not known; `-` is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Replace the file also where it is a session or results
    #[arg(long)]
    replace: bool,
}

impl Compare {
    /// Compares, and prints or writes. The exit code is 1 where they differ.
    pub fn run(mut self, global: &Global) -> Result<ExitCode, CliError> {
        let config = global.load()?;
        let (folder, sources) =
            (config.paths.sessions(), stepwright_worlds::sources().with_adapters(config.external.clone()));
        if self.last {
            self.sessions.insert(0, newest(&folder)?.into_os_string());
        }
        let named = self.sessions.iter().map(|word| Named::read(&folder, word)).collect::<Result<Vec<_>, _>>()?;
        let read: Vec<PathBuf> = named.iter().map(|named| named.path.clone()).collect();
        for file in [&self.html, &self.json].into_iter().flatten() {
            target::look_at(file, &read, Some(self.replace))?;
        }
        let mut loaded: Vec<(String, Session, Option<NodeId>)> = Vec::new();
        for named in &named {
            loaded.extend(load(named, &sources)?);
        }
        let mut lines = Vec::new();
        let labels = compare::labels(&loaded.iter().map(|(name, ..)| name.as_str()).collect::<Vec<_>>());
        for ((_, session, node), name) in loaded.iter().zip(&labels) {
            let tips = compare::tips(session);
            let line = |tip: NodeId, name: String| Line { name, session, tip, ghost: None };
            let ghosts = |tip: &NodeId| {
                let of = |side| Line { ghost: Some(side), ..line(*tip, compare::ghost_label(side)) };
                compare::ghosts(session, *tip).into_iter().map(of).collect::<Vec<_>>()
            };
            match (node, loaded.len()) {
                (Some(node), _) => {
                    let tip = compare::end(session, *node);
                    lines.push(line(tip, format!("{} ({name})", compare::branch_label(session, tip))));
                }
                (None, 1) => {
                    let label = |tip: &NodeId| format!("{} (#{tip})", compare::branch_label(session, *tip));
                    lines.extend(tips.iter().map(|tip| line(*tip, label(tip))));
                    lines.extend(tips.first().map(ghosts).unwrap_or_default());
                }
                (None, _) => lines.extend(tips.first().map(|tip| line(*tip, name.clone()))),
            }
        }
        if lines.len() < 2 {
            let why = match loaded.iter().any(|(.., node)| node.is_some()) {
                true => "this is one branch; name another, or the file without `#N` for all that it has",
                false => "there is one branch; name a second session, or open it, go back and take another action",
            };
            let words: Vec<&str> = named.iter().map(|named| named.word.as_str()).collect();
            return Err(CliError::Failed(format!("{}: {why}", words.join(" "))));
        }
        let comparison = compare::compare(&lines);
        let failed = |e: &dyn std::fmt::Display| CliError::Failed(format!("the comparison: {e}"));
        let html = self.html.as_ref().map(|file| comparison_page(&comparison).map(|text| (file, text)));
        let json = self.json.as_ref().map(|file| serde_json::to_string_pretty(&comparison).map(|t| (file, t + "\n")));
        let files = [html.transpose().map_err(|e| failed(&e))?, json.transpose().map_err(|e| failed(&e))?];
        if files.iter().all(Option::is_none) {
            let width = self.width.map_or_else(|| Ok(columns()), |width| wide_enough(width, lines.len()))?;
            print(&compare::render(&comparison, width))?;
        }
        for (file, text) in files.into_iter().flatten() {
            target::replace(file, &text)?;
        }
        Ok(if comparison.first_difference.is_some() { ExitCode::from(1) } else { ExitCode::SUCCESS })
    }
}

/// The width that was asked for.
/// Errors: so many sides do not fit into it, and their lines would be longer.
fn wide_enough(width: usize, sides: usize) -> Result<usize, CliError> {
    let least = LEAD + sides * NARROWEST;
    let narrow = || CliError::Usage(format!("--width {width} is too narrow for {sides} columns: {least} is the least"));
    if width < least { Err(narrow()) } else { Ok(width) }
}

/// The columns there are. A shell may leave the variable empty.
fn columns() -> usize {
    let said =
        std::env::var("COLUMNS").ok().and_then(|said| said.trim().parse::<usize>().ok()).filter(|columns| *columns > 0);
    let there = || std::io::stdout().is_terminal().then(crossterm::terminal::size)?.ok();
    said.or_else(|| there().map(|(columns, _)| usize::from(columns))).unwrap_or(120)
}

/// What a word of the command line names.
struct Named {
    /// The word, for people: a path may be no text.
    word: String,
    /// The same without what is named of the file after `#`.
    file: String,
    path: PathBuf,
    part: Option<String>,
}

impl Named {
    /// A file whose own name ends as if a part of it were named is taken as it is.
    fn read(folder: &Path, word: &OsStr) -> Result<Self, CliError> {
        let (file, part) = parts(word).filter(|_| !Path::new(word).exists()).unzip();
        let file = file.unwrap_or(word);
        let path = found(folder, Path::new(file))?;
        let text = |word: &OsStr| word.to_string_lossy().into_owned();
        Ok(Named { word: text(word), file: text(file), path, part: part.map(str::to_owned) })
    }
}

/// A path and what comes after its last `#`, if that is a text.
fn parts(word: &OsStr) -> Option<(&OsStr, &str)> {
    let bytes = word.as_bytes();
    let at = bytes.iter().rposition(|byte| *byte == b'#')?;
    Some((OsStr::from_bytes(bytes.get(..at)?), std::str::from_utf8(bytes.get(at + 1..)?).ok()?))
}

/// A session, and the node that is named; of a file of logs all its episodes, or the one that is named.
fn load(named: &Named, sources: &Sources) -> Result<Vec<(String, Session, Option<NodeId>)>, CliError> {
    let failed = |e: OpenError| CliError::Failed(e.to_string());
    let Named { word, file, path, part } = named;
    if !log::is_session(path) {
        let read = load_sessions(path, part.as_deref(), sources).map_err(failed)?;
        read.problems.iter().for_each(|line| note(line));
        let is_one = read.sessions.len() == 1;
        let label = |id: String| if is_one { word.clone() } else { format!("{file}#{id}") };
        return Ok(read.sessions.into_iter().map(|(id, loaded)| (label(id), loaded.session, None)).collect());
    }
    let node = part.as_deref().map(str::parse::<NodeId>).transpose();
    let node = node.map_err(|_| CliError::Failed(format!("{word}: a number of a node comes after `#`")))?;
    let log::Loaded { session, remarks, .. } = log::load(path).map_err(|e| CliError::Failed(e.to_string()))?;
    remarks.iter().for_each(|line| note(line));
    if let Some(node) = node.filter(|node| session.node(*node).is_none()) {
        let last = session.nodes().len().saturating_sub(1);
        return Err(CliError::Failed(format!("{file}: there is no node {node}; they are 0 to {last}")));
    }
    Ok(vec![(word.clone(), session, node)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_width_that_columns_do_not_fit_into_is_refused_with_the_least() {
        assert_eq!(wide_enough(55, 2).unwrap(), 55);
        let told = wide_enough(54, 2).unwrap_err().to_string();
        assert!(told.contains("--width 54 is too narrow for 2 columns: 55 is the least"), "{told}");
    }

    #[test]
    fn a_path_that_is_no_text_is_a_path_and_its_node_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let name = |bytes: &[u8]| folder.path().join(OsStr::from_bytes(bytes)).into_os_string();
        let path = name(b"caf\xe9#1.jsonl");
        // Not every file system takes such a name.
        if std::fs::write(&path, "{}\n").is_err() {
            return;
        }
        let whole = Named::read(folder.path(), &path).unwrap();
        assert!(whole.path == path && whole.part.is_none() && whole.word == whole.file);
        let node = Named::read(folder.path(), &name(b"caf\xe9#1.jsonl#8")).unwrap();
        assert!(node.path == path && node.part.as_deref() == Some("8") && node.word.ends_with("#8"));
        std::fs::write(name(b"caf\xe9.jsonl"), "{}\n").unwrap();
        let inside = Named::read(folder.path(), OsStr::from_bytes(b"caf\xe9#8")).unwrap();
        assert!(
            inside.path == name(b"caf\xe9.jsonl") && inside.part.is_some(),
            "by its name in the folder of sessions"
        );
        assert_eq!(parts(OsStr::from_bytes(b"a#\xe9")), None);
    }
}
