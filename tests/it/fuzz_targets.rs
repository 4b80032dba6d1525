//! The fuzzer's targets on their seeds and on damaged seeds. `STEPWRIGHT_FUZZ_CASES` sets how many of each.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::support::targets::TARGETS;

/// Longest that one input may take on a busy machine without optimisation.
const LONGEST: Duration = Duration::from_secs(20);

/// The seeds of a target: what is kept for it, and a few bytes that suit none.
fn seeds(name: &str) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(name);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{} holds no seed", folder.display());
    let mut seeds: Vec<Vec<u8>> = files.iter().map(|file| std::fs::read(file).unwrap()).collect();
    seeds.extend([Vec::new(), b"\0\xff".to_vec(), b"[".repeat(5_000), b"(".repeat(5_000)]);
    seeds
}

fn tried(name: &str, target: fn(&[u8]), data: &[u8]) {
    let since = Instant::now();
    target(data);
    assert!(since.elapsed() < LONGEST, "{name}: {:.200}", String::from_utf8_lossy(data));
}

#[test]
fn no_seed_and_no_damaged_seed_brings_a_parser_down() {
    let cases = std::env::var("STEPWRIGHT_FUZZ_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(64);
    for (name, target) in TARGETS {
        let seeds = seeds(name);
        seeds.iter().for_each(|seed| tried(name, *target, seed));
        let pieces = [
            "\"", "'", "\\", "{", "}", "[", "]", "(", ")", ",", ":", "\n", "\t", "null", "-1", "1e999", "\u{202e}",
            "∀", "\0", "#",
        ];
        let injury =
            (0..6_u8, any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>(), 0..pieces.len());
        let damaged = (0..seeds.len(), prop::collection::vec(injury, 1..8)).prop_map(move |(seed, injuries)| {
            let mut data = seeds[seed].clone();
            for (kind, from, to, byte, piece) in injuries {
                if data.is_empty() {
                    data.push(byte);
                }
                let (a, b) = (from.index(data.len()), to.index(data.len()));
                let (first, last) = (a.min(b), a.max(b));
                match kind {
                    0 => data[a] = byte,
                    1 => data[a] ^= 1 << (byte % 8),
                    2 => drop(data.drain(first..last)),
                    3 => drop(data.splice(a..a, pieces[piece].bytes())),
                    4 => {
                        let copied = data[first..last.min(first + 2_000)].to_vec();
                        drop(data.splice(a..a, copied));
                    }
                    _ => data.truncate(a),
                }
            }
            data
        });
        let config = Config { cases, failure_persistence: None, ..Config::default() };
        let done = TestRunner::new(config).run(&damaged, |data| {
            tried(name, *target, &data);
            Ok(())
        });
        done.unwrap_or_else(|e| panic!("{name}: {e}; keep the input in fuzz/seeds/{name}"));
    }
}
