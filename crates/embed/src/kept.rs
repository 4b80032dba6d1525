//! Vectors of many sentences kept on disk, so that an embedder reads them once.
//!
//! A file belongs to one embedder and one list of sentences: both are in its name and inside. It is written beside its place and
//! moved there whole, and its digest is checked on reading; a file that does not fit is made again.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::{EmbedError, Embedder, Table, sentence};

/// How a file begins, with its version.
const MAGIC: &[u8; 8] = b"SWVECTS1";

const DIGEST: usize = 32;

/// Sentences given to an embedder at once.
const AT_ONCE: usize = 512;

/// Where a table's vectors came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Read,
    /// From the embedder, and the file was written.
    Made,
    /// From the embedder; the file could not be written, for the reason given.
    NotKept(String),
}

/// The table of `names`, read from `folder` or embedded and kept there. Underscores of a name are spaces of its sentence.
/// `progress` is called with how many sentences are done; false from it stops the work.
pub fn table(
    embedder: &dyn Embedder,
    names: &[String],
    folder: &Path,
    progress: &mut dyn FnMut(usize) -> bool,
) -> Result<(Table, Origin), EmbedError> {
    let key = key(embedder, names);
    let path = place(folder, &key);
    if let Some(vectors) =
        std::fs::read(&path).ok().and_then(|file| read(&file, &key, names.len(), embedder.dimensions()))
    {
        return Ok((Table::new(names.to_vec(), vectors), Origin::Read));
    }
    let vectors = embed(embedder, names, progress)?;
    let origin = match write(&path, &key, &vectors) {
        Ok(()) => Origin::Made,
        Err(error) => Origin::NotKept(format!("{}: {error}", path.display())),
    };
    Ok((Table::new(names.to_vec(), vectors), origin))
}

/// The vectors of names, of one dimension, in parts.
fn embed(
    embedder: &dyn Embedder,
    names: &[String],
    progress: &mut dyn FnMut(usize) -> bool,
) -> Result<Vec<Vec<f32>>, EmbedError> {
    let mut vectors: Vec<Vec<f32>> = Vec::with_capacity(names.len());
    for some in names.chunks(AT_ONCE) {
        let sentences = some.iter().map(|n| sentence(n)).collect::<Vec<_>>();
        let more = embedder.embed(&sentences)?;
        let dimension = vectors.first().or(more.first()).map_or(0, Vec::len);
        if more.len() != some.len() || dimension == 0 || more.iter().any(|v| v.len() != dimension) {
            return Err(EmbedError::Unfit {
                embedder: embedder.name().to_owned(),
                got: format!(
                    "{} vectors of up to {} numbers",
                    more.len(),
                    more.iter().map(Vec::len).max().unwrap_or_default()
                ),
                asked: format!("{} sentences", some.len()),
            });
        }
        vectors.extend(more);
        if !progress(vectors.len()) {
            let message = "stopped before all sentences were read; what was read is not kept".to_owned();
            return Err(EmbedError::Failed { embedder: embedder.name().to_owned(), message });
        }
    }
    Ok(vectors)
}

fn key(embedder: &dyn Embedder, names: &[String]) -> [u8; DIGEST] {
    let mut digest = Sha256::new();
    for text in [embedder.name()].into_iter().chain(names.iter().map(String::as_str)) {
        digest.update((text.len() as u64).to_le_bytes());
        digest.update(text);
    }
    digest.finalize().into()
}

fn place(folder: &Path, key: &[u8; DIGEST]) -> PathBuf {
    let mut name = "vectors-".to_owned();
    for byte in key.iter().take(12) {
        let _ = write!(name, "{byte:02x}");
    }
    folder.join(name + ".bin")
}

/// The magic, the key, the dimension (u32), the vectors (f32), and the digest of all that; little endian.
fn write(path: &Path, key: &[u8; DIGEST], vectors: &[Vec<f32>]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let dimension = vectors.first().map_or(0, Vec::len);
    let mut file = Vec::with_capacity(MAGIC.len() + 2 * DIGEST + 4 + 4 * dimension * vectors.len());
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(key);
    file.extend_from_slice(&(dimension as u32).to_le_bytes());
    for number in vectors.iter().flatten() {
        file.extend_from_slice(&number.to_le_bytes());
    }
    let digest = Sha256::digest(&file);
    file.extend_from_slice(&digest);
    let mut beside = tempfile::NamedTempFile::new_in(folder)?;
    beside.write_all(&file)?;
    beside.as_file().sync_all()?;
    beside.persist(path).map_err(|e| e.error)?;
    Ok(())
}

/// The vectors, when the file is whole and belongs to the key. A dimension that is not known beforehand is 0.
fn read(file: &[u8], key: &[u8; DIGEST], count: usize, dimensions: usize) -> Option<Vec<Vec<f32>>> {
    let (content, digest) = file.split_last_chunk::<DIGEST>()?;
    let rest = content.strip_prefix(MAGIC.as_slice())?.strip_prefix(key.as_slice())?;
    let (dimension, numbers) = rest.split_first_chunk::<4>()?;
    let dimension = u32::from_le_bytes(*dimension) as usize;
    let fits = dimension > 0 && (dimensions == 0 || dimension == dimensions);
    if !fits
        || numbers.len() != dimension.checked_mul(count)?.checked_mul(4)?
        || Sha256::digest(content)[..] != digest[..]
    {
        return None;
    }
    let number = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    Some(numbers.chunks_exact(4 * dimension).map(|row| row.chunks_exact(4).map(number).collect()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::built_in;

    fn names() -> Vec<String> {
        (0..1200).map(|n| format!("walk to kitchen_table {n}")).collect()
    }

    fn made(folder: &Path, names: &[String]) -> (Table, Origin) {
        table(built_in(), names, folder, &mut |_| true).unwrap()
    }

    #[test]
    fn the_second_time_the_file_is_read_and_says_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let names = names();
        let (first, origin) = made(folder.path(), &names);
        assert_eq!(origin, Origin::Made);
        let (second, origin) = made(folder.path(), &names);
        assert_eq!(origin, Origin::Read);
        assert!((0..names.len()).all(|n| first.vector(n) == second.vector(n)));
        let (_, origin) = made(folder.path(), &names[1..]);
        assert_eq!(origin, Origin::Made, "other sentences, another file");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is left lying about");
    }

    #[test]
    fn a_damaged_or_cut_file_is_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let names = names();
        made(folder.path(), &names);
        let path = place(folder.path(), &key(built_in(), &names));
        let whole = std::fs::read(&path).unwrap();
        for cut in [0, 7, 60, whole.len() / 2, whole.len() - 1] {
            std::fs::write(&path, &whole[..cut]).unwrap();
            assert_eq!(made(folder.path(), &names).1, Origin::Made);
        }
        let mut changed = whole.clone();
        changed[whole.len() / 2] ^= 1;
        std::fs::write(&path, &changed).unwrap();
        assert_eq!(made(folder.path(), &names).1, Origin::Made);
        assert_eq!(std::fs::read(&path).unwrap(), whole);
    }

    #[test]
    fn a_folder_that_cannot_be_written_costs_only_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(matches!(made(&file, &names()).1, Origin::NotKept(why) if why.contains("file")));
        let stopped = table(built_in(), &names(), &file, &mut |done| done > 600).err().unwrap();
        assert!(stopped.to_string().contains("stopped"), "{stopped}");
    }
}
