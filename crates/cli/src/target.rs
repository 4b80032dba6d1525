//! Files that a command writes: looked at before anything is made, so that what it reads, and the sessions and results that are kept nowhere else,
//! are not lost to a slip of the hand; and written whole or not at all.

use std::path::{Path, PathBuf};

use super::{CliError, print_file};
use stepwright_episode::log::is_ours;
use stepwright_files::{Readers, replace_for};
use stepwright_study::runner::is_output;

/// Says whether a file may be written. What a command wrote before in another form may be replaced.
/// Errors: it is one of `inputs`, or a session or results, which only `replace` gives up; `None` where nothing does.
pub(super) fn look_at(file: &Path, inputs: &[PathBuf], replace: Option<bool>) -> Result<(), CliError> {
    // Standard output, and what is not there.
    let Some(there) = std::fs::canonicalize(file).ok().filter(|_| !is_output(file)) else { return Ok(()) };
    let name = file.display();
    if inputs.iter().any(|input| std::fs::canonicalize(input).is_ok_and(|input| input == there)) {
        return Err(CliError::Usage(format!("{name} is what is read; name another file to write")));
    }
    if replace != Some(true) && is_ours(&there) {
        let or = if replace.is_some() { ", or give --replace" } else { "" };
        return Err(CliError::Usage(format!("{name} is there already, a session or results; name another file{or}")));
    }
    Ok(())
}

/// Writes a file whole or not at all, so that what fails leaves what was there.
/// Errors: as of [`look_at`], where nothing gives up what is there; it cannot be written.
pub(super) fn write(file: &Path, text: &str, inputs: &[PathBuf]) -> Result<(), CliError> {
    look_at(file, inputs, None)?;
    replace(file, text)
}

/// The same of a file that was looked at, or that the command itself goes on with; what names standard output is printed.
/// Errors: it cannot be written.
pub(super) fn replace(file: &Path, text: &str) -> Result<(), CliError> {
    if is_output(file) {
        return print_file(text);
    }
    let failed = |e| CliError::Failed(format!("{}: {e}", file.display()));
    replace_for(Readers::AsUsual, file, text.as_bytes()).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_and_what_is_kept_nowhere_else_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let session = at("a.jsonl", "{\"stepwright\":\"session\"}\n");
        let results = at("r.jsonl", "{\"stepwright\":\"results\"}\n");
        let (page, logs) = (at("page.html", "<!doctype html>"), at("logs.jsonl", "{\"id\":\"a\"}\n"));
        let inputs = [session.clone(), logs.clone()];
        let why = |file: &Path, replace| look_at(file, &inputs, Some(replace)).unwrap_err().to_string();
        // By any name.
        for input in [&session, &logs, &folder.path().join("./a.jsonl")] {
            assert!(why(input, false).contains("what is read") && why(input, true).contains("what is read"));
        }
        #[cfg(unix)]
        {
            let link = folder.path().join("link");
            std::os::unix::fs::symlink(&session, &link).unwrap();
            assert!(why(&link, true).contains("what is read"));
        }
        assert!(why(&results, false).contains("--replace"));
        for (file, replace) in [(&results, true), (&page, false), (&folder.path().join("new.jsonl"), false)] {
            look_at(file, &inputs, Some(replace)).unwrap();
        }
        // A session from standard input is no file that is named.
        assert!(look_at(&session, &[], Some(false)).is_err());
        for output in ["-", "/dev/stdout"] {
            look_at(Path::new(output), &inputs, Some(false)).unwrap();
        }
        // Where there is no --replace none is named.
        let refused = write(&results, "", &inputs).unwrap_err().to_string();
        assert!(refused.ends_with("name another file"), "{refused}");
        assert!(std::fs::read_to_string(&results).unwrap().contains("results"));
        write(&page, "new", &inputs).unwrap();
        assert_eq!(std::fs::read_to_string(&page).unwrap(), "new");
    }
}
