//! House of text for tests, a small one: places, some of them closed, things in them, one to be put somewhere.

use std::collections::{BTreeMap, BTreeSet};

use stepwright_trajectory::{Step, Trajectory};

const PLACES: [&str; 5] = ["desk 1", "drawer 1", "drawer 2", "shelf 1", "shelf 2"];
const REFUSED: &str = "Nothing happens.";

pub(crate) struct House {
    things: BTreeMap<String, String>,
    opened: BTreeSet<String>,
    here: String,
    held: Option<String>,
    goal: (String, String),
}

impl House {
    /// A house with things at places, in which a thing of a kind is to be put at a kind of place.
    pub(crate) fn new(things: &[(&str, &str)], object: &str, to: &str) -> Self {
        House {
            things: things.iter().map(|(thing, place)| ((*thing).to_owned(), (*place).to_owned())).collect(),
            opened: BTreeSet::new(),
            here: String::new(),
            held: None,
            goal: (object.to_owned(), to.to_owned()),
        }
    }

    pub(crate) fn task(&self) -> String {
        format!("put a {} in {}.", self.goal.0, self.goal.1)
    }

    pub(crate) fn first(&self) -> String {
        let places: Vec<String> = PLACES.iter().map(|place| format!("a {place}")).collect();
        format!(
            "You are in a room. Looking around you, you see {}.\n\nYour task is to: {}",
            places.join(", "),
            self.task()
        )
    }

    pub(crate) fn is_won(&self) -> bool {
        self.things.iter().any(|(thing, place)| thing.starts_with(&self.goal.0) && place.starts_with(&self.goal.1))
    }

    fn is_closed(&self, place: &str) -> bool {
        place.starts_with("drawer") && !self.opened.contains(place)
    }

    fn list(&self, place: &str) -> String {
        let things: Vec<String> =
            self.things.iter().filter(|(_, at)| *at == place).map(|(thing, _)| format!("a {thing}")).collect();
        if things.is_empty() { "nothing".to_owned() } else { things.join(", and ") }
    }

    pub(crate) fn act(&mut self, action: &str) -> String {
        self.done(action).unwrap_or_else(|| REFUSED.to_owned())
    }

    fn done(&mut self, action: &str) -> Option<String> {
        if let Some(place) = action.strip_prefix("go to ") {
            let place = PLACES.into_iter().find(|own| *own == place && self.here != *own)?;
            place.clone_into(&mut self.here);
            return Some(match self.is_closed(place) {
                true => format!("The {place} is closed."),
                false => format!("On the {place}, you see {}.", self.list(place)),
            });
        }
        if let Some(place) = action.strip_prefix("open ") {
            (self.here == place && self.is_closed(place)).then(|| self.opened.insert(place.to_owned()))?;
            return Some(format!("You open the {place}. The {place} is open. In it, you see {}.", self.list(place)));
        }
        if let Some((thing, place)) = action.strip_prefix("take ").and_then(|rest| rest.split_once(" from ")) {
            let may = self.here == place && !self.is_closed(place) && self.held.is_none();
            (may && self.things.get(thing).is_some_and(|at| at == place)).then_some(())?;
            self.things.remove(thing);
            self.held = Some(thing.to_owned());
            return Some(format!("You pick up the {thing} from the {place}."));
        }
        let (thing, place) = action.strip_prefix("put ").and_then(|rest| rest.split_once(" in/on "))?;
        let may = self.here == place && !self.is_closed(place) && self.held.as_deref() == Some(thing);
        may.then(|| self.held.take())?;
        self.things.insert(thing.to_owned(), place.to_owned());
        Some(format!("You put the {thing} in/on the {place}."))
    }

    pub(crate) fn play(mut self, id: &str, actions: &[String]) -> Trajectory {
        let (first, task) = (self.first(), self.task());
        let steps = actions
            .iter()
            .map(|action| Step { action: action.clone(), observation: Some(self.act(action)), ..Step::default() })
            .collect();
        let success = Some(self.is_won());
        Trajectory {
            id: id.to_owned(),
            task,
            initial_observation: Some(first),
            steps,
            success,
            ..Trajectory::default()
        }
    }
}
