//! Result of a headless episode: one line of a results file.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::runner::{Episode, NOT_BEGUN};
use crate::sample::{Under, sample};
use stepwright_episode::duel::Agreement;
use stepwright_episode::role::{self, Role, Spent};
use stepwright_episode::{Ask, Mark, Node, Session, Tally, Verdict};
use stepwright_launch::NewSession;
use stepwright_method::{Methods, Place};
use stepwright_world::TaskInfo;
use stepwright_worlds::reward_of;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunResult {
    pub task: String,
    pub kind: String,
    pub sentence: String,
    pub method: String,
    pub model: String,
    /// World options (`{"edition":"put"}`).
    pub options: BTreeMap<String, String>,
    pub seed: u64,
    /// What the operating system held code to that the method ran; absent where it runs none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sandbox: String,
    pub won: bool,
    /// Whether it is over and nobody said if it was won, or it broke off: its session could not be kept, or what it asked was not answered. It is
    /// neither won nor lost.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untold: bool,
    /// The episode's reward: of a household 1 if the goal holds, of a dialogue the F1 of what was predicted, of a table the share of its
    /// requests that were answered rightly; else the sum of the steps'.
    #[serde(default)]
    pub reward: f64,
    /// Actions executed; like what is counted of them, of the last trial.
    pub steps: u32,
    /// Trials, where there were several: branches from the start.
    #[serde(default, skip_serializing_if = "is_single")]
    pub trials: u32,
    /// Selections that were blocked, so that nothing was executed; not among `steps`.
    #[serde(default)]
    pub blocked: u32,
    /// Lines that execute nothing: thoughts, calls of skills, reports; not among `steps`.
    #[serde(default)]
    pub held: u32,
    /// Of the steps, those that the world answered with an error. A program of several calls is one step.
    pub refused: u32,
    /// Of the steps, those with every precondition holding when they were taken (precondition compatibility is this over `steps`). An
    /// action without preconditions counts where the world took it.
    pub compatible: u32,
    pub proposals: u32,
    /// Actions that there were to choose among, where that is on record: ground actions that a planner chose among, on average over its
    /// plans, or candidates that a language model was given, on average over decisions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub considered: Option<f64>,
    /// Times a language model was asked, in all trials.
    pub asks: u32,
    /// Prompts that something was left out of, as the model takes no more.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub shortened: u32,
    /// What was left out of the first of them, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub left_out: String,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// The models that have no price, where others have one: the cost is without theirs.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub unpriced: BTreeSet<String>,
    /// What each role took, where one has a model of its own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<String, RoleUse>,
    /// The models that answered, as their servers call them, where they say so.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub served: BTreeSet<String>,
    pub seconds: f64,
    /// Steps at which several sides were asked.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dueled: u32,
    /// Of these, those at which two would have done different things.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disagreements: Vec<Disagreement>,
    /// Of these, those at which no two would have done different things, but not all had an action.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unanswered: u32,
    /// The sides that had none at some step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silences: Vec<Silence>,
    pub ended: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The file of its session; absent without `--sessions`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(skip)]
    pub under: Under,
}

/// What a role was asked in an episode.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoleUse {
    pub model: String,
    pub asks: u64,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

/// A side of a duel that had no answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Silence {
    pub side: String,
    pub steps: u32,
    /// Why at the first of them.
    pub why: String,
}

impl Silence {
    fn of(path: &[&Node]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for node in path {
            let sides = node.turn.duel.iter().flat_map(|sides| sides.iter());
            for side in sides.filter(|side| node.turn.side_action(side).is_none()) {
                match all.iter_mut().find(|of| of.side == side.name) {
                    Some(of) => of.steps += 1,
                    None => all.push(Silence { side: side.name.clone(), steps: 1, why: side.why.clone() }),
                }
            }
        }
        all
    }
}

/// A step at which sides of a duel would have done different things.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Disagreement {
    pub step: u32,
    /// Each side and its action, the one that decided first; no action where it had none.
    pub sides: Vec<(String, Option<String>)>,
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

fn is_single(n: &u32) -> bool {
    *n < 2
}

impl Disagreement {
    fn at(node: &Node) -> Self {
        let action = |side| node.turn.side_action(side).map(|action| action.text.clone());
        let sides = node.turn.duel.iter().flat_map(|sides| sides.iter()).map(|side| (side.name.clone(), action(side)));
        Disagreement { step: node.depth, sides: sides.collect() }
    }
}

sample!(RunResult, |of| of.task.clone(), of.seed, under);

/// How it begins how an episode ended whose program is over.
pub(super) const BY_PROGRAM: &str = "the program is over: ";

/// The tokens of prompts and answers; `None` where a model was asked and reported none.
pub(crate) fn tokens(asks: u32, prompt: u64, completion: u64) -> Option<u64> {
    let all = prompt.saturating_add(completion);
    (all > 0 || asks == 0).then_some(all)
}

impl RunResult {
    /// The model, with those of roles that have another.
    pub fn models(&self) -> String {
        role::in_words(&self.model, &self.options)
    }

    /// The same, the model by the name that publications have for it.
    pub(crate) fn published_models(&self) -> String {
        role::in_words(&self.under.model(&self.model), &self.options)
    }

    /// The episode's reward; `None` where nothing was rewarded and nobody knows whether the goal was reached.
    pub(super) fn known_reward(&self) -> Option<f64> {
        Some(self.reward).filter(|reward| !self.untold || *reward != 0.0)
    }

    /// Decisions: actions executed, and selections that were blocked.
    pub fn decisions(&self) -> u32 {
        self.steps.saturating_add(self.blocked)
    }

    /// Whether there was an episode: one that could not be begun is neither won nor lost.
    pub fn is_begun(&self) -> bool {
        self.ended != NOT_BEGUN
    }

    /// See [`tokens`].
    pub(crate) fn tokens(&self) -> Option<u64> {
        tokens(self.asks, self.prompt_tokens, self.completion_tokens)
    }

    /// Whether it broke off for a reason beside it, and nobody knows what it would have come to.
    pub fn broke_off(&self) -> bool {
        self.untold && self.error.is_some()
    }

    /// Whether it came to a result: an episode that could not be begun, or broke off, is neither won nor lost.
    pub fn counts(&self) -> bool {
        self.is_begun() && !self.untold
    }

    /// The result of an episode of a task: read from its session at the cursor, or from what was to be opened where it could not be
    /// begun.
    pub fn of(episode: &Episode, task: &TaskInfo, new: &NewSession, methods: &Methods) -> Self {
        let begun = RunResult {
            task: task.id.clone(),
            kind: task.kind.clone(),
            sentence: task.sentence.clone(),
            method: new.method.clone(),
            model: new.model.clone(),
            options: new.options.clone(),
            seed: new.seed,
            seconds: episode.seconds,
            ended: episode.ended.clone(),
            error: episode.error.clone(),
            session: episode.kept.as_ref().map(|file| file.display().to_string()),
            ..RunResult::default()
        };
        match &episode.session {
            // What is nowhere to be looked at, or broke off, is not counted as won.
            Ok(session) if episode.unkept || episode.unanswered => {
                RunResult { won: false, untold: true, ..begun.with(session, methods) }
            }
            Ok(session) => begun.with(session, methods),
            Err(_) => begun,
        }
    }

    fn with(self, session: &Session, methods: &Methods) -> Self {
        let header = &session.header;
        let path = session.path(session.cursor());
        let compatible = path.iter().filter(|node| is_compatible(session, node)).count();
        // Earlier trials are branches beside the path: what they cost counts, as their tokens do.
        let (proposals, asks) = session.effort();
        let (shortened, left_out) = session.left_out();
        let current = session.current();
        // How a program ended that got answers is what was observed last.
        let program = current.filter(|n| n.outcome.done && path.iter().any(|n| n.outcome.asked.is_some()));
        let ended =
            program.and_then(|n| n.outcome.observation.lines().next()).map(|line| format!("{BY_PROGRAM}{line}"));
        let Tally { steps, blocked, held } = Tally::of(&path);
        RunResult {
            task: header.task.clone(),
            sentence: header.sentence.clone(),
            method: session.method.clone(),
            model: session.model.clone(),
            options: header.options.clone(),
            seed: header.seed,
            sandbox: header.sandbox.clone(),
            won: current.is_some_and(|n| n.outcome.won),
            untold: current.is_some_and(|n| n.outcome.reached().is_none()),
            reward: reward_of(&header.world)(&path.iter().map(|node| &*node.outcome).collect::<Vec<_>>()),
            steps,
            trials: path.first().map_or(0, |start| u32::try_from(start.children.len()).unwrap_or(u32::MAX)),
            blocked,
            held,
            refused: u32::try_from(path.iter().filter(|n| n.outcome.error.is_some()).count()).unwrap_or(u32::MAX),
            compatible: u32::try_from(compatible).unwrap_or(u32::MAX),
            proposals: u32::try_from(proposals).unwrap_or(u32::MAX),
            considered: methods.figure(&Place::at_cursor(session), "ground_actions").or_else(|| considered(&path)),
            asks: u32::try_from(asks).unwrap_or(u32::MAX),
            shortened: u32::try_from(shortened).unwrap_or(u32::MAX),
            left_out: left_out.unwrap_or_default().to_owned(),
            prompt_tokens: session.spent.prompt,
            completion_tokens: session.spent.completion,
            cost: session.cost,
            unpriced: session.unpriced().into_iter().map(str::to_owned).collect(),
            roles: roles_of(session),
            served: session
                .nodes()
                .iter()
                .flat_map(|n| &n.turn.asks)
                .filter_map(Ask::served)
                .map(str::to_owned)
                .collect(),
            dueled: u32::try_from(path.iter().filter(|n| n.turn.duel.is_some()).count()).unwrap_or(u32::MAX),
            disagreements: session.duels(Agreement::Differ).into_iter().map(Disagreement::at).collect(),
            unanswered: u32::try_from(session.duels(Agreement::Open).len()).unwrap_or(u32::MAX),
            silences: Silence::of(&path),
            ended: ended.unwrap_or(self.ended),
            ..self
        }
    }
}

/// The candidates of a decision on a path, on average: those that a language model was given, or what was offered where none was asked.
/// `None` where no ask tells how many it was given.
fn considered(path: &[&Node]) -> Option<f64> {
    let candidates = |node: &Node| node.turn.asks.iter().rev().find_map(|ask| ask.prompt.as_ref()?.candidates);
    path.iter().find_map(|node| candidates(node))?;
    let decided: Vec<f64> = path
        .iter()
        .filter(|node| !node.children.is_empty())
        .map(|node| candidates(node).map_or(node.turn.proposals.len() as f64, f64::from))
        .collect();
    (!decided.is_empty()).then(|| decided.iter().sum::<f64>() / decided.len() as f64)
}

/// What each role took; empty where all are asked of one model.
fn roles_of(session: &Session) -> BTreeMap<String, RoleUse> {
    if Role::models(&session.options).next().is_none() {
        return BTreeMap::new();
    }
    let of = |(role, Spent { models, asks, prompt, completion, cost }): (Role, Spent)| {
        let (prompt_tokens, completion_tokens) = (prompt, completion);
        (role.name().to_owned(), RoleUse { model: models.join(", "), asks, prompt_tokens, completion_tokens, cost })
    };
    session.spent_by_role().into_iter().map(of).collect()
}

/// Whether a node was reached by an executed action whose preconditions held when it was decided. One that had none to check (a
/// line that is no action has none either) is compatible only if the world took it.
fn is_compatible(session: &Session, node: &Node) -> bool {
    if node.decision.is_none() || !node.outcome.is_executed() {
        return false;
    }
    match session.verdict_at(node.id).map_or(Mark::NotChecked, Verdict::preconditions) {
        Mark::Holds => true,
        // What is no program is none of its actions either.
        Mark::NotChecked => {
            session.verdict_at(node.id).is_some_and(|v| v.own() != Mark::Fails) && node.outcome.error.is_none()
        }
        Mark::Fails | Mark::Unknown | Mark::Blocked => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use stepwright_episode::Record;

    /// A session of one step: whether its precondition held (`null` where it has none), and whether the world refused it.
    fn session(precondition: serde_json::Value, refused: bool) -> Session {
        let header = json!({
            "stepwright": "session", "version": 1, "program": "test", "created": 0, "world": "w", "data": "shipped", "task": "t",
            "sentence": "s", "seed": 0, "method": "m", "model": "x", "specification": "", "opening": [],
        });
        let mut session = Session::new(serde_json::from_value(header).unwrap());
        let outcome = json!({"observation": "", "calls": [], "error": refused.then_some("no such line")});
        let checks: Vec<_> = Some(precondition).filter(|p| !p.is_null()).into_iter().collect();
        let checks: Vec<_> = checks
            .into_iter()
            .map(|status| json!({"kind": "precondition", "condition": "c", "status": status}))
            .collect();
        let action = json!({"text": "go"});
        let events = [
            json!({"event": "started", "outcome": {"observation": "", "calls": []}}),
            json!({"event": "proposed", "proposal": {"id": 1, "raw": "go", "action": action, "origin": "sample"}}),
            json!({"event": "checked", "proposal": 1, "verdict": {"checks": checks}}),
            json!({"event": "decided", "decision": {"id": 1, "choice": "approve", "proposal": 1, "by": "policy"}}),
            json!({"event": "executed", "decision": 1, "child": 1, "action": action, "outcome": outcome, "changes": []}),
        ];
        for (at, mut event) in events.into_iter().enumerate() {
            (event["id"], event["ts"], event["node"]) = (json!(at + 1), json!(0), json!(0));
            let record: Record = serde_json::from_value(event).unwrap();
            session.apply(&record).unwrap();
        }
        session
    }

    #[test]
    fn a_refused_line_without_preconditions_is_not_compatible() {
        let compatible = |precondition, refused| {
            let session = session(precondition, refused);
            is_compatible(&session, session.node(1).unwrap())
        };
        assert!(!compatible(json!(null), true));
        assert!(compatible(json!(null), false));
        assert!(compatible(json!("holds"), true), "what the preconditions say, whatever the world does");
        assert!(!compatible(json!("fails"), false));
    }

    #[test]
    fn a_cost_is_without_that_of_models_that_have_no_price() {
        let mut session = session(json!("holds"), false);
        for (ask, model, cost) in [(1, "fake", None), (2, "dear", Some(0.5)), (3, "dear", None)] {
            let kind = json!({"for": "action", "how": "greedy"});
            let exchange = json!({"endpoint": "", "request": {}, "cost": cost});
            let events = [
                json!({"event": "asked", "ask": ask, "kind": kind, "model": model, "n": 1, "temperature": 0.0}),
                json!({"event": "exchanged", "ask": ask, "exchange": exchange}),
                json!({"event": "answered", "ask": ask, "texts": ["go"], "usage": {"prompt": 9, "completion": 1}, "ms": 0}),
            ];
            for (at, mut event) in events.into_iter().enumerate() {
                (event["id"], event["ts"], event["node"]) = (json!(3 + 3 * ask + at), json!(0), json!(1));
                session.apply(&serde_json::from_value::<Record>(event).unwrap()).unwrap();
            }
            let without: Vec<&str> = session.unpriced().into_iter().collect();
            assert_eq!(without, if ask == 1 { &[][..] } else { &["fake"][..] }, "of no cost nothing is missing");
        }
    }
}
