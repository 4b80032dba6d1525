//! Truth: the hidden state as JSON for display: where everything is, what is held, what the goal still lacks.

use serde_json::{Map, Value, json};

use super::game::Game;
use super::goal;
use super::state::{Flag, State};

/// The state of an episode, readable; key order is display order.
pub fn truth(game: &Game, state: &State) -> Value {
    let here: Vec<&str> = game.standing_at(state.location).iter().map(|r| game.receptacle_name(*r)).collect();
    let mut receptacles = Map::new();
    for (i, r) in game.receptacles.iter().enumerate() {
        let contains: Vec<&str> = state.contents.ones(i).map(|o| game.object_name(o)).collect();
        let mut entry = Map::new();
        if r.openable {
            entry.insert("open".to_owned(), json!(state.is_open(i)));
        }
        entry.insert("contains".to_owned(), json!(contains));
        receptacles.insert(r.name.clone(), Value::Object(entry));
    }
    let mut objects = Map::new();
    for (i, o) in game.objects.iter().enumerate() {
        let flags = [
            (Flag::Clean, "clean"),
            (Flag::Hot, "hot"),
            (Flag::Cool, "cool"),
            (Flag::Toggled, "toggled"),
            (Flag::Sliced, "sliced"),
        ];
        let properties: Vec<&str> = flags.iter().filter(|(f, _)| state.is(i, *f)).map(|(_, name)| *name).collect();
        if !properties.is_empty() {
            objects.insert(o.name.clone(), json!(properties));
        }
    }
    json!({
        "location": game.locations.get(state.location),
        "at": here,
        "holding": state.held.map(|o| game.object_name(o)),
        "receptacles": receptacles,
        "properties": objects,
        "goal": { "task": game.task, "kind": game.task_type, "wanted": game.goal_words },
        "progress": goal::progress(game, state),
        "won": goal::won(game, state),
    })
}
