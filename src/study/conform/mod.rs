//! Conformance: the program compared with recordings of the original systems, topic by topic.
//!
//! A topic knows one folder of recordings and compares everything in it. The command line prints what comes out, and the test
//! suite calls the same code. A recording that a folder lacks is reported absent, never passed.

mod alfworld;
mod bcr;
pub(super) mod files;
mod o3d;
mod python;
mod report;
pub mod sgd;
mod statler;
mod virtualhome;
mod webshop;

use std::path::Path;

pub use report::{Difference, Report, Row};
use report::{Found, difference, field, unreadable};

/// One kind of recordings: its name, which is that of its folder too, and what compares everything found in a folder, one row a
/// kind of recording. Missing recordings give absent rows.
struct Topic(&'static str, fn(&Path) -> Vec<Row>);

/// All topics, in the order they are reported. Later worlds and methods add theirs here.
const TOPICS: [Topic; 8] = [
    Topic("alfworld", alfworld::compare),
    Topic("python", python::compare),
    Topic("sgd", sgd::compare),
    Topic("bcr", bcr::compare),
    Topic("statler", statler::compare),
    Topic("webshop", webshop::compare),
    Topic("o3d", o3d::compare),
    Topic("virtualhome", virtualhome::compare),
];

/// Why nothing was compared at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConformError {
    /// The folder is not there.
    #[error("{0}: no such folder; name the one that holds the recordings, a folder for each topic")]
    NoFolder(String),
    /// No topic has that name.
    #[error("no topic `{0}`; topics are: {1}")]
    NoTopic(String, String),
}

/// Compares the recordings in `folder` (a folder of topic folders, or one topic's own folder) with the program.
///
/// # Errors
/// If the folder or the named topic does not exist.
pub fn run(folder: &Path, topic: Option<&str>) -> Result<Report, ConformError> {
    if !folder.is_dir() {
        return Err(ConformError::NoFolder(folder.display().to_string()));
    }
    if let Some(wanted) = topic
        && !TOPICS.iter().any(|Topic(name, _)| *name == wanted)
    {
        return Err(ConformError::NoTopic(wanted.to_owned(), TOPICS.map(|Topic(name, _)| name).join(", ")));
    }
    let mut rows = Vec::new();
    for Topic(name, compare) in TOPICS.iter().filter(|Topic(name, _)| topic.is_none_or(|wanted| *name == wanted)) {
        let own = folder.join(name);
        let found = compare(if own.is_dir() { &own } else { folder });
        rows.extend(found.into_iter().map(|row| Row { topic: name, ..row }));
    }
    Ok(Report { named: topic.map(str::to_owned), rows })
}
