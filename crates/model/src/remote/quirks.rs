//! Quirks: what an endpoint turned out not to take, remembered for the life of the provider.
//!
//! A refusal that names an optional field is answered by asking again without it (or with its other name). The person is informed of
//! each field that is left out, and a session records the request as it was sent.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value};

/// Fields an answer can do without, with what is lost.
const OPTIONAL: [(&str, &str); 20] = [
    ("stream_options", ""),
    // Some accounts may not stream some models.
    ("stream", ""),
    ("temperature", "answers are sampled at the model's own temperature"),
    ("stop", "answers end where the model ends them"),
    ("stop_sequences", "answers end where the model ends them"),
    ("frequency_penalty", "repetition is not penalised"),
    ("presence_penalty", "what was written once is not penalised"),
    ("top_p", "unlikely tokens are sampled too"),
    ("seed", "the same request may be answered otherwise the next time"),
    ("top_logprobs", "there are no alternatives of tokens"),
    ("logprobs", "there are no log-probabilities"),
    ("reasoning_effort", "it reasons as it does by itself"),
    ("thinking", "it reasons as it does by itself"),
    ("think", "it reasons as it does by itself"),
    ("output_config", "answers are not held to a form"),
    ("response_format", "answers are not held to a form"),
    ("format", "answers are not held to a form"),
    ("truncate", ""),
    ("shift", ""),
    ("keep_alive", ""),
];

/// Words that say that it is the field itself that is refused.
const REFUSED: [&str; 9] = [
    "unsupported", "not support", "unrecognized", "unknown", "extra", "unexpected", "instead", "not permitted",
    "deprecated",
];

/// Fields whose values are numbers that a person, or a method, sets.
const NUMBERS: [&str; 6] = ["temperature", "top_p", "frequency_penalty", "presence_penalty", "top_logprobs", "seed"];

/// Words that say which values a field takes.
const RANGE: [&str; 19] = [
    "between", "range", "must be in", "at most", "at least", "less than", "greater than", "larger than", "higher than",
    "lower than", "more than", "or less", "or greater", "maximum", "minimum", "non-negative", "too large", "too high",
    "<=",
];

/// Learned knowledge of an endpoint. Flags only ever go from false to true.
#[derive(Debug, Default)]
pub(super) struct Quirks {
    /// The token bound has the other name.
    pub(super) other_limit: AtomicBool,
    /// More than one completion at a time is refused or ignored.
    pub(super) one_at_a_time: AtomicBool,
    pub(super) no_completions: AtomicBool,
    /// The model reasons before it answers, and needs tokens to do so.
    pub(super) reasons: AtomicBool,
    /// Reasoning is asked for in the other of Anthropic's two ways: as much as the model finds right, or so many tokens.
    pub(super) other_thinking: AtomicBool,
    /// A person was warned of what the server does in silence.
    pub(super) warned: AtomicBool,
    context: AtomicU64,
    /// Most tokens that the model writes, where more were refused; 0 if none were.
    most: AtomicU32,
    refused: Mutex<BTreeSet<&'static str>>,
    /// What a person was told already.
    told: Mutex<BTreeSet<String>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Lesson {
    /// Nothing new: the refusal is final.
    Nothing,
    /// Asking again makes sense; a remark for the person, if answers change by it.
    Again(Option<String>),
}

impl Quirks {
    pub(super) fn learn(&self, sent: &Value, status: u16, param: Option<&str>, message: &str) -> Lesson {
        if !matches!(status, 400 | 422) {
            return Lesson::Nothing;
        }
        let lower = message.to_ascii_lowercase();
        let names = |field: &str| sent.get(field).is_some() && (param == Some(field) || mentions(message, field));
        if names("max_tokens") || names("max_completion_tokens") {
            // Only where the field itself is the trouble; a value too large for the model is a final refusal.
            let unknown = REFUSED.iter().any(|w| lower.contains(w));
            if unknown && first(&self.other_limit) {
                return Lesson::Again(None);
            }
        }
        if thinks_otherwise(sent, &lower) && first(&self.other_thinking) {
            return Lesson::Again(None);
        }
        // Ollama's words.
        let no_thinking = sent.get("think").is_some()
            && ["does not support thinking", "think value"].iter().any(|w| lower.contains(w));
        let found = OPTIONAL.iter().find(|(field, _)| names(field) || (*field == "think" && no_thinking));
        let Some((field, lost)) = found.filter(|(field, _)| !is_out_of_range(sent, field, &lower)) else {
            return Lesson::Nothing;
        };
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if !refused.insert(field) {
            return Lesson::Nothing;
        }
        match *field {
            "logprobs" => refused.insert("top_logprobs"),
            "stream" => refused.insert("stream_options"),
            _ => false,
        };
        let remark = format!("the model takes no {field}: it is left out from now on, and {lost}");
        Lesson::Again((!lost.is_empty()).then_some(remark))
    }

    /// Whether that is to be said: once.
    pub(super) fn says(&self, what: &str) -> bool {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(what.to_owned())
    }

    pub(super) fn leave_out(&self, body: &mut Map<String, Value>) {
        for field in self.refused.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            body.shift_remove(*field);
        }
    }

    /// Remembers that no more tokens than these can be asked for.
    pub(super) fn write_at_most(&self, tokens: u32) {
        self.most.store(tokens, Ordering::Relaxed);
    }

    /// Most tokens that can be asked for, where it was learned.
    pub(super) fn most(&self) -> Option<u32> {
        Some(self.most.load(Ordering::Relaxed)).filter(|most| *most > 0)
    }

    /// The context to set up where at least so many tokens are needed.
    pub(super) fn at_least_context(&self, tokens: u64) -> u64 {
        self.context.fetch_max(tokens, Ordering::Relaxed).max(tokens)
    }
}

pub(super) fn is_set(flag: &AtomicBool) -> bool {
    flag.load(Ordering::Relaxed)
}

/// Sets a flag; true if it was not set before.
pub(super) fn first(flag: &AtomicBool) -> bool {
    !flag.swap(true, Ordering::Relaxed)
}

/// Whether it is a value that is refused, not its field: who set it is told what may be set. A 0 is a default, which may be left out.
fn is_out_of_range(sent: &Value, field: &str, lower: &str) -> bool {
    let unknown = ["unsupported", "not support"].iter().any(|w| lower.contains(w));
    let set = sent.get(field).and_then(Value::as_f64).is_some_and(|value| value != 0.0);
    NUMBERS.contains(&field) && set && !unknown && RANGE.iter().any(|w| lower.contains(w))
}

/// Whether a refusal is of one of Anthropic's two ways to ask for reasoning: models know the one, the other, or both.
fn thinks_otherwise(sent: &Value, lower: &str) -> bool {
    let refused = || REFUSED.iter().any(|w| lower.contains(w));
    match sent.pointer("/thinking/type").and_then(Value::as_str) {
        Some("enabled") => lower.contains("adaptive"),
        Some("adaptive") => (lower.contains("thinking") || lower.contains("effort")) && refused(),
        _ => false,
    }
}

/// Whether `message` names `field`, as it is sent or in camel case (xAI's `presencePenalty`).
fn mentions(message: &str, field: &str) -> bool {
    if names_as(message, field, field) {
        return true;
    }
    let mut camel = String::new();
    for part in field.split('_') {
        let (first, rest) = part.split_at(part.chars().next().map_or(0, char::len_utf8));
        camel.push_str(&if camel.is_empty() { first.to_owned() } else { first.to_ascii_uppercase() });
        camel.push_str(rest);
    }
    camel != field && names_as(message, &camel, field)
}

/// Whether `message` names the field by `word`: as a whole word, and one that is English too only in quotes or as a field's name.
fn names_as(message: &str, name: &str, field: &str) -> bool {
    let english = matches!(field, "stop" | "stream" | "think" | "thinking" | "format" | "truncate" | "shift" | "seed");
    message.match_indices(name).any(|(at, _)| {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (head, tail) = (message.get(..at).unwrap_or_default(), message.get(at + name.len()..).unwrap_or_default());
        let (before, after) = (head.chars().next_back(), tail.chars().next());
        let whole = !before.is_some_and(word) && !after.is_some_and(word);
        let quote = |c: Option<char>| c.is_some_and(|c| matches!(c, '"' | '\'' | '`'));
        let named = quote(before) && quote(after)
            || after == Some(':')
            // The last word, as in `Argument not supported on this model: stop`.
            || (head.ends_with(": ") && !after.is_some_and(|c| c == ' ' || c == ','))
            || ["parameter ", "parameter: ", "supplied: ", "field ", "argument "].iter().any(|w| head.ends_with(w));
        // A field within the field (`thinking.type`) is named as well.
        (whole && (!english || named))
            || (after == Some('.') && !before.is_some_and(word) && tail.len() > 1 && !tail.starts_with(". "))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn again(lesson: &Lesson) -> bool {
        *lesson != Lesson::Nothing
    }

    #[test]
    fn learns_only_what_is_named_and_only_once() {
        let quirks = Quirks::default();
        let sent = json!({"max_completion_tokens": 5, "seed": 1});
        let learn = |status, param, message: &str| again(&quirks.learn(&sent, status, param, message));
        assert!(!learn(400, None, "bad prompt"));
        assert!(!learn(400, None, "max_tokens is not supported"), "it was not sent");
        assert!(!learn(400, Some("max_completion_tokens"), "max_completion_tokens is too large"));
        assert!(!learn(500, Some("seed"), "seed unsupported"));
        assert!(learn(400, None, "Unrecognized request argument supplied: max_completion_tokens"));
        assert!(!learn(400, None, "Unrecognized request argument supplied: max_completion_tokens"));
        assert!(learn(422, Some("seed"), "extra fields not permitted"));
        assert!(!mentions("top_logprobs", "logprobs"));
    }

    #[test]
    fn a_value_out_of_range_is_no_field_that_is_not_taken() {
        let sent = json!({"temperature": 1.5, "top_p": 1.5, "seed": 1, "top_logprobs": 20, "logprobs": true});
        let learn = |sent: &Value, param, message: &str| again(&Quirks::default().learn(sent, 400, param, message));
        for (param, message) in [
            (Some("temperature"), "temperature must be between 0 and 1"),
            (None, "temperature: range: 0..1"),
            (None, "top_p must be in (0, 1], got 1.5."),
            (
                Some("temperature"),
                "Invalid 'temperature': decimal above maximum value. Expected a value <= 1, but got 1.5 instead.",
            ),
            (None, "`temperature`: Input should be less than or equal to 1"),
            (Some("top_logprobs"), "top_logprobs: at most 8"),
        ] {
            assert!(!learn(&sent, param, message), "{message}");
        }
        let supported = "'temperature' is not supported where reasoning effort is greater than none";
        assert!(learn(&sent, None, supported), "the field is");
        let message = "temperature: it must be between 0.01 and 2";
        assert!(learn(&json!({"temperature": 0.0}), None, message), "nobody set it");
        assert!(!learn(&json!({"temperature": 0.005}), None, message));
    }

    #[test]
    fn refusals_as_the_real_servers_word_them() {
        let sent = json!({"temperature": 0, "stop": ["\n"], "frequency_penalty": 0.1, "thinking": {}, "think": true,
            "logprobs": true, "top_logprobs": 3, "stop_sequences": [], "seed": 7, "stream": true, "stream_options": {}});
        for (message, param, field) in [
            (
                "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
                Some("temperature"),
                "temperature",
            ),
            ("Unsupported parameter: 'stop' is not supported with this model.", Some("stop"), "stop"),
            ("`temperature` is deprecated for this model.", None, "temperature"),
            ("stop_sequences: Extra inputs are not permitted", None, "stop_sequences"),
            ("thinking.type.enabled is not supported for this model", None, "thinking"),
            ("\"qwen2.5:0.5b\" does not support thinking", None, "think"),
            ("[{\"loc\":[\"body\",\"seed\"],\"msg\":\"Extra inputs are not permitted\"}]", None, "seed"),
            (
                "Invalid JSON payload received. Unknown name \"frequency_penalty\": Cannot find field.",
                None,
                "frequency_penalty",
            ),
            ("You are not allowed to request logprobs from this model", None, "logprobs"),
            ("Model grok-4 does not support parameter frequencyPenalty.", None, "frequency_penalty"),
            ("Argument not supported on this model: stop", None, "stop"),
            ("Your organization must be verified to stream this model. Please go to: x", Some("stream"), "stream"),
            (
                "Provider returned error: {\"error\": {\"param\": \"stream\", \"code\": \"unsupported_value\"}}",
                None,
                "stream",
            ),
            ("think value \"medium\" is not supported for this model", None, "think"),
        ] {
            let quirks = Quirks::default();
            assert!(again(&quirks.learn(&sent, 400, param, message)), "{message}");
            let mut body = sent.as_object().unwrap().clone();
            quirks.leave_out(&mut body);
            assert!(
                !body.contains_key(field) && body.len() >= sent.as_object().unwrap().len() - 2,
                "{message}: {body:?}"
            );
        }
        let quirks = Quirks::default();
        for message in ["the model cannot stop here", "I think this format is wrong", "please stop.", "no stream here"]
        {
            assert!(!again(&quirks.learn(&sent, 400, None, message)), "{message}");
        }
    }
}
