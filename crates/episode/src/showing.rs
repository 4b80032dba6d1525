//! How the documents of a kind are shown in exports and in the log of records. Which kind is shown how, its owner says.

use serde_json::Value;

use super::artifact::{ArtifactId, ArtifactKind};
use super::decision::Actor;

/// Where exports list the documents of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listed {
    /// With their patches, where they changed.
    Changes,
    /// As what a session learned: where they changed, and once more as they are in the end.
    Learned,
    /// As assertions in force.
    InForce,
}

/// How the documents of a kind are shown. All functions are pure.
#[derive(Debug, Clone, Copy)]
pub struct Showing {
    /// What a document is, for people; `{}` stands for its key.
    pub title: &'static str,
    /// Where exports list it.
    pub listed: Listed,
    /// It, a line each.
    pub lines: fn(&Value) -> Vec<String>,
    /// How it differs from another, a line each.
    pub changes: fn(Option<&Value>, &Value) -> Vec<String>,
    /// A change in a word, typed by a person or not.
    pub word: fn(bool) -> &'static str,
    /// What the patch of a change says on one line, where that says more than its size.
    pub patch: fn(&ArtifactId, &Value, Actor) -> Option<String>,
}

/// How the documents of each kind are shown.
pub type Showings<'a> = &'a dyn Fn(&ArtifactKind) -> &'static Showing;

impl Showing {
    /// Documents that are texts.
    pub const fn new(title: &'static str) -> Self {
        Showing {
            title,
            listed: Listed::Changes,
            lines: text_lines,
            changes: |_, after| text_lines(after),
            word: |typed| if typed { "corrected" } else { "settled" },
            patch: |_, _, _| None,
        }
    }

    /// What a document is, for people.
    pub fn title_of(&self, artifact: &ArtifactId) -> String {
        self.title.replace("{}", &artifact.key)
    }
}

/// Of a text its lines, of another document its JSON.
pub fn text_lines(value: &Value) -> Vec<String> {
    lines(&value.get("text").and_then(Value::as_str).map_or_else(|| value.to_string(), str::to_owned))
}

/// The lines of a text that say something.
pub fn lines(text: &str) -> Vec<String> {
    text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}
