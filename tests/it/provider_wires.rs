//! Models that reason, Anthropic's Messages and Ollama's own interface, against servers that refuse and break as the real ones do;
//! and what all wire formats share: structured answers, headers, extra fields, proxies, vectors.

use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;
use serde_json::{Value, json};
use stepwright::model::embed;
use stepwright::model::remote::{Options, Remote, Think, Wire};
use stepwright::model::{
    LanguageModel, ModelError, ModelRequest, ModelResponse, PromptMessage, StreamEvent, Structure, Usage,
};
use stepwright_embed::Embedder;
use tokio_util::sync::CancellationToken;

use crate::support::server::*;

fn request() -> ModelRequest {
    let message = |role: &str, text: &str| PromptMessage { role: role.into(), text: text.into() };
    ModelRequest {
        messages: vec![message("system", "Be brief."), message("user", "next?")],
        max_tokens: 64,
        stop: vec!["\n\n".into()],
        seed: Some(3),
        logprobs: true,
        ..ModelRequest::default()
    }
}

fn options(server: &Server, wire: Wire) -> Options {
    let url = if wire == Wire::Ollama { server.url.trim_end_matches("/v1") } else { &server.url };
    Options { wire, backoff: Duration::from_millis(5), retries: 2, ..Options::new(url, "m") }
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

fn bodies(server: &Server) -> Vec<Value> {
    server.requests().into_iter().map(|r| r.body).collect()
}

fn remarks(events: &[StreamEvent]) -> Vec<(String, bool)> {
    let remark = |e: &StreamEvent| match e {
        StreamEvent::Remark { text, warning } => Some((text.clone(), *warning)),
        _ => None,
    };
    events.iter().filter_map(remark).collect()
}

fn refusal(message: &str, param: &str) -> Vec<Step> {
    vec![json(400, &json!({"error": {"message": message, "param": param}}).to_string())]
}

fn events(all: &[Value]) -> Vec<Step> {
    let event = |v: &Value| send(&format!("event: {}\ndata: {v}\n\n", v["type"].as_str().unwrap_or("x")));
    std::iter::once(stream_head()).chain(all.iter().map(event)).collect()
}

fn lines(all: &[Value]) -> Vec<Step> {
    std::iter::once(stream_head()).chain(all.iter().map(|v| send(&format!("{v}\n")))).collect()
}

#[tokio::test]
async fn a_reasoning_model_works_at_once() {
    let cut = json!({"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "length"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 64, "completion_tokens_details": {"reasoning_tokens": 64}}});
    let thought =
        json!({"model": "m-2026", "choices": [{"index": 0, "delta": {"reasoning_content": "the mug is near"}}]});
    let server = Server::start(vec![
        refusal(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            "max_tokens",
        ),
        refusal(
            "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
            "temperature",
        ),
        refusal("Unsupported parameter: 'stop' is not supported with this model.", "stop"),
        refusal("You are not allowed to request logprobs from this model", ""),
        vec![stream_head(), send(&format!("data: {cut}\n\ndata: [DONE]\n\n"))],
        vec![stream_head(), send(&format!("data: {thought}\n\n")), send(&delta("take mug")), send(END)],
        good("<think>\nno, the cup\n</think>\n\ntake cup"),
    ]);
    let model = Remote::new(options(&server, Wire::OpenAi)).unwrap();
    let (answer, seen) = ask(&model, &request()).await;
    let answer = answer.unwrap();
    assert_eq!(
        (answer.completions[0].text.as_str(), answer.completions[0].reasoning.as_str()),
        ("take mug", "the mug is near")
    );
    assert_eq!(answer.served, "m-2026");
    assert_eq!(answer.usage.unwrap().reasoning, 64, "what the cut answer spent counts");
    let sent = &bodies(&server)[5];
    assert!(sent["max_completion_tokens"].as_u64().unwrap() > 8_000, "{sent}");
    for field in ["temperature", "stop", "logprobs", "max_tokens"] {
        assert!(sent.get(field).is_none() && answer.sent.get(field).is_none(), "{field} in {sent}");
    }
    assert!(answer.sent.get("messages").is_none() && answer.sent["seed"] == 3);
    assert!(remarks(&seen).iter().any(|(text, _)| text.contains("takes no temperature")), "{seen:?}");
    assert!(seen.contains(&StreamEvent::Void { from: 0 }), "{seen:?}");
    // Reasoning within the text is separated as well, and never streamed as the answer.
    let (answer, seen) = ask(&model, &request()).await;
    let completion = answer.unwrap().completions.remove(0);
    assert_eq!((completion.text.as_str(), completion.reasoning.trim()), ("take cup", "no, the cup"));
    assert!(seen.contains(&StreamEvent::Delta { index: 0, text: "take cup".into() }), "{seen:?}");
}

#[tokio::test]
async fn an_answer_that_stays_cut_is_an_error() {
    let cut = |text: &str| {
        let whole = json!({"choices": [{"index": 0, "message": {"content": text}, "finish_reason": "length"}]});
        vec![json(200, &whole.to_string())]
    };
    let server = Server::start(vec![cut("agent.ta"), cut("agent.take("), cut("agent.take('m")]);
    let error = ask(&Remote::new(options(&server, Wire::OpenAi)).unwrap(), &request()).await.0.unwrap_err();
    let ModelError::Broken { message, partial, .. } = error else { panic!("{error}") };
    assert!(message.contains("finish_reason length") && message.contains("raise max_tokens"), "{message}");
    assert_eq!(partial, "agent.take('m");
    let limits: Vec<u64> = bodies(&server).iter().map(|b| b["max_tokens"].as_u64().unwrap()).collect();
    assert_eq!(limits, [64, 256, 1024]);
    // Whole completions are kept where others of the same ask are cut.
    let both = json!({"choices": [{"message": {"content": "a"}, "finish_reason": "stop"},
        {"message": {"content": "b"}, "finish_reason": "length"}]});
    let server = Server::start(vec![vec![json(200, &both.to_string())], cut("b"), cut("b")]);
    let two = ModelRequest { n: 2, ..request() };
    let answer = ask(&Remote::new(options(&server, Wire::OpenAi)).unwrap(), &two).await.0.unwrap();
    assert_eq!(answer.completions.iter().map(|c| c.text.as_str()).collect::<Vec<_>>(), ["a"]);
}

#[tokio::test]
async fn anthropics_messages() {
    let stream = [
        json!({"type": "message_start", "message": {"model": "claude-x", "usage":
            {"input_tokens": 10, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 90, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}),
        json!({"type": "ping"}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "x"}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "look"}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 42}}),
        json!({"type": "message_stop"}),
    ];
    let overloaded = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let broken: Vec<Value> = stream[..8].iter().cloned().chain([overloaded]).collect();
    let server = Server::start(vec![
        vec![json(529, "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}")],
        events(&broken),
        events(&stream[..8]),
    ]);
    let mut options = options(&server, Wire::Anthropic);
    options.api_key = Some(SecretString::from("sk-ant-1"));
    options.think = Think::Budget(2048);
    options.retries = 3;
    let error = ask(&Remote::new(Options { retries: 2, ..options.clone() }).unwrap(), &request()).await.0.unwrap_err();
    assert!(matches!(&error, ModelError::Broken { partial, .. } if partial == "look"), "{error}");
    let head = server.requests()[0].head.to_ascii_lowercase();
    assert!(head.contains("x-api-key: sk-ant-1") && head.contains("anthropic-version: 2023-06-01"), "{head}");
    assert!(!head.contains("authorization") && head.starts_with("post /v1/messages "), "{head}");

    let whole = json!({"type": "message", "model": "claude-x", "content": [{"type": "text", "text": "one"}],
        "stop_reason": "max_tokens", "usage": {"input_tokens": 1, "output_tokens": 64}});
    let deprecated = "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"`temperature` is deprecated for this model.\"}}";
    let server = Server::start(vec![
        vec![json(400, deprecated)],
        vec![json(200, &whole.to_string())],
        events(&stream),
        events(&stream),
    ]);
    options.base_url.clone_from(&server.url);
    options.think = Think::Auto;
    let (answer, _) = ask(&Remote::new(options).unwrap(), &ModelRequest { n: 2, ..request() }).await;
    let answer = answer.unwrap();
    assert_eq!(answer.completions.len(), 2, "one at a time");
    assert_eq!((answer.completions[0].text.as_str(), answer.completions[0].reasoning.as_str()), ("look", "hm"));
    assert_eq!((answer.completions[0].finish.as_str(), answer.served.as_str()), ("stop", "claude-x"));
    assert_eq!(answer.usage, Some(Usage { prompt: 2001, completion: 148, cached: 1800, reasoning: 0 }));
    let sent = bodies(&server);
    assert_eq!(
        sent[0],
        json!({"model": "m", "system": [{"type": "text", "text": "Be brief."}],
            "messages": [{"role": "user", "content": [{"type": "text", "text": "next?"}]}],
            "max_tokens": 64, "temperature": 0.0, "stream": true})
    );
    assert!(sent[1].get("temperature").is_none() && sent[2]["max_tokens"] == 256);
}

#[tokio::test]
async fn ollamas_own_interface() {
    let thinking =
        json!({"model": "qwen3", "message": {"role": "assistant", "content": "", "thinking": "so"}, "done": false});
    let text = json!({"model": "qwen3", "message": {"content": "look"}, "done": false,
        "logprobs": [{"token": "look", "logprob": -0.5, "top_logprobs": [{"token": "look", "logprob": -0.5}, {"token": "go", "logprob": -1.0}]}]});
    let end = json!({"model": "qwen3", "message": {"content": ""}, "done": true, "done_reason": "stop",
        "prompt_eval_count": 30, "eval_count": 5});
    let server = Server::start(vec![
        vec![json(400, "{\"error\":\"\\\"m\\\" does not support thinking\"}")],
        lines(&[thinking.clone(), text.clone()]),
        lines(&[thinking, text, end]),
        lines(&[json!({"response": "(1)", "done": true, "done_reason": "stop"})]),
        lines(&[json!({"message": {"content": "x"}, "done": true, "prompt_eval_count": 4096})]),
    ]);
    let mut options = options(&server, Wire::Ollama);
    options.think = Think::On;
    options.keep_alive = "10m".into();
    options.top_logprobs = 2;
    let model = Remote::new(options).unwrap();
    let (answer, seen) = ask(&model, &request()).await;
    let completion = answer.unwrap().completions.remove(0);
    assert_eq!((completion.text.as_str(), completion.reasoning.as_str()), ("look", "so"));
    assert_eq!((completion.tokens[0].logprob, completion.tokens[0].top[1].0.as_str()), (-0.5, "go"));
    assert!(remarks(&seen)[0].0.contains("takes no think"), "{seen:?}");
    let sent = bodies(&server);
    assert_eq!(sent[0]["think"], true);
    let messages = json!([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "next?"}]);
    assert_eq!(
        sent[2],
        json!({"model": "m", "messages": messages, "options": {"num_ctx": 4096, "num_predict": 64, "temperature": 0.0,
            "stop": ["\n\n"], "seed": 3}, "stream": true, "truncate": false, "shift": false, "logprobs": true,
            "top_logprobs": 2, "keep_alive": "10m"})
    );
    // A raw text goes to the interface for that, with a context that holds it.
    let raw = PromptMessage { role: "text".into(), text: "agent.go".repeat(4_000) };
    let (answer, _) = ask(&model, &ModelRequest { messages: vec![raw], ..request() }).await;
    assert_eq!(answer.unwrap().completions[0].text, "(1)");
    let last = server.requests().pop().unwrap();
    assert_eq!((last.path(), &last.body["raw"]), ("/api/generate", &json!(true)));
    let context = last.body["options"]["num_ctx"].as_u64().unwrap();
    assert!(context >= 32_000 / 3, "{context}");
    // A prompt that fills the context was cut.
    let small =
        Options { num_ctx: Some(4096), wire: Wire::Ollama, ..Options::new(server.url.trim_end_matches("/v1"), "m") };
    let error = ask(&Remote::new(small).unwrap(), &request()).await.0.unwrap_err();
    assert!(matches!(&error, ModelError::TooLong { context: Some(4096), .. }), "{error}");
}

#[tokio::test]
async fn ollamas_silent_cut_behind_openais_interface_is_said_loudly() {
    let answer = |tokens: u64| {
        let whole = json!({"system_fingerprint": "fp_ollama", "choices": [{"message": {"content": "a"}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": tokens, "completion_tokens": 1}});
        vec![json(200, &whole.to_string())]
    };
    let server = Server::start(vec![answer(9), answer(4_000)]);
    let model = Remote::new(options(&server, Wire::OpenAi)).unwrap();
    let notes = remarks(&ask(&model, &request()).await.1);
    assert!(notes[0].1 && notes[0].0.contains("4,096") && notes[0].0.contains("ollama/m"), "{notes:?}");
    let mut long = request();
    long.messages[1].text = "agent.goto('shelf 1')\n".repeat(4_000);
    let notes = remarks(&ask(&model, &long).await.1);
    assert!(notes[0].1 && notes[0].0.contains("CUT IN SILENCE"), "{notes:?}");
}

#[tokio::test]
async fn answers_are_held_to_a_form_where_the_server_can() {
    let held = good("{\"answer\": \"agent.go('shelf 1')\"}");
    let server = Server::start(vec![
        held,
        refusal("Unknown parameter: 'response_format'.", "response_format"),
        good("agent.look()"),
    ]);
    let model = Remote::new(options(&server, Wire::OpenAi)).unwrap();
    let one = Structure::OneOf(vec!["agent.go('shelf 1')".into(), "agent.look()".into()]);
    let asked = ModelRequest { structure: Some(one.clone()), ..request() };
    assert_eq!(ask(&model, &asked).await.0.unwrap().completions[0].text, "agent.go('shelf 1')");
    let sent = &bodies(&server)[0]["response_format"]["json_schema"];
    assert_eq!((&sent["schema"], &sent["strict"]), (&one.schema(), &json!(true)));
    assert_eq!(ask(&model, &asked).await.0.unwrap().completions[0].text, "agent.look()");
    let server = Server::start(vec![vec![json(500, "{}")]; 9]);
    for (wire, at) in [(Wire::Anthropic, "/output_config/format/schema"), (Wire::Ollama, "/format")] {
        let _ = ask(&Remote::new(options(&server, wire)).unwrap(), &asked).await;
        assert_eq!(bodies(&server).pop().unwrap().pointer(at), Some(&one.schema()), "{wire:?}");
    }
}

#[tokio::test]
async fn headers_and_fields_of_ones_own_are_sent_and_not_shown() {
    let server = Server::start(vec![good("key abcd-secret"), vec![json(400, "no abcd-secret here")]]);
    let mut options = options(&server, Wire::OpenAi);
    options.headers = vec![("X-Session-Token".into(), SecretString::from("abcd-secret"))];
    let extra = json!({"top_k": 5, "stream_options": {"include_obfuscation": false}, "seed": null});
    options.extra_body = extra.as_object().unwrap().clone();
    let model = Remote::new(options).unwrap();
    assert_eq!(ask(&model, &request()).await.0.unwrap().completions[0].text, "key [key]");
    let sent = &bodies(&server)[0];
    assert_eq!((&sent["top_k"], sent.get("seed")), (&json!(5), None));
    assert_eq!(sent["stream_options"], json!({"include_usage": true, "include_obfuscation": false}));
    assert!(server.requests()[0].head.to_ascii_lowercase().contains("x-session-token: abcd-secret"));
    let error = ask(&model, &request()).await.0.unwrap_err();
    assert!(!format!("{error} {model:?}").contains("abcd"), "{error}");
}

/// A SOCKS5 proxy without names or passwords, for one connection; counts what it passed.
fn socks() -> (String, std::sync::mpsc::Receiver<String>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("socks5h://{}", listener.local_addr().unwrap());
    let (sender, asked) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut head = [0; 2];
        client.read_exact(&mut head).unwrap();
        client.read_exact(&mut vec![0; usize::from(head[1])]).unwrap();
        client.write_all(&[5, 0]).unwrap();
        let mut start = [0; 4];
        client.read_exact(&mut start).unwrap();
        let host = match start[3] {
            1 => {
                let mut ip = [0; 4];
                client.read_exact(&mut ip).unwrap();
                std::net::Ipv4Addr::from(ip).to_string()
            }
            _ => {
                let mut length = [0; 1];
                client.read_exact(&mut length).unwrap();
                let mut name = vec![0; usize::from(length[0])];
                client.read_exact(&mut name).unwrap();
                String::from_utf8(name).unwrap()
            }
        };
        let mut port = [0; 2];
        client.read_exact(&mut port).unwrap();
        let target = format!("{host}:{}", u16::from_be_bytes(port));
        sender.send(target.clone()).unwrap();
        let mut server = std::net::TcpStream::connect(&target).unwrap();
        client.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).unwrap();
        let (mut from, mut to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
        std::thread::spawn(move || std::io::copy(&mut from, &mut to));
        let _ = std::io::copy(&mut server, &mut client);
    });
    (address, asked)
}

#[tokio::test]
async fn a_socks_proxy_is_gone_through() {
    let server = Server::start(vec![good("through")]);
    let (proxy, asked) = socks();
    let options = Options { proxy, ..options(&server, Wire::OpenAi) };
    assert_eq!(ask(&Remote::new(options).unwrap(), &request()).await.0.unwrap().completions[0].text, "through");
    assert!(server.url.contains(&asked.recv().unwrap()));
    let wrong = Options { proxy: "socks5://user:secret@[".into(), ..Options::new("http://h/v1", "m") };
    let error = Remote::new(wrong).unwrap_err().to_string();
    assert!(error.contains("socks5h://") && !error.contains("secret"), "{error}");
}

#[tokio::test]
async fn sentence_vectors() {
    let openai = json!({"data": [{"index": 1, "embedding": [0.0, 2.0]}, {"index": 0, "embedding": [3.0, 4.0]}]});
    let ollama = json!({"embeddings": [[3.0, 4.0], [0.0, 2.0]]});
    let texts = ["open the fridge".to_owned(), "go".to_owned()];
    for (wire, answer, path) in [(Wire::OpenAi, openai, "/v1/embeddings"), (Wire::Ollama, ollama, "/api/embed")] {
        let server = Server::start(vec![vec![json(200, &answer.to_string())], vec![json(200, "{\"data\": []}")]]);
        let model = embed::Served::new(Arc::new(Remote::new(options(&server, wire)).unwrap()));
        // Inside a runtime too: requests have a thread of their own.
        let vectors = model.embed(&texts).unwrap();
        assert_eq!(vectors, [vec![0.6, 0.8], vec![0.0, 1.0]], "in the texts' order, of length 1");
        assert_eq!((model.dimensions(), model.embed(&[])), (2, Ok(Vec::new())));
        let request = server.requests().remove(0);
        assert_eq!((request.path(), &request.body["input"]), (path, &json!(texts)));
        assert!(model.embed(&texts).unwrap_err().to_string().contains("no vector"));
    }
    let anthropic = Options { wire: Wire::Anthropic, ..Options::new("http://h/v1", "m") };
    let error = embed::Served::new(Arc::new(Remote::new(anthropic).unwrap())).embed(&texts).unwrap_err();
    assert!(error.to_string().contains("no sentence vectors"), "{error}");
}

/// An answer to a request for vectors: those of the built-in table, the last text first, as an interface with places may order them.
fn table_vectors(request: &Received) -> String {
    let texts: Vec<String> = serde_json::from_value(request.body["input"].clone()).unwrap();
    let vectors = stepwright_embed::built_in().embed(&texts).unwrap();
    let entry = |(index, vector): (usize, &Vec<f32>)| json!({"index": index, "embedding": vector});
    let data: Vec<_> = vectors.iter().enumerate().rev().map(entry).collect();
    json!({ "data": data }).to_string()
}

#[tokio::test]
async fn a_served_embedder_agrees_as_the_one_behind_the_server_does() {
    use stepwright_embed::{kept, paraphrases};
    let steps: std::collections::BTreeSet<String> =
        paraphrases::all().iter().flat_map(|p| &p.right).map(|step| (*step).to_owned()).collect();
    let steps: Vec<String> = steps.into_iter().collect();
    let folder = tempfile::tempdir().unwrap();
    // Its first answer is a refusal that passes.
    let refused = std::sync::atomic::AtomicBool::new(false);
    let server = Server::answering(move |request| {
        let first = !refused.swap(true, std::sync::atomic::Ordering::Relaxed);
        vec![if first { json(503, "{}") } else { json(200, &table_vectors(request)) }]
    });
    let served = embed::Served::new(Arc::new(Remote::new(options(&server, Wire::OpenAi)).unwrap()));
    let found = |embedder: &dyn Embedder, folder: &std::path::Path| {
        let (table, _) = kept::table(embedder, &steps, folder, &mut |_| true).unwrap();
        paraphrases::agreement(embedder, &table).unwrap()
    };
    let behind = found(stepwright_embed::built_in(), &folder.path().join("behind"));
    let through = found(&served, &folder.path().join("through"));
    assert_eq!(through, behind);
    assert!(paraphrases::within(&through, 1) >= 30, "{through:#?}");
    // A server that leaves a vector out is found out, whatever it says of places.
    let short = Server::answering(|request| {
        let mut answer: serde_json::Value = serde_json::from_str(&table_vectors(request)).unwrap();
        answer["data"].as_array_mut().unwrap().pop();
        vec![json(200, &answer.to_string())]
    });
    let served = embed::Served::new(Arc::new(Remote::new(options(&short, Wire::OpenAi)).unwrap()));
    let short = kept::table(&served, &steps, &folder.path().join("short"), &mut |_| true);
    let error = short.err().unwrap().to_string();
    assert!(error.contains("vector"), "{error}");
}
