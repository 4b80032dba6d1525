//! Cost of the household graph: loading a scene, a step, and running a fifteen-step plan with its preparation.
//!
//! `cargo bench -p stepwright-graph` with STEPWRIGHT_DATA naming the recordings; without them the scenes that ship are measured.
//! `cargo bench -p stepwright-graph --bench graph -- --python` measures the same work in CPython (`scripts/graph-steps`) in the same
//! run: CPU time of both, the fastest of several passes, and whether both end in the same household.
#![allow(missing_docs, reason = "a benchmark has no interface")]
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot begin has nothing to measure; it prints figures"
)]

use std::hint::black_box;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use criterion::Criterion;
use serde_json::{Value, json};
use stepwright_graph::files::{Library, read_text};
use stepwright_graph::possible::{in_sight, steps};
use stepwright_graph::prepare::{Prepared, Tables, prepare};
use stepwright_graph::run::{Run, Runner, Stepped};
use stepwright_graph::vocabulary::Flag;
use stepwright_graph::{Action, At, Graph, Line, Scene, script};

fn folder() -> PathBuf {
    let recorded = std::env::var_os("STEPWRIGHT_DATA").map(|data| PathBuf::from(data).join("virtualhome"));
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../worlds/graph");
    recorded.filter(|folder| folder.is_dir()).unwrap_or(own)
}

/// Fifteen steps, in names that both the recordings' scenes and the shipped ones have or can be given.
const PLAN: [&str; 15] = [
    "[WALK] <home_office> (1)",
    "[WALK] <bookshelf> (1)",
    "[FIND] <book> (1)",
    "[GRAB] <book> (1)",
    "[WALK] <couch> (1)",
    "[FIND] <couch> (1)",
    "[SIT] <couch> (1)",
    "[READ] <book> (1)",
    "[TURNTO] <book> (1)",
    "[LOOKAT] <book> (1)",
    "[TOUCH] <book> (1)",
    "[POINTAT] <book> (1)",
    "[STANDUP]",
    "[WALK] <bookshelf> (1)",
    "[PUTBACK] <book> (1) <bookshelf> (1)",
];

struct Work {
    scene: PathBuf,
    text: String,
    library: Library,
    plan: script::Script,
}

impl Work {
    fn new() -> Self {
        let folder = folder();
        let library = Library::open(&folder).expect("a library");
        let paths = [folder.join("scenes/scene1.json"), folder.join("scene_flat.json")];
        let scene = paths.into_iter().find(|path| path.is_file()).expect("a scene file");
        let text = read_text(&scene).expect("a text");
        Work { scene, text, library, plan: script::parse(PLAN).expect("a plan") }
    }

    fn graph(&self) -> &Graph {
        &self.library.scenes.values().next().expect("a scene").graph
    }

    fn prepared(&self) -> Prepared {
        let names = self.library.names.values().next().expect("names");
        let properties = self.library.properties.as_ref().expect("properties");
        prepare(self.graph(), &self.plan, Tables { names, properties }).expect("a prepared plan")
    }
}

fn stepped(prepared: &Prepared) -> Graph {
    let mut graph = prepared.graph.clone();
    for line in &prepared.script {
        let stepped = Stepped::once(black_box(&graph), line);
        assert!(stepped.done, "{line}");
        graph = stepped.after;
    }
    graph
}

/// How many steps could be done, found out by trying each as a line of a script.
fn tried(runner: &Runner, seen: &[At]) -> usize {
    let graph = runner.graph();
    let param = |at: &At| script::Param { name: graph.node(*at).class.clone(), number: graph.node(*at).id };
    let would = |action: Action, params: Vec<script::Param>| usize::from(runner.would(&Line { action, params }));
    let actions = Action::ALL.iter().copied().filter(|a| !matches!(a, Action::Run | Action::Release));
    actions
        .map(|action| match action.arity() {
            0 => would(action, Vec::new()),
            1 => seen.iter().map(|at| would(action, vec![param(at)])).sum(),
            _ => graph
                .held()
                .flat_map(|held| seen.iter().filter(move |at| **at != held).map(move |at| (held, *at)))
                .map(|(held, at)| would(action, vec![param(&held), param(&at)]))
                .sum(),
        })
        .sum()
}

fn figures(c: &mut Criterion, work: &Work) {
    c.bench_function("load a scene", |b| b.iter(|| Scene::read(black_box(&work.text)).expect("a scene")));
    let prepared = work.prepared();
    let run = Run::of(&prepared.graph, &prepared.script);
    assert!(run.failed.is_none(), "{}", run.message());
    c.bench_function("prepare and run fifteen steps", |b| {
        b.iter(|| {
            let prepared = work.prepared();
            Run::of(&prepared.graph, &prepared.script)
        });
    });
    c.bench_function("fifteen steps, each on a copy of its own", |b| b.iter(|| stepped(&prepared)));
    // After two walks, where the person stands beside many things.
    let mut runner = Runner::new(prepared.graph.clone());
    assert!((1..).zip(&prepared.script[..2]).all(|(number, line)| runner.step(line, number)));
    let seen = in_sight(runner.graph());
    let listed = steps(&runner, &seen, &[]).len();
    c.bench_function("what can be done now", |b| b.iter(|| steps(black_box(&runner), &in_sight(runner.graph()), &[])));
    c.bench_function("what can be done now, each step tried as a line", |b| {
        b.iter(|| assert_eq!(tried(black_box(&runner), &in_sight(runner.graph())), listed));
    });
    let walk = &prepared.script[1];
    c.bench_function("one walk", |b| b.iter(|| Stepped::once(black_box(&prepared.graph), walk)));
}

/// CPU seconds of this thread that one round takes: the fastest of several passes of some milliseconds each.
fn fastest<T>(mut work: impl FnMut() -> T) -> f64 {
    let spent = || -> Duration {
        rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime).try_into().expect("a time that has passed")
    };
    let mut rounds = 1_u32;
    let mut pass = || loop {
        let begun = spent();
        (0..rounds).for_each(|_| drop(black_box(work())));
        let took = spent().saturating_sub(begun);
        if took > Duration::from_millis(5) {
            return took.as_secs_f64() / f64::from(rounds);
        }
        rounds *= 2;
    };
    (0..15).map(|_| pass()).fold(f64::INFINITY, f64::min)
}

/// A household as a compact file has it; its edges sorted.
fn as_json(graph: &Graph) -> Value {
    let id = |at| graph.node(at).id;
    let nodes = graph.places().map(|at| {
        let node = graph.node(at);
        json!({ "id": node.id, "class_name": &*node.class, "category": &*node.category, "properties": node.properties, "states": graph.states(at) })
    });
    let edges =
        graph.places().flat_map(|at| graph.relations(at).map(move |(relation, to)| (id(at), relation.name(), id(to))));
    let mut edges: Vec<(i64, &str, i64)> = edges.collect();
    edges.sort_unstable();
    json!({ "nodes": nodes.collect::<Vec<_>>(), "edges": edges })
}

fn against_python(work: &Work) {
    let prepared = work.prepared();
    let lines: Vec<String> = prepared.script.iter().map(ToString::to_string).collect();
    let task = json!({ "scene": work.scene, "graph": as_json(&prepared.graph), "walk": lines[1], "plan": lines, "repeats": 7 });
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/graph-steps");
    let mut command = Command::new("python3");
    let mut child =
        command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("python3, to compare with");
    child.stdin.take().expect("its input").write_all(task.to_string().as_bytes()).expect("a task it takes");
    let output = child.wait_with_output().expect("an answer");
    let theirs: Value = serde_json::from_slice(&output.stdout).expect("figures");
    let same = as_json(&stepped(&prepared))["edges"] == theirs["edges"];
    println!("CPU time, the fastest pass; CPython {}; same household at the end: {same}", theirs["python"]);
    let walk = &prepared.script[1];
    let ours = [
        ("load", "load a scene", fastest(|| Scene::read(&read_text(&work.scene).expect("a text")))),
        ("walk", "one walk", fastest(|| Stepped::once(&prepared.graph, walk))),
        ("plan", "fifteen steps, each on a copy", fastest(|| stepped(&prepared))),
    ];
    for (key, what, ours) in ours {
        let theirs = theirs[key].as_f64().expect("a figure");
        println!("{what}: {:.1} us, CPython {:.1} us, {:.1} times ours", ours * 1e6, theirs * 1e6, theirs / ours);
    }
    println!(
        "prepare and run fifteen steps: {:.1} us",
        fastest(|| {
            let prepared = work.prepared();
            Run::of(&prepared.graph, &prepared.script)
        }) * 1e6
    );
    assert!(same, "the two do not do the same work");
}

fn main() {
    let work = Work::new();
    if std::env::args().any(|arg| arg == "--python") {
        return against_python(&work);
    }
    let mut criterion = Criterion::default().configure_from_args();
    figures(&mut criterion, &work);
    criterion.final_summary();
}
