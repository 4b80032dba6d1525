//! The OpenAI-compatible provider: its requests, its retries, its lessons from refusals, its reports.

use std::time::{Duration, Instant};

use crate::support::server::*;
use secrecy::SecretString;
use serde_json::{Value, json};
use stepwright::model::remote::{Api, LimitField, Options, Remote, Support};
use stepwright::model::{LanguageModel, ModelError, ModelRequest, ModelResponse, PromptMessage, StreamEvent};
use tokio_util::sync::CancellationToken;

fn chat() -> ModelRequest {
    let message = |role: &str, text: &str| PromptMessage { role: role.into(), text: text.into() };
    ModelRequest {
        messages: vec![message("system", "Be brief."), message("user", "next?")],
        max_tokens: 16,
        temperature: 0.5,
        ..ModelRequest::default()
    }
}

fn raw() -> ModelRequest {
    ModelRequest { messages: vec![PromptMessage { role: "text".into(), text: "agent.".into() }], ..chat() }
}

fn options(server: &Server) -> Options {
    let mut options = Options::new(&server.url, "m");
    options.backoff = Duration::from_millis(5);
    options.retries = 2;
    options
}

async fn ask(model: &Remote, request: &ModelRequest) -> (Result<ModelResponse, ModelError>, Vec<StreamEvent>) {
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let cancel = CancellationToken::new();
    let answer = tokio::time::timeout(Duration::from_secs(20), model.complete(request, &sender, &cancel));
    let answer = answer.await.expect("the provider hangs");
    drop(sender);
    let mut events = Vec::new();
    while let Some(event) = receiver.recv().await {
        events.push(event);
    }
    (answer, events)
}

async fn ask_once(server: &Server, request: &ModelRequest) -> (Result<ModelResponse, ModelError>, Vec<StreamEvent>) {
    ask(&Remote::new(options(server)).unwrap(), request).await
}

fn bodies(server: &Server) -> Vec<Value> {
    server.requests().into_iter().map(|r| r.body).collect()
}

fn raw_stream(text: &str) -> Vec<Step> {
    let event = json!({"choices": [{"index": 0, "text": text, "finish_reason": "stop"}]});
    vec![stream_head(), send(&format!("data: {event}\n\ndata: [DONE]\n\n"))]
}

#[tokio::test]
async fn the_bodies_are_exactly_these() {
    let server = Server::start(vec![good("a"), raw_stream("b"), whole("c")]);
    let mut full = chat();
    full.stop = vec!["\n".into()];
    full.seed = Some(7);
    full.logprobs = true;
    ask_once(&server, &full).await.0.unwrap();
    let mut raw = raw();
    raw.logprobs = true;
    raw.frequency_penalty = 0.15;
    raw.presence_penalty = 0.3;
    raw.top_p = Some(0.9);
    ask_once(&server, &raw).await.0.unwrap();
    let mut plain = options(&server);
    plain.stream = false;
    plain.limit_field = LimitField::MaxCompletionTokens;
    plain.omit = vec!["temperature".into()];
    ask(&Remote::new(plain).unwrap(), &chat()).await.0.unwrap();
    let messages = json!([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "next?"}]);
    assert_eq!(
        bodies(&server),
        [
            json!({"model": "m", "messages": messages, "max_tokens": 16, "temperature": 0.5, "stop": ["\n"], "seed": 7,
                "logprobs": true, "stream": true, "stream_options": {"include_usage": true}}),
            json!({"model": "m", "prompt": "agent.", "max_tokens": 16, "temperature": 0.5, "frequency_penalty": 0.15,
                "presence_penalty": 0.3, "top_p": 0.9, "logprobs": 1, "stream": true, "stream_options": {"include_usage": true}}),
            json!({"model": "m", "messages": messages, "max_completion_tokens": 16}),
        ]
    );
    let requests = server.requests();
    let paths: Vec<&str> = requests.iter().map(Received::path).collect();
    assert_eq!(paths, ["/v1/chat/completions", "/v1/completions", "/v1/chat/completions"]);
    assert!(!requests[0].head.to_ascii_lowercase().contains("authorization"), "there is no key to send");
}

#[tokio::test]
async fn passing_failures_are_tried_again_with_a_visible_wait() {
    for status in [408, 409, 429, 500, 502, 503, 504, 529] {
        let server = Server::start(vec![vec![json(status, "{\"error\":{\"message\":\"busy\"}}")], vec![], good("ok")]);
        let (answer, events) = ask_once(&server, &chat()).await;
        assert_eq!(answer.unwrap().completions[0].text, "ok", "{status}");
        let waits: Vec<&StreamEvent> = events.iter().filter(|e| matches!(e, StreamEvent::Retrying { .. })).collect();
        assert!(
            matches!(waits[0], StreamEvent::Retrying { attempt: 2, why, .. } if why == &format!("answered {status}: busy")),
            "{waits:?}"
        );
        assert!(matches!(waits[1], StreamEvent::Retrying { attempt: 3, why, .. } if why.contains("connection broke")));
    }
}

#[tokio::test]
async fn retry_after_is_respected_up_to_the_cap() {
    let busy = |after: &str| vec![with_headers(429, &format!("retry-after: {after}\r\n"), "{}")];
    let server = Server::start(vec![busy("1"), good("ok")]);
    let begun = Instant::now();
    let (answer, events) = ask_once(&server, &chat()).await;
    answer.unwrap();
    assert!(begun.elapsed() >= Duration::from_secs(1));
    assert!(matches!(events[0], StreamEvent::Retrying { wait, .. } if wait == Duration::from_secs(1)), "{events:?}");
    let server = Server::start(vec![busy("3600")]);
    let error = ask_once(&server, &chat()).await.0.unwrap_err().to_string();
    assert!(error.contains("3600 s") && error.contains("retry_cap_s"), "{error}");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn retries_end() {
    let server = Server::start(vec![vec![json(503, "Loading model")]; 9]);
    let error = ask_once(&server, &chat()).await.0.unwrap_err().to_string();
    assert_eq!(server.requests().len(), 3);
    assert!(error.contains("answered 503: Loading model, 3 times"), "{error}");
    // An error event before any text counts as the status it names.
    let event = "data: {\"error\":{\"code\":502,\"message\":\"no upstream\"}}\n\n";
    let server = Server::start(vec![vec![stream_head(), send(event)], vec![stream_head()], good("ok")]);
    assert_eq!(ask_once(&server, &chat()).await.0.unwrap().completions[0].text, "ok");
}

#[tokio::test]
async fn final_refusals_say_what_to_do_and_are_not_repeated() {
    for (status, body, want) in [
        (
            400,
            "{\"error\":{\"code\":400,\"message\":\"the request exceeds the available context size\"}}",
            "shorten the prompt",
        ),
        (401, "{\"error\":{\"message\":\"Incorrect API key\"}}", "set OPENAI_API_KEY"),
        (402, "{\"error\":{\"message\":\"more credits\"}}", "no money"),
        (403, "<html><head><title>Forbidden</title></head></html>", "a web page, not an API answer: \"Forbidden\""),
        (404, "", "stepwright models probe"),
        (413, "too big", "too long"),
        (422, "{\"detail\":[{\"msg\":\"field required\"}]}", "field required"),
        (
            429,
            "{\"error\":{\"code\":\"insufficient_quota\",\"message\":\"You exceeded your current quota\"}}",
            "no money",
        ),
        (301, "", "redirects"),
    ] {
        let server = Server::start(vec![vec![json(status, body)]]);
        let error = ask_once(&server, &chat()).await.0.unwrap_err();
        let refused = match &error {
            ModelError::Refused { status: s, .. } => *s == status,
            ModelError::TooLong { context: None, .. } => want == "shorten the prompt",
            _ => false,
        };
        assert!(refused, "{error:?}");
        let text = error.to_string();
        assert!(text.contains(want) && text.contains(&server.url), "{want:?} is not in {text}");
        assert_eq!(server.requests().len(), 1, "{text}");
    }
}

#[tokio::test]
async fn the_key_is_sent_and_never_shown() {
    let echo = "{\"error\":{\"message\":\"Incorrect key sk-secret-1 given\"}}";
    let server = Server::start(vec![vec![json(401, echo)], vec![json(400, "bad sk-secret-1")], vec![json(503, echo)]]);
    let mut options = options(&server);
    options.api_key = Some(SecretString::from("sk-secret-1"));
    options.retries = 0;
    let model = Remote::new(options).unwrap();
    for want in ["Incorrect key [key] given; the key in OPENAI_API_KEY was not accepted", "bad [key]", "answered 503"] {
        let error = ask(&model, &chat()).await.0.unwrap_err();
        let text = format!("{error} {error:?} {model:?}");
        assert!(text.contains(want) && !text.contains("sk-secret"), "{text}");
    }
    assert!(server.requests()[0].head.to_ascii_lowercase().contains("authorization: bearer sk-secret-1"));
}

/// A server that says the key again, in pieces and encoded: nobody sees it, and the cassette does not hold it.
#[tokio::test]
async fn a_key_in_an_answer_is_masked_before_anything_sees_it() {
    const KEY: &str = "sk-proj-Zx81QpLm77Vb_2aT-9Kd";
    // base64 of the key, and its digits.
    let encoded = "c2stcHJvai1aeDgxUXBMbTc3VmJfMmFULTlLZA";
    let hex: String = KEY.bytes().map(|b| format!("{b:02x}")).collect();
    let mut script = vec![stream_head()];
    for text in [KEY, encoded, &hex, "the end"] {
        script.extend(text.as_bytes().chunks(5).map(|piece| send(&delta(std::str::from_utf8(piece).unwrap()))));
        script.push(send(&delta(" ")));
    }
    script.push(send(END));
    let server = Server::start(vec![script]);
    let mut options = options(&server);
    options.api_key = Some(SecretString::from(KEY));
    let folder = tempfile::tempdir().unwrap();
    let tape = folder.path().join("tape.jsonl");
    let model =
        stepwright::model::cassette::Recorder::new(std::sync::Arc::new(Remote::new(options).unwrap()), &tape).unwrap();
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let answer = model.complete(&chat(), &sender, &CancellationToken::new()).await.unwrap();
    drop(sender);
    let mut seen = String::new();
    while let Some(event) = receiver.recv().await {
        if let StreamEvent::Delta { text, .. } = event {
            seen.push_str(&text);
        }
    }
    assert_eq!(seen.trim(), "[key] [key] [key] the end");
    assert_eq!(answer.completions[0].text.trim(), seen.trim());
    let kept = std::fs::read_to_string(&tape).unwrap();
    assert!(
        kept.contains("the end")
            && !kept.contains("Zx81")
            && !kept.contains(&encoded[8..20])
            && !kept.contains(&hex[8..24]),
        "{kept}"
    );
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&tape).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[tokio::test]
async fn where_nobody_listens_the_address_is_reported() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let model = Remote::new(Options::new(format!("http://127.0.0.1:{port}"), "m")).unwrap();
    let error = ask(&model, &chat()).await.0.unwrap_err().to_string();
    assert!(
        error.contains(&format!("http://127.0.0.1:{port}/v1")) && error.contains("is the server running"),
        "{error}"
    );
}

#[tokio::test]
async fn several_completions_in_one_request_or_one_by_one() {
    let mut three = chat();
    three.n = 3;
    three.seed = Some(10);
    let event = |i: u32, text: &str| {
        format!("data: {}\n\n", json!({"choices": [{"index": i, "delta": {"content": text}, "finish_reason": "stop"}]}))
    };
    // Given at once.
    let all = format!("{}{}{}data: [DONE]\n\n", event(2, "c"), event(0, "a"), event(1, "b"));
    let server = Server::start(vec![vec![stream_head(), send(&all)]]);
    let texts = |r: &ModelResponse| r.completions.iter().map(|c| c.text.clone()).collect::<Vec<_>>();
    assert_eq!(texts(&ask_once(&server, &three).await.0.unwrap()), ["a", "b", "c"]);
    assert_eq!(bodies(&server)[0]["n"], 3);
    // The number is ignored, or refused.
    let refusal = vec![json(400, "{\"error\":{\"message\":\"Field 'n': Value must be between 1 <= value <= 1\"}}")];
    for first in [good("a"), refusal] {
        let refused = first.len() == 1;
        let mut scripts = vec![first, good("b"), good("c"), good("d")];
        scripts.extend([good("e"), good("f"), good("g")]);
        let server = Server::start(scripts);
        let model = Remote::new(options(&server)).unwrap();
        let (answer, events) = ask(&model, &three).await;
        let want = if refused { ["b", "c", "d"] } else { ["a", "b", "c"] };
        let answer = answer.unwrap();
        assert_eq!(texts(&answer), want);
        assert_eq!(answer.usage.unwrap().completion, 6, "usage is summed");
        let indices: Vec<u32> = events
            .iter()
            .filter_map(|e| if let StreamEvent::Delta { index, .. } = e { Some(*index) } else { None })
            .collect();
        assert_eq!(indices, [0, 1, 2]);
        let before = bodies(&server).len();
        let last = &bodies(&server)[before - 1];
        assert_eq!((last.get("n"), &last["seed"]), (None, &json!(12)), "each has a seed of its own");
        ask(&model, &three).await.0.unwrap();
        assert!(bodies(&server)[before].get("n").is_none(), "it is remembered");
    }
}

#[tokio::test]
async fn refused_fields_are_left_out_once_and_for_all() {
    let refuse = |field: &str| {
        let message =
            format!("Unsupported parameter: '{field}' is not supported with this model. Use another instead.");
        vec![json(400, &json!({"error": {"message": message, "param": field}}).to_string())]
    };
    let scripts = ["max_tokens", "stream_options", "logprobs", "seed"].map(refuse).into_iter();
    let server = Server::start(scripts.chain([good("ok"), good("again")]).collect());
    let model = Remote::new(options(&server)).unwrap();
    let mut request = chat();
    request.logprobs = true;
    request.seed = Some(1);
    let answer = ask(&model, &request).await.0.unwrap();
    assert!(answer.completions[0].mean_logprob().is_none());
    ask(&model, &request).await.0.unwrap();
    let bodies = bodies(&server);
    assert_eq!(bodies.len(), 6);
    let keys: Vec<&str> = bodies[5].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["model", "messages", "max_completion_tokens", "temperature", "stream"]);
    let server = Server::start(vec![refuse("max_tokens"), refuse("max_completion_tokens")]);
    assert!(ask_once(&server, &chat()).await.0.is_err(), "the name is changed once only");
}

#[tokio::test]
async fn raw_text_falls_back_to_chat_where_there_are_no_completions() {
    let refusal = "{\"error\":{\"message\":\"This is a chat model. Did you mean to use v1/chat/completions?\"}}";
    let server = Server::start(vec![vec![json(404, refusal)], good("goto(1)"), good("x")]);
    let model = Remote::new(options(&server)).unwrap();
    assert_eq!(ask(&model, &raw()).await.0.unwrap().completions[0].text, "goto(1)");
    ask(&model, &raw()).await.0.unwrap();
    let requests = server.requests();
    assert_eq!(requests[2].path(), "/v1/chat/completions", "it is remembered");
    let messages = &requests[1].body["messages"];
    assert!(messages[0]["content"].as_str().unwrap().contains("Continue the user's text"));
    assert_eq!(messages[1], json!({"role": "user", "content": "agent."}));
    // Asked for completions only, it says so instead.
    let server = Server::start(vec![vec![json(404, refusal)]]);
    let mut only = options(&server);
    only.api = Api::Completions;
    let error = ask(&Remote::new(only.clone()).unwrap(), &raw()).await.0.unwrap_err().to_string();
    assert!(error.contains("no legacy completions"), "{error}");
    // And sends chat messages as one text.
    let server = Server::start(vec![raw_stream("ok")]);
    only.base_url.clone_from(&server.url);
    ask(&Remote::new(only).unwrap(), &chat()).await.0.unwrap();
    assert_eq!(bodies(&server)[0]["prompt"], "Be brief.\n\nnext?");
}

#[tokio::test]
async fn impossible_requests_are_not_sent() {
    let server = Server::start(vec![]);
    let mut none = chat();
    none.n = 0;
    let mut mixed = chat();
    mixed.messages[1].role = "text".into();
    let empty = ModelRequest { messages: Vec::new(), ..chat() };
    for request in [none, mixed, empty] {
        assert!(matches!(ask_once(&server, &request).await.0, Err(ModelError::Configuration(_))));
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn probing_finds_what_an_endpoint_offers() {
    let logprobs = json!({"choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": "stop",
        "logprobs": {"content": [{"token": "a", "logprob": -0.1}]}}]});
    let server = Server::start(vec![
        vec![json(200, "{\"object\":\"list\",\"data\":[{\"id\":\"b\"},{\"id\":\"a\"},{}]}")],
        good("three"),
        vec![stream_head(), send(&format!("data: {logprobs}\n\ndata: [DONE]\n\n"))],
        good("one only"),
        vec![json(404, "{\"error\":\"no such route\"}")],
    ]);
    let model = Remote::new(options(&server)).unwrap();
    let found = model.probe(&CancellationToken::new()).await.unwrap();
    assert_eq!(found.models, Ok(vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!((&found.chat, &found.logprobs, &found.usage), (&Support::Yes, &Support::Yes, &Support::Yes));
    assert!(matches!(&found.several, Support::No(why) if why.contains("one by one")), "{found:?}");
    assert!(matches!(&found.completions, Support::No(why) if why.contains("no such route")), "{found:?}");
    let cancel = CancellationToken::new();
    cancel.cancel();
    assert_eq!(model.probe(&cancel).await, Err(ModelError::Cancelled));
}
