//! The product playing recorded episodes: the whole loop, with a model that gives the recorded answers in their order and keeps what it
//! was asked.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use stepwright_driver::{Setup, Source};
use stepwright_episode::Session;
use stepwright_launch::config::{Config, Overrides, load_with};
use stepwright_methods::METHODS;
use stepwright_model::answering::Answering;
use stepwright_model::{Completion, ModelError, ModelRequest, ModelResponse};
use stepwright_sandbox::{Limits, Workers};
use stepwright_study::runner::{self, episode};
use stepwright_world::Sources;
use tokio_util::sync::CancellationToken;

use super::folder::{Folder, Opening};
use super::recording::{Call, Recorded, Recording};

/// The program that runs model-written code as a worker; this one itself where none is set, as the command is.
static WORKER: OnceLock<PathBuf> = OnceLock::new();

/// Has model-written code run by another program than this one: for tests, whose program is no worker.
pub fn use_worker(program: &Path) {
    let _ = WORKER.set(program.to_owned());
}

/// What came of a recorded episode: every request, and the session at its end.
pub(crate) struct Played {
    pub(super) asked: Vec<ModelRequest>,
    pub(super) session: Session,
}

/// Plays the episodes of a folder, several at a time; in their order what came of each, or why it could not be played.
pub(super) fn all(
    root: &Path,
    path: &Path,
    of: &Folder,
    episodes: &[(String, Recorded)],
) -> Vec<Result<Played, String>> {
    let config = configuration();
    let runtime = tokio::runtime::Runtime::new().map_err(|e| e.to_string());
    let (config, runtime) = match (config, runtime) {
        (Ok(config), Ok(runtime)) => (config, runtime),
        (Err(why), _) | (_, Err(why)) => return episodes.iter().map(|_| Err(why.clone())).collect(),
    };
    let data = root.parent().unwrap_or(root);
    // What was read for one is not read again.
    let sources = stepwright_worlds::sources();
    let begun: Vec<_> = episodes
        .iter()
        .map(|(_, episode)| {
            let opening = (of.session)(&Recording { data, folder: path, episode })?;
            let calls = episode.calls.iter().enumerate();
            let replies = calls.map(|(at, call)| Reply::of(call, of, at + 1 == episode.calls.len())).collect();
            let raw = episode.calls.first().is_some_and(|call| call.api != "chat");
            Ok(runtime.spawn(one(config.clone(), sources.clone(), opening, (replies, raw))))
        })
        .collect();
    let ended = |begun: Result<tokio::task::JoinHandle<Result<Played, String>>, String>| {
        begun.and_then(|task| runtime.block_on(task).map_err(|e| e.to_string())?)
    };
    begun.into_iter().map(ended).collect()
}

/// The configuration as it ships.
fn configuration() -> Result<Arc<Config>, String> {
    let nowhere = std::env::temp_dir().join("stepwright-conform").join("no-configuration");
    let overrides = Overrides { config_dir: Some(nowhere), ..Overrides::default() };
    load_with(&overrides, &METHODS, &|_| None).map(Arc::new).map_err(|e| e.to_string())
}

/// An episode with a model that gives these replies, whatever it is asked.
async fn one(
    config: Arc<Config>,
    sources: Sources,
    opening: Opening,
    (replies, raw): (VecDeque<Reply>, bool),
) -> Result<Played, String> {
    let Opening { new, templates, actions, adapt } = opening;
    let (replies, asked) = (Mutex::new(replies), Arc::new(Mutex::new(Vec::new())));
    let kept = Arc::clone(&asked);
    let by = move |request: &ModelRequest| {
        let mut request = request.clone();
        loop {
            kept.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
            match replies.lock().unwrap_or_else(PoisonError::into_inner).pop_front() {
                Some(Reply::Answers(answers)) => return Ok(ModelResponse::of(answers, None)),
                Some(Reply::Again(fewer)) => request.max_tokens = request.max_tokens.saturating_sub(fewer),
                Some(Reply::Failed(message)) => {
                    return Err(ModelError::Refused { endpoint: "recorded".to_owned(), status: 400, message });
                }
                None => return Err(ModelError::Configuration("the recording has no further answer".to_owned())),
            }
        }
    };
    let model = Arc::new(Answering { raw, settings: config.model.options.settings, by });
    let setup = move || -> Result<Setup, String> {
        let mut setup = runner::Opening::new(&config, sources, actions).setup(&new)?;
        setup.source = Source::Language { name: new.model, model };
        setup.prompting.prompts = setup.prompting.prompts.with_templates(templates);
        if let Some(program) = WORKER.get() {
            setup.sandbox = Workers::at(program, Limits::default());
        }
        adapt.into_iter().for_each(|adapt| adapt(&mut setup));
        Ok(setup)
    };
    let played = episode(setup, &CancellationToken::new()).await.ok_or("it was stopped")?;
    let asked = asked.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(Played { asked, session: played.session? })
}

/// What came of a recorded call.
enum Reply {
    Answers(Vec<Completion>),
    /// None: the same is asked again, for an answer so many tokens shorter.
    Again(u32),
    /// It failed; so does the last of those that were asked again.
    Failed(String),
}

impl Reply {
    fn of(call: &Call, folder: &Folder, is_last: bool) -> Self {
        match (call.raised(), call.repeated(folder.repeats)) {
            (Some(_), Some(fewer)) if !is_last => Reply::Again(fewer),
            (Some(note), _) => Reply::Failed(note.to_owned()),
            (None, _) => Reply::Answers((folder.answers)(call)),
        }
    }
}
