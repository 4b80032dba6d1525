//! Bars of the workbench, measured in a pseudo-terminal against a bare ratatui program in the same run.
//!
//! `cargo bench --bench pty_bars` prints: first frame, key to first byte with a 10,000-record session, bytes and wake-ups a second
//! at idle, memory. The same program plays the bare one (`bare`) and the session (`session N`) when it starts itself again.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)]

#[path = "support/bare.rs"]
mod bare;
#[path = "support/replayed.rs"]
mod replayed;
#[path = "../tests/support/mod.rs"]
mod support;

use std::fs;
use std::time::{Duration, Instant};

use support::pty::Pty;

/// Rounds of first frames; the programs take turns.
const ROUNDS: usize = 15;
/// Key presses measured.
const PRESSES: usize = 60;
/// Records of the session that is open while keys are measured.
const RECORDS: usize = 10_000;
/// How long an idle program is watched.
const IDLE: Duration = Duration::from_secs(10);
/// Non-blank rows that make a frame.
const ROWS: usize = 20;
const SIZE: (u16, u16) = (120, 40);

fn main() -> std::io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("bare") => return bare::run(),
        Some("session") => return replayed::workbench(args.get(1).and_then(|n| n.parse().ok()).unwrap_or(0)),
        _ => {}
    }
    let home = tempfile::tempdir()?;
    let myself = std::env::current_exe()?.display().to_string();
    let stepwright = env!("CARGO_BIN_EXE_stepwright");
    let records = RECORDS.to_string();
    let start = |what: &str| match what {
        "stepwright" => Pty::start(stepwright, &[], home.path(), &[], SIZE),
        "session" => Pty::start(&myself, &["session", &records], home.path(), &[], SIZE),
        other => Pty::start(&myself, &[other], home.path(), &[], SIZE),
    };
    first_frames(&start);
    for what in ["bare", "session"] {
        keys(what, start(what));
    }
    for what in ["bare", "stepwright", "session"] {
        idle(what, start(what));
    }
    Ok(())
}

/// Waits for a frame; how long it took.
fn first_frame(mut pty: Pty, since: Instant) -> Duration {
    let end = Instant::now() + Duration::from_secs(20);
    while pty.text().lines().filter(|l| !l.trim().is_empty()).count() < ROWS {
        assert!(Instant::now() < end, "no frame:\n{}", pty.text());
        let _ = pty.receive(Duration::from_millis(100));
    }
    since.elapsed()
}

fn first_frames(start: &dyn Fn(&str) -> Pty) {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (what, times) in ["bare", "stepwright"].into_iter().zip(&mut times) {
            let since = Instant::now();
            times.push(first_frame(start(what), since));
        }
    }
    let [mut bare, mut own] = times;
    let (bare, own) = (median(&mut bare), median(&mut own));
    println!("first frame, median [min] of {ROUNDS}: bare {} ms, stepwright {} ms", show(bare), show(own));
    println!("  ratio {:.2} (bar 2.00)", own.0.as_secs_f64() / bare.0.as_secs_f64());
}

fn show((median, least): (Duration, Duration)) -> String {
    format!("{:.1} [{:.1}]", median.as_secs_f64() * 1e3, least.as_secs_f64() * 1e3)
}

fn median(times: &mut [Duration]) -> (Duration, Duration) {
    times.sort_unstable();
    (times[times.len() / 2], times[0])
}

fn keys(what: &str, mut pty: Pty) {
    pty.settle();
    let mut times = Vec::with_capacity(PRESSES);
    // Down and up again, so that every press changes the screen.
    for key in ["j", "j", "k", "k"].into_iter().cycle().take(PRESSES) {
        let since = Instant::now();
        pty.send(key);
        pty.receive(Duration::from_secs(5)).expect("the key is answered");
        times.push(since.elapsed());
        pty.settle();
    }
    times.sort_unstable();
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)].as_secs_f64() * 1e3;
    println!("key to first byte, {what}: p50 {:.2} ms, p95 {:.2} ms (bar 5 ms), {PRESSES} presses", at(50), at(95));
    if what == "session" {
        println!("  with {RECORDS} records open");
    }
}

fn idle(what: &str, mut pty: Pty) {
    pty.settle();
    std::thread::sleep(Duration::from_secs(1));
    pty.settle();
    let (bytes, switches) = (pty.bytes.len(), switches(pty.pid()));
    std::thread::sleep(IDLE);
    let woken = self::switches(pty.pid()) - switches;
    while pty.receive(Duration::from_millis(1)).is_ok() {}
    let written = pty.bytes.len() - bytes;
    let seconds = IDLE.as_secs_f64();
    println!(
        "idle, {what}: {:.1} bytes/s, {:.2} wake-ups/s over {seconds:.0} s; memory (PSS) {:.1} MB",
        written as f64 / seconds,
        woken as f64 / seconds,
        pss(pty.pid()) as f64 / 1024.0
    );
}

/// Times any thread of the process went to sleep by itself: each needs a wake-up first.
fn switches(pid: i32) -> u64 {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).expect("the process runs");
    let of = |path: std::path::PathBuf| -> Option<u64> {
        let status = fs::read_to_string(path.join("status")).ok()?;
        status.lines().find_map(|l| l.strip_prefix("voluntary_ctxt_switches:"))?.trim().parse().ok()
    };
    tasks.flatten().filter_map(|t| of(t.path())).sum()
}

/// Proportional set size in kB.
fn pss(pid: i32) -> u64 {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let line = rollup.lines().find_map(|l| l.strip_prefix("Pss:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
}
