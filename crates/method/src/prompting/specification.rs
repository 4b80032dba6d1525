//! Specification in the prompt: the classes with the assertions that are in force, or with none.

use std::collections::BTreeMap;

use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged;

use stepwright_program::{Declarations, Role, Specification};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecificationText {
    /// The classes, without this program's own declarations (`SETUP`, `ACTIONS`, `OBSERVATIONS`) and without the heading
    /// comment.
    pub text: String,
    /// The actions as they are called: `agent.goto`.
    pub actions: Vec<String>,
    pub asserted: bool,
}

impl SpecificationText {
    /// The specification with exactly these assertions in the bodies of its actions (by function, as a session has them in
    /// force); `None` leaves every body `pass`.
    pub fn new(
        specification: &Specification,
        assertions: Option<&BTreeMap<String, Vec<String>>>,
    ) -> Result<Self, String> {
        let none = BTreeMap::new();
        let shown = specification.with_assertions(assertions.unwrap_or(&none)).map_err(|e| e.to_string())?;
        Ok(SpecificationText {
            text: classes(shown.source()),
            actions: specification.declarations().actions.clone(),
            asserted: assertions.is_some_and(|a| a.values().any(|of| !of.is_empty())),
        })
    }

    pub fn own(specification: &Specification) -> Result<Self, String> {
        SpecificationText::new(specification, Some(&own_assertions(specification)))
    }
}

pub fn own_assertions(specification: &Specification) -> BTreeMap<String, Vec<String>> {
    let actions = specification.functions().iter().filter(|f| f.role == Role::Action);
    actions.map(|f| (f.name.clone(), f.assertions.iter().map(|a| a.expression.clone()).collect())).collect()
}

/// The objects that observations are calls of and actions are not: a call of one of them is never a decision, but in a world
/// where others speak it may mean that the agent's turn is over.
pub fn foreign_receivers(declarations: &Declarations) -> Vec<(String, String)> {
    let split = |path: &String| path.split_once('.').map(|(r, f)| (r.to_owned(), f.to_owned()));
    let own: Vec<String> = declarations.actions.iter().filter_map(split).map(|(r, _)| r).collect();
    let mut foreign: Vec<(String, String)> = Vec::new();
    for (receiver, function) in declarations.observations.iter().filter_map(split) {
        if !own.contains(&receiver) && !foreign.iter().any(|(r, _)| *r == receiver) {
            foreign.push((receiver, function));
        }
    }
    foreign
}

/// The source without its docstring and declarations; the whole source where it cannot be read.
fn classes(source: &str) -> String {
    let Ok(parsed) = ruff_python_parser::parse_module(source) else { return source.to_owned() };
    let mut text = source.to_owned();
    for (i, statement) in parsed.syntax().body.iter().enumerate().rev() {
        let dropped = match statement {
            Stmt::Expr(e) => i == 0 && matches!(*e.value, Expr::StringLiteral(_)),
            Stmt::Assign(assign) => assign.targets.iter().any(|t| match t {
                Expr::Name(name) => matches!(name.id.as_str(), "SETUP" | "ACTIONS" | "OBSERVATIONS"),
                _ => false,
            }),
            _ => false,
        };
        let range = statement.range();
        if dropped {
            text.replace_range(range.start().to_usize()..range.end().to_usize(), "");
        }
    }
    // What was taken out leaves empty lines; programs have two at most, classes one. Comments are notes to readers of the file: the paper's
    // prompts hold none.
    let (mut out, mut empty) = (String::new(), 0);
    for line in text.trim().lines().filter(|line| !line.trim_start().starts_with('#')) {
        if line.trim().is_empty() {
            empty += 1;
            continue;
        }
        let most = if line.starts_with(char::is_whitespace) { 1 } else { 2 };
        (0..empty.min(most)).for_each(|_| out.push('\n'));
        empty = 0;
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "\"\"\"Words\nover lines.\"\"\"\n\nfrom collections import defaultdict\n\nSETUP = ['a = A()', 'user = U()']\n\
        ACTIONS = ['a.go', 'a.stop']\nOBSERVATIONS = ['user.say', 'a.see', 'user.ask']\n\n\nclass A:\n    def see(self): pass\n\n    \
        def go(self, where):\n        assert where in self.seen, 'unseen'\n        assert self.legs\n\n    def stop(self):\n        \
        pass\n\nclass U:\n    def say(self): pass\n\n    def ask(self): pass\n";

    fn specification() -> Specification {
        Specification::load(SPEC, "spec.py").unwrap()
    }

    #[test]
    fn what_is_in_force_is_what_is_shown() {
        let spec = specification();
        let adopted = [("go".to_owned(), vec!["self.shoes".to_owned()]), ("stop".to_owned(), vec!["True".to_owned()])];
        let text = SpecificationText::new(&spec, Some(&adopted.into())).unwrap();
        assert!(text.text.contains("        assert self.shoes\n") && text.text.contains("        assert True\n"));
        assert!(!text.text.contains("self.legs") && text.asserted);
        let hidden = SpecificationText::new(&spec, None).unwrap();
        assert!(!hidden.text.contains("assert") && hidden.text.contains("def go(self, where):\n        pass\n"));
        assert!(!hidden.asserted);
        let own = SpecificationText::own(&spec).unwrap();
        assert!(own.text.contains("        assert where in self.seen\n        assert self.legs\n"), "{}", own.text);
    }

    #[test]
    fn the_text_holds_the_classes_and_no_declarations() {
        let text = SpecificationText::own(&specification()).unwrap();
        assert!(text.text.starts_with("from collections import defaultdict\n\n\nclass A:\n"), "{}", text.text);
        assert!(!text.text.contains("SETUP") && !text.text.contains("ACTIONS") && !text.text.contains("Words"));
        assert_eq!(text.actions, ["a.go", "a.stop"]);
    }

    #[test]
    fn others_who_speak_are_found() {
        assert_eq!(foreign_receivers(specification().declarations()), [("user".to_owned(), "say".to_owned())]);
    }
}
