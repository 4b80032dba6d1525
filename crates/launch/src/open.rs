//! Opening: from names (world, task, method, model) or a session file to a running driver.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::OpenError;
use super::header::{new_header, session_path};
use super::log_session::{self, LogSession};
use crate::config::{self, BUILT_IN, Config, Selected};
use stepwright_driver::{
    Beginning, Clock, MethodResolver, Persistence, Resolver, Setup, Source, first_asked, roles_named, sandbox, start,
    system_clock,
};
use stepwright_episode::{ArtifactId, Header, Policy, Role, Session, log};
use stepwright_method::prompting::Prompting;
use stepwright_method::publications;
use stepwright_method::{self as method, DOMAIN, External, FORM, Knowledge, Method, MethodInfo, SYMBOLIC};
use stepwright_model::ModelKind;
use stepwright_model::prompt::Prompts;
use stepwright_model::translator::Translator;
use stepwright_protocol::{Handle, READ_ONLY};
use stepwright_sandbox::Held;
use stepwright_world::blocking::BlockingSource;
use stepwright_world::blocking::{Domain, NamedDomain};
use stepwright_world::demonstration::Demonstration;
use stepwright_world::options::Values;
use stepwright_world::state_form::StateForm;
use stepwright_world::{Ability, OpenSpec, Sources, World, WorldKind};
use stepwright_worlds::external::Adapter;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenRequest {
    New(NewSession),
    File(PathBuf),
    /// An episode of a file of logs, by its id or a part of it; the first if that is empty.
    Log(PathBuf, String),
    /// An example session that ships with the program, by name. What is done in it goes to a copy.
    Example(String),
}

/// The world, task, method and model that a session begins with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewSession {
    pub world: String,
    /// Where its tasks come from; the shipped ones if `None`.
    pub data: Option<PathBuf>,
    /// The task's id, or an unmistakable part of it; the first task if empty.
    pub task: String,
    /// Options of the world (`edition`), and of the method where they are not as configured (`shots`, `think`, `assertions`).
    pub options: BTreeMap<String, String>,
    /// The method's id; the configured one if empty, or else, where a person opens it, the one that is shown first, or the one that suits the
    /// model.
    pub method: String,
    /// The model's name; the configured one if empty.
    pub model: String,
    pub seed: u64,
}

/// Opens and starts; must be called within a tokio runtime.
/// Errors: [`OpenError`]; nothing is changed then.
pub fn open(request: &OpenRequest, config: &Config, sources: &Sources) -> Result<Handle, OpenError> {
    start(prepare(request, config, sources)?).map_err(OpenError::Failed)
}

/// The method that a person begins with in a world where none is named: the world's, unless one is configured, which is wanted in every
/// world; the one that suits the model if `None`.
pub fn first_method(kind: &WorldKind, config: &Config) -> Option<&'static str> {
    kind.first_shown().filter(|_| config.method.method.is_empty())
}

/// All that [`open`] starts, kept under the state directory.
pub fn prepare(request: &OpenRequest, config: &Config, sources: &Sources) -> Result<Setup, OpenError> {
    match request {
        OpenRequest::New(new) => {
            // A person begins with what the start screen suggests; a run measures by the method that suits the model.
            let kind = sources.kind(&new.world).ok().filter(|_| new.method.is_empty());
            let first = kind.and_then(|kind| first_method(kind, config));
            let method = first.map_or_else(|| new.method.clone(), str::to_owned);
            let new = &NewSession { method, ..new.clone() };
            let mut setup = prepare_new(new, config, sources, system_clock())?;
            keep_new(&mut setup, config)?;
            Ok(setup)
        }
        OpenRequest::File(path) => {
            // What cannot be opened for writing can still be read.
            let found = match log::Writer::resume(path) {
                Ok((writer, loaded)) => Ok((Persistence::Log(writer), loaded)),
                Err(log::LogError::Io { source, .. }) if is_refused(&source) => log::load(path).map(|loaded| {
                    let copy = session_path(&config.paths.sessions(), &loaded.session.header);
                    (Persistence::Copy(copy), loaded)
                }),
                Err(error) => Err(error),
            };
            prepare_file(found, config, sources)
        }
        OpenRequest::Log(path, episode) => prepare_log(path, episode, config, sources),
        OpenRequest::Example(name) => {
            let loaded = super::examples::load(name)?;
            let copy = session_path(&config.paths.sessions(), &loaded.session.header);
            prepare_loaded(loaded, Persistence::Copy(copy), config, sources)
        }
    }
}

/// The contents of a file: a session, or what is none and may be a log of episodes.
fn prepare_file(
    found: Result<(Persistence, log::Loaded), log::LogError>,
    config: &Config,
    sources: &Sources,
) -> Result<Setup, OpenError> {
    match found {
        Ok((keep, loaded)) => prepare_loaded(loaded, keep, config, sources),
        Err(log::LogError::NoSession { path, why }) => prepare_log(&path, "", config, sources).map_err(|error| {
            let why = format!("{why}; and no log of episodes: {error}");
            OpenError::Log(log::LogError::NoSession { path: path.clone(), why })
        }),
        Err(error) => Err(error.into()),
    }
}

/// As [`open`], to be read alone: nothing is locked, changed or written. No session begins so.
pub fn open_to_read(request: &OpenRequest, config: &Config, sources: &Sources) -> Result<Handle, OpenError> {
    start(prepare_to_read(request, config, sources)?).map_err(OpenError::Failed)
}

/// What is opened to be read alone.
/// Errors: it cannot be read, or its world, data or method are not there.
pub fn prepare_to_read(request: &OpenRequest, config: &Config, sources: &Sources) -> Result<Setup, OpenError> {
    let setup = match request {
        OpenRequest::New(_) => return Err(OpenError::Failed(READ_ONLY.to_owned())),
        OpenRequest::File(path) => {
            prepare_file(log::load(path).map(|loaded| (Persistence::Reading, loaded)), config, sources)
        }
        OpenRequest::Example(name) => {
            prepare_loaded(super::examples::load(name)?, Persistence::Reading, config, sources)
        }
        OpenRequest::Log(..) => prepare(request, config, sources),
    };
    Ok(Setup { keep: Persistence::Reading, ..setup? })
}

/// Keeps a session that begins under the state directory.
pub fn keep_new(setup: &mut Setup, config: &Config) -> Result<(), OpenError> {
    if let Beginning::New(header) = &setup.beginning {
        let folder = config.paths.sessions();
        let kept = log::Writer::create(&session_path(&folder, header), header);
        setup.keep = Persistence::Log(kept.map_err(|error| unkept(&folder, error))?);
    }
    Ok(())
}

/// Why no session can begin: its folder cannot be written.
fn unkept(folder: &Path, error: log::LogError) -> OpenError {
    match error {
        log::LogError::Io { source, .. } => OpenError::Failed(format!(
            "sessions cannot be kept in {}: {source}; set STEPWRIGHT_STATE_DIR to a folder that can be written",
            folder.display()
        )),
        other => other.into(),
    }
}

/// An episode of a log, as a session that is kept in a new file once something is done in it.
fn prepare_log(path: &Path, episode: &str, config: &Config, sources: &Sources) -> Result<Setup, OpenError> {
    let clock = system_clock();
    let LogSession { mut session, records, opened } = log_session::open(path, episode, sources, &clock)?;
    let name = if config.model.model.is_empty() { SYMBOLIC } else { config.model.model.as_str() };
    let source = resolver(config)(name).map_err(OpenError::Failed)?;
    let method = config.built_in.resolve("").map_err(OpenError::Failed)?;
    (session.header.model, session.header.method) = (name.to_owned(), method.info().id.to_owned());
    (session.model, session.method) = (session.header.model.clone(), session.header.method.clone());
    let keep = Persistence::Copy(session_path(&config.paths.sessions(), &session.header));
    let beginning = Beginning::Resume { session: Box::new(session), records };
    let parts = (method, source, BlockingSource::Assertions);
    Ok(Setup { keep, ..setup(beginning, opened.world, parts, Vec::new(), (config, sources)) })
}

pub(super) fn prepare_loaded(
    loaded: log::Loaded,
    keep: Persistence,
    config: &Config,
    sources: &Sources,
) -> Result<Setup, OpenError> {
    let log::Loaded { session, records, remarks, .. } = loaded;
    let header = &session.header;
    let data = (header.data != SHIPPED).then(|| PathBuf::from(&header.data));
    let opened = sources.reopen(header, data.as_deref())?;
    let own = config.data.demonstrations_in(opened.world.kind());
    let recorded = Some(Path::new(&header.demonstrations)).filter(|_| !header.demonstrations.is_empty());
    let learned = |own| sources.demonstrations(&opened, data.as_deref(), header.seed, own);
    // Demonstrations that are gone must not keep anyone from reading the session.
    let (demonstrations, lost) = match learned(own.or(recorded)) {
        Err(why) if own.is_none() && recorded.is_some() => (learned(None)?, Some(why.to_string())),
        found => (found?, None),
    };
    let other = lost.map(|why| format!("what it was begun with, demonstrations of its own, is not there: {why}"));
    // A model that is not there any more must not keep anyone from reading the session, either.
    let (source, gone) =
        match resolver(config)(&session.model).and_then(|source| at_its_address(source, &session, config)) {
            Ok(source) => (source, None),
            Err(why) => (Source::Symbolic, Some(in_its_place(&session.model, &why))),
        };
    let method = methods(config).resolve(&session.method).map_err(OpenError::Failed)?;
    // A domain that is gone must not keep anyone from reading the session either.
    let own = header.options.get(DOMAIN.key).map(|name| NamedDomain::from(name.as_str()));
    let blocking =
        blocking_source(opened.world.kind(), own.as_ref(), &opened.options).unwrap_or_else(BlockingSource::Gone);
    // Logs of before hold the path of a form of states alone.
    let is_held = session.node(0).is_some_and(|root| root.document(&ArtifactId::FORM).is_some());
    let form = header.options.get(FORM.key).filter(|_| !is_held).map(|path| form_of(path)).transpose();
    let beginning = Beginning::Resume { session: Box::new(session), records };
    let mut made = setup(beginning, opened.world, (method, source, blocking), demonstrations, (config, sources));
    match form {
        Ok(form) => made.form = form,
        // As of a domain.
        Err(why) => made.remarks.push(why),
    }
    made.remarks.extend(other);
    // Where nothing can be asked, nothing is asked of another.
    made.remarks.extend(gone.filter(|_| !matches!(keep, Persistence::Reading)));
    Ok(Setup { keep, remarks: remarks.into_iter().chain(made.remarks.clone()).collect(), ..made })
}

/// The model of a session that asked one elsewhere: what a session asked on this machine is not sent to a provider because nobody said
/// otherwise.
/// Errors: where it asked, where it would ask, what to do.
fn at_its_address(source: Source, session: &Session, config: &Config) -> Result<Source, String> {
    let Source::Language { model, .. } = &source else { return Ok(source) };
    let now = model.info().endpoint;
    let asks = session.nodes().iter().rev().flat_map(|node| node.turn.asks.iter().rev());
    let mut exchanges = asks.filter(|ask| ask.model == session.model).filter_map(|ask| ask.exchange.as_ref());
    let before = exchanges.next().map(|exchange| exchange.endpoint.as_str()).unwrap_or_default();
    let is_address = |text: &str| text.contains("://");
    if before == now || !is_address(before) || !is_address(&now) || config.is_address_set(&session.model) {
        return Ok(source);
    }
    Err(format!("the session asked it at {before}, and here it is at {now}; to go on there: --base-url {before}"))
}

/// What is said of a session whose model is not there.
fn in_its_place(model: &str, why: &str) -> String {
    format!("the built-in proposer is asked until you choose a model (M); {model} is not there: {why}")
}

pub fn prepare_new(new: &NewSession, config: &Config, sources: &Sources, clock: Clock) -> Result<Setup, OpenError> {
    prepare_at(new, config, sources, clock, true)
}

/// The same to be looked at and not begun: a program that gets answers is not started for it.
pub fn prepare_unbegun(new: &NewSession, config: &Config, sources: &Sources) -> Result<Setup, OpenError> {
    let answers = sources.kinds().iter().any(|world| world.name == new.world && world.has(Ability::Answers));
    prepare_at(new, config, sources, system_clock(), !answers)
}

fn prepare_at(
    new: &NewSession,
    config: &Config,
    sources: &Sources,
    clock: Clock,
    begins: bool,
) -> Result<Setup, OpenError> {
    let NewSession { world, data, options, task, seed, .. } = new;
    let mut opened = sources.open(&OpenSpec { world, data: data.as_deref(), options, task })?;
    let kind = opened.world.kind();
    let own = config.data.demonstrations_in(kind);
    let demonstrations = sources.demonstrations(&opened, data.as_deref(), *seed, own)?;
    let name = if new.model.is_empty() { config.model.model.as_str() } else { new.model.as_str() };
    let resolver = resolver(config);
    let source = resolver(name).map_err(OpenError::Failed)?;
    let wanted = [new.method.as_str(), config.method.method.as_str()].into_iter().find(|m| !m.is_empty());
    let suggested = || kind.method.unwrap_or_else(|| suggested_method(&source, config));
    let method = methods(config).resolve(wanted.unwrap_or_else(suggested)).map_err(OpenError::Failed)?;
    let version = method.ready().map_err(OpenError::Failed)?;
    let info = method.info();
    let mut method_options = config.method.given.clone();
    method_options.extend(own_options(config, &info).map_err(OpenError::Failed)?);
    method_options.extend(config.method.form.iter().map(|path| (FORM.key.to_owned(), path.clone())));
    method_options.extend(options.clone());
    let method_options =
        publications::preset((info.id, info.options), kind.name, method_options).map_err(OpenError::Failed)?;
    let method_options = Values::read(config.built_in.options_with(info.options), &method_options)
        .map_err(|e| OpenError::Failed(e.to_string()))?;
    let own = config.method.domain.as_ref();
    let blocking = blocking_source(kind, own, &opened.options).map_err(OpenError::Failed)?;
    let form = Some(method_options.text(&FORM)).filter(|path| !path.is_empty());
    let form = form.map(form_of).transpose().map_err(OpenError::Failed)?;
    // The opening of the program is known once the world is at the task.
    if begins {
        opened.world.reset(&opened.task, new.seed)?;
    }
    if opened.sentence.is_empty() {
        // A world in another process reports it now.
        let sentence = opened.world.tasks().into_iter().find(|t| t.id == opened.task).map(|t| t.sentence);
        opened.sentence = sentence.unwrap_or_else(|| opened.task.clone());
    }
    let task_kind = opened.world.tasks().into_iter().find(|t| t.id == opened.task).map(|t| t.kind);
    let models = models_of_roles(&info, &method_options, (options, config)).map_err(OpenError::Failed)?;
    let roles = roles_named(&models, &models, &[&source], &resolver).map_err(OpenError::Failed)?;
    let traits = first_asked(&info, &roles, &source).traits();
    method::fits(&info, &method_options, (kind, sources.kinds()), task_kind.as_deref(), &traits)
        .map_err(|misfit| OpenError::Failed(misfit.to_string()))?;
    let named = own.map(|name| (DOMAIN.key.to_owned(), name.to_string()));
    let embedder = Some(&config.embedder).filter(|name| *name != BUILT_IN);
    let named = named.into_iter().chain(embedder.map(|name| (EMBEDDER.to_owned(), name.clone())));
    let header = Header {
        options: opened
            .options
            .into_iter()
            .chain(method_options.record(info.options))
            .chain(named)
            .chain(models)
            .collect(),
        data: new.data.as_ref().map_or_else(|| SHIPPED.to_owned(), |p| p.display().to_string()),
        demonstrations: config.data.demonstrations_in(kind).map_or_else(String::new, |p| p.display().to_string()),
        task: opened.task,
        sentence: opened.sentence,
        service: task_kind.filter(|_| kind.services).unwrap_or_default(),
        seed: new.seed,
        method: info.id.to_owned(),
        method_version: version.unwrap_or_default(),
        sandbox: held_of(&info).map(Held::in_words).unwrap_or_default(),
        model: if name.is_empty() { SYMBOLIC.to_owned() } else { name.to_owned() },
        ..new_header(opened.world.as_ref(), &clock)
    };
    let beginning = Beginning::New(Box::new(header));
    // Only a policy that does something is worth a record.
    let policy = Some(config.gate.policy.clone()).filter(|p| *p != Policy::manual());
    let parts = (method, source, blocking);
    let mut made = setup(beginning, opened.world, parts, demonstrations, (config, sources));
    made.form = form;
    Ok(Setup { policy, clock, ..made })
}

/// The text of a form of states, which can be read.
fn form_of(path: &str) -> Result<String, String> {
    let text = read_form(Path::new(path))?;
    StateForm::load(&text, path).map(|_| text).map_err(|e| e.to_string())
}

/// The text of a file of a form of states.
pub fn read_form(path: &Path) -> Result<String, String> {
    let text = stepwright_files::read_text(path, LARGEST_FORM);
    text.map_err(|e| format!("the form of states {} cannot be read: {e}", path.display()))
}

/// A driver of what is configured, for a session that is kept nowhere and that a person decides about.
fn setup(
    beginning: Beginning,
    world: Box<dyn World>,
    (method, source, blocking): (Arc<dyn Method>, Source, BlockingSource),
    demonstrations: Vec<Demonstration>,
    (config, sources): (&Config, &Sources),
) -> Setup {
    let header = match &beginning {
        Beginning::New(header) => header,
        Beginning::Resume { session, .. } => &session.header,
    };
    let embedder = header.options.get(EMBEDDER).map_or(BUILT_IN, String::as_str).to_owned();
    let lacking = held_of(&method.info()).filter(|held| !held.seccomp || held.landlock.is_empty());
    let lacking = lacking.map(|held| {
        format!(
            "the system holds model-written code here to {}; what that leaves: stepwright sandbox --check",
            held.in_words()
        )
    });
    let proposer = stepwright_worlds::agent_of_session(world.kind(), header, &demonstrations);
    let demonstrations = Arc::new(demonstrations);
    let mut knowledge = Knowledge::new(world.as_ref(), proposer, Arc::clone(&demonstrations), blocking);
    knowledge.worlds = sources.kinds().clone();
    Setup {
        beginning,
        knowledge,
        services: stepwright_service::all(config.candidates, config.paths.shelf(), true),
        prompting: Prompting {
            prompts: Prompts::new(Some(&config.paths.config)),
            demonstrations,
            translator: Translator::new(config.embedder(&embedder), Some(config.paths.cache.join("vectors"))),
            ..Prompting::default()
        },
        world,
        method,
        source,
        resolver: resolver(config),
        methods: methods(config),
        sandbox: sandbox(),
        keep: Persistence::Nothing,
        adopted: Vec::new(),
        form: None,
        policy: None,
        headless: false,
        clock: system_clock(),
        remarks: lacking.into_iter().collect(),
    }
}

/// What holds the code that a method runs; `None` of one that runs none.
fn held_of(method: &MethodInfo) -> Option<&'static Held> {
    method.programs.then(stepwright_sandbox::held).flatten()
}

/// Where trees come from: the domain of a file, or the one that ships for a world, in the wording of the world's options; else the
/// assertions.
fn blocking_source(
    world: &WorldKind,
    named: Option<&NamedDomain>,
    options: &BTreeMap<String, String>,
) -> Result<BlockingSource, String> {
    let domain = match named {
        Some(NamedDomain::Derived) => None,
        Some(NamedDomain::File(path)) => Some(Arc::new(Domain::open(path).map_err(|e| e.to_string())?)),
        None => stepwright_world::shipped_domain(world).transpose().map_err(|e| e.to_string())?,
    };
    Ok(match domain {
        Some(domain) => BlockingSource::Domain(Arc::new(Arc::unwrap_or_clone(domain).worded(options))),
        None => BlockingSource::Assertions,
    })
}

/// The largest file of a form of states, in bytes.
const LARGEST_FORM: u64 = 1 << 20;

/// The option of a header that names the embedder; the built-in one where there is none.
const EMBEDDER: &str = "embedder";

/// `data` of a header whose task ships with the program.
const SHIPPED: &str = "shipped";

/// The method that suits a source when none is asked for: choice by likelihood for models that are known to score and for
/// local ones, which are small; else Algorithm 1.
pub fn suggested_method(source: &Source, config: &Config) -> &'static str {
    let scores = match source {
        Source::Language { model, .. } => {
            model.can_score() && matches!(model.info().kind, ModelKind::Local | ModelKind::Remote)
        }
        Source::Symbolic => false,
    };
    config.built_in.suited(scores)
}

/// Methods by their ids: built-in ones, and those behind configured commands. A session whose command is not configured can still be
/// read.
pub fn methods(config: &Config) -> MethodResolver {
    let commands = config.methods.clone();
    let built_in = config.built_in;
    MethodResolver::new(built_in, move |id| {
        let name = id.strip_prefix(method::EXTERNAL)?;
        let command = commands.get(name).map(Arc::clone).unwrap_or_else(|| {
            let adapter = Adapter { section: "methods", ..Adapter::new(name, Vec::new()) };
            Arc::new(method::Command::new(Arc::new(adapter), BTreeMap::new(), built_in.options()))
        });
        Some(Arc::new(External::of(command)))
    })
}

/// The models of roles as a session records them: those that are asked for, and those configured of what the method asks.
fn models_of_roles(
    method: &MethodInfo,
    values: &Values,
    (asked, config): (&BTreeMap<String, String>, &Config),
) -> Result<BTreeMap<String, String>, String> {
    let mut models = BTreeMap::new();
    for role in Role::ALL.into_iter().filter(|role| *role != Role::Translator) {
        let (asked, configured) = (asked.get(&role.key()), config.roles.get(&role));
        let asks = method.asks_as(role, values);
        if asked.is_some() && !asks {
            return Err(format!("{} asks no {}", method.id, role.name()));
        }
        let name = asked.or(configured).filter(|_| asks);
        models.extend(name.map(|name| (role.key(), name.clone())));
    }
    Ok(models)
}

/// The configured own options of a method in another process, as sessions record them; none of other methods.
fn own_options(config: &Config, method: &MethodInfo) -> Result<BTreeMap<String, String>, String> {
    let command = method.id.strip_prefix(method::EXTERNAL).and_then(|name| config.methods.get(name));
    let Some(command) = command else { return Ok(BTreeMap::new()) };
    let mut given = command.options.clone();
    given.extend(config.method.own.clone());
    command.recorded(&given).map_err(|e| e.to_string())
}

pub fn resolver(config: &Config) -> Resolver {
    let config = config.clone();
    Arc::new(move |name| match config::select(&config, name) {
        Ok(Selected::Symbolic) => Ok(Source::Symbolic),
        Ok(Selected::Language(model)) => Ok(Source::Language { name: name.to_owned(), model }),
        Err(error) => Err(error.to_string()),
    })
}

/// Whether a file cannot be written where it is, but may be read.
fn is_refused(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_sessions_that_cannot_be_written_is_named_with_the_way_out() {
        let error =
            log::LogError::Io { path: "s/one.jsonl".into(), source: std::io::ErrorKind::PermissionDenied.into() };
        let said = unkept(Path::new("s"), error).to_string();
        assert!(
            said.starts_with("sessions cannot be kept in s: permission denied; set STEPWRIGHT_STATE_DIR"),
            "{said}"
        );
    }
}
