//! `stepwright export` and `stepwright show`: a session log in other formats.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::sessions::found;
use super::{CliError, Global, print, recording, target};
use stepwright_episode::log;
use stepwright_export::Format;
use stepwright_launch::config::Config;
use stepwright_launch::load_sessions;

/// Writes a session as an HTML page, an asciicast, an ATIF trajectory, or JSONL in its normal form.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("format").required(true))]
pub(crate) struct Export {
    #[command(flatten)]
    session: Named,
    /// One self-contained HTML page; `-` is standard output
    #[arg(long, group = "format", value_name = "FILE")]
    html: Option<PathBuf>,
    /// The log in its normal form; `-` is standard output
    #[arg(long, group = "format", value_name = "FILE")]
    jsonl: Option<PathBuf>,
    /// An asciicast v3 with a marker at every decision; `-` is standard output
    #[arg(long, group = "format", value_name = "FILE")]
    cast: Option<PathBuf>,
    /// An ATIF trajectory (Harbor) of the branch it was left on; `-` is standard output
    #[arg(long, group = "format", value_name = "FILE")]
    atif: Option<PathBuf>,
    /// Replace the file also where it is a session or results
    #[arg(long)]
    replace: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    #[command(flatten)]
    session: Named,
}

/// Which session.
#[derive(Debug, Args)]
pub(crate) struct Named {
    /// The session: a file, the name of one in the folder of sessions, or `-` for standard input; a file of logs too
    #[arg(required_unless_present = "last")]
    session: Option<PathBuf>,
    /// The session written to last
    #[arg(long, conflicts_with = "session")]
    last: bool,
    /// The episode of a file of logs, by its id or a part of it
    #[arg(long, value_name = "ID", conflicts_with = "last")]
    episode: Option<String>,
}

impl Export {
    pub fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        let choices = [
            (self.html, Some(Format::Html)),
            (self.jsonl, Some(Format::Jsonl)),
            (self.cast, None),
            (self.atif, Some(Format::Atif)),
        ];
        let config = global.load()?;
        let session = self.session.place(&config.paths.sessions())?;
        for (file, format) in choices {
            let Some(file) = file else { continue };
            target::look_at(&file, session.file.as_slice(), Some(self.replace))?;
            let text = render(&config, &session, format)?;
            target::replace(&file, &text)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Show {
    pub fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        let config = global.load()?;
        let session = self.session.place(&config.paths.sessions())?;
        print(&render(&config, &session, Some(Format::Text))?)?;
        Ok(ExitCode::SUCCESS)
    }
}

impl Named {
    fn place(&self, sessions: &Path) -> Result<Place<'_>, CliError> {
        let name = match &self.session {
            Some(named) => named.clone(),
            None => super::sessions::newest(sessions)?,
        };
        let file = if name.as_os_str() == "-" { None } else { Some(found(sessions, &name)?) };
        Ok(Place { name, file, episode: self.episode.as_deref() })
    }
}

/// Where a session is.
struct Place<'a> {
    /// As it was named.
    name: PathBuf,
    /// `None` of standard input.
    file: Option<PathBuf>,
    episode: Option<&'a str>,
}

/// A session in a format, as a recording if `None`. Of a file of logs all episodes as text, else the first.
fn render(config: &Config, session: &Place<'_>, format: Option<Format>) -> Result<String, CliError> {
    let sources = stepwright_worlds::sources().with_adapters(config.external.clone());
    let mut loaded = match &session.file {
        None => {
            if session.episode.is_some() {
                return Err(CliError::Usage("standard input is one session: leave --episode out".to_owned()));
            }
            let read = log::read(std::io::stdin().lock(), Path::new("standard input"));
            let read = read.map_err(|e| CliError::Failed(e.to_string()))?;
            read.remarks.iter().for_each(|line| super::note(line));
            vec![read]
        }
        Some(file) => {
            let read = load_sessions(file, session.episode, &sources).map_err(|e| CliError::Failed(e.to_string()))?;
            read.problems.iter().for_each(|line| super::note(line));
            read.sessions.into_iter().map(|(_, loaded)| loaded).collect()
        }
    };
    if format != Some(Format::Text) && loaded.len() > 1 {
        super::note(&format!("the file holds {} episodes; this is the first, --episode names another", loaded.len()));
        loaded.truncate(1);
    }
    let failed = |e: String| CliError::Failed(format!("{}: {e}", session.name.display()));
    // A text is read at once, and says it.
    let told = |what: &str| match format {
        Some(Format::Text) => {}
        _ => super::note(&format!("{}: {what}", session.name.display())),
    };
    let render = |loaded| match format {
        Some(format) => recording::render(format, loaded, (config, &sources), &told).map_err(|e| failed(e.to_string())),
        None => recording::cast(loaded, (config, &sources), &told).map_err(failed),
    };
    let mut all = String::new();
    for text in loaded.into_iter().map(render) {
        let text = text?;
        // A single text may be large, and is not copied.
        all = if all.is_empty() { text } else { all + "\n" + &text };
    }
    Ok(all)
}
