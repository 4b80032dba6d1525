//! Knowledge as a document of an episode: JSON that patches and differences are made of, the same fields as the file's. What cannot
//! be read of a document is reported with its place.

use serde::Deserialize;
use serde_json::Value;

use crate::file::check_uses;
use crate::knowledge::Knowledge;

pub fn write(knowledge: &Knowledge) -> Value {
    // Texts and lists alone: nothing in it has no JSON.
    serde_json::to_value(knowledge).unwrap_or_default()
}

/// A document's knowledge; none if it is null.
pub fn read(document: &Value) -> Result<Knowledge, String> {
    if document.is_null() {
        return Ok(Knowledge::default());
    }
    let knowledge = Knowledge::deserialize(document).map_err(|e| format!("no knowledge of skills: {e}"))?;
    for (at, skill) in knowledge.skills.iter().enumerate() {
        if knowledge.skills.iter().take(at).any(|known| known.signature.name == skill.signature.name) {
            return Err(format!("the skill {} is there twice; give one of them another name", skill.signature));
        }
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
        let written = write(&knowledge);
        let bytes = concat!(
            r#"{"tips":["t"],"skills":[{"name":"f(a)","tips":[],"primitives":[],"uses":["g(a)"]},"#,
            r#"{"name":"g(x)","tips":[],"primitives":[{"syntax":"go to [x] [id]","examples":[]}],"#,
            r#""function":[{"code":"def g_x(x): pass","why":"by hand"}]}],"#,
            r#""examples":[{"first":"r","lines":[["call: f(a)"]]}],"rules":{"#,
        );
        assert!(written.to_string().starts_with(bytes), "{written}");
        assert_eq!(read(&written), Ok(knowledge));
        assert_eq!(read(&Value::Null), Ok(Knowledge::default()));
        assert!(read(&json!({"skills": [{"name": "f"}]})).unwrap_err().contains("skill \"f\""));
        let twice = json!({"skills": [{"name": "f(a)"}, {"name": "f(b)"}]});
        assert!(read(&twice).unwrap_err().starts_with("the skill f(b) is there twice"));
        let circle = json!({"skills": [{"name": "f()", "uses": ["f"]}]});
        assert!(read(&circle).unwrap_err().contains("circle"));
        assert!(read(&json!({"colour": 1})).unwrap_err().contains("colour"));
    }
}
