//! Kinds of documents. Each is registered beside what it belongs to, as an [`ArtifactSpec`]: its title, how it is read, checked and shown,
//! and what the gate does about it. Everything else asks the list for the spec ([`super::Methods::artifact`]): the driver, exports, the workbench.
//! A new kind is one spec and its line in that list.

use serde::Deserialize;
use serde_json::Value;

use super::derived::DerivedState;
use super::program_context::ProgramContext;
use stepwright_episode::gate::{Conduct, Follows};
use stepwright_episode::showing::{Listed, Showing};
use stepwright_episode::{ArtifactId, Assertions, Session, action_of_effects};
use stepwright_precondition::CandidateEdit;
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
    /// How the gate treats it.
    pub conduct: Conduct,
    /// How it is shown.
    pub showing: Showing,
    /// Reads what a person typed.
    pub read: fn(&At<'_>, &ArtifactId, &str) -> Read,
    /// Whether it can be in force at the cursor; `null` is none. Errors say why not.
    pub check: fn(&At<'_>, &ArtifactId, &Value) -> Result<(), String>,
    /// The message once it is in force, if any.
    pub told: fn(&ArtifactId, &Value) -> Option<String>,
}

impl ArtifactSpec {
    /// A kind of texts that wait for a decision and always fit.
    pub const fn new(id: &'static str, showing: Showing) -> Self {
        ArtifactSpec {
            id,
            conduct: Conduct::USUAL,
            showing,
            read: |_, _, typed| text("text", typed, "it is empty; write it, or refuse it"),
            check: |_, _, _| Ok(()),
            told: |_, _| None,
        }
    }
}

/// What a person changed of the candidates of the action that is the key: an array of [`CandidateEdit`]s.
pub static CANDIDATES: ArtifactSpec = ArtifactSpec {
    conduct: Conduct { waits: false, follows: Follows::Nothing },
    ..ArtifactSpec::new(
        "candidates",
        Showing {
            word: |_| "candidate",
            patch: |artifact, patch, _| {
                let edit = CandidateEdit::deserialize(patch.pointer("/0/value")?).ok()?;
                Some(edit.in_words(&artifact.key))
            },
            ..Showing::new("candidates of {}")
        },
    )
};

/// How many assertions or effects a set has, and of which action.
fn counted(set: &Assertions) -> (String, &str) {
    match action_of_effects(&set.action) {
        Some(action) => (count(set.assertions.len(), "effect"), action),
        None => (count(set.assertions.len(), "assertion"), &set.action),
    }
}

/// The assertions in force for the action function that is the key, or its effects: `{"assertions": […], "origin": …}`.
pub static ASSERTIONS: ArtifactSpec = ArtifactSpec {
    conduct: Conduct { follows: Follows::Checks, waits: false },
    check: |at, artifact, value| match value {
        Value::Null => Ok(()),
        _ => at.program.clone().adopt(&Assertions::of(artifact, value).ok_or("this is no set of assertions")?),
    },
    told: |artifact, value| {
        let set = Assertions::of(artifact, value)?;
        let (count, action) = counted(&set);
        Some(format!("{count} in force for {action}"))
    },
    ..ArtifactSpec::new(
        "assertions",
        Showing {
            listed: Listed::InForce,
            word: |_| "adopted",
            patch: |artifact, patch, _| {
                let set = Assertions::of(artifact, patch.pointer("/0/value")?)?;
                let (count, action) = counted(&set);
                let listed =
                    if set.assertions.is_empty() { String::new() } else { format!(": {}", set.assertions.join("; ")) };
                Some(format!("{count} for {action} ({}){listed}", set.origin))
            },
            ..Showing::new("assertions for {}")
        },
    )
};

/// A text that may not be empty, as the document that holds it under that name.
pub fn text(name: &str, text: &str, empty: &str) -> Read {
    match text.trim() {
        "" => Err(empty.to_owned()),
        text => Ok((serde_json::json!({ name: text }), None)),
    }
}
