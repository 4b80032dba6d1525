//! HTTP wire: one HTTP client for one endpoint. Knows the key, sends bodies, turns all but success into a [`Failure`].

use std::error::Error as _;
use std::time::{Duration, SystemTime};

use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use reqwest::{Client, Proxy, Response, Url, redirect};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use stepwright_proxy::{Unpacking, unpacked};
use stepwright_secret::Mask;
use stepwright_wire::lenient;

use super::failure::{Failure, Passing, clean, error_object, judge, words};
use super::masking;
use super::options::{Options, Wire};
use super::retry;
use crate::ModelError;

/// Most bytes read of an error's body.
const MAX_ERROR: usize = 64 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    Base,
    /// Above its version part: a server's own interface.
    Server,
}

#[derive(Debug)]
pub(super) struct Http {
    client: Client,
    base: Url,
    endpoint: String,
    /// The key and all else that headers hold: never shown.
    secrets: Vec<SecretString>,
    mask: Mask,
    idle: Duration,
}

impl Http {
    pub(super) fn new(options: &Options) -> Result<Self, ModelError> {
        let base = base_url(&options.base_url, options.wire)?;
        crate::install_tls();
        let mut builder = Client::builder()
            .default_headers(headers(options)?)
            .connect_timeout(options.connect_timeout)
            // A redirect would send the prompt, or turn POST into GET, somewhere the person did not name.
            .redirect(redirect::Policy::none());
        if !options.proxy.is_empty() {
            let proxy = Proxy::all(&options.proxy).map_err(|_| {
                // The text is not repeated: it might hold a password.
                let how = "write it like socks5h://127.0.0.1:1080 or http://host:3128";
                ModelError::Configuration(format!("proxy is no proxy's address; {how}"))
            })?;
            builder = builder.proxy(proxy);
        } else if is_loopback(&base) {
            builder = builder.no_proxy();
        }
        let client = builder
            .build()
            .map_err(|e| ModelError::Configuration(format!("cannot set up the HTTP client: {}", cause(&e))))?;
        let endpoint = shown(&base);
        let secrets = options.api_key.iter().chain(options.headers.iter().map(|(_, value)| value)).cloned().collect();
        let mask = masking::mask(options, &base);
        Ok(Http { client, base, endpoint, secrets, mask, idle: options.idle_timeout })
    }

    /// The base URL without anything secret.
    pub(super) fn endpoint(&self) -> &str {
        &self.endpoint
    }

    pub(super) fn mask(&self) -> &Mask {
        &self.mask
    }

    /// A server's words, fit to show.
    pub(super) fn clean(&self, text: &str) -> String {
        clean(&self.mask.masked(text), &self.secrets)
    }

    /// Sends `body` to a path; gives the response once its status says success.
    pub(super) async fn post(&self, options: &Options, at: (Root, &str), body: &Value) -> Result<Response, Failure> {
        let accept = "text/event-stream, application/x-ndjson, application/json";
        let request = self.client.post(self.url(at.0, at.1)).header(ACCEPT, accept).json(body);
        tracing::trace!(target: "stepwright::prompts", path = at.1, %body, "sending");
        self.send(options, at.1, request).await
    }

    /// Gets a path; gives the response once its status says success.
    pub(super) async fn get(&self, options: &Options, at: (Root, &str)) -> Result<Response, Failure> {
        let request = self.client.get(self.url(at.0, at.1)).header(ACCEPT, "application/json");
        self.send(options, at.1, request).await
    }

    async fn send(&self, options: &Options, path: &str, request: reqwest::RequestBuilder) -> Result<Response, Failure> {
        let started = std::time::Instant::now();
        let answer = self.answered(options, request).await;
        let ms = started.elapsed().as_millis();
        match &answer {
            Ok(response) => {
                tracing::debug!(endpoint = %self.endpoint, path, status = response.status().as_u16(), ms, "answered")
            }
            Err(failure) => tracing::debug!(endpoint = %self.endpoint, path, ms, error = %failure.error, "failed"),
        }
        answer
    }

    async fn answered(&self, options: &Options, request: reqwest::RequestBuilder) -> Result<Response, Failure> {
        let response = match tokio::time::timeout(self.idle, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(e)) => return Err(self.unsent(&e)),
            Err(_) => {
                let message = format!(
                    "no answer within {} s; if the model is slow, raise idle_timeout_s in config.toml",
                    self.idle.as_secs_f64()
                );
                return Err(Failure::last(ModelError::Unreachable { endpoint: self.endpoint.clone(), message }));
            }
        };
        let status = response.status().as_u16();
        if response.status().is_success() {
            return Ok(response);
        }
        let after = retry::retry_after(response.headers(), SystemTime::now());
        let text = self.error_text(response).await;
        let object: Value = lenient(&text).unwrap_or(Value::Null);
        let error = error_object(&object);
        let said = if object.is_null() { self.clean(&text) } else { self.clean(&words(error)) };
        Err(judge(options, &self.endpoint, status, error, said, after))
    }

    /// The body of an error, as far as it arrives within bounds; why it is no text, where it is packed and cannot be unpacked.
    async fn error_text(&self, mut response: Response) -> String {
        let headers = response.headers().clone();
        let mut bytes = Vec::new();
        let patience = self.idle.min(Duration::from_secs(10));
        while let Ok(Ok(Some(piece))) = tokio::time::timeout(patience, response.chunk()).await {
            bytes.extend(piece.iter().take(MAX_ERROR.saturating_sub(bytes.len())));
            if bytes.len() >= MAX_ERROR {
                break;
            }
        }
        match unpacked(&headers, bytes) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(why) => unreadable(&why),
        }
    }

    fn unsent(&self, error: &reqwest::Error) -> Failure {
        let endpoint = self.endpoint.clone();
        let why = self.clean(&cause(error));
        if let Some(message) = other_protocol(&why) {
            return Failure::last(ModelError::Unreachable { endpoint, message });
        }
        if error.is_connect() || error.is_timeout() {
            let message = if error.is_timeout() {
                "cannot connect in time; is the address right, and is there a network?".to_owned()
            } else {
                format!("cannot connect ({why}); is the server running there? check base_url")
            };
            return Failure::last(ModelError::Unreachable { endpoint, message });
        }
        let message = format!("the connection broke before an answer came ({why})");
        let passing = (!error.is_builder()).then(|| Passing { why: message.clone(), after: None });
        Failure { error: ModelError::Unreachable { endpoint, message }, passing, refusal: None }
    }

    fn url(&self, root: Root, path: &str) -> Url {
        let mut url = self.base.clone();
        let base = self.base.path().trim_end_matches('/');
        let root = match root {
            Root::Base => base,
            Root::Server => base.strip_suffix("/v1").unwrap_or(base),
        };
        let joined = format!("{root}/{path}");
        url.set_path(&joined);
        url
    }
}

/// How a body is unpacked that comes packed, though that was not asked for; why it cannot be, in words.
pub(super) fn unpacking(response: &Response) -> Result<Option<Unpacking>, String> {
    Unpacking::of(response.headers()).map_err(|why| unreadable(&why) + "; have it send plain text")
}

pub(super) fn unreadable(why: &str) -> String {
    format!("the server's answer cannot be read: {why}")
}

/// The headers of every request: who asks, the key as the wire format wants it, the headers that are set.
fn headers(options: &Options) -> Result<HeaderMap, ModelError> {
    let mut headers = HeaderMap::new();
    headers.insert(USER_AGENT, HeaderValue::from_static(concat!("stepwright/", env!("CARGO_PKG_VERSION"))));
    if options.wire == Wire::Anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
    }
    if let Some(key) = &options.api_key {
        let (name, text) = match options.wire {
            Wire::Anthropic => (HeaderName::from_static("x-api-key"), key.expose_secret().to_owned()),
            _ => (AUTHORIZATION, format!("Bearer {}", key.expose_secret())),
        };
        let from = &options.api_key_env;
        let mut value = HeaderValue::from_str(&text).map_err(|_| {
            ModelError::Configuration(format!(
                "the key in {from} holds characters that no header can carry; copy it again"
            ))
        })?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    for (name, value) in &options.headers {
        let wrong =
            |_| ModelError::Configuration(format!("headers: {name:?} or its value is none that HTTP can carry"));
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong(()))?;
        let mut value = HeaderValue::from_str(value.expose_secret()).map_err(|_| wrong(()))?;
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    Ok(headers)
}

fn base_url(text: &str, wire: Wire) -> Result<Url, ModelError> {
    let wrong = |why: String| {
        ModelError::Configuration(format!("base_url {why}; write it like http://127.0.0.1:8080/v1 or https://host/v1"))
    };
    // The text is not repeated: it might hold a password.
    let mut url = Url::parse(text.trim()).map_err(|e| wrong(format!("is no URL ({e})")))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(wrong("is no http or https URL with a host".into()));
    }
    let path = url.path().trim_end_matches('/').to_owned();
    let path = ["/chat/completions", "/completions", "/messages", "/api/chat", "/api/generate", "/api"]
        .iter()
        .find_map(|p| path.strip_suffix(p))
        .unwrap_or(&path)
        .to_owned();
    // Ollama's own interface has no version part.
    url.set_path(if path.is_empty() && wire != Wire::Ollama { "/v1" } else { &path });
    url.set_fragment(None);
    Ok(url)
}

/// An address without what may be secret in it.
pub(crate) fn shown(url: &Url) -> String {
    let mut shown = url.clone();
    shown.set_query(None);
    shown.set_fragment(None);
    // Only addresses without a host refuse this, and those hold neither.
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    shown.to_string()
}

/// An address as it is shown: without password, key or anything else behind its path. What is no address is shown as one word.
pub fn shown_address(text: &str) -> String {
    match Url::parse(text.trim()) {
        Ok(url) if url.username().is_empty() && url.password().is_none() && url.query().is_none() => text.to_owned(),
        Ok(url) => shown(&url),
        Err(_) if text.contains('@') || text.contains('?') => "(no address)".to_owned(),
        Err(_) => text.to_owned(),
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// The innermost cause of a transport error: the outer ones repeat the URL.
pub(crate) fn cause(error: &reqwest::Error) -> String {
    let mut cause = error.source();
    let mut text = None;
    while let Some(inner) = cause {
        text = Some(inner.to_string());
        cause = inner.source();
    }
    text.unwrap_or_else(|| "no further explanation".into())
}

/// That a server speaks something else than it is asked in, in words; `why` is what the libraries below say of its first bytes.
fn other_protocol(why: &str) -> Option<String> {
    if why.starts_with("received corrupt message") {
        return Some(format!("the server there does not speak TLS ({why}); should base_url begin with http://?"));
    }
    let is_no_http = why.starts_with("invalid ") && why.ends_with(" parsed");
    is_no_http.then(|| {
        format!("the server's answer is no valid HTTP ({why}); check base_url: http:// or https://, host and port")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_urls() {
        for (given, want) in [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1"),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1"),
            (" https://api.openai.com/v1/ ", "https://api.openai.com/v1"),
            ("https://h/openai/v1/chat/completions", "https://h/openai/v1"),
            ("https://user:secret@h/v1?api-key=secret", "https://h/v1"),
        ] {
            assert_eq!(shown(&base_url(given, Wire::OpenAi).unwrap()), want, "{given}");
        }
        for wrong in ["", "localhost:8080", "ftp://x/v1", "http://"] {
            assert!(matches!(base_url(wrong, Wire::OpenAi), Err(ModelError::Configuration(_))), "{wrong}");
        }
        let http = Http::new(&Options::new("https://h/v1?version=2", "m")).unwrap();
        assert_eq!(http.url(Root::Base, "chat/completions").as_str(), "https://h/v1/chat/completions?version=2");
        assert_eq!(http.url(Root::Server, "props").as_str(), "https://h/props?version=2");
    }

    #[test]
    fn what_speaks_another_protocol_is_said_to() {
        let said = |why| other_protocol(why).unwrap_or_default();
        assert!(
            said("received corrupt message of type InvalidContentType").contains("should base_url begin with http://?")
        );
        assert!(said("invalid content-length parsed").contains("no valid HTTP"));
        assert_eq!(said("Connection refused (os error 111)"), "");
    }

    #[test]
    fn keys_do_not_show() {
        let mut options = Options::new("http://127.0.0.1:1", "m");
        options.api_key = Some(SecretString::from("sk-secret"));
        let http = Http::new(&options).unwrap();
        assert!(!format!("{options:?} {http:?}").contains("sk-secret"));
        options.api_key = Some(SecretString::from("sk-sec\nret"));
        let error = Http::new(&options).unwrap_err().to_string();
        assert!(error.contains("OPENAI_API_KEY") && !error.contains("ret\""), "{error}");
    }
}
