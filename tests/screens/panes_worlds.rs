//! The Blocking pane in every world, as a session has it: a tree of goals, what blocks them and what would unblock that, by which the
//! built-in selector steps. Derived from assertions and effects, in the worlds with a domain of their own too.

use std::sync::Arc;
use std::time::Duration;

use insta::assert_snapshot;
use stepwright::blocking::{BlockingSource, BlockingTree, NodeKind, NodeStatus};
use stepwright::driver::{Command, Notice, Request, Situation, system_clock};
use stepwright::episode::Policy;
use stepwright::methods::METHODS;
use stepwright::tui::pane::PaneId;
use stepwright::tui::view::View;

use crate::support::driver::Watched;
use crate::support::opened::{begun, configuration};
use crate::support::screen::shot;

/// The pane's size where it leads a workbench of 120 by 40.
const SIZE: (u16, u16) = (58, 24);

/// Steps at most.
const STEPS: u32 = 60;

fn pane(situation: &Arc<Situation>) -> String {
    let mut view = View::new(Default::default(), Default::default(), &METHODS);
    view.situation = Some(Arc::clone(situation));
    shot(PaneId::Blocking, &view, SIZE)
}

/// Whether it has more to say than the task in a sentence.
fn is_tree(tree: &BlockingTree) -> bool {
    tree.nodes.iter().any(|node| node.kind == NodeKind::Action && node.parent.is_some())
}

fn situations(watched: &Watched) -> Vec<Arc<Situation>> {
    let shown =
        watched.notices.iter().filter_map(|n| if let Notice::Situation(s) = n { Some(Arc::clone(s)) } else { None });
    shown.collect()
}

/// Plays a task by what the tree offers; the panes at its beginning and in the middle, and how it ended.
fn played(world: &str, task: &str) -> (String, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let method = ("blocking", &[][..]);
    let mut setup = begun((world, task), method, &configuration(folder.path()), system_clock(), None);
    setup.knowledge.blocking = BlockingSource::Assertions;
    setup.services = Vec::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut watched = Watched::start(setup);
        watched.until("a recommendation", |_, s| s.current().is_some_and(|n| n.turn.recommended.is_some())).await;
        let policy = Policy { steps: STEPS, ..Policy::default() };
        watched.send(Command::Gate(Request::SetPolicy(policy)));
        let wait = Duration::from_secs(120);
        let over =
            watched.until_within(wait, "the end", |_, s| s.is_done() || s.current().is_some_and(|n| n.depth >= STEPS));
        over.await;
        let all = situations(&watched);
        for situation in &all {
            let (tree, node) = (&situation.goals, watched.session.node(situation.node).unwrap());
            let open = tree.nodes.iter().any(|node| node.kind == NodeKind::Goal && node.status == NodeStatus::Blocked);
            // Between two requests nothing is wanted.
            assert!(!open || is_tree(tree) || node.outcome.done, "{world}, step {}: {:#?}", node.depth, tree.nodes);
        }
        let path = watched.session.path(watched.session.cursor());
        let executed = path.iter().filter(|node| node.action.is_some() && node.outcome.blocked.is_none()).count();
        let won = path.last().is_some_and(|node| node.outcome.won);
        let end = format!("{executed} executed, {} selected, won: {won}", path.len() - 1);
        (pane(&all[0]), pane(&all[all.len() / 2]), end)
    })
}

fn kept(world: &str, task: &str) {
    let (begun, middle, end) = played(world, task);
    assert_snapshot!(format!("derived_in_{world}"), format!("{begun}\n{middle}\n{end}\n"));
}

#[test]
fn in_the_household() {
    kept("household", "shipped/place-box-1");
}

#[test]
fn in_the_kitchen() {
    kept("kitchen", "galley/apple");
}

#[test]
fn in_the_graph() {
    kept("graph", "flat/milk_on_table");
}

#[test]
fn in_the_shop() {
    kept("shop", "fixed_0");
}

#[test]
fn on_the_table() {
    kept("table", "pick_and_place/shelf");
}

/// The acts of the recorded system are partly drawn by chance (decision 103): it is stepped to its end all the same.
#[test]
fn in_dialogues() {
    kept("dialogue", "shipped/toollibrary-01");
}
