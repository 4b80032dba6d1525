//! What the proxy costs an agent: 1,000 requests of one conversation with bodies of 200 KB, against the same requests asked directly.
//!
//! Every answer is approved as soon as it is there. Printed are the times of a request, whole and streamed, what the proxy adds, and how
//! much the process grew meanwhile. `cargo bench -p stepwright-proxy`

#![allow(missing_docs, reason = "a benchmark has no interface")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot begin has nothing to measure")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use stepwright_proxy::{Notice, Options, Proxy, Reply, Upstream};
use stepwright_wire::{Answer, Api, Request, Stamp, ToolCall, Usage, Whole};

const REQUESTS: usize = 1_000;
const BODY: usize = 200_000;
/// Messages of the conversation: the oldest leave as new ones come, so that all bodies are as long.
const MESSAGES: usize = 100;

fn main() {
    let provider = stand_in();
    let host = provider.clone();
    let variable = move |name: &str| (name == "OPENAI_BASE_URL").then(|| format!("http://{host}/v1"));
    let upstream = Arc::new(Upstream::of_variables(variable).expect("an upstream"));
    println!("bodies of {} KB     p50     p95  added p50  added p95  times  grew by", BODY / 1000);
    for stream in [false, true] {
        let proxy = Proxy::start(Options::new(Arc::clone(&upstream))).expect("a proxy");
        let (gate, prefix) = proxy
            .root()
            .split_at("http://".len())
            .1
            .split_once('/')
            .map(|(h, p)| (h.to_owned(), format!("/{p}")))
            .expect("an address");
        approve(proxy, Arc::clone(&upstream));
        let direct = measured(&provider, "", stream, REQUESTS);
        // What is set up once is no growth.
        measured(&gate, &prefix, stream, 50);
        let before = memory();
        let gated = measured(&gate, &prefix, stream, REQUESTS);
        let grown = memory() - before;
        let (d50, d95, g50, g95) = (at(&direct, 50), at(&direct, 95), at(&gated, 50), at(&gated, 95));
        let name = if stream { "streamed" } else { "whole" };
        println!("{name:<15} direct{d50:>6.2}ms{d95:>6.2}ms");
        println!(
            "{name:<15} gated {g50:>6.2}ms{g95:>6.2}ms{:>9.2}ms{:>9.2}ms{:>7.1}{grown:>7.1}M",
            g50 - d50,
            g95 - d95,
            g95 / d95
        );
    }
}

/// The value below which so many of a hundred lie, in milliseconds.
fn at(times: &[Duration], percent: usize) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort();
    sorted[(sorted.len() * percent / 100).min(sorted.len() - 1)].as_secs_f64() * 1e3
}

/// The process's memory, in megabytes.
fn memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).unwrap_or(f64::NAN) / 1e3
}

/// Approves whatever is asked.
fn approve(proxy: Proxy, upstream: Arc<Upstream>) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    std::thread::spawn(move || {
        while let Ok(notice) = proxy.notices().recv() {
            if let Notice::Pending(pending) = notice {
                let upstream = Arc::clone(&upstream);
                runtime.spawn(async move {
                    let reply = match upstream.ask(&pending.ask, &pending.body, |_| {}).await {
                        Ok(whole) => Reply::Whole(Arc::new(whole)),
                        Err(refusal) => Reply::Error(refusal),
                    };
                    pending.answer(reply);
                });
            }
        }
    });
}

/// Asks again and again over one connection, as a client does.
fn measured(host: &str, prefix: &str, stream: bool, requests: usize) -> Vec<Duration> {
    let mut connection = TcpStream::connect(host).expect("a connection");
    connection.set_nodelay(true).expect("a connection");
    let mut reader = BufReader::new(connection.try_clone().expect("a connection"));
    let message = |n: usize| json!({"role": if n.is_multiple_of(2) { "user" } else { "assistant" }, "content": format!("{n} {}", "word ".repeat(BODY / MESSAGES / 5))});
    let request = |n: usize| {
        let messages: Vec<_> = (n..n + MESSAGES).map(message).collect();
        let body = json!({"model": "m", "messages": messages, "stream": stream, "tools": [{"type": "function", "function": {"name": "get_order"}}]}).to_string();
        format!("POST {prefix}/v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{body}", body.len())
    };
    let one = |n: usize| {
        let sent = request(n);
        let started = Instant::now();
        connection.write_all(sent.as_bytes()).expect("it is sent");
        let answer = receive(&mut reader).expect("an answer");
        let taken = started.elapsed();
        assert!(answer.contains("get_order"), "{answer}");
        taken
    };
    (0..requests).map(one).collect()
}

fn receive(reader: &mut BufReader<TcpStream>) -> Option<String> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(text) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = text.trim().parse().ok()?;
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    String::from_utf8(body).ok()
}

/// A provider that always says the same; its address.
fn stand_in() -> String {
    let call = ToolCall {
        id: "c1".into(),
        name: "get_order".into(),
        arguments: "{\"id\": \"W42\"}".into(),
        ..ToolCall::default()
    };
    let whole = Whole::made(Api::Chat, "m", &Answer::of_calls(vec![call]), Usage::new(1, 1), &Stamp::default())
        .expect("an answer");
    let request = Request::read(Api::Chat, "{\"stream\":true}").expect("a request");
    let answers = [("application/json", whole.text().to_owned()), ("text/event-stream", whole.events(&request))];
    let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
    let address = listener.local_addr().expect("an address").to_string();
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let answers = answers.clone();
            std::thread::spawn(move || {
                let _ = stream.set_nodelay(true);
                let Ok(own) = stream.try_clone() else { return };
                let mut reader = BufReader::new(own);
                while let Some(body) = receive(&mut reader) {
                    let (kind, text) = &answers[usize::from(body.contains("\"stream\":true"))];
                    let head =
                        format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n", text.len());
                    if stream.write_all((head + text).as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    address
}
