//! Targets of the fuzzer: each takes any bytes to one parser, and says nothing; it fails by panicking, hanging or taking all memory.
//! `fuzz/` runs them under libFuzzer, `tests/it/fuzz_targets.rs` on the seeds and on damaged ones.

use std::path::Path;

use stepwright::method::reading::read_line;
use stepwright::planner::classical;
use stepwright::precondition::{AdoptedSet, read_completion};
use stepwright::world::table;
use stepwright::{belief, episode, sanitize, weights};
use stepwright_program::{Assertion, Limits, Specification, parse_line, run_module};

/// A target: the name of its seeds' folder, and what it does.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: &[Target] = &[
    ("session", session),
    ("belief", belief),
    ("assertion", assertion),
    ("specification", specification),
    ("module", module),
    ("adopted", adopted),
    ("completion", completion),
    ("pddl", pddl),
    ("weights", weight),
    ("scene", scene),
    ("script", script),
    ("logs", logs),
    ("skills", skills),
    ("table", table_file),
    ("line", line),
    ("mask", mask),
];

fn text(data: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(data)
}

/// A session's log: its records, and their fold.
pub fn session(data: &[u8]) {
    if let Ok(loaded) = episode::log::read(data, Path::new("session.jsonl")) {
        assert!(loaded.records.len() <= data.len());
    }
}

/// A belief as a model writes it.
pub fn belief(data: &[u8]) {
    if let Ok(reading) = belief::read(&text(data)) {
        let _ = belief::patch(&reading.state, &reading.state);
    }
}

/// A candidate assertion.
pub fn assertion(data: &[u8]) {
    let _ = Assertion::compile(&text(data));
}

/// A specification of actions.
pub fn specification(data: &[u8]) {
    let _ = Specification::load(&text(data), "spec.py");
}

/// A program at module level, within limits.
pub fn module(data: &[u8]) {
    let _ = run_module(&text(data), Limits { steps: 20_000, ..Limits::CALL });
}

/// A file of adopted assertions.
pub fn adopted(data: &[u8]) {
    let _ = AdoptedSet::parse(&text(data), "a.preconditions.py");
}

/// Assertions as a model writes them.
pub fn completion(data: &[u8]) {
    let _ = read_completion(&text(data));
}

/// A planning domain and a problem.
pub fn pddl(data: &[u8]) {
    let _ = classical::Domain::read(&text(data));
    let _ = classical::Problem::read(&text(data));
}

/// An expression of weights.
pub fn weight(data: &[u8]) {
    let _ = weights::read(&text(data));
}

/// A scene of the household graph.
pub fn scene(data: &[u8]) {
    let _ = stepwright_graph::Scene::read(&text(data));
}

/// A script of the household graph.
pub fn script(data: &[u8]) {
    let text = text(data);
    let _ = stepwright_graph::script::parse_leniently(text.lines());
}

/// Logs of episodes of other programs.
pub fn logs(data: &[u8]) {
    let _ = stepwright_skill::trajectory::read_any(&text(data), "log.txt");
}

/// A file of skills.
pub fn skills(data: &[u8]) {
    let _ = stepwright_skill::file::read(&text(data));
}

/// Episodes on a table.
pub fn table_file(data: &[u8]) {
    let _ = table::Source::from_text(&text(data), Path::new("table.jsonl"));
}

/// A line that a model writes, and what is drawn of it: nothing that acts on a terminal.
pub fn line(data: &[u8]) {
    let text = text(data);
    let _ = read_line(&text);
    let _ = parse_line(&text);
    let shown = sanitize::line(&text);
    assert!(!shown.chars().any(|c| c.is_control()), "{shown:?}");
}

/// A text in pieces, masked as the whole is.
pub fn mask(data: &[u8]) {
    let mask = stepwright_secret::Mask::new(["sk-proj-Zx81QpLm77Vb_2aT"]);
    let text = text(data);
    let mut pieces = mask.pieces();
    let mut out: String = text.chars().map(|c| pieces.push(c.encode_utf8(&mut [0; 4]))).collect();
    out.push_str(&pieces.end());
    assert_eq!(out, mask.masked(&text));
}
