//! Validation, satisfied sets and Equation (1) against recorded results: every field of every pool.

mod precondition_data;

use std::collections::BTreeMap;

use precondition_data::{Source, data, household, read_json, service, services};
use serde_json::{Value, json};
use stepwright::precondition::{Bits, Evaluation, Fate, Ground, Instances, Score, clusters, malformed, validate};
use stepwright::program::Assertion;

/// Verdict and evaluation of one candidate.
fn judge(ground: &Ground, instances: &Instances, text: &str) -> (Fate, Option<Evaluation>) {
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

/// A candidate as the recordings write it.
fn as_recorded(fate: &Fate, evaluation: Option<&Evaluation>, demos: usize) -> BTreeMap<&'static str, Value> {
    let (verdict, reason, fail, failing) = match fate {
        Fate::Valid => ("valid", Value::Null, Value::Null, 0),
        Fate::Malformed { reason, .. } => ("invalid", json!(reason), Value::Null, demos),
        Fate::Unknown { reason, .. } => ("invalid", json!(reason), Value::Null, demos),
        Fate::Fails { demonstration, call, exception, failing, .. } => {
            ("invalid", json!(exception), json!({"demo": demonstration, "step": call}), *failing)
        }
    };
    BTreeMap::from([
        ("verdict", json!(verdict)),
        ("reason", reason),
        ("fail", fail),
        ("n_fail_demos", json!(failing)),
        ("sat", json!(evaluation.map(|e| e.set.count()))),
        ("set", json!(evaluation.map(|e| e.set.digest()))),
        ("outcomes", evaluation.map_or(Value::Null, |e| json!(e.outcomes))),
        ("mutates", json!(evaluation.map(|e| e.mutates))),
    ])
}

/// What was compared and what differs.
#[derive(Default)]
struct Tally {
    pools: usize,
    candidates: usize,
    fields: usize,
    unsupported: usize,
    differences: Vec<String>,
}

impl Tally {
    fn compare(&mut self, place: &str, field: &str, got: &Value, recorded: &Value) {
        self.fields += 1;
        if got != recorded {
            self.differences.push(format!("{place}: {field}: {got}, recorded {recorded}"));
        }
    }

    fn finish(self, what: &str) {
        eprintln!(
            "{what}: {} pools, {} candidates, {} fields, {} unsupported, {} differences",
            self.pools,
            self.candidates,
            self.fields,
            self.unsupported,
            self.differences.len()
        );
        for difference in self.differences.iter().take(40) {
            eprintln!("  {difference}");
        }
        assert_eq!(self.differences.len(), 0, "{what} differs from the recordings");
    }
}

fn compare_pool(tally: &mut Tally, ground: &Ground, pool: &Value, name: &str) {
    let action = pool["action"].as_str().unwrap();
    let instances = Instances::new(ground, ground.action(action).unwrap());
    tally.pools += 1;
    let place = format!("{name}/{action}");
    tally.compare(&place, "n_instances", &json!(instances.len()), &pool["n_instances"]);
    if pool.get("n_calls").is_some() {
        tally.compare(&place, "n_calls", &json!(instances.calls.len()), &pool["n_calls"]);
    }
    let recorded: Vec<&Value> = pool["candidates"].as_array().unwrap().iter().collect();
    let mut sets: Vec<Option<Bits>> = Vec::new();
    let mut standings = Vec::new();
    for candidate in &recorded {
        let text = candidate["cand"].as_str().unwrap();
        let (fate, evaluation) = judge(ground, &instances, text);
        tally.candidates += 1;
        if matches!(&fate, Fate::Unknown { reason, .. } if reason == "Unsupported") {
            tally.unsupported += 1;
        }
        if let Fate::Fails { message, at, .. } = &fate {
            assert!(!message.is_empty() && !at.is_empty());
        }
        let got = as_recorded(&fate, evaluation.as_ref(), ground.demos.len());
        for (field, value) in got {
            if let Some(expected) = candidate.get(field) {
                tally.compare(&format!("{place}#{} `{text}`", candidate["id"]), field, &value, expected);
            }
        }
        sets.push(evaluation.filter(|_| fate == Fate::Valid).map(|e| e.set));
        standings.push(format!("{place}#{} `{text}`", candidate["id"]));
    }
    let ranked = clusters(&sets.iter().map(Option::as_ref).collect::<Vec<_>>());
    for (id, candidate) in recorded.iter().enumerate() {
        let cluster = ranked.iter().position(|c| c.members.contains(&id));
        tally.compare(&standings[id], "cluster", &json!(cluster), &candidate["cluster"]);
        let optimal = cluster.is_some_and(|c| ranked[c].optimal);
        tally.compare(&standings[id], "optimal", &json!(optimal), &candidate["optimal"]);
    }
    if pool.get("n_valid").is_some() {
        tally.compare(&place, "n_valid", &json!(sets.iter().flatten().count()), &pool["n_valid"]);
        tally.compare(&place, "n_clusters", &json!(ranked.len()), &pool["n_clusters"]);
        let optimal = ranked.iter().filter(|c| c.optimal).count();
        tally.compare(&place, "n_optimal", &json!(optimal), &pool["n_optimal"]);
    }
    if let Some(h_opt) = pool.get("h_opt") {
        let text = |c: &stepwright::precondition::Cluster| {
            let text = recorded[c.members[0]]["cand"].as_str().unwrap();
            Assertion::compile(text).unwrap().text().to_owned()
        };
        let texts: Vec<String> = ranked.iter().filter(|c| c.optimal).map(text).collect();
        tally.compare(&place, "h_opt", &json!(texts), h_opt);
    }
    for (key, only_optimal) in [("clusters", false), ("optimal_clusters", true)] {
        let Some(expected) = pool.get(key).and_then(Value::as_array) else { continue };
        let numbered = ranked.iter().enumerate().filter(|(_, c)| c.optimal || !only_optimal);
        for ((number, cluster), expected) in numbered.zip(expected) {
            let place = format!("{place} cluster {number}");
            let set = sets[cluster.members[0]].as_ref().unwrap();
            let got = BTreeMap::from([
                ("cluster", json!(number)),
                ("members", json!(cluster.members)),
                ("representative", json!(cluster.members[0])),
                ("sat", json!(cluster.sat)),
                ("set", json!(set.digest())),
                ("optimal", json!(cluster.optimal)),
                ("bits", json!(base64(set))),
            ]);
            for (field, value) in got {
                if let Some(expected) = expected.get(field) {
                    tally.compare(&place, field, &value, expected);
                }
            }
        }
    }
}

/// The bits packed, the first instance the highest of the first byte, in base64.
fn base64(set: &Bits) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bytes = set.len().div_ceil(8);
    let bit = |at: usize| usize::from(set.contains(at));
    let digits = (bytes * 8).div_ceil(6);
    let mut text: String =
        (0..digits).map(|d| char::from(DIGITS[(0..6).fold(0, |value, k| value << 1 | bit(d * 6 + k))])).collect();
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}

fn pools(value: &Value) -> &[Value] {
    value["actions"].as_array().unwrap()
}

#[test]
fn household_pools_match_in_every_field() {
    let Some(dir) = data("sgd/golden/alfworld.json") else { return };
    let golden = read_json(&dir.join("sgd/golden/alfworld.json"));
    let ground = household(&dir);
    let mut tally = Tally::default();
    tally.compare("alfworld", "n_demos", &json!(ground.demos.len()), &golden["n_demos"]);
    tally.compare("alfworld", "n_steps", &json!(ground.steps.len()), &golden["n_steps"]);
    for pool in pools(&golden) {
        compare_pool(&mut tally, &ground, pool, "alfworld");
    }
    tally.finish("household pools");
}

#[test]
fn dialogue_pools_match_in_every_field() {
    let Some(dir) = data("sgd/domains.json") else { return };
    let mut tally = Tally::default();
    for name in services(&dir) {
        let golden = read_json(&dir.join(format!("sgd/golden/{name}.json")));
        let ground = service(&dir, &name, Source::Demos);
        tally.compare(&name, "n_steps", &json!(ground.steps.len()), &golden["n_steps"]);
        for pool in pools(&golden) {
            compare_pool(&mut tally, &ground, pool, &name);
        }
    }
    tally.finish("dialogue pools");
}

#[test]
fn appendix_f_and_the_large_pools_match() {
    let Some(dir) = data("sgd/domains.json") else { return };
    let mut tally = Tally::default();
    for file in ["appendix_f", "large_Restaurants_1_INFORM", "large_Buses_1_CONFIRM", "large_Movies_1_GetTimesForMovie"]
    {
        let pool = read_json(&dir.join(format!("sgd/golden/{file}.json")));
        let ground = service(&dir, pool["service"].as_str().unwrap(), Source::Demos);
        compare_pool(&mut tally, &ground, &pool, file);
    }
    tally.finish("Appendix F and large pools");
}

#[test]
fn odd_candidates_get_the_recorded_verdict_or_any() {
    let Some(dir) = data("sgd/golden/robustness.json") else { return };
    let golden = read_json(&dir.join("sgd/golden/robustness.json"));
    let ground = service(&dir, golden["service"].as_str().unwrap(), Source::Demos);
    let instances = Instances::new(&ground, ground.action(golden["action"].as_str().unwrap()).unwrap());
    let mut tally = Tally::default();
    for (at, candidate) in golden["candidates"].as_array().unwrap().iter().enumerate() {
        let text = candidate["cand"].as_str().unwrap();
        let (fate, evaluation) = judge(&ground, &instances, text);
        tally.candidates += 1;
        let got = as_recorded(&fate, evaluation.as_ref(), ground.demos.len());
        if candidate["compare"] == "exact" {
            for field in ["verdict", "reason", "sat"] {
                let short: String = text.chars().take(80).collect();
                tally.compare(&format!("robustness {at} `{short}`"), field, &got[field], &candidate[field]);
            }
        }
    }
    tally.finish("odd candidates");
}

#[test]
fn equation_2_matches() {
    let Some(dir) = data("sgd/golden/eq2_macro.json") else { return };
    let mut tally = Tally::default();
    let mut macro_scores = Vec::new();
    for name in services(&dir) {
        let golden = read_json(&dir.join(format!("sgd/golden/eq2_{name}.json")));
        let ground = service(&dir, &name, Source::Test);
        for action in golden["actions"].as_array().unwrap() {
            let instances = Instances::new(&ground, ground.action(action["action"].as_str().unwrap()).unwrap());
            let place = format!("{name}/{}", action["action"]);
            tally.compare(&place, "n_instances", &json!(instances.len()), &action["n_instances"]);
            let truth = instances.conjunction(&ground, &texts(&action["ground_truth"])).unwrap();
            tally.compare(&place, "gt_set", &json!(truth.digest()), &action["gt_set"]);
            for case in action["cases"].as_array().unwrap().iter().filter(|case| !case["pred"].is_null()) {
                let predicted = instances.conjunction(&ground, &texts(&case["pred"])).unwrap();
                let score = Score::of_sets(&predicted, &truth);
                let place = format!("{place} {}", case["name"]);
                tally.candidates += 1;
                tally.compare(&place, "pred_set", &json!(predicted.digest()), &case["pred_set"]);
                for (field, got) in [("precision", score.precision), ("recall", score.recall), ("f1", score.f1)] {
                    let close = (got - case[field].as_f64().unwrap()).abs() < 1e-12;
                    tally.compare(&place, field, &json!(close), &json!(true));
                }
                if case["name"] == "h_opt" {
                    macro_scores.push(score);
                }
            }
        }
    }
    let golden = read_json(&dir.join("sgd/golden/eq2_macro.json"));
    let mean = Score::of_macro(&macro_scores).unwrap();
    for (field, got) in [("precision", mean.precision), ("recall", mean.recall), ("f1_of_macro", mean.f1)] {
        let close = (got - golden[field].as_f64().unwrap()).abs() < 1e-9;
        tally.compare(&format!("macro {got}"), field, &json!(close), &json!(true));
    }
    tally.finish("Equation (2)");
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|t| t.as_str().unwrap().to_owned()).collect()
}
