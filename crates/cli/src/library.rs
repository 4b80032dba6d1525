//! `stepwright library`: the logs that count as evidence beside the sessions of this machine.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;

use super::headless::progress;
use super::{CliError, Global, note, print, print_json};
use stepwright_library::{Library, Shelf};
use stepwright_text::words::count;

/// Logs that count as evidence beside the sessions of this machine.
#[derive(Debug, Subcommand)]
pub(crate) enum LibraryCommand {
    /// Add files or folders of logs, in any format that `open` reads; sessions too
    Add {
        #[arg(required = true, value_name = "DIR")]
        places: Vec<PathBuf>,
    },
    /// List what is in the library, and what could not be read
    List {
        /// Print an object a file
        #[arg(long)]
        json: bool,
    },
    /// Take files or folders out of the library; they stay where they are
    Remove {
        #[arg(required = true, value_name = "DIR")]
        places: Vec<PathBuf>,
    },
}

impl LibraryCommand {
    pub fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        let shelf = global.load()?.paths.shelf();
        match self {
            LibraryCommand::Add { places } => {
                // All or none: what cannot be added is seen before anything is.
                places.iter().try_for_each(|place| holds_something(&shelf, place))?;
                for place in &places {
                    if !shelf.add(place).map_err(CliError::Failed)? {
                        note(&format!("{} is in the library already", place.display()));
                    }
                }
                list(&shelf, false)
            }
            LibraryCommand::List { json } => list(&shelf, json),
            LibraryCommand::Remove { places } => {
                for place in &places {
                    if !shelf.remove(place).map_err(CliError::Failed)? {
                        let why = format!(
                            "{} is not in the library; `stepwright library list` says what is",
                            place.display()
                        );
                        return Err(CliError::Failed(why));
                    }
                    note(&format!("{} is taken out of the library; it stays where it is", place.display()));
                }
                list(&shelf, false)
            }
        }
    }
}

/// Errors: there is no such place, or of a file that is named nothing can be read. Logs may come into a folder later.
fn holds_something(shelf: &Shelf, place: &Path) -> Result<(), CliError> {
    let there = std::fs::metadata(place).map_err(|e| CliError::Failed(format!("{}: {e}", place.display())))?;
    if there.is_dir() {
        return Ok(());
    }
    let library = read(shelf, &[place.to_owned()]);
    if library.index.files().any(|(_, contents)| !contents.episodes.is_empty()) {
        return Ok(());
    }
    let why = library
        .index
        .problems()
        .first()
        .map_or_else(|| format!("{}: there is no episode in it", place.display()), |problem| (*problem).to_owned());
    Err(CliError::Failed(format!("{why}; it is not added to the library")))
}

/// The library of these places, with what is new read.
pub(super) fn read(shelf: &Shelf, places: &[PathBuf]) -> Library {
    let mut library = Library::new(shelf.cache.clone(), shelf.worlds.clone());
    let bar = progress(0).with_message("files of the library");
    library.index.refresh(places, &mut |done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
        true
    });
    bar.finish_and_clear();
    library
}

fn list(shelf: &Shelf, json: bool) -> Result<ExitCode, CliError> {
    let library = read(shelf, &shelf.places());
    library.index.prune();
    let mut out = String::new();
    if json {
        for (path, contents) in library.index.files() {
            let line = json!({
                "file": path, "episodes": contents.episodes.len(), "decisions": contents.decisions(), "problems": contents.problems,
            });
            out.push_str(&format!("{line}\n"));
        }
        print_json(&out)?;
        return Ok(ExitCode::SUCCESS);
    }
    for place in shelf.places() {
        let own: Vec<_> =
            library.index.files().filter(|(path, _)| path.starts_with(&place)).map(|(_, contents)| contents).collect();
        let (episodes, decisions) = own.iter().fold((0, 0), |(e, d), c| (e + c.episodes.len(), d + c.decisions()));
        let gone = if place.exists() || place == shelf.sessions { "" } else { "; it is not there" };
        let (files, episodes, decisions) =
            (count(own.len(), "file"), count(episodes, "episode"), count(decisions, "decision"));
        out.push_str(&format!("{}\n  {files}, {episodes}, {decisions}{gone}\n", place.display()));
    }
    print(&out)?;
    library.index.problems().into_iter().for_each(note);
    Ok(ExitCode::SUCCESS)
}
