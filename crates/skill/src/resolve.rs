//! Skills as resolutions: which calls of skills would do what is known to resolve something. A skill has an effect if one of its
//! primitives is an action that has it; its arguments are the things of that action, or, where the skill looks for a thing that none of
//! its actions names, the thing that is missing.

use std::collections::BTreeMap;

use crate::call::SkillCall;
use crate::form::is_number;
use crate::knowledge::{Knowledge, Skill};

/// A call that would resolve something, and the action by which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolution {
    pub call: SkillCall,
    pub by: String,
}

/// The calls of known skills that would do one of the actions that resolve something; `missing`: the things it is about. The actions are in
/// the world's words; in the order of the skills, a call once.
pub fn resolutions(knowledge: &Knowledge, actions: &[String], missing: &[String]) -> Vec<Resolution> {
    let mut found: Vec<Resolution> = Vec::new();
    for skill in &knowledge.skills {
        for action in actions {
            let fits = skill.primitives.iter().filter_map(|primitive| bind(&primitive.syntax, action));
            for call in fits.filter_map(|things| call(skill, &things, missing)) {
                if !found.iter().any(|known| known.call == call) {
                    found.push(Resolution { call, by: action.clone() });
                }
            }
        }
    }
    found
}

/// The things in an action of a form, by slot; a thing is a word, with its number where the form has one.
fn bind(syntax: &str, action: &str) -> Option<BTreeMap<String, String>> {
    let mut form = syntax.split_whitespace().peekable();
    let mut words = action.split_whitespace();
    let mut things = BTreeMap::new();
    while let Some(part) = form.next() {
        let word = words.next()?;
        match part.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(slot) => {
                let mut thing = word.to_owned();
                if form.next_if_eq(&"[id]").is_some() {
                    let number = words.next().filter(|number| is_number(number))?;
                    thing = format!("{thing} {number}");
                }
                things.insert(slot.to_owned(), thing);
            }
            None if part == word => {}
            None => return None,
        }
    }
    words.next().is_none().then_some(things)
}

/// The call by which a skill does an action with these things; `None` where it would do it on the way to something else.
fn call(skill: &Skill, things: &BTreeMap<String, String>, missing: &[String]) -> Option<SkillCall> {
    let kind = |thing: &String| crate::form::kind_of(thing).to_owned();
    let parameters = &skill.signature.parameters;
    let named: Option<Vec<String>> = parameters.iter().map(|parameter| things.get(parameter).map(kind)).collect();
    let args = named.filter(|_| !parameters.is_empty()).or_else(|| {
        // It looks for the thing: no action of it names that, and this one is done on another.
        let slots = |parameter: &String| {
            skill.primitives.iter().any(|primitive| primitive.syntax.contains(&format!("[{parameter}]")))
        };
        let is_of = |thing: &String| things.values().any(|own| own == thing || kind(own) == *thing);
        match (parameters.as_slice(), missing) {
            ([], _) => Some(Vec::new()),
            ([only], [thing]) if !slots(only) && !is_of(thing) => Some(vec![kind(thing)]),
            _ => None,
        }
    })?;
    Some(SkillCall { skill: skill.signature.name.clone(), args })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Knowledge {
        let text = "[[skill]]\nname = \"find(object)\"\nprimitives = [{ syntax = \"go to [receptacle] [id]\" }, { syntax = \"open [receptacle] [id]\" }]\n\
            [[skill]]\nname = \"take(object)\"\nprimitives = [{ syntax = \"go to [receptacle] [id]\" }, { syntax = \"take [object] [id] from [receptacle] [id]\" }]\n\
            [[skill]]\nname = \"grab(thing)\"\nprimitives = [{ syntax = \"grab [thing]\" }]\n";
        crate::file::read(text).unwrap()
    }

    fn calls(actions: &[&str], missing: &[&str]) -> Vec<String> {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let found = resolutions(&known(), &texts(actions), &texts(missing));
        found.into_iter().map(|resolution| resolution.call.to_string()).collect()
    }

    #[test]
    fn a_skill_is_called_for_what_one_of_its_primitives_does() {
        assert_eq!(calls(&["take mug 1 from shelf 2", "take mug 1 from desk 1"], &["mug 1"]), ["take(mug)"]);
        assert_eq!(calls(&["grab Apple|1"], &["Apple|1"]), ["grab(Apple|1)"], "things may be one word");
        // Going somewhere is what looking for a thing does, and no skill's aim by itself.
        assert_eq!(calls(&["go to shelf 1", "go to desk 1"], &["mug"]), ["find(mug)"]);
        assert!(calls(&["go to shelf 1"], &["shelf 1"]).is_empty());
        assert!(calls(&["heat mug 1 with microwave 1"], &["mug 1"]).is_empty());
        assert!(
            calls(&["take mug from shelf 2"], &["mug"]).is_empty(),
            "a form with numbers takes things with numbers"
        );
    }
}
