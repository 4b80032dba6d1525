//! How well preconditions inferred from demonstrations agree with the true ones on other episodes: Tables 1 and 2 of
//! "Reasoning about Action Preconditions with Programs", on any service and model.
//!
//! `subject` is what preconditions are inferred of and scored on, `inference` infers, `result` is what is kept of an action and
//! `report` the tables. Reads no configuration and opens no files.

mod household;
mod inference;
mod report;
mod result;
mod subject;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

pub use household::played;
pub use inference::{Asking, Origin};
pub use report::Detail;
pub use result::{ActionResult, Agreement, Approach, Way};
pub use subject::{Subject, SubjectError, Truth};

use super::runner::{Plan, Study, Unit, seconds_since};
use crate::precondition::{AdoptedAction, AdoptedSet, CandidateStore, Demo};
use crate::program::{Role, Specification};
use crate::world::TaskInfo;
use inference::Inferred;

/// The study: the preconditions of each action of each subject.
#[derive(Debug)]
pub struct Preconditions {
    /// The tasks are the actions that the demonstrations of the subjects call; the kind is the subject's name.
    plan: Plan<Subject>,
    origin: Origin,
    way: Way,
    detail: Detail,
}

impl Preconditions {
    /// A study of these subjects.
    pub fn new(subjects: Vec<Arc<Subject>>, origin: Origin, way: Way, detail: Detail) -> Self {
        let task = |subject: &Subject, id| TaskInfo {
            id,
            kind: subject.name.clone(),
            sentence: String::new(),
            source: subject.world.to_owned(),
        };
        let tasks = |subject: &Subject| -> Vec<TaskInfo> {
            subject.actions().into_iter().map(|id| task(subject, id)).collect()
        };
        let tasks = subjects.iter().flat_map(|subject| tasks(subject)).collect();
        Preconditions { plan: Plan { conditions: subjects, tasks, seeds: way.seed..=way.seed }, origin, way, detail }
    }

    /// The approach whose result stands for a unit. A model's two results come together; the second stands for both.
    fn approach(&self) -> Approach {
        match self.origin {
            Origin::Symbolic => Approach::Enumerated,
            Origin::Language(_) => Approach::Validated,
        }
    }

    /// What was inferred for a subject in this way, as a file of preconditions holds it: validated assertions, not a model's first
    /// words. `None` if there is nothing yet.
    pub fn adopted(&self, subject: &Subject, results: &[ActionResult]) -> Option<AdoptedSet> {
        adopted(subject, &self.way, self.approach(), results)
    }
}

#[async_trait]
impl Study for Preconditions {
    type Condition = Subject;
    type Line = ActionResult;
    const CARRIED_OUT: &'static str = "actions inferred";

    fn plan(&self) -> &Plan<Subject> {
        &self.plan
    }

    fn suits(&self, subject: &Subject, action: &TaskInfo) -> bool {
        action.kind == subject.name
    }

    fn experiment(&self, unit: &Unit<Subject>) -> Value {
        let (subject, action) = (&unit.condition, &unit.task.id);
        let mut fields = json!(self.way);
        fields["world"] = subject.world.into();
        fields["subject"] = subject.name.clone().into();
        fields["action"] = action.clone().into();
        fields["approach"] = json!(self.approach());
        fields["shown"] = subject.demonstrations().into();
        fields["episodes"] = subject.tests().into();
        fields["truth"] = json!(subject.truth_of(action));
        fields
    }

    async fn perform(&self, unit: Unit<Subject>, cancel: &CancellationToken) -> Option<Vec<ActionResult>> {
        let Unit { condition: subject, task: TaskInfo { id: action, .. }, .. } = unit;
        let started = Instant::now();
        let inferred = match &self.origin {
            Origin::Symbolic => {
                let (subject, action) = (Arc::clone(&subject), action.clone());
                let work = move || inference::enumerated(&subject, &action);
                tokio::task::spawn_blocking(work).await.unwrap_or_else(|e| Err(e.to_string()))
            }
            Origin::Language(asking) => inference::asked(&subject, &action, asking, cancel).await,
        };
        if cancel.is_cancelled() {
            return None;
        }
        let seconds = seconds_since(started);
        let inferred =
            inferred.unwrap_or_else(|why| vec![Inferred { error: Some(why), ..Inferred::nothing(self.approach()) }]);
        let way = self.way.clone();
        let scored = tokio::task::spawn_blocking(move || {
            let score = |inferred| ActionResult::new(&subject, &action, &way, inferred, seconds);
            inferred.into_iter().map(score).collect()
        });
        scored.await.ok()
    }

    fn concerns(&self, line: &ActionResult) -> bool {
        self.plan.conditions.iter().any(|s| (s.world, &s.name) == (line.world.as_str(), &line.subject))
    }

    fn table(&self, lines: &[ActionResult]) -> String {
        report::table(lines, self.detail)
    }
}

/// What the built-in enumerator adopts for each action that the demonstrations call.
///
/// # Errors
/// In words: a demonstration that cannot be executed.
pub fn enumerated(
    specification: &Specification,
    demonstrations: Vec<Demo>,
) -> Result<BTreeMap<String, Vec<String>>, String> {
    let mut store = CandidateStore::new(specification, demonstrations).map_err(|e| e.to_string())?;
    let actions: Vec<String> = store.called_actions().map(|f| f.name.clone()).collect();
    let mut adopted = BTreeMap::new();
    for action in actions {
        store.enumerate(&action, |_, _| true).map_err(|e| e.to_string())?;
        let suggested = store.suggested(&action);
        adopted.insert(action, suggested);
    }
    Ok(adopted)
}

fn adopted(subject: &Subject, way: &Way, approach: Approach, results: &[ActionResult]) -> Option<AdoptedSet> {
    let specification = subject.store.demonstrations().specification();
    let of = |name: &str| {
        let own = |r: &&ActionResult| {
            (r.world.as_str(), &r.subject, r.action.as_str()) == (subject.world, &subject.name, name)
                && (&r.way, r.approach, r.error.is_none()) == (way, approach, true)
                && (r.shown, r.episodes) == (subject.demonstrations(), subject.tests())
        };
        results.iter().rev().find(own)
    };
    let functions = specification.functions().iter().filter(|f| f.role == Role::Action);
    let actions: Vec<AdoptedAction> = functions
        .filter_map(|f| {
            let (action, params) = (f.name.clone(), f.params.clone());
            Some(AdoptedAction { assertions: of(&f.name)?.assertions.clone(), action, params })
        })
        .collect();
    let notes = vec![
        format!("Preconditions of {}", subject.name),
        format!("inferred from {} demonstrations, model {}", subject.demonstrations(), way.model),
    ];
    (!actions.is_empty()).then_some(AdoptedSet { notes, actions })
}
