//! Names of fields of records without a checksum: those that versions before checksums wrote, and those of exports.
//!
//! What today's records have their schema says, what those of formats 1 and 2 had a list that is closed. A name that is in neither was
//! damaged, or written by a person or another program; the record is read without it, and that is said.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::Value;
use stepwright_files::names;

use super::super::event::Record;

/// The names of all fields of today's records.
static NEWEST: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let mut names = BTreeSet::new();
    collect(schemars::schema_for!(Record).as_value(), &mut names);
    names
});

/// Takes in the names of the properties that a schema has at any depth.
fn collect(schema: &Value, names: &mut BTreeSet<String>) {
    match schema {
        Value::Array(parts) => parts.iter().for_each(|part| collect(part, names)),
        Value::Object(parts) => {
            names.extend(
                parts.get("properties").and_then(Value::as_object).into_iter().flat_map(|of| of.keys().cloned()),
            );
            parts.values().for_each(|part| collect(part, names));
        }
        _ => {}
    }
}

/// All names of formats 1 and 2.
const KNOWN: &[&str] = &[
    "action", "after", "artifact", "ask", "assertions", "at", "before", "blocked", "branch", "breakpoints", "by",
    "cached", "call", "calls", "cancelled", "change", "changes", "checks", "child", "choice", "completion",
    "completions", "condition", "continuations", "cost", "created", "data", "decision", "deleted", "depth", "detail",
    "done", "due", "edit", "edited", "effect", "ended", "endpoint", "error", "event", "exchange", "finish", "for",
    "frequency_penalty", "from", "held", "hidden", "how", "id", "key", "kind", "label", "left_out", "line", "logprob",
    "logprobs", "max_tokens", "messages", "method", "method_version", "model", "ms", "n", "name", "node", "nth",
    "observation", "of", "offer", "opening", "options", "origin", "outcome", "patch", "policy", "preview", "problem",
    "program", "prompt", "proposal", "pruned", "purpose", "rationale", "raw", "reason", "reasoning", "rejected",
    "repairs", "request", "reward", "role", "score", "seed", "sentence", "served", "specification", "state", "status",
    "step", "steps", "stepwright", "structure", "sum", "tag", "task", "temperature", "template", "template_hash",
    "text", "texts", "title", "to", "token", "token_budget", "tokens", "top", "ts", "under", "until_action",
    "until_fails", "up", "update", "usage", "value", "verdict", "version", "why", "won", "world", "written",
];

/// Below these anything may stand: documents, patches, options, requests to models.
const FREE: &[&str] = &["changes", "edit", "effect", "options", "patch", "request", "state", "value"];

pub(super) fn unknown(line: &[u8]) -> Vec<String> {
    let mut unknown = names::unknown(line, KNOWN, FREE);
    unknown.retain(|name| !NEWEST.contains(name));
    unknown
}

pub(super) fn remark(file: &Path, line: usize, field: &str) -> String {
    format!("{}:{line}: the field {field:?} is not known and was left out; the line may be damaged", file.display())
}
