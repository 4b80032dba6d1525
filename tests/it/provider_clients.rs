//! What scripts of exchanges (`exchanges`) cannot show of the client: cassettes, cancelling, probing, long prompts, proxies, vectors.

use std::io::{Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use secrecy::SecretString;
use serde_json::json;
use stepwright::model::embed;
use stepwright::model::remote::{Options, Remote, Support, Wire};
use stepwright::model::{LanguageModel, ModelError, ModelRequest, ModelResponse, PromptMessage, StreamEvent};
use stepwright_embed::Embedder;
use tokio_util::sync::CancellationToken;

use crate::support::server::*;

fn request() -> ModelRequest {
    let message = |role: &str, text: &str| PromptMessage { role: role.into(), text: text.into() };
    let messages = vec![message("system", "Be brief."), message("user", "next?")];
    ModelRequest { messages, max_tokens: 64, ..ModelRequest::default() }
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

fn warnings(events: &[StreamEvent]) -> Vec<String> {
    let remark = |e: &StreamEvent| match e {
        StreamEvent::Remark { text, warning: true } => Some(text.clone()),
        _ => None,
    };
    events.iter().filter_map(remark).collect()
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
    let mut options = options(&server, Wire::OpenAi);
    options.api_key = Some(SecretString::from(KEY));
    let folder = tempfile::tempdir().unwrap();
    let tape = folder.path().join("tape.jsonl");
    let model =
        stepwright::model::cassette::Recorder::new(std::sync::Arc::new(Remote::new(options).unwrap()), &tape).unwrap();
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let answer = model.complete(&request(), &sender, &CancellationToken::new()).await.unwrap();
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
    let error = ask(&model, &request()).await.0.unwrap_err().to_string();
    assert!(
        error.contains(&format!("http://127.0.0.1:{port}/v1")) && error.contains("is the server running"),
        "{error}"
    );
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
    let model = Remote::new(options(&server, Wire::OpenAi)).unwrap();
    let found = model.probe(&CancellationToken::new()).await.unwrap();
    assert_eq!(found.models, Ok(vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!((&found.chat, &found.logprobs, &found.usage), (&Support::Yes, &Support::Yes, &Support::Yes));
    assert!(matches!(&found.several, Support::No(why) if why.contains("one by one")), "{found:?}");
    assert!(matches!(&found.completions, Support::No(why) if why.contains("no such route")), "{found:?}");
    let cancel = CancellationToken::new();
    cancel.cancel();
    assert_eq!(model.probe(&cancel).await, Err(ModelError::Cancelled));
}

/// E9: vLLM, llama.cpp's server and OpenRouter say in their lists of models how long a context may be.
#[tokio::test]
async fn the_context_that_a_list_of_models_tells_is_known() {
    for (about, tokens) in [
        (json!({"id": "m", "max_model_len": 32_768}), Some(32_768)),
        (json!({"id": "m", "meta": {"n_ctx": 4_096}}), Some(4_096)),
        (json!({"id": "m", "context_length": 131_072}), Some(131_072)),
        (json!({"id": "m", "max_model_len": 0}), None),
        (json!({"id": "another", "max_model_len": 32_768}), None),
    ] {
        let server = Server::answering(move |request| match request.path().ends_with("/models") {
            true => vec![json(200, &json!({"object": "list", "data": [about]}).to_string())],
            false => vec![json(404, "{}")],
        });
        let model = Remote::new(Options::new(&server.url, "m")).unwrap();
        let found = model.probe(&CancellationToken::new()).await.unwrap();
        assert_eq!((found.context, model.context()), (tokens, tokens), "{found:?}");
    }
}

#[tokio::test]
async fn cancelling_ends_at_once_and_drops_the_connection() {
    for script in [vec![Step::Hold], vec![stream_head(), send(&delta("a")), Step::Hold], vec![json(503, "{}")]] {
        let server = Server::start(vec![script.clone(); 3]);
        let mut options = options(&server, Wire::OpenAi);
        options.backoff = Duration::from_secs(30);
        let model = Remote::new(options).unwrap();
        let cancel = CancellationToken::new();
        let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
        let (token, asked) = (cancel.clone(), request());
        let asking = tokio::spawn(async move { model.complete(&asked, &sender, &token).await });
        while server.requests().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        if script.len() != 1 || !matches!(script[0], Step::Hold) {
            receiver.recv().await.expect("text, or the wait before a retry");
        }
        let begun = Instant::now();
        cancel.cancel();
        assert_eq!(asking.await.unwrap().unwrap_err().cause(), &ModelError::Cancelled);
        assert!(begun.elapsed() < Duration::from_secs(2));
        if matches!(script.last(), Some(Step::Hold)) {
            let closed =
                tokio::task::spawn_blocking(move || server.closed.recv_timeout(Duration::from_secs(5)).is_ok());
            assert!(closed.await.unwrap(), "the connection is still open");
        }
    }
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
    let notes = warnings(&ask(&model, &request()).await.1);
    assert!(notes[0].contains("4,096") && notes[0].contains("ollama/m"), "{notes:?}");
    let mut long = request();
    long.messages[1].text = "agent.goto('shelf 1')\n".repeat(4_000);
    let notes = warnings(&ask(&model, &long).await.1);
    assert!(notes[0].contains("CUT IN SILENCE"), "{notes:?}");
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
async fn l9_an_answer_that_is_compressed_unasked_is_unpacked_or_said_to_be_so() {
    let coded = |coding: &str| {
        with_headers(
            200,
            &format!("content-type: application/json\r\ncontent-encoding: {coding}\r\n"),
            "\u{1f}\u{8b} and words",
        )
    };
    for (coding, why) in
        [("br", "compressed (br), which was not asked for; have it send plain text"), ("gzip", "no whole gzip")]
    {
        let server = Server::start(vec![vec![coded(coding)]]);
        let remote = Remote::new(options(&server, Wire::OpenAi)).unwrap();
        let error = ask(&remote, &request()).await.0.unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
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

#[tokio::test]
async fn ollama_is_asked_for_a_context_that_holds_a_long_raw_text() {
    let server =
        Server::answering(|_| vec![json(200, "{\"response\":\"(1)\",\"done\":true,\"done_reason\":\"stop\"}")]);
    let raw = PromptMessage { role: "text".into(), text: "agent.go".repeat(4_000) };
    let asked = ModelRequest { messages: vec![raw], ..request() };
    let answer = ask(&Remote::new(options(&server, Wire::Ollama)).unwrap(), &asked).await.0.unwrap();
    assert_eq!(answer.completions[0].text, "(1)");
    let last = server.requests().pop().unwrap();
    assert_eq!((last.path(), &last.body["raw"]), ("/api/generate", &json!(true)));
    assert!(last.body["options"]["num_ctx"].as_u64().unwrap() >= 32_000 / 3, "{}", last.body["options"]);
}

#[tokio::test]
async fn long_refusals_are_cut() {
    let server = Server::answering(|_| vec![json(400, &"y".repeat(1 << 20))]);
    let error = ask(&Remote::new(options(&server, Wire::OpenAi)).unwrap(), &request()).await.0.unwrap_err();
    assert!(error.to_string().len() < 2000);
}
