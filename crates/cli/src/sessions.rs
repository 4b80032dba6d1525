//! `stepwright sessions`: the sessions kept on this machine, listed, renamed and deleted.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::io::{BufRead, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use clap::{Args, Subcommand};
use serde::Serialize;

use super::{CliError, Global, note, print, print_json};
use stepwright_episode::log;
use stepwright_export::{Summary, summary};
use stepwright_files::{Handle, Lines};
use stepwright_launch::config::Config;
use stepwright_text::sanitize::line;
use stepwright_text::words::count;

/// Lists sessions, newest first; renames and deletes them.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Sessions {
    #[command(subcommand)]
    command: Option<SessionsCommand>,
    #[command(flatten)]
    filter: Filter,
    /// A JSON object a line; `won` is null where it is not known
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum SessionsCommand {
    /// Give a session's file another name, in the same folder
    Rename {
        /// The session: a file, or the name of one in the folder of sessions
        session: PathBuf,
        /// The new name, without a folder
        name: String,
    },
    /// Delete sessions; asks first
    Delete {
        /// The sessions: files, or names of files in the folder of sessions
        #[arg(required = true)]
        sessions: Vec<PathBuf>,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Args)]
struct Filter {
    /// Words that the goal, the task, the world, the method, the model or the file's name has
    words: Vec<String>,
    /// Only those left with the goal reached
    #[arg(long)]
    won: bool,
    /// Only those whose episode is not over
    #[arg(long)]
    unfinished: bool,
}

#[derive(Debug, Serialize)]
struct Row {
    file: PathBuf,
    #[serde(flatten)]
    summary: Option<Summary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

impl Sessions {
    pub fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        let config = global.load()?;
        let folder = config.paths.sessions();
        match self.command {
            None => list(&config, &self.filter, self.json),
            Some(SessionsCommand::Rename { session, name }) => rename(&kept(&folder, &session)?, &name),
            Some(SessionsCommand::Delete { sessions, yes }) => {
                let files: Vec<PathBuf> = sessions.iter().map(|s| kept(&folder, s)).collect::<Result<_, _>>()?;
                delete(&files, yes)
            }
        }
    }
}

/// What is listed: a file, links followed (a pipe or a device is never opened, and nothing waits for it), and a link that leads to none,
/// which is nobody's but can be deleted.
fn listed(file: &Path) -> Option<Metadata> {
    match std::fs::metadata(file) {
        Ok(there) if !there.is_dir() => Some(there).filter(Metadata::is_file),
        _ => std::fs::symlink_metadata(file).ok().filter(Metadata::is_symlink),
    }
}

/// What a link is, in words, that leads to no file: to nothing (or to itself), or to a folder.
pub(super) fn stray_link(file: &Path) -> Option<&'static str> {
    let leads = match std::fs::metadata(file) {
        Ok(there) => there.is_dir().then_some("a link to a folder"),
        Err(error) => (error.kind() != ErrorKind::PermissionDenied).then_some("a link to nothing"),
    };
    leads.filter(|_| file.is_symlink())
}

/// The sessions of a folder with the time each was written to last, newest first.
pub(super) fn in_folder(folder: &Path) -> Vec<(SystemTime, PathBuf)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<(SystemTime, PathBuf)> = entries
        .flatten()
        .filter(|e| e.path().extension().is_some_and(|e| e == "jsonl"))
        .filter_map(|e| Some((listed(&e.path())?.modified().ok()?, e.path())))
        .collect();
    found.sort_unstable_by(|a, b| b.cmp(a));
    found
}

pub(super) fn newest(folder: &Path) -> Result<PathBuf, CliError> {
    let none = || CliError::Failed(format!("there is no session in {} yet", folder.display()));
    in_folder(folder).into_iter().map(|(_, file)| file).find(|file| file.is_file()).ok_or_else(none)
}

fn list(config: &Config, filter: &Filter, json: bool) -> Result<ExitCode, CliError> {
    let folder = config.paths.sessions();
    let rows: Vec<Row> = in_folder(&folder)
        .into_iter()
        .map(|(_, file)| match log::load(&file) {
            Ok(loaded) => Row { file, summary: Some(summary(&loaded.session)), problem: None },
            Err(error) => {
                let stray = stray_link(&file).map(|leads| format!("{}: it is {leads}", file.display()));
                Row { file, summary: None, problem: Some(stray.unwrap_or_else(|| error.to_string())) }
            }
        })
        .filter(|row| matches(row, filter))
        .collect();
    let mut out = String::new();
    for row in &rows {
        if json {
            let text = serde_json::to_string(row).map_err(|e| CliError::Failed(e.to_string()))?;
            out.push_str(&text);
            out.push('\n');
            continue;
        }
        match (&row.summary, &row.problem) {
            (Some(s), _) => out.push_str(&format!(
                "{}\n  {}, {}, {}; {}; {}\n  {}\n",
                line(&s.sentence),
                line(&s.world),
                line(&s.method),
                line(&s.model),
                s.outcome,
                count(s.branches, "branch"),
                line(&row.file.display().to_string()),
            )),
            (None, problem) => {
                out.push_str(&format!("cannot be read: {}\n", line(problem.as_deref().unwrap_or_default())))
            }
        }
    }
    if json {
        print_json(&out)?
    } else {
        print(&out)?
    }
    if rows.is_empty() {
        let narrowed = !filter.words.is_empty() || filter.won || filter.unfinished;
        let which = if narrowed { "no session that fits" } else { "no session yet" };
        note(&format!("{which} in {}", folder.display()));
    }
    Ok(ExitCode::SUCCESS)
}

fn matches(row: &Row, filter: &Filter) -> bool {
    let text = match &row.summary {
        Some(s) => format!("{} {} {} {} {} ", s.sentence, s.task, s.world, s.method, s.model),
        None => String::new(),
    };
    let text = (text + &row.file.display().to_string()).to_lowercase();
    let left = row.summary.as_ref().map_or((false, false), |s| (s.won == Some(true), !s.done));
    filter.words.iter().all(|word| text.contains(&word.to_lowercase()))
        && (!filter.won || left.0)
        && (!filter.unfinished || left.1)
}

/// What a session's name may mean: a file as named, or of that name in the folder of sessions.
fn meant(folder: &Path, session: &Path) -> [PathBuf; 3] {
    let inside = folder.join(session);
    let mut ended = inside.clone().into_os_string();
    ended.push(".jsonl");
    [session.to_path_buf(), inside, ended.into()]
}

/// A session's file that is there.
pub(super) fn found(folder: &Path, session: &Path) -> Result<PathBuf, CliError> {
    let barred = |file: PathBuf| {
        let error = std::fs::metadata(&file).err().filter(|error| error.kind() != ErrorKind::NotFound)?;
        Some(format!("{}: {error}", file.display()))
    };
    let missing = || match (session.is_dir(), meant(folder, session).into_iter().find_map(barred)) {
        (true, _) => format!("{} is a folder; name a session in it", session.display()),
        (false, Some(why)) => why,
        (false, None) => format!(
            "{}: no such file, here or in {}; `stepwright sessions` lists those there",
            session.display(),
            folder.display()
        ),
    };
    // What is no folder is one: a pipe may be named too.
    let mut files = meant(folder, session).into_iter();
    files.find(|file| file.exists() && !file.is_dir()).ok_or_else(|| CliError::Failed(missing()))
}

/// A file that may be renamed or deleted as a session: it begins as one, or is in the folder of sessions, where a damaged one may be too.
fn kept(folder: &Path, session: &Path) -> Result<PathBuf, CliError> {
    let link = || meant(folder, session).into_iter().find(|file| stray_link(file).is_some());
    let file = found(folder, session).or_else(|missing| link().ok_or(missing))?;
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_inside = folder.canonicalize().is_ok_and(|folder| parent.canonicalize().is_ok_and(|of| of == folder));
    // Nothing waits for a pipe.
    if is_inside || file.is_file() && log::is_session(&file) {
        return Ok(file);
    }
    Err(CliError::Usage(format!(
        "{}: this is no session, and it is not in {}; nothing was done to it",
        file.display(),
        folder.display()
    )))
}

/// A session's file, locked against being opened meanwhile.
/// Errors: it is open in another process. What cannot be opened for writing is nobody's to write either.
fn alone(file: &Path) -> Result<Option<Handle>, CliError> {
    match Lines::lock(file, false) {
        Ok(held) => Ok(Some(held)),
        Err(error) if error.kind() == ErrorKind::WouldBlock => {
            Err(CliError::Failed(log::LogError::Locked { path: file.to_owned() }.to_string()))
        }
        Err(_) => Ok(None),
    }
}

fn rename(file: &Path, name: &str) -> Result<ExitCode, CliError> {
    let plain = Path::new(name).file_name().is_some_and(|n| n == name);
    if !plain {
        return Err(CliError::Usage(format!("{name}: a name without a folder is needed")));
    }
    let name = if name.ends_with(".jsonl") { name.to_owned() } else { format!("{name}.jsonl") };
    let target = file.with_file_name(name);
    let _held = alone(file)?;
    let is_there = |path: &Path| CliError::Failed(format!("{} is there already; choose another name", path.display()));
    let failed = |path: &Path, e: std::io::Error| match e.kind() {
        ErrorKind::AlreadyExists => is_there(path),
        _ => CliError::Failed(format!("{}: {e}", path.display())),
    };
    // What was torn off it goes along.
    let (torn, own) = (stepwright_files::torn_file(file), stepwright_files::torn_file(&target));
    if own.exists() {
        return Err(is_there(&own));
    }
    stepwright_files::rename(file, &target).map_err(|e| failed(&target, e))?;
    if torn.exists() {
        stepwright_files::rename(&torn, &own).map_err(|e| failed(&own, e))?;
    }
    print(&format!("{}\n", target.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn delete(files: &[PathBuf], yes: bool) -> Result<ExitCode, CliError> {
    // A file that is named twice is one.
    let mut seen = BTreeSet::new();
    let is_new = |file: &&PathBuf| seen.insert(file.canonicalize().unwrap_or_else(|_| file.to_path_buf()));
    let files: Vec<&PathBuf> = files.iter().filter(is_new).collect();
    if !yes {
        if !std::io::stdin().is_terminal() {
            return Err(CliError::Usage("there is no terminal to ask at; --yes deletes without asking".into()));
        }
        for file in &files {
            note(&file.display().to_string());
        }
        let mut out = std::io::stderr();
        // With standard error closed nobody sees the question, and the answer is no.
        let _ = write!(out, "Delete {}? [y/N] ", count(files.len(), "session")).and_then(|()| out.flush());
        let mut answer = String::new();
        std::io::stdin().lock().read_line(&mut answer)?;
        if !matches!(answer.trim(), "y" | "yes") {
            note("Nothing was deleted.");
            return Ok(ExitCode::from(1));
        }
    }
    // All or none: what is open elsewhere is seen before anything is gone.
    let _held: Vec<Option<Handle>> = files.iter().map(|file| alone(file)).collect::<Result<_, _>>()?;
    for file in &files {
        let failed = |path: &Path, e: std::io::Error| CliError::Failed(format!("{}: {e}", path.display()));
        stepwright_files::remove(file).map_err(|e| failed(file, e))?;
        // What was torn off it is of no use alone.
        let torn = stepwright_files::torn_file(file);
        match stepwright_files::remove(&torn) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(&torn, error)),
            _ => {}
        }
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_nothing_is_listed_and_can_be_deleted_and_is_not_the_newest() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path();
        let at = |name: &str| folder.join(name);
        std::fs::write(at("a.jsonl"), "").unwrap();
        std::os::unix::fs::symlink(at("nothere"), at("dangling.jsonl")).unwrap();
        std::os::unix::fs::symlink(at("loop.jsonl"), at("loop.jsonl")).unwrap();
        std::os::unix::fs::symlink(folder, at("folder.jsonl")).unwrap();
        let mut listed: Vec<PathBuf> = in_folder(folder).into_iter().map(|(_, file)| file).collect();
        listed.sort();
        assert_eq!(listed, [at("a.jsonl"), at("dangling.jsonl"), at("folder.jsonl"), at("loop.jsonl")]);
        assert_eq!(newest(folder).unwrap(), at("a.jsonl"));
        for (name, leads) in [("dangling.jsonl", "nothing"), ("loop", "nothing"), ("folder", "a folder")] {
            let link = kept(folder, Path::new(name)).unwrap();
            assert!(stray_link(&link).is_some_and(|words| words.ends_with(leads)), "{name}");
            let why = found(folder, Path::new(name)).unwrap_err().to_string();
            assert_eq!(why.contains("no such file"), name != "loop", "{why}");
            delete(std::slice::from_ref(&link), true).unwrap();
            assert!(std::fs::symlink_metadata(&link).is_err(), "{name}");
        }
        assert!(["a.jsonl", "none"].iter().all(|name| stray_link(&at(name)).is_none()) && folder.is_dir());
    }
}
