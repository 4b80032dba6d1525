//! Reading answers: one JSON object at a time, a whole answer or a piece of one, every field optional.
//!
//! Servers leave fields out, send them as null or empty, or add their own; what is not understood is passed over. Text that
//! models mark as reasoning is not part of the completion.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::model::{CUT_OFF, Completion, TokenLogprob, Usage};

/// What has arrived of an answer.
#[derive(Debug)]
pub(super) struct Answer {
    wanted: u32,
    choices: BTreeMap<u32, Choice>,
    usage: Option<Usage>,
    begun: bool,
}

#[derive(Debug, Default)]
struct Choice {
    text: String,
    refusal: String,
    finish: String,
    tokens: Vec<TokenLogprob>,
    /// A token came without its log-probability: a mean over the others would be wrong.
    gap: bool,
}

impl Answer {
    pub(super) fn new(wanted: u32) -> Self {
        Answer { wanted, choices: BTreeMap::new(), usage: None, begun: false }
    }

    /// Whether any generated text was seen, reasoning included: from here on nothing is asked again.
    pub(super) fn begun(&self) -> bool {
        self.begun
    }

    /// Whether no completion was seen at all.
    pub(super) fn is_empty(&self) -> bool {
        self.choices.is_empty()
    }

    /// Whether nothing was said: no text, no reason for an end.
    pub(super) fn says_nothing(&self) -> bool {
        !self.begun && self.choices.values().all(|c| c.finish.is_empty() && c.refusal.is_empty())
    }

    /// Whether every completion wanted has said why it ended.
    pub(super) fn all_finished(&self) -> bool {
        self.choices.len() as u64 >= u64::from(self.wanted) && self.choices.values().all(|c| !c.finish.is_empty())
    }

    /// The stream ended without an end mark: completions that did not say why they ended were cut off, as far as is known.
    pub(super) fn cut_off(&mut self) {
        for choice in self.choices.values_mut().filter(|c| c.finish.is_empty()) {
            choice.finish = CUT_OFF.to_owned();
        }
    }

    /// How many completions were seen.
    pub(super) fn count(&self) -> usize {
        self.choices.len()
    }

    /// Tokens spent, where told.
    pub(super) fn usage(&self) -> Option<Usage> {
        self.usage
    }

    /// Whether log-probabilities came.
    pub(super) fn has_logprobs(&self) -> bool {
        self.choices.values().any(|c| !c.tokens.is_empty())
    }

    /// All text so far, for an error.
    pub(super) fn partial(&self) -> String {
        let texts: Vec<&str> = self.choices.values().map(|c| c.text.as_str()).collect();
        texts.join("\n")
    }

    /// Takes in an object of a stream (`whole` false) or a whole answer. New text goes to `delta`.
    pub(super) fn take(&mut self, object: &Value, whole: bool, mut delta: impl FnMut(u32, &str)) {
        if let Some(usage) = object.get("usage").and_then(usage) {
            self.usage = Some(usage);
        }
        let Some(choices) = object.get("choices").and_then(Value::as_array) else { return };
        for (position, choice) in choices.iter().enumerate() {
            let position = u32::try_from(position).unwrap_or(u32::MAX);
            let told = choice.get("index").and_then(Value::as_u64).and_then(|i| u32::try_from(i).ok());
            // In a whole answer the order counts: some servers number every choice 0.
            let index = if whole { position } else { told.unwrap_or(position) };
            if index >= self.wanted || !choice.is_object() {
                continue;
            }
            self.take_choice(index, choice, &mut delta);
        }
    }

    fn take_choice(&mut self, index: u32, choice: &Value, delta: &mut impl FnMut(u32, &str)) {
        let part = [choice.get("delta"), choice.get("message")].into_iter().flatten().find(|p| p.is_object());
        let text = part.and_then(|p| content(p.get("content"))).or_else(|| content(choice.get("text")));
        let own = self.choices.entry(index).or_default();
        if let Some(text) = text.filter(|t| !t.is_empty()) {
            delta(index, &text);
            own.text.push_str(&text);
            self.begun = true;
        }
        if let Some(part) = part {
            for name in ["reasoning_content", "reasoning"] {
                self.begun |= part.get(name).and_then(Value::as_str).is_some_and(|r| !r.is_empty());
            }
            if let Some(refusal) = part.get("refusal").and_then(Value::as_str) {
                own.refusal.push_str(refusal);
            }
        }
        if let Some(finish) = choice.get("finish_reason").and_then(Value::as_str).filter(|f| !f.is_empty()) {
            own.finish = finish.to_owned();
        }
        if let Some(logprobs) = choice.get("logprobs") {
            own.take_logprobs(logprobs);
        }
    }

    /// The completions by index, and the usage.
    pub(super) fn finish(self) -> (Vec<Completion>, Option<Usage>) {
        let completions = self.choices.into_values().map(Choice::finish).collect();
        (completions, self.usage)
    }
}

impl Choice {
    fn take_logprobs(&mut self, logprobs: &Value) {
        if let Some(content) = logprobs.get("content").and_then(Value::as_array) {
            for entry in content {
                self.push(entry.get("token"), entry.get("logprob"));
            }
        } else if let Some(tokens) = logprobs.get("tokens").and_then(Value::as_array) {
            let values = logprobs.get("token_logprobs").and_then(Value::as_array);
            for (i, token) in tokens.iter().enumerate() {
                self.push(Some(token), values.and_then(|v| v.get(i)));
            }
        }
    }

    fn push(&mut self, token: Option<&Value>, logprob: Option<&Value>) {
        match (token.and_then(Value::as_str), logprob.and_then(Value::as_f64)) {
            (Some(token), Some(logprob)) => self.tokens.push(TokenLogprob { token: token.to_owned(), logprob }),
            _ => self.gap = true,
        }
    }

    fn finish(self) -> Completion {
        let refused = self.text.is_empty() && !self.refusal.is_empty();
        Completion {
            text: if refused { self.refusal } else { self.text },
            finish: if refused { "refusal".into() } else { self.finish },
            tokens: if self.gap { Vec::new() } else { self.tokens },
        }
    }
}

/// Content as a text, or as a list of parts with texts.
fn content(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            Some(parts.iter().filter_map(|p| p.get("text").and_then(Value::as_str).or_else(|| p.as_str())).collect())
        }
        _ => None,
    }
}

fn usage(value: &Value) -> Option<Usage> {
    let count = |name: &str| value.get(name).and_then(Value::as_u64);
    let (prompt, completion) = (count("prompt_tokens"), count("completion_tokens"));
    if prompt.is_none() && completion.is_none() {
        return None;
    }
    Some(Usage { prompt: prompt.unwrap_or(0), completion: completion.unwrap_or(0) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(objects: &[Value], whole: bool, wanted: u32) -> (Vec<Completion>, Option<Usage>) {
        let mut answer = Answer::new(wanted);
        for object in objects {
            answer.take(object, whole, |_, _| {});
        }
        answer.finish()
    }

    #[test]
    fn a_real_servers_chunks() {
        let (completions, usage) = read(
            &[
                json!({"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"id":"x"}),
                json!({"choices":[{"finish_reason":"","index":0,"delta":{"content":"put"},
                    "logprobs":{"content":[{"id":1,"token":"put","bytes":null,"logprob":-0.5,"top_logprobs":[]}]}}]}),
                json!({"choices":[{"index":0,"delta":{"content":" mug","reasoning_content":"hm"}, "logprobs":{"content":
                    [{"token":" mug","logprob":-1.5}]}}],"usage":{}}),
                json!({"choices":[{"finish_reason":"stop","index":0,"delta":{}}],"usage":null}),
                json!({"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"cost":0.1}}),
                json!({"cost": 1}),
            ],
            false,
            1,
        );
        assert_eq!(completions[0].text, "put mug");
        assert_eq!(completions[0].finish, "stop");
        assert_eq!(completions[0].mean_logprob(), Some(-1.0));
        assert_eq!(usage, Some(Usage { prompt: 3, completion: 2 }));
    }

    #[test]
    fn whole_answers_of_both_interfaces() {
        let (chat, _) = read(
            &[
                json!({"choices":[{"index":0,"message":{"content":"a"}},{"index":0,"message":{"content":[{"text":"b"}]}},
                {"message":{"content":null,"refusal":"no"}}]}),
            ],
            true,
            3,
        );
        let texts: Vec<&str> = chat.iter().map(|c| c.text.as_str()).collect();
        assert_eq!(texts, ["a", "b", "no"]);
        assert_eq!(chat[2].finish, "refusal");
        let (raw, _) = read(
            &[json!({"choices":[{"text":"xy","logprobs":{"tokens":["x","y"],"token_logprobs":[-1.0,-3.0]}}]})],
            true,
            1,
        );
        assert_eq!(raw[0].mean_logprob(), Some(-2.0));
    }

    #[test]
    fn a_missing_logprob_is_never_averaged_away() {
        let (completions, _) = read(
            &[json!({"choices":[{"text":"xy","logprobs":{"tokens":["x","y"],"token_logprobs":[null,-3.0]}}]})],
            true,
            1,
        );
        assert_eq!(completions[0].mean_logprob(), None);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let word = prop::sample::select(vec![
            "choices",
            "delta",
            "index",
            "text",
            "content",
            "logprobs",
            "tokens",
            "usage",
            "finish_reason",
            "message",
            "x",
        ]);
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,5}".prop_map(Value::from),
        ];
        leaf.prop_recursive(6, 40, 5, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((word.clone(), inner), 0..5)
                    .prop_map(|pairs| pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_object_is_survived_and_bounded(objects in prop::collection::vec(any_json(), 0..6), wanted in 1u32..4) {
            let mut answer = Answer::new(wanted);
            let mut streamed = String::new();
            for object in &objects {
                answer.take(&json!({"choices": [object]}), false, |_, t| streamed.push_str(t));
                answer.take(object, false, |_, t| streamed.push_str(t));
            }
            let total: usize = answer.choices.values().map(|c| c.text.len()).sum();
            prop_assert_eq!(total, streamed.len());
            prop_assert!(answer.finish().0.len() <= wanted as usize);
        }
    }
}
