//! Picture of the State pane on a table: stacks, containers, dirt, covers and cups, at the sizes it gets, with and
//! without Unicode.

use std::path::Path;
use std::sync::Arc;

use crate::support::screen::{ascii, pane, shot, shown};
use insta::assert_snapshot;
use stepwright::driver::{BeliefView, Situation};
use stepwright::methods::METHODS;
use stepwright::tui::pane::PaneId;
use stepwright::tui::view::View;
use stepwright::world::World;
use stepwright::worlds::table::{Source, TableWorld};

/// The view after some calls of an episode that is asked one thing.
fn after(domain: &str, objects: &[&str], query: &str, calls: &str) -> View {
    let episode = serde_json::json!({
        "id": "x", "domain": domain, "objects": objects,
        "steps": [
            { "query": query, "kind": "statement", "gold_moves": [] },
            { "query": "Put all the clean blocks on the table", "kind": "put_all", "gold_moves": [] },
        ],
    });
    of(&episode.to_string(), "x", calls)
}

fn of(file: &str, task: &str, calls: &str) -> View {
    let mut world = TableWorld::new(Source::from_text(file, Path::new("x.jsonl")).unwrap());
    world.reset(task, 0).unwrap();
    assert_eq!(world.act(calls).unwrap().error, None);
    let situation = Situation { map: world.picture(), truth: world.truth(), ..Situation::default() };
    let mut view = View::new(Default::default(), Default::default(), &METHODS);
    view.situation = Some(Arc::new(situation));
    view
}

fn in_ascii(view: &View) -> String {
    let mut state = pane(PaneId::State);
    let _ = state.update(view);
    shown(state.as_mut(), view, &ascii(), (60, 15), true)
}

const THINGS: [&str; 9] = [
    "red block", "blue block", "green block", "white block", "turquoise block", "tin bowl", "porcelain bowl",
    "glass bowl", "disinfector",
];

const MOVES: &str = "put_first_on_second('red block', 'tin bowl')\nput_first_on_second('blue block', 'red block')\n\
                     put_first_on_second('green block', 'tin bowl')\nput_first_on_second('white block', 'turquoise block')\ndone()";

#[test]
fn stacks_and_bowls() {
    let view =
        after("disinfection", &THINGS, "the red block is dirty, the white and the green blocks are clean", MOVES);
    assert_snapshot!("table_stacks", shot(PaneId::State, &view, (78, 14)));
    assert_snapshot!("table_stacks_medium", shot(PaneId::State, &view, (58, 14)));
    assert_snapshot!("table_stacks_small", shot(PaneId::State, &view, (38, 14)));
    assert_snapshot!("table_stacks_ascii", in_ascii(&view));
    for size in [(1, 1), (3, 40), (200, 2), (12, 5)] {
        let _ = shot(PaneId::State, &view, size);
    }
}

#[test]
fn weights_are_listed_below() {
    let calls = "put_first_on_second('red block', 'tin bowl')";
    let view = after("weight", &THINGS[..6], "The red block is twice the weight of the blue block", calls);
    assert_snapshot!("table_weights", shot(PaneId::State, &view, (78, 14)));
}

#[test]
fn covers_and_cups() {
    let things = ["red block", "blue block", "green cover", "tin bowl"];
    let calls = "put_first_on_second('red block', 'tin bowl')\nput_first_on_second('green cover', 'red block')";
    assert_snapshot!("table_covers", shot(PaneId::State, &after("cover", &things, "hide it", calls), (58, 10)));
    let games = r#"{"games": [{"initial": [true, false, false], "swaps": [[0, 2], [0, 1]]}]}"#;
    let view = of(games, "cups/001", "say('[False, False, True]')\ndone()");
    assert_snapshot!("table_cups", shot(PaneId::State, &view, (58, 10)));
}

#[test]
fn what_is_believed_is_drawn_beside_the_truth_with_what_differs() {
    let mut world = TableWorld::new(Source::shipped().unwrap());
    let task = world.tasks().remove(0).id;
    world.reset(&task, 0).unwrap();
    let believed = world.belief_form().unwrap();
    let first = world.requests().unwrap().reference().unwrap().unwrap().to_owned();
    assert_eq!(world.act(&format!("{first}\ndone()")).unwrap().error, None);
    let shot_of = |believed: &serde_json::Value| {
        let picture = world.picture_of(believed);
        let state = Arc::new(believed.clone());
        let belief = BeliefView { state, truth: None, differences: Vec::new(), drift: Vec::new(), picture };
        let situation = Situation { map: world.picture(), belief: Some(Arc::new(belief)), ..Situation::default() };
        let mut view = View::new(Default::default(), Default::default(), &METHODS);
        view.situation = Some(Arc::new(situation));
        let mut state = pane(PaneId::State);
        let _ = state.update(&view);
        shown(state.as_mut(), &view, &ascii(), (58, 12), false)
    };
    let apart = shot_of(&believed);
    assert_eq!(apart.matches("[red !]").count(), 2, "{apart}");
    let alike = shot_of(&world.belief_form().unwrap());
    assert!(alike.contains("and so it is in truth") && !alike.contains('!'), "{alike}");
}
