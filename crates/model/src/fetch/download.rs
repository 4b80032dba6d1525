//! Download of a file over HTTP into a file that grows: resumes where it broke off, as often as that makes progress.

use std::time::Duration;

use reqwest::header::{CONTENT_RANGE, HeaderMap, RANGE};
use reqwest::{Client, Response, StatusCode, Url, redirect};
use secrecy::{ExposeSecret, SecretString};
use tokio_util::sync::CancellationToken;

use super::error::{FetchError, Miss};
use super::store::Part;

/// How often in a row an attempt may bring nothing.
const PATIENCE: u32 = 4;

/// The first pause after an attempt that broke off; doubles while nothing comes.
const PAUSE: Duration = Duration::from_millis(250);

/// The client for all sources.
pub(super) struct Http {
    client: Client,
}

/// What is wanted of a file.
pub(super) struct Wanted<'a> {
    /// Its size, where it is known before.
    pub(super) size: Option<u64>,
    /// Most bytes to take where it is not.
    pub(super) most: u64,
    /// The user's token, where one is needed; a redirect to another host does not carry it there.
    pub(super) token: Option<&'a SecretString>,
}

/// How an attempt that did not fill the file ended.
enum Broken {
    /// May pass: worth another attempt.
    Passing(String),
    Last(Miss),
}

impl Http {
    pub(super) fn new() -> Result<Http, String> {
        let policy = redirect::Policy::custom(|attempt| {
            let from_tls = attempt.previous().last().is_some_and(|u| u.scheme() == "https");
            if attempt.previous().len() > 10 {
                attempt.error("redirected too often")
            } else if from_tls && attempt.url().scheme() != "https" {
                attempt.error("redirected from https to an address that is not")
            } else {
                attempt.follow()
            }
        });
        crate::install_tls();
        let client = Client::builder()
            .user_agent(concat!("stepwright/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(Duration::from_secs(20))
            .read_timeout(Duration::from_secs(60))
            .redirect(policy)
            .build();
        let client = client.map_err(|e| format!("cannot set up the HTTP client: {}", cause(&e)))?;
        Ok(Http { client })
    }

    /// A page as text, and the address it came from in the end.
    pub(super) async fn text(&self, url: &Url, most: usize) -> Result<(Url, String), String> {
        let place = shown(url);
        let request = self.client.get(url.clone()).header("accept", "text/html, */*;q=0.1");
        let mut response = request.send().await.map_err(|e| format!("{place}: {}", cause(&e)))?;
        if !response.status().is_success() {
            return Err(format!("{place}: {}", response.status()));
        }
        let at = response.url().clone();
        let mut bytes = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|e| format!("{place}: {}", cause(&e)))? {
            bytes.extend_from_slice(&piece);
            if bytes.len() > most {
                return Err(format!("{place}: the page is longer than {most} bytes"));
            }
        }
        Ok((at, String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Fills `part` from where it ends. `report` is called with its length as it grows.
    pub(super) async fn fill(
        &self,
        url: &Url,
        part: &Part,
        wanted: &Wanted<'_>,
        report: &(dyn Fn(u64) + Sync),
        cancel: &CancellationToken,
    ) -> Result<(), Miss> {
        let (mut vain, mut pause) = (0, PAUSE);
        loop {
            let before = part.len()?;
            let attempt = tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(FetchError::Cancelled.into()),
                attempt = self.attempt(url, part, wanted, report) => attempt,
            };
            let why = match attempt {
                Ok(()) => return Ok(()),
                Err(Broken::Last(miss)) => return Err(miss),
                Err(Broken::Passing(why)) => why,
            };
            if part.len()? > before {
                (vain, pause) = (0, PAUSE);
            } else {
                vain += 1;
                if vain >= PATIENCE {
                    return Err(Miss::Source(format!("{}: {why} ({PATIENCE} times)", shown(url))));
                }
            }
            tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(FetchError::Cancelled.into()),
                () = tokio::time::sleep(pause) => {}
            }
            pause *= 2;
        }
    }

    async fn attempt(
        &self,
        url: &Url,
        part: &Part,
        wanted: &Wanted<'_>,
        report: &(dyn Fn(u64) + Sync),
    ) -> Result<(), Broken> {
        let mut length = part.len().map_err(|e| Broken::Last(e.into()))?;
        if wanted.size == Some(length) {
            return Ok(());
        }
        let mut request = self.client.get(url.clone());
        if let Some(token) = wanted.token {
            request = request.bearer_auth(token.expose_secret());
        }
        if length > 0 {
            request = request.header(RANGE, format!("bytes={length}-"));
        }
        let mut response = request.send().await.map_err(|e| match e.is_connect() && length == 0 {
            // Nobody there: another source is sooner asked than this one again.
            true => Broken::Last(Miss::Source(format!("{}: {}", shown(url), cause(&e)))),
            false => Broken::Passing(cause(&e)),
        })?;
        length = start(&response, part, length, url)?;
        let total = response.content_length().map(|l| length.saturating_add(l));
        if let (Some(total), Some(size)) = (total, wanted.size)
            && total != size
        {
            let place = shown(url);
            return Err(Broken::Last(Miss::Source(format!("{place} has {total} bytes in place of {size}"))));
        }
        part.cut(length).map_err(|e| Broken::Last(e.into()))?;
        report(length);
        while let Some(piece) = response.chunk().await.map_err(|e| Broken::Passing(cause(&e)))? {
            length = length.saturating_add(piece.len() as u64);
            if length > wanted.size.unwrap_or(wanted.most) {
                return Err(Broken::Last(Miss::Source(format!("{} is longer than it should be", shown(url)))));
            }
            part.write(&piece).map_err(|e| Broken::Last(e.into()))?;
            report(length);
        }
        if wanted.size.or(total).is_some_and(|t| length < t) {
            return Err(Broken::Passing("the connection was closed before the end".into()));
        }
        Ok(())
    }
}

/// Where the answer's bytes belong: after what is there, or at the start where the server sends all again.
fn start(response: &Response, part: &Part, length: u64, url: &Url) -> Result<u64, Broken> {
    let status = response.status();
    match status {
        StatusCode::PARTIAL_CONTENT if range_start(response.headers()) == Some(length) => Ok(length),
        StatusCode::OK => Ok(0),
        // What is there is no beginning of this file.
        StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE => {
            part.cut(0).map_err(|e| Broken::Last(e.into()))?;
            Err(Broken::Passing("the file there is another one than before".into()))
        }
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => Err(Broken::Passing(status.to_string())),
        _ if status.is_server_error() => Err(Broken::Passing(status.to_string())),
        _ => Err(Broken::Last(Miss::Source(format!("{}: {status}", shown(url))))),
    }
}

/// The first byte of `content-range: bytes 5-9/10`.
fn range_start(headers: &HeaderMap) -> Option<u64> {
    let text = headers.get(CONTENT_RANGE)?.to_str().ok()?;
    text.trim().strip_prefix("bytes")?.trim().split('-').next()?.parse().ok()
}

/// An address without what may be secret in it.
pub(super) fn shown(url: &Url) -> String {
    let mut shown = url.clone();
    shown.set_query(None);
    shown.set_fragment(None);
    // Only addresses without a host refuse this, and those hold neither.
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    shown.to_string()
}

/// The innermost cause: the outer ones repeat the address, with all that is in it.
fn cause(error: &reqwest::Error) -> String {
    crate::remote::cause(error)
}
