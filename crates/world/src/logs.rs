//! Files of logs that other programs or this one wrote, as they are read.

use std::path::Path;

use stepwright_trajectory::{Logs, read_any};

use crate::{WorldError, files};

/// The logs of a file in any format that is read, with what is wrong in it.
/// Errors: if nothing of it can be read: where, and why.
pub fn read_logs(path: &Path) -> Result<Logs, WorldError> {
    let bytes = files::read_bytes(path)?;
    let name = path.file_stem().map_or_else(|| "log".to_owned(), |name| name.to_string_lossy().into_owned());
    let read = read_any(&bytes, &name);
    match (read.all.is_empty(), read.wrong.first()) {
        (true, Some(error)) => Err(WorldError::Data {
            path: match error.line {
                0 => path.display().to_string(),
                line => format!("{}:{line}", path.display()),
            },
            message: format!("{}; nothing of it can be opened", error.message),
        }),
        _ => Ok(read),
    }
}

/// Errors in a file, and parts of it that were not read, in words.
pub fn problems(read: &Logs, path: &Path) -> Vec<String> {
    let wrong = read.wrong.iter().map(|error| format!("{}: {error}", path.display()));
    wrong.chain(read.notes.iter().map(|note| format!("{}: {note}", path.display()))).collect()
}
