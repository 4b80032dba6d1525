//! Demonstrations that ship: purchases in the shipped catalogue, replayed in the form that the world is configured for.

use super::visit::Options;
use super::{ShopWorld, Source};
use stepwright_world::WorldError;
use stepwright_world::demonstration::Demonstration;

const PATH: &str = "worlds/shop/demonstrations.jsonl";
const TEXT: &str = include_str!("../../worlds/shop/demonstrations.jsonl");

/// The shipped demonstrations but that of the task itself.
pub(super) fn demonstrations(task: &str, origin: &str, options: Options) -> Result<Vec<Demonstration>, WorldError> {
    let mut world = ShopWorld::over(Source::shipped()?, options);
    Demonstration::shipped(&mut world, (TEXT, PATH), |known| origin != "shipped" || known != task)
}
