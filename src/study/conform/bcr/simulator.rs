//! Replays recorded action sequences in the kitchen simulator: success, message, robot, hand and what is visible after every step,
//! and every thing's state at the end.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{NAME, Scenes, difference, unreadable};
use crate::study::conform::Row;
use crate::study::conform::files::{each_line, name_of};
use crate::world::kitchen::{Find, Simulation};

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

/// What is recorded of a moment.
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
    let mut steps = Row::new(NAME, format!("{} from scene files", name_of(file)), "steps");
    let mut ends = Row::new(NAME, format!("{} final objects", name_of(file)), "objects");
    each_line(file, |at, line: Result<Trace, String>| match line {
        Err(e) => steps.differs(unreadable(at, &e)),
        Ok(trace) => match scenes.get(&trace.scene) {
            None => {
                steps
                    .lacks(trace.steps.len() as u64, || format!("their scenes are not there (first: {})", trace.scene));
            }
            Some(scene) => {
                let simulation = Simulation::new(Arc::clone(scene), Find::default());
                replay(
                    simulation,
                    &trace,
                    &format!("{at}, {}, trace {}", trace.scene, trace.trace),
                    &mut steps,
                    &mut ends,
                );
            }
        },
    });
    [steps, ends]
}

fn replay(mut simulation: Simulation, trace: &Trace, at: &str, steps: &mut Row, ends: &mut Row) {
    let start = differing(&trace.initial, &simulation);
    steps.count(start.map(|(field, expected, got)| difference(format!("{at}, start, {field}"), expected, got)));
    for (i, step) in trace.steps.iter().enumerate() {
        let end = simulation.perform(&step.action);
        let (ok, message) = (end.is_ok(), end.err().unwrap_or_default());
        let found = if (ok, message.as_str()) == (step.ok, step.message.as_str()) {
            differing(&step.after, &simulation)
        } else {
            Some(("message", format!("{} {:?}", step.ok, step.message), format!("{ok} {message:?}")))
        };
        steps.count(found.map(|(field, expected, got)| {
            difference(format!("{at}, step {}, `{}`, {field}", i + 1, step.action), expected, got)
        }));
    }
    let now = objects(&simulation);
    let known = now.keys().filter(|id| !trace.final_objects.contains_key(*id));
    for id in trace.final_objects.keys().chain(known.filter(|_| !trace.final_objects.is_empty())) {
        let (expected, got) = (trace.final_objects.get(id), now.get(id));
        let same = match (expected, got) {
            (Some(expected), Some(got)) => expected.iter().all(|(field, value)| got.get(field) == Some(value)),
            _ => false,
        };
        ends.count(
            (!same).then(|| difference(format!("{at}, end, {id}"), format!("{expected:?}"), format!("{got:?}"))),
        );
    }
}

/// The first field of a moment that differs: its name, what is recorded, what is.
fn differing(moment: &Moment, simulation: &Simulation) -> Option<(&'static str, String, String)> {
    let robot = simulation.robot();
    let robot = [robot.x, robot.z, robot.yaw, robot.horizon];
    if robot != moment.robot {
        return Some(("robot", format!("{:?}", moment.robot), format!("{robot:?}")));
    }
    if simulation.held() != moment.held.as_deref() {
        return Some(("held", format!("{:?}", moment.held), format!("{:?}", simulation.held())));
    }
    let visible = simulation.visible();
    (visible != moment.visible).then(|| ("visible", format!("{:?}", moment.visible), format!("{visible:?}")))
}

/// Every thing's place and condition, under the names recordings use.
fn objects(simulation: &Simulation) -> BTreeMap<String, Map<String, Value>> {
    let of = |(id, parent, now): (&str, Option<&str>, crate::world::kitchen::Now)| {
        let fields = json!({
            "parent": parent, "open": now.open, "on": now.on, "sliced": now.sliced, "cooked": now.cooked,
            "dirty": now.dirty, "filled": now.filled.map(|liquid| liquid.word()),
        });
        (id.to_owned(), fields.as_object().cloned().unwrap_or_default())
    };
    simulation.things().map(of).collect()
}
