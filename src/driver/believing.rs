//! The belief in the driver: reading what is written or typed as one, and setting it beside the truth.

use std::sync::Arc;

use serde_json::Value;

use super::task::Driver;
use super::{BeliefReading, BeliefView};
use crate::belief;

/// Reads a whole belief: JSON as it is, else what people and models write in its place.
pub(super) fn read(text: &str) -> Result<BeliefReading, String> {
    if let Ok(state @ Value::Object(_)) = serde_json::from_str(text) {
        return Ok(BeliefReading { state: Arc::new(state), repairs: Vec::new() });
    }
    let reading = belief::read(text).map_err(|e| e.to_string())?;
    let repairs = reading.repairs.iter().map(ToString::to_string).collect();
    Ok(BeliefReading { state: Arc::new(reading.state), repairs })
}

/// What is believed at the cursor beside the truth there, and how far both were apart on the way.
pub(super) fn view(driver: &Driver) -> Option<BeliefView> {
    let session = driver.gate.session();
    let state = session.belief().map(Arc::clone)?;
    let truth = driver.points.told_at(session.cursor()).map(Arc::clone);
    let differences = truth.as_deref().map(|truth| belief::compare(&state, truth)).unwrap_or_default();
    let path = session.path(session.cursor());
    let drift = path.iter().filter_map(|node| {
        let truth = driver.points.told_at(node.id)?;
        Some((node.id, belief::compare(node.belief.as_deref()?, truth).len()))
    });
    Some(BeliefView { state, truth, differences, drift: drift.collect() })
}
