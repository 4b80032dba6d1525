//! Files that ship, for tests of what reads them. The worlds themselves are in the crate above.

use std::sync::Arc;

use crate::{Origin, ShippedFile, TaskSet, WorldError, WorldKind};

macro_rules! file {
    ($world:literal, $name:literal) => {
        ShippedFile {
            name: $name,
            path: concat!("worlds/", $world, "/", $name),
            text: include_str!(concat!("../worlds/", $world, "/", $name)),
        }
    };
}

fn nothing(_: &Origin<'_>) -> Result<Arc<dyn TaskSet>, WorldError> {
    Err(WorldError::Failed("nothing is played".to_owned()))
}

const fn of(name: &'static str, files: &'static [ShippedFile]) -> WorldKind {
    WorldKind { files, ..WorldKind::new(name, "files of a world", nothing) }
}

pub static KITCHEN: WorldKind = of("kitchen", &[file!("kitchen", "domain.toml"), file!("kitchen", "state_form.toml")]);
pub static HOUSEHOLD: WorldKind =
    of("household", &[file!("household", "domain.toml"), file!("household", "state_form.toml")]);
pub static DIALOGUE: WorldKind = of("dialogue", &[]);
