//! Conformance: the program compared with recordings of the original systems, topic by topic. A tool of development; nothing that
//! users run links it.
//!
//! A topic knows one folder of recordings and compares everything in it. `cargo run --release -p conform -- DIR` prints what comes out,
//! and the test suite calls the same code. A recording that a folder lacks is reported absent, never passed; so is one that is empty, and a file
//! that no comparison looks for is named.

mod alfworld;
mod bcr;
mod command;
mod left_over;
mod logs;
mod o3d;
mod python;
mod report;
pub mod requests;
pub mod sgd;
mod statler;
mod virtualhome;
mod webshop;

use std::path::Path;

pub use command::Command;
pub use report::{Difference, Report, Row};
use report::{Found, difference, field, unreadable};

/// One kind of recordings: its name, which is that of its folder too, what compares everything found in a folder, one row a
/// kind of recording, and the paths of what it looks at or has its reasons not to. Missing recordings give absent rows.
struct Topic(&'static str, fn(&Path) -> Vec<Row>, &'static [&'static str]);

/// All topics, in the order they are reported. Later worlds and methods add theirs here.
const TOPICS: [Topic; 10] = [
    Topic("alfworld", alfworld::compare, alfworld::LOOKED_AT),
    Topic("python", python::compare, python::LOOKED_AT),
    Topic("sgd", sgd::compare, sgd::LOOKED_AT),
    Topic("bcr", bcr::compare, bcr::LOOKED_AT),
    Topic("statler", statler::compare, statler::LOOKED_AT),
    Topic("webshop", webshop::compare, webshop::LOOKED_AT),
    Topic("o3d", o3d::compare, o3d::LOOKED_AT),
    Topic("virtualhome", virtualhome::compare, virtualhome::LOOKED_AT),
    Topic("requests", requests::compare, requests::LOOKED_AT),
    Topic("logs", logs::compare, logs::LOOKED_AT),
];

/// Why nothing was compared at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConformError {
    #[error("{0}: no such folder; name the one that holds the recordings, a folder for each topic")]
    NoFolder(String),
    #[error("no topic `{0}`; topics are: {1}")]
    NoTopic(String, String),
}

/// Compares the recordings in `folder` (a folder of topic folders, or one topic's own folder) with the program.
pub fn run(folder: &Path, topic: Option<&str>) -> Result<Report, ConformError> {
    if !folder.is_dir() {
        return Err(ConformError::NoFolder(folder.display().to_string()));
    }
    if let Some(wanted) = topic
        && !TOPICS.iter().any(|Topic(name, ..)| *name == wanted)
    {
        return Err(ConformError::NoTopic(wanted.to_owned(), TOPICS.map(|Topic(name, ..)| name).join(", ")));
    }
    let mut rows = Vec::new();
    if topic.is_none() && TOPICS.iter().any(|Topic(name, ..)| folder.join(name).is_dir()) {
        rows.extend(left_over::folders(folder, &TOPICS.map(|Topic(name, ..)| name)));
    }
    for Topic(name, compare, looked_at) in
        TOPICS.iter().filter(|Topic(name, ..)| topic.is_none_or(|wanted| *name == wanted))
    {
        let own = folder.join(name);
        let of_its_own = own.is_dir();
        let folder = if of_its_own { &own } else { folder };
        let mut found = compare(folder);
        // A folder that is no topic's by name is that of a topic that finds something in it.
        if of_its_own || found.iter().any(|row| row.compared > 0) {
            found.extend(left_over::rows(folder, looked_at));
        }
        rows.extend(found.into_iter().map(|row| Row { topic: name, ..row }.said_if_empty()));
    }
    Ok(Report { named: topic.map(str::to_owned), rows })
}
