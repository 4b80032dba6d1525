//! A program state with the assertions in force: what planning and explaining evaluate.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ProgramView;
use crate::episode::{Check, CheckKind, Status};
use crate::program::{Assertion, Call, CheckResult, Fault, Rejection, Specification, State};

/// A program state with the assertions in force, by action function. Cheap to clone.
#[derive(Debug, Clone)]
pub struct CheckedProgram {
    state: State,
    assertions: Arc<BTreeMap<String, Vec<Assertion>>>,
}

impl CheckedProgram {
    /// A state with these assertions in force; actions that are not named have none.
    pub fn new(state: State, assertions: Arc<BTreeMap<String, Vec<Assertion>>>) -> Self {
        CheckedProgram { state, assertions }
    }

    /// The assertions that a specification itself states, by action function.
    ///
    /// # Errors
    /// If one of them is no assertion that can be evaluated by itself.
    pub fn stated(specification: &Specification) -> Result<BTreeMap<String, Vec<Assertion>>, Rejection> {
        let mut stated = BTreeMap::new();
        for function in specification.functions() {
            let texts = function.assertions.iter().map(|a| Assertion::compile(&a.expression));
            let assertions: Vec<Assertion> = texts.collect::<Result<_, _>>()?;
            if !assertions.is_empty() {
                stated.insert(function.name.clone(), assertions);
            }
        }
        Ok(stated)
    }

    /// The fresh state of a specification, under its own assertions.
    ///
    /// # Errors
    /// If the specification cannot start; its own assertions were evaluated when it was loaded.
    pub fn start(specification: &Specification) -> Result<Self, Fault> {
        let assertions = Self::stated(specification).unwrap_or_default();
        Ok(CheckedProgram::new(specification.start()?, Arc::new(assertions)))
    }

    /// The state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What each assertion comes to, one after the other as in the action's body.
    fn results<'a>(&'a self, action: &'a Call) -> Vec<(&'a Assertion, CheckResult)> {
        let function = self.state.specification().function(&action.receiver, &action.function);
        let assertions = self.assertions.get(&action.function).map(Vec::as_slice).unwrap_or_default();
        let missing = || CheckResult::Raises {
            exception: "AttributeError".to_owned(),
            message: format!("{} has no function {}", action.receiver, action.function),
        };
        match function {
            Some(function) => self.state.check_each(assertions, function, &action.args).collect(),
            None => assertions.iter().map(|assertion| (assertion, missing())).collect(),
        }
    }
}

impl ProgramView for CheckedProgram {
    fn check(&self, action: &Call) -> Vec<Check> {
        let check = |(assertion, result): (&Assertion, CheckResult)| {
            let (status, detail) = standing(result);
            Check { kind: CheckKind::Precondition, condition: assertion.text().to_owned(), status, detail }
        };
        self.results(action).into_iter().map(check).collect()
    }

    fn permits(&self, action: &Call) -> Status {
        let mut worst = Status::Holds;
        for (_, result) in self.results(action) {
            match result {
                CheckResult::Holds => {}
                CheckResult::Raises { .. } => return Status::Fails,
                CheckResult::Unsupported(_) | CheckResult::Budget(_) => worst = Status::Unknown,
            }
        }
        worst
    }

    fn apply(&mut self, calls: &[Call]) {
        for call in calls {
            // A call that raises leaves the state as it was, which is what is wanted of a prediction that does not fit.
            let _ = self.state.call_unchecked(call);
        }
    }
}

/// The status of a result, and what there is to say beyond it.
fn standing(result: CheckResult) -> (Status, Option<String>) {
    match result {
        CheckResult::Holds => (Status::Holds, None),
        CheckResult::Raises { exception, message } if message.is_empty() && exception == "AssertionError" => {
            (Status::Fails, None)
        }
        CheckResult::Raises { exception, message } => (Status::Fails, Some(format!("{exception}: {message}"))),
        CheckResult::Unsupported(what) => (Status::Unknown, Some(format!("not supported: {what}"))),
        CheckResult::Budget(what) => (Status::Unknown, Some(format!("stopped: {what}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUSEHOLD: &str = include_str!("../../worlds/household/spec.py");

    fn household() -> CheckedProgram {
        CheckedProgram::start(&Specification::load(HOUSEHOLD, "spec.py").unwrap()).unwrap()
    }

    fn call(text: &str) -> Call {
        text.parse().unwrap()
    }

    #[test]
    fn the_specifications_own_assertions_are_in_force() {
        let mut program = household();
        let take = call("agent.take('mug 1', 'shelf 1')");
        assert_eq!(program.permits(&take), Status::Fails);
        program.apply(&[call("agent.update_visible_objects('shelf 1', 'mug 1')")]);
        assert_eq!(program.permits(&take), Status::Holds);
        program.apply(&[call("agent.add_inventory('cup 1')")]);
        let failing: Vec<String> =
            program.check(&take).into_iter().filter(|c| c.status == Status::Fails).map(|c| c.condition).collect();
        assert_eq!(failing, ["self.inventory == None"]);
    }

    #[test]
    fn other_assertions_take_their_place() {
        let program = household();
        let own = BTreeMap::from([("take".to_owned(), vec![Assertion::compile("len(obj) > 3").unwrap()])]);
        let edited = CheckedProgram::new(program.state().clone(), Arc::new(own));
        assert_eq!(edited.permits(&call("agent.take('mug 1', 'shelf 1')")), Status::Holds);
        assert_eq!(edited.permits(&call("agent.take('mug', 'shelf 1')")), Status::Fails);
        assert_eq!(edited.permits(&call("agent.put('mug', 'shelf 1')")), Status::Holds);
    }

    #[test]
    fn a_call_that_raises_changes_nothing() {
        let mut program = household();
        let before = program.state().fingerprint();
        program.apply(&[call("agent.add_inventory()"), call("agent.nothing_of_the_kind('a')")]);
        assert_eq!(program.state().fingerprint(), before);
    }
}
