use super::*;
use crate::kitchen::{Find, KitchenWorld, Source, shipped};
use stepwright_program::Specification;
use stepwright_world::World;
use stepwright_world::program::CheckedProgram;

fn kitchen() -> KitchenWorld {
    KitchenWorld::new(Source::shipped().unwrap(), Find::Moving)
}

/// Plays a shipped task by the agent's first proposals; the steps taken if it was won.
fn play(task: &str) -> Option<usize> {
    let mut world = kitchen();
    let agent = learn(&shipped::demonstrations(task).unwrap());
    let reset = world.reset(task, 0).unwrap();
    let specification = Specification::load(&world.specification(), "spec.py").unwrap();
    let mut program = CheckedProgram::start(&specification).unwrap();
    program.apply(&reset.observation_calls);
    let mut history = vec![reset.into_step("")];
    for step in 0..100 {
        let (facts, goals) = (world.facts().unwrap(), world.goals().unwrap());
        let observed = Some((&facts, goals.as_slice()));
        let context = AgentContext {
            sentence: "",
            program: &program,
            history: &history,
            rejected: &[],
            observed,
            reference: None,
        };
        let call = agent.propose(&context, 1).into_iter().next()?.call;
        let outcome = world.act(&world.text_of(&call).unwrap()).unwrap();
        if outcome.won {
            return Some(step + 1);
        }
        program.apply(&outcome.observation_calls);
        history.push(Step { call: Some(call), ..outcome.into_step("") });
    }
    None
}

#[test]
fn it_wins_the_shipped_tasks() {
    let tasks: Vec<String> = Source::shipped().unwrap().ids().map(str::to_owned).collect();
    let lost: Vec<String> = tasks.into_iter().filter(|task| play(task).is_none()).collect();
    assert_eq!(lost, [""; 0]);
}

/// The literals made of the calls are those that the world reports, at every step of the demonstrations.
#[test]
fn what_was_seen_is_what_the_world_reported() {
    for line in include_str!("../../../worlds/kitchen/demonstrations.jsonl").lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let mut world = kitchen();
        let reset = world.reset(line["task"].as_str().unwrap(), 0).unwrap();
        let mut seen = Seen::new(&Kinds::shipped(), &world.facts().unwrap(), &[]);
        let mut calls = reset.observation_calls;
        for action in line["actions"].as_array().unwrap() {
            calls.iter().for_each(|call| seen.hear(call));
            let mut reported = world.facts().unwrap();
            reported.atoms.retain(|atom| atom.predicate != "MOVEABLE");
            assert_eq!(seen.facts(), reported, "{} before {action}", line["task"]);
            calls = world.act(action.as_str().unwrap()).unwrap().observation_calls;
        }
    }
}
