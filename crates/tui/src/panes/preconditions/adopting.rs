//! Question before assertions are put in force: what is added, with its verdict and |C|, what is dropped, with what it forbade, and what
//! is only worded differently. Asks nothing where nothing is dropped and all that is added is valid. What is added and not valid is named
//! first.

use super::{CandidateCommand, Command, Intent, View};
use crate::pane::PaneAction;
use stepwright_episode::action_of_effects;
use stepwright_precondition::{Candidate, Counterpart, Finding, SetComparison, SideBySide, Validity};
use stepwright_text::words::count;

pub(super) const MARKED: &str = "marked";

/// Assertions named in a question at most, of those added and of those dropped.
const NAMED: usize = 4;

/// The command, after a yes if it drops anything or adds what is not valid.
pub(super) fn confirmed(command: Command, sets: &SetComparison, view: &View) -> Vec<Intent> {
    let (name, one) = match &command {
        Command::Candidates(CandidateCommand::Adopt { action, .. }) => {
            (format!("what is marked in force for {action}"), Some(action.as_str()))
        }
        Command::Candidates(CandidateCommand::AdoptSet { origin, .. }) => (format!("{origin} in force"), None),
        _ => return vec![Intent::Send(command)],
    };
    let actions = sets.actions.iter().filter(|a| one.is_none_or(|one| a.action == one));
    let rows: Vec<(&str, &SideBySide)> =
        actions.flat_map(|a| a.rows.iter().map(|row| (a.action.as_str(), row))).collect();
    let named = |action: &str, text: &str| if one.is_some() { text.to_owned() } else { format!("{action}: {text}") };
    let mut adds = Vec::new();
    let mut drops = Vec::new();
    let (mut reworded, mut same) = (0_usize, 0_usize);
    let changes = |row: &SideBySide| row.counterpart != Counterpart::Same;
    let of_effects =
        one.is_none() && rows.iter().any(|(action, row)| action_of_effects(action).is_some() && changes(row));
    for (action, row) in rows {
        match (&row.left, &row.right) {
            (Some(left), None) => drops.push((named(action, left), forbade(action, row))),
            (None, Some(right)) => {
                let found = found(action, right, row, view);
                let is_wrong = found.as_ref().is_some_and(|found| wrong(found.fate).is_some());
                let known = found.and_then(|found| verdict(action, &found, view));
                adds.push((is_wrong, (named(action, right), known.unwrap_or_default())));
            }
            _ if row.counterpart == Counterpart::Same => same += 1,
            _ => reworded += 1,
        }
    }
    let is_faulty = adds.iter().any(|(is_wrong, _)| *is_wrong);
    if drops.is_empty() && one.is_some() && !is_faulty {
        return vec![Intent::Send(command)];
    }
    // It is why one is asked.
    adds.sort_by_key(|(is_wrong, _)| !is_wrong);
    let adds: Vec<(String, String)> = adds.into_iter().map(|(_, added)| added).collect();
    let mut question = listed("It drops", '-', &drops);
    question.push_str(&listed("It adds", '+', &adds));
    let back = view.key(PaneAction::UndoChange);
    let stay = match same {
        0 if drops.is_empty() && reworded == 0 => "Nothing was in force before".to_owned(),
        0 => "Nothing that was in force stays as it is".to_owned(),
        1 => "1 stays as it is".to_owned(),
        _ => format!("{same} stay as they are"),
    };
    let reworded = match reworded {
        0 => String::new(),
        1 => "; 1 is replaced by one that holds at the same instances".to_owned(),
        n => format!("; {n} are replaced by ones that hold at the same instances"),
    };
    // Of effects each action has a history of its own.
    let effects = match of_effects {
        true => format!("; effects in theirs ({}), action by action", view.key(PaneAction::Effects)),
        false => String::new(),
    };
    question.push_str(&format!("{stay}{reworded}. {back} in the list takes this back{effects}."));
    vec![Intent::Confirm { title: format!("Put {name}"), question, yes: "adopt", commands: vec![command] }]
}

/// The fault that validation found in a candidate that is about to be adopted: `fails in 12 demonstrations`.
pub(super) fn fault(action: &str, text: &str, view: &View) -> Option<String> {
    let candidate = view.pools.get(action)?.candidates.iter().find(|c| c.text == text)?;
    wrong(&candidate.fate)
}

fn wrong(fate: &Validity) -> Option<String> {
    match fate {
        Validity::Valid => None,
        Validity::Departs { exceptions, calls, .. } => {
            Some(format!("{exceptions} of {} depart from it", count(*calls, "demonstrated call")))
        }
        Validity::Fails { failing, .. } => Some(format!("fails in {}", count(*failing, "demonstration"))),
        Validity::Malformed { reason, .. } => Some(format!("malformed: {reason}")),
        Validity::Unknown { .. } if fate.is_untried() => Some("not tried: no demonstration calls it".to_owned()),
        Validity::Unknown { .. } => Some("cannot be decided".to_owned()),
    }
}

/// What validation found of an assertion.
struct Found<'a> {
    fate: &'a Validity,
    coverage: Option<usize>,
    instances: usize,
    optimal: bool,
}

/// What is known of an added assertion: what the comparison found, else what is known of it as a candidate. The comparison says nothing of a
/// set one of whose assertions cannot be decided, and decides less.
fn found<'a>(action: &str, text: &str, row: &'a SideBySide, view: &'a View) -> Option<Found<'a>> {
    let of = |found: &'a Finding| {
        let Finding { fate, coverage, instances, optimal, .. } = found;
        Found { fate, coverage: *coverage, instances: *instances, optimal: *optimal }
    };
    let own = || {
        let pool = view.pools.get(action)?;
        let candidate = pool.candidates.iter().chain(&pool.held_back).find(|candidate| candidate.text == text)?;
        let (Candidate { fate, coverage, .. }, instances) = (candidate, pool.instances);
        let optimal = pool.by_equation.iter().any(|own| own == text);
        Some(Found { fate, coverage: *coverage, instances, optimal })
    };
    let compared = row.finding.as_ref();
    let decided = compared.filter(|found| !matches!(found.fate, Validity::Unknown { .. }));
    decided.map(of).or_else(own).or_else(|| compared.map(of))
}

/// Validity and |C| of an added assertion.
fn verdict(action: &str, found: &Found<'_>, view: &View) -> Option<String> {
    if let Some(wrong) = wrong(found.fate) {
        return Some(wrong);
    }
    let calls = match view.pools.get(action).map(|pool| pool.calls) {
        Some(1) => "valid at the one call".to_owned(),
        Some(calls) => format!("valid at all {calls} calls"),
        None => "valid at every call".to_owned(),
    };
    if action_of_effects(action).is_some() {
        return Some(format!("the state after each of {} is as it says", count(found.instances, "demonstrated call")));
    }
    let coverage = found.coverage?;
    let best = if found.optimal { "; nothing valid is stronger" } else { "" };
    Some(format!("{calls}; |C| {coverage} of {}{best}", count(found.instances, "instance")))
}

/// The calls that a dropped assertion forbade and nothing that stays forbids.
fn forbade(action: &str, row: &SideBySide) -> String {
    if action_of_effects(action).is_some() {
        let found = row.finding.as_ref().and_then(|found| Some((found.coverage?, found.instances)));
        let words = |(n, of)| format!("it followed {n} of {}", count(of, "demonstrated call"));
        return found.map(words).unwrap_or_default();
    }
    let rest = match row.counterpart {
        Counterpart::Implied => return "at all instances of the demonstrations the rest implies it".to_owned(),
        Counterpart::Only => row.finding.as_ref(),
        _ => return String::new(),
    };
    let Some(found) = rest else { return "nothing else forbids as much".to_owned() };
    let optimal = if found.optimal { "optimal by Equation (1): " } else { "" };
    let of = count(found.instances, "instance");
    let mut words = format!("{optimal}it alone forbids {} of {of}", found.forbids);
    if let Some(first) = &found.first {
        words.push_str(&format!(", first {} in {}", first.application(action), first.in_words()));
    }
    words
}

/// Assertions with their count, the first of them named, each with what is to be said of it.
fn listed(what: &str, mark: char, texts: &[(String, String)]) -> String {
    if texts.is_empty() {
        return format!("{what} nothing.\n");
    }
    let mut lines = format!("{what} {}:\n", texts.len());
    for (text, remark) in texts.iter().take(NAMED) {
        lines.push_str(&format!("  {mark} {}\n", crate::sanitize::line(text)));
        if !remark.is_empty() {
            lines.push_str(&format!("    {remark}\n"));
        }
    }
    if texts.len() > NAMED {
        lines.push_str(&format!("  and {} more\n", texts.len() - NAMED));
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use stepwright_precondition::{ActionComparison, CandidateOrigin, Pool};

    #[test]
    fn what_is_added_and_not_valid_is_named_first_and_each_has_its_verdict() {
        let unknown = || Validity::Unknown { reason: "Budget".to_owned(), message: String::new() };
        let fates = [Validity::Valid, Validity::Valid, Validity::Valid, Validity::Valid, unknown()];
        let candidates: Vec<Candidate> = (0..)
            .zip(fates)
            .map(|(id, fate)| {
                let coverage = (fate == Validity::Valid).then_some(4);
                Candidate { coverage, ..Candidate::new(id, format!("c{id}"), CandidateOrigin::Person, fate) }
            })
            .collect();
        // A set that cannot be decided as a whole has no findings.
        let row = |text: &String| SideBySide {
            left: None,
            right: Some(text.clone()),
            counterpart: Counterpart::Unknown,
            finding: None,
        };
        let assertions: Vec<String> = candidates.iter().map(|candidate| candidate.text.clone()).collect();
        let action = ActionComparison {
            action: "goto".to_owned(),
            params: Vec::new(),
            rows: assertions.iter().map(row).collect(),
            score: Err("`c4` cannot be evaluated".to_owned()),
            difference: None,
        };
        let sets = SetComparison { left: "in force".into(), right: MARKED.into(), actions: vec![action], score: None };
        let pool = Pool { action: "goto".to_owned(), candidates, instances: 9, calls: 2, ..Pool::default() };
        let mut view = View::default();
        view.pools.insert("goto".to_owned(), Arc::new(pool));
        let (action, origin) = ("goto".to_owned(), "edited".to_owned());
        let command = Command::Candidates(CandidateCommand::Adopt { action, assertions, origin });
        let asked = confirmed(command, &sets, &view);
        let [Intent::Confirm { question, .. }] = asked.as_slice() else { panic!("{asked:?}") };
        let lines: Vec<&str> = question.lines().skip_while(|line| !line.starts_with("It adds")).take(5).collect();
        let valid = "    valid at all 2 calls; |C| 4 of 9 instances";
        assert_eq!(lines, ["It adds 5:", "  + c4", "    cannot be decided", "  + c0", valid]);
    }
}
