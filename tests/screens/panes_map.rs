//! Map of the State pane: in the shipped kitchens, at the sizes it gets, with and without Unicode.

use std::sync::Arc;

use crate::support::screen::{ascii, pane, shot, shown};
use insta::assert_snapshot;
use stepwright::driver::Situation;
use stepwright::methods::METHODS;
use stepwright::tui::pane::{PaneAction, PaneId};
use stepwright::tui::view::View;
use stepwright::world::World;
use stepwright::worlds::kitchen::{Find, KitchenWorld, Source};

fn after(task: &str, actions: &[&str]) -> View {
    let mut world = KitchenWorld::new(Source::shipped().unwrap(), Find::Moving);
    world.reset(task, 0).unwrap();
    for action in actions {
        assert_eq!(world.act(action).unwrap().error, None, "{action}");
    }
    let situation = Situation {
        map: world.picture(),
        truth: world.truth(),
        admissible: world.admissible(),
        ..Situation::default()
    };
    let mut view = View::new(Default::default(), Default::default(), &METHODS);
    view.situation = Some(Arc::new(situation));
    view
}

fn in_ascii(view: &View) -> String {
    let mut state = pane(PaneId::State);
    let _ = state.update(view);
    shown(state.as_mut(), view, &ascii(), (78, 19), true)
}

const WITH_MUG: [&str; 4] = ["scanroom Cabinet|1", "walk_to_object Cabinet|1", "open Cabinet|1", "grab Mug|1"];

#[test]
fn the_start_of_a_task() {
    let view = after("galley/coffee", &[]);
    assert_snapshot!("map_start", shot(PaneId::State, &view, (78, 19)));
    assert_snapshot!("map_start_medium", shot(PaneId::State, &view, (60, 15)));
    assert_snapshot!("map_start_large", shot(PaneId::State, &view, (60, 32)));
    assert_snapshot!("map_start_small", shot(PaneId::State, &view, (38, 14)));
    assert_snapshot!("map_start_ascii", in_ascii(&view));
}

#[test]
fn on_the_way() {
    let view = after("galley/coffee", &WITH_MUG);
    assert_snapshot!("map_mug_in_hand", shot(PaneId::State, &view, (78, 19)));
    let view = after("corner/apple", &["walk_to_room kitchen", "open Fridge|1"]);
    assert_snapshot!("map_wall_and_door", shot(PaneId::State, &view, (78, 19)));
    assert_snapshot!("map_wall_and_door_ascii", in_ascii(&view));
    let view = after("island/toast", &["scanroom Bread|1", "walk_to_object Bread|1", "slice Bread|1"]);
    assert_snapshot!("map_island", shot(PaneId::State, &view, (78, 19)));
}

#[test]
fn a_task_that_is_done() {
    let view = after("studio/mug", &["scanroom Faucet|1", "walk_to_object Faucet|1", "switchon Faucet|1"]);
    assert_snapshot!("map_done", shot(PaneId::State, &view, (78, 19)));
}

/// The map comes first where there is one; cycling leads to the variables, the truth, both, the form of states, and back.
#[test]
fn cycling_goes_round_and_the_picture_takes_no_row_keys() {
    let view = after("galley/mug", &[]);
    let mut state = pane(PaneId::State);
    let _ = state.update(&view);
    assert_eq!(state.title(&view), "State, map");
    assert_eq!(state.actions(&view), [(PaneAction::Cycle, "show the variables")]);
    for action in [PaneAction::Down, PaneAction::Search, PaneAction::Activate, PaneAction::ToggleFold] {
        assert!(state.act(action, &view).is_empty() && !state.captures_text(), "{action:?}");
    }
    for _ in 0..5 {
        let _ = state.act(PaneAction::Cycle, &view);
        assert_ne!(state.title(&view), "State, map");
    }
    let _ = state.act(PaneAction::Cycle, &view);
    assert_eq!(state.title(&view), "State, map");
}
