//! The `stepwright` program: calls one function.

use std::process::ExitCode;

fn main() -> ExitCode {
    stepwright::cli::run()
}
