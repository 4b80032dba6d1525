//! Truth of a dialogue, the recording as JSON for display: what comes next in truth, what was predicted, and how well so far.

use serde_json::{Map, Value, json};

use super::acts::USER;
use super::episode::{Episode, acts, missed};
use super::record::is_query_status;
use super::score::Score;
use stepwright_program::{Call, Literal};

/// The hidden state of an episode, readable; key order is display order.
pub(super) fn truth(episode: &Episode) -> Value {
    let score = episode.score();
    let system_turns = episode.dialogue.turns.iter().filter(|t| t.speaker == super::Speaker::System).count();
    let turns: Vec<Value> = episode
        .past
        .iter()
        .filter_map(|past| {
            let turn = episode.dialogue.turns.get(past.turn)?;
            let mut entry = Map::new();
            entry.insert("recorded".to_owned(), texts(acts(turn)));
            entry.insert("predicted".to_owned(), texts(past.predicted.iter()));
            Some(Value::Object(entry))
        })
        .collect();
    json!({
        "dialogue": episode.dialogue.id,
        "service": episode.service.name,
        "turn": format!("{} of {system_turns}", (episode.past.len() + 1).min(system_turns)),
        "recorded": episode.turn().map(|turn| json!({
            "utterance": turn.utterance,
            "acts": texts(acts(turn)),
            "still to come": texts(missed(turn, &episode.predicted).iter().filter(|c| !is_query_status(c))),
        })),
        "predicted": texts(episode.predicted.iter()),
        "score": shown(score, episode.is_over()),
        "user": user(episode),
        "turns": turns,
        "done": episode.is_over(),
        "won": episode.is_won(),
    })
}

fn shown(score: Score, over: bool) -> Value {
    let Score { right, wrong, missed } = score;
    // Four digits: more than anyone reads, and no noise of the last bit.
    let f1 = (score.f1(over) * 10_000.0).round() / 10_000.0;
    json!({ "right": right, "wrong": wrong, "missed": missed, "f1": f1 })
}

fn texts<'a>(calls: impl Iterator<Item = &'a Call>) -> Value {
    calls.map(|c| Value::String(c.to_string())).collect()
}

/// The user's statements, questions and intent in the recording so far, and the result of his last query.
fn user(episode: &Episode) -> Value {
    let mut said: [(&str, Vec<&str>); 3] = [("INFORM_INTENT", vec![]), ("INFORM", vec![]), ("REQUEST", vec![])];
    let mut query = Value::Null;
    for call in episode.dialogue.turns.iter().take(episode.at).flat_map(|t| &t.calls) {
        match call.args.first() {
            Some(Literal::Bool(status)) if is_query_status(call) => query = json!(status),
            Some(Literal::Str(name)) if call.receiver == USER => {
                for (act, names) in &mut said {
                    if *act == call.function && !names.contains(&name.as_str()) {
                        names.push(name);
                    }
                }
            }
            _ => {}
        }
    }
    let [(_, wants), (_, stated), (_, asked)] = said;
    json!({ "wants": wants, "told": stated, "asked for": asked, "last query": query })
}
