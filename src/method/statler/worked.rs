//! The worked examples of the table's domains (`worlds/table/demonstrations.toml`), with the states that follow from their code.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::prompt::{objects, plain, shown};
use super::updates;
use crate::world::table::agent;

/// An example as templates show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Worked {
    /// What the domain is about, line by line.
    pub about: Vec<String>,
    /// The objects, as a list of Python.
    pub objects: String,
    /// The first state.
    pub state: String,
    /// Requests with their code and the state after it.
    pub steps: Vec<Step>,
    /// Updates with the state after them.
    pub updates: Vec<Step>,
}

/// A request or an update.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The words.
    pub query: String,
    /// The program.
    pub code: String,
    /// The program of a method that maintains no state.
    pub plain: String,
    /// The state after it.
    pub state: String,
}

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

static ALL: LazyLock<Result<BTreeMap<String, Worked>, String>> = LazyLock::new(|| {
    let text = include_str!("../../../worlds/table/demonstrations.toml");
    let written: BTreeMap<String, Written> = toml::from_str(text).map_err(|e| e.to_string())?;
    written.into_iter().map(|(domain, written)| Ok((domain, work(&written)?))).collect()
});

/// The example of a domain; of one that has none, that of the plain table.
///
/// # Errors
/// Never, unless the program's own file is damaged.
pub fn worked(domain: &str) -> Result<Worked, String> {
    let all = ALL.as_ref().map_err(|e| format!("worlds/table/demonstrations.toml: {e}"))?;
    let found = all.get(domain).or_else(|| all.get(USUAL));
    found.cloned().ok_or_else(|| format!("worlds/table/demonstrations.toml has no {USUAL}"))
}

fn work(written: &Written) -> Result<Worked, String> {
    let first: Value = serde_json::from_str(&written.initial).map_err(|e| e.to_string())?;
    let mut state = first.clone();
    let (mut steps, mut all) = (Vec::new(), Vec::new());
    for WrittenStep { query, code } in &written.steps {
        let code = code.trim().to_owned();
        for text in updates(&code) {
            state = agent::update(&state, &text).map_err(|e| format!("`{text}`: {e}"))?;
            let (query, code, plain) = (text, String::new(), String::new());
            all.push(Step { query, code, plain, state: shown(&state) });
        }
        steps.push(Step { query: query.clone(), plain: plain(&code), code, state: shown(&state) });
    }
    let (about, objects) = (written.about.clone(), objects(&first));
    Ok(Worked { about, objects, state: shown(&first), steps, updates: all })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief;

    #[test]
    fn every_example_works_out_and_its_states_can_be_read() {
        for domain in ["pick_and_place", "disinfection", "weight", "cover", "cups"] {
            let worked = worked(domain).unwrap();
            assert!(!worked.steps.is_empty() && !worked.about.is_empty(), "{domain}");
            assert!(worked.steps.iter().any(|s| s.code.contains("update_wm")), "{domain}");
            assert!(!worked.steps.iter().any(|s| s.plain.contains("update_wm")), "{domain}");
            if domain != "cups" {
                for state in worked.steps.iter().map(|s| &s.state).chain([&worked.state]) {
                    assert!(belief::read(state).unwrap().repairs.is_empty(), "{domain}: {state}");
                }
            }
        }
        let weight = worked("weight").unwrap();
        let last = &weight.steps.last().unwrap().state;
        assert!(last.contains(r#""clay bowl": {"contains": ["teal block", "ivory block"]}"#), "{last}");
        let dirty = worked("disinfection").unwrap();
        assert!(dirty.steps[2].state.contains(r#""ivory block": {"is": ["dirty"]}"#), "{}", dirty.steps[2].state);
        assert_eq!(worked("nothing").unwrap(), worked("pick_and_place").unwrap());
    }
}
