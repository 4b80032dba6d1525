//! A configured method in another process from outside: its options as flags and settings, what is refused before the first episode.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const TOY: &str = concat!("python3 ", env!("CARGO_MANIFEST_DIR"), "/adapters/toy_method.py");
const COUNTER: &str = concat!("python3 ", env!("CARGO_MANIFEST_DIR"), "/adapters/counter_adapter.py");

fn stepwright(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepwright"));
    command.env("STEPWRIGHT_CONFIG_DIR", folder.join("config")).env_remove("STEPWRIGHT_MODEL");
    command.args(args).output().unwrap()
}

/// `run` of the counter with the toy method that is configured with these options; what went to the terminal, the results.
fn run(configured: &str, flags: &[&str]) -> (String, Vec<Value>) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("config")).unwrap();
    let config = format!("[methods.toy]\ncommand = \"{TOY}\"\n{configured}");
    std::fs::write(folder.path().join("config/config.toml"), config).unwrap();
    let results = folder.path().join("out.jsonl");
    let base = ["run", "--world", "external", "--command", COUNTER, "--method", "external:toy", "--out"];
    let out = stepwright(folder.path(), &[&base, &[results.to_str().unwrap()][..], flags].concat());
    let lines = std::fs::read_to_string(results).unwrap_or_default();
    let lines = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (String::from_utf8_lossy(&out.stderr).into_owned(), lines)
}

/// Actions of the episode, and the method's part of the experiment.
fn played(configured: &str, flags: &[&str]) -> (u64, Value, String) {
    let (said, lines) = run(configured, flags);
    let [head, _, line] = lines.as_slice() else { panic!("{said}") };
    let experiment = &head["fields"];
    assert_eq!(
        (&experiment["method"], &experiment["method_version"]),
        (&"external:toy".into(), &"1.0".into()),
        "{head}"
    );
    assert!(experiment["commands"]["external:toy"]["digest"].is_string(), "{head}");
    (line["steps"].as_u64().unwrap(), experiment["options"]["toy.order"].clone(), head["experiment"].to_string())
}

#[test]
fn its_options_are_set_by_file_and_flag_and_belong_to_the_experiment() {
    let (steps, order, plain) = played("", &[]);
    assert_eq!((steps, order), (4, "largest".into()));
    let (steps, order, configured) = played("options = { order = 'smallest' }\n", &[]);
    assert_eq!((steps, order), (10, "smallest".into()));
    let (steps, order, flagged) = played("", &["--method-opt", "order=smallest"]);
    assert_eq!((steps, order), (10, "smallest".into()));
    assert_eq!(configured, flagged);
    assert_ne!(plain, flagged);
    // A flag goes before the file.
    let file = "options = { order = 'smallest' }\n";
    assert_eq!(played(file, &["--method-opt", "order=largest"]), (4, "largest".into(), plain));
}

#[test]
fn what_does_not_fit_is_refused_before_the_first_episode() {
    for (configured, flags, wanted) in [
        ("", &["--method-opt", "ordr=smallest"][..], "the method toy has no option `ordr`; did you mean `order`?"),
        ("", &["--method-opt", "order=up"], "order = `up`: it must be largest or smallest"),
        ("", &["--shots", "3"], "external:toy has no option --shots"),
        ("options = { depth = 3 }\n", &[], "the method toy has no option `depth`"),
        ("start_timeout_s = 1\n", &["--set", "methods.toy.command=sleep 30"], "gave no answer in time"),
        ("", &["--set", "methods.toy.command=no-such-program"], "cannot be started"),
        ("", &["--method", "few-shot", "--method-opt", "order=up"], "few-shot has no option --order"),
        ("", &["--method", "external:other"], "[methods.other]"),
    ] {
        let base_first = flags.contains(&"--method");
        let (said, lines) = if base_first { run_with(configured, flags) } else { run(configured, flags) };
        assert!(said.contains(wanted) && lines.is_empty(), "{flags:?}: {said}");
    }
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("out.jsonl");
    let set = format!("methods.toy.command={TOY}");
    let args = ["run", "--world", "table", "--tasks", "first=1", "--method", "external:toy", "--set", &set, "--out"];
    let out = stepwright(folder.path(), &[&args[..], &[results.to_str().unwrap()]].concat());
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(
        said.contains("external:toy cannot work in the world table: it has no list of admissible actions"),
        "{said}"
    );
    assert_eq!(said.trim_end().lines().count(), 1, "{said}");
    assert!(!results.exists() || std::fs::read_to_string(results).unwrap().is_empty());
}

fn run_with(configured: &str, flags: &[&str]) -> (String, Vec<Value>) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("config")).unwrap();
    let config = format!("[methods.toy]\ncommand = \"{TOY}\"\n{configured}");
    std::fs::write(folder.path().join("config/config.toml"), config).unwrap();
    let out = stepwright(
        folder.path(),
        &[&["run", "--world", "external", "--command", COUNTER, "--out", "-"], flags].concat(),
    );
    let lines = String::from_utf8_lossy(&out.stdout).lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
    (String::from_utf8_lossy(&out.stderr).into_owned(), lines)
}

#[test]
fn it_is_listed_with_its_options() {
    let folder = tempfile::tempdir().unwrap();
    let set = format!("methods.toy.command={TOY}");
    let out = stepwright(folder.path(), &["methods", "--set", &set, "--set", "methods.gone.command=no-such-program"]);
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(
        text.contains("external:toy: Offers what is admissible, sorted.\n  worlds: household, dialogue, kitchen"),
        "{text}"
    );
    assert!(
        text.contains("--method-opt order=…  which action comes first (largest or smallest; default largest)"),
        "{text}"
    );
    assert!(text.contains("external:gone: cannot be used: `no-such-program` cannot be started"), "{text}");
}
