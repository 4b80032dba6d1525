//! Patterns, a domain's terms in words: patterns (`put x r`), literals (`not OPEN r`) and formulas of them, and how they are solved.
//!
//! A formula is solved against the facts observed now: a positive literal binds the variables it names, in code-point order of the
//! things found; a negative one must have them all bound. What is not observed is not the case (closed world).

use std::fmt;

use super::super::Knowledge;
use crate::literal::Atom;

/// A name with variables or constants behind it: `put x r`, `CLOSE x`, `not_visible x`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// The predicate, action or condition.
    pub name: String,
    pub args: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bindings(Vec<(String, String)>);

impl Bindings {
    /// Parameters bound to arguments, one to one.
    pub fn of<'a>(params: &'a [String], args: impl IntoIterator<Item = &'a String>) -> Self {
        Bindings(params.iter().cloned().zip(args.into_iter().cloned()).collect())
    }

    pub fn get(&self, variable: &str) -> Option<&str> {
        self.0.iter().rev().find(|(name, _)| name == variable).map(|(_, thing)| thing.as_str())
    }

    pub fn with(&self, variable: &str, thing: &str) -> Self {
        let mut more = self.clone();
        more.0.push((variable.to_owned(), thing.to_owned()));
        more
    }
}

impl Pattern {
    pub fn new(name: impl Into<String>, args: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Pattern { name: name.into(), args: args.into_iter().map(Into::into).collect() }
    }

    /// Reads `put x r`.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let name = words.next().ok_or("it is empty; write a name with its variables behind it, such as `put x r`")?;
        Ok(Pattern::new(name, words))
    }

    /// The atom it becomes; an unbound variable stands for itself.
    pub fn ground(&self, bindings: &Bindings) -> Atom {
        Atom::new(self.name.clone(), self.args.iter().map(|a| bindings.get(a).unwrap_or(a)))
    }

    /// The bindings under which it is that atom, beside those given; `None` if it is not.
    fn matches(&self, args: &[String], bindings: &Bindings) -> Option<Bindings> {
        let mut bound = bindings.clone();
        if self.args.len() != args.len() {
            return None;
        }
        for (variable, thing) in self.args.iter().zip(args) {
            match bound.get(variable) {
                Some(known) if known == thing => {}
                Some(_) => return None,
                None => bound.0.push((variable.clone(), thing.clone())),
            }
        }
        Some(bound)
    }

    fn is_bound(&self, bindings: &Bindings) -> bool {
        self.args.iter().all(|a| bindings.get(a).is_some())
    }

    pub(super) fn renamed(&self, bindings: &Bindings) -> Self {
        let Atom { predicate, args } = self.ground(bindings);
        Pattern { name: predicate, args }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.args.iter().try_for_each(|arg| write!(f, " {arg}"))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    pub negated: bool,
    pub pattern: Pattern,
}

/// Literals that are all to hold, in the order they are solved. The empty one holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Formula(pub Vec<Literal>);

impl Formula {
    /// Reads `SURFACES r and not GRABBABLE r`.
    pub fn read(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Ok(Formula::default());
        }
        let part = |words: &[&str]| {
            let (negated, words) = match words {
                ["not", rest @ ..] => (true, rest),
                words => (false, words),
            };
            let pattern = Pattern::read(&words.join(" "))
                .map_err(|_| "a literal is missing beside `and` or `not`; write such as `OPEN r and not HOLDS r`")?;
            Ok(Literal { negated, pattern })
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        words.split(|w| *w == "and").map(part).collect::<Result<_, String>>().map(Formula)
    }

    /// Every way to make it hold, in order: the first literal's things by code point, then the second's.
    pub(crate) fn solutions(&self, bindings: &Bindings, known: &Knowledge<'_>) -> Vec<Bindings> {
        let mut found = vec![bindings.clone()];
        for Literal { negated, pattern } in &self.0 {
            let mut next = Vec::new();
            for bindings in found {
                if pattern.is_bound(&bindings) {
                    if known.holds(&pattern.ground(&bindings)) != *negated {
                        next.push(bindings);
                    }
                } else if !negated {
                    next.extend(known.instances(pattern).iter().filter_map(|args| pattern.matches(args, &bindings)));
                }
            }
            found = next;
        }
        found
    }

    pub fn holds(&self, bindings: &Bindings, known: &Knowledge<'_>) -> bool {
        !self.solutions(bindings, known).is_empty()
    }

    pub(super) fn renamed(&self, bindings: &Bindings) -> Self {
        let literal = |l: &Literal| Literal { negated: l.negated, pattern: l.pattern.renamed(bindings) };
        Formula(self.0.iter().map(literal).collect())
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, literal) in self.0.iter().enumerate() {
            let and = if i > 0 { " and " } else { "" };
            let not = if literal.negated { "not " } else { "" };
            write!(f, "{and}{not}{}", literal.pattern)?;
        }
        Ok(())
    }
}
