//! Changed candidates. What a person changes of an action's candidates, as a document of the session.
//!
//! Candidates are told apart by their texts: those of a session that is opened again arrive anew, perhaps after the changes of them.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use stepwright_episode::ArtifactId;
use stepwright_episode::gate::{Edit, Request};

/// A candidate precondition as a person left it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CandidateMark {
    /// The expression.
    pub text: String,
    /// Whether it is rejected: out of the ranking, kept to be restored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rejected: bool,
}

/// A person's change of one candidate precondition: added (nothing before), edited or marked. In sessions of earlier versions also taken
/// out again (nothing after).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CandidateEdit {
    /// Its row among the candidates of the action at that time, from 0.
    pub at: usize,
    /// The value before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<CandidateMark>,
    /// The value since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<CandidateMark>,
}

/// The changes that a document holds; those that cannot be read are left out.
pub fn changes(document: Option<&Value>) -> Vec<CandidateEdit> {
    let all = document.and_then(Value::as_array).into_iter().flatten();
    all.filter_map(|edit| CandidateEdit::deserialize(edit).ok()).collect()
}

impl CandidateEdit {
    /// The request that makes it of the candidates of an action.
    pub fn request(&self, action: &str) -> Request {
        Request::Change { artifact: ArtifactId::candidates(action), edit: Edit::Append(json!(self)) }
    }

    /// What was changed of which candidate, in words.
    pub fn in_words(&self, action: &str) -> String {
        let what = match (&self.before, &self.after) {
            (Some(_), Some(after)) if self.writes().is_none() => {
                let how = if after.rejected { "rejected" } else { "restored" };
                return format!("`{}` {how} among the candidates of {action}", after.text);
            }
            (Some(before), Some(after)) => {
                return format!("`{}` edited to `{}` among the candidates of {action}", before.text, after.text);
            }
            (None, Some(after)) => format!("`{}` added to", after.text),
            (Some(before), None) => format!("`{}` taken out of", before.text),
            (None, None) => "nothing changed among".to_owned(),
        };
        format!("{what} the candidates of {action}")
    }

    /// The text that a person wrote, if it is no mere mark.
    pub(super) fn writes(&self) -> Option<&str> {
        let after = self.after.as_ref()?;
        (self.before.as_ref().map(|before| &before.text) != Some(&after.text)).then_some(&after.text)
    }
}
