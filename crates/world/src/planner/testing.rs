//! The household's program after some calls, and a few demonstrated steps of every action, for unit tests of planning. The household's
//! own tests have it too, by its path.

use std::sync::Arc;

use stepwright_program::{Assertion, Call, Specification};
use stepwright_trajectory::Step;
use stepwright_world::planner::EffectModel;
use stepwright_world::program::CheckedProgram;

/// The household's program after these calls.
pub fn after(calls: &[&str]) -> CheckedProgram {
    let specification = Specification::load(include_str!("../../worlds/household/spec.py"), "spec.py").unwrap();
    let mut program = CheckedProgram::start(&specification).unwrap();
    program.apply(&calls_of(calls));
    program
}

/// The program where an edited assertion makes an action impossible.
pub fn forbidding(program: &CheckedProgram, function: &str) -> CheckedProgram {
    let mut rules = CheckedProgram::stated(program.state().specification()).unwrap();
    rules.entry(function.to_owned()).or_default().push(Assertion::compile("False").unwrap());
    CheckedProgram::new(program.state().clone(), Arc::new(rules))
}

pub fn calls_of(texts: &[&str]) -> Vec<Call> {
    texts.iter().map(|t| t.parse().unwrap()).collect()
}

/// A few demonstrated steps of every action.
const DEMONSTRATED: &[(&str, &[&str])] = &[
    ("agent.goto('shelf 1')", &["agent.update_visible_objects('shelf 1', 'mug 1', 'cd 2')"]),
    ("agent.goto('fridge 1')", &["env.set_property('fridge 1', 'open', False)"]),
    ("agent.goto('desk 1')", &["agent.update_visible_objects('desk 1')"]),
    ("agent.open('fridge 1')", &["env.set_property('fridge 1', 'open', True)"]),
    (
        "agent.open('drawer 2')",
        &["env.set_property('drawer 2', 'open', True)", "agent.update_visible_objects('drawer 2', 'pen 1')"],
    ),
    ("agent.close('drawer 2')", &["env.set_property('drawer 2', 'open', False)"]),
    ("agent.take('mug 1', 'shelf 1')", &["agent.add_inventory('mug 1')"]),
    ("agent.put('mug 1', 'desk 1')", &["agent.remove_inventory('mug 1')"]),
    ("agent.heat('mug 1', 'microwave 1')", &["env.set_property('mug 1', 'heat', True)"]),
    ("agent.clean('mug 1', 'sinkbasin 1')", &["env.set_property('mug 1', 'clean', True)"]),
    ("agent.toggle('desklamp 1')", &["env.set_property('desklamp 1', 'toggle', True)"]),
];

pub(crate) fn demonstrated() -> Vec<Step> {
    let step = |(action, observed): &(&str, &[&str])| Step {
        call: Some(action.parse().unwrap()),
        calls: calls_of(observed),
        ..Step::default()
    };
    DEMONSTRATED.iter().map(step).collect()
}

pub fn effects() -> EffectModel {
    EffectModel::learn(&demonstrated())
}
