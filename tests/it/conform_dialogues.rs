//! Recordings of dialogues, written here and worked out by hand, through the code of `conform`: what is right is equal,
//! and every kind of wrong figure is found.

use std::path::Path;

use conform::Report;
use serde_json::{Value, json};

/// A service of two acts and one query: `INFORM` needs a request, `INFORM_COUNT` a query that succeeded.
fn domains() -> Value {
    json!({
        "domains": [{
            "service": "Trains_7",
            "slots": ["fare", "date"],
            "intents": [{"name": "FindTrain"}],
            "actions": [
                {"action": "INFORM", "arg": "slot", "ground_truth": ["self.user.requested_slot[slot]"], "calls_in_demos": 1},
                {"action": "INFORM_COUNT", "arg": null, "ground_truth": ["self.query_success"], "calls_in_demos": 1},
                {"action": "FindTrain", "arg": null, "ground_truth": [], "calls_in_demos": 1},
            ],
        }],
    })
}

fn algorithm_1() -> Value {
    let line = |line: &str, reason: Value, whole: bool| {
        let ok = reason.is_null() || reason == "EndOfTurn";
        json!({"line": line, "ok": ok, "reason": reason, "whole_program_ok": whole})
    };
    let case = |id: u32, step: u32, greedy: &str, random: Value, expect: Value| {
        json!({"id": id, "dialogue": "test/1", "step": step, "preconditions": "ground_truth", "max_attempts": 4,
               "greedy": greedy, "random": random, "expect": expect})
    };
    let expect = |prediction: &str, verified: bool, random: u32, log: Value| {
        json!({"prediction": prediction, "verified": verified, "attempts": random + 1,
               "greedy_samples": if verified { 1 } else { 2 }, "random_samples": random, "log": log})
    };
    json!({
        "service": "Trains_7",
        "h_opt": {},
        "cases": [
            case(0, 1, "system.INFORM_COUNT()", json!(["import os", "system.INFORM(slot='fare')"]), expect(
                "system.INFORM(slot='fare')", true, 2, json!([
                    line("system.INFORM_COUNT()", json!("AssertionError"), false),
                    line("import os", json!("NotAnAction"), true),
                    line("system.INFORM(slot='fare')", Value::Null, true),
                ]),
            )),
            case(1, 0, "system.INFORM('fare')", json!(["", "system.FindTrain('x')", "system.FLY()"]), expect(
                "system.INFORM('fare')", false, 3, json!([
                    line("system.INFORM('fare')", json!("AssertionError"), false),
                    line("", json!("NoAction"), true),
                    line("system.FindTrain('x')", json!("TypeError"), false),
                    line("system.FLY()", json!("AttributeError"), false),
                ]),
            )),
            case(2, 4, "user.REQUEST('date')", json!([]), expect(
                "user.REQUEST('date')", true, 0, json!([line("user.REQUEST('date')", json!("EndOfTurn"), true)]),
            )),
        ],
    })
}

fn policy() -> Value {
    json!({
        "service": "Trains_7",
        "dialogues": [{"dialogue": "test/1", "turns": [
            {"call_index": 1, "pred": ["system.INFORM_COUNT()", "system.FindTrain()", "system.INFORM_COUNT()"],
             "gold": ["system.FindTrain()", "system.INFORM_COUNT()"], "tp": 2, "fp": 1, "fn": 0,
             "compatible": [false, true, true]},
            {"call_index": 5, "pred": ["system.INFORM('date')"], "gold": ["system.INFORM('fare')"],
             "tp": 0, "fp": 1, "fn": 1, "compatible": [false]},
        ]}],
        "tp": 2, "fp": 2, "fn": 1, "precision": 0.5, "recall": 2.0 / 3.0, "f1": 4.0 / 7.0,
        "n_predicted": 4, "n_compatible": 2, "compatibility": 0.5,
    })
}

/// Equation (2) on the test dialogue: three steps (FindTrain, INFORM_COUNT, INFORM); `query_success` holds at the last two.
fn scores() -> Value {
    let case = |name: &str, pred: Value, counts: [u32; 3], figures: [f64; 3]| {
        json!({"name": name, "pred": pred, "n_pred": counts[0], "n_gt": counts[1], "n_both": counts[2],
               "precision": figures[0], "recall": figures[1], "f1": figures[2]})
    };
    json!({
        "service": "Trains_7", "n_test": 1,
        "actions": [{
            "action": "INFORM_COUNT", "arg": null, "bindings": null, "n_steps": 3, "n_instances": 3,
            "ground_truth": ["self.query_success"],
            "cases": [
                case("h_opt", json!([]), [3, 2, 2], [2.0 / 3.0, 1.0, 0.8]),
                case("never", json!(["False"]), [0, 2, 0], [0.0, 0.0, 0.0]),
                case("all_valid", Value::Null, [2, 2, 2], [1.0, 1.0, 1.0]),
            ],
        }],
        "macro": {"n_actions": 1, "precision": 2.0 / 3.0, "recall": 1.0, "f1_of_macro": 0.8, "macro_f1": 0.8},
    })
}

fn averages() -> Value {
    json!({
        "what": "averages", "n_pairs": 1, "precision": 2.0 / 3.0, "recall": 1.0, "f1_of_macro": 0.8, "macro_f1": 0.8,
        "per_service": [{"service": "Trains_7", "n_actions": 1, "precision": 2.0 / 3.0, "recall": 1.0,
                         "f1_of_macro": 0.8, "macro_f1": 0.8}],
    })
}

/// A pool of the demonstration: of its two candidates one fails at the call.
fn pools() -> Value {
    json!({
        "service": "Trains_7", "n_demos": 1, "n_steps": 3, "n_states": 3,
        "actions": [{
            "action": "INFORM_COUNT", "arg": null, "bindings": null, "n_calls": 1, "n_instances": 3, "n_candidates": 2,
            "n_valid": 1, "ground_truth_ids": [1], "h_opt": ["self.query_success"],
            "candidates": [
                {"id": 0, "cand": "not self.query_success", "class": "pure", "verdict": "invalid",
                 "reason": "AssertionError", "fail": {"demo": 0, "step": 3}, "sat": 1},
                {"id": 1, "cand": "self.query_success", "class": "pure", "verdict": "valid", "sat": 2, "optimal": true},
            ],
        }],
    })
}

const DIALOGUE: &str = r#"{"id": "ID", "service": "Trains_7", "calls": ["user.REQUEST('fare')", "system.FindTrain()", "system.set_query_status(True)", "system.INFORM_COUNT()", "user.REQUEST('fare')", "system.INFORM('fare')"], "turns": [1, 3, 1, 1]}"#;

/// Compares a folder that holds these results.
fn report(folder: &Path, golden: &[(&str, Value)]) -> Report {
    std::fs::create_dir_all(folder.join("golden")).unwrap();
    std::fs::create_dir_all(folder.join("dialogues")).unwrap();
    std::fs::write(folder.join("domains.json"), domains().to_string()).unwrap();
    for (kind, id) in [("demos", "train/1"), ("test", "test/1")] {
        let path = folder.join(format!("dialogues/Trains_7.{kind}.jsonl"));
        std::fs::write(path, format!("{}\n", DIALOGUE.replace("ID", id))).unwrap();
    }
    for (name, value) in golden {
        std::fs::write(folder.join("golden").join(name), value.to_string()).unwrap();
    }
    conform::run(folder, Some("sgd")).unwrap()
}

fn files() -> Vec<(&'static str, Value)> {
    vec![
        ("Trains_7.json", pools()),
        ("algorithm1_Trains_7.json", {
            let mut golden = algorithm_1();
            golden["h_opt"] = json!({"INFORM_COUNT": ["self.query_success"]});
            golden
        }),
        ("eq2_Trains_7.json", scores()),
        ("eq2_macro.json", averages()),
        ("policy_Trains_7.json", policy()),
    ]
}

#[test]
fn recordings_of_a_service_never_seen_are_equal() {
    let folder = tempfile::tempdir().unwrap();
    let report = report(folder.path(), &files());
    assert_eq!(report.differences(), 0, "{report}");
    // Candidates, runs, scores with their average, averages, turns with their total: all are compared, nothing is passed over.
    let results: Vec<_> = report.rows.iter().filter(|r| r.what.starts_with("golden/")).collect();
    assert_eq!(results.iter().map(|r| r.compared).collect::<Vec<_>>(), [2, 3, 4, 2, 3], "{report}");
    assert!(results.iter().all(|row| row.absent == 0 && row.note.is_none()), "{report}");
}

#[test]
fn every_wrong_figure_is_found() {
    let wrong: [(&str, &str, Value); 14] = [
        ("Trains_7.json", "/actions/0/candidates/0/fail/step", json!(2)),
        ("Trains_7.json", "/n_states", json!(2)),
        ("Trains_7.json", "/actions/0/ground_truth_ids/0", json!(0)),
        ("algorithm1_Trains_7.json", "/h_opt/INFORM_COUNT/0", json!("True")),
        ("algorithm1_Trains_7.json", "/cases/0/expect/attempts", json!(2)),
        ("algorithm1_Trains_7.json", "/cases/0/expect/log/0/reason", json!("NameError")),
        ("algorithm1_Trains_7.json", "/cases/1/expect/log/3/whole_program_ok", json!(true)),
        ("algorithm1_Trains_7.json", "/cases/2/expect/log/0/line", json!("user.BYE()")),
        ("eq2_Trains_7.json", "/actions/0/cases/2/n_pred", json!(3)),
        ("eq2_Trains_7.json", "/macro/macro_f1", json!(0.81)),
        ("eq2_macro.json", "/per_service/0/recall", json!(0.99)),
        ("policy_Trains_7.json", "/dialogues/0/turns/0/compatible/2", json!(false)),
        ("policy_Trains_7.json", "/dialogues/0/turns/1/gold/0", json!("system.INFORM('date')")),
        ("policy_Trains_7.json", "/compatibility", json!(0.51)),
    ];
    for (name, place, value) in wrong {
        let mut files = files();
        let golden = files.iter_mut().find(|(file, _)| *file == name).map(|(_, golden)| golden).unwrap();
        *golden.pointer_mut(place).unwrap() = value;
        let folder = tempfile::tempdir().unwrap();
        let report = report(folder.path(), &files);
        let wrong: Vec<&str> = report.rows.iter().filter(|r| r.differences > 0).map(|r| r.what.as_str()).collect();
        // What the pools adopt and what the runs used are compared with each other.
        assert!(wrong.contains(&format!("golden/{name}").as_str()), "{name}{place}\n{report}");
    }
}

#[test]
fn what_cannot_be_compared_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let mut policy = policy();
    policy["dialogues"][0]["turns"][0]["mood"] = json!("good");
    let files = [("policy_Trains_7.json", policy), ("strange.json", json!({"service": "Trains_7"}))];
    let report = report(folder.path(), &files);
    assert_eq!(report.differences(), 0, "{report}");
    let text = report.to_string();
    assert!(text.contains("field `mood`") && text.contains("layout is not known"), "{text}");
}
