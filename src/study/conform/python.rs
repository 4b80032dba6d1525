//! The engine compared with CPython's recorded output on single constructs, and its verdicts on hostile programs.
//!
//! A construct that the engine reports as unsupported is counted apart: it is no difference, any other output is.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::files::each_line;
use super::{Row, Topic, difference};
use crate::program::{FaultKind, Limits, run_module};

/// The topic's name.
const NAME: &str = "python";

/// Far above what any budget allows: a program that takes longer has no bound.
const HANGS: Duration = Duration::from_secs(60);

/// The programs for the engine.
pub struct Python;

/// A line of `constructs.jsonl` or `hostile.jsonl`.
#[derive(Debug, Deserialize)]
struct Program {
    name: String,
    source: String,
    stdout: Option<String>,
}

impl Topic for Python {
    fn name(&self) -> &'static str {
        NAME
    }

    fn compare(&self, folder: &Path) -> Vec<Row> {
        vec![compare(&folder.join("constructs.jsonl"), construct), compare(&folder.join("hostile.jsonl"), hostile)]
    }
}

fn compare(file: &Path, one: impl Fn(&Program, &mut Row, String)) -> Row {
    let what = super::files::name_of(file);
    if !file.is_file() {
        return Row::missing(NAME, what, "programs", "not in this folder");
    }
    let mut row = Row::new(NAME, what, "programs");
    each_line(file, |at, program: Result<Program, String>| match program {
        Ok(program) => {
            one(&program, &mut row, format!("{at} ({})", program.name));
        }
        Err(error) => row.differs(difference(at, "a program", error)),
    });
    row
}

/// Equal output, or unsupported.
fn construct(program: &Program, row: &mut Row, at: String) {
    let run = run_module(&program.source, Limits::MODULE);
    let got = match run.fault {
        None => run.stdout,
        Some(fault) => match fault.kind {
            FaultKind::Unsupported(what) => {
                row.lacks(1, || format!("not offered by the engine, and reported so (first: {what})"));
                return;
            }
            _ => format!("{}{fault}", run.stdout),
        },
    };
    let expected = program.stdout.clone().unwrap_or_default();
    row.count((got != expected).then(|| difference(at, expected, got)));
}

/// Any verdict, in bounded time.
fn hostile(program: &Program, row: &mut Row, at: String) {
    let started = Instant::now();
    run_module(&program.source, Limits { steps: Limits::MODULE.steps / 10, ..Limits::MODULE });
    let took = started.elapsed();
    row.count((took > HANGS).then(|| difference(at, "a verdict", format!("{took:?}"))));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_output_is_a_difference_and_unsupported_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let lines = [
            r#"{"name": "same", "source": "print(1 + 1)", "stdout": "2\n"}"#,
            r#"{"name": "other", "source": "print(1 + 1)", "stdout": "3\n"}"#,
            r#"{"name": "none", "source": "import os", "stdout": ""}"#,
        ];
        std::fs::write(folder.path().join("constructs.jsonl"), lines.join("\n")).unwrap();
        let rows = Python.compare(folder.path());
        assert_eq!((rows[0].compared, rows[0].differences, rows[0].absent), (2, 1, 1));
        assert!(rows[0].first.as_ref().is_some_and(|d| d.at.contains("other") && d.got == "2\n"));
        assert_eq!(rows[1].compared, 0);
    }
}
