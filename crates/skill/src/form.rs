//! Forms with numbered things: `take [object] [id] from [receptacle] [id]` reads an action into its things and writes one from them.
//!
//! A thing is a word and a number (`mug 1`). The names of a form's slots say what fills them; nothing here knows a world.

use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    Word(String),
    Slot(String),
}

/// A form of action whose slots hold numbered things.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Form {
    pub parts: Vec<Part>,
}

/// The slot of a number, after the slot of a word.
const ID: &str = "[id]";

/// Which thing fills which slot.
pub(crate) type Binding = BTreeMap<String, String>;

/// The word of a thing: `mug` of `mug 1`.
pub fn kind_of(thing: &str) -> &str {
    thing.split_once(' ').map_or(thing, |(kind, _)| kind)
}

pub(crate) fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit())
}

impl Form {
    /// Reads a syntax. `None` where it has a slot without a number: such forms are of other worlds.
    pub fn read(syntax: &str) -> Option<Self> {
        let mut words = syntax.split_whitespace().peekable();
        let mut parts = Vec::new();
        while let Some(word) = words.next() {
            match word.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                Some(name) => {
                    words.next_if_eq(&ID)?;
                    parts.push(Part::Slot(name.to_owned()));
                }
                None if word.contains(['[', ']']) => return None,
                None => parts.push(Part::Word(word.to_owned())),
            }
        }
        (!parts.is_empty()).then_some(Form { parts })
    }

    pub fn syntax(&self) -> String {
        let part = |part: &Part| match part {
            Part::Word(word) => word.clone(),
            Part::Slot(name) => format!("[{name}] {ID}"),
        };
        self.parts.iter().map(part).collect::<Vec<_>>().join(" ")
    }

    /// The words before its first slot: what the action is called.
    pub fn verb(&self) -> String {
        let words = self.parts.iter().map_while(|part| match part {
            Part::Word(word) => Some(word.as_str()),
            Part::Slot(_) => None,
        });
        words.collect::<Vec<_>>().join(" ")
    }

    pub fn slots(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Slot(name) => Some(name.as_str()),
            Part::Word(_) => None,
        })
    }

    pub fn bind(&self, action: &str) -> Option<Binding> {
        let mut words = action.split_whitespace();
        let mut binding = Binding::new();
        for part in &self.parts {
            match part {
                Part::Word(word) => (words.next()? == word).then_some(())?,
                Part::Slot(name) => {
                    let (kind, number) = (words.next()?, words.next()?);
                    (!is_number(kind) && is_number(number)).then_some(())?;
                    binding.insert(name.clone(), format!("{kind} {number}"));
                }
            }
        }
        words.next().is_none().then_some(binding)
    }

    /// The action with these things; `None` while a slot is open.
    pub fn write(&self, binding: &Binding) -> Option<String> {
        let part = |part: &Part| match part {
            Part::Word(word) => Some(word.clone()),
            Part::Slot(name) => binding.get(name).cloned(),
        };
        Some(self.parts.iter().map(part).collect::<Option<Vec<_>>>()?.join(" "))
    }
}

/// An action with its things replaced by their places: the pattern of its form, and the things.
pub(crate) fn pattern(action: &str) -> (Vec<Option<String>>, Vec<String>) {
    let words: Vec<&str> = action.split_whitespace().collect();
    let (mut pattern, mut things, mut at) = (Vec::new(), Vec::new(), 0);
    while let Some(word) = words.get(at) {
        match words.get(at + 1).filter(|next| is_number(next) && !is_number(word)) {
            Some(number) => {
                pattern.push(None);
                things.push(format!("{word} {number}"));
                at += 2;
            }
            None => {
                pattern.push(Some((*word).to_owned()));
                at += 1;
            }
        }
    }
    (pattern, things)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_reads_what_it_writes() {
        let form = Form::read("put [object] [id] in/on [receptacle] [id]").unwrap();
        let binding = form.bind("put mug 1 in/on desk 2").unwrap();
        assert_eq!(binding["object"], "mug 1");
        assert_eq!(form.write(&binding).unwrap(), "put mug 1 in/on desk 2");
        assert_eq!((form.verb(), form.syntax()), ("put".into(), "put [object] [id] in/on [receptacle] [id]".into()));
        assert_eq!(form.bind("put mug 1 on desk 2"), None);
        assert_eq!(form.bind("put mug 1 in/on desk 2 now"), None);
        assert_eq!(form.write(&Binding::new()), None);
        assert!(Form::read("search[Query]").is_none() && Form::read("go to [place]").is_none());
    }
}
