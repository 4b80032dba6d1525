//! Picture of a household as far as the agent knows it: where it stands and what it holds, each place it looked into with what is there,
//! then the places that are closed and those it has not gone to.

use std::collections::BTreeMap;

use super::belief::{Belief, OPEN, SLICED, TOGGLE};
use crate::map::{Condition, Fact, Page};
use crate::planner::effects::kind_of;

/// Conditions of a thing as they are said.
const CONDITIONS: [(&str, &str); 5] =
    [("clean", "clean"), ("heat", "hot"), ("cool", "cool"), (TOGGLE, "on"), (SLICED, "sliced")];

pub(super) fn picture(belief: &Belief) -> Page {
    let held = belief.held.as_deref().map_or_else(|| "nothing".to_owned(), |held| thing(belief, held));
    let at = belief.at.as_deref().map_or_else(|| "in the middle".to_owned(), |at| format!("at {at}"));
    let (seen, rest): (Vec<&String>, Vec<&String>) = belief.places.iter().partition(|place| belief.is_seen_into(place));
    let (here, elsewhere): (Vec<&String>, Vec<&String>) = seen.into_iter().partition(|place| belief.is_here(place));
    let (closed, unseen): (Vec<&String>, Vec<&String>) =
        rest.into_iter().partition(|place| belief.property(place, OPEN) == Some(false));
    let fact = |label: String, text: String| Fact { label, text, condition: Condition::Plain };
    let looked = |mark: &str, place: &String| {
        let open = match belief.property(place, OPEN) {
            Some(true) => " (open)",
            Some(false) => " (closed)",
            None => "",
        };
        let things: Vec<String> = belief.contents(place).iter().map(|name| thing(belief, name)).collect();
        let things = if things.is_empty() { "nothing".to_owned() } else { things.join(", ") };
        fact(format!("{mark}{place}{open}"), things)
    };
    let facts =
        here.into_iter().map(|place| looked("@ ", place)).chain(elsewhere.into_iter().map(|place| looked("", place)));
    let listed = [("closed", closed), ("not visited", unseen)].into_iter().filter(|(_, places)| !places.is_empty());
    let facts = facts.chain(listed.map(|(label, places)| fact(label.to_owned(), in_short(&places)))).collect();
    Page { what: "places", title: format!("{at}, holds {held}"), facts, ..Page::default() }
}

fn thing(belief: &Belief, name: &str) -> String {
    let is = |(property, _): &&(&str, &str)| belief.property(name, property) == Some(true);
    let conditions: Vec<&str> = CONDITIONS.iter().filter(is).map(|(_, said)| *said).collect();
    if conditions.is_empty() { name.to_owned() } else { format!("{name} ({})", conditions.join(", ")) }
}

/// Places by kind, their numbers together: `cabinet 1-4 6, shelf 1`.
fn in_short(places: &[&String]) -> String {
    let mut kinds: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for place in places {
        let numbers = kinds.entry(kind_of(place)).or_default();
        numbers.extend(place.rsplit(' ').next().and_then(|number| number.parse::<u32>().ok()));
    }
    let kind = |(kind, mut numbers): (&str, Vec<u32>)| {
        numbers.sort_unstable();
        let runs = numbers.chunk_by(|one, next| one + 1 == *next).filter_map(|run| match run {
            [one] => Some(one.to_string()),
            [first, .., last] => Some(format!("{first}-{last}")),
            [] => None,
        });
        std::iter::once(kind.to_owned()).chain(runs).collect::<Vec<_>>().join(" ")
    };
    kinds.into_iter().map(kind).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_as_the_agent_knows_them() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let mut belief = Belief {
            places: names(&["cabinet 1", "cabinet 2", "cabinet 4", "desk 1", "fridge 1"]),
            ..Belief::default()
        };
        belief.show("desk 1".to_owned(), names(&["mug 1", "pen 1"]));
        belief.at = Some("desk 1".to_owned());
        belief.properties.insert(("mug 1".to_owned(), "heat".to_owned()), true);
        belief.properties.insert(("fridge 1".to_owned(), OPEN.to_owned()), false);
        let page = picture(&belief);
        assert_eq!(page.title, "at desk 1, holds nothing");
        let facts: Vec<(&str, &str)> =
            page.facts.iter().map(|fact| (fact.label.as_str(), fact.text.as_str())).collect();
        assert_eq!(
            facts,
            [("@ desk 1", "mug 1 (hot), pen 1"), ("closed", "fridge 1"), ("not visited", "cabinet 1-2 4")]
        );
    }
}
