//! Compares pools of candidates: verdict, reason, first failure, satisfied set, outcomes, cluster and optimality of each.

use serde_json::{Value, json};

use super::NAME;
use crate::precondition::{Bits, Evaluation, Fate, Ground, Instances, clusters, malformed, validate};
use crate::program::Assertion;
use crate::study::conform::{Difference, Row};

/// Compares every pool of a file with one row: a file holds `actions`, or is one pool itself.
pub(super) fn compare(ground: &Ground, golden: &Value, file: &str) -> Row {
    let mut row = Row::new(NAME, format!("golden/{file}"), "candidates");
    match golden.get("actions").and_then(Value::as_array) {
        Some(pools) => pools.iter().for_each(|pool| compare_pool(ground, pool, file, &mut row)),
        None => compare_pool(ground, golden, file, &mut row),
    }
    row
}

/// Verdict and evaluation of one candidate.
pub(super) fn judge(ground: &Ground, instances: &Instances, text: &str) -> (Fate, Option<Evaluation>) {
    match Assertion::compile(text) {
        Err(rejection) => (malformed(&rejection), None),
        Ok(assertion) => {
            let fate = validate(ground, instances, &assertion);
            let unknown = matches!(fate, Fate::Unknown { .. });
            let evaluation = if unknown { None } else { instances.evaluate(ground, &assertion).ok() };
            (fate, evaluation)
        }
    }
}

/// A candidate's fields as the recordings write them.
pub(super) fn fields(fate: &Fate, evaluation: Option<&Evaluation>, demos: usize) -> Vec<(&'static str, Value)> {
    let (verdict, reason, fail, failing) = match fate {
        Fate::Valid => ("valid", Value::Null, Value::Null, 0),
        Fate::Malformed { reason, .. } | Fate::Unknown { reason, .. } => ("invalid", json!(reason), Value::Null, demos),
        Fate::Fails { demonstration, call, exception, failing, .. } => {
            ("invalid", json!(exception), json!({"demo": demonstration, "step": call}), *failing)
        }
    };
    vec![
        ("verdict", json!(verdict)),
        ("reason", reason),
        ("fail", fail),
        ("n_fail_demos", json!(failing)),
        ("sat", json!(evaluation.map(|e| e.set.count()))),
        ("set", json!(evaluation.map(|e| e.set.digest()))),
        ("outcomes", evaluation.map_or(Value::Null, |e| json!(e.outcomes))),
        ("mutates", json!(evaluation.map(|e| e.mutates))),
    ]
}

/// The first field that a recording has and that differs.
pub(super) fn first_difference(at: &str, got: &[(&'static str, Value)], recorded: &Value) -> Option<Difference> {
    got.iter().find_map(|(field, value)| {
        let expected = recorded.get(field)?;
        (expected != value).then(|| Difference {
            at: format!("{at}: {field}"),
            expected: expected.to_string(),
            got: value.to_string(),
        })
    })
}

fn compare_pool(ground: &Ground, pool: &Value, file: &str, row: &mut Row) {
    let action = pool.get("action").and_then(Value::as_str).unwrap_or_default();
    let candidates = pool.get("candidates").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let Some(function) = ground.action(action) else {
        return row.lacks(candidates.len() as u64, || format!("the specification has no action {action}"));
    };
    let instances = Instances::new(ground, function);
    let judged: Vec<(Fate, Option<Evaluation>)> = candidates
        .iter()
        .map(|candidate| judge(ground, &instances, candidate.get("cand").and_then(Value::as_str).unwrap_or_default()))
        .collect();
    let sets: Vec<Option<&Bits>> =
        judged.iter().map(|(fate, e)| e.as_ref().filter(|_| *fate == Fate::Valid).map(|e| &e.set)).collect();
    let ranked = clusters(&sets);
    for (id, (candidate, (fate, evaluation))) in candidates.iter().zip(&judged).enumerate() {
        let cluster = ranked.iter().position(|c| c.members.contains(&id));
        let mut got = fields(fate, evaluation.as_ref(), ground.demos.len());
        got.push(("cluster", json!(cluster)));
        got.push(("optimal", json!(cluster.and_then(|c| ranked.get(c)).is_some_and(|c| c.optimal))));
        let difference =
            first_difference(&format!("{file}, {action}, candidate {id} {}", candidate["cand"]), &got, candidate);
        row.count(difference.map(|d| || d));
    }
    let representative = |c: &crate::precondition::Cluster| {
        let text = candidates.get(c.representative()?)?.get("cand")?.as_str()?;
        Assertion::compile(text).ok().map(|a| a.text().to_owned())
    };
    let optimal = ranked.iter().filter(|c| c.optimal);
    let mut got = vec![
        ("n_instances", json!(instances.len())),
        ("n_calls", json!(instances.calls.len())),
        ("n_valid", json!(sets.iter().flatten().count())),
        ("n_clusters", json!(ranked.len())),
        ("n_optimal", json!(optimal.clone().count())),
        ("h_opt", json!(optimal.clone().map(representative).collect::<Vec<_>>())),
    ];
    got.retain(|(field, _)| pool.get(field).is_some());
    if let Some(difference) = first_difference(&format!("{file}, {action}"), &got, pool) {
        row.differs(|| difference);
    }
    for (key, only_optimal) in [("clusters", false), ("optimal_clusters", true)] {
        let Some(expected) = pool.get(key).and_then(Value::as_array) else { continue };
        let numbered: Vec<_> = ranked.iter().enumerate().filter(|(_, c)| c.optimal || !only_optimal).collect();
        if numbered.len() != expected.len() {
            row.differs(|| Difference {
                at: format!("{file}, {action}: number of {key}"),
                expected: expected.len().to_string(),
                got: numbered.len().to_string(),
            });
        }
        for ((number, cluster), expected) in numbered.into_iter().zip(expected) {
            let set = cluster.representative().and_then(|id| sets.get(id).copied().flatten());
            let got = [
                ("cluster", json!(number)),
                ("members", json!(cluster.members)),
                ("representative", json!(cluster.representative())),
                ("sat", json!(cluster.sat)),
                ("set", json!(set.map(Bits::digest))),
                ("optimal", json!(cluster.optimal)),
                ("bits", json!(set.map(base64))),
            ];
            if let Some(difference) = first_difference(&format!("{file}, {action}, cluster {number}"), &got, expected) {
                row.differs(|| difference);
            }
        }
    }
}

/// The bits packed, the first instance the highest bit of the first byte, in base64.
fn base64(set: &Bits) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = (set.len().div_ceil(8) * 8).div_ceil(6);
    let digit = |d: usize| (0..6).fold(0_usize, |value, k| value << 1 | usize::from(set.contains(d * 6 + k)));
    let mut text: String = (0..digits).filter_map(|d| DIGITS.get(digit(d))).map(|b| char::from(*b)).collect();
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_packed_highest_first() {
        // Bytes 0xA0, 0x80: `printf '\xa0\x80' | base64`.
        assert_eq!(base64(&Bits::of(9, |i| [0, 2, 8].contains(&i))), "oIA=");
        assert_eq!(base64(&Bits::none(0)), "");
    }

    #[test]
    fn only_recorded_fields_count() {
        let got = [("sat", json!(3)), ("set", json!("a"))];
        assert_eq!(first_difference("x", &got, &json!({"sat": 3})), None);
        assert_eq!(first_difference("x", &got, &json!({"set": "b"})).unwrap().at, "x: set");
    }
}
