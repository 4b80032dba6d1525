//! Tokens of an answer, as each interface counts them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Tokens spent by an ask, as the provider reports them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt: u64,
    /// Tokens generated, reasoning included.
    pub completion: u64,
    /// Those of the prompt that the provider had in its cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached: u64,
    /// Those generated that are reasoning, where counted separately.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reasoning: u64,
}

/// Most tokens of an answer that a server is believed to count: sums of any number of answers stay numbers.
const MOST_TOKENS: u64 = 1 << 40;

impl Usage {
    /// Tokens of prompt and answer, nothing cached, no reasoning reported.
    pub fn new(prompt: u64, completion: u64) -> Self {
        Usage { prompt, completion, ..Usage::default() }
    }

    /// Adds what another ask spent.
    pub fn add(&mut self, other: Usage) {
        self.prompt = self.prompt.saturating_add(other.prompt);
        self.completion = self.completion.saturating_add(other.completion);
        self.cached = self.cached.saturating_add(other.cached);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
    }

    /// A count that a server reports, bounded.
    pub fn tokens(count: &Value) -> Option<u64> {
        count.as_u64().map(|count| count.min(MOST_TOKENS))
    }

    /// As OpenAI's chat completions report it, and those who speak them.
    pub fn of_chat(value: &Value) -> Option<Self> {
        let count = |name: &str| value.get(name).and_then(Usage::tokens);
        let (prompt, completion) = (count("prompt_tokens"), count("completion_tokens"));
        if prompt.is_none() && completion.is_none() {
            return None;
        }
        let (prompt, stated) = (prompt.unwrap_or(0), completion.unwrap_or(0));
        // xAI and Gemini count what was reasoned in the total alone; it was written and is paid for.
        let completion = count("total_tokens").map_or(stated, |total| total.saturating_sub(prompt).max(stated));
        let cached = detail(value, "prompt_tokens_details", "cached_tokens");
        Some(Usage {
            prompt,
            completion,
            cached: cached.max(count("prompt_cache_hit_tokens").unwrap_or(0)),
            reasoning: detail(value, "completion_tokens_details", "reasoning_tokens").max(completion - stated),
        })
    }

    /// As OpenAI's responses report it.
    pub fn of_responses(value: &Value) -> Option<Self> {
        let count = |name: &str| value.get(name).and_then(Usage::tokens);
        Some(Usage {
            prompt: count("input_tokens")?,
            completion: count("output_tokens").unwrap_or(0),
            cached: detail(value, "input_tokens_details", "cached_tokens"),
            reasoning: detail(value, "output_tokens_details", "reasoning_tokens"),
        })
    }

    /// As Anthropic's messages report it: what the cache gave or took is counted beside the rest, and so are requests to compact a context.
    pub fn of_messages(value: &Value) -> Self {
        let mut usage = Usage::of_request(value);
        let iterations = value.get("iterations").and_then(Value::as_array).into_iter().flatten();
        for iteration in iterations.filter(|of| of.get("type").is_some_and(|kind| kind == "compaction")) {
            usage.add(Usage::of_request(iteration));
        }
        usage
    }

    /// One request of those that Anthropic counts.
    fn of_request(value: &Value) -> Self {
        let count = |name: &str| value.get(name).and_then(Usage::tokens).unwrap_or_default();
        let cached = count("cache_read_input_tokens");
        let prompt = count("input_tokens").saturating_add(cached).saturating_add(count("cache_creation_input_tokens"));
        let reasoning = detail(value, "output_tokens_details", "thinking_tokens");
        Usage { prompt, completion: count("output_tokens"), cached, reasoning }
    }
}

fn detail(value: &Value, of: &str, name: &str) -> u64 {
    value.get(of).and_then(|d| d.get(name)).and_then(Usage::tokens).unwrap_or(0)
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn counts_that_no_answer_has_are_bounded() {
        let most = json!({ "prompt_tokens": u64::MAX, "completion_tokens": u64::MAX });
        let read = Usage::of_chat(&most).unwrap();
        assert!(read.prompt.checked_add(read.completion).is_some_and(|sum| sum.checked_mul(1 << 20).is_some()));
    }

    #[test]
    fn tokens_to_reason_count_wherever_a_server_counts_them() {
        let details = json!({"reasoning_tokens": 386});
        // OpenAI within the completion, xAI beside it, Gemini in the total alone.
        for (reported, completion, reasoning) in [
            (
                json!({"prompt_tokens": 12, "completion_tokens": 387, "total_tokens": 399, "completion_tokens_details": details}),
                387,
                386,
            ),
            (
                json!({"prompt_tokens": 12, "completion_tokens": 1, "total_tokens": 399, "completion_tokens_details": details}),
                387,
                386,
            ),
            (json!({"prompt_tokens": 12, "completion_tokens": 1, "total_tokens": 399}), 387, 386),
            (json!({"prompt_tokens": 12, "completion_tokens": 9, "total_tokens": 21}), 9, 0),
            (json!({"prompt_tokens": 12, "completion_tokens": 9, "total_tokens": 0}), 9, 0),
            (json!({"prompt_tokens": 12, "completion_tokens": 9}), 9, 0),
        ] {
            let found = Usage::of_chat(&reported).unwrap();
            assert_eq!((found.prompt, found.completion, found.reasoning), (12, completion, reasoning), "{reported}");
        }
        let reported = json!({"input_tokens": 5, "output_tokens": 7, "output_tokens_details": {"reasoning_tokens": 3}});
        assert_eq!(Usage::of_responses(&reported), Some(Usage { prompt: 5, completion: 7, cached: 0, reasoning: 3 }));
        let mut reported =
            json!({"input_tokens": 5, "output_tokens": 7, "output_tokens_details": {"thinking_tokens": 3}});
        assert_eq!(Usage::of_messages(&reported), Usage { prompt: 5, completion: 7, cached: 0, reasoning: 3 });
        // Compacting is counted beside the rest, messages are counted in it.
        let of =
            |kind: &str| json!({"type": kind, "input_tokens": 10, "cache_read_input_tokens": 2, "output_tokens": 1});
        reported["iterations"] = json!([of("message"), of("compaction")]);
        assert_eq!(Usage::of_messages(&reported), Usage { prompt: 17, completion: 8, cached: 2, reasoning: 3 });
    }
}
