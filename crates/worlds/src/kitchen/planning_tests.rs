//! A kitchen's facts as planning problems.

use super::*;
use crate::kitchen::{Find, KitchenWorld, Source};
use stepwright_world::World;
use stepwright_world::planner::classical::{Limits, NoPlan};

fn facts(atoms: &[&str], things: &[&str]) -> Facts {
    let mut things: Vec<String> = things.iter().map(|t| (*t).to_owned()).collect();
    things.sort();
    Facts { things, atoms: atoms.iter().map(|a| a.parse().unwrap()).collect() }
}

fn goals(of: &[&str]) -> Vec<Atom> {
    of.iter().map(|g| g.parse().unwrap()).collect()
}

/// A machine that was seen and a mug that was not.
fn coffee(known: Unseen) -> PlanningTask {
    let seen = facts(&["HANDS_EMPTY", "HAS_SWITCH Brewer|1", "CONTAINER Brewer|1"], &["Brewer|1"]);
    problem("coffee", &seen, &goals(&["ON Brewer|1", "ON Mug|1 Brewer|1"]), known).unwrap()
}

fn plan(problem: &PlanningTask) -> Vec<String> {
    let steps = problem.plan(&Limits::default()).unwrap();
    let actions = problem.actions(&steps);
    assert_eq!(actions.len(), steps.len());
    actions
}

#[test]
fn what_is_not_seen_is_looked_for_where_it_is_known_to_be() {
    let actions = plan(&coffee(Unseen::InRoom));
    let at = |wanted: &str| actions.iter().position(|a| a == wanted).unwrap_or_else(|| panic!("{wanted}: {actions:?}"));
    assert!(at("scanroom Mug|1") < at("walk_to_object Mug|1") && at("walk_to_object Mug|1") < at("grab Mug|1"));
    assert!(at("grab Mug|1") < at("put Mug|1 Brewer|1"));
    assert!(at("walk_to_object Brewer|1") < at("switchon Brewer|1"));
    // The limited condition: nothing says that the mug is anywhere.
    let limited = coffee(Unseen::Nothing);
    assert!(matches!(limited.plan(&Limits::default()), Err(NoPlan::Nothing(_))));
}

#[test]
fn slices_come_from_slicing_and_devices_do_their_work() {
    let seen = facts(
        &["HANDS_EMPTY", "IN Bread|1 Board|1", "CLOSE Bread|1", "CLOSE Board|1", "HAS_SWITCH Grill|1", "ON Grill|1"],
        &["Bread|1", "Board|1", "Grill|1"],
    );
    let toast = goals(&["SLICED Bread|1", "COOKED Bread|1|BreadSliced_1 Grill|1"]);
    let encoded = problem("toast", &seen, &toast, Unseen::InRoom).unwrap();
    assert_eq!(
        plan(&encoded),
        ["slice Bread|1", "grab Bread|1|BreadSliced_1", "walk_to_object Grill|1", "put Bread|1|BreadSliced_1 Grill|1"]
    );
    let seen = facts(
        &["HOLDS Cup|1", "CLOSE Cup|1", "DIRTY Cup|1", "CLOSE Basin|1", "CAN_OPEN Box|1", "CONTAINER Box|1"],
        &["Cup|1", "Basin|1", "Box|1"],
    );
    let wash = goals(&["WASHED_SINK Cup|1 Basin|1 Tap|1", "INSIDE Cup|1 Box|1", "CLOSED Box|1"]);
    let actions = plan(&problem("wash", &seen, &wash, Unseen::InRoom).unwrap());
    for wanted in ["put Cup|1 Basin|1", "switchon Tap|1", "open Box|1", "put Cup|1 Box|1", "close Box|1"] {
        assert!(actions.iter().any(|a| a == wanted), "{wanted}: {actions:?}");
    }
    assert!(problem("x", &seen, &goals(&["FLOWN Cup|1"]), Unseen::InRoom).is_err());
}

/// With everything known there is a plan for every shipped kitchen task.
#[test]
fn kitchens_fully_known_are_planned() {
    let mut world = KitchenWorld::new(Source::shipped().unwrap(), Find::Moving);
    for task in world.tasks() {
        world.reset(&task.id, 0).unwrap();
        let (facts, goals) = (world.symbols().unwrap().everything(), world.goals().unwrap());
        let full = problem(&task.id, &facts, &goals, Unseen::Everything).unwrap();
        let plan = full.plan(&Limits::default()).unwrap_or_else(|e| panic!("{}: {e}", task.id));
        assert_eq!(full.actions(&plan).len(), plan.len(), "{}", task.id);
    }
}
