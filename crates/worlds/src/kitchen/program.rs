//! Calls of the kitchen's texts, and texts of calls; and what the robot sees, as calls.
//!
//! Only what changed is observed again; [`Observation`] remembers what was and goes with the episode.

use super::action::VERBS;
use super::scene::Scene;
use super::sight;
use super::state::State;
use stepwright_program::{Call, Literal};
use stepwright_world::ProgramHeader;

#[derive(Debug, Clone, Default)]
pub struct Observation {
    seen: Vec<usize>,
    near: Vec<usize>,
    held: Option<usize>,
    /// Whether a thing was ever seen, by thing.
    ever: Vec<bool>,
    /// Conditions by thing, in the order of [`conditions`].
    conditions: Vec<[bool; 6]>,
    /// The last seen contents of a receptacle, by receptacle.
    contents: Vec<Vec<usize>>,
}

/// A thing's conditions that a program receives, by name. All are false until reported otherwise.
fn conditions(scene: &Scene, state: &State, thing: usize) -> [(&'static str, bool); 6] {
    let now = state.now(thing);
    [
        ("closed", scene.thing(thing).openable && !now.open),
        ("open", now.open),
        ("on", now.on),
        ("dirty", now.dirty),
        ("cooked", now.cooked),
        ("filled", now.filled.is_some()),
    ]
}

impl Observation {
    pub(crate) fn ever_seen(&self, thing: usize) -> bool {
        self.ever.get(thing).copied().unwrap_or_default()
    }

    /// The calls for what the robot sees and holds now, where it differs from what was reported.
    pub fn update(&mut self, scene: &Scene, state: &State) -> Vec<Call> {
        let mut calls = Vec::new();
        let seen = sight::seen(scene, state);
        let near: Vec<usize> = seen.iter().copied().filter(|thing| sight::close(scene, state, *thing)).collect();
        let ids =
            |things: &[usize]| -> Vec<Literal> { things.iter().map(|t| Literal::from(scene.id_of(*t))).collect() };
        if self.held != state.held {
            calls.extend(self.held.map(|held| Call::new("robot", "release", [scene.id_of(held)])));
            calls.extend(state.held.map(|held| Call::new("robot", "hold", [scene.id_of(held)])));
            self.held = state.held;
        }
        if self.seen != seen {
            calls.push(Call::new("robot", "see", ids(&seen)));
        }
        if self.near != near {
            calls.push(Call::new("robot", "reach", ids(&near)));
        }
        self.ever.resize(scene.len(), false);
        self.conditions.resize(scene.len(), [false; 6]);
        self.contents.resize(scene.len(), Vec::new());
        for &thing in &seen {
            if let Some(ever) = self.ever.get_mut(thing) {
                *ever = true;
            }
            let now = conditions(scene, state, thing);
            if let Some(reported) = self.conditions.get_mut(thing) {
                for (known, (name, holds)) in reported.iter_mut().zip(now) {
                    if *known != holds {
                        *known = holds;
                        let values = [Literal::from(scene.id_of(thing)), Literal::from(name), Literal::from(holds)];
                        calls.push(Call::new("kitchen", "set_property", values));
                    }
                }
            }
            let inside: Vec<usize> = seen.iter().copied().filter(|t| state.now(*t).parent == Some(thing)).collect();
            if let Some(reported) = self.contents.get_mut(thing)
                && *reported != inside
            {
                let mut names = ids(&[thing]);
                names.extend(ids(&inside));
                calls.push(Call::new("kitchen", "set_contents", names));
                *reported = inside;
            }
        }
        (self.seen, self.near) = (seen, near);
        calls
    }
}

/// The call a text stands for; does not ask whether it would succeed.
pub fn call_of(text: &str) -> Option<Call> {
    let text = text.trim();
    let mut words = text.split(' ');
    let verb = words.next()?;
    let names: Vec<&str> = words.collect();
    let (_, function, takes) = VERBS.into_iter().find(|(_, word, _)| *word == verb)?;
    let reported = names.iter().filter(|name| **name != super::action::CHARACTER).count();
    let sound = names.iter().all(|name| !name.is_empty() && !name.contains(char::is_whitespace));
    (sound && reported == takes).then(|| Call::new("robot", function, names))
}

/// The text of an action call; the inverse of [`call_of`].
pub fn text_of(call: &Call) -> Option<String> {
    let mut text = call.function.clone();
    for arg in &call.args {
        let Literal::Str(name) = arg else { return None };
        text.push(' ');
        text.push_str(name);
    }
    (call_of(&text).as_ref() == Some(call)).then_some(text)
}

pub fn header(scene: &str, task: &str, sentence: &str) -> ProgramHeader {
    let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    ProgramHeader {
        function: format!("do_{task}_in_{scene}").chars().map(word).collect(),
        comment: sentence.split_whitespace().collect::<Vec<_>>().join(" "),
        setup: vec!["kitchen = Kitchen()".to_owned(), "robot = Robot(kitchen)".to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_calls_are_inverse() {
        for (text, call) in [
            ("turnleft character", "robot.turnleft('character')"),
            ("turnleft", "robot.turnleft()"),
            ("put Mug|1 Sink|-1|x", "robot.put('Mug|1', 'Sink|-1|x')"),
            ("walk_to_room kitchen", "robot.walk_to_room('kitchen')"),
        ] {
            assert_eq!(call_of(text).unwrap().to_string(), call);
            assert_eq!(text_of(&call.parse().unwrap()).as_deref(), Some(text));
        }
        for text in ["", "fly", "put a", "put  a b", "grab a b", "look"] {
            assert_eq!(call_of(text), None, "{text}");
        }
        for call in ["robot.grab('a b')", "robot.grab(1)", "kitchen.grab('a')", "robot.see('a')", "robot.grab('')"] {
            assert_eq!(text_of(&call.parse().unwrap()), None, "{call}");
        }
    }
}
