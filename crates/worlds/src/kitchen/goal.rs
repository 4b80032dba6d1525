//! Goal literals of a kitchen: reading them, and whether one holds now. The world decides in which order they are met.

use super::state::State;
use super::thing::Thing;
use stepwright_world::Atom;

/// The literals there are, as the error for an unknown one lists them.
const FORMS: &str =
    "INSIDE a b, ON a b, ON d, OFF d, OPEN r, CLOSED r, SLICED a, COOKED a d, WASHED_SINK a s f, WASHED a d, HOLDS a";

/// The word for the robot, which the authors' scenes write first in `HOLDS character a`, and nowhere else.
const CHARACTER: &str = "character";

/// Things looked at, by their index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Test {
    In(usize, usize),
    On(usize, bool),
    Open(usize, bool),
    Sliced(usize),
    /// The thing, and the device it is to be cooked with.
    Cooked(usize, usize),
    /// The thing, where it is to be washed, and what makes the water run.
    Clean(usize, usize, usize),
    Held(usize),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Goal {
    /// As written in the scene: `ON CoffeeMachine|1`.
    pub literal: Atom,
    test: Test,
}

impl Goal {
    /// Reads a literal over the things of a scene.
    /// Errors: if it has no form of the known ones, or names what is not there.
    pub(super) fn read(text: &str, things: &[Thing]) -> Result<Goal, String> {
        let literal: Atom = text.parse()?;
        let mut found = Vec::new();
        let is_robots = literal.predicate == "HOLDS" && literal.args.first().is_some_and(|name| name == CHARACTER);
        for name in literal.args.iter().skip(usize::from(is_robots)) {
            found.push(things.iter().position(|t| t.id == *name).ok_or_else(|| format!("`{name}` is no object here"))?);
        }
        let test = match (literal.predicate.as_str(), found.as_slice()) {
            ("INSIDE" | "IN" | "ON", &[thing, receptacle]) => Test::In(thing, receptacle),
            ("ON", &[device]) => Test::On(device, true),
            ("OFF", &[device]) => Test::On(device, false),
            ("OPEN", &[receptacle]) => Test::Open(receptacle, true),
            ("CLOSED", &[receptacle]) => Test::Open(receptacle, false),
            ("SLICED", &[thing]) => Test::Sliced(thing),
            ("COOKED", &[thing, device] | &[thing, device, _]) => Test::Cooked(thing, device),
            ("WASHED_SINK", &[thing, basin, faucet]) => Test::Clean(thing, basin, faucet),
            // An appliance is both where it lies and what is switched on.
            ("WASHED", &[thing, device]) => Test::Clean(thing, device, device),
            ("HOLDS", &[thing]) => Test::Held(thing),
            _ => return Err(format!("`{text}` has none of the forms {FORMS}")),
        };
        Ok(Goal { literal, test })
    }

    pub fn holds(&self, state: &State) -> bool {
        match self.test {
            Test::In(thing, receptacle) => state.now(thing).parent == Some(receptacle),
            Test::On(device, on) => state.now(device).on == on,
            Test::Open(receptacle, open) => state.now(receptacle).open == open,
            Test::Sliced(thing) => state.now(thing).sliced,
            Test::Cooked(thing, _) => state.now(thing).cooked,
            Test::Clean(thing, ..) => !state.now(thing).dirty,
            Test::Held(thing) => state.held == Some(thing),
        }
    }

    #[cfg(test)]
    pub(super) fn test(&self) -> Test {
        self.test
    }

    /// The thing it wants clean; it begins dirty.
    pub(super) fn to_be_washed(&self) -> Option<usize> {
        match self.test {
            Test::Clean(thing, ..) => Some(thing),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_read_and_others_refused() {
        let things: Vec<Thing> = ["a", "b", "c"].map(|id| Thing { id: id.to_owned(), ..Thing::default() }).into();
        for text in ["INSIDE a b", "ON a", "COOKED a b", "WASHED_SINK a b c", "HOLDS character a"] {
            assert_eq!(Goal::read(text, &things).unwrap().literal.to_string(), text);
        }
        for text in ["", "ON", "ON a b c", "FLY a", "ON x", "WASHED_SINK a b", "HOLDS a character", "OPEN character a"]
        {
            assert!(Goal::read(text, &things).is_err(), "{text}");
        }
    }
}
