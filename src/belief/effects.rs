//! A writer without a model: what a blocking domain says an action changes, applied to a belief in a world's state form.
//!
//! Only what is certain is believed: what an action possibly brings about stays as it was. So the belief departs from the truth
//! where the domain is silent, which is what a person wants to see (`drift`).

use serde_json::Value;

use crate::blocking::Domain;
use crate::blocking::domain::{Bindings, Truth};
use crate::world::Atom;
use crate::world::state_form::StateForm;

/// Stands for any thing in an effect.
const ANY: &str = "*";

/// The belief after an action of the world, given as its text; `None` if the domain knows no such action.
pub fn after(belief: &Value, action: &str, domain: &Domain, form: &StateForm) -> Option<Value> {
    let action = domain.read_text(action)?;
    let schema = domain.action(&action.predicate)?;
    let bindings = Bindings::of(&schema.form.args, &action.args);
    let effects: Vec<(Atom, Truth)> =
        schema.effects.iter().map(|(pattern, truth)| (pattern.ground(&bindings), *truth)).collect();
    let mut after = belief.clone();
    // What ends before what begins: `IN x *` is over, then `IN x shelf` holds.
    effects.iter().filter(|(_, truth)| *truth == Truth::False).for_each(|(atom, _)| form.tell(&mut after, atom, false));
    let begins = effects.iter().filter(|(atom, truth)| *truth == Truth::True && atom.args.iter().all(|arg| arg != ANY));
    begins.for_each(|(atom, _)| form.tell(&mut after, atom, true));
    Some(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::{Drift, compare};
    use crate::world::World;
    use crate::world::{household, kitchen, state_form};

    /// Plays actions in a world and writes the belief along; the drift after each.
    fn played(world: &mut dyn World, task: &str, actions: &[String]) -> Vec<Drift> {
        let form = state_form::shipped(world.kind()).unwrap().unwrap();
        let domain = crate::blocking::domain::shipped(world.kind()).unwrap().unwrap();
        world.reset(task, 0).unwrap();
        let mut belief = state_form::of(world).unwrap();
        let mut drift = vec![Drift::of(&belief, &state_form::of(world).unwrap())];
        for action in actions {
            let outcome = world.act(action).unwrap();
            assert!(outcome.error.is_none(), "{action}: {:?}", outcome.error);
            belief = after(&belief, action, &domain, &form).unwrap_or(belief);
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
        for (task, actions) in lines(include_str!("../../worlds/household/demonstrations.jsonl")) {
            let source = household::Source::from_lines(&task.to_string(), "here").unwrap();
            let mut world = household::HouseholdWorld::new(source, household::Edition::Put);
            let drift = played(&mut world, task["id"].as_str().unwrap(), &actions);
            // Places that share a spot are all the agent stands at; the domain knows of the one gone to. All else is followed.
            assert!(drift.iter().all(|d| d.wrong == 0 && d.changed == 0), "{}: {drift:?}", task["id"]);
            assert_eq!(drift[0], Drift::default());
        }
    }

    #[test]
    fn the_kitchen_departs_where_the_domain_is_silent() {
        let mut departed = 0;
        for (task, actions) in lines(include_str!("../../worlds/kitchen/demonstrations.jsonl")) {
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
        let form = state_form::shipped(&crate::world::kitchen::KIND).unwrap().unwrap();
        let domain = crate::blocking::domain::shipped(&crate::world::kitchen::KIND).unwrap().unwrap();
        let belief = serde_json::json!({"objects": ["mug_1", "shelf_1"], "relations": [], "mug_1": {}, "shelf_1": {"contains": ["mug_1"]}});
        assert_eq!(after(&belief, "sing a song", &domain, &form), None);
        assert_eq!(after(&belief, "turnaround", &domain, &form), Some(belief.clone()));
        let held = after(&belief, "grab mug_1", &domain, &form).unwrap();
        assert_eq!(held["relations"], serde_json::json!(["the robot holds mug_1"]));
        assert_eq!(held["shelf_1"], serde_json::json!({}));
        assert_eq!(compare(&after(&held, "put mug_1 shelf_1", &domain, &form).unwrap(), &belief), []);
    }
}
