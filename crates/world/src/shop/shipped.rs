//! Demonstrations that ship: purchases in the shipped catalogue, replayed in the form that the world is configured for.

use serde::Deserialize;

use super::visit::Options;
use super::{ShopWorld, Source};
use crate::WorldError;
use crate::demonstration::Demonstration;

const DEMONSTRATIONS: &str = include_str!("../../../../worlds/shop/demonstrations.jsonl");

/// A shipped demonstration: a task of the shipped catalogue and what was done in it. What was seen follows from replaying.
#[derive(Debug, Deserialize)]
struct Shipped {
    task: String,
    actions: Vec<String>,
}

/// The shipped demonstrations but that of the task itself.
pub(super) fn demonstrations(task: &str, origin: &str, options: Options) -> Result<Vec<Demonstration>, WorldError> {
    let mut world = ShopWorld::over(Source::shipped()?, options);
    let mut all = Vec::new();
    for (i, line) in DEMONSTRATIONS.lines().filter(|line| !line.trim().is_empty()).enumerate() {
        let shipped: Shipped = serde_json::from_str(line).map_err(|e| WorldError::Data {
            path: format!("worlds/shop/demonstrations.jsonl:{}", i + 1),
            message: e.to_string(),
        })?;
        if origin == "shipped" && shipped.task == task {
            continue;
        }
        let id = format!("demonstration/{}", shipped.task);
        all.push(Demonstration::replay(&mut world, &shipped.task, id, shipped.actions)?);
    }
    Ok(all)
}
