//! Parser of the facts and the goal of a PDDL problem's text: just enough for ALFWorld's files, safe on any input.

use stepwright_world::planner::classical::Expression;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem(Expression);

impl Problem {
    /// Parses a text.
    /// Errors: the line where parentheses do not match or nest too deeply.
    pub fn parse(text: &str) -> Result<Problem, String> {
        Expression::read(text)
            .map(Problem)
            .map_err(|why| format!("the problem cannot be read: {why}; is the file cut?"))
    }

    /// The members of the section `(:name …)`, without the name.
    fn section(&self, name: &str) -> Result<&[Expression], String> {
        let mut sections = std::iter::once(&self.0).chain(self.0.members()).filter_map(Expression::headed);
        let found = sections.find(|(head, _)| *head == name);
        found.map(|(_, rest)| rest).ok_or_else(|| format!("the problem has no ({name} …) section"))
    }

    /// The facts of `(:init …)`: each a predicate and its arguments. What is no plain fact (`(= (total-cost) 0)`) is left out.
    pub fn facts(&self) -> Result<Vec<Vec<&str>>, String> {
        Ok(self.section(":init")?.iter().filter_map(words).filter(|w| w.len() > 1).collect())
    }

    /// Every atom anywhere in `(:goal …)`, in order: predicate and arguments, quantifiers and connectives left out.
    pub(crate) fn goal_atoms(&self) -> Result<Vec<Vec<&str>>, String> {
        let mut atoms = Vec::new();
        let mut left: Vec<&Expression> = self.section(":goal")?.iter().rev().collect();
        while let Some(next) = left.pop() {
            match words(next) {
                Some(words) if words.first().is_some_and(|w| !w.starts_with('?')) => atoms.push(words),
                Some(_) => {}
                None => left.extend(next.members().iter().rev()),
            }
        }
        Ok(atoms)
    }
}

fn words(list: &Expression) -> Option<Vec<&str>> {
    if list.word().is_some() { None } else { list.members().iter().map(Expression::word).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_and_goal_atoms_are_found() {
        let text = "(define (problem p) ; a comment (\n(:init (= (total-cost) 0) (inReceptacle A B)\n(openable B))\n\
                    (:goal (and (exists (?r - receptacle) (and (inReceptacle ?o ?r) (not (= ?a ?b)))))))";
        let problem = Problem::parse(text).unwrap();
        assert_eq!(problem.facts().unwrap(), [vec!["inreceptacle", "a", "b"], vec!["openable", "b"]]);
        assert_eq!(problem.goal_atoms().unwrap(), [vec!["inreceptacle", "?o", "?r"], vec!["=", "?a", "?b"]]);
    }

    #[test]
    fn broken_texts_are_errors() {
        for text in ["", "(", ")", "(a))", &"(".repeat(100_000), &"(a ".repeat(70)] {
            assert!(Problem::parse(text).is_err());
        }
        assert!(Problem::parse("(:goal)").unwrap().facts().is_err());
        assert!(Problem::parse("(:init)").unwrap().goal_atoms().is_err());
    }
}
