//! Headless episodes: one session through the same driver and gate as the workbench, a policy in place of a person.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::play::{Duel, Episode, play, seconds_since};
use crate::in_force::InForce;
use stepwright_driver::{Beginning, Persistence, Setup, system_clock};
use stepwright_episode::{Policy, log};
use stepwright_files::numbered;
use stepwright_launch::config::Config;
use stepwright_launch::{NewSession, prepare_new, prepare_unbegun};
use stepwright_method::SYMBOLIC;
use stepwright_method::publications::{self, SETTINGS};
use stepwright_protocol::Contender;
use stepwright_world::{Ability, Sources};

/// The means to open a study's episodes, and their bounds.
#[derive(Debug, Clone)]
pub struct Opening {
    pub config: Arc<Config>,
    pub sources: Sources,
    pub most_actions: u32,
    /// The preconditions in force, where they are not the specification's own.
    pub in_force: Option<Arc<InForce>>,
    /// The sides of a duel, the first of which decides; none where only one is asked.
    pub sides: Vec<Contender>,
    pub sessions: Option<SessionFolder>,
}

impl Opening {
    /// Episodes under the specification's own preconditions, whose sessions are not kept.
    pub fn new(config: &Arc<Config>, sources: Sources, most_actions: u32) -> Self {
        Opening { config: Arc::clone(config), sources, most_actions, in_force: None, sides: Vec::new(), sessions: None }
    }

    pub fn shared(&self) -> Value {
        let in_force = self.in_force.as_ref().map(|in_force| in_force.preconditions.described());
        let mut shared = json!({ "max_steps": self.most_actions, "preconditions": in_force });
        let sides: Vec<&str> = self.sides.iter().skip(1).map(|side| side.name.as_str()).collect();
        if !sides.is_empty() {
            shared["sides"] = json!(sides);
        }
        shared
    }

    /// The settings of a publication as a session's options, for a study that takes them by itself: where they say something of the method in
    /// the world, a language model is asked, and a person named no others.
    pub(crate) fn published(&self, id: &'static str, method: &str, world: &str, model: &str) -> Option<&'static str> {
        let own = self.config.method.given.contains_key(SETTINGS.key);
        (model != SYMBOLIC && !own && publications::fixed(id, method, world).is_some()).then_some(id)
    }

    pub fn setup(&self, new: &NewSession) -> Result<Setup, String> {
        self.with_policy(prepare_new(new, &self.config, &self.sources, system_clock()).map_err(|e| e.to_string())?)
    }

    /// What an episode begins with, to be looked at.
    pub(crate) fn look(&self, new: &NewSession) -> Result<Setup, String> {
        let setup = prepare_unbegun(new, &self.config, &self.sources).map_err(|e| e.to_string())?;
        // What a program can call is known once it asked.
        if setup.world.kind().has(Ability::Answers) { Ok(setup) } else { self.with_policy(setup) }
    }

    fn with_policy(&self, mut setup: Setup) -> Result<Setup, String> {
        let token_budget = self.config.gate.policy.token_budget;
        // What a program does by an answer is not taken back: none that fails a check goes to it.
        let until_fails = setup.world.kind().has(Ability::Answers);
        setup.policy = Some(Policy { steps: self.most_actions, until_fails, token_budget, ..Policy::manual() });
        if !self.sides.is_empty() {
            setup.policy = None;
        }
        setup.headless = true;
        self.in_force.as_ref().map_or(Ok(()), |in_force| in_force.begin(&mut setup))?;
        Ok(setup)
    }

    /// Runs an episode to its end; `None` if it was cancelled.
    pub async fn run(&self, new: &NewSession, cancel: &CancellationToken) -> Option<Episode> {
        let (opening, new) = (self.clone(), new.clone());
        let kept = Arc::new(OnceLock::new());
        let at = Arc::clone(&kept);
        let setup = move || {
            let mut setup = opening.setup(&new)?;
            if let Some(file) = opening.sessions.map(|folder| folder.keep(&mut setup)).transpose()?.flatten() {
                let _ = at.set(file);
            }
            Ok(setup)
        };
        let duel = Duel { sides: self.sides.clone(), most: self.most_actions };
        let episode = by(setup, (!duel.sides.is_empty()).then_some(duel), cancel).await?;
        // What could not be written whole is no evidence either.
        let named = |file: &PathBuf| if episode.unkept { file.clone() } else { SessionFolder::ended(file) };
        Some(Episode { kept: kept.get().map(named), ..episode })
    }
}

/// The longest name of a file that is made of other names, in characters.
const LONGEST_STEM: usize = 100;

/// A name that data gave, as the beginning of a file's name: it leads into no other folder.
pub fn file_stem(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let stem: String = name.chars().take(LONGEST_STEM).map(plain).collect();
    if stem.is_empty() { "_".to_owned() } else { stem }
}

/// A folder of sessions. One whose episode has not ended, was interrupted and is carried out again, or could not be written to its end, has
/// [`UNENDED`] behind its name: it is no evidence of anything, and can be opened.
#[derive(Debug, Clone)]
pub struct SessionFolder(PathBuf);

/// What stands behind the name of a session's file until its episode has ended.
const UNENDED: &str = ".part";

impl SessionFolder {
    pub fn create(path: &Path) -> Result<Self, String> {
        std::fs::create_dir_all(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(SessionFolder(path.to_owned()))
    }

    /// Keeps a new session in a file named after its task; with a number where that name is taken. The file, until the episode has ended.
    pub fn keep(&self, setup: &mut Setup) -> Result<Option<PathBuf>, String> {
        let Beginning::New(header) = &setup.beginning else { return Ok(None) };
        let file = self.0.join(format!("{}{ENDING}", file_stem(&header.task)));
        // Episodes of one task may begin at the same time: a name is taken by making the file.
        for path in numbered(&file, ENDING).filter(|path| !path.exists()) {
            let path = with_unended(&path);
            match log::Writer::create(&path, header) {
                Err(log::LogError::Io { source, .. }) if source.kind() == std::io::ErrorKind::AlreadyExists => {}
                made => {
                    setup.keep = Persistence::Log(made.map_err(|e| e.to_string())?);
                    return Ok(Some(path));
                }
            }
        }
        Ok(None)
    }

    /// Gives the session of an episode that has ended its name; where that is taken meanwhile, one with another number. Where no other name
    /// can be given, it keeps the one it has. The file that it is in then.
    pub fn ended(file: &Path) -> PathBuf {
        for name in numbered(&file.with_extension(""), ENDING).take(MOST_NAMES) {
            match std::fs::hard_link(file, &name) {
                Ok(()) => drop(std::fs::remove_file(file)),
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => continue,
                // Not every disk has such links.
                Err(_) if name.exists() => continue,
                Err(_) if std::fs::rename(file, &name).is_err() => return file.to_owned(),
                Err(_) => {}
            }
            return name;
        }
        file.to_owned()
    }
}

/// Names that are tried for a session.
const MOST_NAMES: usize = 10_000;
const ENDING: &str = ".jsonl";

fn with_unended(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(UNENDED);
    name.into()
}

/// Runs an episode to its end; `None` if it was cancelled. `setup` is called on a thread that may block.
pub async fn episode(
    setup: impl FnOnce() -> Result<Setup, String> + Send + 'static,
    cancel: &CancellationToken,
) -> Option<Episode> {
    by(setup, None, cancel).await
}

/// The same, decided by the first side of a duel where there is one.
async fn by(
    setup: impl FnOnce() -> Result<Setup, String> + Send + 'static,
    duel: Option<Duel>,
    cancel: &CancellationToken,
) -> Option<Episode> {
    let started = Instant::now();
    // A world may wait for a program that says nothing yet: who cancels does not wait for that.
    let setup = tokio::select! {
        made = tokio::task::spawn_blocking(setup) => made.map_err(|e| e.to_string()).and_then(|made| made),
        () = cancel.cancelled() => return None,
    };
    let played = match setup {
        Ok(setup) => play(setup, duel, cancel).await?,
        Err(why) => Episode::not_begun(why, started),
    };
    Some(Episode { seconds: seconds_since(started), ..played })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_has_its_name_once_its_episode_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for (file, text) in [("a.jsonl", "before"), ("a.jsonl.part", "now"), ("b.jsonl.part", "left")] {
            std::fs::write(at(file), text).unwrap();
        }
        assert_eq!(SessionFolder::ended(&at("a.jsonl.part")), at("a-2.jsonl"));
        let mut names: Vec<String> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["a-2.jsonl", "a.jsonl", "b.jsonl.part"]);
        assert_eq!(std::fs::read_to_string(at("a-2.jsonl")).unwrap(), "now");
    }
}
