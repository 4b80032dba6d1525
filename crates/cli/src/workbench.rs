//! Opens the workbench: reads configuration, keys and themes, and hands them over.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::error::last_words;
use super::launch::{Launch, Reopened};
use super::mirror::Mirror;
use super::settings::MethodFlags;
use super::world::WorldName;
use super::{CliError, Global, note, recording};
use stepwright_episode::{Configuration, NodeId, log};
use stepwright_export::Format;
use stepwright_launch::config::Config;
use stepwright_launch::load_sessions;
use stepwright_methods::METHODS;
use stepwright_model::prompt::Prompts;
use stepwright_protocol::Contender;
use stepwright_text::sanitize::printed;
use stepwright_tui::color::{Depth, ground_is_light};
use stepwright_tui::keymap::{Keymap, UserKeys};
use stepwright_tui::launcher::Choice;
use stepwright_tui::manner::Manner;
use stepwright_tui::run::{Options, run};
use stepwright_tui::theme::Theme;
use stepwright_tui::theme_file::{self, Wanted};

/// Which session, where in it, and whether blind.
#[derive(Debug, Args)]
struct What {
    /// The session's log (a .jsonl file), its name in the folder of sessions, or a log of episodes of other programs: trajectories
    /// a line, or a text of ReAct
    #[arg(required_unless_present = "last")]
    file: Option<PathBuf>,
    /// The session written to last
    #[arg(long, conflicts_with = "file")]
    last: bool,
    /// Go to that step of the branch it was left on
    #[arg(long, value_name = "N")]
    step: Option<u32>,
    /// The episode of a log of episodes, by its id or a part of it; the first if absent
    #[arg(long, value_name = "ID", conflicts_with_all = ["last", "step"])]
    episode: Option<String>,
    /// Hide the world's dry run, its truth, recorded answers and what is recommended until a decision is taken
    #[arg(long)]
    blind: bool,
}

/// Open a recorded session where it was left, or an episode of a log of other programs.
#[derive(Debug, Args)]
pub struct Open {
    #[command(flatten)]
    what: What,
    /// Change nothing and write nothing, neither in the session nor beside it
    #[arg(long)]
    read_only: bool,
    #[command(flatten)]
    method: MethodFlags,
}

/// Show a recorded session one decision at a time over the whole screen, read-only.
#[derive(Debug, Args)]
pub struct Present {
    #[command(flatten)]
    what: What,
    /// Serve a page on loopback that follows what is shown; its address stands above the decision, and is printed
    #[arg(long, conflicts_with = "blind")]
    mirror: bool,
}

impl What {
    fn open(
        self,
        global: &Global,
        change: Option<Configuration>,
        manner: Manner,
        mirrors: bool,
    ) -> Result<ExitCode, CliError> {
        let folder = global.load()?.paths.sessions();
        let file = match self.file {
            Some(file) => super::sessions::found(&folder, &file)?,
            None => super::sessions::newest(&folder)?,
        };
        let node = self.step.map(|step| node_at(&file, step)).transpose()?;
        let config = global.load()?;
        let mirror = mirrors.then(|| mirrored(&config, &file, self.episode.as_deref())).transpose()?;
        let session = Reopened { file, change, node, episode: self.episode, mirror };
        open_with(config, Some(session), None, (Manner { blind: self.blind, ..manner }, Vec::new()))
    }
}

impl Open {
    /// Opens the workbench on the session.
    pub fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        let change = global.with_models(self.method.change()?);
        if self.read_only && change.is_some() {
            return Err(CliError::Usage("--read-only changes nothing, also not what a method is set to".to_owned()));
        }
        self.what.open(global, change, Manner { read_only: self.read_only, ..Manner::default() }, false)
    }
}

impl Present {
    /// Opens the workbench on the session in the presenter's view.
    pub fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        let manner = Manner { read_only: true, presents: true, ..Manner::default() };
        self.what.open(global, None, manner, self.mirror)
    }
}

/// A mirror of a session, at an address that is told.
fn mirrored(config: &Config, file: &Path, episode: Option<&str>) -> Result<Mirror, CliError> {
    let sources = stepwright_worlds::sources().with_adapters(config.external.clone());
    let failed = |error: String| CliError::Failed(format!("{}: {error}", file.display()));
    // What could not be read of it the workbench says.
    let found = load_sessions(file, Some(episode.unwrap_or_default()), &sources).map_err(|e| failed(e.to_string()))?;
    let (_, loaded) = found.sessions.into_iter().next().ok_or_else(|| failed("it holds no session".to_owned()))?;
    let page = recording::render(Format::Mirror, loaded, (config, &sources), &|what: &str| {
        note(&format!("{}: {what}", file.display()));
    });
    let page = page.map_err(|e| failed(e.to_string()))?;
    let mirror = Mirror::serve(page)?;
    note(&format!("The mirror: {}", mirror.address()));
    Ok(mirror)
}

/// The node of a step on the line of nodes that a session was left on.
fn node_at(file: &Path, step: u32) -> Result<NodeId, CliError> {
    let loaded = log::load(file).map_err(|e| CliError::Failed(e.to_string()))?;
    let line = loaded.session.line();
    let last = line.last().map_or(0, |n| n.steps);
    let found = line.iter().find(|n| n.steps == step).map(|n| n.id);
    found.ok_or_else(|| CliError::Usage(format!("{}: there is no step {step}; the last is {last}", file.display())))
}

/// Opens the workbench on the start screen.
pub fn open(global: &Global, blind: bool) -> Result<ExitCode, CliError> {
    open_with(global.load()?, None, None, (Manner { blind, ..Manner::default() }, Vec::new()))
}

/// Opens the workbench on an episode that begins at once: of a world, at a task or the first.
pub(super) fn begin(
    global: &Global,
    world: WorldName,
    task: Option<String>,
    blind: bool,
) -> Result<ExitCode, CliError> {
    let config = global.load()?;
    let choice = choice(&config, world, task);
    open_with(config, None, Some(choice), (Manner { blind, ..Manner::default() }, Vec::new()))
}

/// An episode of a world as it is configured, at a task or the first.
pub(crate) fn choice(config: &Config, world: WorldName, task: Option<String>) -> Choice {
    let source = if config.data.of(world.name()).is_some() { "" } else { "shipped" };
    Choice {
        world: world.name().to_owned(),
        source: source.to_owned(),
        task: task.unwrap_or_default(),
        method: config.method.method.clone(),
        model: config.model.model.clone(),
    }
}

/// The same with a configuration that is loaded already, in a manner; with the sides of the duel that begins with it.
pub(crate) fn open_with(
    config: Config,
    session: Option<Reopened>,
    begin: Option<Choice>,
    (manner, duel): (Manner, Vec<Contender>),
) -> Result<ExitCode, CliError> {
    let Look { keymap, themes, remarks } = look(&config)?;
    let options = Options {
        panes: stepwright_tui::panes::all(),
        keymap,
        themes,
        worlds: stepwright_worlds::WORLDS.into(),
        methods: &METHODS,
        mouse: config.ui.mouse,
        open: session.as_ref().map(|s| s.file.clone()),
        begin,
        problem: remarks.into_iter().next(),
        mirror: session.as_ref().and_then(|s| s.mirror.as_ref()).map(|mirror| mirror.address().to_owned()),
        manner,
    };
    let launcher = Launch::new(config, session)?.in_manner(manner).dueling(duel);
    launcher.look().map_err(CliError::Failed)?;
    let left = run(Arc::new(launcher), options).map_err(|e| CliError::Failed(e.to_string()))?;
    // In a session without a decision nothing is kept.
    let kept = left.session.filter(|path| left.problem.is_some() || path.exists());
    let Some(path) = kept else { return Ok(left.code) };
    let (word, is_there, path) = (shell_word(&path), path.exists(), path.display());
    let kept = format!("The session is kept. Open it again: stepwright open {word}");
    last_words(&match left.problem {
        None => kept,
        Some(problem) if left.elsewhere => format!("{problem}\n{kept}"),
        Some(problem) if is_there => format!("{problem}\nThe session may not be whole in {path}"),
        Some(problem) => format!("{problem}\nThe session is kept nowhere: {path} is not there"),
    });
    Ok(left.code)
}

/// Keys and themes as configured, and what a person should know of them.
pub(super) struct Look {
    keymap: Keymap,
    themes: Vec<Theme>,
    /// Oddities that can be worked with, one remark a line.
    pub(super) remarks: Vec<String>,
}

impl Look {
    pub(super) fn theme(&self) -> Option<&Theme> {
        self.themes.first()
    }
}

pub(super) fn look(config: &Config) -> Result<Look, CliError> {
    let (keymap, mut remarks) = keymap(config)?;
    let folder = config.paths.config.join("themes");
    let depth = if config.ui.no_color { Depth::None } else { Depth::of_environment() };
    // The default leaves the choice to the terminal.
    let name = Some(config.ui.theme.as_str()).filter(|n| *n != "auto");
    let name = name.or_else(|| (depth != Depth::None && ground_is_light()).then_some("light"));
    let wanted = Wanted { folder: Some(&folder), name, ascii: config.ui.ascii, depth };
    let (themes, problems) = theme_file::load(wanted).map_err(|why| {
        let set = config.source("ui", "theme").filter(|_| name == Some(config.ui.theme.as_str()));
        CliError::Failed(set.map_or_else(|| why.clone(), |source| format!("`theme` in [ui] ({source}): {why}")))
    })?;
    remarks.extend(problems);
    remarks.extend(Prompts::new(Some(&config.paths.config)).idle());
    Ok(Look { keymap, themes, remarks })
}

fn keymap(config: &Config) -> Result<(Keymap, Vec<String>), CliError> {
    let file = config.paths.config_file().display().to_string();
    let user: Vec<UserKeys> = config
        .keys
        .iter()
        .map(|(action, setting)| UserKeys {
            action: action.clone(),
            keys: setting.keys.clone(),
            place: setting.line.map_or_else(|| file.clone(), |line| format!("{file}:{line}")),
        })
        .collect();
    Keymap::with_user(&user).map_err(CliError::Failed)
}

/// A path as one word of a shell's command line. What a terminal would not show as it is (control characters, bytes that are no text) is
/// spelt out as shells read it.
pub(super) fn shell_word(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let plain = std::str::from_utf8(bytes).ok().filter(|text| printed(text) == **text);
    if let Some(word) = plain.and_then(|text| shlex::try_quote(text).ok()) {
        return word.into_owned();
    }
    let spelt = bytes.iter().map(|byte| match byte {
        b'\'' | b'\\' => format!("\\{}", char::from(*byte)),
        b' '..=b'~' => char::from(*byte).to_string(),
        other => format!("\\x{other:02x}"),
    });
    format!("$'{}'", spelt.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_path_is_a_word_that_a_shell_reads_back() {
        use std::os::unix::ffi::{OsStrExt, OsStringExt};
        for name in [
            &b"plain.jsonl"[..],
            b"two words.jsonl",
            b"it's.jsonl",
            b"esc\x1b[2J.jsonl",
            b"no text \xff\xfe.jsonl",
            b"back\\slash'\n.jsonl",
        ] {
            let path = PathBuf::from(std::ffi::OsString::from_vec(name.to_vec()));
            let word = shell_word(&path);
            assert_eq!(printed(&word), word);
            let echoed =
                std::process::Command::new("bash").args(["-c", &format!("printf %s {word}")]).output().unwrap();
            assert_eq!(echoed.stdout, path.as_os_str().as_bytes(), "{word}");
        }
    }
}
