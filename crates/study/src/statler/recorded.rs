//! Recorded outputs of the publication's models, judged request by request: the episodes they were made for, and the runs.
//!
//! Judged by the corrected gold where the published one is a slip, as live episodes are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::groups::Group;
use super::outputs::Output;
use super::paper::RECORDED;
use super::scores::{Outcome, Played};
use crate::recordings::{document, each_line, json_files, jsonl_files};
use stepwright_worlds::table::{Expected, Move, is_right};

#[derive(Debug, Deserialize)]
pub struct Episode {
    pub id: String,
    pub domain: String,
    pub index: u64,
    objects: Vec<String>,
    #[serde(default)]
    objects_used_but_not_declared: Vec<String>,
    steps: Vec<Asked>,
}

#[derive(Debug, Deserialize)]
pub struct Asked {
    query: String,
    #[serde(default)]
    temporal: bool,
    #[serde(default)]
    pub gold_code: String,
    gold_moves: Vec<Move>,
    gold_moves_corrected: Option<Vec<Move>>,
    #[serde(default)]
    gold_say: Vec<String>,
    gold_say_corrected: Option<Vec<String>>,
}

impl Episode {
    pub fn objects(&self) -> Vec<String> {
        self.objects.iter().chain(&self.objects_used_but_not_declared).cloned().collect()
    }

    /// The request of a number, from 0, if it is the one that a run answered.
    pub fn asked(&self, number: usize, query: &str) -> Option<&Asked> {
        self.steps.get(number).filter(|asked| asked.query == query)
    }
}

impl Asked {
    pub fn outcome(&self, output: &Output, objects: &[String]) -> Outcome {
        let moves = self.gold_moves_corrected.as_ref().unwrap_or(&self.gold_moves);
        let say = self.gold_say_corrected.as_ref().unwrap_or(&self.gold_say);
        let expected = Expected { moves: moves.clone(), say: say.clone(), ..Expected::default() };
        Outcome { right: is_right(&output.moves, &output.say, &expected, objects), temporal: self.temporal }
    }
}

#[derive(Debug, Deserialize)]
struct Run {
    id: String,
    method: String,
    steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
struct Step {
    query: String,
    generated: String,
}

/// The files of a folder that hold episodes of a number of requests.
pub fn episode_files(folder: &Path) -> Vec<PathBuf> {
    json_files(folder, "episodes_")
}

#[derive(Debug, Default)]
pub struct Recorded {
    /// Each method in each domain, in the order of the recordings.
    pub groups: Vec<Group>,
    /// Requests of runs that no episode has; they are not judged, nor what comes after them.
    pub unknown: usize,
}

/// Reads and judges the recorded runs of a folder, or of the folder `statler` in it.
pub fn read(folder: &Path) -> Result<Recorded, String> {
    let below = folder.join("statler");
    let folder = if jsonl_files(&below, "recorded_runs").is_empty() { folder } else { &below };
    let files = jsonl_files(folder, "recorded_runs");
    if files.is_empty() {
        return Err(format!(
            "{}: no recorded_runs*.jsonl here; name the folder with the recorded outputs and their episodes_*.json",
            folder.display()
        ));
    }
    let mut episodes: BTreeMap<String, Episode> = BTreeMap::new();
    for file in episode_files(folder) {
        let list: Vec<Episode> = document(&file)?;
        episodes.extend(list.into_iter().map(|episode| (episode.id.clone(), episode)));
    }
    let mut recorded = Recorded::default();
    let mut wrong = None;
    for file in files {
        each_line(&file, |at, line: Result<Run, String>| {
            let added = line.and_then(|run| recorded.add(&run, &episodes));
            wrong = wrong.take().or_else(|| added.err().map(|e| format!("{}: {at}: {e}", folder.display())));
        });
    }
    wrong.map_or(Ok(recorded), Err)
}

impl Recorded {
    fn add(&mut self, run: &Run, episodes: &BTreeMap<String, Episode>) -> Result<(), String> {
        let episode = episodes.get(&run.id);
        let episode =
            episode.ok_or_else(|| format!("its episode {} is in no episodes_*.json of the folder", run.id))?;
        let objects = episode.objects();
        let mut played = Played { episode: run.id.clone(), outcomes: Vec::new(), of: run.steps.len() };
        for (number, step) in run.steps.iter().enumerate() {
            let Some(asked) = episode.asked(number, &step.query) else {
                self.unknown += run.steps.len() - number;
                break;
            };
            played.outcomes.push(asked.outcome(&Output::read(&step.generated), &objects));
        }
        // The program's own names of methods have hyphens.
        Group::of(&mut self.groups, &episode.domain, &run.method.replace('_', "-"), RECORDED).played.push(played);
        Ok(())
    }
}
