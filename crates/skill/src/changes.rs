//! Changes of what is known: what a new list has, lacks or says otherwise than the old one, each change to be taken or left by itself;
//! and the changes a person makes by hand, skills merged, split and renamed.

use std::fmt;

use crate::call::Signature;
use crate::example::Example;
use crate::function::Version;
use crate::knowledge::{Knowledge, Primitive, Skill};
use crate::rules::Rules;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Added(Skill),
    Removed(String),
    Signature {
        before: Signature,
        after: Signature,
    },
    /// A skill is introduced otherwise, or uses others.
    Remarks {
        skill: String,
        intro: String,
        uses: Vec<String>,
    },
    Rules(Rules),
    /// A tip is added (nothing before), gone (nothing after), or said otherwise.
    Tip {
        /// The skill; `None` for a tip of no skill.
        skill: Option<String>,
        before: Option<String>,
        after: Option<String>,
    },
    /// A primitive is added, gone, or has other examples.
    Primitive {
        skill: String,
        before: Option<Primitive>,
        after: Option<Primitive>,
    },
    /// The versions of a skill's function.
    Function {
        skill: String,
        before: Vec<Version>,
        after: Vec<Version>,
    },
    /// An example is added or gone.
    Example {
        added: bool,
        example: Example,
    },
}

impl Change {
    /// Whether something is added (`+`), removed (`-`) or said otherwise (`~`).
    pub fn sign(&self) -> char {
        match self {
            Change::Added(_) => '+',
            Change::Removed(_) => '-',
            Change::Signature { .. } | Change::Remarks { .. } | Change::Rules(_) => '~',
            Change::Tip { before, after, .. } => sign(before.is_some(), after.is_some()),
            Change::Primitive { before, after, .. } => sign(before.is_some(), after.is_some()),
            Change::Function { before, after, .. } => sign(!before.is_empty(), !after.is_empty()),
            Change::Example { added, .. } => sign(!added, *added),
        }
    }
}

fn sign(before: bool, after: bool) -> char {
    match (before, after) {
        (false, _) => '+',
        (true, false) => '-',
        (true, true) => '~',
    }
}

fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.sign())?;
        match self {
            Change::Added(skill) => {
                let primitives = count(skill.primitives.len(), "primitive");
                write!(f, "skill {} ({primitives}, {})", skill.signature, count(skill.tips.len(), "tip"))
            }
            Change::Removed(name) => write!(f, "skill {name}"),
            Change::Signature { before, after } => write!(f, "skill {before} becomes {after}"),
            Change::Remarks { skill, .. } => write!(f, "{skill}: introduction or uses"),
            Change::Rules(rules) => {
                write!(f, "rules: {}, {}", count(rules.actions.len(), "action"), count(rules.plans.len(), "plan"))
            }
            Change::Tip { skill, before, after } => {
                let of = skill.as_ref().map_or_else(String::new, |skill| format!("{skill}: "));
                match (before, after) {
                    (Some(before), Some(after)) => write!(f, "{of}tip {before:?} becomes {after:?}"),
                    (before, after) => write!(f, "{of}tip {}", after.as_ref().or(before.as_ref()).map_or("", |t| t)),
                }
            }
            Change::Primitive { skill, before, after } => {
                let syntax = after.as_ref().or(before.as_ref()).map_or("", |p| p.syntax.as_str());
                write!(f, "{skill}: primitive {syntax}")
            }
            Change::Function { skill, after, .. } => match after.last() {
                Some(last) => write!(f, "{skill}: function, version {}: {}; {}", after.len(), last.why, last.tried()),
                None => write!(f, "{skill}: function"),
            },
            Change::Example { example, .. } => write!(f, "example {} ({})", example.task(), example.calls().join(", ")),
        }
    }
}

/// The changes from one knowledge to another, skill by skill; [`apply`] with all of them gives the other, the order of
/// its lists aside.
pub fn between(from: &Knowledge, to: &Knowledge) -> Vec<Change> {
    let mut changes = Vec::new();
    tips(None, &from.tips, &to.tips, &mut changes);
    for skill in &to.skills {
        let name = &skill.signature.name;
        let Some(before) = from.skill(name) else {
            changes.push(Change::Added(skill.clone()));
            continue;
        };
        if before.signature != skill.signature {
            changes.push(Change::Signature { before: before.signature.clone(), after: skill.signature.clone() });
        }
        if before.intro != skill.intro || before.uses != skill.uses {
            let (intro, uses) = (skill.intro.clone(), skill.uses.clone());
            changes.push(Change::Remarks { skill: name.clone(), intro, uses });
        }
        tips(Some(name), &before.tips, &skill.tips, &mut changes);
        let find = |list: &[Primitive], syntax: &str| list.iter().find(|p| p.syntax == syntax).cloned();
        for after in &skill.primitives {
            let was = find(&before.primitives, &after.syntax);
            if was.as_ref() != Some(after) {
                changes.push(Change::Primitive { skill: name.clone(), before: was, after: Some(after.clone()) });
            }
        }
        let gone = before.primitives.iter().filter(|was| find(&skill.primitives, &was.syntax).is_none());
        changes.extend(gone.map(|was| Change::Primitive {
            skill: name.clone(),
            before: Some(was.clone()),
            after: None,
        }));
        if before.function != skill.function {
            let (before, after) = (before.function.clone(), skill.function.clone());
            changes.push(Change::Function { skill: name.clone(), before, after });
        }
    }
    let gone = from.skills.iter().filter(|skill| to.skill(&skill.signature.name).is_none());
    changes.extend(gone.map(|skill| Change::Removed(skill.signature.name.clone())));
    for (added, here, there) in [(true, to, from), (false, from, to)] {
        let other = here.examples.iter().filter(|example| !there.examples.contains(example));
        changes.extend(other.map(|example| Change::Example { added, example: example.clone() }));
    }
    if from.rules != to.rules {
        changes.push(Change::Rules(to.rules.clone()));
    }
    changes
}

/// Tips that say nearly the same are one that is said otherwise.
fn tips(skill: Option<&str>, from: &[String], to: &[String], changes: &mut Vec<Change>) {
    let mut gone: Vec<&String> = from.iter().filter(|tip| !to.contains(tip)).collect();
    for after in to.iter().filter(|tip| !from.contains(tip)) {
        let near = gone.iter().position(|before| nearness(before, after) >= 0.5);
        let before = near.map(|at| gone.remove(at).clone());
        changes.push(Change::Tip { skill: skill.map(str::to_owned), before, after: Some(after.clone()) });
    }
    let gone = gone.into_iter().map(|before| (Some(before.clone()), None));
    changes.extend(gone.map(|(before, after)| Change::Tip { skill: skill.map(str::to_owned), before, after }));
}

/// The share of words two texts have in common, of 1.
fn nearness(one: &str, other: &str) -> f64 {
    let words = |text: &str| -> std::collections::BTreeSet<String> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase).collect()
    };
    let (one, other) = (words(one), words(other));
    let all = one.union(&other).count();
    if all == 0 { 0.0 } else { one.intersection(&other).count() as f64 / all as f64 }
}

/// Makes changes; one that no longer fits (its skill is gone) changes nothing.
pub fn apply<'a>(knowledge: &Knowledge, changes: impl IntoIterator<Item = &'a Change>) -> Knowledge {
    let mut known = knowledge.clone();
    for change in changes {
        match change {
            Change::Added(skill) if known.skill(&skill.signature.name).is_none() => known.skills.push(skill.clone()),
            Change::Added(_) => {}
            Change::Removed(name) => known.skills.retain(|skill| skill.signature.name != *name),
            Change::Rules(rules) => known.rules = rules.clone(),
            Change::Signature { before, after } => {
                if let Some(skill) = known.skill_mut(&before.name) {
                    skill.signature = after.clone();
                }
            }
            Change::Remarks { skill, intro, uses } => {
                if let Some(skill) = known.skill_mut(skill) {
                    (skill.intro, skill.uses) = (intro.clone(), uses.clone());
                }
            }
            Change::Tip { skill, before, after } => {
                let list = match skill {
                    Some(name) => known.skill_mut(name).map(|skill| &mut skill.tips),
                    None => Some(&mut known.tips),
                };
                list.into_iter().for_each(|list| put(list, before.as_ref(), after.as_ref(), |one, other| one == other));
            }
            Change::Primitive { skill, before, after } => {
                let list = known.skill_mut(skill).map(|skill| &mut skill.primitives);
                let same = |one: &Primitive, other: &Primitive| one.syntax == other.syntax;
                list.into_iter().for_each(|list| put(list, before.as_ref(), after.as_ref(), same));
            }
            Change::Function { skill, after, .. } => {
                known.skill_mut(skill).into_iter().for_each(|skill| skill.function.clone_from(after));
            }
            Change::Example { added: true, example } => put(&mut known.examples, None, Some(example), |a, b| a == b),
            Change::Example { added: false, example } => known.examples.retain(|one| one != example),
        }
    }
    known
}

/// Replaces, adds or removes an entry of a list.
fn put<T: Clone>(list: &mut Vec<T>, before: Option<&T>, after: Option<&T>, same: impl Fn(&T, &T) -> bool) {
    let place = before.and_then(|before| list.iter().position(|one| same(one, before)));
    match (place, after) {
        (Some(at), Some(after)) => {
            if let Some(slot) = list.get_mut(at) {
                slot.clone_from(after);
            }
        }
        (Some(at), None) => {
            list.remove(at);
        }
        (None, Some(after)) if !list.iter().any(|one| same(one, after)) => list.push(after.clone()),
        (None, _) => {}
    }
}

impl Knowledge {
    pub fn skill_mut(&mut self, name: &str) -> Option<&mut Skill> {
        self.skills.iter_mut().find(|skill| skill.signature.name == name)
    }

    /// Takes all that one skill knows into another, whose name and parameters stay.
    pub fn merge(&mut self, into: &str, from: &str) -> Result<(), String> {
        if into == from {
            return Err(format!("{into} cannot be merged with itself"));
        }
        if self.skill(into).is_none() {
            return Err(format!("there is no skill {into}"));
        }
        let at = self.skills.iter().position(|skill| skill.signature.name == from);
        let gone = self.skills.remove(at.ok_or_else(|| format!("there is no skill {from}"))?);
        if let Some(skill) = self.skill_mut(into) {
            for primitive in &gone.primitives {
                put(&mut skill.primitives, None, Some(primitive), |one, other| one.syntax == other.syntax);
            }
            gone.tips.iter().for_each(|tip| put(&mut skill.tips, None, Some(tip), |one, other| one == other));
        }
        for skill in &mut self.skills {
            skill.uses.retain(|used| used.split('(').next() != Some(from));
        }
        Ok(())
    }

    /// Splits a skill: a new one takes those of its primitives over, by syntax; both keep the tips.
    /// Errors: if the skill is not known, the new name is taken, or a form is none of the skill's.
    pub fn split(&mut self, name: &str, new: Signature, forms: &[String]) -> Result<(), String> {
        if self.skill(&new.name).is_some() {
            return Err(format!("there is a skill {} already", new.name));
        }
        let skill = self.skill_mut(name).ok_or_else(|| format!("there is no skill {name}"))?;
        if let Some(unknown) = forms.iter().find(|form| !skill.primitives.iter().any(|p| p.syntax == **form)) {
            return Err(format!("{unknown:?} is no primitive of {name}"));
        }
        let (taken, left) = skill.primitives.drain(..).partition(|p| forms.contains(&p.syntax));
        skill.primitives = left;
        let tips = skill.tips.clone();
        let at = self.skills.iter().position(|skill| skill.signature.name == name).map_or(0, |at| at + 1);
        self.skills.insert(at, Skill { signature: new, primitives: taken, tips, ..Skill::default() });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knowledge(text: &str) -> Knowledge {
        crate::file::read(text).unwrap()
    }

    #[test]
    fn each_change_is_taken_or_left_by_itself() {
        let old = knowledge(
            "tips=[\"one\"]\n[[skill]]\nname=\"find(object)\"\ntips=[\"Look on every surface first.\", \"gone\"]\nprimitives=[{syntax=\"go to [x] [id]\"}]\n[[skill]]\nname=\"use(object)\"\n",
        );
        let new = knowledge(
            "[[skill]]\nname=\"find(thing)\"\ntips=[\"Look on every open surface first.\"]\nprimitives=[{syntax=\"go to [x] [id]\", examples=[\"go to desk 1\"]},{syntax=\"open [x] [id]\"}]\n[[skill]]\nname=\"take(object)\"\n",
        );
        let changes = between(&old, &new);
        let said: Vec<String> = changes.iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "- tip one",
                "~ skill find(object) becomes find(thing)",
                "~ find: tip \"Look on every surface first.\" becomes \"Look on every open surface first.\"",
                "- find: tip gone",
                "~ find: primitive go to [x] [id]",
                "+ find: primitive open [x] [id]",
                "+ skill take(object) (0 primitives, 0 tips)",
                "- skill use",
            ]
        );
        assert_eq!(apply(&old, &changes), new);
        let some = apply(&old, [&changes[6]]);
        assert!(some.skills.len() == 3 && some.tips == ["one"]);
        assert!(between(&new, &new).is_empty());
    }

    #[test]
    fn skills_are_merged_and_split_by_hand() {
        let mut known = knowledge(
            "[[skill]]\nname=\"find(o)\"\ntips=[\"a\"]\nprimitives=[{syntax=\"go to [x]\"},{syntax=\"open [x]\"}]\n[[skill]]\nname=\"seek(o)\"\ntips=[\"a\",\"b\"]\nprimitives=[{syntax=\"look\"},{syntax=\"open [x]\"}]\n[[skill]]\nname=\"put(o)\"\nuses=[\"seek(o)\"]\n",
        );
        known.merge("find", "seek").unwrap();
        assert_eq!((known.skills.len(), known.skills[0].primitives.len(), known.skills[0].tips.len()), (2, 3, 2));
        assert!(known.skills[1].uses.is_empty());
        assert!(known.merge("find", "find").is_err() && known.merge("find", "seek").is_err());
        known.split("find", "open(o)".parse().unwrap(), &["open [x]".to_owned()]).unwrap();
        assert_eq!(known.skills[1].signature.to_string(), "open(o)");
        assert_eq!(known.skills[0].primitives.len(), 2);
        assert!(known.split("find", "open(o)".parse().unwrap(), &[]).is_err());
        assert!(known.split("find", "x(o)".parse().unwrap(), &["y".to_owned()]).is_err());
    }
}
