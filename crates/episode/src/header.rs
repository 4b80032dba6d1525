//! Header: a session's subject, the first line of its log.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The subject of a session: the log's first line.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Header {
    /// Always `session`; the file's kind.
    pub stepwright: String,
    /// Format version of the log; this program reads [`FORMAT_VERSION`] and older.
    pub version: u32,
    /// The program's version that wrote it.
    pub program: String,
    /// Unix time in milliseconds of its creation.
    pub created: u64,
    /// The world's name (`household`).
    pub world: String,
    /// What a world in another process calls itself, with its version (`Counting 7`).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub world_version: String,
    /// Options of the world (`edition`) and of the method at the start (`shots`, `think`, `assertions`) that change what
    /// happens.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// Where the task comes from: `shipped`, or the path given as `--data`.
    pub data: String,
    /// The person's own demonstrations, where some were given in place of those of the data: their path.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub demonstrations: String,
    /// The task's id.
    pub task: String,
    /// The goal as stated to the agent.
    pub sentence: String,
    /// The service that it is about, in worlds where each has a specification of its own; else empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub service: String,
    /// The world's seed.
    pub seed: u64,
    /// The method's name at the start.
    pub method: String,
    /// Its own version, of one in another process that states it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub method_version: String,
    /// What the operating system held code to that the method runs (`landlock (version 6) and seccomp`), where it runs any.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sandbox: String,
    /// The model's name at the start.
    pub model: String,
    /// The specification the programs run against, whole, so that the session reads without the program's files.
    pub specification: String,
    /// How the trajectory opens: function, comment, set-up lines.
    pub opening: Vec<String>,
}

/// Format version of the log written by this program.
pub const FORMAT_VERSION: u32 = 3;
