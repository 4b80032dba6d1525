//! A file written whole, or left as it was; one that is renamed or removed.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::faults::{self, Operation};
use crate::handle::{cannot_sync, sync_folder};

/// Who may read a file that is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// Its owner only: what is kept here may be private.
    Owner,
    /// Whom the system's mask lets: a person has it made to hand it on.
    AsUsual,
}

impl Readers {
    fn mode(self) -> u32 {
        match self {
            Readers::Owner => 0o600,
            Readers::AsUsual => 0o666,
        }
    }
}

/// Replaces a file, or makes it for its owner only: the bytes go to a new file beside it, to the disk, and then take the name. What a link names is replaced
/// and not the link; a device or a pipe is written to and stays what it is; who may read the file stays as it was.
/// Errors: the system's; the file is then as it was, and nothing is left beside it.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_for(Readers::Owner, path, bytes)
}

/// As [`replace`]; of a file that is made these may read it.
/// Errors: as of [`replace`].
pub fn replace_for(readers: Readers, path: &Path, bytes: &[u8]) -> io::Result<()> {
    if is_stream(path) {
        faults::pass(path, Operation::Open)?;
        let mut stream = fs::OpenOptions::new().append(true).open(path)?;
        faults::pass(path, Operation::Write)?;
        return stream.write_all(bytes);
    }
    let path = &behind_links(path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    faults::pass(path, Operation::Open)?;
    if !folder.is_dir() {
        let why = format!("there is no folder {}; make it first", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, why));
    }
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "this is a folder; name a file in it"));
    }
    let mut beside = tempfile::Builder::new().make_in(folder, |path| made(path, readers))?;
    if let Ok(about) = fs::metadata(path) {
        beside.as_file().set_permissions(about.permissions())?;
    }
    faults::pass(path, Operation::Write)?;
    beside.as_file_mut().write_all(bytes)?;
    match faults::pass(path, Operation::Sync).and_then(|()| beside.as_file().sync_all()) {
        Err(error) if !cannot_sync(&error) => return Err(error),
        _ => {}
    }
    faults::pass(path, Operation::Rename)?;
    beside.persist(path).map_err(|e| e.error)?;
    sync_folder(path)
}

/// Makes a file. Errors of what `tempfile` opens and writes itself name a file that is gone by then.
fn made(path: &Path, readers: Readers) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true).create_new(true);
    let mode = readers.mode();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    options.open(path)
}

/// Gives a file another name, which nothing may have.
/// Errors: the system's; `ErrorKind::AlreadyExists` if the name is taken.
pub fn rename(path: &Path, name: &Path) -> io::Result<()> {
    faults::pass(path, Operation::Rename)?;
    // Linking fails where the name is taken; renaming would replace what is there.
    fs::hard_link(path, name)?;
    remove(path)
}

/// Takes a file away.
pub fn remove(path: &Path) -> io::Result<()> {
    faults::pass(path, Operation::Remove)?;
    fs::remove_file(path)
}

/// Whether there is something that is neither file nor folder, or a name of a descriptor (`/dev/stdout`), which may be a file that
/// others write to as well.
fn is_stream(path: &Path) -> bool {
    let descriptor =
        ["/dev/fd", "/dev/stdout", "/dev/stderr", "/proc/self/fd"].iter().any(|name| path.starts_with(name));
    fs::metadata(path).is_ok_and(|about| !about.is_dir() && (descriptor || !about.is_file()))
}

/// The file that a link leads to, which need not be there; a path that is no link as it is.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    // As many as the system follows.
    for _ in 0..40 {
        match fs::read_link(&path) {
            Ok(next) => path = path.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many links lead on from here"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::{EINVAL, EIO, ENOSPC, Fault};

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
        // What cannot be synced is written all the same.
        let _none = faults::inject(Fault::next(folder.path(), Operation::Sync, EINVAL));
        replace(&path, b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        let missing = folder.path().join("missing");
        let error = replace(&missing.join("f"), b"new").unwrap_err().to_string();
        assert_eq!(error, format!("there is no folder {}; make it first", missing.display()));
        assert!(
            made(&path, Readers::Owner).unwrap_err().raw_os_error().is_some(),
            "the system's error, which names no file beside"
        );
    }

    #[cfg(unix)]
    #[test]
    #[cfg_attr(miri, ignore = "no process begins there")]
    fn links_devices_and_pipes_stay_what_they_are() {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};

        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "old").unwrap();
        fs::set_permissions(at("file"), fs::Permissions::from_mode(0o640)).unwrap();
        symlink("file", at("link")).unwrap();
        symlink("link", at("further")).unwrap();
        symlink("nowhere", at("new")).unwrap();
        symlink("circle", at("circle")).unwrap();
        replace(&at("further"), b"new").unwrap();
        assert_eq!(fs::read_to_string(at("file")).unwrap(), "new");
        assert_eq!(fs::metadata(at("file")).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(at("link").is_symlink() && at("further").is_symlink());
        replace(&at("new"), b"made").unwrap();
        // As the system makes a file here, and as it stays then.
        fs::write(at("usual"), "").unwrap();
        let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode() & 0o777;
        for (readers, expected) in [(Readers::Owner, 0o600), (Readers::AsUsual, mode("usual"))] {
            let name = format!("{readers:?}");
            replace_for(readers, &at(&name), b"made").unwrap();
            replace(&at(&name), b"again").unwrap();
            assert_eq!(mode(&name), expected, "{name}");
        }
        assert!(at("new").is_symlink() && at("nowhere").is_file());
        assert!(replace(&at("circle"), b"").is_err());
        // A device is only asked about: where this test fails, /dev/null would be replaced, by root.
        symlink("/dev/null", at("null")).unwrap();
        for (path, expected) in [(at("null"), true), (at("file"), false), (at("nowhere-else"), false), (at(""), false)]
        {
            assert_eq!(is_stream(&path), expected, "{}", path.display());
        }
        // A descriptor may be a file that others write to as well.
        let file = fs::File::open(at("file")).unwrap();
        assert!(is_stream(Path::new(&format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&file)))));
        assert_eq!(replace(folder.path(), b"").unwrap_err().kind(), io::ErrorKind::IsADirectory);
        let pipe = at("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe).unwrap()
        });
        replace(&pipe, b"through").unwrap();
        assert_eq!(reader.join().unwrap(), "through");
        assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    }
}
