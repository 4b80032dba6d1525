//! The judgements of all raters, kept in a file: a line each, appended as it is made; what is taken back is a line too.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{ErrorKind, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::json;
use stepwright_files::sum::has_hole;
use stepwright_files::{Lines, Reader};

use crate::RateError;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judgement {
    pub rater: String,
    pub item: String,
    /// Whether the plan does the task; absent where the judgement before is taken back.
    pub correct: Option<bool>,
}

/// What raters judged, by rater and item.
#[derive(Debug, Default)]
pub struct Judged(BTreeMap<String, BTreeMap<String, bool>>);

impl Judged {
    /// Takes in the judgements of a file, without writing to it.
    pub fn with(&mut self, path: &Path) -> Result<(), RateError> {
        let file = std::fs::File::open(path)
            .map_err(|e| RateError::File { path: path.display().to_string(), message: e.to_string() })?;
        read(file, path)?.0.iter().for_each(|judgement| self.take(judgement));
        Ok(())
    }

    pub fn of(&self, rater: &str, item: &str) -> Option<bool> {
        self.0.get(rater)?.get(item).copied()
    }

    /// The raters who judged something, by name.
    pub fn raters(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, own)| !own.is_empty()).map(|(rater, _)| rater.as_str())
    }

    fn take(&mut self, judgement: &Judgement) {
        let own = self.0.entry(judgement.rater.clone()).or_default();
        match judgement.correct {
            Some(correct) => own.insert(judgement.item.clone(), correct),
            None => own.remove(&judgement.item),
        };
    }
}

/// A file of judgements. They count as soon as they are on the disk.
#[derive(Debug)]
pub struct Kept {
    lines: Lines,
    /// Those of the file, as they came.
    own: Vec<Judgement>,
    judged: Judged,
}

/// How a line begins: what was cut off before that could be of any file.
const BEGINNING: &[u8] = b"{\"rater\":";

impl Kept {
    /// Opens or makes a file. A last line that was cut off while it was written is not counted, and gives way to the next.
    pub fn open(path: &Path) -> Result<Self, RateError> {
        let fail = |message: String| RateError::File { path: path.display().to_string(), message };
        let busy =
            "someone else is rating into it now; rate into a file of your own with --to, and name both with --with";
        let handle = Lines::lock(path, true).map_err(|e| match e.kind() {
            ErrorKind::WouldBlock => fail(busy.to_owned()),
            _ => fail(e.to_string()),
        })?;
        let (own, whole) = read(handle.reader(), path)?;
        let lines = Lines::after(handle, whole);
        let mut judged = Judged::default();
        own.iter().for_each(|judgement| judged.take(judgement));
        Ok(Kept { lines, own, judged })
    }

    /// The file that the judgements are in: another than was opened, where that was lost.
    pub fn path(&self) -> &Path {
        self.lines.path()
    }

    /// Writes a judgement down; it counts once it is on the disk.
    /// Errors: it is not; or the file was lost, and it is in another with all before it.
    pub fn keep(&mut self, judgement: &Judgement) -> Result<(), RateError> {
        let path = self.lines.path().display().to_string();
        let fail = |message: String| RateError::File { path: path.clone(), message };
        let line = serde_json::to_vec(judgement).map_err(|e| fail(e.to_string()))?;
        let all =
            || self.own.iter().map(|judgement| json!(judgement).to_string() + "\n").collect::<String>().into_bytes();
        let moved = self.lines.keep_or_move(line, "all judgements", all).map_err(|e| fail(e.to_string()))?;
        self.own.push(judgement.clone());
        self.judged.take(judgement);
        moved.map_or(Ok(()), |words| Err(fail(words)))
    }

    pub fn judged(&self) -> &Judged {
        &self.judged
    }
}

/// The judgements of a file, and how many of its bytes are whole lines.
fn read(source: impl Read, path: &Path) -> Result<(Vec<Judgement>, u64), RateError> {
    let wrong = |line, message| RateError::Line { path: path.display().to_string(), line, message };
    let expected = |why: &dyn Display| format!("expected {{\"rater\": …, \"item\": …, \"correct\": …}} ({why})");
    let parse = |line: &[u8]| serde_json::from_slice::<Judgement>(line).map_err(|e| expected(&e));
    let (mut judgements, mut lines) = (Vec::new(), Reader::new(source, u64::MAX).beginning(BEGINNING));
    while let Some(judgement) = lines.read(parse).map_err(|misread| wrong(lines.number(), misread.why()))? {
        judgements.push(judgement);
    }
    let (whole, number) = (lines.whole(), lines.number());
    let torn = lines.torn().map_err(|e| wrong(number, e.to_string()))?;
    if !(torn.is_empty() || torn.starts_with(BEGINNING) || has_hole(&torn)) {
        return Err(wrong(number, expected(&"it begins otherwise")));
    }
    Ok((judgements, whole))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use stepwright_files::faults::{self, ENOSPC, Fault, Operation};
    use stepwright_files::losses;

    use super::*;

    #[test]
    fn judgements_survive_and_what_was_cut_off_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ratings.jsonl");
        let judgement = |rater: &str, correct| Judgement { rater: rater.into(), item: "i".into(), correct };
        let mut kept = Kept::open(&path).unwrap();
        kept.keep(&judgement("ann", Some(true))).unwrap();
        kept.keep(&judgement("bob", Some(true))).unwrap();
        kept.keep(&judgement("bob", None)).unwrap();
        assert!(Kept::open(&path).unwrap_err().to_string().contains("someone else"));
        drop(kept);
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"rater\":\"bo\xc3").unwrap();
        let (mut read, before) = (Judged::default(), std::fs::read(&path).unwrap());
        read.with(&path).unwrap();
        assert_eq!((read.of("ann", "i"), read.of("bob", "i")), (Some(true), None));
        assert_eq!(std::fs::read(&path).unwrap(), before, "who only reads leaves it as it is");
        let mut kept = Kept::open(&path).unwrap();
        assert_eq!((kept.judged().of("ann", "i"), kept.judged().of("bob", "i")), (Some(true), None));
        kept.keep(&judgement("bob", Some(false))).unwrap();
        drop(kept);
        let kept = Kept::open(&path).unwrap();
        let raters = kept.judged().raters().collect::<Vec<_>>();
        assert_eq!((kept.judged().of("bob", "i"), raters), (Some(false), vec!["ann", "bob"]));
    }

    #[test]
    fn a_full_disk_leaves_no_half_line_and_the_same_judgement_is_kept_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ratings.jsonl");
        let judgement = Judgement { rater: "ann".into(), item: "i".into(), correct: Some(true) };
        let mut kept = Kept::open(&path).unwrap();
        {
            let _full = faults::inject(Fault { bytes: 12, ..Fault::next(folder.path(), Operation::Write, ENOSPC) });
            assert!(kept.keep(&judgement).is_err());
        }
        assert_eq!((kept.judged().of("ann", "i"), std::fs::read_to_string(&path).unwrap().len()), (None, 0));
        kept.keep(&judgement).unwrap();
        drop(kept);
        assert_eq!(Kept::open(&path).unwrap().judged().of("ann", "i"), Some(true));
        // A line that lacks its break counts, and what comes after it has one of its own.
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.trim_end()).unwrap();
        let mut kept = Kept::open(&path).unwrap();
        kept.keep(&Judgement { correct: Some(false), ..judgement }).unwrap();
        drop(kept);
        assert_eq!(Kept::open(&path).unwrap().judged().of("ann", "i"), Some(false));
    }

    #[test]
    fn no_power_cut_takes_a_judgement() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ratings.jsonl");
        let watch = stepwright_files::power::watch(&path);
        let mut kept = Kept::open(&path).unwrap();
        for n in 0..100 {
            let item = format!("item {n}");
            kept.keep(&Judgement { rater: "ann".into(), item, correct: Some(n % 2 == 0) }).unwrap();
        }
        drop(kept);
        let done = watch.done();
        let read = |bytes: &[u8]| {
            std::fs::write(&path, bytes).map_err(|e| e.to_string())?;
            Kept::open(&path).map(|kept| kept.judged.0.values().map(BTreeMap::len).sum()).map_err(|e| e.to_string())
        };
        assert!(stepwright_files::power::cut_everywhere(&done, read).unwrap() > 500);
    }

    #[test]
    fn judgements_whose_file_is_lost_are_kept_beside_it_and_every_flipped_bit_is_found() {
        let judgement = |n| Judgement { rater: "ann".into(), item: format!("item {n}"), correct: Some(n % 2 == 0) };
        let add = |kept: &mut Kept, n| kept.keep(&judgement(n)).map_err(|e| e.to_string());
        let begin = |path: &Path| Kept::open(path).unwrap();
        let count = |path: &Path| Kept::open(path).map(|kept| kept.own.len()).map_err(|e| e.to_string());
        losses::lost_everywhere(4, begin, add, count).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ratings.jsonl");
        let mut kept = begin(&path);
        (0..2).for_each(|n| add(&mut kept, n).unwrap());
        drop(kept);
        let bytes = std::fs::read(&path).unwrap();
        let of = |bytes: &[u8]| {
            std::fs::write(&path, bytes).map_err(|e| e.to_string())?;
            Kept::open(&path).map(|kept| kept.own).map_err(|e| e.to_string())
        };
        losses::flipped_everywhere(&bytes, of).unwrap();
    }

    #[test]
    fn a_line_of_something_else_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r");
        std::fs::write(&path, "{\"rater\":\"a\",\"item\":\"i\",\"correct\":true}\n{\"won\":1}\n").unwrap();
        let error = Kept::open(&path).unwrap_err().to_string();
        assert!(error.contains(", line 2: expected"), "{error}");
        let mut other = Judged::default();
        std::fs::write(&path, "{\"rater\":\"a\",\"item\":\"i\",\"correct\":true}\n").unwrap();
        other.with(&path).unwrap();
        assert_eq!(other.of("a", "i"), Some(true));
    }

    #[test]
    fn a_file_that_is_not_certainly_one_of_judgements_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes");
        for other in ["{", "{\"rater\"", "my only notes", "[1,", "{\"rater\":\"a\",\"item\":\"i\",\"correct\":true}\n{"]
        {
            std::fs::write(&path, other).unwrap();
            assert!(Kept::open(&path).unwrap_err().to_string().contains("expected"), "{other}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), other);
        }
        std::fs::write(&path, "{\"rater\":").unwrap();
        assert_eq!(Kept::open(&path).unwrap().judged().raters().count(), 0);
    }
}
