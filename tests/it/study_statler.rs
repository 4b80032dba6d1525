//! `stepwright study statler`: the tables printed of recorded outputs, of shipped episodes, and errors.

use std::path::Path;
use std::process::Output;

use crate::support::program::program;
use serde_json::{Value, json};

fn study(folder: &Path, args: &[&str]) -> Output {
    program(folder).args(["study", "statler"]).args(args).env_remove("STEPWRIGHT_MODEL").output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// One episode of two requests: one method fails at the first, of which the other asks nothing more.
fn made_up(folder: &Path) {
    let asked = |query: &str, moves: Value, say: Value, temporal: bool| json!({"query": query, "temporal": temporal, "gold_code": "", "gold_moves": moves, "gold_say": say});
    let episode = json!([{"id": "weight-01", "domain": "weight", "index": 1, "objects": ["red block", "tin bowl"], "steps": [
        asked("Put it in", json!([["red block", "tin bowl"]]), json!([]), false),
        asked("Is it in", json!([]), json!(["yes"]), true),
    ]}]);
    let run = |method: &str, first: &str, second: &str| {
        let step = |query: &str, generated: &str| json!({"query": query, "generated": generated});
        json!({"id": "weight-01", "method": method, "steps": [step("Put it in", first), step("Is it in", second)]})
    };
    let put = "put_first_on_second('red block', \"tin bowl\")";
    let runs = [run("statler", put, "say(\"Yes\")"), run("code_as_policies", "noop()", "say(\"yes\")")];
    std::fs::write(folder.join("episodes_weight.json"), episode.to_string()).unwrap();
    std::fs::write(folder.join("recorded_runs.jsonl"), runs.map(|r| r.to_string()).join("\n")).unwrap();
}

#[test]
fn recorded_runs_stand_in_tables_beside_the_papers_figures() {
    let folder = tempfile::tempdir().unwrap();
    made_up(folder.path());
    let path = folder.path().display().to_string();
    let output = study(folder.path(), &["--recorded", "--data", &path]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    insta::assert_snapshot!(out(&output));
    let output = study(folder.path(), &["--recorded", "--data", &path, "--methods", "statler", "--json"]);
    let value: Value = serde_json::from_str(&out(&output)).unwrap();
    let [success, own] = [&value["tables"][0], &value["tables"][1]];
    assert_eq!((&success["table"], success["rows"].as_array().unwrap().len()), (&json!("Table 1"), 1));
    let cells = ["domain", "method", "model", "success", "steps"].map(|name| &success["rows"][0][name]);
    assert_eq!(json!(cells), json!(["weight", "statler", "recorded", "1/1", 1.0]));
    assert_eq!((&own["rows"][0]["non-temporal"], &own["rows"][0]["temporal"]), (&json!("1/1"), &json!("1/1")));
    assert!(!err(&output).contains("left out"), "{}", err(&output));
}

fn row(text: &str, begins: &str) -> Vec<String> {
    let line = text.lines().find(|line| line.starts_with(begins)).unwrap_or_default();
    line.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn shipped_episodes_are_run_scored_drawn_and_not_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let (results, csv, svg) = (file("results.jsonl"), file("curves.csv"), file("curves.svg"));
    let args = ["--first", "1", "--jobs", "2", "--out", &results, "--drift", "--curve"];
    let first = study(folder.path(), &[&args[..], &[&csv]].concat());
    let text = out(&first);
    assert_eq!(first.status.code(), Some(0), "{text}\n{}", err(&first));
    // No model took part: a row is named for what acted, and no figure of the paper's stands beside it.
    for domain in ["pick_and_place", "disinfection", "weight", "cover"] {
        let cells = row(&text, domain);
        assert_eq!(cells[1..8], ["reference", "programs", "reference", "1/1", "1.000", "0.207-1.000", "-"], "{text}");
    }
    assert_eq!(row(&text, "cups")[1..6], ["reference", "programs", "reference", "1/1", "1.000"], "{text}");
    assert!(text.contains("a(n) over swaps\n1.00│a") && text.contains("r(n) over swaps\n1.00│a"), "{text}");
    assert!(
        text.contains("differences, weight over steps")
            && text.contains("the reference programs of the episodes' files were played"),
        "{text}"
    );
    assert!(text.contains("5 of 5 episodes run"), "{text}");
    let lines = std::fs::read_to_string(&csv).unwrap();
    assert!(lines.starts_with("measure,curve,n,value\na(n),reference programs (reference),1,1\n"), "{lines}");
    assert!(lines.contains("\"differences, cover\",reference programs (reference),0,0\n"), "{lines}");

    let before = std::fs::read(&results).unwrap();
    let again = study(folder.path(), &[&args[..], &[&svg]].concat());
    assert!(out(&again).contains("0 of 0 episodes run, 5 had results already"), "{}", out(&again));
    assert_eq!(std::fs::read(&results).unwrap(), before);
    assert!(std::fs::read_to_string(&svg).unwrap().matches("<polyline").count() >= 6);
    let value = out(&study(folder.path(), &["--out", &results, "--first", "1", "--json"]));
    let value: Value = serde_json::from_str(&value).unwrap();
    assert_eq!(value["tables"][0]["rows"].as_array().unwrap().len(), 5);
    let cups = value["charts"].as_array().unwrap().iter().find(|chart| chart["measure"] == "a(n)").unwrap();
    assert_eq!(cups["series"][0]["values"][9], json!(1.0));
}

#[test]
fn what_cannot_be_run_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let said = |args: &[&str]| {
        let output = study(folder.path(), args);
        assert_ne!(output.status.code(), Some(0));
        err(&output)
    };
    assert!(said(&["--methods", "few-shot"]).contains("no method `few-shot` of this study; there are statler,"));
    assert!(said(&["--methods", "code-as-policies"]).contains("`code-as-policies` needs a language model"));
    assert!(said(&["--methods", "cups-state", "--domain", "weight"]).contains("is for three cups"));
    assert!(said(&["--domain", "kitchen"]).contains("there are pick_and_place, disinfection, weight, cover, cups"));
    assert!(said(&["--curve", "curve.png"]).contains("must end in .csv, .json or .svg"));
    let nothing =
        said(&["--domain", "weight", "--first", "1", "--curve", &folder.path().join("a.csv").display().to_string()]);
    assert!(nothing.contains("there is no curve to write"), "{nothing}");
    // Of a method that believes nothing no drift can be drawn, as is said before anybody is asked.
    let file = folder.path().join("drift.csv").display().to_string();
    let asked = ["--model", "nobody", "--base-url", "http://127.0.0.1:9/v1", "--methods", "code-as-policies"];
    let nothing = said(&[&asked[..], &["--domain", "weight", "--first", "1", "--drift", "--curve", &file]].concat());
    assert!(nothing.contains("of a method that keeps a belief"), "{nothing}");
    assert!(said(&["--recorded", "--drift"]).contains("cannot be used with"));
}

#[test]
fn what_is_wrong_with_recordings_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display().to_string();
    let said = |args: &[&str]| {
        let output = study(folder.path(), args);
        assert_ne!(output.status.code(), Some(0));
        err(&output)
    };
    assert!(said(&["--recorded"]).contains("name their folder with --data"));
    assert!(said(&["--recorded", "--data", &path]).contains("no recorded_runs*.jsonl"));
    made_up(folder.path());
    let wrong = ["--recorded", "--data", &path, "--methods", "ours"];
    assert!(said(&wrong).contains("there is no method `ours` here; there are code-as-policies, statler"));
    assert!(said(&["--recorded", "--data", &path, "--domain", "cups"]).contains("there are weight"));
    std::fs::write(folder.path().join("recorded_runs.jsonl"), "{\"id\": \"weight-01\"}\n").unwrap();
    assert!(said(&["--recorded", "--data", &path]).contains("recorded_runs.jsonl:1: missing field"));
    let lost = json!({"id": "weight-02", "method": "statler", "steps": []});
    std::fs::write(folder.path().join("recorded_runs.jsonl"), lost.to_string()).unwrap();
    assert!(said(&["--recorded", "--data", &path]).contains("its episode weight-02 is in no episodes_*.json"));
}
