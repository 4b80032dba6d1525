//! `verify` of Algorithm 1: whether a line is an action whose assertions hold in a program state.
//!
//! Lines are parsed by [`super::reading`], calls checked against the assertions in force by the program ([`State::under`]); what a
//! call means to a world is given by the caller.

use super::reading::{Line, read_line};
use stepwright_program::{Assertion, Call, CheckResult, Rules, Specification, State, read_keywords};

pub fn rules<'a>(set: impl IntoIterator<Item = (&'a str, &'a [String])>) -> Result<Rules, String> {
    let mut rules = Rules::new();
    for (action, texts) in set {
        let compiled = texts
            .iter()
            .map(|text| Assertion::compile(text).map_err(|e| format!("{action}: `{text}` is no assertion: {e}")));
        rules.insert(action.to_owned(), compiled.collect::<Result<_, _>>()?);
    }
    Ok(rules)
}

/// A call's use in the world it would be taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    Action,
    /// It belongs to the other side: the agent's turn is over.
    EndOfTurn,
    Nothing,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Verified {
    /// An action; its assertions hold and it can be executed.
    Action(Call),
    /// The turn is over: accepted.
    EndOfTurn(Call),
    Refused {
        /// `NoAction`, `NotAnAction`, `SyntaxError`, the exception's type, or `Unsupported` or `Budget` where the engine cannot decide.
        reason: String,
        message: String,
    },
}

impl Verified {
    pub fn is_accepted(&self) -> bool {
        !matches!(self, Verified::Refused { .. })
    }
}

/// Reads a line as a call; arguments given by name are put in the order of the specification's parameters.
pub fn read(line: &str, specification: &Specification) -> Line {
    match (read_keywords(line, specification), read_line(line)) {
        (Some(Ok(call)), _) => Line::Call(call),
        (Some(Err(message)), _) => Line::Not { reason: "TypeError", message },
        (None, line) => line,
    }
}

/// Verifies a line in a state. Only the line decides; how the state was reached does not matter.
pub fn verify(line: &str, state: &State, rules: &Rules, reading: impl Fn(&Call) -> Reading) -> Verified {
    let refused = |reason: &str, message: String| Verified::Refused { reason: reason.to_owned(), message };
    let call = match read(line, state.specification()) {
        Line::Call(call) => call,
        Line::Not { reason, message } => {
            // Whose call it is decides before what it is given.
            let called = line.split_once('(').and_then(|(path, _)| format!("{}()", path.trim()).parse().ok());
            return match called.filter(|call| reason == "TypeError" && reading(call) == Reading::EndOfTurn) {
                Some(call) => Verified::EndOfTurn(call),
                None => refused(reason, message),
            };
        }
    };
    match reading(&call) {
        Reading::EndOfTurn => return Verified::EndOfTurn(call),
        Reading::Nothing => return refused("NotAnAction", format!("{call} is no action")),
        Reading::Action => {}
    }
    for (assertion, result) in state.under(rules, &call) {
        match result {
            CheckResult::Holds => {}
            CheckResult::Raises { exception, message } => {
                return refused(&exception, format!("`{}`: {message}", assertion.text()));
            }
            CheckResult::Unsupported(what) => return refused("Unsupported", what),
            CheckResult::Budget(what) => return refused("Budget", what),
        }
    }
    match state.obstacle(&call) {
        Some((exception, message)) => refused(&exception, message),
        None => Verified::Action(call),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "SETUP = ['user = User()', 'system = System(user)']\nACTIONS = ['system.INFORM', 'system.BYE']\nOBSERVATIONS = ['user.REQUEST']\n\nfrom collections import defaultdict\n\nclass User:\n    def __init__(self):\n        self.requested = defaultdict(lambda: False)\n\n    def REQUEST(self, slot):\n        self.requested[slot] = True\n\nclass System:\n    def __init__(self, user):\n        self.user = user\n\n    def INFORM(self, slot):\n        pass\n\n    def BYE(self):\n        pass\n";

    fn state() -> State {
        let mut state = Specification::load(SPEC, "spec.py").unwrap().start().unwrap();
        state.call_unchecked(&"user.REQUEST('fare')".parse().unwrap()).unwrap();
        state
    }

    fn reading(call: &Call) -> Reading {
        match call.receiver.as_str() {
            "system" => Reading::Action,
            "user" => Reading::EndOfTurn,
            _ => Reading::Nothing,
        }
    }

    fn reason(line: &str, inform: &[&str]) -> Option<String> {
        let texts: Vec<String> = inform.iter().map(|t| (*t).to_owned()).collect();
        let rules = rules([("INFORM", texts.as_slice())]).unwrap();
        match verify(line, &state(), &rules, reading) {
            Verified::Action(_) => None,
            Verified::EndOfTurn(_) => Some("EndOfTurn".into()),
            Verified::Refused { reason, .. } => Some(reason),
        }
    }

    #[test]
    fn every_kind_of_line_gets_its_reason() {
        let requested = ["self.user.requested[slot]"];
        let why = |line| reason(line, &requested);
        assert_eq!(why("system.INFORM('fare')"), None);
        assert_eq!(why("system.INFORM('date')").as_deref(), Some("AssertionError"));
        assert_eq!(why("system.INFORM()").as_deref(), Some("TypeError"));
        assert_eq!(why("system.INFORM(slot='fare')"), None);
        assert_eq!(why("system.INFORM(slot='date')").as_deref(), Some("AssertionError"));
        assert_eq!(why("system.INFORM(what='date')").as_deref(), Some("TypeError"));
        assert_eq!(why("system.BYE()"), None);
        // Too many arguments are an error even where no assertion is in force.
        assert_eq!(why("system.BYE('now')").as_deref(), Some("TypeError"));
        assert_eq!(why("system.FLY()").as_deref(), Some("AttributeError"));
        assert_eq!(why("user.BYE()").as_deref(), Some("EndOfTurn"));
        assert_eq!(why("System.BYE()").as_deref(), Some("NotAnAction"));
        assert_eq!(why("system.BYE(").as_deref(), Some("SyntaxError"));
        assert_eq!(why("# thinking").as_deref(), Some("NoAction"));
        assert_eq!(reason("system.INFORM('fare')", &["nowhere"]).as_deref(), Some("NameError"));
    }

    #[test]
    fn assertions_run_in_one_body() {
        // Reading the missing key inserts it, and the second assertion sees that.
        let pair = ["not self.user.requested[slot]", "slot in self.user.requested"];
        assert_eq!(reason("system.INFORM('date')", &pair), None);
        assert_eq!(reason("system.INFORM('date')", &pair[1..]).as_deref(), Some("AssertionError"));
    }

    #[test]
    fn what_is_no_assertion_is_named() {
        let error = rules([("INFORM", ["x ==".to_owned()].as_slice())]).unwrap_err();
        assert!(error.contains("INFORM") && error.contains("x =="), "{error}");
    }
}
