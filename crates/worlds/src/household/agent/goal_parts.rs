//! Parts of a household task with their status: what the goal asks for, one condition each, and what is known of it.

use super::goal::Goal;
use super::words::{a, adjective};
use super::{Belief, OPEN, TOGGLE};
use stepwright_world::planner::GoalPart;
use stepwright_world::planner::effects::kind_of;

/// The goal's conditions, in the order in which they are usually met.
pub fn parts(goal: &Goal, belief: &Belief) -> Vec<GoalPart> {
    match goal {
        Goal::Place { object, count, state, place } => place_parts(belief, object, *count, state.as_deref(), place),
        Goal::Light { object, lamp } => light_parts(belief, object, lamp),
    }
}

/// Where things of a kind are known to be: the thing, and the place that lists it (none for the one in the hand).
fn known<'a>(belief: &'a Belief, kind: &'a str) -> Vec<(&'a str, Option<&'a str>)> {
    let held = belief.held.as_deref().filter(move |h| kind_of(h) == kind).map(|h| (h, None));
    let listed =
        belief.listed.iter().flat_map(|(place, things)| things.iter().map(move |t| (t.as_str(), Some(place.as_str()))));
    held.into_iter().chain(listed.filter(move |(t, _)| kind_of(t) == kind)).collect()
}

fn whereabouts(found: &[(&str, Option<&str>)]) -> String {
    let each = found.iter().take(4).map(|(thing, place)| match place {
        Some(place) => format!("{thing} at {place}"),
        None => format!("{thing} in the hand"),
    });
    each.collect::<Vec<_>>().join(", ")
}

fn found_part(belief: &Belief, kind: &str, count: usize) -> GoalPart {
    let found = known(belief, kind);
    let mut different: Vec<&str> = found.iter().map(|(thing, _)| *thing).collect();
    different.sort_unstable();
    different.dedup();
    let holds = different.len() >= count;
    let text = if count > 1 { format!("{count} different {kind}s are found") } else { format!("{} is found", a(kind)) };
    let why = match (found.is_empty(), holds) {
        (true, _) => {
            let unseen = belief.places.iter().filter(|p| !belief.is_seen_into(p)).count();
            format!("none has been seen; {unseen} of {} places have not been looked into", belief.places.len())
        }
        (false, true) => whereabouts(&found),
        (false, false) => format!("only {} so far", whereabouts(&found)),
    };
    GoalPart { text, holds, why }
}

fn place_parts(belief: &Belief, object: &str, count: usize, state: Option<&str>, place: &str) -> Vec<GoalPart> {
    let mut parts = vec![found_part(belief, object, count)];
    let found = known(belief, object);
    let ready = |thing: &str| state.is_none_or(|s| belief.property(thing, s) == Some(true));
    if let Some(state) = state {
        let done: Vec<&str> = found.iter().map(|(t, _)| *t).filter(|t| ready(t)).collect();
        let text = format!("{} is {}", a(object), adjective(state));
        let why = match done.first() {
            Some(thing) => format!("{thing} is"),
            None => format!("no {object} has been made {} yet", adjective(state)),
        };
        parts.push(GoalPart { text, holds: !done.is_empty(), why });
    }
    let there = |p: &str| belief.contents(p).iter().filter(|t| kind_of(t) == object && ready(t)).count();
    let targets = belief.places.iter().filter(|p| kind_of(p) == place);
    let best = targets.map(|p| (there(p), p)).max_by_key(|(n, _)| *n);
    let (delivered, at) = best.map_or((0, None), |(n, p)| (n, Some(p)));
    let adjective = state.map(|s| format!("{} ", adjective(s))).unwrap_or_default();
    let text = if count > 1 {
        format!("{count} {object}s are in or on one {place}")
    } else {
        format!("{} is in or on {}", a(&format!("{adjective}{object}")), a(place))
    };
    let why = match at {
        None => format!("no {place} has been seen"),
        Some(at) if belief.property(at, OPEN) == Some(false) => {
            format!("{delivered} of {count} at {at}, which is closed")
        }
        Some(at) => format!("{delivered} of {count} at {at}"),
    };
    parts.push(GoalPart { text, holds: delivered >= count, why });
    parts
}

fn light_parts(belief: &Belief, object: &str, lamp: &str) -> Vec<GoalPart> {
    let held = belief.held.as_deref().filter(|h| kind_of(h) == object);
    let lamps = known(belief, lamp);
    let lit = lamps
        .iter()
        .find(|(l, place)| belief.property(l, TOGGLE) == Some(true) && place.is_some_and(|p| belief.is_here(p)));
    let why_lit = match (lit, lamps.first()) {
        (Some((lamp, _)), _) => format!("{lamp} is on and here"),
        (None, Some(_)) => format!("known: {}", whereabouts(&lamps)),
        (None, None) => format!("no {lamp} has been seen"),
    };
    vec![
        found_part(belief, object, 1),
        GoalPart {
            text: format!("{} is in the hand", a(object)),
            holds: held.is_some(),
            why: belief.held.as_ref().map_or("the hand is empty".to_owned(), |h| format!("{h} is in the hand")),
        },
        GoalPart { text: format!("{} is on where the agent stands", a(lamp)), holds: lit.is_some(), why: why_lit },
    ]
}
