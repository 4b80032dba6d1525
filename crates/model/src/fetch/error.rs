//! Errors of fetching weights: what, where, what to do.

use std::path::{Path, PathBuf};

use super::manifest::Weights;

#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error("there are no weights `{name}` to fetch; there are: {known}")]
    Unknown { name: String, known: String },
    /// The shipped manifest cannot be read.
    #[error("the list of weights in this program is damaged: {0}")]
    Manifest(String),
    #[error("stopped; what has arrived is kept: fetch again to go on from there")]
    Cancelled,
    #[error("{0}: another stepwright is fetching this file; wait for it, or stop it first")]
    Busy(PathBuf),
    #[error("{place}: {needed} MB are needed and {free} MB are free; make room there and fetch again")]
    Space {
        place: PathBuf,
        /// Megabytes still to write.
        needed: u64,
        /// Megabytes free.
        free: u64,
    },
    #[error("{path}: {message}")]
    File { path: PathBuf, message: String },
    /// A person's file is not the one wanted.
    #[error("{path}: {message}")]
    NotIt {
        path: PathBuf,
        /// Why not, and what is looked for.
        message: String,
    },
    /// The hub did not give it.
    #[error(
        "{name} could not be had from the model hub: {why}\n{file} from elsewhere will do: stepwright models fetch {name} --from FILE"
    )]
    NotHad {
        name: String,
        file: String,
        /// The complaint, or the answer that came.
        why: String,
    },
}

impl FetchError {
    pub(super) fn file(path: &Path, error: &std::io::Error) -> FetchError {
        let message = match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                "the disk is full; make room there and fetch again (what has arrived is kept)".to_owned()
            }
            _ => error.to_string(),
        };
        FetchError::File { path: path.to_owned(), message }
    }

    pub(super) fn not_had(weights: &Weights, why: impl Into<String>) -> FetchError {
        FetchError::NotHad { name: weights.name.clone(), file: weights.file.clone(), why: why.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_named() {
        use std::io::Write;
        let full = Path::new("/dev/full");
        let error = std::fs::OpenOptions::new().write(true).open(full).unwrap().write_all(b"x").unwrap_err();
        assert!(FetchError::file(full, &error).to_string().contains("the disk is full"));
    }
}
