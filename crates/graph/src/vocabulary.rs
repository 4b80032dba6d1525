//! Vocabulary of the graph: states, properties and relations, each spelled as in VirtualHome's files, and sets of them.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A word of a closed list that a [`Flags`] can hold.
pub trait Flag: Copy + PartialEq + fmt::Debug + 'static {
    /// All of them, sorted by their spelling.
    const ALL: &'static [Self];
    /// The noun for one of them, for errors (`state`).
    const WHAT: &'static str;
    /// Its place in [`Flag::ALL`].
    fn index(self) -> u32;
    fn name(self) -> &'static str;
}

macro_rules! words {
    ($(#[$doc:meta])* $type:ident, $what:literal, { $($(#[$note:meta])* $variant:ident = $name:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $type { $($(#[$note])* #[doc = concat!("`", $name, "`.")] $variant),* }

        impl Flag for $type {
            const ALL: &'static [Self] = &[$($type::$variant),*];
            const WHAT: &'static str = $what;

            fn index(self) -> u32 {
                self as u32
            }

            fn name(self) -> &'static str {
                match self { $($type::$variant => $name),* }
            }
        }

        impl FromStr for $type {
            type Err = UnknownWord;

            fn from_str(text: &str) -> Result<Self, UnknownWord> {
                match text {
                    $($name => Ok($type::$variant),)*
                    other => Err(UnknownWord { what: $what, found: other.to_owned(), known: Self::ALL.iter().map(|w| w.name()).collect() }),
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.name())
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                from.deserialize_str(Word(PhantomData))
            }
        }
    };
}

words! {
    State, "state", {
        Clean = "CLEAN", Closed = "CLOSED", Dirty = "DIRTY", Lying = "LYING", Off = "OFF", On = "ON", Open = "OPEN",
        PluggedIn = "PLUGGED_IN", PluggedOut = "PLUGGED_OUT", Sitting = "SITTING",
    }
}

words! {
    /// A property of a thing, which nothing changes.
    Property, "property", {
        BodyPart = "BODY_PART", CanOpen = "CAN_OPEN", Clothes = "CLOTHES", Containers = "CONTAINERS", CoverObject = "COVER_OBJECT",
        Cream = "CREAM", Cuttable = "CUTTABLE", Drinkable = "DRINKABLE", Eatable = "EATABLE", Grabbable = "GRABBABLE",
        Hangable = "HANGABLE", HasPaper = "HAS_PAPER", HasPlug = "HAS_PLUG", HasSwitch = "HAS_SWITCH", Lieable = "LIEABLE",
        Lookable = "LOOKABLE", Movable = "MOVABLE", Person = "PERSON", Pourable = "POURABLE", Readable = "READABLE",
        Recipient = "RECIPIENT", Sittable = "SITTABLE", Surfaces = "SURFACES",
    }
}

words! {
    /// A directed relation between two things. `CLOSE` is kept in both directions by every rule.
    Relation, "relation", {
        /// From a door to a room it leads into.
        Between = "BETWEEN",
        Close = "CLOSE",
        Facing = "FACING",
        /// From the character to what its left hand holds.
        HoldsLeft = "HOLDS_LH",
        /// From the character to what its right hand holds.
        HoldsRight = "HOLDS_RH",
        /// From a thing to its container or its room.
        Inside = "INSIDE",
        /// From a thing to what it lies on, or to the character that wears it.
        On = "ON",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} `{found}`; expected one of {}", known.join(", "))]
pub struct UnknownWord {
    /// Expectation (`state`).
    pub what: &'static str,
    pub found: String,
    pub known: Vec<&'static str>,
}

struct Word<T>(PhantomData<T>);

impl<T: Flag + FromStr<Err = UnknownWord>> Visitor<'_> for Word<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a {}", T::WHAT)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().or_else(|_| text.to_ascii_uppercase().parse()).map_err(E::custom)
    }
}

/// A set of words, sorted by their spelling.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Flags<T>(u32, PhantomData<T>);

pub type States = Flags<State>;
pub type Properties = Flags<Property>;

impl<T> Default for Flags<T> {
    fn default() -> Self {
        Flags(0, PhantomData)
    }
}

impl<T: Flag> fmt::Debug for Flags<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl<T: Flag> Flags<T> {
    pub fn has(self, word: T) -> bool {
        self.0 & (1 << word.index()) != 0
    }

    pub fn any(self, words: &[T]) -> bool {
        words.iter().any(|word| self.has(*word))
    }

    #[must_use]
    pub fn with(self, word: T) -> Self {
        Flags(self.0 | (1 << word.index()), PhantomData)
    }

    #[must_use]
    pub fn without(self, word: T) -> Self {
        Flags(self.0 & !(1 << word.index()), PhantomData)
    }

    /// The words in it, sorted by their spelling.
    pub fn iter(self) -> impl Iterator<Item = T> {
        T::ALL.iter().copied().filter(move |word| self.has(*word))
    }

    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The members of one of the two and not of the other.
    #[must_use]
    pub fn differing(self, other: Self) -> Self {
        Flags(self.0 ^ other.0, PhantomData)
    }

    /// The members of one of the two at least.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Flags(self.0 | other.0, PhantomData)
    }
}

impl<T: Flag> FromIterator<T> for Flags<T> {
    fn from_iter<I: IntoIterator<Item = T>>(words: I) -> Self {
        words.into_iter().fold(Flags::default(), Flags::with)
    }
}

impl<T: Flag + Serialize> Serialize for Flags<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter())
    }
}

impl<'de, T: Flag + Deserialize<'de>> Deserialize<'de> for Flags<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct List<T>(PhantomData<T>);
        impl<'de, T: Flag + Deserialize<'de>> Visitor<'de> for List<T> {
            type Value = Flags<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a list, each a {}", T::WHAT)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Flags<T>, A::Error> {
                let mut found = Flags::default();
                while let Some(word) = list.next_element::<T>()? {
                    found = found.with(word);
                }
                Ok(found)
            }
        }
        from.deserialize_seq(List(PhantomData))
    }
}

/// States of which a thing has one at most.
const OPPOSITES: [[State; 2]; 5] = [
    [State::Clean, State::Dirty],
    [State::Closed, State::Open],
    [State::Off, State::On],
    [State::PluggedIn, State::PluggedOut],
    [State::Sitting, State::Lying],
];

impl States {
    /// With a state and without its opposite.
    #[must_use]
    pub fn set(self, state: State) -> States {
        let of = OPPOSITES.iter().find(|pair| pair.contains(&state)).into_iter().flatten();
        of.fold(self, |states, one| states.without(*one)).with(state)
    }

    /// Two of the states that exclude each other, where it has both.
    pub fn contradiction(self) -> Option<[State; 2]> {
        OPPOSITES.iter().copied().find(|[one, other]| self.has(*one) && self.has(*other))
    }

    /// Whether it says that somebody sits or lies.
    pub fn rests(self) -> bool {
        self.has(State::Sitting) || self.has(State::Lying)
    }
}
