//! Details of one candidate, below the list: validity with its reason, |C|, its relations to the others, what it newly
//! excludes.

use crate::pane::PaneAction;
use crate::theme::{Glyphs, Role};
use crate::view::View;
use crate::widgets::draw::Row;
use crate::widgets::words;
use stepwright_episode::action_of_effects;
use stepwright_library::Impact;
use stepwright_precondition::{Candidate, CandidateOrigin, Inspection, Pool, Ranking, Related, Relation, Validity};

use super::rows;

/// Knowledge of a candidate: its place in the pool, and what looking at it gave.
pub(super) struct CandidateDetail<'a> {
    pub(super) candidate: &'a Candidate,
    pub(super) pool: Option<&'a Pool>,
    pub(super) ranking: Ranking,
    pub(super) in_force: bool,
    /// Whether it is being typed: keys are text then.
    pub(super) typed: bool,
    /// Where it comes from, if it is no candidate of the pool.
    pub(super) origin: Option<&'a str>,
    pub(super) seen: Option<&'a Inspection>,
    /// What it would have stopped of the library.
    pub(super) impact: Option<&'a Impact>,
}

/// |C|, its share, and what a model says of it; where from, unless room is short.
pub(super) fn facts(candidate: &Candidate, (instances, effects): (usize, bool), short: bool) -> String {
    let mut facts = String::new();
    if let Some(coverage) = candidate.coverage.filter(|_| effects && short) {
        facts.push_str(&format!("  follows {coverage}/{instances}"));
    } else if let Some(coverage) = candidate.coverage.filter(|_| effects) {
        facts.push_str(&format!("  follows {coverage} of {}", words::count(instances, "call")));
    } else if let Some(coverage) = candidate.coverage {
        facts.push_str(&format!("  |C| {coverage}/{instances} {}", share(coverage, instances)));
    }
    if let Some(logprob) = candidate.logprob {
        facts.push_str(&format!("  logp {logprob:.2}"));
    }
    match candidate.times {
        0 | 1 if short => {}
        n if short => facts.push_str(&format!("  x{n}")),
        // One that is only inspected belongs to nobody yet.
        0 if candidate.origin == CandidateOrigin::Specification => {}
        0 | 1 => facts.push_str(&format!("  {}", rows::origin(candidate.origin))),
        n => facts.push_str(&format!("  {} x{n}", rows::origin(candidate.origin))),
    }
    facts
}

/// `19%`; the share of nothing is nothing.
fn share(part: usize, whole: usize) -> String {
    // Only all is 100 %, and only none is 0 %.
    match 100.0 * part as f64 / whole.max(1) as f64 {
        _ if whole == 0 => String::new(),
        share if share >= 99.5 && part < whole => "99%".to_owned(),
        share if share <= 0.5 && part > 0 => "<1%".to_owned(),
        share => format!("{share:.0}%"),
    }
}

pub(super) fn rows(known: &CandidateDetail<'_>, view: &View, glyphs: &Glyphs, width: usize) -> Vec<Row> {
    let CandidateDetail { candidate, pool, ranking, in_force, typed, origin, seen, impact } = known;
    let instances = seen.map(|s| s.instances).or(pool.map(|p| p.instances)).unwrap_or(0);
    let (glyph, word, role) = rows::status(candidate, *in_force, (*pool, *ranking), glyphs);
    let mut rows = words::labelled(&format!("{glyph} {word} "), role, &candidate.text, width);
    rows.extend(weighed(*impact, width));
    let effects = seen.map_or(pool.is_some_and(|pool| pool.is_of_effects()), is_of_effects);
    let mut facts = facts(candidate, (instances, effects), false);
    if let Some(origin) = origin {
        facts.push_str(&format!("  {origin}"));
    }
    let facts = facts.trim_start().replace("  ", ", ");
    // The inspection has the values found, the pool does not.
    let looked_at = seen.filter(|s| s.candidate.text == candidate.text).map_or(*candidate, |s| &s.candidate);
    if let Validity::Fails { demonstration, call, at, exception, message, failing } = &looked_at.fate {
        let place = format!("demonstration {}, call {}", demonstration + 1, call + 1);
        rows.extend(words::labelled("where   ", Role::Text, &format!("{place}: {at}"), width));
        let what = match &**exception {
            // The message says the rest.
            "AssertionError" => message.to_string(),
            _ => format!("{exception}: {message}"),
        };
        rows.extend(words::labelled("what    ", Role::Bad, &what, width));
        let all = format!("{} failing; {facts}", words::count(*failing, "demonstration"));
        rows.extend(words::labelled("in all  ", Role::Dim, &all, width));
    } else {
        let why = format!("{}; {facts}", rows::reason(candidate, *pool, *ranking));
        rows.extend(words::labelled("why     ", Role::Text, &why, width));
    }
    if let Some(seen) = seen {
        // Before the relations: what a decision would change counts most where room is short.
        if let Some(words) = exclusion(seen, view, *typed) {
            let label = if effects { "departs " } else { "forbids " };
            rows.extend(words::labelled(label, Role::Text, &words, width));
        }
        for (label, relation) in RELATIONS {
            let related = one_line(&seen.related, relation);
            if !related.is_empty() {
                rows.extend(words::labelled(label, Role::Text, &related, width).into_iter().take(2));
            }
        }
    }
    rows
}

/// Whether what was looked at is an effect.
pub(super) fn is_of_effects(seen: &Inspection) -> bool {
    action_of_effects(&seen.action).is_some()
}

/// What the library says; nothing where it has no such decision.
pub(super) fn weighed(impact: Option<&Impact>, width: usize) -> Vec<Row> {
    let Some(impact) = impact.filter(|impact| impact.decisions > 0) else { return Vec::new() };
    let role = match (impact.stopped.right, impact.stopped.all()) {
        (0, 0) => Role::Text,
        (0, _) => Role::Good,
        _ => Role::Bad,
    };
    words::labelled("library ", role, &impact.in_words(), width)
}

/// The relations in the order shown, with the words before the others.
const RELATIONS: [(&str, Relation); 3] =
    [("same as ", Relation::Equivalent), ("implied by ", Relation::ImpliedBy), ("implies ", Relation::Implies)];

/// The others it relates to so: two of them by name.
fn one_line(related: &[Related], relation: Relation) -> String {
    const NAMED: usize = 2;
    let found: Vec<&Related> = related.iter().filter(|r| r.relation == relation).collect();
    let named =
        found.iter().take(NAMED).map(|r| if r.in_force { format!("{} (in force)", r.text) } else { r.text.clone() });
    let mut words = named.collect::<Vec<_>>().join("; ");
    if found.len() > NAMED {
        words.push_str(&format!("; and {} more", found.len() - NAMED));
    }
    words
}

fn exclusion(seen: &Inspection, view: &View, typed: bool) -> Option<String> {
    let permitted = seen.permitted?;
    seen.candidate.coverage?;
    let open = if typed { String::new() } else { format!("; {} lists them", view.key(PaneAction::Activate)) };
    if is_of_effects(seen) {
        let of = words::count(permitted, "demonstrated call");
        return (seen.excluded > 0).then(|| format!("{} of {of}{open}", seen.excluded));
    }
    let rest = if seen.in_force { "the rest in force permits" } else { "what is in force permits" };
    if seen.excluded == 0 {
        return Some(format!("nothing that {rest}: it would change no decision in the demonstrations"));
    }
    let steps = words::count(seen.excluded_steps, "step");
    let mut words =
        format!("{} of {} that {rest}, at {steps}{open}", seen.excluded, words::count(permitted, "instance"));
    if let Some(made) = seen.steps.first().filter(|s| s.made) {
        words = format!("{words}. It forbids what was done: {} in {}", made.place.at, made.place.in_words());
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn only_all_is_a_hundred_percent_and_only_none_is_none() {
        let shares = [(5067, 5076), (5076, 5076), (1, 5076), (0, 5076), (0, 0), (1, 2)].map(|(n, of)| share(n, of));
        assert_eq!(shares, ["99%", "100%", "<1%", "0%", "", "50%"]);
    }
}
