//! All targets under libFuzzer: the variable `STEPWRIGHT_FUZZ_TARGET` names the one to run, so that the library is built and linked once.
#![no_main]

#[allow(dead_code, reason = "the tests ask more of a target than its name and what it runs")]
#[path = "../../tests/support/targets/mod.rs"]
mod targets;

use std::sync::LazyLock;

static NAME: LazyLock<String> = LazyLock::new(|| std::env::var("STEPWRIGHT_FUZZ_TARGET").unwrap_or_default());

/// As every program in Rust begins: what is written to a command that has ended is an error and no signal.
fn pipes_are_errors() {
    // SAFETY: no handler is set, and no other thread runs yet.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
}

libfuzzer_sys::fuzz_target!(init: pipes_are_errors(), |data: &[u8]| {
    if !targets::run(&NAME, data) {
        let known: Vec<&str> = targets::TARGETS.iter().map(|target| target.name).collect();
        eprintln!("STEPWRIGHT_FUZZ_TARGET names a target, one of: {}", known.join(", "));
        std::process::exit(2);
    }
});
