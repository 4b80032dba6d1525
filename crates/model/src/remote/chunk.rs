//! Reader of answers: one JSON object at a time, a whole answer or a piece of one, every field optional.
//!
//! Servers leave fields out, send them as null or empty, or add their own; what is not understood is passed over. Text that
//! models mark as reasoning is kept beside the completion, never in it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::options::Wire;
pub(super) use super::thoughts::Piece;
use super::thoughts::{Thoughts, headless};
use super::{anthropic, ollama};
use crate::{Charge, Completion, TokenLogprob, Usage};

/// Most bytes of a completion and its reasoning: no model writes a book here.
const MAX_TEXT: usize = 4 << 20;

#[derive(Debug)]
pub(super) struct Answer {
    wire: Wire,
    wanted: u32,
    choices: BTreeMap<u32, Choice>,
    pub(super) usage: Option<Usage>,
    pub(super) served: String,
    pub(super) fingerprint: String,
    pub(super) cost: Option<f64>,
    pub(super) ended: bool,
    /// A server's word for a completion that it could not finish: an error of its own, or the word for its end.
    failed: Option<Value>,
}

/// Words for an end that is none: what came is no completion, and the next attempt may go better (OpenRouter, Mistral and vLLM say
/// `error`, SGLang `abort`, DeepSeek and Z.ai the others).
const UNFINISHED: [&str; 4] = ["error", "abort", "insufficient_system_resource", "network_error"];

#[derive(Debug, Default)]
pub(super) struct Choice {
    text: String,
    reasoning: String,
    thoughts: Thoughts,
    /// It is a continuation of text: nothing in it is reasoning.
    raw: bool,
    refusal: String,
    finish: String,
    tokens: Vec<TokenLogprob>,
    /// A token came without its log-probability: a mean over the others would be wrong.
    gap: bool,
}

impl Answer {
    pub(super) fn new(wire: Wire, wanted: u32) -> Self {
        Answer {
            wire,
            wanted,
            choices: BTreeMap::new(),
            usage: None,
            served: String::new(),
            fingerprint: String::new(),
            cost: None,
            ended: false,
            failed: None,
        }
    }

    /// What it cost, as far as it was told.
    pub(super) fn charge(&self) -> Charge {
        Charge { usage: self.usage, cost: self.cost }
    }

    /// Why a completion that came was not finished, once.
    pub(super) fn failure(&mut self) -> Option<Value> {
        self.failed.take()
    }

    pub(super) fn wire(&self) -> Wire {
        self.wire
    }

    /// Whether any generated text was seen, reasoning included.
    pub(super) fn begun(&self) -> bool {
        self.choices.values().any(Choice::begun)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.choices.is_empty()
    }

    /// Whether nothing was said: no text, no reason for an end.
    pub(super) fn says_nothing(&self) -> bool {
        self.choices.values().all(|c| !c.begun() && c.finish.is_empty() && c.refusal.is_empty())
    }

    /// Whether every completion wanted has said why it ended.
    pub(super) fn all_finished(&self) -> bool {
        self.choices.len() as u64 >= u64::from(self.wanted) && self.none_open()
    }

    /// Whether every completion that came has said why it ended.
    pub(super) fn none_open(&self) -> bool {
        self.choices.values().all(|c| !c.finish.is_empty())
    }

    pub(super) fn is_too_long(&self) -> bool {
        self.choices.values().any(|c| c.text.len().saturating_add(c.reasoning.len()) > MAX_TEXT)
    }

    pub(super) fn count(&self) -> usize {
        self.choices.len()
    }

    pub(super) fn has_logprobs(&self) -> bool {
        self.choices.values().any(|c| !c.tokens.is_empty())
    }

    /// What had come of the first completion that has words: together they would read as one.
    pub(super) fn partial(&self) -> String {
        let mut texts = self.choices.values().map(|choice| &choice.text);
        texts.find(|text| !text.trim().is_empty()).cloned().unwrap_or_default()
    }

    /// The completion of an index, begun if it was not.
    pub(super) fn choice(&mut self, index: u32) -> &mut Choice {
        self.choices.entry(index).or_default()
    }

    pub(super) fn serve(&mut self, model: Option<&Value>) {
        if let Some(model) = model.and_then(Value::as_str).filter(|m| !m.is_empty() && m.len() < 512) {
            model.clone_into(&mut self.served);
        }
    }

    /// Takes in an object of a stream (`whole` false) or a whole answer. New text and reasoning go to `piece`.
    pub(super) fn take(&mut self, object: &Value, whole: bool, mut piece: impl FnMut(u32, Piece, &str)) {
        match self.wire {
            Wire::OpenAi => self.take_openai(object, whole, &mut piece),
            Wire::Anthropic => anthropic::take(self, object, &mut piece),
            Wire::Ollama => ollama::take(self, object, &mut piece),
        }
    }

    fn take_openai(&mut self, object: &Value, whole: bool, piece: &mut impl FnMut(u32, Piece, &str)) {
        self.serve(object.get("model"));
        if let Some(mark) = object.get("system_fingerprint").and_then(Value::as_str) {
            mark.clone_into(&mut self.fingerprint);
        }
        if let Some(reported) = object.get("usage") {
            self.usage = Usage::of_chat(reported).or(self.usage);
            self.cost = reported.get("cost").and_then(Value::as_f64).filter(|c| *c >= 0.0).or(self.cost);
        }
        let Some(choices) = object.get("choices").and_then(Value::as_array) else { return };
        for (position, choice) in choices.iter().enumerate() {
            let position = u32::try_from(position).unwrap_or(u32::MAX);
            let stated = choice.get("index").and_then(Value::as_u64).and_then(|i| u32::try_from(i).ok());
            // In a whole answer the order counts: some servers number every choice 0.
            let index = if whole { position } else { stated.unwrap_or(position) };
            if index >= self.wanted || !choice.is_object() {
                continue;
            }
            self.choice(index).take(index, choice, piece);
            let word = choice.get("finish_reason").filter(|w| w.as_str().is_some_and(|w| UNFINISHED.contains(&w)));
            if let Some(why) = choice.get("error").filter(|e| !e.is_null()).or(word) {
                self.failed = Some(why.clone());
            }
        }
    }

    /// The text has ended: what was held back is emitted.
    pub(super) fn close(&mut self, mut piece: impl FnMut(u32, Piece, &str)) {
        for (index, choice) in &mut self.choices {
            choice.close(*index, &mut piece);
        }
    }

    pub(super) fn finish(mut self) -> Vec<Completion> {
        self.close(|_, _, _| {});
        self.choices.into_values().map(Choice::finish).collect()
    }
}

impl Choice {
    fn begun(&self) -> bool {
        !self.text.is_empty() || !self.reasoning.is_empty() || !self.thoughts.is_blank()
    }

    /// More of the answer, with reasoning perhaps marked in it.
    pub(super) fn say(&mut self, index: u32, text: &str, piece: &mut impl FnMut(u32, Piece, &str)) {
        let Choice { thoughts, text: own, reasoning, .. } = self;
        if !text.is_empty() {
            thoughts.push(text, |what, new| put(own, reasoning, index, what, new, piece));
        }
    }

    pub(super) fn say_raw(&mut self, index: u32, text: &str, piece: &mut impl FnMut(u32, Piece, &str)) {
        self.raw = true;
        put(&mut self.text, &mut self.reasoning, index, Piece::Text, text, piece);
    }

    /// More of what comes before the answer.
    pub(super) fn reason(&mut self, index: u32, text: &str, piece: &mut impl FnMut(u32, Piece, &str)) {
        put(&mut self.text, &mut self.reasoning, index, Piece::Reasoning, text, piece);
    }

    pub(super) fn end(&mut self, reason: &str) {
        stepwright_wire::finish(reason).clone_into(&mut self.finish);
    }

    /// A token with its log-probability and the alternatives.
    pub(super) fn token(&mut self, entry: &Value) {
        let top = entry.get("top_logprobs").and_then(Value::as_array).into_iter().flatten();
        let top = top.filter_map(|t| Some((t.get("token")?.as_str()?.to_owned(), t.get("logprob")?.as_f64()?)));
        self.push(entry.get("token"), entry.get("logprob"), top.collect());
    }

    fn take(&mut self, index: u32, choice: &Value, piece: &mut impl FnMut(u32, Piece, &str)) {
        let part = [choice.get("delta"), choice.get("message")].into_iter().flatten().find(|p| p.is_object());
        if let Some(part) = part {
            // Some servers send the same under both names.
            let reasoning = ["reasoning_content", "reasoning"].iter().filter_map(|name| part.get(*name)?.as_str());
            let reasoning = reasoning.into_iter().find(|text| !text.is_empty());
            self.reason(index, reasoning.unwrap_or_default(), piece);
            if let Some(refusal) = part.get("refusal").and_then(Value::as_str) {
                self.refusal.push_str(refusal);
            }
        }
        if let Some(Content { text, thought }) = part.and_then(|p| content(p.get("content"))) {
            self.reason(index, &thought, piece);
            self.say(index, &text, piece);
        } else if let Some(Content { text, .. }) = content(choice.get("text")) {
            self.say_raw(index, &text, piece);
        }
        if let Some(finish) = choice.get("finish_reason").and_then(Value::as_str).filter(|f| !f.is_empty()) {
            self.end(finish);
        }
        if let Some(logprobs) = choice.get("logprobs") {
            self.take_logprobs(logprobs);
        }
    }

    fn take_logprobs(&mut self, logprobs: &Value) {
        if let Some(content) = logprobs.get("content").and_then(Value::as_array) {
            content.iter().for_each(|entry| self.token(entry));
        } else if let Some(tokens) = logprobs.get("tokens").and_then(Value::as_array) {
            let list = |name: &str| logprobs.get(name).and_then(Value::as_array);
            let (values, tops) = (list("token_logprobs"), list("top_logprobs"));
            for (i, token) in tokens.iter().enumerate() {
                let top = tops.and_then(|t| t.get(i)?.as_object()).into_iter().flatten();
                let top = top.filter_map(|(token, logprob)| Some((token.clone(), logprob.as_f64()?)));
                self.push(Some(token), values.and_then(|v| v.get(i)), top.collect());
            }
        }
    }

    fn push(&mut self, token: Option<&Value>, logprob: Option<&Value>, top: Vec<(String, f64)>) {
        match (token.and_then(Value::as_str), logprob.and_then(Value::as_f64)) {
            (Some(token), Some(logprob)) => {
                self.tokens.push(TokenLogprob { token: token.to_owned(), logprob, top });
            }
            _ => self.gap = true,
        }
    }

    fn close(&mut self, index: u32, piece: &mut impl FnMut(u32, Piece, &str)) {
        let Choice { thoughts, text, reasoning, .. } = self;
        thoughts.end(|what, new| put(text, reasoning, index, what, new, piece));
    }

    fn finish(mut self) -> Completion {
        // As the other interfaces' word for it (`stop_reason` is `refusal`): it is no completion.
        if !self.refusal.is_empty() {
            let text = if self.text.is_empty() { self.refusal } else { self.text };
            let finish = stepwright_wire::finish("refusal").to_owned();
            return Completion { text, finish, reasoning: self.reasoning, ..Completion::default() };
        }
        if let Some((thought, answer)) = headless(&self.text).filter(|_| !self.raw && self.reasoning.is_empty()) {
            (self.reasoning, self.text) = (thought.to_owned(), answer.to_owned());
        }
        let tokens = if self.gap { Vec::new() } else { of_answer(self.tokens, &self.text, !self.reasoning.is_empty()) };
        Completion { text: self.text, finish: self.finish, tokens, reasoning: self.reasoning }
    }
}

fn put(
    text: &mut String,
    reasoning: &mut String,
    index: u32,
    what: Piece,
    new: &str,
    piece: &mut impl FnMut(u32, Piece, &str),
) {
    if new.is_empty() {
        return;
    }
    match what {
        Piece::Text => text.push_str(new),
        Piece::Reasoning => reasoning.push_str(new),
    }
    piece(index, what, new);
}

/// The tokens of the answer where those of the reasoning came before them; none if the two cannot be distinguished.
fn of_answer(mut tokens: Vec<TokenLogprob>, text: &str, reasoned: bool) -> Vec<TokenLogprob> {
    let whole: usize = tokens.iter().map(|t| t.token.len()).sum();
    if !reasoned || whole == text.len() {
        return tokens;
    }
    let mut before = whole.saturating_sub(text.len());
    let first = tokens.iter().position(|token| {
        let found = before == 0;
        before = before.saturating_sub(token.token.len());
        found
    });
    let answer = tokens.split_off(first.unwrap_or(tokens.len()));
    let same = answer.iter().map(|t| t.token.as_str()).collect::<String>() == text;
    if same { answer } else { Vec::new() }
}

#[derive(Default)]
struct Content {
    text: String,
    thought: String,
}

/// Content as a text, or as a list of parts with texts.
fn content(value: Option<&Value>) -> Option<Content> {
    let text = |part: &Value| part.get("text").and_then(Value::as_str).or_else(|| part.as_str()).map(str::to_owned);
    let parts = match value? {
        Value::String(text) => return Some(Content { text: text.clone(), ..Content::default() }),
        Value::Array(parts) => parts,
        _ => return None,
    };
    let mut content = Content::default();
    for part in parts {
        match part.get("thinking") {
            Some(Value::Array(inner)) => content.thought.extend(inner.iter().filter_map(text)),
            Some(inner) => content.thought.push_str(inner.as_str().unwrap_or_default()),
            None => content.text.extend(text(part)),
        }
    }
    Some(content)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(objects: &[Value], whole: bool, wanted: u32) -> (Vec<Completion>, Option<Usage>) {
        let mut answer = Answer::new(Wire::OpenAi, wanted);
        for object in objects {
            answer.take(object, whole, |_, _, _| {});
        }
        let usage = answer.usage;
        (answer.finish(), usage)
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
        assert_eq!(usage, Some(Usage::new(3, 2)));
        assert_eq!(completions[0].reasoning, "hm");
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
        assert_eq!(chat.iter().map(Completion::is_cut).collect::<Vec<_>>(), [false, false, true], "a refusal is none");
        assert_eq!(chat[2].finish, "content_filter");
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
            "choices", "delta", "index", "text", "content", "logprobs", "tokens", "usage", "finish_reason", "message",
            "type", "delta", "done", "x",
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
            for wire in [Wire::OpenAi, Wire::Anthropic, Wire::Ollama] {
                let mut answer = Answer::new(wire, wanted);
                let mut streamed = String::new();
                for object in &objects {
                    answer.take(&json!({"choices": [object]}), false, |_, _, t| streamed.push_str(t));
                    answer.take(object, false, |_, _, t| streamed.push_str(t));
                }
                answer.close(|_, _, t| streamed.push_str(t));
                let total: usize = answer.choices.values().map(|c| c.text.len() + c.reasoning.len()).sum();
                prop_assert_eq!(total, streamed.len());
                prop_assert!(answer.finish().len() <= wanted as usize);
            }
        }
    }
}
