//! Wording of what was found: names of skills, tips.

use super::forms::taken;
use super::needs::Found;
use super::{Tip, Witness};
use crate::form::Form;
use crate::knowledge::Skill;
use crate::rules::{Fact, Need};
use stepwright_trajectory::Trajectory;

/// How much more often failures are to do something than successes.
const MORE: f64 = 2.0;
/// Steps kept to show for a tip.
const WITNESSES: usize = 3;

/// The name of the skill that an action stands for: its first word.
pub(super) fn skill_of(form: &Form) -> String {
    form.verb().split_whitespace().next().unwrap_or_default().to_owned()
}

/// Whether an action is the one that a skill is named after.
pub(super) fn is_own(skill: &str, form: &Form) -> bool {
    skill_of(form) == skill
}

/// Whether what an action needs is said with a skill: it is among its primitives.
pub(super) fn belongs(skill: &Skill, form: &str) -> bool {
    skill.primitives.iter().any(|primitive| primitive.syntax == form)
}

pub(super) fn tip(skill: &Skill, found: &Found) -> Tip {
    Tip {
        skill: Some(skill.signature.name.clone()),
        text: format!("`{}` works only if {}.", found.form, said(&found.need)),
        form: Some(found.form.clone()),
        need: Some(found.need.clone()),
        successes: found.successes,
        failures: found.refusals,
        witnesses: found.witnesses.clone(),
    }
}

fn said(need: &Need) -> String {
    let not = |yes: &str, no: &str| if need.holds { yes.to_owned() } else { no.to_owned() };
    match &need.fact {
        Fact::Last { verb, slot } => {
            format!("your last `{verb}` {} with that {slot}", not("was", "was not"))
        }
        Fact::Since { verb, slot, until } => match need.holds {
            true => format!("your last `{verb}` was with that {slot} and no `{until}` came after it"),
            false => format!("it is not so that your last `{verb}` was with that {slot} with no `{until}` after it"),
        },
        Fact::Later { verb, until } => match need.holds {
            true => format!("your last `{verb}` came after your last `{until}`"),
            false => format!("no `{verb}` of yours waits for its `{until}`"),
        },
        Fact::Seen { slot, at } => {
            format!("you {} that {slot} at that {at} when you last looked", not("saw", "did not see"))
        }
        Fact::Here { slot, verb } => {
            format!("you {} that {slot} where your last `{verb}` led", not("saw", "did not see"))
        }
        Fact::Is { slot, state } => format!("that {slot} {} last seen {state}", not("was", "was not")),
        Fact::Known { slot } => format!("that {slot} {} at the beginning", not("was listed", "was not listed")),
    }
}

/// Tips on whole episodes: what failures do and successes do not.
pub(super) fn general(logs: &[Trajectory], refused: &[String]) -> Vec<Tip> {
    let repeats = |log: &Trajectory| {
        let again = log
            .steps
            .windows(2)
            .position(|pair| pair[0].action == pair[1].action && !taken(pair[0].observation.as_deref(), refused));
        again.map(|at| at + 1)
    };
    let unfinished = |log: &Trajectory| {
        let taken: Vec<bool> = log.steps.iter().map(|step| taken(step.observation.as_deref(), refused)).collect();
        let last = taken.iter().rev().take(3).filter(|taken| !**taken).count();
        (last == 3).then(|| log.steps.len() - 1)
    };
    let tips = [
        contrasted(logs, repeats, "Do not give an action again right after it was refused; do something else first."),
        contrasted(
            logs,
            unfinished,
            "When several actions in a row are refused, stop and look at what the first of them needs.",
        ),
    ];
    tips.into_iter().flatten().collect()
}

/// A tip against what failures do more often than successes.
fn contrasted(logs: &[Trajectory], does: impl Fn(&Trajectory) -> Option<usize>, text: &str) -> Option<Tip> {
    let (successes, failures): (Vec<&Trajectory>, Vec<&Trajectory>) =
        logs.iter().filter(|log| log.success.is_some()).partition(|log| log.succeeded());
    let good = successes.iter().filter(|log| does(log).is_none()).count();
    let bad: Vec<Witness> =
        failures.iter().filter_map(|log| Some(Witness { trajectory: log.id.clone(), step: does(log)? })).collect();
    let share = |count: usize, of: usize| count as f64 / of.max(1) as f64;
    let is_stated = bad.len() >= WITNESSES
        && share(bad.len(), failures.len()) >= MORE * share(successes.len() - good, successes.len());
    is_stated.then(|| Tip {
        skill: None,
        text: text.to_owned(),
        form: None,
        need: None,
        successes: (good, successes.len()),
        failures: (bad.len(), failures.len()),
        witnesses: bad.into_iter().take(WITNESSES).collect(),
    })
}
