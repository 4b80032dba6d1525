//! The study's tables and figures. Computed from results alone.

use std::collections::BTreeSet;

use stepwright_graph::ErrorType;

use super::paper::{FIGURES, MODEL, SOURCE};
use super::{Damage, METHODS, RepromptResult};
use crate::curve::{Chart, PointOf, Scatter, ShareOf, Shares};
use crate::report::{Report, Table};
use crate::runner::{beside, in_print, in_words, of_mean, printed_table, wilson};
use crate::table::count;

/// Characters of a full bar.
const BAR: f64 = 40.0;

/// The results of one condition that came to a plan.
struct Of<'a> {
    name: &'static str,
    lines: Vec<&'a RepromptResult>,
}

impl Of<'_> {
    fn share(&self, holds: impl Fn(&RepromptResult) -> bool) -> (usize, f64) {
        let part = self.lines.iter().filter(|line| holds(line)).count();
        (part, part as f64 / self.lines.len().max(1) as f64)
    }

    fn values(&self, value: impl Fn(&RepromptResult) -> Option<f64>) -> Vec<f64> {
        self.lines.iter().filter_map(|line| value(line)).collect()
    }

    fn mean(&self, value: impl Fn(&RepromptResult) -> Option<f64>) -> Option<f64> {
        let values = self.values(value);
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    }

    /// How often each type of error was met, and the errors that keep plans from being carried out where none was met before.
    fn errors(&self) -> [usize; ErrorType::ALL.len()] {
        let mut counts = [0; ErrorType::ALL.len()];
        for line in &self.lines {
            // An error that a plan ends with was met already; an empty program meets none.
            let ended = line.failed.filter(|_| line.errors.is_empty());
            for number in line.errors.iter().copied().chain(ended) {
                if let Some(count) = counts.get_mut(usize::from(number).wrapping_sub(1)) {
                    *count += 1;
                }
            }
        }
        counts
    }
}

/// A figure of a cell.
fn cell(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
}

/// All tables and figures.
pub fn report(lines: &[RepromptResult]) -> Report {
    let of = |name: &'static str| Of {
        name,
        lines: lines.iter().filter(|l| l.condition == name && l.error.is_none()).collect(),
    };
    let methods: Vec<Of<'_>> = METHODS.iter().map(|c| of(c.name())).filter(|of| !of.lines.is_empty()).collect();
    let written: Vec<Of<'_>> = Damage::ALL.iter().map(|d| of(d.name())).filter(|of| !of.lines.is_empty()).collect();
    let mut report = Report::default();
    if !methods.is_empty() {
        tables(&methods, lines, &mut report);
        paper(&mut report);
        figures(&methods, &mut report);
    }
    if !written.is_empty() {
        damaged(&written, &mut report);
    }
    report
}

/// Tables 1 and 2.
fn tables(methods: &[Of<'_>], lines: &[RepromptResult], report: &mut Report) {
    let titles: BTreeSet<&str> = methods.iter().flat_map(|of| &of.lines).map(|line| line.title.as_str()).collect();
    let models: BTreeSet<&str> = methods.iter().flat_map(|of| &of.lines).map(|line| line.model.as_str()).collect();
    let model = models.iter().copied().collect::<Vec<_>>().join(", ");
    let tasks = titles.len().to_string();
    let print = |name: &str, measure: &str| {
        in_print(beside(&FIGURES, &[("condition", name), ("tasks", &tasks), ("model", &model)], measure))
    };
    let headings = ["condition", "plans", "% executable", "95 %", "paper", "% GS 2022", "paper", "% GS 2024", "errors"];
    let mut first =
        Table::new(1, headings).titled("Table 1, executability and similarity of the households at the end");
    let headings =
        ["condition", "LCS", "95 %", "paper", "steps", "paper", "corrections", "95 %", "paper", "asks", "seconds"];
    let mut second = Table::new(1, headings).titled("Table 2, likeness to the programs of people, length, corrections");
    for of in methods {
        let (part, share) = of.share(|line| line.executable);
        let percent = wilson(part, of.lines.len()).map(|interval| interval.map(|bound| 100.0 * bound));
        let broken = lines.iter().filter(|line| line.condition == of.name && line.error.is_some()).count();
        first.row([
            of.name.to_owned(),
            of.lines.len().to_string(),
            cell(Some(100.0 * share), 2),
            in_words(percent, 2),
            print(of.name, "executable"),
            cell(of.mean(|line| line.similarity_of_all), 2),
            print(of.name, "similarity"),
            cell(of.mean(|line| line.similarity_of_used), 2),
            broken.to_string(),
        ]);
        let lcs = of.values(|line| Some(100.0 * line.lcs));
        let corrections = of.values(|line| Some(f64::from(line.corrections)));
        // Open-loop planning corrects nothing.
        let corrects = of.name != METHODS[0].name();
        second.row([
            of.name.to_owned(),
            cell(of.mean(|line| Some(100.0 * line.lcs)), 2),
            in_words(of_mean(&lcs), 2),
            print(of.name, "LCS"),
            cell(of.mean(|line| Some(line.plan.len() as f64)), 2),
            print(of.name, "steps"),
            cell(of.mean(|line| Some(f64::from(line.corrections))).filter(|_| corrects), 2),
            if corrects { in_words(of_mean(&corrections), 2) } else { "-".to_owned() },
            print(of.name, "corrections"),
            cell(of.mean(|line| Some(f64::from(line.asks))), 1),
            cell(of.mean(|line| Some(line.seconds)), 2),
        ]);
    }
    report.table(first);
    report.text("\n");
    report.table(second);
    let embedders: BTreeSet<&str> =
        methods.iter().flat_map(|of| &of.lines).map(|line| line.embedder.as_str()).collect();
    let builtin = if models.contains(stepwright_driver::SYMBOLIC) {
        " With `symbolic` no language model took part: the nearest example fitted to the task was the plan, and the world's own rules \
         said the corrections."
    } else {
        ""
    };
    report.text(format!(
        "\n{} of {}, model: {model}. Sentence vectors: {}.{builtin} A plan is executable if its program can be carried out in a \
         household prepared for it; a step that was refused and never mended counts. `GS`: states at the end alike those after a program of \
         people, over all annotated classes (2022) or those either program names (2024). `LCS`: longest common subsequence with the nearest \
         program of people, percent. Whether plans are correct people say: `stepwright rate RESULTS`. `paper` is filled where condition, \
         tasks and model are the paper's.\n",
        count(methods.iter().map(|of| of.lines.len()).sum(), "plan"),
        count(titles.len(), "task"),
        embedders.into_iter().collect::<Vec<_>>().join(", "),
    ));
}

/// The paper's own tables.
fn paper(report: &mut Report) {
    report.text(format!("\nAs printed in \"{SOURCE}\" (Tables 1 and 2: {MODEL}, 88 tasks in 7 scenes)\n"));
    let measures = [
        ("executable", "% executable"),
        ("correct", "% correct"),
        ("correct and executable", "% correct-EP"),
        ("similarity", "% GS"),
        ("LCS", "LCS"),
        ("kappa", "kappa"),
        ("steps", "steps"),
        ("corrections", "corrections"),
    ];
    report
        .table(printed_table(FIGURES.iter(), &[("condition", "condition")], &measures).titled("paper, Tables 1 and 2"));
}

/// Executable plans against their likeness to people's programs, and errors by type.
fn figures(methods: &[Of<'_>], report: &mut Report) {
    let point = |of: &Of<'_>| PointOf {
        name: of.name.to_owned(),
        x: of.share(|line| line.executable).1,
        y: of.mean(|line| Some(line.lcs)).unwrap_or_default(),
    };
    report.text("\nLikeness to people's programs stands for correctness, which people judge (stepwright rate RESULTS --figures).\n");
    report.points(Scatter {
        across: "executable".to_owned(),
        up: "LCS".to_owned(),
        points: methods.iter().map(point).collect(),
    });
    let headings = ["error"].into_iter().chain(methods.iter().map(|of| of.name));
    let mut table = Table::new(1, headings).titled("Share of each type of error, percent, by condition");
    let counts: Vec<[usize; ErrorType::ALL.len()]> = methods.iter().map(Of::errors).collect();
    let all: Vec<usize> = counts.iter().map(|counts| counts.iter().sum()).collect();
    for (at, kind) in ErrorType::ALL.iter().enumerate() {
        let share = |(counts, all): (&[usize; ErrorType::ALL.len()], &usize)| {
            let part = counts.get(at).copied().unwrap_or_default();
            cell((*all > 0).then(|| 100.0 * part as f64 / *all as f64), 1)
        };
        table.row([kind.label().to_owned()].into_iter().chain(counts.iter().zip(&all).map(share)));
    }
    table.row(["errors in all".to_owned()].into_iter().chain(all.iter().map(usize::to_string)));
    report.text("\nErrors met while plans were made, and those that plans end with\n");
    report.table(table);
    for ((of, counts), all) in methods.iter().zip(&counts).zip(&all).filter(|(_, all)| **all > 0) {
        let mut text = format!("\n{}\n", of.name);
        let mut rows = Vec::new();
        for (kind, part) in ErrorType::ALL.iter().zip(counts).filter(|(_, part)| **part > 0) {
            let share = *part as f64 / *all as f64;
            let bar = "█".repeat(((share * BAR).round() as usize).max(1));
            text.push_str(&format!("  {:<24}{bar} {:.1} %\n", kind.label(), 100.0 * share));
            rows.push(ShareOf { name: kind.label().to_owned(), share, interval: wilson(*part, *all), paper: None });
        }
        report.text(text);
        report.chart(Chart::Shares(Shares { measure: format!("{}: share of errors", of.name), rows }));
    }
}

/// What the measures say of people's programs with something taken from them.
fn damaged(written: &[Of<'_>], report: &mut Report) {
    let headings = ["program", "programs", "% executable", "LCS", "% GS 2022", "% GS 2024"];
    let mut table = Table::new(1, headings).titled("Programs of people, damaged");
    for of in written {
        table.row([
            of.name.to_owned(),
            of.lines.len().to_string(),
            cell(Some(100.0 * of.share(|line| line.executable).1), 2),
            cell(of.mean(|line| Some(100.0 * line.lcs)), 2),
            cell(of.mean(|line| line.similarity_of_all), 2),
            cell(of.mean(|line| line.similarity_of_used), 2),
        ]);
    }
    report.text("\nWhat the measures tell apart: programs of people held against themselves, whole and damaged\n");
    report.table(table);
    let rows = |of: &Of<'_>| {
        let row = |name: &str, value: Option<f64>| {
            value.map(|share| ShareOf { name: format!("{}: {name}", of.name), share, interval: None, paper: None })
        };
        let mean = |value: &dyn Fn(&RepromptResult) -> Option<f64>| of.mean(value).map(|percent| percent / 100.0);
        let all = mean(&|line| line.similarity_of_all);
        [row("2022", all), row("2024", mean(&|line| line.similarity_of_used))].into_iter().flatten().collect::<Vec<_>>()
    };
    let rows = written.iter().flat_map(rows).collect();
    report.chart(Chart::Shares(Shares { measure: "similarity of damaged programs".to_owned(), rows }));
    let similarity = |name: Damage, of_all: bool| {
        let of = written.iter().find(|of| of.name == name.name())?;
        of.mean(|line| if of_all { line.similarity_of_all } else { line.similarity_of_used })
    };
    if let (Some(old), Some(new)) = (similarity(Damage::Other, true), similarity(Damage::Other, false)) {
        report.text(format!(
            "The similarity of 2022 saturates: the program of another task still has {old:.2} %, as a household has many classes that no \
             program touches; that of 2024 has {new:.2} %.\n"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(condition: &str, executable: bool, errors: &[u8]) -> RepromptResult {
        RepromptResult {
            condition: condition.to_owned(),
            title: "Make toast".to_owned(),
            model: "symbolic".to_owned(),
            plan: vec!["Walk to kitchen".to_owned(); 4],
            executable,
            failed: (!executable).then_some(3),
            errors: errors.to_vec(),
            corrections: errors.len() as u32,
            lcs: 0.25,
            similarity_of_all: Some(99.5),
            similarity_of_used: Some(40.0),
            ..RepromptResult::default()
        }
    }

    fn row<'a>(text: &'a str, first: &str) -> Vec<&'a str> {
        let found = text.lines().find(|line| line.starts_with(first)).unwrap();
        found.split_whitespace().collect()
    }

    #[test]
    fn tables_figures_and_damage_are_read_from_lines() {
        let lines = [
            line("cause", true, &[9, 9, 5]),
            line("cause", false, &[]),
            line("open-loop", true, &[]),
            line(Damage::Other.name(), true, &[]),
            RepromptResult { error: Some("cut".to_owned()), ..line("cause", true, &[1]) },
        ];
        let report = report(&lines);
        let text = report.to_string();
        let cause = row(&text, "cause ");
        assert_eq!(cause[..3], ["cause", "2", "50.00"]);
        assert_eq!(cause.last(), Some(&"1"), "what went wrong is no plan");
        assert!(text.contains("Agent proximity") && row(&text, "Agent proximity").ends_with(&["50.0"]));
        assert!(row(&text, "Empty program").ends_with(&["25.0"]), "an error that a plan ends with counts");
        assert!(text.contains("still has 99.50 %") && text.contains("as printed in") || text.contains("As printed in"));
        assert!(text.contains("98.86"), "the paper's rows stand below");
        let svg = Report::svg(&[report]);
        assert!(svg.contains("LCS") && svg.contains("share of errors") && svg.contains("similarity of damaged"));
    }
}
