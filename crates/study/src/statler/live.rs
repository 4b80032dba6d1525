//! Episodes of requests run live: one method with one model, headless, through the same driver as the workbench.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::groups::Group;
use super::report;
use super::scores::{Outcome, Played};
use crate::columns::{self, Conditions, UNDER};
use crate::report::Report;
use crate::run::RunResult;
use crate::runner::{Opening, Plan, Seeds, Study, Unit};
use crate::sample::sample;
use stepwright_episode::{Role, Session};
use stepwright_launch::NewSession;
use stepwright_method::publications::SETTINGS;
use stepwright_method::{REFERENCE, SYMBOLIC};
use stepwright_world::CLOSING;
use stepwright_world::{TaskInfo, WorldError, closes};
use stepwright_worlds::table::{Domain, KIND, Source};

/// Actions an episode may take: more than any has requests.
pub const MOST_ACTIONS: u32 = 10_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    pub method: String,
    /// The model that writes the state, where it is another than reads it.
    pub writer: Option<String>,
    /// Whether it follows three cups; the others answer requests at a table.
    pub cups: bool,
}

#[derive(Debug)]
pub struct Requests {
    opening: Opening,
    data: Option<PathBuf>,
    model: String,
    plan: Plan<Condition>,
    /// Of each request of an episode, whether it takes something of earlier ones.
    temporal: BTreeMap<String, Vec<bool>>,
}

impl Requests {
    /// Every episode chosen, with every method that suits it and every seed.
    pub fn new(
        opening: Opening,
        data: Option<PathBuf>,
        model: String,
        conditions: Vec<Condition>,
        tasks: Vec<TaskInfo>,
        seeds: &Seeds,
    ) -> Result<Self, WorldError> {
        let source = data.as_deref().map_or_else(Source::shipped, Source::open)?;
        let temporal = tasks.iter().map(|task| {
            let episode = source.episode(&task.id)?;
            Ok((task.id.clone(), episode.requests.iter().map(|asked| asked.temporal).collect()))
        });
        let temporal = temporal.collect::<Result<_, WorldError>>()?;
        let plan =
            Plan { conditions: conditions.into_iter().map(Arc::new).collect(), tasks, seeds: seeds.all().to_vec() };
        Ok(Requests { opening, data, model, plan, temporal })
    }

    fn settings(&self, condition: &Condition) -> Option<&'static str> {
        self.opening.published(Self::NAME, &condition.method, KIND.name, &self.model)
    }

    /// Where the episodes are from; empty: shipped.
    fn data(&self) -> String {
        self.data.as_ref().map(|path| path.display().to_string()).unwrap_or_default()
    }
}

#[async_trait]
impl Study for Requests {
    type Condition = Condition;
    type Line = StatlerResult;
    const NAME: &'static str = "statler";
    const CARRIED_OUT: &'static str = "episodes run";

    fn plan(&self) -> &Plan<Condition> {
        &self.plan
    }

    fn suits(&self, condition: &Condition, task: &TaskInfo, _seed: u64) -> bool {
        (task.kind == Domain::Cups.name()) == condition.cups
    }

    fn shared(&self) -> Value {
        json!({ "world": KIND.name, "limits": self.opening.shared() })
    }

    fn condition(&self, condition: &Condition) -> Value {
        let mut of = json!({ "method": condition.method });
        if let Some(settings) = self.settings(condition) {
            of["settings"] = settings.into();
        }
        if let Some(writer) = &condition.writer {
            of["writer"] = writer.clone().into();
        }
        of
    }

    async fn perform(&self, unit: Unit<Condition>, cancel: &CancellationToken) -> Option<Vec<StatlerResult>> {
        let options = self.settings(&unit.condition).map(|id| (SETTINGS.key.to_owned(), id.to_owned()));
        let writer = unit.condition.writer.as_ref().map(|name| (Role::Writer.key(), name.clone()));
        let new = NewSession {
            options: options.into_iter().chain(writer).collect(),
            world: KIND.name.to_owned(),
            data: self.data.clone(),
            task: unit.task.id.clone(),
            method: unit.condition.method.clone(),
            model: self.model.clone(),
            seed: unit.seed,
        };
        let ended = self.opening.run(&new, cancel).await?;
        let mut drift = ended.drift.clone();
        if ended.session.as_ref().is_ok_and(Session::is_done) {
            // The writer is not asked once the last request is closed.
            drift.pop();
        }
        let mut run = RunResult::of(&ended, &unit.task, &new, self.opening.config.built_in);
        if run.model == SYMBOLIC {
            run.model = REFERENCE.to_owned();
        }
        Some(vec![StatlerResult {
            data: self.data(),
            right: ended.session.as_ref().map(answers).unwrap_or_default(),
            temporal: self.temporal.get(&unit.task.id).cloned().unwrap_or_default(),
            drift,
            run,
        }])
    }

    fn report(lines: &[StatlerResult], detail: bool) -> Report {
        report::of_runs(lines, detail)
    }
}

/// One line of the results file: an episode's result, with its requests one by one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StatlerResult {
    /// Where the episode is from; empty: shipped.
    pub data: String,
    /// Of the requests that were closed, whether the answer was right.
    pub right: Vec<bool>,
    /// Of all requests, whether they take something of earlier ones.
    pub temporal: Vec<bool>,
    /// Where a belief was maintained: how many of its values were wrong at the beginning, then after each step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drift: Vec<usize>,
    #[serde(flatten)]
    pub run: RunResult,
}

impl StatlerResult {
    pub(crate) fn played(&self) -> Played {
        let outcomes = self.right.iter().zip(&self.temporal);
        let outcomes = outcomes.map(|(right, temporal)| Outcome { right: *right, temporal: *temporal }).collect();
        Played { episode: self.run.task.clone(), outcomes, of: self.temporal.len() }
    }
}

/// Whether each request that was closed was answered rightly: the world rewards the step that closes it.
pub fn answers(session: &Session) -> Vec<bool> {
    let path = session.path(session.cursor());
    let closing = path.iter().filter(|node| node.action.as_ref().is_some_and(|action| closes(&action.text, CLOSING)));
    closing.map(|node| node.outcome.reward > 0.5).collect()
}

sample!(StatlerResult, |of| of.run.task.clone(), of.run.seed, run.under);

/// The conditions of a row: domain, method, model. Where no model took part the reference programs acted, whatever the method.
pub(crate) fn conditions(StatlerResult { run, .. }: &StatlerResult) -> Conditions {
    let method = if run.model == REFERENCE { PLAYED } else { &run.method };
    vec![("domain", run.kind.clone()), ("method", method.to_owned()), ("model", run.models())]
}

/// The condition of the model that wrote the state: the one in use, or that of the writer.
pub(crate) fn writer_of(run: &RunResult) -> String {
    run.options.get(&Role::Writer.key()).unwrap_or(&run.model).clone()
}

/// The episodes of a row that were run to their end.
pub(crate) fn done<'a>(of: &columns::Group<'a, StatlerResult>) -> columns::Group<'a, StatlerResult> {
    let lines = of.lines.iter().copied().filter(|r| r.run.error.is_none());
    columns::Group::all(of.conditions.clone(), lines).once()
}

/// What acted where no model took part.
pub(crate) const PLAYED: &str = "reference programs";

/// Results by domain, method and model: those that were run to their end. What all failed keeps its group, which is empty.
pub fn groups(results: &[StatlerResult]) -> Vec<Group> {
    let group = |of: &columns::Group<'_, StatlerResult>| Group {
        domain: of.condition("domain"),
        method: [of.condition("method"), of.condition(UNDER)].join(" ").trim().to_owned(),
        model: of.condition("model"),
        published: of.lines.first().map(|r| r.run.published_models()).unwrap_or_default(),
        whole: of.lines.iter().all(|r| {
            let under = &r.run.under;
            under.settings() == Requests::NAME
                && !under.departs()
                && !under.is_on_own_tasks(&r.run.task)
                && under.most_actions().is_none_or(|most| most >= MOST_ACTIONS.into())
        }),
        played: done(of).lines.iter().map(|r| r.played()).collect(),
    };
    columns::rows(results, conditions).iter().map(group).collect()
}
