//! Experiments: everything that results depend on beside their unit, with the hash that each line of a results file carries.
//!
//! Two runs are of one experiment where all of it is equal; which values differ is said in words. What the fields are is the
//! study's and [`super::provenance`].

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// The mark of a results file's first line, and of each further experiment in it.
const MARK: &str = "results";
const VERSION: u64 = 1;
/// Hexadecimal digits of a hash: enough that no two of a researcher's experiments or units share one.
const DIGITS: usize = 16;

/// All that the results of a study depend on beside their unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    study: String,
    fields: Value,
    hash: String,
}

/// The first line of an experiment in a results file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Experiment")]
pub struct Head<'a> {
    /// `results`.
    stepwright: &'a str,
    version: u64,
    study: &'a str,
    /// The hash that its lines name it by.
    experiment: &'a str,
    /// All that its results depend on.
    fields: &'a Value,
}

impl Experiment {
    pub fn new(study: &str, fields: Value) -> Self {
        let hash = digest(&json!({ "study": study, "fields": fields }));
        Experiment { study: study.to_owned(), fields, hash }
    }

    pub fn study(&self) -> &str {
        &self.study
    }

    /// The hash that distinguishes it from all others, in hexadecimal.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    pub fn fields(&self) -> &Value {
        &self.fields
    }

    pub fn head(&self) -> Value {
        let Experiment { study, fields, hash } = self;
        json!(Head { stepwright: MARK, version: VERSION, study, experiment: hash, fields })
    }

    pub(crate) fn of_head(line: &Value) -> Result<Self, String> {
        if line["stepwright"] != MARK {
            return Err("it holds no experiment".to_owned());
        }
        if line["version"].as_u64().is_none_or(|version| version > VERSION) {
            return Err(format!("it has form {}; this program knows form {VERSION}", line["version"]));
        }
        let study = line["study"].as_str().ok_or("it names no study")?;
        let experiment = Experiment::new(study, line["fields"].clone());
        if line["experiment"] != *experiment.hash {
            return Err(format!(
                "the experiment was changed: its hash is {}, that of its values {}",
                line["experiment"], experiment.hash
            ));
        }
        Ok(experiment)
    }

    /// The differences of another experiment, value by value: `limits.steps is 50, there 2`.
    pub fn differences(&self, other: &Experiment) -> Vec<String> {
        let mut found = Vec::new();
        if self.study != other.study {
            found.push(format!("study is {}, there {}", self.study, other.study));
        }
        differ("", &self.fields, &other.fields, &mut found);
        found
    }
}

fn differ(path: &str, one: &Value, other: &Value, found: &mut Vec<String>) {
    if let (Value::Object(one), Value::Object(other)) = (one, other) {
        let mut names: Vec<&String> = one.keys().chain(other.keys()).collect();
        names.sort();
        names.dedup();
        for name in names {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let of = |object: &Map<String, Value>| object.get(name).cloned().unwrap_or_default();
            differ(&path, &of(one), &of(other), found);
        }
    } else if sorted(one) != sorted(other) {
        found.push(format!("{path} is {}, there {}", plain(one), plain(other)));
    }
}

pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Null => "absent".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The key of a unit: its condition, its task and its seed, as a hash.
pub fn unit_key(condition: &Value, task: &str, seed: u64) -> String {
    digest(&json!({ "condition": condition, "task": task, "seed": seed }))
}

/// The beginning of the SHA-256 of a JSON value, independent of the order of its objects' entries.
pub fn digest(value: &Value) -> String {
    digest_of(sorted(value).to_string().as_bytes())
}

pub fn digest_of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text.truncate(DIGITS);
    text
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut entries: Vec<(&String, &Value)> = object.iter().collect();
            entries.sort_by_key(|(name, _)| *name);
            entries.into_iter().map(|(name, value)| (name.clone(), sorted(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(values) => values.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_counts_and_the_order_of_entries_does_not() {
        let one = Experiment::new("run", json!({"limits": {"steps": 2, "tokens": null}, "model": "m"}));
        let same = Experiment::new("run", json!({"model": "m", "limits": {"tokens": null, "steps": 2}}));
        assert_eq!((one.hash(), one.hash().len()), (same.hash(), DIGITS));
        let other = Experiment::new("run", json!({"limits": {"steps": 50}, "model": "m", "prompts": "ab"}));
        assert_ne!(one.hash(), other.hash());
        assert_ne!(one.hash(), Experiment::new("policy", one.fields().clone()).hash());
        assert_eq!(one.differences(&same), Vec::<String>::new());
        assert_eq!(one.differences(&other), ["limits.steps is 2, there 50", "prompts is absent, there ab"]);
    }

    #[test]
    fn a_head_is_read_back_and_one_changed_by_hand_is_refused() {
        let experiment = Experiment::new("run", json!({"model": "m"}));
        let mut head = experiment.head();
        assert_eq!(Experiment::of_head(&head), Ok(experiment));
        head["fields"]["model"] = json!("other");
        assert!(Experiment::of_head(&head).unwrap_err().contains("was changed"));
        head["version"] = json!(2);
        assert!(Experiment::of_head(&head).unwrap_err().contains("form 2"));
        assert!(Experiment::of_head(&json!({"task": "a"})).is_err());
    }

    #[test]
    fn units_differ_by_condition_task_and_seed() {
        let key = |condition: &str, task, seed| unit_key(&json!({ "method": condition }), task, seed);
        let own = key("a", "t", 0);
        assert_eq!(own, key("a", "t", 0));
        assert!([key("b", "t", 0), key("a", "u", 0), key("a", "t", 1)].iter().all(|other| *other != own));
    }
}
