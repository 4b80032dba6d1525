//! The wire: one HTTP client for one endpoint. Knows the key, sends bodies, turns whatever is no success into a [`Failure`].

use std::error::Error as _;
use std::time::{Duration, SystemTime};

use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderValue, USER_AGENT};
use reqwest::{Client, Response, Url, redirect};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::failure::{Failure, Passing, clean, error_object, judge, words};
use super::options::Options;
use super::retry;
use crate::model::ModelError;

/// Most bytes read of an error's body.
const MAX_ERROR: usize = 64 << 10;

/// Where a path begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    /// At the base URL.
    Base,
    /// Above its version part: a server's own interface.
    Server,
}

/// The client of one endpoint.
#[derive(Debug)]
pub(super) struct Http {
    client: Client,
    base: Url,
    endpoint: String,
    key: Option<SecretString>,
    idle: Duration,
}

impl Http {
    pub(super) fn new(options: &Options) -> Result<Self, ModelError> {
        let base = base_url(&options.base_url)?;
        let mut headers = HeaderMap::new();
        headers.insert(USER_AGENT, HeaderValue::from_static(concat!("stepwright/", env!("CARGO_PKG_VERSION"))));
        if let Some(key) = &options.api_key {
            let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose_secret())).map_err(|_| {
                let from = &options.api_key_env;
                ModelError::Configuration(format!(
                    "the key in {from} holds characters that no header can carry; copy it again"
                ))
            })?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let mut builder = Client::builder()
            .default_headers(headers)
            .connect_timeout(options.connect_timeout)
            // A redirect would send the prompt, or turn POST into GET, somewhere the person did not name.
            .redirect(redirect::Policy::none());
        if is_loopback(&base) {
            builder = builder.no_proxy();
        }
        let client = builder
            .build()
            .map_err(|e| ModelError::Configuration(format!("cannot set up the HTTP client: {}", cause(&e))))?;
        let endpoint = shown(&base);
        Ok(Http { client, base, endpoint, key: options.api_key.clone(), idle: options.idle_timeout })
    }

    /// The base URL without anything secret.
    pub(super) fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// A server's words, fit to show.
    pub(super) fn clean(&self, text: &str) -> String {
        clean(text, self.key.as_ref())
    }

    /// Sends `body`; gives the response once its status says success.
    pub(super) async fn post(&self, options: &Options, path: &str, body: &Value) -> Result<Response, Failure> {
        let request = self.client.post(self.url(path)).header(ACCEPT, "text/event-stream, application/json").json(body);
        self.send(options, request).await
    }

    /// Gets `path`; gives the response once its status says success.
    pub(super) async fn get(&self, options: &Options, path: &str) -> Result<Response, Failure> {
        self.send(options, self.client.get(self.url(path)).header(ACCEPT, "application/json")).await
    }

    /// As [`Http::post`], for a path below another root.
    pub(super) async fn post_at(
        &self,
        options: &Options,
        root: Root,
        path: &str,
        body: &Value,
    ) -> Result<Response, Failure> {
        let request = self.client.post(self.url_at(root, path)).header(ACCEPT, "application/json").json(body);
        self.send(options, request).await
    }

    /// As [`Http::get`], for a path below another root.
    pub(super) async fn get_at(&self, options: &Options, root: Root, path: &str) -> Result<Response, Failure> {
        self.send(options, self.client.get(self.url_at(root, path)).header(ACCEPT, "application/json")).await
    }

    async fn send(&self, options: &Options, request: reqwest::RequestBuilder) -> Result<Response, Failure> {
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
        let object: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
        let error = error_object(&object);
        let said = if object.is_null() { self.clean(&text) } else { self.clean(&words(error)) };
        Err(judge(options, &self.endpoint, status, error, said, after))
    }

    /// The body of an error, as far as it arrives within bounds.
    async fn error_text(&self, mut response: Response) -> String {
        let mut bytes = Vec::new();
        let patience = self.idle.min(Duration::from_secs(10));
        while let Ok(Ok(Some(piece))) = tokio::time::timeout(patience, response.chunk()).await {
            bytes.extend(piece.iter().take(MAX_ERROR.saturating_sub(bytes.len())));
            if bytes.len() >= MAX_ERROR {
                break;
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn unsent(&self, error: &reqwest::Error) -> Failure {
        let endpoint = self.endpoint.clone();
        let why = self.clean(&cause(error));
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

    fn url(&self, path: &str) -> Url {
        self.url_at(Root::Base, path)
    }

    fn url_at(&self, root: Root, path: &str) -> Url {
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

fn base_url(text: &str) -> Result<Url, ModelError> {
    let wrong = |why: String| {
        ModelError::Configuration(format!("base_url {why}; write it like http://127.0.0.1:8080/v1 or https://host/v1"))
    };
    // The text is not repeated: it might hold a password.
    let mut url = Url::parse(text.trim()).map_err(|e| wrong(format!("is no URL ({e})")))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(wrong("is no http or https URL with a host".into()));
    }
    let path = url.path().trim_end_matches('/').to_owned();
    let path =
        ["/chat/completions", "/completions"].iter().find_map(|p| path.strip_suffix(p)).unwrap_or(&path).to_owned();
    url.set_path(if path.is_empty() { "/v1" } else { &path });
    url.set_fragment(None);
    Ok(url)
}

fn shown(base: &Url) -> String {
    let mut shown = base.clone();
    shown.set_query(None);
    // Only URLs without a host refuse this, and those were refused before.
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    shown.to_string()
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// The innermost cause of a transport error: the outer ones repeat the URL.
pub(in crate::model) fn cause(error: &reqwest::Error) -> String {
    let mut cause = error.source();
    let mut text = None;
    while let Some(inner) = cause {
        text = Some(inner.to_string());
        cause = inner.source();
    }
    text.unwrap_or_else(|| "no further explanation".into())
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
            assert_eq!(shown(&base_url(given).unwrap()), want, "{given}");
        }
        for wrong in ["", "localhost:8080", "ftp://x/v1", "http://"] {
            assert!(matches!(base_url(wrong), Err(ModelError::Configuration(_))), "{wrong}");
        }
        let http = Http::new(&Options::new("https://h/v1?version=2", "m")).unwrap();
        assert_eq!(http.url("chat/completions").as_str(), "https://h/v1/chat/completions?version=2");
        assert_eq!(http.url_at(Root::Server, "props").as_str(), "https://h/props?version=2");
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
