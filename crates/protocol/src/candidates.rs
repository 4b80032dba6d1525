//! Commands of the candidate service: a person's actions on candidate preconditions and sets of assertions.

use std::path::PathBuf;

use stepwright_precondition::{AdoptedSet, CandidateAsks, CandidateOrigin, Occasion, Ranking};

/// A watcher's command to the candidate service. Actions are meant by their function's name (`take`).
#[derive(Debug, Clone, PartialEq)]
pub enum CandidateCommand {
    /// Generate, validate and rank candidate preconditions.
    Infer {
        /// The action; all for `None`.
        action: Option<String>,
        /// From the enumerator or from the model in use.
        origin: CandidateOrigin,
    },
    /// Look at an expression as it is being typed, or at a candidate of that text: validity, |C|, relations, what it newly
    /// excludes. Answered by [`Notice::CandidateChecked`](crate::Notice::CandidateChecked), nothing is kept.
    Try {
        token: u64,
        action: String,
        text: String,
    },
    /// Show a demonstration step with the values of these expressions there; answered by
    /// [`Notice::StepShown`](crate::Notice::StepShown).
    ShowStep {
        token: u64,
        action: String,
        /// The step, with the action's arguments.
        place: Occasion,
        texts: Vec<String>,
    },
    /// Show a step where two expressions differ; answered by [`Notice::StepShown`](crate::Notice::StepShown).
    ShowDifference {
        token: u64,
        action: String,
        one: String,
        other: String,
    },
    /// Set two sets side by side; answered by [`Notice::SetsCompared`](crate::Notice::SetsCompared).
    Compare {
        token: u64,
        left: SetSource,
        /// The right one; taken as the truth in Equation (2).
        right: SetSource,
    },
    /// Write what is in force to a file; a file that is there is replaced.
    SaveSet(PathBuf),
    /// Put a whole set in force; actions it does not name stay as they are.
    AdoptSet {
        origin: String,
        set: AdoptedSet,
    },
    /// Have the model in use score an action's valid candidates as continuations of the prompt for candidates.
    Score {
        action: String,
    },
    SetAsks(CandidateAsks),
    /// Put these assertions in force for an action; proposals at the cursor are checked again.
    Adopt {
        action: String,
        assertions: Vec<String>,
        origin: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetSource {
    InForce,
    /// The specification's own assertions, as they were written.
    Specification,
    /// The data's true assertions, where it has such.
    Truth,
    /// The suggestion from the candidates so far, by one of the two rankings.
    Inferred(Ranking),
    /// A file; actions that it does not name stay as they are in force.
    File(PathBuf),
    Given(String, AdoptedSet),
}

impl SetSource {
    pub fn name(&self) -> String {
        match self {
            SetSource::InForce => "in force".to_owned(),
            SetSource::Specification => "specification".to_owned(),
            SetSource::Truth => "ground truth".to_owned(),
            SetSource::Inferred(ranking) => format!("suggested, {}", ranking.name()),
            SetSource::File(path) => path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned()),
            SetSource::Given(name, _) => name.clone(),
        }
    }
}
