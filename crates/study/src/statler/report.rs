//! Tables of the study: how many requests were answered, by domain and method, beside the paper's figures.

use super::curves;
use super::groups::Group;
use super::live::{StatlerResult, conditions, done, groups, writer_of};
use super::paper::{COMMON, COMPARED, CUPS, EPISODES, MODEL, OWN, WINDOW};
use super::scores::{ByMemory, Played, Scores, Share, up_to_first_failure_of_any};
use crate::columns::{self, Cell, Column, column, condition, words};
use crate::curve::{Chart, ShareOf, Shares};
use crate::interval::{Interval, bootstrap, wilson};
use crate::paper::{PublishedFigure, STATLER};
use crate::report::{Report, Table, refusals};
use crate::run::{by_role, shortened};
use stepwright_method::REFERENCE;

/// The groups that a group is cut with at the first failure of any: of its domain and model, the paper's two methods where both are
/// there, else all methods if there are several.
fn compared<'a>(groups: &'a [Group], with: &Group) -> Vec<&'a Group> {
    let alike = |g: &&Group| g.domain == with.domain && g.model == with.model && !g.played.is_empty();
    let of_paper: Vec<&Group> = groups.iter().filter(alike).filter(|g| COMPARED.contains(&g.method.as_str())).collect();
    if of_paper.len() == COMPARED.len() { of_paper } else { groups.iter().filter(alike).collect() }
}

/// The requests of a group up to the first failure of any method that it is compared with; `None` where there is none.
pub fn common(groups: &[Group], group: &Group) -> Option<ByMemory> {
    let compared = compared(groups, group);
    let at = compared.iter().position(|g| *g == group).filter(|_| compared.len() > 1)?;
    let played: Vec<Vec<&Played>> = compared.iter().map(|g| g.played.iter().collect()).collect();
    up_to_first_failure_of_any(&played).get(at).copied()
}

pub fn tables(groups: &[Group]) -> Report {
    let mut report = Report::default();
    report.table(successes(groups));
    report.text("\nRequests up to each method's own first failure (the paper's Table 2)\n");
    report.table(by_memory("Table 2", groups, |g| Some(Scores::of(&g.played).requests), OWN));
    let cut = by_memory("Table 3", groups, |g| common(groups, g), COMMON);
    if cut.cells().next().is_some() {
        report.text("\nRequests up to the first failure of any method compared (the paper's Table 3)\n");
        report.table(cut);
    }
    report.text(
        "\n`success` and `rate`: episodes without a wrong request, with Wilson's 95 % interval. `steps`: requests answered before the \
         first wrong one, as a share of the episode, averaged, with the bootstrap over episodes. `temporal`: requests that take something \
         of earlier ones. `paper` stands beside the figure it is of where domain, method, model and number of episodes are the paper's.\n",
    );
    paper(&mut report);
    report.chart(Chart::Shares(Shares {
        measure: "episodes without a wrong request".to_owned(),
        rows: groups.iter().filter(|group| !group.played.is_empty()).map(share_of).collect(),
    }));
    report
}

/// The paper's rows of success and steps.
fn paper(report: &mut Report) {
    report.text(format!("\nAs printed in \"{}\" ({EPISODES} episodes a domain, {MODEL})\n", STATLER.source));
    let varies = [("domain", "domain"), ("method", "method")];
    let table =
        STATLER.table(|row| row.figure("success").is_some(), &varies, &[("success", "rate"), ("steps", "steps")]);
    report.table(table.titled("paper, Table 1 and the later version"));
    report.text(format!("{WINDOW}\n"));
}

/// The interval of success, over episodes.
fn success(group: &Group) -> Option<Interval> {
    let scores = Scores::of(&group.played);
    wilson(Share { right: scores.success, of: scores.episodes }.rate()?, group.units().len())
}

/// The bootstrap of successful steps over episodes.
fn spread_of_steps(group: &Group) -> Option<Interval> {
    bootstrap(&group.units(), |drawn| {
        let steps: Vec<f64> =
            drawn.iter().flat_map(|unit| unit.iter().map(|played| played.successful_steps())).collect();
        steps.iter().sum::<f64>() / steps.len() as f64
    })
}

fn share_of(group: &Group) -> ShareOf {
    let scores = Scores::of(&group.played);
    ShareOf {
        name: format!("{}, {} ({})", group.domain, group.method, group.model),
        share: scores.success as f64 / scores.episodes.max(1) as f64,
        interval: success(group),
        paper: group.printed("success").and_then(PublishedFigure::number),
    }
}

type Row<'a, T> = (&'a Group, T);

fn about<'a, T: 'a>() -> [Column<'a, Row<'a, T>>; 3] {
    [
        words("domain", |(group, _): &Row<'_, T>| group.domain.clone()),
        words("method", |(group, _): &Row<'_, T>| group.method.clone()),
        words("model", |(group, _): &Row<'_, T>| group.model.clone()),
    ]
}

fn printed<'a, T: 'a>(measure: &'a str) -> Column<'a, Row<'a, T>> {
    column("paper", move |(group, _): &Row<'_, T>| Cell::Printed(group.printed(measure)))
}

fn successes(groups: &[Group]) -> Table {
    type Of<'a> = Row<'a, Scores>;
    let rate = |(_, of): &Of<'_>| Share { right: of.success, of: of.episodes }.rate();
    let mean = |(_, of): &Of<'_>| (of.episodes > 0).then_some(of.successful_steps);
    let figures = [
        column("success", |(_, of): &Of<'_>| Cell::of(format!("{}/{}", of.success, of.episodes))),
        column("rate", move |row: &Of<'_>| Cell::Figure(rate(row), 3)),
        column("95 %", |(group, _): &Of<'_>| Cell::Interval(success(group), 3)),
        printed("success"),
        column("steps", move |row: &Of<'_>| Cell::Figure(mean(row), 3)),
        column("95 %", |(group, _): &Of<'_>| Cell::Interval(spread_of_steps(group), 3)),
        printed("steps"),
    ];
    let columns: Vec<_> = about().into_iter().chain(figures).collect();
    let rows: Vec<Of<'_>> = groups.iter().map(|group| (group, Scores::of(&group.played))).collect();
    Table::of("Table 1", &columns, &rows)
}

/// A row a group: requests that need no memory and those that do, each beside the paper's figure for that measure.
fn by_memory(title: &str, groups: &[Group], ours: impl Fn(&Group) -> Option<ByMemory>, measures: [&str; 2]) -> Table {
    let mut columns: Vec<Column<'_, Row<'_, ByMemory>>> = about().into_iter().collect();
    let kinds: [fn(&ByMemory) -> Share; 2] = [|of| of.non_temporal, |of| of.temporal];
    for ((name, of_kind), measure) in ["non-temporal", "temporal"].into_iter().zip(kinds).zip(measures) {
        columns.push(column(name, move |(_, of): &Row<'_, ByMemory>| {
            Cell::of(format!("{}/{}", of_kind(of).right, of_kind(of).of))
        }));
        columns.push(column("rate", move |(_, of): &Row<'_, ByMemory>| Cell::Figure(of_kind(of).rate(), 3)));
        columns.push(printed(measure));
    }
    let rows: Vec<_> = groups.iter().filter_map(|group| Some((group, ours(group)?))).collect();
    Table::of(title, &columns, &rows)
}

/// All that is printed of episodes that were run: the tables, the curves of three cups, the drift where it is wanted, the costs.
pub(crate) fn of_runs(results: &[StatlerResult], drift: bool) -> Report {
    let groups = groups(results);
    let mut report = tables(&groups);
    let cups = curves::cups(&groups);
    if !cups.is_empty() {
        report.text("\nThree cups: games still right after so many swaps, and the same over the first\n\n");
        cups.into_iter().for_each(|plot| report.plot(plot));
        report.text(format!("\n{CUPS}\n"));
    }
    if drift {
        report.text("\nDrift: differences between belief and truth, averaged over episodes\n\n");
        curves::drift(results).into_iter().for_each(|plot| report.plot(plot));
        report.text(curves::without_drift(results));
    }
    writers(results, &mut report);
    costs(results, &mut report);
    by_role(results.iter().map(|of| &of.run), &mut report);
    report
}

/// The mean number of values that the belief had wrong at a step of an episode that is scored.
fn wrong(result: &StatlerResult) -> Option<f64> {
    let steps = if result.run.error.is_some() { 0 } else { result.drift.len() };
    (steps > 0).then(|| result.drift.iter().sum::<usize>() as f64 / steps as f64)
}

/// Success against the writer, where models other than the reader's wrote the state: differences to the first row of method and
/// reader, episode by episode.
fn writers(results: &[StatlerResult], report: &mut Report) {
    if results.iter().all(|r| writer_of(&r.run) == r.run.model) {
        return;
    }
    type Of<'a> = columns::Group<'a, StatlerResult>;
    let conditions = |StatlerResult { run, .. }: &StatlerResult| {
        vec![("method", run.method.clone()), ("reader", run.model.clone()), ("writer", writer_of(run))]
    };
    // A writer of whom everything failed has a row of its own: the first stays the first.
    let all = columns::rows(results, conditions);
    let rows: Vec<Of<'_>> = all.iter().map(done).collect();
    let failed = |of: &Of<'_>| {
        let row = all.iter().find(|row| row.conditions == of.conditions);
        row.map_or(0, |row| row.count(|r| r.run.error.is_some()))
    };
    let success = |r: &StatlerResult| r.played().success();
    let first = |of: &Of<'_>| {
        let alike = |row: &&Of<'_>| ["method", "reader"].iter().all(|name| row.condition(name) == of.condition(name));
        rows.iter().find(alike).cloned().filter(|first| first.condition("writer") != of.condition("writer"))
    };
    let columns = [
        condition("method"),
        condition("reader"),
        condition("writer"),
        column("episodes", |of: &Of<'_>| Cell::of(of.lines.len())),
        column("success", move |of: &Of<'_>| Cell::Figure(of.share(success), 3)),
        column("95 %", move |of: &Of<'_>| Cell::Interval(of.interval(success), 3)),
        column("against the first", move |of: &Of<'_>| {
            Cell::Interval(first(of).and_then(|first| of.paired(&first, |r| Some(f64::from(u8::from(success(r)))))), 3)
        }),
        column("wrong values", move |of: &Of<'_>| Cell::Figure(of.mean(wrong), 2)),
        column("95 %", move |of: &Of<'_>| Cell::Interval(of.interval_of_mean(wrong), 2)),
        column("errors", move |of: &Of<'_>| Cell::of(failed(of))),
    ];
    let columns: Vec<_> = columns.into_iter().chain(columns::under(&rows)).collect();
    report.text("\nSuccess against the model that writes the state\n");
    report.table(Table::of("Success against writer", &columns, &rows));
    report.text(
        "\n`against the first`: the 95 % interval of the difference in success to the first writer, episode by episode (bootstrap). `wrong \
         values`: differences between belief and truth at a step. Where programs do not depend on the state \
         (`reference`, a recording) the writer shows in the wrong values alone.\n",
    );
}

/// The cost of live runs, by domain, method and model.
fn costs(results: &[StatlerResult], report: &mut Report) {
    let mean = |heading, digits, figure: fn(&StatlerResult) -> Option<f64>| {
        column(heading, move |of: &columns::Group<'_, StatlerResult>| Cell::Figure(of.mean(figure), digits))
    };
    let columns = [
        condition("domain"),
        condition("method"),
        condition("model"),
        column("episodes", |of: &columns::Group<'_, StatlerResult>| Cell::of(of.lines.len())),
        mean("asks", 1, |r| Some(r.run.asks.into())),
        mean("tokens", 0, |r| r.run.tokens().map(|tokens| tokens as f64)),
        mean("seconds", 2, |r| Some(r.run.seconds)),
        mean("wrong values", 2, wrong),
        column("errors", |of: &columns::Group<'_, StatlerResult>| Cell::of(of.count(|r| r.run.error.is_some()))),
    ];
    let rows = columns::rows(results, conditions);
    let builtin = if results.iter().any(|r| r.run.model == REFERENCE) {
        " No model took part in rows of `reference`: the reference programs of the episodes' files were played."
    } else {
        ""
    };
    let columns: Vec<_> = columns.into_iter().chain(columns::under(&rows)).collect();
    report.text("\nWhat it took\n");
    report.table(Table::of("What it took", &columns, &rows));
    report.text(columns::counted_once(&rows, results.len()));
    report.text(refusals(results.iter().filter_map(|r| Some((r.run.task.as_str(), r.run.error.as_deref()?)))));
    report.text(shortened("", results.iter().map(|r| &r.run)));
    report.text(format!(
        "\n`asks` (of a language model), `tokens`, `seconds` and `wrong values` (differences between belief and truth at a step) are means of an \
         episode; an episode with an error is not scored and has no wrong values.{builtin}\n"
    ));
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::run::RunResult;
    use crate::sample::Under;

    /// An episode of weight with a model, under the paper's settings.
    fn episode(method: &str, number: usize, name: &str, model: Value) -> StatlerResult {
        let experiment = json!({ "data": "12ab", "model": model }).into();
        let under = Under { condition: json!({ "settings": "statler" }).into(), experiment, ..Under::default() };
        let (task, method) = (format!("weight-{number:02}"), method.to_owned());
        let run =
            RunResult { task, method, kind: "weight".into(), model: name.to_owned(), under, ..RunResult::default() };
        StatlerResult { data: String::new(), right: vec![true], temporal: vec![false], drift: Vec::new(), run }
    }

    /// The first row of a method, without its domain and name.
    fn row(results: &[StatlerResult], method: &str) -> Vec<String> {
        let text = of_runs(results, false).to_string();
        let mut rows = text.lines().map(|line| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        rows.find(|cells| cells.iter().take(2).eq(["weight", method])).unwrap_or_default().split_off(2)
    }

    #[test]
    fn what_all_failed_keeps_its_row() {
        let of = |method: &str| episode(method, 1, "m", json!({ "name": "m" }));
        let mut failed = of("statler");
        failed.run.error = Some("HTTP 400".to_owned());
        let nothing = ["m", "0/0", "-", "-", "-", "-", "-", "-"];
        assert_eq!(row(&[of("code-as-policies"), failed.clone()], "statler"), nothing);
        assert_eq!(row(&[failed], "statler"), nothing);
    }

    #[test]
    fn the_papers_figures_are_found_by_what_a_model_is_and_not_by_what_it_is_called() {
        let printed = |name: &str, model: Value| {
            let all: Vec<_> = (0..20).map(|number| episode("statler", number, name, model.clone())).collect();
            row(&all, "statler")[4].clone()
        };
        assert_eq!(printed("gpt", json!({ "name": "gpt", "id": "gpt-3.5-turbo-instruct" })), "0.55");
        assert_eq!(printed("recorded:/a/b", json!({ "name": "recorded", "id": null, "file": "12ab" })), "0.55");
        let other = json!({ "name": "gpt-3.5-turbo-instruct", "id": "gpt-4" });
        assert_eq!(printed("gpt-3.5-turbo-instruct", other), "-");
    }
}
