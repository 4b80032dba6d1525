//! Results: lines appended to a file as units end, read back to go on where a study was stopped.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Study, Unit, units};

/// A results file open for appending: one JSON object a line.
#[derive(Debug)]
pub struct ResultsFile<R> {
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

/// What tells the results of an experiment from those of others, as text: the fields that `experiment` has, with the values that
/// `line` has for them. The one place that says when two results are of the same unit.
pub fn experiment_key(experiment: &Value, line: &Value) -> String {
    let fields = experiment.as_object().into_iter().flatten();
    let own: BTreeMap<&str, Value> =
        fields.map(|(name, _)| (name.as_str(), line.get(name).cloned().unwrap_or_default())).collect();
    serde_json::json!(own).to_string()
}

/// The lines of a study: those of its results file, if it has one, then those of this run.
#[derive(Debug)]
pub struct Results<L> {
    file: Option<(ResultsFile<L>, String)>,
    /// All lines.
    pub all: Vec<L>,
}

impl<L: Serialize + DeserializeOwned + Clone> Results<L> {
    /// Opens or creates the file, if one is named.
    ///
    /// # Errors
    /// As [`ResultsFile::open`].
    pub fn open(path: Option<&Path>) -> Result<Self, String> {
        let Some(path) = path else { return Ok(Results { file: None, all: Vec::new() }) };
        let mut file = ResultsFile::open(path)?;
        let all = std::mem::take(&mut file.earlier);
        Ok(Results { file: Some((file, path.display().to_string())), all })
    }

    /// The file's name.
    pub fn path(&self) -> Option<&str> {
        self.file.as_ref().map(|(_, path)| path.as_str())
    }

    /// Keeps a line.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, line: L) -> Result<(), String> {
        if let Some((file, path)) = &mut self.file {
            file.append(&line).map_err(|e| format!("{path}: {e}"))?;
        }
        self.all.push(line);
        Ok(())
    }

    /// The units without a result yet, and how many have one. A result that is an error does not count.
    pub fn open_units<S: Study<Line = L>>(&self, study: &S) -> (Vec<Unit<S::Condition>>, usize) {
        let mut open = units(study);
        let all = open.len();
        if let Some(first) = open.first() {
            let experiment = study.experiment(first);
            let whole = self.all.iter().filter(|line| !is_error(line));
            let done: BTreeSet<String> = whole.map(|line| key_of(&experiment, line)).collect();
            open.retain(|unit| {
                let own = study.experiment(unit);
                !done.contains(&experiment_key(&own, &own))
            });
        }
        let done = all - open.len();
        (open, done)
    }

    /// The lines that concern the study, without those that a later one of the same unit replaces: a unit carried out again after
    /// an error counts once.
    pub fn latest<S: Study<Line = L>>(&self, study: &S) -> Vec<L> {
        let Some(first) = units(study).into_iter().next() else { return self.all.clone() };
        let experiment = study.experiment(&first);
        let mut seen = BTreeSet::new();
        let of_study = self.all.iter().rev().filter(|line| study.concerns(line));
        let newest = of_study.filter(|line| seen.insert(key_of(&experiment, *line)));
        let mut latest: Vec<L> = newest.cloned().collect();
        latest.reverse();
        latest
    }
}

/// Whether a line says that its unit could not be carried out to its end.
pub fn is_error(line: &impl Serialize) -> bool {
    serde_json::to_value(line).is_ok_and(|line| !line["error"].is_null())
}

/// The key of a line; lines that cannot be told have none in common.
fn key_of(experiment: &Value, line: &impl Serialize) -> String {
    experiment_key(experiment, &serde_json::to_value(line).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_key_holds_what_the_experiment_names_and_nothing_else() {
        let experiment = json!({"task": "a", "seed": 0, "options": {"find": "fixed"}});
        let key = |line: &Value| experiment_key(&experiment, line);
        let own = key(&experiment);
        assert_eq!(own, key(&json!({"seed": 0, "options": {"find": "fixed"}, "task": "a", "won": true})));
        assert_ne!(own, key(&json!({"seed": 1, "options": {"find": "fixed"}, "task": "a"})));
        assert_ne!(own, key(&json!({"task": "a", "options": {"find": "fixed"}})));
    }

    #[test]
    fn a_torn_last_line_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        let mut file: ResultsFile<Value> = ResultsFile::open(&path).unwrap();
        file.append(&json!({"task": "a"})).unwrap();
        drop(file);
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, [whole.as_slice(), b"{\"task\":\"c\",\"ki"].concat()).unwrap();
        let mut file: ResultsFile<Value> = ResultsFile::open(&path).unwrap();
        assert_eq!(file.earlier, [json!({"task": "a"})]);
        file.append(&json!({"task": "c"})).unwrap();
        assert_eq!(ResultsFile::<Value>::open(&path).unwrap().earlier.len(), 2);
    }

    #[test]
    fn another_file_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        std::fs::write(&path, "shopping\nlist").unwrap();
        assert!(ResultsFile::<Value>::open(&path).unwrap_err().contains("line 1"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "shopping\nlist");
    }
}
