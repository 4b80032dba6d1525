//! Stream reader, a response's bytes to an [`Answer`]: server-sent events, lines of JSON (Ollama), or one JSON object when a server
//! does not stream.
//!
//! The first byte decides which it is, not by the content type, which some servers get wrong. A stream that ends without a
//! mark of its end broke off: what came is no completion.

use std::time::Duration;

use eventsource_stream::{EventStream, EventStreamError};
use futures_util::{Stream, StreamExt, stream};
use serde_json::Value;
use stepwright_proxy::Unpacking;

use super::chunk::{Answer, Piece};
use super::failure::{error_object, words};
use super::http::{cause, unpacking, unreadable};
use super::options::Wire;

/// Most bytes of an answer.
const MAX_ANSWER: usize = 64 << 20;
/// Most bytes of one line of a stream.
const MAX_LINE: usize = 8 << 20;
/// Most bytes read of a web page that came instead of an answer.
const MAX_PAGE: usize = 64 << 10;
const NO_END: &str = "the stream ended without a mark of its end (if this server never marks it, set stream = false)";
/// The byte order mark in UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";
/// Most white space before an answer.
const MAX_BLANKS: usize = 1 << 20;
/// How long to wait for usage or the end mark once every completion has ended.
const GRACE: Duration = Duration::from_secs(2);

/// Why reading stopped before the answer's end.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Break {
    pub(super) message: String,
    /// Whether another attempt may go better.
    pub(super) passing: bool,
    /// The error the server reported in the stream, with its code if that is an HTTP status.
    pub(super) reported: Option<(Option<u16>, Value)>,
}

impl Break {
    fn last(message: impl Into<String>) -> Self {
        Break { message: message.into(), passing: false, reported: None }
    }

    fn passing(message: impl Into<String>) -> Self {
        Break { message: message.into(), passing: true, reported: None }
    }
}

/// The pieces of a response body with the limits on silence and size.
pub(super) fn pieces(response: reqwest::Response, idle: Duration) -> impl Stream<Item = Result<Vec<u8>, Break>> {
    struct State {
        response: reqwest::Response,
        unpacking: Result<Option<Unpacking>, String>,
        total: usize,
        ended: bool,
    }
    let state = State { unpacking: unpacking(&response), response, total: 0, ended: false };
    stream::unfold(state, move |mut s| async move {
        if s.ended {
            return None;
        }
        let unpacking = match &mut s.unpacking {
            Ok(unpacking) => unpacking,
            Err(why) => {
                let refused = Break::last(std::mem::take(why));
                s.ended = true;
                return Some((Err(refused), s));
            }
        };
        let piece = match tokio::time::timeout(idle, s.response.chunk()).await {
            Err(_) => Err(Break::last(format!(
                "nothing arrived for {} s; if the model is slow, raise idle_timeout_s in config.toml",
                idle.as_secs_f64()
            ))),
            Ok(Err(e)) => Err(Break::passing(format!("the connection broke: {}", cause(&e)))),
            Ok(Ok(None)) => return None,
            Ok(Ok(Some(bytes))) => match unpacking {
                Some(unpacking) => unpacking.piece(&bytes).map_err(|why| Break::last(unreadable(&why))),
                None => Ok(bytes.to_vec()),
            },
        };
        s.total = s.total.saturating_add(piece.as_ref().map_or(0, Vec::len));
        let piece = match piece {
            Ok(_) if s.total > MAX_ANSWER => {
                Err(Break::last(format!("the answer is longer than {} MiB", MAX_ANSWER >> 20)))
            }
            piece => piece,
        };
        s.ended = piece.is_err();
        Some((piece, s))
    })
}

/// Reads until the answer's end. `answer` keeps what arrived even when this fails.
pub(super) async fn read(
    pieces: impl Stream<Item = Result<Vec<u8>, Break>>,
    answer: &mut Answer,
    mut emit: impl FnMut(u32, Piece, &str),
) -> Result<(), Break> {
    let mut pieces = Box::pin(pieces);
    let (mut start, mut blanks) = (Vec::new(), 0);
    let first = loop {
        let piece = match pieces.next().await {
            Some(piece) => piece?,
            None => return Err(Break::passing("the answer is empty")),
        };
        start.extend(piece);
        // A byte order mark belongs to no format here, and the reader of events cannot pass over it.
        let bare = without_mark(&start);
        let passed = start.len() - bare.len();
        start.drain(..passed);
        blanks += passed;
        if let Some(first) = start.first().filter(|_| !MARK.starts_with(&start)) {
            break *first;
        }
        if blanks > MAX_BLANKS {
            return Err(Break::last("the answer begins with more blanks than any server sends"));
        }
    };
    if first == b'<' {
        // Some page of a proxy or a wrong address; its title says most.
        while let Some(Ok(piece)) = pieces.next().await {
            start.extend(piece);
            if start.len() > MAX_PAGE {
                break;
            }
        }
        return Err(Break::last(String::from_utf8_lossy(&start)));
    }
    let all = stream::once(std::future::ready(Ok(start))).chain(pieces);
    let read = if !matches!(first, b'{' | b'[') {
        // An event that the stream's end cuts short still counts: the line ends are supplied.
        let end = stream::once(std::future::ready(Ok(b"\n\n".to_vec())));
        read_events(whole_lines(line_feeds(all.chain(end))), answer, &mut emit).await
    } else if answer.wire() == Wire::Ollama && first == b'{' {
        let end = stream::once(std::future::ready(Ok(b"\n".to_vec())));
        read_lines(whole_lines(all.chain(end)), answer, &mut emit).await
    } else {
        read_object(all, answer, &mut emit).await
    };
    // What was held back is text as well, however the stream ended.
    answer.close(&mut emit);
    read?;
    if answer.is_empty() { Err(Break::last("the answer holds no completion")) } else { Ok(()) }
}

/// The text after white space and byte order marks.
fn without_mark(bytes: &[u8]) -> &[u8] {
    let mut bare = bytes.trim_ascii_start();
    while let Some(rest) = bare.strip_prefix(MARK) {
        bare = rest.trim_ascii_start();
    }
    bare
}

async fn read_object(
    pieces: impl Stream<Item = Result<Vec<u8>, Break>>,
    answer: &mut Answer,
    emit: &mut impl FnMut(u32, Piece, &str),
) -> Result<(), Break> {
    let mut pieces = Box::pin(pieces);
    let mut bytes = Vec::new();
    while let Some(piece) = pieces.next().await {
        bytes.extend(piece?);
    }
    let text = String::from_utf8_lossy(&bytes);
    let object: Value = serde_json::from_str(&text)
        .map_err(|e| Break::last(format!("the answer is no JSON ({e}): {}", super::failure::short(&text))))?;
    // Gemini puts its errors into a list.
    let only = object.as_array().and_then(|list| list.first()).unwrap_or(&object);
    if !only.is_object() {
        return Err(Break::last(format!("the answer is no object: {}", super::failure::short(&text))));
    }
    take(only, true, answer, emit)
}

/// Objects on separate lines, the last one marked as such.
async fn read_lines(
    lines: impl Stream<Item = Result<Vec<u8>, Break>>,
    answer: &mut Answer,
    emit: &mut impl FnMut(u32, Piece, &str),
) -> Result<(), Break> {
    let mut lines = Box::pin(lines);
    while let Some(some) = lines.next().await {
        let some = some?;
        for line in some.split(|b| *b == b'\n').map(<[u8]>::trim_ascii).filter(|l| !l.is_empty()) {
            let object: Value = serde_json::from_slice(line).map_err(|e| {
                let shown = String::from_utf8_lossy(line);
                Break::last(format!("the stream holds a line that is no JSON ({e}): {}", super::failure::short(&shown)))
            })?;
            take(&object, false, answer, emit)?;
            if answer.ended {
                return Ok(());
            }
        }
    }
    Err(Break::passing(NO_END))
}

/// Line ends of events, of which the specification has three, as LF alone: the event parser would wait for what follows a CR.
fn line_feeds(pieces: impl Stream<Item = Result<Vec<u8>, Break>>) -> impl Stream<Item = Result<Vec<u8>, Break>> {
    pieces.scan(false, |after_cr, piece| {
        let lines = piece.map(|mut bytes| {
            bytes.retain(|byte| !(std::mem::replace(after_cr, *byte == b'\r') && *byte == b'\n'));
            bytes.iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
            bytes
        });
        std::future::ready(Some(lines))
    })
}

/// Holds back what follows the last line end: the event parser would read an unfinished line again with every piece.
fn whole_lines(pieces: impl Stream<Item = Result<Vec<u8>, Break>>) -> impl Stream<Item = Result<Vec<u8>, Break>> {
    pieces.scan(Vec::new(), |held: &mut Vec<u8>, piece| {
        let lines = piece.and_then(|bytes| {
            let unfinished = bytes.iter().rposition(|b| *b == b'\n').map_or(bytes.len(), |at| bytes.len() - at - 1);
            held.extend_from_slice(&bytes);
            if unfinished < bytes.len() {
                let rest = held.split_off(held.len() - unfinished);
                return Ok(std::mem::replace(held, rest));
            }
            if held.len() > MAX_LINE {
                return Err(Break::last(format!("the stream holds a line longer than {} MiB", MAX_LINE >> 20)));
            }
            Ok(Vec::new())
        });
        std::future::ready(Some(lines))
    })
}

async fn read_events(
    bytes: impl Stream<Item = Result<Vec<u8>, Break>>,
    answer: &mut Answer,
    emit: &mut impl FnMut(u32, Piece, &str),
) -> Result<(), Break> {
    let mut events = Box::pin(EventStream::new(bytes));
    loop {
        let next = if answer.all_finished() {
            // Everything is there; only usage may follow. Nothing that happens now spoils the answer.
            match tokio::time::timeout(GRACE, events.next()).await {
                Ok(next) => next,
                Err(_) => return Ok(()),
            }
        } else {
            events.next().await
        };
        let event = match next {
            Some(Ok(event)) => event,
            None if answer.says_nothing() => return Err(Break::passing("the stream ended without a completion")),
            // Some servers send no end mark, but say why a completion ended; some ignore how many are wanted, and send one.
            None if answer.none_open() => return Ok(()),
            None => return Err(Break::passing(NO_END)),
            Some(Err(_)) if answer.all_finished() => return Ok(()),
            Some(Err(EventStreamError::Transport(broken))) => return Err(broken),
            Some(Err(EventStreamError::Utf8(_))) => {
                return Err(Break::last("the stream holds bytes that are no UTF-8"));
            }
            Some(Err(EventStreamError::Parser(_))) => return Err(Break::last("the stream holds a malformed line")),
        };
        let data = event.data.trim();
        if data == "[DONE]" {
            break;
        }
        if data.is_empty() || event.event == "ping" {
            continue;
        }
        let object: Value = match serde_json::from_str(data) {
            Ok(object) => object,
            Err(_) if event.event == "error" => serde_json::json!({ "error": data }),
            Err(e) => {
                let shown = super::failure::short(data);
                return Err(Break::last(format!("the stream holds an event that is no JSON ({e}): {shown}")));
            }
        };
        if event.event == "error" && object.get("error").is_none() {
            take(&serde_json::json!({ "error": object }), false, answer, emit)?;
        }
        take(&object, false, answer, emit)?;
        if answer.ended {
            break;
        }
    }
    Ok(())
}

fn take(
    object: &Value,
    whole: bool,
    answer: &mut Answer,
    emit: &mut impl FnMut(u32, Piece, &str),
) -> Result<(), Break> {
    if let Some(error) = error_of(object) {
        return Err(reported(error));
    }
    answer.take(object, whole, emit);
    match answer.failure() {
        Some(Value::String(word)) => {
            return Err(Break::passing(format!("the server could not finish it (finish_reason {word})")));
        }
        Some(error) => return Err(reported(&error)),
        None => {}
    }
    if answer.is_too_long() {
        return Err(Break::last("the answer is longer than any that is useful; lower max_tokens"));
    }
    Ok(())
}

/// The error that an object is: below `error`, or itself where a server says so of it (older releases of vLLM, FastChat).
fn error_of(object: &Value) -> Option<&Value> {
    let whole = object.get("object").and_then(Value::as_str) == Some("error");
    let coded = object.get("error_code").is_some_and(|code| !code.is_null() && *code != 0);
    let below = object.get("error").is_some_and(|e| !e.is_null());
    (whole || coded || below).then(|| error_object(object))
}

fn reported(error: &Value) -> Break {
    let number = |name: &str| error.get(name).and_then(|c| c.as_u64().or_else(|| c.as_str()?.parse().ok()));
    let status = ["code", "error_code", "status"].iter().find_map(|name| number(name)).and_then(status_of_code);
    let status = status.or_else(|| status_of(error));
    Break { message: words(error), passing: false, reported: Some((status, error.clone())) }
}

/// The status that a number stands for: itself, or the first digits of FastChat's five.
fn status_of_code(code: u64) -> Option<u16> {
    let status = match code {
        // What it says of models and parameters, the length of a prompt too, is no matter of permission.
        40_300..40_400 => 400,
        40_000..60_000 => code / 100,
        _ => code,
    };
    u16::try_from(status).ok().filter(|s| (400..600).contains(s))
}

/// The status that an error's type, or its code in words, stands for where it comes within a stream.
fn status_of(error: &Value) -> Option<u16> {
    ["type", "code"].iter().find_map(|name| status_of_word(error.get(*name)?.as_str()?))
}

fn status_of_word(word: &str) -> Option<u16> {
    Some(match word {
        "overloaded_error" => 529,
        "api_error" | "server_error" | "internal_server_error" => 500,
        "timeout_error" => 504,
        "rate_limit_error" | "rate_limit_exceeded" => 429,
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        _ => return None,
    })
}
