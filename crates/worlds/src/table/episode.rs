//! Episode: a scene and the requests a person makes one after another, with what each expects.

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::goal::Goal;
use super::judge::Expected;
use super::scene::Scene;

/// The kinds of episodes, in the order they are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, VariantArray, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Domain {
    PickAndPlace,
    /// Blocks get dirty by touching and clean in the disinfector.
    Disinfection,
    /// Blocks' weights are stated in terms of other blocks.
    Weight,
    Cover,
    Cups,
}

impl Domain {
    pub fn name(self) -> &'static str {
        match self {
            Domain::Cups => stepwright_world::CUPS,
            other => other.into(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub query: String,
    /// The kind of request (`put`, `question`, `statement`, `event`, `put_all`, `goal`, `swap`).
    pub kind: String,
    /// Whether it takes something of earlier requests.
    pub temporal: bool,
    pub code: String,
    /// The person's meaning, spelled right, for a writer; where that is written down.
    pub meant: Option<String>,
    /// The relation that the weights are to get, where the solutions are not listed.
    pub goal: Option<Goal>,
    pub expected: Expected,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Episode {
    pub id: String,
    pub domain: Domain,
    pub start: Scene,
    /// The start and the list of objects in the file's own words, where it has them.
    pub texts: Option<[String; 2]>,
    /// The requests, at least one.
    pub requests: Vec<Asked>,
}

impl Episode {
    /// Its description in a sentence: the first request, and how many come after it.
    pub fn sentence(&self) -> String {
        let first = self.requests.first().map_or("", |asked| asked.query.as_str()).trim_end_matches('.');
        match self.requests.len() {
            0 | 1 => first.to_owned(),
            2 => format!("{first} (and another request)"),
            n => format!("{first} (and {} more requests)", n - 1),
        }
    }
}
