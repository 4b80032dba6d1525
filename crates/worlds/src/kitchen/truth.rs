//! Truth: the hidden state as JSON for display: the robot, the hand, every thing's place and condition, and the goals.

use serde_json::{Map, Value, json};

use super::goal::Goal;
use super::simulation::Simulation;

/// The state, readable; key order is display order. `met` of the goals are met.
pub fn truth(simulation: &Simulation, goals: &[Goal], met: usize) -> Value {
    let robot = simulation.robot();
    let mut things = Map::new();
    for (id, parent, now) in simulation.things() {
        let Some(index) = simulation.scene().find(id) else { continue };
        let what = simulation.scene().thing(index);
        let mut entry = Map::new();
        entry.insert("parent".to_owned(), json!(parent));
        let conditions = [
            (what.openable, "open", json!(now.open)),
            (what.toggleable, "on", json!(now.on)),
            (what.sliceable, "sliced", json!(now.sliced)),
            (what.cookable, "cooked", json!(now.cooked)),
            (what.dirtyable, "dirty", json!(now.dirty)),
            (what.fillable, "filled", json!(now.filled)),
        ];
        for (_, name, value) in conditions.into_iter().filter(|(applies, ..)| *applies) {
            entry.insert(name.to_owned(), value);
        }
        things.insert(id.to_owned(), Value::Object(entry));
    }
    let literals = |goals: Option<&[Goal]>| -> Vec<String> {
        goals.unwrap_or_default().iter().map(|goal| goal.literal.to_string()).collect()
    };
    json!({
        "robot": [robot.x, robot.z, robot.yaw, robot.horizon],
        "held": simulation.held(),
        "visible": simulation.visible(),
        "objects": things,
        "goals": { "met": literals(goals.get(..met)), "left": literals(goals.get(met..)) },
    })
}
