//! Abilities. Names what only some worlds offer a method, and says in one sentence what is missing where one is absent.
//!
//! A world's kind declares its abilities and a method the ones it needs; menus, `run` and the drivers compare the two.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ability {
    /// [`World::admissible`](super::World::admissible) lists the admissible actions.
    Admissible,
    /// [`World::preview`](super::World::preview) predicts what an action would do.
    Preview,
    /// [`World::symbols`](super::World::symbols): observed facts and open goals as literals.
    Facts,
    /// The names of the scene's things are given before they are seen.
    Things,
    /// A planning domain ships, and the goals can be planned for.
    Planning,
    /// Plans ship that a planner without a language model joins.
    Plans,
    Blocking,
    /// [`World::belief_form`](super::World::belief_form): a form in which a belief can be kept.
    Belief,
    /// [`World::requests`](super::World::requests): an episode is a sequence of requests, answered by programs.
    Requests,
    /// Programs that answer its requests are written down.
    Reference,
    /// [`World::language`](super::World::language): steps in words, and why one is refused.
    Language,
    /// [`World::picture`](super::World::picture): a map or drawing for display.
    Picture,
    /// Functions of skills ship, with a base policy that calls them.
    SkillCode,
    /// [`World::asked`](super::World::asked): its actions are answers to what a program asks of a model.
    Answers,
    /// Another process does the steps ([`World::remote`](super::World::remote)).
    Remote,
}

impl Ability {
    /// Its noun, as the object of "has no …" (`list of admissible actions`).
    pub fn label(self) -> &'static str {
        match self {
            Ability::Admissible => "list of admissible actions",
            Ability::Preview => "preview of actions",
            Ability::Facts => "facts and goals as literals",
            Ability::Things => "list of its things",
            Ability::Planning => "planning domain",
            Ability::Plans => "plans to join without a language model",
            Ability::Blocking => "blocking domain",
            Ability::Belief => "form for a belief",
            Ability::Requests => "requests to answer",
            Ability::Reference => "programs to play without a language model",
            Ability::Language => "steps in words",
            Ability::Picture => "picture",
            Ability::SkillCode => "functions of skills to call without a language model",
            Ability::Answers => "program that asks a model",
            Ability::Remote => "process of its own",
        }
    }
}
