//! Proposals and their verdicts: what was offered and the results of its checks.
//!
//! A proposal never changes once recorded; its verdict arrives as a separate record, and is replaced when it is checked again.
//! [`Mark`] summarises a verdict; nothing else decides whether a proposal passes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::packed::Packed;

/// Identifies a proposal within a session.
pub type ProposalId = u64;

/// An action in its two spellings. The mapping between them belongs to the world.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Action {
    /// As the world reads it (`take mug 1 from shelf 2`).
    pub text: String,
    /// As a program call (`agent.take('mug 1', 'shelf 2')`); `None` where it has none (`look`).
    /// Several calls that are taken at once stand a line each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// As the world takes it, where the text leaves something out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<String>,
    /// Whether the text is a program: calls, a line each, that are carried out one after the other. Else it is the world's own text,
    /// whatever it looks like.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub program: bool,
}

impl Action {
    /// An action that its text says all of.
    pub fn new(text: impl Into<String>, call: Option<String>) -> Self {
        Action { text: text.into(), call, exact: None, program: false }
    }

    /// Its calls, one by one.
    pub fn calls(&self) -> impl Iterator<Item = &str> {
        self.call.iter().flat_map(|call| call.lines())
    }
}

/// Where a proposal came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The greedy completion.
    Greedy,
    /// A random sample.
    Sample,
    /// The built-in symbolic proposer: no language model.
    Symbolic,
    /// The reference program of the task's file: no language model.
    Reference,
    /// The plan of another task, where no language model writes one for this.
    Borrowed,
    /// Ranked among the admissible actions by log-probability.
    Scored,
    /// The answer of the model that a program asks.
    Relayed,
    /// Typed or edited by a person.
    Person,
    /// Taken in an episode that was recorded elsewhere.
    Recorded,
    /// Offered by a method or an agent in another process.
    Agent,
}

impl Origin {
    /// Whether it is built in: no language model wrote it, and no person.
    pub fn is_built_in(self) -> bool {
        matches!(self, Origin::Symbolic | Origin::Reference | Origin::Borrowed)
    }

    /// Whether a model or an agent wrote it.
    pub fn is_written(self) -> bool {
        matches!(self, Origin::Greedy | Origin::Sample | Origin::Relayed | Origin::Agent)
    }
}

/// An offered next action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Proposal {
    /// Its number within the session.
    pub id: ProposalId,
    /// The text exactly as the source wrote it (a completion's line).
    pub raw: String,
    /// The number, from 1, of the plan's line or the program's call that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The action read from it; `None` when it is none, see `problem`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// Why `raw` is no action (`NoAction`, `NotAnAction`, `SyntaxError` of Algorithm 1), in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Who offered it.
    pub origin: Origin,
    /// The source's own score, higher is better; its scale belongs to the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Mean log-probability per token (natural logarithm), where the model reports it. Never invented.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logprob: Option<f64>,
    /// The source's reason, where it gives one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// The ask it answers, where a model was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask: Option<u64>,
}

/// Scores of the built-in proposer from here down have no plan behind them.
const NO_PLAN: f64 = -500.0;

impl Proposal {
    /// A text by where it came from, and nothing else yet.
    pub fn new(id: ProposalId, raw: impl Into<String>, origin: Origin) -> Self {
        let (action, problem, score, logprob, rationale, ask) = (None, None, None, None, None, None);
        Proposal { id, raw: raw.into(), line: None, action, problem, origin, score, logprob, rationale, ask }
    }

    /// As it was written, with the number of the line it is.
    pub fn numbered(&self) -> String {
        let number = self.line.map(|line| format!("{line}: ")).unwrap_or_default();
        format!("{number}{}", self.raw.trim())
    }

    /// Why it is no action, without the name of the rule that says so, which stands for itself in records (`NotAnAction: …`).
    pub fn why_no_action(&self) -> &str {
        let problem = self.problem.as_deref().unwrap_or("it is no action");
        let is_name = |name: &str| name.starts_with(char::is_uppercase) && name.chars().all(char::is_alphanumeric);
        problem.split_once(": ").filter(|(name, _)| is_name(name)).map_or(problem, |(_, why)| why)
    }

    /// Its score in readable form, wherever it is shown: what the built-in proposer gives is minus the steps that its plan takes, or, above
    /// 0, how probable the demonstrations make it; scores of hundreds of steps stand for offers that no plan backs.
    pub fn score_in_words(&self) -> Option<String> {
        let score = self.score?;
        Some(match self.origin {
            origin if origin.is_built_in() && score <= NO_PLAN => "no plan".to_owned(),
            origin if origin.is_built_in() && score <= 0.0 => format!("~{:.1} steps", -score),
            // How like its own plan's line a step is says nothing of this task.
            Origin::Borrowed => return None,
            // A rank of an agent's own is no number for a person.
            Origin::Symbolic if score > 1.0 => return None,
            // Habits followed, or a share among the actions that were scored together.
            Origin::Symbolic | Origin::Scored if score < 0.005 => "<1%".to_owned(),
            Origin::Symbolic | Origin::Scored => format!("{:.0}%", score * 100.0),
            _ => format!("score {score:.2}"),
        })
    }
}

/// Outcome of one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The condition holds.
    Holds,
    /// It does not, or evaluating it raised.
    Fails,
    /// The engine cannot decide (a construct it does not offer, or the budget ran out): neither holds nor fails.
    Unknown,
}

/// One thing that was checked about a proposal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// The kind of check.
    pub kind: CheckKind,
    /// The condition as a person reads it (`self.is_visible(recep)`).
    pub condition: String,
    /// Whether it holds.
    pub status: Status,
    /// With the arguments in place and the values found, or the exception (`AssertionError`, `KeyError: 'x'`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl Check {
    /// The condition of the world's own dry run.
    pub const WORLD: &str = "the world accepts it";

    /// A check of an action's form: it fails where there is a reason why.
    pub fn form(condition: String, why: Option<String>) -> Self {
        let status = if why.is_none() { Status::Holds } else { Status::Fails };
        Check { kind: CheckKind::Form, condition, status, detail: why }
    }

    /// The finding, as a person reads it: the condition, or what the world's dry run says.
    pub fn said(&self) -> &str {
        match (self.kind, self.status) {
            (CheckKind::World, Status::Holds) if self.condition == Check::WORLD => "the world would accept it",
            (CheckKind::World, Status::Fails) if self.condition == Check::WORLD => "the world would refuse it",
            _ => &self.condition,
        }
    }
}

/// The kinds of checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckKind {
    /// An adopted assertion of the action's function.
    Precondition,
    /// The world's own dry run: it would accept or refuse the action. For display; Algorithm 1 does not see it.
    World,
    /// The blocking tree's verdict. It shows the result of selecting the action, and counts neither for nor against it.
    Blocking,
    /// Whether it is well formed, whatever the state: arguments that fit their tool's schema, a known skill, the syntax of a primitive.
    Form,
}

/// The results of a proposal's checks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// The single checks, in order.
    #[serde(deserialize_with = "exactly")]
    pub checks: Vec<Check>,
    /// The step's effect on the program state, where the world can predict it: a JSON patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<Packed>,
    /// The observation the step would give, where the world can predict it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

/// Reads a list and keeps no room behind it: a long session has a hundred thousand of them.
fn exactly<'de, D: serde::Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    let mut list = Vec::deserialize(from)?;
    list.shrink_to_fit();
    Ok(list)
}

/// The summary of a proposal's checks: the one mark that lists, trees, the program and reports show of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Nothing was checked. Counts neither as holding nor as failing.
    NotChecked,
    /// Every check holds.
    Holds,
    /// A check fails.
    Fails,
    /// None fails, and some cannot be decided.
    Unknown,
    /// It can be selected, but a blocking condition holds: the blocking tree grows and nothing is executed.
    Blocked,
}

impl Mark {
    /// The mark in words.
    pub fn word(self) -> &'static str {
        match self {
            Mark::NotChecked => "not checked",
            Mark::Holds => Status::Holds.word(),
            Mark::Fails => Status::Fails.word(),
            Mark::Unknown => Status::Unknown.word(),
            Mark::Blocked => "blocked",
        }
    }

    /// The mark over some checks: `Fails` if any fails, else `Unknown` if any is unknown, `NotChecked` over none.
    fn over<'a>(checks: impl Iterator<Item = &'a Check>) -> Mark {
        checks.fold(Mark::NotChecked, |mark, check| match (mark, check.status) {
            (Mark::Fails, _) | (_, Status::Fails) => Mark::Fails,
            (Mark::Unknown, _) | (_, Status::Unknown) => Mark::Unknown,
            (_, Status::Holds) => Mark::Holds,
        })
    }
}

impl From<Status> for Mark {
    fn from(status: Status) -> Self {
        match status {
            Status::Holds => Mark::Holds,
            Status::Fails => Mark::Fails,
            Status::Unknown => Mark::Unknown,
        }
    }
}

impl Status {
    /// The outcome in a word.
    pub fn word(self) -> &'static str {
        match self {
            Status::Holds => "holds",
            Status::Fails => "fails",
            Status::Unknown => "unknown",
        }
    }
}

impl Verdict {
    /// The mark over the preconditions alone; `NotChecked` where none is in force for the action.
    pub fn preconditions(&self) -> Mark {
        Mark::over(self.checks.iter().filter(|c| c.kind == CheckKind::Precondition))
    }

    /// The mark of the world's own dry run; `NotChecked` where it has none.
    pub fn world(&self) -> Mark {
        Mark::over(self.checks.iter().filter(|c| c.kind == CheckKind::World))
    }

    /// The mark over all but the world's dry run: what assertions, forms and blocking conditions say.
    pub fn own(&self) -> Mark {
        match Mark::over(self.checks.iter().filter(|c| !matches!(c.kind, CheckKind::Blocking | CheckKind::World))) {
            Mark::Fails => Mark::Fails,
            _ if self.is_blocked() => Mark::Blocked,
            mark => mark,
        }
    }

    /// The mark over all checks. A blocking condition speaks neither for nor against the action: it is shown where nothing fails.
    pub fn mark(&self) -> Mark {
        match Mark::over(self.checks.iter().filter(|c| c.kind != CheckKind::Blocking)) {
            Mark::Fails => Mark::Fails,
            _ if self.is_blocked() => Mark::Blocked,
            mark => mark,
        }
    }

    /// The world's dry run, where the mark is its alone: of the rest nothing was checked, or it says otherwise.
    pub fn by_world_alone(&self) -> Option<&Check> {
        let alone = self.world() == self.mark() && self.own() != self.mark();
        self.checks.iter().find(|c| c.kind == CheckKind::World).filter(|_| alone)
    }

    /// Whether a blocking condition holds: the action can be selected, but its tree grows and nothing is executed.
    pub fn is_blocked(&self) -> bool {
        self.checks.iter().any(|c| c.kind == CheckKind::Blocking && c.status == Status::Fails)
    }

    /// What fails, as the rest of a sentence: `it fails: a, b, and the world would refuse it`. Blocking conditions are no failures.
    pub fn failing_in_words(&self) -> Option<String> {
        let own = self.failing().filter(|c| !matches!(c.kind, CheckKind::Blocking | CheckKind::World));
        let own = own.map(|c| c.condition.as_str()).collect::<Vec<_>>().join(", ");
        let own = Some(own).filter(|own| !own.is_empty()).map(|own| format!("it fails: {own}"));
        let world = self.failing().find(|c| c.kind == CheckKind::World).map(|c| c.said().to_owned());
        own.into_iter().chain(world).reduce(|own, world| format!("{own}, and {world}"))
    }

    /// The failing checks, in order.
    pub fn failing(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|c| c.status == Status::Fails)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_said_in_steps_or_as_a_share_and_a_rank_is_not() {
        let said = |origin, score| Proposal { score: Some(score), ..Proposal::new(1, "", origin) }.score_in_words();
        let symbolic = [-1001.0, -2.0, 0.002, 0.25, 102.3].map(|score| said(Origin::Symbolic, score));
        assert_eq!(symbolic.map(Option::unwrap_or_default), ["no plan", "~2.0 steps", "<1%", "25%", ""]);
        assert_eq!(said(Origin::Borrowed, 1.0), None);
        assert_eq!(said(Origin::Sample, 1.5).as_deref(), Some("score 1.50"));
    }

    #[test]
    fn why_it_is_no_action_is_said_without_the_rule_of_records() {
        let said = |problem: &str| {
            let problem = Some(problem.to_owned());
            Proposal { problem, ..Proposal::new(1, "", Origin::Greedy) }.why_no_action().to_owned()
        };
        assert_eq!(said("NotAnAction: no single call: `a; b`"), "no single call: `a; b`");
        assert_eq!(said("line 2: no call"), "line 2: no call");
    }

    fn verdict(checks: &[(CheckKind, Status)]) -> Verdict {
        let check = |&(kind, status): &(CheckKind, Status)| Check { kind, condition: "c".into(), status, detail: None };
        Verdict { checks: checks.iter().map(check).collect(), ..Verdict::default() }
    }

    #[test]
    fn nothing_checked_is_neither_good_nor_bad() {
        assert_eq!(Verdict::default().mark(), Mark::NotChecked);
        assert_eq!(Verdict::default().preconditions(), Mark::NotChecked);
        let by_the_world = verdict(&[(CheckKind::World, Status::Holds)]);
        assert_eq!((by_the_world.mark(), by_the_world.preconditions()), (Mark::Holds, Mark::NotChecked));
    }

    #[test]
    fn assertions_and_the_world_are_two_verdicts() {
        use CheckKind::{Blocking, Precondition, World};
        use Status::{Fails, Holds};
        let marks = |checks: &[(CheckKind, Status)]| (verdict(checks).own(), verdict(checks).world());
        assert_eq!(marks(&[(Precondition, Holds), (World, Fails)]), (Mark::Holds, Mark::Fails));
        assert_eq!(marks(&[(Blocking, Fails), (World, Holds)]), (Mark::Blocked, Mark::Holds));
        assert_eq!(marks(&[(World, Holds)]), (Mark::NotChecked, Mark::Holds));
        let alone = |checks: &[(CheckKind, Status)]| verdict(checks).by_world_alone().is_some();
        assert!(alone(&[(World, Holds)]) && alone(&[(World, Fails), (Precondition, Holds)]));
        for said in [&[(Precondition, Fails), (World, Fails)][..], &[(Precondition, Holds), (World, Holds)], &[]] {
            assert!(!alone(said), "{said:?}");
        }
        let check = |status| Check { kind: World, condition: Check::WORLD.into(), status, detail: None };
        assert_eq!(
            [Holds, Fails].map(|s| check(s).said().to_owned()),
            ["the world would accept it", "the world would refuse it"]
        );
    }

    #[test]
    fn the_worst_check_gives_the_mark() {
        use CheckKind::{Blocking, Precondition, World};
        use Status::{Fails, Holds, Unknown};
        assert_eq!(verdict(&[(Precondition, Unknown), (World, Holds)]).mark(), Mark::Unknown);
        assert_eq!(verdict(&[(Precondition, Unknown), (World, Fails)]).mark(), Mark::Fails);
        assert_eq!(verdict(&[(Blocking, Fails)]).mark(), Mark::Blocked);
        assert_eq!(verdict(&[(Blocking, Fails), (Precondition, Fails)]).mark(), Mark::Fails);
        assert_eq!(verdict(&[(Blocking, Holds)]).mark(), Mark::NotChecked);
        assert_eq!(verdict(&[(Blocking, Holds), (World, Holds)]).mark(), Mark::Holds);
    }
}
