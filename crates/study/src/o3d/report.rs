//! The study's tables: success by type of task, or success and score in the shop, beside the paper's figures; success by logs used.

use super::paper::{ALL, SHOP as COLUMNS, TYPES, model, published};
use super::{CONDITIONS, O3dResult, SHOP};
use crate::columns::{self, Cell, Column, Group, UNDER, column, condition, counted_once, distinct, groups};
use crate::curve::{Chart, Plot, ShareOf, Shares};
use crate::paper::{O3D, PaperRow, PublishedFigure};
use crate::report::{Report, Table, refusals};
use crate::run::shortened;
use stepwright_method::SYMBOLIC;
use stepwright_text::words::count;

/// A condition with a model, by the number of logs.
type Row<'a> = Group<'a, O3dResult>;

pub(super) fn report(results: &[O3dResult]) -> Report {
    let mut report = Report::default();
    for world in distinct(results.iter().map(|result| result.world.as_str())) {
        let of: Vec<&O3dResult> = results.iter().filter(|result| result.world == world).collect();
        let rows = rows(&of);
        let title = format!("Episodes in the {world}, success in percent");
        let mut columns = measured(world);
        columns.extend(columns::under(&rows));
        report.table(Table::of(title, &columns, &rows));
        report.text(counted_once(&rows, of.len()));
        report.text(without_figures(&rows));
        let failed = rows.iter().filter(|row| unable(row).is_none()).flat_map(|row| &row.lines);
        report.text(refusals(failed.filter_map(|r| Some((r.run.task.as_str(), r.run.error.as_deref()?)))));
        let cut = |of: &Row<'_>| shortened(&of.condition("condition"), of.lines.iter().map(|r| &r.run));
        report.text(rows.iter().map(cut).collect::<String>());
        report.text(basis(&of));
        if let Some(plot) = by_logs(&of) {
            report.plot(plot);
        }
        let rows = rows.iter().filter_map(share).collect();
        let measure = format!("episodes in the {world} that reached the goal");
        report.chart(Chart::Shares(Shares { measure, rows }));
        for place in ["Table 1", "Table 2", "Table 3", "Table 6", "Table 9", "Table 10"] {
            let is_of = |row: &PaperRow| row.place == place && row.value("world") == Some(world);
            if !O3D.rows.iter().any(is_of) {
                continue;
            }
            let columns: Vec<(&str, &str)> = measures(world).iter().map(|column| (*column, *column)).collect();
            let printed = O3D.table(is_of, &[("model", "model"), ("method", "method")], &columns);
            let title = format!("The paper's {place}, {world}");
            report.text(format!("\n{title}\n"));
            report.table(printed.titled(title));
        }
    }
    report.text(format!(
        "\n`95 %` is over tasks. `paper` stands beside a figure of ours only where model, method, skills (those that the paper prints), limit, options, split (valid_unseen) and number of tasks are the same, and never beside tasks that ship or were made by new-task. The \
         paper's tables are of \"{}\": success in percent over ALFWorld's 134 unseen games, success and score over WebShop's first 500 instructions. Its row \
         AdaPlanner with GPT-3.5-0613 does not agree with its own columns.\n",
        O3D.source
    ));
    report
}

/// The rows: under what each was run, and by which names the paper's figures are found.
fn rows<'a>(of: &[&'a O3dResult]) -> Vec<Row<'a>> {
    columns::rows(of.iter().copied(), |r| {
        let logs = r.logs.map_or_else(|| "-".to_owned(), |logs| logs.to_string());
        // The method ends an episode at the published number of actions, the run may before.
        let published = if r.world == SHOP { 15 } else { 30 };
        let actions = r.run.under.most_actions().unwrap_or(published).min(published);
        vec![
            ("condition", r.condition.clone()),
            ("acted", acted(r)),
            ("logs", logs),
            ("world", r.world.clone()),
            ("model", model(&r.run.published_models())),
            ("method", r.condition.clone()),
            ("skills", skills(r)),
            ("actions", actions.to_string()),
        ]
    })
}

/// The skills or tips that were acted by: those that ship, a publication's by their author, or a file's by what it holds; a dash of conditions
/// without.
fn skills(result: &O3dResult) -> String {
    let of = &result.run.under.condition;
    let uses = CONDITIONS.iter().any(|(name, method, options)| {
        *name == result.condition && (method.starts_with("o3d") || options.iter().any(|(key, _)| *key == "tips"))
    });
    let environment = if result.world == SHOP { "webshop" } else { "alfworld" };
    match of["knowledge"].as_str() {
        Some(held) if uses => {
            published(held, environment).map_or_else(|| held.to_owned(), |by| format!("published/{by}"))
        }
        _ => "-".to_owned(),
    }
}

/// What acted: the model, or what stood in for one.
fn acted(result: &O3dResult) -> String {
    let without = match result.world.as_str() {
        _ if !result.condition.starts_with("O3D") => "no language model",
        _ if result.condition == "O3D-Code" => "functions that ship",
        SHOP => "the built-in buyer, within skills",
        _ => "the agent by skills",
    };
    match result.run.models() {
        models if models == SYMBOLIC => without.to_owned(),
        models => models,
    }
}

fn measures(world: &str) -> Vec<&'static str> {
    if world == SHOP { COLUMNS.to_vec() } else { TYPES.into_iter().chain([ALL]).collect() }
}

fn column_of(kind: &str) -> Option<&'static str> {
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

/// The episodes that came to a result: the others are neither won nor lost.
fn done<'a>(of: &Row<'a>) -> Row<'a> {
    Group::all(of.conditions.clone(), of.lines.iter().copied().filter(|r| is_begun(r) && r.run.counts()))
}

/// Whether there was an episode. One whose method says at its first step that it cannot do without a language model was none either.
pub(super) fn is_begun(result: &O3dResult) -> bool {
    let run = &result.run;
    let refused = run.models() == SYMBOLIC && run.error.is_some() && run.steps == 0 && run.held == 0;
    run.is_begun() && !refused
}

/// Why a row has no figures: where no episode of it could be carried out. What a method cannot get further with, without an error, is lost.
fn unable<'a>(of: &Row<'a>) -> Option<&'a str> {
    let why = |result: &'a O3dResult| result.run.error.as_deref();
    let first = of.lines.first().copied().and_then(why)?;
    of.lines.iter().all(|result| why(result).is_some()).then_some(first)
}

fn without_figures(rows: &[Row<'_>]) -> String {
    let said = rows.iter().filter_map(|of| {
        let (condition, acted, why) = (of.condition("condition"), of.condition("acted"), unable(of)?);
        Some(format!("{condition}, {acted}: no figure, {why}\n"))
    });
    let words: String = said.collect();
    if words.is_empty() { words } else { format!("\n{words}") }
}

/// The printed figure of as many episodes as came to a result: it was found in all pairs of logs.
fn printed(of: &Row<'_>, measure: &str) -> Option<PublishedFigure> {
    done(of).printed(&O3D, measure).filter(|_| of.condition("logs") == "-")
}

/// Our figures, each beside the paper's.
fn measured<'a>(world: &str) -> Vec<Column<'a, Row<'a>>> {
    // Of what could not be carried out there is no figure.
    let able = |heading: &'a str, cell: fn(&Row<'_>) -> Cell| {
        column(heading, move |of: &Row<'_>| if unable(of).is_some() { Cell::Figure(None, 0) } else { cell(&done(of)) })
    };
    let mut columns = vec![
        condition("condition"),
        condition("acted"),
        condition("skills"),
        condition("logs"),
        column("episodes", |of: &Row<'_>| Cell::of(done(of).lines.len())),
    ];
    for name in measures(world) {
        columns.push(column(name, move |of: &Row<'_>| {
            Cell::percent(figure(&done(of), name).filter(|_| unable(of).is_none()), 1)
        }));
        columns.push(column("paper", move |of: &Row<'_>| {
            Cell::Printed(printed(of, name).filter(|_| figure(&done(of), name).is_some()))
        }));
    }
    columns.extend([
        able("95 %", |of| Cell::Interval(of.interval(is_success), 2)),
        able("actions", |of| Cell::Figure(of.mean(|r| Some(r.run.steps.into())), 1)),
        able("calls and thoughts", |of| Cell::Figure(of.mean(|r| Some(r.run.held.into())), 1)),
        able("tokens", |of| Cell::Figure(of.mean(|r| r.run.tokens().map(|tokens| tokens as f64)), 0)),
        column("errors", |of: &Row<'_>| Cell::of(of.count(|r| is_begun(r) && r.run.error.is_some()))),
        column("not begun", |of: &Row<'_>| Cell::of(of.count(|r| !is_begun(r)))),
    ]);
    columns
}

/// The success of a row, for files; none of what could not be carried out.
fn share(of: &Row<'_>) -> Option<ShareOf> {
    let (condition, acted, logs) = (of.condition("condition"), of.condition("acted"), of.lines.first()?.logs);
    let whole = if of.condition("world") == SHOP { "SR" } else { ALL };
    let pairs = logs.map(|logs| format!(", {}", count(logs, "pair"))).unwrap_or_default();
    let share = ShareOf {
        name: format!("{condition}, {acted}{pairs}"),
        share: done(of).share(is_success)?,
        interval: done(of).interval(is_success),
        paper: printed(of, whole).and_then(PublishedFigure::number).map(|percent| percent / 100.0),
    };
    unable(of).is_none().then_some(share)
}

/// Of the household whether the goal holds; of the shop a score of 1.
fn is_success(result: &O3dResult) -> bool {
    if result.world == SHOP { result.run.reward >= 1.0 } else { result.run.won }
}

/// The mean score, or the share of successes among the tasks of a column.
fn figure(of: &Row<'_>, name: &str) -> Option<f64> {
    if name == "score" {
        return of.mean(|r| Some(r.run.reward));
    }
    let is_of = |r: &O3dResult| [ALL, "SR"].contains(&name) || column_of(&r.run.kind) == Some(name);
    of.mean(|r| is_of(r).then(|| f64::from(u8::from(is_success(r)))))
}

/// Success over the number of logs, a curve a model.
fn by_logs(of: &[&O3dResult]) -> Option<Plot> {
    let from = of.iter().filter_map(|r| r.logs).min()?;
    let found = of.iter().copied().filter(|r| r.logs.is_some());
    let mut models = groups(found, |r| vec![("acted", acted(r)), (UNDER, r.run.under.words.clone())]);
    models.sort_by_key(|of| of.condition("acted"));
    let names: Vec<String> = models.iter().map(|of| of.condition("acted")).collect();
    let alone = models.len() == distinct(names.iter().map(String::as_str)).len();
    let curve = |of: &Row<'_>| {
        let under = if alone { String::new() } else { format!(", {}", of.condition(UNDER)) };
        let name = format!("O3D, {}{under}", of.condition("acted"));
        let numbers = groups(of.lines.iter().copied(), |r| vec![("logs", r.logs.unwrap_or_default().to_string())]);
        let point = |of: &Row<'_>| Some((of.lines.first()?.logs?, done(of).share(is_success)?));
        // What has no figure in the table has none here.
        let points: Vec<(usize, f64)> = numbers.iter().filter(|of| unable(of).is_none()).filter_map(point).collect();
        Plot::of_points(name, points.iter().map(|(logs, _)| *logs).min().unwrap_or_default(), &points)
    };
    let series = models.iter().map(curve).collect();
    Some(Plot { measure: "success".to_owned(), over: "pairs of logs".to_owned(), from, series })
}

fn basis(of: &[&O3dResult]) -> String {
    let models: Vec<String> = of.iter().map(|r| r.run.models()).collect();
    let models = distinct(models.iter().map(String::as_str));
    let known: Vec<u64> = of.iter().filter_map(|r| r.run.tokens()).collect();
    let tokens = match known.is_empty() {
        true => "tokens not reported".to_owned(),
        false => format!("{} in all", count(known.into_iter().fold(0, u64::saturating_add), "token")),
    };
    let symbolic = if models.contains(&SYMBOLIC) {
        " Without a language model O3D is the agent by skills, in the shop the built-in buyer, whose clicks the skills bound: both go by skills, \
         primitives and rules, and read no tips."
    } else {
        ""
    };
    format!(
        "\n{}, model: {}, {tokens}.{symbolic} `actions`, `calls and thoughts` and `tokens` are means over the episodes \
         that came to a result (`episodes`); `logs` are the pairs of logs that the skills were found in, `-` where they were given.\n",
        count(of.len(), "episode"),
        models.join(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::RunResult;
    use crate::sample::Under;

    fn result(model: &str, kind: &str, won: bool, logs: Option<usize>) -> O3dResult {
        let condition = serde_json::json!({ "knowledge": "122cadcf8d1fe6a0#alfworld/llm" });
        let under = Under { condition: condition.into(), ..Under::default() };
        let kind = kind.into();
        let run = RunResult { kind, model: model.into(), won, steps: 9, held: 6, under, ..RunResult::default() };
        O3dResult { condition: "O3D".into(), world: "household".into(), logs, run }
    }

    #[test]
    fn rows_stand_beside_the_papers_where_model_and_logs_are_the_same_and_what_failed_is_said() {
        let kind = "pick_clean_then_place_in_recep";
        let lines = |model: &str, number: usize| -> Vec<O3dResult> {
            let one = |n: usize| {
                let one = result(model, kind, n.is_multiple_of(2), None);
                O3dResult { run: RunResult { task: format!("valid_unseen/t{n}"), ..one.run.clone() }, ..one }
            };
            (0..number).map(one).collect()
        };
        let failed = |condition: &str, error: Option<&str>, ended: &str| {
            let run = result("symbolic", "pick", false, None).run;
            let run = RunResult { error: error.map(str::to_owned), ended: ended.into(), steps: 0, held: 0, ..run };
            O3dResult { condition: condition.into(), run, ..result("symbolic", "pick", false, None) }
        };
        let lost = vec![
            failed("ReAct", Some("react needs a language model, and none is in use"), "it could not be begun"),
            failed("O3D-Human", None, "there is no proposal to take"),
            result("symbolic", "pick", false, None),
        ];
        let unable = failed("O3D (PD-only)", Some("without a language model there is no such policy"), "it failed");
        assert!(!is_begun(&unable) && !is_begun(&lost[0]) && is_begun(&lost[1]));
        let all: Vec<&O3dResult> = lost.iter().collect();
        // One that got no further is lost, one that failed is not.
        let shares: Vec<f64> = rows(&all).iter().filter_map(share).map(|of| of.share).collect();
        assert_eq!(shares, [0.0, 0.0], "what failed is no share");
        let row = |of: &Row<'_>| (of.condition("condition") == "O3D-Human").then(|| share(of)).flatten();
        assert!(rows(&all).iter().find_map(row).is_some_and(|of| of.interval.is_some()));
        // What is printed stands beside all games alone, and beside skills of all logs.
        let few = vec![result("gpt-4-0613", "pick", true, Some(2))];
        let reports = [lines("gpt-4-0613", 134), lines("gpt-4-0613", 2), lines("symbolic", 2), lost, few];
        let reports = reports.map(|lines| report(&lines).to_string());
        // What failed makes a part of the tasks, of which nothing is printed.
        let mut part = lines("gpt-4-0613", 134);
        assert!(rows(&part.iter().collect::<Vec<_>>()).iter().all(|of| printed(of, ALL).is_some()));
        (part[0].run.error, part[0].run.untold) = (Some("HTTP 500".to_owned()), true);
        assert!(rows(&part.iter().collect::<Vec<_>>()).iter().all(|of| printed(of, ALL).is_none()));
        insta::assert_snapshot!(reports.join("\n=====\n"));
    }

    #[test]
    fn a_model_of_a_role_acts_and_is_named() {
        let mut one = result("symbolic", "pick", true, None);
        one.run.options.insert("model.proposer".to_owned(), "rep".to_owned());
        let text = report(&[one]).to_string();
        assert!(text.contains("symbolic (proposer rep)") && !text.contains("Without a language model"), "{text}");
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
            assert_eq!(column_of(kind), Some(name));
        }
        assert_eq!(column_of("other"), None);
    }

    #[test]
    fn the_papers_figures_are_of_the_knowledge_that_it_prints() {
        let printed = result("gpt-4-0613", "pick", true, None);
        assert_eq!(skills(&printed), "published/llm");
        let of = |condition: &str, knowledge: &str| {
            let under = Under { condition: serde_json::json!({ "knowledge": knowledge }).into(), ..Under::default() };
            let run = RunResult { under, ..printed.run.clone() };
            skills(&O3dResult { condition: condition.into(), run, ..printed.clone() })
        };
        assert_eq!(of("O3D", "shipped"), "shipped");
        assert_eq!(of("O3D-Human", "122cadcf8d1fe6a0#alfworld/human"), "published/human");
        assert_eq!(of("O3D", "122cadcf8d1fe6a0#webshop/llm"), "122cadcf8d1fe6a0#webshop/llm", "of another world");
        assert_eq!(of("Reflexion+O3D", "shipped"), "shipped");
        assert_eq!(of("ReAct", "shipped"), "-");
    }
}
