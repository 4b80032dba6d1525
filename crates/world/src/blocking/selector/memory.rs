//! Memory of an episode: where things were seen, what it tried and from which view, what was refused.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::blocking::Domain;
use crate::blocking::domain::{Action, Pattern, Truth, VISIBLE};
use crate::literal::{Atom, Facts};

/// How often the view is tilted the first way for something that may be above or below it.
const TILTS: u32 = 2;
/// How often it is tilted the other way then: back, and as far beyond.
const TILTS_BACK: u32 = 2 * TILTS;

/// A view's key: the things seen, and the thing in the hand.
pub(super) type View = u64;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Memory {
    /// In what a thing was seen last (`IN x r`).
    places: BTreeMap<String, String>,
    /// Literals that were seen to hold, ever.
    seen: BTreeSet<Atom>,
    /// How often an action was selected from a view.
    tried: BTreeMap<(View, String), u32>,
    executed: BTreeMap<String, u32>,
    refused: BTreeMap<String, (Atom, u32)>,
    /// The actions refused last where the robot is.
    refused_here: BTreeSet<String>,
    /// How often the robot has left the place it was at.
    moves: u32,
    /// For a thing: the place at which looking around for it failed last, and how often the robot went elsewhere since it did first.
    missed: BTreeMap<String, (u32, u32)>,
    /// A thing the robot went to and then did not see: it lies above or below the view, as long as the robot only tilts it.
    lost: Option<String>,
    /// The directions the view was tilted for the lost thing, in their order, and how far.
    tilted: Vec<(String, u32)>,
    /// The direction that brought a lost thing back last.
    helped: Option<String>,
    /// Things that tilting did not bring back.
    given_up: BTreeSet<String>,
}

pub(super) fn view_of(facts: &Facts) -> View {
    let mut hasher = DefaultHasher::new();
    facts.things.hash(&mut hasher);
    facts.atoms.iter().filter(|a| a.predicate == "HOLDS").for_each(|a| a.hash(&mut hasher));
    hasher.finish()
}

impl Memory {
    pub fn begin(facts: &Facts) -> Self {
        let mut memory = Memory::default();
        memory.look(facts);
        memory
    }

    fn look(&mut self, facts: &Facts) {
        for thing in &facts.things {
            self.places.remove(thing);
        }
        for atom in &facts.atoms {
            if let ("IN", [thing, place]) = (atom.predicate.as_str(), atom.args.as_slice()) {
                self.places.insert(thing.clone(), place.clone());
            }
            // Most were seen before.
            if !self.seen.contains(atom) {
                self.seen.insert(atom.clone());
            }
        }
    }

    /// A leaf was blocked: nothing happened, but it was tried.
    pub fn blocked(&mut self, text: &str, facts: &Facts) {
        *self.tried.entry((view_of(facts), text.to_owned())).or_default() += 1;
    }

    /// An action was executed: what was seen before, as it was taken in last, and is seen after, and whether the world refused it.
    pub fn executed(
        &mut self,
        domain: &Domain,
        (text, action): (&str, Option<&Atom>),
        error: Option<&str>,
        before: &Facts,
        after: &Facts,
    ) {
        self.blocked(text, before);
        let schema = action.and_then(|a| domain.action(&a.predicate));
        match (error, action) {
            (Some(_), Some(action)) => {
                self.refused.entry(text.to_owned()).or_insert_with(|| (action.clone(), 0)).1 += 1;
                self.refused_here.insert(text.to_owned());
                if let (Some(schema), [thing, ..]) = (schema, action.args.as_slice())
                    && searches(schema)
                {
                    let since = self.missed.get(thing).map_or(0, |(_, since)| *since);
                    self.missed.insert(thing.clone(), (self.moves, since));
                }
            }
            (None, _) => {
                *self.executed.entry(text.to_owned()).or_default() += 1;
                if schema.is_some_and(leaves) {
                    self.moves += 1;
                    self.refused_here.clear();
                    if schema.is_some_and(goes_elsewhere) {
                        self.missed.values_mut().for_each(|(_, since)| *since += 1);
                    }
                }
            }
            (Some(_), None) => {}
        }
        self.notice_lost(text, (action, schema), error.is_some(), after);
        // What was seen before was looked at then.
        if !std::ptr::eq(before, after) {
            self.look(after);
        }
    }

    /// Takes in the things that left the view on the path to them; the direction that brought one back is kept, for the
    /// next one.
    fn notice_lost(
        &mut self,
        text: &str,
        (action, schema): (Option<&Atom>, Option<&Action>),
        refused: bool,
        after: &Facts,
    ) {
        if schema.is_some_and(tilts) {
            let Some(lost) = &self.lost else { return };
            // A refusal says that it goes no further this way.
            let further = if refused { TILTS_BACK } else { 1 };
            match self.tilted.iter_mut().find(|(way, _)| way == text) {
                Some((_, times)) => *times += further,
                None => self.tilted.push((text.to_owned(), further)),
            }
            if after.sees(lost) {
                self.helped = Some(text.to_owned());
                self.lost = None;
            }
        } else if !refused {
            if let Some(lost) = self.lost.take().filter(|_| !self.tilted.is_empty()) {
                self.given_up.insert(lost);
            }
            self.tilted.clear();
            let to = action.filter(|_| schema.is_some_and(|s| leaves(s) && !shows(s))).and_then(|a| a.args.first());
            self.lost = to.filter(|thing| !after.sees(thing) && !self.given_up.contains(*thing)).cloned();
        }
    }

    /// Whether to tilt the view this way for what is lost: first one way, then back and as far the other way.
    pub(super) fn tilts_on(&self, text: &str) -> bool {
        match self.tilted.as_slice() {
            _ if self.lost.is_none() => false,
            [] => true,
            [(way, times)] => (way == text) == (*times < TILTS),
            [_, others @ ..] => others.iter().any(|(way, times)| way == text && *times < TILTS_BACK),
        }
    }

    /// Whether tilting this way brought something back last.
    pub(super) fn has_helped(&self, text: &str) -> bool {
        self.helped.as_deref() == Some(text)
    }

    /// In what a thing was seen last, if in anything.
    pub(super) fn place(&self, thing: &str) -> Option<&str> {
        self.places.get(thing).map(String::as_str)
    }

    pub(super) fn has_seen(&self, literal: &Atom) -> bool {
        self.seen.contains(literal)
    }

    pub(super) fn tried(&self, view: View, text: &str) -> u32 {
        self.tried.get(&(view, text.to_owned())).copied().unwrap_or_default()
    }

    pub(super) fn times(&self, text: &str) -> u32 {
        self.executed.get(text).copied().unwrap_or_default()
    }

    pub(super) fn refusals(&self, text: &str) -> u32 {
        self.refused.get(text).map_or(0, |(_, times)| *times)
    }

    pub(super) fn is_refused_here(&self, text: &str) -> bool {
        self.refused_here.contains(text)
    }

    pub(super) fn has_refused(&self, place: &str) -> bool {
        self.refused.values().any(|(action, _)| action.args.len() > 1 && action.args.iter().any(|a| a == place))
    }

    pub(super) fn refused_with(&self, one: &str, other: &str) -> bool {
        let has = |action: &Atom, thing: &str| action.args.iter().any(|a| a == thing);
        self.refused.values().any(|(action, _)| has(action, one) && has(action, other))
    }

    /// Whether looking around for a thing failed where the robot is; `None` if it was never tried.
    pub(super) fn missed_here(&self, thing: &str) -> Option<bool> {
        self.missed.get(thing).map(|(place, _)| *place == self.moves)
    }

    /// How often the robot went elsewhere since looking around for a thing failed first.
    pub(super) fn went_elsewhere(&self, thing: &str) -> u32 {
        self.missed.get(thing).map_or(0, |(_, since)| *since)
    }
}

fn effect<'a>(action: &'a Action, predicate: &'a str) -> impl Iterator<Item = (&'a [String], Truth)> {
    action.effects.iter().filter(move |(l, _)| l.name == predicate).map(|(l, truth)| (l.args.as_slice(), *truth))
}

/// Whether it may show one certain thing (`scanroom x`).
pub(super) fn searches(action: &Action) -> bool {
    effect(action, "VISIBLE").any(|(args, _)| args.iter().any(|a| a != "*"))
}

pub(super) fn shows(action: &Action) -> bool {
    effect(action, "VISIBLE").any(|(args, truth)| args.iter().all(|a| a == "*") && truth == Truth::PossiblyTrue)
}

/// Whether it may turn up something else than what is visible: a thing of a kind that is looked for (`FOUND *`).
pub(super) fn finds(action: &Action) -> bool {
    let any = |literal: &Pattern| {
        !literal.args.is_empty() && literal.args.iter().all(|a| a == "*") && literal.name != VISIBLE
    };
    action.effects.iter().any(|(literal, truth)| *truth == Truth::PossiblyTrue && any(literal))
}

/// Whether it certainly brings something about as well, other than by opening: it goes there.
pub(super) fn approaches(action: &Action) -> bool {
    action.blocked_by.is_empty() && action.effects.iter().any(|(_, truth)| *truth == Truth::True)
}

pub(super) fn leaves(action: &Action) -> bool {
    effect(action, "HERE").any(|(_, truth)| truth == Truth::False)
}

pub(super) fn tilts(action: &Action) -> bool {
    effect(action, "TILT").any(|(_, truth)| truth == Truth::False)
}

/// Whether it goes to another place for what may be seen there, and says where to.
pub(super) fn goes_elsewhere(action: &Action) -> bool {
    leaves(action) && shows(action) && !action.form.args.is_empty()
}
