//! The whole driver under simulated faults, for tests: one thread, no clock, and a seed that decides what a person asks for (by commands, and by
//! keys at a workbench whose screen is looked at), when and what a model answers, what the disk refuses or drops, what others do to the file,
//! when work beside the episode is done (steps of a world in another process, a method's own work, a service's) and what befalls that
//! process. Checked is what is said: a record that is shown is in the file, what stands on the screen and what is said of the file is so, what the world is said to have answered is what it answers on that way, every ask, request and
//! work ends, nothing is asked after the episode's end. A course of a seed is the same byte for byte.
//! `STEPWRIGHT_SEEDS=10000 STEPWRIGHT_REQUESTS=200 cargo test -p stepwright-driver simulation` runs more of them than a test does.

mod beside;
mod terminal;
pub(crate) mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use stepwright_episode::gate::Request;
use stepwright_episode::{AskId, Event, FORMAT_VERSION, Header, Policy, Record, Session, log};
use stepwright_files::faults::{self, EIO, ENOSPC, Fault, Injected, Operation};
use stepwright_files::sum;
use stepwright_method::prompting::Prompting;
use stepwright_method::{Knowledge, Method};
use stepwright_methods::METHODS;
use stepwright_model::{
    Completion, LanguageModel, ModelError, ModelInfo, ModelKind, ModelRequest, ModelResponse, StreamEvent, Usage,
};
use stepwright_protocol::{Command, Handle, Level, Notice, Unwritten};
use stepwright_world::blocking::BlockingSource;
use stepwright_world::planner::EffectsOnly;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::run::start_beside;
use crate::{Beginning, MethodResolver, Persistence, Setup, Source, sandbox};
use beside::{COUNTS, Counts, Noting, ServiceCount, Waiting};
use terminal::{Truth, Workbench};
use world::{Befalls, SPECIFICATION, Shared, Sum};

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
    workbench: Workbench,
    folder: tempfile::TempDir,
    handle: Handle,
    model: Arc<Model>,
    /// What is to be done beside the episode, the process of the world where it has one, and what a service began.
    waiting: Waiting,
    process: Option<Shared>,
    tally: Arc<ServiceCount>,
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
    last_words: String,
    names: u32,
    trace: Option<String>,
    tokens: BTreeMap<String, usize>,
}

const RUNS_DRY: usize = 12;
/// Most notices that a request may be answered with.
const MOST: usize = 3_000;
/// Of how many requests one is followed by a look at the screen.
const LOOKED: u64 = 4;

impl Course {
    fn begin(seed: u64, traced: bool) -> Self {
        let mut dice = Dice(seed);
        let folder =
            if Path::new("/dev/shm").is_dir() { tempfile::tempdir_in("/dev/shm") } else { tempfile::tempdir() };
        let folder = folder.unwrap();
        let path = folder.path().join("s.jsonl");
        let method = if dice.one_in(3) { COUNTS } else { "few-shot" };
        let methods = MethodResolver::new(&METHODS, |id| (id == COUNTS).then(|| Arc::new(Counts) as Arc<dyn Method>));
        let process = dice.one_in(2).then(Shared::default);
        let world = process.clone().map_or_else(Sum::default, Sum::of);
        let (waiting, tally) = (Waiting::default(), Arc::new(ServiceCount::default()));
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
        let setup = Setup {
            keep: Persistence::Log(log::Writer::create(&path, &header).unwrap()),
            beginning: Beginning::New(Box::new(header)),
            method: methods.resolve(method).unwrap(),
            source,
            resolver: Arc::new(move |_| Ok(again.clone())),
            methods,
            knowledge: Knowledge::new(&world, agent, Arc::default(), BlockingSource::Assertions),
            world: Box::new(world),
            prompting: Prompting::default(),
            sandbox: sandbox(),
            services: vec![Box::new(Noting(Arc::clone(&tally)))],
            adopted: Vec::new(),
            form: None,
            policy: None,
            headless: false,
            clock: Arc::new(move || time.fetch_add(1, Ordering::Relaxed)),
            remarks: Vec::new(),
        };
        Course {
            dice,
            workbench: Workbench::new(),
            folder,
            handle: start_beside(setup, waiting.beside()).unwrap(),
            model,
            waiting,
            process,
            tally,
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
            last_words: String::new(),
            names: 0,
            trace: traced.then(String::new),
            tokens: BTreeMap::new(),
        }
    }

    /// Takes in what the driver says, and sends what the workbench asks upon it, until neither has anything to say.
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
            if dry == RUNS_DRY && !self.stopped {
                for command in self.workbench.rest() {
                    dry = 0;
                    self.send(command)?;
                }
            }
        }
        let [done, worked, requests, answered] =
            [&self.tally.done, &self.tally.worked, &self.tally.requests, &self.tally.answered]
                .map(|of| of.load(Ordering::SeqCst));
        if worked != done && !self.stopped {
            return Err(format!("{done} works of a service are done, and it heard of {worked}"));
        }
        let is_idle = self.asked.is_empty() && self.waiting.len() == 0 && self.unwritten.is_none();
        if is_idle && answered != requests && !self.stopped {
            return Err(format!("a service asked {requests} things, and was answered {answered} times"));
        }
        // What waits to be written is known to be nowhere, and so is what is in a file that is not the session's any more.
        if self.harmed.is_none() && self.unwritten.is_none() && !self.stopped { self.is_kept() } else { Ok(()) }
    }

    fn send(&mut self, command: Command) -> Result<(), String> {
        self.note(|| format!("> {command:?}"));
        self.handle.commands.send(command).map_err(|_| "the driver is gone".into())
    }

    /// Looks at the screen now and then.
    fn look(&mut self) -> Result<(), String> {
        if !self.dice.one_in(LOOKED) {
            return Ok(());
        }
        let truth = Truth {
            session: &self.session,
            unwritten: self.unwritten,
            is_under_way: !self.asked.is_empty() || self.waiting.len() > 0,
            path: &self.path,
        };
        let screen = self.workbench.look(&truth).map_err(|why| format!("on the screen: {why}"))?;
        self.note(|| screen);
        Ok(())
    }

    /// Writes down what happens, where that is wanted: paths as if the folder were always the same, and questions of the workbench, whose numbers
    /// are the process's, by their order.
    fn note(&mut self, what: impl FnOnce() -> String) {
        let Some(trace) = &mut self.trace else { return };
        let text = what().replace(&self.folder.path().display().to_string(), "F");
        let mut parts = text.split("token: ");
        trace.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            let (number, rest) = part.split_at(end);
            let known = self.tokens.len();
            let place = *self.tokens.entry(number.to_owned()).or_insert(known);
            trace.push_str(&format!("token: {place}{rest}"));
        }
        trace.push('\n');
    }

    fn hear(&mut self, notice: Notice) -> Result<(), String> {
        self.note(|| format!("{notice:?}"));
        self.workbench.hear(notice.clone());
        match notice {
            Notice::Opened { session, .. } => self.session = *session,
            Notice::Recorded(record) => self.record(&record)?,
            Notice::Kept(path) => (self.path, self.header, self.seen, self.harmed) = (path, 0, 0, None),
            Notice::Unwritten(state) => (self.unwritten, self.seen) = (state, 0),
            Notice::Say { level: Level::Error, text } => (self.errors, self.last_words) = (self.errors + 1, text),
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
        if let Event::Executed { child, outcome, .. } = &record.event {
            let path = self.session.path(*child);
            let way = path.iter().filter_map(|node| node.action.as_ref()).map(|action| action.text.as_str());
            let (said, is) = (&outcome.observation, world::answer(way));
            if outcome.held.is_none() && *said != is {
                return Err(format!("the world is said to have answered `{said}`, and answers `{is}`"));
            }
        }
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
        let request = match (self.dice.below(19), proposal) {
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
            (17, _) => return Command::RestartWorld,
            // The workbench counts from 1.
            _ => return Command::CheckText { token: 0, text, over: proposal },
        };
        Command::Gate(request)
    }

    /// What happens meanwhile: the model answers, work is done, something befalls the world's process, the disk fails, another program is at
    /// the file.
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
        if let Some(process) = self.process.as_ref().filter(|_| self.dice.one_in(12)) {
            let befalls = if self.dice.one_in(2) { Befalls::Dies } else { Befalls::Differs };
            process.lock().unwrap().befalls = Some(befalls);
        }
        while self.waiting.len() > 0 && !self.dice.one_in(3) {
            self.waiting.run(self.dice.below(self.waiting.len() as u64) as usize);
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
        self.live(requests).await?;
        if self.dice.one_in(4) {
            // Killed: what was shown is in the file, as was checked just now.
            return Ok(());
        }
        if self.dice.one_in(4) {
            self.harm();
        }
        self.leave().await
    }

    async fn live(&mut self, requests: usize) -> Result<(), String> {
        self.settle().await?;
        for _ in 0..requests {
            self.surroundings();
            let commands =
                if self.dice.one_in(2) { vec![self.command()] } else { self.workbench.asked(&mut self.dice)? };
            let goes_on = commands.iter().any(|command| matches!(command, Command::Gate(_) | Command::Write));
            for command in commands {
                self.send(command)?;
            }
            // Some requests come one upon the other.
            if self.dice.one_in(4) {
                continue;
            }
            self.settle().await?;
            self.look()?;
            // Whatever would go on writes first, and nothing hinders it.
            if goes_on && self.faults.is_empty() && self.unwritten == Some(Unwritten::Failed) {
                return Err("there is room, and it does not try again".into());
            }
        }
        self.settle().await
    }

    /// Leaves, and holds the last words against the disk.
    async fn leave(&mut self) -> Result<(), String> {
        let fails = !self.faults.is_empty() || self.unwritten.is_some() || self.harmed.is_some();
        let (errors, path) = (self.errors, self.path.clone());
        self.workbench.leave()?;
        if self.dice.one_in(4) {
            // The terminal is gone, and with it whoever asks.
            self.note(|| "> gone".into());
            self.handle.commands = tokio::sync::mpsc::unbounded_channel().0;
        } else {
            self.send(Command::Quit)?;
        }
        self.settle().await?;
        if !self.stopped {
            return Err("it does not stop".into());
        }
        if self.process.as_ref().is_some_and(|process| !process.lock().unwrap().is_closed) {
            return Err("the world's process outlives it".into());
        }
        // What was under way ends after it, and finds nobody.
        while self.waiting.len() > 0 {
            self.waiting.run(0);
        }
        if self.errors > errors && fails {
            // Where it names another file at the end, all that was shown is there, or the last words are that it could not be written.
            return if self.path == path || self.unwritten.is_some() && self.last_words.contains("could not be written")
            {
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

/// Most memory that a course takes for each byte that was shown: driver, workbench and course have the session each, and the course the bytes.
const MEMORY: u64 = 20;

/// Memory grows with what was shown, and with nothing else that happens.
#[cfg(target_os = "linux")]
#[test]
fn memory_is_bounded_by_what_was_shown() {
    const NAME: &str = "simulation::memory_is_bounded_by_what_was_shown";
    // Alone in a process of its own: other tests take memory too, and so does telling where work breaks.
    if std::env::var_os("STEPWRIGHT_LONG_COURSE").is_none() {
        let mut alone = std::process::Command::new(std::env::current_exe().unwrap());
        let ran = alone
            .args([NAME, "--exact"])
            .env("STEPWRIGHT_LONG_COURSE", "1")
            .env("RUST_BACKTRACE", "0")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stdout);
        return assert!(ran.status.success() && said.contains("1 passed"), "{said}");
    }
    let most = || {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let mut course = Course::begin(2, false);
        course.live(300).await.unwrap();
        let before = (most(), course.shown.len() as u64);
        course.live(2_700).await.unwrap();
        let (taken, shown) = (most() - before.0, course.shown.len() as u64 - before.1);
        println!("{shown} bytes were shown, {taken} bytes taken");
        assert!(taken <= MEMORY * shown, "{shown} bytes were shown, {taken} bytes taken");
    });
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

/// Nothing that is simulated is only said to be.
#[test]
fn courses_come_by_all_that_may_happen() {
    let all: String = (0..40).map(|seed| course(seed, 100, true).1).collect();
    let happens = [
        "the process died",
        "the world does not answer as recorded: another total",
        "the world was restarted",
        "the world broke",
        "error: \"stopped\"",
        "it cannot count to three",
        "text: \"counted\"",
        "Dead {",
        "Diverged {",
        "no server",
        "Unwritten(Some(Failed))",
        "Unwritten(Some(Lost))",
        // On the screen.
        "Too small",
        "X not written",
        "stops it",
        "The world's process ended",
        "> gone",
    ];
    let missing: Vec<&str> = happens.into_iter().filter(|words| !all.contains(words)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
