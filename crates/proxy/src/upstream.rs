//! Upstream: the provider that the agent would have asked, with the agent's own key, asked what it asked.

use std::collections::HashMap;
use std::io::Read as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use eventsource_stream::{Event, Eventsource};
use flate2::read::MultiGzDecoder;
use futures_util::StreamExt;
use hyper::body::Bytes;
use hyper::{HeaderMap, Method};
use reqwest::{Client, Response, Url, redirect};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stepwright_secret::Mask;
use stepwright_wire::{Api, Fold, Request, Stored, Whole, is_refusal, late, refusal};

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
/// within a stream it is that stream's last event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    pub status: u16,
    /// What a client looks at before it asks again, and what else the provider said beside it.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Refusal {
    /// One that no provider said. `kind` is a type of error of the interface.
    pub fn new(api: Api, status: u16, kind: &str, message: &str) -> Self {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Refusal { status, headers, body: refusal(api, kind, message) }
    }

    /// Its words: those of the error that it holds, else itself.
    pub fn message(&self) -> String {
        let said = self.event().unwrap_or(&self.body);
        let object: Value = serde_json::from_str(said).unwrap_or_default();
        let held = object.pointer("/response/error").or_else(|| object.get("error"));
        let error = held.filter(|error| !error.is_null()).unwrap_or(&object);
        let words = error.get("message").or(Some(error)).and_then(Value::as_str);
        words.map_or_else(|| said.to_owned(), str::to_owned)
    }

    /// The data of the event that it is, if it is one.
    fn event(&self) -> Option<&str> {
        self.body.lines().find_map(|line| line.strip_prefix(DATA))
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
    /// Answers as the provider gave them, by their ids.
    genuine: Mutex<HashMap<String, Genuine>>,
}

/// An answer of the provider's.
#[derive(Debug)]
struct Genuine {
    digest: String,
    /// What was said beside it: the number of the request, what is left of a limit.
    beside: HeaderMap,
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
        if !whole.id().is_empty() {
            lock(&self.genuine).insert(whole.id().to_owned(), Genuine { digest: whole.digest(), beside });
        }
        Ok(whole)
    }

    async fn ask_once(
        &self,
        ask: &Ask,
        body: &str,
        stream: bool,
        on_text: &mut impl FnMut(&str),
    ) -> Result<(Whole, HeaderMap), Refusal> {
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
        let said = Said { status: status.as_u16(), headers: kept(ask, response.headers()) };
        let mut headers = beside(response.headers());
        headers.remove("content-type");
        if !stream || is_json(&response) == Some(true) {
            let text = text(response).await.map_err(broken)?;
            let whole = Whole::read(api, &text);
            return Ok((whole.map_err(|problem| said.instead(&text, &text, || broken(problem.to_string())))?, headers));
        }
        if let Some(coding) = coding(&response) {
            return Err(broken(format!("its stream is compressed ({coding}), which was not asked for")));
        }
        let mut fold = Fold::new(api);
        let (mut bytes, mut told) = (0, 0);
        let mut last = Event::default();
        let mut events = Box::pin(response.bytes_stream().eventsource());
        while let Some(event) = events.next().await {
            last = event.map_err(|error| broken(error.to_string()))?;
            bytes += last.data.len();
            if bytes > MAX_ANSWER {
                return Err(broken(TOO_LONG.to_owned()));
            }
            let taken = fold.take(&last.data);
            let ended = taken.map_err(|problem| said.event(&last, || broken(problem.to_string())))?;
            let so_far = fold.so_far();
            if let Some(new) = so_far.get(told..).filter(|new| !new.is_empty()) {
                on_text(new);
                told = so_far.len();
            }
            if ended {
                break;
            }
        }
        let whole = fold.end().map_err(|problem| said.event(&last, || broken(problem.to_string())))?;
        Ok((whole, headers))
    }

    /// Keeps what a request for a response was answered with.
    pub(crate) fn keep(&self, request: &Request, body: &str, whole: &Whole) {
        if request.api == Api::Responses {
            let changed = lock(&self.genuine).get(whole.id()).is_none_or(|genuine| genuine.digest != whole.digest());
            lock(&self.stored).keep(request, body, whole, changed);
        }
    }

    /// What the provider said beside an answer; nothing beside one that it did not give.
    pub(crate) fn beside(&self, whole: &Whole) -> HeaderMap {
        lock(&self.genuine).get(whole.id()).map(|genuine| genuine.beside.clone()).unwrap_or_default()
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
    let asked: Streams = serde_json::from_str(body).unwrap_or_default();
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
fn coding(response: &Response) -> Option<String> {
    let coding = String::from_utf8_lossy(response.headers().get("content-encoding")?.as_bytes()).trim().to_lowercase();
    Some(coding).filter(|coding| !matches!(coding.as_str(), "" | "identity"))
}

async fn bytes(response: Response) -> Result<Vec<u8>, String> {
    let coding = coding(&response);
    let mut bytes = Vec::new();
    let mut stream = Box::pin(response.bytes_stream());
    while let Some(piece) = stream.next().await {
        bytes.extend_from_slice(&piece.map_err(|error| cause(&error))?);
        if bytes.len() > MAX_ANSWER {
            return Err(TOO_LONG.to_owned());
        }
    }
    match coding.as_deref() {
        None => Ok(bytes),
        Some("gzip" | "x-gzip") => unpacked(&bytes),
        Some(other) => Err(format!("it is compressed ({other}), which was not asked for")),
    }
}

fn unpacked(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut unpacked = Vec::new();
    let read = MultiGzDecoder::new(bytes).take(MAX_ANSWER as u64 + 1).read_to_end(&mut unpacked);
    read.map_err(|error| format!("it is no whole gzip: {error}"))?;
    if unpacked.len() > MAX_ANSWER { Err(TOO_LONG.to_owned()) } else { Ok(unpacked) }
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
        // What is no UTF-8 is read as far as it is.
        Ok(bytes) => Refusal { status, headers, body: String::from_utf8_lossy(&bytes).into_owned() },
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
    status: u16,
    headers: Vec<(String, String)>,
}

impl Said {
    /// What came in place of an answer, as it came where it says why; else what is wrong with it, in words.
    fn instead(&self, says: &str, body: &str, wrong: impl FnOnce() -> Refusal) -> Refusal {
        match is_refusal(says) {
            true => Refusal { status: self.status, headers: self.headers.clone(), body: body.to_owned() },
            false => wrong(),
        }
    }

    /// Likewise, of an event of a stream.
    fn event(&self, event: &Event, wrong: impl FnOnce() -> Refusal) -> Refusal {
        // A line ends the data; between the parts of JSON it is as good as a space.
        let data = event.data.replace(['\r', '\n'], " ");
        // An event that was not named is a message.
        let name = if event.event == "message" { String::new() } else { format!("event: {}\n", event.event) };
        self.instead(&event.data, &format!("{name}{DATA}{data}\n\n"), wrong)
    }
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
        let counted = r#"{"stream_options":{"include_usage":true},"messages":[],"stream":true}"#;
        assert_eq!(streams(Api::Chat, r#"{"messages":[],"stream":true}"#), (true, Some(counted.into())));
        let refusal = Refusal::new(Api::Messages, 400, "invalid_request_error", "no");
        assert_eq!(refusal.message(), "no");
        let said = Said { status: 200, headers: Vec::new() };
        let instead = |body: &str| said.instead(body, body, || Refusal::new(Api::Chat, 502, "api_error", "odd"));
        let full = instead(r#"{"error":{"message":"full"}}"#);
        assert_eq!((full.status, full.message()), (200, "full".into()));
        assert_eq!(instead("<html>").message(), "odd");
        let failed = r#"{"type":"response.failed","response":{"error":{"code":"c","message":"full"}}}"#;
        let event = Event { event: "response.failed".into(), data: failed.into(), ..Event::default() };
        let failed = said.event(&event, || refusal.clone());
        assert_eq!((failed.message(), failed.late(Api::Responses)), ("full".into(), failed.body));
    }

    #[test]
    fn what_came_packed_is_unpacked() {
        use std::io::Write as _;

        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packed.write_all(b"{}").unwrap();
        let packed = packed.finish().unwrap();
        assert_eq!(unpacked(&packed).unwrap(), b"{}");
        assert!(unpacked(&packed[..packed.len() - 4]).is_err());
    }
}
