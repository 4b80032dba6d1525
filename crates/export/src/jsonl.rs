//! JSONL of a session in its normal form: the header, then every record, one object a line, as the log holds them.

use stepwright_episode::{Header, Record, log};

/// Renders header and records, one JSON object a line, each with its checksum.
/// Errors: if a value cannot be written as JSON (a number that is not finite).
pub fn render(header: &Header, records: &[Record]) -> Result<String, serde_json::Error> {
    let lines = std::iter::once(log::sealed(header)).chain(records.iter().map(log::sealed));
    let mut out = Vec::new();
    for line in lines {
        out.extend(line?);
        out.push(b'\n');
    }
    // What is written as JSON is UTF-8; only of what were none would a copy be made.
    Ok(String::from_utf8(out).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()))
}
