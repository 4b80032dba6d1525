//! Built-in selector in kitchens: how often it reaches the goal, against the paper's shares.
//!
//! The shipped scenes always; the recordings' scenes where they are at hand (`STEPWRIGHT_DATA`, else `../shared/data`). Trials are
//! seeded by what decides among equals; `STEPWRIGHT_TRIALS=50` runs as many as the paper.

use std::sync::Arc;

use crate::support::games::{Played, select};
use crate::support::recordings::recordings;
use stepwright::blocking::{Domain, Growth};
use stepwright::world::{TaskInfo, World, shipped_domain};
use stepwright::worlds::kitchen::{Find, KitchenWorld, Source};

fn trial(domain: &Arc<Domain>, source: &Arc<Source>, task: &str, seed: u64) -> Played {
    let mut world = KitchenWorld::new(Arc::clone(source), Find::default());
    world.reset(task, seed).unwrap();
    let mut growth = Growth::begin(Arc::clone(domain), &world).unwrap();
    select(&mut growth, &mut world, seed, u32::MAX)
}

#[derive(Debug)]
struct Figure {
    kind: String,
    won: u64,
    of: u64,
}

/// The trials of every task, and a table for display.
fn figures(source: &Arc<Source>, trials: u64) -> Vec<Figure> {
    let domain = shipped_domain(&stepwright::worlds::kitchen::KIND).unwrap().unwrap();
    let figure = |task: TaskInfo| {
        let all: Vec<Played> = (0..trials).map(|seed| trial(&domain, source, &task.id, seed)).collect();
        let won: Vec<u32> = all.iter().filter(|t| t.won).map(|t| t.selections).collect();
        let candidates: usize = all.iter().map(|t| t.candidates).sum();
        let selections: u32 = all.iter().map(|t| t.selections).sum();
        let mean = f64::from(won.iter().sum::<u32>()) / won.len().max(1) as f64;
        eprintln!(
            "{:18} {:3} of {trials}, {mean:5.1} selections (most {:3}), {:5.2} candidates a decision",
            task.id,
            won.len(),
            won.iter().max().copied().unwrap_or_default(),
            candidates as f64 / f64::from(selections.max(1)),
        );
        Figure { kind: task.kind, won: won.len() as u64, of: trials }
    };
    source.tasks().into_iter().map(figure).collect()
}

fn trials(usual: u64) -> u64 {
    std::env::var("STEPWRIGHT_TRIALS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

#[test]
fn every_shipped_kitchen_task_is_done() {
    let tasks = figures(&Arc::new(Source::shipped().unwrap()), trials(3));
    assert!(tasks.len() == 16 && tasks.iter().all(|t| t.won == t.of && t.of > 0), "{tasks:?}");
}

#[test]
fn the_papers_shares_are_reached_on_the_recordings_scenes() {
    let Some(folder) = recordings("bcr") else { return };
    let tasks = figures(&Arc::new(Source::open(&folder).unwrap()), trials(3));
    let paper = [("coffee", 50), ("apple", 39), ("mug", 39), ("toast", 49)];
    for (kind, share) in paper {
        let of_kind = tasks.iter().filter(|t| t.kind == kind);
        let (won, of) = of_kind.fold((0, 0), |(won, of), t| (won + t.won, of + t.of));
        assert!(of > 0 && won * 50 >= share * of, "{kind}: {won} of {of}, the paper {share} of 50");
    }
}
