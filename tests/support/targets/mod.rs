//! Targets of the fuzzer: each takes any bytes to one parser, and says nothing; it fails by panicking, hanging or taking all memory.
//! Here those of texts in memory; `files` holds those of files and folders, `answers` those of servers, processes and models.
//! `fuzz/` runs them under libFuzzer, `tests/it/fuzz_targets.rs` on the seeds and on damaged ones.

pub mod answers;
mod files;

use std::borrow::Cow;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::Value;
use stepwright::episode::{log, patch};
use stepwright::export::{self, Format};
use stepwright::method::reading::read_line;
use stepwright::method::{verify, written_plan};
use stepwright::methods::METHODS;
use stepwright::planner::LocationPrior;
use stepwright::planner::classical;
use stepwright::precondition::{AdoptedSet, read_completion};
use stepwright::prompt::Prompts;
use stepwright::study::runner::{Contents, Seeds, Selector, Shard, merge};
use stepwright::tui::keymap::Chord;
use stepwright::world::demonstration;
use stepwright::world::state_form::StateForm;
use stepwright::worlds::household::agent::goal;
use stepwright::worlds::{household, table};
use stepwright::{belief, blocking, sanitize, weights};
use stepwright_program::{Assertion, Call, Limits, Specification, read_keywords, run_module};
use stepwright_skill::line::Level;

pub struct Target {
    /// Its name: that of the folder of its seeds.
    pub name: &'static str,
    pub run: fn(&[u8]),
    /// Whether the first byte chooses what is done with the rest.
    pub chooses: bool,
    /// Files and folders of the repository that are inputs of it, beside its own seeds.
    pub shipped: &'static [&'static str],
}

/// A target that takes an input as a whole.
const fn of(name: &'static str, run: fn(&[u8]), shipped: &'static [&'static str]) -> Target {
    Target { name, run, chooses: false, shipped }
}

/// A target of which the first byte of an input chooses what is done with the rest.
const fn choosing(name: &'static str, run: fn(&[u8])) -> Target {
    Target { name, run, chooses: true, shipped: &[] }
}

pub const TARGETS: &[Target] = &[
    of("adapter", answers::adapter, &[]),
    of("adopted", adopted, &[]),
    of("agents", agents, &[]),
    choosing("answer", answers::method),
    of("assertion", assertion, &[]),
    of("belief", belief, &[]),
    of("blocking", blocking_domain, &["worlds/household/domain.toml", "worlds/kitchen/domain.toml"]),
    of("cassette", files::cassette, &[]),
    of("catalogue", files::catalogue, &["worlds/shop/products.json"]),
    of("completion", completion, &[]),
    of("config", files::config, &[]),
    of(
        "demonstrations",
        demonstrations,
        &["worlds/household/demonstrations.jsonl", "worlds/shop/demonstrations.jsonl"],
    ),
    of("dialogue", files::dialogue, &["worlds/dialogue/Repairs_1.test.jsonl", "worlds/dialogue/Museums_1.demos.jsonl"]),
    of("dialogues", files::dialogues, &[]),
    of("game", files::game, &[]),
    of("goals", files::goals, &["worlds/shop/goals.json"]),
    of("household", files::household, &["worlds/household/tasks.jsonl"]),
    of("house", files::house, &["worlds/graph/scene_attic.json", "worlds/graph/scene_flat.json"]),
    of("index", files::index, &[]),
    of("introduction", answers::introduction, &[]),
    of("kitchen", files::kitchen, &["worlds/kitchen"]),
    of("line", line, &[]),
    of("logs", logs, &["worlds/household/react.txt", "worlds/graph/react.txt", "worlds/shop/react.txt"]),
    of("mask", mask, &[]),
    of("module", module, &["worlds/household/skills.py", "worlds/shop/skills.py"]),
    of("names", names, &["worlds/graph/names.json", "worlds/graph/properties.json"]),
    of("patch", patched, &[]),
    of("pddl", pddl, &[]),
    of("plan", plan, &["worlds/household/plans.txt", "worlds/kitchen/plans.txt"]),
    of("playback", files::playback, &["worlds/household/react.txt", "worlds/shop/react.txt"]),
    of("prompt", prompt, &["prompts/program", "prompts/statler", "prompts/reprompt", "prompts/o3d"]),
    of("prior", prior, &["worlds/household/likely.txt"]),
    of("rating", files::rating, &[]),
    of("recorded", files::recorded, &[]),
    of("results", results, &[]),
    of("scene", scene, &["worlds/graph/scene_attic.json"]),
    of("schema", files::schema, &["worlds/dialogue/schema.json"]),
    of("script", script, &[]),
    of("session", session, &["sessions/solved.jsonl", "sessions/table.jsonl", "sessions/dialogue.jsonl"]),
    of("skills", skills, &["worlds/household/skills.toml", "worlds/shop/skills.toml"]),
    of(
        "specification",
        specification,
        &["worlds/household/spec.py", "worlds/kitchen/spec.py", "worlds/external/spec.py"],
    ),
    of("state-form", state_form, &["worlds/household/state_form.toml", "worlds/kitchen/state_form.toml"]),
    choosing("stream", answers::stream),
    of("table", table_file, &["worlds/table/weight.jsonl"]),
    of("tasks", files::tasks, &["worlds/graph/tasks.toml"]),
    of("theme", files::theme, &["themes"]),
    of("trajectory", trajectory, &[]),
    of("vectors", files::vectors, &["worlds/household/likely.txt"]),
    of("weights", weight, &[]),
    of("words", words, &[]),
];

/// Runs the target of that name; whether there is one.
pub fn run(name: &str, data: &[u8]) -> bool {
    let target = TARGETS.iter().find(|target| target.name == name);
    target.map(|target| (target.run)(data)).is_some()
}

fn text(data: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(data)
}

/// The first byte as a choice of so many, and the rest.
fn chosen(data: &[u8], of: usize) -> (usize, &[u8]) {
    data.split_first().map_or((0, data), |(first, rest)| (usize::from(*first) % of, rest))
}

fn household_specification() -> &'static Specification {
    static LOADED: LazyLock<Specification> = LazyLock::new(|| {
        Specification::load(include_str!("../../../worlds/household/spec.py"), "spec.py").expect("it ships")
    });
    &LOADED
}

/// A session's log: its records, their fold, and what is exported of it.
fn session(data: &[u8]) {
    let Ok(loaded) = log::read(data, Path::new("session.jsonl")) else { return };
    assert!(loaded.records.len() <= data.len());
    for format in [Format::Text, Format::Html, Format::Jsonl] {
        let _ = export::render(format, &loaded.session.header, &loaded.records, |kind| METHODS.showing(kind));
    }
}

/// A patch, against the document that stands in the first line.
fn patched(data: &[u8]) {
    let text = text(data);
    let (document, operations) = text.split_once('\n').unwrap_or(("{}", &text));
    let mut document: Value = serde_json::from_str(document).unwrap_or_default();
    let before = patch::weight(&document);
    if let Ok(operations) = serde_json::from_str::<Value>(operations) {
        let most = before + patch::weight(&operations);
        let _ = patch::apply(&mut document, &operations);
        assert!(patch::weight(&document) <= most, "a patch adds no more than it holds");
    }
}

fn belief(data: &[u8]) {
    if let Ok(reading) = belief::read(&text(data)) {
        let _ = belief::patch(&reading.state, &reading.state);
    }
}

fn assertion(data: &[u8]) {
    let _ = Assertion::compile(&text(data));
}

fn specification(data: &[u8]) {
    let _ = Specification::load(&text(data), "spec.py");
}

/// A program at module level, within limits.
fn module(data: &[u8]) {
    let _ = run_module(&text(data), Limits { steps: 20_000, ..Limits::CALL });
}

/// A program as it stands in a prompt: its calls, in either form.
fn trajectory(data: &[u8]) {
    let (text, specification) = (text(data), household_specification());
    for line in text.lines() {
        let _ = read_keywords(line, specification);
        let _ = verify::read(line, specification);
    }
}

fn adopted(data: &[u8]) {
    let _ = AdoptedSet::parse(&text(data), "a.preconditions.py");
}

/// Assertions as a model writes them.
fn completion(data: &[u8]) {
    let _ = read_completion(&text(data));
}

/// A planning domain and a problem; a problem of a household game.
fn pddl(data: &[u8]) {
    let text = text(data);
    let _ = classical::Domain::read(&text);
    let _ = classical::Problem::read(&text);
    let _ = household::definition_of_problem(&text, "game", "put a mug in desk.");
}

fn blocking_domain(data: &[u8]) {
    let _ = blocking::Domain::load(&text(data), "domain.toml");
}

fn state_form(data: &[u8]) {
    let _ = StateForm::load(&text(data), "state_form.toml");
}

fn plan(data: &[u8]) {
    let _ = written_plan::read(&text(data));
}

fn prior(data: &[u8]) {
    let _ = LocationPrior::parse(&text(data));
}

fn demonstrations(data: &[u8]) {
    let _ = demonstration::read(&text(data), "demonstrations.jsonl", &["agent = Agent(env)".to_owned()], |_| true);
}

/// Results of a study, merged with themselves.
fn results(data: &[u8]) {
    if let (Ok(one), Ok(other)) = (Contents::read(data), Contents::read(data)) {
        let _ = merge(&[one, other]);
    }
}

fn weight(data: &[u8]) {
    let _ = weights::read(&text(data));
}

fn scene(data: &[u8]) {
    let _ = stepwright_graph::Scene::read(&text(data));
}

/// Tables of names of the household graph.
fn names(data: &[u8]) {
    let _ = stepwright_graph::Names::read(&text(data));
}

fn script(data: &[u8]) {
    let text = text(data);
    let _ = stepwright_graph::script::parse_leniently(text.lines());
}

/// Logs of episodes of other programs, and the scene that each observation shows.
fn logs(data: &[u8]) {
    let text = text(data);
    let _ = stepwright_trajectory::read_any(text.as_bytes(), "log.txt");
    let _ = stepwright_skill::scene::read(&text);
}

/// A file of skills, and what a model writes of skills: cuts, programs, tips, lines of a hierarchy.
fn skills(data: &[u8]) {
    static KNOWN: LazyLock<stepwright_skill::Knowledge> = LazyLock::new(|| {
        stepwright_skill::file::read(include_str!("../../../worlds/household/skills.toml")).expect("it ships")
    });
    let text = text(data);
    let _ = stepwright_skill::file::read(&text);
    let _ = stepwright_skill::segment::read(&text, 20);
    let _ = stepwright_skill::response::skills(&text);
    let _ = stepwright_skill::response::primitives(&text);
    let _ = stepwright_skill::response::tips(&text);
    let _ = stepwright_skill::code::written(&text);
    if let Ok(document) = serde_json::from_str(&text) {
        let _ = stepwright_skill::document::read(&document);
    }
    for line in text.lines().take(100) {
        let _ = stepwright_skill::form::Form::read(line);
        let _ = stepwright_trajectory::react::read(line);
        for level in [Level::Base, Level::Skill] {
            let _ = stepwright_skill::line::read(line, level, &KNOWN);
            let _ = stepwright_skill::hierarchy::read(line, level, &KNOWN);
        }
    }
}

fn table_file(data: &[u8]) {
    let _ = table::Source::from_text(&text(data), Path::new("table.jsonl"));
}

/// A sentence as the household's agent reads it.
fn agents(data: &[u8]) {
    let text = text(data);
    let _ = goal::read(&text, &["fridge 1", "cabinet 2"], &["mug", "apple"]);
}

fn prompt(data: &[u8]) {
    let prompts = Prompts::new(None).with_templates([("fuzz/any".to_owned(), text(data).into_owned())]);
    let context = serde_json::json!({"program": "agent.goto('fridge 1')", "lines": ["a", "b"], "n": 3, "task": "put a mug in desk."});
    let _ = prompts.render("fuzz/any", &context);
}

/// Words of a command line: tasks, shards, seeds, keys.
fn words(data: &[u8]) {
    for word in text(data).lines() {
        let _ = word.parse::<Selector>();
        let _ = word.parse::<Shard>();
        if let Ok(seeds) = word.parse::<Seeds>() {
            assert!(seeds.all().len() <= 1 << 20, "{word}");
        }
        let _ = Chord::parse(word);
    }
}

/// A line that a model writes, and what is drawn of it: nothing that acts on a terminal.
fn line(data: &[u8]) {
    let text = text(data);
    let _ = read_line(&text);
    let _ = text.trim().parse::<Call>();
    let shown = sanitize::line(&text);
    assert!(!shown.chars().any(|c| c.is_control()), "{shown:?}");
}

/// A text in pieces, masked as the whole is.
fn mask(data: &[u8]) {
    let mask = stepwright_secret::Mask::new(["sk-proj-Zx81QpLm77Vb_2aT"]);
    let text = text(data);
    let mut pieces = mask.pieces();
    let mut out: String = text.chars().map(|c| pieces.push(c.encode_utf8(&mut [0; 4]))).collect();
    out.push_str(&pieces.end());
    assert_eq!(out, mask.masked(&text));
}
