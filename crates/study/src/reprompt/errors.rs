//! Errors of plans: their types by condition, by model and seed where there are several (the paper's Figures 4, 5 and 7), and the tasks whose
//! plans fail, with the cause (its Figure 6).

use std::collections::BTreeMap;

use stepwright_graph::ErrorType;

use super::result::RepromptResult;
use crate::columns::{Cell, Group, distinct, groups};
use crate::curve::{Chart, ShareOf, Shares};
use crate::interval::wilson;
use crate::report::{Report, Table};

/// Characters of a full bar.
const BAR: f64 = 40.0;

type Counts = [usize; ErrorType::COUNT];

/// How often each type of error was met, and the errors that keep plans from being carried out where none was met before.
fn counts(lines: &[&RepromptResult]) -> Counts {
    let mut counts = Counts::default();
    for line in lines {
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

pub(super) fn figures(planned: &[&RepromptResult], methods: &[Group<'_, RepromptResult>], report: &mut Report) {
    let met: Vec<(String, Counts)> = methods.iter().map(|of| (of.condition("condition"), counts(&of.lines))).collect();
    report.text("\nErrors met while plans were made, and those that plans end with\n");
    report.table(shares("Share of each type of error, percent, by condition", &met));
    for (name, counts) in &met {
        bars(name, counts, report);
    }
    let apart = apart(planned, methods);
    if apart.len() > methods.len() {
        let met: Vec<(String, Counts)> = apart.iter().map(|(name, lines)| (name.clone(), counts(lines))).collect();
        report.text("\nThe same by model and seed\n");
        report.table(shares("Share of each type of error, percent, by condition, model and seed", &met));
        for (name, counts) in &met {
            chart(name, counts, report);
        }
    }
    failing(&apart, report);
}

/// The plans of each condition, apart by model and seed where there are several.
fn apart<'a>(
    planned: &[&'a RepromptResult],
    methods: &[Group<'a, RepromptResult>],
) -> Vec<(String, Vec<&'a RepromptResult>)> {
    let several = |words: Vec<&str>| words.len() > 1;
    let models = several(distinct(planned.iter().map(|line| line.model.as_str())));
    let seeds: Vec<String> = planned.iter().map(|line| line.seed.to_string()).collect();
    let seeds = several(distinct(seeds.iter().map(String::as_str)));
    let mut all = Vec::new();
    for of in methods {
        let name = |line: &RepromptResult| {
            let model = models.then(|| line.model.clone());
            let seed = seeds.then(|| format!("seed {}", line.seed));
            [Some(line.condition.clone()), model, seed].into_iter().flatten().collect::<Vec<_>>().join(", ")
        };
        let rows = groups(of.lines.iter().copied(), |line| vec![("name", name(line))]);
        all.extend(rows.into_iter().map(|row| (row.condition("name"), row.lines)));
    }
    all
}

fn shares(title: &str, met: &[(String, Counts)]) -> Table {
    let mut table = Table::new(1, ["error"].into_iter().chain(met.iter().map(|(name, _)| name.as_str()))).titled(title);
    for (at, kind) in ErrorType::all().iter().enumerate() {
        let share = |(_, counts): &(String, Counts)| {
            let (part, all) = (counts.get(at).copied().unwrap_or_default(), counts.iter().sum::<usize>());
            Cell::percent((all > 0).then(|| part as f64 / all as f64), 1).to_string()
        };
        table.row([kind.label().to_owned()].into_iter().chain(met.iter().map(share)));
    }
    let all = met.iter().map(|(_, counts)| counts.iter().sum::<usize>().to_string());
    table.row(["errors in all".to_owned()].into_iter().chain(all));
    table
}

fn bars(name: &str, counts: &Counts, report: &mut Report) {
    let all = counts.iter().sum::<usize>();
    let mut text = format!("\n{name}\n");
    for (kind, part) in ErrorType::all().iter().zip(counts).filter(|(_, part)| **part > 0) {
        let share = *part as f64 / all as f64;
        let bar = "█".repeat(((share * BAR).round() as usize).max(1));
        text.push_str(&format!("  {:<24}{bar} {:.1} %\n", kind.label(), 100.0 * share));
    }
    if all > 0 {
        report.text(text);
        chart(name, counts, report);
    }
}

fn chart(name: &str, counts: &Counts, report: &mut Report) {
    let all = counts.iter().sum::<usize>();
    let part = |(kind, part): (&ErrorType, &usize)| ShareOf {
        name: kind.label().to_owned(),
        share: *part as f64 / all as f64,
        interval: wilson(*part as f64 / all as f64, all),
        paper: None,
    };
    let rows: Vec<ShareOf> = ErrorType::all().iter().zip(counts).filter(|(_, part)| **part > 0).map(part).collect();
    if !rows.is_empty() {
        report.chart(Chart::Shares(Shares { measure: format!("{name}: share of errors"), rows }));
    }
}

/// The tasks of which a plan fails: the numbers of the errors that keep plans from being carried out, each once for a household.
fn failing(apart: &[(String, Vec<&RepromptResult>)], report: &mut Report) {
    let mut tasks: BTreeMap<&str, Vec<BTreeMap<u8, usize>>> = BTreeMap::new();
    for (at, (_, lines)) in apart.iter().enumerate() {
        for line in lines {
            let Some(error) = line.failed else { continue };
            let cells = tasks.entry(&line.title).or_insert_with(|| vec![BTreeMap::new(); apart.len()]);
            if let Some(cell) = cells.get_mut(at) {
                *cell.entry(error).or_default() += 1;
            }
        }
    }
    if tasks.is_empty() {
        return;
    }
    let headings = ["task"].into_iter().chain(apart.iter().map(|(name, _)| name.as_str()));
    let mut table = Table::new(1, headings).titled("Tasks that fail, with the errors by number");
    let times =
        |(error, times): (&u8, &usize)| if *times == 1 { error.to_string() } else { format!("{error}×{times}") };
    for (title, cells) in tasks {
        let cells = cells.iter().zip(apart).map(|(cell, (_, lines))| match cell.is_empty() {
            true if lines.iter().all(|line| line.title != title) => "no plan".to_owned(),
            true => "-".to_owned(),
            false => cell.iter().map(times).collect::<Vec<_>>().join(" "),
        });
        table.row([title.to_owned()].into_iter().chain(cells));
    }
    let numbers: Vec<String> = ErrorType::all().iter().map(|kind| format!("{} {}", kind.id(), kind.label())).collect();
    report.text(format!(
        "\nTasks of which a plan cannot be carried out, by the error (×: in so many plans; -: none is there; `no plan`: none was made): {}\n",
        numbers.join(", ")
    ));
    report.table(table);
}
