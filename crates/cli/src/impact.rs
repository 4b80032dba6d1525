//! `stepwright preconditions impact`: what the assertions of a file would have stopped of what was decided before. A regression test for
//! preconditions: no model, no world.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::library;
use super::{CliError, Global, note, print, print_json};
use stepwright_library::{Impact, Stopped};
use stepwright_precondition::AdoptedSet;

/// Says what each assertion would have stopped.
#[derive(Debug, Args)]
pub(crate) struct Measure {
    /// A *.preconditions.py file
    file: PathBuf,
    /// These sessions and logs, files or folders, in place of the library
    #[arg(long, value_name = "DIR")]
    library: Vec<PathBuf>,
    /// Only decisions in this world; the one the file names if absent
    #[arg(long, value_name = "NAME")]
    world: Option<String>,
    /// Print an object an assertion
    #[arg(long)]
    json: bool,
}

impl Measure {
    pub(super) fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        let set = AdoptedSet::read_sound(&self.file).map_err(|e| CliError::Failed(e.to_string()))?;
        let shelf = global.load()?.paths.shelf();
        if let Some(missing) = self.library.iter().find(|place| !place.exists()) {
            return Err(CliError::Failed(format!("{}: there is no such file or folder", missing.display())));
        }
        let places = if self.library.is_empty() { shelf.places() } else { self.library };
        let library = library::read(&shelf, &places);
        library.index.problems().into_iter().for_each(note);
        let world = self.world.as_deref().or(set.place.as_ref().map(|(world, _)| world.as_str()));
        let (mut out, mut passes) = (String::new(), true);
        for action in &set.actions {
            for text in &action.assertions {
                let impact = library.impact(world, &action.action, Some(&action.params), text);
                let impact = impact.map_err(|e| CliError::Failed(format!("`{text}` of {}: {e}", action.action)))?;
                // What other parameters keep from being judged is no step that is passed.
                passes &= impact.stopped.right == 0 && impact.otherwise.is_none();
                if self.json {
                    out.push_str(&format!("{}\n", json!(impact)));
                } else {
                    out.push_str(&told(&impact));
                }
            }
        }
        if self.json { print_json(&out) } else { print(&out) }?;
        Ok(ExitCode::from(u8::from(!passes)))
    }
}

fn told(impact: &Impact) -> String {
    let mut out = format!("{}: {}\n  {}\n", impact.action, impact.assertion, impact.in_words());
    let mut list = |all: &[Stopped], more: usize, judged: &dyn Fn(&Stopped) -> &'static str| {
        for stopped in all {
            let words = if stopped.words.is_empty() {
                String::new()
            } else {
                format!(": {}", stopped.words.replace('\n', " "))
            };
            let (place, action, what) = (stopped.place(), stopped.action.replace('\n', "; "), judged(stopped));
            out.push_str(&format!("    {place} {action}  [{what}{words}]\n      {}\n", stopped.why));
        }
        if more > all.len() {
            out.push_str(&format!("    and {} more\n", more - all.len()));
        }
    };
    list(&impact.listed, impact.stopped.all(), &|stopped| stopped.judged.in_words());
    list(&impact.not_told, impact.untold, &|_| "cannot be told");
    out
}
