//! Files that a command writes, looked at before anything is made: what it reads, and the sessions and results that are kept nowhere else, are
//! not lost to a slip of the hand.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::CliError;

/// How every session and every file of results begins.
const OURS: &[u8] = b"{\"stepwright\":";

/// Says whether a file may be written. What a command wrote before in another form may be replaced.
/// Errors: it is one of `inputs`, or a session or results, which only `replace` gives up.
pub(super) fn look_at(file: &Path, inputs: &[PathBuf], replace: bool) -> Result<(), CliError> {
    // Standard output, and what is not there.
    let Some(there) = std::fs::canonicalize(file).ok().filter(|_| file.as_os_str() != "-") else { return Ok(()) };
    let name = file.display();
    if inputs.iter().any(|input| std::fs::canonicalize(input).is_ok_and(|input| input == there)) {
        return Err(CliError::Usage(format!("{name} is what is read; name another file to write")));
    }
    if !replace && is_ours(&there) {
        let why = format!("{name} is there already, a session or results; name another file, or give --replace");
        return Err(CliError::Usage(why));
    }
    Ok(())
}

/// Whether a file begins as sessions and results do. A pipe is never opened: nothing waits for it.
pub(super) fn is_ours(file: &Path) -> bool {
    let mut beginning = Vec::new();
    let is_file = std::fs::metadata(file).is_ok_and(|there| there.is_file());
    let read = is_file.then(|| std::fs::File::open(file)?.take(OURS.len() as u64).read_to_end(&mut beginning));
    read.is_some_and(|read| read.is_ok()) && beginning == OURS
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
        let why = |file: &Path, replace| look_at(file, &inputs, replace).unwrap_err().to_string();
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
            look_at(file, &inputs, replace).unwrap();
        }
        // A session from standard input is no file that is named.
        assert!(look_at(&session, &[], false).is_err());
        look_at(Path::new("-"), &inputs, false).unwrap();
    }
}
