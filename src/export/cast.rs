//! Asciicast (version 3) of a session: plays in any asciinema player, with a marker at every decision.
//!
//! Times are the session's own, with long pauses shortened so that a review does not wait for a person who thought.

use serde_json::json;

use super::story::{Step, Story};
use super::text;
use crate::episode::{Event, Record};

/// Longest pause between two steps, in seconds.
const LONGEST: f64 = 2.0;
/// Shortest pause between two steps, in seconds, so that each can be seen.
const SHORTEST: f64 = 0.4;

/// Columns and rows of the recorded terminal.
const SIZE: (u16, u16) = (100, 36);

/// Renders the session as an asciicast v3: a header line, then one event a line.
pub fn render(story: &Story, records: &[Record], created_ms: u64) -> String {
    let header = json!({
        "version": 3,
        "term": { "cols": SIZE.0, "rows": SIZE.1 },
        "timestamp": created_ms / 1000,
        "title": format!("Stepwright: {}", story.sentence),
    });
    let mut out = format!("{header}\n");
    event(&mut out, 0.0, "o", &text::opening(story));
    for chapter in &story.chapters {
        event(&mut out, SHORTEST, "o", &text::chapter_title(chapter));
        for step in &chapter.steps {
            let pause = pause_before(step, records);
            if step.depth > 0 {
                event(&mut out, pause, "m", &format!("{}: {}", step.depth, step.action));
                event(&mut out, 0.0, "o", &text::render_step(step));
            } else {
                event(&mut out, pause, "o", &text::render_step(step));
            }
        }
    }
    out
}

fn event(out: &mut String, interval: f64, code: &str, data: &str) {
    // The terminal is raw while a cast plays: a line break needs its carriage return.
    let data = if code == "o" { data.replace('\n', "\r\n") } else { data.to_owned() };
    out.push_str(&json!([(interval * 1000.0).round() / 1000.0, code, data]).to_string());
    out.push('\n');
}

/// Time between the arrival at a node and the record before it, within bounds.
fn pause_before(step: &Step, records: &[Record]) -> f64 {
    let at = records.iter().position(|r| match &r.event {
        Event::Executed { child, .. } => *child == step.node,
        Event::Started { .. } => step.node == 0,
        _ => false,
    });
    let previous = at.and_then(|i| i.checked_sub(1)).and_then(|i| records.get(i));
    let seconds = match (at.and_then(|i| records.get(i)), previous) {
        (Some(now), Some(before)) => now.ts.saturating_sub(before.ts) as f64 / 1000.0,
        _ => 0.0,
    };
    seconds.clamp(SHORTEST, LONGEST)
}
