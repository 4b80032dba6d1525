//! Compares Equation (2) on test dialogues, and the verdicts on odd candidates.

use serde_json::{Value, json};

use super::fields::{count_held, differences, held, list, report_unread, texts};
use super::pools::{arguments, fields};
use super::recordings::Recordings;
use crate::{Difference, Row};
use stepwright_precondition::{Demonstrations, InstanceSet, Instances, Mean, Score, Validity, judge, validate};

/// Compares every case of every action: the predicted and the true set, precision, recall, F1; and the mean over the actions.
pub(super) fn compare(
    tests: &Demonstrations,
    demos: &Demonstrations,
    recordings: &Recordings,
    golden: &Value,
    file: &str,
) -> Result<Row, String> {
    let mut row = Row::new(format!("golden/{file}"), "scores");
    let service = golden["service"].as_str().unwrap_or_default();
    let pools = recordings.pools(service)?;
    let of_file = [("n_test", json!(tests.all.len()))];
    let found = held(&mut row, file, &of_file, &["actions", "macro"], golden);
    row.differs_in(found);
    let mut adopted = Vec::new();
    for action in list(golden, "actions") {
        let name = action.get("action").and_then(Value::as_str).unwrap_or_default();
        let cases = list(action, "cases");
        let Some(function) = tests.action(name) else {
            row.lacks(cases.len(), || format!("the specification has no action {name}"));
            continue;
        };
        let instances = Instances::new(tests, function);
        let at = format!("{file}, {name}");
        let set = |value: &Value| -> Result<InstanceSet, String> {
            instances.conjunction(tests, &texts(value).ok_or("no list of assertions")?)
        };
        let truth = set(&action["ground_truth"]);
        let mut of_action = vec![
            ("n_steps", json!(tests.steps.len())),
            ("n_instances", json!(instances.len())),
            ("gt_set", json!(truth.as_ref().ok().map(InstanceSet::digest))),
        ];
        of_action.extend(arguments(&instances, false));
        let found = held(&mut row, &at, &of_action, &["cases", "ground_truth"], action);
        row.differs_in(found);
        for case in cases {
            let at = format!("{at}, case {}", case["name"]);
            let predicted = match (case["pred"].is_null(), case["name"].as_str(), pools.as_ref()) {
                (false, ..) => texts(&case["pred"]).ok_or("`pred` is no list of assertions".to_owned()),
                (true, Some("all_valid"), Some(pools)) => Ok(all_valid(demos, pools, name)),
                _ => {
                    row.lacks(1, || format!("{at}: what is predicted is not recorded"));
                    continue;
                }
            };
            let predicted = predicted.and_then(|texts| instances.conjunction(tests, &texts));
            let found = match (predicted, &truth) {
                (Ok(predicted), Ok(truth)) => {
                    let score = Score::of_sets(&predicted, truth);
                    if case["name"].as_str() == Some("h_opt") {
                        adopted.push(score);
                    }
                    let got = figures(&predicted, truth, score);
                    held(&mut row, &at, &got, &["pred"], case)
                }
                (Err(why), _) => vec![unreadable(at, why)],
                (_, Err(why)) => vec![unreadable(at, why.clone())],
            };
            row.count(found);
        }
    }
    if let Some(recorded) = golden.get("macro") {
        let at = format!("{file}, macro");
        let got = mean(&adopted);
        count_held(&mut row, &at, &got, &[], recorded);
    }
    Ok(row)
}

fn unreadable(at: String, why: String) -> Difference {
    Difference { at, expected: "assertions that can be evaluated".to_owned(), got: why }
}

/// The texts of a recorded pool's valid candidates, in its order.
fn all_valid(demos: &Demonstrations, pools: &Value, action: &str) -> Vec<String> {
    let pool = list(pools, "actions").iter().find(|p| p["action"].as_str() == Some(action));
    let Some((pool, function)) = pool.zip(demos.action(action)) else { return Vec::new() };
    let instances = Instances::new(demos, function);
    let texts = list(pool, "candidates").iter().filter_map(|c| c["cand"].as_str());
    let valid = texts.filter(|text| {
        instances.read(text).is_ok_and(|assertion| validate(demos, &instances, &assertion) == Validity::Valid)
    });
    valid.map(str::to_owned).collect()
}

fn figures(predicted: &InstanceSet, truth: &InstanceSet, score: Score) -> Vec<(&'static str, Value)> {
    vec![
        ("pred_set", json!(predicted.digest())),
        ("n_pred", json!(predicted.count())),
        ("n_gt", json!(truth.count())),
        ("n_both", json!(predicted.count_common(truth))),
        ("precision", json!(score.precision)),
        ("recall", json!(score.recall)),
        ("f1", json!(score.f1)),
    ]
}

/// The averages over actions, as the recordings name them.
pub(super) fn mean(scores: &[Score]) -> Vec<(&'static str, Value)> {
    let mean = Mean::of(scores);
    let figure = |value: fn(&Mean) -> f64| json!(mean.as_ref().map(value));
    vec![
        ("n_actions", json!(scores.len())),
        ("precision", figure(|m| m.of_means.precision)),
        ("recall", figure(|m| m.of_means.recall)),
        ("f1_of_macro", figure(|m| m.of_means.f1)),
        ("macro_f1", figure(|m| m.of_f1)),
    ]
}

/// Compares odd candidates: those marked `exact` in verdict, reason and size; of the others that there is a verdict at all.
pub(super) fn compare_odd(tests: &Demonstrations, golden: &Value, file: &str) -> Row {
    let mut row = Row::new(format!("golden/{file}"), "candidates");
    let action = golden.get("action").and_then(Value::as_str).unwrap_or_default();
    let candidates = list(golden, "candidates");
    let Some(function) = tests.action(action) else {
        row.lacks(candidates.len(), || format!("the specification has no action {action}"));
        return row;
    };
    let instances = Instances::new(tests, function);
    for (id, candidate) in candidates.iter().enumerate() {
        let text = candidate.get("cand").and_then(Value::as_str).unwrap_or_default();
        let (fate, evaluation) = judge(tests, &instances, text);
        let mut got = fields(&fate, evaluation.as_ref(), tests.all.len());
        got.retain(|(field, _)| ["verdict", "reason", "sat"].contains(field));
        report_unread(&mut row, file, &got, &[], candidate);
        let exact = candidate.get("compare").and_then(Value::as_str) == Some("exact");
        let shown: String = text.chars().take(80).collect();
        let found = differences(&format!("{file}, candidate {id} {shown:?}"), &got, candidate);
        row.count(found.into_iter().filter(|_| exact));
    }
    row
}
