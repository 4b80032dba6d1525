//! The study's tables: success by type of task, or success and score in the shop, beside the paper's figures; success by logs used.

use std::collections::BTreeSet;

use super::paper::{ALL, FIGURES, SHOP as COLUMNS, SOURCE, TYPES, model};
use super::{O3dResult, SHOP};
use crate::curve::{Chart, Plot, ShareOf, Shares};
use crate::report::{Report, Table};
use crate::runner::{Printed, beside, in_print, in_words, printed_table, wilson};
use crate::table::count;
use stepwright_driver::SYMBOLIC;

/// Results as tables for people.
pub(super) fn report(results: &[O3dResult]) -> Report {
    let mut report = Report::default();
    let worlds: BTreeSet<&str> = results.iter().map(|result| result.world.as_str()).collect();
    for world in worlds {
        let of: Vec<&O3dResult> = results.iter().filter(|result| result.world == world).collect();
        let (table, shares, unable) = measured(world, &of);
        report.table(table);
        report.text(unable);
        report.text(basis(&of));
        if let Some(plot) = by_logs(&of) {
            report.plot(plot);
        }
        report.chart(Chart::Shares(Shares {
            measure: format!("episodes in the {world} that reached the goal"),
            rows: shares,
        }));
        for place in ["Table 1", "Table 2", "Table 3", "Table 6", "Table 9", "Table 10"] {
            let rows = FIGURES.iter().filter(|row| row.place == place && row.value("world") == Some(world));
            if rows.clone().count() == 0 {
                continue;
            }
            let columns: Vec<(&str, &str)> = columns(world).iter().map(|column| (*column, *column)).collect();
            let printed = printed_table(rows, &[("model", "model"), ("method", "method")], &columns);
            let title = format!("The paper's {place}, {world}");
            report.text(format!("\n{title}\n"));
            report.table(printed.titled(title));
        }
    }
    report.text(format!(
        "\n`paper` stands beside a figure of ours only where model and method are the same. The paper's tables are of \"{SOURCE}\": \
         success in percent over ALFWorld's 134 unseen games, success and score over WebShop's first 500 instructions. Its row \
         AdaPlanner with GPT-3.5-0613 does not agree with its own columns.\n"
    ));
    report
}

/// The columns of a world's tables.
fn columns(world: &str) -> Vec<&'static str> {
    if world == SHOP { COLUMNS.to_vec() } else { TYPES.into_iter().chain([ALL]).collect() }
}

/// The paper's column for a kind of task.
fn column(kind: &str) -> Option<&'static str> {
    let begins = [
        ("pick_two", "pick2"),
        ("pick_clean", "clean"),
        ("pick_heat", "heat"),
        ("pick_cool", "cool"),
        ("look_at", "look"),
        ("pick", "pick"),
    ];
    begins.into_iter().find(|(begin, _)| kind.starts_with(begin)).map(|(_, column)| column)
}

/// Why a row has no figures: where no episode of it could be carried out. Without a language model that is so too where none took an
/// action.
fn unable<'a>(own: &[&&'a O3dResult]) -> Option<&'a str> {
    let why = |result: &&&'a O3dResult| {
        let idle = result.run.model == SYMBOLIC && result.run.steps == 0 && !is_success(result);
        result.run.error.as_deref().or_else(|| idle.then_some(result.run.ended.as_str()))
    };
    let first = own.first().and_then(why)?;
    own.iter().all(|result| why(result).is_some()).then_some(first)
}

/// Our figures, a row for each condition, model and number of logs; the rows' shares; and in words why rows are without figures.
fn measured(world: &str, of: &[&O3dResult]) -> (Table, Vec<ShareOf>, String) {
    let columns = columns(world);
    let headings = ["condition", "model", "logs", "episodes"].into_iter().map(str::to_owned);
    let figures = columns.iter().flat_map(|column| [(*column).to_owned(), "paper".to_owned()]);
    let rest = ["95 %", "actions", "calls and thoughts", "tokens", "errors"].map(str::to_owned);
    let headings: Vec<String> = headings.chain(figures).chain(rest).collect();
    let mut table = Table::new(3, headings.iter().map(String::as_str))
        .titled(format!("Episodes in the {world}, success in percent"));
    let mut shares = Vec::new();
    let mut words = String::new();
    let mut rows: Vec<(&str, &str, Option<usize>)> = Vec::new();
    for result in of {
        let row = (result.condition.as_str(), result.run.model.as_str(), result.logs);
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    for (condition, model_name, logs) in rows {
        let own: Vec<&&O3dResult> = of
            .iter()
            .filter(|r| (r.condition.as_str(), r.run.model.as_str(), r.logs) == (condition, model_name, logs))
            .collect();
        let unable = unable(&own);
        if let Some(why) = unable {
            words.push_str(&format!("{condition} with {model_name}: no figure, {why}\n"));
        }
        let paper_model = model(model_name);
        let ours = [("world", world), ("model", paper_model.as_str()), ("method", condition)];
        let mut cells = vec![
            condition.to_owned(),
            model_name.to_owned(),
            logs.map_or_else(|| "-".to_owned(), |logs| logs.to_string()),
            own.len().to_string(),
        ];
        for name in &columns {
            cells.push(if unable.is_some() { "-".to_owned() } else { figure(&own, name) });
            // What stands in print was found in all pairs of logs.
            cells.push(in_print(beside(&FIGURES, &ours, name).filter(|_| logs.is_none())));
        }
        let won = own.iter().filter(|r| is_success(r)).count();
        let interval = wilson(won, own.len());
        let mean = |of: &dyn Fn(&O3dResult) -> f64| own.iter().map(|r| of(r)).sum::<f64>() / own.len().max(1) as f64;
        let errors = own.iter().filter(|r| r.run.error.is_some()).count().to_string();
        if unable.is_some() {
            cells.extend(["-", "-", "-", "-"].map(str::to_owned).into_iter().chain([errors]));
            table.row(cells);
            continue;
        }
        cells.extend([
            in_words(interval, 2),
            format!("{:.1}", mean(&|r| f64::from(r.run.steps))),
            format!("{:.1}", mean(&|r| f64::from(r.run.held))),
            format!("{:.0}", mean(&|r| r.run.prompt_tokens as f64 + r.run.completion_tokens as f64)),
            errors,
        ]);
        table.row(cells);
        let printed = beside(&FIGURES, &ours, if world == SHOP { "SR" } else { ALL }).filter(|_| logs.is_none());
        let paper = match printed {
            Some(Printed::Number(percent)) => Some(percent / 100.0),
            _ => None,
        };
        let name = match logs {
            Some(logs) => format!("{condition}, {model_name}, {}", count(logs, "pair")),
            None => format!("{condition}, {model_name}"),
        };
        shares.push(ShareOf { name, share: won as f64 / own.len().max(1) as f64, interval, paper });
    }
    let gap = if words.is_empty() { "" } else { "\n" };
    (table, shares, format!("{gap}{words}"))
}

/// Of the household whether the goal holds; of the shop a score of 1.
fn is_success(result: &O3dResult) -> bool {
    if result.world == SHOP { result.run.reward >= 1.0 } else { result.run.won }
}

fn figure(of: &[&&O3dResult], column_name: &str) -> String {
    if column_name == "score" {
        let sum: f64 = of.iter().map(|r| r.run.reward).sum();
        return format!("{:.1}", 100.0 * sum / of.len().max(1) as f64);
    }
    let own: Vec<&&&O3dResult> =
        of.iter().filter(|r| [ALL, "SR"].contains(&column_name) || column(&r.run.kind) == Some(column_name)).collect();
    if own.is_empty() {
        return "-".to_owned();
    }
    let won = own.iter().filter(|r| is_success(r)).count();
    format!("{:.1}", 100.0 * won as f64 / own.len() as f64)
}

/// Success over the number of logs, a curve a model.
fn by_logs(of: &[&O3dResult]) -> Option<Plot> {
    let models: BTreeSet<&str> = of.iter().filter(|r| r.logs.is_some()).map(|r| r.run.model.as_str()).collect();
    let series: Vec<_> = models
        .into_iter()
        .map(|name| {
            let numbers: BTreeSet<usize> = of.iter().filter(|r| r.run.model == name).filter_map(|r| r.logs).collect();
            let points: Vec<(usize, f64)> = numbers
                .into_iter()
                .map(|logs| {
                    let own: Vec<_> = of.iter().filter(|r| r.run.model == name && r.logs == Some(logs)).collect();
                    (logs, own.iter().filter(|r| is_success(r)).count() as f64 / own.len().max(1) as f64)
                })
                .collect();
            Plot::of_points(format!("O3D, {name}"), points.first().map_or(0, |(logs, _)| *logs), &points)
        })
        .collect();
    let from = of.iter().filter_map(|r| r.logs).min()?;
    Some(Plot { measure: "success".to_owned(), over: "pairs of logs".to_owned(), from, series })
}

/// What the figures rest on.
fn basis(of: &[&O3dResult]) -> String {
    let models: BTreeSet<&str> = of.iter().map(|r| r.run.model.as_str()).collect();
    let tokens = of.iter().flat_map(|r| [r.run.prompt_tokens, r.run.completion_tokens]).fold(0, u64::saturating_add);
    let symbolic = if models.contains(SYMBOLIC) {
        " With `symbolic` no language model took part: O3D is the agent by skills."
    } else {
        ""
    };
    format!(
        "\n{}, model: {}, {} in all.{symbolic} `actions`, `calls and thoughts` and `tokens` are means over all episodes; `logs` are the \
         pairs of logs that the skills were found in, `-` where they were given.\n",
        count(of.len(), "episode"),
        models.into_iter().collect::<Vec<_>>().join(", "),
        count(usize::try_from(tokens).unwrap_or(usize::MAX), "token"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::RunResult;

    fn result(model: &str, kind: &str, won: bool, logs: Option<usize>) -> O3dResult {
        let run = RunResult { kind: kind.into(), model: model.into(), won, steps: 9, held: 6, ..RunResult::default() };
        O3dResult { condition: "O3D".into(), world: "household".into(), logs, run }
    }

    #[test]
    fn our_row_stands_beside_the_papers_where_the_model_is_the_same() {
        let kind = "pick_clean_then_place_in_recep";
        let lines = |model: &str| [result(model, kind, true, None), result(model, kind, false, None)];
        let row = |model: &str| {
            let text = report(&lines(model)).to_string();
            text.lines().nth(1).unwrap().split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        };
        let own = row("gpt-4-0613");
        // Condition, model, logs, episodes; pick and clean with the paper's.
        assert_eq!(own[..8], ["O3D", "gpt-4-0613", "-", "2", "-", "92.00", "50.0", "100.00"], "{own:?}");
        assert_eq!(row("symbolic")[4..8], ["-", "-", "50.0", "-"]);
        let text = report(&lines("symbolic")).to_string();
        assert!(text.contains("The paper's Table 9") && text.contains("no language model took part"), "{text}");
    }

    #[test]
    fn a_row_that_could_not_be_carried_out_says_so_in_words() {
        let failed = |condition: &str, error: Option<&str>, ended: &str| O3dResult {
            condition: condition.into(),
            run: RunResult {
                error: error.map(str::to_owned),
                ended: ended.into(),
                steps: 0,
                ..result("symbolic", "pick", false, None).run
            },
            ..result("symbolic", "pick", false, None)
        };
        let lines = [
            failed("ReAct", Some("react needs a language model, and none is in use"), "it could not be begun"),
            failed("O3D-Human", None, "there is no proposal to take"),
            result("symbolic", "pick", false, None),
        ];
        let text = report(&lines).to_string();
        let row = |name: &str| {
            let line = text.lines().find(|line| line.starts_with(name)).unwrap();
            line.split_whitespace().skip(1).map(str::to_owned).collect::<Vec<_>>()
        };
        assert!(row("ReAct")[3..17].iter().all(|cell| cell == "-"), "{text}");
        assert_eq!(row("O3D ")[3], "0.0", "{text}");
        assert!(text.contains("ReAct with symbolic: no figure, react needs a language model"), "{text}");
        assert!(text.contains("O3D-Human with symbolic: no figure, there is no proposal to take"), "{text}");
        assert_eq!(measured("household", &lines.iter().collect::<Vec<_>>()).1.len(), 1, "what failed is no share");
    }

    #[test]
    fn what_is_printed_for_all_logs_stands_beside_no_smaller_number() {
        let lines = [result("gpt-4-0613", "pick", true, Some(2))];
        let text = report(&lines).to_string();
        let row: Vec<&str> = text.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!(row[4..6], ["100.0", "-"], "{text}");
    }

    #[test]
    fn success_is_drawn_by_the_number_of_logs() {
        let lines = [result("symbolic", "pick", false, Some(2)), result("symbolic", "pick", true, Some(8))];
        let refs: Vec<&O3dResult> = lines.iter().collect();
        let plot = by_logs(&refs).unwrap();
        assert_eq!((plot.from, plot.series[0].values[0], plot.series[0].values[6]), (2, 0.0, 1.0));
        assert!(report(&lines).to_string().contains("success over pairs of logs"));
    }

    #[test]
    fn kinds_of_task_are_the_papers_columns() {
        for (kind, name) in [
            ("pick_and_place_simple", "pick"),
            ("pick_two_obj_and_place", "pick2"),
            ("look_at_obj_in_light", "look"),
            ("pick_heat_then_place_in_recep", "heat"),
        ] {
            assert_eq!(column(kind), Some(name));
        }
        assert_eq!(column("other"), None);
    }
}
