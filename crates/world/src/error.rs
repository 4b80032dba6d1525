//! The failures of worlds and of their loaders.

/// The failure of a world or its loader.
#[derive(Debug, thiserror::Error)]
pub enum WorldError {
    /// No task of that id; carries the nearest ids.
    #[error("no task `{id}`{}", nearest_hint(.nearest))]
    NoSuchTask {
        id: String,
        /// The closest known ids, best first.
        nearest: Vec<String>,
    },
    /// Several tasks fit the part of an id that was given.
    #[error("`{part}` is part of {} ids: {}{}; name more of the one you mean", matches.len(), some_of(matches), more_than(matches))]
    AmbiguousTask {
        part: String,
        /// The ids it is part of, in the world's order.
        matches: Vec<String>,
    },
    /// An option that the world does not take.
    #[error(transparent)]
    Option(#[from] crate::options::OptionError),
    /// A name that stands for nothing, with those that would.
    #[error("there is no {what} `{name}`; there is {known}")]
    Unknown {
        /// The kind of name (`world`).
        what: &'static str,
        name: String,
        known: String,
    },
    /// A file could not be read or does not hold what it should: what, where, what to do.
    #[error("{path}: {message}")]
    Data {
        /// File, and line where there is one (`games.jsonl:12`).
        path: String,
        message: String,
    },
    /// A snapshot of another world or task was offered.
    #[error("the snapshot belongs to another world or task")]
    ForeignSnapshot,
    /// The world's process or connection failed (external worlds).
    #[error("{0}")]
    Failed(String),
    /// Replaying a history, the world answered otherwise than it had: at which step, and how.
    #[error("the world does not answer as it did: {what}")]
    Differs {
        /// 0 for the reset.
        step: usize,
        what: String,
    },
}

const LISTED: usize = 8;

fn some_of(ids: &[String]) -> String {
    ids.get(..LISTED).unwrap_or(ids).join(", ")
}

fn more_than(ids: &[String]) -> String {
    ids.len().checked_sub(LISTED).filter(|more| *more > 0).map_or_else(String::new, |more| format!(" and {more} more"))
}

fn nearest_hint(nearest: &[String]) -> String {
    if nearest.is_empty() {
        return String::new();
    }
    format!("; nearest: {}", nearest.join(", "))
}
