//! Table of results summed up by task type, for display.

use std::collections::BTreeSet;

use super::result::BY_PROGRAM;
use super::{RunResult, by_role};
use crate::columns::{Cell, Column, Group, column, condition, counted_once, groups, rows};
use crate::curve::{Chart, ShareOf, Shares};
use crate::report::{Report, Table, refusals};
use stepwright_episode::gate::{NO_PROPOSAL, OVER, tells};
use stepwright_model::upstream::UPSTREAM;
use stepwright_text::words::count;

type Row<'a> = Group<'a, RunResult>;

const OF: &str = "task type";

/// The models that answered where the program behind the gate chose them.
fn served(results: &[RunResult]) -> String {
    let relayed = results.iter().filter(|r| r.model == UPSTREAM);
    let all: BTreeSet<&str> = relayed.flat_map(|r| &r.served).map(String::as_str).collect();
    if all.is_empty() { String::new() } else { format!("The program's model: {}\n", Vec::from_iter(all).join(", ")) }
}

/// The episodes that were begun: the others are neither won nor lost.
fn begun<'a>(of: &Row<'a>) -> Row<'a> {
    Group::all(of.conditions.clone(), of.lines.iter().copied().filter(|r| r.is_begun()))
}

/// Of these, those of which it is known whether they were won.
fn told<'a>(of: &Row<'a>) -> Row<'a> {
    Group::all(of.conditions.clone(), of.lines.iter().copied().filter(|r| r.is_begun() && !r.untold))
}

/// Of these, those that came to an end.
fn ended<'a>(of: &Row<'a>) -> Row<'a> {
    Group::all(of.conditions.clone(), of.lines.iter().copied().filter(|r| r.is_begun() && !r.broke_off()))
}

/// `untold`: whether there are episodes of which that is not known.
fn columns<'a>(untold: bool) -> Vec<Column<'a, Row<'a>>> {
    let of_begun = |heading, cell: fn(&Row<'_>) -> Cell| column(heading, move |of: &Row<'_>| cell(&begun(of)));
    let steps_won = |r: &RunResult| r.won.then(|| f64::from(r.steps));
    let mut columns = vec![
        condition(OF),
        of_begun("episodes", |of| Cell::of(of.lines.len())),
        of_begun("won", |of| Cell::of(of.count(|r| r.won))),
        column("won %", |of: &Row<'_>| Cell::percent(told(of).share(|r| r.won), 1)),
        column("95 %", |of: &Row<'_>| Cell::percents(told(of).interval(|r| r.won), 1)),
        column("reward", |of: &Row<'_>| Cell::Figure(ended(of).mean(RunResult::known_reward), 3)),
        column("95 %", |of: &Row<'_>| Cell::Interval(ended(of).interval_of_mean(RunResult::known_reward), 3)),
        column("steps won", move |of: &Row<'_>| Cell::Figure(of.mean(steps_won), 1)),
        column("95 %", move |of: &Row<'_>| Cell::Interval(of.interval_of_mean(steps_won), 1)),
        column("refused", |of: &Row<'_>| Cell::of(of.sum(|r| r.refused.into()))),
        column("compatible %", |of: &Row<'_>| {
            let share = of.sum(|r| r.compatible.into()) as f64 / of.sum(|r| r.steps.into()) as f64;
            Cell::percent(Some(share), 1)
        }),
        column("tokens", |of: &Row<'_>| of.total(RunResult::tokens)),
        column("seconds", |of: &Row<'_>| Cell::Figure(Some(of.lines.iter().fold(0.0, |sum, r| sum + r.seconds)), 1)),
        of_begun("errors", |of| Cell::of(of.count(|r| r.error.is_some()))),
        column("not begun", |of: &Row<'_>| Cell::of(of.count(|r| !r.is_begun()))),
    ];
    columns.extend(untold.then(|| column("won: not known", |of: &Row<'_>| Cell::of(of.count(|r| r.untold)))));
    columns
}

/// The table: a row a task type, then all of them; intervals are over tasks. With `detail` a row a task as well.
pub(super) fn report(results: &[RunResult], detail: bool) -> Report {
    let all = rows(results, |_| vec![(OF, "all".to_owned())]);
    let once: Vec<&RunResult> = all.iter().flat_map(|of| of.lines.iter().copied()).collect();
    let mut kinds = groups(once.iter().copied(), |r| vec![(OF, r.kind.clone())]);
    kinds.sort_by_key(|of| of.condition(OF));
    let columns = columns(results.iter().any(|r| r.untold));
    let mut table = Table::of_columns("Episodes by type of task", &columns);
    for kind in &kinds {
        table.add(&columns, kind);
        let mut tasks = groups(kind.lines.iter().copied(), |r| vec![(OF, format!("  {}", r.task))]);
        tasks.sort_by_key(|of| of.condition(OF));
        tasks.iter().filter(|_| detail).for_each(|task| table.add(&columns, task));
    }
    table.add(&columns, &Group::all(vec![(OF, "all".to_owned())], once));
    let mut report = Report::default();
    report.table(table);
    report.text(counted_once(&all, results.len()));
    report.text(refusals(results.iter().filter_map(|r| Some((r.task.as_str(), r.error.as_deref()?)))));
    report.text(trials(results));
    report.text(endings(results));
    report.text(shortened("", results.iter()));
    report.text(served(results));
    disagreements(results, &mut report);
    by_role(results, &mut report);
    let share = |of: &Row<'_>| {
        let of = told(of);
        let (share, interval) = (of.share(|r| r.won)?, of.interval(|r| r.won));
        Some(ShareOf { name: of.condition(OF), share, interval, paper: None })
    };
    let rows = kinds.iter().filter_map(share).collect();
    report.chart(Chart::Shares(Shares { measure: "episodes won".to_owned(), rows }));
    report
}

/// That there were several trials of an episode, and what is counted of which.
fn trials(results: &[RunResult]) -> String {
    let several = results.iter().filter(|result| result.trials > 1);
    let [episodes, trials] = [several.clone().count(), several.map(|result| result.trials as usize).sum()];
    match episodes {
        0 => String::new(),
        _ => format!(
            "{} had {trials} trials in all; won, reward, steps, refused and compatible are of the last one, tokens and seconds of all\n",
            count(episodes, "episode")
        ),
    }
}

/// How many ended because nothing was left to be taken, before an action or with the program that got answers, and how the first of them.
fn endings(results: &[RunResult]) -> String {
    let lost = results.iter().filter(|result| !result.won && result.error.is_none());
    // Each with whether it is told if the episode was won.
    let reasons = || lost.clone().map(|result| (result.ended.as_str(), !result.untold));
    let behind = |how: &'static str| {
        let reasons = reasons().filter_map(|(why, told)| Some((why.strip_prefix(how)?, told)));
        reasons.collect::<Vec<_>>()
    };
    let halted = reasons()
        .filter(|(why, _)| tells(why) && ![NO_PROPOSAL, BY_PROGRAM].iter().any(|how| why.starts_with(how)))
        .collect::<Vec<_>>();
    let early = behind(OVER).into_iter().filter_map(|(why, told)| Some((why.strip_prefix(": ")?, told)));
    let said = |reasons: &[(&str, bool)], [one, several]: [&str; 2]| {
        let lost = if reasons.iter().all(|(_, told)| *told) { "not won" } else { "not known to be won" };
        match reasons {
            [] => String::new(),
            [(why, _)] => format!("1 episode {lost} ended {one}: {why}\n"),
            [(why, _), ..] => {
                format!("{} {lost} ended {several}; the first: {why}\n", count(reasons.len(), "episode"))
            }
        }
    };
    said(&behind(NO_PROPOSAL), ["without a proposal to take"; 2])
        + &said(&halted, ["before an action that was not taken"; 2])
        + &said(&early.collect::<Vec<_>>(), ["before its steps were used up", "before their steps were used up"])
        + &said(&behind(BY_PROGRAM), ["with its program", "with their programs"])
}

/// How many prompts something was left out of, as it did not fit the model, and what of the first; of which results, where there are others.
pub(crate) fn shortened<'a>(of: &str, results: impl Iterator<Item = &'a RunResult> + Clone) -> String {
    let prompts: u64 = results.clone().map(|r| u64::from(r.shortened)).sum();
    let Some(first) = results.clone().find(|r| r.shortened > 0) else { return String::new() };
    let asks: u64 = results.map(|r| u64::from(r.asks)).sum();
    let of = if of.is_empty() { String::new() } else { format!("{of}: ") };
    format!("{of}{prompts} of {} did not fit the model; the first: {}\n", count(asks, "prompt"), first.left_out)
}

/// Who disagreed where: a row a step at which sides would have done different things, the side that decided first.
fn disagreements(results: &[RunResult], report: &mut Report) {
    let asked: u32 = results.iter().map(|r| r.dueled).sum();
    let all = || results.iter().flat_map(|r| r.disagreements.iter().map(move |d| (r, d)));
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in all().flat_map(|(_, d)| &d.sides) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    if asked == 0 {
        return;
    }
    let unanswered: u32 = results.iter().map(|r| r.unanswered).sum();
    let open = if unanswered == 0 { String::new() } else { format!(", not all had an answer at {unanswered}") };
    let steps = count(asked, "step");
    report.text(format!("Several were asked at {steps}; they disagreed at {}{open}\n", all().count()));
    let mut silent: Vec<(&str, u32, &str)> = Vec::new();
    for silence in results.iter().flat_map(|r| &r.silences) {
        match silent.iter_mut().find(|(side, ..)| *side == silence.side) {
            Some((_, steps, _)) => *steps += silence.steps,
            None => silent.push((&silence.side, silence.steps, &silence.why)),
        }
    }
    for (side, steps, why) in silent {
        let why = if why.is_empty() { "it recommended nothing" } else { why };
        report.text(format!("{side} had no answer at {}: {why}\n", count(steps as usize, "step")));
    }
    if names.is_empty() {
        return;
    }
    let headings = ["task", "seed", "step"].into_iter().chain(names.iter().copied());
    let mut table = Table::new(names.len() + 3, headings).titled("Who disagreed where");
    for (result, found) in all() {
        let lead = [result.task.clone(), result.seed.to_string(), found.step.to_string()];
        let action = |name: &&str| {
            let side = found.sides.iter().find(|(side, _)| side == name);
            side.and_then(|(_, action)| action.clone()).unwrap_or_else(|| "-".to_owned())
        };
        table.row(lead.into_iter().chain(names.iter().map(action)));
    }
    report.table(table);
}

#[cfg(test)]
mod tests {
    use super::super::result::Silence;
    use super::*;
    use crate::runner::NOT_BEGUN;

    fn result(task: &str, won: bool, error: Option<&str>) -> RunResult {
        let error = error.map(str::to_owned);
        RunResult { task: task.into(), kind: "k".into(), won, steps: 4, error, ..RunResult::default() }
    }

    #[test]
    fn what_nobody_judged_is_neither_won_nor_lost() {
        let untold = RunResult { untold: true, ..result("b", false, None) };
        let text = report(&[result("a", true, None), untold], false).to_string();
        let row: Vec<&str> = text.lines().find(|line| line.starts_with("all")).unwrap().split_whitespace().collect();
        assert_eq!((&row[1..4], row.last()), (&["2", "1", "100.0"][..], Some(&"1")), "{text}");
        assert!(!report(&[result("a", true, None)], false).to_string().contains("not known"));
        // One that broke off has no reward that could be compared.
        let rewarded = RunResult { reward: 1.0, ..result("a", true, None) };
        let broke = RunResult { untold: true, ..result("b", false, Some("no room")) };
        let text = report(&[rewarded, broke], false).to_string();
        let row: Vec<&str> = text.lines().find(|line| line.starts_with("all")).unwrap().split_whitespace().collect();
        assert_eq!(row[3..6].join(" "), "100.0 20.7-100.0 1.000", "{text}");
    }

    #[test]
    fn why_episodes_failed_is_listed_each_reason_once() {
        let results = [
            result("a", true, None),
            result("b", false, Some("the world refused")),
            result("c", false, Some("the world refused")),
            result("d", false, Some("no server")),
        ];
        let unbegun = RunResult { ended: NOT_BEGUN.to_owned(), ..result("e", false, Some("no server")) };
        let results: Vec<RunResult> = results.into_iter().chain([unbegun]).collect();
        let text = report(&results, false).to_string();
        assert!(text.contains("b and 1 more: the world refused\nd and 1 more: no server\n"), "{text}");
        let all: Vec<&str> = text.lines().find(|l| l.starts_with("all")).unwrap().split_whitespace().collect();
        assert_eq!((&all[1..5], &all[13..]), (&["4", "1", "25.0", "4.6-69.9"][..], &["3", "1"][..]), "{text}");
        assert!(report(&results, true).to_string().contains("  d "));
        assert!(report(&[], false).to_string().contains("all"));
    }

    #[test]
    fn what_did_not_fit_the_model_is_said_below_the_table() {
        let whole = RunResult { asks: 4, ..result("a", true, None) };
        assert!(!report(std::slice::from_ref(&whole), false).to_string().contains("did not fit"));
        let left_out = "left out of the prompt: 3 of 3 demonstrations".to_owned();
        let cut = RunResult { asks: 2, shortened: 2, left_out, ..result("b", true, None) };
        let text = report(&[whole, cut], false).to_string();
        let expected =
            "2 of 6 prompts did not fit the model; the first: left out of the prompt: 3 of 3 demonstrations\n";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn what_ended_early_is_not_won_where_that_is_told() {
        let ended = format!("{OVER}: the plan is over");
        let early = |untold| RunResult { ended: ended.clone(), untold, ..result("a", false, None) };
        let text = report(&[early(false)], false).to_string();
        assert!(text.contains("1 episode not won ended before its steps were used up: the plan is over\n"), "{text}");
        let text = report(&[early(false), early(true)], false).to_string();
        assert!(
            text.contains("2 episodes not known to be won ended before their steps were used up; the first"),
            "{text}"
        );
    }

    #[test]
    fn which_figures_are_of_the_last_trial_is_said() {
        assert!(!report(&[result("a", true, None)], false).to_string().contains("trials"));
        let tried = RunResult { trials: 3, ..result("b", true, None) };
        let text = report(&[RunResult { trials: 1, ..result("a", true, None) }, tried], false).to_string();
        assert!(text.contains("1 episode had 3 trials in all; won, reward, steps, refused"), "{text}");
    }

    #[test]
    fn who_disagreed_where_is_a_table_of_its_own() {
        assert!(!report(&[result("a", true, None)], false).to_string().contains("disagreed"));
        let sides = |one: &str, other: Option<&str>| {
            vec![("symbolic".to_owned(), Some(one.to_owned())), ("gpt".to_owned(), other.map(str::to_owned))]
        };
        let at = |step, sides| super::super::result::Disagreement { step, sides };
        let disagreements = vec![at(2, sides("look", Some("wait"))), at(7, sides("take mug 1", None))];
        let silent = |steps, why: &str| vec![Silence { side: "gpt".to_owned(), steps, why: why.to_owned() }];
        let silences = silent(1, "no server");
        let dueled = RunResult { dueled: 9, disagreements, unanswered: 3, silences, ..result("a", true, None) };
        let text =
            report(&[dueled, RunResult { dueled: 4, silences: silent(2, "late"), ..result("b", true, None) }], false)
                .to_string();
        let expected = "Several were asked at 13 steps; they disagreed at 2, not all had an answer at 3\n\
                        gpt had no answer at 3 steps: no server\n\
                        task  seed  step  symbolic    gpt\n\
                        a     0     2     look        wait\n\
                        a     0     7     take mug 1  -\n";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn repetitions_make_no_interval_narrower() {
        let of = |seeds: &[(u64, bool)]| {
            let one = |(seed, won): &(u64, bool)| RunResult { seed: *seed, ..result("a", *won, None) };
            let results: Vec<RunResult> = seeds.iter().map(one).chain([result("b", false, None)]).collect();
            let text = report(&results, false).to_string();
            let all: Vec<&str> = text.lines().find(|l| l.starts_with("all")).unwrap().split_whitespace().collect();
            (all[1..5].join(" "), text.contains("came out alike"))
        };
        // Alike with each seed: nothing random took part, and there are two episodes.
        assert_eq!(of(&[(0, false), (1, false), (2, false)]), ("2 0 0.0 0.0-65.8".to_owned(), true));
        // Two tasks, the one of them done three times: the share is of all, the interval of two.
        assert_eq!(of(&[(0, true), (1, false), (2, true)]), ("4 2 50.0 9.5-90.5".to_owned(), false));
        // What a model did alike it was asked for each time: sums are of all, the interval is of one task.
        let asked =
            |seed| RunResult { seed, model: "m".into(), asks: 1, prompt_tokens: 10, ..result("a", false, Some("cut")) };
        let text = report(&[0, 1, 2].map(asked), false).to_string();
        let all: Vec<&str> = text.lines().find(|l| l.starts_with("all")).unwrap().split_whitespace().collect();
        assert_eq!((all[1..5].join(" "), &all[11..12], all[13]), ("3 0 0.0 0.0-79.3".to_owned(), &["30"][..], "3"));
        assert!(!text.contains("came out alike"), "{text}");
    }
}
