//! A form applied: facts as a state, and a state after a literal was told or taken back.

use serde_json::{Map, Value, json};

use crate::{Atom, Facts};

/// Stands for any argument of a literal that is taken back.
const ANY: &str = "*";

/// The meaning of a world's literals in a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateForm {
    /// The character of a name that stands for a space (`_` in `mug_1`).
    pub(super) space: Option<char>,
    pub(super) tellings: Vec<Telling>,
}

/// What a form says of a literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The line of the file that says so, from 1.
    pub line: usize,
    /// Where it goes: the relations, or a list or value of an entry (`desk 1.contains`).
    pub place: String,
    pub value: String,
    /// Whether there can be one value in that place alone.
    pub one_value: bool,
    /// Whether one such literal alone may hold at a time.
    pub single: bool,
}

const RELATIONS: &str = "relations";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Telling {
    pub(super) predicate: String,
    pub(super) params: usize,
    pub(super) says: Says,
    /// It holds of one list of arguments at a time.
    pub(super) single: bool,
    /// Its line in the file, from 1.
    pub(super) line: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Says {
    Sentence(Vec<Term>),
    Element { of: usize, property: String, value: Term },
    Property { of: usize, property: String, value: Term },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Term {
    Word(String),
    Param(usize),
}

impl StateForm {
    /// The state of the facts: all things they are about, and what the form has words for.
    pub fn state(&self, facts: &Facts) -> Value {
        let names: Vec<String> = facts.things.iter().map(|thing| self.spoken(thing)).collect();
        let mut state = Map::from_iter([("objects".to_owned(), json!(names)), ("relations".to_owned(), json!([]))]);
        state.extend(names.into_iter().map(|name| (name, json!({}))));
        let mut state = Value::Object(state);
        // In the form's order, so that a state reads alike whatever the predicates are called.
        for telling in &self.tellings {
            for atom in facts.atoms.iter().filter(|atom| telling.is_of(atom)) {
                self.add(&mut state, telling, atom);
            }
        }
        state
    }

    /// The state with a literal that now holds, or does not. A `*` in a literal that does not hold stands for anything. What the form
    /// has no words for changes nothing.
    pub fn tell(&self, state: &mut Value, atom: &Atom, holds: bool) {
        let Some(telling) = self.tellings.iter().find(|telling| telling.is_of(atom)) else { return };
        if !holds {
            self.take_back(state, telling, atom);
        } else if atom.args.iter().all(|arg| arg != ANY) {
            if telling.single {
                self.take_back(state, telling, &Atom::new("", vec![ANY; telling.params]));
            }
            self.add(state, telling, atom);
        }
    }

    /// What it says of a literal; none where it has no words for it.
    pub fn said(&self, atom: &Atom) -> Option<Said> {
        let telling = self.tellings.iter().find(|telling| telling.is_of(atom))?;
        let (place, value, one_value) = match &telling.says {
            Says::Sentence(terms) => {
                let words: Vec<String> = terms.iter().map(|term| self.word(term, atom)).collect();
                (RELATIONS.to_owned(), words.join(" "), false)
            }
            Says::Element { of, property, value } | Says::Property { of, property, value } => {
                let place = format!("{}.{property}", self.word(&Term::Param(*of), atom));
                (place, self.word(value, atom), matches!(telling.says, Says::Property { .. }))
            }
        };
        Some(Said { line: telling.line, place, value, one_value, single: telling.single })
    }

    /// The literals that it has words for: line, predicate, number of arguments.
    pub fn tells(&self) -> impl Iterator<Item = (usize, &str, usize)> {
        self.tellings.iter().map(|telling| (telling.line, telling.predicate.as_str(), telling.params))
    }

    fn spoken(&self, name: &str) -> String {
        self.space.map_or_else(|| name.to_owned(), |space| name.replace(space, " "))
    }

    fn word(&self, term: &Term, atom: &Atom) -> String {
        match term {
            Term::Word(word) => word.clone(),
            Term::Param(place) => self.spoken(atom.args.get(*place).map_or(ANY, String::as_str)),
        }
    }

    fn add(&self, state: &mut Value, telling: &Telling, atom: &Atom) {
        let Some(state) = state.as_object_mut() else { return };
        match &telling.says {
            Says::Sentence(terms) => {
                let words: Vec<String> = terms.iter().map(|term| self.word(term, atom)).collect();
                push(state.entry("relations").or_insert_with(|| json!([])), words.join(" "));
            }
            Says::Element { of, property, value } => {
                let value = self.word(value, atom);
                if let Some(entry) = self.entry(state, *of, atom) {
                    push(entry.entry(property.as_str()).or_insert_with(|| json!([])), value);
                }
            }
            Says::Property { of, property, value } => {
                let value = self.word(value, atom);
                if let Some(entry) = self.entry(state, *of, atom) {
                    entry.insert(property.clone(), Value::String(value));
                }
            }
        }
    }

    /// The entry of an argument; made, and listed among the objects, if it is not there.
    fn entry<'a>(
        &self,
        state: &'a mut Map<String, Value>,
        of: usize,
        atom: &Atom,
    ) -> Option<&'a mut Map<String, Value>> {
        let name = self.word(&Term::Param(of), atom);
        if !state.contains_key(&name) {
            push(state.entry("objects").or_insert_with(|| json!([])), name.clone());
        }
        state.entry(name).or_insert_with(|| json!({})).as_object_mut()
    }

    fn take_back(&self, state: &mut Value, telling: &Telling, atom: &Atom) {
        let Some(state) = state.as_object_mut() else { return };
        match &telling.says {
            Says::Sentence(terms) => {
                let words: Vec<String> = terms.iter().map(|term| self.word(term, atom)).collect();
                if let Some(relations) = state.get_mut("relations").and_then(Value::as_array_mut) {
                    relations.retain(|relation| relation.as_str().is_none_or(|relation| !says(relation, &words)));
                }
            }
            Says::Element { of, property, value } => {
                let value = self.word(value, atom);
                for entry in self.entries(state, *of, atom) {
                    let Some(list) = entry.get_mut(property).and_then(Value::as_array_mut) else { continue };
                    list.retain(|element| value != ANY && element.as_str() != Some(&value));
                    if list.is_empty() {
                        entry.shift_remove(property);
                    }
                }
            }
            Says::Property { of, property, value } => {
                let value = self.word(value, atom);
                for entry in self.entries(state, *of, atom) {
                    if value == ANY || entry.get(property).and_then(Value::as_str) == Some(&value) {
                        entry.shift_remove(property);
                    }
                }
            }
        }
    }

    /// The entries an argument stands for: one, or all for `*`.
    fn entries<'a>(
        &self,
        state: &'a mut Map<String, Value>,
        of: usize,
        atom: &Atom,
    ) -> impl Iterator<Item = &'a mut Map<String, Value>> + use<'a> {
        let name = self.word(&Term::Param(of), atom);
        let meant = state.iter_mut().filter(move |(known, _)| name == ANY || **known == name);
        meant.filter_map(|(_, entry)| entry.as_object_mut())
    }
}

impl Telling {
    fn is_of(&self, atom: &Atom) -> bool {
        self.predicate == atom.predicate && self.params == atom.args.len()
    }
}

/// Adds an element to a list, once.
fn push(list: &mut Value, element: String) {
    let element = Value::String(element);
    if let Some(list) = list.as_array_mut().filter(|list| !list.contains(&element)) {
        list.push(element);
    }
}

/// Whether a sentence consists of these words, of which `*` may be any.
fn says(sentence: &str, words: &[String]) -> bool {
    let Some((first, rest)) = words.split_first() else { return sentence.is_empty() };
    if first == ANY {
        return rest.is_empty() && !sentence.is_empty()
            || sentence.match_indices(' ').any(|(at, _)| says(&sentence[at + 1..], rest) && !rest.is_empty());
    }
    match sentence.strip_prefix(first.as_str()) {
        Some("") => rest.is_empty(),
        Some(after) => after.strip_prefix(' ').is_some_and(|after| !rest.is_empty() && says(after, rest)),
        None => false,
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
