//! Masking of a provider's answers: whatever a server sends back of the keys it was sent, whole, in part or encoded, is masked in every
//! event and every text before it is shown, kept or recorded.

use std::collections::BTreeMap;

use reqwest::Url;
use secrecy::ExposeSecret;
use stepwright_secret::{Mask, Pieces, is_secret_name};
use tokio::sync::mpsc::UnboundedSender;

use super::options::Options;
use crate::{Completion, ModelError, ModelResponse, StreamEvent};

/// The keys that a model's requests carry: the key, headers and queries with a name of a secret, the password of its address.
pub(super) fn mask(options: &Options, base: &Url) -> Mask {
    let headers = options.headers.iter().filter(|(name, _)| is_secret_name(name)).map(|(_, value)| value);
    let sent = options.api_key.iter().chain(headers).map(ExposeSecret::expose_secret);
    // A header's value may begin with a word that is no secret: `Bearer`.
    let mut keys: Vec<String> = sent.flat_map(str::split_whitespace).map(str::to_owned).collect();
    keys.extend(base.password().map(str::to_owned));
    keys.extend(base.query_pairs().filter(|(name, _)| is_secret_name(name)).map(|(_, value)| value.into_owned()));
    Mask::new(keys.iter().map(String::as_str))
}

/// The way of an answer's events to those who watch it.
pub(super) struct Watched<'a> {
    mask: &'a Mask,
    to: &'a UnboundedSender<StreamEvent>,
    /// The texts that arrive, by completion and whether they are reasoning.
    texts: BTreeMap<(u32, bool), Pieces<'a>>,
}

impl<'a> Watched<'a> {
    pub(super) fn new(mask: &'a Mask, to: &'a UnboundedSender<StreamEvent>) -> Self {
        Watched { mask, to, texts: BTreeMap::new() }
    }

    /// Passes an event on. Text that may become a key waits for what follows.
    pub(super) fn pass(&mut self, event: StreamEvent) {
        let event = match event {
            StreamEvent::Delta { index, text } => return self.text(index, false, &text),
            StreamEvent::Reasoning { index, text } => return self.text(index, true, &text),
            StreamEvent::Void { from } => {
                self.texts.retain(|(index, _), _| *index < from);
                StreamEvent::Void { from }
            }
            StreamEvent::Remark { text, warning } => StreamEvent::Remark { text: self.mask.masked(&text), warning },
            StreamEvent::Retrying { attempt, wait, why } => {
                StreamEvent::Retrying { attempt, wait, why: self.mask.masked(&why) }
            }
        };
        // It is no error if nobody watches.
        let _ = self.to.send(event);
    }

    pub(super) fn end(mut self) {
        for ((index, reasoning), mut pieces) in std::mem::take(&mut self.texts) {
            let rest = pieces.end();
            self.send(index, reasoning, rest);
        }
    }

    fn text(&mut self, index: u32, reasoning: bool, text: &str) {
        let mask = self.mask;
        let out = self.texts.entry((index, reasoning)).or_insert_with(|| mask.pieces()).push(text);
        self.send(index, reasoning, out);
    }

    fn send(&self, index: u32, reasoning: bool, text: String) {
        if !text.is_empty() {
            let event =
                if reasoning { StreamEvent::Reasoning { index, text } } else { StreamEvent::Delta { index, text } };
            let _ = self.to.send(event);
        }
    }
}

pub(super) fn response(mask: &Mask, answer: Result<ModelResponse, ModelError>) -> Result<ModelResponse, ModelError> {
    match answer {
        Ok(mut response) => {
            response.completions = completions(mask, std::mem::take(&mut response.completions));
            response.served = mask.masked(&response.served);
            Ok(response)
        }
        Err(ModelError::Broken { endpoint, message, partial }) => {
            Err(ModelError::Broken { endpoint, message: mask.masked(&message), partial: mask.masked(&partial) })
        }
        Err(ModelError::After { error, charge, mut last }) => {
            last.served = mask.masked(&last.served);
            response(mask, Err(*error)).map_err(|error| error.after(charge, *last))
        }
        other => other,
    }
}

/// Completions without keys. Where a text changes, its tokens are given up: they would spell the key.
pub(super) fn completions(mask: &Mask, completions: Vec<Completion>) -> Vec<Completion> {
    let masked = |mut completion: Completion| {
        let spelt: String = completion.tokens.iter().map(|token| token.token.as_str()).collect();
        let text = mask.masked(&completion.text);
        if text != completion.text || mask.masked(&spelt) != spelt {
            completion.tokens = Vec::new();
            completion.text = text;
        }
        completion.reasoning = mask.masked(&completion.reasoning);
        completion.finish = mask.masked(&completion.finish);
        completion
    };
    completions.into_iter().map(masked).collect()
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;

    const KEY: &str = "sk-proj-Zx81QpLm77Vb_2aT";

    #[test]
    fn a_key_that_arrives_in_pieces_is_shown_to_nobody() {
        let mask = Mask::new([KEY]);
        let (to, mut seen) = unbounded_channel();
        let mut watched = Watched::new(&mask, &to);
        for (at, piece) in KEY.as_bytes().chunks(3).enumerate() {
            let text = String::from_utf8_lossy(piece).into_owned();
            let index = 1;
            watched.pass(if at % 5 == 4 {
                StreamEvent::Remark { text: format!("it said {KEY}"), warning: false }
            } else {
                StreamEvent::Delta { index, text: text.clone() }
            });
            watched.pass(StreamEvent::Reasoning { index, text });
        }
        watched.pass(StreamEvent::Delta { index: 0, text: "the end is s".to_owned() });
        watched.end();
        let (mut texts, mut all) = (BTreeMap::<(u32, bool), String>::new(), String::new());
        while let Ok(event) = seen.try_recv() {
            all.push_str(&format!("{event:?}"));
            match event {
                StreamEvent::Delta { index, text } => texts.entry((index, false)).or_default().push_str(&text),
                StreamEvent::Reasoning { index, text } => texts.entry((index, true)).or_default().push_str(&text),
                _ => {}
            }
        }
        assert_eq!(texts[&(0, false)], "the end is s");
        assert_eq!(texts[&(1, true)], "[key]");
        assert!(texts[&(1, false)].starts_with("[key]"), "{texts:?}");
        assert!(!KEY.as_bytes().windows(8).any(|run| all.contains(std::str::from_utf8(run).unwrap())), "{all}");
    }

    #[test]
    fn what_changes_loses_its_tokens_and_nothing_else_does() {
        let mask = Mask::new([KEY]);
        let token = |text: &str| stepwright_episode::TokenLogprob { token: text.to_owned(), ..Default::default() };
        let plain = Completion { tokens: vec![token("go")], ..Completion::whole("go") };
        let telling = Completion { tokens: vec![token(KEY)], ..Completion::whole(format!("it is {KEY}")) };
        let out = completions(&mask, vec![plain.clone(), telling]);
        assert_eq!(out, [plain, Completion::whole("it is [key]")]);
    }
}
