//! The tutorial of a world of one's own, followed: the files of the page are written, its commands are run. Gymnasium is used where it can
//! be imported; else a module that has of its interface what the page uses.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use crate::docs::root;
use crate::support::driver::Watched;
use crate::support::opened::configuration;
use crate::support::program::{program, said};
use serde_json::Value;
use stepwright::blocking::BlockingTree;
use stepwright::driver::{Command as Wanted, NewSession, Notice, Persistence, Request, prepare_new};
use stepwright::episode::{Mark, Status};
use stepwright::worlds::external::Adapter;

/// Taxi, as far as the page goes.
const STAND_IN: &str = r#"
MAP = ["|R: | : :G|", "| : | : : |", "| : : : : |", "| | : | : |", "|Y| : |B: |"]


class Taxi:
    locs = [(0, 0), (0, 4), (4, 0), (4, 3)]

    @property
    def unwrapped(self):
        return self

    def encode(self, row, column, waits, goal):
        return ((row * 5 + column) * 5 + waits) * 4 + goal

    def decode(self, state):
        return [state // 100, state // 20 % 5, state // 4 % 5, state % 4]

    def reset(self, seed=None):
        self.s = self.encode(3, 0, 3, 2)
        return self.s, {}

    def step(self, action):
        row, column, waits, goal = self.decode(self.s)
        here, reward, done = (row, column), -1, False
        if action == 0:
            row = min(row + 1, 4)
        elif action == 1:
            row = max(row - 1, 0)
        elif action == 2 and MAP[row][2 * column + 2] == ":":
            column += 1
        elif action == 3 and MAP[row][2 * column] == ":":
            column -= 1
        elif action == 4 and waits < 4 and here == self.locs[waits]:
            waits = 4
        elif action == 5 and waits == 4 and here == self.locs[goal]:
            waits, reward, done = goal, 20, True
        elif action == 5 and waits == 4 and here in self.locs:
            waits = self.locs.index(here)
        elif action > 3:
            reward = -10
        self.s = self.encode(row, column, waits, goal)
        return self.s, reward, done, False, {}

    def render(self):
        row, column, _, _ = self.decode(self.s)
        lines = [list(line) for line in MAP]
        lines[row][2 * column + 1] = "\x1b[43m" + lines[row][2 * column + 1] + "\x1b[0m"
        return "\n".join("".join(line) for line in lines) + "\n"


def make(name, render_mode):
    assert (name, render_mode) == ("Taxi-v4", "ansi")
    return Taxi()
"#;

fn page() -> String {
    std::fs::read_to_string(root().join("docs/tutorial/your-own-world.md")).unwrap()
}

/// Writes the files of the page, and Gymnasium where there is none.
fn prepared(folder: &Path) {
    let page = page();
    let blocks: Vec<&str> = page.split("```python\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(blocks.len(), 2);
    for (name, block) in ["taxi.py", "taxi_spec.py"].iter().zip(&blocks) {
        assert!(block.lines().count() <= 25, "{name}: the page promises 25 lines");
        std::fs::write(folder.join(name), block).unwrap();
    }
    let there = Command::new("python3").args(["-c", "import gymnasium; gymnasium.make('Taxi-v4')"]).output();
    if !there.is_ok_and(|output| output.status.success()) {
        std::fs::write(folder.join("gymnasium.py"), STAND_IN).unwrap();
    }
}

/// The page's command that begins so, as words.
fn command(beginning: &str) -> Vec<String> {
    let page = page();
    let line = page.lines().find(|line| line.starts_with(beginning)).unwrap_or_else(|| panic!("no `{beginning}`"));
    shlex::split(line).unwrap().split_off(1)
}

#[test]
fn the_run_of_the_page_does_nothing_that_an_assertion_forbids() {
    let folder = tempfile::tempdir().unwrap();
    prepared(folder.path());
    let run = program(folder.path()).current_dir(folder.path()).args(command("stepwright run ")).output().unwrap();
    let said = said(&run);
    let results = std::fs::read_to_string(folder.path().join("taxi.jsonl")).unwrap_or_else(|e| panic!("{e}: {said}"));
    let result: Value = serde_json::from_str(results.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&result["refused"], &result["compatible"], &result["steps"]),
        (&0.into(), &30.into(), &30.into()),
        "{said}"
    );
}

#[tokio::test]
async fn the_gate_of_the_page_says_what_fails_and_the_tree_what_comes_first() {
    let folder = tempfile::tempdir().unwrap();
    prepared(folder.path());
    let adapter = Adapter {
        folder: Some(folder.path().to_owned()),
        specification: Some(folder.path().join("taxi_spec.py")),
        ..Adapter::new("cli", vec!["python3".into(), "taxi.py".into()])
    };
    let sources = stepwright::worlds::sources().with_adapters([("cli".to_owned(), Arc::new(adapter))].into());
    let new = NewSession { world: "external".into(), model: "symbolic".into(), ..NewSession::default() };
    let mut setup = prepare_new(&new, &configuration(folder.path()), &sources, Arc::new(|| 1_000)).unwrap();
    setup.keep = Persistence::Nothing;
    let mut w = Watched::start(setup);
    w.recommended().await;
    let turn = &w.session.current().unwrap().turn;
    let marked: Vec<(String, Mark)> =
        turn.proposals.iter().map(|p| (p.action.as_ref().unwrap().text.clone(), turn.mark(p))).collect();
    assert_eq!(marked.len(), 6, "all that the world lists is offered: {marked:?}");
    let failing: Vec<&str> = marked.iter().filter(|(_, mark)| *mark == Mark::Fails).map(|(t, _)| t.as_str()).collect();
    assert_eq!(failing, ["taxi.dropoff()", "taxi.pickup()"]);
    let of = |text: &str| turn.proposals.iter().find(|p| p.raw == text).unwrap().id;
    let verdict = turn.newest(of("taxi.pickup()")).unwrap();
    let check = verdict.checks.iter().find(|check| check.status == Status::Fails).unwrap();
    assert_eq!(check.condition, "self.place == self.waits");
    let (pickup, dropoff) = (of("taxi.pickup()"), of("taxi.dropoff()"));
    w.send(Wanted::Explain { proposal: dropoff });
    let explained = w.until("a tree", |n, _| matches!(n, Notice::Blocking { .. })).await;
    let Notice::Blocking { tree, .. } = explained else { panic!("a tree") };
    assert!(shown(&tree).contains("self.rides"), "{}", shown(&tree));
    // A rejection, a step and back: the world comes back by what it gave.
    w.send(Wanted::Gate(Request::Reject { proposal: pickup, reason: "nobody waits there".into() }));
    w.recommended().await;
    w.approve();
    w.executed().await;
    w.send(Wanted::Gate(Request::Undo));
    w.send(Wanted::Gate(Request::Manual { text: "taxi.east()".into() }));
    w.executed().await;
    let calls = &w.session.current().unwrap().outcome.calls;
    assert!(calls.len() == 2 && calls[0] == "taxi.east()" && calls[1].starts_with("taxi.see([3, "), "{calls:?}");
    w.quit().await;
}

fn shown(tree: &BlockingTree) -> String {
    tree.nodes.iter().map(|node| format!("{}\n", node.text)).collect()
}
