//! Failure of an attempt: the error a person would see, and what the provider may still do about it.

use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::options::Options;
use super::retry;
use crate::ModelError;

/// Longest text of a server that is shown, in characters.
const SHOWN: usize = 600;

#[derive(Debug)]
pub(super) struct Failure {
    /// The error for the person if nothing more is tried.
    pub(super) error: ModelError,
    /// May pass by itself: what to say while waiting.
    pub(super) passing: Option<Passing>,
    pub(super) refusal: Option<Refusal>,
}

#[derive(Debug)]
pub(super) struct Passing {
    pub(super) why: String,
    pub(super) after: Option<Duration>,
}

#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: u16,
    /// The request field the server blames.
    pub(super) param: Option<String>,
    pub(super) message: String,
}

impl Failure {
    pub(super) fn last(error: ModelError) -> Self {
        Failure { error, passing: None, refusal: None }
    }
}

/// The error object of a body, wherever the server put it: `{"error": {…}}`, `{"error": "…"}`, FastAPI's `{"detail": …}`, any of
/// them as the only one of a list (Gemini), or the body itself.
pub(super) fn error_object(body: &Value) -> &Value {
    let body = body.as_array().and_then(|list| list.first()).filter(|only| only.is_object()).unwrap_or(body);
    [body.get("error"), body.get("detail")].into_iter().flatten().find(|v| !v.is_null()).unwrap_or(body)
}

pub(super) fn words(error: &Value) -> String {
    if let Some(text) = error.as_str() {
        return text.to_owned();
    }
    // FastChat puts its words where text would be.
    let said = error.get("message").or_else(|| error.get("msg"));
    let mut text = match said.or_else(|| error.get("text").filter(|_| error.get("error_code").is_some())) {
        Some(Value::String(text)) => text.clone(),
        Some(other) if !other.is_null() => other.to_string(),
        _ => error.to_string(),
    };
    // OpenRouter wraps the upstream's words.
    if let Some(raw) = error.pointer("/metadata/raw").and_then(Value::as_str) {
        text.push_str(": ");
        text.push_str(raw);
    }
    text
}

/// Judges an answer whose status is no success. `shown` is the server's words, already cleaned.
pub(super) fn judge(
    options: &Options,
    endpoint: &str,
    status: u16,
    error: &Value,
    shown: String,
    after: Option<Duration>,
) -> Failure {
    let money = status == 402 || (status == 429 && retry::is_money(error, &shown));
    let message = if shown.is_empty() { "(no explanation)".to_owned() } else { shown.clone() };
    let advice = advice(options, status, money, &shown);
    let message = if advice.is_empty() { message } else { format!("{message}; {advice}") };
    let passing = (retry::is_passing(status) && !money)
        .then(|| Passing { why: format!("answered {status}: {}", short(&shown)), after });
    let param = error.get("param").and_then(Value::as_str).map(str::to_owned);
    let endpoint = endpoint.to_owned();
    let error = match too_long(status, error, &shown) {
        Some(context) => ModelError::TooLong { endpoint, message: format!("answered {status}: {message}"), context },
        None => ModelError::Refused { endpoint, status, message },
    };
    Failure { error, passing, refusal: Some(Refusal { status, param, message: shown }) }
}

/// Before the tokens that a model takes, in the words of those that state them.
const BEFORE_CONTEXT: [&str; 8] = [
    "maximum context length is",
    "maximum context length:",
    "maximum prompt length is",
    "maximum number of tokens allowed",
    "available context size",
    "context window of",
    "too large for model with",
    "while limit is",
];

/// Whether a refusal says that the prompt is too long, with the tokens the model takes where stated: llama.cpp in a field, others
/// in words (`maximum context length is 4096 tokens`, `prompt is too long: 208310 tokens > 200000 maximum`).
fn too_long(status: u16, error: &Value, shown: &str) -> Option<Option<u64>> {
    if !matches!(status, 400 | 413 | 422) {
        return None;
    }
    let is = |field: &str, word: &str| error.get(field).and_then(Value::as_str) == Some(word);
    let lower = shown.to_ascii_lowercase();
    let phrase = BEFORE_CONTEXT.iter().find_map(|p| lower.split_once(p));
    // Anthropic compares: what is sent, `>`, what it takes.
    let compared = ["prompt is too long", "exceed context limit"].iter().find_map(|p| lower.split_once(p));
    let number = |after: &str| -> Option<u64> {
        let digits = after.chars().skip_while(|c| matches!(c, ' ' | '(' | ':'));
        digits.take_while(char::is_ascii_digit).collect::<String>().parse().ok()
    };
    let stated = error.get("n_ctx").and_then(Value::as_u64);
    let stated = stated.or_else(|| number(phrase?.1)).or_else(|| number(compared?.1.split_once('>')?.1));
    let by_name = is("type", "exceed_context_size_error") || is("code", "context_length_exceeded");
    let in_words =
        lower.contains("context") && ["exceed", "greater than", "too long"].iter().any(|w| lower.contains(w));
    (by_name || phrase.is_some() || compared.is_some() || in_words).then_some(stated)
}

fn advice(options: &Options, status: u16, money: bool, shown: &str) -> String {
    let key = &options.api_key_env;
    match status {
        _ if money => "the account has no money or quota left: waiting does not help, check its billing page".into(),
        401 | 403 if options.api_key.is_none() && key.is_empty() => {
            "no key was sent: name the environment variable that holds it as api_key_env in config.toml".into()
        }
        401 | 403 if options.api_key.is_none() => {
            format!("no key was sent: set {key}, or name another variable as api_key_env in config.toml")
        }
        401 | 403 => format!("the key in {key} was not accepted: correct it, or name another variable as api_key_env"),
        404 => format!(
            "check base_url and the model's name {:?}; `stepwright models probe` lists the models there",
            options.model
        ),
        300..400 => "the server redirects: set base_url to the new address".into(),
        413 => "the prompt is too long for this server".into(),
        400 if shown.to_ascii_lowercase().contains("context") => {
            "shorten the prompt (fewer demonstrations), or use a model with a longer context".into()
        }
        _ => String::new(),
    }
}

/// Makes a server's words fit to show: the key blotted out, HTML reduced to its title, control characters visible, bounded.
pub(super) fn clean(text: &str, secrets: &[SecretString]) -> String {
    let text = redact(text, secrets);
    let trimmed = text.trim();
    let lower = trimmed.to_ascii_lowercase();
    let text = if lower.starts_with("<!doctype") || lower.starts_with("<html") {
        let title = lower.find("<title>").and_then(|start| {
            let start = start + "<title>".len();
            let end = lower.get(start..)?.find("</title>")?;
            trimmed.get(start..start + end)
        });
        format!("a web page, not an API answer: {:?}; check base_url", title.unwrap_or("no title").trim())
    } else {
        trimmed.to_owned()
    };
    let mut out = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == SHOWN {
            out.push('…');
            break;
        }
        match c {
            '\n' | '\t' => out.push(' '),
            c if c.is_control() => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    out
}

/// Blots out keys wherever they occur.
fn redact(text: &str, secrets: &[SecretString]) -> String {
    let secrets = secrets.iter().map(ExposeSecret::expose_secret).filter(|s| s.len() > 3);
    secrets.fold(text.to_owned(), |text, secret| text.replace(secret, "[key]"))
}

/// The first words, for the line that counts down.
pub(super) fn short(text: &str) -> String {
    let mut out: String = text.chars().take(80).collect();
    if out.len() < text.len() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_are_found_wherever_servers_put_them() {
        for (body, want) in [
            (json!({"error": {"message": "a"}}), "a"),
            (json!({"error": "b"}), "b"),
            (json!({"detail": "c"}), "c"),
            (json!({"message": "d"}), "d"),
            (json!({"error": {"message": "e", "metadata": {"raw": "f"}}}), "e: f"),
            (json!({"error": null, "detail": {"msg": "g"}}), "g"),
            (json!([1]), "[1]"),
            (json!([{"error": {"code": 400, "message": "h"}}]), "h"),
        ] {
            assert_eq!(words(error_object(&body)), want, "{body}");
        }
    }

    #[test]
    fn what_is_too_long_is_reported_with_the_length_where_it_is_known() {
        let llama = json!({"type": "exceed_context_size_error", "n_prompt_tokens": 9001, "n_ctx": 4096});
        assert_eq!(too_long(400, &llama, "request (9001 tokens) exceeds"), Some(Some(4096)));
        let openai = json!({"code": "context_length_exceeded"});
        let words = "This model's maximum context length is 8192 tokens. However, you requested 9001 tokens";
        assert_eq!(too_long(400, &openai, words), Some(Some(8192)));
        assert_eq!(too_long(400, &json!({}), "exceeds the available context size (2048 tokens)"), Some(Some(2048)));
        assert_eq!(too_long(400, &openai, "too long"), Some(None));
        for (words, context) in [
            ("prompt is too long: 208310 tokens > 200000 maximum", Some(200_000)),
            ("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease", Some(200_000)),
            ("This model's maximum prompt length is 131072 but the request contains 140000 tokens.", Some(131_072)),
            ("The prompt is too long: 140000, model maximum context length: 131071", Some(131_071)),
            (
                "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
                Some(1_048_576),
            ),
            ("Prompt contains 40000 tokens, too large for model with 32768 maximum context length", Some(32_768)),
            ("the input length exceeds the context length", None),
        ] {
            assert_eq!(too_long(400, &json!({}), words), Some(context), "{words}");
        }
        assert_eq!(too_long(400, &json!({}), "max_tokens: 9000 > 8192, which is the maximum allowed"), None);
        assert_eq!(too_long(400, &json!({}), "no such model"), None);
        assert_eq!(too_long(429, &llama, words), None);
    }

    #[test]
    fn texts_are_cleaned() {
        let key = [SecretString::from("sk-secret")];
        assert_eq!(clean(" bad key sk-secret\u{1b}[2J\n", &key), "bad key [key]\\u{1b}[2J");
        assert_eq!(
            clean("<!DOCTYPE html><TITLE>502 Bad Gateway</TITLE>…", &[]),
            "a web page, not an API answer: \"502 Bad Gateway\"; check base_url"
        );
        assert_eq!(clean(&"x".repeat(5000), &[]).chars().count(), SHOWN + 1);
    }
}
