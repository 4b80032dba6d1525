//! Checking an action at the cursor: its function's assertions on the live program state, and the world's dry run.

use super::difference::difference;
use stepwright_episode::gate::Draft;
use stepwright_episode::{Action, Check, CheckKind, Status, Verdict};
use stepwright_method::action_of;
use stepwright_method::program_context::{ProgramContext, ProgramState};
use stepwright_program::Call;
use stepwright_world::World;

pub(super) fn check(world: &dyn World, program: &ProgramContext, state: &ProgramState, action: &Action) -> Verdict {
    let mut verdict = Verdict::default();
    for call in action.calls().filter_map(|c| c.parse::<Call>().ok()) {
        verdict.checks.extend(program.check(state, &call));
    }
    if let Some(outcome) = world.preview(&action.text) {
        let status = if outcome.error.is_none() { Status::Holds } else { Status::Fails };
        verdict.checks.push(Check {
            kind: CheckKind::World,
            condition: Check::WORLD.to_owned(),
            status,
            detail: outcome.error.clone(),
        });
        let mut after = state.clone();
        after.run(outcome.calls());
        verdict.effect = Some(difference(&state.variables(), &after.variables()).into());
        verdict.preview = Some(outcome.observation);
    }
    verdict
}

/// The verdict of a text that is no action: it fails, whatever the state.
pub(super) fn no_action(problem: Option<&str>) -> Verdict {
    let check = Check {
        kind: CheckKind::Precondition,
        condition: "it is an action".to_owned(),
        status: Status::Fails,
        detail: problem.map(str::to_owned),
    };
    Verdict { checks: vec![check], ..Verdict::default() }
}

/// Reads what a person typed: the world's own text, or a program call. `from`: the action it was edited from.
pub(super) fn read(world: &dyn World, text: &str, from: Option<&Action>) -> Result<Draft, String> {
    let typed = text.trim();
    if typed.is_empty() {
        return Err("nothing was typed".to_owned());
    }
    if let Some(read) = world.read(typed, from) {
        return read.map(|action| Draft::by_person(typed, action));
    }
    if let Ok(call) = typed.parse::<Call>() {
        let action = action_of(world, &call).ok_or_else(|| format!("`{typed}` is no action of this world"))?;
        return Ok(Draft::by_person(typed, action));
    }
    let call = world.call_of(typed).map(|c| c.to_string());
    Ok(Draft::by_person(typed, Action::new(typed, call)))
}
