//! Scene, an agent's knowledge of numbered things in a world of text: which places there are, what was seen where, how things were said to
//! be, and what was done. Folded from actions and observations alone.
//!
//! The reading is of English as such worlds write it: a list after `you see`, and `The drawer 1 is closed.`

use std::collections::{BTreeMap, BTreeSet};

use crate::form::{Binding, Form, is_number};

/// The words before a list of things.
const LIST: &str = "you see";
/// Beyond this length of an observation nothing more is read.
const LONGEST: usize = 20_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    pub verb: String,
    pub binding: Binding,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Said {
    /// Listed things, each with its place; no place in the first view of a room.
    pub listed: Option<(Option<String>, Vec<String>)>,
    /// Things and how they are (`drawer 1`, `closed`).
    pub states: Vec<(String, String)>,
    pub names_things: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scene {
    /// The places that were listed at the beginning, in that order.
    pub places: Vec<String>,
    /// Places of things, as last seen.
    pub listed: BTreeMap<String, Vec<String>>,
    pub states: BTreeMap<String, String>,
    /// The actions done, without the refused ones.
    pub done: Vec<Done>,
    /// Actions that were refused since the last one that was not.
    pub refused: BTreeSet<String>,
}

fn things(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || ".,:;!?".contains(c)).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let pairs = words.windows(2).filter(|pair| is_number(pair[1]) && pair[0].chars().all(char::is_alphabetic));
    pairs.map(|pair| format!("{} {}", pair[0], pair[1])).collect()
}

pub fn read(observation: &str) -> Said {
    let text: String = observation.chars().take(LONGEST).collect();
    let mut said = Said { names_things: !things(&text).is_empty(), ..Said::default() };
    let mut place: Option<String> = None;
    for sentence in text.split(['.', '\n']) {
        match sentence.split_once(LIST) {
            Some((before, list)) => {
                let place = things(before).into_iter().next().or_else(|| place.clone());
                said.listed.get_or_insert((place, things(list)));
            }
            None => {
                let words: Vec<&str> = sentence.split_whitespace().collect();
                if let ["The", kind, number, "is", state] = words.as_slice()
                    && is_number(number)
                {
                    said.states.push((format!("{kind} {number}"), (*state).to_owned()));
                }
                place = place.or_else(|| things(sentence).into_iter().next());
            }
        }
    }
    said
}

impl Scene {
    pub fn begin(observation: &str) -> Self {
        let listed = read(observation).listed;
        Scene { places: listed.map(|(_, things)| things).unwrap_or_default(), ..Scene::default() }
    }

    /// Takes in an action and what was observed. `taken`: whether the world took it.
    pub fn step(&mut self, forms: &[Form], action: &str, observation: &str, taken: bool) {
        if !taken {
            self.refused.insert(action.to_owned());
            return;
        }
        self.refused.clear();
        if let Some((form, binding)) = forms.iter().find_map(|form| Some((form, form.bind(action)?))) {
            // What lay at a place and was acted on with it lies there no more.
            for (place, things) in &mut self.listed {
                if binding.values().any(|thing| thing == place) {
                    things.retain(|thing| binding.values().all(|own| own != thing));
                }
            }
            self.done.push(Done { verb: form.verb(), binding });
        }
        let said = read(observation);
        if let Some((Some(place), things)) = said.listed {
            self.listed.insert(place, things);
        }
        self.states.extend(said.states);
    }

    pub fn last(&self, verb: &str) -> Option<&Done> {
        self.done.iter().rev().find(|done| done.verb == verb)
    }

    /// Whether the last of the one was after the last of the other.
    pub(crate) fn is_later(&self, verb: &str, other: &str) -> bool {
        let at = |verb: &str| self.done.iter().rposition(|done| done.verb == verb);
        at(verb) > at(other)
    }

    pub fn place_of(&self, thing: &str) -> Option<&str> {
        let found = self.listed.iter().find(|(_, things)| things.iter().any(|known| known == thing));
        found.map(|(place, _)| place.as_str())
    }

    pub fn things(&self) -> Vec<&str> {
        let acted = self.done.iter().flat_map(|done| done.binding.values());
        let all = self.places.iter().chain(self.listed.values().flatten()).chain(acted);
        let mut seen = BTreeSet::new();
        all.map(String::as_str).filter(|thing| seen.insert(*thing)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_states_are_read() {
        let room = read(
            "You are in a room. Looking quickly around you, you see a bed 1, and a drawer 2.\nYour task is to: put it.",
        );
        assert_eq!(room.listed, Some((None, vec!["bed 1".to_owned(), "drawer 2".to_owned()])));
        let drawer = read("You open the drawer 2. The drawer 2 is open. In it, you see a cd 1, and a pen 3.");
        assert_eq!(drawer.listed, Some((Some("drawer 2".into()), vec!["cd 1".into(), "pen 3".into()])));
        assert_eq!(drawer.states, [("drawer 2".to_owned(), "open".to_owned())]);
        assert_eq!(read("On the bed 1, you see nothing.").listed, Some((Some("bed 1".into()), vec![])));
        assert!(!read("Nothing happens.").names_things);
    }

    #[test]
    fn what_is_taken_is_no_longer_where_it_lay() {
        let forms = [Form::read("take [object] [id] from [receptacle] [id]").unwrap()];
        let mut scene = Scene::begin("you see a bed 1.");
        scene.step(&forms, "go to bed 1", "On the bed 1, you see a cd 1.", true);
        assert_eq!(scene.place_of("cd 1"), Some("bed 1"));
        scene.step(&forms, "take cd 1 from bed 1", "Nothing happens.", false);
        assert_eq!((scene.place_of("cd 1"), scene.refused.len()), (Some("bed 1"), 1));
        scene.step(&forms, "take cd 1 from bed 1", "You pick up the cd 1.", true);
        assert_eq!((scene.place_of("cd 1"), scene.refused.len()), (None, 0));
        assert!(scene.is_later("take", "put") && scene.things().contains(&"cd 1"));
    }
}
