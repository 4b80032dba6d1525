//! The whole driver under simulated faults, for tests: one thread, no clock, and a seed that decides what a person asks for, when and what a
//! model answers, what the disk refuses or drops, and what others do to the file. Checked is what is said: a record that is shown is
//! in the file, words about the file are so, every ask ends, nothing is asked after the episode's end. A course of a seed is the same
//! byte for byte. `STEPWRIGHT_SEEDS=10000 STEPWRIGHT_REQUESTS=200 cargo test -p stepwright-driver simulation` runs more of them than a test does.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::{Value, json};
use stepwright_episode::gate::Request;
use stepwright_episode::{AskId, Event, FORMAT_VERSION, Header, Policy, Record, Session, log};
use stepwright_files::faults::{self, EIO, ENOSPC, Fault, Injected, Operation};
use stepwright_files::sum;
use stepwright_method::prompting::Prompting;
use stepwright_method::{Knowledge, named};
use stepwright_model::{
    Completion, LanguageModel, ModelError, ModelInfo, ModelKind, ModelRequest, ModelResponse, StreamEvent, Usage,
};
use stepwright_program::{Call, Literal};
use stepwright_protocol::{Command, Handle, Level, Notice, Unwritten};
use stepwright_world::blocking::BlockingSource;
use stepwright_world::planner::EffectsOnly;
use stepwright_world::{Outcome, ProgramHeader, Snapshot, TaskInfo, World, WorldError, WorldKind};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::{Beginning, Persistence, Setup, Source, built_in_methods, sandbox, start};

const SPECIFICATION: &str = include_str!("../../../tests/support/counter.py");

/// One adds up to ten, in which it ends; `add 9` breaks the world.
#[derive(Clone, Default)]
struct Sum(i64);

static SUM: WorldKind = WorldKind::new("sum", "add up to ten", |_| Err(WorldError::Failed("made by tests".into())));

fn call(function: &str, n: i64) -> Call {
    Call { receiver: "agent".into(), function: function.into(), args: vec![Literal::Int(n)], ..Call::default() }
}

impl World for Sum {
    fn kind(&self) -> &'static WorldKind {
        &SUM
    }
    fn reset(&mut self, _: &str, _: u64) -> Result<Outcome, WorldError> {
        self.0 = 0;
        Ok(Outcome { observation: "Reach ten.".into(), ..Outcome::default() })
    }
    fn act(&mut self, text: &str) -> Result<Outcome, WorldError> {
        let n = text.strip_prefix("add ").and_then(|n| n.parse::<i64>().ok()).unwrap_or_default();
        if n == 9 {
            return Err(WorldError::Failed("the world broke".into()));
        }
        if !(1..=5).contains(&n) || self.0 + n > 10 {
            let (observation, error) = ("Nothing happens.".to_owned(), Some("Nothing happens.".to_owned()));
            return Ok(Outcome { observation, error, ..Outcome::default() });
        }
        self.0 += n;
        Ok(Outcome {
            observation: format!("The total is {}.", self.0),
            action_call: Some(call("add", n)),
            observation_calls: vec![call("set_total", self.0)],
            won: self.0 == 10,
            done: self.0 == 10,
            ..Outcome::default()
        })
    }
    fn admissible(&self) -> Option<Vec<String>> {
        Some((1..=5).filter(|n| self.0 + n <= 10).map(|n| format!("add {n}")).collect())
    }
    fn truth(&self) -> Value {
        json!({ "total": self.0 })
    }
    fn snapshot(&self) -> Snapshot {
        Snapshot(Arc::new(self.0))
    }
    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), WorldError> {
        self.0 = *snapshot.0.downcast_ref().ok_or(WorldError::ForeignSnapshot)?;
        Ok(())
    }
    fn preview(&self, text: &str) -> Option<Outcome> {
        self.clone().act(text).ok()
    }
    fn tasks(&self) -> Vec<TaskInfo> {
        let text = |text: &str| text.to_owned();
        vec![TaskInfo { id: text("ten"), kind: text("sum"), sentence: text("reach ten."), source: text("shipped") }]
    }
    fn call_of(&self, text: &str) -> Option<Call> {
        Some(call("add", text.strip_prefix("add ")?.parse().ok()?))
    }
    fn text_of(&self, call: &Call) -> Option<String> {
        match call.args.as_slice() {
            [Literal::Int(n)] if call.function == "add" => Some(format!("add {n}")),
            _ => None,
        }
    }
    fn header(&self) -> ProgramHeader {
        let setup = vec!["env = Environment()".into(), "agent = Agent(env)".into()];
        ProgramHeader { function: "reach_ten".into(), comment: "reach ten.".into(), setup }
    }
    fn specification(&self) -> Cow<'static, str> {
        SPECIFICATION.into()
    }
    fn fork(&self) -> Box<dyn World> {
        Box::new(self.clone())
    }
}

/// A model that answers when and what the course says.
#[derive(Default)]
struct Model(Mutex<Vec<oneshot::Sender<Result<ModelResponse, ModelError>>>>);

#[async_trait]
impl LanguageModel for Model {
    fn info(&self) -> ModelInfo {
        ModelInfo { name: "simulated".into(), kind: ModelKind::Recorded, endpoint: String::new() }
    }

    async fn complete(
        &self,
        _: &ModelRequest,
        stream: &UnboundedSender<StreamEvent>,
        _: &CancellationToken,
    ) -> Result<ModelResponse, ModelError> {
        let (answer, answered) = oneshot::channel();
        self.0.lock().unwrap().push(answer);
        let answer = answered.await.unwrap_or(Err(ModelError::Cancelled))?;
        for completion in &answer.completions {
            let _ = stream.send(StreamEvent::Delta { index: 0, text: completion.text.clone() });
        }
        Ok(answer)
    }
}

/// The numbers of a seed (SplitMix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
    fn of<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(usize::try_from(self.below(all.len().max(1) as u64)).ok()?)
    }
}

/// A course: the driver, what surrounds it, and what was seen of it.
struct Course {
    dice: Dice,
    folder: tempfile::TempDir,
    handle: Handle,
    model: Arc<Model>,
    session: Session,
    /// Where the session is kept, as was said; the lines that must be there behind the header, and how many bytes of them were seen to be.
    path: PathBuf,
    header: u64,
    shown: Vec<u8>,
    seen: u64,
    records: usize,
    /// What another program did to the file.
    harmed: Option<&'static str>,
    unwritten: Option<Unwritten>,
    /// Faults in force, and after how many requests they end.
    faults: Vec<(u64, Injected)>,
    asked: BTreeSet<AskId>,
    decided: bool,
    stopped: bool,
    errors: usize,
    names: u32,
    trace: Option<String>,
}

const RUNS_DRY: usize = 12;
/// Most notices that a request may be answered with.
const MOST: usize = 3_000;

impl Course {
    fn begin(seed: u64, traced: bool) -> Self {
        let folder =
            if Path::new("/dev/shm").is_dir() { tempfile::tempdir_in("/dev/shm") } else { tempfile::tempdir() };
        let folder = folder.unwrap();
        let path = folder.path().join("s.jsonl");
        let method = "few-shot";
        let text = |text: &str| text.to_owned();
        let header = Header {
            stepwright: text("session"),
            version: FORMAT_VERSION,
            world: text("sum"),
            data: text("shipped"),
            task: text("ten"),
            sentence: text("reach ten."),
            method: text(method),
            model: text("simulated"),
            specification: SPECIFICATION.into(),
            opening: ["def reach_ten():", "# reach ten.", "env = Environment()", "agent = Agent(env)"].map(text).into(),
            ..Header::default()
        };
        let model = Arc::new(Model::default());
        let source = Source::Language { name: text("simulated"), model: Arc::clone(&model) as Arc<dyn LanguageModel> };
        let time = AtomicU64::new(0);
        let agent = Arc::new(EffectsOnly::default());
        let again = source.clone();
        let handle = start(Setup {
            keep: Persistence::Log(log::Writer::create(&path, &header).unwrap()),
            beginning: Beginning::New(Box::new(header)),
            world: Box::new(Sum::default()),
            method: named(method).unwrap(),
            source,
            resolver: Arc::new(move |_| Ok(again.clone())),
            methods: built_in_methods(),
            knowledge: Knowledge::new(&Sum::default(), agent, Arc::default(), BlockingSource::Assertions),
            prompting: Prompting::default(),
            sandbox: sandbox(),
            services: Vec::new(),
            adopted: Vec::new(),
            form: None,
            policy: None,
            headless: false,
            clock: Arc::new(move || time.fetch_add(1, Ordering::Relaxed)),
            remarks: Vec::new(),
        });
        Course {
            dice: Dice(seed),
            folder,
            handle: handle.unwrap(),
            model,
            session: Session::new(Header::default()),
            path,
            header: 0,
            shown: Vec::new(),
            seen: 0,
            records: 0,
            harmed: None,
            unwritten: None,
            faults: Vec::new(),
            asked: BTreeSet::new(),
            decided: false,
            stopped: false,
            errors: 0,
            names: 0,
            trace: traced.then(String::new),
        }
    }

    /// Takes in what the driver says until it has nothing to say.
    async fn settle(&mut self) -> Result<(), String> {
        let (mut dry, mut heard) = (0, 0);
        while dry < RUNS_DRY {
            match self.handle.notices.try_recv() {
                Ok(notice) => {
                    (dry, heard) = (0, heard + 1);
                    if heard > MOST {
                        return Err("it never comes to rest".into());
                    }
                    self.hear(notice)?;
                }
                Err(_) => {
                    dry += 1;
                    tokio::task::yield_now().await;
                }
            }
        }
        // What waits to be written is known to be nowhere, and so is what is in a file that is not the session's any more.
        if self.harmed.is_none() && self.unwritten.is_none() && !self.stopped { self.is_kept() } else { Ok(()) }
    }

    fn hear(&mut self, notice: Notice) -> Result<(), String> {
        if let Some(trace) = &mut self.trace {
            let folder = self.folder.path().display().to_string();
            trace.push_str(&format!("{notice:?}\n").replace(&folder, "F"));
        }
        match notice {
            Notice::Opened { session, .. } => self.session = *session,
            Notice::Recorded(record) => self.record(&record)?,
            Notice::Kept(path) => (self.path, self.header, self.seen, self.harmed) = (path, 0, 0, None),
            Notice::Unwritten(state) => (self.unwritten, self.seen) = (state, 0),
            Notice::Say { level: Level::Error, .. } => self.errors += 1,
            Notice::Stopped => self.stopped = true,
            _ => {}
        }
        Ok(())
    }

    fn record(&mut self, record: &Record) -> Result<(), String> {
        match &record.event {
            Event::Decided { .. } => {
                self.decided = true;
                if let Some(harm) = self.harmed {
                    return Err(format!("a decision is shown after the file was {harm}"));
                }
            }
            Event::Asked { kind, .. } if self.session.is_done() && !kind.is_background() => {
                return Err("a model is asked after the episode's end".into());
            }
            Event::Asked { ask, .. } => drop(self.asked.insert(*ask)),
            Event::Answered { ask, .. } | Event::AskFailed { ask, .. } => drop(self.asked.remove(ask)),
            Event::Noted { .. } | Event::BranchEdited { .. } => self.decided = true,
            _ => {}
        }
        self.session.apply(record).map_err(|misfit| misfit.to_string())?;
        self.shown.extend(sum::sealed(serde_json::to_vec(record).map_err(|e| e.to_string())?));
        self.shown.push(b'\n');
        self.records += 1;
        Ok(())
    }

    /// Whether the file has all that was shown.
    fn is_kept(&mut self) -> Result<(), String> {
        let wrong = |why: String| format!("what was shown is not in the file: {why}");
        let mut read = || -> std::io::Result<Vec<u8>> {
            if self.header == 0 {
                self.header = fs::read(&self.path)?.iter().take_while(|byte| **byte != b'\n').count() as u64 + 1;
            }
            let mut file = fs::File::open(&self.path)?;
            file.seek(SeekFrom::Start(self.header + self.seen))?;
            let mut rest = Vec::new();
            file.read_to_end(&mut rest)?;
            Ok(rest)
        };
        let there = read().map_err(|e| wrong(e.to_string()))?;
        let wanted = self.shown.get(usize::try_from(self.seen).unwrap_or(usize::MAX)..).unwrap_or_default();
        if !there.starts_with(wanted) {
            return Err(wrong(format!("{} records were shown", self.records)));
        }
        self.seen = self.shown.len() as u64;
        Ok(())
    }

    /// What a person asks for next.
    fn command(&mut self) -> Command {
        let turn = self.session.current().map(|node| &node.turn);
        let proposals: Vec<_> = turn.iter().flat_map(|turn| &turn.proposals).map(|proposal| proposal.id).collect();
        let proposal = self.dice.of(&proposals).copied();
        let text = format!("add {}", [1, 2, 3, 4, 5, 7, 9][self.dice.below(7) as usize]);
        let node = self.dice.below(self.session.nodes().len().max(1) as u64);
        if let Some(state) = self.unwritten
            && self.dice.one_in(2)
        {
            self.names += 1;
            let name = self.folder.path().join(format!("n{}.jsonl", self.names));
            return if state == Unwritten::Lost { Command::Keep(name) } else { Command::Write };
        }
        let request = match (self.dice.below(18), proposal) {
            (0..=3, Some(proposal)) => Request::Approve { proposal },
            (4, Some(proposal)) => Request::Edit { proposal, text },
            (5, Some(proposal)) => Request::Reject { proposal, reason: "no".into() },
            (0..=6, _) => Request::Manual { text },
            (7..=8, _) => Request::Propose,
            (9, _) => Request::Sample { n: 2 },
            (10, _) => Request::Undo,
            (11, _) => Request::Redo,
            (12, _) => Request::Goto(node),
            (13, _) => Request::SetPolicy(Policy { steps: 2, ..Policy::default() }),
            (14, _) => Request::Note("a remark".into()),
            (15, _) => return Command::Cancel,
            (16, _) => return Command::Look { node },
            _ => return Command::CheckText { token: 1, text },
        };
        Command::Gate(request)
    }

    /// What happens meanwhile: the model answers, the disk fails, another program is at the file.
    fn surroundings(&mut self) {
        self.faults.iter_mut().for_each(|(left, _)| *left = left.saturating_sub(1));
        self.faults.retain(|(left, _)| *left > 0);
        while !self.dice.one_in(3) {
            let mut waiting = self.model.0.lock().unwrap();
            waiting.retain(|ask| !ask.is_closed());
            if waiting.is_empty() {
                break;
            }
            let at = self.dice.below(waiting.len() as u64) as usize;
            let text =
                ["agent.add(1)", "agent.add(3)", "agent.add(5)", "agent.add(9)", "what?"][self.dice.below(5) as usize];
            let answer = match self.dice.below(6) {
                0 => Err(ModelError::Unreachable { endpoint: "x".into(), message: "no server".into() }),
                _ => Ok(ModelResponse::of(vec![Completion::whole(text.to_owned())], Some(Usage::new(9, 1)))),
            };
            let _ = waiting.remove(at).send(answer);
        }
        if self.dice.one_in(9) {
            let (operation, errno) = [
                (Operation::Write, ENOSPC),
                (Operation::Write, EROFS),
                (Operation::Sync, EIO),
                (Operation::Sync, EIO),
                (Operation::Cut, EIO),
                (Operation::Open, ENOSPC),
            ][self.dice.below(6) as usize];
            let (skip, times) = (self.dice.below(3) as u32, 1 + self.dice.below(4) as u32);
            let bytes = self.dice.below(400) as usize;
            let fault = Fault { under: self.folder.path().to_owned(), operation, skip, times, errno, bytes };
            self.faults.push((1 + self.dice.below(8), faults::inject(fault)));
        } else if self.dice.one_in(60) {
            self.harm();
        }
    }

    /// Another program is at the file, where nothing else happens to it.
    fn harm(&mut self) {
        if self.harmed.is_some() || self.unwritten.is_some() || !self.faults.is_empty() {
            return;
        }
        let (path, beside) = (&self.path, self.folder.path().join("other"));
        let harmed = match self.dice.below(4) {
            0 => fs::remove_file(path).map(|()| "deleted"),
            1 => fs::write(&beside, "{}\n").and_then(|()| fs::rename(&beside, path)).map(|()| "replaced"),
            2 => fs::OpenOptions::new().write(true).open(path).and_then(|f| f.set_len(300)).map(|()| "cut"),
            _ => fs::OpenOptions::new()
                .append(true)
                .open(path)
                .and_then(|mut f| f.write_all(b"{}\n"))
                .map(|()| "appended to"),
        };
        self.harmed = harmed.ok();
    }

    async fn go(&mut self, requests: usize) -> Result<(), String> {
        self.settle().await?;
        for _ in 0..requests {
            self.surroundings();
            let command = self.command();
            if let Some(trace) = &mut self.trace {
                trace.push_str(&format!("> {command:?}\n").replace(&self.folder.path().display().to_string(), "F"));
            }
            let goes_on = matches!(command, Command::Gate(_) | Command::Write);
            self.handle.commands.send(command).map_err(|_| "the driver is gone")?;
            // Some requests come one upon the other.
            if self.dice.one_in(4) {
                continue;
            }
            self.settle().await?;
            // Whatever would go on writes first, and nothing hinders it.
            if goes_on && self.faults.is_empty() && self.unwritten == Some(Unwritten::Failed) {
                return Err("there is room, and it does not try again".into());
            }
        }
        self.settle().await?;
        if self.dice.one_in(4) {
            // Killed: what was shown is in the file, as was checked just now.
            return Ok(());
        }
        if self.dice.one_in(4) {
            self.harm();
        }
        self.leave().await
    }

    /// Leaves, and holds the last words against the disk.
    async fn leave(&mut self) -> Result<(), String> {
        let fails = !self.faults.is_empty() || self.unwritten.is_some() || self.harmed.is_some();
        let (errors, path) = (self.errors, self.path.clone());
        self.handle.commands.send(Command::Quit).map_err(|_| "the driver is gone")?;
        self.settle().await?;
        if !self.stopped {
            return Err("it does not stop".into());
        }
        if self.errors > errors && fails {
            // Where it names another file at the end, all that was shown is there.
            return if self.path == path {
                Ok(())
            } else {
                self.is_kept().map_err(|why| format!("the last words: {why}"))
            };
        }
        if !self.asked.is_empty() {
            return Err(format!("asks without an end: {:?}", self.asked));
        }
        if !self.decided {
            return Ok(());
        }
        self.seen = 0;
        self.is_kept().map_err(|why| format!("left without a word: {why}"))?;
        let found = log::load(&self.path).map_err(|why| format!("left without a word: {why}"))?;
        if found.records.len() == self.records { Ok(()) } else { Err("the file has more than was shown".into()) }
    }
}

/// The error number of a read-only file system.
const EROFS: i32 = 30;

/// How a course of a seed ended, and what was asked and said in it where that is wanted.
fn course(seed: u64, requests: usize, traced: bool) -> (Result<(), String>, String) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let mut course = Course::begin(seed, traced);
        (course.go(requests).await, course.trace.take().unwrap_or_default())
    })
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn no_word_is_said_that_is_not_so() {
    let (seeds, requests) = (number("STEPWRIGHT_SEEDS", 60), number("STEPWRIGHT_REQUESTS", 100) as usize);
    let next = AtomicU64::new(number("STEPWRIGHT_SEED", 0));
    let end = next.load(Ordering::Relaxed) + seeds;
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get().min(4)) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end || !failed.lock().unwrap().is_empty() {
                        return;
                    }
                    if course(seed, requests, false).0.is_err() {
                        failed.lock().unwrap().push(seed);
                    }
                }
            });
        }
    });
    if let Some(seed) = failed.into_inner().unwrap().into_iter().min() {
        let (ended, trace) = course(seed, requests, true);
        let lines: Vec<&str> = trace.lines().collect();
        let last = lines[lines.len().saturating_sub(60)..].join("\n");
        panic!("STEPWRIGHT_SEED={seed} STEPWRIGHT_SEEDS=1: {ended:?}\n{last}");
    }
}

#[test]
fn a_course_of_a_seed_is_the_same_byte_for_byte() {
    for seed in 0..5 {
        let (one, other) = (course(seed, 120, true), course(seed, 120, true));
        assert!(one.1.len() > 10_000, "{:?}", one.0);
        assert_eq!(one, other);
    }
}
