//! Loader of dialogues in the dataset's own layout (`dialogues_*.json`) as calls.
//!
//! The rules are fixed: dialogues of one service only; a service call and its status first, then the acts in the order given;
//! slots and intents are kept, values are not.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::acts::{Act, QUERY_STATUS, SYSTEM, SYSTEM_ACTS, USER, USER_ACTS, argument, names};
use super::record::{Dialogue, Speaker, Turn};
use super::{Argument, schema};
use stepwright_program::Call;

#[derive(Deserialize)]
struct RawDialogue<'a> {
    #[serde(borrow)]
    dialogue_id: Cow<'a, str>,
    services: Vec<String>,
    #[serde(borrow, default)]
    split: Option<Cow<'a, str>>,
    #[serde(borrow)]
    turns: Vec<RawTurn<'a>>,
}

#[derive(Deserialize)]
struct RawTurn<'a> {
    #[serde(borrow)]
    speaker: Cow<'a, str>,
    #[serde(borrow, default)]
    utterance: Option<Cow<'a, str>>,
    #[serde(borrow)]
    frames: Vec<RawFrame<'a>>,
}

#[derive(Deserialize)]
struct RawFrame<'a> {
    #[serde(borrow)]
    actions: Option<Vec<RawAct<'a>>>,
    #[serde(borrow, default)]
    service_call: Option<RawServiceCall<'a>>,
    service_results: Option<Vec<IgnoredAny>>,
}

#[derive(Deserialize)]
struct RawServiceCall<'a> {
    #[serde(borrow)]
    method: Cow<'a, str>,
}

#[derive(Deserialize)]
struct RawAct<'a> {
    #[serde(borrow)]
    act: Cow<'a, str>,
    /// Of acts without one it is empty, null or absent.
    #[serde(borrow, default)]
    slot: Option<Cow<'a, str>>,
    /// Only an intent's name is read of them.
    values: Option<Vec<Value>>,
}

/// The single-service dialogues of a file's text, each with its number in it, from 1. `split` names those whose own text does not.
pub(super) fn dialogues(text: &str, split: &str) -> Result<Vec<(usize, Dialogue)>, String> {
    let raw: Vec<RawDialogue<'_>> = serde_json::from_str(text).map_err(|e| malformed(text, &e))?;
    let single = (1..).zip(raw).filter(|(_, dialogue)| dialogue.services.len() == 1);
    single.map(|(number, dialogue)| Ok((number, dialogue.into_dialogue(split)?))).collect()
}

impl RawDialogue<'_> {
    fn into_dialogue(self, split: &str) -> Result<Dialogue, String> {
        let mut turns = Vec::with_capacity(self.turns.len());
        for (i, turn) in self.turns.into_iter().enumerate() {
            let turn =
                turn.into_turn().map_err(|why| format!("dialogue {}, turn {}: {why}", self.dialogue_id, i + 1))?;
            turns.push(turn);
        }
        let split = self.split.as_deref().unwrap_or(split);
        let service = self.services.into_iter().next().unwrap_or_default();
        Ok(Dialogue { id: format!("{split}/{}", self.dialogue_id), service, turns })
    }
}

impl RawTurn<'_> {
    fn into_turn(self) -> Result<Turn, String> {
        let (speaker, receiver, acts): (_, _, &[Act]) = match &*self.speaker {
            "USER" => (Speaker::User, USER, &USER_ACTS),
            "SYSTEM" => (Speaker::System, SYSTEM, &SYSTEM_ACTS),
            other => return Err(format!("the speaker is {other:?}; it must be USER or SYSTEM")),
        };
        if self.frames.len() > 1 {
            let n = self.frames.len();
            return Err(format!("it has {n} frames, but the dialogue is of one service; leave one frame"));
        }
        let mut calls = Vec::new();
        for frame in self.frames {
            let actions = frame.actions.unwrap_or_default();
            match (&frame.service_call, speaker) {
                (Some(_), Speaker::User) => return Err("a user's turn has a service_call; remove it".to_owned()),
                (Some(call), Speaker::System) => {
                    if !schema::is_function_name(&call.method) {
                        return Err(format!("the service call's method {:?} is no name of an intent", call.method));
                    }
                    // A failed booking may still return an alternative: it is no success.
                    let failed = actions.iter().any(|a| a.act == "NOTIFY_FAILURE");
                    let found = frame.service_results.as_ref().is_some_and(|r| !r.is_empty());
                    calls.push(Call { receiver: SYSTEM.into(), function: call.method.to_string(), ..Call::default() });
                    calls.push(Call::new(SYSTEM, QUERY_STATUS, [found && !failed]));
                }
                (None, _) => {}
            }
            for act in actions {
                calls.push(act.into_call(receiver, acts)?);
            }
        }
        Ok(Turn { speaker, utterance: self.utterance.unwrap_or_default().into_owned(), calls })
    }
}

impl RawAct<'_> {
    fn into_call(self, receiver: &str, acts: &[Act]) -> Result<Call, String> {
        let RawAct { act, slot, values } = self;
        let argument = argument(acts, &act)
            .ok_or_else(|| format!("the {receiver} has no act {act:?}; its acts are {}", names(acts)))?;
        let args = match argument {
            Argument::Nothing => Vec::new(),
            Argument::Slot => match slot.filter(|slot| !slot.is_empty()) {
                Some(slot) => vec![slot.into_owned().into()],
                None => return Err(format!("{act} names no slot; add \"slot\"")),
            },
            Argument::Intent => match values.into_iter().flatten().next() {
                Some(Value::String(intent)) => vec![intent.into()],
                _ => return Err(format!("{act} names no intent; add it as the only one of \"values\"")),
            },
        };
        Ok(Call { receiver: receiver.to_owned(), function: act.into_owned(), args, ..Call::default() })
    }
}

/// Says which dialogue and turn a file's layout is broken in; only looked for once reading has failed.
fn malformed(text: &str, error: &serde_json::Error) -> String {
    const LAYOUT: &str =
        "a list of dialogues with dialogue_id, services and turns is expected, as in SGD's dialogues_001.json";
    let Ok(values) = serde_json::from_str::<Vec<Value>>(text) else { return format!("{error}; {LAYOUT}") };
    for (i, value) in values.iter().enumerate() {
        let name = value.get("dialogue_id").and_then(Value::as_str);
        let name = name.map_or_else(|| format!("number {} of the file", i + 1), str::to_owned);
        for (t, turn) in value.get("turns").and_then(Value::as_array).into_iter().flatten().enumerate() {
            if let Err(why) = serde_json::from_str::<RawTurn<'_>>(&turn.to_string()) {
                let why = without_place(&why);
                return format!(
                    "dialogue {name}, turn {}: {why}; a turn has speaker, utterance and frames with actions",
                    t + 1
                );
            }
        }
        if let Err(why) = serde_json::from_str::<RawDialogue<'_>>(&value.to_string()) {
            return format!("dialogue {name}: {}; {LAYOUT}", without_place(&why));
        }
    }
    format!("{error}; {LAYOUT}")
}

/// An error without its place, which would be one in a text nobody sees.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}
