//! The study of "Planning with Large Language Models via Corrective Re-prompting": plans of household activities by its six methods,
//! each a headless episode, scored as the language planner's evaluation does it.
//!
//! `activities` knows tasks and ground truths and scores, `result` is what is kept of a plan, `report` the tables and figures. Programs
//! that people wrote, whole and damaged (`damage`), go the same way, so that it shows what a measure tells apart. Whether a plan is
//! correct is people's judgement: `ratings`.

mod activities;
mod errors;
mod perturbation;
mod ratings;
mod report;
mod result;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use serde_json::{Value, json};
use stepwright_graph::{ErrorType, Line, Script, language, script};
use tokio_util::sync::CancellationToken;

pub use activities::Activities;
pub use perturbation::Perturbation;
pub use ratings::ratings;
pub use result::RepromptResult;

use super::report::Report;
use super::runner::{Opening, Plan, Study, Unit, seconds_since};
use stepwright_episode::{Role, Session, role};
use stepwright_launch::NewSession;
use stepwright_method::{Methods, Place, StepStatus};
use stepwright_worlds::graph;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    Method {
        /// As results and the paper's rows name it.
        name: &'static str,
        method: &'static str,
        options: &'static [(&'static str, &'static str)],
    },
    Written(Perturbation),
}

const fn planned(
    name: &'static str,
    method: &'static str,
    options: &'static [(&'static str, &'static str)],
) -> Condition {
    Condition::Method { name, method, options }
}

/// The paper's six methods, in the order of its tables, and its open-loop planning without translation (Figures 5 and 6).
pub(crate) const METHODS: [Condition; 7] = [
    planned("open-loop", OPEN_LOOP, &[PUBLISHED]),
    planned("resample", RESAMPLE, &[PUBLISHED]),
    planned("notion", "reprompt", &[PUBLISHED, ("information", "notion")]),
    planned("inference", "reprompt", &[PUBLISHED, ("information", "inference")]),
    planned("cause", "reprompt", &[PUBLISHED, ("information", "cause")]),
    planned("cause-geometric", "reprompt", &[PUBLISHED, ("information", "cause"), ("score", "geometric")]),
    planned("untranslated", OPEN_LOOP, &[PUBLISHED, ("translation", "off")]),
];

/// The settings of the paper's program.
const PUBLISHED: (&str, &str) = ("settings", "corrective-2022");
/// The conditions of the paper's tables.
const TABLES: usize = 6;

/// Goes on whatever the world says.
const OPEN_LOOP: &str = "open-loop";
/// Tries other steps in place of a refused one.
const RESAMPLE: &str = "resample";

/// Steps an episode may try, corrections included; methods have limits of their own below it.
pub const MOST_ACTIONS: u32 = 100;

impl Condition {
    /// Whether nothing is corrected.
    pub(crate) fn goes_on(&self) -> bool {
        matches!(self, Condition::Method { method: OPEN_LOOP, .. })
    }

    pub fn name(&self) -> &'static str {
        match self {
            Condition::Method { name, .. } => name,
            Condition::Written(damage) => damage.name(),
        }
    }
}

#[derive(Debug)]
pub struct Reprompt {
    pub opening: Opening,
    pub data: Option<PathBuf>,
    pub activities: Arc<Activities>,
    pub plan: Plan<Condition>,
    pub model: String,
}

struct Written {
    program: Script,
    /// Whether a step stands in the plan that is no action, so that it cannot be carried out.
    is_unreadable: bool,
    /// For each error that was met, the program up to it.
    refused: Vec<Script>,
    corrections: u32,
}

impl Written {
    /// Reads a session: the steps that count, where they were refused. A last step that was refused and that nothing mended counts,
    /// unless it was given up.
    fn of(session: &Session, methods: &Methods) -> Self {
        let goes_on = session.method == OPEN_LOOP;
        let (mut program, mut done, mut refused): (Script, Script, Vec<Script>) = Default::default();
        let mut failed: Option<Line> = None;
        let mut is_unreadable = false;
        for node in session.path(session.cursor()) {
            let Some(action) = &node.action else { continue };
            let Ok(line) = script::parse_line(&action.text) else {
                is_unreadable |= goes_on;
                continue;
            };
            failed = node.outcome.error.is_some().then(|| line.clone());
            if failed.is_some() {
                refused.push(done.iter().chain([&line]).cloned().collect());
            } else {
                done.push(line.clone());
            }
            if failed.is_none() || goes_on {
                program.push(line);
            }
        }
        let at = Place::at_cursor(session);
        let tried = methods.sections(&at).into_iter().next().and_then(|plan| {
            plan.lines.into_iter().rfind(|line| !matches!(line.mark, StepStatus::Next | StepStatus::Open))
        });
        let given_up = tried.is_none_or(|line| line.mark != StepStatus::Refused);
        program.extend(failed.filter(|_| !goes_on && !given_up));
        // A line after itself counts once, as in the authors' scripts.
        program.dedup();
        let corrections = match session.method.as_str() {
            OPEN_LOOP => 0,
            RESAMPLE => refused.len(),
            _ => methods.figure(&at, "corrections").unwrap_or_default() as usize,
        };
        Written { program, is_unreadable, refused, corrections: u32::try_from(corrections).unwrap_or(u32::MAX) }
    }
}

fn scored(activities: &Activities, mut line: RepromptResult, written: &Written) -> Result<RepromptResult, String> {
    let scores = activities.scores(&line.task, &written.program)?;
    let errors = written.refused.iter().map(|program| activities.error(&line.task, program));
    // A step that the episode refused and the evaluation does is an error all the same.
    let number = |error: Option<ErrorType>| error.unwrap_or(ErrorType::OtherPrecondition).id();
    line.errors = errors.map(|error| Ok(number(error?))).collect::<Result<_, String>>()?;
    line.plan = written.program.iter().map(language::words).collect();
    line.program = written.program.iter().map(Line::to_string).collect();
    line.corrections = written.corrections;
    let error = scores.error.or(written.is_unreadable.then_some(ErrorType::InvalidAction));
    line.executable = error.is_none();
    line.failed = error.map(ErrorType::id);
    line.lcs = scores.lcs;
    line.similarity_of_all = scores.of_all;
    line.similarity_of_used = scores.of_used;
    Ok(line)
}

impl Reprompt {
    /// Whether plans are asked of a model that the role has of its own.
    fn has_proposer(&self) -> bool {
        self.opening.config.roles.contains_key(&Role::Proposer)
    }

    fn by_people(&self, damage: Perturbation, line: RepromptResult) -> Result<RepromptResult, String> {
        let (own, other) = self.activities.written(&line.task)?;
        let program = damage.of(&own, &other);
        scored(&self.activities, line, &Written { program, is_unreadable: false, refused: Vec::new(), corrections: 0 })
    }
}

#[async_trait]
impl Study for Reprompt {
    type Condition = Condition;
    type Line = RepromptResult;
    const NAME: &'static str = "reprompt";
    const CARRIED_OUT: &'static str = "plans made";

    fn plan(&self) -> &Plan<Condition> {
        &self.plan
    }

    fn suits(&self, condition: &Condition, _task: &stepwright_world::TaskInfo, seed: u64) -> bool {
        // What people wrote does not depend on a seed.
        matches!(condition, Condition::Method { .. }) || self.plan.seeds.first() == Some(&seed)
    }

    fn shared(&self) -> Value {
        json!({ "world": graph::KIND.name, "limits": self.opening.shared() })
    }

    fn condition(&self, condition: &Condition) -> Value {
        match condition {
            Condition::Method { name, method, options } => {
                json!({ "condition": name, "method": method, "options": BTreeMap::from_iter(options.iter().copied()) })
            }
            Condition::Written(damage) => json!({ "condition": damage.name() }),
        }
    }

    async fn perform(&self, unit: Unit<Condition>, cancel: &CancellationToken) -> Option<Vec<RepromptResult>> {
        let begun = Instant::now();
        let mut line = RepromptResult {
            condition: unit.condition.name().to_owned(),
            title: self.activities.title(&unit.task.id).unwrap_or_default().to_owned(),
            task: unit.task.id.clone(),
            seed: unit.seed,
            ..RepromptResult::default()
        };
        if matches!(&*unit.condition, Condition::Method { .. }) {
            line.model.clone_from(&self.model);
            line.embedder = self.opening.config.embedder("").name().to_owned();
        }
        let mut empty = line.clone();
        let done = match &*unit.condition {
            Condition::Written(damage) => self.by_people(*damage, line),
            Condition::Method { method, options, .. } => {
                let own = options.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
                // The program prepared the household for each step alone; a fitted plan's steps presume those before them.
                let symbolic = self.model == stepwright_method::SYMBOLIC && !self.has_proposer();
                let run = if symbolic { graph::Mode::Prepared } else { graph::Mode::PreparedStep };
                let prepared = [("run".to_owned(), run.to_string())];
                let new = NewSession {
                    world: graph::KIND.name.to_owned(),
                    data: self.data.clone(),
                    task: unit.task.id.clone(),
                    options: own.chain(prepared).collect(),
                    method: (*method).to_owned(),
                    model: self.model.clone(),
                    seed: unit.seed,
                };
                let episode = self.opening.run(&new, cancel).await?;
                line.ended = episode.ended;
                line.error = episode.error;
                match episode.session {
                    Err(why) => Err(why),
                    Ok(session) => {
                        line.model = role::in_words(&self.model, &session.header.options);
                        empty.model.clone_from(&line.model);
                        let won = session.current().is_some_and(|node| node.outcome.won);
                        line.won = self.activities.has_goal(&line.task).then_some(won);
                        line.prompt_tokens = session.spent.prompt;
                        line.completion_tokens = session.spent.completion;
                        let asks = session.path(session.cursor()).into_iter().flat_map(|node| &node.turn.asks);
                        line.asks = u32::try_from(asks.filter(|a| a.prompt.is_some()).count()).unwrap_or(u32::MAX);
                        let (activities, written) =
                            (Arc::clone(&self.activities), Written::of(&session, self.opening.config.built_in));
                        let work = tokio::task::spawn_blocking(move || scored(&activities, line, &written));
                        work.await.map_err(|e| e.to_string()).and_then(|scored| scored)
                    }
                }
            }
        };
        let mut line = done.unwrap_or_else(|why| RepromptResult { error: Some(why), ..empty });
        line.seconds = seconds_since(begun);
        Some(vec![line])
    }

    fn report(lines: &[RepromptResult], _detail: bool) -> Report {
        report::report(lines)
    }
}

/// The conditions of a list of names; those of the paper's tables if there is none.
pub fn conditions(names: &[String]) -> Result<Vec<Condition>, String> {
    if names.is_empty() {
        return Ok(METHODS.iter().copied().take(TABLES).collect());
    }
    let known = || METHODS.map(|c| c.name()).join(", ");
    let find = |name: &String| {
        let found = METHODS.into_iter().find(|c| c.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| format!("there is no condition `{name}`; there are {}", known()))
    };
    names.iter().map(find).collect()
}
