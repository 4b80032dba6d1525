//! Knowledge that was distilled: skills with their primitives and tips, by environment and author. The published knowledge loads as it is.

use serde::{Deserialize, Serialize};

use crate::call::Signature;
use crate::example::Example;
use crate::function::Version;
use crate::rules::Rules;

/// Skills with what is known of each. Fields stand in the order in which [`crate::document`] writes them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Knowledge {
    #[serde(default)]
    pub tips: Vec<String>,
    #[serde(default)]
    pub skills: Vec<Skill>,
    /// Episodes cut into calls, which policies are shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
    #[serde(default, skip_serializing_if = "Rules::is_empty")]
    pub rules: Rules,
}

/// A skill: its signature, its primitives and its tips.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skill {
    #[serde(rename = "name")]
    pub signature: Signature,
    /// The text before the primitives in a prompt; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub intro: String,
    #[serde(default)]
    pub tips: Vec<String>,
    #[serde(default)]
    pub primitives: Vec<Primitive>,
    /// The skills it calls: by name, or by a call over its own parameters (`find(object)`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<String>,
    /// Its function as code, the versions in the order they came in; the last is in force.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub function: Vec<Version>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Primitive {
    /// How it is written, slots in square brackets (`go to [receptacle] [id]`), or its argument (`search[Query]`).
    pub syntax: String,
    #[serde(default)]
    pub examples: Vec<String>,
}

/// Knowledge as it was published: by environment and author.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Published {
    pub skills: Vec<(String, Vec<Signature>)>,
    /// For each environment and author (`llm`, `human`) what each skill knows.
    pub knowledge: Vec<(String, String, Knowledge)>,
    /// Lists of tips without skills: environment, variant, tips.
    pub tips_only: Vec<(String, String, Vec<String>)>,
}

#[derive(Deserialize)]
struct PublishedFile {
    skills: serde_json::Map<String, serde_json::Value>,
    per_skill: Vec<PublishedSkill>,
    #[serde(default)]
    tips_only_ablation: Vec<TipsOnly>,
}

#[derive(Deserialize)]
struct PublishedSkill {
    env: String,
    author: String,
    skill: String,
    signature: String,
    #[serde(default)]
    tips: Vec<String>,
    #[serde(default)]
    primitives: Vec<Primitive>,
    primitive_intro: Option<String>,
}

#[derive(Deserialize)]
struct TipsOnly {
    env: String,
    #[serde(default)]
    variant: String,
    tips: Vec<String>,
}

impl Knowledge {
    /// Its tips, each once and of no skill, and nothing else.
    #[must_use]
    pub fn tips_alone(self) -> Knowledge {
        let mut tips: Vec<String> = Vec::new();
        for tip in self.tips.into_iter().chain(self.skills.into_iter().flat_map(|skill| skill.tips)) {
            if !tips.contains(&tip) {
                tips.push(tip);
            }
        }
        Knowledge { tips, ..Knowledge::default() }
    }

    pub fn skill(&self, name: &str) -> Option<&Skill> {
        self.skills.iter().find(|skill| skill.signature.name == name)
    }

    /// Takes over the examples of another knowledge whose calls are all known here: what was published has none of its own.
    pub fn take_examples(&mut self, other: &Knowledge) {
        let arguments = |name: &str| self.skill(name).map(|skill| skill.signature.parameters.len());
        let fitting: Vec<Example> = other.examples.iter().filter(|example| example.fits(arguments)).cloned().collect();
        self.examples.extend(fitting);
    }

    /// The functions of all skills in force, one below the other.
    pub fn functions(&self) -> String {
        let code = self.skills.iter().filter_map(|skill| Some(skill.function_in_force()?.code.trim_end()));
        code.collect::<Vec<_>>().join("\n\n")
    }

    pub fn primitives(&self) -> Vec<&Primitive> {
        let mut all: Vec<&Primitive> = Vec::new();
        for primitive in self.skills.iter().flat_map(|skill| &skill.primitives) {
            if !all.iter().any(|known| known.syntax == primitive.syntax) {
                all.push(primitive);
            }
        }
        all
    }
}

impl Skill {
    /// The version in force: the last that reproduced something; the last where none did.
    pub fn function_in_force(&self) -> Option<&Version> {
        self.function.iter().rev().find(|version| version.works()).or(self.function.last())
    }
}

impl Published {
    /// Reads published knowledge: an object with `skills` by environment and `per_skill`.
    pub fn read(text: &str) -> Result<Self, String> {
        let file: PublishedFile = serde_json::from_str(text).map_err(|e| {
            format!("{e}; published knowledge is an object with `skills` by environment and the list `per_skill` (a file of skills ends in .toml)")
        })?;
        let mut published = Published::default();
        for (env, list) in file.skills {
            let signatures = list.as_array().into_iter().flatten().filter_map(serde_json::Value::as_str);
            let signatures = signatures.map(|text| text.parse().map_err(|e| format!("skills of {env}: {e}")));
            published.skills.push((env.clone(), signatures.collect::<Result<_, String>>()?));
        }
        for entry in file.per_skill {
            let at = || format!("{} of {} by {}", entry.skill, entry.env, entry.author);
            let signature: Signature = entry.signature.parse().map_err(|e| format!("{}: {e}", at()))?;
            if signature.name != entry.skill {
                return Err(format!("{}: its signature is {signature}", at()));
            }
            let skill = Skill {
                signature,
                primitives: entry.primitives,
                tips: entry.tips,
                intro: entry.primitive_intro.unwrap_or_default(),
                ..Skill::default()
            };
            let known = published.knowledge.iter_mut().find(|(env, by, _)| *env == entry.env && *by == entry.author);
            match known {
                Some((.., knowledge)) => knowledge.skills.push(skill),
                None => {
                    let knowledge = Knowledge { skills: vec![skill], ..Knowledge::default() };
                    published.knowledge.push((entry.env, entry.author, knowledge));
                }
            }
        }
        published.tips_only =
            file.tips_only_ablation.into_iter().map(|list| (list.env, list.variant, list.tips)).collect();
        Ok(published)
    }

    /// Knowledge in an environment, from all authors; the first author's skills before the others'.
    pub fn of_environment(&self, env: &str) -> Knowledge {
        let all =
            self.knowledge.iter().filter(|(known, ..)| known == env).flat_map(|(.., knowledge)| &knowledge.skills);
        Knowledge { skills: all.cloned().collect(), ..Knowledge::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::{head, name};

    #[test]
    fn the_last_version_that_reproduced_something_is_in_force() {
        let version =
            |code: &str, reproduced, of| Version { code: code.to_owned(), reproduced, of, ..Version::default() };
        let mut skill = Skill { function: vec![version("a", 1, 2), version("b", 0, 2)], ..Skill::default() };
        assert_eq!(skill.function_in_force().unwrap().code, "a");
        skill.function.push(version("c", 0, 0));
        assert_eq!(
            Knowledge { skills: vec![skill], ..Knowledge::default() }.functions(),
            "c",
            "what a person wrote is in force untried"
        );
        assert_eq!(head(&"put(object, place)".parse().unwrap()), "def put_object(object, place):");
        assert_eq!((name(&"buy()".parse().unwrap()), version("", 0, 0).tried()), ("buy".into(), "not tried".into()));
    }
}
