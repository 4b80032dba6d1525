//! Commands of the candidate service: a person's actions on candidate preconditions and sets of assertions.

use std::path::PathBuf;

use stepwright_method::precondition::{AdoptedSet, CandidateAsks, CandidateOrigin, Occasion, Ranking};

/// What a watcher asks of the candidate service. Actions are meant by their function's name (`take`).
#[derive(Debug, Clone, PartialEq)]
pub enum CandidateCommand {
    /// Generate, validate and rank candidate preconditions.
    Infer {
        /// The action; all for `None`.
        action: Option<String>,
        /// From the enumerator or from the model in use.
        origin: CandidateOrigin,
    },
    /// Add or replace a candidate by a person's text; validated at once, answered by [`Notice::Pool`](crate::Notice::Pool).
    Put {
        /// The action.
        action: String,
        /// The candidate edited; `None` adds one.
        id: Option<usize>,
        /// The expression.
        text: String,
    },
    /// Look at an expression as it is being typed, or at a candidate of that text: validity, |C|, relations, what it newly
    /// excludes. Answered by [`Notice::CandidateChecked`](crate::Notice::CandidateChecked), nothing is kept.
    Try {
        /// Echoed in the answer.
        token: u64,
        /// The action.
        action: String,
        /// The expression.
        text: String,
    },
    /// Mark a candidate rejected or not.
    Reject {
        /// The action.
        action: String,
        /// The candidate.
        id: usize,
        /// Rejected or restored.
        rejected: bool,
    },
    /// Take back the last change a person made to an action's candidates or to what is in force for it.
    Undo {
        /// The action.
        action: String,
    },
    /// Make the change again that was last taken back.
    Redo {
        /// The action.
        action: String,
    },
    /// Show a demonstration step with the values of these expressions there; answered by
    /// [`Notice::StepShown`](crate::Notice::StepShown).
    ShowStep {
        /// Echoed in the answer.
        token: u64,
        /// The action.
        action: String,
        /// The step, with the action's arguments.
        place: Occasion,
        /// The expressions.
        texts: Vec<String>,
    },
    /// Show a step where two expressions differ; answered by [`Notice::StepShown`](crate::Notice::StepShown).
    ShowDifference {
        /// Echoed in the answer.
        token: u64,
        /// The action.
        action: String,
        /// One expression.
        one: String,
        /// The other.
        other: String,
    },
    /// Set two sets side by side; answered by [`Notice::SetsCompared`](crate::Notice::SetsCompared).
    Compare {
        /// Echoed in the answer.
        token: u64,
        /// The left one.
        left: SetSource,
        /// The right one; taken as the truth in Equation (2).
        right: SetSource,
    },
    /// Write what is in force to a file; a file that is there is replaced.
    SaveSet(PathBuf),
    /// Put a whole set in force; actions it does not name stay as they are.
    AdoptSet {
        /// Where it comes from, in words.
        origin: String,
        /// The set.
        set: AdoptedSet,
    },
    /// Have the model in use score an action's valid candidates as continuations of the prompt for candidates.
    Score {
        /// The action.
        action: String,
    },
    /// Change how candidates are asked of a model.
    SetAsks(CandidateAsks),
    /// Put these assertions in force for an action; proposals at the cursor are checked again.
    Adopt {
        /// The action.
        action: String,
        /// All its assertions from now on.
        assertions: Vec<String>,
        /// Where they come from, in words.
        origin: String,
    },
}

/// Which set is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetSource {
    /// What is in force now.
    InForce,
    /// What the specification itself asserts, as it was written.
    Specification,
    /// What the data gives as true, where it does.
    Truth,
    /// What is suggested of the candidates so far, by one of the two rankings.
    Inferred(Ranking),
    /// A file; actions that it does not name stay as they are in force.
    File(PathBuf),
    /// One that is handed over, with its name.
    Given(String, AdoptedSet),
}

impl SetSource {
    /// Its name, for display.
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
