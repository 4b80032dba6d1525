//! Download of a file over HTTP into a file that grows: resumes where it broke off, as often as that makes progress.

use std::time::Duration;

use reqwest::header::{CONTENT_RANGE, HeaderMap, RANGE};
use reqwest::{Client, Response, StatusCode, Url, redirect};
use secrecy::{ExposeSecret, SecretString};
use tokio_util::sync::CancellationToken;

use super::error::FetchError;
use super::manifest::Weights;
use super::store::Part;
use super::{Report, Step};
use crate::remote::{cause, shown};

/// How often in a row an attempt may bring nothing.
const PATIENCE: u32 = 4;

/// The first pause after an attempt that broke off; doubles while nothing comes.
const PAUSE: Duration = Duration::from_millis(250);

/// How an attempt that did not fill the file ended.
enum Broken {
    /// May pass: worth another attempt.
    Passing(String),
    /// Why the hub does not have it.
    NotHad(String),
    Last(FetchError),
}

impl From<FetchError> for Broken {
    fn from(error: FetchError) -> Self {
        Broken::Last(error)
    }
}

fn client() -> Result<Client, reqwest::Error> {
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
    Client::builder()
        .user_agent(concat!("stepwright/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(Duration::from_secs(20))
        .read_timeout(Duration::from_secs(60))
        .redirect(policy)
        .build()
}

/// Fills `part` from where it ends. A redirect to another host does not carry the user's token there.
pub(super) async fn fill(
    url: &Url,
    part: &Part,
    weights: &Weights,
    token: Option<&SecretString>,
    report: &Report<'_>,
    cancel: &CancellationToken,
) -> Result<(), FetchError> {
    let not_had = |why: String| FetchError::not_had(weights, why);
    let client = client().map_err(|e| not_had(format!("cannot set up the HTTP client: {}", cause(&e))))?;
    let (mut vain, mut pause) = (0, PAUSE);
    loop {
        let before = part.len()?;
        let attempt = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(FetchError::Cancelled),
            attempt = attempt(&client, url, part, weights.size, token, report) => attempt,
        };
        let why = match attempt {
            Ok(()) => return Ok(()),
            Err(Broken::Last(error)) => return Err(error),
            Err(Broken::NotHad(why)) => return Err(not_had(format!("{}{why}", shown(url)))),
            Err(Broken::Passing(why)) => why,
        };
        if part.len()? > before {
            (vain, pause) = (0, PAUSE);
        } else {
            vain += 1;
            if vain >= PATIENCE {
                return Err(not_had(format!("{}: {why} ({PATIENCE} times)", shown(url))));
            }
        }
        tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(FetchError::Cancelled),
            () = tokio::time::sleep(pause) => {}
        }
        pause *= 2;
    }
}

async fn attempt(
    client: &Client,
    url: &Url,
    part: &Part,
    size: u64,
    token: Option<&SecretString>,
    report: &Report<'_>,
) -> Result<(), Broken> {
    let mut length = part.len()?;
    if length == size {
        return Ok(());
    }
    let mut request = client.get(url.clone());
    if let Some(token) = token {
        request = request.bearer_auth(token.expose_secret());
    }
    if length > 0 {
        request = request.header(RANGE, format!("bytes={length}-"));
    }
    let mut response = request.send().await.map_err(|e| match e.is_connect() && length == 0 {
        // Nobody there, and nothing is lost by saying so at once.
        true => Broken::NotHad(format!(": {}", cause(&e))),
        false => Broken::Passing(cause(&e)),
    })?;
    length = start(&response, part, length)?;
    let total = response.content_length().map(|l| length.saturating_add(l));
    if let Some(total) = total.filter(|total| *total != size) {
        return Err(Broken::NotHad(format!(" has {total} bytes in place of {size}")));
    }
    part.cut(length)?;
    let report = |done| report(Step { what: "from the model hub", done, total: size });
    report(length);
    while let Some(piece) = response.chunk().await.map_err(|e| Broken::Passing(cause(&e)))? {
        length = length.saturating_add(piece.len() as u64);
        if length > size {
            return Err(Broken::NotHad(" is longer than it should be".to_owned()));
        }
        part.write(&piece)?;
        report(length);
    }
    if length < size {
        return Err(Broken::Passing("the connection was closed before the end".into()));
    }
    Ok(())
}

/// Where the answer's bytes belong: after what is there, or at the start where the server sends all again.
fn start(response: &Response, part: &Part, length: u64) -> Result<u64, Broken> {
    let status = response.status();
    match status {
        StatusCode::PARTIAL_CONTENT if range_start(response.headers()) == Some(length) => Ok(length),
        StatusCode::OK => Ok(0),
        // What is there is no beginning of this file.
        StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE => {
            part.cut(0)?;
            Err(Broken::Passing("the file there is another one than before".into()))
        }
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => Err(Broken::Passing(status.to_string())),
        _ if status.is_server_error() => Err(Broken::Passing(status.to_string())),
        _ => Err(Broken::NotHad(format!(": {status}"))),
    }
}

/// The first byte of `content-range: bytes 5-9/10`.
fn range_start(headers: &HeaderMap) -> Option<u64> {
    let text = headers.get(CONTENT_RANGE)?.to_str().ok()?;
    text.trim().strip_prefix("bytes")?.trim().split('-').next()?.parse().ok()
}
