//! Asciicast (version 3): plays in any asciinema player, with a marker at every decision.
//!
//! This file has the format and the times; the frames come from whoever draws. Times are the session's own, with long pauses shortened so
//! that a review does not wait for a person who thought.

use serde_json::json;

use stepwright_episode::{Event, NodeId, Record};

/// Longest pause between two steps, in seconds.
const LONGEST: f64 = 3.0;
/// Shortest pause between two steps, in seconds, so that each can be seen.
const SHORTEST: f64 = 1.2;

#[derive(Debug)]
pub struct Cast {
    out: String,
}

impl Cast {
    /// A recording of a terminal of so many columns and rows, begun at a time in milliseconds since 1970.
    pub fn new((columns, rows): (u16, u16), created_ms: u64, title: &str) -> Self {
        let header = json!({
            "version": 3,
            "term": { "cols": columns, "rows": rows },
            "timestamp": created_ms / 1000,
            "title": format!("Stepwright: {}", stepwright_text::sanitize::line(title)),
        });
        Cast { out: format!("{header}\n") }
    }

    /// Output to the terminal, so many seconds after the output before.
    pub fn output(&mut self, seconds: f64, data: &str) {
        self.event(seconds, "o", data);
    }

    /// A place that players can jump to.
    pub fn marker(&mut self, label: &str) {
        self.event(0.0, "m", &stepwright_text::sanitize::line(label));
    }

    /// The recording: a header line, then one event a line.
    pub fn finish(self) -> String {
        self.out
    }

    fn event(&mut self, interval: f64, code: &str, data: &str) {
        self.out.push_str(&json!([(interval * 1000.0).round() / 1000.0, code, data]).to_string());
        self.out.push('\n');
    }
}

/// Time between the arrival at a node and the record before it, in seconds, within bounds.
pub fn pause_before(node: NodeId, records: &[Record]) -> f64 {
    let at = records.iter().position(|r| match &r.event {
        Event::Executed { child, .. } => *child == node,
        Event::Started { .. } => node == 0,
        _ => false,
    });
    let previous = at.and_then(|i| i.checked_sub(1)).and_then(|i| records.get(i));
    let seconds = match (at.and_then(|i| records.get(i)), previous) {
        (Some(now), Some(before)) => now.ts.saturating_sub(before.ts) as f64 / 1000.0,
        _ => 0.0,
    };
    seconds.clamp(SHORTEST, LONGEST)
}
