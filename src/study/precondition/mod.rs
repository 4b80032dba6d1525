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

use tokio_util::sync::CancellationToken;

pub use household::played;
pub use inference::{Asking, Origin};
pub use report::{Detail, table};
pub use result::{ActionResult, Agreement, Approach, Way};
pub use subject::{Subject, SubjectError, Truth};

use super::jobs::each;
use crate::precondition::{AdoptedAction, AdoptedSet, Demo, Workshop};
use crate::program::{Role, Specification};
use inference::Inferred;

/// One action of one subject, to be inferred.
#[derive(Debug, Clone)]
pub struct Task {
    /// Whose action it is.
    pub subject: Arc<Subject>,
    /// The action's function.
    pub action: String,
}

/// The tasks of these subjects that have no result yet: the actions that the demonstrations call.
pub fn tasks(subjects: &[Arc<Subject>], way: &Way, earlier: &[ActionResult]) -> Vec<Task> {
    let mut tasks = Vec::new();
    for subject in subjects {
        for action in subject.actions() {
            if !earlier.iter().any(|result| result.is_of(subject, &action, way)) {
                tasks.push(Task { subject: Arc::clone(subject), action });
            }
        }
    }
    tasks
}

/// Infers and scores every task, `jobs` at a time, and gives the results of each as it ends: a model's come in twos (prompting, and
/// with validation and Equation 1).
///
/// # Errors
/// What `ended` says. What goes wrong with one action stands in its result.
pub async fn run(
    tasks: Vec<Task>,
    jobs: usize,
    origin: &Origin,
    way: &Way,
    cancel: &CancellationToken,
    ended: impl FnMut(Vec<ActionResult>) -> Result<(), String>,
) -> Result<(), String> {
    let work = |task: Task| {
        let (origin, way, cancel) = (origin.clone(), way.clone(), cancel.clone());
        async move { one(task, origin, way, cancel).await }
    };
    each(tasks, jobs, cancel, work, ended).await
}

/// What the built-in enumerator adopts for each action that the demonstrations call.
///
/// # Errors
/// In words: a demonstration that cannot be executed.
pub fn enumerated(
    specification: &Specification,
    demonstrations: Vec<Demo>,
) -> Result<BTreeMap<String, Vec<String>>, String> {
    let mut workshop = Workshop::new(specification, demonstrations).map_err(|e| e.to_string())?;
    let actions: Vec<String> = workshop.called_actions().map(|f| f.name.clone()).collect();
    let mut adopted = BTreeMap::new();
    for action in actions {
        workshop.enumerate(&action, |_, _| true).map_err(|e| e.to_string())?;
        let suggested = workshop.suggested(&action);
        adopted.insert(action, suggested);
    }
    Ok(adopted)
}

/// What was inferred for a subject in this way, as a file of preconditions holds it: validated assertions, not a model's first words.
/// `None` if there is nothing yet.
pub fn adopted(subject: &Subject, way: &Way, results: &[ActionResult]) -> Option<AdoptedSet> {
    let specification = subject.workshop.ground().specification();
    let of = |name: &str| results.iter().rev().find(|result| result.is_of(subject, name, way));
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

/// One action; `None` if it was cancelled.
async fn one(task: Task, origin: Origin, way: Way, cancel: CancellationToken) -> Option<Vec<ActionResult>> {
    let Task { subject, action } = task;
    let started = Instant::now();
    let inferred = match origin {
        Origin::Symbolic => {
            let (subject, action) = (Arc::clone(&subject), action.clone());
            let work = move || inference::enumerated(&subject, &action);
            tokio::task::spawn_blocking(work).await.unwrap_or_else(|e| Err(e.to_string()))
        }
        Origin::Language(asking) => inference::asked(&subject, &action, &asking, &cancel).await,
    };
    if cancel.is_cancelled() {
        return None;
    }
    let seconds = started.elapsed().as_secs_f64();
    let inferred = inferred.unwrap_or_else(|why| {
        let approach = if way.samples == 0 { Approach::Enumerated } else { Approach::Validated };
        vec![Inferred { error: Some(why), ..Inferred::nothing(approach) }]
    });
    let scored = tokio::task::spawn_blocking(move || {
        let score = |inferred| ActionResult::new(&subject, &action, &way, inferred, seconds);
        inferred.into_iter().map(score).collect()
    });
    scored.await.ok()
}
