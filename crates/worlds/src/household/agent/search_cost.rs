//! Search cost: where things not yet seen may be, and what it costs to find them.
//!
//! Search theory: looking into places in the order of chance per step is the cheapest way to find a thing. The expected number of
//! steps when a given place is looked into first is what a plan pays for hoping to find the thing there.

use super::Belief;
use stepwright_world::planner::LocationPrior;
use stepwright_world::planner::effects::kind_of;

/// Steps reckoned for the case that a thing is in none of the places.
const NOT_FOUND: f64 = 25.0;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hope {
    pub place: String,
    pub chance: f64,
    pub steps: f64,
    /// Expected steps of the whole search when it is looked into first.
    pub expected: f64,
}

/// The most promising `most` places for a kind of thing, best first. Places of a kind in `barred` cannot hold it.
pub(crate) fn hopes(
    belief: &Belief,
    prior: &LocationPrior,
    object: &str,
    barred: Option<&str>,
    most: usize,
) -> Vec<Hope> {
    let mut hopes: Vec<Hope> = Vec::new();
    for place in belief.places.iter().filter(|p| !belief.is_seen_into(p)) {
        let kind = kind_of(place);
        if barred != Some(kind) {
            let chance = prior.chance(object, kind).clamp(0.002, 0.95);
            hopes.push(Hope {
                place: place.clone(),
                chance,
                steps: steps_to_look(belief, prior, place),
                expected: 0.0,
            });
        }
    }
    hopes.sort_by(|a, b| {
        (b.chance / b.steps).total_cmp(&(a.chance / a.steps)).then_with(|| natural(&a.place, &b.place))
    });
    let order: Vec<(f64, f64)> = hopes.iter().map(|h| (h.chance, h.steps)).collect();
    hopes.truncate(most);
    for (i, hope) in hopes.iter_mut().enumerate() {
        let rest = order.iter().enumerate().rev().filter(|(j, _)| *j != i);
        let after = rest.fold(NOT_FOUND, |after, (_, (chance, steps))| steps + (1.0 - chance) * after);
        hope.expected = hope.steps + (1.0 - hope.chance) * after;
    }
    hopes
}

/// Whether a place must be opened before its contents show, as far as is known.
pub(crate) fn is_shut(belief: &Belief, prior: &LocationPrior, place: &str) -> bool {
    match belief.property(place, super::OPEN) {
        Some(open) => !open,
        None if belief.visited.contains(place) => false,
        None => prior.is_closed_at_first(kind_of(place)) && !belief.was_refused(super::OPEN, place),
    }
}

fn steps_to_look(belief: &Belief, prior: &LocationPrior, place: &str) -> f64 {
    let shut = is_shut(belief, prior, place);
    match (belief.is_here(place), shut) {
        // Standing at it without having seen into it: an open one must be left and reached again.
        (true, true) => 1.0,
        (false, true) | (true, false) => 2.0,
        (false, false) => 1.0,
    }
}

/// Names by kind, then by number (`shelf 2` before `shelf 10`).
pub(crate) fn natural(a: &str, b: &str) -> std::cmp::Ordering {
    let number = |name: &str| name.rsplit(' ').next().and_then(|n| n.parse::<u32>().ok());
    kind_of(a).cmp(kind_of(b)).then_with(|| number(a).cmp(&number(b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::household::agent::location_prior;

    fn belief(places: &[&str]) -> Belief {
        Belief { places: places.iter().map(|p| (*p).to_owned()).collect(), ..Belief::default() }
    }

    #[test]
    fn the_best_chance_per_step_comes_first() {
        let prior = location_prior();
        let found = hopes(&belief(&["drawer 10", "drawer 2", "toilet 1", "desk 1"]), &prior, "pen", None, 9);
        let places: Vec<&str> = found.iter().map(|h| h.place.as_str()).collect();
        assert_eq!(places, ["desk 1", "drawer 2", "drawer 10", "toilet 1"]);
        assert!(found.iter().all(|h| h.expected >= found[0].expected));
    }

    #[test]
    fn places_seen_into_or_barred_hold_no_hope() {
        let mut belief = belief(&["desk 1", "bed 1", "shelf 1"]);
        belief.show("desk 1".into(), vec![]);
        let found = hopes(&belief, &location_prior(), "book", Some("bed"), 9);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].place, "shelf 1");
    }

    #[test]
    fn a_place_already_reached_but_shut_is_one_step_away() {
        let mut belief = belief(&["cabinet 1", "cabinet 2"]);
        belief.at = Some("cabinet 2".into());
        belief.visited.insert("cabinet 2".into());
        belief.properties.insert(("cabinet 2".into(), "open".into()), false);
        let found = hopes(&belief, &location_prior(), "plate", None, 9);
        assert_eq!((found[0].place.as_str(), found[0].steps), ("cabinet 2", 1.0));
    }

    proptest::proptest! {
        /// No first place promises a cheaper search than the order of chance per step.
        #[test]
        fn order_by_chance_per_step_is_cheapest(kinds in proptest::collection::vec(
            proptest::sample::select(vec!["desk", "bed", "shelf", "drawer", "fridge", "cabinet", "sofa"]), 1..12,
        )) {
            let places: Vec<String> = kinds.iter().enumerate().map(|(i, k)| format!("{k} {i}")).collect();
            let names: Vec<&str> = places.iter().map(String::as_str).collect();
            let found = hopes(&belief(&names), &location_prior(), "book", None, 99);
            let best = found[0].expected;
            proptest::prop_assert!(found.iter().all(|h| h.expected >= best - 1e-9));
        }
    }
}
