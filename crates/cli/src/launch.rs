//! Launcher of the workbench: what it can start, with the driver's opening behind the workbench's interface.
//!
//! The choices come from the program's own files, the configuration, and the folder of sessions. Drivers run on a runtime of
//! their own; the workbench's thread never waits for them.

use std::collections::BTreeSet;
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use super::mirror::Mirror;
use super::places::Places;
use super::recording;
use super::target;
use stepwright_driver::Source;
use stepwright_episode::{Configuration, Header, NodeId, Session, log};
use stepwright_export::{self as export, Format};
use stepwright_launch::config::Config;
use stepwright_launch::{self as launch, NewSession, OpenRequest};
use stepwright_method::SYMBOLIC;
use stepwright_method::{self as method, ModelTraits};
use stepwright_model::{ModelInfo, ModelKind, fetch};
use stepwright_protocol::{Command, Contender, DuelCommand, Handle, Request};
use stepwright_study::runner::is_output;
use stepwright_text::words::count;
use stepwright_tui::launcher::{Catalog, Choice, Entry, ExportForm, Launcher, SessionEntry, WorldEntry};
use stepwright_tui::manner::Manner;
use stepwright_world::{Ability, Sources, TaskInfo, WorldKind};
use stepwright_worlds::external::COMMAND_LINE;

const READ_WHOLE: u64 = 1 << 20;

const LONGEST_HEADER: u64 = 1 << 20;

/// Most sessions listed; the newest.
const SESSIONS: usize = 200;

/// How long the start screen waits for a method in another process to say what it is.
const INTRODUCTION: Duration = Duration::from_secs(10);

/// The prefix of an example's name in place of a path.
const EXAMPLE: &str = "example:";

/// A session to open, and what is changed in it.
pub struct Reopened {
    pub file: PathBuf,
    /// The changes to it.
    pub change: Option<Configuration>,
    pub node: Option<NodeId>,
    pub episode: Option<String>,
    /// The page that shows others what is presented of it.
    pub(crate) mirror: Option<Mirror>,
}

pub struct Launch {
    config: Config,
    sources: Sources,
    /// Until the launcher is dropped.
    runtime: Option<Runtime>,
    reopened: Option<Reopened>,
    /// Whether sessions are made blind when they are begun or opened, and whether they are only read.
    manner: Manner,
    /// The sides of the duel that begins with the first session.
    duel: Mutex<Vec<Contender>>,
}

impl Launch {
    /// A launcher with its runtime; the changes are made in that session when it is opened.
    pub fn new(config: Config, reopened: Option<Reopened>) -> std::io::Result<Self> {
        // Two threads: one keeps the driver answering while the other searches or validates.
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let sources =
            stepwright_worlds::sources().with_adapters(config.external.clone()).with_agent(config.agent.clone());
        Ok(Launch {
            config,
            sources,
            runtime: Some(runtime),
            reopened,
            manner: Manner::default(),
            duel: Mutex::default(),
        })
    }

    #[must_use]
    pub fn in_manner(mut self, manner: Manner) -> Self {
        self.manner = manner;
        self
    }

    #[must_use]
    pub fn dueling(mut self, sides: Vec<Contender>) -> Self {
        self.duel = Mutex::new(sides);
        self
    }

    /// Looks whether the session that is named can be read, where nothing else is wanted.
    /// Errors: its world, its data or its method is not there, and a workbench would have nothing to show.
    pub fn look(&self) -> Result<(), String> {
        let Some(session) = self.reopened.as_ref().filter(|_| self.manner.read_only) else { return Ok(()) };
        let _inside = self.runtime.as_ref().map(Runtime::enter);
        let found = launch::prepare_to_read(&self.request(&session.file), &self.config, &self.sources);
        found.map(|_| ()).map_err(|why| match why {
            launch::OpenError::Log(why) => why.to_string(),
            why => {
                let file = session.file.display();
                format!("{file}: this session cannot be opened: {why}; `stepwright show` prints what is recorded in it")
            }
        })
    }

    fn request(&self, path: &Path) -> OpenRequest {
        let example = path.to_str().and_then(|p| p.strip_prefix(EXAMPLE));
        let episode = self.reopened.as_ref().filter(|s| s.file == path).and_then(|s| s.episode.clone());
        match (example, episode) {
            (Some(name), _) => OpenRequest::Example(name.to_owned()),
            (None, Some(episode)) => OpenRequest::Log(path.to_owned(), episode),
            (None, None) => OpenRequest::File(path.to_owned()),
        }
    }

    fn begin_duel(&self, handle: &Handle) {
        let sides = std::mem::take(&mut *self.duel.lock().unwrap_or_else(PoisonError::into_inner));
        if !sides.is_empty() {
            // A driver that stopped already says so itself.
            let _ = handle.commands.send(Command::Duel(DuelCommand::Begin(sides)));
        }
    }

    /// The same over other worlds.
    #[must_use]
    pub fn with_sources(mut self, sources: Sources) -> Self {
        self.sources = sources;
        self
    }

    fn begin(&self, request: &OpenRequest) -> Result<Handle, String> {
        self.begin_as(request, self.manner.read_only)
    }

    fn begin_as(&self, request: &OpenRequest, read_only: bool) -> Result<Handle, String> {
        let _inside = self.runtime.as_ref().map(Runtime::enter);
        let open = if read_only { launch::open_to_read } else { launch::open };
        let handle = open(request, &self.config, &self.sources).map_err(|e| e.to_string())?;
        if self.manner.blind {
            // A driver that stopped already says so itself.
            let _ = handle.commands.send(Command::Gate(Request::SetBlind(true)));
        }
        Ok(handle)
    }

    fn models(&self) -> Vec<Entry> {
        let resolve = launch::resolver(&self.config);
        let configured = self.config.models.keys().cloned();
        // Without the feature they could only be refused.
        let mut known = if cfg!(feature = "local") { fetch::all().unwrap_or_default() } else { Vec::new() };
        known.retain(|w| w.purpose == fetch::Purpose::Language);
        let folder = self.config.places().folder;
        let local = known.iter().map(|w| format!("local:{}", w.name));
        let names = [self.config.model.model.clone(), SYMBOLIC.to_owned()].into_iter();
        let names = names.chain(local).chain(configured);
        let mut seen = BTreeSet::new();
        let names = names.filter(|n| !n.is_empty() && seen.insert(n.clone()));
        names
            .map(|name| {
                let (about, unavailable, suggests, traits) = match resolve(&name) {
                    Ok(source) => {
                        let about = match &source {
                            Source::Symbolic => "built in, no language model".to_owned(),
                            Source::Language { model, .. } => described_model(&model.info()),
                        };
                        (about, None, launch::suggested_method(&source, &self.config).to_owned(), source.traits())
                    }
                    Err(why) => {
                        // Whatever the model turns out to be, no method is refused for it.
                        let traits = ModelTraits { language: true, scores: true, ..ModelTraits::default() };
                        (String::new(), Some(why), String::new(), traits)
                    }
                };
                // A method that is configured is wanted with any model.
                let suggests = Some(suggests).filter(|m| !m.is_empty() && self.config.method.method.is_empty());
                let absent = |w: &&fetch::Weights| !fetch::is_present(&folder, w);
                let weights = known.iter().filter(|w| name == format!("local:{}", w.name)).find(absent);
                let fetch = weights.map(fetch::Weights::megabytes);
                let unavailable =
                    fetch.as_ref().map(|size| format!("not fetched yet ({size}): Enter fetches it")).or(unavailable);
                Entry { name, about, unavailable, fetch, suggests, traits, ..Entry::default() }
            })
            .collect()
    }

    /// The configured methods in other processes, as they introduce themselves; one that does not is shown with the reason.
    fn own_methods(&self) -> Vec<Entry> {
        let entry = |(name, command): (&String, &Arc<method::Command>)| {
            let introduced = command.introduce(INTRODUCTION);
            let info = command.info();
            let about = format!("{} (in another process: {})", info.description, command.adapter.command_line());
            Entry {
                name: format!("{}{name}", method::EXTERNAL),
                about,
                unavailable: introduced.err(),
                method: Some(info),
                ..Entry::default()
            }
        };
        self.config.methods.iter().map(entry).collect()
    }

    fn places(&self) -> Places {
        Places::new(self.config.paths.places_file())
    }

    /// The person's newest sessions, and how many more there are.
    fn sessions(&self) -> (Vec<SessionEntry>, usize) {
        let found = super::sessions::in_folder(&self.config.paths.sessions());
        let unlisted = found.len().saturating_sub(SESSIONS);
        (found.into_iter().take(SESSIONS).map(|(at, path)| described(path, at)).collect(), unlisted)
    }
}

impl Drop for Launch {
    fn drop(&mut self) {
        // What still computes is not waited for: it ends with the process, and the session is written.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn described_model(info: &ModelInfo) -> String {
    match info.kind {
        ModelKind::Local => format!("a local model in this process, {}", info.endpoint),
        _ => info.endpoint.clone(),
    }
}

/// A session as listed: what it is about, how it was left, and how long ago it was written to. Of a large one only the first line is
/// read.
fn described(path: PathBuf, at: SystemTime) -> SessionEntry {
    let small = std::fs::metadata(&path).is_ok_and(|m| m.len() <= READ_WHOLE);
    let summary = small.then(|| log::load(&path).ok()).flatten().map(|l| export::summary(&l.session));
    let header = || {
        let mut line = Vec::new();
        let file = std::fs::File::open(&path).ok()?.take(LONGEST_HEADER);
        std::io::BufReader::new(file).read_until(b'\n', &mut line).ok()?;
        serde_json::from_slice::<Header>(&line).ok()
    };
    let minutes = at.elapsed().map_or(0, |e| e.as_secs() / 60);
    let ago = match minutes {
        0..=1 => "now".to_owned(),
        2..=119 => format!("{minutes} min ago"),
        120..=2879 => format!("{} h ago", minutes / 60),
        _ => format!("{} days ago", minutes / 1440),
    };
    let name = path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let (title, detail) = match (summary, header()) {
        (Some(s), _) => {
            let branches = if s.branches > 1 { format!(", {}", count(s.branches, "branch")) } else { String::new() };
            let left = match (s.won, s.done) {
                (Some(true), _) => "reached",
                (_, true) => "over",
                (_, false) => "open",
            };
            // What tells sessions apart comes before the goal, which may be long.
            let title = format!("{} · {left} · {} · {ago} · {}", s.world, count(s.steps, "step"), s.sentence);
            (title, format!("{}{branches}; {}, {}; {name}", s.outcome, s.method, s.model))
        }
        (None, Some(header)) => {
            let title = format!("{} · {ago} · {}", header.world, header.sentence);
            (title, format!("{}, {}; {name}", header.method, header.model))
        }
        (None, None) => (name, super::sessions::stray_link(&path).map_or(ago, str::to_owned)),
    };
    SessionEntry { path, title, detail, shipped: false }
}

fn loaded(session: &Path) -> Result<log::Loaded, String> {
    match session.to_str().and_then(|p| p.strip_prefix(EXAMPLE)) {
        Some(name) => launch::examples::load(name).map_err(|e| e.to_string()),
        None => log::load(session).map_err(|e| e.to_string()),
    }
}

impl Launcher for Launch {
    fn catalog(&self) -> Catalog {
        let mut problems = Vec::new();
        let data = &self.config.data;
        let world = |kind: &'static WorldKind| {
            let mut tasks = Vec::new();
            // A person's own tasks come before those that ship.
            for data in data.of(kind.name).map(Some).into_iter().chain([None]) {
                match self.sources.tasks(kind.name, data) {
                    Ok(found) => tasks.extend(found),
                    Err(error) => problems.push(error.to_string()),
                }
            }
            let (name, about) = (kind.name.to_owned(), kind.about.to_owned());
            let asks = kind.has(Ability::Remote) && !kind.has(Ability::Answers);
            let suggests = launch::first_method(kind, &self.config).map(str::to_owned);
            let formed = self.config.method.form.is_some();
            let (kind, among) = (Some(kind), self.sources.kinds().clone());
            WorldEntry { name, about, tasks, suggests, kind, among, asks, formed }
        };
        let mut known = self.sources.kinds().to_vec();
        // The first world is the one shown: one with data of the person's own, if there is one, or with their command.
        let commanded = |kind: &WorldKind| match &self.config.agent {
            Some(_) => kind.has(Ability::Answers),
            None => kind.data.is_none() && self.config.external.contains_key(COMMAND_LINE),
        };
        known.sort_by_key(|kind| (!commanded(kind), data.of(kind.name).is_none()));
        let worlds = known.into_iter().map(world).filter(|w| !w.tasks.is_empty()).collect();
        let entry = |m: method::MethodInfo| {
            let (name, about) = (m.id.to_owned(), m.description.to_owned());
            Entry { name, about, method: Some(m), ..Entry::default() }
        };
        let mut methods: Vec<Entry> =
            self.config.built_in.all().into_iter().map(entry).chain(self.own_methods()).collect();
        let configured = self.config.method.method.as_str();
        match methods.iter().position(|m| m.name == configured) {
            // The first is the default.
            Some(at) => methods.swap(0, at),
            None if configured.is_empty() => {}
            None => {
                let known: Vec<&str> = methods.iter().map(|m| m.name.as_str()).collect();
                problems
                    .push(format!("there is no method `{configured}` as configured; there are {}", known.join(", ")));
            }
        }
        let examples = launch::examples::EXAMPLES.iter().map(|e| SessionEntry {
            path: PathBuf::from(format!("{EXAMPLE}{}", e.name)),
            title: e.name.to_owned(),
            detail: e.title.to_owned(),
            shipped: true,
        });
        let (sessions, unlisted) = self.sessions();
        Catalog {
            worlds,
            methods,
            models: self.models(),
            // What a person comes back to is in sight; examples have keys of their own.
            sessions: sessions.into_iter().chain(examples).collect(),
            unlisted,
            problems,
        }
    }

    fn told(&self, world: &str) -> Vec<TaskInfo> {
        // What a world is begun with says what is wrong with it.
        self.sources.told(world, None).unwrap_or_default()
    }

    fn start(&self, choice: &Choice) -> Result<Handle, String> {
        // A task's own source is a file below the folder that was configured; the folder finds it again, in any layout.
        let data = self.config.data.of(&choice.world).filter(|_| choice.source != "shipped").map(Path::to_owned);
        let handle = self.begin(&OpenRequest::New(NewSession {
            world: choice.world.clone(),
            data,
            task: choice.task.clone(),
            method: choice.method.clone(),
            model: choice.model.clone(),
            ..NewSession::default()
        }))?;
        self.begin_duel(&handle);
        Ok(handle)
    }

    fn open(&self, path: &Path) -> Result<Handle, String> {
        let handle = self.begin(&self.request(path))?;
        let wanted = || self.reopened.iter().filter(|s| s.file == path);
        let asked_for = wanted().find_map(|s| s.node);
        let node = asked_for.or_else(|| self.places().of(path)).map(Request::Goto);
        let requests = std::iter::once(node).chain(wanted().map(|s| s.change.clone().map(Request::Configure)));
        for request in requests.flatten() {
            // A driver that stopped already says so itself.
            let _ = handle.commands.send(Command::Gate(request));
        }
        self.begin_duel(&handle);
        Ok(handle)
    }

    fn visit(&self, path: &Path, episode: &str, node: NodeId) -> Result<Handle, String> {
        let request = match episode {
            "" => OpenRequest::File(path.to_owned()),
            episode => OpenRequest::Log(path.to_owned(), episode.to_owned()),
        };
        let handle = self.begin_as(&request, true)?;
        // A driver that stopped already says so itself.
        let _ = handle.commands.send(Command::Gate(Request::Goto(node)));
        Ok(handle)
    }

    fn fetch(&self, model: &str, report: &(dyn Fn(String) + Sync), cancel: &CancellationToken) -> Result<(), String> {
        let weights = fetch::named(model).map_err(|e| e.to_string())?;
        let last = AtomicU64::new(u64::MAX);
        let step = |step: fetch::Step| {
            let megabytes = step.done / 1_000_000;
            // Pieces come by the thousand; only visible changes are reported.
            if last.swap(megabytes, Ordering::Relaxed) != megabytes || step.done == step.total {
                report(format!("{}: {} of {}", step.what, fetch::megabytes(step.done), fetch::megabytes(step.total)));
            }
        };
        let places = self.config.places();
        let Some(runtime) = &self.runtime else { return Err("the program is ending".to_owned()) };
        let fetched = runtime.block_on(fetch::fetch(&weights, &places, &step, cancel));
        fetched.map(|_| ()).map_err(|e| e.to_string())
    }

    fn keep_place(&self, session: &Path, node: NodeId) -> Result<(), String> {
        self.places().keep(session, node)
    }

    fn presented(&self, node: NodeId) {
        self.reopened.iter().flat_map(|session| &session.mirror).for_each(|mirror| mirror.show(node));
    }

    fn load(&self, path: &Path) -> Result<Session, String> {
        Ok(loaded(path)?.session)
    }

    fn export(&self, session: &Path, form: ExportForm, to: &Path) -> Result<(), String> {
        if is_output(to) {
            return Err(format!("{}: the workbench has the screen; name a file", to.display()));
        }
        let loaded = loaded(session)?;
        // What is not shown the page says; here the workbench has the screen.
        let (from, told) = ((&self.config, &self.sources), |_: &str| ());
        let render = |format, loaded| recording::render(format, loaded, from, &told).map_err(|e| e.to_string());
        let text = match form {
            ExportForm::Html => render(Format::Html, loaded)?,
            ExportForm::Jsonl => render(Format::Jsonl, loaded)?,
            ExportForm::Atif => render(Format::Atif, loaded)?,
            ExportForm::Cast => recording::cast(loaded, from, &told)?,
        };
        target::write(to, &text, &[session.to_owned()]).map_err(|e| e.to_string())
    }
}
