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
use report::{difference, unreadable};

/// One kind of recordings. Later worlds and methods add theirs to [`topics`].
pub trait Topic {
    /// Its name on the command line, and the name of its folder.
    fn name(&self) -> &'static str;

    /// Compares everything found in `folder`, one row a kind of recording. Missing recordings give absent rows.
    fn compare(&self, folder: &Path) -> Vec<Row>;
}

/// All topics, in the order they are reported.
pub fn topics() -> Vec<Box<dyn Topic>> {
    vec![
        Box::new(alfworld::Alfworld),
        Box::new(python::Python),
        Box::new(sgd::Sgd),
        Box::new(bcr::Bcr),
        Box::new(statler::Statler),
        Box::new(webshop::Webshop),
        Box::new(o3d::O3d),
        Box::new(virtualhome::VirtualHome),
    ]
}

/// Why nothing was compared at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConformError {
    /// The folder is not there.
    #[error("{0}: no such folder; name the folder that holds the recordings, such as ../shared/data")]
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
    let all = topics();
    if let Some(wanted) = topic
        && !all.iter().any(|t| t.name() == wanted)
    {
        let names: Vec<&str> = all.iter().map(|t| t.name()).collect();
        return Err(ConformError::NoTopic(wanted.to_owned(), names.join(", ")));
    }
    let mut report = Report { named: topic.map(str::to_owned), rows: Vec::new() };
    for known in all.iter().filter(|t| topic.is_none_or(|wanted| t.name() == wanted)) {
        let own = folder.join(known.name());
        report.rows.extend(known.compare(if own.is_dir() { &own } else { folder }));
    }
    Ok(report)
}
