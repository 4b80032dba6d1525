//! One request for one JSON object, tried again while its failures may pass: what probing and scoring need.

use reqwest::Response;
use serde_json::Value;
use stepwright_proxy::unpacked;
use stepwright_wire::lenient;

use super::failure::{Failure, Passing};
use super::http::Root;
use super::{Remote, retry};
use crate::ModelError;

/// Most bytes of an answer.
const MAX_ANSWER: usize = 64 << 20;

impl Remote {
    /// Posts `body` (or gets, without one) and reads the answer, a JSON object.
    pub(super) async fn object(&self, root: Root, path: &str, body: Option<&Value>) -> Result<Value, Failure> {
        let mut attempt = 1;
        loop {
            let mut failure = match self.object_once(root, path, body).await {
                Ok(object) => return Ok(object),
                Err(failure) => failure,
            };
            let Some(Passing { after, .. }) = failure.passing.take() else { return Err(failure) };
            attempt += 1;
            if attempt > self.options.retries.saturating_add(1) {
                return Err(failure);
            }
            let Some(wait) = retry::wait(&self.options, attempt, after, rand::random()) else { return Err(failure) };
            tokio::time::sleep(wait).await;
        }
    }

    async fn object_once(&self, root: Root, path: &str, body: Option<&Value>) -> Result<Value, Failure> {
        let response = match body {
            Some(body) => self.http.post(&self.options, (root, path), body).await?,
            None => self.http.get(&self.options, (root, path)).await?,
        };
        self.json(response, &format!("the answer of {path}"), MAX_ANSWER).await
    }

    /// Reads a JSON body of at most so many bytes; `what` it is, for errors.
    pub(super) async fn json(&self, response: Response, what: &str, most: usize) -> Result<Value, Failure> {
        let text = self.text(response, what, most).await?;
        lenient(&text).map_err(|e| self.unreadable(&format!("{what} is no JSON ({e})")))
    }

    /// Reads a body of at most so many bytes as it came; `what` it is, for errors.
    pub(super) async fn text(&self, mut response: Response, what: &str, most: usize) -> Result<String, Failure> {
        let broken = |message: String| self.unreadable(&message);
        let headers = response.headers().clone();
        let mut bytes = Vec::new();
        loop {
            match tokio::time::timeout(self.options.idle_timeout, response.chunk()).await {
                Ok(Ok(Some(piece))) if bytes.len() + piece.len() <= most => bytes.extend_from_slice(&piece),
                Ok(Ok(Some(_))) => return Err(broken(format!("{what} is too long"))),
                Ok(Ok(None)) => break,
                Ok(Err(e)) => return Err(broken(super::http::cause(&e))),
                Err(_) => return Err(broken(format!("{what} stopped arriving"))),
            }
        }
        let bytes = unpacked(&headers, bytes).map_err(|why| broken(format!("{what}: {why}")))?;
        String::from_utf8(bytes).map_err(|_| broken(format!("{what} is no UTF-8")))
    }

    /// That a body cannot be read, and why.
    fn unreadable(&self, why: &str) -> Failure {
        Failure::last(ModelError::Broken {
            endpoint: self.http.endpoint().to_owned(),
            message: self.http.clean(why),
            partial: String::new(),
        })
    }
}
