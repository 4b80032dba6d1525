//! The rows of the preconditions pane: assertions in force that are no candidate, then the candidates, best first.

use crate::theme::{Glyphs, Role};
use stepwright_precondition::{Candidate, CandidateOrigin, Pool, Ranking, Validity};
use stepwright_text::words::count;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// An assertion in force that is no candidate of the pool.
    InForce(String),
    /// An expression that was added and is still being checked.
    Coming(String),
    /// A candidate, by its place in the pool.
    Candidate(usize),
    /// A valid candidate that was held back, by its place among those.
    HeldBack(usize),
}

/// How good a candidate is for the order of the rows by a ranking; smaller is better.
fn rank(candidate: &Candidate, pool: &Pool, ranking: Ranking) -> u8 {
    let best = match ranking {
        Ranking::Evidence => candidate.fate == Validity::Valid && candidate.optimal && candidate.representative,
        Ranking::EquationOne => pool.by_equation.contains(&candidate.text),
    };
    if best {
        return 0;
    }
    let held = is_held_back(candidate, pool) && ranking == Ranking::Evidence;
    match &candidate.fate {
        Validity::Valid if held => 3,
        Validity::Valid if candidate.optimal => 1,
        Validity::Valid if holds_everywhere(candidate, pool) => 4,
        Validity::Valid => 2,
        Validity::Departs { .. } if candidate.fate.is_likely() => 4,
        Validity::Unknown { .. } => 5,
        Validity::Fails { .. } | Validity::Departs { .. } => 6,
        Validity::Malformed { .. } => 7,
    }
}

/// Whether a candidate says nothing, because it holds everywhere. An effect says something of every call.
fn holds_everywhere(candidate: &Candidate, pool: &Pool) -> bool {
    !pool.is_of_effects() && candidate.coverage == Some(pool.instances)
}

/// The rows up to those of candidates that add nothing: that forbid nothing, are implied by others or mean the same, or were tried in vain
/// by the enumerator.
pub fn telling(items: &[Item], pool: Option<&Pool>, in_force: &[String]) -> usize {
    let adds = |candidate: &Candidate, pool: &Pool| match &candidate.fate {
        _ if in_force.contains(&candidate.text) => true,
        Validity::Valid => candidate.optimal && candidate.representative && !holds_everywhere(candidate, pool),
        Validity::Fails { .. } | Validity::Departs { .. } => candidate.origin != CandidateOrigin::Enumerated,
        Validity::Unknown { .. } | Validity::Malformed { .. } => true,
    };
    let tells = |item: &Item| match (item, pool) {
        (Item::Candidate(at), Some(pool)) => pool.candidates.get(*at).is_none_or(|candidate| adds(candidate, pool)),
        _ => true,
    };
    items.iter().rposition(tells).map_or(0, |last| last + 1)
}

pub fn items(
    pool: Option<&Pool>,
    in_force: &[String],
    ranking: Ranking,
    listed: impl Fn(&String) -> bool,
) -> Vec<Item> {
    let Some(pool) = pool else { return in_force.iter().cloned().map(Item::InForce).collect() };
    let held = pool.held_back.iter().enumerate().filter(|(_, c)| listed(&c.text));
    let mut rows: Vec<(Item, &Candidate)> = held.map(|(at, c)| (Item::HeldBack(at), c)).collect();
    rows.extend(pool.candidates.iter().enumerate().map(|(at, c)| (Item::Candidate(at), c)));
    rows.sort_by_key(|(_, c)| (rank(c, pool, ranking), c.coverage.unwrap_or(usize::MAX), c.id));
    let known: std::collections::HashSet<&str> = rows.iter().map(|(_, c)| c.text.as_str()).collect();
    let outside = in_force.iter().filter(|t| !known.contains(t.as_str()));
    outside.cloned().map(Item::InForce).chain(rows.iter().map(|(item, _)| item.clone())).collect()
}

/// The candidates adopted unless a person marks others, by the evidence rule the representatives of optimal clusters: without the
/// deleted and without those that hold everywhere, which say nothing.
pub fn suggested(pool: &Pool, ranking: Ranking) -> impl Iterator<Item = &Candidate> {
    let all = pool.candidates.iter().chain(&pool.held_back);
    all.filter(move |candidate| is_suggested(candidate, pool, ranking))
}

pub(crate) fn is_suggested(candidate: &Candidate, pool: &Pool, ranking: Ranking) -> bool {
    match ranking {
        Ranking::EquationOne => !candidate.rejected && pool.by_equation.contains(&candidate.text),
        Ranking::Evidence => {
            let best = candidate.fate == Validity::Valid && candidate.optimal && candidate.representative;
            best && !candidate.rejected && !holds_everywhere(candidate, pool)
        }
    }
}

pub(crate) fn is_held_back(candidate: &Candidate, pool: &Pool) -> bool {
    pool.held_back.iter().any(|held| held.text == candidate.text)
}

/// The status of a candidate in a word, with its mark. The help explains the words.
pub fn status(
    candidate: &Candidate,
    in_force: bool,
    (pool, ranking): (Option<&Pool>, Ranking),
    glyphs: &Glyphs,
) -> (&'static str, &'static str, Role) {
    let suggested = pool.is_some_and(|pool| is_suggested(candidate, pool, ranking));
    let held = pool.is_some_and(|pool| is_held_back(candidate, pool));
    let everywhere = pool.is_some_and(|pool| holds_everywhere(candidate, pool));
    if in_force {
        // Even where it was deleted as a candidate, or does not hold: what is in force is checked at every step.
        let (glyph, role) = match candidate.fate {
            Validity::Valid => (glyphs.yes, Role::Good),
            Validity::Unknown { .. } => (glyphs.unknown, Role::Warn),
            Validity::Departs { .. } if candidate.fate.is_likely() => (glyphs.unknown, Role::Warn),
            Validity::Fails { .. } | Validity::Departs { .. } | Validity::Malformed { .. } => (glyphs.no, Role::Bad),
        };
        return (glyph, "in force", role);
    }
    if candidate.rejected {
        return (glyphs.no, "deleted", Role::Removed);
    }
    match (&candidate.fate, candidate.optimal, candidate.representative) {
        (Validity::Malformed { .. }, ..) => (glyphs.no, "malformed", Role::Bad),
        (Validity::Departs { .. }, ..) if candidate.fate.is_likely() => (glyphs.unknown, "likely", Role::Warn),
        // That the enumerator tried what does not hold is nothing wrong.
        (Validity::Fails { .. } | Validity::Departs { .. }, ..) if candidate.origin == CandidateOrigin::Enumerated => {
            (glyphs.no, "fails", Role::Dim)
        }
        (Validity::Fails { .. } | Validity::Departs { .. }, ..) => (glyphs.no, "fails", Role::Bad),
        (fate @ Validity::Unknown { .. }, ..) => {
            (glyphs.unknown, if fate.is_untried() { "not tried" } else { "unknown" }, Role::Warn)
        }
        (Validity::Valid, ..) if everywhere => (glyphs.dot, "always", Role::Dim),
        (Validity::Valid, ..) if suggested => (glyphs.star, "suggested", Role::Accent),
        (Validity::Valid, ..) if held => (glyphs.yes, held_word(pool.is_some_and(Pool::is_of_effects)), Role::Changed),
        // What is optimal among fewer is not said to be so among all.
        (Validity::Valid, ..) if ranking == Ranking::EquationOne => (glyphs.yes, "valid", Role::Good),
        (Validity::Valid, true, true) => (glyphs.star, "suggested", Role::Accent),
        (Validity::Valid, true, false) => (glyphs.yes, "equivalent", Role::Good),
        (Validity::Valid, false, _) if candidate.coverage.is_some() => (glyphs.yes, "implied", Role::Dim),
        (Validity::Valid, false, _) => (glyphs.yes, "valid", Role::Good),
    }
}

pub fn origin(origin: CandidateOrigin) -> &'static str {
    match origin {
        CandidateOrigin::Specification => "specification",
        CandidateOrigin::Enumerated => "enumerated",
        CandidateOrigin::Model => "model",
        CandidateOrigin::Person => "person",
    }
}

/// The verdict of validation in full.
pub fn reason(candidate: &Candidate, pool: Option<&Pool>, ranking: Ranking) -> String {
    match &candidate.fate {
        Validity::Valid => valid_reason(candidate, pool, ranking),
        Validity::Malformed { reason, message } => format!("{reason}: {message}"),
        fate @ Validity::Unknown { message, .. } if fate.is_untried() => format!("not tried: {message}"),
        Validity::Unknown { reason, message } => format!("cannot be decided ({reason}): {message}"),
        Validity::Departs { demonstration, call, at, message, exceptions, calls } => format!(
            "after demonstration {}, call {}, {at}: {message}; {exceptions} of {} depart from it",
            demonstration + 1,
            call + 1,
            pool.map_or_else(|| count(*calls, "call"), Pool::judged_on)
        ),
        Validity::Fails { demonstration, call, at, exception, message, failing } => format!(
            "{exception} in demonstration {}, call {}, {at}: {message}; fails in {} of the demonstrations",
            demonstration + 1,
            call + 1,
            failing
        ),
    }
}

fn valid_reason(candidate: &Candidate, pool: Option<&Pool>, ranking: Ranking) -> String {
    if let Some(pool) = pool.filter(|pool| pool.is_of_effects()) {
        return match is_held_back(candidate, pool) {
            true => format!("none of {} changes it", pool.judged_on()),
            false => format!("the state after each of {} is as it says", pool.judged_on()),
        };
    }
    if let Some(instances) = pool.map(|p| p.instances).filter(|all| candidate.coverage == Some(*all)) {
        return format!(
            "holds at all {} of the demonstrations: it forbids nothing there",
            count(instances, "instance")
        );
    }
    let mut text = match pool.map(|p| p.calls) {
        None => "holds at every call in the demonstrations".to_owned(),
        Some(1) => "holds at the one call in the demonstrations".to_owned(),
        Some(calls) => format!("holds at all {calls} calls in the demonstrations"),
    };
    if let Some(pool) = pool.filter(|pool| is_held_back(candidate, pool)) {
        let few = "so few calls do not tell it from coincidence";
        return text
            + &match (ranking, pool.by_equation.contains(&candidate.text)) {
                (Ranking::EquationOne, true) => format!("; suggested by Equation (1) alone, though {few}"),
                (Ranking::EquationOne, false) => format!("; not suggested by Equation (1) alone, and {few}"),
                (Ranking::Evidence, true) => {
                    format!("; held back, because {few}; Equation (1) alone would suggest it")
                }
                (Ranking::Evidence, false) => format!("; held back, because {few}"),
            };
    }
    if candidate.optimal {
        text.push_str("; nothing valid is stronger (Equation 1)");
    } else if candidate.coverage.is_some() {
        text.push_str("; a stronger valid candidate implies it");
    }
    let same = pool.into_iter().flat_map(|p| &p.candidates);
    let representative = |c: &&Candidate| c.representative && c.cluster.is_some() && c.cluster == candidate.cluster;
    if !candidate.representative
        && let Some(other) = same.filter(|c| c.id != candidate.id).find(representative)
    {
        text.push_str(&format!("; equivalent to {}", other.text));
    }
    text
}

/// What valid candidates are that have a row only where they are asked for.
pub(super) fn held_word(effects: bool) -> &'static str {
    if effects { "left alone" } else { "held back" }
}
