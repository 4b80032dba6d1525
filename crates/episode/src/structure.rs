//! Structure an answer must have: one of a list of texts, or JSON by a schema; and the text that such an answer stands for.
//!
//! Servers take a JSON schema and nothing else in common, so one of a list is sent as an object with one field.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The field that holds the choice.
const FIELD: &str = "answer";

/// The form of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Structure {
    /// One of these texts.
    OneOf(Vec<String>),
    /// JSON by this schema.
    Schema(Value),
}

impl Structure {
    /// The JSON schema that is sent.
    pub fn schema(&self) -> Value {
        match self {
            Structure::Schema(schema) => schema.clone(),
            Structure::OneOf(texts) => json!({
                "type": "object",
                "properties": {FIELD: {"type": "string", "enum": texts}},
                "required": [FIELD],
                "additionalProperties": false,
            }),
        }
    }

    /// Whether the schema names every field, as servers want it that keep to a schema strictly.
    pub fn is_strict(&self) -> bool {
        matches!(self, Structure::OneOf(_))
    }

    /// The text an answer stands for: the choice, or the JSON as it is. An answer without the form is left as it is: the server
    /// took no notice of it.
    pub fn read(&self, answer: &str) -> String {
        let Structure::OneOf(_) = self else { return answer.to_owned() };
        let object = serde_json::from_str::<Value>(answer.trim()).ok();
        let choice = object.as_ref().and_then(|o| o.get(FIELD)).and_then(Value::as_str);
        choice.unwrap_or(answer).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_read_out_of_its_form_and_other_answers_are_left() {
        let one = Structure::OneOf(vec!["look()".into(), "go('x')".into()]);
        assert_eq!(one.schema()["properties"]["answer"]["enum"][1], "go('x')");
        assert_eq!(one.read(" {\"answer\": \"go('x')\"}\n"), "go('x')");
        for other in ["look()", "{\"action\": 1}", "{\"answer\": 3}", "{\"answer\""] {
            assert_eq!(one.read(other), other);
        }
        assert_eq!(Structure::Schema(json!({"type": "object"})).read("{\"a\": 1}"), "{\"a\": 1}");
    }
}
