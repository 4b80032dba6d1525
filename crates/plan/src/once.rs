//! One thing of a name: steps in words give their things no numbers, so a plan that fetches two cups says of the same cup twice that it is
//! grabbed and put away. What is in the hand already, or was put away, is not fetched again.

use std::collections::{BTreeMap, BTreeSet};

/// Where the thing of a name is after the steps so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Hand,
    /// Put down where it can be taken again.
    Down,
    /// Put into something that the plan had to open.
    Away,
}

/// The steps without those that fetch or put away a second thing of a name, and those left out.
pub fn once(steps: Vec<String>) -> (Vec<String>, Vec<String>) {
    let mut places: BTreeMap<String, Place> = BTreeMap::new();
    let mut opened: BTreeSet<String> = BTreeSet::new();
    steps.into_iter().partition(|step| {
        let step = step.to_lowercase();
        if let Some(thing) = step.strip_prefix("open ") {
            opened.insert(thing.to_owned());
            return true;
        }
        if let Some(thing) = step.strip_prefix("grab ") {
            let again = matches!(places.get(thing), Some(Place::Hand | Place::Away));
            if !again {
                places.insert(thing.to_owned(), Place::Hand);
            }
            return !again;
        }
        let Some((thing, place)) = put(&step) else { return true };
        match places.get_mut(thing) {
            Some(Place::Down | Place::Away) => false,
            Some(now) => {
                *now = if place.is_some_and(|place| opened.contains(place)) { Place::Away } else { Place::Down };
                true
            }
            // It was never grabbed: nothing is known of it.
            None => true,
        }
    })
}

/// The thing that a step puts out of the hand, and where to.
fn put(step: &str) -> Option<(&str, Option<&str>)> {
    if let Some(thing) = ["put back ", "drop ", "release "].iter().find_map(|verb| step.strip_prefix(verb)) {
        return Some((thing, None));
    }
    let rest = step.strip_prefix("put ")?;
    let (thing, place) = [" on ", " in "].iter().find_map(|word| rest.split_once(word))?;
    Some((thing, Some(place)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(steps: &[&str], left_out: &[&str]) {
        let (kept, out) = once(steps.iter().map(|step| (*step).to_owned()).collect());
        assert_eq!(out, left_out);
        let rest: Vec<&str> = kept.iter().map(String::as_str).collect();
        let expected: Vec<&str> = steps.iter().copied().filter(|step| rest.contains(step)).collect();
        assert!(kept.len() + out.len() == steps.len() && expected.len() >= kept.len());
    }

    #[test]
    fn a_second_thing_of_a_name_is_not_fetched() {
        let two = ["Open chest", "Grab toy", "Put toy on chest", "Find toy", "Grab toy", "Put toy on chest"];
        checked(&two, &["Grab toy", "Put toy on chest"]);
        checked(&["Grab cup", "Grab cup", "Put cup on table", "Put cup on table"], &["Grab cup", "Put cup on table"]);
    }

    #[test]
    fn what_was_put_down_can_be_taken_again_and_other_things_are_left_alone() {
        checked(&["Grab cup", "Put cup on table", "Grab cup", "Drop cup"], &[]);
        checked(&["Put lid on pot", "Put lid on pot", "take mug 1 from desk 1", "put mug 1 in/on shelf 1"], &[]);
        checked(&["Grab cup", "Put back cup", "Put on coat", "Put back coat"], &[]);
    }
}
