//! Decisions: what was chosen, by whom, and why; and the policy under which the program chooses by itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::proposal::ProposalId;

/// Identifies a decision within a session.
pub type DecisionId = u64;

/// Who decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// A person at the gate.
    Person,
    /// The gate's policy.
    Policy,
}

/// The decision about a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "choice", rename_all = "snake_case")]
pub enum Choice {
    /// Take this proposal as it is.
    Approve {
        /// The proposal taken.
        proposal: ProposalId,
    },
    /// Take an edited action in its place. The edited action is a separate proposal (origin: person), checked like any other.
    Edit {
        /// The proposal it was edited from.
        from: ProposalId,
        /// The edited proposal, which is taken.
        proposal: ProposalId,
    },
    /// Take an action a person typed; it is a separate proposal (origin: person), checked like any other.
    Manual {
        /// The proposal that holds it.
        proposal: ProposalId,
    },
    /// Refuse a proposal; the reason reaches the model as a person's decision, not as a failure of the world.
    Reject {
        /// The proposal refused.
        proposal: ProposalId,
        /// The person's words; may be empty.
        reason: String,
    },
}

/// A decision: one record, separate from the proposal and from the execution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Line")]
pub struct Decision {
    /// Its number within the session.
    pub id: DecisionId,
    /// The choice.
    #[serde(flatten)]
    pub choice: Choice,
    /// Who chose.
    pub by: Actor,
    /// Why, in words: the policy's rule, or a person's note.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

impl Decision {
    /// The proposal it takes or rejects.
    pub fn proposal(&self) -> ProposalId {
        match &self.choice {
            Choice::Approve { proposal }
            | Choice::Edit { proposal, .. }
            | Choice::Manual { proposal }
            | Choice::Reject { proposal, .. } => *proposal,
        }
    }

    /// Whether it takes its proposal (anything but a rejection).
    pub fn takes(&self) -> bool {
        !matches!(self.choice, Choice::Reject { .. })
    }
}

/// A decision as its line holds it: read field by field, which a flattened choice would not be.
#[derive(Deserialize, JsonSchema)]
struct Line {
    id: DecisionId,
    choice: Chosen,
    proposal: ProposalId,
    from: Option<ProposalId>,
    reason: Option<String>,
    by: Actor,
    #[serde(default)]
    why: String,
}

/// How a decision was made, as lines of logs and of the protocol say it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Chosen {
    /// A proposal was taken as it was.
    Approve,
    /// A person edited a proposal and took that.
    Edit,
    /// A person typed it.
    Manual,
    /// A person rejected it.
    Reject,
}

impl From<&Choice> for Chosen {
    fn from(choice: &Choice) -> Self {
        match choice {
            Choice::Approve { .. } => Chosen::Approve,
            Choice::Edit { .. } => Chosen::Edit,
            Choice::Manual { .. } => Chosen::Manual,
            Choice::Reject { .. } => Chosen::Reject,
        }
    }
}

impl TryFrom<Line> for Decision {
    type Error = &'static str;

    fn try_from(line: Line) -> Result<Self, Self::Error> {
        let Line { id, choice, proposal, from, reason, by, why } = line;
        let choice = match choice {
            Chosen::Approve => Choice::Approve { proposal },
            Chosen::Edit => Choice::Edit { from: from.ok_or("missing field `from`")?, proposal },
            Chosen::Manual => Choice::Manual { proposal },
            Chosen::Reject => Choice::Reject { proposal, reason: reason.ok_or("missing field `reason`")? },
        };
        Ok(Decision { id, choice, by, why })
    }
}

/// When the gate approves by itself. The default never does.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Policy {
    /// Steps it may still take by itself; 0 = a person decides everything. A selection that turned out blocked is no step: nothing
    /// was executed. (How many selections there may be is up to the world's blocking domain.)
    pub steps: u32,
    /// Ask the person when any check of the recommended proposal does not hold: its preconditions, or the world's dry run.
    pub until_fails: bool,
    /// Stop before executing an action whose text or function equals this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until_action: Option<String>,
    /// Stop when this many tokens have been spent in the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_budget: Option<u64>,
    /// The conversations of a program, from 1, whose answers are taken without a person while no check fails.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conversations: Vec<usize>,
}

impl Policy {
    /// The steps of a run to the end of the episode.
    pub const TO_THE_END: u32 = u32::MAX;

    /// A person decides every step.
    pub fn manual() -> Self {
        Policy::default()
    }

    /// Approve while every check holds, at most `steps` steps.
    pub fn checked(steps: u32) -> Self {
        Policy { steps, until_fails: true, ..Policy::default() }
    }

    /// Whether any step may be taken without a person.
    pub fn is_automatic(&self) -> bool {
        self.steps > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn decisions_are_read_as_they_are_written() {
        let choices = [
            Choice::Approve { proposal: 1 },
            Choice::Edit { from: 1, proposal: 2 },
            Choice::Manual { proposal: 3 },
            Choice::Reject { proposal: 4, reason: "not yet".into() },
        ];
        for choice in choices {
            let decision = Decision { id: 7, choice, by: Actor::Policy, why: "a rule".into() };
            let written = serde_json::to_string(&decision).unwrap();
            assert_eq!(serde_json::from_str::<Decision>(&written).unwrap(), decision);
        }
        let edit = json!({"id": 1, "choice": "edit", "proposal": 2, "by": "person"});
        assert!(serde_json::from_value::<Decision>(edit).unwrap_err().to_string().contains("missing field `from`"));
        assert!(serde_json::from_value::<Decision>(json!({"id": 1, "choice": "wait"})).is_err());
    }
}
