//! What this crate's models make of servers that misbehave; the program's own view of them is in `tests/it/exchanges`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking, as tests do"
)]

#[allow(dead_code, reason = "it serves the tests of the whole program as well")]
#[path = "../../../tests/support/server.rs"]
mod server;

use std::time::Duration;

use serde_json::{Value, json};
use server::{END, Server, Step, delta, good, send, stream_head};
use stepwright_model::remote::{Options, Remote, Wire};
use stepwright_model::{
    Charge, LanguageModel, ModelError, ModelRequest, ModelResponse, PromptMessage, Relayed, StreamEvent, Usage,
};
use stepwright_wire::Api;
use tokio_util::sync::CancellationToken;

fn request() -> ModelRequest {
    let messages = vec![PromptMessage { role: "user".into(), text: "next?".into() }];
    ModelRequest { messages, max_tokens: 64, ..ModelRequest::default() }
}

fn options(server: &Server, wire: Wire) -> Options {
    let url = if wire == Wire::Ollama { server.url.trim_end_matches("/v1") } else { &server.url };
    Options { wire, backoff: Duration::from_millis(5), retries: 2, ..Options::new(url, "m") }
}

async fn ask(options: Options, request: &ModelRequest) -> (Result<ModelResponse, ModelError>, Vec<StreamEvent>) {
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let (model, cancel) = (Remote::new(options).unwrap(), CancellationToken::new());
    let answer = tokio::time::timeout(Duration::from_secs(20), model.complete(request, &sender, &cancel));
    let answer = answer.await.expect("it hangs");
    drop(sender);
    let mut events = Vec::new();
    while let Some(event) = receiver.recv().await {
        events.push(event);
    }
    (answer, events)
}

/// What a program asks.
fn program() -> Value {
    json!({"model": "a", "messages": [{"role": "user", "content": "u"}]})
}

fn warnings(events: Vec<StreamEvent>) -> Vec<String> {
    let text = |event| if let StreamEvent::Remark { text, warning: true } = event { Some(text) } else { None };
    events.into_iter().filter_map(text).collect()
}

fn whole(body: &Value) -> Vec<Step> {
    vec![server::json(200, &body.to_string())]
}

/// A chat's answer that ends so, with what it cost.
fn ended(content: &str, finish: &str) -> Value {
    json!({"model": "m-real", "choices": [{"index": 0, "message": {"content": content}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 500, "cost": 0.25}})
}

fn charge(prompt: u64, completion: u64, cost: Option<f64>) -> Charge {
    Charge { usage: Some(Usage::new(prompt, completion)), cost }
}

#[tokio::test]
async fn answers_that_end_in_an_error_are_charged() {
    // Cut at every limit: the answer, and one more for each raise.
    let server = Server::answering(|_| whole(&ended("I will", "length")));
    let error = ask(options(&server, Wire::OpenAi), &request()).await.0.unwrap_err();
    assert_eq!((server.requests().len(), error.charge()), (3, charge(3000, 1500, Some(0.75))));
    assert_eq!(error.served(), "m-real", "who gave what is no completion");
    assert!(matches!(error.cause(), ModelError::Broken { partial, .. } if partial == "I will"), "{error:?}");
    assert!(error.is_of_service() && error.to_string().contains("raise max_tokens"), "{error}");

    // Cut, and then more tokens are refused.
    let refusal = r#"{"error": {"message": "max_tokens is too large: at most 64 tokens"}}"#;
    let mut answers = vec![whole(&ended("a", "length")), vec![server::json(400, refusal)]];
    answers.resize(4, vec![server::json(400, refusal)]);
    let server = Server::start(answers);
    let error = ask(options(&server, Wire::OpenAi), &request()).await.0.unwrap_err();
    assert_eq!(error.charge(), charge(1000, 500, Some(0.25)), "{error:?}");

    // An end that is none, each time it is tried again; and one that comes at last.
    let server = Server::answering(|_| whole(&ended("go", "error")));
    let error = ask(options(&server, Wire::OpenAi), &request()).await.0.unwrap_err();
    assert_eq!(error.charge(), charge(3000, 1500, Some(0.75)), "{error:?}");
    let server = Server::start(vec![whole(&ended("go", "error")), good("go")]);
    let answer = ask(options(&server, Wire::OpenAi), &request()).await.0.unwrap();
    assert_eq!((answer.usage, answer.cost), (Some(Usage::new(1007, 502)), Some(0.25)));

    // A prompt that was cut in silence.
    let cut = json!({"message": {"content": "go"}, "done": true, "prompt_eval_count": 4096, "eval_count": 3});
    let server = Server::answering(move |_| whole(&cut));
    let narrow = Options { num_ctx: Some(4096), ..options(&server, Wire::Ollama) };
    let error = ask(narrow, &request()).await.0.unwrap_err();
    assert!(matches!(error.cause(), ModelError::TooLong { context: Some(4096), .. }), "{error:?}");
    assert_eq!(error.charge(), charge(4096, 3, None));
}

/// Answers that were had before the one that is refused, where a server gives one at a time.
#[tokio::test]
async fn what_was_had_before_an_error_is_kept_and_the_error_said() {
    let relayed = Relayed { api: Api::Chat, body: program().to_string().into(), sender: 0 };
    for request in [request(), ModelRequest { relayed: Some(relayed), ..ModelRequest::default() }] {
        let server = Server::start(vec![whole(&ended("a", "stop")), vec![server::json(403, "{}")]]);
        let (answer, events) = ask(options(&server, Wire::OpenAi), &ModelRequest { n: 3, ..request }).await;
        let answer = answer.unwrap();
        assert_eq!((answer.completions.len(), answer.usage), (1, Some(Usage::new(1000, 500))));
        let said = warnings(events);
        assert!(
            said[0].starts_with("m: 1 of 3 completions came, and no more: http") && said[0].contains("403"),
            "{said:?}"
        );
        assert_eq!(said.len(), 1, "{said:?}");
    }
}

/// An error holds what was sent last, which is other than what was asked for.
#[tokio::test]
async fn a_request_that_failed_is_known_as_it_was_sent() {
    let server = Server::answering(|asked| vec![server::json(if asked.body["n"].is_null() { 403 } else { 400 }, "{}")]);
    let asked = ModelRequest { n: 4, logprobs: true, ..request() };
    let error = ask(options(&server, Wire::OpenAi), &asked).await.0.unwrap_err();
    let mut body = server.requests().pop().unwrap().body;
    body.as_object_mut().unwrap().remove("messages");
    assert_eq!((error.sent(), server.requests().len()), (&body, 2), "{error:?}");
    // What was not sent is not said to be.
    let error = ask(options(&server, Wire::OpenAi), &ModelRequest { n: 0, ..request() }).await.0.unwrap_err();
    assert!(error.sent().is_null(), "{error:?}");
}

#[tokio::test]
async fn an_answer_that_is_no_http_is_called_that() {
    for head in ["220 mail ready\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n"] {
        let server = Server::answering(move |_| vec![send(head)]);
        let error = ask(options(&server, Wire::OpenAi), &request()).await.0.unwrap_err();
        assert!(error.to_string().contains("is no valid HTTP (invalid "), "{error}");
    }
}

/// A stream that tells its usage and does not end.
fn endless() -> Vec<Step> {
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}});
    vec![stream_head(), send(&delta("go to")), send(&format!("data: {usage}\n\n")), Step::Hold]
}

#[tokio::test]
async fn an_answer_that_has_no_end_in_time_is_charged_and_what_came_of_it_is_kept() {
    let server = Server::start(vec![endless()]);
    let limit = Duration::from_millis(300);
    let error =
        ask(Options { answer_timeout: limit, ..options(&server, Wire::OpenAi) }, &request()).await.0.unwrap_err();
    let kept = matches!(error.cause(), ModelError::Broken { partial, message, .. } if partial == "go to" && message.contains("answer_timeout_s"));
    assert!(kept && error.charge() == charge(7, 2, None), "{error:?}");
}

/// Of several answers one at a time the first was had, and the next one told its usage, when a person cancelled.
#[tokio::test]
async fn what_was_spent_before_a_person_cancelled_is_charged() {
    let server = Server::start(vec![whole(&ended("a", "stop")), endless()]);
    let (model, cancel) = (Remote::new(options(&server, Wire::OpenAi)).unwrap(), CancellationToken::new());
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let (token, asked) = (cancel.clone(), ModelRequest { n: 2, ..request() });
    let asking = tokio::spawn(async move { model.complete(&asked, &sender, &token).await });
    while receiver.recv().await.is_some_and(|event| !matches!(event, StreamEvent::Delta { index: 1, .. })) {}
    tokio::time::sleep(Duration::from_millis(200)).await;
    cancel.cancel();
    let error = asking.await.unwrap().unwrap_err();
    assert_eq!((error.cause(), error.charge()), (&ModelError::Cancelled, charge(1007, 502, Some(0.25))));
}

fn events(pieces: &[Value], end: &str) -> Vec<Step> {
    let text: String = pieces.iter().map(|piece| format!("data: {piece}\n\n")).collect();
    vec![stream_head(), send(&delta("go to")), send(&text), send(end)]
}

#[tokio::test]
async fn half_an_answer_before_an_error_is_none() {
    let done = "data: [DONE]\n\n";
    for error in [
        json!({"text": "**NETWORK ERROR**", "error_code": 50002}),
        json!({"object": "error", "message": "worker died", "code": 500}),
        json!({"object": "error", "message": "slow down", "code": 42901}),
        json!({"error": {"message": "slow down", "type": "tokens", "code": "rate_limit_exceeded"}}),
    ] {
        let server = Server::start(vec![events(std::slice::from_ref(&error), done), good("look")]);
        let answer = ask(options(&server, Wire::OpenAi), &request()).await.0.unwrap();
        assert_eq!(answer.completions[0].text, "look", "it is asked for again: {error}");
    }
    // What does not pass is said, with the server's words and what came before them.
    for (error, words) in [
        (json!({"text": "no such model", "error_code": 40301}), "no such model"),
        (json!({"object": "error", "message": "bad request", "code": 400}), "bad request"),
        (json!({"object": "error", "message": "odd"}), "odd"),
    ] {
        let server = Server::start(vec![events(&[error], done)]);
        let error = ask(options(&server, Wire::OpenAi), &request()).await.0.unwrap_err();
        let said = matches!(error.cause(), ModelError::Broken { message, partial, .. } if message.contains(words) && partial == "go to");
        assert!(said, "{error:?}");
    }
    // A number that says that there is none.
    let fine = json!({"error_code": 0, "choices": [{"index": 0, "delta": {"content": " desk"}}]});
    let server = Server::start(vec![events(&[fine], END)]);
    let answer = ask(options(&server, Wire::OpenAi), &request()).await.0.unwrap();
    assert_eq!(answer.completions[0].text, "go to desk");
}

#[tokio::test]
async fn what_a_filter_stops_is_not_mended_by_more_tokens() {
    let server = Server::answering(|_| whole(&ended("I", "content_filter")));
    let error = ask(options(&server, Wire::OpenAi), &request()).await.0.unwrap_err();
    assert!(error.to_string().contains("filter") && !error.to_string().contains("raise max_tokens"), "{error}");
    assert_eq!(error.charge(), charge(1000, 500, Some(0.25)));
}

#[tokio::test]
async fn reasoning_beside_an_empty_field_is_kept() {
    let piece = json!({"choices": [{"index": 0, "delta": {"reasoning_content": "", "reasoning": "HM"}}]});
    let server = Server::start(vec![events(&[piece], END)]);
    let answer = ask(options(&server, Wire::OpenAi), &request()).await.0.unwrap();
    assert_eq!(answer.completions[0].reasoning, "HM");
}

#[tokio::test]
async fn a_compressed_error_is_unpacked_or_named_and_not_shown() {
    for (coding, why) in [("gzip", "no whole gzip"), ("br", "compressed (br)")] {
        let headers = format!("content-type: application/json\r\ncontent-encoding: {coding}\r\n");
        let server = Server::start(vec![vec![server::with_headers(400, &headers, "\u{1f}\u{8b}\u{8}{}")]]);
        let error = ask(options(&server, Wire::OpenAi), &request()).await.0.unwrap_err().to_string();
        assert!(error.contains("answered 400") && error.contains(why), "{error}");
        assert!(!error.contains("\\u{8b}"), "{error}");
    }
    // A block that is not packed: its length, that again with all bits turned, the text.
    let words = br#"{"error":{"message":"no such model"}}"#;
    let length = u8::try_from(words.len()).unwrap();
    let mut body = vec![1, length, 0, !length, 0xFF];
    body.extend(words);
    let head = format!(
        "HTTP/1.1 400 X\r\ncontent-encoding: deflate\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let server = Server::start(vec![vec![server::Step::Send([head.into_bytes(), body].concat())]]);
    let error = ask(options(&server, Wire::OpenAi), &request()).await.0.unwrap_err().to_string();
    assert!(error.contains("answered 400: no such model"), "{error}");
}

#[tokio::test]
async fn a_stream_that_comes_packed_is_read() {
    let events = "data: {\"choices\": [{\"index\": 0, \"delta\": {\"content\": \"go\"}, \"finish_reason\": \"stop\"}]}\n\ndata: [DONE]\n\n";
    let length = u16::try_from(events.len()).unwrap();
    // A head, then a block that is not packed, not the last: its length, that again with all bits turned, the text.
    let mut body = vec![0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF, 0];
    body.extend([length.to_le_bytes(), (!length).to_le_bytes()].concat());
    let (first, rest) = events.as_bytes().split_at(20);
    body.extend(first);
    let head =
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n";
    let steps = [[head.as_slice(), &body].concat(), rest.to_vec()].map(server::Step::Send);
    let server = Server::start(vec![steps.into()]);
    let answer = ask(options(&server, Wire::OpenAi), &request()).await.0.unwrap();
    assert_eq!(answer.completions[0].text, "go");
}

/// What is advised is a setting that there is.
#[tokio::test]
async fn a_programs_request_by_ollamas_own_interface_is_refused_with_the_settings_that_do() {
    let server = Server::answering(|_| whole(&json!({})));
    let relayed = Relayed { api: Api::Chat, body: program().to_string().into(), sender: 0 };
    let request = ModelRequest { relayed: Some(relayed), ..ModelRequest::default() };
    let error = ask(options(&server, Wire::Ollama), &request).await.0.unwrap_err().to_string();
    assert!(error.contains("provider = \"openai\"") && error.contains("/v1\"") && !error.contains("wire"), "{error}");
    assert!(server.requests().is_empty());
}

/// A program's request is waited for as one of our own: it is tried again while that may help, and for no longer than is set.
#[tokio::test]
async fn a_programs_request_is_tried_again_and_has_an_end() {
    let relayed = Relayed { api: Api::Chat, body: program().to_string().into(), sender: 0 };
    let request = ModelRequest { relayed: Some(relayed), ..ModelRequest::default() };
    let busy = || vec![server::with_headers(429, "retry-after: 0\r\n", r#"{"error": {"message": "slow down"}}"#)];
    let server = Server::start(vec![busy(), whole(&ended("go", "stop"))]);
    let (answer, events) = ask(options(&server, Wire::OpenAi), &request).await;
    assert_eq!((answer.unwrap().completions.len(), server.requests().len()), (1, 2));
    assert!(events.iter().any(|event| matches!(event, StreamEvent::Retrying { attempt: 2, .. })), "{events:?}");
    let server = Server::answering(move |_| busy());
    let error = ask(options(&server, Wire::OpenAi), &request).await.0.unwrap_err().to_string();
    assert!(error.contains("slow down, 3 times; try again later"), "{error}");
    let server = Server::answering(|_| vec![Step::Hold]);
    let limit = Duration::from_millis(100);
    let error = ask(Options { answer_timeout: limit, ..options(&server, Wire::OpenAi) }, &request).await.0.unwrap_err();
    assert!(error.to_string().contains("no end after 0.1 s"), "{error}");
}

/// Half of a pair of surrogates in what a program asks, or is answered, ends nothing; what is answered is the program's as it came.
#[tokio::test]
async fn a_programs_request_and_its_answer_may_hold_half_of_a_pair_of_surrogates() {
    let said = r#"{"choices":[{"message":{"content":"a \ud83d b"},"finish_reason":"stop"}]}"#;
    let server = Server::answering(move |_| vec![server::json(200, said)]);
    let body = r#"{"model":"a","messages":[{"role":"user","content":"a \ud83d b"}]}"#;
    let relayed = Relayed { api: Api::Chat, body: body.into(), sender: 0 };
    let request = ModelRequest { relayed: Some(relayed), ..ModelRequest::default() };
    let answer = ask(options(&server, Wire::OpenAi), &request).await.0.unwrap();
    assert_eq!(answer.completions[0].text, said);
    assert_eq!(server.requests()[0].body["messages"][0]["content"], "a \u{fffd} b");
    // One that refuses is known by its words.
    let server = Server::answering(|_| vec![server::json(400, r#"{"error":{"message":"bad \ud83d x"}}"#)]);
    let error = ask(options(&server, Wire::OpenAi), &request).await.0.unwrap_err().to_string();
    assert!(error.contains("bad \u{fffd} x") && !error.contains("message"), "{error}");
}

/// A program's request by another interface: what it asks is translated, and what cannot be is said once.
#[tokio::test]
async fn what_a_translated_request_loses_is_said_once() {
    let answer = json!({"id": "m", "type": "message", "role": "assistant", "model": "x", "stop_reason": "end_turn",
        "content": [{"type": "text", "text": "go"}], "usage": {"input_tokens": 5, "output_tokens": 2}});
    let server = Server::answering(move |_| whole(&answer));
    let body = json!({"model": "a", "temperature": 1.5, "stop": "END", "seed": 1, "messages": [{"role": "user", "content": "u"}]});
    let relayed = Relayed { api: Api::Chat, body: body.to_string().into(), sender: 0 };
    let model = Remote::new(options(&server, Wire::Anthropic)).unwrap();
    let request = ModelRequest { relayed: Some(relayed), ..ModelRequest::default() };
    let mut said = Vec::new();
    for _ in 0..2 {
        let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
        let answer = model.complete(&request, &sender, &CancellationToken::new()).await.unwrap();
        assert_eq!(answer.usage, Some(Usage::new(5, 2)));
        drop(sender);
        while let Some(event) = receiver.recv().await {
            said.extend(if let StreamEvent::Remark { text, warning: true } = event { Some(text) } else { None });
        }
    }
    let lost = "temperature 1.5 is sent as 1, the most that it takes; seed is left out";
    assert_eq!(said, [format!("m is asked by Messages what the program asks by Chat Completions: {lost}")]);
    let sent = server.requests()[0].body.clone();
    assert_eq!((&sent["temperature"], &sent["stop_sequences"]), (&json!(1.0), &json!(["END"])));
}
