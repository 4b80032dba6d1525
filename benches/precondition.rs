//! Cost of inference on the shipped demonstrations: all pools from nothing (bar: 100 ms), and one candidate as it is typed.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use stepwright::precondition::{CandidateStore, Demo};
use stepwright::program::Specification;
use stepwright::world::World;
use stepwright::worlds::household::{Edition, HouseholdWorld, Source, shipped};

fn store() -> Option<CandidateStore> {
    let world = HouseholdWorld::new(Source::shipped().ok()?, Edition::Put);
    let specification = Specification::load(&world.specification(), "spec.py").ok()?;
    let demos = shipped::demonstrations(Edition::Put).ok()?;
    CandidateStore::new(&specification, demos.iter().map(Demo::from).collect()).ok()
}

fn fill(store: &mut CandidateStore) {
    let actions: Vec<String> = store.called_actions().map(|f| f.name.clone()).collect();
    for action in actions {
        let _ = black_box(store.enumerate(&action, |_, _| true));
    }
}

fn inference(c: &mut Criterion) {
    let Some(empty) = store() else { return };
    c.bench_function("execute the 12 demonstrations", |b| b.iter(|| black_box(store())));
    let mut group = c.benchmark_group("household");
    group.sample_size(10);
    group.bench_function("enumerate, validate and rank all nine pools", |b| {
        b.iter_batched(|| empty.clone(), |mut store| fill(&mut store), criterion::BatchSize::LargeInput);
    });
    let mut full = empty.clone();
    fill(&mut full);
    for (name, text) in [
        ("try a valid candidate", "self.is_visible(obj) and self.inventory is None"),
        ("try one that fails", "self.inventory == recep"),
        ("try one that changes the state", "not self.env.get_property(recep, 'open') or self.is_visible(obj)"),
        ("try a misspelt one", "self.inventori is None"),
    ] {
        group.bench_function(name, |b| b.iter(|| black_box(full.try_text("take", text))));
    }
    let in_force = ["self.is_visible(obj)", "self.is_visible(recep)", "self.inventory is None"].map(str::to_owned);
    for (name, text) in [
        ("look at a candidate beside what is in force", "self.is_visible(obj)"),
        ("the same while it is typed", "self.is_visible(obj) and self.inventory is None"),
    ] {
        group.bench_function(name, |b| b.iter(|| black_box(full.inspect("take", text, &in_force))));
    }
    group.finish();
}

criterion_group!(benches, inference);
criterion_main!(benches);
