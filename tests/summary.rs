//! Summary, the last line of a run: how many tests had the recordings they need, and which had not.
//!
//! A separate program, because a test's output is not shown when it passes, and last by its name, because cargo runs the binaries
//! in order. It reads what the tests of the same run noted (`support/recordings.rs`).
#![allow(clippy::print_stdout, reason = "the run's summary")]

#[path = "support/recordings.rs"]
#[allow(dead_code, reason = "only the account is read here")]
mod recordings;

use std::collections::{BTreeMap, BTreeSet};

fn main() {
    let Some(path) = recordings::account() else { return };
    let Ok(text) = std::fs::read_to_string(&path) else { return };
    let _ = std::fs::remove_file(&path);
    let (mut absent, mut tests) = (BTreeMap::<&str, BTreeSet<&str>>::new(), BTreeSet::new());
    for line in text.lines() {
        let mut parts = line.splitn(3, '\t');
        let (Some(what), Some(test), Some(need)) = (parts.next(), parts.next(), parts.next()) else { continue };
        tests.insert(test);
        if what == "absent" {
            absent.entry(test).or_default().insert(need);
        }
    }
    println!("\nrecordings: {} of the tests that need something from outside had it", tests.len() - absent.len());
    if !absent.is_empty() {
        println!("NOT RUN, {} of {} such tests:", absent.len(), tests.len());
    }
    for (test, needs) in &absent {
        println!("    {test}: needs {}", needs.iter().copied().collect::<Vec<_>>().join(" and "));
    }
    println!();
}
