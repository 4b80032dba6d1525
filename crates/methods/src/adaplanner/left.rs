//! What a program leaves to the next one beside its variables: as published the agent stays the same object, the things that it is made with
//! are those that prompts show, and what a program defines around its function is there for later ones.

use std::collections::BTreeSet;

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprContext, Stmt};
use ruff_text_size::Ranged;
use serde::{Deserialize, Serialize};
use stepwright_program::parse::with_module;

use super::answers::FUNCTION;
use crate::code_policy::is_literal;

/// What the things are called that the agent is made with.
const THINGS: &str = "_things";

/// What the programs so far left.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Left {
    /// Places, each with the text of its value in Python.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<(String, String)>,
    /// The acts that had been done by then; the agent is brought to where later ones led.
    acts: usize,
    /// Functions, classes and imports.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) code: String,
}

impl Left {
    pub(super) fn is_empty(&self) -> bool {
        *self == Left::default()
    }

    /// The things as Python prints them; `None` where no program told them.
    pub(super) fn things(&self) -> Option<&str> {
        self.values.iter().find(|(place, _)| place == THINGS).map(|(_, text)| text.as_str())
    }

    /// The code that makes the agent and gives it, and the names there were, their values.
    pub(super) fn begun(&self) -> String {
        let set: String = self.values.iter().map(|(place, text)| format!("{place} = {text}\n")).collect();
        format!("agent = _brought(Agent({THINGS}), _acts[:{n}])\n{set}_brought(agent, _acts[{n}:])\n", n = self.acts)
    }

    /// What is left after a run that told these places; one that told none changed nothing that is known of. What is no value again is lost.
    pub(super) fn after(mut self, told: &[(String, String)], acts: usize) -> Self {
        if !told.is_empty() {
            let kept = told.iter().filter(|(_, text)| text == THINGS || is_literal(text));
            self.values = kept.cloned().collect();
            self.acts = acts;
        }
        self
    }

    /// With what a program defines around its function.
    pub(super) fn with_code_of(mut self, program: &str) -> Self {
        let defines = |statement: &&Stmt| match statement {
            Stmt::FunctionDef(def) => def.name.as_str() != FUNCTION,
            Stmt::ClassDef(_) | Stmt::Import(_) | Stmt::ImportFrom(_) => true,
            _ => false,
        };
        let code = with_module(program, |module| {
            let texts = module.body.iter().filter(defines).filter_map(|it| program.get(it.range().to_std_range()));
            texts.fold(String::new(), |code, text| code + text + "\n")
        });
        self.code.push_str(&code.unwrap_or_default());
        self
    }

    /// The places that a run tells: attributes of the agent, of its class and those that the program sets; with `names` what is global, too.
    pub(super) fn places(&self, class: &[String], program: &str, names: bool) -> BTreeSet<String> {
        let found = with_module(program, |module| {
            let mut stored = Stored::default();
            stored.visit_body(&module.body);
            let names = stored.names.into_iter().filter(|name| names && !name.starts_with('_')).map(str::to_owned);
            stored.attributes.into_iter().map(of_agent).chain(names).collect::<BTreeSet<_>>()
        });
        let before = self.values.iter().map(|(place, _)| place.clone()).filter(|place| place != THINGS);
        let class = class.iter().map(|attribute| of_agent(attribute));
        found.unwrap_or_default().into_iter().chain(before).chain(class).collect()
    }
}

fn of_agent(attribute: &str) -> String {
    format!("agent.{attribute}")
}

/// The function that tells places, each with its text. What is the things themselves stays so: what changes the one changes the other.
pub(super) fn telling(places: &BTreeSet<String>) -> String {
    let told = places.iter().map(|place| {
        format!(
            "    try:\n        _kept.append(['{place}', '{THINGS}' if {place} is {THINGS} else _repr({place})])\n    \
             except (AttributeError, NameError):\n        pass\n"
        )
    });
    format!("def _left():\n    _kept = [['{THINGS}', _repr({THINGS})]]\n{}    return _kept\n", told.collect::<String>())
}

/// What code assigns to that outlives it.
#[derive(Default)]
struct Stored<'a> {
    attributes: BTreeSet<&'a str>,
    names: BTreeSet<&'a str>,
    /// How many functions and classes a place is in.
    inside: usize,
}

impl<'a> Visitor<'a> for Stored<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {
                self.inside += 1;
                walk_stmt(self, statement);
                self.inside -= 1;
            }
            Stmt::Global(it) => self.names.extend(it.names.iter().map(|name| name.as_str())),
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Attribute(it) if it.ctx == ExprContext::Store => drop(self.attributes.insert(it.attr.as_str())),
            Expr::Name(it) if self.inside == 0 && it.ctx == ExprContext::Store => {
                self.names.insert(it.id.as_str());
            }
            _ => {}
        }
        walk_expr(self, expression);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(place, text)| ((*place).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn what_a_run_tells_is_set_before_the_next() {
        let told =
            pairs(&[(THINGS, "['b 1', 'a 1']"), ("agent.places", THINGS), ("agent.at", "None"), ("agent.it", "<it>")]);
        let left = Left::default().after(&told, 2);
        assert_eq!(left.things(), Some("['b 1', 'a 1']"));
        let begun = "agent = _brought(Agent(_things), _acts[:2])\n_things = ['b 1', 'a 1']\nagent.places = _things\nagent.at = None\n\
                     _brought(agent, _acts[2:])\n";
        assert_eq!(left.begun(), begun);
        assert_eq!(left.clone().after(&[], 5), left, "a program that did not begin changes nothing");
        assert!(Left::default().is_empty() && !left.is_empty());
        let agent = "agent = _brought(Agent(_things), _acts[:0])\n_brought(agent, _acts[0:])\n";
        assert_eq!(Left::default().begun(), agent);
    }

    #[test]
    fn places_are_the_agents_and_those_of_the_module() {
        let program = "import re as rx\nCOUNT = 1\ndef helper(a):\n    a.seen = inner = 2\ndef solution(agent):\n    global kept\n    \
                       agent.tries += 1\n    kept = local = agent.other\n";
        let left = Left::default().after(&pairs(&[(THINGS, "[]"), ("agent.old", "1")]), 0);
        let places = |names| left.places(&["at".to_owned()], program, names).into_iter().collect::<Vec<_>>();
        assert_eq!(places(false), ["agent.at", "agent.old", "agent.seen", "agent.tries"]);
        assert_eq!(places(true), ["COUNT", "agent.at", "agent.old", "agent.seen", "agent.tries", "kept"]);
        assert_eq!(left.with_code_of(program).code, "import re as rx\ndef helper(a):\n    a.seen = inner = 2\n");
        let told = telling(&["agent.at".to_owned()].into());
        assert!(with_module(&told, |_| ()).is_ok(), "{told}");
    }
}
