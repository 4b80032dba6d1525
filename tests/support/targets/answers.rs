//! Targets of what others answer: servers, commands that are worlds or methods, and models, whatever method asked them.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use stepwright::config::{self, Config, Overrides};
use stepwright::driver::{self, Beginning, NewSession, Source};
use stepwright::episode::{Policy, Session};
use stepwright::method::{self, External, Method, ModelTraits};
use stepwright::methods::METHODS;
use stepwright::model::remote::{Options, Remote, Wire};
use stepwright::model::{
    Completion, LanguageModel, ModelError, ModelInfo, ModelKind, ModelRequest, ModelResponse, PromptMessage,
    ScoreRequest, StreamEvent, TokenLogprob,
};
use stepwright::options::Values;
use stepwright::sandbox::{Limits, Workers};
use stepwright::study::runner::episode;
use stepwright::world::Sources;
use stepwright::worlds::WORLDS;
use stepwright::worlds::external::{Adapter, Adapters, COMMAND_LINE};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

/// Steps of an episode, and the longest it may take.
const STEPS: u32 = 3;
const LONGEST: Duration = Duration::from_secs(30);

fn runtime() -> &'static Runtime {
    static RUNTIME: LazyLock<Runtime> =
        LazyLock::new(|| Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime"));
    &RUNTIME
}

fn request(n: u32, logprobs: bool) -> ModelRequest {
    ModelRequest {
        messages: vec![PromptMessage { role: "user".into(), text: "hi".into() }],
        max_tokens: 16,
        n,
        logprobs,
        ..ModelRequest::default()
    }
}

/// A server that answers everything with the bytes it was last given.
struct Echo {
    url: String,
    answer: Arc<Mutex<Vec<u8>>>,
}

fn echo() -> &'static Echo {
    static SERVER: LazyLock<Echo> = LazyLock::new(|| {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let answer: Arc<Mutex<Vec<u8>>> = Arc::default();
        let said = Arc::clone(&answer);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let said = said.lock().unwrap_or_else(PoisonError::into_inner).clone();
                // A client that hangs up has had enough.
                let _ = reply(stream, &said);
            }
        });
        Echo { url, answer }
    });
    &SERVER
}

fn reply(mut stream: TcpStream, said: &[u8]) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let (mut request, mut buffer) = (Vec::new(), [0; 4096]);
    let whole = |request: &[u8]| {
        let head = request.windows(4).position(|w| w == b"\r\n\r\n")?;
        let text = String::from_utf8_lossy(&request[..head]).to_ascii_lowercase();
        let length = text.lines().find_map(|l| l.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
        Some(request.len() >= head + 4 + length.unwrap_or(0))
    };
    while whole(&request) != Some(true) {
        match stream.read(&mut buffer)? {
            0 => return Ok(()),
            n => request.extend_from_slice(&buffer[..n]),
        }
    }
    stream.write_all(said)
}

/// A server's output: the first byte chooses the wire format, the request, and whether the input is the body or the
/// whole answer.
pub fn stream(data: &[u8]) {
    let (kind, body) = super::chosen(data, 24);
    let (wire, kind) = ([Wire::OpenAi, Wire::Anthropic, Wire::Ollama][kind % 3], kind / 3);
    let (asked, framed) = (kind % 4, kind / 4 == 0);
    let mut answer = Vec::new();
    if framed {
        let form = if asked == 0 { "text/event-stream" } else { "application/json" };
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {form}\r\nconnection: close\r\n\r\n");
        answer.extend_from_slice(head.as_bytes());
    }
    answer.extend_from_slice(body);
    let echo = echo();
    *echo.answer.lock().unwrap_or_else(PoisonError::into_inner) = answer;
    let second = Duration::from_secs(1);
    let options = Options {
        wire,
        stream: asked == 0,
        retries: 0,
        connect_timeout: 5 * second,
        idle_timeout: 5 * second,
        answer_timeout: 10 * second,
        ..Options::new(echo.url.as_str(), "m")
    };
    let model = Remote::new(options).expect("a client");
    runtime().block_on(async {
        let (sender, mut receiver) = unbounded_channel();
        let cancel = CancellationToken::new();
        let all = async {
            match asked {
                2 => {
                    let (messages, candidates) = (request(1, true).messages, vec!["a".to_owned(), "bb".to_owned()]);
                    let _ = model.score(&ScoreRequest { messages, candidates }, &cancel).await;
                }
                3 => {
                    if let Ok(vectors) = model.embed(&["a".to_owned(), "b".to_owned()], &cancel).await {
                        assert_eq!(vectors.len(), 2);
                    }
                }
                _ => {
                    if let Ok(answer) = model.complete(&request(2, true), &sender, &cancel).await {
                        // Those that are whole, where another is cut again and again.
                        assert!((1..=2).contains(&answer.completions.len()));
                    }
                }
            }
        };
        tokio::time::timeout(LONGEST, all).await.expect("an ask ends");
        drop(sender);
        while receiver.recv().await.is_some() {}
    });
}

/// A model that says parts of a text, one after the other and over again.
struct Said {
    parts: Vec<String>,
    at: AtomicUsize,
}

impl Said {
    /// The parts of a text, between lines of dashes.
    fn new(text: &str) -> Self {
        Said { parts: text.split("\n---\n").map(str::to_owned).collect(), at: AtomicUsize::new(0) }
    }

    fn next(&self) -> String {
        self.parts[self.at.fetch_add(1, Ordering::Relaxed) % self.parts.len()].clone()
    }
}

#[async_trait]
impl LanguageModel for Said {
    fn info(&self) -> ModelInfo {
        ModelInfo { name: "said".into(), kind: ModelKind::Recorded, endpoint: String::new() }
    }

    fn can_score(&self) -> bool {
        true
    }

    async fn score(&self, request: &ScoreRequest, _cancel: &CancellationToken) -> Result<Vec<Completion>, ModelError> {
        let scored = |text: &String| {
            let logprob = -(self.next().len() as f64) / 7.0;
            Completion { tokens: vec![TokenLogprob::new(text.clone(), logprob)], ..Completion::whole(text.clone()) }
        };
        Ok(request.candidates.iter().map(scored).collect())
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        stream: &UnboundedSender<StreamEvent>,
        _cancel: &CancellationToken,
    ) -> Result<ModelResponse, ModelError> {
        let texts: Vec<String> = (0..request.n).map(|_| self.next()).collect();
        for (index, text) in (0..).zip(&texts) {
            let _ = stream.send(StreamEvent::Delta { index, text: text.clone() });
        }
        Ok(ModelResponse::of(texts.into_iter().map(Completion::whole).collect(), None))
    }
}

fn shipped() -> &'static (Config, Sources) {
    static SHIPPED: OnceLock<(Config, Sources)> = OnceLock::new();
    SHIPPED.get_or_init(|| {
        let folder = std::env::temp_dir().join("stepwright-fuzz-without-configuration");
        let overrides = Overrides { config_dir: Some(folder), flags: Vec::new() };
        (config::load_with(&overrides, &METHODS, &|_| None).expect("defaults"), stepwright::worlds::sources())
    })
}

/// A method with a world and a task of its that it fits.
type Pair = (&'static str, &'static str, String);

fn pairs() -> &'static [Pair] {
    static PAIRS: LazyLock<Vec<Pair>> = LazyLock::new(|| {
        let model = ModelTraits { name: "said".into(), language: true, scores: true, ..ModelTraits::default() };
        let mut pairs = Vec::new();
        for info in METHODS.all() {
            for kind in WORLDS {
                let tasks = shipped().1.tasks(kind.name, None).unwrap_or_default();
                let fits = |task: &str| {
                    method::fits(&info, &Values::default(), (kind, stepwright::worlds::WORLDS), Some(task), &model)
                        .is_ok()
                };
                if let Some(task) = tasks.iter().find(|task| fits(&task.kind)) {
                    pairs.push((info.id, kind.name, task.id.clone()));
                }
            }
        }
        pairs
    });
    &PAIRS
}

/// An episode of which the model's answers are the parts of the input. The first byte chooses the method and the world.
pub fn method(data: &[u8]) {
    let pairs = pairs();
    let (chosen, text) = super::chosen(data, pairs.len());
    let _ = asked(&pairs[chosen], &super::text(text));
}

fn asked((method, world, task): &Pair, text: &str) -> Result<Session, String> {
    let said: Arc<dyn LanguageModel> = Arc::new(Said::new(text));
    let (world, task, method) = ((*world).to_owned(), task.clone(), (*method).to_owned());
    let options = functions().filter(|_| method == "o3d-code");
    let options = options.map(|file| ("skills".to_owned(), file)).into_iter().collect();
    lived(&NewSession { world, task, method, options, ..NewSession::default() }, Some(said), &shipped().1, None)
}

/// A file of skills with a function: a method that composes functions asks for nothing where there are none.
fn functions() -> Option<String> {
    static FILE: LazyLock<Option<String>> = LazyLock::new(|| {
        let path = std::env::temp_dir().join(format!("stepwright-fuzz-{}.skills.toml", std::process::id()));
        let text = "[[skill]]\nname = \"find(object)\"\n[[skill.function]]\ncode = \"def find_object(object): pass\"\nwhy = \"\"\n";
        std::fs::write(&path, text).ok()?;
        Some(path.display().to_string())
    });
    FILE.clone()
}

/// The methods that no input reaches: there is no world for them, their episode does not begin, or the model is never asked.
pub fn unreached() -> Vec<String> {
    let reached = |id: &str| match pairs().iter().find(|(method, ..)| *method == id) {
        None => Err("no world fits it".to_owned()),
        Some(pair) => asked(pair, "agent.goto('fridge 1')")
            .map(|session| session.nodes().iter().any(|node| !node.turn.asks.is_empty())),
    };
    let fault = |id: &str| match reached(id) {
        Ok(true) => None,
        Ok(false) => Some(format!("{id}: nothing is asked")),
        Err(why) => Some(format!("{id}: {why}")),
    };
    // A program behind the gate is no episode that could be made up here; what it is answered is tested in `agent_gate`.
    let made_up = METHODS.all().into_iter().filter(|info| info.id != "relay");
    made_up.filter_map(|info| fault(info.id)).collect()
}

/// Lives through some steps of an episode; it ends, and by itself.
fn lived(
    new: &NewSession,
    model: Option<Arc<dyn LanguageModel>>,
    sources: &Sources,
    own: Option<Arc<dyn Method>>,
) -> Result<Session, String> {
    let (new, sources) = (new.clone(), sources.clone());
    let (named, what) = (new.method.clone(), format!("{} {}", new.world, new.method));
    let setup = move || {
        // It is begun without a model, for the model is none that has a name.
        let symbolic = NewSession { method: String::new(), model: String::new(), ..new };
        let made = driver::prepare_new(&symbolic, &shipped().0, &sources, driver::system_clock());
        let mut setup = made.map_err(|e| e.to_string())?;
        setup.policy = Some(Policy { steps: STEPS, ..Policy::manual() });
        setup.headless = true;
        setup.method = own.or_else(|| METHODS.named(&named)).unwrap_or(setup.method);
        if let Beginning::New(header) = &mut setup.beginning {
            header.method = setup.method.info().id.to_owned();
        }
        if let Some(model) = model {
            setup.source = Source::Language { name: "said".into(), model };
        }
        if let Some(program) = option_env!("CARGO_BIN_EXE_stepwright") {
            let wall = Duration::from_secs(2);
            setup.sandbox = Workers::at(program, Limits { wall, ..Limits::default() });
        }
        Ok(setup)
    };
    runtime().block_on(async {
        let cancel = CancellationToken::new();
        let ended = tokio::time::timeout(LONGEST, episode(setup, &cancel)).await;
        let ended = ended.unwrap_or_else(|_| panic!("the episode of {what} does not end"));
        ended.map_or_else(|| Err("it was cancelled".to_owned()), |episode| episode.session)
    })
}

/// A command that answers with what a file holds.
fn says(path: &Path) -> Adapter {
    let script = "cat \"$0\"; exec cat >/dev/null".to_owned();
    let command = vec!["sh".to_owned(), "-c".to_owned(), script, path.display().to_string()];
    let second = Duration::from_secs(1);
    Adapter { start_timeout: second, step_timeout: second, ..Adapter::new(COMMAND_LINE, command) }
}

/// The lines of a command that is a world.
pub fn adapter(data: &[u8]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("said");
    std::fs::write(&path, data).expect("a file");
    let adapters = Adapters::from([(COMMAND_LINE.to_owned(), Arc::new(says(&path)))]);
    let new = NewSession { world: "external".to_owned(), ..NewSession::default() };
    let _ = lived(&new, None, &stepwright::worlds::sources().with_adapters(adapters), None);
}

/// The lines of a command that is a method: its introduction, and its steps.
pub fn introduction(data: &[u8]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("said");
    std::fs::write(&path, data).expect("a file");
    let method = Arc::new(External::new(Arc::new(says(&path)), METHODS.options()));
    if method.ready().is_ok() {
        let new = NewSession { world: "household".to_owned(), ..NewSession::default() };
        let _ = lived(&new, None, &shipped().1, Some(method));
    }
}
