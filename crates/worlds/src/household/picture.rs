//! Picture of a household as far as the agent knows it: where it stands and what it holds, its places by kind, and what was found in those
//! it looked into.

use std::collections::BTreeMap;

use super::belief::{Belief, OPEN, SLICED, TOGGLE};
use stepwright_world::map::{Condition, Fact, Known, Place, PlaceKind, Places};
use stepwright_world::planner::effects::kind_of;

/// Conditions of a thing as they are said.
const CONDITIONS: [(&str, &str); 5] =
    [("clean", "clean"), ("heat", "hot"), ("cool", "cool"), (TOGGLE, "on"), (SLICED, "sliced")];

pub(super) fn picture(belief: &Belief) -> Places {
    let held = belief.held.as_deref().map_or_else(|| "nothing".to_owned(), |held| thing(belief, held));
    let shut = |place: &str| if belief.property(place, OPEN) == Some(false) { " (closed)" } else { "" };
    let at = belief.at.as_deref().map_or_else(|| "in the middle".to_owned(), |at| format!("at {at}{}", shut(at)));
    let seen = belief.places.iter().filter(|place| belief.is_seen_into(place));
    let (here, elsewhere): (Vec<&String>, Vec<&String>) = seen.partition(|place| belief.is_here(place));
    let looked = |mark: &str, place: &String| {
        let open = match belief.property(place, OPEN) {
            Some(true) => " (open)",
            Some(false) => " (closed)",
            None => "",
        };
        let things: Vec<String> = belief.contents(place).iter().map(|name| thing(belief, name)).collect();
        let text = if things.is_empty() { "nothing".to_owned() } else { things.join(", ") };
        Fact { label: format!("{mark}{place}{open}"), text, condition: Condition::Plain }
    };
    let found =
        here.into_iter().map(|place| looked("@ ", place)).chain(elsewhere.into_iter().map(|place| looked("", place)));
    Places { title: format!("{at}, holds {held}"), kinds: kinds(belief), found: found.collect() }
}

/// All places by kind and number.
fn kinds(belief: &Belief) -> Vec<PlaceKind> {
    let mut kinds: BTreeMap<&str, Vec<(u32, Place)>> = BTreeMap::new();
    for place in &belief.places {
        let known = match () {
            () if belief.is_here(place) => Known::Here,
            () if belief.property(place, OPEN) == Some(false) => Known::Closed,
            () if belief.is_seen_into(place) => Known::LookedInto,
            () => Known::NotVisited,
        };
        let kind = kind_of(place);
        let number = place.get(kind.len()..).unwrap_or_default().trim().to_owned();
        kinds.entry(kind).or_default().push((number.parse().unwrap_or(0), Place { number, known }));
    }
    let kind = |(name, mut places): (&str, Vec<(u32, Place)>)| {
        places.sort_by_key(|(number, _)| *number);
        PlaceKind { name: name.to_owned(), places: places.into_iter().map(|(_, place)| place).collect() }
    };
    kinds.into_iter().map(kind).collect()
}

fn thing(belief: &Belief, name: &str) -> String {
    let is = |(property, _): &&(&str, &str)| belief.property(name, property) == Some(true);
    let conditions: Vec<&str> = CONDITIONS.iter().filter(is).map(|(_, said)| *said).collect();
    if conditions.is_empty() { name.to_owned() } else { format!("{name} ({})", conditions.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_as_the_agent_knows_them() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let mut belief = Belief {
            places: names(&["cabinet 10", "cabinet 1", "cabinet 2", "desk 1", "fridge 1"]),
            ..Belief::default()
        };
        belief.show("desk 1".to_owned(), names(&["mug 1", "pen 1"]));
        belief.at = Some("fridge 1".to_owned());
        belief.properties.insert(("fridge 1".to_owned(), OPEN.to_owned()), false);
        assert_eq!(picture(&belief).title, "at fridge 1 (closed), holds nothing");
        belief.at = Some("desk 1".to_owned());
        belief.properties.insert(("mug 1".to_owned(), "heat".to_owned()), true);
        belief.properties.insert(("fridge 1".to_owned(), OPEN.to_owned()), false);
        let places = picture(&belief);
        assert_eq!(places.title, "at desk 1, holds nothing");
        let found: Vec<(&str, &str)> =
            places.found.iter().map(|fact| (fact.label.as_str(), fact.text.as_str())).collect();
        assert_eq!(found, [("@ desk 1", "mug 1 (hot), pen 1")]);
        let known: Vec<(&str, Vec<(&str, Known)>)> = places
            .kinds
            .iter()
            .map(|kind| (kind.name.as_str(), kind.places.iter().map(|p| (p.number.as_str(), p.known)).collect()))
            .collect();
        let unseen = |number| (number, Known::NotVisited);
        assert_eq!(
            known,
            [
                ("cabinet", vec![unseen("1"), unseen("2"), unseen("10")]),
                ("desk", vec![("1", Known::Here)]),
                ("fridge", vec![("1", Known::Closed)]),
            ]
        );
    }
}
