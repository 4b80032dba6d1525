//! Checking an action at the cursor: its form, its function's assertions on the live program state, and the world's dry run.

use super::difference::changes;
use stepwright_episode::gate::Draft;
use stepwright_episode::{Action, Check, CheckKind, Status, Verdict};
use stepwright_method::action_of;
use stepwright_method::program_context::{ProgramContext, ProgramState};
use stepwright_program::Call;
use stepwright_world::World;

pub(super) fn check(world: &dyn World, program: &ProgramContext, state: &ProgramState, action: &Action) -> Verdict {
    let mut verdict = Verdict { checks: world.form_checks(action), ..Verdict::default() };
    for call in action.calls().filter_map(|c| c.parse::<Call>().ok()) {
        verdict.checks.extend(program.check(state, &call));
    }
    if let Some(outcome) = world.preview_of(action) {
        let status = if outcome.error.is_none() { Status::Holds } else { Status::Fails };
        verdict.checks.push(Check {
            kind: CheckKind::World,
            condition: Check::WORLD.to_owned(),
            status,
            detail: outcome.error.clone(),
        });
        let mut after = state.clone();
        after.run(outcome.calls());
        verdict.effect = Some(changes(state, &after).into());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::world::{SPECIFICATION, Sum};

    #[test]
    fn what_assertions_say_and_what_the_world_says_are_checks_apart() {
        let mut world = Sum::default();
        world.reset("ten", 0).unwrap();
        let program = ProgramContext::load(SPECIFICATION).unwrap();
        let verdict = |text: &str| {
            let action = Action::new(text, world.call_of(text).map(|call| call.to_string()));
            check(&world, &program, &program.start(), &action)
        };
        let status =
            |verdict: &Verdict| verdict.checks.iter().map(|check| (check.kind, check.status)).collect::<Vec<_>>();
        let (own, dry) = (CheckKind::Precondition, CheckKind::World);
        let taken = verdict("add 4");
        assert_eq!(status(&taken), [(own, Status::Holds), (own, Status::Holds), (dry, Status::Holds)]);
        assert_eq!(taken.preview.as_deref(), Some("The total is 4."));
        assert!(taken.effect.is_some_and(|effect| effect.text().contains('4')));
        let refused = verdict("add 7");
        assert_eq!(status(&refused), [(own, Status::Holds), (own, Status::Fails), (dry, Status::Fails)]);
        assert_eq!(refused.checks.last().and_then(|check| check.detail.as_deref()), Some("Nothing happens."));
        let none = no_action(Some("it is a poem"));
        assert_eq!(status(&none), [(own, Status::Fails)]);
        assert_eq!(none.checks[0].detail.as_deref(), Some("it is a poem"));
    }
}
