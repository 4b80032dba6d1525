//! Belief about a household from what was done and observed, step by step: places, their contents, conditions, the hand, where the
//! agent stands. The one fold from observations to what the agent can know: its plans, the literals of the blocking domain and the
//! planning problem are read off it.
//!
//! Built from steps alone, never from the world's hidden state: from their calls (`update_visible_objects`, `set_property`,
//! `add_inventory`, `remove_inventory`), and from the texts of slicing and of `look`, which have no calls. One thing is inferred: a
//! place that cannot be gone to is where the agent is already, since every other place always can.

use std::collections::{BTreeMap, BTreeSet};

use stepwright_program::{Call, Literal};
use stepwright_trajectory::Step;

/// The action that moves the agent.
pub const GOTO: &str = "goto";
/// The observation that lists things: a place, then its contents.
pub const UPDATE_VISIBLE: &str = "update_visible_objects";
pub const SET_PROPERTY: &str = "set_property";
pub const ADD_INVENTORY: &str = "add_inventory";
pub const REMOVE_INVENTORY: &str = "remove_inventory";
/// The property of a place that decides whether one can reach into it.
pub const OPEN: &str = "open";
/// The property of a lamp that is on.
pub const TOGGLE: &str = "toggle";
/// The property of a thing that was sliced, which no call reports.
pub const SLICED: &str = "sliced";
/// Properties that end one another.
pub const OPPOSITES: &[(&str, &str)] = &[("heat", "cool"), ("cool", "heat")];

/// Knowledge of the agent, and the actions it tried in vain.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Belief {
    /// Places in the order they were first listed.
    pub places: Vec<String>,
    /// Contents by place as far as known: as last shown, carried on through takes and puts.
    pub listed: BTreeMap<String, Vec<String>>,
    /// Places whose contents were shown.
    pub looked: BTreeSet<String>,
    /// Properties last reported: (name, property) to value.
    pub properties: BTreeMap<(String, String), bool>,
    pub held: Option<String>,
    pub at: Option<String>,
    /// Places gone to.
    pub visited: BTreeSet<String>,
    /// Places that are known to share a spot, as labels: equal labels are one spot.
    pub spots: BTreeMap<String, String>,
    /// Moves so far: refusals are stamped with it.
    pub moves: usize,
    /// Refused actions and the number of moves made before them.
    pub refused: Vec<(Call, usize)>,
    pub seen: BTreeSet<String>,
}

impl Belief {
    pub fn of(history: &[Step]) -> Self {
        let mut belief = Belief::default();
        for step in history {
            belief.observe(step);
        }
        belief
    }

    /// Whether one can act on a place from where one stands.
    pub fn is_here(&self, place: &str) -> bool {
        let Some(at) = &self.at else { return false };
        at == place || matches!((self.spots.get(at), self.spots.get(place)), (Some(a), Some(b)) if a == b)
    }

    pub fn property(&self, name: &str, property: &str) -> Option<bool> {
        // Tuple keys cannot be looked up by borrowed parts; both are short.
        self.properties.get(&(name.to_owned(), property.to_owned())).copied()
    }

    /// Whether a place's contents were ever shown.
    pub fn is_seen_into(&self, place: &str) -> bool {
        self.looked.contains(place)
    }

    /// Known contents of a place.
    pub fn contents(&self, place: &str) -> &[String] {
        self.listed.get(place).map(Vec::as_slice).unwrap_or_default()
    }

    pub fn was_refused(&self, function: &str, name: &str) -> bool {
        self.refused.iter().any(|(c, _)| c.function == function && c.text(0) == Some(name))
    }

    /// Takes a step in; whether it may have said anything new about the household.
    pub fn observe(&mut self, step: &Step) -> bool {
        let moved_to = step.call.as_ref().filter(|a| a.function == GOTO).and_then(|a| a.text(0));
        if step.refused {
            if let Some(action) = &step.call {
                self.refused.push((action.clone(), self.moves));
            }
            // The world refuses to go where one already stands: the two places share the spot.
            return moved_to.is_some_and(|place| self.stands_here(place));
        }
        if step.call.is_none() && step.calls.is_empty() {
            return self.read(&step.action, step.observed());
        }
        if let Some(place) = moved_to {
            self.moves += 1;
            place.clone_into(self.at.get_or_insert_default());
            if !self.visited.contains(place) {
                self.visited.insert(place.to_owned());
            }
            match spot_label(step.observed()) {
                Some(label) => self.rename_spot(place, label),
                None => drop(self.spots.entry(place.to_owned()).or_insert_with(|| place.to_owned())),
            }
        }
        self.hear(step.call.as_ref(), &step.calls);
        true
    }

    /// Takes in that a place stands where the agent is, and all that are known to share its spot; whether that is new.
    fn stands_here(&mut self, place: &str) -> bool {
        let Some(at) = self.at.clone().filter(|_| self.places.iter().any(|known| known == place)) else { return false };
        if self.is_here(place) {
            return false;
        }
        let here = self.spots.entry(at.clone()).or_insert(at).clone();
        self.rename_spot(place, &here);
        true
    }

    /// Gives a place's spot a label; places known to share the spot take it too.
    fn rename_spot(&mut self, place: &str, label: &str) {
        if self.spots.get(place).is_some_and(|known| known == label) {
            return;
        }
        let old = self.spots.insert(place.to_owned(), label.to_owned());
        for spot in self.spots.values_mut().filter(|s| Some(&**s) == old.as_ref()) {
            label.clone_into(spot);
        }
    }

    /// Takes in what has no calls: that a thing was sliced, and what `look` says stands where the agent is.
    fn read(&mut self, action: &str, observation: &str) -> bool {
        if let Some((thing, _)) =
            observation.strip_prefix("You sliced the ").and_then(|rest| rest.split_once(" with the "))
        {
            return self.properties.insert((thing.to_owned(), SLICED.to_owned()), true) != Some(true);
        }
        let facing = observation.strip_prefix("You are facing the ").and_then(|rest| rest.split_once(". Next to it"));
        let Some((facing, _)) = facing.filter(|_| action.trim() == "look") else { return false };
        let names = facing.split(", ").map(|name| name.strip_prefix("and ").unwrap_or(name));
        names.fold(false, |new, name| self.stands_here(name) | new)
    }

    fn hear(&mut self, action: Option<&Call>, calls: &[Call]) {
        let mut opened = None;
        for call in calls {
            match call.function.as_str() {
                UPDATE_VISIBLE => {
                    let mut names = call.args.iter().filter_map(Literal::text).map(str::to_owned);
                    if self.places.is_empty() {
                        self.places = names.collect();
                        continue;
                    }
                    let Some(place) = names.next() else { continue };
                    if opened.as_ref() == Some(&place) {
                        opened = None;
                    }
                    let things: Vec<String> = names.collect();
                    for thing in &things {
                        if !self.seen.contains(thing) {
                            self.seen.insert(thing.clone());
                        }
                    }
                    self.show(place, things);
                }
                SET_PROPERTY => {
                    let (Some(name), Some(property)) = (call.text(0), call.text(1)) else {
                        continue;
                    };
                    let Some(Literal::Bool(value)) = call.args.get(2) else { continue };
                    self.properties.insert((name.to_owned(), property.to_owned()), *value);
                    if let Some((_, opposite)) = OPPOSITES.iter().find(|(p, _)| *value && *p == property) {
                        self.properties.insert((name.to_owned(), (*opposite).to_owned()), false);
                    }
                    if property == OPEN && *value {
                        opened = Some(name.to_owned());
                    }
                }
                ADD_INVENTORY => {
                    let Some(thing) = call.text(0) else { continue };
                    self.held = Some(thing.to_owned());
                    if let Some(place) = other_argument(action, thing)
                        && let Some(things) = self.listed.get_mut(place)
                    {
                        things.retain(|t| t != thing);
                    }
                }
                REMOVE_INVENTORY => {
                    let Some(thing) = call.text(0) else { continue };
                    self.held = None;
                    if let Some(place) = other_argument(action, thing) {
                        // What else is there stays unknown where nobody looked.
                        let things = self.listed.entry(place.to_owned()).or_default();
                        if !things.iter().any(|t| t == thing) {
                            things.push(thing.to_owned());
                        }
                    }
                }
                _ => {}
            }
        }
        // An open place that lists nothing is empty: the listing of an empty open place is not reported.
        if let Some(place) = opened {
            self.show(place, Vec::new());
        }
    }

    /// All that is in a place.
    pub fn show(&mut self, place: String, things: Vec<String>) {
        match self.listed.get_mut(&place).filter(|_| self.looked.contains(&place)) {
            Some(known) => *known = things,
            None => {
                self.looked.insert(place.clone());
                self.listed.insert(place, things);
            }
        }
    }
}

/// The argument of an action on a thing that is not the thing: the place it is taken from or put to.
fn other_argument<'a>(action: Option<&'a Call>, thing: &str) -> Option<&'a str> {
    let action = action?;
    let names = || action.args.iter().filter_map(Literal::text);
    names().any(|n| n == thing).then(|| names().find(|n| *n != thing)).flatten()
}

/// The spot named in the text, where the edition prints it (`You arrive at loc 12. …`).
fn spot_label(observation: &str) -> Option<&str> {
    let rest = observation.strip_prefix("You arrive at ")?;
    let label = rest.split('.').next()?;
    label.starts_with("loc ").then_some(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(action: &str, observation: &str, calls: &[&str]) -> Step {
        Step {
            call: (!action.is_empty()).then(|| action.parse().unwrap()),
            observation: Some(observation.to_owned()),
            calls: calls.iter().map(|c| c.parse().unwrap()).collect(),
            refused: observation == "Nothing happens.",
            ..Step::default()
        }
    }

    fn start() -> Step {
        step("", "", &["agent.update_visible_objects('cabinet 2', 'cabinet 1', 'shelf 1')"])
    }

    #[test]
    fn the_first_listing_names_the_places_and_later_ones_their_contents() {
        let belief = Belief::of(&[
            start(),
            step(
                "agent.goto('shelf 1')",
                "You arrive at loc 3. On the shelf 1, you see a mug 1, and a cd 2.",
                &["agent.update_visible_objects('shelf 1', 'mug 1', 'cd 2')"],
            ),
            step("agent.take('mug 1', 'shelf 1')", "", &["agent.add_inventory('mug 1')"]),
        ]);
        assert_eq!(belief.places, ["cabinet 2", "cabinet 1", "shelf 1"]);
        assert_eq!(belief.listed["shelf 1"], ["cd 2"]);
        assert_eq!(belief.held.as_deref(), Some("mug 1"));
        assert!(belief.is_here("shelf 1") && !belief.is_here("cabinet 1"));
        assert_eq!(belief.spots["shelf 1"], "loc 3");
    }

    #[test]
    fn closed_places_are_not_seen_into_and_empty_open_ones_are() {
        let closed = step("agent.goto('cabinet 1')", "", &["env.set_property('cabinet 1', 'open', False)"]);
        let belief = Belief::of(&[start(), closed.clone()]);
        assert!(!belief.is_seen_into("cabinet 1"));
        assert_eq!(belief.property("cabinet 1", "open"), Some(false));
        let opened = step("agent.open('cabinet 1')", "", &["env.set_property('cabinet 1', 'open', True)"]);
        let belief = Belief::of(&[start(), closed, opened]);
        assert_eq!(belief.listed["cabinet 1"], Vec::<String>::new());
    }

    #[test]
    fn a_refused_move_means_the_place_is_here() {
        let belief = Belief::of(&[
            start(),
            step("agent.goto('cabinet 1')", "You arrive at loc 7. The cabinet 1 is closed.", &[]),
            step("agent.goto('cabinet 2')", "Nothing happens.", &[]),
        ]);
        assert_eq!(belief.at.as_deref(), Some("cabinet 1"));
        assert!(belief.is_here("cabinet 2") && !belief.is_here("shelf 1"));
        assert_eq!(belief.refused.len(), 1);
    }

    #[test]
    fn what_is_put_down_is_listed_there_and_shows_nothing_else_of_the_place() {
        let belief = Belief::of(&[
            start(),
            step("agent.goto('shelf 1')", "", &["agent.update_visible_objects('shelf 1')"]),
            step("agent.put('mug 1', 'cabinet 1')", "", &["agent.remove_inventory('mug 1')"]),
        ]);
        assert_eq!((belief.held.as_ref(), belief.contents("cabinet 1")), (None, ["mug 1".to_owned()].as_slice()));
        assert!(!belief.is_seen_into("cabinet 1") && belief.is_seen_into("shelf 1"));
    }

    #[test]
    fn slicing_and_looking_are_read_off_their_texts() {
        let said = |action: &str, observation: &str| Step {
            action: action.to_owned(),
            observation: Some(observation.to_owned()),
            ..Step::default()
        };
        let mut belief = Belief::of(&[start(), step("agent.goto('cabinet 1')", "You arrive at loc 7. …", &[])]);
        let look = said("look", "You are facing the cabinet 1, and shelf 1. Next to it, you see nothing.");
        assert!(belief.observe(&look) && !belief.observe(&look));
        assert!(belief.is_here("shelf 1") && !belief.is_here("cabinet 2"));
        let sliced = said("slice apple 1 with knife 1", "You sliced the apple 1 with the knife 1.");
        assert!(belief.observe(&sliced) && !belief.observe(&sliced));
        assert_eq!(belief.property("apple 1", SLICED), Some(true));
    }
}
