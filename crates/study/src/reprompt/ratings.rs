//! The figures of people's judgements of plans, beside the paper's figures.

use std::collections::BTreeMap;

use stepwright_rate::figures::Figures;

use crate::columns::{Cell, column, words};
use crate::curve::{PointOf, Scatter};
use crate::paper::REPROMPT;
use crate::report::{Report, Table};
use stepwright_text::words::count;

/// The figures of each condition as a table, and executable plans against correct ones (the paper's Figure 1). The paper's figures are
/// printed below, not beside: its plans were others.
pub fn ratings(figures: &BTreeMap<String, Figures>, raters: usize) -> Report {
    type Row<'a> = (&'a String, &'a Figures);
    let percent = |heading, share: fn(&Figures) -> Option<f64>| {
        column(heading, move |(_, of): &Row<'_>| Cell::percent(share(of), 2))
    };
    let columns = [
        words("condition", |(condition, _): &Row<'_>| (*condition).clone()),
        column("plans", |(_, of): &Row<'_>| Cell::of(of.plans)),
        column("judged", |(_, of): &Row<'_>| Cell::of(of.judged)),
        column("by all", |(_, of): &Row<'_>| Cell::of(format!("{} of {}", of.by_all, of.raters))),
        percent("% executable", |of| (of.plans > 0).then(|| of.executable as f64 / of.plans as f64)),
        percent("% correct", |of| of.correct),
        percent("% correct-EP", |of| of.correct_and_executable),
        percent("% correct of executable", |of| of.correct_of_executable),
        column("kappa", |(_, of): &Row<'_>| Cell::Figure(of.kappa, 4)),
        column("error", |(_, of): &Row<'_>| Cell::Figure(of.error, 4)),
    ];
    let rows: Vec<Row<'_>> = figures.iter().collect();
    let mut report = Report::default();
    report.table(Table::of("Plans judged, by condition", &columns, &rows));
    report.text(format!(
        "\nJudged by {}. A plan counts by the share of its raters who say that it does the task. `correct-EP`: correct and executable, of \
         all judged plans. `kappa` (Fleiss) is over the plans that all of so many raters judged (`by all`: those with the most judgements in \
         common; plans alike count once), `error` its standard error if they agreed by chance alone; - where chance explains all.\n",
        count(raters, "rater"),
    ));
    report.text(format!(
        "\nAs printed in \"{}\" (Tables 1 and 2: davinci-instruct, 88 tasks, four raters)\n",
        REPROMPT.source
    ));
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
    report.table(REPROMPT.table(|_| true, &varies, &measures).titled("paper, Tables 1 and 2"));
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
            raters: 2,
            by_all: 2,
            correct: Some(0.75),
            correct_and_executable: Some(0.5),
            correct_of_executable: None,
            kappa: Some(-1.0 / 3.0),
            error: Some(0.5),
        };
        let text = ratings(&BTreeMap::from([("cause".to_owned(), of)]), 2).to_string();
        let row = text.lines().find(|line| line.starts_with("cause")).unwrap();
        assert_eq!(
            row.split_whitespace().collect::<Vec<_>>(),
            ["cause", "4", "2", "2", "of", "2", "75.00", "75.00", "50.00", "-", "-0.3333", "0.5000"]
        );
        assert!(
            text.contains("2 raters") && text.contains("78.35") && text.contains("a cause (0.750, 0.500)"),
            "{text}"
        );
    }
}
