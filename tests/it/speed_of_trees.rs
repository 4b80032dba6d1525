//! What the trees of the Blocking pane cost on the driver's thread: until the first situation is shown, and at each step after it, with what the
//! demonstrations show found out on that thread, or beside it. Prints figures and holds nothing:
//! `cargo test --test it speed_of_trees -- --ignored --nocapture`.

use std::time::{Duration, Instant};

use stepwright::driver::{Command, Notice, Request, service, system_clock};

use crate::support::driver::Watched;
use crate::support::opened::{begun, configuration};

/// Milliseconds until the first situation, and of the steps after it.
fn times(world: &str, task: &str, beside: bool) -> (u128, Vec<u128>) {
    let folder = tempfile::tempdir().unwrap();
    let config = configuration(folder.path());
    let mut setup = begun((world, task), ("precondition-aware", &[]), &config, system_clock(), None);
    setup.services = service::all(config.candidates, Default::default(), beside);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let long = Duration::from_secs(120);
        let begun = Instant::now();
        let mut watched = Watched::start(setup);
        watched.until_within(long, "a situation", |n, _| matches!(n, Notice::Situation(_))).await;
        let first = begun.elapsed().as_millis();
        let mut steps = Vec::new();
        for at in 0..4 {
            watched
                .until_within(long, "a recommendation", |_, s| {
                    s.current().is_some_and(|n| u64::from(n.depth) == at && n.turn.recommended.is_some())
                })
                .await;
            let Some((Some(proposal), _)) = watched.session.current().and_then(|n| n.turn.recommended.clone()) else {
                break;
            };
            let step = Instant::now();
            watched.send(Command::Gate(Request::Approve { proposal }));
            let is_there = |n: &Notice, s: &stepwright::episode::Session| {
                matches!(n, Notice::Situation(_)) && s.current().is_some_and(|n| u64::from(n.depth) == at + 1)
            };
            watched.until_within(long, "the next situation", is_there).await;
            steps.push(step.elapsed().as_millis());
        }
        (first, steps)
    })
}

#[test]
#[ignore = "it measures, and holds nothing"]
fn speed_of_trees() {
    for (world, task) in [
        ("household", "shipped/place-box-1"),
        ("kitchen", "galley/apple"),
        ("graph", "flat/milk_on_table"),
        ("shop", "fixed_0"),
        ("table", "pick_and_place/shelf"),
        ("dialogue", "shipped/toollibrary-01"),
    ] {
        for beside in [false, true] {
            let (first, steps) = times(world, task, beside);
            let where_ = if beside { "beside it" } else { "on its thread" };
            eprintln!("{world}, inferred {where_}: first situation {first} ms, steps {steps:?} ms");
        }
    }
}
