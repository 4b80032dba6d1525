//! `cargo run --release -p conform -- DIR --topic T --all`: compares the program with recordings of the original systems.

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    conform::Command::parse().print()
}
