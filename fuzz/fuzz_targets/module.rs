//! `targets::module` under libFuzzer.
#![no_main]

#[path = "../../tests/support/targets.rs"]
#[allow(dead_code, reason = "each target is a program of its own")]
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| targets::module(data));
