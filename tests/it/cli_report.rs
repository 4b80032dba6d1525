//! Headless runs from outside: results and their experiments, shards, limits, and `stepwright report`.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The program with its own configuration, outside any scheduler.
fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepwright"));
    command.env("STEPWRIGHT_CONFIG_DIR", folder.join("config")).env_remove("STEPWRIGHT_MODEL");
    for variable in ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "STEPWRIGHT_SHARDS"] {
        command.env_remove(variable);
    }
    command
}

fn stepwright(folder: &Path, args: &[&str]) -> Output {
    program(folder).args(args).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The fields that are the same whenever a unit is carried out: all but the time it took.
fn figures(lines: &[Value]) -> Vec<Value> {
    let mut own: Vec<Value> = lines.iter().filter(|line| line["stepwright"].is_null()).cloned().collect();
    own.iter_mut().for_each(|line| line["seconds"] = Value::Null);
    own.sort_by_key(|line| line["unit"].as_str().unwrap().to_owned());
    own
}

/// Three household tasks, twice each.
const RUN: [&str; 5] = ["run", "--tasks", "type=light,first=3", "--seeds", "0..1"];

#[test]
fn two_shards_on_two_processes_are_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::create_dir(path("shards")).unwrap();
    let (shards, alone) = (path("shards"), path("alone.jsonl"));
    // At the same time, the one by its flag and the other from a Slurm array's variables.
    let one =
        program(folder.path()).args(RUN).args(["--out", &shards, "--shard", "1/2"]).stdout(Stdio::piped()).spawn();
    let mut other = program(folder.path());
    let slurm = [("ID", "1"), ("MIN", "0"), ("COUNT", "2"), ("STEP", "1")];
    other.envs(slurm.map(|(name, value)| (format!("SLURM_ARRAY_TASK_{name}"), value)));
    let other = other.args(RUN).args(["--out", &shards]).output().unwrap();
    let one = one.unwrap().wait_with_output().unwrap();
    assert!(err(&other).contains("shard 2 of 2, from $SLURM_ARRAY_TASK_ID"), "{}", err(&other));
    assert_eq!((one.status.code(), other.status.code()), (Some(0), Some(0)), "{}", err(&other));
    let whole = stepwright(folder.path(), &[&RUN[..], &["--out", &alone]].concat());
    assert_eq!(whole.status.code(), Some(0), "{}", err(&whole));
    // The units are divided, the experiment is one, the lines are the same but for the time.
    let read = |file: &str| lines(&std::fs::read_to_string(file).unwrap());
    let parts = [1, 2].map(|n| read(&path(&format!("shards/shard-{n}-of-2.jsonl"))));
    assert!(parts.iter().all(|part| part.len() > 2), "each took some of the six");
    assert_eq!(figures(&parts.concat()), figures(&read(&alone)));
    let report = stepwright(folder.path(), &["report", &shards, "--require-complete"]);
    assert_eq!(report.status.code(), Some(0), "{}{}", out(&report), err(&report));
    let row = |text: &str, begins: &str| -> Vec<String> {
        let line = text.lines().find(|line| line.starts_with(begins)).unwrap_or_else(|| panic!("{text}"));
        line.split_whitespace().take(12).map(str::to_owned).collect()
    };
    // The time is behind the twelfth column.
    assert_eq!(row(&out(&report), "all"), row(&out(&whole), "all"));
    assert_eq!(row(&out(&report), "all")[1], "6");

    // With everything twice nothing changes; with one shard alone what is missing is named.
    let twice = stepwright(
        folder.path(),
        &[
            "report",
            &shards,
            &alone,
            "--export",
            &path("r.csv"),
            "--export",
            &path("r.json"),
            "--export",
            &path("r.svg"),
        ],
    );
    assert!(out(&twice).contains("6 of 6 units, 3 files, 6 doubles left out\n"), "{}", out(&twice));
    // Results that contradict each other are said.
    let known = std::fs::read_to_string(&alone).unwrap();
    std::fs::write(path("other.jsonl"), known.replacen("\"steps\":", "\"steps\":1", 1)).unwrap();
    let other = stepwright(folder.path(), &["report", &alone, &path("other.jsonl")]);
    assert!(out(&other).contains("6 doubles left out (OF THEM 1 result UNLIKE"), "{}", out(&other));
    assert_eq!(row(&out(&twice), "all"), row(&out(&whole), "all"));
    let csv = std::fs::read_to_string(path("r.csv")).unwrap();
    assert!(csv.starts_with("experiment,table,row,column,value\n") && csv.contains(",all,episodes,6\n"), "{csv}");
    let json: Value = serde_json::from_str(&std::fs::read_to_string(path("r.json")).unwrap()).unwrap();
    assert_eq!((&json[0]["units"]["planned"], &json[0]["units"]["doubles"]), (&6.into(), &6.into()));
    assert_eq!(json[0]["depends_on"]["limits"]["max_steps"], 50);
    assert!(std::fs::read_to_string(path("r.svg")).unwrap().contains("<circle"));
    let half = stepwright(folder.path(), &["report", &path("shards/shard-1-of-2.jsonl"), "--require-complete"]);
    assert_eq!(half.status.code(), Some(1));
    assert!(
        out(&half).contains("without a result:\n  shipped/light-") && out(&half).contains("seed "),
        "{}",
        out(&half)
    );
}

#[test]
fn results_of_another_experiment_are_not_taken_for_done() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.jsonl").display().to_string();
    let run = |more: &[&str]| {
        let output =
            stepwright(folder.path(), &[&["run", "--tasks", "shipped/light-*,first=1", "--out", &file], more].concat());
        (out(&output), err(&output))
    };
    let won =
        |text: &str| text.lines().find(|l| l.starts_with("all")).unwrap().split_whitespace().nth(3).unwrap().to_owned();
    // What one finds in too few steps is no result of a run with enough of them.
    let (short, _) = run(&["--max-steps", "2"]);
    assert_eq!(won(&short), "0.0", "{short}");
    let (whole, said) = run(&[]);
    assert!(whole.contains("1 of 1 episodes run") && won(&whole) == "100.0", "{whole}");
    assert!(
        said.contains("results of another experiment") && said.contains("limits.max_steps is 50, there 2"),
        "{said}"
    );
    let (again, _) = run(&[]);
    assert!(again.contains("0 of 0 episodes run, 1 had results already"), "{again}");
    // Each of these could change a result.
    for changed in [
        ["--method", "few-shot"],
        ["--preconditions", "none"],
        ["--edition", "move"],
        ["--set", "gate.token_budget=100000"],
    ] {
        let (text, _) = run(&changed);
        assert!(text.contains("1 of 1 episodes run"), "{changed:?}: {text}");
    }
    // A report keeps them apart and says how they differ.
    let report = out(&stepwright(folder.path(), &["report", &file]));
    assert_eq!(report.matches("1 of 1 units").count(), 6, "{report}");
    assert!(report.contains("unlike ") && report.contains("limits.max_steps"), "{report}");
    let hash = report.split_whitespace().nth(1).unwrap().trim_end_matches(':').to_owned();
    let one = out(&stepwright(folder.path(), &["report", &file, "--experiment", &hash[..8]]));
    assert_eq!(one.matches("1 of 1 units").count(), 1, "{one}");
    // What another study or program wrote is left as it is.
    let study = stepwright(
        folder.path(),
        &["study", "blocking", "--tasks", "first=1", "--conditions", "FF-Replan", "--out", &file],
    );
    assert!(study.status.code() == Some(2) && err(&study).contains("holds results of `run`"), "{}", err(&study));
    let notes = folder.path().join("notes.txt");
    std::fs::write(&notes, "my only notes").unwrap();
    let refused = stepwright(folder.path(), &["run", "--tasks", "first=1", "--out", notes.to_str().unwrap()]);
    assert!(refused.status.code() == Some(2) && err(&refused).contains("name another file"), "{}", err(&refused));
    assert_eq!(std::fs::read_to_string(&notes).unwrap(), "my only notes");
}

#[cfg(unix)]
#[test]
fn a_second_writer_is_refused_and_results_can_be_printed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.jsonl");
    let held = std::fs::OpenOptions::new().append(true).create(true).open(&file).unwrap();
    held.lock().unwrap();
    let second = stepwright(folder.path(), &["run", "--tasks", "first=1", "--out", file.to_str().unwrap()]);
    assert_eq!(second.status.code(), Some(2));
    assert!(err(&second).contains("another process is writing it"), "{}", err(&second));
    drop(held);
    for printed in ["-", "/dev/stdout"] {
        let output = stepwright(folder.path(), &["run", "--tasks", "type=light,first=1", "--out", printed]);
        let all = lines(&out(&output));
        assert_eq!((all.len(), figures(&all).len()), (3, 1), "{}", out(&output));
        assert!(
            err(&output).contains("all ") && output.status.code() == Some(0),
            "the table goes elsewhere: {}",
            err(&output)
        );
    }
    let nowhere = stepwright(folder.path(), &["run", "--tasks", "type=light,first=1", "--out", "/dev/null"]);
    assert!(nowhere.status.code() == Some(0) && out(&nowhere).contains("results in /dev/null"), "{}", err(&nowhere));
}

#[test]
fn units_are_listed_and_carried_out_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.jsonl").display().to_string();
    let listed = out(&stepwright(folder.path(), &[&RUN[..], &["--list", "--json"]].concat()));
    let units = lines(&listed);
    assert_eq!(units.len(), 6, "{listed}");
    assert_eq!((&units[1]["seed"], &units[0]["task"]), (&1.into(), &units[1]["task"]));
    let shards = ["1/2", "2/2"].map(|shard| {
        lines(&out(&stepwright(folder.path(), &[&RUN[..], &["--list", "--json", "--shard", shard]].concat())))
    });
    assert_eq!(shards.iter().map(Vec::len).sum::<usize>(), 6);
    let key = units[3]["unit"].as_str().unwrap();
    let one = stepwright(folder.path(), &[&RUN[..], &["--out", &file, "--unit", key]].concat());
    assert!(out(&one).contains("1 of 1 episodes run"), "{}{}", out(&one), err(&one));
    let done = figures(&lines(&std::fs::read_to_string(&file).unwrap()));
    assert_eq!((done.len(), &done[0]["unit"], &done[0]["seed"]), (1, &units[3]["unit"], &1.into()));
    let unknown = stepwright(folder.path(), &[&RUN[..], &["--out", &file, "--unit", "ffff"]].concat());
    assert!(unknown.status.code() == Some(2) && err(&unknown).contains("--list names them"), "{}", err(&unknown));
    let people = out(&stepwright(folder.path(), &[&RUN[..], &["--list"]].concat()));
    assert!(people.lines().all(|line| line.contains("  shipped/light-") && line.contains("seed ")), "{people}");
    // In an indexed job of unknown size each pod would do everything.
    let mut pod = program(folder.path());
    let pod = pod.env("JOB_COMPLETION_INDEX", "0").args(RUN).arg("--list").output().unwrap();
    assert!(pod.status.code() == Some(2) && err(&pod).contains("STEPWRIGHT_SHARDS"), "{}", err(&pod));
}

#[test]
fn limits_end_a_run_and_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.jsonl").display().to_string();
    let run = |more: &[&str]| {
        let output = stepwright(folder.path(), &[&["run", "--tasks", "all", "--out", &file], more].concat());
        (output.status.code(), out(&output), err(&output))
    };
    let (code, text, said) = run(&["--time-limit", "0.05s"]);
    assert!(code == Some(1) && text.contains("stopped early: the time limit of 0.05 s is reached"), "{text}{said}");
    let (code, _, said) = run(&["--cost-limit", "1", "--model", "some-model"]);
    assert!(code == Some(2) && said.contains("price_in"), "{said}");
    let (code, _, said) = run(&["--time-limit", "soon"]);
    assert!(code == Some(2) && said.contains("90s, 30m or 4h"), "{said}");
    // Why an episode was refused is said below the table.
    let nobody = ["--model", "nobody", "--base-url", "http://127.0.0.1:9/v1", "--set", "model.retries=0"];
    let args = [&["run", "--tasks", "type=light,first=1", "--out", &file][..], &nobody].concat();
    let refused = stepwright(folder.path(), &args);
    assert_eq!(refused.status.code(), Some(1), "{}", err(&refused));
    assert!(out(&refused).contains("shipped/light-") && out(&refused).contains("127.0.0.1:9"), "{}", out(&refused));
}

#[test]
fn a_limit_is_of_what_one_run_spends_and_the_next_goes_on() {
    use crate::support::server::{Server, json};
    let server = Server::answering(|_| {
        let body = r#"{"choices":[{"index":0,"message":{"content":"agent.goto('fridge 1')"},"finish_reason":"stop"}],
            "usage":{"prompt_tokens":1000,"completion_tokens":100}}"#;
        vec![json(200, body)]
    });
    let folder = tempfile::tempdir().unwrap();
    let run = |file: &str, more: &[&str]| {
        let file = folder.path().join(file).display().to_string();
        let args =
            ["run", "--tasks", "first=3", "--max-steps", "2", "--method", "few-shot", "--model", "m", "--out", &file];
        let model = ["--base-url", &server.url, "--set", "model.stream=false", "--set", "model.retries=0"];
        let output = stepwright(folder.path(), &[&args[..], &model, more].concat());
        (output.status.code(), out(&output), err(&output))
    };
    // An episode of two steps takes 2200 tokens.
    let (code, text, said) = run("tokens.jsonl", &["--token-limit", "3000"]);
    assert!(
        code == Some(1)
            && text.contains("2 of 3 episodes run, stopped early: the limit of 3000 tokens is reached (4400"),
        "{text}{said}"
    );
    let (code, text, said) = run("tokens.jsonl", &["--token-limit", "3000"]);
    assert!(
        code == Some(0) && text.contains("1 of 1 episodes run, 2 had results already; 2200 tokens"),
        "{text}{said}"
    );
    let prices = ["--set", "model.price_in=100", "--set", "model.price_out=1000"];
    let (code, text, said) = run("cost.jsonl", &[&prices[..], &["--cost-limit", "0.1"]].concat());
    assert!(
        code == Some(1)
            && text.contains("1 of 3 episodes run, stopped early: the cost limit of 0.1 is reached (0.4000"),
        "{text}{said}"
    );
    // A server that counts nothing cannot be held to a limit, which is said.
    let silent = Server::answering(|_| {
        let body = r#"{"choices":[{"index":0,"message":{"content":"agent.goto('fridge 1')"},"finish_reason":"stop"}]}"#;
        vec![json(200, body)]
    });
    let uncounted = ["--base-url", silent.url.as_str(), "--token-limit", "3000"];
    let args = ["run", "--tasks", "first=1", "--max-steps", "1", "--method", "few-shot", "--model", "m"];
    let said = err(&stepwright(folder.path(), &[&args[..], &uncounted].concat()));
    assert!(said.contains("m reported no tokens for 1 of 1 unit: no limit"), "{said}");
    // What no run reaches would be no limit.
    for wrong in [&["--cost-limit", "nan"], &["--cost-limit", "inf"], &["--cost-limit", "0"], &["--token-limit", "0"]] {
        let (code, _, said) = run("none.jsonl", &[&prices[..], wrong].concat());
        assert!(code == Some(2) && said.contains("invalid value"), "{wrong:?}: {said}");
    }
}

#[test]
fn a_closed_pipe_costs_no_saved_file() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("saved");
    let mut child = program(folder.path())
        .args(["study", "preconditions", "--services", "Museums_1", "--save", saved.to_str().unwrap()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Nobody reads a word.
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut text = String::new();
    std::fs::File::open(saved.join("Museums_1.preconditions.py")).unwrap().read_to_string(&mut text).unwrap();
    assert!(text.contains("\n# world: dialogue\n# task: ") && text.contains("assert "), "{text}");
}

#[test]
fn candidates_with_verdicts_and_clusters_are_data() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["preconditions", "candidates", "--world", "household", "--action", "open", "--json"];
    let pools: Value = serde_json::from_str(&out(&stepwright(folder.path(), &args))).unwrap();
    let open = &pools["actions"][0];
    let candidates = open["candidates"].as_array().unwrap();
    assert!(candidates.iter().any(|c| c["optimal"] == true && c["cluster"].is_u64()), "{open}");
    let adopted = open["adopted"].as_array().unwrap();
    assert!(!adopted.is_empty() && adopted.iter().all(|text| candidates.iter().any(|c| c["text"] == *text)), "{open}");
    assert!(!open["true"].as_array().unwrap().is_empty() && pools["demonstrations"].as_array().unwrap().len() == 12);
    let people = out(&stepwright(folder.path(), &args[..args.len() - 1]));
    assert!(people.contains(" candidates, ") && people.contains("  assert "), "{people}");
}
