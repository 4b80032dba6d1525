//! Copies of the folder that an agent works in: one for each start, so that going back finds it as it was.
//!
//! Files are copied by the system's own way, which shares their blocks where the file system can; never as hard links, which would carry
//! what the agent writes back into the original.

use std::collections::BTreeSet;
use std::fs::{self, File, FileTimes};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::TempDir;

/// The folders of the copies there are: [`remove_copies`].
static COPIES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn copies() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    COPIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the copies that are not kept, for a process that ends without waiting for those who have them.
pub fn remove_copies() {
    for folder in std::mem::take(&mut *copies()) {
        // What an agent still writes there may keep it from going; it ends with this process.
        let _ = fs::remove_dir_all(folder);
    }
}

/// A copy of a folder; removed when dropped, unless it is kept.
#[derive(Debug)]
pub struct Copied {
    folder: TempDir,
    path: PathBuf,
}

impl Copied {
    /// Copies `source` into a new folder below `under`, whose last part has the source's name: programs show it.
    pub fn of(source: &Path, under: &Path) -> io::Result<Self> {
        // Both whole, so that a link into the one can be led into the other.
        let source = source.canonicalize()?;
        fs::create_dir_all(under)?;
        let under = under.canonicalize()?;
        if under.starts_with(&source) {
            let text = format!("{} lies in {}, which is copied", under.display(), source.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let folder = tempfile::Builder::new().prefix("workspace-").tempdir_in(under)?;
        copies().insert(folder.path().to_owned());
        let path = folder.path().join(source.file_name().unwrap_or("root".as_ref()));
        let copied = Copied { folder, path };
        let root = copied.path.clone();
        folder_to(&source, &root, &Roots { source: &source, copy: &root })?;
        Ok(copied)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves the copy where it is when it is dropped.
    pub fn keep(&mut self) {
        self.folder.disable_cleanup(true);
        copies().remove(self.folder.path());
    }
}

impl Drop for Copied {
    fn drop(&mut self) {
        copies().remove(self.folder.path());
    }
}

fn folder_to(from: &Path, to: &Path, roots: &Roots<'_>) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (own, new) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            folder_to(&own, &new, roots)?;
        } else if kind.is_symlink() {
            link(&roots.led(&fs::read_link(&own)?), &new)?;
        } else if kind.is_file() {
            fs::copy(&own, &new)?;
            // What builds things by their times is not to build all anew.
            let about = entry.metadata()?;
            if let Ok(modified) = about.modified() {
                set_times(&new, FileTimes::new().set_modified(modified), &about);
            }
        } else {
            tracing::warn!(path = %own.display(), "no file, folder or link: left out of the copy");
        }
    }
    // Last: a folder that cannot be written could not be filled.
    fs::set_permissions(to, fs::metadata(from)?.permissions())
}

/// Sets a copy's times. It matters to nobody enough to fail for it.
fn set_times(path: &Path, times: FileTimes, about: &fs::Metadata) {
    if about.permissions().readonly() {
        return;
    }
    if let Ok(file) = File::options().write(true).open(path) {
        let _ = file.set_times(times);
    }
}

struct Roots<'a> {
    source: &'a Path,
    copy: &'a Path,
}

impl Roots<'_> {
    /// A link's target: one into the original is led into the copy.
    fn led(&self, target: &Path) -> PathBuf {
        target.strip_prefix(self.source).map_or_else(|_| target.to_owned(), |inside| self.copy.join(inside))
    }
}

#[cfg(unix)]
fn link(target: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, at)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "links are not copied on this system"))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::*;

    #[test]
    fn a_copy_is_the_same_and_apart() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().canonicalize().unwrap().join("work");
        fs::create_dir_all(source.join("a/b")).unwrap();
        fs::write(source.join("a/one"), "1").unwrap();
        fs::hard_link(source.join("a/one"), source.join("a/two")).unwrap();
        fs::set_permissions(source.join("a/one"), fs::Permissions::from_mode(0o755)).unwrap();
        let past = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
        File::options().write(true).open(source.join("a/one")).unwrap().set_modified(past).unwrap();
        std::os::unix::fs::symlink("one", source.join("a/near")).unwrap();
        std::os::unix::fs::symlink(source.join("a/one"), source.join("a/far")).unwrap();
        std::os::unix::fs::symlink("/nowhere", source.join("a/out")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(source.join("socket")).unwrap();
        let copied = Copied::of(&source, &folder.path().join("copies")).unwrap();
        let at = |name: &str| copied.path().join(name);
        assert_eq!(copied.path().file_name(), source.file_name());
        assert!(!at("socket").exists());
        assert_eq!(fs::metadata(at("a/one")).unwrap().permissions().mode() & 0o777, 0o755);
        assert_eq!(fs::metadata(at("a/one")).unwrap().modified().unwrap(), past);
        assert_eq!(fs::metadata(at("a/one")).unwrap().nlink(), 1);
        fs::write(at("a/far"), "2").unwrap();
        assert_eq!(fs::read_to_string(at("a/near")).unwrap(), "2");
        assert_eq!(fs::read_to_string(source.join("a/two")).unwrap(), "1", "the original stays");
        assert_eq!(fs::read_link(at("a/out")).unwrap(), Path::new("/nowhere"));
        let path = copied.path().to_owned();
        drop(copied);
        assert!(!path.exists());
        assert!(Copied::of(&source, &source.join("a")).is_err());
        let mut copied = Copied::of(&source, folder.path()).unwrap();
        copied.keep();
        let kept = copied.path().to_owned();
        drop(copied);
        assert!(kept.join("a/b").is_dir());
    }
}
