//! Table agent without a language model: it plays the reference program of the open request, as the task's file gives it.
//!
//! Of a request without one it offers nothing: a free request needs a language model.

use std::sync::Arc;

use super::call::{self, Act};
use stepwright_episode::Status;
use stepwright_trajectory::Step;
use stepwright_world::demonstration::Demonstration;
use stepwright_world::planner::{Agent, AgentContext, EffectModel, Ranked, Wanted};

#[derive(Debug, Clone)]
struct TableAgent {
    effects: EffectModel,
}

pub fn learn(demonstrations: &[Demonstration]) -> Arc<dyn Agent> {
    let steps = demonstrations.iter().flat_map(|d| &d.steps);
    Arc::new(TableAgent { effects: EffectModel::learn(steps) })
}

impl Agent for TableAgent {
    fn propose(&self, context: &AgentContext<'_>, most: usize) -> Vec<Ranked> {
        let Some(Ok(program)) = context.reference.map(call::read) else { return Vec::new() };
        let mut offered: Vec<Ranked> = Vec::new();
        for (at, act) in left(program, done(context.history)).into_iter().enumerate() {
            let rationale = match act {
                Act::Done => "it closes the request",
                _ => "the next call of the reference program",
            };
            let call = act.call();
            let known = offered.iter().any(|o| o.call == call) || context.rejected.iter().any(|(c, _)| *c == call);
            if offered.len() < most && !known && context.program.permits(&call) != Status::Fails {
                offered.push(Ranked { call, score: -((at + 1) as f64), rationale: rationale.to_owned() });
            }
        }
        offered
    }

    /// The next call of the reference program: those after it are wanted once it is made.
    fn wanted(&self, context: &AgentContext<'_>, _most: usize) -> Vec<Wanted> {
        let Some(Ok(program)) = context.reference.map(call::read) else { return Vec::new() };
        left(program, done(context.history)).into_iter().take(1).map(|act| act.call().into()).collect()
    }

    fn effects(&self) -> &EffectModel {
        &self.effects
    }
}

/// The calls made for the open request.
fn done(history: &[Step]) -> Vec<Act> {
    let mut done = Vec::new();
    for step in history {
        for call in step.call.iter().filter(|_| !step.refused).chain(&step.calls) {
            match Act::of(call) {
                Some(act) => done.push(act),
                None if call.function == "ask" => done.clear(),
                None => {}
            }
        }
    }
    done
}

/// The rest of a program. A belief is not asked for, and doing nothing needs no call.
fn left(program: Vec<Act>, mut done: Vec<Act>) -> Vec<Act> {
    let is_left = |act: &Act| match done.iter().position(|other| other == act) {
        Some(at) => {
            done.remove(at);
            false
        }
        None => true,
    };
    let acts = program.into_iter().filter(|act| matches!(act, Act::Put(..) | Act::Say(_)));
    acts.filter(is_left).chain([Act::Done]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Source, TableWorld};
    use stepwright_program::Specification;
    use stepwright_world::World;
    use stepwright_world::program::CheckedProgram;

    /// Plays a shipped episode by the agent's first proposals: requests answered right, and all.
    fn play(task: &str) -> (usize, usize) {
        let mut world = TableWorld::new(Source::shipped().unwrap());
        let agent = learn(&[]);
        let reset = world.reset(task, 0).unwrap();
        let specification = Specification::load(&world.specification(), "spec.py").unwrap();
        let mut program = CheckedProgram::start(&specification).unwrap();
        program.apply(&reset.observation_calls);
        let mut history = vec![reset.into_step("")];
        let (mut right, mut all) = (0, 0);
        for _ in 0..400 {
            let Some(Ok(reference)) = world.requests().and_then(|requests| requests.reference()) else { break };
            let context = AgentContext {
                sentence: "",
                program: &program,
                history: &history,
                rejected: &[],
                observed: None,
                reference: Some(reference),
            };
            let Some(first) = agent.propose(&context, 3).into_iter().next() else { break };
            let outcome = world.act(&world.text_of(&first.call).unwrap()).unwrap();
            all += usize::from(first.call.function == "done");
            right += usize::from(outcome.reward > 0.5);
            let done = outcome.done;
            let step = Step { call: Some(first.call), ..outcome.into_step("") };
            program.apply(step.call.as_slice());
            program.apply(&step.calls);
            history.push(step);
            if done {
                break;
            }
        }
        (right, all)
    }

    #[test]
    fn it_plays_the_reference_programs_of_the_shipped_episodes() {
        let source = Source::shipped().unwrap();
        for id in source.ids() {
            let (right, all) = play(id);
            assert_eq!((right, all), (source.episode(id).unwrap().requests.len(), all), "{id}");
        }
    }

    #[test]
    fn of_a_free_request_it_offers_nothing() {
        let mut world = TableWorld::new(Source::shipped().unwrap());
        world.reset("pick_and_place/shelf", 0).unwrap();
        let specification = Specification::load(&world.specification(), "spec.py").unwrap();
        let program = CheckedProgram::start(&specification).unwrap();
        let context = AgentContext {
            sentence: "",
            program: &program,
            history: &[],
            rejected: &[],
            observed: None,
            reference: None,
        };
        assert!(learn(&[]).propose(&context, 3).is_empty());
    }
}
