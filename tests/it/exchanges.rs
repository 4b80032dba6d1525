//! Scripts of exchanges with servers that answer well or badly: what is sent, what is streamed, and what comes of it, as snapshots.
//!
//! A script is a part of a file in `exchanges/`: a heading (`# what it shows`), then lines:
//!
//! - `options: {"retries": 0}`, `wire: anthropic`, `think: 2048`, `key: sk-1`, `header: NAME: VALUE`: of the client, from here on
//! - `< 400 BODY` (`< 429 [retry-after: 1] BODY`): the server's next answer; `< good TEXT`, `< raw TEXT`, `< whole TEXT` are well-behaved ones,
//!   `< events JSON; JSON` and `< lines JSON; JSON` streams, `< break` closes the connection, `< stream` sends what the lines below it say:
//!   `delta TEXT`, `event JSON`, `send TEXT`, `drip TEXT` (byte by byte), `end`, `chunked`, `chunk TEXT`, `pause MS`, `bytes N N`, `fill N`, `hold`
//! - `x3 < …`: an answer as often; `when /max_tokens > 300 < …`: an answer to every request for which that is so (`$N` is its `max_tokens`)
//! - `ask {"n": 3}`: a request with these fields; `ask later` says that the client is the one of before
//!
//! The snapshot says what was sent (bodies after the first of a script by what is other), events of the stream, and the answer or error.
//! A key is nowhere in it; each wait that is announced is waited for.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value, json};
use stepwright::model::remote::{Options, Remote, Wire};
use stepwright::model::{LanguageModel, ModelError, ModelRequest, ModelResponse, StreamEvent};
use tokio_util::sync::CancellationToken;

use crate::support::server::{self, Received, Server, Step};

/// `\n` and `\r` as what they mean.
fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\r", "\r").replace("\\u{feff}", "\u{feff}")
}

fn event(value: &str) -> Step {
    server::send(&format!("data: {value}\n\n"))
}

/// An answer on one line.
fn answer(text: &str) -> Vec<Step> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let streamed = |step: &dyn Fn(&str) -> String| {
        std::iter::once(server::stream_head()).chain(rest.split("; ").map(|part| server::send(&step(part)))).collect()
    };
    match word {
        "good" => server::good(&unescaped(rest)),
        "whole" => server::whole(rest),
        "raw" => {
            let choice = json!({"choices": [{"index": 0, "text": rest, "finish_reason": "stop"}]});
            vec![server::stream_head(), event(&choice.to_string()), event("[DONE]")]
        }
        "events" => streamed(&|part| {
            let kind = serde_json::from_str::<Value>(part).ok().and_then(|v| Some(v["type"].as_str()?.to_owned()));
            format!("event: {}\ndata: {part}\n\n", kind.unwrap_or_default())
        }),
        "lines" => streamed(&|part| format!("{part}\n")),
        "break" => Vec::new(),
        "chunked" => vec![server::chunked_head()],
        "stream" => vec![server::stream_head()],
        "nothing" => vec![Step::Hold],
        status => {
            let (headers, body) = match rest.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
                Some((header, body)) => (format!("{header}\r\n"), body),
                None => ("content-type: application/json\r\n".to_owned(), rest),
            };
            vec![server::with_headers(status.parse().unwrap(), &headers, &unescaped(body))]
        }
    }
}

/// A further step of a stream.
fn step(line: &str) -> Vec<Step> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let text = unescaped(rest);
    vec![match word {
        "delta" => server::send(&server::delta(&text)),
        "event" => event(rest),
        "send" => server::send(&text),
        "drip" => Step::Drip(text.into_bytes(), 1),
        "end" => server::send(server::END),
        "chunk" if rest == "end" => server::chunk(server::END),
        "chunk" => server::chunk(&server::delta(&text)),
        "last" => server::send("0\r\n\r\n"),
        "pause" => Step::Pause(rest.parse().unwrap()),
        "bytes" => Step::Send(rest.split(' ').map(|byte| byte.parse().unwrap()).collect()),
        "fill" => Step::Send(vec![b'x'; rest.parse().unwrap()]),
        "hold" => Step::Hold,
        _ => panic!("no such step of a stream: {line}"),
    }]
}

/// Whether a request is one that a rule is for: `/seed`, `no /stream`, `/max_tokens > 300`, `/thinking/type = adaptive`, and several with `and`.
fn fits(rule: &str, body: &Value) -> bool {
    rule.split(" and ").all(|rule| {
        let words: Vec<&str> = rule.split(' ').collect();
        match words[..] {
            ["no", pointer] => body.pointer(pointer).is_none(),
            [pointer, ">", n] => body.pointer(pointer).and_then(Value::as_u64) > n.parse().ok(),
            [pointer, "=", word] => body.pointer(pointer).is_some_and(|v| v == word || v.to_string().as_str() == word),
            ["always"] => true,
            _ => body.pointer(rule).is_some(),
        }
    })
}

type Rules = Vec<(String, String)>;

struct Play {
    settings: Map<String, Value>,
    wire: Wire,
    think: String,
    key: Option<String>,
    headers: Vec<(String, SecretString)>,
    answers: Arc<Mutex<std::collections::VecDeque<Vec<Step>>>>,
    rules: Arc<Mutex<Rules>>,
    server: Server,
    model: Option<Remote>,
    shown: Vec<Value>,
    seen: usize,
}

impl Play {
    fn new() -> Self {
        let (answers, rules) =
            (Arc::<Mutex<std::collections::VecDeque<Vec<Step>>>>::default(), Arc::<Mutex<Rules>>::default());
        let (next, by_rule) = (Arc::clone(&answers), Arc::clone(&rules));
        let server = Server::answering(move |asked: &Received| {
            let rules = by_rule.lock().unwrap();
            if let Some((_, text)) = rules.iter().find(|(rule, _)| fits(rule, &asked.body)) {
                return answer(&text.replace("$N", &asked.body["max_tokens"].to_string()));
            }
            let next = next.lock().unwrap().pop_front();
            next.unwrap_or_else(|| vec![server::json(418, "{\"error\":\"one request too many\"}")])
        });
        let settings = Map::from_iter([("retries".to_owned(), json!(2))]);
        let (wire, think, key, headers) = (Wire::OpenAi, String::new(), None, Vec::new());
        Play { settings, wire, think, key, headers, answers, rules, server, model: None, shown: Vec::new(), seen: 0 }
    }

    fn model(&self) -> Remote {
        let options: Options = serde_json::from_value(Value::Object(self.settings.clone())).unwrap();
        let url = self.server.url.as_str();
        let url = if self.wire == Wire::Ollama { url.trim_end_matches("/v1") } else { url };
        let options = Options {
            base_url: url.to_owned(),
            model: "m".into(),
            wire: self.wire,
            think: self.think.parse().unwrap(),
            api_key: self.key.clone().map(SecretString::from),
            headers: self.headers.clone(),
            backoff: Duration::from_millis(5),
            ..options
        };
        Remote::new(options).unwrap()
    }

    /// Requests sent since, by their differences from those before.
    fn sent(&mut self) -> Vec<String> {
        let requests = self.server.requests();
        let mut out = Vec::new();
        for request in &requests[self.seen..] {
            let names = ["authorization", "x-api-key", "anthropic-version", "x-session-token"];
            let headers = request
                .head
                .lines()
                .filter(|line| names.iter().any(|name| line.to_ascii_lowercase().starts_with(name)));
            let headers: Vec<&str> = headers.collect();
            let body = match self.shown.last() {
                None => request.body.to_string(),
                Some(before) => changes(before, &request.body),
            };
            self.shown.push(request.body.clone());
            let head = if headers.is_empty() { String::new() } else { format!(" [{}]", headers.join("] [")) };
            out.push(format!("sent to {}{head}: {body}", request.path()));
        }
        self.seen = requests.len();
        out
    }

    async fn ask(&mut self, fields: &str) -> String {
        let again = fields.strip_prefix("later");
        if again.is_none() || self.model.is_none() {
            self.model = Some(self.model());
        }
        let fields = again.unwrap_or(fields).trim();
        let mut request = json!({"messages": [{"role": "system", "text": "Be brief."}, {"role": "user", "text": "next?"}],
            "max_tokens": 16, "temperature": 0.5, "n": 1});
        let more: Map<String, Value> =
            if fields.is_empty() { Map::new() } else { serde_json::from_str(fields).unwrap() };
        request.as_object_mut().unwrap().extend(more);
        let request: ModelRequest = serde_json::from_value(request).unwrap();
        let model = self.model.as_ref().unwrap();
        let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
        let (begun, cancel) = (Instant::now(), CancellationToken::new());
        let answer = tokio::time::timeout(Duration::from_secs(15), model.complete(&request, &sender, &cancel)).await;
        let answer = answer.expect("the provider hangs");
        drop(sender);
        let (mut events, mut waits) = (Vec::new(), Duration::ZERO);
        while let Some(event) = receiver.recv().await {
            if let StreamEvent::Retrying { wait, .. } = event {
                waits += wait;
            }
            heard(&mut events, event);
        }
        assert!(begun.elapsed() >= waits, "it said that it waited for {waits:?}");
        let shown = format!("{model:?}");
        let mut out = self.sent();
        let sent = out.len();
        out.extend(events);
        out.push(came(&answer));
        if let (Ok(answer), Some(last)) = (&answer, self.shown.last()) {
            out.push(format!("kept of the request: {}", changes(last, &answer.sent)));
        }
        let said = out[sent..].join("\n").replace(self.server.url.trim_end_matches("/v1"), "[SERVER]");
        let own = self.headers.iter().map(|(_, value)| value.expose_secret().to_owned()).chain(self.key.clone());
        for secret in own {
            assert!(!said.contains(&secret) && !shown.contains(&secret), "the key is shown: {said}");
        }
        out.truncate(sent);
        out.push(said);
        out.join("\n")
    }
}

/// Fields that are others, and those that are gone.
fn changes(before: &Value, after: &Value) -> String {
    let (Some(before), Some(after)) = (before.as_object(), after.as_object()) else { return after.to_string() };
    let other = after
        .iter()
        .filter(|(key, value)| before.get(*key) != Some(value))
        .map(|(key, value)| format!("{key} {value}"));
    let gone = before.keys().filter(|key| !after.contains_key(*key)).map(|key| format!("no {key}"));
    let changes: Vec<String> = other.chain(gone).collect();
    if changes.is_empty() { "the same".to_owned() } else { changes.join(", ") }
}

/// An event in words; pieces of one text are one.
fn heard(events: &mut Vec<String>, event: StreamEvent) {
    let (what, text) = match event {
        StreamEvent::Delta { index, text } => (format!("streams {index}: "), text),
        StreamEvent::Reasoning { index, text } => (format!("reasons {index}: "), text),
        StreamEvent::Void { from } => (format!("void from {from}"), String::new()),
        StreamEvent::Remark { text, warning } => (if warning { "warns: " } else { "remarks: " }.to_owned(), text),
        StreamEvent::Retrying { attempt, wait, why } => {
            let wait = if wait >= Duration::from_secs(1) { format!(" in {wait:?}") } else { String::new() };
            // What is in brackets are the words of a library.
            let why = why.split(" (").next().unwrap_or_default().to_owned();
            (format!("tries again, {attempt}{wait}: "), why)
        }
    };
    let is_piece = what.starts_with("streams") || what.starts_with("reasons");
    match events.last_mut().filter(|last| is_piece && last.starts_with(&what)) {
        Some(last) => last.push_str(&text),
        None => events.push(what + &text),
    }
}

fn came(answer: &Result<ModelResponse, ModelError>) -> String {
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => {
            let text = error.to_string();
            assert!(text.len() < 2000, "an error of {} bytes", text.len());
            let error = error.cause();
            let kind = format!("{error:?}");
            let kind = kind.split([' ', '(']).next().unwrap_or_default();
            let more = match error {
                ModelError::Broken { partial, .. } => format!(" (so far {partial:?})"),
                ModelError::TooLong { context, .. } => format!(" (context {context:?})"),
                _ => String::new(),
            };
            return format!("{kind}: {text}{more}");
        }
    };
    let completions = answer.completions.iter().map(|c| {
        let tokens: String = c.tokens.iter().map(|token| format!(", {:?}", (token.logprob, &token.top))).collect();
        let reasoning = if c.reasoning.is_empty() { String::new() } else { format!(", reasoned {:?}", c.reasoning) };
        format!("{:?} ({}{reasoning}{tokens})", c.text, c.finish)
    });
    let usage = answer.usage.map_or_else(|| "no usage".to_owned(), |usage| json!(usage).to_string());
    let served = if answer.served.is_empty() { String::new() } else { format!(", by {}", answer.served) };
    format!("answer {}; {usage}{served}", completions.collect::<Vec<_>>().join(" | "))
}

async fn played(script: &str) -> String {
    let mut lines = script.lines().filter(|line| !line.trim().is_empty()).peekable();
    let mut out = format!("# {}\n", lines.next().unwrap_or_default());
    let mut play = Play::new();
    while let Some(line) = lines.next() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let mut script = |text: &str| {
            let mut steps = answer(text);
            while let Some(more) = lines.next_if(|line| line.starts_with("  ")) {
                steps.extend(step(more.trim_start()));
            }
            steps
        };
        match word {
            ";" => out.push_str(&format!("{line}\n")),
            "options:" => play.settings.extend(serde_json::from_str::<Map<String, Value>>(rest).unwrap()),
            "wire:" => play.wire = if rest == "anthropic" { Wire::Anthropic } else { Wire::Ollama },
            "think:" => rest.clone_into(&mut play.think),
            "key:" => play.key = Some(rest.to_owned()),
            "header:" => {
                let (name, value) = rest.split_once(": ").unwrap();
                play.headers.push((name.to_owned(), SecretString::from(value)));
            }
            "<" => {
                let steps = script(rest);
                play.answers.lock().unwrap().push_back(steps);
            }
            "when" => {
                let (rule, answer) = rest.split_once(" < ").unwrap();
                play.rules.lock().unwrap().push((rule.to_owned(), answer.to_owned()));
            }
            "ask" => {
                out.push_str(&format!("{line}\n"));
                for line in play.ask(rest).await.lines() {
                    out.push_str(format!("    {line}").trim_end());
                    out.push('\n');
                }
            }
            times => {
                let times: usize =
                    times.trim_start_matches('x').parse().unwrap_or_else(|_| panic!("no such line: {line}"));
                let steps = script(rest.trim_start_matches("< "));
                play.answers.lock().unwrap().extend(vec![steps; times]);
            }
        }
    }
    out
}

/// Plays the scripts of a file.
fn exchanges(name: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/it/exchanges/{name}.exchange"));
    let text = std::fs::read_to_string(&file).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut came = Vec::new();
    for script in text.trim_start_matches("# ").split("\n# ") {
        came.push(runtime.block_on(played(script)));
    }
    insta::assert_snapshot!(format!("exchanges_{name}"), came.join("\n"));
}

macro_rules! exchanges {
    ($($name:ident)*) => { $(#[test] fn $name() { exchanges(stringify!($name)); })* };
}

exchanges! { refusals requests streams wires }
