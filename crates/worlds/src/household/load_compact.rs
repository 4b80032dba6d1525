//! Loader of games in the compact JSON layout (one object a line, or one object a file).

use serde::Deserialize;
use serde_json::Value;

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
const OWN: [&str; 4] = ["start", "receptacles", "objects", "goal"];

/// Whether a line has the form of a game, though a field of it may be missing or wrong.
/// Errors: it is no JSON, so that nobody can tell what it was to be.
pub fn is_game(line: &str) -> Result<bool, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| {
        let (what, column) = without_place(&error);
        format!("no JSON: {what} (column {column}); correct the line, or take the file out of the folder")
    })?;
    Ok(OWN.iter().filter(|key| value.get(**key).is_some()).count() > 1)
}

pub fn definition(json: &str) -> Result<Definition, String> {
    serde_json::from_str(json).map_err(|e| describe(&e))
}

/// serde's complaint without the line number (the caller knows the file's line).
pub fn describe(error: &serde_json::Error) -> String {
    let (what, column) = without_place(error);
    format!("{what} (column {column}); one game definition a line is expected")
}

fn without_place(error: &serde_json::Error) -> (String, usize) {
    let mut text = error.to_string();
    text.truncate(text.rfind(" at line ").unwrap_or(text.len()));
    (text, error.column())
}
