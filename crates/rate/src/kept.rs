//! The judgements of all raters, kept in a file: a line each, appended as it is made; what is taken back is a line too.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::RateError;

/// What a rater says of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judgement {
    /// Who.
    pub rater: String,
    /// Of what.
    pub item: String,
    /// Whether the plan does the task; absent where the judgement before is taken back.
    pub correct: Option<bool>,
}

/// A file of judgements. They count as soon as they are on the disk.
#[derive(Debug)]
pub struct Kept {
    path: PathBuf,
    file: File,
    /// What each rater says of each item, by rater and item.
    judged: BTreeMap<String, BTreeMap<String, bool>>,
}

/// How a line begins: what was cut off before that could be of any file.
const BEGINNING: &str = "{\"rater\":";

impl Kept {
    /// Opens or makes a file. A last line that was cut off while it was written is not counted.
    ///
    /// # Errors
    /// [`RateError`]: it cannot be read or written, another process has it, or a line is no judgement.
    pub fn open(path: &Path) -> Result<Self, RateError> {
        let fail = |e: std::io::Error| RateError::File { path: path.display().to_string(), message: e.to_string() };
        let file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(fail)?;
        file.try_lock().map_err(|_| RateError::File {
            path: path.display().to_string(),
            message:
                "someone else is rating into it now; rate into a file of your own with --to, and name both with --with"
                    .to_owned(),
        })?;
        let text = std::fs::read_to_string(path).map_err(fail)?;
        let mut kept = Kept { path: path.to_owned(), file, judged: BTreeMap::new() };
        kept.read(&text)?;
        if !text.is_empty() && !text.ends_with('\n') {
            // What was cut off keeps a separate line.
            kept.file.write_all(b"\n").map_err(fail)?;
        }
        Ok(kept)
    }

    /// Takes in the judgements of another file, without writing to it.
    ///
    /// # Errors
    /// [`RateError`]: it cannot be read, or a line is no judgement.
    pub fn with(&mut self, path: &Path) -> Result<(), RateError> {
        let text = std::fs::read_to_string(path)
            .map_err(|e| RateError::File { path: path.display().to_string(), message: e.to_string() })?;
        self.read(&text)
    }

    fn read(&mut self, text: &str) -> Result<(), RateError> {
        for (number, line) in (1..).zip(text.lines()) {
            match serde_json::from_str::<Judgement>(line) {
                Ok(judgement) => self.take(&judgement),
                Err(error) if error.is_eof() && line.starts_with(BEGINNING) => {}
                Err(error) => {
                    return Err(RateError::Line {
                        path: self.path.display().to_string(),
                        line: number,
                        message: format!("expected {{\"rater\": …, \"item\": …, \"correct\": …}} ({error})"),
                    });
                }
            }
        }
        Ok(())
    }

    fn take(&mut self, judgement: &Judgement) {
        let own = self.judged.entry(judgement.rater.clone()).or_default();
        match judgement.correct {
            Some(correct) => own.insert(judgement.item.clone(), correct),
            None => own.remove(&judgement.item),
        };
    }

    /// Writes a judgement down; it counts once it is on the disk.
    ///
    /// # Errors
    /// [`RateError`]: the disk is full, say; nothing is changed then.
    pub fn keep(&mut self, judgement: &Judgement) -> Result<(), RateError> {
        let fail = |message: String| RateError::File { path: self.path.display().to_string(), message };
        let line = serde_json::to_string(judgement).map_err(|e| fail(e.to_string()))? + "\n";
        self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data()).map_err(|e| fail(e.to_string()))?;
        self.take(judgement);
        Ok(())
    }

    /// What a rater says of an item.
    pub fn of(&self, rater: &str, item: &str) -> Option<bool> {
        self.judged.get(rater)?.get(item).copied()
    }

    /// The raters who judged something, by name.
    pub fn raters(&self) -> impl Iterator<Item = &str> {
        self.judged.iter().filter(|(_, own)| !own.is_empty()).map(|(rater, _)| rater.as_str())
    }
}

#[cfg(test)]
mod tests {
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
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"rater\":\"bo").unwrap();
        let mut kept = Kept::open(&path).unwrap();
        assert_eq!((kept.of("ann", "i"), kept.of("bob", "i")), (Some(true), None));
        kept.keep(&judgement("bob", Some(false))).unwrap();
        drop(kept);
        let kept = Kept::open(&path).unwrap();
        assert_eq!((kept.of("bob", "i"), kept.raters().collect::<Vec<_>>()), (Some(false), vec!["ann", "bob"]));
    }

    #[test]
    fn a_line_of_something_else_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r");
        std::fs::write(&path, "{\"rater\":\"a\",\"item\":\"i\",\"correct\":true}\n{\"won\":1}\n").unwrap();
        let error = Kept::open(&path).unwrap_err().to_string();
        assert!(error.contains(", line 2: expected"), "{error}");
        let mut other = Kept::open(&folder.path().join("own")).unwrap();
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
        assert_eq!(Kept::open(&path).unwrap().raters().count(), 0);
    }
}
