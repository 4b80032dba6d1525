//! Routes: what a path asks for.

use hyper::{HeaderMap, Method};
use stepwright_wire::Api;

/// Whose interface a request is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Provider {
    OpenAi,
    Anthropic,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// An answer, which waits for a decision.
    Answer(Api),
    /// A stored response, by its id.
    Stored(String),
    /// All else: models, embeddings, counts of tokens.
    Pass(Provider),
}

/// Where a request goes; `path` begins behind the secret.
pub(crate) fn route(method: &Method, path: &str, headers: &HeaderMap) -> Route {
    // Others have messages too: those of a thread, of a stored completion.
    let bare = path.strip_prefix("/v1").unwrap_or(path);
    let is_messages = bare.strip_prefix("/messages").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let is_anthropic = is_messages || headers.contains_key("anthropic-version");
    let answers = |api: &Api| *method == Method::POST && (*api != Api::Messages || is_anthropic);
    if let Some(api) = Api::of_path(path).filter(answers) {
        return Route::Answer(api);
    }
    if let Some(id) =
        path.split_once("/responses/").map(|(_, id)| id).filter(|id| *method == Method::GET && !id.contains('/'))
    {
        return Route::Stored(id.to_owned());
    }
    Route::Pass(if is_anthropic { Provider::Anthropic } else { Provider::OpenAi })
}

pub(crate) fn provider(api: Api) -> Provider {
    if api == Api::Messages { Provider::Anthropic } else { Provider::OpenAi }
}

/// Headers that belong to a connection, or to a body as it is on it, and not to the request.
const OF_THE_CONNECTION: [&str; 12] = [
    "host", "content-length", "connection", "keep-alive", "proxy-authenticate", "proxy-authorization",
    "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "expect",
];

/// The headers that go on. What is compressed could not be read here.
pub(crate) fn passed(headers: &HeaderMap) -> HeaderMap {
    let mut passed = headers.clone();
    for name in OF_THE_CONNECTION.iter().chain(&["accept-encoding"]) {
        passed.remove(*name);
    }
    passed
}

/// The headers that go back beside a body that was read here: how it was packed is said no more.
pub(crate) fn beside(headers: &HeaderMap) -> HeaderMap {
    let mut beside = passed(headers);
    beside.remove("content-encoding");
    beside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_wait_and_all_else_passes() {
        let mut headers = HeaderMap::new();
        let at = |method: Method, path: &str, headers: &HeaderMap| route(&method, path, headers);
        assert_eq!(at(Method::POST, "/v1/chat/completions", &headers), Route::Answer(Api::Chat));
        assert_eq!(at(Method::POST, "/responses", &headers), Route::Answer(Api::Responses));
        assert_eq!(at(Method::POST, "/v1/messages", &headers), Route::Answer(Api::Messages));
        assert_eq!(at(Method::POST, "/v1/messages/count_tokens", &headers), Route::Pass(Provider::Anthropic));
        assert_eq!(at(Method::GET, "/v1/responses/resp_1", &headers), Route::Stored("resp_1".into()));
        assert_eq!(at(Method::DELETE, "/v1/responses/resp_1", &headers), Route::Pass(Provider::OpenAi));
        assert_eq!(at(Method::GET, "/v1/chat/completions", &headers), Route::Pass(Provider::OpenAi));
        assert_eq!(at(Method::GET, "/v1/models", &headers), Route::Pass(Provider::OpenAi));
        for path in ["/v1/threads/t/messages", "/v1/chat/completions/c/messages", "/v1/messages_of"] {
            for method in [Method::GET, Method::POST] {
                assert_eq!(at(method, path, &headers), Route::Pass(Provider::OpenAi), "{path}");
            }
        }
        assert_eq!(at(Method::GET, "/messages/batches/b", &headers), Route::Pass(Provider::Anthropic));
        headers.insert("anthropic-version", hyper::header::HeaderValue::from_static("2023-06-01"));
        assert_eq!(at(Method::GET, "/v1/models", &headers), Route::Pass(Provider::Anthropic));
        assert_eq!(at(Method::POST, "/gateway/v1/messages", &headers), Route::Answer(Api::Messages));
    }
}
