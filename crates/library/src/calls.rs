//! The calls of an action. An answer with calls of tools has them; a program of several lines has none of its own in worlds that read it as a
//! whole: which actions its lines are its text says, and which of them were carried out the outcome does.

use std::cell::OnceCell;

use stepwright_episode::{Action, StepOutcome};
use stepwright_program::tools::{FAILED, RESULTS, TOOLS};
use stepwright_program::{Call, Literal, Role, Specification};

/// A call of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    pub call: String,
    /// As it is shown.
    pub text: String,
    /// What was observed where nothing came of it: the world left it out and carried out others of the same action, or its tool failed.
    pub left_out: Option<String>,
}

impl Called {
    fn new(call: &str, text: &str) -> Self {
        Called { call: call.to_owned(), text: text.to_owned(), left_out: None }
    }
}

/// The actions of a specification, which is read when they are first needed.
#[derive(Debug)]
pub struct Actions<'a> {
    source: &'a str,
    known: OnceCell<Vec<(String, String)>>,
}

impl<'a> Actions<'a> {
    /// Those of a specification's source.
    pub fn new(source: &'a str) -> Self {
        Actions { source, known: OnceCell::new() }
    }

    /// The objects and functions that are actions.
    fn known(&self) -> &[(String, String)] {
        self.known.get_or_init(|| {
            let read = Specification::load(self.source, "spec.py").ok();
            let actions = read.iter().flat_map(Specification::functions).filter(|f| f.role == Role::Action);
            actions.map(|f| (f.receiver.clone(), f.name.clone())).collect()
        })
    }

    /// The calls that an action is of, in their order.
    pub(crate) fn of(&self, action: &Action) -> Vec<Called> {
        let own: Vec<&str> = action.calls().collect();
        match own.as_slice() {
            // What an answer says in words is no call, whatever it looks like.
            [] if action.exact.is_some() => Vec::new(),
            [] => action.text.lines().filter_map(|line| self.read(line.trim())).collect(),
            [only] => vec![Called::new(only, &action.text)],
            several => several.iter().map(|call| Called::new(call, call)).collect(),
        }
    }

    /// A line of a program as a call, with its object or without.
    fn read(&self, line: &str) -> Option<Called> {
        let (head, arguments) = line.split_once('(')?;
        let (object, name) = match head.split_once('.') {
            Some((object, name)) => (Some(object), name),
            None => (None, head),
        };
        let is_it = |(receiver, function): &&(String, String)| {
            function == name && object.is_none_or(|object| receiver == object)
        };
        let (receiver, function) = self.known().iter().find(is_it)?;
        let call: Call = format!("{receiver}.{function}({arguments}").parse().ok()?;
        Some(Called::new(&call.to_string(), line))
    }

    /// The calls of an action that was taken.
    pub fn taken(&self, action: &Action, outcome: &StepOutcome) -> Vec<Called> {
        let offered = self.of(action);
        if action.call.is_some() || action.exact.is_some() || outcome.error.is_some() {
            let returned: Vec<Call> = outcome.calls.iter().filter_map(|call| call.parse().ok()).collect();
            let noted = |called: Called| Called { left_out: failure(&called.call, &returned), ..called };
            return offered.into_iter().map(noted).collect();
        }
        let is_action = |text: &&String| {
            let call = text.parse::<Call>().ok();
            call.is_some_and(|call| self.known().iter().any(|(r, f)| *r == call.receiver && *f == call.function))
        };
        let done: Vec<&String> = outcome.calls.iter().filter(is_action).collect();
        let is_done = |called: &Called| done.iter().any(|call| **call == called.call);
        let as_offered = done.iter().all(|call| offered.iter().any(|offered| offered.call == **call));
        if done.is_empty() || offered.len() < done.len() || !as_offered {
            return done.iter().map(|call| Called::new(call, call)).collect();
        }
        // What comes after the end of the episode was not tried.
        let last = offered.iter().rposition(is_done).unwrap_or_default();
        let tried = if outcome.done { last + 1 } else { offered.len() };
        let left_out = |called: &Called| (!is_done(called)).then(|| outcome.observation.clone());
        offered.into_iter().take(tried).map(|called| Called { left_out: left_out(&called), ..called }).collect()
    }
}

/// With what error the tool of a call failed, where it did: what was returned of that tool under arguments of the call.
fn failure(call: &str, returned: &[Call]) -> Option<String> {
    let call = call.parse::<Call>().ok().filter(|call| call.receiver == TOOLS)?;
    let is_given =
        |key: &Literal| call.args.iter().chain(call.named.iter().map(|(_, value)| value)).any(|value| value == key);
    let is_of_it = |key: &Literal| match key {
        Literal::List(keys) => keys.iter().all(is_given),
        key => is_given(key),
    };
    let own = returned.iter().find(|result| {
        let has_failed = result.receiver == RESULTS && result.function == FAILED;
        has_failed && result.text(0) == Some(call.function.as_str()) && result.args.get(1).is_some_and(is_of_it)
    });
    own.map(|result| result.text(2).unwrap_or_default().to_owned())
}
