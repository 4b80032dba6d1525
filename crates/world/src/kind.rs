//! Parts of a world's entry in the list beside its functions: the files that ship, a person's own data, agents and generators.

use std::path::Path;
use std::sync::Arc;

use super::demonstration::Demonstration;
use crate::planner::Agent;
use stepwright_episode::{Action, Header};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShippedFile {
    /// Its name (`domain.toml`).
    pub name: &'static str,
    pub path: &'static str,
    pub text: &'static str,
}

/// Tasks from a person's own files: the setting `data.NAME`, the flag `--data`.
#[derive(Debug, Clone, Copy)]
pub struct DataSpec {
    /// The files in words (`kitchen scenes: a scene file, or a folder of them`).
    pub about: &'static str,
    /// The environment variable that names them.
    pub env: &'static str,
    /// Whether such files lie at a path, as far as a quick look shows.
    pub lies_at: fn(&Path) -> bool,
    /// Whether the setting `data.demonstrations` is of this world.
    pub demonstrations: bool,
}

#[derive(Debug, Clone, Copy)]
pub struct Generator {
    /// The types of task there are, for help (`pick_and_place, disinfection, weight, cover`).
    pub types: &'static str,
    /// A task of a type, by a seed. Fails on an unknown type, naming those there are.
    pub make: fn(&str, u64) -> Result<GeneratedTask, String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedTask {
    pub id: String,
    pub about: String,
    /// The task as a line of JSON, which the world's loader reads.
    pub line: String,
}

/// Makes the agent of a world from demonstrations, and from nothing else.
pub type Learn = fn(&[Demonstration]) -> Arc<dyn Agent>;

/// Makes the agent of a world for the task that a session's header names, from the demonstrations given for it and from what ships.
pub type LearnFor = fn(&Header, &[Demonstration]) -> Arc<dyn Agent>;

/// Actions of several lines, as people edit and type them.
#[derive(Debug, Clone, Copy)]
pub struct Lines {
    /// The text in which an action is edited.
    pub edited: fn(&Action) -> String,
    /// How one is written, in a line.
    pub example: &'static str,
}
