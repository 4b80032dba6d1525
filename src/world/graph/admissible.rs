//! Admissible steps: everything that the simulator would do now with the things in sight, and walks to the task's things.

use stepwright_graph::run::Runner;
use stepwright_graph::script::Param;
use stepwright_graph::{Action, At, Line};

use super::facts::in_sight;
use super::names::{self, Things};

/// The steps that can be done now, sorted by code point. `wanted` are things of the task, which may be elsewhere.
pub fn admissible(runner: &Runner, things: &Things, wanted: &[At]) -> Vec<String> {
    let graph = runner.graph();
    let seen = in_sight(graph);
    let mut steps = Vec::new();
    let mut offer = |action: Action, of: &[At]| {
        let params: Option<Vec<Param>> =
            of.iter().map(|at| Some(Param { number: graph.node(*at).id, ..names::parts(things.name(*at))? })).collect();
        let Some(params) = params else { return };
        if runner.would(&Line { action, params }) {
            let params = of.iter().filter_map(|at| names::parts(things.name(*at))).collect();
            steps.push(Line { action, params }.to_string());
        }
    };
    let others = wanted.iter().filter(|at| !seen.contains(at));
    for at in seen.iter().chain(others.clone()) {
        for action in [Action::Walk, Action::Find] {
            offer(action, &[*at]);
        }
    }
    let pairs = [Action::PutBack, Action::PutIn, Action::Pour];
    for action in Action::ALL
        .iter()
        .copied()
        .filter(|a| !matches!(a, Action::Walk | Action::Run | Action::Find | Action::Release))
    {
        match action.arity() {
            0 => offer(action, &[]),
            1 => seen.iter().for_each(|at| offer(action, &[*at])),
            _ => {}
        }
    }
    for held in graph.held() {
        for place in seen.iter().filter(|place| **place != held) {
            pairs.iter().for_each(|action| offer(*action, &[held, *place]));
        }
    }
    steps.sort();
    steps.dedup();
    steps
}
