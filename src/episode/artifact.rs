//! Artifacts: what is written in an episode and is no action, such as a plan, a belief, a program, an edited blocking tree.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A kind of artifact. Kinds are open: a method may have one of its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum ArtifactKind {
    /// The world's state as a model maintains it.
    Belief,
    /// A plan whose lines are offered one at a time.
    Plan,
    /// A program that was run, with the calls it came to.
    Program,
    /// Another kind, by its identifier.
    Other(String),
}

/// The kinds that have a variant, and their identifiers.
const KNOWN: [(ArtifactKind, &str); 3] =
    [(ArtifactKind::Belief, "belief"), (ArtifactKind::Plan, "plan"), (ArtifactKind::Program, "program")];

impl ArtifactKind {
    /// The identifier (`belief`).
    pub fn id(&self) -> &str {
        match self {
            ArtifactKind::Other(id) => id,
            known => KNOWN.iter().find(|(kind, _)| kind == known).map_or("", |(_, id)| id),
        }
    }
}

impl From<String> for ArtifactKind {
    fn from(id: String) -> Self {
        let known = KNOWN.into_iter().find(|(_, known)| *known == id);
        known.map_or(ArtifactKind::Other(id), |(kind, _)| kind)
    }
}

impl From<ArtifactKind> for String {
    fn from(kind: ArtifactKind) -> Self {
        kind.id().to_owned()
    }
}

impl fmt::Display for ArtifactKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}
