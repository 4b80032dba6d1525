//! Result kept of an inferred action: one line of the results file, from which the tables are computed.

use serde::{Deserialize, Serialize};

use super::inference::Inferred;
use super::subject::Subject;
use crate::sample::{Under, sample};
use stepwright_precondition::{Demonstrations, InstanceSet, Instances, Score};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Approach {
    /// The built-in enumerator: no language model.
    Enumerated,
    /// Every valid candidate, without any ranking.
    Unranked,
    /// The enumerator's candidates ranked by the paper's Equation (1) alone, with those that the evidence rule holds back.
    Equation,
    /// The first assertions a model writes, taken as they are ("Prompting" in Table 2).
    Prompted,
    /// A model's candidates, validated on the demonstrations and ranked by the paper's Equation (1) alone ("Ours" in Table 2).
    Validated,
}

impl Approach {
    /// Whether its assertions stand for the unit: those of the other approaches are measured beside them.
    pub fn stands(self) -> bool {
        matches!(self, Approach::Enumerated | Approach::Validated)
    }

    pub fn words(self) -> &'static str {
        match self {
            Approach::Enumerated => "built-in enumerator, evidence rule",
            Approach::Unranked => "no ranking",
            Approach::Equation => "built-in enumerator, Equation (1) alone",
            Approach::Prompted => "prompting",
            Approach::Validated => "validated, Equation (1) alone",
        }
    }
}

/// Which of the candidates that a ranking leaves are asserted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    #[default]
    All,
    /// Those of the action that forbid most for their number, whatever other actions do.
    Alone,
    /// Those of all actions that do.
    Together,
}

impl Choice {
    fn is_all(&self) -> bool {
        *self == Choice::All
    }

    pub fn words(self) -> &'static str {
        match self {
            Choice::All => "all of them",
            Choice::Alone => "each alone",
            Choice::Together => "together",
        }
    }
}

/// The settings that a study's results share beside their subjects.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Way {
    /// The model's name; `symbolic` for the built-in enumerator.
    pub model: String,
    pub demonstrations: usize,
    /// Samples of each prompt; 0 without a language model.
    pub samples: u32,
    /// Their temperature, as text; empty without a language model.
    #[serde(default)]
    pub temperature: String,
    /// Seed of the samples, and of demonstrations where data names none.
    pub seed: u64,
    /// Episodes of a subject that were scored on, at most; absent where all were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<usize>,
    /// What a file held that took the place of the data's truth, as a hash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truth_file: Option<String>,
}

/// Agreement with the true assertions, by Equation 2.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// Instances where the true assertions hold.
    pub truth: usize,
    pub both: usize,
    /// |both| / |inferred|
    pub precision: f64,
    /// |both| / |truth|
    pub recall: f64,
    pub f1: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActionResult {
    /// `dialogue` or `household`.
    pub world: String,
    pub subject: String,
    pub action: String,
    #[serde(flatten)]
    pub way: Way,
    pub approach: Approach,
    #[serde(default, skip_serializing_if = "Choice::is_all")]
    pub choice: Choice,
    pub shown: usize,
    pub episodes: usize,
    pub assertions: Vec<String>,
    pub truth: Option<Vec<String>>,
    pub truth_from: Option<String>,
    /// Instances (step, binding) of the episodes.
    pub instances: usize,
    /// Of these, where the inferred assertions hold.
    pub satisfied: usize,
    pub calls: usize,
    /// Of these, where the inferred assertions hold.
    pub held: usize,
    /// How the two agree, where the truth is known and there are instances.
    pub agreement: Option<Agreement>,
    pub candidates: usize,
    pub valid: usize,
    pub asks: u32,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    pub seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(skip)]
    pub under: Under,
}

sample!(ActionResult, |of| format!("{}\0{}", of.subject, of.action), of.way.seed, under);

impl ActionResult {
    pub(super) fn new(subject: &Subject, action: &str, way: &Way, inferred: Inferred, seconds: f64) -> Self {
        let truth = subject.truth_of(action);
        let mut result = ActionResult {
            world: subject.world.to_owned(),
            subject: subject.name.clone(),
            action: action.to_owned(),
            way: way.clone(),
            approach: inferred.approach,
            choice: inferred.choice,
            shown: subject.demonstrations(),
            episodes: subject.tests(),
            assertions: inferred.assertions,
            truth: truth.cloned(),
            truth_from: truth.and(subject.truth.as_ref()).map(|t| t.origin.clone()),
            instances: 0,
            satisfied: 0,
            calls: 0,
            held: 0,
            agreement: None,
            candidates: inferred.candidates,
            valid: inferred.valid,
            asks: inferred.asks,
            prompt_tokens: inferred.prompt_tokens,
            completion_tokens: inferred.completion_tokens,
            seconds,
            error: inferred.error,
            under: Under::default(),
        };
        if result.error.is_none()
            && let Err(why) = result.score(subject)
        {
            result.error = Some(why);
        }
        result
    }

    fn score(&mut self, subject: &Subject) -> Result<(), String> {
        let instances = subject.instances(&self.action).ok_or("the specification has no such action")?;
        let inferred = instances.conjunction(&subject.tests, &self.assertions)?;
        self.instances = instances.len();
        self.satisfied = inferred.count();
        (self.held, self.calls) = held(&subject.tests, &instances, &inferred);
        if let Some(truth) = &self.truth {
            let truth =
                instances.conjunction(&subject.tests, truth).map_err(|e| format!("the true assertions: {e}"))?;
            let Score { precision, recall, f1 } = Score::of_sets(&inferred, &truth);
            let both = inferred.count_common(&truth);
            // Of no instance there is nothing to agree about.
            let agreement = Agreement { truth: truth.count(), both, precision, recall, f1 };
            self.agreement = (!instances.is_empty()).then_some(agreement);
        }
        Ok(())
    }

    /// Whether nothing was measured of it: no call in the episodes says with what it would be called.
    pub(super) fn is_unmeasured(&self) -> bool {
        self.error.is_none() && self.instances == 0 && self.agreement.is_none()
    }
}

/// At how many calls of the action the set holds, and how many there are.
fn held(demos: &Demonstrations, instances: &Instances, set: &InstanceSet) -> (usize, usize) {
    let name = &instances.function;
    let (mut held, mut calls) = (0, 0);
    for at in 0..instances.len() {
        let Some(instance) = instances.instance(demos, at) else { continue };
        let called = demos.call(&instance.step);
        if called.is_some_and(|c| c.receiver == name.receiver && c.function == name.name && c.args == instance.binding)
        {
            calls += 1;
            held += usize::from(set.contains(at));
        }
    }
    (held, calls)
}
