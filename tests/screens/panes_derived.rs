//! Blocking pane on trees derived from assertions: a block, a refusal that no assertion foresaw, and where nothing helps.

use std::sync::Arc;

use crate::support::screen::{ascii, pane, shot, shown};
use insta::assert_snapshot;
use stepwright::blocking::{Basis, Before, Derived, Growth, Report, Selection};
use stepwright::driver::Situation;
use stepwright::episode::TreeEdit;
use stepwright::methods::METHODS;
use stepwright::program::CheckedProgram;
use stepwright::program::{Assertion, Rules, Specification};
use stepwright::tui::pane::{PaneAction, PaneId};
use stepwright::tui::view::View;
use stepwright::world::demonstration::Demonstration;
use stepwright::world::{Outcome, World};
use stepwright::worlds::built_in_agent;
use stepwright::worlds::household::{Edition, HouseholdWorld, Source, shipped};
use stepwright_trajectory::Step;

/// A shipped task with its tree.
struct Play {
    world: HouseholdWorld,
    growth: Growth,
}

fn observed(world: &HouseholdWorld, text: &str, outcome: &Outcome) -> Step {
    Step { call: world.call_of(text), ..outcome.clone().into_step(text) }
}

impl Play {
    /// At the reset, under the specification's assertions or others.
    fn of(task: &str, others: Option<Rules>) -> Self {
        let source = Arc::new(Source::shipped().unwrap());
        let mut world = HouseholdWorld::new(Arc::clone(&source), Edition::Put);
        let reset = world.reset(task, 0).unwrap();
        let specification = Specification::load(&world.specification(), "spec.py").unwrap();
        let mut state = specification.start().unwrap();
        for call in reset.calls() {
            state.call_unchecked(call).unwrap();
        }
        let rules = others.unwrap_or_else(|| CheckedProgram::stated(&specification).unwrap());
        let demonstrations = shipped::demonstrations(Edition::Put).unwrap();
        let basis = Basis {
            sentence: source.definition(task).unwrap().task,
            agent: built_in_agent(&stepwright::worlds::household::KIND, &demonstrations),
            before: Before::learn(demonstrations.iter().map(Demonstration::actions)),
        };
        let program = CheckedProgram::new(state, Arc::new(rules));
        let growth = Growth::derive(
            Derived::new(Arc::new(basis), program, observed(&world, "", &reset), Report::of(&world)),
            &world,
        );
        Play { world, growth }
    }

    /// Takes the selector's choice. Whether it was blocked or refused.
    fn step(&mut self) -> bool {
        let before = self.growth.observation(&self.world).unwrap();
        let text = self.growth.rank(&before.facts, 0).remove(0).text;
        if self.growth.select(&text, &before.facts, &self.world) != Selection::Execute {
            return true;
        }
        let outcome = self.world.act(&text).unwrap();
        let heard = observed(&self.world, &text, &outcome);
        self.growth.hear(heard, (outcome.won, outcome.reward), &self.world);
        self.growth.executed(&text, outcome.error.as_deref(), &before, &self.world);
        outcome.error.is_some()
    }

    /// Goes on to the next block or refusal.
    fn stopped(mut self) -> Self {
        while !self.step() {}
        self
    }

    fn view(&self) -> View {
        let goals = self.growth.shown(&self.growth.facts(&self.world).unwrap());
        let mut view = View::new(Default::default(), Default::default(), &METHODS);
        view.situation = Some(Arc::new(Situation { goals, live: true, ..Situation::default() }));
        view
    }
}

#[test]
fn an_unmet_assertion() {
    let view = Play::of("shipped/place-box-1", None).stopped().view();
    assert_snapshot!("derived_block_small", shot(PaneId::Blocking, &view, (38, 10)));
    assert_snapshot!("derived_block_medium", shot(PaneId::Blocking, &view, (58, 14)));
    assert_snapshot!("derived_block_large", shot(PaneId::Blocking, &view, (98, 28)));
    let mut blocking = pane(PaneId::Blocking);
    let _ = blocking.update(&view);
    blocking.act(PaneAction::Down, &view);
    blocking.act(PaneAction::Down, &view);
    assert_snapshot!("derived_block_ascii", shown(blocking.as_mut(), &view, &ascii(), (78, 14), true));
}

#[test]
fn a_refusal_and_a_persons_action() {
    let mut play = Play::of("shipped/heat-apple-1", None).stopped();
    assert_snapshot!("derived_refusal", shot(PaneId::Blocking, &play.view(), (78, 14)));
    let under = play.growth.forest().trees().iter().find(|tree| tree.blocked.is_some()).unwrap().key;
    let edit = TreeEdit::Add { under, action: "open microwave 1".into() };
    play.growth.edit(&edit, &play.world).unwrap();
    assert_snapshot!("derived_added", shot(PaneId::Blocking, &play.view(), (78, 14)));
}

#[test]
fn nothing_helps() {
    let nowhere = Assertion::compile("recep in self.env.object_states").unwrap();
    let rules = Rules::from([("goto".to_owned(), vec![nowhere.clone()]), ("open".to_owned(), vec![nowhere])]);
    let mut play = Play::of("shipped/place-box-1", Some(rules)).stopped();
    while play.growth.helpless().is_none() {
        assert!(play.step());
    }
    assert_snapshot!("derived_helpless", shot(PaneId::Blocking, &play.view(), (78, 14)));
}
