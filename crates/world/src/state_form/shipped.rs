//! State forms that ship with the program, one a world at most, each loaded once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::form::StateForm;
use crate::faults::FileFaults;
use crate::{World, WorldKind};

/// The file of a form among those that a world ships.
const FILE: &str = "state_form.toml";

type Loaded = Result<Arc<StateForm>, Arc<FileFaults>>;

/// The text of the state form that ships for a world.
pub fn text(world: &WorldKind) -> Option<&'static str> {
    world.file(FILE).map(|file| file.text)
}

/// The state form that ships for a world; `None` if none does.
pub fn shipped(world: &WorldKind) -> Option<Loaded> {
    static FORMS: Mutex<BTreeMap<&'static str, Loaded>> = Mutex::new(BTreeMap::new());
    let file = world.file(FILE)?;
    let load = || StateForm::load(file.text, file.path).map(Arc::new).map_err(Arc::new);
    Some(FORMS.lock().unwrap_or_else(PoisonError::into_inner).entry(file.path).or_insert_with(load).clone())
}

/// The true state of a world in the form that ships for it; none if none does, or the world reports no facts.
pub fn of(world: &dyn World) -> Option<Value> {
    Some(shipped(world.kind())?.ok()?.state(&world.symbols()?.everything()))
}
