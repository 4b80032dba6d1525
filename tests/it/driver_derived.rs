//! Blocking trees derived from assertions, through the driver: in the household with `--domain derived`, in a dialogue, and where a
//! session's own domain is gone.

use std::path::Path;

use crate::support::driver::Watched;
use crate::support::opened::configuration;
use stepwright::blocking::{BlockingTree, NamedDomain};
use stepwright::config::Config;
use stepwright::driver::{CandidateCommand, Command, Level, NewSession, Notice, OpenRequest, Request, Setup, prepare};
use stepwright::episode::{Configuration, TreeEdit};
use stepwright::world::Sources;

/// A new session with the method `blocking`.
fn new(config: &Config, world: &str, task: &str) -> Setup {
    let new = NewSession {
        world: world.into(),
        task: task.into(),
        model: "symbolic".into(),
        method: "blocking".into(),
        ..NewSession::default()
    };
    prepare(&OpenRequest::New(new), config, &Sources::default()).unwrap()
}

fn household(folder: &Path) -> Setup {
    let mut config = configuration(folder);
    config.method.domain = Some(NamedDomain::Derived);
    new(&config, "household", "shipped/place-box-1")
}

fn again(folder: &Path) -> Setup {
    let mut files = std::fs::read_dir(folder.join("state/sessions")).unwrap().map(|f| f.unwrap().path());
    let file = files.next().unwrap();
    assert!(files.next().is_none());
    prepare(&OpenRequest::File(file), &configuration(folder), &Sources::default()).unwrap()
}

/// The tree shown last, and whether it is the live one.
fn tree(w: &Watched) -> (BlockingTree, bool) {
    let shown = w.notices.iter().rev().find_map(|n| match n {
        Notice::Situation(s) => Some((s.goals.clone(), s.live)),
        _ => None,
    });
    shown.unwrap()
}

/// The tree at a node, once it is reported.
async fn tree_at(w: &mut Watched, at: u64) -> BlockingTree {
    w.until("a situation", |n, _| matches!(n, Notice::Situation(s) if s.node == at)).await;
    tree(w).0
}

async fn step(w: &mut Watched) -> u64 {
    w.approve();
    w.executed().await;
    let at = w.session.cursor();
    tree_at(w, at).await;
    if !w.session.is_done() {
        w.recommended().await;
    }
    at
}

#[tokio::test]
async fn a_household_without_its_domain_blocks_resolves_and_is_undone() {
    let folder = tempfile::tempdir().unwrap();
    let mut w = Watched::start(household(folder.path()));
    w.recommended().await;
    let mut trees = vec![tree_at_start(&w)];
    let mut blocked = None;
    while !w.session.is_done() {
        let at = step(&mut w).await;
        trees.push(tree(&w).0);
        assert!(w.session.is_done() || tree(&w).1, "the live tree");
        let outcome = &w.session.current().unwrap().outcome;
        if let Some(condition) = &outcome.blocked {
            assert!(condition == "unmet: self.inventory == obj (obj = 'box 1')");
            assert!(outcome.calls.is_empty());
            blocked = Some(at);
        }
    }
    assert!(w.session.current().unwrap().outcome.won);
    let blocked = blocked.expect("putting needs a thing in the hand");
    let words = |tree: &BlockingTree| tree.nodes.iter().map(|n| n.text.clone()).collect::<Vec<_>>();
    let at_block = &trees[usize::try_from(blocked).unwrap()];
    assert!(words(at_block).contains(&"take box 1 from armchair 1".to_owned()), "{:?}", words(at_block));
    // Back across the block, and forth again.
    while w.session.cursor() >= blocked {
        let before = w.session.cursor();
        w.send(Command::Gate(Request::Undo));
        let there = tree_at(&mut w, before - 1).await;
        assert_eq!(there, trees[usize::try_from(before - 1).unwrap()]);
    }
    w.send(Command::Gate(Request::Redo));
    assert_eq!(&tree_at(&mut w, blocked).await, at_block);
    w.quit().await;
    let mut w = Watched::start(again(folder.path()));
    w.send(Command::Gate(Request::Goto(blocked)));
    assert_eq!(&tree_at(&mut w, blocked).await, at_block, "the tree of the step is built again");
    w.quit().await;
}

fn tree_at_start(w: &Watched) -> BlockingTree {
    tree(w).0
}

#[tokio::test]
async fn a_persons_changes_of_a_derived_tree_stay_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut w = Watched::start(household(folder.path()));
    w.recommended().await;
    while w.session.current().unwrap().outcome.blocked.is_none() {
        step(&mut w).await;
    }
    let at = w.session.cursor();
    let under = tree(&w).0.nodes.iter().find_map(|n| n.handle.filter(|h| h.blocked)).unwrap().node;
    w.send(Command::Gate(Request::edit_tree(&TreeEdit::Add { under, action: "open cabinet 4".into() })));
    let changed = tree_at(&mut w, at).await;
    assert!(changed.nodes.iter().any(|n| n.text == "open cabinet 4"));
    w.quit().await;
    let mut w = Watched::start(again(folder.path()));
    assert_eq!(tree_at(&mut w, at).await, changed);
    w.quit().await;
}

#[tokio::test]
async fn adopted_assertions_block_in_a_dialogue_and_another_method_needs_no_tree() {
    let folder = tempfile::tempdir().unwrap();
    let mut w = Watched::start(new(&configuration(folder.path()), "dialogue", "shipped/toollibrary-02"));
    let first = w.recommended().await;
    let (before, live) = tree(&w);
    assert!(live && before.nodes.len() > 1, "{before:?}");
    assert!(before.nodes.iter().any(|n| n.text == first));
    let call = w.session.current().unwrap().turn.proposals[0].action.as_ref().unwrap().call.clone().unwrap();
    let action = call.split(['.', '(']).nth(1).unwrap().to_owned();
    w.send(Command::Candidates(CandidateCommand::Adopt {
        action,
        assertions: vec!["self.user.affirmed".into()],
        origin: "edited".into(),
    }));
    let after = tree_at(&mut w, 0).await;
    let why = &after.nodes.iter().find(|n| n.text == first).unwrap().why;
    assert!(why.contains("`unmet: self.user.affirmed` (an assertion does not hold)"), "{why}");
    w.send(Command::Gate(Request::Propose));
    w.recommended().await;
    step(&mut w).await;
    assert_eq!(w.session.current().unwrap().outcome.blocked.as_deref(), Some("unmet: self.user.affirmed"));
    let grown = tree(&w).0;
    let needs = grown.nodes.iter().position(|n| n.text == "self.user.affirmed").unwrap();
    let offered: Vec<&str> = grown.children(Some(needs)).map(|i| grown.nodes[i].text.as_str()).collect();
    assert_eq!(offered, ["end turn"], "the user's next words may make it true");
    let method = "precondition-aware".to_owned();
    let to = Configuration { method, model: "symbolic".into(), options: Default::default() };
    w.send(Command::Gate(Request::Configure(to)));
    w.until("no live tree", |n, _| matches!(n, Notice::Situation(s) if !s.live)).await;
    w.quit().await;
}

#[tokio::test]
async fn a_session_whose_own_domain_is_gone_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    std::fs::copy("worlds/kitchen/domain.toml", &file).unwrap();
    let mut config = configuration(folder.path());
    config.method.domain = Some(NamedDomain::File(file.clone()));
    let mut w = Watched::start(new(&config, "kitchen", "galley/apple"));
    w.recommended().await;
    step(&mut w).await;
    w.quit().await;
    std::fs::remove_file(&file).unwrap();
    let mut w = Watched::start(again(folder.path()));
    let said = w.said(Level::Warning, "the blocking domain of this session cannot be had").await;
    assert!(said.contains("mine.toml") && said.contains("put the file back"), "{said}");
    w.send(Command::Gate(Request::Propose));
    w.said(Level::Error, "cannot be had").await;
    w.quit().await;
}
