//! JSONL of a session in its normal form: the header, then every record, one object a line, as the log holds them.

use stepwright_episode::{Header, Record};

/// Renders header and records, one JSON object a line.
/// Errors: if a value cannot be written as JSON (a number that is not finite).
pub fn render(header: &Header, records: &[Record]) -> Result<String, serde_json::Error> {
    let mut out = serde_json::to_string(header)?;
    out.push('\n');
    for record in records {
        out.push_str(&serde_json::to_string(record)?);
        out.push('\n');
    }
    Ok(out)
}
