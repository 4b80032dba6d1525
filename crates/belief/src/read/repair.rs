//! Repairs that a reader made in a state text, and where: in words, so that a person can judge them.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// The line it is on, from 1.
    pub line: usize,
    pub fault: Fault,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.fault)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    OtherQuotes,
    MissingQuote(String),
    Unquoted(String),
    MissingComma,
    SurplusComma,
    /// `=` where `:` belongs.
    Equals,
    MissingColon(String),
    MissingValue(String),
    /// A brace or bracket that is not closed (or not opened).
    Missing(char),
    Surplus(char),
    /// The text ends before the state does.
    CutOff,
    /// The text ends inside the name of an entry.
    CutName(String),
    /// Text that is no part of a state.
    LeftOut(String),
    /// Text before or after the state.
    Beside(String),
    Control,
    Twice(String),
    /// Spaces around a name.
    Blanks(String),
    NestedRelations,
    RelationInWords(String),
    RelationAsObject,
    NoProperty(String),
    /// A single value where a list belongs.
    NotAList(String),
    /// An entry that is a bare value instead of an object.
    BareEntry(String),
    /// Further repairs that are not listed.
    More(usize),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::OtherQuotes => f.write_str("quotes that are not \""),
            Fault::MissingQuote(text) => write!(f, "a quote is missing at `{text}`"),
            Fault::Unquoted(text) => write!(f, "`{text}` has no quotes"),
            Fault::MissingComma => f.write_str("a comma is missing"),
            Fault::SurplusComma => f.write_str("a comma too many"),
            Fault::Equals => f.write_str("`=` where `:` belongs"),
            Fault::MissingColon(name) => write!(f, "no `:` after `{name}`"),
            Fault::MissingValue(name) => write!(f, "`{name}` has no value"),
            Fault::Missing(bracket) => write!(f, "`{bracket}` is missing"),
            Fault::Surplus(bracket) => write!(f, "`{bracket}` too many"),
            Fault::CutOff => f.write_str("the text ends before the state does"),
            Fault::CutName(name) if name.is_empty() => f.write_str("the text ends where a name begins"),
            Fault::CutName(name) => write!(f, "the text ends inside a name, `{name}` was left out"),
            Fault::LeftOut(text) => write!(f, "`{text}` is no part of a state and was left out"),
            Fault::Beside(text) => write!(f, "`{text}` is beside the state and was left out"),
            Fault::Control => f.write_str("control characters were left out"),
            Fault::Twice(name) => write!(f, "`{name}` is given twice, the last one counts"),
            Fault::Blanks(name) => write!(f, "blanks around `{name}`"),
            Fault::NestedRelations => f.write_str("lists within the list of relations"),
            Fault::RelationInWords(text) => write!(f, "a relation in pieces, read as `{text}`"),
            Fault::RelationAsObject => f.write_str("a relation that is not a sentence was kept as it is"),
            Fault::NoProperty(name) => write!(f, "`{name}` is no property (one word) and was left out"),
            Fault::NotAList(name) => write!(f, "`{name}` is not a list, read as a list of one"),
            Fault::BareEntry(name) => write!(f, "`{name}` is not an object, its value was read as what it is"),
            Fault::More(count) => write!(f, "and {count} more"),
        }
    }
}

/// Repairs as they are found: each kind once a line, and not without end.
#[derive(Debug, Default)]
pub struct Repairs {
    list: Vec<Repair>,
    more: usize,
}

/// How many repairs are listed; what a person has to judge, not a log.
const LISTED: usize = 300;
/// How many characters of the text a repair quotes.
const QUOTED: usize = 60;

impl Repairs {
    /// Notes one, unless the same was noted of that line.
    pub fn note(&mut self, line: usize, fault: Fault) {
        let repair = Repair { line, fault };
        // Equal repairs are near each other: a look at the last few keeps a long text linear.
        if self.list.iter().rev().take(16).any(|known| *known == repair) {
            return;
        }
        if self.list.len() < LISTED { self.list.push(repair) } else { self.more += 1 }
    }

    /// Whether further ones are only counted.
    pub fn is_full(&self) -> bool {
        self.list.len() >= LISTED
    }

    pub fn finish(mut self) -> Vec<Repair> {
        self.list.sort_by_key(|repair| repair.line);
        if self.more > 0 {
            let line = self.list.last().map_or(1, |last| last.line);
            self.list.push(Repair { line, fault: Fault::More(self.more) });
        }
        self.list
    }
}

pub(crate) fn clip(text: &str) -> String {
    let mut words: String = text.trim().lines().next().unwrap_or_default().chars().take(QUOTED + 1).collect();
    if words.chars().count() > QUOTED {
        words = words.chars().take(QUOTED).collect::<String>() + "…";
    }
    words
}
