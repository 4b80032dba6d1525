//! What an endpoint turned out not to take, remembered for the life of the provider.
//!
//! A refusal that names an optional field is answered once by asking again without it (or with its other name). Only fields
//! whose absence shows in the answer, or changes nothing in it, are dropped this way: a refused `temperature` stays an error.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

/// The flags; each only ever goes from false to true, except the field name, which flips once.
#[derive(Debug, Default)]
pub(super) struct Quirks {
    /// The token bound has the other name.
    pub(super) other_limit: AtomicBool,
    /// `stream_options` is refused.
    pub(super) no_stream_options: AtomicBool,
    /// `logprobs` are refused.
    pub(super) no_logprobs: AtomicBool,
    /// `seed` is refused.
    pub(super) no_seed: AtomicBool,
    /// More than one completion at a time is refused or ignored.
    pub(super) one_at_a_time: AtomicBool,
    /// There are no legacy completions.
    pub(super) no_completions: AtomicBool,
}

impl Quirks {
    /// Reads a refusal of `sent`; true when something new was learned and asking again makes sense.
    pub(super) fn learn(&self, sent: &Value, status: u16, param: Option<&str>, message: &str) -> bool {
        if !matches!(status, 400 | 422) {
            return false;
        }
        let names = |field: &str| sent.get(field).is_some() && (param == Some(field) || mentions(message, field));
        if names("max_tokens") || names("max_completion_tokens") {
            // Only where the field itself is the trouble; a value too large for the model is a final refusal.
            let lower = message.to_ascii_lowercase();
            let unknown = ["unsupported", "not supported", "unrecognized", "unknown", "extra", "unexpected", "instead"];
            return unknown.iter().any(|w| lower.contains(w)) && first(&self.other_limit);
        }
        (names("stream_options") && first(&self.no_stream_options))
            || ((names("logprobs") || names("top_logprobs")) && first(&self.no_logprobs))
            || (names("seed") && first(&self.no_seed))
    }
}

/// Reads a flag.
pub(super) fn is_set(flag: &AtomicBool) -> bool {
    flag.load(Ordering::Relaxed)
}

/// Sets a flag; true if it was not set before.
pub(super) fn first(flag: &AtomicBool) -> bool {
    !flag.swap(true, Ordering::Relaxed)
}

/// Whether `message` holds `field` as a whole word.
fn mentions(message: &str, field: &str) -> bool {
    message.match_indices(field).any(|(at, _)| {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let before = message.get(..at).and_then(|s| s.chars().next_back());
        let after = message.get(at + field.len()..).and_then(|s| s.chars().next());
        !before.is_some_and(word) && !after.is_some_and(word)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn learns_only_what_is_named_and_only_once() {
        let quirks = Quirks::default();
        let sent = json!({"max_completion_tokens": 5, "seed": 1});
        assert!(!quirks.learn(&sent, 400, None, "bad prompt"));
        assert!(!quirks.learn(&sent, 400, None, "max_tokens is not supported"), "it was not sent");
        assert!(!quirks.learn(&sent, 400, Some("max_completion_tokens"), "max_completion_tokens is too large"));
        assert!(!quirks.learn(&sent, 500, Some("seed"), "seed unsupported"));
        assert!(quirks.learn(&sent, 400, None, "Unrecognized request argument supplied: max_completion_tokens"));
        assert!(!quirks.learn(&sent, 400, None, "Unrecognized request argument supplied: max_completion_tokens"));
        assert!(quirks.learn(&sent, 422, Some("seed"), "extra fields not permitted"));
        assert!(!mentions("top_logprobs", "logprobs"));
    }
}
