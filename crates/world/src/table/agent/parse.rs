//! Parser of phrases in tokens: "the clean blocks", "the block in the golden bowl", "an empty bowl".
//!
//! Phrases are taken as long as they go; where that is too long (`put [the block] in [the bowl]`), those who call try every place to
//! cut. Conditions are in [`super::parse_condition`].

use super::phrase::{Condition, Count, Noun, Part, Phrase};
use super::words::Token;
use crate::table::TABLE;

/// How deep descriptions may be in each other ("the block on the block on …"); each costs stack and time.
const DEEPEST: usize = 6;

/// A place in the tokens.
#[derive(Debug, Clone, Copy)]
pub struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    /// Whether a description is read of what something holds, where "in it" is no part of the description.
    held: bool,
}

impl<'a> Parser<'a> {
    /// At the beginning.
    pub fn new(tokens: &'a [Token]) -> Self {
        Parser { tokens, at: 0, depth: 0, held: false }
    }

    /// The tokens from here on.
    pub fn rest(&self) -> &'a [Token] {
        self.tokens.get(self.at..).unwrap_or_default()
    }

    /// Whether nothing is left.
    pub fn is_done(&self) -> bool {
        self.rest().iter().all(|token| matches!(token, Token::Comma | Token::Stop))
    }

    /// Whether the next word is one of these.
    pub fn is_at(&self, words: &str) -> bool {
        self.rest().first().is_some_and(|token| token.among(words))
    }

    /// Takes a word if it is one of these.
    pub fn take(&mut self, words: &str) -> bool {
        let found = self.is_at(words);
        self.at += usize::from(found);
        found
    }

    /// Takes words one after another, all or none.
    pub fn take_all(&mut self, words: &str) -> bool {
        let start = self.at;
        let all = words.split(' ').all(|word| self.take(word));
        if !all {
            self.at = start;
        }
        all
    }

    /// Takes as many of these words as come.
    pub fn skip(&mut self, words: &str) -> bool {
        let start = self.at;
        while self.take(words) {}
        self.at > start
    }

    fn take_comma(&mut self) -> bool {
        let found = self.rest().first() == Some(&Token::Comma);
        self.at += usize::from(found);
        found
    }

    /// A phrase: things joined by commas and "and".
    pub fn phrase(&mut self) -> Option<Phrase> {
        let mut parts = vec![self.part()?];
        loop {
            let before = *self;
            let comma = self.take_comma();
            let and = self.take("and or") || self.take_all("as well as");
            match if comma || and { self.part() } else { None } {
                Some(part) => parts.push(part),
                None => {
                    *self = before;
                    return Some(Phrase { parts });
                }
            }
        }
    }

    /// A phrase that is all there is.
    pub fn whole_phrase(tokens: &'a [Token]) -> Option<Phrase> {
        let mut parser = Parser::new(tokens);
        parser.phrase().filter(|_| parser.is_done())
    }

    /// A phrase for what something holds: "[two blocks] in it".
    pub fn held(&mut self) -> Option<Phrase> {
        let before = std::mem::replace(&mut self.held, true);
        let found = self.phrase();
        self.held = before;
        found
    }

    /// One thing with what is said of it.
    pub fn part(&mut self) -> Option<Part> {
        if self.depth >= DEEPEST {
            return None;
        }
        self.depth += 1;
        let before = *self;
        let part = self.described();
        if part.is_none() {
            *self = before;
        }
        self.depth -= 1;
        part
    }

    fn described(&mut self) -> Option<Part> {
        let (mut count, counted) = self.count();
        let mut conditions = Vec::new();
        while let Some(condition) = self.adjective() {
            conditions.push(condition);
        }
        let (noun, plural) = self.noun(counted, &mut conditions)?;
        if plural && matches!(count, Count::The | Count::Any) {
            count = Count::All;
        }
        self.after_noun(&mut conditions);
        Some(Part { count, noun, conditions })
    }

    /// "the", "a", "all the" …; whether there was such a word.
    fn count(&mut self) -> (Count, bool) {
        let counts = [("all every each both", Count::All), ("any some", Count::Any), ("no", Count::No)];
        if let Some((_, count)) = counts.into_iter().find(|(words, _)| self.take(words)) {
            self.take("of");
            self.skip("the these those single");
            return (count, true);
        }
        // "another" says besides which is meant.
        if self.is_at("another") || self.take("a an") {
            self.take("single");
            return (Count::Any, true);
        }
        let counted = self.skip("the this that these those its their");
        (Count::The, counted)
    }

    fn adjective(&mut self) -> Option<Condition> {
        let before = *self;
        let found = match self.rest().first()?.word()? {
            "clean" | "disinfected" | "sterile" => Condition::Clean(true),
            "dirty" | "polluted" | "contaminated" => Condition::Clean(false),
            "empty" | "free" | "unused" | "clear" => Condition::Empty,
            "other" | "others" | "remaining" | "another" => Condition::Other,
            "highest" | "top" | "topmost" | "uppermost" => Condition::Highest(None),
            "lowest" | "bottom" | "bottommost" | "lowermost" => Condition::Lowest(None),
            "heaviest" => Condition::Heaviest(true),
            "lightest" => Condition::Heaviest(false),
            "non" | "not" => {
                self.at += 1;
                let inner = self.adjective();
                if inner.is_none() {
                    *self = before;
                }
                return inner.map(|condition| Condition::Not(Box::new(condition)));
            }
            "rest" => {
                self.at += 1;
                self.take("of");
                self.take("the");
                return Some(Condition::Other);
            }
            "two" | "three" | "four" | "five" | "six" | "seven" | "eight" | "nine" => {
                self.at += 1;
                return self.adjective();
            }
            _ => return None,
        };
        self.at += 1;
        Some(found)
    }

    /// The noun, and whether it is in the plural. Without a noun "the clean" or "the red" is still understood.
    fn noun(&mut self, counted: bool, conditions: &mut Vec<Condition>) -> Option<(Noun, bool)> {
        let Some(first) = self.rest().first() else { return self.no_noun(counted, conditions) };
        let (noun, plural) = match first {
            Token::Object(name) => (Noun::Named(name.clone()), false),
            Token::Word(word) => match word.as_str() {
                "block" | "one" => (Noun::Block, false),
                "blocks" | "ones" => (Noun::Block, true),
                "bowl" | "container" => (Noun::Bowl, false),
                "bowls" | "containers" => (Noun::Bowl, true),
                "cover" => (Noun::Cover, false),
                "covers" => (Noun::Cover, true),
                "object" | "thing" | "item" | "anything" | "something" | "what" | "nothing" => (Noun::Object, false),
                "objects" | "things" | "items" | "everything" => (Noun::Object, true),
                TABLE | "tabletop" | "ground" | "floor" | "desk" => (Noun::Table, false),
                "it" => (Noun::It, false),
                "them" | "they" | "themselves" => (Noun::It, true),
                "others" => (Noun::Block, true),
                "stack" | "tower" | "pile" => return self.stack(conditions),
                _ => return self.no_noun(counted, conditions),
            },
            Token::Comma | Token::Stop => return self.no_noun(counted, conditions),
        };
        self.at += 1;
        if noun == Noun::Table {
            // "the dirty table" is the table.
            conditions.clear();
        }
        Some((noun, plural))
    }

    /// "the stack in the golden bowl": as a place, its highest block.
    fn stack(&mut self, conditions: &mut Vec<Condition>) -> Option<(Noun, bool)> {
        self.at += 1;
        self.take("that which");
        self.take("is contains has holds");
        self.take("in on with of");
        let within = self.phrase()?;
        conditions.push(Condition::Highest(Some(within)));
        Some((Noun::Block, false))
    }

    fn no_noun(&mut self, counted: bool, conditions: &mut Vec<Condition>) -> Option<(Noun, bool)> {
        const AFTER: &str = "in into on onto to from off is are was were become becomes and than contain contains";
        let ends = |next: Option<&Token>| next.is_none_or(|next| next.word().is_none() || next.among(AFTER));
        if !counted {
            return None;
        }
        if let Some(Token::Word(word)) = self.rest().first()
            && super::vocabulary::may_name(word)
            && ends(self.rest().get(1))
        {
            conditions.push(Condition::Called(word.clone()));
            self.at += 1;
            return Some((Noun::Block, false));
        }
        let plural = conditions.iter().any(|condition| matches!(condition, Condition::Other | Condition::Clean(_)));
        (!conditions.is_empty() && ends(self.rest().first())).then_some((Noun::Block, plural))
    }

    /// "in the golden bowl", "that is dirty", after a noun.
    fn after_noun(&mut self, conditions: &mut Vec<Condition>) {
        loop {
            let before = *self;
            if self.held && self.take("in inside on") && self.take("it them") {
                *self = before;
                return;
            }
            *self = before;
            let and = !conditions.is_empty() && self.take("and but");
            let relative = self.take("that which who");
            if relative {
                self.take("is are was were stands lies sits stand lie sit");
            }
            let found = if and && !relative { None } else { self.condition() };
            match found {
                Some(Condition::Clean(_) | Condition::Empty | Condition::AsHeavy(_) | Condition::Heavier(..))
                    if !relative =>
                {
                    // "is the block in the bowl clean": this is what is asked or stated, not what is described.
                    *self = before;
                    return;
                }
                Some(condition) => conditions.push(condition),
                None => {
                    *self = before;
                    return;
                }
            }
        }
    }
}
