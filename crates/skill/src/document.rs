//! Knowledge as a document of an episode: JSON that patches and differences are made of, the same fields as the file's. What cannot
//! be read of a document is reported with its place.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::example::Example;
use crate::file::check_uses;
use crate::function::Version;
use crate::knowledge::{Knowledge, Primitive, Skill};
use crate::rules::Rules;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default)]
    tips: Vec<String>,
    #[serde(default)]
    skills: Vec<Entry>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    examples: Vec<Shown>,
    #[serde(default, skip_serializing_if = "Rules::is_empty")]
    rules: Rules,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    intro: String,
    #[serde(default)]
    tips: Vec<String>,
    #[serde(default)]
    primitives: Vec<Primitive>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    uses: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    function: Vec<Version>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shown {
    first: String,
    lines: Vec<Vec<String>>,
}

pub fn write(knowledge: &Knowledge) -> Value {
    let entry = |skill: &Skill| Entry {
        name: skill.signature.to_string(),
        intro: skill.intro.clone(),
        tips: skill.tips.clone(),
        primitives: skill.primitives.clone(),
        uses: skill.uses.clone(),
        function: skill.function.clone(),
    };
    let skills = knowledge.skills.iter().map(entry).collect();
    let shown = |example: &Example| Shown { first: example.first.clone(), lines: example.written() };
    let examples = knowledge.examples.iter().map(shown).collect();
    let document = Document { tips: knowledge.tips.clone(), skills, examples, rules: knowledge.rules.clone() };
    // Texts and lists alone: nothing in it has no JSON.
    serde_json::to_value(document).unwrap_or_default()
}

/// A document's knowledge; none if it is null.
pub fn read(document: &Value) -> Result<Knowledge, String> {
    if document.is_null() {
        return Ok(Knowledge::default());
    }
    let document = Document::deserialize(document).map_err(|e| format!("no knowledge of skills: {e}"))?;
    let examples = document.examples.into_iter().map(|shown| Example::read(shown.first, shown.lines));
    let examples = examples.collect::<Result<_, _>>()?;
    let mut knowledge = Knowledge { skills: Vec::new(), tips: document.tips, examples, rules: document.rules };
    for entry in document.skills {
        let signature = entry.name.parse().map_err(|e| format!("skill {:?}: {e}", entry.name))?;
        let Entry { intro, tips, primitives, uses, function, name } = entry;
        let skill = Skill { signature, primitives, tips, intro, uses, function };
        if knowledge.skill(&skill.signature.name).is_some() {
            return Err(format!("the skill {name} is there twice; give one of them another name"));
        }
        knowledge.skills.push(skill);
    }
    check_uses(&knowledge.skills).map_err(|(.., message)| message)?;
    Ok(knowledge)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_written_is_read_and_faults_name_the_skill() {
        let text = "tips = [\"t\"]\n[[skill]]\nname = \"f(a)\"\nuses = [\"g(a)\"]\n[[skill]]\nname = \"g(x)\"\nprimitives = [{ syntax = \"go to [x] [id]\" }]\n[[skill.function]]\ncode = \"def g_x(x): pass\"\nwhy = \"by hand\"\n[[example]]\nfirst = \"r\"\nlines = [[\"call: f(a)\"]]\n[[action]]\nform = \"go to [x] [id]\"\nneeds = [\"[x] listed at first\"]\n[likely]\nmug = [\"desk\"]\n";
        let knowledge = crate::file::read(text).unwrap();
        assert_eq!(read(&write(&knowledge)), Ok(knowledge));
        assert_eq!(read(&Value::Null), Ok(Knowledge::default()));
        assert!(read(&json!({"skills": [{"name": "f"}]})).unwrap_err().contains("skill \"f\""));
        let circle = json!({"skills": [{"name": "f()", "uses": ["f"]}]});
        assert!(read(&circle).unwrap_err().contains("circle"));
        assert!(read(&json!({"colour": 1})).unwrap_err().contains("colour"));
    }
}
