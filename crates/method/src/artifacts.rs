//! Kinds of documents. Each is registered beside what it belongs to, as an [`ArtifactSpec`]: its title, how it is read, checked and shown,
//! and what the gate does about it. Everything else asks for the spec ([`super::artifact`]): the driver, exports, the workbench. A new
//! kind is one spec and its line in the crate's list.

use serde_json::Value;

use super::derived::DerivedState;
use super::program_context::ProgramContext;
use stepwright_episode::gate::{Conduct, Follows};
use stepwright_episode::{ArtifactId, Assertions, Session};
use stepwright_text::words::count;
use stepwright_world::World;

#[derive(Clone, Copy)]
pub struct At<'a> {
    pub session: &'a Session,
    pub world: &'a dyn World,
    pub program: &'a ProgramContext,
    /// The derived states as they were on arriving there, without a person's changes made there.
    pub arrived: &'a [Box<dyn DerivedState>],
}

/// A document as it was read from a text, and what had to be mended for that, in words.
pub type Read = Result<(Value, Option<String>), String>;

/// A kind of documents. All functions are pure.
#[derive(Debug)]
pub struct ArtifactSpec {
    pub id: &'static str,
    /// Its name for people; `{}` stands for its key.
    pub title: &'static str,
    pub conduct: Conduct,
    /// Whether it is what a session learned, listed as such in exports.
    pub learned: bool,
    pub read: fn(&At<'_>, &ArtifactId, &str) -> Read,
    /// Whether it can be in force at the cursor; `null` is none. Errors say why not.
    pub check: fn(&At<'_>, &ArtifactId, &Value) -> Result<(), String>,
    /// The message once it is in force, if any.
    pub told: fn(&ArtifactId, &Value) -> Option<String>,
    pub lines: fn(&Value) -> Vec<String>,
    /// How it differs from another, a line each.
    pub changes: fn(Option<&Value>, &Value) -> Vec<String>,
}

impl ArtifactSpec {
    /// A kind of texts that wait for a decision and always fit.
    pub(crate) const fn new(id: &'static str, title: &'static str) -> Self {
        ArtifactSpec {
            id,
            title,
            conduct: Conduct::USUAL,
            learned: false,
            read: |_, _, typed| text("text", typed, "it is empty; write it, or refuse it"),
            check: |_, _, _| Ok(()),
            told: |_, _| None,
            lines: text_lines,
            changes: |_, after| text_lines(after),
        }
    }

    pub fn title_of(&self, artifact: &ArtifactId) -> String {
        self.title.replace("{}", &artifact.key)
    }
}

/// The assertions in force for the action function that is the key: `{"assertions": […], "origin": …}`.
pub(crate) static ASSERTIONS: ArtifactSpec = ArtifactSpec {
    conduct: Conduct { follows: Follows::Checks, waits: false },
    check: |at, artifact, value| match value {
        Value::Null => Ok(()),
        _ => at.program.clone().adopt(&Assertions::of(artifact, value).ok_or("this is no set of assertions")?),
    },
    told: |artifact, value| {
        let set = Assertions::of(artifact, value)?;
        Some(format!("{} in force for {}", count(set.assertions.len(), "assertion"), set.action))
    },
    ..ArtifactSpec::new("assertions", "assertions for {}")
};

/// A text that may not be empty, as the document that holds it under that name.
pub(crate) fn text(name: &str, text: &str, empty: &str) -> Read {
    match text.trim() {
        "" => Err(empty.to_owned()),
        text => Ok((serde_json::json!({ name: text }), None)),
    }
}

/// Of a text its lines, of another document its JSON.
pub(crate) fn text_lines(value: &Value) -> Vec<String> {
    lines(&value.get("text").and_then(Value::as_str).map_or_else(|| value.to_string(), str::to_owned))
}

pub(crate) fn lines(text: &str) -> Vec<String> {
    text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}
