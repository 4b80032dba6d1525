//! Reads the recordings: services, their specifications, demonstrations and test dialogues as grounds to judge candidates on.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::precondition::{Demo, Ground};
use crate::program::{Declarations, Specification};
use crate::world::demonstration;
use crate::world::household::{Edition, HouseholdWorld, Source};
use crate::world::{World, WorldError};

/// Which dialogues of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// Those that preconditions are inferred from.
    Demonstrations,
    /// Those that they are scored on.
    Test,
}

/// A folder of recordings, with `domains.json` read.
#[derive(Debug, Clone)]
pub struct Recordings {
    folder: PathBuf,
    domains: Domains,
}

#[derive(Debug, Clone, Deserialize)]
struct Domains {
    user_class: String,
    acts_without_service_calls: Vec<Act>,
    domains: Vec<Domain>,
}

#[derive(Debug, Clone, Deserialize)]
struct Domain {
    service: String,
    intents: Vec<Intent>,
    actions: Vec<ActionRecord>,
}

#[derive(Debug, Clone, Deserialize)]
struct Intent {
    name: String,
}

#[derive(Debug, Clone, Deserialize)]
struct Act {
    action: String,
    arg: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct ActionRecord {
    action: String,
    arg: Option<String>,
    ground_truth: Vec<String>,
    calls_in_demos: u64,
}

/// Reads a JSON file; the error names it.
pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
}

impl Recordings {
    /// Opens the folder that holds `domains.json`, `dialogues/` and `golden/`.
    ///
    /// # Errors
    /// In words, if `domains.json` cannot be read.
    pub fn open(folder: &Path) -> Result<Self, String> {
        Ok(Recordings { folder: folder.to_owned(), domains: read_json(&folder.join("domains.json"))? })
    }

    /// The services there are.
    pub fn services(&self) -> impl Iterator<Item = &str> {
        self.domains.domains.iter().map(|d| d.service.as_str())
    }

    fn domain(&self, service: &str) -> Result<&Domain, String> {
        self.domains
            .domains
            .iter()
            .find(|d| d.service == service)
            .ok_or_else(|| format!("no service {service} in domains.json"))
    }

    /// The true preconditions of a service's actions that its demonstrations call.
    ///
    /// # Errors
    /// If there is no such service.
    pub fn truth(&self, service: &str) -> Result<Vec<(String, Vec<String>)>, String> {
        let called = self.domain(service)?.actions.iter().filter(|a| a.calls_in_demos > 0);
        Ok(called.map(|a| (a.action.clone(), a.ground_truth.clone())).collect())
    }

    /// A service's specification: the recorded class USER, and SYSTEM with an empty function an action.
    fn specification(&self, service: &str) -> Result<Specification, String> {
        let domain = self.domain(service)?;
        let mut actions: Vec<(&str, Option<&str>)> = Vec::new();
        let recorded = domain.actions.iter().map(|a| (a.action.as_str(), a.arg.as_deref()));
        let general = self.domains.acts_without_service_calls.iter().map(|a| (a.action.as_str(), a.arg.as_deref()));
        for (name, arg) in recorded.chain(general).chain(domain.intents.iter().map(|i| (i.name.as_str(), None))) {
            if !actions.iter().any(|(known, _)| *known == name) {
                actions.push((name, arg));
            }
        }
        let mut source = self.domains.user_class.clone();
        source.push_str(concat!(
            "\nclass SYSTEM:\n",
            "    def __init__(self, user):\n        self.user = user\n        self.query_success = None\n\n",
            "    def set_query_status(self, status):\n        self.query_success = status\n",
        ));
        for (name, arg) in &actions {
            let arg = arg.map(|a| format!(", {a}")).unwrap_or_default();
            source.push_str(&format!("\n    def {name}(self{arg}):\n        pass\n"));
        }
        let of_user = self.domains.user_class.lines().filter_map(|line| line.trim().strip_prefix("def "));
        let of_user = of_user.filter_map(|rest| rest.split('(').next()).filter(|name| !name.starts_with('_'));
        let declarations = Declarations {
            setup: vec!["user = USER()".into(), "system = SYSTEM(user)".into()],
            actions: actions.iter().map(|(name, _)| format!("system.{name}")).collect(),
            observations: of_user.map(|f| format!("user.{f}")).chain(["system.set_query_status".to_owned()]).collect(),
        };
        Specification::load_with(&source, service, declarations).map_err(|e| e.to_string())
    }

    /// A service's dialogues, executed.
    ///
    /// # Errors
    /// In words, if they cannot be read or executed.
    pub fn service(&self, service: &str, split: Split) -> Result<Ground, String> {
        let kind = match split {
            Split::Demonstrations => "demos",
            Split::Test => "test",
        };
        self.ground(&self.specification(service)?, &format!("dialogues/{service}.{kind}.jsonl"))
    }

    /// The household demonstrations on the program's own specification.
    ///
    /// # Errors
    /// In words, if they cannot be read or executed.
    pub fn household(&self) -> Result<Ground, String> {
        let own = || -> Result<Specification, WorldError> {
            let world = HouseholdWorld::new(Source::shipped()?, Edition::Put);
            Specification::load(&world.specification(), "spec.py").map_err(|e| WorldError::Failed(e.to_string()))
        };
        self.ground(&own().map_err(|e| e.to_string())?, "dialogues/alfworld.demos.jsonl")
    }

    fn ground(&self, specification: &Specification, file: &str) -> Result<Ground, String> {
        let actions = &specification.declarations().actions;
        let is_action = |call: &crate::program::Call| actions.contains(&format!("{}.{}", call.receiver, call.function));
        let setup = &specification.declarations().setup;
        let demos = demonstration::open(&self.folder.join(file), setup, is_action).map_err(|e| e.to_string())?;
        Ground::new(specification, demos.iter().map(Demo::from).collect()).map_err(|e| e.to_string())
    }

    /// The folder of results.
    pub(super) fn golden(&self) -> PathBuf {
        self.folder.join("golden")
    }
}
