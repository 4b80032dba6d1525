//! Cache of the index beside a large catalogue, so that it is not built at each start. What is kept names the version of the rules
//! and the catalogue it was made of; anything else is no index of it, and is built again.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

use super::Index;

/// Changes with the rules of analysis and the layout.
const MAGIC: &[u8; 16] = b"stepwright-shop2";

#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Form(#[from] postcard::Error),
}

/// The index kept in a file, if it was made of the catalogue with this mark.
pub fn load(path: &Path, mark: u64) -> Option<Index> {
    let mut file = BufReader::new(File::open(path).ok()?);
    let mut head = [0; 24];
    file.read_exact(&mut head).ok()?;
    if head[..16] != MAGIC[..] || head[16..] != mark.to_le_bytes() {
        return None;
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    let index: Index = postcard::from_bytes(&bytes).ok()?;
    index.holds_together().then_some(index)
}

/// Keeps an index with its catalogue's mark. The file is there in whole or not at all.
pub fn store(index: &Index, path: &Path, mark: u64) -> Result<(), CacheError> {
    let beside = path.with_extension(format!("{}.part", std::process::id()));
    let written = write(index, &beside, mark).and_then(|()| Ok(std::fs::rename(&beside, path)?));
    if written.is_err() {
        // What is left of a failed attempt is of no use; that it cannot be removed changes nothing.
        let _ = std::fs::remove_file(&beside);
    }
    written
}

fn write(index: &Index, path: &Path, mark: u64) -> Result<(), CacheError> {
    let mut file = BufWriter::new(File::create(path)?);
    file.write_all(MAGIC)?;
    file.write_all(&mark.to_le_bytes())?;
    let mut file = postcard::to_io(index, file)?;
    file.flush()?;
    Ok(())
}

impl Index {
    /// Whether its parts fit each other, as those of a damaged file do not.
    fn holds_together(&self) -> bool {
        let end = self.postings.len() as u64;
        self.lengths.len() == self.ranks.len()
            && self.terms.values().all(|posting| posting.start <= posting.end && posting.end <= end)
    }
}
