//! The results file: one JSON object a line, appended as episodes end, read back to resume.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::RunResult;
use crate::episode::Header;

/// A results file open for appending; of episodes, unless another kind of result is named.
#[derive(Debug)]
pub struct ResultsFile<R = RunResult> {
    file: File,
    /// The results it held when it was opened.
    pub earlier: Vec<R>,
}

impl<R: Serialize + DeserializeOwned> ResultsFile<R> {
    /// Opens or creates the file. A torn last line (a run that was killed) is cut off; it is no result.
    ///
    /// # Errors
    /// When the file cannot be opened, or a whole line is no result: then it is some other file, and is left as it is.
    pub fn open(path: &Path) -> Result<Self, String> {
        let fail = |e: std::io::Error| format!("{}: {e}", path.display());
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(fail)?;
        let mut earlier = Vec::new();
        let mut whole = 0;
        let mut lines = BufReader::new(Read::by_ref(&mut file));
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            let length = lines.read_until(b'\n', &mut line).map_err(fail)?;
            if length == 0 {
                break;
            }
            match serde_json::from_slice::<R>(&line) {
                Ok(result) if line.ends_with(b"\n") => earlier.push(result),
                Err(e) if line.ends_with(b"\n") => {
                    return Err(format!(
                        "{}, line {number}: no result of this kind of study: {e}; name another file",
                        path.display()
                    ));
                }
                // No line break: it was being written when the run was killed.
                _ => break,
            }
            whole += length as u64;
        }
        file.set_len(whole).map_err(fail)?;
        file.seek(SeekFrom::End(0)).map_err(fail)?;
        Ok(ResultsFile { file, earlier })
    }

    /// Appends a result and hands it to the operating system.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn append(&mut self, result: &R) -> std::io::Result<()> {
        let mut line = serde_json::to_vec(result)?;
        line.push(b'\n');
        self.file.write_all(&line)
    }
}

impl ResultsFile {
    /// The tasks that need not be run again in the way a session begins (method, model, world options, seed): those with a
    /// result that is no error.
    pub fn done(&self, way: &Header) -> BTreeSet<String> {
        let same = |r: &&RunResult| {
            (&r.method, &r.model, &r.options, r.seed) == (&way.method, &way.model, &way.options, way.seed)
                && r.error.is_none()
        };
        self.earlier.iter().filter(same).map(|r| r.task.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(task: &str, error: Option<&str>) -> RunResult {
        RunResult {
            task: task.into(),
            kind: "k".into(),
            sentence: "s".into(),
            method: "m".into(),
            model: "x".into(),
            options: std::collections::BTreeMap::new(),
            seed: 0,
            won: true,
            reward: 1.0,
            steps: 3,
            blocked: 0,
            refused: 0,
            compatible: 3,
            proposals: 3,
            asks: 0,
            prompt_tokens: 0,
            completion_tokens: 0,
            seconds: 0.1,
            ended: "the goal is reached".into(),
            error: error.map(Into::into),
        }
    }

    fn header(model: &str, seed: u64) -> Header {
        Header {
            stepwright: "session".into(),
            version: 1,
            program: String::new(),
            created: 0,
            world: "household".into(),
            options: std::collections::BTreeMap::new(),
            data: String::new(),
            task: "z".into(),
            sentence: String::new(),
            seed,
            method: "m".into(),
            model: model.into(),
            specification: String::new(),
            opening: Vec::new(),
        }
    }

    #[test]
    fn what_is_done_is_known_after_a_torn_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        let mut file: ResultsFile = ResultsFile::open(&path).unwrap();
        file.append(&result("a", None)).unwrap();
        file.append(&result("b", Some("no server"))).unwrap();
        drop(file);
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, [whole.as_slice(), b"{\"task\":\"c\",\"ki"].concat()).unwrap();
        let mut file: ResultsFile = ResultsFile::open(&path).unwrap();
        assert_eq!(file.earlier.len(), 2);
        assert_eq!(file.done(&header("x", 0)).into_iter().collect::<Vec<_>>(), ["a"]);
        assert!(file.done(&header("y", 0)).is_empty());
        assert!(file.done(&header("x", 1)).is_empty());
        file.append(&result("c", None)).unwrap();
        assert_eq!(ResultsFile::<RunResult>::open(&path).unwrap().earlier.len(), 3);
    }

    #[test]
    fn another_file_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        std::fs::write(&path, "shopping\nlist").unwrap();
        assert!(ResultsFile::<RunResult>::open(&path).unwrap_err().contains("line 1"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "shopping\nlist");
    }
}
