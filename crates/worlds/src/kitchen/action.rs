//! Actions as text: a verb and the ids it is about (`put Mug|1 Sink|1`). What they do is said elsewhere.

use stepwright_text::words::{is_space, stripped};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Verb {
    TurnLeft,
    TurnRight,
    TurnAround,
    LookUp,
    LookDown,
    MoveForward,
    MoveBackward,
    WalkToRoom,
    WalkToObject,
    ScanRoom,
    Find,
    Grab,
    Put,
    PutIn,
    Open,
    Close,
    SwitchOn,
    SwitchOff,
    Slice,
}

/// Every verb: its word and how many names it takes.
pub(crate) const VERBS: [(Verb, &str, usize); 19] = [
    (Verb::TurnLeft, "turnleft", 0),
    (Verb::TurnRight, "turnright", 0),
    (Verb::TurnAround, "turnaround", 0),
    (Verb::LookUp, "lookup", 0),
    (Verb::LookDown, "lookdown", 0),
    (Verb::MoveForward, "moveforward", 0),
    (Verb::MoveBackward, "movebackward", 0),
    (Verb::WalkToRoom, "walk_to_room", 1),
    (Verb::WalkToObject, "walk_to_object", 1),
    (Verb::ScanRoom, "scanroom", 1),
    (Verb::Find, "find", 1),
    (Verb::Grab, "grab", 1),
    (Verb::Put, "put", 2),
    (Verb::PutIn, "putin", 2),
    (Verb::Open, "open", 1),
    (Verb::Close, "close", 1),
    (Verb::SwitchOn, "switchon", 1),
    (Verb::SwitchOff, "switchoff", 1),
    (Verb::Slice, "slice", 1),
];

/// The word for the robot itself, which actions may name and which says nothing.
pub(crate) const CHARACTER: &str = "character";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action<'a> {
    pub verb: Verb,
    /// With what, in order; `character` left out.
    pub names: Vec<&'a str>,
    /// The text as it was given, without white space around it.
    pub text: &'a str,
}

impl<'a> Action<'a> {
    /// Reads an action.
    /// Errors: if its verb is unknown, or it names too few or too many things; says what would be right.
    pub fn read(text: &'a str) -> Result<Action<'a>, String> {
        let text = stripped(text);
        let mut words = text.split(is_space).filter(|word| !word.is_empty());
        let word = words.next().unwrap_or_default();
        let Some((verb, _, takes)) = VERBS.into_iter().find(|(_, known, _)| *known == word) else {
            let known = VERBS.map(|(_, word, _)| word).join(", ");
            return Err(format!("There is no action `{word}`. Actions are: {known}."));
        };
        let mut names: Vec<&str> = words.filter(|name| *name != CHARACTER).collect();
        // The authors' program names the room behind the thing; it is always the one the robot is in.
        if verb == Verb::ScanRoom {
            names.truncate(takes);
        }
        if names.len() != takes {
            let names = ["no name", "one name", "two names"].get(takes).unwrap_or(&"names");
            return Err(format!("`{word}` takes {names}: {}.", example(verb, word)));
        }
        Ok(Action { verb, names, text })
    }

    /// Whether the things it names must be in sight.
    pub(crate) fn needs_sight(&self) -> bool {
        !matches!(self.verb, Verb::WalkToRoom | Verb::ScanRoom | Verb::Find)
    }
}

fn example(verb: Verb, word: &str) -> String {
    match verb {
        Verb::Put | Verb::PutIn => format!("{word} Mug|1 Sink|1"),
        Verb::WalkToRoom => format!("{word} kitchen"),
        _ if VERBS.iter().any(|(v, _, takes)| *v == verb && *takes == 0) => word.to_owned(),
        _ => format!("{word} Mug|1"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_character_says_nothing() {
        let action = Action::read(" turnleft character ").unwrap();
        assert_eq!((action.verb, action.names.len(), action.text), (Verb::TurnLeft, 0, "turnleft character"));
        assert_eq!(Action::read("put a  b").unwrap().names, ["a", "b"]);
        assert_eq!(Action::read("scanroom a kitchen").unwrap().names, ["a"]);
    }

    #[test]
    fn what_is_no_action_says_what_would_be() {
        assert!(Action::read("fly").unwrap_err().contains("walk_to_object"));
        assert!(Action::read("put a").unwrap_err().contains("two names: put Mug|1 Sink|1"));
        assert!(Action::read("turnleft a").unwrap_err().contains("no name"));
        assert!(Action::read("").is_err());
    }
}
