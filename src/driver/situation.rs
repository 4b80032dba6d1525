//! What world and program look like at the cursor: derived, never logged.

use std::sync::Arc;

use super::difference::difference;
use super::task::Driver;
use super::{Situation, believing};

/// The situation at the cursor.
pub(super) fn of(driver: &Driver) -> Situation {
    let session = driver.gate.session();
    let world = driver.points.world.as_ref();
    let truth = world.truth();
    let node = session.cursor();
    // What the last step changed: against the truth last shown where that was the step's beginning, else against the kept point.
    let parent = session.current().and_then(|n| n.parent);
    let before = driver.shown.as_ref().filter(|(shown, _)| Some(*shown) == parent).map(|(_, truth)| truth.clone());
    let before = before.or_else(|| driver.points.truth_at(parent?));
    let truth_changes = before.map_or_else(|| serde_json::Value::Array(Vec::new()), |b| difference(&b, &truth));
    let tree = driver.live_tree();
    Situation {
        node,
        admissible: world.admissible(),
        truth,
        variables: driver.points.state.variables(),
        map: world.picture(),
        truth_changes,
        live: tree.is_some(),
        request: world.request(),
        belief: believing::view(driver).map(Arc::new),
        goals: tree.unwrap_or_else(|| driver.goals().0),
    }
}
