//! Tests of the debug log, reports of crashes, and the script that serves a local model: what they leave behind, and what they do not.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::program::program;
use crate::support::server::*;

fn logs(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|e| std::fs::read_to_string(e.path()).unwrap()).collect()
}

fn probe(folder: &Path, server: &Server, variables: &[(&str, &str)]) -> Output {
    let mut command = program(folder);
    command.args(["models", "probe", "m", "--base-url", &server.url]).env("OPENAI_API_KEY", "sk-secret");
    command.envs(variables.iter().copied()).output().unwrap()
}

#[test]
fn the_log_is_off_unless_asked_for_and_holds_no_key_and_no_prompt() {
    let server = Server::answering(|_| good("three"));
    for (variables, files, prompts) in [
        (&[][..], 0, false),
        (&[("STEPWRIGHT_LOG", "debug")][..], 1, false),
        (&[("STEPWRIGHT_LOG", "debug"), ("STEPWRIGHT_LOG_PROMPTS", "true")][..], 1, true),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let ended = probe(folder.path(), &server, variables);
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        let written = logs(&folder.path().join("state/logs"));
        assert_eq!(written.len(), files, "{variables:?}");
        for text in written {
            assert!(text.contains("status=200") && text.contains(&server.url), "{text}");
            assert!(!text.contains("sk-secret"), "{text}");
            assert_eq!(text.contains("Count: one, two"), prompts, "{text}");
        }
    }
}

/// Crashes on demand; the test below runs it in a separate process.
#[test]
#[ignore = "crashes on purpose; the test beside it runs it"]
fn a_crash() {
    let folder = std::env::var("CRASHES").expect("a folder for the report");
    stepwright::debug_log::report_crashes(Path::new(&folder));
    let crashing = std::thread::Builder::new().name("worker".into()).spawn(|| panic!("the cup is gone"));
    assert!(crashing.unwrap().join().is_err());
}

#[test]
fn a_report_of_a_crash_says_what_and_where() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "debug_log::a_crash", "--ignored", "--nocapture"]).env("CRASHES", folder.path());
    let ended = command.output().unwrap();
    let [report] = logs(folder.path()).try_into().expect("one report");
    for part in ["the cup is gone", "tests/it/debug_log.rs:", "thread worker", env!("CARGO_PKG_VERSION")] {
        assert!(report.contains(part), "{part} is not in {report}");
    }
    assert!(String::from_utf8_lossy(&ended.stderr).contains("a report of this is in"));
}

#[test]
fn the_script_serves_a_model_where_no_stepwright_is_installed() {
    let folder = tempfile::tempdir().unwrap();
    let program = |path: &Path, text: &str| {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/local-model");
    let text = std::fs::read_to_string(&script).unwrap();
    let server = text.lines().find_map(|l| l.strip_prefix("server=")).unwrap();
    let environment = folder.path().join("stepwright/server");
    // What it would set up is there already; Cargo is asked for the weights in place of an installed program.
    program(&environment.join("bin/python"), "shift 2; echo \"served $*\"");
    std::fs::write(environment.join("installed"), format!("{server}\n")).unwrap();
    program(&folder.path().join("bin/cargo"), "echo /weights/of/$7.gguf");
    program(&folder.path().join("bin/python3"), "exit 1");
    // Where there is neither, that is said before anything is fetched.
    let alone = folder.path().join("alone");
    program(&alone.join("python3"), "exit 1");
    program(&alone.join("dirname"), "exec /usr/bin/dirname \"$@\"");
    let mut command = Command::new("/bin/bash");
    command.arg(&script).env_remove("STEPWRIGHT").env("PATH", &alone).env("XDG_CACHE_HOME", folder.path().join("none"));
    let ended = command.output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.code() == Some(2) && said.contains("name the program in STEPWRIGHT"), "{said}");
    assert!(!folder.path().join("none").exists());
    let path = format!("{}:/usr/bin:/bin", folder.path().join("bin").display());
    let mut command = Command::new("bash");
    command.arg(&script).args(["smollm2", "--port", "8123"]).env_remove("STEPWRIGHT");
    let ended = command.env("PATH", path).env("XDG_CACHE_HOME", folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert_eq!(
        said.trim(),
        "served /weights/of/smollm2.gguf smollm2 8123 1 1",
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
}
