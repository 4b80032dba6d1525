//! JSON schemas: what is really written is what they say, and the page of the protocol is made from them.

use std::fmt::Write as _;
use std::path::Path;

use jsonschema::Validator;
use serde_json::{Value, json};
use stepwright::cli::schema::{Which, schema};
use stepwright::methods::METHODS;

use crate::docs::{current, files, root};
use crate::support::program::program;
use stepwright::episode::log;
use stepwright::export::{Format, render};

fn validator(which: Which) -> Validator {
    jsonschema::validator_for(&schema(which)).unwrap()
}

/// That each line is as a schema says, one kind of it at least.
fn hold(validator: &Validator, name: &str, text: &str) -> usize {
    let mut lines = 0;
    for (number, line) in text.lines().enumerate() {
        let value: Value = serde_json::from_str(line).unwrap();
        let wrong: Vec<String> =
            validator.iter_errors(&value).map(|e| format!("{e} at {}", e.instance_path())).collect();
        assert!(wrong.is_empty(), "{name}:{}: {wrong:?}: {line}", number + 1);
        lines += 1;
    }
    lines
}

#[test]
fn every_session_that_ships_is_as_the_schema_says() {
    let validator = validator(Which::Session);
    let mut lines = 0;
    for path in files(&root().join("sessions"), &[".jsonl"]) {
        // Sessions that earlier versions wrote are in today's form as the program holds them, and as it writes them again.
        let loaded = log::load(&path).unwrap();
        let text =
            render(Format::Jsonl, &loaded.session.header, &loaded.records, |kind| METHODS.showing(kind)).unwrap();
        lines += hold(&validator, &path.display().to_string(), &text);
    }
    assert!(lines > 500, "{lines}");
    for wrong in [
        json!({"id": 1, "ts": 1, "node": 0, "event": "nothing"}),
        json!({"id": 1, "ts": 1, "node": 0, "event": "noted"}),
        json!({"id": "1", "ts": 1, "node": 0, "event": "noted", "text": "a"}),
        json!({"stepwright": "session"}),
    ] {
        assert!(!validator.is_valid(&wrong), "{wrong}");
    }
}

fn stepwright(home: &Path, words: &[&str]) {
    let output = program(home).current_dir(root()).args(words).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A run of a method and a world in other processes, its results, and every line between the processes.
#[test]
fn results_and_every_line_of_the_protocol_are_as_the_schemas_say() {
    let home = tempfile::tempdir().unwrap();
    let file = |name: &str| home.path().join(name).display().to_string();
    // Each process has files of its own: episodes run beside one another, and what two of them append to one file may mix.
    let tapped = |name: &str, program: &str| {
        let words = format!("tee {0}.$$.asked | python3 {program} | tee {0}.$$.told", file(name));
        format!("sh -c '{words}'")
    };
    let results = validator(Which::Results);
    let protocol = validator(Which::Protocol);
    let (mut lines, world) = (0, tapped("world", "python/stepwright/examples/counter.py"));
    for method in ["toy", "stateful"] {
        let out = file(&format!("{method}.jsonl"));
        let set = format!(
            "methods.{method}.command={}",
            tapped(method, &format!("python/stepwright/examples/{method}_method.py"))
        );
        let id = format!("external:{method}");
        let run = ["run", "--world", "external", "--command", &world, "--method", &id, "--set", &set, "--out", &out];
        stepwright(home.path(), &run);
        assert_eq!(hold(&results, &out, &std::fs::read_to_string(&out).unwrap()), 3);
    }
    for part in [".asked", ".told"] {
        for path in files(home.path(), &[part]) {
            let name = path.display().to_string();
            lines += hold(&protocol, &name, &std::fs::read_to_string(&path).unwrap());
        }
    }
    assert!(lines > 40, "{lines}");
    for wrong in
        [json!({"act": 1}), json!({"step": {}}), json!({"observation": "x"}), json!({"offer": {}}), json!("go")]
    {
        assert!(!protocol.is_valid(&wrong), "{wrong}");
    }
}

/// Of each study as few units as it takes.
#[test]
fn a_line_of_every_study_is_as_the_schema_says() {
    let home = tempfile::tempdir().unwrap();
    let validator = validator(Which::Results);
    for words in [
        "study preconditions --services Museums_1 --demos 2 --tests 1",
        "study policy --tasks type=Museums_1 --first 1",
        "study policy --world household --tasks type=light --first 1",
        "study reprompt --tasks flat/read_on_couch --conditions notion",
        "study blocking --tasks galley/coffee --conditions BCR",
        "study decisions --world kitchen --tasks galley/coffee --methods blocking",
        "study o3d --tasks type=light,first=1 --conditions O3D",
        "study statler --domain cover --first 1",
    ] {
        let out = home.path().join(format!("{}.jsonl", words.replace(['/', ' '], "-"))).display().to_string();
        stepwright(home.path(), &words.split(' ').chain(["--out", &out]).collect::<Vec<_>>());
        let lines = hold(&validator, words, &std::fs::read_to_string(&out).unwrap());
        assert!(lines > 2, "{words}: no result");
    }
    let wrong = json!({ "experiment": "a", "unit": "b", "sentence": "Put a mug on the desk.", "won": "yes" });
    assert!(!validator.is_valid(&wrong), "{wrong}");
}

#[test]
fn the_configuration_that_is_printed_is_as_the_schema_says() {
    let validator = validator(Which::Config);
    let template = stepwright::config::template(&METHODS);
    // What is commented out is a setting at its default.
    let set: String = template
        .lines()
        .map(|line| line.strip_prefix("# ").filter(|line| is_setting(line) || line.starts_with('[')).unwrap_or(line))
        .map(|line| format!("{line}\n"))
        .collect();
    let table: toml::Table = toml::from_str(&set).unwrap_or_else(|e| panic!("{e}: {set}"));
    assert!(table.values().filter_map(toml::Value::as_table).map(toml::Table::len).sum::<usize>() > 60);
    hold(&validator, "config.toml", &json!(table).to_string());
    let toml = |text: &str| json!(toml::from_str::<toml::Table>(text).unwrap());
    assert!(validator.is_valid(&toml("[external.taxi]\ncommand = \"python3 taxi.py\"\n[models.a]\nmodel = \"b\"")));
    for wrong in
        ["[model]\nmodels = \"x\"", "[model]\nretries = 21", "[ui]\nascii = 1", "[external.taxi]\ncomand = \"x\""]
    {
        assert!(!validator.is_valid(&toml(wrong)), "{wrong}");
    }
}

/// Whether a line sets something to a value that is there.
fn is_setting(line: &str) -> bool {
    let is_key = |key: &str| !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
    line.split_once(" = ").is_some_and(|(key, value)| is_key(key) && value != "…")
}

/// The types of the protocol in the order of its page.
const TYPES: [(&str, &str); 32] = [
    ("WorldAnswer", "the answer of a world to `reset` and `act`"),
    ("Hello", ""),
    ("Task", ""),
    ("Request", ""),
    ("Restored", ""),
    ("InfoAnswer", "the answer of a method to `info`"),
    ("DeclaredNeeds", ""),
    ("Ability", ""),
    ("Context", "what a method is sent"),
    ("Rewound", ""),
    ("Step", ""),
    ("Decision", ""),
    ("Proposal", ""),
    ("Verdict", ""),
    ("Check", ""),
    ("AskMade", ""),
    ("AskKind", ""),
    ("OwnAsk", ""),
    ("ModelTraits", ""),
    ("StepAnswer", "the answer of a method to `step`"),
    ("Offer", ""),
    ("Asking", ""),
    ("Recommended", ""),
    ("ReadAnswer", "the answer of a method to `read`"),
    ("Drafted", ""),
    ("Spent", ""),
    ("AskSpec", ""),
    ("PromptRecord", ""),
    ("PromptMessage", ""),
    ("Written", ""),
    ("ArtifactId", ""),
    ("Due", ""),
];

/// The page of the protocol: each type's fields, and a whole context.
pub(crate) fn page(context: &Value) {
    let all = schema(Which::Protocol);
    let mut out = String::from(
        "# Protocol of worlds and methods in other processes\n\nThis page is made from the types that are written and read \
         (`STEPWRIGHT_WRITE_DOCS=1 cargo test --test it driver_external_method` writes it again); how they are used is in \
         [adapters/README.md](../../adapters/README.md). `stepwright schema protocol` prints them as a JSON schema. A field that may be \
         null may be absent.\n",
    );
    for (name, of) in TYPES {
        let defined = &all["$defs"][name];
        assert!(defined.is_object(), "no type {name}");
        let of = if of.is_empty() { String::new() } else { format!(": {of}") };
        let _ = write!(out, "\n## {name}{of}\n\n{}", about(defined, "\n\n"));
        match defined["oneOf"].as_array() {
            Some(ways) => tell_ways(&mut out, ways),
            None => tell_fields(&mut out, defined),
        }
    }
    let _ = write!(out, "\n## A whole context\n\n```json\n{context:#}\n```\n");
    current("protocol.md", &out);
}

fn tell_fields(out: &mut String, defined: &Value) {
    out.push_str("| field | | means |\n|---|---|---|\n");
    let required = &defined["required"];
    for (field, schema) in defined["properties"].as_object().into_iter().flatten() {
        let needed = required.as_array().is_some_and(|all| all.contains(&json!(field)));
        let mark = if needed { "" } else { ", may be absent" };
        let _ = writeln!(
            out,
            "| `{field}` | {}{mark} | {} |",
            kind(schema).replace('|', "\\|"),
            about(schema, "").replace('|', "\\|")
        );
    }
}

/// The ways in which a type may be: words, or objects that a field tells apart.
fn tell_ways(out: &mut String, ways: &[Value]) {
    out.push_str("| one of | means |\n|---|---|\n");
    for way in ways {
        let field = |(field, schema): (&String, &Value)| match schema["const"].as_str() {
            Some(word) => format!("`{field}`: `{word}`"),
            None => format!("`{field}`: {}", kind(schema)),
        };
        let word = way["const"].as_str().map(|word| format!("`{word}`"));
        let fields = way["properties"].as_object().into_iter().flatten().map(field);
        let others = (!way["$ref"].is_null()).then(|| format!("the fields of {}", kind(way)));
        let written: Vec<String> = word.into_iter().chain(fields).chain(others).collect();
        let _ =
            writeln!(out, "| {} | {} |", written.join("; ").replace('|', "\\|"), about(way, "").replace('|', "\\|"));
    }
}

fn about(schema: &Value, end: &str) -> String {
    let text = schema["description"].as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() { text } else { text + end }
}

/// A schema in words.
fn kind(schema: &Value) -> String {
    let named = |name: &Value| name.as_str().unwrap_or_default().rsplit('/').next().unwrap_or_default().to_owned();
    if !schema["$ref"].is_null() {
        let name = named(&schema["$ref"]);
        return match TYPES.iter().any(|(known, _)| *known == name) {
            true => format!("[{name}](#{})", name.to_lowercase()),
            false => words_of(&schema_of(&name)),
        };
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(ways) = schema[key].as_array() {
            return ways.iter().map(kind).filter(|way| way != "null").collect::<Vec<_>>().join(" or ");
        }
    }
    match &schema["type"] {
        Value::Array(kinds) => {
            kinds.iter().filter(|kind| *kind != "null").map(|one| plain(one, schema)).collect::<Vec<_>>().join(" or ")
        }
        one => plain(one, schema),
    }
}

fn schema_of(name: &str) -> Value {
    schema(Which::Protocol)["$defs"][name].clone()
}

/// A type that has no table of its own: its words, or what it is.
fn words_of(defined: &Value) -> String {
    let word = |way: &Value| way["const"].as_str().map(|word| format!("`{word}`"));
    let words: Option<Vec<String>> = defined["oneOf"].as_array().and_then(|ways| ways.iter().map(word).collect());
    let listed =
        defined["enum"].as_array().map(|all| all.iter().filter_map(|w| w.as_str().map(|w| format!("`{w}`"))).collect());
    match words.or(listed).filter(|words: &Vec<String>| !words.is_empty()) {
        Some(words) => words.join(", "),
        None => match (&defined["anyOf"], &defined["type"]) {
            (Value::Array(ways), _) => ways.iter().map(kind).collect::<Vec<_>>().join(" or "),
            (_, kind) => plain(kind, defined),
        },
    }
}

fn plain(kind: &Value, schema: &Value) -> String {
    match kind.as_str() {
        Some("string") => "text".to_owned(),
        Some("integer") => "whole number".to_owned(),
        Some("boolean") => "true or false".to_owned(),
        Some("array") => format!("list of {}", self::kind(&schema["items"])),
        Some("null") => "null".to_owned(),
        Some(other) => other.to_owned(),
        None => "any JSON".to_owned(),
    }
}
