//! Cost of a decision: the symbolic proposer's ranking, and the blocking tree of a blocked action. Bars: 5 ms and 2 ms.

#![allow(missing_docs, reason = "a benchmark has no interface")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use stepwright::blocking::{Derivation, known};
use stepwright::planner::{Agent, AgentContext};
use stepwright::program::{Call, CheckedProgram, Specification};
use stepwright::world::World;
use stepwright::worlds::household::agent::HouseholdAgent;
use stepwright::worlds::household::{Edition, HouseholdWorld, Source, shipped};
use stepwright_trajectory::Step;

struct Point {
    sentence: String,
    program: CheckedProgram,
    history: Vec<Step>,
}

impl Point {
    fn context(&self) -> AgentContext<'_> {
        AgentContext {
            sentence: &self.sentence,
            program: &self.program,
            history: &self.history,
            rejected: &[],
            observed: None,
            reference: None,
        }
    }
}

/// Every decision point of the shipped tasks as the proposer plays them.
fn points(proposer: &HouseholdAgent) -> Option<Vec<Point>> {
    let mut world = HouseholdWorld::new(Source::shipped().ok()?, Edition::Put);
    let start = CheckedProgram::start(&Specification::load(&world.specification(), "spec.py").ok()?).ok()?;
    let mut points = Vec::new();
    for task in world.tasks() {
        let mut outcome = world.reset(&task.id, 0).ok()?;
        let (mut program, mut history, mut action) = (start.clone(), Vec::new(), None);
        while !outcome.won && history.len() < 50 {
            program.apply(&outcome.observation_calls);
            history.push(Step { call: action, ..outcome.into_step("") });
            let point = Point { sentence: task.sentence.clone(), program: program.clone(), history: history.clone() };
            let best = proposer.propose(&point.context(), 1).into_iter().next()?.call;
            points.push(point);
            outcome = world.act(&world.text_of(&best)?).ok()?;
            action = Some(best);
        }
    }
    Some(points)
}

fn decisions(c: &mut Criterion) {
    let Ok(demonstrations) = shipped::demonstrations(Edition::Put) else { return };
    let proposer = HouseholdAgent::from_demonstrations(&demonstrations);
    let Some(points) = points(&proposer) else { return };
    for k in [1, 5] {
        let mut turn = points.iter().cycle();
        c.bench_function(&format!("propose {k}, points of the shipped tasks"), |b| {
            b.iter(|| turn.next().map(|p| black_box(proposer.propose(&p.context(), k))));
        });
    }
    let blocked = Call::new("agent", "heat", ["zither 1", "microwave 1"]);
    let mut turn = points.iter().cycle();
    c.bench_function("blocking tree of a blocked action", |b| {
        b.iter(|| {
            turn.next().map(|p| {
                let calls: Vec<Call> = p.history.iter().flat_map(Step::all_calls).cloned().collect();
                let (effects, names) = (proposer.effects(), known(&calls));
                let phrase = &|c: &Call| c.to_string();
                let (program, asks) = (&p.program, &|_: &Call| Vec::new());
                let vain = &|_: &Call, _: &Call, _: usize| false;
                let derivation =
                    Derivation { program, effects, known: &names, history: &calls, replies: &[], asks, vain, phrase };
                black_box(derivation.action(&blocked))
            })
        });
    });
    let mut turn = points.iter().cycle();
    c.bench_function("parts of the goal with their standing", |b| {
        b.iter(|| turn.next().map(|p| black_box(proposer.goal_parts(&p.sentence, &p.history))));
    });
}

criterion_group!(benches, decisions);
criterion_main!(benches);
