//! Losses for tests: what others may do to a file that is in use, and how that has to be met at every one of its records.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Another program is at a file.
pub type Loss = fn(&Path) -> io::Result<()>;

/// Everything that another program may do to a file, and what is said of it.
pub const LOSSES: [(&str, Loss); 4] = [
    ("was deleted", |file| fs::remove_file(file)),
    ("was replaced by another file", |file| {
        let other = file.with_extension("other");
        fs::write(&other, "{}\n")?;
        fs::rename(other, file)
    }),
    ("was cut", |file| {
        let file = OpenOptions::new().write(true).open(file)?;
        file.set_len(file.metadata()?.len() / 2)
    }),
    ("was written to by another program", |file| OpenOptions::new().append(true).open(file)?.write_all(b"{}\n")),
];

/// Has each loss come before each of some records of a file, and tries what is done then: the record is not kept without a word, the words name
/// a file beside it that has all records and goes on, and what the other program left stays as it is.
/// `begin` makes the file of a path, `add` adds the record of a number or says why not, `count` reads how many a file has.
/// Errors: the first case that is met otherwise.
pub fn lost_everywhere<K>(
    records: usize,
    begin: impl Fn(&Path) -> K,
    add: impl Fn(&mut K, usize) -> Result<(), String>,
    count: impl Fn(&Path) -> Result<usize, String>,
) -> Result<(), String> {
    for ((became, lose), at) in LOSSES.into_iter().flat_map(|loss| (0..records).map(move |at| (loss, at))) {
        let wrong = |why: String| format!("the file {became} before record {at}: {why}");
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let (file, beside) = (folder.path().join("f.jsonl"), folder.path().join("f-2.jsonl"));
        let mut kept = begin(&file);
        (0..at).try_for_each(|n| add(&mut kept, n)).map_err(wrong)?;
        let before = fs::read(&file).ok();
        lose(&file).map_err(|e| wrong(e.to_string()))?;
        let left = fs::read(&file).ok();
        if left == before {
            // Of an empty file nothing can be cut.
            continue;
        }
        let words = add(&mut kept, at).err().ok_or_else(|| wrong("it is not noticed".to_owned()))?;
        if !words.contains(became) || named(&words).as_ref() != Some(&beside) {
            return Err(wrong(words));
        }
        add(&mut kept, at + 1).map_err(wrong)?;
        drop(kept);
        let found = count(&beside).map_err(wrong)?;
        if found != at + 2 || fs::read(&file).ok() != left {
            return Err(wrong(format!("{found} of {} records are in {}", at + 2, beside.display())));
        }
    }
    Ok(())
}

/// The file that the words of [`crate::Lines::keep_or_move`] name.
fn named(words: &str) -> Option<PathBuf> {
    let (_, name) = words.split_once(" are in ")?;
    name.split_once(": go on").map(|(name, _)| name.into())
}

/// Flips every bit of a file, one at a time, and reads it: an error, or the same records. A line that lost its break at the end may be missing, as
/// one that was torn.
/// Errors: the first bit that changes what is read.
pub fn flipped_everywhere<R: PartialEq>(
    file: &[u8],
    read: impl Fn(&[u8]) -> Result<Vec<R>, String>,
) -> Result<(), String> {
    let whole = read(file)?;
    for bit in 0..file.len() * 8 {
        let mut flipped = file.to_vec();
        if let Some(byte) = flipped.get_mut(bit / 8) {
            *byte ^= 1 << (bit % 8);
        }
        let Ok(found) = read(&flipped) else { continue };
        let torn = bit / 8 + 1 == file.len() && found.len() + 1 == whole.len();
        if !whole.starts_with(&found) || found.len() != whole.len() && !torn {
            return Err(format!("bit {bit} changes what is read"));
        }
    }
    Ok(())
}
