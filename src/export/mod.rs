//! Exports of sessions: a self-contained page, an asciicast, JSONL, plain text.
//!
//! Every format renders the same [`Story`]; none reads a file or a clock. Hazardous characters are spelled out in all of them.

mod cast;
pub mod compare;
mod html;
mod jsonl;
mod story;
mod summary;
#[cfg(test)]
mod tests;
mod text;
mod trajectory;

use crate::episode::{Header, InvalidRecord, Record, Session};

pub use html::comparison as comparison_page;
pub use story::{Story, change_lines, decided, story};
pub use summary::{Summary, summary};
pub use trajectory::trajectory;

/// A format sessions are exported to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One self-contained HTML page.
    Html,
    /// The log in its normal form.
    Jsonl,
    /// An asciicast v3 with a marker at each decision.
    Cast,
    /// Plain text.
    Text,
}

/// Why a session could not be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A record does not fit the session.
    #[error(transparent)]
    InvalidRecord(#[from] InvalidRecord),
    /// The page's template failed.
    #[error("the page could not be rendered: {0}")]
    Page(#[from] minijinja::Error),
    /// A value has no JSON form.
    #[error("a record could not be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// Renders a session's header and records in a format.
///
/// # Errors
/// [`ExportError`] if the records are no session or cannot be rendered.
pub fn render(format: Format, header: &Header, records: &[Record]) -> Result<String, ExportError> {
    if format == Format::Jsonl {
        return Ok(jsonl::render(header, records)?);
    }
    let mut session = Session::new(header.clone());
    for record in records {
        session.apply(record)?;
    }
    let story = story(&session);
    Ok(match format {
        Format::Html => html::render(&story)?,
        Format::Cast => cast::render(&story, records, header.created),
        Format::Text | Format::Jsonl => text::render(&story),
    })
}
