//! `stepwright schema`: JSON schemas of what the program writes and reads, made from the types that are written and read.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use super::{CliError, print_json};
use stepwright_episode::{Header, Record};
use stepwright_launch::config;
use stepwright_method as method;
use stepwright_methods::METHODS;
use stepwright_study::run::RunResult;
use stepwright_study::runner::{Head, PlanLine};
use stepwright_worlds::external as world;

/// Prints a JSON schema (draft 2020-12).
#[derive(Debug, Args)]
pub(crate) struct SchemaCommand {
    /// Of what
    which: Which,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Which {
    /// A line of a session's log
    Session,
    /// A line of a results file
    Results,
    /// A line of the protocol for worlds and methods in other processes, either way
    Protocol,
    /// The configuration file, as JSON
    Config,
}

impl SchemaCommand {
    pub fn run(self) -> Result<ExitCode, CliError> {
        print_json(&format!("{:#}\n", schema(self.which)))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The schema of what is written or read.
pub fn schema(which: Which) -> Value {
    match which {
        Which::Session => any("A line of a session: the header, then records", &[of::<Header>, of::<Record>]),
        Which::Results => any(
            "A line of a results file: an experiment, its plan, a result",
            &[of::<Head<'_>>, of::<PlanLine>, result],
        ),
        Which::Protocol => any(
            "A line of the protocol for worlds and methods in other processes",
            &[
                |_| request("WorldReset", json!({ "reset": text(), "seed": whole() }), &["reset"]),
                |_| request("WorldAct", json!({ "act": text(), "tool": text(), "arguments": {} }), &["act"]),
                |_| request("WorldRestore", json!({ "restore": {}, "step": whole() }), &["restore", "step"]),
                of::<world::Answer>,
                of::<world::Restored>,
                |_| {
                    let info = json!({ "type": "object", "properties": { "protocol": whole(), "program": text() } });
                    request("MethodInfo", json!({ "info": info }), &["info"])
                },
                |g| request("MethodStep", json!({ "step": context(g) }), &["step"]),
                |g| {
                    let context = context(g);
                    let kind = g.subschema_for::<stepwright_episode::AskKind>();
                    let texts = json!({ "type": "array", "items": text() });
                    let read = json!({
                        "type": "object",
                        "properties": { "context": context, "ask": kind, "texts": texts },
                        "required": ["context", "ask", "texts"],
                    });
                    request("MethodRead", json!({ "read": read }), &["read"])
                },
                of::<method::Declared>,
                of::<method::StepAnswer>,
                of::<method::ReadAnswer>,
                |_| schemars::json_schema!({ "title": "Word", "enum": ["pass", "kept"] }),
            ],
        ),
        Which::Config => config::schema(&METHODS),
    }
}

/// One of these.
fn any(title: &str, ways: &[fn(&mut SchemaGenerator) -> Schema]) -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let ways: Vec<Schema> = ways.iter().map(|way| way(&mut generator)).collect();
    let all = generator.take_definitions(true);
    json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, "anyOf": ways, "$defs": all })
}

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// A result of `run`; those of studies have the first two fields and others of their own. Some say whether the goal was reached, and only
/// those that hold a result of `run` say its sentence.
fn result(generator: &mut SchemaGenerator) -> Schema {
    let own = generator.subschema_for::<RunResult>();
    let part = json!({ "type": "array", "items": whole(), "minItems": 2, "maxItems": 2 });
    schemars::json_schema!({
        "title": "Result",
        "type": "object",
        "properties": { "experiment": text(), "unit": text(), "part": part },
        "required": ["experiment", "unit"],
        "anyOf": [own, { "description": "a line of a study, with fields of its own", "not": { "required": ["sentence"] } }],
    })
}

/// What a method is sent; one of the protocol's first version gets it without the episode.
fn context(generator: &mut SchemaGenerator) -> Value {
    let newest = generator.subschema_for::<method::Sent>();
    let first = json!({
        "description": "the context of protocol 1",
        "type": "object",
        "required": ["steps", "proposals", "asks", "options"],
        "not": { "required": ["episode"] },
    });
    json!({ "anyOf": [newest, first] })
}

/// A request that this program sends.
fn request(title: &str, properties: Value, required: &[&str]) -> Schema {
    schemars::json_schema!({
        "title": title, "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn whole() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}
