//! Domains and problems as PDDL gives them: STRIPS with types, quantifiers and conditional effects. No numbers, no axioms.
//!
//! The planner has its own reader; this one is for checking its plans independently, so it is written from the language and
//! shares nothing with it.

use std::collections::{BTreeMap, BTreeSet};

use super::expression::Expression;

/// A ground atom: predicate, then things.
pub type Fact = Vec<String>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// All of them; none is true.
    And(Vec<Condition>),
    Or(Vec<Condition>),
    Not(Box<Condition>),
    /// Two terms are one thing.
    Same(String, String),
    Atom(Vec<String>),
    /// For all (or some) things in place of these variables.
    Quantified {
        all: bool,
        over: Vec<(String, String)>,
        inner: Box<Condition>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    And(Vec<Effect>),
    /// The atom holds (or no longer holds).
    Set(Vec<String>, bool),
    When(Condition, Box<Effect>),
    /// For all things in place of these variables.
    All(Vec<(String, String)>, Box<Effect>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    pub name: String,
    pub parameters: Vec<(String, String)>,
    pub precondition: Condition,
    pub effect: Effect,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Domain {
    pub types: BTreeMap<String, String>,
    /// Things every problem has, with their types.
    pub constants: Vec<(String, String)>,
    pub actions: Vec<Action>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub objects: Vec<(String, String)>,
    pub start: BTreeSet<Fact>,
    pub goal: Condition,
}

/// The type of things that state none.
pub(crate) const OBJECT: &str = "object";

impl Domain {
    pub fn read(text: &str) -> Result<Domain, String> {
        let whole = Expression::read(text)?;
        let mut domain = Domain::default();
        for section in define(&whole)? {
            match section.headed() {
                Some((":types", rest)) => domain.types = typed(rest)?.into_iter().collect(),
                Some((":constants", rest)) => domain.constants = typed(rest)?,
                Some((":action", rest)) => domain.actions.push(action(section, rest)?),
                Some(("domain" | ":requirements" | ":predicates", _)) => {}
                _ => return Err(at(section, "this section of a domain is not known here")),
            }
        }
        Ok(domain)
    }
}

impl Problem {
    pub fn read(text: &str) -> Result<Problem, String> {
        let whole = Expression::read(text)?;
        let mut problem = Problem { objects: Vec::new(), start: BTreeSet::new(), goal: Condition::And(Vec::new()) };
        for section in define(&whole)? {
            match section.headed() {
                Some((":objects", rest)) => problem.objects = typed(rest)?,
                Some((":init", rest)) => problem.start = rest.iter().map(words).collect::<Result<_, _>>()?,
                Some((":goal", [goal])) => problem.goal = condition(goal)?,
                Some(("problem" | ":domain" | ":requirements", _)) => {}
                _ => return Err(at(section, "this section of a problem is not known here")),
            }
        }
        Ok(problem)
    }
}

fn at(place: &Expression, what: &str) -> String {
    format!("line {}: {what}", place.line())
}

fn define(whole: &Expression) -> Result<&[Expression], String> {
    match whole.headed() {
        Some(("define", sections)) => Ok(sections),
        _ => Err(at(whole, "`(define …)` was expected")),
    }
}

/// A list of words: a predicate or an action's name with its terms.
fn words(list: &Expression) -> Result<Vec<String>, String> {
    let words: Option<Vec<String>> = list.members().iter().map(|m| m.word().map(str::to_owned)).collect();
    words.filter(|w| !w.is_empty()).ok_or_else(|| at(list, "an atom `(predicate thing …)` was expected"))
}

/// `a b - type c`, pairs of name and type.
fn typed(members: &[Expression]) -> Result<Vec<(String, String)>, String> {
    let (mut named, mut waiting, mut members) = (Vec::new(), Vec::new(), members.iter());
    while let Some(member) = members.next() {
        match member.word() {
            Some("-") => {
                let kind = members.next().and_then(Expression::word);
                let kind = kind.ok_or_else(|| at(member, "a type was expected behind `-`"))?;
                named.extend(waiting.drain(..).map(|name| (name, kind.to_owned())));
            }
            Some(name) => waiting.push(name.to_owned()),
            None => return Err(at(member, "a name was expected")),
        }
    }
    named.extend(waiting.into_iter().map(|name| (name, OBJECT.to_owned())));
    Ok(named)
}

fn action(section: &Expression, rest: &[Expression]) -> Result<Action, String> {
    let (name, fields) = rest.split_first().ok_or_else(|| at(section, "an action needs a name"))?;
    let name = name.word().ok_or_else(|| at(section, "an action needs a name"))?.to_owned();
    let nothing = || (Condition::And(Vec::new()), Effect::And(Vec::new()));
    let mut action = Action { name, parameters: Vec::new(), precondition: nothing().0, effect: nothing().1 };
    for field in fields.chunks(2) {
        match field {
            [key, value] => match key.word() {
                Some(":parameters") => action.parameters = typed(value.members())?,
                Some(":precondition") => action.precondition = condition(value)?,
                Some(":effect") => action.effect = effect(value)?,
                _ => return Err(at(key, "`:parameters`, `:precondition` or `:effect` was expected")),
            },
            _ => return Err(at(section, "a field of this action has no value")),
        }
    }
    Ok(action)
}

fn condition(from: &Expression) -> Result<Condition, String> {
    let several = |list: &[Expression]| list.iter().map(condition).collect::<Result<Vec<_>, _>>();
    match from.headed() {
        None if from.word().is_none() && from.members().is_empty() => Ok(Condition::And(Vec::new())),
        Some(("and", list)) => Ok(Condition::And(several(list)?)),
        Some(("or", list)) => Ok(Condition::Or(several(list)?)),
        Some(("not", [inner])) => Ok(Condition::Not(Box::new(condition(inner)?))),
        Some(("imply", [if_this, then])) => {
            Ok(Condition::Or(vec![Condition::Not(Box::new(condition(if_this)?)), condition(then)?]))
        }
        Some((quantifier @ ("forall" | "exists"), [over, inner])) => Ok(Condition::Quantified {
            all: quantifier == "forall",
            over: typed(over.members())?,
            inner: Box::new(condition(inner)?),
        }),
        Some(("=", [one, other])) => match (one.word(), other.word()) {
            (Some(one), Some(other)) => Ok(Condition::Same(one.to_owned(), other.to_owned())),
            _ => Err(at(from, "`=` compares two terms")),
        },
        Some(("not" | "imply" | "forall" | "exists" | "=", _)) | None => Err(at(from, "this is no condition")),
        Some(_) => words(from).map(Condition::Atom),
    }
}

fn effect(from: &Expression) -> Result<Effect, String> {
    match from.headed() {
        None if from.word().is_none() && from.members().is_empty() => Ok(Effect::And(Vec::new())),
        Some(("and", list)) => Ok(Effect::And(list.iter().map(effect).collect::<Result<_, _>>()?)),
        Some(("not", [atom])) => Ok(Effect::Set(words(atom)?, false)),
        Some(("when", [if_this, then])) => Ok(Effect::When(condition(if_this)?, Box::new(effect(then)?))),
        Some(("forall", [over, inner])) => Ok(Effect::All(typed(over.members())?, Box::new(effect(inner)?))),
        Some(("not" | "when" | "forall", _)) | None => Err(at(from, "this is no effect")),
        Some(_) => words(from).map(|atom| Effect::Set(atom, true)),
    }
}
