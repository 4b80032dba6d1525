//! Compares the averages of Equation (2) over services and actions.

use serde_json::{Value, json};

use super::fields::{count_held, list, texts};
use super::recordings::{Recordings, Split};
use super::scores::mean;
use crate::Row;
use stepwright_precondition::{Instances, Score};
use stepwright_study::recordings::document;

/// Compares a file of averages: over all (service, action) pairs of the services it lists, and of each service.
pub(super) fn compare(recordings: &Recordings, golden: &Value, file: &str) -> Result<Row, String> {
    let mut row = Row::new(format!("golden/{file}"), "averages");
    let mut all = Vec::new();
    for recorded in list(golden, "per_service") {
        let service = recorded["service"].as_str().unwrap_or_default();
        let at = format!("{file}, {service}");
        let Some(scores) = adopted(recordings, service)? else {
            row.lacks(1, || format!("{at}: golden/eq2_{service}.json is not recorded"));
            continue;
        };
        let got = mean(&scores);
        count_held(&mut row, &at, &got, &[], recorded);
        all.extend(scores);
    }
    let mut got = mean(&all);
    got.push(("n_pairs", json!(all.len())));
    count_held(&mut row, file, &got, &["per_service"], golden);
    Ok(row)
}

/// The scores of what was adopted for a service (case `h_opt`), an entry an action; `None` if they are not recorded.
fn adopted(recordings: &Recordings, service: &str) -> Result<Option<Vec<Score>>, String> {
    let path = recordings.golden().join(format!("eq2_{service}.json"));
    if !path.exists() {
        return Ok(None);
    }
    let golden: Value = document(&path)?;
    let demos = recordings.service(service, Split::Test)?;
    let mut scores = Vec::new();
    for action in list(&golden, "actions") {
        let name = action["action"].as_str().unwrap_or_default();
        let case = list(action, "cases").iter().find(|case| case["name"].as_str() == Some("h_opt"));
        let Some((case, function)) = case.zip(demos.action(name)) else { continue };
        let instances = Instances::new(&demos, function);
        let set = |value: &Value| {
            let texts = texts(value).ok_or_else(|| format!("{service}, {name}: no list of assertions"))?;
            instances.conjunction(&demos, &texts)
        };
        scores.push(Score::of_sets(&set(&case["pred"])?, &set(&action["ground_truth"])?));
    }
    Ok(Some(scores))
}
