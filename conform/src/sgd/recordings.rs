//! Reader of the recordings: services, their specifications, demonstrations and test dialogues as grounds to judge candidates on.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::fields::{list, texts};
use stepwright_precondition::{Demo, Demonstrations};
use stepwright_program::{Call, Specification};
use stepwright_study::recordings::document;
use stepwright_world::demonstration::{self, Demonstration};
use stepwright_world::{World, WorldError};
use stepwright_worlds::dialogue::{self, GroundTruth};
use stepwright_worlds::household::{Edition, HouseholdWorld, Source};

/// Which dialogues of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    Demonstrations,
    Test,
}

/// A folder of recordings: dialogues, what is true of their services, and results.
#[derive(Debug, Clone)]
pub struct Recordings {
    folder: PathBuf,
    source: Arc<dialogue::Source>,
}

impl Recordings {
    /// Opens the folder that holds `domains.json`, `dialogues/` and `golden/`.
    pub fn open(folder: &Path) -> Result<Self, String> {
        let source = dialogue::Source::open(folder).map_err(|e| e.to_string())?;
        Ok(Recordings { folder: folder.to_owned(), source: Arc::new(source) })
    }

    pub fn source(&self) -> &dialogue::Source {
        &self.source
    }

    pub fn services(&self) -> impl Iterator<Item = &str> {
        self.source.services()
    }

    /// The true preconditions of a service's actions that its demonstrations call.
    pub fn truth(&self, service: &str) -> Result<Vec<(String, Vec<String>)>, String> {
        let mut truth = self.all_truth(service)?;
        let demonstrations = self.source.demonstrations(service, "", 0);
        truth.retain(|(action, _)| demonstrations.iter().any(|d| d.calls().any(|c| is_system(c, action))));
        Ok(truth)
    }

    /// The true preconditions of every action of a service.
    pub(super) fn all_truth(&self, service: &str) -> Result<GroundTruth, String> {
        let truth = self.source.ground_truth(service);
        truth.ok_or_else(|| format!("domains.json holds no demos truth of a service {service}"))
    }

    /// A service's specification; the bodies of its actions are empty.
    pub(super) fn specification(&self, service: &str) -> Result<Specification, String> {
        Specification::load(&as_recorded(&self.source.specification(service)), service).map_err(|e| e.to_string())
    }

    /// The assertions that the service's recorded pools adopt (`golden/<service>.json`), by action; `None` where they
    /// are not recorded.
    pub(super) fn h_opt(&self, service: &str) -> Result<Option<GroundTruth>, String> {
        let Some(pools) = self.pools(service)? else { return Ok(None) };
        let of = |pool: &Value| Some((pool["action"].as_str()?.to_owned(), texts(&pool["h_opt"])?));
        let all: Option<Vec<_>> = list(&pools, "actions").iter().map(of).collect();
        all.map(Some).ok_or_else(|| format!("golden/{service}.json: a pool without `action` or `h_opt`"))
    }

    /// The service's recorded pools, `golden/<service>.json`; `None` where they are not recorded.
    pub(super) fn pools(&self, service: &str) -> Result<Option<Value>, String> {
        let path = self.golden().join(format!("{service}.json"));
        if path.exists() { document(&path).map(Some) } else { Ok(None) }
    }

    /// A service's dialogues, executed.
    pub fn service(&self, service: &str, split: Split) -> Result<Demonstrations, String> {
        let demonstrations = self.source.demonstrations(service, "", 0);
        let dialogues = match split {
            Split::Demonstrations => demonstrations,
            Split::Test => {
                let of_service = self.source.dialogues().iter().filter(|d| d.service == service);
                of_service.filter(|d| !demonstrations.iter().any(|known| known.id == d.id)).collect()
            }
        };
        if dialogues.is_empty() {
            return Err(format!("there are no such dialogues of {service}"));
        }
        let demos = dialogues.into_iter().map(|d| Demo::from(&Demonstration::from(d))).collect();
        Demonstrations::new(&self.specification(service)?, demos).map_err(|e| e.to_string())
    }

    /// The household demonstrations on the program's own specification.
    pub fn household(&self) -> Result<Demonstrations, String> {
        let own = || -> Result<Specification, WorldError> {
            let world = HouseholdWorld::new(Source::shipped()?, Edition::Put);
            Specification::load(&as_recorded(&world.specification()), "spec.py")
                .map_err(|e| WorldError::Failed(e.to_string()))
        };
        let specification = own().map_err(|e| e.to_string())?;
        let actions = &specification.declarations().actions;
        let is_action = |call: &Call| actions.contains(&format!("{}.{}", call.receiver, call.function));
        let file = self.folder.join("dialogues/alfworld.demos.jsonl");
        let setup = &specification.declarations().setup;
        let demos = demonstration::open(&file, setup, is_action).map_err(|e| e.to_string())?;
        Demonstrations::new(&specification, demos.iter().map(Demo::from).collect()).map_err(|e| e.to_string())
    }

    pub(super) fn golden(&self) -> PathBuf {
        self.folder.join("golden")
    }
}

/// A specification read as the Python by which the verdicts were recorded.
fn as_recorded(specification: &str) -> String {
    format!("{specification}\nPYTHON = '3.12'\n")
}

fn is_system(call: &Call, action: &str) -> bool {
    call.receiver == "system" && call.function == action
}
