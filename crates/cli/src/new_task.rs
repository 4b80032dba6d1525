//! `stepwright new-task`: generates a task.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, Value};

use super::world::WorldName;
use super::{CliError, print, print_json};
use crate::workbench::shell_word;
use stepwright_episode::log;
use stepwright_study::runner::is_output;
use stepwright_world::{GeneratedTask, WorldKind};
use stepwright_worlds::WORLDS;

/// Generates a task.
#[derive(Debug, Args)]
pub(crate) struct NewTask {
    /// The world
    world: WorldName,
    /// The type of task
    #[arg(long = "type", value_name = "TYPE", help = types())]
    kind: Option<String>,
    /// Seed; the same type and seed give the same task
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// File of tasks to append the task to, one JSON object a line; standard output if absent or `-`
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl NewTask {
    pub fn run(self) -> Result<ExitCode, CliError> {
        let GeneratedTask { id, about, line } = self.made()?;
        match self.file() {
            None => print_json(&line)?,
            Some(path) => {
                let (world, path) = (self.world.name(), shell_word(path));
                print(&format!("{id}: {about}\nplay it: stepwright play {world} --data {path} --task {id}\n"))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    fn file(&self) -> Option<&Path> {
        self.out.as_deref().filter(|path| !is_output(path))
    }

    /// The task, in the file where one is named.
    fn made(&self) -> Result<GeneratedTask, CliError> {
        let kind = match (&self.kind, &self.world.kind().generate) {
            (Some(kind), _) => kind.as_str(),
            (None, Some(generator)) => {
                let why = format!("new-task {} needs --type: {}", self.world.name(), generator.types);
                return Err(CliError::Usage(why));
            }
            // A world that makes none says so, whatever the type.
            (None, None) => "",
        };
        let mut made = self.world.kind().generate(kind, self.seed).map_err(CliError::Usage)?;
        made.line.push('\n');
        self.file().map_or(Ok(()), |path| append(self.world, path, &made))?;
        Ok(made)
    }
}

fn types() -> String {
    let of = |kind: &&WorldKind| Some(format!("{}: {}", kind.name, kind.generate?.types));
    WORLDS.iter().filter_map(of).collect::<Vec<_>>().join(". ")
}

/// Adds a task behind those of a file of tasks.
/// Errors: the world reads no tasks from what is there, or that task is there already.
fn append(world: WorldName, path: &Path, made: &GeneratedTask) -> Result<(), CliError> {
    let failed = |e: std::io::Error| CliError::Failed(format!("{}: {e}", path.display()));
    // A pipe or a device holds nothing that could be lost.
    let holds = std::fs::metadata(path).is_ok_and(|there| there.is_file() && there.len() > 0);
    if holds {
        let tasks = match (log::is_ours(path), is_of_lines(path).map_err(failed)?) {
            (true, _) => Err("it holds a session or results".to_owned()),
            // A list, or an object over several lines, which could not be read with a line behind it.
            (false, false) => Err("it does not hold an object a line".to_owned()),
            (false, true) => stepwright_worlds::sources().tasks(world.name(), Some(path)).map_err(|e| e.to_string()),
        };
        let no = |why| format!("{} is no file of tasks of {}: {why}; name another --out", path.display(), world.name());
        let tasks = tasks.map_err(|why| CliError::Usage(no(why)))?;
        if tasks.iter().any(|task| task.id == made.id) {
            let why = format!("{}: {} is in it already; another --seed gives another task", path.display(), made.id);
            return Err(CliError::Usage(why));
        }
    }
    let mut file = OpenOptions::new().create(true).read(holds).append(true).open(path).map_err(failed)?;
    // A last line without an end would be one with what follows.
    let mut text = String::new();
    if holds && !ends(&mut file).map_err(failed)? {
        text.push('\n');
    }
    let before = file.metadata().map_err(failed)?.len();
    file.write_all((text + &made.line).as_bytes()).map_err(|error| {
        // Half a line, as a full disk leaves it, would make a file of all the others that nobody can read.
        let _ = file.set_len(before);
        failed(error)
    })
}

/// Whether the first line that is not empty is an object by itself.
fn is_of_lines(path: &Path) -> std::io::Result<bool> {
    let first =
        BufReader::new(File::open(path)?).lines().find(|line| !line.as_ref().is_ok_and(|l| l.trim().is_empty()));
    let is_object = |line: String| serde_json::from_str::<Map<String, Value>>(&line).is_ok();
    first.transpose().map(|line| line.is_some_and(is_object))
}

/// Whether the last line has its end.
fn ends(file: &mut File) -> std::io::Result<bool> {
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tasks of a file after those of these seeds were made.
    fn appended(world: &str, kind: &str, seeds: &[u64], path: &Path) -> Result<Vec<String>, CliError> {
        let name = WorldName::of(world).unwrap();
        for seed in seeds.iter().copied() {
            NewTask { world: name, kind: Some(kind.to_owned()), seed, out: Some(path.to_owned()) }.made()?;
        }
        let tasks = stepwright_worlds::sources().tasks(world, Some(path))?;
        Ok(tasks.into_iter().map(|task| task.id).collect())
    }

    const WORLDS_AND_TYPES: [(&str, &str); 3] =
        [("household", "place"), ("dialogue", "Museums_1"), ("table", "pick_and_place")];

    #[test]
    fn a_task_is_a_line_of_its_own_behind_one_without_an_end() {
        let folder = tempfile::tempdir().unwrap();
        for (world, kind) in WORLDS_AND_TYPES {
            let path = folder.path().join(format!("{world}.jsonl"));
            assert_eq!(appended(world, kind, &[1, 2], &path).unwrap().len(), 2, "{world}");
            let text = std::fs::read_to_string(&path).unwrap();
            std::fs::write(&path, text.trim_end()).unwrap();
            assert_eq!(appended(world, kind, &[3], &path).unwrap().len(), 3, "{world}");
            let twice = appended(world, kind, &[3], &path).unwrap_err().to_string();
            assert!(twice.contains("is in it already"), "{twice}");
            std::fs::write(&path, "").unwrap();
            assert_eq!(appended(world, kind, &[1], &path).unwrap().len(), 1, "{world}");
        }
    }

    #[test]
    fn what_holds_no_tasks_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let session = include_str!("../../../sessions/solved.jsonl");
        for (world, kind) in WORLDS_AND_TYPES {
            for text in
                [session, "{\"stepwright\":\"results\"}\n", "my notes\n", "{\"some\":\"thing\"}\n", "[]\n", "{\n}\n"]
            {
                std::fs::write(&path, text).unwrap();
                let why = appended(world, kind, &[1], &path).unwrap_err().to_string();
                assert!(why.contains(&format!("is no file of tasks of {world}")), "{why}");
                assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "{world}");
            }
        }
    }
}
