//! JSON schema of the configuration file, made from the table of settings.

use serde_json::{Map, Value, json};

use super::settings::{EXTERNAL, METHODS, MODEL, SECTIONS, Settings};
use stepwright_episode::Role;
use stepwright_method::Methods;
use stepwright_world::options::Kind;

/// The schema; a TOML file has the same values.
pub fn schema(methods: &'static Methods) -> Value {
    let settings = &Settings::new(methods);
    let mut sections = Map::new();
    for (name, about) in SECTIONS {
        let section = match name {
            EXTERNAL | METHODS => json!({ "type": "object", "additionalProperties": keys(settings, name) }),
            "models" => json!({ "type": "object", "additionalProperties": { "$ref": "#/properties/model" } }),
            "keys" => {
                let text = json!({ "type": "string" });
                let several = json!({ "type": "array", "items": text });
                json!({ "type": "object", "additionalProperties": { "anyOf": [text, several] } })
            }
            MODEL => {
                let mut section = keys(settings, MODEL);
                for role in Role::ALL {
                    section["properties"][role.name()] = json!({ "$ref": "#/properties/model" });
                }
                section
            }
            section => keys(settings, section),
        };
        sections.insert(name.to_owned(), described(section, about));
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The configuration file",
        "type": "object",
        "properties": sections,
        "additionalProperties": false,
    })
}

/// A section's keys.
fn keys(settings: &Settings, section: &str) -> Value {
    let keys: Map<String, Value> = settings
        .of(section)
        .map(|setting| (setting.key.to_owned(), described(of(setting.kind), setting.help)))
        .collect();
    json!({ "type": "object", "properties": keys, "additionalProperties": false })
}

fn described(mut schema: Value, about: &str) -> Value {
    if !about.is_empty() {
        schema["description"] = json!(about);
    }
    schema
}

fn of(kind: Kind) -> Value {
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "array", "items": text });
    match kind {
        Kind::Choice(words) => json!({ "enum": words.iter().map(|(word, _)| word).collect::<Vec<_>>() }),
        Kind::Switch => json!({ "type": "boolean" }),
        Kind::Whole { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Kind::Number { min, max } => json!({ "type": "number", "minimum": min, "maximum": max }),
        Kind::Name => json!({ "type": ["string", "integer"], "minLength": 1 }),
        Kind::Path | Kind::PathOr(_) => json!({ "type": "string", "minLength": 1 }),
        Kind::Text => text,
        Kind::Texts => texts,
        Kind::Command => json!({ "anyOf": [text, texts] }),
        Kind::Table => json!({ "type": "object" }),
    }
}
