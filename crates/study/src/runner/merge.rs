//! Lines of units from one file or many, put together: what was done twice counts once, what is missing is named.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use indexmap::IndexMap;

use super::experiment::Experiment;
use super::lines::{Contents, Entry, PlanLine, Planned};

/// The lines of an experiment, one result a unit, in the order of the plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    pub experiment: Experiment,
    /// The newest whole result of each unit; one without an error before one with.
    pub entries: Vec<Entry>,
    pub planned: usize,
    pub plan: Vec<Planned>,
    /// Results of units that have another; they were left out.
    pub duplicates: Duplicates,
    /// The planned units without a result, or with an error alone, in words.
    pub holes: Vec<String>,
    /// How many of the files are of this experiment.
    pub files: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Duplicates {
    pub all: usize,
    /// How many say something else than the one before them, the time it took aside: models are not asked the same twice with the same
    /// answer, and which result is the newest depends on the order of the files.
    pub unlike: usize,
}

/// The newest whole result of each unit, one without an error before one with; and what others were left out.
pub fn one_each<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> (BTreeMap<&'a str, Vec<&'a Entry>>, Duplicates) {
    let mut kept: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    let mut under_way: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    let mut duplicates = Duplicates::default();
    for entry in entries {
        let [part, of] = entry.part;
        let result = under_way.entry(&entry.unit).or_default();
        if part == 1 {
            result.clear();
        }
        result.push(entry);
        // Parts of a unit follow each other; a process that was killed may have left the first alone.
        if part != of || result.len() != of {
            continue;
        }
        let result = std::mem::take(result);
        let failed = |result: &[&Entry]| result.iter().any(|entry| entry.is_error());
        match kept.get_mut(entry.unit.as_str()) {
            None => {
                kept.insert(&entry.unit, result);
            }
            Some(known) => {
                duplicates.all += 1;
                duplicates.unlike += usize::from(!failed(known) && !failed(&result) && !says_the_same(known, &result));
                if failed(known) || !failed(&result) {
                    *known = result;
                }
            }
        }
    }
    (kept, duplicates)
}

/// Whether two results of a unit are alike but for the time they took.
fn says_the_same(one: &[&Entry], other: &[&Entry]) -> bool {
    let fields = |entry: &Entry| {
        let mut fields = entry.fields.clone();
        fields.shift_remove("seconds");
        fields.shift_remove("session");
        fields
    };
    one.len() == other.len() && one.iter().zip(other).all(|(a, b)| fields(a) == fields(b))
}

/// The keys of several plans in their order, each once, with the unit in words.
pub fn planned<'a>(plans: impl IntoIterator<Item = &'a PlanLine>) -> Vec<(String, String)> {
    let mut seen = BTreeSet::new();
    plans.into_iter().flat_map(PlanLine::keys).filter(|(key, _)| seen.insert(key.clone())).collect()
}

/// Puts the contents of several files together, by experiment, in the order in which the files name them.
pub fn merge(files: &[Contents]) -> Vec<Merged> {
    let experiments: IndexMap<&String, &Experiment> = files.iter().flat_map(|file| &file.experiments).collect();
    let merged = |(hash, experiment): (&String, &Experiment)| {
        let own = files.iter().flat_map(|file| &file.entries).filter(|entry| entry.experiment == *hash);
        let (mut kept, duplicates) = one_each(own);
        let plans: Vec<&PlanLine> =
            files.iter().flat_map(|file| &file.plans).filter(|plan| plan.experiment == *hash).collect();
        let plan = planned(plans.iter().copied());
        let (mut entries, mut holes) = (Vec::new(), Vec::new());
        for (key, words) in &plan {
            let result = kept.remove(key.as_str());
            let error = result.iter().flatten().find(|entry| entry.is_error());
            match (&result, error) {
                (None, _) => holes.push(words.clone()),
                (Some(_), Some(entry)) => holes.push(format!("{words}: {}", said(entry))),
                (Some(_), None) => {}
            }
            entries.extend(result.into_iter().flatten().cloned());
        }
        // What no plan names comes last.
        entries.extend(kept.into_values().flatten().cloned());
        let experiment = experiment.clone();
        let (planned, plan) = (plan.len(), plans.iter().flat_map(|plan| &plan.units).cloned().collect());
        let files = files.iter().filter(|file| file.experiments.contains_key(hash)).count();
        Merged { experiment, entries, planned, plan, duplicates, holes, files }
    };
    experiments.into_iter().map(merged).collect()
}

fn said(entry: &Entry) -> &str {
    entry.fields.get("error").and_then(serde_json::Value::as_str).unwrap_or("an error")
}

/// The results files of a folder, sorted: those that end in `.jsonl` and hold results.
pub fn files_of(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let fail = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if path.extension().is_some_and(|end| end == "jsonl") && path.is_file() && is_results(&path)? {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn is_results(path: &Path) -> Result<bool, String> {
    use std::io::Read;
    let mut beginning = Vec::new();
    let file = std::fs::File::open(path).and_then(|file| file.take(64).read_to_end(&mut beginning));
    file.map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(beginning.starts_with(b"{\"stepwright\":\"results\""))
}

const LARGEST: u64 = 1 << 30;

pub fn read(path: &Path) -> Result<Contents, String> {
    let text = stepwright_files::read_bytes(path, LARGEST).map_err(|e| format!("{}: {e}", path.display()))?;
    let contents = Contents::read(&text).map_err(|why| format!("{}, {why}", path.display()))?;
    if contents.experiments.is_empty() {
        return Err(format!("{}: it holds no results", path.display()));
    }
    Ok(contents)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::runner::experiment::unit_key;

    /// A file of an experiment with a plan of tasks a to c, and results: task, figure, error.
    fn file(model: &str, results: &[(&str, u64, bool)]) -> Contents {
        let experiment = Experiment::new("run", json!({ "model": model }));
        let plan = PlanLine::new(experiment.hash(), ["a", "b", "c"].map(|task| (json!({}), task.to_owned(), 0)));
        let mut text = format!("{}\n{}\n", experiment.head(), serde_json::to_string(&plan).unwrap());
        for (task, figure, failed) in results {
            let line = json!({"task": task, "figure": figure, "error": failed.then_some("no server")});
            let key = unit_key(&json!({}), task, 0);
            text.push_str(&format!("{}\n", Entry::of_unit(experiment.hash(), &key, &[line]).unwrap()[0].text()));
        }
        Contents::read(text.as_bytes()).unwrap()
    }

    #[test]
    fn shards_are_one_and_doubles_and_holes_are_known() {
        let shards = [
            file("m", &[("b", 1, false), ("a", 1, true), ("b", 2, true)]),
            file("m", &[("a", 2, false), ("a", 3, false)]),
            file("other", &[("a", 9, true)]),
        ];
        let merged = merge(&shards);
        assert_eq!(merged.len(), 2);
        let figures: Vec<(&str, u64)> = merged[0]
            .entries
            .iter()
            .map(|e| (e.fields["task"].as_str().unwrap(), e.fields["figure"].as_u64().unwrap()))
            .collect();
        // A failure never takes the place of a result, and the order is the plan's.
        assert_eq!(figures, [("a", 3), ("b", 1)]);
        assert_eq!(
            (merged[0].planned, merged[0].duplicates, merged[0].holes.as_slice()),
            (3, Duplicates { all: 3, unlike: 1 }, &["c, seed 0".to_owned()][..])
        );
        assert_eq!((merged[0].files, merged[1].files), (2, 1));
        assert_eq!(merged[1].holes, ["a, seed 0: no server", "b, seed 0", "c, seed 0"]);
    }

    #[test]
    fn the_time_it_took_makes_no_other_result() {
        let entry =
            |n: u32, seconds: f64| Entry::of_unit("e", "u", &[json!({"n": n, "seconds": seconds})]).unwrap().remove(0);
        assert_eq!(one_each(&[entry(1, 0.5), entry(1, 0.7)]).1, Duplicates { all: 1, unlike: 0 });
        assert_eq!(one_each(&[entry(1, 0.5), entry(2, 0.5)]).1, Duplicates { all: 1, unlike: 1 });
    }

    #[test]
    fn half_a_unit_does_not_count() {
        let parts = Entry::of_unit("e", "u", &[json!({"n": 1}), json!({"n": 2})]).unwrap();
        let again = [&parts[0], &parts[0], &parts[1]];
        let (kept, duplicates) = one_each(again);
        assert_eq!((kept["u"].len(), duplicates), (2, Duplicates::default()));
        assert!(one_each([&parts[0]]).0.is_empty() && one_each([&parts[1]]).0.is_empty());
    }

    #[test]
    fn a_folder_gives_its_results_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("b.jsonl", &format!("{}\n", Experiment::new("run", json!({})).head()));
        write("notes.jsonl", "{\"my\": \"notes\"}\n");
        write("c.txt", "");
        let files = files_of(folder.path()).unwrap();
        assert_eq!(files, [folder.path().join("b.jsonl")]);
        assert_eq!(merge(&[read(&files[0]).unwrap()]).len(), 1);
        assert!(read(&folder.path().join("notes.jsonl")).unwrap_err().contains("line 1"));
        assert!(files_of(&folder.path().join("none")).is_err());
    }
}
