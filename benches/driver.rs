//! Cost of opening a long session, stepping in it and checking a proposal.

#![allow(missing_docs, reason = "a benchmark has no interface")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot begin has nothing to measure")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use stepwright::config::{Config, Overrides, load_with};
use stepwright::driver::{
    Beginning, Command, Handle, NewSession, Notice, Persistence, Request, prepare_new, start, system_clock,
};
use stepwright::episode::{Event, log};
use stepwright::methods::METHODS;

const RECORDS: usize = 10_000;

fn configuration(folder: &std::path::Path) -> Config {
    let overrides = Overrides { config_dir: Some(folder.join("config")), ..Overrides::default() };
    let state = folder.join("state").display().to_string();
    load_with(&overrides, &METHODS, &|name| (name == "STEPWRIGHT_STATE_DIR").then(|| state.clone()))
        .expect("a configuration")
}

fn new() -> NewSession {
    NewSession { world: "household".into(), model: "symbolic".into(), ..NewSession::default() }
}

async fn until(handle: &mut Handle, mut is: impl FnMut(&Notice) -> bool) {
    while let Some(notice) = handle.notices.recv().await {
        if is(&notice) {
            return;
        }
    }
}

/// A session of ten thousand records, made by typing.
async fn long_session(config: &Config, path: &std::path::Path) {
    let mut setup = prepare_new(&new(), config, &stepwright::worlds::sources(), system_clock()).expect("a setup");
    let Beginning::New(header) = &setup.beginning else { return };
    setup.keep = Persistence::Log(log::Writer::create(path, header).expect("a log"));
    let mut handle = start(setup).expect("a driver");
    let mut records = 0;
    while records < RECORDS {
        let _ = handle.commands.send(Command::Gate(Request::Manual { text: "look".into() }));
        until(&mut handle, |n| {
            records += usize::from(matches!(n, Notice::Recorded(_)));
            matches!(n, Notice::Recorded(r) if matches!(r.event, Event::Executed { .. }))
        })
        .await;
    }
    let _ = handle.commands.send(Command::Quit);
    until(&mut handle, |n| *n == Notice::Stopped).await;
}

fn benches(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let config = configuration(folder.path());
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let path = folder.path().join("long.jsonl");
    runtime.block_on(long_session(&config, &path));
    let text = std::fs::read(&path).expect("the log");

    let mut group = criterion.benchmark_group("driver");
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    group.bench_function("read a log of 10,000 records", |b| {
        b.iter(|| log::read(black_box(&text[..]), &path).expect("a session").records.len());
    });
    group.bench_function("open a session of 10,000 records, to its first situation", |b| {
        b.iter(|| {
            runtime.block_on(async {
                let loaded = log::read(&text[..], &path).expect("a session");
                let mut setup =
                    prepare_new(&new(), &config, &stepwright::worlds::sources(), system_clock()).expect("a setup");
                setup.beginning = Beginning::Resume { session: Box::new(loaded.session), records: loaded.records };
                let mut handle = start(setup).expect("a driver");
                until(&mut handle, |n| matches!(n, Notice::Situation(_))).await;
                let _ = handle.commands.send(Command::Quit);
                until(&mut handle, |n| *n == Notice::Stopped).await;
            });
        });
    });
    let checked = Arc::new(std::sync::Mutex::new(runtime.block_on(async {
        start(prepare_new(&new(), &config, &stepwright::worlds::sources(), system_clock()).expect("a setup"))
            .expect("a driver")
    })));
    group.bench_function("check a typed action, there and back", |b| {
        b.iter(|| {
            let mut handle = checked.lock().expect("one thread");
            let _ = handle.commands.send(Command::CheckText { token: 1, text: "look".into(), over: None });
            runtime.block_on(until(&mut handle, |n| matches!(n, Notice::TextChecked { .. })));
        });
    });
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
