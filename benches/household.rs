//! Figures of the household world: a step with its sorted admissible list, a reset from compact JSON, snapshot and restore.
//!
//! Measured on the shipped task with the most receptacles and, where recordings are at hand (`STEPWRIGHT_DATA`, default
//! `../shared/data`), on ALFWorld's game with the most receptacles. Bars: step 15 µs, reset 0.5 ms, snapshot and restore 5 µs.

use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stepwright::world::World;
use stepwright::worlds::household::{Definition, Edition, HouseholdWorld, Source};

fn largest(source: &Source) -> Option<Definition> {
    let games = source.tasks().into_iter().filter_map(|task| source.definition(&task.id).ok());
    games.max_by_key(|game| (game.receptacles.len(), game.objects.len()))
}

fn games() -> Vec<(&'static str, Definition)> {
    let data = std::env::var_os("STEPWRIGHT_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from);
    let shipped = Source::shipped().ok().as_ref().and_then(largest);
    let recorded = Source::open(&data.join("alfworld/games.jsonl")).ok().as_ref().and_then(largest);
    [("shipped", shipped), ("alfworld", recorded)].into_iter().filter_map(|(n, g)| Some((n, g?))).collect()
}

/// A walk of admissible commands that begins with the plan, so that objects are held and receptacles open.
fn walk(world: &mut HouseholdWorld, game: &Definition) -> Vec<String> {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut commands = Vec::new();
    if world.reset(&game.id, 0).is_err() {
        return commands;
    }
    while commands.len() < 400 {
        let Some(admissible) = world.admissible() else { break };
        // Mostly what is not going elsewhere, as agents do.
        let near: Vec<&String> = admissible.iter().filter(|c| !c.starts_with("go to ")).collect();
        let choice = if rng.random_bool(0.6) { near.choose(&mut rng).copied() } else { admissible.choose(&mut rng) };
        let Some(command) = choice.cloned() else { break };
        let done = world.act(&command).is_ok();
        commands.push(command);
        if !done {
            break;
        }
    }
    commands
}

fn household(c: &mut Criterion) {
    for (name, game) in games() {
        let Ok(line) = serde_json::to_string(&game) else { continue };
        let Ok(source) = Source::from_lines(&line, name) else { continue };
        let mut world = HouseholdWorld::new(source, Edition::Put);
        let commands = walk(&mut world, &game);
        if world.reset(&game.id, 0).is_err() {
            continue;
        }
        let mut next = commands.iter().cycle();
        c.bench_function(&format!("household/{name}/step with admissible"), |b| {
            b.iter(|| next.next().map(|command| black_box((world.act(black_box(command)), world.admissible()))));
        });
        c.bench_function(&format!("household/{name}/reset from compact JSON"), |b| {
            b.iter(|| {
                let source = Source::from_lines(black_box(&line), name).unwrap_or_default();
                let mut world = HouseholdWorld::new(source, Edition::Put);
                black_box(world.reset(&game.id, 0).is_ok())
            });
        });
        c.bench_function(&format!("household/{name}/snapshot"), |b| b.iter(|| black_box(world.snapshot())));
        let snapshot = world.snapshot();
        c.bench_function(&format!("household/{name}/restore"), |b| {
            b.iter_batched_ref(|| world.clone(), |w| black_box(w.restore(&snapshot).is_ok()), BatchSize::SmallInput);
        });
    }
}

criterion_group!(benches, household);
criterion_main!(benches);
