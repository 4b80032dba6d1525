//! The proxy between plain clients and a stand-in of the provider: whole, streamed, errors, repetitions, clients that leave.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot begin has failed")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use stepwright_proxy::{Notice, Options, Pending, Proxy, Refusal, Reply, Upstream};
use stepwright_wire::{Answer, Api, Fold, Stamp, ToolCall, Turn, Usage, Whole, extended};

const PATIENCE: Duration = Duration::from_secs(30);
const KEY: &str = "sk-agent-0123456789abcdef";

/// A received request, as head and body.
#[derive(Debug, Clone)]
struct Received {
    head: String,
    body: String,
}

impl Received {
    fn from(stream: &TcpStream) -> Option<Received> {
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if line == "\r\n" {
                break;
            }
            head += &line;
        }
        let field = |name: &str| {
            let line = head.lines().find(|line| line.to_ascii_lowercase().starts_with(&format!("{name}:")))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let mut bytes = Vec::new();
        if let Some(length) = field("content-length").and_then(|length| length.parse().ok()) {
            bytes.resize(length, 0);
            reader.read_exact(&mut bytes).ok()?;
        } else if field("transfer-encoding").is_some() {
            loop {
                let mut size = String::new();
                reader.read_line(&mut size).ok()?;
                let size = usize::from_str_radix(size.trim(), 16).ok()?;
                let mut piece = vec![0; size + 2];
                reader.read_exact(&mut piece).ok()?;
                if size == 0 {
                    break;
                }
                bytes.extend_from_slice(&piece[..size]);
            }
        }
        Some(Received { head, body: String::from_utf8(bytes).ok()? })
    }

    fn status(&self) -> u16 {
        self.head.split(' ').nth(1).unwrap().parse().unwrap()
    }
}

/// A provider that answers by what it is asked.
struct StandIn {
    address: String,
    asked: Arc<Mutex<Vec<Received>>>,
}

impl StandIn {
    /// `answer` gives status, type and body.
    fn new(answer: impl Fn(&Received) -> (u16, &'static str, String) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<Received>>> = Arc::default();
        let (seen, answer) = (Arc::clone(&asked), Arc::new(answer));
        std::thread::spawn(move || {
            while let Ok((mut stream, _)) = listener.accept() {
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                std::thread::spawn(move || {
                    while let Some(request) = Received::from(&stream) {
                        let (status, kind, body) = answer(&request);
                        seen.lock().unwrap().push(request);
                        let length = body.len();
                        let wait = if status == 200 { "" } else { "retry-after: 7\r\nlocation: /there\r\n" };
                        let head = format!(
                            "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nx-request-id: r1\r\n{wait}\r\n"
                        );
                        if stream.write_all((head + &body).as_bytes()).is_err() {
                            return;
                        }
                    }
                });
            }
        });
        StandIn { address, asked }
    }

    fn asked(&self) -> Vec<Received> {
        self.asked.lock().unwrap().clone()
    }

    fn proxy(&self, change: impl FnOnce(&mut Options)) -> (Proxy, Arc<Upstream>) {
        let address = self.address.clone();
        let variable = move |name: &str| match name {
            "OPENAI_BASE_URL" => Some(format!("{address}/v1")),
            "ANTHROPIC_BASE_URL" => Some(address.clone()),
            _ => None,
        };
        let upstream = Arc::new(Upstream::of_variables(variable).unwrap());
        let mut options = Options::new(Arc::clone(&upstream));
        change(&mut options);
        (Proxy::start(options).unwrap(), upstream)
    }
}

/// A stand-in that answers all formats with two calls, streamed where it is asked for that.
fn provider() -> StandIn {
    StandIn::new(|received| {
        let path = received.head.split(' ').nth(1).unwrap();
        let Some(api) = Api::of_path(path) else {
            return (200, "application/json", json!({"path": path, "got": received.body}).to_string());
        };
        let request = stepwright_wire::Request::read(api, &received.body).unwrap();
        let whole = Whole::made(api, "m", &answer(), Usage::new(7, 5), &Stamp { id: "u1".into(), created: 9 }).unwrap();
        match request.stream {
            true => (200, "text/event-stream", whole.events(&request)),
            false => (200, "application/json", whole.text().to_owned()),
        }
    })
}

fn call(id: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.into(), name: "get_order".into(), arguments: arguments.into(), ..ToolCall::default() }
}

fn answer() -> Answer {
    Answer { text: "let me see".into(), ..Answer::of_calls(vec![call("c1", "{\"id\": \"W42\"}"), call("c2", "{}")]) }
}

fn post(url: &str, path: &str, headers: &str, body: &str) -> TcpStream {
    send("POST", url, path, headers, body)
}

fn send(method: &str, url: &str, path: &str, headers: &str, body: &str) -> TcpStream {
    let (host, prefix) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let length = body.len();
    let head = format!(
        "{method} /{prefix}{path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {KEY}\r\ncontent-length: {length}\r\n{headers}\r\n"
    );
    stream.write_all((head + body).as_bytes()).unwrap();
    stream
}

/// The answer that a client reads, whole or put together from its stream.
fn received(api: Api, stream: &TcpStream) -> Result<Whole, String> {
    let answer = Received::from(stream).ok_or("closed")?;
    if answer.status() != 200 {
        return Err(format!("{} {}", answer.status(), answer.body));
    }
    if !answer.head.contains("event-stream") {
        return Whole::read(api, &answer.body).map_err(|problem| problem.to_string());
    }
    let mut fold = Fold::new(api);
    for line in answer.body.lines().filter_map(|line| line.strip_prefix("data: ")) {
        if fold.take(line).map_err(|problem| problem.to_string())? {
            break;
        }
    }
    fold.end().map_err(|problem| problem.to_string())
}

fn next(notices: &Receiver<Notice>) -> Notice {
    notices.recv_timeout(PATIENCE).unwrap()
}

fn pending(notices: &Receiver<Notice>) -> Pending {
    match next(notices) {
        Notice::Pending(pending) => pending,
        other => panic!("{other:?}"),
    }
}

fn ask(upstream: &Upstream, pending: &Pending, body: &str) -> Result<Whole, Refusal> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(upstream.ask(&pending.ask, body, |_| {}))
}

const FORMATS: [(Api, &str, &str); 3] = [
    (Api::Chat, "/v1/chat/completions", "\"messages\":[{\"role\":\"user\",\"content\":\"u\"}]"),
    (Api::Responses, "/v1/responses", "\"input\":\"u\""),
    (Api::Messages, "/v1/messages", "\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"u\"}]"),
];

fn body(conversation: &str, stream: bool) -> String {
    format!("{{\"model\":\"m\",{conversation},\"stream\":{stream}}}")
}

#[test]
fn an_answer_waits_for_its_decision_in_each_format_whole_and_streamed() {
    let provider = provider();
    let (proxy, upstream) = provider.proxy(|_| {});
    for (api, path, conversation) in FORMATS {
        for stream in [false, true] {
            let client = post(&proxy.root(), path, "", &body(conversation, stream));
            let pending = pending(proxy.notices());
            assert_eq!((pending.request.api, pending.request.stream, pending.is_awaited()), (api, stream, true));
            let whole = ask(&upstream, &pending, &pending.body.clone()).unwrap();
            assert_eq!((whole.answer(), whole.usage()), (answer(), Some(Usage::new(7, 5))), "{api:?} {stream}");
            let mut wanted = whole.answer();
            wanted.calls[0].arguments = "{\"id\": \"W43\"}".into();
            let edited = whole.edited(0, &wanted).unwrap();
            pending.answer(Reply::Whole(Arc::new(edited.clone())));
            let got = received(api, &client).unwrap();
            assert_eq!((got.digest(), got.answer().calls), (edited.digest(), wanted.calls), "{api:?} {stream}");
            assert!(
                matches!(next(proxy.notices()), Notice::Delivered { digest: Some(digest), .. } if digest == edited.digest())
            );
        }
    }
    // The provider was asked what the agent asked, with its key.
    for (at, received) in provider.asked().iter().enumerate() {
        assert!(received.head.contains(KEY), "{}", received.head);
        let stream = at % 2 == 1;
        let sent: Value = serde_json::from_str(&received.body).unwrap();
        assert_eq!(sent["stream"], stream);
        assert_eq!(sent.get("stream_options").is_some(), stream && at < 2, "what a chat's stream cost is asked for");
    }
}

#[test]
fn nobody_else_finds_it_and_what_is_no_answer_passes() {
    let provider = provider();
    let (proxy, _) = provider.proxy(|_| {});
    let host = proxy.root().rsplit_once('/').unwrap().0.to_owned();
    for path in ["/v1/chat/completions", "/0123/v1/chat/completions", "/"] {
        let answer = Received::from(&post(&(host.clone() + "/"), path.trim_start_matches('/'), "", "{}")).unwrap();
        assert_eq!(answer.status(), 404);
    }
    for (path, headers, wanted) in [
        ("/v1/embeddings?x=1", "", "/v1/embeddings?x=1"),
        ("/v1/messages/count_tokens", "anthropic-version: 1\r\n", "/v1/messages/count_tokens"),
        ("/models", "", "/v1/models"),
    ] {
        let answer = Received::from(&post(&proxy.root(), path, headers, "{\"a\": 1}")).unwrap();
        let said: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!((answer.status(), &said["path"], &said["got"]), (200, &json!(wanted), &json!("{\"a\": 1}")));
        assert!(matches!(next(proxy.notices()), Notice::Passed { status: 200, .. }));
    }
    for (headers, body, status) in [
        ("content-encoding: zstd\r\n", "x", 415),
        ("", "no json", 400),
        ("", "{\"input\":\"u\",\"background\":true}", 400),
        ("connection: upgrade\r\nupgrade: websocket\r\n", "{}", 426),
    ] {
        let answer = Received::from(&post(&proxy.root(), "/v1/responses", headers, body)).unwrap();
        assert_eq!(answer.status(), status, "{body}");
        assert!(matches!(next(proxy.notices()), Notice::Refused { .. }));
        assert!(answer.body.contains("invalid_request_error"));
    }
    assert_eq!(provider.asked().len(), 3);
}

#[test]
fn errors_of_the_provider_pass_as_they_are() {
    let words = "{\"error\":{\"message\":\"slow down\",\"type\":\"rate_limit_error\"}}";
    let provider = StandIn::new(move |_| (429, "application/json", words.to_owned()));
    let (proxy, upstream) = provider.proxy(|options| options.patience = Duration::from_millis(150));
    for (api, path, conversation) in FORMATS {
        for (stream, late) in [(false, false), (true, false), (true, true)] {
            let client = post(&proxy.root(), path, "", &body(conversation, stream));
            let pending = pending(proxy.notices());
            let refusal = ask(&upstream, &pending, &pending.body.clone()).unwrap_err();
            assert_eq!((refusal.status, refusal.body.as_str(), refusal.message().as_str()), (429, words, "slow down"));
            if late {
                std::thread::sleep(Duration::from_millis(400));
            }
            pending.answer(Reply::Error(refusal));
            if late {
                // The stream had begun.
                assert_eq!(received(api, &client), Err("slow down".into()));
            } else {
                let answer = Received::from(&client).unwrap();
                assert_eq!((answer.status(), answer.body.as_str()), (429, words));
                assert!(answer.head.contains("retry-after: 7"));
            }
            assert!(matches!(next(proxy.notices()), Notice::Delivered { digest: None, .. }));
        }
    }
    // Nobody there at all.
    let upstream = Upstream::of_variables(|_| Some("http://127.0.0.1:9/v1".into())).unwrap();
    let client = post(&proxy.root(), FORMATS[0].1, "", &body(FORMATS[0].2, false));
    let waits = pending(proxy.notices());
    assert_eq!(ask(&upstream, &waits, "{}").unwrap_err().status, 502);
    // Dropped, the connection is closed.
    drop(waits);
    assert_eq!(received(Api::Chat, &client), Err("closed".into()));
}

/// Whatever its status, what a provider says in place of an answer is the agent's to read, and so is what it says beside one.
#[test]
fn what_a_provider_says_without_or_beside_an_answer_passes() {
    let failed = r#"{"id":"r","status":"failed","error":{"code":"server_error","message":"boom"},"output":[]}"#;
    let event = format!("event: response.failed\ndata: {{\"type\":\"response.failed\",\"response\":{failed}}}\n\n");
    let begun = "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{}}\n\n";
    let both = format!("{begun}{event}");
    let whole = Whole::made(Api::Responses, "m", &answer(), Usage::new(7, 5), &Stamp { id: "u1".into(), created: 9 });
    let whole = whole.unwrap().text().to_owned();
    let (json, events) = ("application/json", "text/event-stream");
    let says: Arc<Mutex<(u16, &'static str, String)>> = Arc::new(Mutex::new((200, json, String::new())));
    let said = Arc::clone(&says);
    let provider = StandIn::new(move |_| said.lock().unwrap().clone());
    let (proxy, upstream) = provider.proxy(|_| {});
    for (status, kind, said, wanted, got) in [
        (200, json, failed.to_owned(), failed, 200),
        (200, events, both.clone(), both.as_str(), 200),
        (400, json, "{\"error\":{\"message\":\"no\"}}".to_owned(), "{\"error\":{\"message\":\"no\"}}", 400),
        (201, json, whole.clone(), whole.as_str(), 201),
    ] {
        *says.lock().unwrap() = (status, kind, said);
        let client = post(&proxy.root(), FORMATS[1].1, "", &body(FORMATS[1].2, kind == events));
        let pending = pending(proxy.notices());
        passed_on(&upstream, pending);
        let answer = Received::from(&client).unwrap();
        assert_eq!((answer.status(), answer.body.as_str()), (got, wanted), "{status} {kind}");
        assert!(answer.head.contains(kind) && answer.head.contains("x-request-id: r1"), "{}", answer.head);
        assert_eq!(answer.head.contains("location: /there"), status != 200, "{}", answer.head);
        let _ = next(proxy.notices());
    }
    // An answer is known without an id too.
    *says.lock().unwrap() = (202, json, r#"{"choices":[{"message":{"content":"hi"}}]}"#.to_owned());
    let client = post(&proxy.root(), FORMATS[0].1, "", &body(FORMATS[0].2, false));
    passed_on(&upstream, pending(proxy.notices()));
    let answer = Received::from(&client).unwrap();
    assert!(answer.status() == 202 && answer.head.contains("x-request-id: r1"), "{}", answer.head);
    let _ = next(proxy.notices());
    // Who followed a redirect would ask past the gate.
    *says.lock().unwrap() = (307, json, String::new());
    let client = post(&proxy.root(), FORMATS[1].1, "", &body(FORMATS[1].2, false));
    passed_on(&upstream, pending(proxy.notices()));
    let answer = Received::from(&client).unwrap();
    assert_eq!(answer.status(), 502);
    assert!(answer.body.contains("it redirects to /there"), "{}", answer.body);
    assert!(!answer.head.contains("location"), "{}", answer.head);
    let _ = next(proxy.notices());
    // A refused stream of a chat is asked for once more only if its count of tokens was refused.
    for (said, times) in [("no such model", 1), ("stream_options: unknown", 2)] {
        *says.lock().unwrap() = (400, json, json!({"error": {"message": said}}).to_string());
        let _client = post(&proxy.root(), FORMATS[0].1, "", &body(FORMATS[0].2, true));
        let pending = pending(proxy.notices());
        let before = provider.asked().len();
        passed_on(&upstream, pending);
        assert_eq!(provider.asked().len() - before, times, "{said}");
        let _ = next(proxy.notices());
    }
    // Bodies that there are none of have a length all the same.
    *says.lock().unwrap() = (200, json, "{}".to_owned());
    Received::from(&post(&proxy.root(), "/v1/responses/r/cancel", "", "")).unwrap();
    assert!(provider.asked().last().unwrap().head.contains("content-length: 0"));
    let stream = send("HEAD", &proxy.root(), "/v1/models", "", "");
    let head: Vec<String> =
        BufReader::new(&stream).lines().map(Result::unwrap).take_while(|line| !line.is_empty()).collect();
    assert!(head.iter().any(|line| line == "content-length: 2"), "{head:?}");
}

/// Answers as the provider does.
fn passed_on(upstream: &Upstream, pending: Pending) {
    let reply = match ask(upstream, &pending, &pending.body.clone()) {
        Ok(whole) => Reply::Whole(Arc::new(whole)),
        Err(refusal) => Reply::Error(refusal),
    };
    pending.answer(reply);
}

#[test]
fn a_stream_is_kept_alive_while_nobody_decides() {
    let provider = provider();
    let (proxy, upstream) = provider.proxy(|options| {
        options.patience = Duration::from_millis(20);
        options.keep_alive = Duration::from_millis(20);
    });
    for (api, path, conversation) in FORMATS {
        let mut client = post(&proxy.root(), path, "", &body(conversation, true));
        let pending = pending(proxy.notices());
        let mut early = vec![0; 400];
        client.read_exact(&mut early).unwrap();
        let early = String::from_utf8(early).unwrap();
        assert!(early.starts_with("HTTP/1.1 200") && early.contains("event-stream"), "{early}");
        let sign = if api == Api::Messages { "event: ping\n" } else { ": waiting\n" };
        assert!(early.contains(sign), "{early}");
        let whole = ask(&upstream, &pending, &pending.body.clone()).unwrap();
        pending.answer(Reply::Whole(Arc::new(whole.clone())));
        let mut rest = String::new();
        let mut reader = BufReader::new(&client);
        while !rest.ends_with("\r\n0\r\n\r\n") {
            assert!(reader.read_line(&mut rest).unwrap() > 0, "{rest}");
        }
        let mut fold = Fold::new(api);
        for line in rest.lines().filter_map(|line| line.strip_prefix("data: ")) {
            if fold.take(line).unwrap() {
                break;
            }
        }
        assert_eq!(fold.end().unwrap().digest(), whole.digest());
        assert!(matches!(next(proxy.notices()), Notice::Delivered { .. }));
    }
}

#[test]
fn who_asks_again_joins_and_who_leaves_is_told() {
    let provider = provider();
    let (proxy, upstream) = provider.proxy(|options| options.keep_alive = Duration::from_millis(20));
    for (patience_over, stream) in [(false, false), (false, true), (true, true)] {
        let asked = body(FORMATS[0].2, stream);
        let first = post(&proxy.root(), FORMATS[0].1, "", &asked);
        let pending = pending(proxy.notices());
        let id = pending.id;
        if patience_over {
            std::thread::sleep(Duration::from_millis(5200));
        }
        drop(first);
        assert!(matches!(next(proxy.notices()), Notice::GaveUp { id: of } if of == id), "{stream}");
        assert!(!pending.is_awaited());
        // Asked again before the decision, and decided while nobody waits.
        let again = post(&proxy.root(), FORMATS[0].1, "", &asked);
        assert!(matches!(next(proxy.notices()), Notice::Joined { id: of } if of == id));
        drop(again);
        assert!(matches!(next(proxy.notices()), Notice::GaveUp { id: of } if of == id));
        let whole = ask(&upstream, &pending, &pending.body.clone()).unwrap();
        pending.answer(Reply::Whole(Arc::new(whole.clone())));
        let last = post(&proxy.root(), FORMATS[0].1, "", &asked);
        assert!(matches!(next(proxy.notices()), Notice::Joined { id: of } if of == id));
        assert_eq!(received(Api::Chat, &last).unwrap().digest(), whole.digest());
        assert!(matches!(next(proxy.notices()), Notice::Delivered { id: of, .. } if of == id));
    }
    // What was closed while nobody waited is asked for anew.
    let asked = body(FORMATS[0].2, false);
    let client = post(&proxy.root(), FORMATS[0].1, "", &asked);
    let closed = pending(proxy.notices());
    drop(client);
    assert!(matches!(next(proxy.notices()), Notice::GaveUp { .. }));
    let id = closed.id;
    drop(closed);
    let client = post(&proxy.root(), FORMATS[0].1, "", &asked);
    let anew = pending(proxy.notices());
    assert_ne!(anew.id, id);
    drop(anew);
    assert_eq!(received(Api::Chat, &client), Err("closed".into()));
    // The same request while its first client waits is another agent's, unless its client says that it asks again.
    let one = post(&proxy.root(), FORMATS[0].1, "", &asked);
    let first = pending(proxy.notices());
    let two = post(&proxy.root(), FORMATS[0].1, "", &asked);
    let second = pending(proxy.notices());
    assert_ne!(first.thread, second.thread);
    let three = post(&proxy.root(), FORMATS[0].1, "x-stainless-retry-count: 1\r\n", &asked);
    assert!(matches!(next(proxy.notices()), Notice::Joined { id } if id == second.id));
    let said =
        |text: &str| Whole::made(Api::Chat, "m", &Answer::of_text(text), Usage::default(), &Stamp::default()).unwrap();
    first.answer(Reply::Whole(Arc::new(said("1"))));
    second.answer(Reply::Whole(Arc::new(said("2"))));
    for (client, wanted) in [(one, "1"), (two, "2"), (three, "2")] {
        assert_eq!(received(Api::Chat, &client).unwrap().answer().text, wanted);
    }
}

#[test]
fn a_rejection_reaches_the_model_and_not_the_agent() {
    let provider = provider();
    let (proxy, upstream) = provider.proxy(|_| {});
    for (api, path, conversation) in FORMATS {
        let client = post(&proxy.root(), path, "", &body(conversation, false));
        let pending = pending(proxy.notices());
        let whole = ask(&upstream, &pending, &pending.body.clone()).unwrap();
        let mut turns = vec![Turn::Answer(&whole, 0)];
        let calls = whole.answer().calls;
        turns.extend(calls.iter().map(|call| Turn::Result(call, "a person rejected it: W42 is not yours")));
        let round = extended(api, &pending.body, &turns).unwrap();
        let second = ask(&upstream, &pending, &round).unwrap();
        pending.answer(Reply::Whole(Arc::new(second)));
        assert!(!received(api, &client).unwrap().text().contains("not yours"));
        assert_eq!(provider.asked().last().unwrap().body.matches("not yours").count(), 2, "{api:?}");
        let _ = next(proxy.notices());
    }
}

#[test]
fn what_was_edited_is_told_to_a_provider_that_stores_responses() {
    let provider = provider();
    let (proxy, upstream) = provider.proxy(|_| {});
    let client = post(&proxy.root(), "/v1/responses", "", "{\"input\":\"u\"}");
    let first = pending(proxy.notices());
    let whole = ask(&upstream, &first, "{\"input\":\"u\"}").unwrap();
    let edited = whole.edited(0, &Answer { calls: vec![call("c1", "{\"id\":\"W43\"}")], ..answer() }).unwrap();
    let thread = first.thread;
    first.answer(Reply::Whole(Arc::new(edited)));
    let id = received(Api::Responses, &client).unwrap().id().to_owned();
    let _ = next(proxy.notices());
    let output = json!([{"type": "function_call_output", "call_id": "c1", "output": "r"}]);
    let _client =
        post(&proxy.root(), "/v1/responses", "", &json!({"input": output, "previous_response_id": id}).to_string());
    let second = pending(proxy.notices());
    assert_eq!(second.thread, thread);
    ask(&upstream, &second, &second.body.clone()).unwrap();
    let told = provider.asked().last().unwrap().body.clone();
    assert!(told.contains("W43") && !told.contains("W42") && !told.contains("previous_response_id"), "{told}");
    // The agent that looks it up gets what it was given.
    let (host, prefix) = proxy
        .root()
        .strip_prefix("http://")
        .unwrap()
        .split_once('/')
        .map(|(h, p)| (h.to_owned(), p.to_owned()))
        .unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{prefix}/v1/responses/{id} HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
    assert!(Received::from(&stream).unwrap().body.contains("W43"));
}

#[test]
fn keys_are_shown_nowhere() {
    let provider = provider();
    let (proxy, upstream) = provider.proxy(|_| {});
    let _client = post(&proxy.root(), FORMATS[0].1, "", &body(FORMATS[0].2, false));
    let pending = pending(proxy.notices());
    assert!(!format!("{pending:?} {proxy:?} {upstream:?}").contains("0123456789abcdef"));
    assert!(!pending.ask.masked(&format!("Incorrect API key provided: {KEY}.")).contains("0123456789abcdef"));
    let set =
        proxy.variables(&[("OWN".into(), "{url}/x {root}".into())], |name| (name == "NO_PROXY").then(|| "h".into()));
    let of = |name: &str| set.iter().find(|(own, _)| own == name).unwrap().1.clone();
    assert_eq!(of("OPENAI_BASE_URL"), proxy.url());
    assert_eq!(of("OWN"), format!("{}/x {}", proxy.url(), proxy.root()));
    assert_eq!(of("NO_PROXY"), "h,localhost,127.0.0.1,127.0.0.1");
}

/// 10,000 decisions of all kinds: what a client receives is what was approved.
#[test]
fn what_is_received_is_what_was_approved() {
    let provider = provider();
    let (proxy, _) = provider.proxy(|_| {});
    let mut random = ChaCha8Rng::seed_from_u64(28);
    let text = |random: &mut ChaCha8Rng| {
        let letters = ['a', '"', '\\', '\n', 'é', '💡', '{', '\u{2028}', '\0', ' '];
        (0..random.random_range(0..8)).map(|_| letters[random.random_range(0..letters.len())]).collect::<String>()
    };
    for n in 0..10_000 {
        let (api, path, conversation) = FORMATS[n % 3];
        let stream = random.random();
        let client = post(&proxy.root(), path, "connection: close\r\n", &body(conversation, stream));
        let pending = pending(proxy.notices());
        let model =
            Whole::made(api, "m", &answer(), Usage::new(1, 1), &Stamp { id: format!("n{n}"), created: 1 }).unwrap();
        let mut wanted = model.answer();
        if random.random() {
            wanted.text = text(&mut random);
        }
        for at in 0..random.random_range(0..3) {
            let arguments =
                json!({ text(&mut random): [random.random::<i64>(), text(&mut random), random.random::<f64>()] });
            wanted
                .calls
                .insert(random.random_range(0..=wanted.calls.len()), call(&format!("new{at}"), &arguments.to_string()));
        }
        wanted.calls.retain(|_| random.random_range(0..4) > 0);
        let approved = model.edited(0, &wanted).unwrap();
        assert_eq!((&approved.answer().text, &approved.answer().calls), (&wanted.text, &wanted.calls));
        pending.answer(Reply::Whole(Arc::new(approved.clone())));
        let got = received(api, &client).unwrap();
        assert_eq!((&got.answer().text, &got.answer().calls), (&wanted.text, &wanted.calls), "decision {n}");
        assert_eq!(got.digest(), approved.digest());
        assert!(
            matches!(next(proxy.notices()), Notice::Delivered { digest: Some(digest), .. } if digest == approved.digest())
        );
    }
    let (tell, done) = channel();
    std::thread::spawn(move || {
        drop(proxy);
        tell.send(())
    });
    done.recv_timeout(PATIENCE).unwrap();
}

/// A client of Python's standard library: one question, one to a provider that is full, one that it gives up and asks again, four at once. It
/// prints what it got, a line each, sorted.
const CLIENT: &str = r#"
import http.client, json, sys, threading, urllib.parse
root, path, conversation, stream = sys.argv[1:]
url, said = urllib.parse.urlsplit(root), []
def ask(word, timeout=30):
    connection = http.client.HTTPConnection(url.netloc, timeout=timeout)
    body = '{"model":"m",%s,"stream":%s}' % (conversation.replace('"u"', '"%s"' % word), stream)
    try:
        connection.request("POST", url.path + path, body, {"content-type": "application/json", "x-api-key": "none"})
        answer = connection.getresponse()
        text = answer.read().decode()
        ended = "[DONE]" in text or "response.completed" in text or "message_stop" in text
        said.append("%s %s %s %s" % (word, answer.status, answer.getheader("retry-after"), ended if stream == "true" and answer.status == 200 else "call_" + word in text))
    except TimeoutError:
        said.append(word + " given up")
    finally:
        connection.close()
ask("plain"); ask("full"); ask("full"); ask("slow", 0.4); ask("slow")
threads = [threading.Thread(target=ask, args=("at%d" % n,)) for n in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print("\n".join(sorted(said)))
"#;

#[test]
fn clients_of_pythons_standard_library_are_served_in_each_format() {
    let python = std::process::Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|out| out.status.success()) {
        return;
    }
    let word = |body: &str| {
        body.split('"')
            .find(|part| ["plain", "full", "slow", "at"].iter().any(|w| part.starts_with(w)))
            .map(str::to_owned)
    };
    for (api, path, conversation) in FORMATS {
        for stream in [false, true] {
            let full = AtomicBool::new(true);
            let provider = StandIn::new(move |received| {
                let word = word(&received.body).unwrap();
                if word == "full" && full.swap(false, Ordering::SeqCst) {
                    return (429, "application/json", "{\"error\":{\"message\":\"full\"}}".to_owned());
                }
                let request = stepwright_wire::Request::read(api, &received.body).unwrap();
                let said = Answer::of_calls(vec![call(&format!("call_{word}"), "{}")]);
                let stamp = Stamp { id: word, created: 9 };
                let whole = Whole::made(api, "m", &said, Usage::new(7, 5), &stamp).unwrap();
                match request.stream {
                    true => (200, "text/event-stream", whole.events(&request)),
                    false => (200, "application/json", whole.text().to_owned()),
                }
            });
            let (proxy, upstream) = provider.proxy(|options| options.patience = Duration::from_millis(50));
            let root = proxy.root();
            let client = std::thread::spawn(move || {
                let args = ["-c", CLIENT, &root, path, conversation, if stream { "true" } else { "false" }];
                std::process::Command::new("python3").args(args).output().unwrap()
            });
            while !client.is_finished() {
                let Ok(Notice::Pending(pending)) = proxy.notices().recv_timeout(Duration::from_millis(20)) else {
                    continue;
                };
                if word(&pending.body).unwrap() == "slow" {
                    std::thread::sleep(Duration::from_millis(1000));
                }
                passed_on(&upstream, pending);
            }
            let out = client.join().unwrap();
            let said = String::from_utf8_lossy(&out.stdout).into_owned();
            let mut expected: Vec<String> = (0..4).map(|n| format!("at{n} 200 None True")).collect();
            expected.extend(
                ["full 200 None True", "full 429 7 False", "plain 200 None True", "slow 200 None True"]
                    .map(str::to_owned),
            );
            expected.push("slow given up".to_owned());
            assert_eq!(
                said.lines().collect::<Vec<_>>(),
                expected,
                "{api:?} {stream}: {}",
                String::from_utf8_lossy(&out.stderr)
            );
        }
    }
}
