//! Roles: what a model is asked as. A role may have a model of its own; it is read from an ask's kind.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::artifact::ArtifactKind;
use super::ask::{Ask, AskKind, Sampling};
use super::session::Session;

/// What a model is asked as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Reads the believed state and writes a program that answers a request.
    Reader,
    /// Writes the state after an update.
    Writer,
    /// Proposes the next action, a plan, a correction.
    Proposer,
    /// Chooses among actions that are listed: of a blocking tree, or admissible ones by their likelihood.
    Selector,
    /// Finds the nearest of the steps that can be taken to one in words: what gives sentence vectors, which no ask is of.
    Translator,
    /// Writes what is learned: candidate preconditions, effects, skills, tips.
    Discoverer,
}

impl Role {
    /// All of them.
    pub const ALL: [Role; 6] =
        [Role::Reader, Role::Writer, Role::Proposer, Role::Selector, Role::Translator, Role::Discoverer];

    /// Its word, on the command line, in files and on screen.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Reader => "reader",
            Role::Writer => "writer",
            Role::Proposer => "proposer",
            Role::Selector => "selector",
            Role::Translator => "translator",
            Role::Discoverer => "discoverer",
        }
    }

    /// What it is asked for, in a phrase.
    pub const fn about(self) -> &'static str {
        match self {
            Role::Reader => "a program that answers a request",
            Role::Writer => "the state after a step or an update",
            Role::Proposer => "the next action, a plan, a correction",
            Role::Selector => "which of the actions that are listed",
            Role::Translator => "the nearest step that can be taken",
            Role::Discoverer => "assertions, effects, skills and tips",
        }
    }

    /// The role of that word.
    pub fn named(word: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.name() == word)
    }

    /// The key of its model among a session's options.
    pub fn key(self) -> String {
        format!("{OF_MODEL}{}", self.name())
    }

    /// The model that a session's options name for it; none where they name the one in use, which is an empty name.
    pub fn model(self, options: &BTreeMap<String, String>) -> Option<&str> {
        options.get(&self.key()).map(String::as_str).filter(|name| !name.is_empty())
    }

    /// The models that a session's options name for roles.
    pub fn models(options: &BTreeMap<String, String>) -> impl Iterator<Item = (Role, &str)> {
        Role::ALL.into_iter().filter_map(|role| Some((role, role.model(options)?)))
    }
}

/// Before a role's word, where a session's options name its model.
const OF_MODEL: &str = "model.";

/// What a role was asked, and what that took.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Spent {
    /// The models asked, in their order.
    pub models: Vec<String>,
    /// How often.
    pub asks: u64,
    /// Tokens of prompts.
    pub prompt: u64,
    /// Tokens generated.
    pub completion: u64,
    /// What it cost, where a price is known.
    pub cost: Option<f64>,
}

impl AskKind {
    /// What is asked as.
    pub fn role(&self) -> Role {
        match self {
            AskKind::Action { how: Sampling::Scored | Sampling::Selected } => Role::Selector,
            AskKind::Artifact { artifact } if *artifact == ArtifactKind::Belief => Role::Writer,
            AskKind::Artifact { artifact } if *artifact == ArtifactKind::Program => Role::Reader,
            AskKind::Artifact { artifact } if *artifact == ArtifactKind::Form => Role::Discoverer,
            AskKind::Candidates { .. } | AskKind::CandidateScores { .. } | AskKind::Distil { .. } => Role::Discoverer,
            _ => Role::Proposer,
        }
    }
}

impl Session {
    /// What each role of a language model was asked, at all nodes: with a prompt, or by a method that tells its tokens.
    pub fn spent_by_role(&self) -> BTreeMap<Role, Spent> {
        let mut all: BTreeMap<Role, Spent> = BTreeMap::new();
        let asks = self.nodes().iter().flat_map(|node| &node.turn.asks);
        for ask in asks.filter(|ask| ask.is_of_model()) {
            let spent = all.entry(ask.kind.role()).or_default();
            if !spent.models.contains(&ask.model) {
                spent.models.push(ask.model.clone());
            }
            spent.asks += 1;
            if let Some(usage) = ask.state.usage() {
                spent.prompt = spent.prompt.saturating_add(usage.prompt);
                spent.completion = spent.completion.saturating_add(usage.completion);
            }
            if let Some(cost) = ask.exchange.as_ref().and_then(|exchange| exchange.cost) {
                spent.cost = Some(spent.cost.unwrap_or_default() + cost);
            }
        }
        all
    }

    /// The models that took tokens and have no known price, where others have one: [`Session::cost`] is without them.
    pub fn unpriced(&self) -> BTreeSet<&str> {
        let (mut priced, mut unpriced) = (BTreeSet::new(), BTreeSet::new());
        for ask in self.nodes().iter().flat_map(|node| &node.turn.asks) {
            let cost = ask.exchange.as_ref().and_then(|exchange| exchange.cost);
            let spent = ask.state.usage().is_some_and(|usage| usage.prompt > 0 || usage.completion > 0);
            if cost.is_some() {
                priced.insert(ask.model.as_str());
            } else if spent {
                unpriced.insert(ask.model.as_str());
            }
        }
        if priced.is_empty() { BTreeSet::new() } else { &unpriced - &priced }
    }

    /// The model that is asked as that: the role's own, or the one in use.
    pub fn model_of(&self, role: Role) -> &str {
        role.model(&self.options).unwrap_or(&self.model)
    }

    /// The model in use, with those of roles that have another: `large (writer small)`.
    pub fn models(&self) -> String {
        in_words(&self.model, &self.options)
    }
}

/// Behind a cost, whose it is without: `, without that of fake, which has no price`; empty where it is of all.
pub fn without<S: AsRef<str>>(unpriced: &BTreeSet<S>) -> String {
    let names: Vec<&str> = unpriced.iter().map(AsRef::as_ref).collect();
    let have = match names.len() {
        0 => return String::new(),
        1 => "has",
        _ => "have",
    };
    format!(", without that of {}, which {have} no price", names.join(", "))
}

/// A model with those that options name for roles.
pub fn in_words(model: &str, options: &BTreeMap<String, String>) -> String {
    format!("{model}{}", beside(options))
}

/// The models that options name for roles, to be read behind the model in use: ` (writer small)`; empty where there are none.
pub fn beside(options: &BTreeMap<String, String>) -> String {
    let roles: Vec<String> = Role::models(options).map(|(role, name)| format!("{} {name}", role.name())).collect();
    if roles.is_empty() { String::new() } else { format!(" ({})", roles.join(", ")) }
}

impl Ask {
    /// Whether a language model was asked: with a prompt, or by a method that tells its tokens.
    pub fn is_of_model(&self) -> bool {
        self.prompt.is_some() || self.state.usage().is_some()
    }

    /// What for, and as what: `the state after an update, as writer`. The role of most asks goes without saying.
    pub fn purpose(&self) -> String {
        match self.kind.role() {
            Role::Proposer => self.kind.to_string(),
            role => format!("{}, as {}", self.kind, role.name()),
        }
    }

    /// The same in a session, where the role that most asks have is named once it has a model of its own.
    pub fn purpose_in(&self, session: &Session) -> String {
        let is_named = self.kind.role() == Role::Proposer && Role::Proposer.model(&session.options).is_some();
        if is_named { format!("{}, as {}", self.kind, Role::Proposer.name()) } else { self.purpose() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_read_from_the_kind_of_an_ask() {
        let candidates = AskKind::Candidates { action: "take".into() };
        let of = [
            (AskKind::PROGRAM, Role::Reader),
            (AskKind::BELIEF, Role::Writer),
            (AskKind::GREEDY, Role::Proposer),
            (AskKind::PLAN, Role::Proposer),
            (AskKind::SELECTED, Role::Selector),
            (AskKind::SCORED, Role::Selector),
            (candidates, Role::Discoverer),
        ];
        of.into_iter().for_each(|(kind, role)| assert_eq!(kind.role(), role, "{kind}"));
        Role::ALL.into_iter().for_each(|role| assert_eq!(Role::named(role.name()), Some(role)));
    }

    #[test]
    fn models_of_roles_are_options_of_a_session() {
        let own = [("model.writer", "small"), ("model.reader", ""), ("shots", "2")];
        let options: BTreeMap<String, String> = own.map(|(key, value)| (key.into(), value.into())).into();
        assert_eq!(Role::models(&options).collect::<Vec<_>>(), [(Role::Writer, "small")]);
        assert_eq!(in_words("large", &options), "large (writer small)");
        assert_eq!(in_words("large", &BTreeMap::new()), "large");
    }
}
