//! Compares Equation (2) on test dialogues, and the verdicts on odd candidates.

use serde_json::{Value, json};

use super::NAME;
use super::pools::{fields, first_difference, judge};
use crate::precondition::{Bits, Ground, Instances, Score};
use crate::study::conform::{Difference, Row};

/// How far a figure may be from the recorded one.
const TOLERANCE: f64 = 1e-12;

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
}

/// Compares every case of every action: the predicted and the true set, precision, recall, F1.
pub(super) fn compare(ground: &Ground, golden: &Value, file: &str) -> Row {
    let mut row = Row::new(NAME, format!("golden/{file}"), "scores");
    for action in golden.get("actions").and_then(Value::as_array).into_iter().flatten() {
        let name = action.get("action").and_then(Value::as_str).unwrap_or_default();
        let cases = action.get("cases").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let Some(function) = ground.action(name) else {
            row.lacks(cases.len() as u64, || format!("the specification has no action {name}"));
            continue;
        };
        let instances = Instances::new(ground, function);
        let set = |value: &Value| -> Result<Bits, String> {
            instances.conjunction(ground, &texts(value).ok_or("no list of assertions")?)
        };
        // A case without its assertions cannot be repeated.
        for case in cases.iter().filter(|case| !case["pred"].is_null()) {
            let at = format!("{file}, {name}, case {}", case["name"]);
            let difference = match (set(&case["pred"]), set(&action["ground_truth"])) {
                (Ok(predicted), Ok(truth)) => {
                    let of_action = [("n_instances", json!(instances.len())), ("gt_set", json!(truth.digest()))];
                    first_difference(&at, &of_action, action).or_else(|| differs(&at, &predicted, &truth, case))
                }
                (Err(why), _) | (_, Err(why)) => {
                    Some(Difference { at, expected: "assertions that can be evaluated".to_owned(), got: why })
                }
            };
            row.count(difference.map(|d| || d));
        }
    }
    row
}

fn differs(at: &str, predicted: &Bits, truth: &Bits, case: &Value) -> Option<Difference> {
    let counts = [
        ("pred_set", json!(predicted.digest())),
        ("n_pred", json!(predicted.count())),
        ("n_gt", json!(truth.count())),
        ("n_both", json!(predicted.count_common(truth))),
    ];
    let score = Score::of_sets(predicted, truth);
    let figures = [("precision", score.precision), ("recall", score.recall), ("f1", score.f1)];
    first_difference(at, &counts, case).or_else(|| {
        figures.iter().find_map(|(field, got)| {
            let expected = case.get(field)?.as_f64()?;
            ((got - expected).abs() > TOLERANCE).then(|| Difference {
                at: format!("{at}: {field}"),
                expected: expected.to_string(),
                got: got.to_string(),
            })
        })
    })
}

/// Compares odd candidates: those marked `exact` in verdict, reason and size; of the others that there is a verdict at all.
pub(super) fn compare_odd(ground: &Ground, golden: &Value, file: &str) -> Row {
    let mut row = Row::new(NAME, format!("golden/{file}"), "candidates");
    let action = golden.get("action").and_then(Value::as_str).unwrap_or_default();
    let candidates = golden.get("candidates").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let Some(function) = ground.action(action) else {
        row.lacks(candidates.len() as u64, || format!("the specification has no action {action}"));
        return row;
    };
    let instances = Instances::new(ground, function);
    for (id, candidate) in candidates.iter().enumerate() {
        let text = candidate.get("cand").and_then(Value::as_str).unwrap_or_default();
        let (fate, evaluation) = judge(ground, &instances, text);
        let mut got = fields(&fate, evaluation.as_ref(), ground.demos.len());
        got.retain(|(field, _)| ["verdict", "reason", "sat"].contains(field));
        let exact = candidate.get("compare").and_then(Value::as_str) == Some("exact");
        let shown: String = text.chars().take(80).collect();
        let difference = first_difference(&format!("{file}, candidate {id} {shown:?}"), &got, candidate);
        row.count(difference.filter(|_| exact).map(|d| || d));
    }
    row
}
