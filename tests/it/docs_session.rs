//! The page of the session file: every record and field, read off the declarations they are written by, and held against the sessions
//! that ship.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value;

use crate::docs::{current, files, root, snake};

/// A type of `crates/episode/src` as it is declared.
#[derive(Debug, Clone, Default)]
struct Declared {
    about: String,
    /// Its `serde` attributes.
    written: String,
    variants: Vec<Variant>,
    fields: Vec<Field>,
}

#[derive(Debug, Clone, Default)]
struct Variant {
    name: String,
    about: String,
    /// Its content where it holds one thing without a name (`Other(String)`).
    holds: String,
    fields: Vec<Field>,
}

#[derive(Debug, Clone, Default)]
struct Field {
    name: String,
    about: String,
    kind: String,
    /// Whether its own fields stand in its place.
    flat: bool,
}

/// The declarations of types that are written to files, by name.
fn declarations() -> BTreeMap<String, Declared> {
    let mut all = BTreeMap::new();
    let others = ["crates/precondition/src/changed.rs", "crates/wire/src/usage.rs"].map(|file| root().join(file));
    for file in files(&root().join("crates/episode/src"), &[".rs"]).into_iter().chain(others) {
        let text = std::fs::read_to_string(file).unwrap();
        let (mut about, mut attributes) = (String::new(), String::new());
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let Some(words) = line.strip_prefix("///") {
                about = joined(&about, words);
            } else if line.starts_with("#[") {
                attributes.push_str(line);
            } else {
                let declared = line.strip_prefix("pub struct ").or_else(|| line.strip_prefix("pub enum "));
                if let Some(name) = declared.and_then(|rest| rest.strip_suffix(" {"))
                    && attributes.contains("Serialize")
                {
                    let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
                    let mut declared = body_of(&body, line.starts_with("pub enum"));
                    (declared.about, declared.written) = (about.clone(), attributes.clone());
                    all.insert(name.to_owned(), declared);
                }
                (about, attributes) = (String::new(), String::new());
            }
        }
    }
    all
}

fn body_of(body: &[&str], is_enum: bool) -> Declared {
    let mut declared = Declared::default();
    let (mut about, mut attributes) = (String::new(), String::new());
    for line in body {
        let (depth, text) = (line.len() - line.trim_start().len(), line.trim());
        if let Some(words) = text.strip_prefix("///") {
            about = joined(&about, words);
            continue;
        }
        if text.starts_with("#[") {
            attributes.push_str(text);
            continue;
        }
        let named = text.strip_prefix("pub ").unwrap_or(text).trim_end_matches(',');
        if is_enum && depth == 4 && text.starts_with(|c: char| c.is_uppercase()) {
            let name: String = named.chars().take_while(|c| c.is_alphanumeric()).collect();
            let holds = named.split_once('(').map_or("", |(_, held)| held.trim_end_matches(')')).to_owned();
            declared.variants.push(Variant { name, about: about.clone(), holds, fields: Vec::new() });
        } else if let Some((name, kind)) = named.split_once(": ") {
            let (name, kind, flat) = (name.to_owned(), kind.to_owned(), attributes.contains("flatten"));
            let field = Field { name, about: about.clone(), kind, flat };
            match declared.variants.last_mut() {
                Some(variant) if is_enum => variant.fields.push(field),
                _ => declared.fields.push(field),
            }
        }
        (about, attributes) = (String::new(), String::new());
    }
    declared
}

/// Comments of several lines as one, as people read them.
fn joined(before: &str, words: &str) -> String {
    let words = words.trim().replace("[`", "`").replace("`]", "`").replace("`None`", "absent");
    let words = words.replace("FORMAT_VERSION", &stepwright::episode::FORMAT_VERSION.to_string());
    if before.is_empty() { words } else { format!("{before} {words}") }
}

fn named_in<'a>(kind: &'a str, all: &BTreeMap<String, Declared>) -> Vec<&'a str> {
    kind.split(|c: char| !c.is_alphanumeric()).filter(|word| all.contains_key(*word)).collect()
}

/// The fields of a type, those of what is written in its place among them, each with the types it is made of.
fn listed(fields: &[Field], all: &BTreeMap<String, Declared>, indent: &str) -> String {
    let mut out = String::new();
    for field in fields {
        let made_of: Vec<String> = named_in(&field.kind, all).iter().map(|name| format!(" ({})", link(name))).collect();
        if field.flat {
            let one = made_of_one(&field.kind, all);
            let tag = tag_of(&all[one]).map(|tag| format!("`{tag}` and ")).unwrap_or_default();
            out.push_str(&format!("{indent}- {tag}the fields of {}: {}\n", link(one), field.about));
        } else {
            out.push_str(&format!("{indent}- `{}`{}: {}\n", field.name, made_of.concat(), field.about));
        }
    }
    out
}

fn made_of_one<'a>(kind: &'a str, all: &BTreeMap<String, Declared>) -> &'a str {
    named_in(kind, all).first().copied().unwrap_or_else(|| panic!("{kind} is declared nowhere"))
}

/// The field that says which variant of a type it is.
fn tag_of(declared: &Declared) -> Option<&str> {
    declared.written.split_once("tag = \"").and_then(|(_, rest)| rest.split('"').next())
}

fn link(name: &str) -> String {
    if name == "Event" {
        "the [event](#events)".to_owned()
    } else {
        format!("[{}](#{})", words(name), words(name).replace(' ', "-"))
    }
}

/// `StepOutcome` in words.
fn words(name: &str) -> String {
    snake(name).replace('_', " ")
}

/// An object or a text that stands in records.
fn described(name: &str, declared: &Declared, all: &BTreeMap<String, Declared>) -> String {
    let mut out = format!("\n### {}\n\n{}\n\n", words(name), declared.about);
    out.push_str(&listed(&declared.fields, all, ""));
    let tag = tag_of(declared);
    let text = declared.written.contains("\"String\"");
    for variant in &declared.variants {
        let word = snake(&variant.name);
        let form = match (tag, variant.holds.as_str()) {
            (Some(tag), _) => format!("`\"{tag}\": \"{word}\"`"),
            (None, "") => format!("`\"{word}\"`"),
            (None, _) if text && variant.name == "Other" => "any other text".to_owned(),
            (None, _) if text => format!("`\"{word} …\"`"),
            (None, held) => {
                let of: Vec<String> = named_in(held, all).iter().map(|name| format!(" ({})", link(name))).collect();
                format!("`\"{word}\"`{}", of.concat())
            }
        };
        out.push_str(&format!("- {form}: {}\n", variant.about));
        out.push_str(&listed(&variant.fields, all, "  "));
    }
    out
}

/// The types below these, in the order in which a reader meets them.
fn below(roots: &[&str], all: &BTreeMap<String, Declared>) -> Vec<String> {
    let mut order: Vec<String> = Vec::new();
    let mut next: VecDeque<String> = roots.iter().map(|root| (*root).to_owned()).collect();
    while let Some(name) = next.pop_front() {
        if order.contains(&name) {
            continue;
        }
        let declared = &all[&name];
        let variants = declared.variants.iter();
        let kinds = variants.clone().flat_map(|v| v.fields.iter().map(|f| f.kind.as_str()).chain([v.holds.as_str()]));
        let kinds = declared.fields.iter().map(|f| f.kind.as_str()).chain(kinds);
        next.extend(kinds.flat_map(|kind| named_in(kind, all)).map(str::to_owned));
        order.push(name);
    }
    order
}

fn page() -> String {
    let all = declarations();
    let mut page = "# Session file\n\n\
         A session is a file of JSON lines (`.jsonl`) that is only ever added to. It holds all that is shown: opening it repeats nothing\n\
         and asks nobody. `stepwright show FILE` prints it, `stepwright export FILE --jsonl OUT` writes it in its normal form.\n\n\
         The first line is the [header](#header), every further line a [record](#record). Fields that hold nothing may be left out. The last\n\
         field of every line is `sum`, the CRC-32 of what is before it, in hexadecimal ([reliability](../explanation/reliability.md)); lines of earlier\n\
         versions have none. A last line torn by a crash is set aside in `FILE.torn`. Lines of format 1 name some events otherwise;\n\
         `export --jsonl` writes them as they are described here.\n\n\
         Made from `crates/episode/src`; `STEPWRIGHT_WRITE_DOCS=1 cargo test --test it docs` writes this page again.\n"
        .to_owned();
    for name in ["Header", "Record"] {
        page.push_str(&format!("\n## {name}\n\n{}\n\n", all[name].about));
        page.push_str(&listed(&all[name].fields, &all, ""));
    }
    page.push_str("\n## Events\n");
    for variant in &all["Event"].variants {
        let name = snake(&variant.name);
        page.push_str(&format!("\n**`{name}`** {}\n", variant.about));
        let held = named_in(&variant.holds, &all);
        let fields = held.first().map_or(&variant.fields, |of| &all[*of].fields);
        page.push_str(&format!("{}{}", if fields.is_empty() { "" } else { "\n" }, listed(fields, &all, "")));
    }
    page.push_str("\n## What stands in them\n");
    // Changed trees and candidates are documents, which no type names.
    let written = ["Header", "Record", "Event"];
    for name in
        below(&["Event", "TreeEdit", "CandidateEdit"], &all).iter().filter(|name| !written.contains(&name.as_str()))
    {
        page.push_str(&described(name, &all[name], &all));
    }
    page
}

#[test]
fn the_docs_page_of_the_session_file_is_current() {
    let page = page();
    for said in
        ["**`executed`** A decision was carried out", "- `changes`: The changes", "### verdict", "**`note_edited`**"]
    {
        assert!(page.contains(said), "{said}: {page}");
    }
    current("session-file.md", &page);
}

/// Below these anything may stand: documents, patches, options, requests to models.
const FREE: [&str; 6] = ["changes", "effect", "options", "patch", "request", "value"];

fn names(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            found.insert(name.clone());
            if !FREE.contains(&name.as_str()) {
                names(value, found);
            }
        }),
        Value::Array(values) => values.iter().for_each(|value| names(value, found)),
        _ => {}
    }
}

#[test]
fn the_docs_page_names_every_field_and_event_of_the_sessions_that_ship() {
    let page = std::fs::read_to_string(root().join("docs/reference/session-file.md")).unwrap();
    let mut missing = BTreeSet::new();
    let mut lines = 0;
    for file in files(&root().join("sessions"), &[".jsonl"]) {
        // As the program reads them: those of format 1 name some events otherwise.
        let loaded = stepwright::episode::log::load(&file).unwrap();
        let header = serde_json::to_value(&loaded.session.header).unwrap();
        let records = loaded.records.iter().map(|record| serde_json::to_value(record).unwrap());
        for value in std::iter::once(header).chain(records) {
            let mut found = BTreeSet::new();
            names(&value, &mut found);
            lines += 1;
            let is_named =
                |name: &String| page.contains(&format!("`{name}`")) || page.contains(&format!("`\"{name}\": "));
            missing.extend(found.into_iter().filter(|name| !is_named(name)));
            if let Some(event) = value.get("event").and_then(Value::as_str)
                && !page.contains(&format!("**`{event}`**"))
            {
                missing.insert(event.to_owned());
            }
        }
    }
    assert!(lines > 200, "{lines} lines");
    assert!(missing.is_empty(), "in sessions and not on the page: {missing:?}");
}
