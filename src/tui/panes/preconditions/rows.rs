//! The rows of the preconditions pane: assertions in force that are no candidate, then the candidates, best first.

use crate::precondition::{Candidate, CandidateOrigin, Fate, Pool};
use crate::tui::theme::{Glyphs, Role};

/// A row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// An assertion in force that is no candidate of the pool.
    InForce(String),
    /// A candidate, by its place in the pool.
    Candidate(usize),
}

/// How good a candidate is for the order of the rows; smaller is better.
fn rank(candidate: &Candidate) -> u8 {
    match (&candidate.fate, candidate.optimal, candidate.representative) {
        (Fate::Valid, true, true) => 0,
        (Fate::Valid, true, false) => 1,
        (Fate::Valid, false, _) => 2,
        (Fate::Unknown { .. }, ..) => 3,
        (Fate::Fails { .. }, ..) => 4,
        (Fate::Malformed { .. }, ..) => 5,
    }
}

/// All rows of an action.
pub fn items(pool: Option<&Pool>, in_force: &[String]) -> Vec<Item> {
    let candidates = pool.map_or(&[][..], |p| &p.candidates);
    let known: std::collections::HashSet<&str> = candidates.iter().map(|c| c.text.as_str()).collect();
    let outside = in_force.iter().filter(|t| !known.contains(t.as_str()));
    let mut items: Vec<Item> = outside.cloned().map(Item::InForce).collect();
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|i| candidates.get(*i).map(|c| (rank(c), c.coverage.unwrap_or(usize::MAX), c.id)));
    items.extend(order.into_iter().map(Item::Candidate));
    items
}

/// The candidates adopted unless a person marks others: the representatives of optimal clusters, without the deleted and
/// without those that hold everywhere, which say nothing.
pub fn suggested(pool: &Pool) -> impl Iterator<Item = &Candidate> {
    let fits = |c: &&Candidate| c.fate == Fate::Valid && c.optimal && c.representative && !c.rejected;
    pool.candidates.iter().filter(fits).filter(|c| c.coverage != Some(pool.instances))
}

/// The status of a candidate in a word, with its mark. The help explains the words.
pub fn status(
    candidate: &Candidate,
    in_force: bool,
    instances: usize,
    glyphs: &Glyphs,
) -> (&'static str, &'static str, Role) {
    if in_force {
        // Even where it was deleted as a candidate, or does not hold: what is in force is checked at every step.
        let (glyph, role) = match candidate.fate {
            Fate::Valid => (glyphs.yes, Role::Good),
            Fate::Unknown { .. } => (glyphs.unknown, Role::Warn),
            Fate::Fails { .. } | Fate::Malformed { .. } => (glyphs.no, Role::Bad),
        };
        return (glyph, "in force", role);
    }
    if candidate.rejected {
        return (glyphs.no, "deleted", Role::Removed);
    }
    match (&candidate.fate, candidate.optimal, candidate.representative) {
        (Fate::Malformed { .. }, ..) => (glyphs.no, "malformed", Role::Bad),
        (Fate::Fails { .. }, ..) => (glyphs.no, "fails", Role::Bad),
        (Fate::Unknown { .. }, ..) => (glyphs.unknown, "unknown", Role::Warn),
        (Fate::Valid, ..) if candidate.coverage == Some(instances) => (glyphs.dot, "always", Role::Dim),
        (Fate::Valid, true, true) => (glyphs.star, "suggested", Role::Accent),
        (Fate::Valid, true, false) => (glyphs.yes, "equivalent", Role::Good),
        (Fate::Valid, false, _) if candidate.coverage.is_some() => (glyphs.yes, "implied", Role::Dim),
        (Fate::Valid, false, _) => (glyphs.yes, "valid", Role::Good),
    }
}

/// Where a candidate came from, in a word.
pub fn origin(origin: CandidateOrigin) -> &'static str {
    match origin {
        CandidateOrigin::Specification => "specification",
        CandidateOrigin::Enumerated => "enumerated",
        CandidateOrigin::Model => "model",
        CandidateOrigin::Person => "person",
    }
}

/// What validation said, whole.
pub fn reason(candidate: &Candidate, pool: Option<&Pool>) -> String {
    match &candidate.fate {
        Fate::Valid => valid_reason(candidate, pool),
        Fate::Malformed { reason, message } => format!("{reason}: {message}"),
        Fate::Unknown { reason, message } => format!("cannot be decided ({reason}): {message}"),
        Fate::Fails { demonstration, call, at, exception, message, failing } => format!(
            "{exception} in demonstration {}, call {}, {at}: {message}; fails in {} of the demonstrations",
            demonstration + 1,
            call + 1,
            failing
        ),
    }
}

fn valid_reason(candidate: &Candidate, pool: Option<&Pool>) -> String {
    if candidate.coverage.is_some() && candidate.coverage == pool.map(|p| p.instances) {
        return "holds at every instance, so it forbids nothing".to_owned();
    }
    let mut text = match pool.map(|p| p.calls) {
        None => "holds at every call in the demonstrations".to_owned(),
        Some(1) => "holds at the one call in the demonstrations".to_owned(),
        Some(calls) => format!("holds at all {calls} calls in the demonstrations"),
    };
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
