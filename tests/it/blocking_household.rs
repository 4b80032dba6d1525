//! Blocking domain of the household: how often the built-in selector reaches the goal from observations alone, and that what the
//! domain does not block is what the games accept.
//!
//! The shipped tasks always; ALFWorld's unseen games where they are at hand (`STEPWRIGHT_DATA`, else `../shared/data`).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::support::games::{ACTIONS, Figures, is_unseen, play_all, select};
use crate::support::recordings::recordings;
use proptest::prelude::*;
use stepwright::blocking::{Domain, Growth, Observation, Selection};
use stepwright::world::{World, shipped_domain};
use stepwright::worlds::household::{Edition, HouseholdWorld, Source, generate};

fn domain(edition: Edition) -> Arc<Domain> {
    let shipped = shipped_domain(&stepwright::worlds::household::KIND).unwrap().unwrap();
    Arc::new(Arc::unwrap_or_clone(shipped).worded(&BTreeMap::from([("edition".to_owned(), edition.to_string())])))
}

fn play_wanted(source: Source, edition: Edition, wanted: impl Fn(&str) -> bool) -> Figures {
    let source = Arc::new(source);
    play_all(source.tasks(), wanted, |task| {
        let mut world = HouseholdWorld::new(Arc::clone(&source), edition);
        world.reset(&task.id, 0).unwrap();
        let mut growth = Growth::begin(domain(edition), &world).unwrap();
        select(&mut growth, &mut world, 0, ACTIONS)
    })
}

#[test]
fn the_shipped_tasks_are_done() {
    for edition in [Edition::Put, Edition::Move] {
        let all = play_wanted(Source::shipped().unwrap(), edition, |_| true);
        assert_eq!((all.trials, all.lost), (30, Vec::<String>::new()), "{edition}");
    }
}

#[test]
fn every_unseen_game_is_won() {
    let Some(file) = recordings("alfworld/games_more.jsonl.gz") else { return };
    let all = play_wanted(Source::open(&file).unwrap(), Edition::Put, is_unseen);
    assert_eq!((all.trials, all.lost), (98, Vec::new()));
}

/// Literals that are reported though they are false, or though no text has named them yet.
fn untrue(world: &HouseholdWorld, read: &str) -> Vec<String> {
    let (facts, truth) = (world.facts().unwrap(), world.truth());
    let spoken = |name: &String| name.replace('_', " ");
    let is = |name: &String, property: &str| {
        let properties = truth["properties"][spoken(name)].as_array();
        properties.is_some_and(|all| all.iter().any(|p| p == property))
    };
    let holds = |atom: &stepwright::world::Atom| match (atom.predicate.as_str(), atom.args.as_slice()) {
        ("IN", [x, r]) => {
            truth["receptacles"][spoken(r)]["contains"].as_array().unwrap().iter().any(|o| *o == spoken(x))
        }
        ("OPEN", [r]) => truth["receptacles"][spoken(r)]["open"] == true,
        ("CLOSED", [r]) => truth["receptacles"][spoken(r)]["open"] == false,
        ("AT", [r]) => truth["at"].as_array().unwrap().iter().any(|here| *here == spoken(r)),
        ("HOLDS", [x]) => truth["holding"] == spoken(x),
        ("HANDS_EMPTY", []) => truth["holding"].is_null(),
        ("CLEAN", [x]) => is(x, "clean"),
        ("HOT", [x]) => is(x, "hot"),
        ("COOL", [x]) => is(x, "cool"),
        ("ON", [x]) => is(x, "toggled"),
        _ => true,
    };
    let wrong = facts.atoms.iter().filter(|a| !holds(a)).map(ToString::to_string);
    let unread = facts.things.iter().filter(|thing| !read.contains(&format!("a {}", spoken(thing))));
    wrong.chain(unread.cloned()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Selecting at random: what is reported is true and was read; what nothing blocks is accepted, but for what no text has said: going
    /// to what turns out to be where the agent is, and putting a thing, once, where things of its kind do not belong.
    #[test]
    fn what_the_domain_does_not_block_is_accepted(
        kind in 0usize..6, seed in 0u64..40, edition in prop_oneof![Just(Edition::Put), Just(Edition::Move)],
        choices in prop::collection::vec(0usize..1000, 30..90),
    ) {
        let definition = generate::task(generate::TASK_TYPES[kind], seed).unwrap();
        let source = Source::from_lines(&serde_json::to_string(&definition).unwrap(), "test").unwrap();
        let mut world = HouseholdWorld::new(source, edition);
        let mut read = world.reset(&definition.id, 0).unwrap().observation;
        let mut growth = Growth::begin(domain(edition), &world).unwrap();
        let mut tried = std::collections::BTreeSet::new();
        for choice in choices {
            let observed = Observation::of(&world).unwrap();
            let leaves: Vec<String> = growth.forest().leaves().iter().map(|leaf| leaf.text.clone()).collect();
            if leaves.is_empty() || world.goals().unwrap().is_empty() {
                break;
            }
            let text = &leaves[choice % leaves.len()];
            if growth.select(text, &observed.facts, &world) != Selection::Execute {
                continue;
            }
            let outcome = world.act(text).unwrap();
            read.push_str(&outcome.observation);
            growth.executed(text, outcome.error.as_deref(), &observed, &world);
            if outcome.error.is_some() {
                // What fits where is not reported either: a place that was looked into may still refuse a thing, and is remembered for it.
                let put = text.strip_prefix("put ").and_then(|t| t.split_once(" in/on "));
                if let Some((thing, place)) = put.or_else(|| text.strip_prefix("move ").and_then(|t| t.split_once(" to "))) {
                    let (thing, place) = (thing.replace(' ', "_"), place.replace(' ', "_"));
                    prop_assert!(observed.facts.holds("LOOKED", &[&place]), "`{}` puts where nobody looked", text);
                    let known = observed.facts.holds("HOLDS", &[&thing]) && observed.facts.holds("AT", &[&place]);
                    prop_assert!(known && !observed.facts.holds("CLOSED", &[&place]), "`{}` was refused", text);
                    prop_assert!(tried.insert(text.clone()), "`{}` was refused before", text);
                    continue;
                }
                let place = text.strip_prefix("go to ");
                prop_assert!(place.is_some(), "`{}` was refused", text);
                let place = place.unwrap().replace(' ', "_");
                prop_assert!(!observed.facts.holds("AT", &[&place]), "`{}` goes where the agent is known to be", text);
                prop_assert!(Observation::of(&world).unwrap().facts.holds("AT", &[&place]), "the refusal of `{}` shows it", text);
            }
            prop_assert_eq!(untrue(&world, &read), Vec::<String>::new(), "after `{}`", text);
        }
    }
}
