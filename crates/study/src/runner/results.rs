//! Results of a study as they come: appended to a locked file or printed, those that were there read back.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::json;
use stepwright_files::Lines;

use super::experiment::Experiment;
use super::lines::{Contents, Entry, PlanLine, Planned};
use super::merge::{one_each, planned};
use super::shard::Shard;
use super::{Study, Unit, units};
use stepwright_text::sanitize;

/// The error where results are printed and nobody reads them any more.
pub const CLOSED: &str = "nobody reads the results any more";

#[derive(Debug)]
enum Sink {
    /// Nowhere: they are tabulated and forgotten.
    Nowhere,
    Printed,
    File(Lines),
    /// A file that is written to as one: a pipe, `/dev/null`.
    Device(File),
}

/// The results of a study: what its file held of the experiment, then what this run adds.
#[derive(Debug)]
pub struct Results {
    sink: Sink,
    name: String,
    experiment: Experiment,
    entries: Vec<Entry>,
    pub others: Vec<Experiment>,
    /// The units that the experiment has, those of this run and of earlier ones.
    pub planned: Vec<Planned>,
}

impl Results {
    /// Opens or makes the file, if one is named, with its folder, and locks it until this process ends. In a folder a new file is made, `-` and
    /// `/dev/stdout` print, what is no file (`/dev/null`, a pipe) is written to. What was half written by a process that was killed is
    /// cut off; the experiment and the plan are added where the file does not have them.
    pub fn open<S: Study>(out: Option<&Path>, study: &S, experiment: Experiment, shard: Shard) -> Result<Self, String> {
        let mut plan = PlanLine::new(experiment.hash(), units(study).iter().map(|unit| unit.described(study)));
        let (sink, name, contents) = match out.map(|path| Place::of(path, shard)) {
            None => (Sink::Nowhere, String::new(), Contents::default()),
            Some(Place::Output) => (Sink::Printed, "standard output".to_owned(), Contents::default()),
            Some(Place::Device(path)) => {
                let file =
                    OpenOptions::new().write(true).open(&path).map_err(|e| format!("{}: {e}", path.display()))?;
                (Sink::Device(file), path.display().to_string(), Contents::default())
            }
            Some(Place::File(path)) => {
                let (file, contents) = locked(&path).map_err(|why| format!("{}: {why}", path.display()))?;
                (Sink::File(file), path.display().to_string(), contents)
            }
        };
        let (own, others): (Vec<_>, Vec<_>) =
            contents.experiments.into_values().partition(|known| known.hash() == experiment.hash());
        if let Some(other) = others.iter().find(|other| other.study() != experiment.study()) {
            return Err(format!("{name}: it holds results of `{}`; name another file", other.study()));
        }
        let entries = contents.entries.into_iter().filter(|entry| entry.experiment == experiment.hash()).collect();
        let mut results = Results { sink, name, experiment, entries, others, planned: Vec::new() };
        if own.is_empty() {
            let head = results.experiment.head();
            results.write(&head)?;
        }
        let plans: Vec<&PlanLine> =
            contents.plans.iter().filter(|plan| plan.experiment == results.experiment.hash()).collect();
        let known = planned(plans.iter().copied());
        let known: BTreeSet<&str> = known.iter().map(|(key, _)| key.as_str()).collect();
        let new = |unit: &&Unit<S::Condition>| !known.contains(unit.key.as_str());
        plan.units = PlanLine::new("", units(study).iter().filter(new).map(|unit| unit.described(study))).units;
        if !plan.units.is_empty() {
            results.write(&plan)?;
        }
        results.planned = plans.iter().flat_map(|known| &known.units).chain(&plan.units).cloned().collect();
        Ok(results)
    }

    pub fn experiment(&self) -> &Experiment {
        &self.experiment
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn are_printed(&self) -> bool {
        matches!(self.sink, Sink::Printed)
    }

    /// Keeps the lines of a unit. They are written at once, so that no other line comes between them.
    /// Errors: in words; also where the file was lost, and all results of the experiment are in another from here on.
    pub fn add<L: Serialize>(&mut self, unit: &str, lines: &[L]) -> Result<(), String> {
        let entries = Entry::of_unit(self.experiment.hash(), unit, lines)?;
        let moved = self.write_text(&texts(&entries))?;
        self.entries.extend(entries);
        moved.map_or(Ok(()), Err)
    }

    /// Those of the units that have no result yet. A result that is an error does not count.
    pub fn open_units<C>(&self, mut units: Vec<Unit<C>>) -> Vec<Unit<C>> {
        let (kept, _) = one_each(&self.entries);
        let done: BTreeSet<&str> =
            kept.iter().filter(|(_, lines)| !lines.iter().any(|l| l.is_error())).map(|(key, _)| *key).collect();
        units.retain(|unit| !done.contains(unit.key.as_str()));
        units
    }

    /// The lines of the experiment, the newest result of each unit: first those of these units in their order, then others.
    pub fn latest<C>(&self, units: &[Unit<C>]) -> Vec<&Entry> {
        let (mut kept, _) = one_each(&self.entries);
        let mut lines: Vec<&Entry> = units.iter().filter_map(|unit| kept.remove(unit.key.as_str())).flatten().collect();
        lines.extend(kept.into_values().flatten());
        lines
    }

    fn write(&mut self, line: &impl Serialize) -> Result<(), String> {
        let text = serde_json::to_string(line).map_err(|e| e.to_string())?;
        self.write_text(&(text + "\n"))?.map_or(Ok(()), Err)
    }

    /// Writes lines; where they are instead, if the file was lost.
    fn write_text(&mut self, text: &str) -> Result<Option<String>, String> {
        let written = match &mut self.sink {
            Sink::Nowhere => Ok(None),
            Sink::Printed => {
                let mut out = std::io::stdout().lock();
                out.write_all(sanitize::json(text).as_bytes()).and_then(|()| out.flush()).map(|()| None)
            }
            Sink::File(lines) => {
                let all = || {
                    let mut plan = PlanLine::new(self.experiment.hash(), []);
                    plan.units.clone_from(&self.planned);
                    format!("{}\n{}\n{}", self.experiment.head(), json!(plan), texts(&self.entries)).into_bytes()
                };
                lines.keep_or_move(text.as_bytes().to_vec(), "all results of this experiment", all)
            }
            Sink::Device(file) => file.write_all(text.as_bytes()).map(|()| None),
        };
        let moved = written.map_err(|e| match (&self.sink, e.kind()) {
            (Sink::Printed, ErrorKind::BrokenPipe) => CLOSED.to_owned(),
            _ => format!("{}: {e}", self.name),
        });
        Ok(moved?.map(|words| format!("{}: {words}", self.name)))
    }
}

fn texts(entries: &[Entry]) -> String {
    entries.iter().map(|entry| entry.text() + "\n").collect()
}

/// Whether a file that is named is standard output.
pub fn is_output(path: &Path) -> bool {
    path.as_os_str() == "-" || path == Path::new("/dev/stdout")
}

enum Place {
    Output,
    Device(PathBuf),
    File(PathBuf),
}

impl Place {
    fn of(path: &Path, shard: Shard) -> Self {
        if is_output(path) {
            return Place::Output;
        }
        let names_folder = path.as_os_str().to_string_lossy().ends_with(std::path::MAIN_SEPARATOR);
        if names_folder && std::fs::create_dir_all(path).is_ok() {
            return Place::File(path.join(shard.file_name()));
        }
        match std::fs::metadata(path) {
            Ok(there) if there.is_dir() => Place::File(path.join(shard.file_name())),
            Ok(there) if !there.is_file() => Place::Device(path.to_owned()),
            _ => Place::File(path.to_owned()),
        }
    }
}

/// Opens a file for appending, alone, and reads what it holds. What was half written is cut off before the first line is added.
fn locked(path: &Path) -> Result<(Lines, Contents), String> {
    let folder = path.parent().unwrap_or(Path::new(""));
    if path.components().next().is_some_and(|first| first.as_os_str() == "~") {
        return Err(
            "`~` is your home folder to the shell alone, which leaves it in `--out=~/…`: write `--out ~/…`".to_owned()
        );
    }
    std::fs::create_dir_all(folder).map_err(|e| format!("its folder cannot be made: {e}"))?;
    let handle = Lines::lock(path, true).map_err(|error| match error.kind() {
        ErrorKind::WouldBlock => {
            "another process is writing it; wait for that, or give each process a file of its own".to_owned()
        }
        _ => error.to_string(),
    })?;
    let mut text = Vec::new();
    handle.reader().read_to_end(&mut text).map_err(|e| e.to_string())?;
    let contents = Contents::read(&text)?;
    let mut lines = Lines::after(handle, contents.whole as u64);
    lines.trim().map_err(|e| e.to_string())?;
    Ok((lines, contents))
}
