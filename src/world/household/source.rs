//! Where tasks come from: a file or folder of games, read on first use.
//!
//! Finds and labels tasks; making one ready to play is `game.rs`'s business.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::game::Game;
use super::load_compact::{self, Label};
use crate::world::{TaskInfo, WorldError};

/// One game, not yet built.
#[derive(Debug, Clone)]
struct Entry {
    info: TaskInfo,
    json: String,
}

/// The tasks of a source.
#[derive(Debug, Clone, Default)]
pub struct Source {
    entries: Vec<Entry>,
}

impl Source {
    /// Reads compact JSON lines.
    ///
    /// # Errors
    /// [`WorldError::Data`] naming the line that is no game.
    pub fn from_lines(text: &str, origin: &str) -> Result<Source, WorldError> {
        let mut entries = Vec::new();
        for (i, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
            let label: Label = serde_json::from_str(line).map_err(|e| WorldError::Data {
                path: format!("{origin}:{}", i + 1),
                message: load_compact::describe(&e),
            })?;
            let info =
                TaskInfo { id: label.id, kind: label.task_type, sentence: label.task, source: origin.to_owned() };
            entries.push(Entry { info, json: line.to_owned() });
        }
        Ok(Source { entries })
    }

    /// Reads a `.jsonl` or `.jsonl.gz` file of games.
    ///
    /// # Errors
    /// [`WorldError::Data`] if it cannot be read.
    pub fn open(path: &Path) -> Result<Source, WorldError> {
        let data = |message: String| WorldError::Data { path: path.display().to_string(), message };
        let bytes = std::fs::read(path).map_err(|e| data(e.to_string()))?;
        let mut text = String::new();
        if path.extension().is_some_and(|e| e == "gz") {
            flate2::read::GzDecoder::new(bytes.as_slice())
                .read_to_string(&mut text)
                .map_err(|e| data(e.to_string()))?;
        } else {
            text = String::from_utf8(bytes).map_err(|e| data(e.to_string()))?;
        }
        Source::from_lines(&text, &path.display().to_string())
    }

    /// The tasks, in file order.
    pub fn tasks(&self) -> Vec<TaskInfo> {
        self.entries.iter().map(|e| e.info.clone()).collect()
    }

    /// Makes a task ready to play.
    ///
    /// # Errors
    /// [`WorldError::NoSuchTask`], or [`WorldError::Data`] if the game contradicts itself.
    pub fn game(&self, id: &str) -> Result<Game, WorldError> {
        let entry = self
            .entries
            .iter()
            .find(|e| e.info.id == id)
            .ok_or_else(|| WorldError::NoSuchTask { id: id.to_owned(), nearest: Vec::new() })?;
        load_compact::game(&entry.json).map_err(|message| WorldError::Data {
            path: PathBuf::from(&entry.info.source).display().to_string(),
            message,
        })
    }
}
