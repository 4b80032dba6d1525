//! Asks of a model and of what stands in for one: their kinds, records and states.
//!
//! An ask's kind is a type, which also knows its words in logs of format 1. What a prompt says belongs to the
//! method that asks.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stepwright_wire::Usage;

use super::artifact::ArtifactKind;
use super::event::{AskId, PromptRecord};
use super::exchanged::Exchange;

/// How a next action is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sampling {
    /// One completion at temperature 0.
    Greedy,
    /// Random samples.
    Samples,
    /// The best of a ranking without a language model.
    Ranked,
    /// More of such a ranking than was offered.
    Further,
    /// The log-probability of each admissible action.
    Scored,
    /// What a program asks, as it asks it.
    Relayed,
    /// A choice among listed actions.
    Selected,
}

/// The purpose of an ask.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "for", rename_all = "snake_case")]
pub enum AskKind {
    /// The next action.
    Action {
        /// How.
        how: Sampling,
    },
    /// The next line of an artifact in force: of a plan, of a program whose calls are decided about one by one.
    Line {
        /// Of which.
        of: ArtifactKind,
    },
    /// A new artifact: a plan, a program, a belief.
    Artifact {
        /// Of which kind.
        artifact: ArtifactKind,
    },
    /// Whether the condition in a plan's line holds.
    Judgement {
        /// The line, from 1.
        line: usize,
    },
    /// Candidate preconditions of an action function; nothing is proposed of the answer.
    Candidates {
        /// The function.
        action: String,
    },
    /// The likelihoods of candidate preconditions of an action function; nothing is proposed of the answer.
    CandidateScores {
        /// The function.
        action: String,
        /// How many are scored.
        n: usize,
    },
    /// The lessons of logs: skills, a cut, primitives, tips; nothing is proposed of the answer as an action.
    Distil {
        /// In a few words (`tips for take`).
        what: String,
    },
    /// Anything else a method asks.
    Other(OwnAsk),
}

/// An ask of a method's own accord: the method goes by the tag, people by the label. Asks with the same tag are of one
/// kind, whatever their labels.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OwnAsk {
    /// The method's name for it.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub tag: Cow<'static, str>,
    /// Which of several with that tag: a function's name, the name of a method behind a command.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub of: String,
    /// Which of several of these, from 0.
    #[serde(skip_serializing_if = "is_first")]
    pub nth: usize,
    /// In a few words.
    pub label: String,
}

fn is_first(nth: &usize) -> bool {
    *nth == 0
}

impl OwnAsk {
    fn identity(&self) -> (&str, &str, usize) {
        (&self.tag, &self.of, self.nth)
    }
}

impl PartialEq for OwnAsk {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for OwnAsk {}

impl Hash for OwnAsk {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

impl AskKind {
    /// One completion at temperature 0 for the next action.
    pub const GREEDY: AskKind = AskKind::Action { how: Sampling::Greedy };
    /// Random samples of the next action.
    pub const SAMPLES: AskKind = AskKind::Action { how: Sampling::Samples };
    /// The best next actions without a language model.
    pub const RANKED: AskKind = AskKind::Action { how: Sampling::Ranked };
    /// More of those.
    pub const FURTHER: AskKind = AskKind::Action { how: Sampling::Further };
    /// Every admissible action scored.
    pub const SCORED: AskKind = AskKind::Action { how: Sampling::Scored };
    /// A choice among listed actions.
    pub const SELECTED: AskKind = AskKind::Action { how: Sampling::Selected };
    /// What a program asks, as it asks it.
    pub const RELAYED: AskKind = AskKind::Action { how: Sampling::Relayed };
    /// A whole plan.
    pub const PLAN: AskKind = AskKind::Artifact { artifact: ArtifactKind::Plan };
    /// The next line of the plan in force.
    pub const PLAN_LINE: AskKind = AskKind::Line { of: ArtifactKind::Plan };
    /// A program that answers the open request.
    pub const PROGRAM: AskKind = AskKind::Artifact { artifact: ArtifactKind::Program };
    /// The next call of the program in force.
    pub const PROGRAM_CALL: AskKind = AskKind::Line { of: ArtifactKind::Program };
    /// The belief after an update.
    pub const BELIEF: AskKind = AskKind::Artifact { artifact: ArtifactKind::Belief };
    /// A form of states.
    pub const FORM: AskKind = AskKind::Artifact { artifact: ArtifactKind::Form };

    /// An ask of a method's own, by its tag.
    pub fn own(tag: &'static str, label: &str) -> Self {
        AskKind::Other(OwnAsk { tag: tag.into(), label: label.to_owned(), ..OwnAsk::default() })
    }

    /// Whether nothing is proposed of the answer: the ask runs alongside the episode.
    pub fn is_background(&self) -> bool {
        matches!(self, AskKind::Candidates { .. } | AskKind::CandidateScores { .. } | AskKind::Distil { .. })
            || *self == AskKind::FORM
    }

    /// Whether a line of what is followed is asked for.
    pub fn is_line(&self) -> bool {
        matches!(self, AskKind::Line { .. })
    }

    /// Whether it is of that kind; a further ranking is a ranking.
    pub fn is(&self, kind: &AskKind) -> bool {
        self == kind || (*self == AskKind::FURTHER && *kind == AskKind::RANKED)
    }

    /// The kind that words of a log of format 1 stand for.
    pub fn from_words(words: &str) -> Self {
        let known = [
            AskKind::GREEDY,
            AskKind::SAMPLES,
            AskKind::RANKED,
            AskKind::FURTHER,
            AskKind::SCORED,
            AskKind::SELECTED,
            AskKind::RELAYED,
            AskKind::PLAN,
            AskKind::PLAN_LINE,
            AskKind::PROGRAM,
            AskKind::PROGRAM_CALL,
            AskKind::BELIEF,
        ];
        if let Some(kind) = known.into_iter().find(|kind| kind.to_string() == words) {
            return kind;
        }
        if let Some(line) = words.strip_prefix("the plan's assertion in line ").and_then(|n| n.parse().ok()) {
            return AskKind::Judgement { line };
        }
        if let Some(action) = words.strip_prefix("assertions for ") {
            return AskKind::Candidates { action: action.to_owned() };
        }
        if let Some((n, action)) = words.strip_prefix("likelihood of ").and_then(|w| w.split_once(" assertions for "))
            && let Ok(n) = n.parse()
        {
            return AskKind::CandidateScores { action: action.to_owned(), n };
        }
        if let Some(what) = words.strip_suffix(" from logs") {
            return AskKind::Distil { what: what.to_owned() };
        }
        AskKind::Other(OwnAsk { label: words.to_owned(), ..OwnAsk::default() })
    }
}

impl fmt::Display for AskKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AskKind::Action { how } => f.write_str(match how {
                Sampling::Greedy => "next action, greedy",
                Sampling::Samples => "next action, samples",
                Sampling::Ranked => "next action, ranked",
                Sampling::Further => "next action, ranked further",
                Sampling::Scored => "next action, scored",
                Sampling::Selected => "next action, selected",
                Sampling::Relayed => "what the program asks",
            }),
            AskKind::Line { of } if *of == ArtifactKind::Plan => f.write_str("next line of the plan"),
            AskKind::Line { of } if *of == ArtifactKind::Program => f.write_str("next call of the program"),
            AskKind::Line { of } => write!(f, "next line of the {of}"),
            AskKind::Artifact { artifact } if *artifact == ArtifactKind::Program => {
                f.write_str("a program for the request")
            }
            AskKind::Artifact { artifact } if *artifact == ArtifactKind::Belief => {
                f.write_str("the state after an update")
            }
            AskKind::Artifact { artifact } if *artifact == ArtifactKind::Form => f.write_str("a form of states"),
            AskKind::Artifact { artifact } => write!(f, "a {artifact}"),
            AskKind::Judgement { line } => write!(f, "the plan's assertion in line {line}"),
            AskKind::Candidates { action } => write!(f, "assertions for {action}"),
            AskKind::CandidateScores { action, n } => write!(f, "likelihood of {n} assertions for {action}"),
            AskKind::Distil { what } => write!(f, "{what} from logs"),
            AskKind::Other(own) => f.write_str(&own.label),
        }
    }
}

/// An ask and its status.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// Its number.
    pub id: AskId,
    /// Its purpose.
    pub kind: AskKind,
    /// The model's name.
    pub model: String,
    /// The exact prompt, where there is one.
    pub prompt: Option<Arc<PromptRecord>>,
    /// Completions asked for.
    pub n: u32,
    /// Sampling temperature.
    pub temperature: f64,
    /// The request as sent and what came back beside the texts, where it was recorded.
    pub exchange: Option<Arc<Exchange>>,
    /// Its status.
    pub state: AskState,
}

impl Ask {
    /// The first of its completions.
    pub fn text(&self) -> Option<&str> {
        match &self.state {
            AskState::Answered { texts, .. } => texts.first().map(String::as_str),
            _ => None,
        }
    }

    /// What had come of an answer that is none, if anything had.
    pub fn partial(&self) -> Option<&str> {
        match &self.state {
            AskState::Failed { partial, .. } if !partial.is_empty() => Some(partial),
            _ => None,
        }
    }

    /// The model that answered, as its server names it.
    pub fn served(&self) -> Option<&str> {
        self.exchange.as_ref().map(|exchange| exchange.served.as_str()).filter(|served| !served.is_empty())
    }

    /// How its completions were sampled, in words. A program says that by itself: more answers to it are asked for as it asked.
    pub fn sampling(&self) -> String {
        match (&self.kind, self.temperature == 0.0) {
            (AskKind::Action { how: Sampling::Relayed | Sampling::Samples }, true) => "as the program asks".to_owned(),
            (_, true) => "greedy".to_owned(),
            (_, false) => format!("temperature {}", self.temperature),
        }
    }
}

/// The status of an ask.
#[derive(Debug, Clone, PartialEq)]
pub enum AskState {
    /// Under way, or the program ended meanwhile.
    Pending,
    /// Answered: completions, tokens, milliseconds.
    Answered {
        /// The completions.
        texts: Arc<Vec<String>>,
        /// Tokens, where reported.
        usage: Option<Usage>,
        /// Milliseconds.
        ms: u64,
    },
    /// Failed or cancelled.
    Failed {
        /// The error.
        error: String,
        /// Whether a person cancelled it.
        cancelled: bool,
        /// Tokens spent all the same, where reported.
        usage: Option<Usage>,
        /// What had come, which is no answer.
        partial: String,
    },
}

impl AskState {
    /// Tokens spent, where reported, whether or not there is an answer.
    pub fn usage(&self) -> Option<Usage> {
        match self {
            AskState::Answered { usage, .. } | AskState::Failed { usage, .. } => *usage,
            AskState::Pending => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<AskKind> {
        let action = || "take".to_owned();
        let how = [
            Sampling::Greedy,
            Sampling::Samples,
            Sampling::Ranked,
            Sampling::Further,
            Sampling::Scored,
            Sampling::Selected,
            Sampling::Relayed,
        ];
        let mut all: Vec<AskKind> = how.into_iter().map(|how| AskKind::Action { how }).collect();
        all.extend([AskKind::PLAN, AskKind::PLAN_LINE, AskKind::PROGRAM, AskKind::PROGRAM_CALL, AskKind::BELIEF]);
        all.extend([AskKind::Judgement { line: 7 }, AskKind::Candidates { action: action() }]);
        all.push(AskKind::Distil { what: "tips for take".into() });
        all.extend([AskKind::CandidateScores { action: action(), n: 3 }, AskKind::own("", "why")]);
        all
    }

    #[test]
    fn kinds_are_read_as_written_and_from_the_words_of_older_logs() {
        for kind in all() {
            let written = serde_json::to_value(&kind).unwrap();
            assert_eq!(serde_json::from_value::<AskKind>(written).unwrap(), kind);
            assert_eq!(AskKind::from_words(&kind.to_string()), kind, "{kind}");
        }
    }

    #[test]
    fn what_a_method_asks_is_known_by_its_tag() {
        assert_eq!(AskKind::own("correction", "a correction"), AskKind::own("correction", "reworded"));
        assert_ne!(AskKind::own("correction", "a correction"), AskKind::own("run", "a correction"));
    }

    #[test]
    fn a_further_ranking_is_a_ranking() {
        assert!(AskKind::FURTHER.is(&AskKind::RANKED));
        assert!(!AskKind::RANKED.is(&AskKind::FURTHER));
    }

    #[test]
    fn an_unknown_kind_is_refused() {
        assert!(serde_json::from_value::<AskKind>(serde_json::json!({ "for": "nothing" })).is_err());
    }
}
