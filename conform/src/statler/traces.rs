//! Gold traces: the published episodes and the generated ones, statements heard and the gold moves done, compared with the recorded
//! placements, errors and states after every step.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{each, field, read, row, unreadable};
use crate::Row;
use stepwright_study::recordings::json_files;
use stepwright_worlds::table::Table;

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

#[derive(Debug, Deserialize)]
struct Trace {
    id: String,
    initial: Value,
    steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
struct Step {
    /// The request, where the record holds it itself.
    query: Option<String>,
    #[serde(default)]
    kind: String,
    #[serde(alias = "gold_moves")]
    moves: Vec<(String, String)>,
    errors: Option<Vec<Value>>,
    placement: Map<String, Value>,
    state: Value,
}

/// Recorded parts of requests without a counterpart in a table's rules.
const NOT_COMPARED: &str = "temporal, goal, all_solutions and weights are taken as they are and compared with nothing";

/// Compares the gold traces with the episodes beside them, and every generated episode with what it holds.
pub fn compare(folder: &Path) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut asked: BTreeMap<String, Vec<Asked>> = BTreeMap::new();
    for file in json_files(folder, "episodes_") {
        let mut row = row(&file, "steps");
        match read::<Vec<Episode>>(&file, &mut row) {
            Some(episodes) => asked.extend(episodes.into_iter().map(|episode| (episode.id, episode.steps))),
            None => rows.push(row),
        }
    }
    for (prefix, episodes) in [("gold_traces", &asked), ("generated_", &BTreeMap::new())] {
        rows.extend(each(folder, prefix, "steps", |file| {
            let mut row = row(file, "steps");
            row.each_record(file, |row, at, trace: Trace| replay(&trace, episodes.get(&trace.id), &at, row));
            // Said where nothing else has to be.
            row.note.get_or_insert_with(|| NOT_COMPARED.to_owned());
            row
        }));
    }
    rows
}

fn replay(trace: &Trace, asked: Option<&Vec<Asked>>, at: &str, row: &mut Row) {
    let mut table = match Table::from_form(&trace.initial) {
        Ok(table) => table,
        Err(e) => return row.differs(unreadable(format!("{at}, {}, initial", trace.id), &e)),
    };
    row.equal(format!("{at}, {}, initial", trace.id), &trace.initial, &table.form());
    for (i, step) in trace.steps.iter().enumerate() {
        let of_episode = asked.and_then(|steps| steps.get(i)).map(|asked| (asked.query.as_str(), asked.kind.as_str()));
        let Some((query, kind)) = step.query.as_deref().map(|query| (query, step.kind.as_str())).or(of_episode) else {
            let left = trace.steps.len() - i;
            return row.lacks(left, || format!("their queries are not there (first: {})", trace.id));
        };
        if let Ok(telling) = kind.parse() {
            table.hear(query, telling);
        }
        let errors: Vec<Value> =
            step.moves.iter().filter_map(|(a, b)| table.put(a, b).err()).map(Value::from).collect();
        let fields = [
            field("placement", &step.placement, &table.placement()),
            step.errors.as_ref().and_then(|recorded| field("errors", recorded, &errors)),
            field("state", &step.state, &table.form()),
        ];
        row.fields(|| format!("{at}, {}, step {} `{query}`", trace.id, i + 1), fields);
    }
}
