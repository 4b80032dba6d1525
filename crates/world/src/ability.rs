//! Abilities. Names what only some worlds offer a method, and says in one sentence what is missing where one is absent.
//!
//! A world's kind declares its abilities and a method the ones it needs; menus, `run` and the drivers compare the two.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ability {
    /// The actions that are possible are listed.
    Admissible,
    /// What an action would do is predicted.
    Preview,
    /// What was observed and the goals that are open are told as literals.
    Facts,
    /// The names of the scene's things are given before they are seen.
    Things,
    /// A planning domain ships, and the goals can be planned for.
    Planning,
    /// Plans ship that a planner without a language model joins.
    Plans,
    /// A domain tells what blocks actions.
    Blocking,
    /// There is a form in which a belief can be kept.
    Belief,
    /// An episode is a sequence of requests, answered by programs.
    Requests,
    /// Programs that answer its requests are written down.
    Reference,
    /// Steps are told in words, and why one is refused.
    Language,
    /// There is a map or a drawing for display.
    Picture,
    /// Functions of skills ship, with a base policy that calls them.
    SkillCode,
    /// Its actions are answers to what a program asks of a model.
    Answers,
    /// Another process does the steps.
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
