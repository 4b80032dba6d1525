//! The states that a program brings about: the first of some programs that runs in a household prepared for it, and the states it leaves that were
//! not there before. Judges nothing; what a task makes of it is for others to say.
//!
//! Plans are compared by the states that the things named by either of them end in (the published graph similarity), so what a
//! demonstrated program leaves in those states is all of its end that a plan is held to; where the person walked, or what lies where, is
//! not part of it.

use crate::graph::Graph;
use crate::prepare::{Tables, prepare};
use crate::run::Run;
use crate::script::{Line, Param};
use crate::vocabulary::State;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Achieved {
    /// The program's place among those that were tried.
    pub program: usize,
    /// Each thing of the program, by its name in the household and the program's number, with a state that a step gave it and that it did
    /// not have in the household before, in the order in which the program names things.
    pub states: Vec<(Param, State)>,
}

/// The states after the first program that runs in the household; `None` if none runs.
pub fn achieved<'a>(
    scene: &Graph,
    programs: impl IntoIterator<Item = &'a [Line]>,
    tables: Tables<'_>,
) -> Option<Achieved> {
    programs.into_iter().enumerate().find_map(|(number, program)| {
        let prepared = prepare(scene, program, tables).ok()?;
        let run = Run::of(&prepared.graph, &prepared.script);
        let end = run.end().filter(|_| run.failed.is_none() && !program.is_empty())?;
        let mut states = Vec::new();
        for (key, id) in &prepared.ids {
            let Some(at) = end.find(*id).filter(|at| *at != end.character() && run.set.contains(at)) else { continue };
            let before = scene.find(*id).map(|at| scene.states(at)).unwrap_or_default();
            let fresh = end.states(at).iter().filter(|state| !before.has(*state) && set_by_steps(&run, *id, *state));
            states.extend(fresh.map(|state| (key.clone(), state)));
        }
        Some(Achieved { program: number, states })
    })
}

/// Whether a node had not this state when the run began: what preparing alone gave it is nobody's doing.
fn set_by_steps(run: &Run, id: i64, state: State) -> bool {
    let begun = run.moments.first();
    begun.is_some_and(|graph| graph.find(id).is_none_or(|at| !graph.is(at, state)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::{Names, PropertyTable};
    use crate::scene::Scene;
    use crate::script::parse;

    const SCENE: &str = r#"{"nodes":[
        {"id":1,"class_name":"kitchen","category":"Rooms","properties":[],"states":["CLEAN"],"raw_states":[]},
        {"id":2,"class_name":"character","category":"Characters","properties":[],"states":[],"raw_states":[]},
        {"id":3,"class_name":"stove","category":"Appliances","properties":["HAS_SWITCH","HAS_PLUG","CAN_OPEN"],"states":["CLEAN","CLOSED","OFF","PLUGGED_IN"],"raw_states":[]},
        {"id":4,"class_name":"light","category":"Lamps","properties":["HAS_SWITCH"],"states":["CLEAN","ON"],"raw_states":[]}],
        "edges":[[2,"INSIDE",1],[3,"INSIDE",1],[4,"INSIDE",1]]}"#;

    fn of(programs: &[&[&str]]) -> Option<Achieved> {
        let scene = Scene::read(SCENE).unwrap();
        let properties: PropertyTable = serde_json::from_str(
            r#"{"stove":["HAS_SWITCH","HAS_PLUG","CAN_OPEN"],"light":["HAS_SWITCH"],"cup":["GRABBABLE"]}"#,
        )
        .unwrap();
        let programs: Vec<Vec<Line>> = programs.iter().map(|lines| parse(lines.iter().copied()).unwrap()).collect();
        let names = Names::default();
        achieved(&scene.graph, programs.iter().map(Vec::as_slice), Tables { names: &names, properties: &properties })
    }

    fn left(achieved: &Achieved) -> Vec<String> {
        achieved.states.iter().map(|(thing, state)| format!("{state} {}_{}", thing.name, thing.number)).collect()
    }

    #[test]
    fn the_states_that_steps_leave_are_told_and_those_that_were_there_are_not() {
        let done = of(&[&[
            "[WALK] <kitchen> (1)", "[WALK] <stove> (1)", "[OPEN] <stove> (1)", "[CLOSE] <stove> (1)",
            "[SWITCHON] <stove> (1)", "[WALK] <light> (1)", "[SWITCHON] <light> (1)",
        ]]);
        // The stove was closed before; the light was on and had been switched off only to be switched on.
        assert_eq!(left(&done.unwrap()), ["ON stove_1"]);
    }

    #[test]
    fn the_first_program_that_runs_counts() {
        let fails: &[&str] = &["[WALK] <kitchen> (1)", "[SWITCHON] <stove> (1)", "[SWITCHON] <stove> (1)"];
        let runs: &[&str] = &["[WALK] <stove> (1)", "[OPEN] <stove> (1)"];
        let done = of(&[fails, &[], runs, fails]).unwrap();
        assert_eq!((done.program, left(&done)), (2, vec!["OPEN stove_1".to_owned()]));
        assert_eq!(of(&[fails]), None);
        let idle = of(&[&["[WALK] <kitchen> (1)"]]).unwrap();
        assert!(idle.states.is_empty());
    }
}
