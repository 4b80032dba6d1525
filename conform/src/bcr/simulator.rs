//! Replays recorded action sequences in the kitchen simulator: success, message, robot, hand and what is visible after every step,
//! and every thing's state at the end.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Scenes, field};
use crate::{Found, Row};
use stepwright_study::recordings::name_of;
use stepwright_worlds::kitchen::{Find, Simulation};

/// A recorded sequence.
#[derive(Debug, Deserialize)]
struct Trace {
    scene: String,
    #[serde(default)]
    trace: Value,
    initial: Moment,
    steps: Vec<Step>,
    #[serde(default)]
    final_objects: BTreeMap<String, Map<String, Value>>,
}

#[derive(Debug, Deserialize)]
struct Moment {
    robot: [f64; 4],
    held: Option<String>,
    visible: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Step {
    action: String,
    ok: bool,
    message: String,
    #[serde(flatten)]
    after: Moment,
}

/// Compares one file of sequences; a row of steps and one of things at the end.
pub fn compare(file: &Path, scenes: &Scenes) -> [Row; 2] {
    let mut steps = Row::new(format!("{} from scene files", name_of(file)), "steps");
    let mut ends = Row::new(format!("{} final objects", name_of(file)), "objects");
    steps.each_record(file, |steps, at, trace: Trace| match scenes.get(&trace.scene) {
        None => steps.lacks(trace.steps.len(), || format!("their scenes are not there (first: {})", trace.scene)),
        Some(scene) => {
            let at = format!("{at}, {}, trace {}", trace.scene, trace.trace);
            replay(Simulation::new(Arc::clone(scene), Find::default()), &trace, &at, steps, &mut ends);
        }
    });
    [steps, ends]
}

fn replay(mut simulation: Simulation, trace: &Trace, at: &str, steps: &mut Row, ends: &mut Row) {
    steps.fields(|| format!("{at}, start"), differing(&trace.initial, &simulation));
    for (i, step) in trace.steps.iter().enumerate() {
        let end = simulation.perform(&step.action);
        let message = field("message", &(step.ok, step.message.clone()), &(end.is_ok(), end.err().unwrap_or_default()));
        let found = differing(&step.after, &simulation);
        steps.fields(|| format!("{at}, step {}, `{}`", i + 1, step.action), std::iter::once(message).chain(found));
    }
    let now = objects(&simulation);
    let known = now.keys().filter(|id| !trace.final_objects.contains_key(*id));
    for id in trace.final_objects.keys().chain(known.filter(|_| !trace.final_objects.is_empty())) {
        let (expected, got) = (trace.final_objects.get(id), now.get(id));
        let same = expected
            .zip(got)
            .is_some_and(|(expected, got)| expected.iter().all(|(field, value)| got.get(field) == Some(value)));
        ends.fields(|| format!("{at}, end, {id}"), [field("object", &expected, &got).filter(|_| !same)]);
    }
}

fn differing(moment: &Moment, simulation: &Simulation) -> [Found; 3] {
    let robot = simulation.robot();
    [
        field("robot", &moment.robot, &[robot.x, robot.z, robot.yaw, robot.horizon]),
        field("held", &moment.held.as_deref(), &simulation.held()),
        field("visible", &moment.visible.iter().map(String::as_str).collect(), &simulation.visible()),
    ]
}

/// Every thing's place and condition, under the names recordings use.
fn objects(simulation: &Simulation) -> BTreeMap<String, Map<String, Value>> {
    let of = |(id, parent, now): (&str, Option<&str>, stepwright_worlds::kitchen::Now)| {
        let fields = json!({
            "parent": parent, "open": now.open, "on": now.on, "sliced": now.sliced, "cooked": now.cooked,
            "dirty": now.dirty, "filled": now.filled,
        });
        (id.to_owned(), fields.as_object().cloned().unwrap_or_default())
    };
    simulation.things().map(of).collect()
}
