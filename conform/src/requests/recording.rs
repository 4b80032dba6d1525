//! A recorded episode as its file has it, and the texts and templates that lie beside it.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

/// The errors after which an original asks the same again, by how their names begin, and how many tokens fewer it asks for then.
pub(crate) type Repeats = &'static [(&'static str, u32)];

/// Those of most: the service asked to wait, or was silent.
pub(crate) const WAITED: Repeats = &[("RateLimitError", 0), ("APITimeoutError", 0)];

/// A line of a folder's `episodes.jsonl`.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Recorded {
    pub(crate) task: Value,
    pub(crate) calls: Vec<Call>,
    #[serde(default)]
    pub(crate) outcome: Value,
    /// All else that it holds.
    #[serde(flatten)]
    pub(crate) rest: Map<String, Value>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Call {
    pub(crate) purpose: String,
    #[serde(default)]
    pub(crate) api: String,
    pub(crate) params: Map<String, Value>,
    pub(crate) prompt: Option<Text>,
    #[serde(default)]
    pub(crate) messages: Vec<Message>,
    #[serde(default)]
    pub(crate) answers: Vec<Value>,
    /// All else that it holds.
    #[serde(flatten)]
    pub(crate) rest: Map<String, Value>,
}

impl Call {
    /// What it raised, where it gave no answer.
    pub(super) fn raised(&self) -> Option<&str> {
        let note = self.rest.get("note")?.as_str()?;
        (self.answers.is_empty() && note.contains("raised")).then_some(note)
    }

    /// By how many tokens a shorter answer was asked for when the same was asked again, where it was; the product does so below a method.
    pub(super) fn repeated(&self, after: Repeats) -> Option<u32> {
        let note = self.raised()?;
        after.iter().find(|(error, _)| note.contains(&format!("raised {error}"))).map(|(_, fewer)| *fewer)
    }
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Message {
    pub(crate) role: String,
    #[serde(default)]
    pub(crate) content: Text,
    /// Parts known of a text that is not kept.
    #[serde(default)]
    pub(crate) parts: Vec<Value>,
}

/// A text, or parts that are joined without anything between.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Text {
    Whole(String),
    Parts(Vec<Part>),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Part {
    Written(String),
    /// A file of `texts/`.
    Named {
        text: String,
    },
}

impl Default for Text {
    fn default() -> Self {
        Text::Whole(String::new())
    }
}

impl Text {
    /// Whether what is written out of it holds some words.
    pub(crate) fn holds(&self, words: &str) -> bool {
        match self {
            Text::Whole(text) => text.contains(words),
            Text::Parts(parts) => parts.iter().any(|part| matches!(part, Part::Written(text) if text.contains(words))),
        }
    }

    /// The whole text; `folder` holds the named ones.
    pub(crate) fn whole(&self, folder: &Path) -> Result<String, String> {
        match self {
            Text::Whole(text) => Ok(text.clone()),
            Text::Parts(parts) => parts
                .iter()
                .map(|part| match part {
                    Part::Written(text) => Ok(text.clone()),
                    Part::Named { text } => named(folder, text),
                })
                .collect(),
        }
    }
}

fn named(folder: &Path, name: &str) -> Result<String, String> {
    read(&folder.join("texts").join(format!("{name}.txt")))
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// A recorded episode with the folders that it is played from.
pub(crate) struct Recording<'a> {
    /// The folder of all topics, where the worlds' data lie.
    pub(crate) data: &'a Path,
    /// Its own folder.
    pub(crate) folder: &'a Path,
    pub(crate) episode: &'a Recorded,
}

impl Recording<'_> {
    /// A text of the task.
    pub(crate) fn task(&self, key: &str) -> Result<&str, String> {
        self.episode.task[key].as_str().ok_or_else(|| format!("its task has no {key}"))
    }

    /// A file of `texts/`, as a literal of a template.
    pub(crate) fn literal(&self, name: &str) -> Result<String, String> {
        named(self.folder, name).map(|text| Value::from(text).to_string())
    }

    /// A recorded template as one of the product's: a text, with what sets its slots before it. One line end at the file's end is dropped, as the
    /// recordings' renderer does; the product drops one at the end of a text, so one is added.
    pub(crate) fn template(&self, file: &str, slots: &str) -> Result<String, String> {
        let template = read(&self.folder.join("templates").join(file))?;
        Ok(format!(
            "{{{{ role(\"text\") }}}}\n{slots}{}{{{{ \"\\n\" }}}}",
            template.strip_suffix('\n').unwrap_or(&template)
        ))
    }
}
