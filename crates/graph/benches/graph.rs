//! Cost of the household graph: loading a scene, a step, and running a fifteen-step plan with its preparation.
//!
//! `cargo bench -p stepwright-graph` with STEPWRIGHT_DATA naming the recordings; without them the scenes that ship are measured.
#![allow(missing_docs, reason = "a benchmark has no interface")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot begin has nothing to measure")]

use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{Criterion, criterion_group, criterion_main};
use stepwright_graph::files::{Library, read_text};
use stepwright_graph::prepare::{Tables, prepare};
use stepwright_graph::run::{Run, Stepped};
use stepwright_graph::{Scene, script};

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

fn figures(c: &mut Criterion) {
    let folder = folder();
    let library = Library::open(&folder).expect("a library");
    let scene = library.scenes.values().next().expect("a scene");
    let names = library.names.values().next().expect("names");
    let properties = library.properties.as_ref().expect("properties");
    let tables = Tables { names, properties };

    let paths = [folder.join("scenes/scene1.json"), folder.join("scene_flat.json")];
    let path = paths.into_iter().find(|path| path.is_file());
    let text = read_text(&path.expect("a scene file")).expect("a text");
    c.bench_function("load a scene", |b| b.iter(|| Scene::read(black_box(&text)).expect("a scene")));

    let plan = script::parse(PLAN).expect("a plan");
    let prepared = prepare(&scene.graph, &plan, tables).expect("a prepared plan");
    let run = Run::of(&prepared.graph, &prepared.script);
    assert!(run.failed.is_none(), "{}", run.message());
    c.bench_function("prepare and run fifteen steps", |b| {
        b.iter(|| {
            let prepared = prepare(black_box(&scene.graph), &plan, tables).expect("a prepared plan");
            Run::of(&prepared.graph, &prepared.script)
        });
    });
    c.bench_function("fifteen steps, each on a copy of its own", |b| {
        b.iter(|| {
            let mut graph = prepared.graph.clone();
            for line in &prepared.script {
                graph = Stepped::once(black_box(&graph), line).after;
            }
            graph
        });
    });
    let walk = script::parse_line(&prepared.script[1].to_string()).expect("a line");
    c.bench_function("one walk", |b| b.iter(|| Stepped::once(black_box(&prepared.graph), &walk)));
}

criterion_group!(benches, figures);
criterion_main!(benches);
