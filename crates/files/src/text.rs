//! Files read within a bound: a device, a pipe that never ends or a file that was named by mistake is an error and no full memory.
//!
//! A file whose name ends in `.gz` is what it holds, and the bound is of that. A text is without the mark that some editors put before it.

use std::fs::File;
use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::without_mark;

/// A source that ends with an error beyond so many bytes.
struct Bounded {
    source: Box<dyn Read>,
    most: u64,
    left: u64,
}

impl Read for Bounded {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        let read = self.source.read(into)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| too_large(self.most))?;
        Ok(read)
    }
}

fn too_large(most: u64) -> Error {
    let bound = if most >= 1 << 20 { format!("{} MiB", most >> 20) } else { format!("{} KiB", most >> 10) };
    Error::new(ErrorKind::FileTooLarge, format!("it is larger than {bound}"))
}

/// What its metadata say is not asked: devices have no length.
fn open(path: &Path, most: u64) -> Result<Bounded> {
    let file = File::open(path)?;
    let source: Box<dyn Read> = match path.extension() {
        Some(end) if end == "gz" => Box::new(MultiGzDecoder::new(file)),
        _ => Box::new(file),
    };
    Ok(Bounded { source, most, left: most })
}

/// Reads a file of at most so many bytes.
pub fn read_bytes(path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path, most)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The file, or where there is none the packed one beside it, of the same name with `.gz` behind.
pub fn plain_or_packed(path: &Path) -> Option<PathBuf> {
    let mut packed = path.as_os_str().to_owned();
    packed.push(".gz");
    [path.to_owned(), packed.into()].into_iter().find(|file| file.is_file())
}

/// How packed files begin.
const PACKED: [(&[u8], &str); 5] = [
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"PK\x03\x04", "zip"),
    // As it packs unless told otherwise; the first letters alone may begin a text.
    (b"BZh91AY&SY", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
];

/// Errors: it begins as a packed file does, so that it is no text under this name.
fn refuse_packed(start: &[u8]) -> Result<()> {
    let Some((_, how)) = PACKED.iter().find(|(magic, _)| start.starts_with(magic)) else { return Ok(()) };
    let what = match *how {
        "gzip" => "give it a name that ends in .gz",
        _ => "unpack it, or pack it with gzip",
    };
    Err(Error::new(ErrorKind::InvalidData, format!("it is packed ({how}); {what}")))
}

/// Reads a text of at most so many bytes.
pub fn read_text(path: &Path, most: u64) -> Result<String> {
    let mut bytes = read_bytes(path, most)?;
    refuse_packed(&bytes)?;
    let mark = bytes.len() - without_mark(&bytes).len();
    bytes.drain(..mark);
    String::from_utf8(bytes).map_err(|e| Error::new(ErrorKind::InvalidData, format!("this is no text in UTF-8: {e}")))
}

/// The lines of a text of at most so many bytes, one at a time, for what is better not held whole.
pub fn read_lines(path: &Path, most: u64) -> Result<impl Iterator<Item = Result<String>> + use<>> {
    let mut source = BufReader::new(open(path, most)?);
    let start = source.fill_buf()?;
    refuse_packed(start)?;
    let mark = start.len() - without_mark(start).len();
    source.consume(mark);
    Ok(source.lines())
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

    #[test]
    fn a_text_is_without_its_mark_and_unpacked_whole_and_line_by_line() {
        let folder = tempfile::tempdir().unwrap();
        let text = "\u{feff}one\ntwo\n";
        for name in ["f.jsonl", "f.jsonl.gz"] {
            let path = folder.path().join(name);
            if name.ends_with(".gz") {
                let file = File::create(&path).unwrap();
                let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::default());
                std::io::Write::write_all(&mut packed, text.as_bytes()).unwrap();
                packed.finish().unwrap();
            } else {
                std::fs::write(&path, text).unwrap();
            }
            assert_eq!(read_text(&path, 11).unwrap(), "one\ntwo\n", "{name}");
            assert_eq!(read_bytes(&path, 11).unwrap(), text.as_bytes(), "a file is as it is");
            assert_eq!(read_text(&path, 10).unwrap_err().kind(), ErrorKind::FileTooLarge, "of what is unpacked");
            let lines = |most| read_lines(&path, most).and_then(|lines| lines.collect::<Result<Vec<String>>>());
            assert_eq!(lines(11).unwrap(), ["one", "two"], "{name}");
            assert_eq!(lines(10).unwrap_err().kind(), ErrorKind::FileTooLarge, "it is not cut");
        }
    }

    #[test]
    fn what_is_packed_is_found_by_its_plain_name_and_read_under_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let [plain, packed] = ["f.jsonl", "f.jsonl.gz"].map(|name| folder.path().join(name));
        assert_eq!(plain_or_packed(&plain), None);
        std::fs::write(&packed, b"\x1f\x8b\x08").unwrap();
        assert_eq!(plain_or_packed(&plain), Some(packed));
        std::fs::write(&plain, b"\x1f\x8b\x08").unwrap();
        assert_eq!(plain_or_packed(&plain), Some(plain.clone()));
        let why = "it is packed (gzip); give it a name that ends in .gz";
        assert_eq!(read_text(&plain, 12).unwrap_err().to_string(), why);
        assert_eq!(read_lines(&plain, 12).map(drop).unwrap_err().to_string(), why);
        for (start, how) in [(&b"\x28\xb5\x2f\xfd\x04"[..], "zstd"), (&b"PK\x03\x04"[..], "zip")] {
            std::fs::write(&plain, start).unwrap();
            let why = format!("it is packed ({how}); unpack it, or pack it with gzip");
            assert_eq!(read_text(&plain, 12).unwrap_err().to_string(), why);
        }
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
