//! No input costs more than a small multiple of its size: files that never end, files of faults alone, errors of some megabytes. Each run
//! has a bounded memory, so that what is wrong here fills no machine.

use std::path::Path;
use std::process::{Command, Output};

/// Runs the program with five gigabytes of addresses and a home.
fn run(home: &Path, args: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v 5000000; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_stepwright")]).args(args);
    command.env_clear().env("HOME", home).current_dir(std::env::temp_dir());
    command.output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_that_never_ends_is_an_error_of_every_reader() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        path.display().to_string()
    };
    let step = ["run", "--tasks", "first=1", "--max-steps", "1"];
    let run_with = |more: &[&str]| [&step, more].concat().iter().map(ToString::to_string).collect::<Vec<String>>();
    let mut all = vec![
        vec!["distill".to_owned(), "--out".to_owned(), "o.skills.toml".to_owned(), at("log.txt")],
        vec!["report".to_owned(), at("r.jsonl")],
        vec!["show".to_owned(), at("s.jsonl")],
        vec!["preconditions".to_owned(), "check".to_owned(), "--world".to_owned(), "household".to_owned(), at("a.py")],
        run_with(&["--method", "blocking", "--domain", &at("d.toml")]),
        run_with(&["--set", &format!("data.demonstrations={}", at("demos.jsonl"))]),
        run_with(&["--world", "table", "--method", "statler", "--model", &format!("recorded:{}", at("o.jsonl"))]),
        run_with(&["--method", "few-shot", "--model", &format!("cassette:{}", at("tape.jsonl"))]),
        run_with(&["--method", "o3d", "--skills", &at("k.skills.toml")]),
    ];
    at("c/config.toml");
    at("t/themes/own.toml");
    let folder_of = |name: &str| folder.path().join(name).display().to_string();
    let show = ["config", "show", "--config-dir"].map(str::to_owned);
    all.push([show.as_slice(), &[folder_of("c")]].concat());
    all.push([show.as_slice(), &[folder_of("t"), "--theme".to_owned(), "own".to_owned()]].concat());
    for args in &all {
        let output = run(folder.path(), &args.iter().map(String::as_str).collect::<Vec<_>>());
        let said = said(&output);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{args:?}: {:?} {said}", output.status);
        assert!(!said.contains("memory"), "{args:?}: {said}");
    }
}

#[test]
fn faults_are_told_briefly() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let good = r#"{"id":"a","task":"t","success":true,"steps":[{"action":"look"}]}"#;
    std::fs::write(&path, format!("{good}\n{}", "{}\n".repeat(100_000))).unwrap();
    let out = folder.path().join("o.skills.toml").display().to_string();
    let output = run(folder.path(), &["distill", "--out", &out, path.to_str().unwrap()]);
    let told = said(&output);
    assert!(output.status.success() && told.len() < 10_000, "{} bytes are told", told.len());
    assert!(told.contains("line 100001: the last of 99980 more that cannot be read"), "{told}");
    std::fs::write(&path, format!("\"{}\"", "x".repeat(1_000_000))).unwrap();
    let output = run(folder.path(), &["play", "household", "--list", "--data", path.to_str().unwrap()]);
    let told = said(&output);
    assert!(told.len() < 10_000 && told.contains(" bytes … "), "{} bytes are told", told.len());
    assert!(told.contains("one game definition a line is expected"), "what to do is told: {told}");
    // What is no demonstration is none; it took half a kilobyte a byte.
    let demos = folder.path().join("d.jsonl");
    std::fs::write(&demos, "{}\n").unwrap();
    let setting = format!("data.demonstrations={}", demos.display());
    let output = run(folder.path(), &["run", "--tasks", "first=1", "--max-steps", "1", "--set", &setting]);
    assert!(said(&output).contains("`steps` or `calls` are expected"), "{}", said(&output));
}

#[cfg(unix)]
#[test]
fn a_home_that_is_no_folder_has_no_configuration() {
    let output = run(Path::new("/dev/null"), &["config", "show"]);
    assert!(output.status.success(), "{}", said(&output));
}
