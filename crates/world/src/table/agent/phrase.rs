//! Phrases, the forms the grammar knows: they name things, with conditions that distinguish them.
//!
//! Only the forms; [`super::parse`] finds them in tokens, [`super::resolve`] says which things they mean.

/// Things, one after another: "the red block and the block in the golden bowl".
#[derive(Debug, Clone, PartialEq)]
pub struct Phrase {
    /// Each of them.
    pub parts: Vec<Part>,
}

/// One thing, or several of a sort.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// How many are meant.
    pub count: Count,
    /// What sort of thing.
    pub noun: Noun,
    /// What distinguishes it.
    pub conditions: Vec<Condition>,
}

/// How many things a phrase means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// "the block": exactly one.
    The,
    /// "a block", "some block": any.
    Any,
    /// "the blocks", "all blocks".
    All,
    /// "no block".
    No,
}

/// A sort of thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Noun {
    /// An object by its name.
    Named(String),
    /// A block.
    Block,
    /// A cover.
    Cover,
    /// A bowl.
    Bowl,
    /// Anything.
    Object,
    /// The table.
    Table,
    /// What was spoken of last.
    It,
}

/// What may be true of a thing.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// In a container, or directly on a block or the table.
    At(Phrase),
    /// The same, where it is to be taken from: "off the red block".
    From(Phrase),
    /// Above something in its stack; directly if so said.
    Above(bool, Phrase),
    /// Below something in its stack; directly if so said.
    Below(bool, Phrase),
    /// More blocks below it than below the other.
    Higher(Phrase),
    /// Fewer blocks below it than below the other.
    Lower(Phrase),
    /// As many blocks below it as below the other.
    Level(Phrase),
    /// None is higher, in a container or stack if one is given.
    Highest(Option<Phrase>),
    /// None is lower, in a container or stack if one is given.
    Lowest(Option<Phrase>),
    /// Nothing is in it or on it.
    Empty,
    /// A cover is over it.
    Covered,
    /// Clean, or dirty.
    Clean(bool),
    /// Not one of those spoken of.
    Other,
    /// Something is in it (or directly on it).
    Holds(Phrase),
    /// More blocks (`true`) or fewer are in it than in any other bowl.
    Fullest(bool),
    /// In the same container, or in the same stack if so said, as something.
    Beside(bool, Phrase),
    /// In the same container, or the same stack if so said, all of them.
    Together(bool),
    /// Weighs more (`true`) or less than something.
    Heavier(bool, Phrase),
    /// Weighs more (`true`) or less than all others.
    Heaviest(bool),
    /// Weighs as much as something.
    AsHeavy(Phrase),
    /// Is one of these.
    Among(Phrase),
    /// Has a name with this word.
    Called(String),
    /// Not so.
    Not(Box<Condition>),
    /// All of these.
    Both(Vec<Condition>),
    /// One of these.
    Either(Vec<Condition>),
}

impl Phrase {
    /// A single part.
    pub fn one(part: Part) -> Self {
        Phrase { parts: vec![part] }
    }

    /// Whether everything in it is named and not described.
    pub fn is_named(&self) -> bool {
        self.parts.iter().all(|part| matches!(part.noun, Noun::Named(_)) && part.conditions.is_empty())
    }
}

impl Condition {
    /// Where one thing is meant, "above" and "below" mean the next one.
    pub fn nearest(self) -> Condition {
        match self {
            Condition::Above(_, phrase) => Condition::Above(true, phrase),
            Condition::Below(_, phrase) => Condition::Below(true, phrase),
            other => other,
        }
    }
}
