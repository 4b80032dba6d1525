//! Loader of games in the compact JSON layout (one object a line, or one object a file).

use serde::Deserialize;

use super::definition::Definition;

/// The fields of a game line that name it; the rest is skipped.
#[derive(Debug, Deserialize)]
pub(crate) struct Label {
    pub id: String,
    #[serde(default)]
    pub task_type: String,
    pub task: String,
}

/// Keys of a game; other JSON that may lie beside games has one of them at most.
pub const OWN: [&str; 4] = ["start", "receptacles", "objects", "goal"];

pub fn definition(json: &str) -> Result<Definition, String> {
    serde_json::from_str(json).map_err(|e| describe(&e))
}

/// serde's complaint without the line number (the caller knows the file's line).
pub fn describe(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let at = text.rfind(" at line ").unwrap_or(text.len());
    let (what, _) = text.split_at(at);
    format!("{what} (column {}); one game definition a line is expected", error.column())
}
