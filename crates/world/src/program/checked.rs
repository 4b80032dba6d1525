//! Checked program: a program state with the assertions in force, as planning and explaining evaluate it.

use std::sync::Arc;

use super::{
    Assertion, Call, CheckResult, Effect, Effects, Fault, Literal, Rejection, Role, Rules, Specification, State,
    constants,
};
use stepwright_episode::{Check, CheckKind, Status};

/// Which effects count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Those adopted alone.
    Adopted,
    /// Those adopted; of actions that have none, those that the demonstrations show without an exception.
    Shown,
    /// And those that mostly follow there.
    Likely,
}

/// A program state with the assertions in force, by action function. Cheap to clone.
#[derive(Debug, Clone)]
pub struct CheckedProgram {
    state: State,
    rules: Arc<Rules>,
    effects: Arc<Effects>,
    /// The effects in force: of an action that has any the others do not count.
    adopted: Arc<Effects>,
    inferred: bool,
}

impl CheckedProgram {
    /// A state with these assertions in force; actions that are not named have none.
    pub fn new(state: State, rules: Arc<Rules>) -> Self {
        CheckedProgram { state, rules, effects: Arc::default(), adopted: Arc::default(), inferred: false }
    }

    /// The assertions that a specification itself states, by action function.
    /// Errors: if one of them is no assertion that can be evaluated by itself.
    pub fn stated(specification: &Specification) -> Result<Rules, Rejection> {
        let mut stated = Rules::new();
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
    /// Errors: if the specification cannot start; its own assertions were evaluated when it was loaded.
    pub fn start(specification: &Specification) -> Result<Self, Fault> {
        let assertions = Self::stated(specification).unwrap_or_default();
        Ok(CheckedProgram::new(specification.start()?, Arc::new(assertions)))
    }

    /// The same program under assertions that were inferred, where none is in force.
    #[must_use]
    pub fn or_inferred(self, inferred: impl FnOnce(&Specification) -> Arc<Rules>) -> Self {
        if self.rules.values().any(|rules| !rules.is_empty()) {
            return self;
        }
        let rules = inferred(self.state.specification());
        CheckedProgram { rules, inferred: true, ..self }
    }

    /// The same program, with what the demonstrations show that actions change.
    pub fn with_effects(self, effects: Arc<Effects>) -> Self {
        CheckedProgram { effects, ..self }
    }

    /// The same program, with the effects in force.
    pub fn with_adopted(self, adopted: Arc<Effects>) -> Self {
        CheckedProgram { adopted, ..self }
    }

    fn effects_of(&self, function: &str) -> &[Effect] {
        let found = self.adopted.get(function).or_else(|| self.effects.get(function));
        found.map_or(&[], Vec::as_slice)
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    pub fn explained(&self, call: &Call) -> Vec<Check> {
        let function = self.state.specification().function(&call.receiver, &call.function);
        let values = |assertion: &Assertion| {
            let found = function.and_then(|f| Some(self.state.explain(assertion, f, &f.arguments(call).ok()?)));
            let found = found.unwrap_or_default();
            found.into_iter().map(|(part, value)| format!("{part} = {value}")).collect::<Vec<_>>()
        };
        self.checks(call, |assertion, result| {
            let words: Vec<String> = reason(result).into_iter().chain(values(assertion)).collect();
            (!words.is_empty()).then(|| words.join("; "))
        })
    }

    /// The assertions in force for a call, and that the call itself cannot be executed, where that is so. `detail` makes the words
    /// on an assertion and its result.
    fn checks(&self, call: &Call, detail: impl Fn(&Assertion, &CheckResult) -> Option<String>) -> Vec<Check> {
        let check = |condition: &str, status, detail| Check {
            kind: CheckKind::Precondition,
            condition: condition.to_owned(),
            status,
            detail,
        };
        let results = self.state.under(&self.rules, call).into_iter();
        let mut checks: Vec<Check> = results
            .map(|(assertion, result)| check(assertion.text(), status(&result), detail(assertion, &result)))
            .collect();
        // What is no declared action is for the world to take or leave.
        let function = self.state.specification().function(&call.receiver, &call.function);
        if function.is_some_and(|f| f.role == Role::Action)
            && checks.iter().all(|c| c.status == Status::Holds)
            && let Some((exception, message)) = self.state.obstacle(call)
        {
            checks.push(check("the call can be executed", Status::Fails, Some(format!("{exception}: {message}"))));
        }
        checks
    }

    /// The assertions of an action's function, each evaluated for the call, in order.
    pub fn check(&self, action: &Call) -> Vec<Check> {
        // That an assertion is false needs no words.
        self.checks(action, |_, result| reason(result).filter(|words| words != "AssertionError"))
    }

    /// All of them together, without the words.
    pub fn permits(&self, action: &Call) -> Status {
        let mut worst = Status::Holds;
        for (_, result) in self.state.under(&self.rules, action) {
            match status(&result) {
                Status::Holds => {}
                Status::Fails => return Status::Fails,
                Status::Unknown => worst = Status::Unknown,
            }
        }
        worst
    }

    /// Whether its assertions are in force nowhere, but inferred.
    pub fn is_inferred(&self) -> bool {
        self.inferred
    }

    /// Changes the state as the effects of an action say, as far as they are trusted; `false` where none is known.
    pub fn affect(&mut self, action: &Call, trust: Trust) -> bool {
        if trust == Trust::Adopted && !self.is_adopted(&action.function) {
            return false;
        }
        let effects = self.effects_of(&action.function).to_vec();
        let specification = self.state.specification().clone();
        let Some(function) = specification.function(&action.receiver, &action.function) else { return false };
        let Ok(args) = function.arguments(action) else { return false };
        let mut changed = false;
        for effect in effects.iter().filter(|effect| trust == Trust::Likely || !effect.is_likely()) {
            changed |= effect.change(&mut self.state, function, &args).holds();
        }
        changed
    }

    /// Whether effects of an action function are known that count from this trust on.
    pub fn trusts(&self, function: &str, trust: Trust) -> bool {
        let is_likely = trust == Trust::Likely;
        match trust {
            Trust::Adopted => self.adopted.contains_key(function),
            Trust::Shown | Trust::Likely => self.effects_of(function).iter().any(|e| e.is_likely() == is_likely),
        }
    }

    /// Whether effects of an action function were adopted.
    pub fn is_adopted(&self, function: &str) -> bool {
        self.trusts(function, Trust::Adopted)
    }

    /// The places of the parameters that the effects of an action function name.
    pub fn affected(&self, function: &str) -> Vec<usize> {
        let effects = self.effects_of(function).iter();
        effects.flat_map(|effect| effect.params().iter().copied()).collect()
    }

    /// The constants that the effects of an action function name.
    pub fn named(&self, function: &str) -> Vec<Literal> {
        self.effects_of(function).iter().flat_map(|effect| constants(effect.text())).collect()
    }

    /// Runs calls, their own assertions aside; one that raises changes nothing.
    pub fn apply(&mut self, calls: &[Call]) {
        for call in calls {
            // A call that raises leaves the state as it was, which is what is wanted of a prediction that does not fit.
            let _ = self.state.call_unchecked(call);
        }
    }
}

/// All checks together: fails if any fails, else unknown if any cannot be decided.
pub(crate) fn worst(checks: &[Check]) -> Status {
    let has = |status| checks.iter().any(|c| c.status == status);
    match (has(Status::Fails), has(Status::Unknown)) {
        (true, _) => Status::Fails,
        (false, true) => Status::Unknown,
        (false, false) => Status::Holds,
    }
}

fn status(result: &CheckResult) -> Status {
    match result {
        CheckResult::Holds => Status::Holds,
        CheckResult::Raises { .. } => Status::Fails,
        CheckResult::Unsupported(_) | CheckResult::Budget(_) => Status::Unknown,
    }
}

fn reason(result: &CheckResult) -> Option<String> {
    match result {
        CheckResult::Holds => None,
        CheckResult::Raises { exception, message } if message.is_empty() => Some(exception.clone()),
        CheckResult::Raises { exception, message } => Some(format!("{exception}: {message}")),
        CheckResult::Unsupported(what) => Some(format!("not supported: {what}")),
        CheckResult::Budget(what) => Some(format!("stopped: {what}")),
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
        let own = Rules::from([("take".to_owned(), vec![Assertion::compile("len(obj) > 3").unwrap()])]);
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
