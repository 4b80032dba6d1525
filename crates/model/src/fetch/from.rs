//! Weights a person has already: the file itself, or a folder it is in.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use super::error::FetchError;
use super::manifest::Weights;
use super::store::Part;
use super::{Report, Step};

/// Fills the file in the making from `from`.
pub(super) fn fill(
    weights: &Weights,
    from: &Path,
    part: &Part,
    report: &Report<'_>,
    cancel: &CancellationToken,
) -> Result<(), FetchError> {
    let path = found(weights, from)?;
    let wrong = |e: std::io::Error| FetchError::file(&path, &e);
    // Bounded by the size that was just seen: the file may be growing.
    let mut file = File::open(&path).map_err(wrong)?.take(weights.size);
    let (mut block, mut done) = (vec![0; 1 << 20], 0);
    loop {
        if cancel.is_cancelled() {
            return Err(FetchError::Cancelled);
        }
        let n = file.read(&mut block).map_err(wrong)?;
        let Some(read) = block.get(..n).filter(|r| !r.is_empty()) else { return Ok(()) };
        part.write(read)?;
        done += n as u64;
        report(Step { what: "copying", done, total: weights.size });
    }
}

/// The file of the right size: `from` itself, or the first in it.
fn found(weights: &Weights, from: &Path) -> Result<PathBuf, FetchError> {
    let wrong = |e: std::io::Error| FetchError::file(from, &e);
    let mut files = vec![from.to_owned()];
    if std::fs::metadata(from).map_err(wrong)?.is_dir() {
        files = std::fs::read_dir(from).map_err(wrong)?.flatten().map(|e| e.path()).collect();
        files.sort();
    }
    let fits = |p: &PathBuf| std::fs::metadata(p).is_ok_and(|m| m.is_file() && m.len() == weights.size);
    files.into_iter().find(fits).ok_or_else(|| FetchError::NotIt {
        path: from.to_owned(),
        message: format!("is not, and does not hold, {} ({} bytes)", weights.file, weights.size),
    })
}
