//! `stepwright config` and `stepwright models` as a person types them.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::server::*;

fn stepwright(dir: &Path, args: &[&str], env: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepwright"));
    for (name, _) in std::env::vars() {
        if name.starts_with("STEPWRIGHT_") || name.starts_with("OPENAI_") || name == "NO_COLOR" {
            command.env_remove(name);
        }
    }
    command.env("STEPWRIGHT_CONFIG_DIR", dir).env("STEPWRIGHT_STATE_DIR", dir.join("state"));
    command.envs(env.iter().copied()).args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn a_file_is_made_once_and_shown_with_sources() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("new");
    let run = |args: &[&str]| stepwright(&config, args, &[("OPENAI_API_KEY", "sk-secret")]);
    assert_eq!(text(&run(&["config", "path"]).stdout).trim(), config.join("config.toml").display().to_string());
    assert!(run(&["config", "init"]).status.success());
    let again = run(&["config", "init"]);
    assert!(!again.status.success() && text(&again.stderr).contains("left as it is"));
    let shown = run(&["config", "show", "--model", "gpt-x", "--set", "model.retries=0"]);
    let out = text(&shown.stdout);
    assert!(shown.status.success(), "{}", text(&shown.stderr));
    assert!(out.contains("model = \"gpt-x\"") && out.contains("# --model") && out.contains("retries = 0"), "{out}");
    assert!(out.contains("# key: present") && !out.contains("sk-secret"), "{out}");
}

#[test]
fn a_blocking_domain_is_a_file_or_derived() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out.jsonl").display().to_string();
    let run = |domain: &str| {
        let args = ["run", "--method", "blocking", "--tasks", "shipped/place-box-1", "--out", &out, "--domain", domain];
        stepwright(dir.path(), &args, &[])
    };
    let derived = run("derived");
    assert!(derived.status.success(), "{}", text(&derived.stderr));
    let results = std::fs::read_to_string(&out).unwrap();
    let episode: serde_json::Value = serde_json::from_str(results.lines().last().unwrap()).unwrap();
    assert_eq!(episode["won"], true, "{episode}");
    std::fs::remove_file(&out).unwrap();
    let wrong = run("derivd");
    assert_eq!(wrong.status.code(), Some(2));
    let said = text(&wrong.stderr);
    assert!(said.contains("derivd: cannot be read") && said.contains("or `derived`"), "{said}");
    // In the configuration's file a path starts where the file is; the word is no path.
    for (value, shown) in
        [("derived", "derived".to_owned()), ("mine.toml", dir.path().join("mine.toml").display().to_string())]
    {
        std::fs::write(dir.path().join("config.toml"), format!("[method]\ndomain = \"{value}\"\n")).unwrap();
        let out = text(&stepwright(dir.path(), &["config", "show"], &[]).stdout);
        assert!(out.contains(&format!("domain = \"{shown}\"")), "{out}");
    }
}

#[test]
fn a_name_that_is_nearly_right_is_answered_with_the_right_one() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out.jsonl").display().to_string();
    for (args, said) in [
        (
            vec!["run", "--out", &out, "--method", "blockng"],
            "there is no method `blockng`; did you mean `blocking`? there are ",
        ),
        (vec!["config", "show", "--theme", "drak"], "no theme `drak`; did you mean `dark`? there are "),
        (vec!["config", "show", "--set", "retries=0"], "there is no setting retries; did you mean model.retries?"),
        (vec!["config", "show", "--set", "mode.retries=0"], "did you mean model.retries?"),
        (
            vec!["run", "--out", &out, "--tasks", "type=het"],
            "no task fits `type=het`; types are look_at_obj_in_light, ",
        ),
        (vec!["play", "kitchen", "--task", "galley/cofee"], "nearest: galley/coffee, "),
        (vec!["distill", "log", "--out", "none/x.skills.toml"], "there is no folder none; make it first"),
    ] {
        let output = stepwright(dir.path(), &args, &[]);
        let error = text(&output.stderr);
        assert!(output.status.code() == Some(2) && error.contains(said), "{args:?}: {error}");
    }
    let printed = stepwright(dir.path(), &["new-task", "household", "--type", "heat", "--out", "-"], &[]);
    assert!(text(&printed.stdout).starts_with('{') && !Path::new("-").exists(), "{}", text(&printed.stderr));
}

#[test]
fn a_wrong_file_is_refused_with_its_line() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("config.toml"), "[ui]\nthem = 'dark'\n").unwrap();
    for args in [["config", "show"], ["models", "list"]] {
        let output = stepwright(dir.path(), &args, &[]);
        assert_eq!(output.status.code(), Some(2));
        let error = text(&output.stderr);
        assert!(error.contains("config.toml, line 2: unknown key `them` in [ui]; did you mean `theme`?"), "{error}");
    }
    assert!(stepwright(dir.path(), &["config", "path"], &[]).status.success(), "where it is can still be asked");
}

#[test]
fn models_are_listed_and_probed() {
    let server = Server::start(vec![
        vec![json(200, "{\"data\":[{\"id\":\"small\"}]}")],
        good("a"),
        good("b"),
        good("c"),
        vec![json(404, "nothing here")],
    ]);
    let dir = tempfile::tempdir().unwrap();
    let file = format!("[models.local]\nbase_url = '{}'\nmodel = 'small'\napi_key_env = 'LOCAL_KEY'\n", server.url);
    std::fs::write(dir.path().join("config.toml"), file).unwrap();
    let out = text(&stepwright(dir.path(), &["models", "list"], &[("LOCAL_KEY", "sk-secret")]).stdout);
    assert!(out.contains("* symbolic"), "{out}");
    assert!(out.contains(&format!("local  small at {}, key present ($LOCAL_KEY)", server.url)), "{out}");
    assert!(out.contains("key absent ($OPENAI_API_KEY is not set)") && !out.contains("sk-secret"), "{out}");
    let probed = stepwright(dir.path(), &["models", "probe", "local"], &[("LOCAL_KEY", "sk-secret")]);
    let out = text(&probed.stdout);
    assert!(probed.status.success(), "{out}{}", text(&probed.stderr));
    for line in [
        "chat completions   yes",
        "raw completions    no: ",
        "log-probabilities  no: they are ignored",
        "models there       small",
    ] {
        assert!(out.contains(line), "{line} is not in {out}");
    }
    let nothing = stepwright(dir.path(), &["models", "probe"], &[]);
    assert!(!nothing.status.success() && text(&nothing.stdout).contains("nothing to probe"));
}

#[test]
fn keys_and_themes_are_looked_up_when_the_settings_are_shown() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("config.toml");
    std::fs::write(&file, "[keys]\napprove = \"e\"\n").unwrap();
    let shown = stepwright(dir.path(), &["config", "show"], &[]);
    let error = text(&shown.stderr);
    assert!(shown.status.success() && error.contains("e is `approve` now; `edit` has no key left"), "{error}");
    std::fs::write(&file, "[keys]\naprove = \"e\"\n").unwrap();
    let refused = stepwright(dir.path(), &["config", "show"], &[]);
    let error = text(&refused.stderr);
    assert!(
        !refused.status.success() && error.contains("config.toml:2: no action `aprove`; nearest: approve"),
        "{error}"
    );
    std::fs::write(&file, "[ui]\ntheme = \"purple\"\n").unwrap();
    assert!(!stepwright(dir.path(), &["config", "show"], &[]).status.success());
}

#[test]
fn what_is_secret_in_addresses_and_commands_is_not_shown() {
    let dir = tempfile::tempdir().unwrap();
    let file = "[model]\nbase_url = 'https://u:PASSWORD@h/v1?api-key=QUERY'\n[data]\nmodel_hub = 'https://me:PASSWORD@h/hub'\n\
        [external.a]\ncommand = ['python3', 'a.py', '--api-key', 'ARGUMENT', '--seed', '3']\nenv = ['MY_TOKEN=VARIABLE', 'MODE=fast']\n";
    std::fs::write(dir.path().join("config.toml"), file).unwrap();
    let out = text(&stepwright(dir.path(), &["config", "show"], &[]).stdout);
    for secret in ["PASSWORD", "QUERY", "ARGUMENT", "VARIABLE"] {
        assert!(!out.contains(secret), "{secret} in {out}");
    }
    assert!(out.contains("--seed") && out.contains("MODE=fast") && out.contains("https://"), "{out}");
}
