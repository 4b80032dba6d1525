//! `cargo run --release -p conform -- DIR --topic T --all`: compares the program with recordings of the original systems.

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    stepwright_worker::serve(std::env::args_os()).unwrap_or_else(|| conform::Command::parse().print())
}
