//! Exports of sessions: a self-contained page, JSONL, plain text; and the format of asciicasts, whose frames the workbench draws.
//!
//! Page and text render the same [`Story`]; none reads a file or a clock. Hazardous characters are spelled out in all of them.

mod atif;
pub mod cast;
pub mod compare;
mod html;
mod jsonl;
mod learned;
mod rows;
mod stated;
mod story;
mod summary;
#[cfg(test)]
mod tests;
mod text;
mod trajectory;

use stepwright_episode::showing::Showing;
use stepwright_episode::{ArtifactKind, Header, InvalidRecord, Record, Session, blind};

pub use html::comparison as comparison_page;
pub use learned::Learned;
pub use rows::ProposalEntry;
pub use stated::Stated;
pub use story::{Seen, Step, Story, Visited, change_lines, decided, step_of, story};
pub use summary::{Summary, summary};
pub use trajectory::{LAST, Reward, trajectory};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Html,
    /// The same page as a presenter's audience sees it: it follows what is served beside it as `shown`.
    Mirror,
    Jsonl,
    Text,
    /// Harbor's trajectory.
    Atif,
}

#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    InvalidRecord(#[from] InvalidRecord),
    #[error("the page could not be rendered: {0}")]
    Page(#[from] minijinja::Error),
    /// A value has no JSON form.
    #[error("a record could not be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// Renders a session's header and records in a format; its reward is the sum of its steps'.
/// Errors: [`ExportError`] if the records are no session or cannot be rendered.
pub fn render(
    format: Format,
    header: &Header,
    records: &[Record],
    showings: impl Fn(&ArtifactKind) -> &'static Showing,
) -> Result<String, ExportError> {
    render_with(format, header, records, (&Visited::default(), trajectory::SUM), showings)
}

/// A session's header and records as the session that is shown: of a blind one without what must not be seen before a decision.
/// Errors: the records are no session.
pub fn shown(header: &Header, records: &[Record]) -> Result<Session, InvalidRecord> {
    let mut session = Session::new(header.clone());
    blind::shown(header, records).iter().try_for_each(|record| session.apply(record))?;
    Ok(session)
}

/// As [`render`], with what the world says at the nodes, and as it rewards an episode.
pub fn render_with(
    format: Format,
    header: &Header,
    records: &[Record],
    (visited, reward): (&Visited, Reward),
    showings: impl Fn(&ArtifactKind) -> &'static Showing,
) -> Result<String, ExportError> {
    if format == Format::Jsonl {
        return Ok(jsonl::render(header, &blind::shown(header, records))?);
    }
    let session = shown(header, records)?;
    if format == Format::Atif {
        return Ok(atif::render(&session, reward)?);
    }
    let story = story(&session, visited, &showings);
    Ok(match format {
        Format::Html | Format::Mirror => html::render(&story, format == Format::Mirror)?,
        Format::Text | Format::Jsonl | Format::Atif => text::render(&story),
    })
}
