//! ProgPrompt's plans: a function body of comments (sub-goals), actions, and assertions with lines to run when one is false.
//!
//! The form looks like Python and is not (`assert('close' to 'mug')`), so it has a small reader of its own (`read`). `walk` says
//! which line comes next, `bind` which things of a scene the names stand for and whether an assertion holds of what is seen, `judge`
//! the prompt of a model that judges assertions itself, `vocabulary` how a world's plans name its actions and states.
//! `compose` writes plans without a language model. Pure; the methods have plans written and executed.

mod bind;
mod compose;
mod flatten;
mod judge;
mod read;
#[cfg(test)]
mod tests;
mod vocabulary;
mod walk;

use std::fmt;

pub use bind::{Names, action, admissible, value};
pub use compose::{compose, kind_of, type_of};
pub use flatten::{flatten, one_a_line};
pub use judge::{Sight, answered};
pub use read::{MAX_LINES, MAX_TEXT, Problem, Reading, read};
pub use vocabulary::{Vocabulary, function_name};
pub use walk::{Advance, Going, SUBGOAL_STEPS, advance, used_up};

/// An action as a plan names it: `putin('apple', 'fridge')`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The action (`putin`).
    pub action: String,
    /// Names of things, as the plan writes them.
    pub args: Vec<String>,
}

/// Assertion: `'close' to 'mug'`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assertion {
    /// The first word (`close`, or a thing).
    pub left: String,
    pub relation: Relation,
    /// The last word (a thing, a state, `hands`).
    pub right: String,
}

/// The word between the two words of an assertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// `'close' to 'mug'`.
    To,
    /// `'fridge' is 'opened'`.
    Is,
    /// `'mug' in 'hands'`.
    In,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    Action(Command),
    Assertion(Assertion),
    /// Something to do when the assertion above does not hold.
    Else(Command),
}

/// One line of a plan that means something to its execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its line in the text, from 1.
    pub line: usize,
    /// The comment above it, without its mark; `0` before the first.
    pub subgoal: String,
    /// The number of comments above it: which sub-goal it is of, whatever the comments say.
    pub number: usize,
    pub kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// The function's name, where the text has its `def` line.
    pub function: Option<String>,
    /// The lines, in order. An `else` line is always below an assertion or another `else` line.
    pub items: Vec<Item>,
}

impl Item {
    /// The action of an action or `else` line.
    pub fn command(&self) -> Option<&Command> {
        match &self.kind {
            Kind::Action(command) | Kind::Else(command) => Some(command),
            Kind::Assertion(_) => None,
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.action)?;
        for (i, arg) in self.args.iter().enumerate() {
            write!(f, "{}'{arg}'", if i > 0 { ", " } else { "" })?;
        }
        f.write_str(")")
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Relation::To => "to",
            Relation::Is => "is",
            Relation::In => "in",
        })
    }
}

impl fmt::Display for Assertion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' {} '{}'", self.left, self.relation, self.right)
    }
}
