//! Writer without a model: applies the effects of an action to a belief in a world's state form.
//!
//! Only what is certain is believed: what an action possibly brings about stays as it was. So the belief departs from the truth
//! where they are silent, which is what a person wants to see (`drift`).

use serde_json::Value;

use stepwright_world::literal::{Change, Truth};
use stepwright_world::state_form::StateForm;

/// Stands for any thing in an effect.
const ANY: &str = "*";

pub fn after(belief: &Value, effects: &[Change], form: &StateForm) -> Value {
    let mut after = belief.clone();
    // What ends before what begins: `IN x *` is over, then `IN x shelf` holds.
    effects.iter().filter(|(_, truth)| *truth == Truth::False).for_each(|(atom, _)| form.tell(&mut after, atom, false));
    let begins = effects.iter().filter(|(atom, truth)| *truth == Truth::True && atom.args.iter().all(|arg| arg != ANY));
    begins.for_each(|(atom, _)| form.tell(&mut after, atom, true));
    after
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Drift, compare};
    use stepwright_world::World;
    use stepwright_world::{shipped_domain, state_form};
    use stepwright_worlds::{household, kitchen};

    /// Plays actions in a world and writes the belief along; the drift after each.
    fn played(world: &mut dyn World, task: &str, actions: &[String]) -> Vec<Drift> {
        let form = state_form::shipped(world.kind()).unwrap().unwrap();
        let domain = shipped_domain(world.kind()).unwrap().unwrap();
        world.reset(task, 0).unwrap();
        let mut belief = state_form::of(world).unwrap();
        let mut drift = vec![Drift::of(&belief, &state_form::of(world).unwrap())];
        for action in actions {
            let outcome = world.act(action).unwrap();
            assert!(outcome.error.is_none(), "{action}: {:?}", outcome.error);
            belief = domain.changes(action).map_or_else(|| belief.clone(), |changes| after(&belief, &changes, &form));
            drift.push(Drift::of(&belief, &state_form::of(world).unwrap()));
        }
        drift
    }

    /// Tasks and their actions, as they ship.
    fn lines(text: &str) -> impl Iterator<Item = (Value, Vec<String>)> {
        text.lines().map(|line| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            let key = if line.get("commands").is_some() { "commands" } else { "actions" };
            let actions = line[key].take();
            (line["task"].take(), serde_json::from_value(actions).unwrap())
        })
    }

    #[test]
    fn the_household_is_followed_through_its_demonstrations() {
        for (task, actions) in lines(include_str!("../../../worlds/household/demonstrations.jsonl")) {
            let source = household::Source::from_lines(&task.to_string(), "here").unwrap();
            let mut world = household::HouseholdWorld::new(source, household::Edition::Put);
            let drift = played(&mut world, task["id"].as_str().unwrap(), &actions);
            // The agent is at all places that share a spot; the domain knows of the one gone to. All else is followed.
            assert!(drift.iter().all(|d| d.wrong == 0 && d.changed == 0), "{}: {drift:?}", task["id"]);
            assert_eq!(drift[0], Drift::default());
        }
    }

    #[test]
    fn the_kitchen_departs_where_the_domain_is_silent() {
        let mut departed = 0;
        for (task, actions) in lines(include_str!("../../../worlds/kitchen/demonstrations.jsonl")) {
            let mut world = kitchen::KitchenWorld::new(kitchen::Source::shipped().unwrap(), kitchen::Find::default());
            let drift = played(&mut world, task.as_str().unwrap(), &actions);
            assert_eq!(drift[0], Drift::default());
            departed += usize::from(drift.last().is_some_and(|d| d.differing() > 0));
        }
        // What is filled or cooked by a device that runs, and slices, are no effects of an action.
        assert!(departed > 0);
    }

    #[test]
    fn what_the_domain_does_not_know_changes_nothing() {
        let form = state_form::shipped(&kitchen::KIND).unwrap().unwrap();
        let domain = shipped_domain(&kitchen::KIND).unwrap().unwrap();
        let belief = serde_json::json!({"objects": ["mug_1", "shelf_1"], "relations": [], "mug_1": {}, "shelf_1": {"contains": ["mug_1"]}});
        let done = |belief: &Value, action: &str| Some(after(belief, &domain.changes(action)?, &form));
        assert_eq!(done(&belief, "sing a song"), None);
        assert_eq!(done(&belief, "turnaround"), Some(belief.clone()));
        let held = done(&belief, "grab mug_1").unwrap();
        assert_eq!(held["relations"], serde_json::json!(["the robot holds mug_1"]));
        assert_eq!(held["shelf_1"], serde_json::json!({}));
        assert_eq!(compare(&done(&held, "put mug_1 shelf_1").unwrap(), &belief), []);
    }
}
