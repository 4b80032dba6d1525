//! Worked examples of the table's domains (`worlds/table/demonstrations.toml`), with the states that follow from their code by the table's rules.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use super::call::{self, Act};
use super::{Scene, Table};
use stepwright_world::{WorkedExample, WorkedStep};

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
    let text = include_str!("../../worlds/table/demonstrations.toml");
    let written: BTreeMap<String, Written> = toml::from_str(text).map_err(|e| e.to_string())?;
    written.into_iter().map(|(domain, written)| Ok((domain, work(written)?))).collect()
});

/// The example of a domain; of one that has none, that of the plain table.
/// Errors: never, unless the program's own file is damaged.
pub fn worked(domain: &str) -> Result<&'static WorkedExample, String> {
    let all = ALL.as_ref().map_err(|e| format!("worlds/table/demonstrations.toml: {e}"))?;
    let found = all.get(domain).or_else(|| all.get(USUAL));
    found.ok_or_else(|| format!("worlds/table/demonstrations.toml has no {USUAL}"))
}

fn work(written: Written) -> Result<WorkedExample, String> {
    let first: Value = serde_json::from_str(&written.initial).map_err(|e| e.to_string())?;
    let mut scene = match first.get(stepwright_world::CUPS) {
        Some(cups) => Scene::Cups(serde_json::from_value(cups.clone()).map_err(|e| e.to_string())?),
        None => Scene::Table(Table::from_form(&first)?),
    };
    let mut steps = Vec::new();
    for WrittenStep { query, code } in written.steps {
        let code = code.trim().to_owned();
        let mut updates = Vec::new();
        for act in call::read(&code)? {
            match act {
                Act::Put(first, second) => scene.put(&first, &second)?,
                Act::Update(text) => {
                    scene.hear(&text, "statement", None);
                    updates.push((text, scene.form()));
                }
                Act::Say(_) | Act::Noop | Act::Done => {}
            }
        }
        steps.push(WorkedStep { query, code, updates, after: scene.form() });
    }
    Ok(WorkedExample { about: written.about, first, steps })
}
