//! Compares pools of candidates: verdict, reason, first failure, satisfied set, outcomes, cluster and optimality of each.

use serde_json::{Value, json};

use super::difference;
use super::fields::{differences, held, list, report_unread};
use crate::{Difference, Row};
use stepwright_precondition::{Demonstrations, Evaluation, InstanceSet, Instances, Step, Validity, clusters, judge};
use stepwright_program::{Assertion, Call};

/// The true assertions of each action, where they are known.
type Truth = [(String, Vec<String>)];

/// Compares every pool of a file with one row: a file holds `actions`, or is one pool itself.
pub(super) fn compare(demos: &Demonstrations, truth: &Truth, golden: &Value, file: &str) -> Row {
    let mut row = Row::new(format!("golden/{file}"), "candidates");
    match golden.get("actions").and_then(Value::as_array) {
        Some(pools) => {
            let ids: Vec<&str> = demos.all.iter().map(|d| d.id.as_str()).collect();
            let got = [
                ("n_demos", json!(ids.len())),
                ("demos", json!(ids)),
                ("n_steps", json!(demos.steps.len())),
                ("n_states", json!(states(demos))),
            ];
            let found = held(&mut row, file, &got, &["actions"], golden);
            row.differs_in(found);
            pools.iter().for_each(|pool| compare_pool(demos, truth, pool, file, &mut row));
        }
        None => compare_pool(demos, truth, golden, file, &mut row),
    }
    row
}

/// The states of the demonstrations as the recordings count them: a step has a new one if a call other than an action is
/// between it and the step before, whether it changed anything or not.
fn states(demos: &Demonstrations) -> usize {
    let follows = |pair: &[Step]| match pair {
        [before, step] => before.demonstration == step.demonstration && before.call + 1 == step.call,
        _ => false,
    };
    demos.steps.len() - demos.steps.windows(2).filter(|pair| follows(pair)).count()
}

/// A candidate's fields as the recordings write them.
pub(super) fn fields(fate: &Validity, evaluation: Option<&Evaluation>, demos: usize) -> Vec<(&'static str, Value)> {
    let (verdict, reason, fail, failing) = match fate {
        Validity::Valid => ("valid", Value::Null, Value::Null, 0),
        // The original knows two verdicts: what it could not evaluate within its limits is invalid there too.
        Validity::Malformed { reason, .. } | Validity::Unknown { reason, .. } => {
            ("invalid", json!(reason), Value::Null, demos)
        }
        Validity::Fails { demonstration, call, exception, failing, .. } => {
            ("invalid", json!(exception), json!({"demo": demonstration, "step": call}), *failing)
        }
        // No assertion departs from the states after it.
        Validity::Departs { .. } => ("invalid", Value::Null, Value::Null, demos),
    };
    vec![
        ("verdict", json!(verdict)),
        ("reason", reason),
        ("fail", fail),
        ("n_fail_demos", json!(failing)),
        ("sat", json!(evaluation.map(|e| e.set.count()))),
        ("set", json!(evaluation.map(|e| e.set.digest()))),
        ("outcomes", evaluation.map_or(Value::Null, |e| json!(e.outcomes()))),
        ("mutates", json!(evaluation.map(|e| e.mutates))),
    ]
}

fn compare_pool(demos: &Demonstrations, truth: &Truth, pool: &Value, file: &str, row: &mut Row) {
    let action = pool.get("action").and_then(Value::as_str).unwrap_or_default();
    let candidates = list(pool, "candidates");
    let Some(function) = demos.action(action) else {
        return row.lacks(candidates.len(), || format!("the specification has no action {action}"));
    };
    let instances = Instances::new(demos, function);
    let judged: Vec<(Validity, Option<Evaluation>)> = candidates
        .iter()
        .map(|candidate| judge(demos, &instances, candidate.get("cand").and_then(Value::as_str).unwrap_or_default()))
        .collect();
    let sets: Vec<Option<&InstanceSet>> =
        judged.iter().map(|(fate, e)| e.as_ref().filter(|_| *fate == Validity::Valid).map(|e| &e.set)).collect();
    let ranked = clusters(&sets);
    for (id, (candidate, (fate, evaluation))) in candidates.iter().zip(&judged).enumerate() {
        let cluster = ranked.iter().position(|c| c.members.contains(&id));
        let mut got = fields(fate, evaluation.as_ref(), demos.all.len());
        got.push(("cluster", json!(cluster)));
        got.push(("optimal", json!(cluster.and_then(|c| ranked.get(c)).is_some_and(|c| c.optimal))));
        if let Some(evaluation) = evaluation {
            got.push(("snapshot_verdict", json!(isolated(demos, &instances, &evaluation.set))));
        }
        let at = format!("{file}, {action}, candidate {id} {}", candidate["cand"]);
        report_unread(row, &at, &got, &[], candidate);
        // Recorded only where the two verdicts differ.
        let unsaid = candidate.get("snapshot_verdict").is_none() && candidate.get("class").is_some();
        let differs = got
            .iter()
            .find(|(field, value)| unsaid && *field == "snapshot_verdict" && candidate.get("verdict") != Some(value));
        let mut found = differences(&at, &got, candidate);
        found.extend(differs.map(|(field, value)| Difference {
            at: format!("{at}: {field}"),
            expected: candidate["verdict"].to_string(),
            got: value.to_string(),
        }));
        row.count(found);
    }
    let representative = |c: &stepwright_precondition::Cluster| {
        let text = candidates.get(c.representative()?)?.get("cand")?.as_str()?;
        Some(Assertion::expression(text).to_owned())
    };
    let optimal = ranked.iter().filter(|c| c.optimal);
    let ids: Vec<Option<usize>> = truth_ids(candidates, truth, action);
    let mut got = vec![
        ("n_instances", json!(instances.len())),
        ("n_steps", json!(demos.steps.len())),
        ("n_calls", json!(instances.calls.len())),
        ("n_candidates", json!(candidates.len())),
        ("n_valid", json!(sets.iter().flatten().count())),
        ("n_clusters", json!(ranked.len())),
        ("n_optimal", json!(optimal.clone().count())),
        ("h_opt", json!(optimal.clone().map(representative).collect::<Vec<_>>())),
    ];
    got.extend(arguments(&instances, pool.get("args").is_some()));
    if !ids.is_empty() {
        got.push(("ground_truth_ids", json!(ids)));
    }
    let at = format!("{file}, {action}");
    // The household's true assertions are its specification's, which words them in its own way.
    report_unread(row, &at, &got, &["candidates", "clusters", "optimal_clusters", "ground_truth_ids"], pool);
    row.differs_in(differences(&at, &got, pool));
    for (key, only_optimal) in [("clusters", false), ("optimal_clusters", true)] {
        let Some(expected) = pool.get(key).and_then(Value::as_array) else { continue };
        let numbered: Vec<_> = ranked.iter().enumerate().filter(|(_, c)| c.optimal || !only_optimal).collect();
        if numbered.len() != expected.len() {
            row.differs(difference(format!("{file}, {action}: number of {key}"), expected.len(), numbered.len()));
        }
        for ((number, cluster), expected) in numbered.into_iter().zip(expected) {
            let set = cluster.representative().and_then(|id| sets.get(id).copied().flatten());
            let got = [
                ("cluster", json!(number)),
                ("members", json!(cluster.members)),
                ("representative", json!(cluster.representative())),
                ("sat", json!(cluster.sat)),
                ("set", json!(set.map(InstanceSet::digest))),
                ("optimal", json!(cluster.optimal)),
                ("bits", json!(set.map(base64))),
            ];
            let at = format!("{file}, {action}, cluster {number}");
            report_unread(row, &at, &got, &[], expected);
            row.differs_in(differences(&at, &got, expected));
        }
    }
}

/// The verdict of the isolated sets: an assertion is valid if every call of the action is in its satisfied set.
fn isolated(demos: &Demonstrations, instances: &Instances, set: &InstanceSet) -> &'static str {
    let holds = (0..instances.len()).all(|at| {
        let instance = instances.instance(demos, at);
        let called =
            instance.is_some_and(|i| demos.call(&i.step).is_some_and(|c| of(instances, c) && c.args == i.binding));
        !called || set.contains(at)
    });
    if holds { "valid" } else { "invalid" }
}

fn of(instances: &Instances, call: &Call) -> bool {
    call.function == instances.function.name && call.receiver == instances.function.receiver
}

/// The action's parameters and the arguments it is called with, as recordings write them: a dialogue's one argument plainly,
/// the household's `listed`.
pub(super) fn arguments(instances: &Instances, listed: bool) -> Vec<(&'static str, Value)> {
    let params = &instances.function.params;
    let args: Vec<Vec<Value>> = instances.bindings.iter().map(|b| b.iter().map(Value::from).collect()).collect();
    let bindings = match params.first() {
        _ if listed => json!(args),
        None => Value::Null,
        Some(_) => args.iter().filter_map(|binding| binding.first().cloned()).collect(),
    };
    vec![("arg", json!(params.first())), ("args", json!(params)), ("bindings", bindings)]
}

/// The first candidate that spells each true assertion; none if they are not known.
fn truth_ids(candidates: &[Value], truth: &Truth, action: &str) -> Vec<Option<usize>> {
    let texts = truth.iter().find(|(name, _)| name == action).map_or(&[][..], |(_, texts)| texts);
    let first = |text: &String| candidates.iter().position(|c| c["cand"].as_str() == Some(text));
    texts.iter().map(first).collect()
}

/// The bits packed, the first instance the highest bit of the first byte, in base64.
fn base64(set: &InstanceSet) -> String {
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
        assert_eq!(base64(&InstanceSet::of(9, |i| [0, 2, 8].contains(&i))), "oIA=");
        assert_eq!(base64(&InstanceSet::none(0)), "");
    }
}
