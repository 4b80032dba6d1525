//! Reference resolution: which things a phrase means in a believed scene.

use std::cmp::Ordering;

use indexmap::IndexSet;
use serde_json::Value;

use super::Unreadable;
use super::phrase::{Condition, Count, Noun, Part, Phrase};
use super::scene::{Scene, Support, kind};
use super::weights::Weights;
use crate::table::{Kind, TABLE};

/// What phrases are read against.
#[derive(Debug, Clone)]
pub struct Context<'a> {
    /// The belief.
    pub belief: &'a Value,
    /// The same as a scene.
    pub scene: &'a Scene,
    /// The objects named in the request: "the other bowl" is none of them.
    pub named: Vec<String>,
    /// What was spoken of last: "it", "them".
    pub it: Vec<String>,
    /// Where something was put last: "in it".
    pub place: Option<String>,
}

impl Context<'_> {
    /// The things a phrase means, each once, in the order they are named or listed.
    ///
    /// # Errors
    /// If a description that should mean one thing means none, or several.
    pub fn things(&self, phrase: &Phrase) -> Result<Vec<String>, Unreadable> {
        let mut found = IndexSet::new();
        for part in &phrase.parts {
            found.extend(self.part(part)?);
        }
        Ok(found.into_iter().collect())
    }

    fn part(&self, part: &Part) -> Result<Vec<String>, Unreadable> {
        let found = self.matching(part)?;
        match part.count {
            Count::The if found.len() > 1 => self.the_one(part, found),
            Count::The if found.is_empty() && !part.conditions.is_empty() => {
                Err(Unreadable::none(format!("nothing in the belief is {}", describe(part))))
            }
            _ => Ok(found),
        }
    }

    /// Several things fit a description that means one: the one that is there directly, else none.
    fn the_one(&self, part: &Part, found: Vec<String>) -> Result<Vec<String>, Unreadable> {
        let nearest: Vec<Condition> = part.conditions.iter().cloned().map(Condition::nearest).collect();
        if nearest != part.conditions {
            // "the block under the cover" is the next one below.
            return self.part(&Part { conditions: nearest, ..part.clone() });
        }
        let free: Vec<&String> = found.iter().filter(|name| self.scene.directly_on(name).next().is_none()).collect();
        match free.as_slice() {
            // Of a stack in a bowl the block that can be taken is meant.
            [top]
                if part
                    .conditions
                    .iter()
                    .any(|condition| matches!(condition, Condition::At(_) | Condition::From(_))) =>
            {
                Ok(vec![(*top).clone()])
            }
            _ => Err(Unreadable::new("", format!("{} may be any of {}", describe(part), found.join(", ")))),
        }
    }

    /// Everything of the part's sort that meets its conditions, however many were meant.
    pub fn matching(&self, part: &Part) -> Result<Vec<String>, Unreadable> {
        let scene = self.scene;
        let sort: Vec<String> = match &part.noun {
            Noun::Named(name) => vec![name.clone()],
            Noun::Block => scene.all(Kind::Block).cloned().collect(),
            Noun::Cover => scene.all(Kind::Cover).cloned().collect(),
            Noun::Bowl => {
                let all_containers = part.conditions.iter().any(|condition| matches!(condition, Condition::Holds(_)));
                let is_one = |name: &&String| kind(name) == Kind::Bowl || all_containers && kind(name).contains();
                scene.objects.iter().filter(is_one).cloned().collect()
            }
            Noun::Object => scene.objects.clone(),
            Noun::Table => vec![TABLE.to_owned()],
            Noun::It => self.it.clone(),
        };
        let mut found = Vec::new();
        for name in sort {
            let of_all = |all: bool, one: &Condition| Ok(all && self.among_its_like(part, one, &name)?);
            if part.conditions.iter().try_fold(true, of_all)? {
                found.push(name);
            }
        }
        Ok(found)
    }

    /// Whether a condition of a part holds for a thing. "The other blocks" are those nothing is known of, where it is known of any
    /// whether they are clean; else, as with bowls, those that are not named.
    fn among_its_like(&self, part: &Part, condition: &Condition, name: &str) -> Result<bool, Unreadable> {
        if *condition == Condition::Other && part.noun == Noun::Block && !self.scene.clean.is_empty() {
            return Ok(!self.scene.clean.contains_key(name));
        }
        self.holds(condition, name)
    }

    /// Whether a condition holds for a thing.
    pub fn holds(&self, condition: &Condition, name: &str) -> Result<bool, Unreadable> {
        let scene = self.scene;
        let any = |phrase: &Phrase, test: &dyn Fn(&str) -> bool| -> Result<bool, Unreadable> {
            Ok(self.things(phrase)?.iter().any(|other| test(other)))
        };
        let every = |phrase: &Phrase, test: &dyn Fn(&str) -> bool| -> Result<bool, Unreadable> {
            let mut others = self.things(phrase)?;
            others.retain(|other| other != name);
            Ok(!others.is_empty() && others.iter().all(|other| test(other)))
        };
        Ok(match condition {
            Condition::At(phrase) | Condition::From(phrase) => any(phrase, &|place| is_at(scene, name, place))?,
            Condition::Above(true, phrase) => {
                any(phrase, &|other| scene.support(name) == Support::On(other.to_owned()))?
            }
            Condition::Above(false, phrase) => {
                any(phrase, &|other| scene.below(name).iter().any(|below| below == other))?
            }
            Condition::Below(true, phrase) => any(phrase, &|other| match scene.support(other) {
                Support::On(below) | Support::In(below) => below == name,
                Support::Table => name == TABLE,
            })?,
            Condition::Below(false, phrase) => {
                any(phrase, &|other| scene.below(other).iter().any(|below| below == name))?
            }
            Condition::Higher(phrase) => every(phrase, &|other| scene.height(name) > scene.height(other))?,
            Condition::Lower(phrase) => every(phrase, &|other| scene.height(name) < scene.height(other))?,
            Condition::Level(phrase) => every(phrase, &|other| scene.height(name) == scene.height(other))?,
            Condition::Highest(within) => self.is_extreme(name, within.as_ref(), true)?,
            Condition::Lowest(within) => self.is_extreme(name, within.as_ref(), false)?,
            Condition::Empty => scene.contents(name).is_empty() && scene.directly_on(name).next().is_none(),
            Condition::Covered => scene.directly_on(name).any(|above| kind(above) == Kind::Cover),
            Condition::Clean(clean) => scene.clean.get(name) == Some(clean),
            Condition::Other => !self.named.iter().chain(&self.it).any(|other| other == name) && !self.holds_it(name),
            Condition::Holds(phrase) if phrase.parts.iter().all(|part| part.count == Count::No) => {
                scene.contents(name).is_empty()
            }
            Condition::Holds(phrase) => any(phrase, &|inside| is_at(scene, inside, name))?,
            Condition::Fullest(most) => {
                let inside = scene.contents(name).len();
                let mut others =
                    scene.all(Kind::Bowl).filter(|bowl| *bowl != name).map(|bowl| scene.contents(bowl).len());
                kind(name) == Kind::Bowl && others.all(|other| if *most { inside > other } else { inside < other })
            }
            Condition::Beside(true, phrase) => {
                any(phrase, &|other| scene.stack(name).iter().any(|block| block == other))?
            }
            Condition::Beside(false, phrase) => {
                any(phrase, &|other| scene.container(name).is_some_and(|one| scene.container(other) == Some(one)))?
            }
            // Said of several together, see `question`.
            Condition::Together(_) => false,
            Condition::Heavier(true, phrase) => self.weighs(name, &self.things(phrase)?, Ordering::is_gt)?,
            Condition::Heavier(false, phrase) => self.weighs(name, &self.things(phrase)?, Ordering::is_lt)?,
            Condition::AsHeavy(phrase) => self.weighs(name, &self.things(phrase)?, Ordering::is_eq)?,
            Condition::Heaviest(most) => {
                let others: Vec<String> = scene.all(Kind::Block).filter(|other| *other != name).cloned().collect();
                kind(name) == Kind::Block
                    && self.weighs(name, &others, if *most { Ordering::is_ge } else { Ordering::is_le })?
            }
            Condition::Among(phrase) => any(phrase, &|other| other == name)?,
            Condition::Called(word) => name.to_lowercase().split(' ').any(|part| part == word),
            Condition::Not(inner) => !self.holds(inner, name)?,
            Condition::Both(all) => all.iter().try_fold(true, |both, one| Ok(both && self.holds(one, name)?))?,
            Condition::Either(all) => all.iter().try_fold(false, |any, one| Ok(any || self.holds(one, name)?))?,
        })
    }

    /// Whether a block's weight compares so to all others'.
    fn weighs(&self, name: &str, others: &[String], so: fn(Ordering) -> bool) -> Result<bool, Unreadable> {
        let weights = Weights::of(self.belief, self.scene)?;
        let mut all = !others.is_empty();
        for other in others {
            all &= so(weights.compare(name, other).ok_or_else(|| unknown_weight(name, other))?);
        }
        Ok(all)
    }

    /// Whether a container holds what is named.
    fn holds_it(&self, container: &str) -> bool {
        kind(container).contains() && self.named.iter().chain(&self.it).any(|name| is_at(self.scene, name, container))
    }

    /// Whether no block is higher (lower), among those in the same place if one is given.
    fn is_extreme(&self, name: &str, within: Option<&Phrase>, highest: bool) -> Result<bool, Unreadable> {
        let scene = self.scene;
        if kind(name).contains() {
            return Ok(false);
        }
        let rivals: Vec<String> = match within {
            None => scene.objects.iter().filter(|other| !kind(other).contains()).cloned().collect(),
            Some(phrase) => {
                let mut all = Vec::new();
                for place in self.things(phrase)? {
                    if kind(&place).contains() {
                        all.extend(scene.contents(&place));
                    } else if place == TABLE {
                        all.extend(
                            scene
                                .objects
                                .iter()
                                .filter(|b| !kind(b).contains() && scene.container(b).is_none())
                                .cloned(),
                        );
                    } else {
                        all.extend(scene.stack(&place));
                    }
                }
                all
            }
        };
        let rivals: Vec<&String> = rivals.iter().filter(|other| kind(other) == Kind::Block).collect();
        let height = scene.height(name);
        let best = rivals.iter().map(|other| scene.height(other));
        let best = if highest { best.max() } else { best.min() };
        Ok(rivals.iter().any(|rival| *rival == name) && best == Some(height))
    }
}

/// Whether a thing is in a container (its whole stack counts), or directly on a block or the table.
fn is_at(scene: &Scene, name: &str, place: &str) -> bool {
    if kind(name).contains() {
        return place == TABLE;
    }
    if kind(place).contains() {
        return scene.container(name).as_deref() == Some(place);
    }
    match scene.support(name) {
        Support::Table => place == TABLE,
        Support::On(below) => below == place,
        Support::In(_) => false,
    }
}

/// The error where the belief does not join two blocks' weights.
pub fn unknown_weight(one: &str, other: &str) -> Unreadable {
    Unreadable::new("", format!("the belief does not say how the weights of {one} and {other} compare"))
}

/// A part in words, for errors.
fn describe(part: &Part) -> String {
    let noun = match &part.noun {
        Noun::Named(name) => return format!("the {name} that is described"),
        Noun::Block => "block",
        Noun::Cover => "cover",
        Noun::Bowl => "bowl",
        Noun::Object => "object",
        Noun::Table => TABLE,
        Noun::It => "thing spoken of before",
    };
    if part.conditions.is_empty() { format!("the {noun}") } else { format!("the {noun} that is described") }
}
