//! Which thing a plan's name stands for, and whether an assertion holds of what is seen.

use super::{Assertion, Command, Relation};
use crate::literal::{Atom, Facts};

/// The things a plan's names can stand for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    /// The things the goals are about, in their order.
    pub goal: Vec<String>,
    /// All things of the scene, in its order.
    pub all: Vec<String>,
}

impl Names {
    /// The names of a scene whose goals are these.
    pub fn new<'a>(goals: impl IntoIterator<Item = &'a Atom>, all: Vec<String>) -> Self {
        let mut goal: Vec<String> = Vec::new();
        for arg in goals.into_iter().flat_map(|g| &g.args) {
            if !goal.contains(arg) {
                goal.push(arg.clone());
            }
        }
        Names { goal, all }
    }

    /// The first thing of the goals whose id contains the name, else the last thing of the scene that does; case is ignored.
    pub fn bind(&self, name: &str) -> Option<&str> {
        let name = name.to_lowercase();
        let contains = |id: &&String| id.to_lowercase().contains(&name);
        self.goal.iter().find(contains).or_else(|| self.all.iter().rev().find(contains)).map(String::as_str)
    }
}

/// The world's action that a command stands for. What is to be found keeps its name, because the world looks for names; a name
/// that stands for nothing stays, so that the world can say so.
pub fn action(command: &Command, names: &Names) -> String {
    let verb = match command.action.as_str() {
        "walk" | "run" | "walktowards" => "walk_to_object",
        "putback" => "put",
        other => other,
    };
    let mut text = verb.to_owned();
    for name in &command.args {
        text.push(' ');
        text.push_str(if verb == "find" { name } else { names.bind(name).unwrap_or(name) });
    }
    text
}

/// Whether an assertion holds, as far as can be seen: of what is not seen nothing holds.
pub fn value(assertion: &Assertion, names: &Names, facts: &Facts) -> bool {
    let Assertion { left, relation, right } = assertion;
    let thing = |name: &str| names.bind(name).map(str::to_owned);
    let holds = |predicate: &str, things: &[Option<String>]| {
        let things: Option<Vec<&str>> = things.iter().map(Option::as_deref).collect();
        things.is_some_and(|things| facts.holds(predicate, &things))
    };
    match (relation, left.as_str(), right.as_str()) {
        (Relation::To, "close", _) => holds("CLOSE", &[thing(right)]),
        (Relation::To, ..) => false,
        (Relation::Is, _, "opened" | "open") => holds("OPEN", &[thing(left)]),
        (Relation::Is, _, "closed") => holds("CLOSED", &[thing(left)]),
        (Relation::Is, _, "switchon") => holds("ON", &[thing(left)]),
        (Relation::Is, _, "switchoff") => {
            let thing = thing(left);
            holds("HAS_SWITCH", std::slice::from_ref(&thing)) && !holds("ON", &[thing])
        }
        (Relation::Is, _, state) => holds(&state.to_uppercase(), &[thing(left)]),
        (Relation::In, _, "hands" | "hand") => holds("HOLDS", &[thing(left)]),
        (Relation::In, ..) => holds("IN", &[thing(left), thing(right)]),
    }
}
