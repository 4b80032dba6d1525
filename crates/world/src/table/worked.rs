//! Worked examples of the table's domains (`worlds/table/demonstrations.toml`), with the states that follow from their code.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use super::{agent, call};
use crate::{WorkedExample, WorkedStep, updates};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    about: Vec<String>,
    initial: String,
    steps: Vec<WrittenStep>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenStep {
    query: String,
    code: String,
}

/// The domain whose example stands in for those without one.
const USUAL: &str = "pick_and_place";

static ALL: LazyLock<Result<BTreeMap<String, WorkedExample>, String>> = LazyLock::new(|| {
    let text = include_str!("../../../../worlds/table/demonstrations.toml");
    let written: BTreeMap<String, Written> = toml::from_str(text).map_err(|e| e.to_string())?;
    written.into_iter().map(|(domain, written)| Ok((domain, work(written)?))).collect()
});

/// The example of a domain; of one that has none, that of the plain table.
///
/// # Errors
/// Never, unless the program's own file is damaged.
pub fn worked(domain: &str) -> Result<&'static WorkedExample, String> {
    let all = ALL.as_ref().map_err(|e| format!("worlds/table/demonstrations.toml: {e}"))?;
    let found = all.get(domain).or_else(|| all.get(USUAL));
    found.ok_or_else(|| format!("worlds/table/demonstrations.toml has no {USUAL}"))
}

fn work(written: Written) -> Result<WorkedExample, String> {
    let first: Value = serde_json::from_str(&written.initial).map_err(|e| e.to_string())?;
    let mut state = first.clone();
    let mut steps = Vec::new();
    for WrittenStep { query, code } in written.steps {
        let code = code.trim().to_owned();
        let mut after_each = Vec::new();
        for text in updates(&code, call::UPDATING) {
            state = agent::update(&state, &text).map_err(|e| format!("`{text}`: {e}"))?;
            after_each.push((text, state.clone()));
        }
        steps.push(WorkedStep { query, code, updates: after_each, after: state.clone() });
    }
    Ok(WorkedExample { about: written.about, first, steps })
}
