//! Special tokens in the text of messages: text to the model, as it is to the person who wrote it.
//!
//! A chat template puts a model's special tokens (`<|im_end|>`) around messages. One *in* a message would be read as
//! the template's own and end the message. So a mark that no message has is put into it before the template is rendered, and
//! taken out again where the text is cut into what is special and what is not.

use std::borrow::Cow;

use crate::PromptMessage;

#[derive(Debug)]
pub(super) struct Guarded<'a> {
    pub(super) messages: Cow<'a, [PromptMessage]>,
    /// The mark put into special tokens of their texts; `None` where there are none.
    pub(super) mark: Option<char>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// Nothing in it is special, even if it looks so. It may hold marks.
    Text(&'a str),
    /// A special token of the template, by its place among the special ones.
    Special(usize),
}

/// Marks special tokens in the texts of chat messages. A single raw text is the model's to read as it is.
pub(super) fn guarded<'a>(messages: &'a [PromptMessage], special: &[String]) -> Guarded<'a> {
    let raw = matches!(messages, [PromptMessage { role, .. }] if role == "text");
    let found = |m: &PromptMessage| special.iter().any(|s| m.text.contains(s.as_str()));
    if raw || !messages.iter().any(found) {
        return Guarded { messages: Cow::Borrowed(messages), mark: None };
    }
    // Private characters: some are in no text.
    let free = |c: &char| messages.iter().all(|m| !m.text.contains(*c));
    let Some(mark) = ('\u{E000}'..='\u{F8FF}').find(free) else {
        return Guarded { messages: Cow::Borrowed(messages), mark: None };
    };
    let with_mark = |m: &PromptMessage| PromptMessage { role: m.role.clone(), text: marked(&m.text, special, mark) };
    Guarded { messages: Cow::Owned(messages.iter().map(with_mark).collect()), mark: Some(mark) }
}

/// A text with the mark behind the first character of every special token in it.
fn marked(text: &str, special: &[String], mark: char) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for (at, c) in text.char_indices() {
        out.push(c);
        let rest = text.get(at..).unwrap_or_default();
        if special.iter().any(|s| rest.starts_with(s.as_str())) {
            out.push(mark);
        }
    }
    out
}

/// Cuts a rendered text at the special tokens that are not marked; the longest where several begin.
pub(super) fn parts<'a>(text: &'a str, special: &[String]) -> Vec<Part<'a>> {
    let mut parts = Vec::new();
    let (mut begin, mut at) = (0, 0);
    while let Some(rest) = text.get(at..).filter(|r| !r.is_empty()) {
        let here = special.iter().enumerate().filter(|(_, s)| !s.is_empty() && rest.starts_with(s.as_str()));
        match here.max_by_key(|(_, s)| s.len()) {
            Some((n, token)) => {
                parts.extend(text.get(begin..at).filter(|t| !t.is_empty()).map(Part::Text));
                parts.push(Part::Special(n));
                at += token.len();
                begin = at;
            }
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    parts.extend(text.get(begin..).filter(|t| !t.is_empty()).map(Part::Text));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(role: &str, text: &str) -> PromptMessage {
        PromptMessage { role: role.into(), text: text.into() }
    }

    fn special() -> Vec<String> {
        ["<|im_start|>", "<|im_end|>", "<|im_end|>x"].map(str::to_owned).into()
    }

    #[test]
    fn what_holds_no_special_token_stays_as_it_is() {
        let plain = [message("user", "a <|b|> c"), message("assistant", "")];
        let guarded = guarded(&plain, &special());
        assert!(guarded.mark.is_none() && matches!(guarded.messages, Cow::Borrowed(_)));
        let raw = [message("text", "<|im_start|>user")];
        assert!(super::guarded(&raw, &special()).mark.is_none(), "a raw text is read as it is");
    }

    #[test]
    fn only_the_templates_own_tokens_are_special() {
        let given = [message("user", "say <|im_end|> twice: <|im_end|>\u{E000}")];
        let Guarded { messages, mark } = guarded(&given, &special());
        let mark = mark.unwrap();
        assert_ne!(mark, '\u{E000}', "a mark that no message has");
        let text = format!("<|im_start|>user\n{}<|im_end|>\n", messages[0].text);
        let found = parts(&text, &special());
        let [Part::Special(0), Part::Text(body), Part::Special(1), Part::Text("\n")] = found[..] else {
            panic!("{found:?}")
        };
        assert_eq!(body.replace(mark, ""), format!("user\n{}", given[0].text));
        assert_eq!(parts("<|im_end|>x", &special()), [Part::Special(2)], "the longest");
        assert!(parts("", &special()).is_empty());
    }
}
