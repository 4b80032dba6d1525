//! How well preconditions inferred from demonstrations agree with the true ones on other episodes: Tables 1 and 2 of
//! "Reasoning about Action Preconditions with Programs", on any service and model.
//!
//! `subject` is what preconditions are inferred of and scored on, `inference` infers, `result` is what is kept of an action and
//! `report` the tables. Reads no configuration and opens no files.

mod ablation;
mod household;
mod inference;
mod report;
mod result;
mod subject;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

pub use household::played;
pub use inference::{Asking, Origin};
pub use result::{ActionResult, Agreement, Approach, Choice, Way};
pub use subject::{Subject, SubjectError, Truth};

use super::report::Report;
use super::runner::{Plan, Study, Unit, digest, seconds_since};
use inference::{Filled, Inferred};
pub use stepwright_precondition::enumerated;
use stepwright_precondition::{AdoptedAction, AdoptedSet};
use stepwright_program::Role;
use stepwright_world::TaskInfo;

/// The study: the preconditions of each action of each subject.
#[derive(Debug)]
pub struct Preconditions {
    /// The tasks are the actions that the demonstrations of the subjects call; the kind is the subject's name.
    plan: Plan<Subject>,
    origin: Origin,
    way: Way,
    /// Whether rankings are compared, and choices one action at a time with all together.
    ablation: bool,
    /// The candidates of all actions of each subject, once an ablation asked for them.
    filled: Vec<OnceCell<Filled>>,
}

impl Preconditions {
    pub fn new(subjects: Vec<Arc<Subject>>, origin: Origin, way: Way) -> Self {
        let mut tasks: Vec<TaskInfo> = Vec::new();
        let mut seeds: Vec<u64> = Vec::new();
        for subject in &subjects {
            for id in subject.actions() {
                if !tasks.iter().any(|task| task.id == id && task.kind == subject.name) {
                    let (kind, source) = (subject.name.clone(), subject.world.to_owned());
                    tasks.push(TaskInfo { id, kind, sentence: String::new(), source });
                }
            }
            if !seeds.contains(&subject.seed) {
                seeds.push(subject.seed);
            }
        }
        let filled = subjects.iter().map(|_| OnceCell::new()).collect();
        Preconditions { plan: Plan { conditions: subjects, tasks, seeds }, origin, way, ablation: false, filled }
    }

    /// The same candidates under every ranking, of each action by itself and of all together.
    #[must_use]
    pub fn ablated(self) -> Self {
        Preconditions { ablation: true, ..self }
    }

    /// The demonstrations that a subject may have: of an ablation those it has, which its rows go by.
    fn most(&self, subject: &Subject) -> usize {
        if self.ablation { subject.demonstrations() } else { self.way.demonstrations }
    }

    /// The assertions inferred for a subject in this way, as a file of preconditions holds them: validated ones, not a
    /// model's first words. `None` if there is nothing yet.
    pub fn adopted(&self, subject: &Subject, results: &[ActionResult]) -> Option<AdoptedSet> {
        adopted(subject, &Way { seed: subject.seed, ..self.way.clone() }, self.origin.approach(), results)
    }
}

#[async_trait]
impl Study for Preconditions {
    type Condition = Subject;
    type Line = ActionResult;
    const NAME: &'static str = "preconditions";
    const CARRIED_OUT: &'static str = "inferences made";

    fn plan(&self) -> &Plan<Subject> {
        &self.plan
    }

    fn suits(&self, subject: &Subject, action: &TaskInfo, seed: u64) -> bool {
        action.kind == subject.name && subject.seed == seed && subject.calls(&action.id)
    }

    fn shared(&self) -> Value {
        let mut fields = json!(self.way);
        if let Value::Object(fields) = &mut fields {
            // The seed is the unit's, the model the experiment's; how many demonstrations there were is the condition's.
            fields.retain(|name, _| !["seed", "model", "demonstrations"].contains(&name.as_str()));
            fields.extend(self.ablation.then(|| ("ablation".to_owned(), json!(true))));
        }
        fields
    }

    fn condition(&self, subject: &Subject) -> Value {
        json!({
            "world": subject.world,
            "subject": subject.name,
            "demonstrations": self.most(subject),
            "shown": subject.demonstrations(),
            "episodes": subject.tests(),
            "truth_digest": subject.truth.as_ref().map(|truth| digest(&json!(truth.assertions))),
        })
    }

    async fn perform(&self, unit: Unit<Subject>, cancel: &CancellationToken) -> Option<Vec<ActionResult>> {
        let Unit { condition: subject, task: TaskInfo { id: action, .. }, seed, .. } = unit;
        let started = Instant::now();
        let inferred = match &self.origin {
            origin if self.ablation => {
                let at = self.plan.conditions.iter().position(|own| Arc::ptr_eq(own, &subject));
                let filled = self.filled.get(at?)?;
                inference::ablated((&subject, filled), &action, origin, seed, cancel).await
            }
            Origin::Symbolic => {
                let (subject, action) = (Arc::clone(&subject), action.clone());
                let work = move || inference::enumerated(&subject, &action);
                tokio::task::spawn_blocking(work).await.unwrap_or_else(|e| Err(e.to_string()))
            }
            Origin::Language(asking) => inference::asked(&subject, &action, asking, seed, cancel).await,
        };
        if cancel.is_cancelled() {
            return None;
        }
        let seconds = seconds_since(started);
        let inferred = inferred
            .unwrap_or_else(|why| vec![Inferred { error: Some(why), ..Inferred::nothing(self.origin.approach()) }]);
        let way = Way { seed, demonstrations: self.most(&subject), ..self.way.clone() };
        let scored = tokio::task::spawn_blocking(move || {
            let score = |inferred| ActionResult::new(&subject, &action, &way, inferred, seconds);
            inferred.into_iter().map(score).collect()
        });
        scored.await.ok()
    }

    /// A model's two results come together; the second has the tokens of both.
    fn tokens(lines: &[ActionResult]) -> (u64, u64) {
        lines.last().map_or((0, 0), |line| (line.prompt_tokens, line.completion_tokens))
    }

    fn report(lines: &[ActionResult], detail: bool) -> Report {
        match lines.iter().any(|r| r.choice != Choice::All || r.approach == Approach::Unranked) {
            true => ablation::report(lines),
            false => report::report(lines, detail),
        }
    }
}

fn adopted(subject: &Subject, way: &Way, approach: Approach, results: &[ActionResult]) -> Option<AdoptedSet> {
    let specification = subject.store.demonstrations().specification();
    let of = |name: &str| {
        let own = |r: &&ActionResult| {
            (r.world.as_str(), &r.subject, r.action.as_str()) == (subject.world, &subject.name, name)
                && (&r.way, r.approach, r.choice, r.error.is_none()) == (way, approach, Choice::All, true)
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
    let demonstrations = stepwright_text::words::count(subject.demonstrations(), "demonstration");
    let notes = vec![format!("Preconditions inferred for {} from {demonstrations}, model {}", subject.name, way.model)];
    let place = Some((subject.world.to_owned(), subject.first_test().to_owned()));
    (!actions.is_empty()).then_some(AdoptedSet { notes, place, actions })
}
