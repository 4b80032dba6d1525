//! Possible steps: everything that the simulator would do now with the things in sight, and walks to others. What is in reach is found
//! out once for all of them. Names and texts are the caller's.

use crate::action::Action;
use crate::graph::{At, Graph};
use crate::rules::Reach;
use crate::run::Runner;
use crate::vocabulary::Relation;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Step {
    pub action: Action,
    pub thing: Option<At>,
    /// Where the thing goes; of actions with two things.
    pub place: Option<At>,
}

const PAIRS: [Action; 3] = [Action::PutBack, Action::PutIn, Action::Pour];

/// The things in sight of the character: those in its room that are in nothing closed, the doors of the room, the rooms, what it holds
/// and wears.
pub fn in_sight(graph: &Graph) -> Vec<At> {
    let me = graph.character();
    let here = graph.room_of(me);
    let seen = |at: &At| {
        let at = *at;
        if at == me {
            return false;
        }
        let mine = graph.held().any(|held| held == at) || graph.is_worn(at);
        let leads = here.is_some_and(|room| graph.holds(at, Relation::Between, room));
        let in_room = graph.room_of(at) == here && graph.closed_container(at).is_none();
        mine || leads || in_room || graph.node(at).is_room()
    };
    graph.places().filter(seen).collect()
}

/// The steps that would be done now: with the things in sight, and walks to those that are wanted. `RUN` and `RELEASE` are left out,
/// which do what `WALK` and `DROP` do.
pub fn steps(runner: &Runner, seen: &[At], wanted: &[At]) -> Vec<Step> {
    let graph = runner.graph();
    let reach = Reach::of(graph);
    let checks = runner.checks_within(&reach);
    let mut steps = Vec::new();
    let others = wanted.iter().filter(|at| !seen.contains(at));
    for at in seen.iter().chain(others) {
        // Whoever can walk to a thing finds it.
        let walks = checks.action(Action::Walk, *at, None).is_ok();
        let finds = walks && !checks.is_found_here(*at) || checks.action(Action::Find, *at, None).is_ok();
        let both = [(Action::Walk, walks), (Action::Find, finds)];
        steps.extend(both.iter().filter(|(_, can)| *can).map(|(action, _)| Step {
            action: *action,
            thing: Some(*at),
            place: None,
        }));
    }
    for action in Action::ALL.iter().copied() {
        match action {
            Action::Walk | Action::Run | Action::Find | Action::Release => {}
            action if action.arity() == 0 => {
                steps.extend(checks.alone(action).is_ok().then_some(Step { action, thing: None, place: None }));
            }
            action if action.arity() == 1 => {
                let can = seen.iter().filter(|at| checks.action(action, **at, None).is_ok());
                steps.extend(can.map(|at| Step { action, thing: Some(*at), place: None }));
            }
            _ => {}
        }
    }
    for held in graph.held() {
        for place in seen.iter().filter(|place| **place != held) {
            let can = PAIRS.iter().filter(|action| checks.action(**action, held, Some(*place)).is_ok());
            steps.extend(can.map(|action| Step { action: *action, thing: Some(held), place: Some(*place) }));
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::Path;

    use super::*;
    use crate::files::Library;
    use crate::script::{Line, Param};

    /// Each step that could be meant, tried as a line of its own.
    fn tried(runner: &Runner, seen: &[At], wanted: &[At]) -> HashSet<Step> {
        let graph = runner.graph();
        let mut all: Vec<Step> = Vec::new();
        for action in Action::ALL.iter().copied().filter(|a| !matches!(a, Action::Run | Action::Release)) {
            let with = |thing, place| Step { action, thing, place };
            match action.arity() {
                0 => all.push(with(None, None)),
                1 => all.extend(seen.iter().map(|at| with(Some(*at), None))),
                _ => all.extend(
                    graph
                        .held()
                        .flat_map(|held| seen.iter().filter(move |at| **at != held).map(move |at| (held, *at)))
                        .map(|(held, at)| with(Some(held), Some(at))),
                ),
            }
            if matches!(action, Action::Walk | Action::Find) {
                all.extend(wanted.iter().map(|at| with(Some(*at), None)));
            }
        }
        let param = |at: At| Param { name: graph.node(at).class.clone(), number: graph.node(at).id };
        let would = |step: &Step| {
            let params = step.thing.into_iter().chain(step.place).map(param).collect();
            runner.would(&Line { action: step.action, params })
        };
        all.into_iter().filter(would).collect()
    }

    #[test]
    fn the_list_holds_what_each_step_alone_would_say() {
        let library = Library::open(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../worlds/graph")).unwrap();
        assert!(library.scenes.len() > 2);
        for scene in library.scenes.values() {
            let mut runner = Runner::new(scene.graph.clone());
            let mut done = HashSet::new();
            for number in 1..40 {
                let seen = in_sight(runner.graph());
                let wanted: Vec<At> = runner.graph().places().step_by(7).collect();
                let listed = steps(&runner, &seen, &wanted);
                let unique: HashSet<Step> = listed.iter().copied().collect();
                assert_eq!(unique, tried(&runner, &seen, &wanted), "before step {number}");
                assert_eq!(unique.len(), listed.len());
                // A walk through the household that seldom does the same twice.
                let fresh = |step: &&Step| !done.contains(&step.action) || step.action == Action::Walk;
                let fresh: Vec<&Step> = listed.iter().filter(fresh).collect();
                let Some(next) = fresh.get(number * 13 % fresh.len().max(1)) else { break };
                done.insert(next.action);
                let graph = runner.graph();
                let param = |at: At| Param { name: graph.node(at).class.clone(), number: graph.node(at).id };
                let params = next.thing.into_iter().chain(next.place).map(param).collect();
                assert!(runner.step(&Line { action: next.action, params }, number));
            }
            assert!(done.len() > 6, "{done:?}");
        }
    }
}
