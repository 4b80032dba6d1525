//! Binding of a plan's names to things, and whether an assertion holds of what is seen.

use super::{Assertion, Command, Relation, Vocabulary, kind_of};
use stepwright_program::Literal;
use stepwright_world::World;
use stepwright_world::literal::{Atom, Facts};

/// The things a plan's names can stand for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    /// The things the goals are about, in their order.
    pub goal: Vec<String>,
    /// All things of the scene, in its order.
    pub all: Vec<String>,
}

impl Names {
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

/// The world's action that a command stands for, in a scene whose things are known. A thing still to be found keeps its name, because the
/// world looks for names; a name that stands for nothing stays, so that the world can say so.
pub fn action(command: &Command, names: &Names, vocabulary: &Vocabulary) -> String {
    let verb = vocabulary.function(&command.action);
    let mut text = verb.to_owned();
    for name in &command.args {
        text.push(' ');
        text.push_str(if vocabulary.keeps_names(verb) { name } else { names.bind(name).unwrap_or(name) });
    }
    text
}

/// The admissible action that a command stands for, where names stand for kinds of things: the first one of its function whose
/// things are of these kinds, in order.
pub fn admissible(command: &Command, vocabulary: &Vocabulary, world: &dyn World) -> Option<String> {
    let function = vocabulary.function(&command.action);
    let is = |arg: Option<&Literal>, name: &String| matches!(arg, Some(Literal::Str(id)) if is_of(id, name));
    world.admissible()?.into_iter().find(|text| {
        let Some(call) = world.call_of(text).filter(|call| call.function == function) else { return false };
        command.args.iter().enumerate().all(|(i, name)| is(call.args.get(i), name))
    })
}

/// Whether a name stands for a thing: its id, or its kind.
fn is_of(id: &str, name: &str) -> bool {
    let plain = |text: &str| text.replace(['_', ' '], "").to_lowercase();
    plain(id) == plain(name) || plain(&kind_of(id)) == plain(name)
}

/// Whether an assertion holds of the visible facts (closed world).
pub fn value(assertion: &Assertion, names: &Names, vocabulary: &Vocabulary, facts: &Facts) -> bool {
    let Assertion { left, relation, right } = assertion;
    let near = vocabulary.near();
    let is_near = |thing: &str| near.iter().any(|predicate| facts.holds(predicate, &[thing]));
    let things = |name: &str| -> Vec<String> {
        if vocabulary.binds_scene() {
            return names.bind(name).map(str::to_owned).into_iter().collect();
        }
        let of: Vec<String> = facts.things.iter().filter(|id| is_of(id, name)).cloned().collect();
        let close: Vec<String> = of.iter().filter(|id| is_near(id)).cloned().collect();
        if close.is_empty() { of } else { close }
    };
    match (relation, left.as_str(), right.as_str()) {
        (Relation::To, "close", _) => things(right).iter().any(|thing| is_near(thing)),
        (Relation::To, ..) => false,
        (Relation::Is, ..) => {
            let state = vocabulary.state(right);
            let is = |thing: &String| state.iter().all(|(holds, p)| facts.holds(p, &[thing]) == *holds);
            things(left).iter().any(is)
        }
        (Relation::In, _, "hands" | "hand") => {
            let held = |id: &&String| is_of(id, left) && facts.holds(vocabulary.held(), &[id]);
            match vocabulary.binds_scene() {
                true => things(left).iter().any(|thing| facts.holds(vocabulary.held(), &[thing])),
                false => facts.things.iter().any(|id| held(&id)),
            }
        }
        (Relation::In, ..) => {
            let inner = things(left);
            things(right).iter().any(|r| inner.iter().any(|x| facts.holds("IN", &[x, r])))
        }
    }
}
