//! Parser of conditions in tokens: "in the golden bowl", "in a higher position than the red block", "not dirty".

use super::parse::Parser;
use super::phrase::{Condition, Noun};

/// Words that add nothing to a condition.
const FILLERS: &str = "\
    placed put located positioned sitting standing lying resting stacked currently now still already being \
    been also kept found left moved";
const HIGH: &str = "highest top topmost uppermost";
const LOW: &str = "lowest bottom bottommost lowermost";
const PLACES: &str = "position positions place places spot level levels height heights point location";

impl Parser<'_> {
    /// Conditions joined by "and", "but" or "or", as they are said of a subject.
    pub fn conditions(&mut self) -> Option<Condition> {
        let mut all = vec![self.condition()?];
        let mut either = false;
        loop {
            let before = *self;
            let or = self.take("or");
            let joined = or || self.take("and but");
            match if joined { self.condition() } else { None } {
                Some(condition) => {
                    either |= or;
                    all.push(condition);
                }
                None => {
                    *self = before;
                    break;
                }
            }
        }
        match all.len() {
            1 => all.pop(),
            _ if either => Some(Condition::Either(all)),
            _ => Some(Condition::Both(all)),
        }
    }

    /// One condition.
    pub fn condition(&mut self) -> Option<Condition> {
        let before = *self;
        let found = self.one_condition();
        if found.is_none() {
            *self = before;
        }
        found
    }

    fn one_condition(&mut self) -> Option<Condition> {
        self.skip(FILLERS);
        if self.take("not") {
            let inner = self.condition()?;
            return Some(Condition::Not(Box::new(inner)));
        }
        let direct = self.take("right directly immediately just straight");
        if self.take("above over atop") {
            return Some(Condition::Above(direct, self.phrase()?));
        }
        if self.take("below under beneath underneath") {
            return Some(Condition::Below(direct, self.phrase()?));
        }
        self.extreme()
            .or_else(|| self.compared())
            .or_else(|| self.together())
            .or_else(|| self.at_place())
            .or_else(|| self.holding())
            .or_else(|| self.state())
            .or_else(|| self.weight())
    }

    /// "on top of", "in the highest position", "at the bottom of the stack in the golden bowl".
    fn extreme(&mut self) -> Option<Condition> {
        let before = *self;
        let at = self.take("on at in");
        self.take("the a");
        let high = self.take(HIGH);
        if !high && !self.take(LOW) {
            *self = before;
            return None;
        }
        let placed = self.skip(PLACES);
        if !at && !placed && !self.is_done() && !self.is_at("of in") {
            *self = before;
            return None;
        }
        let of = self.take("of in among on");
        let stack = of && {
            self.take("the a its");
            self.take("stack stacks tower pile")
        };
        if stack {
            // "… of the stack (in the golden bowl)"
            self.take("in on with of");
        }
        let within = if of { self.phrase() } else { None };
        let extreme = if high { Condition::Highest } else { Condition::Lowest };
        match within {
            Some(phrase) if high && !stack && phrase.parts.iter().all(is_block) => Some(Condition::Above(true, phrase)),
            Some(phrase) => Some(extreme(Some(phrase))),
            None if of && !stack => {
                *self = before;
                None
            }
            None => Some(extreme(None)),
        }
    }

    /// "in a higher position than …", "higher than …", "at the same height as …".
    fn compared(&mut self) -> Option<Condition> {
        let before = *self;
        self.take("in at on");
        if !self.rest().get(1).is_some_and(|token| token.among("same")) {
            self.take("a the");
        }
        self.skip(PLACES);
        let higher = self.take("higher");
        if higher || self.take("lower") {
            self.take("in");
            self.skip(PLACES);
            self.take("up down placed positioned");
            if self.take("than compared") {
                self.take("to");
                self.take_all("that of");
                if let Some(phrase) = self.phrase() {
                    return Some(if higher { Condition::Higher(phrase) } else { Condition::Lower(phrase) });
                }
            }
        }
        if self.take_all("the same") || self.take("same") {
            let placed = self.skip(PLACES);
            if placed
                && self.take("as")
                && let Some(phrase) = self.phrase()
            {
                return Some(Condition::Level(phrase));
            }
        }
        *self = before;
        None
    }

    /// "in the same bowl as …", "in the same stack".
    fn together(&mut self) -> Option<Condition> {
        let before = *self;
        self.take("in on part");
        self.take("of");
        if self.take_all("the same") || self.take("same") {
            let stack = self.take("stack tower pile");
            if stack || self.take("bowl container") {
                if self.take("as with") {
                    return Some(Condition::Beside(stack, self.phrase()?));
                }
                return Some(Condition::Together(stack));
            }
        }
        *self = before;
        None
    }

    /// "in", "on", "inside", "out of" …
    fn at_place(&mut self) -> Option<Condition> {
        let before = *self;
        let from = self.take_all("out of") || self.take_all("off of") || self.take("from off");
        if !from && !self.take("in inside into within on onto upon to") {
            return None;
        }
        self.take_all("top of");
        self.take("of");
        let Some(phrase) = self.phrase() else {
            *self = before;
            return None;
        };
        Some(if from { Condition::From(phrase) } else { Condition::At(phrase) })
    }

    /// "with a block (in it)", "that contains the red block", "holding nothing".
    fn holding(&mut self) -> Option<Condition> {
        let before = *self;
        if self.take("without") {
            let inside = self.held()?;
            self.in_it();
            return Some(Condition::Not(Box::new(Condition::Holds(inside))));
        }
        if !self.take("with containing contains contain holding holds hold having has have carrying carries") {
            return None;
        }
        if self.take_all("nothing") {
            self.in_it();
            return Some(Condition::Empty);
        }
        self.take("the");
        let most = self.take("most");
        if (most || self.take("fewest least")) && self.take("blocks") {
            self.in_it();
            return Some(Condition::Fullest(most));
        }
        let Some(inside) = self.held() else {
            *self = before;
            return None;
        };
        self.in_it();
        Some(Condition::Holds(inside))
    }

    fn in_it(&mut self) {
        let before = *self;
        if !(self.take("in inside on") && (self.take("it them") || self.is_done())) {
            *self = before;
        }
    }

    /// "clean", "dirty", "empty".
    fn state(&mut self) -> Option<Condition> {
        let states = [
            ("clean disinfected sterile uncontaminated", Condition::Clean(true)),
            ("dirty polluted contaminated", Condition::Clean(false)),
            ("empty free clear unused", Condition::Empty),
            ("uncovered", Condition::Not(Box::new(Condition::Covered))),
            ("covered hidden", Condition::Covered),
        ];
        let (_, state) = states.into_iter().find(|(words, _)| self.take(words))?;
        let by = state == Condition::Covered && self.take("by with under");
        Some(if by { Condition::Below(true, self.phrase()?) } else { state })
    }

    /// "heavier than", "as heavy as", "the heaviest", "the red block", "one of the clean blocks".
    fn weight(&mut self) -> Option<Condition> {
        let before = *self;
        let heavier = self.take("heavier");
        if (heavier || self.take("lighter")) && self.take("than") {
            return Some(Condition::Heavier(heavier, self.phrase()?));
        }
        if self.take("weigh weighs") {
            let more = self.take("more");
            if (more || self.take("less")) && self.take("than") {
                return Some(Condition::Heavier(more, self.phrase()?));
            }
            if self.take_all("as much as") || self.take_all("the same as") {
                return Some(Condition::AsHeavy(self.phrase()?));
            }
        }
        *self = before;
        if self.take_all("as heavy as") || self.take_all("the same weight as") {
            return Some(Condition::AsHeavy(self.phrase()?));
        }
        self.take("the");
        if self.take("heaviest") {
            return Some(Condition::Heaviest(true));
        }
        if self.take("lightest") {
            return Some(Condition::Heaviest(false));
        }
        *self = before;
        None
    }

    /// What somebody is asked about by name: "is the highest block [the red block]", "is it [red]".
    pub fn identity(&mut self) -> Option<Condition> {
        let before = *self;
        if let Some(phrase) = self.phrase() {
            return Some(Condition::Among(phrase));
        }
        *self = before;
        let colour = self.rest().first()?.word()?.to_owned();
        (super::vocabulary::is_colour(&colour) && self.take(&colour)).then_some(Condition::Called(colour))
    }
}

fn is_block(part: &super::phrase::Part) -> bool {
    match &part.noun {
        Noun::Named(name) => !super::scene::kind(name).contains(),
        Noun::Block | Noun::Cover | Noun::It => true,
        Noun::Bowl | Noun::Object | Noun::Table => false,
    }
}
