//! Field-by-field comparison of recorded objects with what the program gives; lists recorded fields that were not compared.

use serde_json::Value;

use crate::{Difference, Row};

/// How far a fraction may be from the recorded one.
const TOLERANCE: f64 = 1e-12;

/// Fields that are listed in no row: labels, and the paper's own figures beside ours.
const LABELS: [&str; 12] =
    ["service", "action", "name", "id", "cand", "class", "what", "spec", "notes", "paper", "paper_valid", "compare"];

pub(super) fn differences(at: &str, got: &[(&'static str, Value)], recorded: &Value) -> Vec<Difference> {
    let differing = got.iter().filter_map(|(field, value)| {
        let expected = recorded.get(field)?;
        (!same(expected, value)).then(|| Difference {
            at: format!("{at}: {field}"),
            expected: expected.to_string(),
            got: value.to_string(),
        })
    });
    differing.collect()
}

/// The differences of a recorded object, what is not compared noted in the row.
pub(super) fn held(
    row: &mut Row,
    at: &str,
    got: &[(&'static str, Value)],
    read: &[&str],
    recorded: &Value,
) -> Vec<Difference> {
    report_unread(row, at, got, read, recorded);
    differences(at, got, recorded)
}

/// Counts one comparison of a recorded object; see [`held`].
pub(super) fn count_held(row: &mut Row, at: &str, got: &[(&'static str, Value)], read: &[&str], recorded: &Value) {
    let found = held(row, at, got, read, recorded);
    row.count(found);
}

/// Equal, fractions within the tolerance.
fn same(expected: &Value, got: &Value) -> bool {
    match (expected, got) {
        (Value::Number(a), Value::Number(b)) if a.is_f64() || b.is_f64() => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() <= TOLERANCE,
            _ => false,
        },
        _ => expected == got,
    }
}

/// Notes in the row the fields of a recorded object that were not compared: neither among `got`, nor among those that are
/// `read` in another way, nor labels.
pub(super) fn report_unread(row: &mut Row, at: &str, got: &[(&'static str, Value)], read: &[&str], recorded: &Value) {
    let known = |key: &str| got.iter().any(|(k, _)| *k == key) || read.contains(&key) || LABELS.contains(&key);
    for key in recorded.as_object().into_iter().flatten().map(|(key, _)| key).filter(|key| !known(key)) {
        row.lacks(1, || format!("{at} has a field `{key}` that nothing is compared with"));
    }
}

pub(super) fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
}

/// The entries of a list that an object holds; none if it holds no such list.
pub(super) fn list<'a>(object: &'a Value, key: &str) -> &'a [Value] {
    object.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_recorded_fields_count() {
        let got = [("sat", json!(3)), ("set", json!("a"))];
        assert_eq!(differences("x", &got, &json!({"sat": 3})), []);
        assert_eq!(differences("x", &got, &json!({"set": "b"}))[0].at, "x: set");
    }

    #[test]
    fn every_differing_field_of_a_record_is_listed_and_the_record_counts_once() {
        let mut row = Row::new("w", "u");
        let got = [("sat", json!(3)), ("set", json!("a")), ("n", json!(1))];
        count_held(&mut row, "x", &got, &[], &json!({"sat": 4, "set": "b", "n": 1}));
        assert_eq!((row.compared, row.differences), (1, 1));
        let all: Vec<&str> = row.first.iter().chain(&row.others).map(|d| d.at.as_str()).collect();
        assert_eq!(all, ["x: sat", "x: set"]);
    }

    #[test]
    fn fractions_may_differ_in_the_last_digits() {
        let got = [("f1", json!(0.1 + 0.2)), ("n", json!(1))];
        assert_eq!(differences("x", &got, &json!({"f1": 0.3, "n": 1})), []);
        for wrong in [json!({"f1": 0.300_001}), json!({"n": 2}), json!({"f1": null})] {
            assert_eq!(differences("x", &got, &wrong).len(), 1, "{wrong}");
        }
    }

    #[test]
    fn a_field_that_is_not_compared_is_reported() {
        let mut row = Row::new("w", "u");
        report_unread(&mut row, "here", &[("sat", json!(3))], &["cases"], &json!({"sat": 3, "cases": [], "id": 1}));
        assert_eq!(row.absent, 0);
        report_unread(&mut row, "here", &[], &[], &json!({"sat": 3, "id": 1}));
        assert_eq!((row.absent, row.note.unwrap().contains("`sat`")), (1, true));
    }
}
