//! Text that leaves the program: nothing that acts on a terminal or deceives a reader, whichever file it was planted in; a closed pipe
//! ends quietly. Tests are named after the defects in `docs/explanation/reliability.md`.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::support::program::program;
use serde_json::json;

/// An escape sequence that writes the clipboard, one that sets the title, a C1 control, and an override of the reading direction.
const PLANTED: &str = "\u{1b}]52;c;ZXZpbA==\u{7}\u{1b}]0;evil\u{7}\u{9b}2J\u{202e}txt";

const SOLVED: &str = include_str!("../../sessions/solved.jsonl");

/// The session without its sums, as earlier versions wrote it: what is changed in it is read then.
fn unsummed() -> String {
    let line =
        |line: &str| line.rsplit_once(",\"sum\":").map_or(line.to_owned(), |(rest, _)| format!("{rest}}}")) + "\n";
    SOLVED.lines().map(line).collect()
}

fn stepwright(folder: &Path, args: &[&str]) -> Command {
    let mut command = program(folder);
    command.env("HOME", folder).current_dir(folder).args(args).stdin(Stdio::null());
    command
}

/// The characters in a stream that would act on a terminal: controls other than line breaks and tabs, and those that
/// reorder or hide text.
fn hazards(bytes: &[u8]) -> Vec<char> {
    let text = String::from_utf8_lossy(bytes);
    let bad = |c: &char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}')
    };
    text.chars().filter(bad).collect()
}

fn is_clean(what: &str, output: &Output) {
    for (stream, bytes) in [("standard output", &output.stdout), ("standard error", &output.stderr)] {
        assert_eq!(hazards(bytes), [' '; 0], "{what}, {stream}: {}", String::from_utf8_lossy(bytes).escape_debug());
    }
}

fn plant(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn d8_nothing_planted_in_a_file_reaches_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let escaped = json!(PLANTED).to_string();
    let solved = unsummed();
    let head = solved.lines().next().unwrap();
    let event =
        plant(folder, "event.jsonl", &format!("{head}\n{{\"id\":1,\"ts\":1,\"node\":0,\"event\":{escaped}}}\n"));
    let field = plant(folder, "field.jsonl", &solved.replace("\"ts\":", &format!("{escaped}:1,\"ts\":")));
    let mut header: serde_json::Value = serde_json::from_str(head).unwrap();
    for name in ["sentence", "task", "world", "method", "model"] {
        header[name] = json!(format!("{}{PLANTED}", header[name].as_str().unwrap()));
    }
    let sentence = plant(folder, "sentence.jsonl", &solved.replacen(head, &header.to_string(), 1));
    plant(folder, "state/sessions/listed.jsonl", &solved.replacen(head, &header.to_string(), 1));
    let named = plant(folder, &format!("named{}.jsonl", PLANTED.replace('/', "")), "no session");
    let assertions = plant(folder, "p.preconditions.py", &format!("def {PLANTED}(self):\n    assert '{PLANTED}'\n"));
    let results = plant(folder, "results.jsonl", &format!("{{\"stepwright\":{escaped}}}\n"));
    let cassette =
        plant(folder, "cassette.jsonl", &format!("{{\"format\":{escaped},\"version\":1,\"model\":\"m\"}}\n"));
    let domain = plant(folder, "x.domain.toml", &format!("{escaped} = 1\n"));
    let tasks =
        plant(folder, "tasks.jsonl", &format!("{{\"id\":{escaped},\"type\":{escaped},\"sentence\":{escaped}}}\n"));
    let scenes = plant(folder, "scenes.json", &format!("{{\"tasks\":[{{\"name\":{escaped}}}]}}\n"));
    let skills = plant(folder, "skills.md", &format!("# {PLANTED}\n"));
    let log = plant(folder, "log.txt", &format!("{PLANTED}\n"));
    let adapter =
        plant(folder, "adapter.sh", &format!("printf '%s\\n' '{PLANTED}' '{PLANTED}' >&2; echo '{PLANTED}'; exit 3\n"));
    let adapter = format!("sh {adapter}");
    let recorded = format!("recorded:{cassette}");
    let odd = format!("--task={PLANTED}");
    let runs: Vec<Vec<&str>> = vec![
        vec!["show", &event],
        vec!["show", &field],
        vec!["show", &sentence],
        vec!["show", &named],
        vec!["show", PLANTED],
        vec!["sessions"],
        vec!["sessions", "--json"],
        vec!["compare", &sentence, &event],
        vec!["export", "--html", "/nowhere/x.html", &sentence],
        vec!["preconditions", "check", &assertions],
        vec!["preconditions", "compare", &assertions, &assertions],
        vec!["report", &results],
        vec!["run", "--tasks", "first=1", "--out", &results],
        vec!["run", "--tasks", "first=1", "--model", &recorded],
        vec!["run", "--world", "kitchen", "--domain", &domain],
        vec!["--data", &tasks, "play", "household", "--list"],
        vec!["play", "household", "--data", &tasks, "--list"],
        vec!["play", "kitchen", "--data", &scenes, "--list"],
        vec!["play", "household", &odd],
        vec!["play", "external", "--command", &adapter],
        vec!["play", PLANTED],
        vec![PLANTED],
        vec!["distill", &log, "--out", "x.md", "--known", &skills],
        vec!["models", "probe", PLANTED],
        vec!["new-task", PLANTED],
        vec!["pddl", "kitchen", &odd],
    ];
    for args in &runs {
        is_clean(&format!("{args:?}"), &stepwright(folder, args).output().unwrap());
    }
    let listed = stepwright(folder, &["sessions"]).output().unwrap();
    assert!(String::from_utf8_lossy(&listed.stdout).contains("\\x1b]52"), "what was planted is shown, spelled out");
    let data = stepwright(folder, &["sessions", "--json"]).output().unwrap();
    let row: serde_json::Value = serde_json::from_slice(data.stdout.split(|b| *b == b'\n').next().unwrap()).unwrap();
    assert!(row["sentence"].as_str().unwrap().ends_with(PLANTED), "data mean what they meant");
    // Every setting, key and theme is quoted in what is wrong with it.
    for (name, text) in [
        ("config/config.toml", format!("{escaped} = 1\n")),
        ("config/config.toml", format!("[model]\n{escaped} = {escaped}\n")),
        ("config/config.toml", format!("[keys]\napprove = {escaped}\n")),
        ("config/config.toml", format!("[models.{escaped}]\nmodel = {escaped}\nbase_url = {escaped}\n")),
        ("config/themes/x.toml", format!("[{escaped}]\n{escaped} = {escaped}\n")),
    ] {
        plant(folder, name, &text);
        for args in [&["config", "show"][..], &["models", "list"], &["--theme", "x", "config", "show"], &["methods"]] {
            is_clean(&format!("{text:?} {args:?}"), &stepwright(folder, args).output().unwrap());
        }
        std::fs::remove_file(folder.join(name)).unwrap();
    }
}

#[test]
fn a_closed_pipe_ends_every_printing_command_quietly() {
    let folder = tempfile::tempdir().unwrap();
    let session = plant(folder.path(), "s.jsonl", SOLVED);
    let runs: [&[&str]; 9] = [
        &["run", "--tasks", "first=1", "--model", "symbolic", "--out", "-"],
        &["show", &session],
        &["export", "--jsonl", "-", &session],
        &["play", "household", "--list"],
        &["play", "household", "--jsonl"],
        &["methods"],
        &["config", "show"],
        &["completions", "bash"],
        &["man"],
    ];
    for args in runs {
        // The reading end is closed before a byte is read, and after the first byte.
        for bytes in [0, 1] {
            let mut child =
                stepwright(folder.path(), args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            let mut out = child.stdout.take().unwrap();
            out.read_exact(&mut vec![0; bytes]).unwrap();
            drop(out);
            let ended = child.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&ended.stderr);
            assert!(!said.contains("roken pipe") && !said.contains("panicked"), "{args:?}: {said}");
            assert!(matches!(ended.status.code(), Some(0)), "{args:?}: {:?} {said}", ended.status);
        }
    }
}

#[cfg(unix)]
#[test]
fn d13_the_list_of_sessions_waits_for_no_pipe_and_reads_no_device() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = folder.path().join("state/sessions");
    plant(folder.path(), "state/sessions/real.jsonl", SOLVED);
    assert!(Command::new("mkfifo").arg(sessions.join("pipe.jsonl")).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", sessions.join("zero.jsonl")).unwrap();
    plant(folder.path(), "state/sessions/long.jsonl", &"x".repeat(3 << 20));
    let listed = stepwright(folder.path(), &["sessions"]).output().unwrap();
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(text.contains("real.jsonl") && !text.contains("pipe.jsonl") && !text.contains("zero.jsonl"), "{text}");
}
