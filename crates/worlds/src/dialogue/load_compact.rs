//! Compact files of dialogues, read and written: JSON lines, one dialogue a line, its calls in order and how many of them each turn has.

use serde::{Deserialize, Serialize};

use super::acts::{SYSTEM, USER};
use super::record::{Dialogue, Speaker, Turn};
use stepwright_program::Call;

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    id: String,
    service: String,
    calls: Vec<Call>,
    /// How many calls each turn has; user and system take turns, the user first.
    turns: Vec<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    utterances: Vec<String>,
}

/// Keys of a dialogue; other JSON lines that may lie beside dialogues have one of them at most.
pub(super) const OWN: [&str; 3] = ["service", "calls", "turns"];

pub(super) fn dialogue(line: &str) -> Result<Dialogue, String> {
    let line: Line = serde_json::from_str(line)
        .map_err(|e| format!("no dialogue: {e}; a line has id, service, calls and turns (number of calls of each)"))?;
    let Line { id, service, calls, turns, utterances } = line;
    let counted: usize = turns.iter().fold(0, |sum, n| sum.saturating_add(*n));
    if counted != calls.len() {
        return Err(format!(
            "dialogue {id}: its turns have {counted} calls together, but {} are listed; correct `turns`",
            calls.len()
        ));
    }
    if !utterances.is_empty() && utterances.len() != turns.len() {
        let (u, t) = (utterances.len(), turns.len());
        return Err(format!("dialogue {id}: {u} utterances for {t} turns; give one a turn, or none"));
    }
    let mut calls = calls.into_iter();
    let mut utterances = utterances.into_iter();
    let mut made = Vec::with_capacity(turns.len());
    for (i, n) in turns.into_iter().enumerate() {
        let (speaker, receiver) = if i % 2 == 0 { (Speaker::User, USER) } else { (Speaker::System, SYSTEM) };
        let calls: Vec<Call> = calls.by_ref().take(n).collect();
        if let Some(other) = calls.iter().find(|c| c.receiver != receiver) {
            return Err(format!(
                "dialogue {id}, turn {}: {other} is no call of the {receiver}, whose turn it is",
                i + 1
            ));
        }
        made.push(Turn { speaker, utterance: utterances.next().unwrap_or_default(), calls });
    }
    Ok(Dialogue { id, service, turns: made })
}

/// Writes a dialogue whose turns alternate, the user first, as a line without its end.
pub fn line(dialogue: &Dialogue) -> Result<String, String> {
    let alternate = |(i, turn): (usize, &Turn)| (turn.speaker == Speaker::User) == (i % 2 == 0);
    if !dialogue.turns.iter().enumerate().all(alternate) {
        return Err(format!("dialogue {}: the turns do not alternate, so it has no compact form", dialogue.id));
    }
    let known = dialogue.turns.iter().any(|t| !t.utterance.is_empty());
    let line = Line {
        id: dialogue.id.clone(),
        service: dialogue.service.clone(),
        calls: dialogue.calls().cloned().collect(),
        turns: dialogue.turns.iter().map(|t| t.calls.len()).collect(),
        utterances: dialogue.turns.iter().filter(|_| known).map(|t| t.utterance.clone()).collect(),
    };
    serde_json::to_string(&line).map_err(|e| e.to_string())
}
