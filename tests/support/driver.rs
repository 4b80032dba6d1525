//! Shared parts of the driver's tests: a world that counts, models that follow a script, and a watcher of notices.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use stepwright::blocking::BlockingSource;
use stepwright::driver::{Beginning, Command, Handle, Level, Notice, Persistence, Request, Setup, Source, start};
use stepwright::episode::{Event, FORMAT_VERSION, Header, Proposal, Record, Session, log};
use stepwright::method::Knowledge;
use stepwright::method::prompting::Prompting;
use stepwright::methods::METHODS;
use stepwright::model::{
    CUT_OFF, Completion, LanguageModel, ModelError, ModelInfo, ModelKind, ModelRequest, ModelResponse, PromptMessage,
    ScoreRequest, StreamEvent, TokenLogprob, Usage,
};
use stepwright::precondition::CandidateAsks;
use stepwright::program::{Call, Literal};
use stepwright::sandbox::{Limits, Workers};
use stepwright::world::demonstration::Demonstration;
use stepwright::world::{Ability, Outcome, ProgramHeader, Snapshot, TaskInfo, World, WorldError, WorldKind};
use stepwright::worlds::household::agent::HouseholdAgent;
use stepwright_trajectory::Step;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

pub const SPECIFICATION: &str = include_str!("counter.py");

/// A world in which one adds up to ten. `add N` for N from 1 to 5; all that goes over ten is refused.
#[derive(Debug, Clone, Default)]
pub struct Counter {
    pub total: i64,
    /// Counts differently from the other: for sessions whose world has changed.
    pub skew: i64,
}

impl Counter {
    fn try_act(&mut self, text: &str) -> Outcome {
        let n = text.strip_prefix("add ").and_then(|n| n.parse::<i64>().ok()).filter(|n| (1..=5).contains(n));
        let mut outcome = Outcome::default();
        match n {
            Some(n) if self.total + n <= 10 => {
                self.total += n;
                outcome.observation = format!("The total is {}.", self.total + self.skew);
                outcome.action_call = Some(Call {
                    receiver: "agent".into(),
                    function: "add".into(),
                    args: vec![Literal::Int(n)],
                    ..Call::default()
                });
                outcome.observation_calls = vec![Call {
                    receiver: "agent".into(),
                    function: "set_total".into(),
                    args: vec![Literal::Int(self.total)],
                    ..Call::default()
                }];
            }
            _ => {
                outcome.observation = "Nothing happens.".into();
                outcome.error = Some("Nothing happens.".into());
            }
        }
        outcome.won = self.total == 10;
        outcome.done = outcome.won;
        outcome
    }
}

/// The counting world's entry; it has one task, and its worlds are made by the tests.
pub static COUNTER: WorldKind = WorldKind {
    abilities: &[Ability::Admissible, Ability::Preview],
    ..WorldKind::new("counter", "count to ten", |_| Err(WorldError::Failed("made by the tests alone".into())))
};

impl World for Counter {
    fn kind(&self) -> &'static WorldKind {
        &COUNTER
    }

    fn reset(&mut self, task: &str, _seed: u64) -> Result<Outcome, WorldError> {
        if task != "ten" {
            return Err(WorldError::NoSuchTask { id: task.into(), nearest: vec!["ten".into()] });
        }
        self.total = 0;
        Ok(Outcome { observation: "Reach ten.".into(), ..Outcome::default() })
    }

    fn act(&mut self, text: &str) -> Result<Outcome, WorldError> {
        if text == "add boom" {
            return Err(WorldError::Failed("the world broke".into()));
        }
        Ok(self.try_act(text))
    }

    fn admissible(&self) -> Option<Vec<String>> {
        Some((1..=5).filter(|n| self.total + n <= 10).map(|n| format!("add {n}")).collect())
    }

    fn truth(&self) -> Value {
        json!({"total": self.total})
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot(Arc::new(self.total))
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), WorldError> {
        self.total = *snapshot.0.downcast_ref::<i64>().ok_or(WorldError::ForeignSnapshot)?;
        Ok(())
    }

    fn preview(&self, text: &str) -> Option<Outcome> {
        Some(self.clone().try_act(text))
    }

    fn tasks(&self) -> Vec<TaskInfo> {
        vec![TaskInfo {
            id: "ten".into(),
            kind: "count".into(),
            sentence: "reach ten.".into(),
            source: "shipped".into(),
        }]
    }

    fn call_of(&self, text: &str) -> Option<Call> {
        let n = text.strip_prefix("add ")?.parse::<i64>().ok()?;
        Some(Call { receiver: "agent".into(), function: "add".into(), args: vec![Literal::Int(n)], ..Call::default() })
    }

    fn text_of(&self, call: &Call) -> Option<String> {
        match (call.receiver.as_str(), call.function.as_str(), call.args.as_slice()) {
            ("agent", "add", [Literal::Int(n)]) => Some(format!("add {n}")),
            _ => None,
        }
    }

    fn header(&self) -> ProgramHeader {
        ProgramHeader {
            function: "reach_ten".into(),
            comment: "reach ten.".into(),
            setup: vec!["env = Environment()".into(), "agent = Agent(env)".into()],
        }
    }

    fn specification(&self) -> std::borrow::Cow<'static, str> {
        SPECIFICATION.into()
    }

    fn fork(&self) -> Box<dyn World> {
        Box::new(self.clone())
    }
}

/// The scripted model's turn at one ask.
#[derive(Debug, Clone)]
pub enum Turn {
    /// Answers these texts after so long, streaming them character by character.
    Say(Vec<&'static str>, Duration),
    /// Answers texts of a stream that ended without saying that it was whole.
    Cut(Vec<&'static str>),
    Fail(ModelError),
    /// Streams some text and never ends.
    Hang(&'static str),
    /// Scores given texts: each ending's log-probability, for one token; others get -9.
    Score(Vec<(&'static str, f64)>),
    /// Scores one text and never ends.
    HangScoring,
}

/// A model that follows a script and keeps what it was asked.
#[derive(Default)]
pub struct Scripted {
    pub turns: Mutex<VecDeque<Turn>>,
    pub asked: Mutex<Vec<ModelRequest>>,
    /// Whether it continues raw text.
    pub raw: bool,
}

impl Scripted {
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Arc<Self> {
        Arc::new(Scripted { turns: Mutex::new(turns.into_iter().collect()), ..Scripted::default() })
    }

    /// Answers at once.
    pub fn lines(lines: &[&'static str]) -> Arc<Self> {
        Scripted::new(lines.iter().map(|l| Turn::Say(vec![l], Duration::ZERO)))
    }
}

#[async_trait]
impl LanguageModel for Scripted {
    fn info(&self) -> ModelInfo {
        ModelInfo { name: "scripted".into(), kind: ModelKind::Recorded, endpoint: String::new() }
    }

    fn prefers_raw(&self) -> bool {
        self.raw
    }

    fn raw_setting(&self) -> Option<&'static str> {
        Some("set `raw`")
    }

    async fn score_watched(
        &self,
        request: &ScoreRequest,
        done: &UnboundedSender<usize>,
        _cancel: &CancellationToken,
    ) -> Result<Vec<Completion>, ModelError> {
        self.asked.lock().unwrap().push(kept(request));
        let turn = self.turns.lock().unwrap().pop_front();
        let _ = done.send(1);
        tokio::task::yield_now().await;
        match turn {
            Some(Turn::Score(scores)) => Ok(request
                .candidates
                .iter()
                .map(|text| {
                    let known = scores.iter().find(|(end, _)| text.ends_with(end));
                    let token = TokenLogprob::new(text.clone(), known.map_or(-9.0, |(_, l)| *l));
                    Completion { text: text.clone(), tokens: vec![token], ..Completion::default() }
                })
                .collect()),
            Some(Turn::Fail(error)) => Err(error),
            Some(Turn::HangScoring) => std::future::pending().await,
            turn => panic!("asked to score at {turn:?}"),
        }
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        stream: &UnboundedSender<StreamEvent>,
        _cancel: &CancellationToken,
    ) -> Result<ModelResponse, ModelError> {
        self.asked.lock().unwrap().push(request.clone());
        let turn = self.turns.lock().unwrap().pop_front();
        match turn {
            None => Err(ModelError::Unreachable { endpoint: "scripted".into(), message: "the script is over".into() }),
            Some(Turn::Cut(texts)) => {
                let completion =
                    |t: &&str| Completion { text: t.to_string(), finish: CUT_OFF.into(), ..Completion::default() };
                Ok(ModelResponse::of(texts.iter().map(completion).collect(), None))
            }
            Some(Turn::Fail(error)) => Err(error),
            Some(turn @ (Turn::Score(_) | Turn::HangScoring)) => panic!("asked to write at {turn:?}"),
            Some(Turn::Hang(text)) => {
                let _ = stream.send(StreamEvent::Delta { index: 0, text: text.into() });
                // It does not even look at the cancellation.
                std::future::pending().await
            }
            Some(Turn::Say(texts, wait)) => {
                for (index, text) in texts.iter().enumerate() {
                    for c in text.chars() {
                        let _ = stream.send(StreamEvent::Delta { index: index as u32, text: c.into() });
                    }
                }
                tokio::time::sleep(wait).await;
                let completion = |t: &&str| Completion::whole(t.to_string());
                let usage = Some(Usage::new(100, 10 * texts.len() as u64));
                Ok(ModelResponse::of(texts.iter().map(completion).collect(), usage))
            }
        }
    }
}

fn kept(request: &ScoreRequest) -> ModelRequest {
    let candidates = PromptMessage { role: "candidates".into(), text: request.candidates.join("\n") };
    ModelRequest {
        messages: request.messages.iter().cloned().chain([candidates]).collect(),
        max_tokens: 0,
        n: 0,
        logprobs: true,
        ..ModelRequest::default()
    }
}

/// An episode in which these numbers were added.
pub fn demonstration(id: &str, numbers: &[i64]) -> Demonstration {
    let call = |function: &str, n: i64| Call {
        receiver: "agent".into(),
        function: function.into(),
        args: vec![Literal::Int(n)],
        ..Call::default()
    };
    let mut total = 0;
    let steps = numbers.iter().map(|n| {
        total += n;
        Step { call: Some(call("add", *n)), calls: vec![call("set_total", total)], ..Default::default() }
    });
    Demonstration {
        id: id.into(),
        task_type: "count".into(),
        sentence: "reach ten.".into(),
        header: ProgramHeader { function: "reach_ten".into(), comment: "reach ten.".into(), setup: vec![] },
        steps: std::iter::once(Step::default()).chain(steps).collect(),
    }
}

pub fn header() -> Header {
    Header {
        stepwright: "session".into(),
        version: FORMAT_VERSION,
        program: "test".into(),
        created: 0,
        world: "counter".into(),
        world_version: String::new(),
        options: BTreeMap::new(),
        data: "shipped".into(),
        demonstrations: String::new(),
        task: "ten".into(),
        sentence: "reach ten.".into(),
        service: String::new(),
        seed: 0,
        method: "precondition-aware".into(),
        method_version: String::new(),
        sandbox: String::new(),
        model: "scripted".into(),
        specification: SPECIFICATION.into(),
        opening: vec![
            "def reach_ten():".into(),
            "# reach ten.".into(),
            "env = Environment()".into(),
            "agent = Agent(env)".into(),
        ],
    }
}

/// A session of the counter by a method with options, watched from its beginning.
pub fn watched(method: &str, options: &[(&str, &str)], model: &Arc<Scripted>) -> Watched {
    let mut header = header();
    header.method = method.into();
    header.options = options.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let mut setup = setup(Beginning::New(Box::new(header)), Counter::default(), model.clone(), None);
    setup.method = METHODS.named(method).unwrap();
    Watched::start(setup)
}

pub fn setup(beginning: Beginning, world: Counter, model: Arc<Scripted>, log: Option<log::Writer>) -> Setup {
    let again = Arc::clone(&model);
    let proposer = Arc::new(HouseholdAgent::learn([]));
    let knowledge = Knowledge::new(&world, proposer, Arc::default(), BlockingSource::Assertions);
    Setup {
        beginning,
        world: Box::new(world),
        method: METHODS.named("precondition-aware").unwrap(),
        source: Source::Language { name: "scripted".into(), model },
        resolver: Arc::new(move |name| match name {
            "scripted" => Ok(Source::Language { name: "scripted".into(), model: again.clone() }),
            "symbolic" => Ok(Source::Symbolic),
            _ => Err(format!("no model `{name}`; there are scripted, symbolic")),
        }),
        methods: stepwright::driver::MethodResolver::new(&METHODS, |_| None),
        knowledge,
        sandbox: Workers::at(env!("CARGO_BIN_EXE_stepwright"), Limits::default()),
        prompting: Prompting::default(),
        services: stepwright::driver::service::all(CandidateAsks::default(), Default::default(), false),
        keep: log.map_or(Persistence::Nothing, Persistence::Log),
        adopted: Vec::new(),
        form: None,
        policy: None,
        headless: false,
        clock: Arc::new(|| 1_000),
        remarks: Vec::new(),
    }
}

/// A driver with its notices so far, folded.
pub struct Watched {
    pub handle: Handle,
    pub session: Session,
    pub records: Vec<Record>,
    pub notices: Vec<Notice>,
}

impl Watched {
    pub fn start(setup: Setup) -> Self {
        let handle = start(setup).unwrap();
        Watched { handle, session: Session::new(header()), records: vec![], notices: vec![] }
    }

    pub fn new(model: Arc<Scripted>) -> Self {
        Watched::start(setup(Beginning::New(Box::new(header())), Counter::default(), model, None))
    }

    pub fn send(&self, command: Command) {
        self.handle.commands.send(command).unwrap();
    }

    /// Folds notices in until one satisfies the condition.
    pub async fn until(&mut self, what: &str, is: impl FnMut(&Notice, &Session) -> bool) -> Notice {
        self.until_within(Duration::from_secs(60), what, is).await
    }

    /// The same, with other patience.
    pub async fn until_within(
        &mut self,
        patience: Duration,
        what: &str,
        mut is: impl FnMut(&Notice, &Session) -> bool,
    ) -> Notice {
        let wait = tokio::time::timeout(patience, async {
            loop {
                let notice = self.handle.notices.recv().await.expect("the driver stopped");
                self.fold(&notice);
                let found = is(&notice, &self.session);
                self.notices.push(notice.clone());
                if found {
                    return notice;
                }
            }
        });
        match wait.await {
            Ok(notice) => notice,
            Err(_) => {
                panic!("never: {what}; last notices: {:#?}", &self.notices[self.notices.len().saturating_sub(6)..])
            }
        }
    }

    /// Folds notices in until none comes for so long.
    pub async fn quiet(&mut self, patience: Duration) {
        while let Ok(Some(notice)) = tokio::time::timeout(patience, self.handle.notices.recv()).await {
            self.fold(&notice);
            self.notices.push(notice);
        }
    }

    fn fold(&mut self, notice: &Notice) {
        match notice {
            Notice::Opened { session, records, .. } => {
                self.session = Session::new(session.header.clone());
                for record in records {
                    self.session.apply(record).unwrap();
                    self.records.push((**record).clone());
                }
                assert_eq!(self.session.records(), session.records(), "what is handed over is of these records");
            }
            Notice::Recorded(record) => {
                self.session.apply(record).unwrap();
                self.records.push((**record).clone());
            }
            _ => {}
        }
    }

    /// Waits for the method's next recommendation; gives its text.
    pub async fn recommended(&mut self) -> String {
        self.until(
            "a recommendation",
            |n, _| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::Recommended { .. })),
        )
        .await;
        let turn = &self.session.current().unwrap().turn;
        let (id, _) = turn.recommended.clone().unwrap();
        id.and_then(|id| turn.proposal(id)).map(Proposal::numbered).unwrap_or_default()
    }

    pub fn approve(&self) {
        let turn = &self.session.current().unwrap().turn;
        let (id, why) = turn.recommended.clone().unwrap();
        let id = id.unwrap_or_else(|| panic!("nothing is recommended: {why}"));
        self.send(Command::Gate(Request::Approve { proposal: id }));
    }

    pub async fn executed(&mut self) -> String {
        self.until("a step", |n, _| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::Executed { .. })))
            .await;
        self.session.current().unwrap().outcome.observation.clone()
    }

    pub async fn said(&mut self, level: Level, part: &str) -> String {
        let notice = self
            .until(part, |n, _| matches!(n, Notice::Say { level: l, text } if *l == level && text.contains(part)))
            .await;
        match notice {
            Notice::Say { text, .. } => text,
            _ => unreachable!(),
        }
    }

    pub async fn quit(mut self) -> Vec<Record> {
        self.send(Command::Quit);
        self.until("the end", |n, _| *n == Notice::Stopped).await;
        self.records
    }
}
