//! Texts read whole, within a bound: a device, a pipe that never ends or a file that was named by mistake is an error and no full memory.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// Reads a file of at most so many bytes. What its metadata say is not asked: devices have no length.
pub fn read_bytes(path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let bound = if most >= 1 << 20 { format!("{} MiB", most >> 20) } else { format!("{} KiB", most >> 10) };
        return Err(Error::new(ErrorKind::FileTooLarge, format!("it is larger than {bound}")));
    }
    Ok(bytes)
}

/// Reads a text of at most so many bytes.
pub fn read_text(path: &Path, most: u64) -> Result<String> {
    String::from_utf8(read_bytes(path, most)?)
        .map_err(|e| Error::new(ErrorKind::InvalidData, format!("it is no text in UTF-8: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_larger_than_its_bound_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, "twelve bytes").unwrap();
        assert_eq!(read_text(&path, 12).unwrap(), "twelve bytes");
        assert_eq!(read_text(&path, 11).unwrap_err().kind(), ErrorKind::FileTooLarge);
        std::fs::write(&path, b"\xff").unwrap();
        assert_eq!(read_text(&path, 12).unwrap_err().kind(), ErrorKind::InvalidData);
        assert_eq!(read_bytes(&path, 12).unwrap(), b"\xff");
    }

    #[cfg(unix)]
    #[test]
    fn a_device_that_never_ends_is_an_error() {
        let error = read_text(Path::new("/dev/zero"), 1 << 20).unwrap_err();
        assert_eq!(error.to_string(), "it is larger than 1 MiB");
        assert_eq!(read_text(Path::new("/dev/zero"), 2 << 10).unwrap_err().to_string(), "it is larger than 2 KiB");
        assert_eq!(read_text(Path::new("/dev/null"), 1 << 20).unwrap(), "");
    }
}
