//! A household as a planning problem, and plans carried out in the world.

use super::*;
use crate::household::{Edition, HouseholdWorld, Source};
use stepwright_world::World;
use stepwright_world::planner::classical::{Limits, NoPlan};

fn world(task: &str) -> (HouseholdWorld, Belief, String) {
    let source = Source::shipped().unwrap();
    let sentence = source.definition(task).unwrap().task;
    let mut world = HouseholdWorld::new(source, Edition::Put);
    let reset = world.reset(task, 0).unwrap();
    let first = reset.into_step("");
    (world, Belief::of(&[first]), sentence)
}

/// With everything known, a plan wins every shipped task when it is carried out in the world.
#[test]
fn full_knowledge_plans_win() {
    for task in Source::shipped().unwrap().ids().map(str::to_owned).collect::<Vec<_>>() {
        let (mut world, _, sentence) = world(&task);
        let belief = everything(&world.truth());
        let task_problem = problem(&task, &sentence, &belief, Unseen::Everything).unwrap();
        let plan =
            task_problem.plan(&Limits::default()).unwrap_or_else(|e| panic!("{task}: {e}\n{}", task_problem.problem));
        let mut won = false;
        for call in task_problem.actions(&plan) {
            let text = world.text_of(&call.parse().unwrap()).unwrap_or_else(|| panic!("{task}: {call}"));
            let outcome = world.act(&text).unwrap();
            // A place that shares the spot with the last cannot be gone to: one is there.
            assert!(outcome.error.is_none() || text.starts_with("go to"), "{task}: {text} of {plan:?}");
            won = outcome.won;
        }
        assert!(won, "{task}: {plan:?}");
    }
}

#[test]
fn what_was_not_seen_is_looked_for_and_not_handled() {
    let (world, belief, sentence) = world("shipped/heat-tomato-3");
    let task_problem = problem("t", &sentence, &belief, Unseen::InRoom).unwrap();
    let plan = task_problem.plan(&Limits::default()).unwrap();
    assert!(plan.iter().any(|s| s.to_string().starts_with("heat some_tomato")), "{plan:?}");
    let actions = task_problem.actions(&plan);
    assert!(!actions.is_empty() && actions.len() < plan.len(), "{actions:?} of {plan:?}");
    assert!(actions.iter().all(|a| world.text_of(&a.parse().unwrap()).is_some_and(|t| !t.contains("some"))));
    let limited = problem("t", &sentence, &belief, Unseen::Nothing).unwrap();
    assert!(matches!(limited.plan(&Limits::default()), Err(NoPlan::Nothing(_))));
}
