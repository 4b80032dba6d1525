//! Comparison of the engine with CPython's recorded output on single constructs, and its verdicts on hostile programs.
//!
//! A construct that the engine reports as unsupported is counted apart: it is no difference, any other output is.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::{Row, difference, unreadable};
use stepwright_program::{FaultKind, Limits, run_module};
use stepwright_study::recordings::{jsonl_files, name_of};

/// Far above what any budget allows: a program that takes longer has no bound.
const HANGS: Duration = Duration::from_secs(60);

/// Far above what a program's memory holds: more output than this has no bound.
const FLOODS: usize = 20 << 20;

/// The paths of what is looked at here.
pub(super) const LOOKED_AT: &[&str] = &["constructs*.jsonl", "hostile*.jsonl"];

/// A line of `constructs.jsonl` or `hostile.jsonl`.
#[derive(Debug, Deserialize)]
struct Program {
    name: String,
    source: String,
    stdout: Option<String>,
}

/// Compares every construct, and looks at every hostile program.
pub(super) fn compare(folder: &Path) -> Vec<Row> {
    let mut rows = of_files(folder, "constructs", construct);
    rows.extend(of_files(folder, "hostile", hostile));
    rows
}

fn of_files(folder: &Path, prefix: &str, one: impl Fn(&Program, &mut Row, String)) -> Vec<Row> {
    let what = format!("{prefix}.jsonl");
    Row::of_files(&jsonl_files(folder, prefix), (&what, "programs", "not in this folder"), |file| {
        let mut row = Row::new(name_of(file), "programs");
        row.each_record(file, |row, at, program: Program| one(&program, row, format!("{at} ({})", program.name)));
        [row]
    })
}

/// Equal output, or unsupported. What a program prints is recorded, not the exception that ends it, which CPython writes elsewhere; a spent
/// budget is no result of CPython's and so always another.
fn construct(program: &Program, row: &mut Row, at: String) {
    let Some(expected) = &program.stdout else { return row.differs(unreadable(at, "it has no field `stdout`")) };
    let run = run_module(&program.source, Limits::MODULE);
    let got = match run.fault {
        None => run.stdout,
        Some(fault) => match &fault.kind {
            FaultKind::Exception(_) => run.stdout,
            FaultKind::Unsupported(what) => {
                row.lacks(1, || format!("not offered by the engine, and reported so (first: {what})"));
                return;
            }
            FaultKind::Budget(_) => format!("{}{fault}", run.stdout),
        },
    };
    row.equal(at, expected, &got);
}

/// Any verdict, in bounded time and with bounded output.
fn hostile(program: &Program, row: &mut Row, at: String) {
    let started = Instant::now();
    let run = run_module(&program.source, Limits { steps: Limits::MODULE.steps / 10, ..Limits::MODULE });
    let (took, printed) = (started.elapsed(), run.stdout.len());
    let within = took <= HANGS && printed < FLOODS;
    row.count((!within).then(|| difference(at, "a verdict", format!("{took:?}, {printed} bytes printed"))));
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
            r#"{"name": "none", "source": "import os\nos.getcwd()", "stdout": ""}"#,
            r#"{"name": "raises", "source": "print(1)\n1 / 0", "stdout": "1\n"}"#,
            r#"{"name": "bounded", "source": "2 ** 10 ** 9", "stdout": ""}"#,
        ];
        std::fs::write(folder.path().join("constructs.jsonl"), lines.join("\n")).unwrap();
        let rows = compare(folder.path());
        assert_eq!((rows[0].compared, rows[0].differences, rows[0].absent), (4, 2, 1));
        assert!(rows[0].first.as_ref().is_some_and(|d| d.at.contains("other") && d.got == "2\n"));
        assert_eq!(rows[1].compared, 0);
    }
}
