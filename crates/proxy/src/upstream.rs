//! Upstream: the provider that the agent would have asked, with the agent's own key, asked what it asked.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use eventsource_stream::{Event, Eventsource};
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use flate2::write;
use futures_util::{StreamExt, stream};
use hyper::body::Bytes;
use hyper::{HeaderMap, Method, StatusCode};
use reqwest::{Client, Response, Url, redirect};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stepwright_secret::Mask;
use stepwright_wire::{Api, Fold, Request, Stored, Whole, is_refusal, late, lenient, opening, refusal};

use crate::routes::{Provider, beside, provider};

/// Most bytes of an answer.
const MAX_ANSWER: usize = 64 << 20;
const TOO_LONG: &str = "it is longer than any that is useful";
/// How long a provider may be silent: what reasons takes its time.
const SILENCE: Duration = Duration::from_secs(900);
const CONNECT: Duration = Duration::from_secs(30);

/// Headers that hold keys.
const KEYS: [&str; 5] = ["authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie"];

/// The variables that name another address, and the address where none does.
const OPENAI: (&[&str], &str) = (&["OPENAI_BASE_URL", "OPENAI_API_BASE"], "https://api.openai.com/v1");
const ANTHROPIC: (&[&str], &str) = (&["ANTHROPIC_BASE_URL"], "https://api.anthropic.com");

/// What an agent gets where there is no answer: the provider's own error, byte for byte, or one in its words. Where the provider said it
/// within a stream it is that stream's last event, behind the one that begins it where clients need that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    pub status: u16,
    /// What a client looks at before it asks again, and what else the provider said beside it.
    pub headers: Vec<(String, String)>,
    pub body: String,
    /// The body itself where it is no UTF-8: the text is what of it can be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bytes: Vec<u8>,
}

impl Refusal {
    /// One that no provider said. `kind` is a type of error of the interface.
    pub fn new(api: Api, status: u16, kind: &str, message: &str) -> Self {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Refusal { status, headers, body: refusal(api, kind, message), bytes: Vec::new() }
    }

    /// Its words: those of the error that it holds, else itself.
    pub fn message(&self) -> String {
        let said = self.event().unwrap_or(&self.body);
        let object: Value = lenient(said).unwrap_or_default();
        let held = object.pointer("/response/error").or_else(|| object.get("error"));
        let error = held.filter(|error| !error.is_null()).unwrap_or(&object);
        let words = error.get("message").or(Some(error)).and_then(Value::as_str);
        words.map_or_else(|| said.to_owned(), str::to_owned)
    }

    /// The data of the event that it is, if it is one.
    fn event(&self) -> Option<&str> {
        self.body.lines().rev().find_map(|line| line.strip_prefix(DATA))
    }

    /// The body as an agent gets it.
    pub(crate) fn sent(&self) -> Vec<u8> {
        if self.bytes.is_empty() { self.body.clone().into_bytes() } else { self.bytes.clone() }
    }

    /// Itself as the last event of a stream that has begun.
    pub(crate) fn late(&self, api: Api) -> String {
        match self.event() {
            Some(_) => self.body.clone(),
            None => late(api, &self.body),
        }
    }
}

/// What the data of an event begins with.
const DATA: &str = "data: ";

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.status, self.message())?;
        let wait = self.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("retry-after"));
        wait.map_or(Ok(()), |(_, wait)| write!(f, " (retry-after: {wait})"))
    }
}

/// What it takes to ask the provider as the agent did. Its headers hold the agent's key: they are shown nowhere and cannot be written.
#[derive(Clone)]
pub struct Ask {
    pub(crate) api: Api,
    /// Path and query behind the secret.
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
}

impl Ask {
    /// Whether both ask the same way: what differs from request to request alone is aside.
    pub(crate) fn is_same(&self, other: &Ask) -> bool {
        let own = |ask: &Ask, name: &str| ask.headers.get(name).cloned();
        self.api == other.api && self.path == other.path && KEYS.iter().all(|name| own(self, name) == own(other, name))
    }

    /// A text without the agent's keys, should a provider have repeated one.
    pub fn masked(&self, text: &str) -> String {
        let held = |name: &&str| self.headers.get(*name)?.to_str().ok();
        let keys = KEYS.iter().filter_map(held).map(|value| value.trim_start_matches("Bearer "));
        Mask::new(keys).masked(text)
    }
}

impl std::fmt::Debug for Ask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ask").field("api", &self.api).field("path", &self.path).finish_non_exhaustive()
    }
}

/// The providers' addresses, and what of their store they have otherwise than the agent.
#[derive(Debug)]
pub struct Upstream {
    openai: Url,
    anthropic: Url,
    client: Client,
    /// For servers of this machine: no proxy stands before them.
    direct: Client,
    stored: Mutex<Stored>,
    /// Answers as the provider gave them, by what they are known by.
    genuine: Mutex<HashMap<String, Genuine>>,
}

/// An answer of the provider's.
#[derive(Debug)]
struct Genuine {
    digest: String,
    beside: Beside,
}

/// What was said beside an answer: its status, the number of the request, what is left of a limit.
#[derive(Debug, Clone, Default)]
pub(crate) struct Beside {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
}

/// What an answer is known by: its id, else what it says.
fn key(whole: &Whole) -> String {
    if whole.id().is_empty() { whole.digest() } else { whole.id().to_owned() }
}

impl Upstream {
    /// The provider that a command with these variables would ask.
    /// Errors: an address that is none, in words.
    pub fn of_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let address = |(names, default): (&[&str], &str)| {
            let set =
                names.iter().find_map(|name| Some((*name, variable(name).filter(|text| !text.trim().is_empty())?)));
            let (name, text) = set.unwrap_or(("", default.to_owned()));
            read(name, &text)
        };
        Upstream::new(address(OPENAI)?, address(ANTHROPIC)?)
    }

    /// One server for all interfaces; `said` is where its address was given.
    /// Errors: an address that is none, in words.
    pub fn at(said: &str, address: &str) -> Result<Self, String> {
        let address = read(said, address)?;
        Upstream::new(address.clone(), address)
    }

    /// Where it leads to, without any name or password in it.
    pub fn addresses(&self) -> Vec<String> {
        let plain = |url: &Url| {
            let mut url = url.clone();
            // An address that can have neither has none.
            let _ = (url.set_username(""), url.set_password(None), url.set_query(None));
            url.to_string()
        };
        let mut all = vec![plain(&self.openai), plain(&self.anthropic)];
        all.dedup();
        all
    }

    fn new(openai: Url, anthropic: Url) -> Result<Self, String> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = |direct: bool| {
            let mut builder = Client::builder().connect_timeout(CONNECT).read_timeout(SILENCE);
            // A redirect would take the key where nobody named it.
            builder = builder.redirect(redirect::Policy::none());
            if direct {
                builder = builder.no_proxy();
            }
            builder.build().map_err(|error| format!("cannot set up the HTTP client: {error}"))
        };
        Ok(Upstream {
            openai,
            anthropic,
            client: client(false)?,
            direct: client(true)?,
            stored: Mutex::default(),
            genuine: Mutex::default(),
        })
    }

    fn base(&self, provider: Provider) -> &Url {
        match provider {
            Provider::OpenAi => &self.openai,
            Provider::Anthropic => &self.anthropic,
        }
    }

    fn url(&self, provider: Provider, path: &str) -> Url {
        let mut url = self.base(provider).clone();
        let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
        let bare = path.strip_prefix("/v1").filter(|rest| rest.starts_with('/')).unwrap_or(path);
        let base = url.path().trim_end_matches('/').to_owned();
        // OpenAI's clients are given the version with the address, Anthropic's add it.
        let base = match provider {
            Provider::Anthropic if !base.ends_with("/v1") => format!("{base}/v1"),
            _ => base,
        };
        url.set_path(&format!("{base}{bare}"));
        if let Some(query) = query {
            url.set_query(Some(query));
        }
        url
    }

    /// Sends a request on: one that is no answer passes so.
    pub(crate) async fn send(
        &self,
        provider: Provider,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response, String> {
        let url = self.url(provider, path);
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let near = host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
        let client = if near { &self.direct } else { &self.client };
        client.request(method, url).headers(headers).body(body).send().await.map_err(|error| cause(&error))
    }

    /// A request with what the agent believes to be stored, and the model asked has not or has otherwise, in its place.
    pub fn written_out(&self, api: Api, body: &str) -> String {
        match api {
            Api::Responses => lock(&self.stored).upstream(body).unwrap_or_else(|_| body.to_owned()),
            Api::Chat | Api::Messages => body.to_owned(),
        }
    }

    /// Asks the provider for an answer; `body` is the agent's request, or one that was changed. New text goes to `on_text` as it
    /// arrives. Dropped, it stops asking.
    pub async fn ask(&self, ask: &Ask, body: &str, mut on_text: impl FnMut(&str)) -> Result<Whole, Refusal> {
        let body = self.written_out(ask.api, body);
        let (stream, counted) = streams(ask.api, &body);
        let (whole, beside) = match self.ask_once(ask, counted.as_ref().unwrap_or(&body), stream, &mut on_text).await {
            // A server that does not know how to count what it streams, and says so.
            Err(refused) if counted.is_some() && refused.status >= 400 && refused.body.contains("stream_options") => {
                self.ask_once(ask, &body, stream, &mut on_text).await?
            }
            asked => asked?,
        };
        lock(&self.genuine).insert(key(&whole), Genuine { digest: whole.digest(), beside });
        Ok(whole)
    }

    async fn ask_once(
        &self,
        ask: &Ask,
        body: &str,
        stream: bool,
        on_text: &mut impl FnMut(&str),
    ) -> Result<(Whole, Beside), Refusal> {
        let api = ask.api;
        let broken =
            |message: String| Refusal::new(api, 502, "api_error", &format!("the provider's answer: {message}"));
        let sent =
            self.send(provider(api), Method::POST, &ask.path, ask.headers.clone(), Bytes::from(body.to_owned())).await;
        let response =
            sent.map_err(|why| Refusal::new(api, 502, "api_error", &format!("the provider cannot be asked: {why}")))?;
        let status = response.status();
        if status.is_redirection() {
            // Who followed it would ask past the gate.
            let to = response.headers().get("location").map(|to| String::from_utf8_lossy(to.as_bytes()).into_owned());
            let to = to.unwrap_or_else(|| "nowhere".to_owned());
            return Err(broken(format!("it redirects to {to}; let the command's base URL name that server")));
        }
        if !status.is_success() {
            return Err(refused(ask, response).await);
        }
        let said = Said { api, status: status.as_u16(), headers: kept(ask, response.headers()) };
        let mut beside = Beside { status, headers: beside(response.headers()) };
        beside.headers.remove("content-type");
        if !stream || is_json(&response) == Some(true) {
            let text = text(response).await.map_err(broken)?;
            let whole = Whole::read(api, &text);
            return Ok((whole.map_err(|problem| said.instead(&text, &text, || broken(problem.to_string())))?, beside));
        }
        let pieces = match coding(response.headers()) {
            // What is packed can be read once it is whole.
            Some(_) => stream::iter([Ok(Bytes::from(bytes(response).await.map_err(broken)?))]).left_stream(),
            None => response.bytes_stream().right_stream(),
        };
        let mut fold = Fold::new(api);
        let (mut came, mut told) = (0, 0);
        let (mut begun, mut last) = (None, Event::default());
        let mut events = Box::pin(pieces.eventsource());
        while let Some(event) = events.next().await {
            last = event.map_err(|error| broken(error.to_string()))?;
            came += last.data.len();
            if came > MAX_ANSWER {
                return Err(broken(TOO_LONG.to_owned()));
            }
            if last.event == CREATED {
                begun = Some(written(&last));
            }
            let taken = fold.take(&last.data);
            let ended = taken.map_err(|problem| said.event(begun.as_deref(), &last, || broken(problem.to_string())))?;
            let so_far = fold.so_far();
            if let Some(new) = so_far.get(told..).filter(|new| !new.is_empty()) {
                on_text(new);
                told = so_far.len();
            }
            if ended {
                break;
            }
        }
        let whole = fold.end();
        let whole = whole.map_err(|problem| said.event(begun.as_deref(), &last, || broken(problem.to_string())))?;
        Ok((whole, beside))
    }

    /// Keeps what a request for a response was answered with.
    pub(crate) fn keep(&self, request: &Request, body: &str, whole: &Whole) {
        if request.api == Api::Responses {
            let changed = lock(&self.genuine).get(&key(whole)).is_none_or(|genuine| genuine.digest != whole.digest());
            lock(&self.stored).keep(request, body, whole, changed);
        }
    }

    /// What the provider said beside an answer, however that was edited; nothing beside one that it did not give.
    pub(crate) fn beside(&self, whole: &Whole) -> Beside {
        lock(&self.genuine).get(&key(whole)).map(|genuine| genuine.beside.clone()).unwrap_or_default()
    }

    /// A response as the agent got it, where the provider has another.
    pub(crate) fn stored(&self, id: &str) -> Option<String> {
        lock(&self.stored).changed(id).map(|whole| whole.text().to_owned())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a body asks for a stream, and of a chat's that does not ask how many tokens it had, the body that does.
fn streams(api: Api, body: &str) -> (bool, Option<String>) {
    #[derive(Deserialize, Default)]
    struct Streams {
        stream: Option<bool>,
        stream_options: Option<Value>,
    }
    let asked: Streams = lenient(body).unwrap_or_default();
    let stream = asked.stream == Some(true);
    // What an agent sets itself is its own affair.
    let counted = (stream && api == Api::Chat && asked.stream_options.is_none()).then(|| {
        let rest = body.trim_start().strip_prefix('{')?;
        Some(format!("{{\"stream_options\":{{\"include_usage\":true}},{rest}"))
    });
    (stream, counted.flatten())
}

fn is_json(response: &Response) -> Option<bool> {
    Some(response.headers().get("content-type")?.to_str().ok()?.contains("json"))
}

/// How a body is packed, if it is: that was not asked for.
fn coding(headers: &HeaderMap) -> Option<String> {
    let coding = String::from_utf8_lossy(headers.get("content-encoding")?.as_bytes()).trim().to_lowercase();
    Some(coding).filter(|coding| !matches!(coding.as_str(), "" | "identity"))
}

async fn bytes(response: Response) -> Result<Vec<u8>, String> {
    let headers = response.headers().clone();
    let mut bytes = Vec::new();
    let mut stream = Box::pin(response.bytes_stream());
    while let Some(piece) = stream.next().await {
        bytes.extend_from_slice(&piece.map_err(|error| cause(&error))?);
        if bytes.len() > MAX_ANSWER {
            return Err(TOO_LONG.to_owned());
        }
    }
    unpacked(&headers, bytes)
}

/// A body as it was before it was packed, which some servers do though nobody asked for it.
/// Errors: it is packed in another way than gzip and deflate, or is cut or too long.
pub fn unpacked(headers: &HeaderMap, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    let Some(coding) = coding(headers) else { return Ok(bytes) };
    let bytes = bytes.as_slice();
    let read = match coding.as_str() {
        "gzip" | "x-gzip" => bounded(MultiGzDecoder::new(bytes)),
        // Some leave out the frame that belongs to what has this name.
        "deflate" => bounded(ZlibDecoder::new(bytes)).or_else(|_| bounded(DeflateDecoder::new(bytes))),
        other => return Err(unasked(other)),
    };
    let unpacked = read.map_err(|error| format!("it is no whole {coding}: {error}"))?;
    if unpacked.len() > MAX_ANSWER { Err(TOO_LONG.to_owned()) } else { Ok(unpacked) }
}

fn unasked(coding: &str) -> String {
    format!("it is compressed ({coding}), which was not asked for")
}

/// A body that comes packed by gzip, piece by piece as it was before.
#[derive(Debug)]
pub struct Unpacking(write::MultiGzDecoder<Unpacked>);

impl Unpacking {
    /// Of a body with these headers; `None` where it comes as it is.
    /// Errors: it is packed in another way.
    pub fn of(headers: &HeaderMap) -> Result<Option<Self>, String> {
        match coding(headers).as_deref() {
            None => Ok(None),
            Some("gzip" | "x-gzip") => Ok(Some(Unpacking(write::MultiGzDecoder::new(Unpacked::default())))),
            Some(other) => Err(unasked(other)),
        }
    }

    /// What a further piece says, which may be nothing yet.
    /// Errors: it is no gzip, or says more than any answer.
    pub fn piece(&mut self, packed: &[u8]) -> Result<Vec<u8>, String> {
        let read = self.0.write_all(packed).and_then(|()| self.0.flush());
        read.map_err(|error| format!("it is no whole gzip: {error}"))?;
        Ok(std::mem::take(&mut self.0.get_mut().0))
    }
}

/// What a piece said: a small one may stand for much.
#[derive(Debug, Default)]
struct Unpacked(Vec<u8>);

impl Write for Unpacked {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_ANSWER {
            return Err(std::io::Error::other(TOO_LONG));
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// All bytes, or a few more than are allowed.
fn bounded(packed: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    packed.take(MAX_ANSWER as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

async fn text(response: Response) -> Result<String, String> {
    String::from_utf8(bytes(response).await?).map_err(|_| "it is no UTF-8".into())
}

/// The headers that are kept with an error, without the agent's keys, should a provider have repeated one, and without cookies.
fn kept(ask: &Ask, headers: &HeaderMap) -> Vec<(String, String)> {
    let mut headers = beside(headers);
    headers.remove("set-cookie");
    let texts = headers.iter().filter_map(|(name, value)| Some((name.to_string(), ask.masked(value.to_str().ok()?))));
    texts.collect()
}

async fn refused(ask: &Ask, response: Response) -> Refusal {
    let (status, mut headers) = (response.status().as_u16(), kept(ask, response.headers()));
    match bytes(response).await {
        Ok(bytes) => {
            // What is no UTF-8 is read as far as it is.
            let body = String::from_utf8_lossy(&bytes).into_owned();
            // It is kept in the session, and no key can be blotted out of it.
            let is_kept = body.as_bytes() != bytes && ask.masked(&body) == body;
            Refusal { status, headers, body, bytes: if is_kept { bytes } else { Vec::new() } }
        }
        Err(why) => {
            let own =
                Refusal::new(ask.api, status, "api_error", &format!("the provider's error cannot be read: {why}"));
            headers.retain(|(name, _)| name != "content-type");
            Refusal { headers: [own.headers, headers].concat(), ..own }
        }
    }
}

/// With what a provider began to answer.
struct Said {
    api: Api,
    status: u16,
    headers: Vec<(String, String)>,
}

impl Said {
    /// What came in place of an answer, as it came where it says why; else what is wrong with it, in words.
    fn instead(&self, says: &str, body: &str, wrong: impl FnOnce() -> Refusal) -> Refusal {
        match is_refusal(says) {
            true => {
                Refusal { status: self.status, headers: self.headers.clone(), body: body.to_owned(), bytes: Vec::new() }
            }
            false => wrong(),
        }
    }

    /// Likewise, of an event of a stream; `begun` is the one with which the stream began, where it said so.
    fn event(&self, begun: Option<&str>, event: &Event, wrong: impl FnOnce() -> Refusal) -> Refusal {
        let begun = begun.map_or_else(|| opening(self.api, &event.data), str::to_owned);
        self.instead(&event.data, &(begun + &written(event)), wrong)
    }
}

/// The event that begins a response.
const CREATED: &str = "response.created";

/// An event as a stream has it.
fn written(event: &Event) -> String {
    // An event that was not named is a message.
    let name = Some(event.event.as_str()).filter(|name| *name != "message");
    stepwright_wire::event(name, &event.data)
}

/// The innermost cause: the outer ones repeat the address.
fn cause(error: &reqwest::Error) -> String {
    let mut inner: Option<&dyn std::error::Error> = std::error::Error::source(error);
    let mut text = None;
    while let Some(error) = inner {
        text = Some(error.to_string());
        inner = error.source();
    }
    text.unwrap_or_else(|| "no further explanation".into())
}

/// The text is not repeated in errors: it might hold a password.
fn read(said: &str, address: &str) -> Result<Url, String> {
    let url = Url::parse(address.trim()).ok();
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    url.ok_or_else(|| format!("{said} is no http or https address"))
}

#[cfg(test)]
mod tests {
    use hyper::header::{AUTHORIZATION, CONTENT_ENCODING, HeaderValue};

    use super::*;

    #[test]
    fn paths_are_put_behind_the_agents_own_address() {
        let upstream =
            |name: &'static str, text: &'static str| Upstream::of_variables(move |n| (n == name).then(|| text.into()));
        let (own, other) = (upstream("", "").unwrap(), upstream("OPENAI_API_BASE", "http://h:1/api/").unwrap());
        assert_eq!(own.url(Provider::OpenAi, "/v1/models?x=1").as_str(), "https://api.openai.com/v1/models?x=1");
        assert_eq!(own.url(Provider::OpenAi, "/models").as_str(), "https://api.openai.com/v1/models");
        assert_eq!(own.url(Provider::Anthropic, "/v1/messages").as_str(), "https://api.anthropic.com/v1/messages");
        assert_eq!(other.url(Provider::OpenAi, "/v1/responses").as_str(), "http://h:1/api/responses");
        let versioned = upstream("ANTHROPIC_BASE_URL", "http://u:p@h/a/v1").unwrap();
        assert_eq!(versioned.url(Provider::Anthropic, "/v1/messages").path(), "/a/v1/messages");
        assert_eq!(versioned.addresses(), ["https://api.openai.com/v1", "http://h/a/v1"]);
        assert!(upstream("OPENAI_BASE_URL", "nowhere:secret").is_err_and(|why| !why.contains("secret")));
        assert_eq!(Upstream::at("--upstream", "notaurl").unwrap_err(), "--upstream is no http or https address");
        let one = Upstream::at("--upstream", "http://h:2/v1").unwrap();
        assert_eq!(one.url(Provider::Anthropic, "/v1/messages").as_str(), "http://h:2/v1/messages");
    }

    #[test]
    fn streams_are_counted_and_errors_have_words() {
        assert_eq!(streams(Api::Chat, r#"{"stream":false}"#), (false, None));
        assert_eq!(streams(Api::Chat, r#"{"stream":true,"stream_options":{"include_usage":false}}"#), (true, None));
        assert_eq!(streams(Api::Messages, r#"{"stream":true}"#), (true, None));
        assert_eq!(streams(Api::Chat, r#"{"stream":true,"stream_options":{"x":"\ud83d"}}"#), (true, None));
        let counted = r#"{"stream_options":{"include_usage":true},"messages":[],"stream":true}"#;
        assert_eq!(streams(Api::Chat, r#"{"messages":[],"stream":true}"#), (true, Some(counted.into())));
        let refusal = Refusal::new(Api::Messages, 400, "invalid_request_error", "no");
        assert_eq!(refusal.message(), "no");
        let said = Said { api: Api::Responses, status: 200, headers: Vec::new() };
        let instead = |body: &str| said.instead(body, body, || Refusal::new(Api::Chat, 502, "api_error", "odd"));
        let full = instead(r#"{"error":{"message":"full"}}"#);
        assert_eq!((full.status, full.message()), (200, "full".into()));
        assert_eq!(instead(r#"{"error":{"message":"bad \ud83d x"}}"#).message(), "bad \u{fffd} x");
        assert_eq!(instead("<html>").message(), "odd");
        let failed = r#"{"type":"response.failed","response":{"error":{"code":"c","message":"full"}}}"#;
        let event = Event { event: "response.failed".into(), data: failed.into(), ..Event::default() };
        for (begun, begins) in
            [(Some("data: {\"own\":1}\n\n"), "data: {\"own\":1}\n\nevent"), (None, "event: response.created\n")]
        {
            let failed = said.event(begun, &event, || refusal.clone());
            assert!(failed.body.starts_with(begins) && failed.body.matches(DATA).count() == 2, "{}", failed.body);
            assert_eq!((failed.message(), failed.late(Api::Responses)), ("full".into(), failed.body));
        }
    }

    /// Its text is what can be read of it; what holds a key has its text alone, in which the key is blotted out.
    #[test]
    fn an_error_that_is_no_text_is_kept_as_it_is_unless_it_holds_a_key() {
        let headers =
            HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static("Bearer sk-agent-0123456789abcdef"))]);
        let ask = Ask { api: Api::Chat, path: String::new(), headers };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for (body, is_kept) in
            [(&b"caf\xe9"[..], true), (&b"sk-agent-0123456789abcdef \xe9"[..], false), (&b"plain"[..], false)]
        {
            let response = hyper::Response::builder().status(500).body(body.to_vec()).unwrap();
            let refusal = runtime.block_on(refused(&ask, Response::from(response)));
            assert_eq!((refusal.status, !refusal.bytes.is_empty()), (500, is_kept), "{refusal:?}");
            assert_eq!(refusal.body, String::from_utf8_lossy(body));
            assert_eq!(refusal.sent(), if is_kept { body } else { refusal.body.as_bytes() });
            let written = serde_json::to_string(&refusal).unwrap();
            assert_eq!(serde_json::from_str::<Refusal>(&written).unwrap(), refusal);
        }
    }

    #[test]
    fn what_came_packed_is_unpacked() {
        use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

        let level = flate2::Compression::default();
        let mut gzip = GzEncoder::new(Vec::new(), level);
        let mut framed = ZlibEncoder::new(Vec::new(), level);
        let mut bare = DeflateEncoder::new(Vec::new(), level);
        let all: [&mut dyn std::io::Write; 3] = [&mut gzip, &mut framed, &mut bare];
        all.into_iter().for_each(|packed| packed.write_all(b"{}").unwrap());
        let gzip = gzip.finish().unwrap();
        let headers = |coding: &'static str| -> HeaderMap {
            HeaderMap::from_iter([(CONTENT_ENCODING, HeaderValue::from_static(coding))])
        };
        let cut = gzip[..gzip.len() - 4].to_vec();
        let mut unpacking = Unpacking::of(&headers("gzip")).unwrap().unwrap();
        let pieces: Vec<Vec<u8>> = gzip.iter().map(|byte| unpacking.piece(&[*byte]).unwrap()).collect();
        assert_eq!(pieces.concat(), b"{}");
        assert!(Unpacking::of(&headers("identity")).unwrap().is_none());
        assert!(Unpacking::of(&headers("br")).unwrap_err().contains("br"));
        let mut unpacking = Unpacking::of(&headers("gzip")).unwrap().unwrap();
        assert!(unpacking.piece(b"no gzip at all, but words").unwrap_err().contains("no whole gzip"));
        let mut bomb = GzEncoder::new(Vec::new(), level);
        bomb.write_all(&vec![0; MAX_ANSWER + 1]).unwrap();
        let mut unpacking = Unpacking::of(&headers("gzip")).unwrap().unwrap();
        assert!(unpacking.piece(&bomb.finish().unwrap()).unwrap_err().contains(TOO_LONG));
        for (coding, packed) in [
            ("gzip", gzip),
            ("deflate", framed.finish().unwrap()),
            ("deflate", bare.finish().unwrap()),
            ("identity", b"{}".to_vec()),
        ] {
            assert_eq!(unpacked(&headers(coding), packed).unwrap(), b"{}", "{coding}");
        }
        for coding in ["gzip", "br"] {
            assert!(unpacked(&headers(coding), cut.clone()).unwrap_err().contains(coding));
        }
    }
}
