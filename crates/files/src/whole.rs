//! A file written whole, or left as it was.

use std::io::{self, Write};
use std::path::Path;

use crate::faults::{self, Operation};
use crate::handle::{cannot_sync, sync_folder};

/// Replaces a file, or makes it: the bytes go to a new file beside it, to the disk, and then take the name.
///
/// # Errors
/// The system's; the file is then as it was, and nothing is left beside it.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    faults::pass(path, Operation::Open)?;
    if !folder.is_dir() {
        let why = format!("there is no folder {}; make it first", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, why));
    }
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "this is a folder; name a file in it"));
    }
    let mut beside = tempfile::NamedTempFile::new_in(folder)?;
    faults::pass(path, Operation::Write)?;
    beside.write_all(bytes)?;
    match faults::pass(path, Operation::Sync).and_then(|()| beside.as_file().sync_all()) {
        Err(error) if !cannot_sync(&error) => return Err(error),
        _ => {}
    }
    faults::pass(path, Operation::Rename)?;
    beside.persist(path).map_err(|e| e.error)?;
    sync_folder(path)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::faults::{EIO, ENOSPC, Fault};

    #[test]
    fn a_file_is_replaced_whole_or_left_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        fs::write(&path, "old").unwrap();
        for (operation, errno) in
            [(Operation::Open, ENOSPC), (Operation::Write, ENOSPC), (Operation::Sync, EIO), (Operation::Rename, EIO)]
        {
            let _fault = faults::inject(Fault::next(folder.path(), operation, errno));
            assert_eq!(replace(&path, b"new").unwrap_err().raw_os_error(), Some(errno));
            assert_eq!(fs::read_to_string(&path).unwrap(), "old");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
        }
        replace(&path, b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }
}
