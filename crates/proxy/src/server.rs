//! Server on loopback: an address that nobody guesses, behind which requests for an answer wait and all else passes.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, Limited, StreamBody};
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{HeaderMap, Method, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use stepwright_wire::{Api, Request, keep_alive};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::routes::{Provider, Route, passed, route};
use crate::slots::{Notice, Outcome, Reply, Slots, Waiter};
use crate::upstream::{Ask, Beside, Refusal, Upstream};

/// Most bytes of a request.
const MAX_REQUEST: usize = 64 << 20;
/// How long the same request may come while its first client is still leaving.
const LEAVING: Duration = Duration::from_millis(50);

/// How a proxy behaves.
#[derive(Debug)]
pub struct Options {
    /// Where it listens; any free port of this machine's own address if absent.
    pub listen: Option<SocketAddr>,
    pub upstream: Arc<Upstream>,
    /// How long a stream waits for a decision before it is begun and kept alive: until then an error can be said by its status.
    pub patience: Duration,
    /// The pause between two signs of life.
    pub keep_alive: Duration,
}

impl Options {
    pub fn new(upstream: Arc<Upstream>) -> Self {
        Options { listen: None, upstream, patience: Duration::from_secs(5), keep_alive: Duration::from_secs(10) }
    }
}

/// A running proxy; dropped, it closes all connections.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    secret: String,
    notices: Receiver<Notice>,
    slots: Arc<Slots>,
    _running: DropGuard,
}

struct State {
    secret: String,
    slots: Arc<Slots>,
    upstream: Arc<Upstream>,
    patience: Duration,
    keep_alive: Duration,
}

type Answer = hyper::Response<UnsyncBoxBody<Bytes, Broken>>;
type Broken = Box<dyn std::error::Error + Send + Sync>;

impl Proxy {
    /// Listens, on threads of its own.
    pub fn start(options: Options) -> std::io::Result<Proxy> {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).thread_name("proxy").enable_all().build()?;
        let listen = options.listen.unwrap_or((Ipv4Addr::LOCALHOST, 0).into());
        let listener = std::net::TcpListener::bind(listen)?;
        listener.set_nonblocking(true)?;
        let listener = {
            let _inside = runtime.enter();
            TcpListener::from_std(listener)?
        };
        let address = listener.local_addr()?;
        let (tell, notices) = channel();
        let slots = Arc::new(Slots::new(tell));
        let secret = format!("{:032x}", rand::random::<u128>());
        let state = Arc::new(State {
            secret: secret.clone(),
            slots: Arc::clone(&slots),
            upstream: options.upstream,
            patience: options.patience,
            keep_alive: options.keep_alive,
        });
        let stop = CancellationToken::new();
        let running = stop.clone().drop_guard();
        std::thread::Builder::new().name("proxy".into()).spawn(move || {
            runtime.block_on(serve(&listener, &state, &stop));
            runtime.shutdown_background();
        })?;
        Ok(Proxy { address, secret, notices, slots, _running: running })
    }

    /// The address of a client that adds the version itself.
    pub fn root(&self) -> String {
        let mut address = self.address;
        // All addresses of this machine are where it listens, not where it is asked.
        if address.ip().is_unspecified() {
            address.set_ip(Ipv4Addr::LOCALHOST.into());
        }
        format!("http://{address}/{}", self.secret)
    }

    /// The address of a client that is given it with the version.
    pub fn url(&self) -> String {
        format!("{}/v1", self.root())
    }

    /// The variables of a command that asks here: those that OpenAI's and Anthropic's clients read, and `more`, in whose values `{url}` and
    /// `{root}` stand for the address. `inherited` says what is set: a proxy before all addresses must not stand before this one.
    pub fn variables(
        &self,
        more: &[(String, String)],
        inherited: impl Fn(&str) -> Option<String>,
    ) -> Vec<(String, String)> {
        let (url, root) = (self.url(), self.root());
        let mut variables: Vec<(String, String)> =
            ["OPENAI_BASE_URL", "OPENAI_API_BASE"].map(|name| (name.to_owned(), url.clone())).into();
        variables.push(("ANTHROPIC_BASE_URL".into(), root.clone()));
        for name in ["NO_PROXY", "no_proxy"] {
            let own = self.address.ip();
            let others =
                inherited(name).filter(|text| !text.is_empty()).map_or_else(String::new, |text| format!("{text},"));
            variables.push((name.into(), format!("{others}localhost,127.0.0.1,{own}")));
        }
        let put = |pattern: &str| pattern.replace("{url}", &url).replace("{root}", &root);
        variables.extend(more.iter().map(|(name, pattern)| (name.clone(), put(pattern))));
        variables
    }

    /// What it has to say, in its order.
    pub fn notices(&self) -> &Receiver<Notice> {
        &self.notices
    }

    /// Forgets all conversations and closes what waits: the agent is started anew.
    pub fn reset(&self) {
        self.slots.reset();
    }
}

async fn serve(listener: &TcpListener, state: &Arc<State>, stop: &CancellationToken) {
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                tokio::spawn(connection(stream, Arc::clone(state), stop.clone()));
            }
            // Out of descriptors, say: those that are open may be closed meanwhile.
            Err(error) => {
                tracing::warn!(%error, "no connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

async fn connection(stream: TcpStream, state: Arc<State>, stop: CancellationToken) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| handle(Arc::clone(&state), request));
    let served = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), service);
    tokio::select! {
        () = stop.cancelled() => {}
        served = served => if let Err(error) = served {
            tracing::debug!(%error, "a connection ended");
        },
    }
}

async fn handle(state: Arc<State>, request: hyper::Request<Incoming>) -> Result<Answer, Broken> {
    let whole = request.uri().path_and_query().map_or("", |path| path.as_str());
    let behind = whole.strip_prefix('/').and_then(|path| path.strip_prefix(state.secret.as_str()));
    let Some(path) = behind.filter(|path| path.starts_with('/')).map(str::to_owned) else {
        return Ok(plain(StatusCode::NOT_FOUND, "text/plain", "nothing is here\n"));
    };
    let (parts, body) = request.into_parts();
    let bare = path.split('?').next().unwrap_or_default();
    let refused = |api: Api, status: u16, why: &str| {
        state.slots.tell(Notice::Refused { path: bare.to_owned(), why: why.to_owned() });
        Ok(error(&Refusal::new(api, status, "invalid_request_error", why)))
    };
    let route = route(&parts.method, bare, &parts.headers);
    let api = if let Route::Answer(api) = route { api } else { Api::Chat };
    if parts.headers.contains_key("upgrade") {
        return refused(api, 426, "this gate speaks HTTP alone, no web sockets");
    }
    let body = match Limited::new(body, MAX_REQUEST).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => {
            return refused(api, 413, "the request is longer than 64 MiB");
        }
        Err(error) => return Err(error),
    };
    let mut headers = passed(&parts.headers);
    // Of a body that is empty nobody else says how long it is.
    if let Some(length) = parts.headers.get(CONTENT_LENGTH).filter(|_| body.is_empty()) {
        headers.insert(CONTENT_LENGTH, length.clone());
    }
    let provider = match route {
        Route::Answer(api) => {
            let again = parts.headers.get("x-stainless-retry-count").is_some_and(|count| count != "0");
            return match readable(api, &parts.headers, &body) {
                Ok((request, body)) => answer(&state, request, body, Ask { api, path, headers }, again).await,
                Err(why) => refused(api, if why.contains("compressed") { 415 } else { 400 }, &why),
            };
        }
        Route::Stored(id) => match state.upstream.stored(&id) {
            Some(text) => {
                state.slots.tell(Notice::Passed { method: "GET".into(), path: bare.to_owned(), status: 200 });
                return Ok(plain(StatusCode::OK, "application/json", text));
            }
            None => Provider::OpenAi,
        },
        Route::Pass(provider) => provider,
    };
    pass(&state, provider, parts.method, &path, headers, body).await
}

/// The request, if it is one that can be decided on.
fn readable(api: Api, headers: &HeaderMap, body: &Bytes) -> Result<(Request, Arc<str>), String> {
    if headers.get("content-encoding").is_some_and(|coding| coding != "identity") {
        return Err("the request is compressed: switch that off in the agent".into());
    }
    let text = std::str::from_utf8(body).map_err(|_| "the request is no UTF-8".to_owned())?;
    let request = Request::read(api, text).map_err(|problem| format!("the request: {problem}"))?;
    if request.parameters.get("background").is_some_and(|background| background == true) {
        return Err(
            "an answer that is made in the background would pass the gate: switch `background` off in the agent".into(),
        );
    }
    Ok((request, text.into()))
}

async fn answer(state: &Arc<State>, request: Request, body: Arc<str>, ask: Ask, again: bool) -> Result<Answer, Broken> {
    let (api, stream) = (request.api, request.stream);
    if !again && state.slots.has_twin(&request, &body) {
        // Its client may be about to be found gone.
        tokio::time::sleep(LEAVING).await;
    }
    let mut waiter = match state.slots.joined(&request, &body, again) {
        Some(waiter) => waiter,
        None => state.slots.open(request, body, ask),
    };
    let outcome = if stream {
        match tokio::time::timeout(state.patience, waiter.decision()).await {
            Ok(outcome) => outcome,
            Err(_) => return Ok(kept_alive(Arc::clone(state), waiter, api)),
        }
    } else {
        waiter.decision().await
    };
    let reply = match &outcome {
        Outcome::Reply(reply) => reply.clone(),
        Outcome::Closed => {
            waiter.done(&outcome);
            return Err("closed without a decision".into());
        }
    };
    let (kind, text, Beside { status, headers }) = match &reply {
        Reply::Whole(whole) => {
            state.upstream.keep(&waiter.slot.request, &waiter.slot.body, whole);
            let (kind, text) = match stream {
                true => ("text/event-stream", whole.events(&waiter.slot.request)),
                false => ("application/json", whole.text().to_owned()),
            };
            (kind, text, state.upstream.beside(whole))
        }
        Reply::Error(refusal) => {
            let answer = error(refusal);
            waiter.done(&outcome);
            return Ok(answer);
        }
    };
    let said = Said { text: Some(Bytes::from(text)), given: Some((waiter, outcome)) };
    let mut answer = response(status, kind, said.map_err(|never: Infallible| match never {}).boxed_unsync());
    answer.headers_mut().extend(headers);
    Ok(answer)
}

/// A stream that is begun while nobody has decided.
fn kept_alive(state: Arc<State>, waiter: Waiter, api: Api) -> Answer {
    let first = stream::once(std::future::ready(Ok(Frame::data(Bytes::from_static(keep_alive(api).as_bytes())))));
    let rest = stream::unfold(Some(waiter), move |waiter| {
        let state = Arc::clone(&state);
        async move {
            let mut waiter = waiter?;
            let Ok(outcome) = tokio::time::timeout(state.keep_alive, waiter.decision()).await else {
                return Some((Ok(Frame::data(Bytes::from_static(keep_alive(api).as_bytes()))), Some(waiter)));
            };
            let text = match &outcome {
                Outcome::Reply(Reply::Whole(whole)) => {
                    state.upstream.keep(&waiter.slot.request, &waiter.slot.body, whole);
                    Ok(whole.events(&waiter.slot.request))
                }
                // The status is said already: the error is the stream's.
                Outcome::Reply(Reply::Error(refused)) => Ok(refused.late(api)),
                Outcome::Closed => Err(Broken::from("closed without a decision")),
            };
            waiter.done(&outcome);
            Some((text.map(|text| Frame::data(Bytes::from(text))), None))
        }
    });
    response(StatusCode::OK, "text/event-stream", StreamBody::new(first.chain(rest)).boxed_unsync())
}

/// An answer's body; that it was taken is when the client has it.
struct Said {
    text: Option<Bytes>,
    given: Option<(Waiter, Outcome)>,
}

impl Body for Said {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some((mut waiter, outcome)) = self.given.take() {
            waiter.done(&outcome);
        }
        Poll::Ready(self.text.take().map(|text| Ok(Frame::data(text))))
    }

    fn is_end_stream(&self) -> bool {
        self.text.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.text.as_ref().map_or(0, |text| text.len() as u64))
    }
}

async fn pass(
    state: &State,
    provider: Provider,
    method: Method,
    path: &str,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Answer, Broken> {
    let sent = state.upstream.send(provider, method.clone(), path, headers, body).await;
    let status = sent.as_ref().map_or(StatusCode::BAD_GATEWAY, reqwest::Response::status);
    let bare = path.split('?').next().unwrap_or_default().to_owned();
    state.slots.tell(Notice::Passed { method: method.to_string(), path: bare, status: status.as_u16() });
    let api = if provider == Provider::Anthropic { Api::Messages } else { Api::Chat };
    let passing = match sent {
        Ok(passing) => passing,
        Err(why) => {
            return Ok(error(&Refusal::new(api, 502, "api_error", &format!("the provider cannot be asked: {why}"))));
        }
    };
    let mut headers = passed(passing.headers());
    // The body goes on as it is; what has none by its method says how long it would be.
    if let Some(length) = passing.headers().get(CONTENT_LENGTH) {
        headers.insert(CONTENT_LENGTH, length.clone());
    }
    let frames = passing.bytes_stream().map(|piece| piece.map(Frame::data).map_err(Broken::from));
    let body = if method == Method::HEAD { whole("") } else { StreamBody::new(frames).boxed_unsync() };
    let mut answer = hyper::Response::new(body);
    *answer.status_mut() = status;
    *answer.headers_mut() = headers;
    Ok(answer)
}

fn error(refusal: &Refusal) -> Answer {
    let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::BAD_GATEWAY);
    let mut answer = plain(status, "application/json", refusal.sent());
    for (name, value) in &refusal.headers {
        let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) else { continue };
        // Others may come more than once.
        if name == CONTENT_TYPE {
            answer.headers_mut().insert(name, value);
        } else {
            answer.headers_mut().append(name, value);
        }
    }
    answer
}

fn plain(status: StatusCode, kind: &'static str, text: impl Into<Bytes>) -> Answer {
    response(status, kind, whole(text))
}

/// A body in one piece.
fn whole(text: impl Into<Bytes>) -> UnsyncBoxBody<Bytes, Broken> {
    Full::new(text.into()).map_err(|never| match never {}).boxed_unsync()
}

fn response(status: StatusCode, kind: &'static str, body: UnsyncBoxBody<Bytes, Broken>) -> Answer {
    let mut answer = hyper::Response::new(body);
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}
