//! All targets under libFuzzer: the variable `STEPWRIGHT_FUZZ_TARGET` names the one to run, so that the library is built and linked once.
#![no_main]

#[path = "../../tests/support/targets/mod.rs"]
mod targets;

use std::sync::LazyLock;

static NAME: LazyLock<String> = LazyLock::new(|| std::env::var("STEPWRIGHT_FUZZ_TARGET").unwrap_or_default());

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if !targets::run(&NAME, data) {
        let known: Vec<&str> = targets::TARGETS.iter().map(|target| target.name).collect();
        eprintln!("STEPWRIGHT_FUZZ_TARGET names a target, one of: {}", known.join(", "));
        std::process::exit(2);
    }
});
