//! Assertions in force, and the result of a call under them: the one place where a call is checked against them. Code that plans,
//! verifies, explains or compares comes through here.

use std::collections::BTreeMap;

use super::{Assertion, Call, CheckResult, FaultKind, Role, State};

/// Assertions in force, by action function.
pub type Rules = BTreeMap<String, Vec<Assertion>>;

impl State {
    /// The assertions in force for a call, each with its result, in order and on one copy of the state, as in the action's
    /// body. None for what is no action of the specification.
    pub fn under<'a>(&self, rules: &'a Rules, call: &Call) -> Vec<(&'a Assertion, CheckResult)> {
        let Some(rules) = rules.get(&call.function) else { return Vec::new() };
        let function = self.specification().function(&call.receiver, &call.function);
        let Some(function) = function.filter(|f| f.role == Role::Action) else { return Vec::new() };
        match function.arguments(call) {
            Ok(args) => self.check_each(rules, function, &args).collect(),
            Err(message) => {
                let raises = CheckResult::Raises { exception: "TypeError".to_owned(), message };
                rules.iter().map(|rule| (rule, raises.clone())).collect()
            }
        }
    }

    /// Why the call itself cannot be executed in this state, its assertions aside: a function that does not exist, too many
    /// arguments. `None` if it can, or if that cannot be decided.
    pub fn obstacle(&self, call: &Call) -> Option<(String, String)> {
        let fault = self.clone().call_unchecked(call).err()?;
        match fault.kind {
            FaultKind::Exception(exception) => Some((exception, fault.message)),
            FaultKind::Unsupported(_) | FaultKind::Budget(_) => None,
        }
    }
}
