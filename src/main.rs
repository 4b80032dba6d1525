//! The `stepwright` program: the command line, and the worker of model-written code, which nothing but this links.

use std::process::ExitCode;

fn main() -> ExitCode {
    stepwright_worker::serve(std::env::args_os()).unwrap_or_else(stepwright::cli::run)
}
