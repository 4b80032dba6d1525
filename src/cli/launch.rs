//! Starts drivers for the workbench: worlds, methods, models and sessions by name.
//!
//! What there is comes from the program's own files, the configuration, and the folder of sessions. The drivers run on a runtime
//! of their own; the workbench's thread never waits for them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use tokio::runtime::Runtime;

use crate::config::{self, Config, Selected};
use crate::driver::prompting::{Demonstration, Prompting};
use crate::driver::{self, Beginning, Handle, Setup, Source, system_clock};
use crate::episode::{FORMAT_VERSION, Header, log};
use crate::export::{self, Format};
use crate::method;
use crate::planner::SymbolicProposer;
use crate::prompt::Prompts;
use crate::tui::launcher::{Catalog, Choice, Entry, ExportForm, Launcher, SessionEntry, WorldEntry};
use crate::world::household::{self, Edition, HouseholdWorld};
use crate::world::{ProgramHeader, World};

/// Most sessions listed; the newest.
const SESSIONS: usize = 200;

/// Starts drivers over a configuration.
pub struct Launch {
    config: Arc<Config>,
    runtime: Runtime,
}

impl Launch {
    /// A launcher with its runtime.
    ///
    /// # Errors
    /// When the system refuses the threads.
    pub fn new(config: Config) -> std::io::Result<Self> {
        // Two threads: one keeps the driver answering while the other searches or validates.
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        Ok(Launch { config: Arc::new(config), runtime })
    }

    fn source(&self, name: &str) -> Result<household::Source, String> {
        match (name, &self.config.data.household) {
            ("shipped", _) => household::Source::shipped(),
            (_, Some(folder)) if name == "data" => household::Source::open(folder),
            _ => household::Source::open(Path::new(name)),
        }
        .map_err(|e| e.to_string())
    }

    fn setup(
        &self,
        header: &Header,
        beginning: Beginning,
        world: HouseholdWorld,
        log: log::Writer,
    ) -> Result<Setup, String> {
        let edition = world.edition();
        let demonstrations = household::shipped::demonstrations(edition).map_err(|e| e.to_string())?;
        let proposer = Arc::new(SymbolicProposer::from_demonstrations(&demonstrations));
        let source = select(&self.config, &header.model)?;
        let config = Arc::clone(&self.config);
        let prompting = Prompting {
            prompts: Prompts::new(Some(&self.config.paths.config)),
            demonstrations: Arc::new(demonstrations.iter().map(as_program).collect()),
            ..Prompting::default()
        };
        Ok(Setup {
            beginning,
            world: Box::new(world),
            method: method::named(&header.method).ok_or_else(|| unknown_method(&header.method))?,
            source,
            resolver: Arc::new(move |name| select(&config, name)),
            proposer,
            prompting,
            log: Some(log),
            unattended: None,
            clock: system_clock(),
        })
    }

    fn run(&self, setup: Setup) -> Result<Handle, String> {
        let _inside = self.runtime.enter();
        driver::start(setup)
    }

    fn sessions(&self) -> Vec<SessionEntry> {
        let Ok(entries) = std::fs::read_dir(self.config.paths.sessions()) else { return Vec::new() };
        let mut found: Vec<(SystemTime, PathBuf)> = entries
            .flatten()
            .filter(|e| e.path().extension().is_some_and(|e| e == "jsonl"))
            .filter_map(|e| Some((e.metadata().ok()?.modified().ok()?, e.path())))
            .collect();
        found.sort_unstable_by(|a, b| b.cmp(a));
        found.into_iter().take(SESSIONS).map(|(at, path)| described(path, at)).collect()
    }
}

/// A session as listed: what its first line says, and how long ago it was written to.
fn described(path: PathBuf, at: SystemTime) -> SessionEntry {
    let header = std::fs::File::open(&path).ok().and_then(|file| {
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(file), &mut line).ok()?;
        serde_json::from_str::<Header>(&line).ok()
    });
    let minutes = at.elapsed().map_or(0, |e| e.as_secs() / 60);
    let ago = match minutes {
        0..=1 => "just now".to_owned(),
        2..=119 => format!("{minutes} minutes ago"),
        120..=2879 => format!("{} hours ago", minutes / 60),
        _ => format!("{} days ago", minutes / 1440),
    };
    let (title, detail) = match header {
        Some(header) => (header.sentence, format!("{}, {}, {ago}", header.method, header.model)),
        None => (path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned()), ago),
    };
    SessionEntry { path, title, detail, shipped: false }
}

fn select(config: &Config, name: &str) -> Result<Source, String> {
    match config::select(config, name).map_err(|e| e.to_string())? {
        Selected::Symbolic => Ok(Source::Symbolic),
        Selected::Language(model) => Ok(Source::Language(model)),
    }
}

fn unknown_method(name: &str) -> String {
    let names: Vec<&str> = method::all().iter().map(|m| m.id).collect();
    format!("no method `{name}`; there are: {}", names.join(", "))
}

/// How a trajectory opens: the `def` line and what stands below it before the first call.
fn opening(header: &ProgramHeader) -> Vec<String> {
    let mut lines = vec![format!("def {}():", header.function), format!("# {}", header.comment)];
    lines.extend(header.setup.iter().cloned());
    lines
}

fn as_program(demonstration: &crate::world::demonstration::Demonstration) -> Demonstration {
    let mut lines = opening(&demonstration.header).into_iter();
    let mut program = lines.next().unwrap_or_default();
    for line in lines.chain(demonstration.calls().map(ToString::to_string)) {
        program.push_str("\n    ");
        program.push_str(&line);
    }
    program.push('\n');
    Demonstration { kind: demonstration.task_type.clone(), sentence: demonstration.sentence.clone(), program }
}

fn edition_of(header: &Header) -> Result<Edition, String> {
    header.options.get("edition").map_or(Ok(Edition::default()), |e| e.parse())
}

impl Launcher for Launch {
    fn catalog(&self) -> Catalog {
        let mut problems = Vec::new();
        let mut tasks = Vec::new();
        let own = self.config.data.household.as_deref().map(household::Source::open);
        for source in std::iter::once(household::Source::shipped()).chain(own) {
            match source {
                Ok(source) => tasks.extend(source.tasks()),
                Err(error) => problems.push(error.to_string()),
            }
        }
        let world = WorldEntry { name: "household".into(), about: "ALFWorld's rooms, objects and tasks".into(), tasks };
        let entry = |m: method::MethodInfo| Entry { name: m.id.into(), about: m.description.into(), unavailable: None };
        let mut names = vec![self.config.model.model.clone(), "symbolic".to_owned()];
        names.extend(self.config.models.keys().cloned());
        let mut seen = std::collections::BTreeSet::new();
        names.retain(|n| !n.is_empty() && seen.insert(n.clone()));
        let models = names.into_iter().map(|name| {
            let (about, unavailable) = match select(&self.config, &name) {
                Ok(Source::Symbolic) => ("built in, no language model".to_owned(), None),
                Ok(Source::Language(model)) => (model.info().endpoint, None),
                Err(why) => (String::new(), Some(why)),
            };
            Entry { name, about, unavailable }
        });
        Catalog {
            worlds: vec![world],
            methods: method::all().into_iter().map(entry).collect(),
            models: models.collect(),
            sessions: self.sessions(),
            problems,
        }
    }

    fn start(&self, choice: &Choice) -> Result<Handle, String> {
        // A task's source is a file below the folder that was opened: the folder finds it again, whatever the layout.
        let name = if choice.source == "shipped" { "shipped" } else { "data" };
        let source = self.source(name)?;
        let edition = source.edition(&choice.task).map_err(|e| e.to_string())?.unwrap_or_default();
        let mut world = HouseholdWorld::new(source, edition);
        world.reset(&choice.task, 0).map_err(|e| e.to_string())?;
        let task = world.tasks().into_iter().find(|t| t.id == choice.task);
        let created = system_clock()();
        let data = match (name, &self.config.data.household) {
            ("data", Some(folder)) => folder.display().to_string(),
            _ => "shipped".to_owned(),
        };
        let header = Header {
            stepwright: "session".into(),
            version: FORMAT_VERSION,
            program: env!("CARGO_PKG_VERSION").into(),
            created,
            world: choice.world.clone(),
            options: [("edition".to_owned(), edition.to_string())].into(),
            data,
            task: choice.task.clone(),
            sentence: task.map(|t| t.sentence).unwrap_or_default(),
            seed: 0,
            method: choice.method.clone(),
            model: choice.model.clone(),
            specification: world.specification().to_owned(),
            opening: opening(&world.header()),
        };
        let safe: String =
            choice.task.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(60).collect();
        let path = self.config.paths.sessions().join(format!("{created}-{safe}.jsonl"));
        // The model is found before the log is made: a wrong key leaves no empty session behind.
        select(&self.config, &header.model)?;
        let writer = log::Writer::create(&path, &header).map_err(|e| e.to_string())?;
        self.run(self.setup(&header, Beginning::New(header.clone()), world, writer)?)
    }

    fn open(&self, path: &Path) -> Result<Handle, String> {
        let (writer, loaded) = log::Writer::resume(path).map_err(|e| e.to_string())?;
        let mut header = loaded.session.header.clone();
        header.model.clone_from(&loaded.session.model);
        header.method.clone_from(&loaded.session.method);
        if header.world != "household" {
            return Err(format!("{}: this version has no world `{}`", path.display(), header.world));
        }
        let world = HouseholdWorld::new(self.source(&header.data)?, edition_of(&header)?);
        let beginning = Beginning::Resume { session: loaded.session, records: loaded.records };
        self.run(self.setup(&header, beginning, world, writer)?)
    }

    fn export(&self, path: &Path, form: ExportForm) -> Result<PathBuf, String> {
        let (format, extension) = match form {
            ExportForm::Html => (Format::Html, "html"),
            ExportForm::Jsonl => (Format::Jsonl, "export.jsonl"),
            ExportForm::Cast => (Format::Cast, "cast"),
        };
        let loaded = log::load(path).map_err(|e| e.to_string())?;
        let text = export::render(format, &loaded.session.header, &loaded.records).map_err(|e| e.to_string())?;
        let target = path.with_extension(extension);
        std::fs::write(&target, text).map_err(|e| format!("{}: {e}", target.display()))?;
        Ok(target)
    }
}
