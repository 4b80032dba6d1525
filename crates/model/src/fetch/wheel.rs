//! Reader of one member of a wheel: a plain zip file. Nothing in it is run, and no other member is looked at.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use tokio_util::sync::CancellationToken;

use super::error::{FetchError, Miss};
use super::store::Part;

/// Appends the member to the file in the making; it must have `size` bytes.
pub(super) fn append(
    wheel: &Path,
    member: &str,
    size: u64,
    part: &Part,
    cancel: &CancellationToken,
) -> Result<(), Miss> {
    let name = wheel.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let wrong = |why: String| Miss::Source(format!("{name}: {why}"));
    let file = File::open(wheel).map_err(|e| FetchError::file(wheel, &e))?;
    let mut archive = zip::ZipArchive::new(file).map_err(|e| wrong(format!("is no wheel ({e})")))?;
    let entry = archive.by_name(member).map_err(|e| wrong(format!("{member}: {e}")))?;
    if entry.size() != size {
        return Err(wrong(format!("{member} has {} bytes in place of {size}", entry.size())));
    }
    // The size in a zip's directory is what someone wrote there; no more than that is taken, whatever size is packed.
    let mut entry = entry.take(size);
    let (mut block, mut left) = (vec![0; 1 << 18], size);
    loop {
        if cancel.is_cancelled() {
            return Err(FetchError::Cancelled.into());
        }
        let n = entry.read(&mut block).map_err(|e| wrong(format!("{member}: {e}")))?;
        let Some(read) = block.get(..n).filter(|r| !r.is_empty()) else { break };
        part.write(read)?;
        left = left.saturating_sub(n as u64);
    }
    if left > 0 {
        return Err(wrong(format!("{member} ends {left} bytes early")));
    }
    Ok(())
}
