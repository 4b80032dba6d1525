//! The fuzzer's targets on their seeds and on damaged seeds.
//!
//! `STEPWRIGHT_FUZZ_SECONDS` gives each target so long on damaged seeds (a second without it), `STEPWRIGHT_FUZZ_TARGET` names one target
//! alone, `STEPWRIGHT_FUZZ_SEED` begins another course, and `STEPWRIGHT_FUZZ_INPUT` is a file that holds the input at hand: what is in it
//! after a stack overflow or a kill is what did it. Each target says on standard output how much was tried. `scripts/campaign` runs them
//! so.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::targets::{self, TARGETS, Target};

/// Longest that one input may take on a busy machine without optimisation.
const LONGEST: Duration = Duration::from_secs(20);
/// Most bytes of a shipped file that are taken, and of an input.
const LARGEST: usize = 256 << 10;
/// How many damaged seeds a target is given at most where no time is set.
const CASES: usize = 64;

/// Pieces that parsers stumble over.
static PIECES: LazyLock<Vec<String>> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../fuzz/pieces.json")).unwrap());

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// All files at a path, in order.
fn files(path: &Path, into: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut below: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        below.sort();
        below.iter().for_each(|path| files(path, into));
    } else {
        into.push(path.to_owned());
    }
}

/// The inputs that are kept for a target, and those that ship.
fn kept(target: &Target) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    files(&root.join("fuzz/seeds").join(target.name), &mut paths);
    target.shipped.iter().for_each(|shipped| files(&root.join(shipped), &mut paths));
    let read = |path: &PathBuf| {
        let mut data = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        if data.len() > LARGEST {
            // Whole lines, for where a line is a record.
            data.truncate(LARGEST);
            data.truncate(data.iter().rposition(|byte| *byte == b'\n').map_or(LARGEST, |at| at + 1));
        }
        data
    };
    paths.iter().map(read).collect()
}

/// The same, with a few that suit no target.
fn seeds(target: &Target) -> Vec<Vec<u8>> {
    let mut seeds = kept(target);
    seeds.extend([Vec::new(), b"\0\xff".to_vec(), b"[".repeat(5_000), b"(".repeat(5_000), b"{\"a\":".repeat(5_000)]);
    seeds
}

/// A seed with some injuries; with another choice in its first byte where that chooses.
fn damaged(target: &Target, seeds: &[Vec<u8>], chance: &mut impl Rng) -> Vec<u8> {
    let mut data = seeds[chance.random_range(0..seeds.len())].clone();
    if target.chooses && chance.random_bool(0.7) {
        let choice = chance.random();
        if let Some(first) = data.first_mut() {
            *first = choice;
        }
    }
    for _ in 0..chance.random_range(1..8) {
        if data.is_empty() {
            data.push(chance.random());
        }
        let (a, b) = (chance.random_range(0..data.len()), chance.random_range(0..data.len()));
        let (first, last) = (a.min(b), a.max(b));
        match chance.random_range(0..10_u8) {
            0 => data[a] = chance.random(),
            1 => data[a] ^= 1 << chance.random_range(0..8),
            2 => drop(data.drain(first..last.min(first + 500))),
            3 | 4 => {
                let piece = &PIECES[chance.random_range(0..PIECES.len())];
                drop(data.splice(a..a, piece.bytes()));
            }
            5 => {
                let copied = data[first..last.min(first + 2_000)].to_vec();
                drop(data.splice(a..a, copied));
            }
            6 => {
                // The same again and again: depth, length, number.
                let copied = data[first..last.min(first + 8)].repeat(chance.random_range(10..3_000));
                drop(data.splice(a..a, copied));
            }
            7 => {
                let other = &seeds[chance.random_range(0..seeds.len())];
                let from = chance.random_range(0..=other.len());
                let part = other[from..other.len().min(from + 500)].to_vec();
                drop(data.splice(a..a, part));
            }
            8 => {
                // Another number.
                let digits = |byte: &u8| byte.is_ascii_digit();
                if let Some(at) = data[a..].iter().position(digits).map(|at| at + a) {
                    let end = data[at..].iter().position(|byte| !digits(byte)).map_or(data.len(), |end| end + at);
                    let numbers = ["0", "-1", "4294967296", "1e308", "18446744073709551616", "0.1"];
                    let number = numbers[chance.random_range(0..numbers.len())];
                    drop(data.splice(at..end, number.bytes()));
                }
            }
            _ => data.truncate(a),
        }
    }
    data.truncate(LARGEST * 2);
    data
}

/// How much was tried, and the longest that one took.
struct Tally {
    tried: usize,
    worst: Duration,
}

fn tried(target: &Target, data: &[u8], tally: &mut Tally) {
    if let Some(file) = variable("STEPWRIGHT_FUZZ_INPUT") {
        std::fs::write(&file, data).unwrap_or_else(|e| panic!("{file}: {e}"));
    }
    let since = Instant::now();
    (target.run)(data);
    let took = since.elapsed();
    tally.tried += 1;
    tally.worst = tally.worst.max(took);
    assert!(took < LONGEST, "{} took {took:?}: {:.200}", target.name, String::from_utf8_lossy(data));
}

#[test]
fn no_seed_and_no_damaged_seed_brings_a_parser_down() {
    let only = variable("STEPWRIGHT_FUZZ_TARGET");
    let seconds = variable("STEPWRIGHT_FUZZ_SECONDS").map(|n| n.parse().expect("STEPWRIGHT_FUZZ_SECONDS is a number"));
    let course = variable("STEPWRIGHT_FUZZ_SEED").map_or(0, |n| n.parse().expect("STEPWRIGHT_FUZZ_SEED is a number"));
    let chosen = |target: &&Target| only.as_deref().is_none_or(|name| name == target.name);
    for target in TARGETS.iter().filter(chosen) {
        let seeds = seeds(target);
        let mut tally = Tally { tried: 0, worst: Duration::ZERO };
        seeds.iter().for_each(|seed| tried(target, seed, &mut tally));
        let mut chance = ChaCha8Rng::seed_from_u64(course);
        let (since, cases) = (Instant::now(), if seconds.is_some() { usize::MAX } else { CASES });
        let time = Duration::from_secs_f64(seconds.unwrap_or(1.0));
        for _ in (0..cases).take_while(|_| since.elapsed() < time) {
            let data = damaged(target, &seeds, &mut chance);
            tried(target, &data, &mut tally);
        }
        println!("fuzzed {} {} {:.3}", target.name, tally.tried, tally.worst.as_secs_f64());
    }
}

#[test]
fn every_target_has_several_seeds() {
    for target in TARGETS {
        let kept = kept(target);
        assert!(kept.len() >= 3, "{} has {} seeds; put more into fuzz/seeds/{0}", target.name, kept.len());
    }
    let folders = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds")).unwrap();
    for folder in folders {
        let name = folder.unwrap().file_name().into_string().unwrap();
        assert!(TARGETS.iter().any(|target| target.name == name), "fuzz/seeds/{name} is of no target");
    }
    assert!(!targets::run("none", b""));
}

#[test]
fn answers_of_models_reach_every_method() {
    assert_eq!(targets::answers::unreached(), [""; 0]);
}
