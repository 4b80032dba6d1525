//! Vocabulary that the demonstrations show an action could depend on: variables and query functions that its object reaches, with the
//! values observed. Reads the specification's functions and the states, never its assertions.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::demonstrations::Demonstrations;
use super::grammar::{MOST_CONSTANTS, Param, Shape, Term, Vocabulary};
use super::instances::Instances;
use stepwright_program::{Call, Function, Literal, Role};

/// Objects within objects are followed this far.
const DEPTH: usize = 3;
/// A parameter names a kind of thing, rather than a thing, if it takes at most this many values …
const MOST_KINDS: usize = 12;
/// … and each of them this often on average.
const RECURRENCE: usize = 3;

#[derive(Default)]
struct Observed {
    none: bool,
    flag: bool,
    text: bool,
    members: bool,
    other: bool,
    numbers: BTreeSet<i64>,
    table: Option<BTreeSet<String>>,
    /// An object of the specification: its receiver name.
    object: Option<String>,
}

/// The vocabulary of an action, from what its demonstrations show.
pub fn vocabulary(demos: &Demonstrations, instances: &Instances) -> Vocabulary {
    let mut observed: BTreeMap<String, BTreeMap<String, Observed>> = BTreeMap::new();
    for state in &demos.states {
        if let Value::Object(objects) = state.variables() {
            for (name, attributes) in objects {
                let known = observed.entry(name).or_default();
                if let Value::Object(attributes) = attributes {
                    for (attribute, value) in &attributes {
                        known.entry(attribute.clone()).or_default().note(value);
                    }
                }
            }
        }
    }
    let mut terms = Vec::new();
    reach(demos, &observed, &instances.function.receiver, "self", DEPTH, &mut terms);
    let params = instances.function.params.iter().enumerate().filter(|(_, name)| !name.starts_with('*'));
    let params =
        params.map(|(at, name)| Param { name: name.clone(), common_words: common_words(demos, instances, at, name) });
    Vocabulary { terms, params: params.collect() }
}

impl Observed {
    fn note(&mut self, value: &Value) {
        match value {
            Value::Null => self.none = true,
            Value::Bool(_) => self.flag = true,
            Value::String(text) => match text.strip_prefix('<').and_then(|t| t.strip_suffix('>')) {
                Some(name) => self.object = Some(name.to_owned()),
                None => self.text = true,
            },
            Value::Number(number) => match number.as_i64() {
                Some(number) => {
                    self.numbers.insert(number);
                }
                None => self.other = true,
            },
            Value::Array(_) => self.members = true,
            Value::Object(entries) => {
                let keys = self.table.get_or_insert_default();
                keys.extend(entries.keys().cloned());
            }
        }
    }

    fn shape(self: &Observed) -> Option<Shape> {
        let kinds = [self.flag, self.text, self.members, self.table.is_some(), !self.numbers.is_empty()];
        if self.other || kinds.iter().filter(|k| **k).count() > 1 {
            return None;
        }
        if let Some(keys) = &self.table {
            // Keys that are no texts are written by `repr`; what they mean is for query functions to say.
            return (!keys.iter().any(|k| k.starts_with('('))).then(|| Shape::Table(keys.iter().cloned().collect()));
        }
        if self.members {
            return Some(Shape::Members);
        }
        if self.text {
            return Some(Shape::Text { optional: self.none });
        }
        if !self.numbers.is_empty() {
            return (self.numbers.len() <= MOST_CONSTANTS)
                .then(|| Shape::Number(self.numbers.iter().copied().collect()));
        }
        match (self.flag, self.none) {
            (true, false) => Some(Shape::Flag),
            (true, true) => Some(Shape::OpenFlag),
            _ => None,
        }
    }
}

/// Adds what is reached from an object: its queries first, then its variables, then what its objects reach.
fn reach(
    demos: &Demonstrations,
    observed: &BTreeMap<String, BTreeMap<String, Observed>>,
    receiver: &str,
    path: &str,
    depth: usize,
    terms: &mut Vec<Term>,
) {
    let functions = demos.specification().functions();
    for function in functions.iter().filter(|f| f.receiver == receiver && f.role == Role::Query) {
        if function.name.starts_with('_') || function.params.iter().any(|p| p.starts_with('*')) {
            continue;
        }
        let places = function.params.iter().map(|param| kinds(demos, function, param)).collect();
        terms.push(Term { path: format!("{path}.{}", function.name), shape: Shape::Query(places) });
    }
    let Some(attributes) = observed.get(receiver) else { return };
    for (name, seen) in attributes.iter().filter(|(name, _)| !name.starts_with('_')) {
        if let Some(shape) = seen.shape() {
            terms.push(Term { path: format!("{path}.{name}"), shape });
        }
    }
    for (name, seen) in attributes {
        if let Some(object) = &seen.object
            && depth > 1
            && object != receiver
        {
            reach(demos, observed, object, &format!("{path}.{name}"), depth - 1, terms);
        }
    }
}

/// The constants a query's parameter takes, as calls of functions of the same object show for parameters of that name; none
/// if it names things, which are what actions are called with, rather than kinds.
fn kinds(demos: &Demonstrations, query: &Function, param: &str) -> Vec<Literal> {
    let mut values: BTreeMap<String, Literal> = BTreeMap::new();
    let mut count = 0;
    for call in demos.all.iter().flat_map(|demo| &demo.calls).filter(|call| call.receiver == query.receiver) {
        let Some(function) = demos.specification().function(&call.receiver, &call.function) else { continue };
        if let Some(value) = argument(function, call, param) {
            count += 1;
            values.entry(value.to_string()).or_insert_with(|| value.clone());
        }
        if values.len() > MOST_KINDS {
            return Vec::new();
        }
    }
    let thing = |call: &Call| call.args.iter().any(|arg| values.contains_key(&arg.to_string()));
    if count < values.len() * RECURRENCE || demos.steps.iter().filter_map(|s| demos.call(s)).any(thing) {
        return Vec::new();
    }
    values.into_values().collect()
}

fn argument<'a>(function: &Function, call: &'a Call, param: &str) -> Option<&'a Literal> {
    let at = function.params.iter().position(|p| p == param)?;
    call.args.get(at)
}

/// Words that are in all values of an action's parameter but not in all values that parameters of this name take in any
/// action: what kind of thing the argument must be, perhaps.
fn common_words(demos: &Demonstrations, instances: &Instances, at: usize, name: &str) -> Vec<String> {
    let words = |text: &str| -> BTreeSet<String> {
        let runs = text.split(|c: char| !c.is_alphabetic()).filter(|run| run.chars().count() >= 3);
        runs.map(str::to_owned).collect()
    };
    let own = instances
        .bindings
        .iter()
        .filter_map(|b| if let Some(Literal::Str(t)) = b.get(at) { Some(words(t)) } else { None });
    let Some(common) = own.reduce(|a, b| &a & &b) else { return Vec::new() };
    for step in &demos.steps {
        let Some(call) = demos.call(step) else { continue };
        let Some(function) = demos.specification().function(&call.receiver, &call.function) else { continue };
        if let Some(Literal::Str(text)) = argument(function, call, name)
            && !common.iter().any(|word| text.contains(word))
        {
            return common.into_iter().collect();
        }
    }
    Vec::new()
}
