//! Transcripts of commands: what a person types at a shell, and what the program says, as snapshots.
//!
//! A transcript is a part of a file in `commands/`: a heading (`# what it shows`), then lines of commands (`$ …`, continued by `> …`), each
//! carried out by `sh` in one folder that the transcript has for its own, with `stepwright` on the path, `$REPO` for this repository and
//! no configuration. The snapshot repeats each command, what it wrote (errors behind `!`) and its exit code if it is not 0; temporary
//! folders, addresses, digests and the system's numbers of errors stand in brackets. Further lines:
//!
//! - `? text` below a command: only the lines that hold one of these texts are shown, and that none does
//! - `; remark`: what is going on
//! - `server: 200 {…}`: a server at `$SERVER` gives these answers in order, the last as often as it is asked
//! - `needs: FOLDER` at the head of a file: recordings without which its transcripts are left out, as `$RECORDED`

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::recordings::recordings;
use crate::support::server::{Server, json};

struct Typed {
    command: String,
    wanted: Vec<String>,
}

/// Where a transcript is played, and the server that it asks.
struct Place {
    folder: tempfile::TempDir,
    server: Option<Server>,
    recorded: Option<PathBuf>,
}

impl Place {
    fn new(answers: Vec<(u16, String)>, recorded: Option<&Path>) -> Self {
        let next = std::sync::atomic::AtomicUsize::new(0);
        let server = (!answers.is_empty()).then(|| {
            Server::answering(move |_| {
                let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let (status, body) = &answers[at.min(answers.len() - 1)];
                vec![json(*status, body)]
            })
        });
        Place { folder: tempfile::tempdir().unwrap(), server, recorded: recorded.map(Path::to_owned) }
    }

    /// Lines that a command wrote, and its exit code.
    fn play(&self, typed: &str) -> (Vec<String>, Option<i32>) {
        let folder = self.folder.path().canonicalize().unwrap();
        let mut command = Command::new("sh");
        let own = ["STEPWRIGHT_", "OPENAI_", "SLURM_", "JOB_COMPLETION", "NO_COLOR"];
        for (name, _) in std::env::vars().filter(|(name, _)| own.iter().any(|prefix| name.starts_with(prefix))) {
            command.env_remove(name);
        }
        let program = Path::new(env!("CARGO_BIN_EXE_stepwright")).parent().unwrap();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
        command.env("PATH", path).env("COLUMNS", "100").env("HOME", &folder).env("REPO", env!("CARGO_MANIFEST_DIR"));
        command.env("STEPWRIGHT_CONFIG_DIR", folder.join("config")).env("STEPWRIGHT_STATE_DIR", folder.join("state"));
        command.envs(self.recorded.iter().map(|folder| ("RECORDED", folder)));
        command.envs(self.server.iter().map(|server| ("SERVER", &server.url)));
        let output = command.args(["-c", typed]).current_dir(&folder).stdin(Stdio::null()).output().unwrap();
        let text = |bytes: &[u8]| redacted(&String::from_utf8_lossy(bytes), &folder, self.server.as_ref());
        let mut lines: Vec<String> = text(&output.stdout).lines().map(str::to_owned).collect();
        lines.extend(text(&output.stderr).lines().map(|line| format!("! {line}")));
        (lines, output.status.code())
    }
}

/// The text without what depends on time and place.
fn redacted(text: &str, folder: &Path, server: Option<&Server>) -> String {
    let text = text.replace(&folder.display().to_string(), "[DIR]").replace(env!("CARGO_MANIFEST_DIR"), "[REPO]");
    let text = server.map_or(text.clone(), |server| text.replace(&server.url, "[SERVER]"));
    let mut out = String::new();
    for word in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
        let digits = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        let is_digest = digits.len() >= 16
            && digits.contains(|c: char| c.is_alphabetic())
            && digits.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'));
        let is_number = out.ends_with("(os error ");
        out.push_str(&if is_digest {
            word.replace(digits, "[DIGEST]")
        } else if is_number {
            word.replace(digits, "N")
        } else {
            word.to_owned()
        });
    }
    out
}

/// Plays a transcript; the transcript with what was said.
fn played(transcript: &str, recorded: Option<&Path>) -> String {
    let (mut typed, mut answers) = (Vec::<Result<Typed, String>>::new(), Vec::new());
    for line in transcript.lines().skip(1).filter(|line| !line.trim().is_empty()) {
        let last = typed.last_mut().and_then(|last| last.as_mut().ok());
        match (line.split_once(' ').unwrap_or((line, "")), last) {
            (("$", command), _) => typed.push(Ok(Typed { command: command.to_owned(), wanted: Vec::new() })),
            ((">", more), Some(last)) => last.command.push_str(&format!("\n{more}")),
            (("?", text), Some(last)) => last.wanted.push(text.to_owned()),
            ((";", _), _) => typed.push(Err(line.to_owned())),
            (("server:", answer), _) => {
                let (status, body) = answer.split_once(' ').unwrap();
                answers.push((status.parse().unwrap(), body.to_owned()));
            }
            _ => panic!("no such line of a transcript: {line}"),
        }
    }
    let place = Place::new(answers, recorded);
    let mut out = format!("# {}\n", transcript.lines().next().unwrap_or_default());
    for line in typed {
        let Typed { command, wanted } = match line {
            Ok(typed) => typed,
            Err(remark) => {
                out.push_str(&format!("{remark}\n"));
                continue;
            }
        };
        out.push_str(&format!("$ {}\n", command.replace('\n', "\n> ")));
        let (said, code) = place.play(&command);
        let absent = wanted.iter().filter(|text| !said.iter().any(|line| line.contains(*text)));
        let absent: Vec<String> = absent.map(|text| format!("(nowhere: {text})")).collect();
        let is_wanted = |line: &&String| wanted.is_empty() || wanted.iter().any(|text| line.contains(text));
        for line in said.iter().filter(is_wanted).chain(&absent) {
            out.push_str(format!("  {line}").trim_end());
            out.push('\n');
        }
        if code != Some(0) {
            out.push_str(&format!("  [{}]\n", code.unwrap_or(-1)));
        }
    }
    out
}

/// Plays the transcripts of a file.
fn transcripts(name: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/it/commands/{name}.cmd"));
    let text = std::fs::read_to_string(&file).unwrap();
    let (head, text) = text.split_once("# ").unwrap();
    let recorded = head.trim().strip_prefix("needs: ").map(recordings);
    if recorded == Some(None) {
        return;
    }
    let recorded = recorded.flatten();
    let said: Vec<String> = text.split("\n# ").map(|transcript| played(transcript, recorded.as_deref())).collect();
    insta::assert_snapshot!(format!("commands_{name}"), said.join("\n"));
}

macro_rules! transcripts {
    ($($name:ident)*) => { $(#[test] fn $name() { transcripts(stringify!($name)); })* };
}

transcripts! { config duel library methods play preconditions recorded report sessions study }
