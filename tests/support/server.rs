//! Server that misbehaves on command: every byte, pause and reset of every answer is under the test's control.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

/// The server's next step on a connection.
#[derive(Debug, Clone)]
pub enum Step {
    /// Sends bytes.
    Send(Vec<u8>),
    /// Sends bytes in pieces of so many bytes, each in a separate packet.
    Drip(Vec<u8>, usize),
    /// Does nothing for so many milliseconds.
    Pause(u64),
    /// Keeps the connection open until the client closes it.
    Hold,
}

#[derive(Debug, Clone)]
pub struct Received {
    pub head: String,
    pub body: Value,
}

impl Received {
    pub fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }
}

/// The server; each request takes the next script.
pub struct Server {
    pub url: String,
    requests: Arc<Mutex<Vec<Received>>>,
    /// When clients closed held connections.
    pub closed: Receiver<Instant>,
}

impl Server {
    /// The variables by which the program asks this server, and no proxy before it.
    pub fn variables(&self) -> [(&'static str, &str); 4] {
        [
            ("STEPWRIGHT_MODEL", "fake"),
            ("STEPWRIGHT_BASE_URL", self.url.as_str()),
            ("OPENAI_API_KEY", "sk-none"),
            ("NO_PROXY", "127.0.0.1"),
        ]
    }

    pub fn start(scripts: Vec<Vec<Step>>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let requests: Arc<Mutex<Vec<Received>>> = Arc::default();
        let (report, closed) = channel();
        let seen = Arc::clone(&requests);
        std::thread::spawn(move || {
            let mut scripts = scripts.into_iter();
            while let Ok((stream, _)) = listener.accept() {
                let Some(request) = receive(&stream) else { continue };
                seen.lock().unwrap().push(request);
                let script = scripts.next().unwrap_or_else(|| vec![json(418, "{\"error\":\"one request too many\"}")]);
                let report = report.clone();
                std::thread::spawn(move || play(stream, script, &report));
            }
        });
        Server { url, requests, closed }
    }

    /// A server that answers each request by what it says, as often as it is asked.
    pub fn answering(answer: impl Fn(&Received) -> Vec<Step> + Send + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let requests: Arc<Mutex<Vec<Received>>> = Arc::default();
        let (report, closed) = channel();
        let seen = Arc::clone(&requests);
        std::thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                let Some(request) = receive(&stream) else { continue };
                let script = answer(&request);
                seen.lock().unwrap().push(request);
                let report = report.clone();
                std::thread::spawn(move || play(stream, script, &report));
            }
        });
        Server { url, requests, closed }
    }

    pub fn requests(&self) -> Vec<Received> {
        self.requests.lock().unwrap().clone()
    }
}

fn receive(mut stream: &TcpStream) -> Option<Received> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let head_end = bytes.windows(4).position(|w| w == b"\r\n\r\n");
        if let Some(end) = head_end {
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let length = head
                .lines()
                .find_map(|l| l.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok())
                .unwrap_or(0);
            if bytes.len() >= end + 4 + length {
                let body = serde_json::from_slice(&bytes[end + 4..]).unwrap_or(Value::Null);
                return Some(Received { head, body });
            }
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return None,
            Ok(n) => bytes.extend_from_slice(&buffer[..n]),
        }
    }
}

fn play(mut stream: TcpStream, script: Vec<Step>, report: &Sender<Instant>) {
    stream.set_nodelay(true).unwrap();
    for step in script {
        let sent = match step {
            Step::Send(bytes) => stream.write_all(&bytes),
            Step::Drip(bytes, size) => bytes.chunks(size).try_for_each(|piece| {
                std::thread::sleep(Duration::from_millis(1));
                stream.write_all(piece)
            }),
            Step::Pause(ms) => {
                std::thread::sleep(Duration::from_millis(ms));
                Ok(())
            }
            Step::Hold => {
                let mut rest = [0; 64];
                while matches!(stream.read(&mut rest), Ok(n) if n > 0) {}
                let _ = report.send(Instant::now());
                return;
            }
        };
        if sent.is_err() {
            return;
        }
    }
}

/// A whole answer with a length.
pub fn json(status: u16, body: &str) -> Step {
    with_headers(status, "content-type: application/json\r\n", body)
}

/// A whole answer with a length and further headers.
pub fn with_headers(status: u16, headers: &str, body: &str) -> Step {
    let text =
        format!("HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
    Step::Send(text.into_bytes())
}

/// The head of a stream that ends with the connection.
pub fn stream_head() -> Step {
    Step::Send(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n".to_vec())
}

/// The head of a stream in chunks: its end is marked, so that a break can be distinguished from an end.
pub fn chunked_head() -> Step {
    Step::Send(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n".to_vec(),
    )
}

pub fn chunk(text: &str) -> Step {
    Step::Send(format!("{:x}\r\n{text}\r\n", text.len()).into_bytes())
}

/// Bytes of a stream.
pub fn send(text: &str) -> Step {
    Step::Send(text.as_bytes().to_vec())
}

/// An event with a piece of chat text.
pub fn delta(text: &str) -> String {
    format!("data: {}\n\n", serde_json::json!({"choices": [{"index": 0, "delta": {"content": text}}]}))
}

/// The events that end a well-behaved stream.
pub const END: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
    data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n";

/// A whole well-behaved stream.
pub fn good(text: &str) -> Vec<Step> {
    vec![stream_head(), send(&delta(text)), send(END)]
}

pub fn whole(text: &str) -> Vec<Step> {
    let body = serde_json::json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": text},
        "finish_reason": "stop"}], "usage": {"prompt_tokens": 7, "completion_tokens": 2}});
    vec![json(200, &body.to_string())]
}
