//! Reads the facts and the goal out of a PDDL problem's text: just enough for ALFWorld's files, safe on any input.
//!
//! Iterative throughout, so nesting costs no stack. Everything is lower-cased first, as the engine does.

/// An expression: a word or a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expression {
    /// A word.
    Word(String),
    /// A parenthesised list, as the indices of its members in [`Problem::nodes`].
    List(Vec<usize>),
}

/// The deepest nesting read; ALFWorld's goals have eight levels.
const DEEPEST: usize = 64;

/// A parsed PDDL text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Problem {
    nodes: Vec<Expression>,
    top: Vec<usize>,
}

impl Problem {
    /// Parses a text.
    ///
    /// # Errors
    /// The line where parentheses do not match or nest too deeply.
    pub fn parse(text: &str) -> Result<Problem, String> {
        let text = text.to_lowercase();
        let mut problem = Problem::default();
        // Lists under way: the members so far.
        let mut open: Vec<Vec<usize>> = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.split(';').next().unwrap_or_default();
            for token in Tokens(line) {
                let done = match token {
                    "(" => {
                        if open.len() == DEEPEST {
                            return Err(format!("line {} of the problem nests deeper than {DEEPEST}", number + 1));
                        }
                        open.push(Vec::new());
                        continue;
                    }
                    ")" => match open.pop() {
                        Some(members) => Expression::List(members),
                        None => {
                            return Err(format!("line {} of the problem closes a parenthesis too many", number + 1));
                        }
                    },
                    word => Expression::Word(word.to_owned()),
                };
                problem.nodes.push(done);
                let index = problem.nodes.len() - 1;
                open.last_mut().unwrap_or(&mut problem.top).push(index);
            }
        }
        if open.is_empty() {
            Ok(problem)
        } else {
            Err("the problem ends inside a parenthesis; is the file cut?".to_owned())
        }
    }

    fn node(&self, index: usize) -> Option<&Expression> {
        self.nodes.get(index)
    }

    fn word(&self, index: usize) -> Option<&str> {
        match self.node(index)? {
            Expression::Word(w) => Some(w),
            Expression::List(_) => None,
        }
    }

    /// The members of the section `(:name …)`, without the name.
    fn section(&self, name: &str) -> Option<&[usize]> {
        self.nodes.iter().find_map(|n| match n {
            Expression::List(members) => {
                let (head, rest) = members.split_first()?;
                (self.word(*head)? == name).then_some(rest)
            }
            Expression::Word(_) => None,
        })
    }

    /// A list whose members are all words.
    fn words(&self, index: usize) -> Option<Vec<&str>> {
        match self.node(index)? {
            Expression::List(members) => members.iter().map(|m| self.word(*m)).collect(),
            Expression::Word(_) => None,
        }
    }

    /// The facts of `(:init …)`: each a predicate and its arguments. What is no plain fact (`(= (total-cost) 0)`) is left out.
    ///
    /// # Errors
    /// If there is no such section.
    pub fn facts(&self) -> Result<Vec<Vec<&str>>, String> {
        let init = self.section(":init").ok_or("the problem has no (:init …) section")?;
        Ok(init.iter().filter_map(|i| self.words(*i)).filter(|w| w.len() > 1).collect())
    }

    /// Every atom anywhere in `(:goal …)`, in order: predicate and arguments, quantifiers and connectives left out.
    ///
    /// # Errors
    /// If there is no such section.
    pub fn goal_atoms(&self) -> Result<Vec<Vec<&str>>, String> {
        let goal = self.section(":goal").ok_or("the problem has no (:goal …) section")?;
        let mut atoms = Vec::new();
        let mut left: Vec<usize> = goal.iter().rev().copied().collect();
        while let Some(index) = left.pop() {
            match self.words(index) {
                Some(words) if words.first().is_some_and(|w| !w.starts_with('?')) => atoms.push(words),
                Some(_) => {}
                None => {
                    if let Some(Expression::List(members)) = self.node(index) {
                        left.extend(members.iter().rev());
                    }
                }
            }
        }
        Ok(atoms)
    }
}

/// Splits a line into parentheses and words.
struct Tokens<'a>(&'a str);

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.0.trim_start();
        let first = text.chars().next()?;
        let length = match first {
            '(' | ')' => 1,
            _ => text.find(|c: char| c.is_whitespace() || c == '(' || c == ')').unwrap_or(text.len()),
        };
        let (token, rest) = text.split_at(length);
        self.0 = rest;
        Some(token)
    }
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
        for text in ["(", ")", "(a))", &"(".repeat(100_000), &"(a ".repeat(70)] {
            assert!(Problem::parse(text).is_err());
        }
        assert!(Problem::parse("").unwrap().facts().is_err());
        assert!(Problem::parse("(:init)").unwrap().goal_atoms().is_err());
    }
}
