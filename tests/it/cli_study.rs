//! `stepwright study` from outside, on the data that ships: figures, resuming, errors and exit codes.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use stepwright::episode::{Session, log};

/// Runs a study with its own configuration, and nothing of the person's.
fn study(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepwright"));
    command.arg("study").args(args).env("STEPWRIGHT_CONFIG_DIR", folder.join("config")).env_remove("STEPWRIGHT_MODEL");
    command.output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The lines of units, without the experiments and plans.
fn results(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    let lines = text.lines().map(|l| serde_json::from_str::<Value>(l).unwrap());
    lines.filter(|line| line["stepwright"].is_null()).collect()
}

fn row(text: &str, begins: &str) -> Vec<String> {
    let line = text.lines().find(|l| l.starts_with(begins)).unwrap_or_else(|| panic!("no row {begins} in\n{text}"));
    line.split_whitespace().map(str::to_owned).collect()
}

fn three(x: f64) -> String {
    format!("{x:.3}")
}

#[test]
fn preconditions_of_shipped_services_are_scored_and_a_study_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("results.jsonl");
    let path = file.display().to_string();
    let args = ["preconditions", "--services", "Museums_1", "--jobs", "2", "--out", &path];
    let first = study(folder.path(), &args);
    assert_eq!(first.status.code(), Some(0), "{}", err(&first));
    let lines = results(&file);
    let n = lines.len();
    assert!(n >= 10);
    // The table's figures are those of the file.
    let mean = |key: &str| lines.iter().map(|l| l["agreement"][key].as_f64().unwrap()).sum::<f64>() / n as f64;
    let (precision, recall) = (mean("precision"), mean("recall"));
    let f1 = 2.0 * precision * recall / (precision + recall);
    let sum = |key: &str| lines.iter().map(|l| l[key].as_u64().unwrap()).sum::<u64>() as f64;
    let text = out(&first);
    let cells = row(&text, "Museums_1");
    let figures = [1, 2, 3, 4, 6, 8, 9].map(|at| cells[at].clone());
    assert_eq!(
        figures,
        [
            n.to_string(),
            three(precision),
            three(recall),
            three(f1),
            three(mean("f1")),
            three(sum("held") / sum("calls")),
            three(sum("satisfied") / sum("instances")),
        ],
        "{text}"
    );
    // The interval holds the figure, and preconditions that permit everything are worse.
    let (low, high) = cells[5].split_once('-').unwrap();
    assert!(low.parse::<f64>().unwrap() <= f1 && f1 <= high.parse::<f64>().unwrap(), "{text}");
    let nothing: Vec<&str> =
        text.lines().find(|l| l.starts_with("asserts nothing")).unwrap().split_whitespace().collect();
    assert!(nothing[4] == "1.000" && nothing[5].parse::<f64>().unwrap() < f1, "{text}");
    // Better than chance: what is inferred says something, and holds at nearly every call it was not inferred from.
    assert!(f1 > 0.75 && sum("held") / sum("calls") > 0.95 && sum("satisfied") < sum("instances"), "{text}");
    assert!(text.contains("no language model") && text.contains(&format!("{n} of {n} actions inferred")), "{text}");

    // Nothing is left to do; the file stays as it is.
    let before = std::fs::read(&file).unwrap();
    let again = study(folder.path(), &args);
    assert!(out(&again).contains(&format!("0 of 0 actions inferred, {n} had results already")), "{}", out(&again));
    assert_eq!(std::fs::read(&file).unwrap(), before);
    // A killed run leaves half a line: that action alone is inferred again, and comes out the same.
    let torn = &before[..before.len() - 40];
    std::fs::write(&file, torn).unwrap();
    let resumed = study(folder.path(), &args);
    assert!(out(&resumed).contains(&format!("1 of 1 actions inferred, {} had results already", n - 1)));
    assert_eq!(row(&out(&resumed), "Museums_1"), row(&text, "Museums_1"));
    // Fewer demonstrations are another study, in the same file.
    let fewer = study(folder.path(), &[&args[..], &["--demos", "3", "--by", "action"]].concat());
    assert!(out(&fewer).contains("from up to 3 demonstrations"), "{}", out(&fewer));
    assert!(out(&fewer).contains("    assert "), "{}", out(&fewer));
    assert!(results(&file).len() > n);
}

#[test]
fn without_known_truth_validity_is_reported_and_a_file_can_hold_the_truth() {
    let folder = tempfile::tempdir().unwrap();
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("worlds/dialogue");
    for kind in ["demos", "test"] {
        let name = format!("Repairs_1.{kind}.jsonl");
        std::fs::copy(shipped.join(&name), folder.path().join(&name)).unwrap();
    }
    let data = folder.path().display().to_string();
    let ended = study(folder.path(), &["preconditions", "--data", &data]);
    assert_eq!(ended.status.code(), Some(0), "{}", err(&ended));
    assert!(out(&ended).contains("Nothing is known to be true of Repairs_1"), "{}", out(&ended));
    let cells = row(&out(&ended), "Repairs_1");
    assert_eq!(cells[2..8], ["-", "-", "-", "-", "-", "-"]);
    assert!(cells[8].parse::<f64>().unwrap() > 0.9);
    let truth = folder.path().join("truth.preconditions.py");
    std::fs::write(&truth, "def GOODBYE(self):\n    assert self.user.no_more\n").unwrap();
    let truth = truth.display().to_string();
    let scored = study(folder.path(), &["preconditions", "--data", &data, "--truth", &truth, "--by", "action"]);
    let text = out(&scored);
    let goodbye = text.lines().map(|l| l.split_whitespace().collect::<Vec<_>>()).find(|l| l.get(1) == Some(&"GOODBYE"));
    assert_eq!(goodbye.unwrap()[2..5], ["1.000", "1.000", "1.000"], "{text}");
    assert!(out(&scored).contains("1 of 11 actions has known preconditions"), "{}", out(&scored));
    // Of a service whose truth is not known, no policy can hold to it.
    let none = study(folder.path(), &["policy", "--data", &data, "--first", "1"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(err(&none).contains("--preconditions inferred"), "{}", err(&none));
    let inferred = study(folder.path(), &["policy", "--data", &data, "--first", "1", "--preconditions", "inferred"]);
    assert_eq!(inferred.status.code(), Some(0), "{}", err(&inferred));
    assert!(out(&inferred).contains("compat counts only services whose true"), "{}", out(&inferred));
}

#[test]
fn dialogues_are_predicted_without_a_language_model_and_a_study_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.jsonl");
    let path = file.display().to_string();
    let args = ["policy", "--tasks", "type=Museums_1", "--shots", "1,10", "--first", "3", "--out", &path];
    let first = study(folder.path(), &args);
    assert_eq!(first.status.code(), Some(0), "{}", err(&first));
    let lines = results(&file);
    assert_eq!(lines.len(), 6);
    let of = |shots: u64| lines.iter().filter(move |l| l["shots"] == shots);
    let sum = |shots: u64, key: &str| of(shots).map(|l| l["counts"][key].as_u64().unwrap()).sum::<u64>() as f64;
    let f1 = |shots| 2.0 * sum(shots, "tp") / (2.0 * sum(shots, "tp") + sum(shots, "fp") + sum(shots, "fn"));
    let text = out(&first);
    for (shots, line) in [1, 10].into_iter().zip(text.lines().filter(|l| l.starts_with("precondition-aware"))) {
        let cells: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(cells[6..8], [shots.to_string(), "3".to_owned()]);
        assert_eq!(cells[9], three(f1(shots)), "{text}");
        // The proposer offers only what the preconditions in force permit, and these are the true ones.
        assert_eq!(cells[13], "1.000", "{text}");
    }
    assert!(f1(10) > f1(1) && f1(10) > 0.6, "{text}");
    // Each turn is in the file with what was recorded.
    let turns = lines[0]["turns"].as_array().unwrap();
    assert!(turns.len() > 2 && turns.iter().all(|t| !t["recorded"].as_array().unwrap().is_empty()));
    let again = study(folder.path(), &args);
    assert!(out(&again).contains("0 of 0 episodes done, 6 had results already"), "{}", out(&again));
    // Preconditions that another study inferred can be put in force.
    let inferred = folder.path().join("inferred.jsonl").display().to_string();
    let saved = folder.path().join("saved");
    let save = saved.display().to_string();
    let infer = ["preconditions", "--services", "Museums_1", "--out", &inferred, "--save", &save];
    assert_eq!(study(folder.path(), &infer).status.code(), Some(0));
    let with = study(folder.path(), &[&args[..], &["--preconditions", &inferred]].concat());
    assert!(out(&with).contains("6 of 6 episodes done"), "{} {}", out(&with), err(&with));
    // And so can the same as a file to read and edit: what it holds counts and not its name, so nothing is left to do.
    let file = saved.join("Museums_1.preconditions.py").display().to_string();
    assert!(std::fs::read_to_string(&file).unwrap().contains("def GOODBYE(self):\n    assert "));
    // It says of which world and service it is, so that it can be checked without a word.
    let mut check = Command::new(env!("CARGO_BIN_EXE_stepwright"));
    check.args(["preconditions", "check", &file, "--json"]).env("STEPWRIGHT_CONFIG_DIR", folder.path().join("config"));
    let checked = check.output().unwrap();
    let verdicts: Value = serde_json::from_slice(&checked.stdout).unwrap();
    assert_eq!(verdicts["actions"][0]["candidates"][0]["fate"]["fate"], "valid", "{} {}", out(&checked), err(&checked));
    let same = study(folder.path(), &[&args[..], &["--preconditions", &file]].concat());
    assert!(out(&same).contains("0 of 0 episodes done, 6 had results already"), "{} {}", out(&same), err(&same));
    // Once it is edited, all is to do.
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(
        &file,
        text.replace("def GOODBYE(self):\n", "def GOODBYE(self):\n    assert self.user is not None\n"),
    )
    .unwrap();
    let edited = study(folder.path(), &[&args[..], &["--preconditions", &file]].concat());
    assert!(out(&edited).contains("6 of 6 episodes done"), "{} {}", out(&edited), err(&edited));
}

#[test]
fn the_household_is_studied_too() {
    let folder = tempfile::tempdir().unwrap();
    let inferred = study(folder.path(), &["preconditions", "--world", "household", "--tests", "6"]);
    assert_eq!(inferred.status.code(), Some(0), "{}", err(&inferred));
    let cells = row(&out(&inferred), "household");
    assert!(cells[1] == "9" && cells[4].parse::<f64>().unwrap() >= 0.92, "{}", out(&inferred));
    let args = ["policy", "--world", "household", "--tasks", "type=light,first=1", "--preconditions", "inferred"];
    let run = study(folder.path(), &args);
    assert_eq!(run.status.code(), Some(0), "{}", err(&run));
    // One task, won; every action permitted by the specification's own assertions.
    let cells = row(&out(&run), "precondition-aware");
    assert_eq!(cells[6..12], ["all", "1", "1", "1.000", "0.207-1.000", "1.000"], "{}", out(&run));
}

#[test]
fn a_model_that_cannot_be_reached_is_said_and_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("results.jsonl").display().to_string();
    let model = ["--model", "nobody", "--base-url", "http://127.0.0.1:9/v1", "--set", "model.retries=0"];
    let args = [&["preconditions", "--services", "Museums_1", "--out", &file][..], &model].concat();
    let failed = study(folder.path(), &args);
    assert_eq!(failed.status.code(), Some(1), "{}", err(&failed));
    assert!(out(&failed).contains("127.0.0.1:9"), "{}", out(&failed));
    let n = results(Path::new(&file)).len();
    let again = study(folder.path(), &args);
    assert!(out(&again).contains(&format!("{n} of {n} actions inferred")), "{}", out(&again));
    let args = [&["policy", "--tasks", "type=Museums_1,first=1"][..], &model].concat();
    let failed = study(folder.path(), &args);
    assert_eq!(failed.status.code(), Some(1), "{}", err(&failed));
    // Each of the paper's three methods has failed.
    assert_eq!(row(&out(&failed), "few-shot")[7], "0", "{}", out(&failed));
    assert!(out(&failed).contains("turn at call"), "{}", out(&failed));
}

#[test]
fn wrong_words_are_said_with_code_2() {
    let folder = tempfile::tempdir().unwrap();
    let other: PathBuf = folder.path().join("notes.jsonl");
    std::fs::write(&other, "{\"shopping\": \"list\"}\n").unwrap();
    let other = other.display().to_string();
    let cases: [(&[&str], &str); 9] = [
        (&["preconditions", "--services", "Nowhere_1"], "Museums_1"),
        (&["preconditions", "--out", &other], "line 1"),
        (&["preconditions", "--truth", &other], "--services"),
        (&["preconditions", "--world", "household", "--services", "Museums_1"], "dialogue world"),
        (&["preconditions", "--edition", "put"], "--edition"),
        (&["policy", "--methods", "magic"], "precondition-aware"),
        (&["policy", "--preconditions", "some"], "ground-truth"),
        (&["policy", "--assertions", "loud"], "hidden"),
        (&["policy", "--tasks", "no-such-task"], "no task fits"),
    ];
    for (args, word) in cases {
        let output = study(folder.path(), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", out(&output));
        assert!(err(&output).contains(word), "{args:?}: {}", err(&output));
    }
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "{\"shopping\": \"list\"}\n");
}

#[test]
fn a_file_of_demonstrations_alone_is_divided_by_demos() {
    let folder = tempfile::tempdir().unwrap();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/worlds/dialogue/Museums_1.demos.jsonl");
    let all = study(folder.path(), &["preconditions", "--data", file]);
    assert_eq!(all.status.code(), Some(2), "{}", out(&all));
    assert!(err(&all).contains("no other episode to score on; keep some back with a smaller --demos"), "{}", err(&all));
    let some = study(folder.path(), &["preconditions", "--data", file, "--demos", "7"]);
    assert!(
        out(&some).contains("7 demonstrations") && out(&some).contains("3 other episodes"),
        "{}{}",
        out(&some),
        err(&some)
    );
}

/// Runs an episode; its result, and the session that was kept.
fn run(folder: &Path, args: &[&str]) -> Result<(Value, Session), String> {
    let (file, sessions) = (folder.join("run.jsonl"), folder.join("sessions"));
    let _ = (std::fs::remove_file(&file), std::fs::remove_dir_all(&sessions));
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepwright"));
    command.arg("run").args(args).env("STEPWRIGHT_CONFIG_DIR", folder.join("config")).env_remove("STEPWRIGHT_MODEL");
    let output = command.arg("--out").arg(&file).arg("--sessions").arg(&sessions).output().unwrap();
    if output.status.code() != Some(0) {
        return Err(err(&output));
    }
    let session = std::fs::read_dir(&sessions).unwrap().next().unwrap().unwrap().path();
    Ok((results(&file).remove(0), log::load(&session).unwrap().session))
}

#[test]
fn episodes_are_run_under_chosen_preconditions() {
    let folder = tempfile::tempdir().unwrap();
    let task = ["--tasks", "shipped/place-box-1"];
    let under = |which: &str, more: &[&str]| run(folder.path(), &[&task, &["--preconditions", which], more].concat());
    let of = |session: &Session, action: &str| session.assertions().get(action).cloned().unwrap_or_default();
    let (result, session) = under("none", &[]).unwrap();
    assert_eq!(of(&session, "take"), (Vec::new(), "none".to_owned()));
    assert_eq!(result["options"]["preconditions"], "none");
    let (_, session) = under("true", &[]).unwrap();
    let (specified, origin) = of(&session, "take");
    assert!(!specified.is_empty() && origin == "ground-truth", "{specified:?}");
    // A tree derived from what was inferred, and the built-in selector on it.
    let (result, session) = under("inferred", &["--domain", "derived", "--method", "blocking"]).unwrap();
    assert!(!of(&session, "take").0.is_empty() && result["won"] == true, "{result}");
    // Of actions that a file does not name the specification's own stay.
    let file = folder.path().join("mine.preconditions.py");
    std::fs::write(&file, "def take(self, obj, recep):\n    assert obj is not None\n").unwrap();
    let (_, session) = under(&file.display().to_string(), &[]).unwrap();
    assert_eq!(of(&session, "take").0, ["obj is not None"]);
    assert_eq!(of(&session, "goto").1, "specification");
    // Of a service, by its name in a study's results.
    let (_, session) =
        run(folder.path(), &["--world", "dialogue", "--tasks", "type=Museums_1,first=1", "--preconditions", "true"])
            .unwrap();
    assert!(!of(&session, "GOODBYE").0.is_empty());
    // What cannot be in force is said before any episode.
    std::fs::write(&file, "def fly(self):\n    assert True\n").unwrap();
    let wrong = under(&file.display().to_string(), &[]).unwrap_err();
    assert!(wrong.contains("names no action of the world household"), "{wrong}");
    let unfit = run(folder.path(), &["--method", "statler", "--tasks", "shipped/place-box-1"]).unwrap_err();
    assert!(unfit.contains("statler cannot work in the world household"), "{unfit}");
    assert!(under("some", &[]).unwrap_err().contains("it is ground-truth, inferred, none"));
}

/// The similarity of 2022 does not tell damaged plans from whole ones, that of 2024 does: the table of `--damaged`, on the recordings.
#[test]
fn damaged_plans_saturate_one_form_of_the_similarity_and_not_the_other() {
    let Some(data) = std::env::var_os("STEPWRIGHT_DATA").map(|path| PathBuf::from(path).join("virtualhome")) else {
        return;
    };
    if !data.is_dir() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (file, data) = (folder.path().join("results.jsonl").display().to_string(), data.display().to_string());
    let limits = ["--tasks", "first=2", "--conditions", "open-loop", "--max-steps", "1"];
    let shown =
        study(folder.path(), &[&["reprompt", "--damaged", "--data", &data, "--out", &file], &limits[..]].concat());
    assert_eq!(shown.status.code(), Some(0), "{}", err(&shown));
    let text = out(&shown);
    let similarities = |begins: &str| -> (f64, f64) {
        let cells = row(&text, begins);
        let [.., of_all, of_used] = cells.as_slice() else { panic!("{cells:?}") };
        (of_all.parse().unwrap(), of_used.parse().unwrap())
    };
    assert_eq!(similarities("by people  "), (100.0, 100.0), "{text}");
    let (of_all, of_used) = similarities("by people, for another task");
    assert!(of_all > 99.0 && of_used < 90.0, "{text}");
    assert!(text.contains("The similarity of 2022 saturates"), "{text}");
}

#[test]
fn a_name_that_data_gives_leads_into_no_other_folder() {
    let folder = tempfile::tempdir().unwrap();
    let line = |service: &str, n: usize| {
        let calls = ["user.INFORM('day')", "system.REQUEST('day')", "user.GOODBYE()", "system.GOODBYE()"];
        serde_json::json!({"id": format!("a/{n}\nb"), "service": service, "calls": calls, "turns": [1, 1, 1, 1]})
            .to_string()
    };
    let data = folder.path().join("data");
    std::fs::create_dir_all(&data).unwrap();
    let above = folder.path().join("above").display().to_string();
    let names = ["../../evil", above.as_str(), "a/b", "a_b", &"long".repeat(100), ""];
    let lines: Vec<String> = names
        .iter()
        .enumerate()
        .flat_map(|(s, name)| (0..4).map(move |n| (s * 10 + n, *name)))
        .map(|(n, name)| line(name, n))
        .collect();
    std::fs::write(data.join("all.jsonl"), lines.join("\n")).unwrap();
    let save = folder.path().join("one/saved");
    let (data, saved) = (data.display().to_string(), save.display().to_string());
    let ran = study(folder.path(), &["preconditions", "--data", &data, "--demos", "2", "--save", &saved]);
    assert_eq!(ran.status.code(), Some(0), "{}", err(&ran));
    let mut files: Vec<String> =
        std::fs::read_dir(&save).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    assert_eq!(files.len(), names.len(), "{files:?}");
    assert!(files.contains(&"______evil.preconditions.py".to_owned()), "{files:?}");
    assert!(files.contains(&"a_b.preconditions.py".to_owned()) && files.contains(&"a_b-2.preconditions.py".to_owned()));
    let beside: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|f| f.unwrap().file_name()).collect();
    assert!(beside.iter().all(|name| ["data", "one", "config"].iter().any(|own| name == own)), "{beside:?}");
    // A task is one line of three columns, whatever its id holds.
    let listed = Command::new(env!("CARGO_BIN_EXE_stepwright"))
        .args(["play", "dialogue", "--data", &data, "--list"])
        .env("STEPWRIGHT_CONFIG_DIR", folder.path().join("config"))
        .output()
        .unwrap();
    let listed = out(&listed);
    assert_eq!(listed.lines().count(), 4 * names.len());
    assert!(listed.lines().all(|line| line.split('\t').count() == 3), "{listed}");
}
