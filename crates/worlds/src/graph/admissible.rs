//! Admissible steps: everything that the simulator would do now with the things in sight, and walks to the task's things, as lines of
//! scripts.

use stepwright_graph::possible::{in_sight, steps};
use stepwright_graph::run::Runner;
use stepwright_graph::{At, Line};

use super::names::{self, Things};

/// The steps that can be done now, sorted by code point. `wanted` are things of the task, which may be elsewhere.
pub fn admissible(runner: &Runner, things: &Things, wanted: &[At]) -> Vec<String> {
    let named = steps(runner, &in_sight(runner.graph()), wanted).into_iter().filter_map(|step| {
        let params = step.thing.into_iter().chain(step.place).map(|at| names::parts(things.name(at)));
        Some(Line { action: step.action, params: params.collect::<Option<_>>()? }.to_string())
    });
    let mut texts: Vec<String> = named.collect();
    texts.sort_unstable();
    texts.dedup();
    texts
}
