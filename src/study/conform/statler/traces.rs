//! Gold traces: the published episodes and the generated ones, what is told heard and the gold moves done, compared with the recorded
//! placements, errors and states after every step.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{NAME, difference, row, unreadable};
use crate::study::conform::Row;
use crate::study::conform::files::{each_line, files_with_end, jsonl_files, name_of};
use crate::world::table::{Table, Telling};

/// An episode as published or generated, as far as it is looked at here.
#[derive(Debug, Deserialize)]
struct Episode {
    id: String,
    steps: Vec<Asked>,
}

#[derive(Debug, Clone, Deserialize)]
struct Asked {
    query: String,
    #[serde(default)]
    kind: String,
}

/// A recorded trace.
#[derive(Debug, Deserialize)]
struct Trace {
    id: String,
    initial: Value,
    steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
struct Step {
    /// What was asked, where the record holds it itself.
    query: Option<String>,
    #[serde(default)]
    kind: String,
    #[serde(alias = "gold_moves")]
    moves: Vec<(String, String)>,
    #[serde(default)]
    errors: Option<Vec<Value>>,
    placement: Map<String, Value>,
    state: Value,
}

/// What is recorded of requests and has no counterpart in a table's rules.
const NOT_COMPARED: &str = "temporal, goal, all_solutions and weights are taken as they are and compared with nothing";

/// Compares the gold traces with the episodes beside them, and every generated episode with what it holds.
pub fn compare(folder: &Path) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut asked: BTreeMap<String, Vec<Asked>> = BTreeMap::new();
    let episodes = files_with_end(folder, ".json").into_iter().filter(|file| name_of(file).starts_with("episodes_"));
    for file in episodes {
        let text = std::fs::read_to_string(&file).map_err(|e| e.to_string());
        match text.and_then(|text| serde_json::from_str::<Vec<Episode>>(&text).map_err(|e| e.to_string())) {
            Ok(episodes) => asked.extend(episodes.into_iter().map(|episode| (episode.id, episode.steps))),
            Err(e) => {
                let mut row = row(&file, "steps");
                row.differs(unreadable(name_of(&file), &e));
                rows.push(row);
            }
        }
    }
    for (prefix, episodes) in [("gold_traces", &asked), ("generated_", &BTreeMap::new())] {
        let files = jsonl_files(folder, prefix);
        if files.is_empty() {
            rows.push(Row::missing(NAME, format!("{prefix}*.jsonl"), "steps", "not in this folder"));
        }
        for file in files {
            let mut row = row(&file, "steps");
            each_line(&file, |at, line: Result<Trace, String>| match line {
                Err(e) => row.differs(unreadable(at, &e)),
                Ok(trace) => replay(&trace, episodes.get(&trace.id), &at, &mut row),
            });
            // Said where nothing else has to be.
            row.note.get_or_insert_with(|| NOT_COMPARED.to_owned());
            rows.push(row);
        }
    }
    rows
}

fn replay(trace: &Trace, asked: Option<&Vec<Asked>>, at: &str, row: &mut Row) {
    let mut table = match Table::from_form(&trace.initial) {
        Ok(table) => table,
        Err(e) => return row.differs(unreadable(format!("{at}, {}, initial", trace.id), &e)),
    };
    let start = table.form();
    row.count(
        (start != trace.initial).then(|| difference(format!("{at}, {}, initial", trace.id), &trace.initial, start)),
    );
    for (i, step) in trace.steps.iter().enumerate() {
        let of_episode = asked.and_then(|steps| steps.get(i)).map(|asked| (asked.query.as_str(), asked.kind.as_str()));
        let Some((query, kind)) = step.query.as_deref().map(|query| (query, step.kind.as_str())).or(of_episode) else {
            let left = (trace.steps.len() - i) as u64;
            return row.lacks(left, || format!("their queries are not there (first: {})", trace.id));
        };
        match kind {
            "statement" => table.hear(query, Telling::Statement),
            "event" => table.hear(query, Telling::Event),
            _ => {}
        }
        let errors: Vec<Value> =
            step.moves.iter().filter_map(|(a, b)| table.put(a, b).err()).map(Value::from).collect();
        let fields = [
            ("placement", Value::Object(step.placement.clone()), Value::Object(table.placement())),
            ("errors", json!(step.errors.clone().unwrap_or_else(|| errors.clone())), json!(errors)),
            ("state", step.state.clone(), table.form()),
        ];
        row.count_fields(|| format!("{at}, {}, step {} `{query}`", trace.id, i + 1), fields);
    }
}
