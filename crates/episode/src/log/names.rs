//! Names of fields of records without a checksum: those that versions before checksums wrote.
//!
//! The list is closed: lines written since have a checksum, by which a changed name is found. A name that is not in it was damaged, or
//! written by a person or another program; the record is read without it, and that is said.

use std::path::Path;

use stepwright_files::names;

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
    names::unknown(line, KNOWN, FREE)
}

pub(super) fn remark(file: &Path, line: usize, field: &str) -> String {
    format!("{}:{line}: the field {field:?} is not known and was left out; the line may be damaged", file.display())
}
