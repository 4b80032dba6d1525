//! Names of things as PDDL can hold them, and back.

use std::collections::BTreeMap;

/// A world's names and their spelling in a problem.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    spelt: BTreeMap<String, String>,
    things: BTreeMap<String, String>,
}

impl Names {
    /// Spells names: the last part that begins with a letter, and a number (`Sink|+1.0|-1.3|SinkBasin` is `sinkbasin_1`).
    pub fn of(things: impl IntoIterator<Item = String>) -> Self {
        let mut names = Names::default();
        let mut used: BTreeMap<String, usize> = BTreeMap::new();
        for thing in things {
            if names.spelt.contains_key(&thing) {
                continue;
            }
            let part = thing.rsplit('|').find(|part| part.starts_with(char::is_alphabetic)).unwrap_or(&thing);
            let word = Names::word(part);
            let count = used.entry(word.clone()).or_default();
            *count += 1;
            let name = format!("{word}_{count}");
            names.things.insert(name.clone(), thing.clone());
            names.spelt.insert(thing, name);
        }
        names
    }

    pub fn word(text: &str) -> String {
        let clean = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        let word: String = text.chars().map(clean).collect();
        if word.starts_with(|c: char| c.is_ascii_lowercase()) { word } else { format!("x{word}") }
    }

    pub fn name(&self, thing: &str) -> Option<&str> {
        self.spelt.get(thing).map(String::as_str)
    }

    pub fn thing(&self, name: &str) -> Option<&str> {
        self.things.get(name).map(String::as_str)
    }

    /// All names, sorted.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.things.keys().map(String::as_str)
    }
}
