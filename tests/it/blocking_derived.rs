//! Blocking domains derived from assertions, on the household: how often the built-in selector reaches the goal where the agent
//! knows no domain, only the assertions of the specification, or only what was inferred.
//!
//! The shipped tasks always; ALFWorld's unseen games where they are at hand (`STEPWRIGHT_DATA`, else `../shared/data`), and
//! the assertions of a file (`STEPWRIGHT_ASSERTIONS`: an object of action functions with lists of expressions) if there is one.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::support::games::{ACTIONS, Figures, Played, is_unseen, play_all, select, step};
use crate::support::recordings::recordings;
use stepwright::blocking::{Basis, Before, Derived, Growth, Report};
use stepwright::planner::Agent;
use stepwright::precondition::Demo;
use stepwright::program::CheckedProgram;
use stepwright::program::{Assertion, Rules, Specification};
use stepwright::study::precondition::enumerated;
use stepwright::world::demonstration::Demonstration;
use stepwright::world::{TaskInfo, World};
use stepwright::worlds::built_in_agent;
use stepwright::worlds::household::{Edition, HouseholdWorld, Source, shipped};

struct Play {
    source: Arc<Source>,
    proposer: Arc<dyn Agent>,
    before: Before,
    /// In place of the specification's own assertions.
    rules: Option<Arc<Rules>>,
}

impl Play {
    fn new(source: Source, rules: Option<Rules>) -> Self {
        let demonstrations = shipped::demonstrations(Edition::Put).unwrap();
        Play {
            source: Arc::new(source),
            proposer: built_in_agent(&stepwright::worlds::household::KIND, &demonstrations),
            before: Before::learn(demonstrations.iter().map(Demonstration::actions)),
            rules: rules.map(Arc::new),
        }
    }

    fn task(&self, task: &TaskInfo) -> Played {
        let mut world = HouseholdWorld::new(Arc::clone(&self.source), Edition::Put);
        let reset = world.reset(&task.id, 0).unwrap();
        let sentence = self.source.definition(&task.id).unwrap().task;
        let specification = Specification::load(&world.specification(), "spec.py").unwrap();
        let mut state = specification.start().unwrap();
        for call in reset.calls() {
            let _ = state.call_unchecked(call);
        }
        let stated = || Arc::new(CheckedProgram::stated(&specification).unwrap());
        let program = CheckedProgram::new(state, self.rules.clone().unwrap_or_else(stated));
        let basis = Basis { sentence, agent: self.proposer.clone(), before: self.before.clone() };
        let derived = Derived::new(Arc::new(basis), program, step(&world, "", &reset), Report::of(&world));
        let mut growth = Growth::derive(derived, &world);
        select(&mut growth, &mut world, 0, ACTIONS)
    }

    fn all(&self) -> Figures {
        self.wanted(|_| true)
    }

    fn wanted(&self, wanted: impl Fn(&str) -> bool) -> Figures {
        play_all(self.source.tasks(), wanted, |task| self.task(task))
    }
}

fn rules(sets: impl IntoIterator<Item = (String, Vec<String>)>) -> Rules {
    let compile = |texts: Vec<String>| texts.iter().map(|text| Assertion::compile(text).unwrap()).collect();
    sets.into_iter().map(|(action, texts)| (action, compile(texts))).collect()
}

/// The built-in enumerator's assertions for the shipped demonstrations.
fn inferred() -> BTreeMap<String, Vec<String>> {
    let world = HouseholdWorld::new(Source::shipped().unwrap(), Edition::Put);
    let specification = Specification::load(&world.specification(), "spec.py").unwrap();
    let demonstrations = shipped::demonstrations(Edition::Put).unwrap();
    let demos = demonstrations.iter().map(|d| Demo { id: d.id.clone(), calls: d.calls().cloned().collect() }).collect();
    enumerated(&specification, demos).unwrap()
}

/// Inferred assertions without those that speak of what is held.
fn weakened() -> Rules {
    let without = |texts: Vec<String>| texts.into_iter().filter(|text| !text.contains("inventory")).collect();
    rules(inferred().into_iter().map(|(action, texts)| (action, without(texts))))
}

/// The assertions tried: those of a file in place of the specification's, if one is named.
fn given() -> Option<Rules> {
    let path = std::env::var_os("STEPWRIGHT_ASSERTIONS")?;
    let sets: BTreeMap<String, Vec<String>> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    Some(rules(sets))
}

#[test]
fn shipped_tasks_are_done_with_the_specifications_assertions() {
    let figures = Play::new(Source::shipped().unwrap(), given()).all();
    assert_eq!((figures.trials, figures.lost), (30, Vec::new()));
}

#[test]
fn shipped_tasks_are_done_with_inferred_assertions() {
    let figures = Play::new(Source::shipped().unwrap(), Some(rules(inferred()))).all();
    assert_eq!((figures.trials, figures.lost), (30, Vec::new()));
}

#[test]
fn what_no_assertion_says_is_not_known_and_the_games_end_all_the_same() {
    let figures = Play::new(Source::shipped().unwrap(), Some(weakened())).all();
    assert!(figures.executed <= figures.trials * ACTIONS, "{figures:?}");
    // Nothing says that a thing must be held: won is where nothing has to be put anywhere, and where the built-in agent's advice does it.
    assert_eq!((figures.trials, figures.won), (30, 10));
    assert!(figures.lost.iter().all(|task| !task.starts_with("shipped/look-")), "{figures:?}");
}

#[test]
fn where_nothing_helps_it_is_said_at_once() {
    let nothing = |action: &str| (action.to_owned(), vec!["self.inventory == 'a thing that is nowhere'".to_owned()]);
    let play = Play::new(
        Source::shipped().unwrap(),
        Some(rules(["goto", "open", "take", "put", "clean", "toggle"].map(nothing))),
    );
    let task = play.source.tasks().remove(0);
    let played = play.task(&task);
    assert_eq!((played.won, played.executed), (false, 0), "{played:?}");
    assert!(played.selections <= 5, "{played:?}");
    assert!(
        played.why.unwrap().contains("nothing is known to help: unmet: self.inventory == 'a thing that is nowhere'")
    );
}

#[test]
fn every_unseen_game_is_won() {
    let Some(file) = recordings("alfworld/games_more.jsonl.gz") else { return };
    let figures = Play::new(Source::open(&file).unwrap(), given()).wanted(is_unseen);
    assert_eq!((figures.trials, figures.lost), (98, Vec::new()));
}
