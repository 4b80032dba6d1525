//! Value of a leaf to the built-in selector, and why.
//!
//! Certain resolutions come first, the choices among them weighed by what they would spoil. Where something has to be found,
//! the robot looks around once where it is, goes elsewhere once, then opens what is closed; nothing is repeated from a view
//! it was tried from already.

use super::memory::{self, Memory, View};
use crate::blocking::domain::{Action, Domain, Raise, Truth, VISIBLE};
use crate::blocking::{Forest, Knowledge, Node};
use crate::literal::{Atom, Facts};

/// The chance of finding something where nothing is said about it.
const SOME_CHANCE: f64 = 0.1;
/// How many conditions deep the effort of an alternative is estimated.
const DEPTH: u32 = 4;

pub(super) struct Scene<'a> {
    pub(super) domain: &'a Domain,
    pub(super) forest: &'a Forest,
    pub(super) facts: &'a Facts,
    pub(super) memory: &'a Memory,
    pub(super) view: View,
}

impl Scene<'_> {
    pub(super) fn value(&self, path: &[&Node]) -> (f64, String) {
        let Some((leaf, above)) = path.split_last() else { return (0.0, String::new()) };
        let refused = f64::from(self.memory.refusals(&leaf.text));
        let blocked = above.last().and_then(|parent| parent.blocked.as_ref());
        let Some(blocked) = blocked else {
            return (100.0 - 5.0 * refused, self.domain.root_in_words(None));
        };
        let resolution = &blocked.resolution;
        let schema = self.domain.condition(&blocked.condition.predicate);
        let by_error = schema.is_some_and(|c| !matches!(c.raise, Raise::When(_)));
        let (value, why) = match (leaf.maybe, resolution.predicate.as_str(), by_error) {
            (false, _, true) => {
                let times = f64::from(self.memory.times(&leaf.text));
                (90.0 - 30.0 * times - self.spoils(&leaf.action, &blocked.condition), "it may be what is in the way")
            }
            (false, ..) => {
                let spoils = self.spoils(&leaf.action, &blocked.condition);
                (
                    95.0 - spoils - 80.0 * refused,
                    if spoils > 0.0 { "it resolves, but at a price" } else { "it resolves" },
                )
            }
            (true, ..) if self.is(&leaf.action, memory::finds) => self.searching(leaf, &blocked.condition),
            (true, ..) if above.last().is_some_and(|parent| self.is(&parent.action, |a| a.choice)) => {
                let begun = blocked.children.iter().any(|other| other.key != leaf.key && !other.children().is_empty());
                self.choosing(leaf, begun)
            }
            (true, VISIBLE, _) => self.looking(leaf, resolution.args.first().map_or("", String::as_str)),
            (true, _, true) => {
                let value = if self.is(&leaf.action, memory::goes_elsewhere) { 50.0 } else { 40.0 };
                (value - 20.0 * refused - 12.0 * self.tried(leaf), "from elsewhere it may work")
            }
            (true, ..) => self.approaching(leaf, &blocked.condition),
        };
        let resolution = self.domain.spoken(&resolution.to_string());
        (value, format!("{why}: `{resolution}`"))
    }

    fn schema(&self, action: &Atom) -> Option<&Action> {
        self.domain.action(&action.predicate)
    }

    fn is(&self, action: &Atom, kind: impl Fn(&Action) -> bool) -> bool {
        self.schema(action).is_some_and(kind)
    }

    fn tried(&self, leaf: &Node) -> f64 {
        f64::from(self.memory.tried(self.view, &leaf.text))
    }

    /// How an action would hinder later ones: things of the goals taken up, places that may have to be opened or used, or that had no room.
    fn spoils(&self, action: &Atom, condition: &Atom) -> f64 {
        let others = action.args.iter().filter(|arg| !condition.args.contains(arg));
        others
            .map(|thing| {
                let wanted = self.forest.goals().iter().any(|goal| goal.args.contains(thing));
                let price = |holds: bool, price: f64| if holds { price } else { 0.0 };
                price(wanted, 60.0)
                    + price(self.memory.has_refused(thing), 40.0)
                    + price(self.facts.holds("CAN_OPEN", &[thing]), 15.0)
                    + price(self.facts.holds("HAS_SWITCH", &[thing]), 15.0)
            })
            .sum()
    }

    fn looking(&self, leaf: &Node, thing: &str) -> (f64, &'static str) {
        let action = &leaf.action;
        let Some(schema) = self.schema(action) else { return (30.0 - 12.0 * self.tried(leaf), "it may show it") };
        let place = action.args.first().map_or("", String::as_str);
        let wanted = self.forest.goals().iter().any(|goal| goal.args.iter().any(|a| a == place));
        let was_there = self.memory.place(thing) == Some(place);
        let (value, why) = if memory::searches(schema) {
            match self.memory.missed_here(thing) {
                Some(true) => (2.0, "looking around here has failed"),
                Some(false) | None => (85.0, "looking around shows all there is from here"),
            }
        } else if memory::goes_elsewhere(schema) && !self.facts.sees(place) {
            let first = self.memory.missed_here(thing).is_some() && self.memory.went_elsewhere(thing) == 0;
            (if first { 75.0 } else { 45.0 }, "from elsewhere more may be seen")
        } else if memory::shows(schema) && !schema.form.args.is_empty() {
            match (was_there, self.is_explored(schema, action)) {
                _ if self.memory.is_refused_here(&leaf.text) => (5.0, "it was refused from here"),
                (true, _) => (95.0, "it was seen there last"),
                (false, true) => (5.0, "this has been looked at"),
                (false, false) => (if wanted { 75.0 } else { 70.0 }, "what is not open yet may hide it"),
            }
        } else if memory::shows(schema) {
            match (memory::leaves(schema), memory::tilts(schema)) {
                (true, _) if self.wants_room() => {
                    let refused = f64::from(self.memory.refusals(&leaf.text));
                    (74.0 - 20.0 * refused, "from a step away what was refused may work")
                }
                (true, _) => (20.0, "a step may show more"),
                (_, true) => return (self.tilting(leaf), "it may be above or below the view"),
                _ => (50.0, "another direction may show it"),
            }
        } else if let Some(opening) = self.opened_by(schema) {
            // It brings within reach what may then be opened.
            let next = Atom::new(opening.form.name.clone(), [place]);
            match (was_there, self.is_explored(opening, &next)) {
                (true, _) => (90.0, "it was seen there last"),
                (false, true) => (4.0, "what is there has been looked at"),
                (false, false) => (if wanted { 65.0 } else { 60.0 }, "what is there has not been looked at"),
            }
        } else {
            (1.0, "it is hardly of use")
        };
        (value - 12.0 * self.tried(leaf), why)
    }

    /// Tilting the view: of little use, except for what left the view on the path there; first the direction that helped last.
    fn tilting(&self, leaf: &Node) -> f64 {
        if !self.memory.tilts_on(&leaf.text) {
            return 12.0 - 12.0 * self.tried(leaf);
        }
        if self.memory.has_helped(&leaf.text) { 92.0 } else { 88.0 }
    }

    /// Whether something that may show what is looked for (`open`) was refused where the robot is.
    fn wants_room(&self) -> bool {
        let refused = |other: &Node| {
            let opens = |a: &Action| memory::shows(a) && !memory::leaves(a) && !a.form.args.is_empty();
            self.is(&other.action, opens) && self.memory.is_refused_here(&other.text)
        };
        self.forest.leaves().into_iter().any(refused)
    }

    /// Searching for a thing of a kind: the likeliest place for the fewest steps.
    fn searching(&self, leaf: &Node, condition: &Atom) -> (f64, &'static str) {
        let bare =
            |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches(['_', ' ']).to_owned();
        let kind = condition.args.first().map_or("", String::as_str);
        let place = leaf.action.args.first().map_or(String::new(), |place| bare(place));
        let likely = self.domain.likely.as_ref();
        let chance = likely.map_or(SOME_CHANCE, |likely| likely.chance(kind, &place));
        let near = !self.is(&leaf.action, memory::approaches);
        let steps = if !near && likely.is_some_and(|likely| likely.is_closed_at_first(&place)) { 2.0 } else { 1.0 };
        let value = 40.0 + 40.0 * chance / steps + if near { 5.0 } else { 0.0 };
        let why = match chance {
            chance if chance >= 0.22 => "it is often in such a place",
            chance if chance >= 0.1 => "it is sometimes in such a place",
            _ => "it is seldom in such a place",
        };
        (value - 12.0 * self.tried(leaf) - 12.0 * f64::from(self.memory.refusals(&leaf.text)), why)
    }

    /// One of several alternatives: the one with the least before it; not another one once one was begun.
    fn choosing(&self, leaf: &Node, begun: bool) -> (f64, &'static str) {
        let refused = f64::from(self.memory.refusals(&leaf.text));
        let value = 90.0 - 5.0 * f64::from(self.effort(&leaf.action, DEPTH)) - 30.0 * refused;
        if begun { (value - 60.0, "another way has been begun") } else { (value, "it has the least before it") }
    }

    /// Conditions that block an action and what resolves them, along the shortest path, as far as is known now.
    fn effort(&self, action: &Atom, depth: u32) -> u32 {
        let Some(condition) = self.forest.blocking(self.domain, action, self.facts) else { return 0 };
        let Some(deeper) = depth.checked_sub(1) else { return 2 };
        let known = Knowledge::new(self.domain, self.facts, self.forest.remembered());
        let ways = self.domain.resolving(&condition, &known);
        // Something that has to be found first is far away.
        1 + ways.iter().map(|way| self.effort(&way.action, deeper) + 2 * u32::from(way.maybe)).min().unwrap_or(9)
    }

    /// Whether what an action brings about was so before, or the action was taken before.
    fn is_explored(&self, schema: &Action, action: &Atom) -> bool {
        let bindings = crate::blocking::domain::Bindings::of(&schema.form.args, &action.args);
        let certain = schema.effects.iter().filter(|(_, truth)| *truth == Truth::True);
        let mut literals = certain.map(|(literal, _)| literal.ground(&bindings));
        literals.any(|literal| self.memory.has_seen(&literal)) || self.memory.times(&self.domain.text(action)) > 0
    }

    /// The action that may show something of the same thing, and that this one brings nearer.
    fn opened_by(&self, approach: &Action) -> Option<&Action> {
        self.domain.actions.iter().find(|opening| {
            opening.form.args.len() == 1
                && memory::shows(opening)
                && opening.blocked_by.iter().any(|obstacle| {
                    let condition = self.domain.condition(&obstacle.condition.name);
                    condition.is_some_and(|c| {
                        approach.effects.iter().any(|(l, t)| *t == Truth::True && l.name == c.resolution.name)
                    })
                })
        })
    }

    /// Anything else that only may help: a place to go to, a look around.
    fn approaching(&self, leaf: &Node, condition: &Atom) -> (f64, &'static str) {
        let seen = leaf.action.args.iter().any(|arg| self.facts.sees(arg));
        if !seen {
            let tilt = if self.is(&leaf.action, memory::tilts) { 10.0 } else { 0.0 };
            let room = if self.is(&leaf.action, memory::goes_elsewhere) { 5.0 } else { 0.0 };
            return (30.0 - tilt + room - 12.0 * self.tried(leaf), "it may show a way");
        }
        let refused = leaf
            .action
            .args
            .iter()
            .any(|thing| condition.args.iter().any(|other| self.memory.refused_with(other, thing)));
        let price = self.spoils(&leaf.action, condition) + if refused { 50.0 } else { 0.0 };
        (60.0 - price - 12.0 * self.tried(leaf), "it brings a way within reach")
    }
}
