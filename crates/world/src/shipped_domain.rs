//! Blocking domains that ship with the program, one a world at most.

use std::sync::Arc;

use super::WorldKind;
use crate::blocking::Domain;
use crate::faults::FileFaults;

/// The file of a domain among those that a world ships.
const FILE: &str = "domain.toml";

/// The domain that ships for a world; `None` if none does. Files it names are looked for among the world's own.
pub fn shipped_domain(world: &WorldKind) -> Option<Result<Arc<Domain>, FileFaults>> {
    let file = world.file(FILE)?;
    let beside = |name: &str| {
        let found = world.file(name).map(|file| file.text.to_owned());
        found.ok_or_else(|| format!("no file `{name}` ships beside it"))
    };
    Some(Domain::load_beside(file.text, file.path, &beside).map(Arc::new))
}
