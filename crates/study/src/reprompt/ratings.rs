//! What people's judgements of plans come to, beside the paper's figures.

use std::collections::BTreeMap;

use stepwright_rate::figures::Figures;

use super::paper::{FIGURES, MODEL, SOURCE};
use crate::curve::{PointOf, Scatter};
use crate::report::{Report, Table};
use crate::table::count;

/// The figures of each condition as a table, and executable plans against correct ones (the paper's Figure 1). The paper's figures are
/// printed below, not beside: its plans were others.
pub fn ratings(figures: &BTreeMap<String, Figures>, raters: usize) -> Report {
    let headings = [
        "condition",
        "plans",
        "judged",
        "by all",
        "% executable",
        "% correct",
        "% correct-EP",
        "% correct of executable",
        "kappa",
    ];
    let mut table = Table::new(1, headings).titled("Plans judged, by condition");
    let percent = |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |share| format!("{:.2}", 100.0 * share));
    for (condition, of) in figures {
        table.row([
            condition.clone(),
            of.plans.to_string(),
            of.judged.to_string(),
            of.by_all.to_string(),
            percent((of.plans > 0).then(|| of.executable as f64 / of.plans as f64)),
            percent(of.correct),
            percent(of.correct_and_executable),
            percent(of.correct_of_executable),
            of.kappa.map_or_else(|| "-".to_owned(), |kappa| format!("{kappa:.4}")),
        ]);
    }
    let mut report = Report::default();
    report.table(table);
    report.text(format!(
        "\nJudged by {}. A plan counts by the share of its raters who say that it does the task. `correct-EP`: correct and executable, of \
         all judged plans. `kappa` (Fleiss) is over the plans that all raters judged (`by all`); - where chance explains all.\n",
        count(raters, "rater"),
    ));
    report.text(format!("\nAs printed in \"{SOURCE}\" (Tables 1 and 2: {MODEL}, 88 tasks, four raters)\n"));
    let varies = [("condition", "condition")];
    let measures = [
        ("executable", "% executable"),
        ("correct", "% correct"),
        ("correct and executable", "% correct-EP"),
        ("kappa", "kappa"),
    ];
    let points = figures.iter().filter(|(_, of)| of.plans > 0).filter_map(|(condition, of)| {
        let x = of.executable as f64 / of.plans as f64;
        Some(PointOf { name: condition.clone(), x, y: of.correct_and_executable? })
    });
    let points = points.collect();
    let figure = Scatter { across: "executable".to_owned(), up: "correct and executable".to_owned(), points };
    report.table(crate::runner::printed_table(FIGURES.iter(), &varies, &measures).titled("paper, Tables 1 and 2"));
    report.text("\n");
    report.points(figure);
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_percent_and_what_is_not_known_a_dash() {
        let of = Figures {
            plans: 4,
            executable: 3,
            judged: 2,
            by_all: 2,
            correct: Some(0.75),
            correct_and_executable: Some(0.5),
            correct_of_executable: None,
            kappa: Some(-1.0 / 3.0),
        };
        let text = ratings(&BTreeMap::from([("cause".to_owned(), of)]), 2).to_string();
        let row = text.lines().find(|line| line.starts_with("cause")).unwrap();
        assert_eq!(
            row.split_whitespace().collect::<Vec<_>>(),
            ["cause", "4", "2", "2", "75.00", "75.00", "50.00", "-", "-0.3333"]
        );
        assert!(
            text.contains("2 raters") && text.contains("78.35") && text.contains("a cause (0.750, 0.500)"),
            "{text}"
        );
    }
}
