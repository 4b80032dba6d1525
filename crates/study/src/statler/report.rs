//! Tables of the study: how many requests were answered, by domain and method, beside the paper's figures.

use serde::Serialize;

use super::curves;
use super::groups::Group;
use super::live::StatlerResult;
use super::live::groups;
use super::paper::{self, COMMON, COMPARED, CUPS, EPISODES, OWN, SOURCE};
use super::scores::{ByMemory, Played, Scores, Share, up_to_first_failure_of_any};
use crate::curve::{Chart, ShareOf, Shares};
use crate::report::{Report, Table};
use crate::run::RunResult;
use crate::runner::{Printed, in_print, in_words, of_mean, wilson};
use crate::table::{printed, share};
use stepwright_method::REFERENCE;

/// A method's scores in a domain, for programs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scored {
    /// The domain.
    pub domain: String,
    /// The method's id.
    pub method: String,
    /// The model's name.
    pub model: String,
    /// How many episodes.
    pub episodes: usize,
    /// Those without a wrong request.
    pub success: usize,
    /// The mean share of requests answered before the first wrong one.
    pub successful_steps: f64,
    /// Requests that need no memory, right and all, up to the first wrong one.
    pub non_temporal: [usize; 2],
    /// Those that need it.
    pub temporal: [usize; 2],
    /// Both kinds up to the first failure of any method compared, where some are: without memory, with memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub common: Option<[[usize; 2]; 2]>,
}

/// The scores of all groups, in their order.
pub fn scored(groups: &[Group]) -> Vec<Scored> {
    let pair = |share: Share| [share.right, share.of];
    let scored = |group: &Group| {
        let scores = Scores::of(&group.played);
        Scored {
            domain: group.domain.clone(),
            method: group.method.clone(),
            model: group.model.clone(),
            episodes: scores.episodes,
            success: scores.success,
            successful_steps: scores.successful_steps,
            non_temporal: pair(scores.requests.non_temporal),
            temporal: pair(scores.requests.temporal),
            common: common(groups, group).map(|by| [pair(by.non_temporal), pair(by.temporal)]),
        }
    };
    groups.iter().map(scored).collect()
}

/// The groups that a group is cut with at the first failure of any: of its domain and model, the paper's two methods where both are
/// there, else all methods if there are several.
fn compared<'a>(groups: &'a [Group], with: &Group) -> Vec<&'a Group> {
    let alike = |g: &&Group| g.domain == with.domain && g.model == with.model;
    let of_paper: Vec<&Group> = groups.iter().filter(alike).filter(|g| COMPARED.contains(&g.method.as_str())).collect();
    if of_paper.len() == COMPARED.len() { of_paper } else { groups.iter().filter(alike).collect() }
}

fn common(groups: &[Group], group: &Group) -> Option<ByMemory> {
    let compared = compared(groups, group);
    let at = compared.iter().position(|g| *g == group).filter(|_| compared.len() > 1)?;
    let played: Vec<Vec<&Played>> = compared.iter().map(|g| g.played.iter().collect()).collect();
    up_to_first_failure_of_any(&played).get(at).copied()
}

/// The tables for display.
pub fn tables(groups: &[Group]) -> Report {
    let mut report = Report::default();
    report.table(successes(groups));
    report.text("\nRequests up to each method's own first failure (the paper's Table 2)\n");
    report.table(by_memory(groups, |g| Some(Scores::of(&g.played).requests), OWN).titled("Table 2"));
    let cut = by_memory(groups, |g| common(groups, g), COMMON).titled("Table 3");
    if cut.cells().next().is_some() {
        report.text("\nRequests up to the first failure of any method compared (the paper's Table 3)\n");
        report.table(cut);
    }
    report.text(format!(
        "\n`success` and `rate`: episodes without a wrong request, with Wilson's 95 % interval. `steps`: requests answered before the \
         first wrong one, as a share of the episode, averaged, with the bootstrap over episodes. `temporal`: requests that take something \
         of earlier ones. `paper`, beside the figure it is of: \"{SOURCE}\", {EPISODES} episodes a domain, gpt-3.5-turbo-instruct.\n"
    ));
    report.chart(Chart::Shares(Shares {
        measure: "episodes without a wrong request".to_owned(),
        rows: groups.iter().map(share_of).collect(),
    }));
    report
}

/// The success of a group, for files.
fn share_of(group: &Group) -> ShareOf {
    let scores = Scores::of(&group.played);
    let paper = paper::of(&group.domain, &group.method, "success");
    ShareOf {
        name: format!("{}, {} ({})", group.domain, group.method, group.model),
        share: scores.success as f64 / scores.episodes.max(1) as f64,
        interval: wilson(scores.success, scores.episodes),
        paper: paper.and_then(|figure| if let Printed::Number(figure) = figure { Some(figure) } else { None }),
    }
}

fn successes(groups: &[Group]) -> Table {
    let headings = ["domain", "method", "model", "success", "rate", "95 %", "paper", "steps", "95 %", "paper"];
    let mut table = Table::new(3, headings).titled("Table 1");
    for group in groups {
        let scores = Scores::of(&group.played);
        let paper = |measure| in_print(paper::of(&group.domain, &group.method, measure));
        let rate = Share { right: scores.success, of: scores.episodes };
        let steps: Vec<f64> = group.played.iter().map(Played::successful_steps).collect();
        table.row([
            group.domain.clone(),
            group.method.clone(),
            group.model.clone(),
            format!("{}/{}", rate.right, rate.of),
            share(rate.rate()),
            in_words(wilson(rate.right, rate.of), 3),
            paper("success"),
            share((scores.episodes > 0).then_some(scores.successful_steps)),
            in_words(of_mean(&steps), 3),
            paper("steps"),
        ]);
    }
    table
}

/// A row a group: requests that need no memory and those that do, each beside the paper's figure for that measure.
fn by_memory(groups: &[Group], ours: impl Fn(&Group) -> Option<ByMemory>, measures: [&str; 2]) -> Table {
    let headings = ["domain", "method", "model", "non-temporal", "rate", "paper", "temporal", "rate", "paper"];
    let mut table = Table::new(3, headings);
    for group in groups {
        let Some(ours) = ours(group) else { continue };
        let mut cells = vec![group.domain.clone(), group.method.clone(), group.model.clone()];
        for (ours, measure) in [ours.non_temporal, ours.temporal].into_iter().zip(measures) {
            let paper = in_print(paper::of(&group.domain, &group.method, measure));
            cells.extend([format!("{}/{}", ours.right, ours.of), share(ours.rate()), paper]);
        }
        table.row(cells);
    }
    table
}

/// All that is printed of episodes that were run: the tables, the curves of three cups, the drift where it is wanted, the costs.
pub fn of_runs(results: &[StatlerResult], drift: bool) -> Report {
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
    }
    costs(results, &mut report);
    report
}

/// What live runs took, by domain, method and model.
fn costs(results: &[StatlerResult], report: &mut Report) {
    let headings = ["domain", "method", "model", "episodes", "asks", "tokens", "seconds", "wrong values", "errors"];
    let mut table = Table::new(3, headings).titled("What it took");
    let mut rows: Vec<(&RunResult, Vec<&StatlerResult>)> = Vec::new();
    for result in results {
        let key = |run: &RunResult| (run.kind.clone(), run.method.clone(), run.model.clone());
        match rows.iter_mut().find(|(run, _)| key(run) == key(&result.run)) {
            Some((_, all)) => all.push(result),
            None => rows.push((&result.run, vec![result])),
        }
    }
    for (run, of) in rows {
        let mean =
            |figure: &dyn Fn(&RunResult) -> f64| of.iter().map(|r| figure(&r.run)).sum::<f64>() / of.len() as f64;
        let wrong: Vec<usize> = of.iter().flat_map(|r| r.drift.iter().copied()).collect();
        let wrong = (!wrong.is_empty()).then(|| wrong.iter().sum::<usize>() as f64 / wrong.len() as f64);
        table.row([
            run.kind.clone(),
            run.method.clone(),
            run.model.clone(),
            of.len().to_string(),
            format!("{:.1}", mean(&|r| f64::from(r.asks))),
            format!("{:.0}", mean(&|r| r.prompt_tokens as f64 + r.completion_tokens as f64)),
            format!("{:.2}", mean(&|r| r.seconds)),
            printed(wrong),
            of.iter().filter(|r| r.run.error.is_some()).count().to_string(),
        ]);
    }
    let builtin = if results.iter().any(|r| r.run.model == REFERENCE) {
        " No model took part in rows of `reference`: the reference programs of the episodes' files were played."
    } else {
        ""
    };
    report.text("\nWhat it took\n");
    report.table(table);
    report.text(format!(
        "\n`asks` (of a language model), `tokens` and `seconds` are means of an episode, `wrong values` the mean \
         number of differences between belief and truth at a step. Episodes with errors are not scored.{builtin}\n"
    ));
}
