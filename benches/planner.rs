//! What a decision costs: the symbolic proposer's ranking, and the blocking tree of a blocked action. Bars: 5 ms and 2 ms.

#![allow(missing_docs, reason = "a benchmark has no interface")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use stepwright::planner::{CheckedProgram, Observed, ProgramView, ProposeContext, SymbolicProposer};
use stepwright::program::{Call, Specification};
use stepwright::world::World;
use stepwright::world::household::{Edition, HouseholdWorld, Source, shipped};

/// A point of an episode.
struct Point {
    sentence: String,
    program: CheckedProgram,
    history: Vec<Observed>,
}

impl Point {
    fn context(&self) -> ProposeContext<'_, CheckedProgram> {
        ProposeContext { sentence: &self.sentence, program: &self.program, history: &self.history, rejected: &[] }
    }
}

/// Every decision point of the shipped tasks as the proposer plays them.
fn points(proposer: &SymbolicProposer) -> Option<Vec<Point>> {
    let mut world = HouseholdWorld::new(Source::shipped().ok()?, Edition::Put);
    let start = CheckedProgram::start(&Specification::load(&world.specification(), "spec.py").ok()?).ok()?;
    let mut points = Vec::new();
    for task in world.tasks() {
        let mut outcome = world.reset(&task.id, 0).ok()?;
        let (mut program, mut history, mut action) = (start.clone(), Vec::new(), None);
        while !outcome.won && history.len() < 50 {
            program.apply(&outcome.observation_calls);
            let (observation, calls, refused) =
                (outcome.observation, outcome.observation_calls, outcome.error.is_some());
            history.push(Observed { action, observation, calls, refused });
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
    let proposer = SymbolicProposer::from_demonstrations(&demonstrations);
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
        b.iter(|| turn.next().map(|p| black_box(proposer.explain(&p.context(), &blocked, &|c| c.to_string()))));
    });
    let mut turn = points.iter().cycle();
    c.bench_function("goals with the next action", |b| {
        b.iter(|| turn.next().map(|p| black_box(proposer.goals(&p.context(), &|c| c.to_string()))));
    });
}

criterion_group!(benches, decisions);
criterion_main!(benches);
